/* SPDX-License-Identifier: MIT */
/* Parts that either implementation of deflate.h leaves to our own code. */
#include "log/deflate.h"
#include "log/huffman.h"
#include "log/repeats.h"

#define PART_BYTES_MIN 256 /* less is not worth a separate code */

size_t deflate_bound_ours(size_t size)
{
	const size_t literals = huffman_bound(size);
	const size_t repeats = repeats_bound(size);

	return literals > repeats ? literals : repeats;
}

/* Packs the part of this number. Returns the size; 0 if it is for the library. */
static size_t pack(struct deflate_ours *ours, size_t number,
	const struct deflate_part *part, void *out, size_t room)
{
	if (part->size < PART_BYTES_MIN)
		return 0;
	if (part->kind == DEFLATE_LITERALS)
		return huffman_pack(&ours->blocks[number == 0 ? 0 : 1],
			part->bytes, part->size, out, room);
	if (part->kind == DEFLATE_REPEATS && ours->level == 1)
		return repeats_pack(
			&ours->blocks[2], part->bytes, part->size, out, room);
	return 0;
}

size_t deflate_pack_ours(struct deflate_ours *ours,
	const struct deflate_part **parts, size_t *count, void *out,
	size_t room)
{
	size_t packed = 0;

	for (size_t number = 0; *count > 1; number++) {
		const size_t more = pack(ours, number, *parts,
			(char *)out + packed, room - packed);

		if (more == 0)
			break;
		packed += more;
		(*parts)++;
		(*count)--;
	}
	return packed;
}

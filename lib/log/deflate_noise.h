/* SPDX-License-Identifier: MIT */
/* The common treatment of leading noise in both implementations of
 * deflate.h. */
#ifndef DEFLATE_NOISE_H
#define DEFLATE_NOISE_H

#include "log/deflate.h"
#include "log/huffman.h"

#define DEFLATE_NOISE_MIN 256 /* less is not worth a code of its own */

/* Packs leading parts that are noise, and moves `parts` past them; one part is
 * left for the library to end the stream with. Returns the packed size. */
static inline size_t deflate_pack_noise(const struct deflate_part **parts,
	size_t *count, void *out, size_t room)
{
	size_t packed = 0;

	while (*count > 1 && (*parts)->noise &&
		(*parts)->size >= DEFLATE_NOISE_MIN) {
		size_t more = huffman_pack((*parts)->bytes, (*parts)->size,
			(char *)out + packed, room - packed);

		if (more == 0)
			break;
		packed += more;
		(*parts)++;
		(*count)--;
	}
	return packed;
}

#endif

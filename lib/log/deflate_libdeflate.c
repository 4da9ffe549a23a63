/* SPDX-License-Identifier: MIT */
/* Source: libdeflate.h, version 1.14. Measured against zlib by bench_pack. */
#include "log/deflate.h"

#include <stdlib.h>

#include <libdeflate.h>

#include "log/deflate_open.h"

struct deflater {
	struct libdeflate_compressor *library;
	struct deflate_ours ours;
};

struct deflater *deflater_new(int level)
{
	struct deflater *deflater = calloc(1, sizeof(*deflater));

	if (deflater == NULL)
		return NULL;
	deflater->library = libdeflate_alloc_compressor(level);
	deflater->ours.level = level;
	if (deflater->library == NULL) {
		free(deflater);
		return NULL;
	}
	return deflater;
}

void deflater_free(struct deflater *deflater)
{
	if (deflater == NULL)
		return;
	libdeflate_free_compressor(deflater->library);
	free(deflater);
}

size_t deflater_bound(struct deflater *deflater, size_t size)
{
	return libdeflate_deflate_compress_bound(deflater->library, size) +
	       deflate_bound_ours(size);
}

size_t deflater_pack(struct deflater *deflater,
	const struct deflate_part *parts, size_t count, void *out, size_t room)
{
	size_t ours =
		deflate_pack_ours(&deflater->ours, &parts, &count, out, room);
	size_t size = 0;
	size_t packed;

	for (size_t i = 0; i < count; i++)
		size += parts[i].size;
	packed = libdeflate_deflate_compress(deflater->library, parts[0].bytes,
		size, (char *)out + ours, room - ours);
	return packed == 0 ? 0 : ours + packed;
}

size_t deflater_pack_open(struct deflater *deflater, const void *bytes,
	size_t size, void *out, size_t room)
{
	return deflate_open(out,
		libdeflate_deflate_compress(
			deflater->library, bytes, size, out, room),
		room);
}

/* Our handle is the library's own object. */
struct inflater *inflater_new(void)
{
	return (struct inflater *)(void *)libdeflate_alloc_decompressor();
}

void inflater_free(struct inflater *inflater)
{
	libdeflate_free_decompressor(
		(struct libdeflate_decompressor *)(void *)inflater);
}

bool inflater_unpack(struct inflater *inflater, const void *bytes, size_t size,
	void *out, size_t out_size)
{
	size_t used = 0;

	return libdeflate_deflate_decompress_ex(
		       (struct libdeflate_decompressor *)(void *)inflater,
		       bytes, size, out, out_size, &used,
		       NULL) == LIBDEFLATE_SUCCESS &&
	       used == size;
}

uint32_t deflate_crc32(const void *bytes, size_t size)
{
	return libdeflate_crc32(0, bytes, size);
}

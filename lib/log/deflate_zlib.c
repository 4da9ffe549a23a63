/* SPDX-License-Identifier: MIT */
/* Source: zlib.h, version 1.2.13. */
#include "log/deflate.h"

#include <stdlib.h>

#define ZLIB_CONST /* next_in is const */
#include <zlib.h>

struct deflater {
	z_stream stream;
	struct deflate_ours ours;
};

struct inflater {
	z_stream stream;
};

struct deflater *deflater_new(int level)
{
	struct deflater *deflater = calloc(1, sizeof(*deflater));

	if (deflater == NULL)
		return NULL;
	if (deflateInit2(&deflater->stream, level, Z_DEFLATED, -MAX_WBITS, 9,
		    Z_DEFAULT_STRATEGY) != Z_OK) {
		free(deflater);
		return NULL;
	}
	deflater->ours.level = level;
	return deflater;
}

void deflater_free(struct deflater *deflater)
{
	if (deflater == NULL)
		return;
	(void)deflateEnd(&deflater->stream);
	free(deflater);
}

size_t deflater_bound(struct deflater *deflater, size_t size)
{
	return deflateBound(&deflater->stream, (uLong)size) +
	       deflate_bound_ours(size);
}

size_t deflater_pack(struct deflater *deflater,
	const struct deflate_part *parts, size_t count, void *out, size_t room)
{
	z_stream *stream = &deflater->stream;
	size_t ours =
		deflate_pack_ours(&deflater->ours, &parts, &count, out, room);
	int result = deflateReset(stream);

	stream->next_out = (Bytef *)out + ours;
	stream->avail_out = (uInt)(room - ours);
	stream->next_in = (const Bytef *)parts[0].bytes;
	stream->avail_in = 0;
	for (size_t i = 0; i < count; i++)
		stream->avail_in += (uInt)parts[i].size;
	if (result == Z_OK)
		result = deflate(stream, Z_FINISH);
	return result == Z_STREAM_END ? room - stream->avail_out : 0;
}

size_t deflater_pack_open(struct deflater *deflater, const void *bytes,
	size_t size, void *out, size_t room)
{
	z_stream *stream = &deflater->stream;

	if (deflateReset(stream) != Z_OK)
		return 0;
	stream->next_out = out;
	stream->avail_out = (uInt)room;
	stream->next_in = bytes;
	stream->avail_in = (uInt)size;
	if (deflate(stream, Z_SYNC_FLUSH) != Z_OK || stream->avail_out == 0)
		return 0;
	return room - stream->avail_out;
}

struct inflater *inflater_new(void)
{
	struct inflater *inflater = calloc(1, sizeof(*inflater));

	if (inflater != NULL &&
		inflateInit2(&inflater->stream, -MAX_WBITS) != Z_OK) {
		free(inflater);
		return NULL;
	}
	return inflater;
}

void inflater_free(struct inflater *inflater)
{
	if (inflater == NULL)
		return;
	(void)inflateEnd(&inflater->stream);
	free(inflater);
}

bool inflater_unpack(struct inflater *inflater, const void *bytes, size_t size,
	void *out, size_t out_size)
{
	z_stream *stream = &inflater->stream;

	if (inflateReset(stream) != Z_OK)
		return false;
	stream->next_in = (const Bytef *)bytes;
	stream->avail_in = (uInt)size;
	stream->next_out = out;
	stream->avail_out = (uInt)out_size;
	return inflate(stream, Z_FINISH) == Z_STREAM_END &&
	       stream->avail_in == 0 && stream->avail_out == 0;
}

uint32_t deflate_crc32(const void *bytes, size_t size)
{
	return (uint32_t)crc32_z(0, bytes, size);
}

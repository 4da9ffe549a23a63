/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a stream of deflate that others shall follow. One
 * that zlib unpacks yields the same bytes afterwards, if an empty block ends it.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fuzz_case.h"
#include "log/deflate_open.h"

#define SIZE_MAX_HERE ((size_t)64 << 10)
#define ROOM ((size_t)1 << 20)

static const uint8_t empty_block[] = {3, 0};

/* Unpacks a whole stream. Returns the number of bytes; ROOM if it is invalid or
 * too long. */
static size_t unpack(const uint8_t *bytes, size_t size, uint8_t *out)
{
	z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)bytes,
		.avail_in = (uInt)size,
		.next_out = out,
		.avail_out = (uInt)ROOM};
	int result;

	fuzz_require(inflateInit2(&stream, -MAX_WBITS) == Z_OK);
	result = inflate(&stream, Z_FINISH);
	(void)inflateEnd(&stream);
	return result == Z_STREAM_END && stream.avail_in == 0
		       ? ROOM - stream.avail_out
		       : ROOM;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	size_t room = size + DEFLATE_OPEN_BYTES + sizeof(empty_block);
	uint8_t *copy;
	uint8_t *out;
	size_t plain;
	size_t opened;

	if (size > SIZE_MAX_HERE)
		return 0;
	copy = malloc(room);
	out = malloc(2 * ROOM);
	fuzz_require(copy != NULL && out != NULL);
	if (size > 0)
		memcpy(copy, bytes, size);
	plain = unpack(bytes, size, out);
	opened = deflate_open(copy, size, size + DEFLATE_OPEN_BYTES);
	if (opened == 0) {
		fuzz_require(plain == ROOM);
		fuzz_require(size == 0 || memcmp(copy, bytes, size) == 0);
	} else if (plain != ROOM) {
		fuzz_require(opened <= size + DEFLATE_OPEN_BYTES);
		memcpy(copy + opened, empty_block, sizeof(empty_block));
		fuzz_require(unpack(copy, opened + sizeof(empty_block),
				     out + ROOM) == plain);
		fuzz_require(memcmp(out, out + ROOM, plain) == 0);
	}
	free(out);
	free(copy);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "io/gzip_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>

#include "base/memory.h"

#define PACKED_BYTES ((size_t)64 * 1024)

/* stdio's buffer size: bytes compressed at once. */
#define PLAIN_BYTES ((size_t)256 * 1024)

/* zlib's value for a gzip file with the default window. */
#define GZIP_WINDOW (15 + 16)

struct gzip_file {
	FILE *out;
	z_stream stream;
	off64_t plain; /* bytes */
	unsigned char packed[PACKED_BYTES];
};

/* Compresses all of the stream's input; false if it cannot be written. */
static bool pack(struct gzip_file *file, int how)
{
	z_stream *stream = &file->stream;

	do {
		size_t size;

		stream->next_out = file->packed;
		stream->avail_out = (uInt)PACKED_BYTES;
		(void)deflate(stream, how);
		size = PACKED_BYTES - stream->avail_out;
		if (fwrite(file->packed, 1, size, file->out) != size)
			return false;
	} while (stream->avail_out == 0);
	return true;
}

/* For stdio, a short write is an error. */
static ssize_t write_plain(void *cookie, const char *bytes, size_t size)
{
	struct gzip_file *file = cookie;
	size_t done = 0;

	while (done < size) {
		size_t part = size - done;

		if (part > PLAIN_BYTES)
			part = PLAIN_BYTES; /* zlib counts in 32 bits */
		file->stream.next_in =
			(z_const Bytef *)(uintptr_t)(bytes + done);
		file->stream.avail_in = (uInt)part;
		if (!pack(file, Z_NO_FLUSH))
			return 0;
		done += part;
	}
	file->plain += (off64_t)size;
	return (ssize_t)size;
}

/* A seek that only asks for the position. */
static int seek_plain(void *cookie, off64_t *offset, int whence)
{
	const struct gzip_file *file = cookie;

	if (whence != SEEK_CUR || *offset != 0) {
		errno = ESPIPE;
		return -1;
	}
	*offset = file->plain;
	return 0;
}

static int close_plain(void *cookie)
{
	struct gzip_file *file = cookie;
	bool done = !ferror(file->out) && pack(file, Z_FINISH);

	(void)deflateEnd(&file->stream);
	memory_free(file);
	return done ? 0 : -1;
}

FILE *gzip_file_open(FILE *out)
{
	static const cookie_io_functions_t functions = {
		.write = write_plain, .seek = seek_plain, .close = close_plain};
	struct gzip_file *file = memory_new_zeroed(1, sizeof(*file));
	FILE *stream = NULL;

	if (file == NULL)
		return NULL;
	file->out = out;
	if (deflateInit2(&file->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
		    GZIP_WINDOW, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
		memory_free(file);
		return NULL;
	}
	stream = fopencookie(file, "w", functions);
	if (stream == NULL) {
		(void)deflateEnd(&file->stream);
		memory_free(file);
		return NULL;
	}
	(void)setvbuf(stream, NULL, _IOFBF, PLAIN_BYTES);
	return stream;
}

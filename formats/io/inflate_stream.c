/* SPDX-License-Identifier: MIT */
/* Source: RFC 1952; zlib.h, version 1.2.13. */
#include "io/inflate_stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define READ_BYTES ((size_t)256 << 10)
#define GZIP_BITS (MAX_WBITS + 16) /* gzip's header and trailer, not zlib's */
#define GZIP_FIRST_BYTE 0x1f

bool inflate_stream_init(
	struct inflate_stream *stream, int fd, const void *head, size_t size)
{
	*stream = (struct inflate_stream){.fd = fd, .wake_fd = -1};
	stream->in = memory_new(READ_BYTES);
	if (stream->in == NULL)
		return false;
	memcpy(stream->in, head, size);
	if (inflateInit2(&stream->zlib, GZIP_BITS) != Z_OK) {
		memory_free(stream->in);
		stream->in = NULL;
		return false;
	}
	stream->zlib.next_in = stream->in;
	stream->zlib.avail_in = (uInt)size;
	atomic_init(&stream->position, size);
	return true;
}

void inflate_stream_clear(struct inflate_stream *stream)
{
	if (stream->in == NULL)
		return;
	(void)inflateEnd(&stream->zlib);
	memory_free(stream->in);
	stream->in = NULL;
}

/* Waits until the file has input, or the caller wants us to stop. */
static bool wait_for_input(const struct inflate_stream *stream)
{
	struct pollfd wanted[] = {
		{.fd = stream->fd, .events = POLLIN},
		{.fd = stream->wake_fd, .events = POLLIN},
	};

	while (poll(wanted, 2, -1) < 0)
		if (errno != EINTR)
			return false;
	if (wanted[1].revents == 0)
		return true;
	errno = ECANCELED;
	return false;
}

/* Reads more of the file, as read(2). */
static ssize_t fill(struct inflate_stream *stream)
{
	ssize_t got;

	do {
		if (stream->wake_fd >= 0 && !wait_for_input(stream))
			return -1;
		got = read(stream->fd, stream->in, READ_BYTES);
	} while (got < 0 && errno == EINTR);
	if (got > 0) {
		stream->zlib.next_in = stream->in;
		stream->zlib.avail_in = (uInt)got;
		atomic_fetch_add(&stream->position, (uint64_t)got);
	}
	return got;
}

static void damage(struct inflate_stream *stream, const char *what)
{
	stream->damage = what;
	stream->damage_at =
		atomic_load(&stream->position) - stream->zlib.avail_in;
	stream->at_end = true;
}

/* Between two members: begins the next one, or skips bytes that are not a
 * member. */
static void begin_member(struct inflate_stream *stream)
{
	z_stream *zlib = &stream->zlib;

	while (zlib->avail_in > 0 && *zlib->next_in == 0 &&
		stream->strange_bytes == 0 && stream->members > 0) {
		zlib->next_in++;
		zlib->avail_in--;
	}
	if (zlib->avail_in == 0)
		return;
	if (stream->members > 0 && (stream->strange_bytes > 0 ||
					   *zlib->next_in != GZIP_FIRST_BYTE)) {
		stream->strange_bytes += zlib->avail_in;
		zlib->avail_in = 0;
		return;
	}
	(void)inflateReset(zlib);
	stream->in_member = true;
}

/* Decompresses until the input or the room for output is used up. */
static bool unpack(struct inflate_stream *stream)
{
	switch (inflate(&stream->zlib, Z_NO_FLUSH)) {
	case Z_STREAM_END:
		stream->in_member = false;
		stream->members++;
		return true;
	case Z_OK:
	case Z_BUF_ERROR:
		return true;
	case Z_MEM_ERROR:
		errno = ENOMEM;
		return false;
	default:
		damage(stream, stream->zlib.msg != NULL
				       ? stream->zlib.msg
				       : "damaged compressed data");
		return true;
	}
}

ssize_t inflate_stream_read(
	struct inflate_stream *stream, void *out, size_t size)
{
	z_stream *zlib = &stream->zlib;

	zlib->next_out = out;
	zlib->avail_out = (uInt)size;
	while (!stream->at_end && zlib->avail_out > 0) {
		if (zlib->avail_in == 0) {
			ssize_t got = fill(stream);

			if (got < 0)
				return -1;
			if (got == 0 && stream->in_member)
				damage(stream, "the compressed data end here");
			stream->at_end = got == 0;
		} else if (!stream->in_member) {
			begin_member(stream);
		} else if (!unpack(stream)) {
			return -1;
		}
	}
	return (ssize_t)(size - zlib->avail_out);
}

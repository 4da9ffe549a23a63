/* SPDX-License-Identifier: MIT */
/*
 * Decompresses a gzip'd file piece by piece, in the memory of one window.
 * Several members are concatenated; zeros after the last one are padding, and
 * other bytes there are counted. For inflate_*.c only.
 */
#ifndef INFLATE_STREAM_H
#define INFLATE_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>

struct inflate_stream {
	int fd;
	int wake_fd; /* readable: give up waiting for input; -1: none */
	z_stream zlib;
	bool in_member;
	bool at_end;
	uint8_t *in;
	uint64_t members;
	uint64_t strange_bytes;    /* after the last member */
	_Atomic uint64_t position; /* bytes read from the file */
	uint64_t damage_at;        /* in the file, if there is damage */
	const char *damage;        /* description; NULL: no damage */
};

/* `head` has the first bytes, at most INFLATE_STREAM_HEAD, already read from
 * `fd`. False if out of memory; call inflate_stream_clear() in either case. */
#define INFLATE_STREAM_HEAD ((size_t)4096)
bool inflate_stream_init(struct inflate_stream *stream, int fd,
	const void *head, size_t head_size);
void inflate_stream_clear(struct inflate_stream *stream);

/* The next bytes, at most `size`, and fewer only before an end; 0 at the end
 * or at damage, negative (and errno) if the file cannot be read. */
ssize_t inflate_stream_read(
	struct inflate_stream *stream, void *out, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A stream of the decompressed contents of a gzip'd file. A separate thread
 * decompresses ahead of the reader, so that the two together take only the time
 * of the slower one.
 */
#ifndef INFLATE_FILE_H
#define INFLATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"

struct inflate_file;

/* The facts about the file so far. */
struct inflate_facts {
	uint64_t position;      /* in the file */
	uint64_t strange_bytes; /* after the compressed data */
	uint64_t damage_at;
	const char *damage; /* description; NULL: no damage */
};

/* Can a gzip'd file begin with these bytes? */
bool inflate_file_probe(const void *head, size_t size);

/*
 * `fd` and its first bytes, at most 4096, which were already read from it, are
 * borrowed: `fd` until the close, the bytes only for this call.
 *
 * Errors: CTP_ERR_NOMEM. A read error of the file is one of the stream; at
 * damage, the stream ends.
 */
enum ctp_status inflate_file_open(struct inflate_file **out, int fd,
	const void *head, size_t head_size, struct ctp_error *err);

/* Frees it with its stream, at any position. NULL is allowed. */
void inflate_file_close(struct inflate_file *file);

/* Borrowed until the close. */
FILE *inflate_file_stream(const struct inflate_file *file);

/* Complete when the stream has reached its end; the position is always
 * valid. */
struct inflate_facts inflate_file_facts(const struct inflate_file *file);

/*
 * Wraps a source that reads from the file's stream: the new one reports
 * progress as a position in the file, and damage to the file together with
 * damage in its contents. Closing it closes the source, not the file.
 *
 * Errors: CTP_ERR_NOMEM; the source is as it was.
 */
enum ctp_status inflate_file_source_open(struct event_source **source,
	const struct inflate_file *file, struct ctp_error *err);

#endif

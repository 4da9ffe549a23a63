/* SPDX-License-Identifier: MIT */
/*
 * A gzip'd file as the stream of what it holds. A thread of its own unpacks
 * ahead of the reader, so that the two together take the time of the slower.
 */
#ifndef INFLATE_FILE_H
#define INFLATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct inflate_file;

/* What was found out about the file so far. */
struct inflate_facts {
	uint64_t position;      /* in the file */
	uint64_t strange_bytes; /* behind what is compressed */
	uint64_t damage_at;
	const char *damage; /* what is wrong there; NULL: nothing */
};

/* Does a gzip'd file begin like this? */
bool inflate_file_probe(const void *head, size_t size);

/*
 * `fd` and the first bytes, at most 4096, which were taken from it already, are
 * borrowed: `fd` until the close, the bytes only here.
 *
 * Errors: CTP_ERR_NOMEM. Where the file cannot be read, the stream says so, as
 * any other; where it is damaged, the stream ends there.
 */
enum ctp_status inflate_file_open(struct inflate_file **out, int fd,
	const void *head, size_t head_size, struct ctp_error *err);

/* Frees it with its stream, wherever that is. NULL is allowed. */
void inflate_file_close(struct inflate_file *file);

/* Borrowed until the close. */
FILE *inflate_file_stream(const struct inflate_file *file);

/* What is known when the stream has come to its end; the position: always. */
struct inflate_facts inflate_file_facts(const struct inflate_file *file);

#endif

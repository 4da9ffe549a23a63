/* SPDX-License-Identifier: MIT */
/* Reads text of any size a line at a time, in memory that is as large as its
 * longest line. */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"

#define LINES_BYTES_MAX ((size_t)64 << 20)

struct line {
	char *text;  /* ends with a zero byte; may be changed */
	size_t size; /* without the line end, "\n" or "\r\n" */
	uint64_t at; /* the text's offset in the input */
	bool ended;  /* false: the input ends within the line */
};

struct lines {
	FILE *in;
	struct buffer bytes;
	size_t at;     /* offset of the next line in `bytes` */
	uint64_t base; /* the input's offset of bytes[0] */
	bool at_eof;
};

/* Reads from `in`, after `head`, which was already read from it. False if out
 * of memory; call lines_clear() in either case. */
bool lines_init(
	struct lines *lines, FILE *in, const void *head, size_t head_size);
void lines_clear(struct lines *lines);

/*
 * The next line, borrowed until the next call; CTP_END after the last.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM; CTP_ERR_LIMIT for a line over
 * LINES_BYTES_MAX; CTP_ERR_FORMAT for a zero byte.
 */
enum ctp_status lines_next(
	struct lines *lines, struct line *line, struct ctp_error *err);

/* The position up to which the input was used. */
uint64_t lines_position(const struct lines *lines);

/* The text without the white space around it; changes it. */
char *lines_trim(char *text);

#endif

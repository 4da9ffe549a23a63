/* SPDX-License-Identifier: MIT */
/* An input file with events: opened, and recognized by its content, which may
 * be gzip'd. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"
#include "format.h"
#include "io/inflate_file.h"

#define INPUT_FILE_HEAD_BYTES 4096

struct input_file {
	FILE *file;   /* the reader's input */
	FILE *packed; /* the original file if gzip'd; else NULL */
	FILE *wide;   /* the file or contents in UTF-16; else NULL */
	struct inflate_file *inflate;
	const struct format *format;
	struct event_source *source;
	uint64_t size_bytes; /* 0: unknown */
	uint8_t head[INPUT_FILE_HEAD_BYTES];
	size_t head_size;
};

/*
 * Opens `path`; "-" is the standard input. `from` is its format; NULL:
 * determined by content. `request` may be NULL: defaults.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_FORMAT if it is empty or in an unknown format,
 * CTP_ERR_UNSUPPORTED if we only write that format; those of the reader.
 * Nothing is open then.
 */
enum ctp_status input_file_open(struct input_file *input, const char *path,
	const struct format *from, const struct read_request *request,
	struct ctp_error *err);

/*
 * Determines the format of `path` by its first bytes; NULL if it is unknown, or
 * if the file is gzip'd and not one of ours. A pipe stays open until
 * input_file_open() of the same path takes it over.
 *
 * Errors: CTP_ERR_IO; the format is left alone.
 * Ownership: `path` is borrowed until it is opened.
 */
enum ctp_status input_file_peek(
	const char *path, const struct format **format, struct ctp_error *err);

/* Closes the input and frees its trace. */
void input_file_close(struct input_file *input);

/* Closes the file and its source, and continues with another source that has
 * the same events; `file` is NULL then. */
void input_file_replace(struct input_file *input, struct event_source *source);

/*
 * Opens it without a reader: `file` has the contents after the bytes in `head`,
 * decompressed unless it is a log. There is no source; `format` is the format
 * that would read it, NULL if none does, for example for an empty file.
 *
 * Errors: CTP_ERR_IO. Nothing is open then.
 */
enum ctp_status input_file_open_bytes(
	struct input_file *input, const char *path, struct ctp_error *err);
void input_file_close_bytes(struct input_file *input);

#endif

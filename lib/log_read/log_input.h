/* SPDX-License-Identifier: MIT */
/*
 * The members of a log, one after another, unpacked and checked. Bytes that are
 * not a whole, sound member are skipped and counted.
 */
#ifndef LOG_INPUT_H
#define LOG_INPUT_H

#include <stdio.h>

#include "base/cursor.h"
#include "base/error.h"
#include "trace/trace.h"

struct log_input;

/* `file` is borrowed; `head` are bytes already taken from it, copied. Losses
 * are counted in `trace`, borrowed. NULL if out of memory. */
struct log_input *log_input_new(
	FILE *file, const void *head, size_t size, struct trace *trace);
void log_input_free(struct log_input *input);

/*
 * The next sound block; CTP_END after the last.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM. Damage is not an error.
 * Ownership: the bytes are borrowed until the next call.
 */
enum ctp_status log_input_next(
	struct log_input *input, struct cursor *block, struct ctp_error *err);

/* With `follow` the file still grows: CTP_END means its end so far, and a member
 * that may be half written stays for the next call. */
void log_input_follow(struct log_input *input, bool follow);

/* Bytes of the file used so far. */
uint64_t log_input_position(const struct log_input *input);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Makes JSON of what nearly is, above all of traces that were cut off, or that
 * their writers did not escape. What is right stays as it is, to the byte; an
 * event of which only a half is there is left out, and all others are kept.
 *
 * Memory: a window of at most 16 MiB, and several times as much for a single
 * event of that size.
 */
#ifndef REPAIR_H
#define REPAIR_H

#include <stdio.h>

#include "base/error.h"
#include "json_repair/repair_fix.h"

struct repair_job {
	FILE *in; /* borrowed, like all here */
	const void *head;
	size_t head_size; /* read from `in` already */
	FILE *out;
	void (*progress)(void *user, uint64_t position); /* or NULL */
	void *user;
};

/*
 * Reads all of `in`. Errors: CTP_ERR_IO, also of writing: see ferror();
 * CTP_ERR_NOMEM; CTP_ERR_FORMAT if there is neither an object nor an array.
 */
enum ctp_status repair_run(const struct repair_job *job,
	struct repair_result *result, struct ctp_error *err);

#endif

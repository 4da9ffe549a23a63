/* SPDX-License-Identifier: MIT */
/*
 * Repairs damaged JSON, above all traces that were truncated or badly escaped.
 * Valid text stays byte for byte; incomplete events are left out, and all
 * others are kept.
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
	FILE *in; /* borrowed, like all members */
	const void *head;
	size_t head_size; /* already read from `in` */
	FILE *out;
	void (*progress)(void *user, uint64_t position); /* or NULL */
	void *user;
};

/*
 * Reads all of `in`. Errors: CTP_ERR_IO, also for writing: see ferror();
 * CTP_ERR_NOMEM; CTP_ERR_FORMAT if there is neither an object nor an array.
 */
enum ctp_status repair_run(const struct repair_job *job,
	struct repair_result *result, struct ctp_error *err);

#endif

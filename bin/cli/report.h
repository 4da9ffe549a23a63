/* SPDX-License-Identifier: MIT */
/* What every --json report begins and ends with. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "json/json.h"
#include "trace/trace.h"

struct report {
	const char *schema; /* "ctprof/NAME/1" */
	char *const *inputs;
	size_t input_count;
	uint64_t losses[LOSS_KINDS];
	bool truncated; /* something is not in the report, or was cut off */
};

/*
 * Opens the object and writes schema, inputs, lost (what is gone), notes
 * (what was left out or changed without harm) and truncated.
 *
 * Errors: said; returns an exit status. After success call report_end().
 */
int report_begin(const struct report *report, struct json *json, FILE *out);

/* Closes the object. Errors: a lack of memory is said; returns an exit status;
 * those of writing show on the stream. */
int report_end(struct json *json);

/* A key with its value. */
void report_text(struct json *json, const char *key, const char *text);
void report_uint(struct json *json, const char *key, uint64_t value);
void report_int(struct json *json, const char *key, int64_t value);
void report_bool(struct json *json, const char *key, bool value);

#endif

/* SPDX-License-Identifier: MIT */
/* Reads a Chrome trace as viewers do, for the tests of its writer. */
#ifndef CHROME_CHECK_H
#define CHROME_CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* A slice as a viewer shows it. */
struct shown {
	char name[24];
	size_t depth;
	int64_t start_ns;
	int64_t dur_ns; /* -1: never ended */
};

/*
 * Rebuilds the slices of one row, in order of begin: sorted by ts, ties in file
 * order, X and B/E nested by a stack. With `stacking`, empty slices at the same
 * time nest in one another, as in Perfetto; without, an empty slice contains
 * nothing.
 *
 * Source: Perfetto's slice_tracker.cc, MaybeCloseStack(). A slice that
 * Perfetto would drop, or an "E" without a "B", fails the test.
 * Ownership: free() the result.
 */
struct shown *check_rebuild(
	json_t *trace, int64_t tid, bool stacking, size_t *count);

/*
 * Writes the events with the Chrome writer and reads the text back, strictly:
 * valid UTF-8, no repeated key. `text` (free it) may be NULL. json_decref() the
 * result.
 */
json_t *check_write(struct trace *trace, const struct event *events,
	size_t count, char **text);

/* The `n`-th event of this phase; NULL if there are fewer. */
json_t *check_find(json_t *json, const char *phase, size_t n);

/* A member; the test fails if it is missing or of another kind. */
const char *check_text_of(const json_t *event, const char *key);
json_int_t check_number_of(const json_t *event, const char *key);
json_t *check_args_of(const json_t *event);

/*
 * Fails the test unless device activities suit readers of Kineto's traces. Each
 * has its place as numbers, each "External id" belongs to one "cpu_op", each
 * arrow starts in a call and ends in an activity with its correlation, and
 * "deviceProperties" has the device. All calls belong to one process. Returns
 * the number of arrow ends. Source:
 * torch/_inductor/analysis/profile_analysis.py; Perfetto's flow_tracker.cc.
 */
size_t check_devices(json_t *trace);

/* The nanoseconds of a "ts" or "dur". */
int64_t check_ns(const json_t *event, const char *key);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Finds the collectives of a recording: the kernels of communication, described
 * by their own arguments or by the annotation in which they were launched.
 */
#ifndef COLLECTIVE_READER_H
#define COLLECTIVE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "ranks/collectives.h"
#include "trace/event.h"

/* Collectives kept of one recording, in 64 MiB. */
#define COLLECTIVE_READER_MAX (UINT32_C(1) << 20)

struct collective_reader;

/* A collective of a rank. */
struct collective_execution {
	uint64_t series; /* of its instance */
	uint64_t number;
	int64_t start_ns;
	uint64_t dur_ns;
	uint32_t track;
	uint32_t kind;     /* see collective_reader_kinds() */
	bool has_number;   /* as recorded, not counted */
	bool has_instance; /* all ranks wait for each other */
};

/* `trace` is borrowed until collective_reader_free(). NULL if out of memory. */
struct collective_reader *collective_reader_new(const struct trace *trace);
void collective_reader_free(struct collective_reader *reader);

/* False if out of memory. */
bool collective_reader_add(
	struct collective_reader *reader, const struct event *event);

/*
 * Numbers the collectives, after the last event, and returns them, sorted by
 * track, series and number. Without a recorded number, they are counted by
 * device, group and operation, and have the same series only in recordings that
 * have equally many. Borrowed until collective_reader_free().
 */
const struct collective_execution *collective_reader_finish(
	struct collective_reader *reader, uint32_t *count);

/* The kind of an execution. */
const struct collective_kind *collective_reader_kind(
	const struct collective_reader *reader, uint32_t kind);

/* The number of collectives beyond COLLECTIVE_READER_MAX. */
uint64_t collective_reader_left_out(const struct collective_reader *reader);

#endif

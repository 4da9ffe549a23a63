/* SPDX-License-Identifier: MIT */
/* How far a job is, on stderr, for people who wait. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "cli/terminal.h"

struct progress {
	const char *unit; /* what is counted: "files"; NULL: bytes */
	uint64_t total;   /* 0: unknown */
	enum when when;
	int64_t start_ns;
	int64_t shown_ns;
	bool on;
	bool visible; /* there is a line to be taken away */
	const struct event_source *source; /* NULL: none is watched */
};

/* Begins a job. `when` decides, and with WHEN_AUTO whether stderr is a
 * terminal; then nothing is shown in the job's first second. `unit` is a
 * literal. */
void progress_start(struct progress *progress, enum when when, const char *unit,
	uint64_t total);

/* Makes progress_show_source() show where this source is, until
 * progress_hide(), which comes before it is closed. */
void progress_set_source(
	struct progress *progress, const struct event_source *source);

/* For read_request.progress; `progress` is a struct progress. */
void progress_show_source(void *progress);

/* Shows the position, at most ten times a second. */
void progress_update(struct progress *progress, uint64_t position);

/* Takes the line away, for other words or for good. */
void progress_hide(struct progress *progress);

#endif

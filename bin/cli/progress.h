/* SPDX-License-Identifier: MIT */
/* The progress of a job, on stderr. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "cli/terminal.h"

struct progress {
	const char *unit; /* unit of the counts: "files"; NULL: bytes */
	uint64_t total;   /* 0: unknown */
	enum when when;
	int64_t start_ns;
	int64_t shown_ns;
	bool on;
	bool visible;                      /* a line is on the screen */
	const struct event_source *source; /* NULL: none */
};

/* Begins a job. With WHEN_AUTO, progress is shown only on a terminal, and not
 * in the first second. `unit` is a literal. */
void progress_start(struct progress *progress, enum when when, const char *unit,
	uint64_t total);

/* Makes progress_show_source() show the position of this source until
 * progress_hide(). Call that before the source is closed. */
void progress_set_source(
	struct progress *progress, const struct event_source *source);

/* For read_request.progress; `progress` is a struct progress. */
void progress_show_source(void *progress);

/* Shows the position, at most ten times a second. */
void progress_update(struct progress *progress, uint64_t position);

/* Removes the line, temporarily or finally. */
void progress_hide(struct progress *progress);

#endif

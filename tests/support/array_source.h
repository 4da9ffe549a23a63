/* SPDX-License-Identifier: MIT */
/* A source of the events in an array. */
#ifndef ARRAY_SOURCE_H
#define ARRAY_SOURCE_H

#include <stddef.h>

#include "trace/event.h"

struct array_source {
	struct event_source source; /* first: callers hold a pointer to it */
	const struct event *events;
	size_t count;
	size_t at;
	bool breaks; /* fails after them, at byte 77 */
};

/* With its own trace, empty. Events are borrowed. */
void array_source_init(
	struct array_source *array, const struct event *events, size_t count);
void array_source_clear(struct array_source *array);

/* Numbers in the trace; the test fails if there is no memory. */
uint32_t array_source_site(
	struct array_source *array, const char *name, const char *category);
uint32_t array_source_text(struct array_source *array, const char *text);
uint32_t array_source_track(
	struct array_source *array, struct trace_track track, const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Arguments of an event as Perfetto's debug annotations. JSON becomes nested
 * dictionaries and arrays.
 */
#ifndef PFTRACE_ARGS_H
#define PFTRACE_ARGS_H

#include "trace/event.h"
#include "perfetto/pftrace_packet.h"

/* JSON nested deeper than this is written as text, because readers recurse into
 * it. */
#define PFTRACE_JSON_DEPTH 32

/* Adds the event's arguments as fields of TrackEvent. A failure sets the
 * buffers' `failed`. */
void pftrace_args_add(struct pftrace_packets *packets, struct buffer *out,
	const struct event *event);

/* Adds a site, and the line that it was called from. */
void pftrace_args_add_site(
	struct pftrace_packets *packets, struct buffer *out, uint32_t site);

/* Adds an argument of the writer's own; `text` is one of the trace's. */
void pftrace_args_add_int(struct pftrace_packets *packets, struct buffer *out,
	const char *key, int64_t value);
void pftrace_args_add_text(struct pftrace_packets *packets, struct buffer *out,
	const char *key, uint32_t text);
void pftrace_args_add_true(
	struct pftrace_packets *packets, struct buffer *out, const char *key);

#endif

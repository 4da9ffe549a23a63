/* SPDX-License-Identifier: MIT */
/*
 * Adds graph node information to operations: arguments "stack_trace" and
 * "node_name", from the innermost node marker open on the same thread. Markers
 * are ranges of the category "cpu_op": for the code of a graph ("## NAME.py
 * ##"), and inside it for a node ("## 12 ##").
 * Source: shared spec 05; torch/profiler/_utils.py.
 *
 * Memory: names, and the ranges open at one time.
 */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "trace/event.h"
#include "operators/fx_registry.h"

struct annotate;

struct annotate_counts {
	uint64_t operations; /* that got arguments */
	uint64_t file_markers;
	uint64_t node_markers;
	uint64_t unknown_nodes; /* markers of unknown nodes */
};

/*
 * Opens a source around `inner`, which is closed with it. Its trace is shared.
 * The registry is borrowed until then; marker names are added to it.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status annotate_open(struct event_source *inner,
	struct fx_registry *registry, struct annotate **out,
	struct ctp_error *err);

/* The same object, as an event source. */
struct event_source *annotate_source(struct annotate *annotate);

/* The counts so far; borrowed. */
const struct annotate_counts *annotate_counts(const struct annotate *annotate);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Tells operations what node of a graph they were done for: arguments
 * "stack_trace" and "node_name", from the innermost marker of a node that is
 * open on their own thread. Markers are ranges of the category "cpu_op": of the
 * code of a graph ("## NAME.py ##"), and in it of a node ("## 12 ##").
 * Source: shared spec 05; torch/profiler/_utils.py.
 *
 * Memory: bounded by what is open at one time, and names.
 */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "trace/event.h"
#include "operators/fx_registry.h"

struct annotate;

struct annotate_counts {
	uint64_t operations; /* that got something */
	uint64_t file_markers;
	uint64_t node_markers;
	uint64_t unknown_nodes; /* likewise, of which nothing is known */
};

/*
 * Opens a source around `inner`, which is closed with it; its trace is shared.
 * The registry is borrowed until then, and learns names of the markers.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status annotate_open(struct event_source *inner,
	struct fx_registry *registry, struct annotate **out,
	struct ctp_error *err);

/* The source of the events; the same object. */
struct event_source *annotate_source(struct annotate *annotate);

/* So far; borrowed. */
const struct annotate_counts *annotate_counts(const struct annotate *annotate);

#endif

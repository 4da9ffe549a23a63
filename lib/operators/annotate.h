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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/*
 * Facts about the nodes of graphs for which torch.fx generated code, by the
 * file of that code and the node's index in it.
 * Source: torch/fx/traceback.py, _FX_METADATA_REGISTRY.
 */

#define FX_NONE UINT32_MAX

struct fx_registry;

struct fx_text {
	const char *bytes;
	size_t size;
};

/* The texts added to a node's operations; empty if missing. */
struct fx_node {
	bool known;
	struct fx_text stack_trace;
	struct fx_text name;
};

/* An empty registry; free with fx_registry_free(). NULL if out of memory. */
struct fx_registry *fx_registry_new(void);
void fx_registry_free(struct fx_registry *registry);

/* Returns the number of a file; FX_NONE if out of memory. */
uint32_t fx_registry_file(struct fx_registry *registry, struct fx_text name);

/* Whether the text is an integer in Python's syntax. */
bool fx_registry_is_index(struct fx_text text);

/* Returns the number of a file's node with this index, an integer of any size;
 * FX_NONE if out of memory. A new node has no facts. */
uint32_t fx_registry_node(
	struct fx_registry *registry, uint32_t file, struct fx_text index);

/* Sets the facts of a node; texts are copied. False if out of memory. */
bool fx_registry_set(struct fx_registry *registry, uint32_t number,
	const struct fx_node *node);

/* Returns a node. Texts are borrowed from the registry, the struct until the
 * next node is added. */
const struct fx_node *fx_registry_get(
	const struct fx_registry *registry, uint32_t number);

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

/* SPDX-License-Identifier: MIT */
/*
 * A profile: functions and caller edges with counts and times, by cProfile's
 * rules.
 * Source: shared spec 01; CPython's Modules/_lsprof.c (initContext, Stop).
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/index.h"
#include "base/strtab.h"
#include "profile/profile_memory.h"
#include "trace/trace.h"

#define PROFILE_NONE UINT32_MAX

/* Counts and times of a function, or of one caller edge. */
struct profile_cost {
	uint64_t ncalls;     /* all calls */
	uint64_t pcalls;     /* primitive: not already open on the thread */
	uint64_t tottime_ns; /* without direct callees; all calls */
	uint64_t cumtime_ns; /* with callees; primitive calls only */
};

/* What runs a function. */
enum profile_kind { PROFILE_HOST, PROFILE_KERNEL, PROFILE_COPY, PROFILE_SET };

/*
 * Of a function of the host, the device's time of what it launched itself, and
 * with all that it called; what is in a recursion counts once. Of a device's,
 * both are its own time, and the rest is known. What a graph does counts for
 * what launched the graph, and once more, apart, for what captured it.
 */
struct profile_device {
	uint64_t self_ns;
	uint64_t total_ns;
	uint64_t captured_ns; /* of the host: of the nodes that it captured */
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t bytes; /* moved */
	uint32_t number;
	enum profile_kind kind;
};

/* What a function of the host used beside time: memory, and its own
 * floating-point operations. Only of averages.h. */
struct profile_use {
	uint64_t flops;  /* of what is in a recursion once */
	uint32_t memory; /* a list in profile->memory */
};

/* What each call changes stands together: there may be many functions. */
struct profile_function {
	const char *name; /* never NULL; borrowed from profile->text */
	const char *file; /* "" where unknown */
	struct profile_cost cost;
	struct profile_use use;
	struct profile_cost root; /* the calls that had no caller */
	struct profile_device device;
	uint32_t line;
};

struct profile_edge {
	uint32_t caller; /* index into functions */
	uint32_t callee;
	struct profile_cost cost;
};

/* A calling context: a path of calls from a root. Made only when asked for. */
struct profile_node {
	uint32_t function; /* PROFILE_NONE: the root of the tree */
	uint32_t parent; /* index into nodes; a parent precedes its children */
	uint64_t ncalls;
	uint64_t self_ns;
};

struct profile {
	struct strtab *text;
	struct profile_function *functions;
	uint32_t function_count;
	struct profile_edge *edges; /* each (caller, callee) once */
	uint32_t edge_count;
	struct profile_node *nodes; /* [0] is the root; empty without a tree */
	uint32_t node_count;
	struct profile_memory *memory; /* NULL: nothing is known of it */
	uint64_t total_ns;             /* sum of tottime over all functions */
	uint64_t open_calls;           /* closed at the end of the recording */
	uint64_t unmatched; /* of a device: whose launch is not there */
	uint64_t flops;     /* of operations, those in others once */
	uint32_t thread_count;
	/* Calls without a caller are shown as such, even where a format would
	 * give them one: so does cProfile. */
	bool no_root;
	bool tree_estimated; /* by estimated_tree.h */

	uint32_t function_room, edge_room, node_room; /* private */
	/* Likewise; made when something is looked for: what was put in order
	 * has none. */
	struct index function_index, edge_index;
};

struct profile *profile_new(void); /* free with profile_free() */
void profile_free(struct profile *profile);

/* A copy with the same numbers; free with profile_free(). NULL if out of
 * memory. */
struct profile *profile_copy(const struct profile *from);

/* Adds the functions and edges of `from`, whatever their order. Trees are left
 * alone. False if out of memory; then `to` holds a part of it. */
bool profile_add(struct profile *to, const struct profile *from);

/* The function (name, file, line), made with zero costs if it is new;
 * PROFILE_NONE if out of memory. Text is copied. `file` may be NULL. */
uint32_t profile_add_function(struct profile *profile, const char *name,
	const char *file, uint32_t line);

/* The edge's index, made with zero costs if new; PROFILE_NONE if out of
 * memory. */
uint32_t profile_add_edge(
	struct profile *profile, uint32_t caller, uint32_t callee);

/* A new node below `parent`; PROFILE_NONE if out of memory. The first call
 * makes the root first; a `function` PROFILE_NONE makes no more than that. */
uint32_t profile_add_node(
	struct profile *profile, uint32_t parent, uint32_t function);

/* Finds the children of contexts: most have one. */
struct profile_children {
	uint32_t *first; /* child, by parent; 0: none yet */
	uint32_t first_room;
	struct index index; /* over the others */
	uint32_t count;     /* of these */
};

void profile_children_clear(struct profile_children *children);

/* The context `function` called from context `parent`, made if it is new;
 * PROFILE_NONE if out of memory. */
uint32_t profile_children_find(struct profile_children *children,
	struct profile *profile, uint32_t parent, uint32_t function);

/* Adds a function whose text is interned, with its costs, if it is new;
 * PROFILE_NONE if out of memory. */
uint32_t profile_put_function(
	struct profile *profile, const struct profile_function *function);

/* Adds the edges of `from` to `to`, whose functions map[] names. False if out
 * of memory. */
bool profile_add_edges(
	struct profile *to, const struct profile *from, const uint32_t *map);

/* Frees the tables but not the text, which may belong to another profile. */
void profile_clear_tables(struct profile *profile);

/* Removes the tree. */
void profile_clear_nodes(struct profile *profile);

void profile_cost_add(struct profile_cost *to, const struct profile_cost *from);

/* Sums; what has no kind yet gets that of `from`. */
void profile_device_add(
	struct profile_device *to, const struct profile_device *from);

/* The kind of what a device did at this site, by its category. PROFILE_HOST: no
 * work, but waiting, the tool's own overhead and so on. */
enum profile_kind profile_kind_of(const struct trace *trace, uint32_t site);

/* Does it have functions of a device? */
bool profile_has_device(const struct profile *profile);

/*
 * Puts functions and edges into a fixed order that does not depend on how
 * they were met: functions by (cumtime descending, name, file, line), edges
 * by (callee, caller) in that order, nodes in preorder with siblings by
 * function. Also sets total_ns. Writers get profiles in this order.
 */
enum ctp_status profile_sort(struct profile *profile, struct ctp_error *err);

/*
 * For each function in sorted order i, its callers are
 * edges[first[i]] … edges[first[i + 1] - 1]. Free with memory_free(); NULL if out of
 * memory.
 */
uint32_t *profile_callers(const struct profile *profile);

/*
 * What is below the limits becomes one function "(other)": its costs are
 * summed, edges between kept and pruned functions lead to or from it, and the
 * total time stays. Both limits may be 0: off. Does the same for the tree.
 *
 * Units: `min_cumtime_ns` nanoseconds; `top` functions are kept, by cumtime.
 */
enum ctp_status profile_prune(struct profile *profile, uint64_t min_cumtime_ns,
	uint32_t top, struct ctp_error *err);

#endif

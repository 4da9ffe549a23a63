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
#include "profile/profile_events.h"
#include "profile/profile_lines.h"
#include "profile/profile_memory.h"
#include "trace/trace.h"

struct event;

#define PROFILE_NONE UINT32_MAX

/* Counts and times of a function, or of one caller edge. */
struct profile_cost {
	uint64_t ncalls;     /* all calls */
	uint64_t pcalls;     /* primitive: not already open on the thread */
	uint64_t tottime_ns; /* without direct callees; all calls */
	uint64_t cumtime_ns; /* with callees; primitive calls only */
};

/* What executes a function. */
enum profile_kind { PROFILE_HOST, PROFILE_KERNEL, PROFILE_COPY, PROFILE_SET };

/*
 * For a host function: the device time that it launched itself, and that
 * including its callees; recursive calls count once. For a device function:
 * both are its own time, and the other members are set. A graph's work counts
 * for its launch and again, separately, for the function that captured it.
 */
struct profile_device {
	uint64_t self_ns;
	uint64_t total_ns;
	uint64_t captured_ns; /* host: of the graph nodes that it captured */
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t bytes; /* moved */
	uint32_t number;
	enum profile_kind kind;
};

/* Other resources of a host function: memory, and its own floating-point
 * operations, set only by averages.h; and costs of other events. */
struct profile_use {
	uint64_t flops;  /* recursive calls count once */
	uint32_t memory; /* a list in profile->memory */
	uint32_t events; /* a row in profile->events */
};

/* The members that each call changes are adjacent, because there may be many
 * functions. */
struct profile_function {
	const char *name; /* never NULL; borrowed from profile->text */
	const char *file; /* "" if unknown */
	struct profile_cost cost;
	struct profile_use use;
	struct profile_cost root; /* calls without a caller */
	struct profile_device device;
	uint32_t line;
};

struct profile_edge {
	uint32_t caller; /* index into functions */
	uint32_t callee;
	struct profile_cost cost;
	uint32_t events; /* a row in profile->events */
};

/* A calling context: a path of calls from a root. Made only on request. */
struct profile_node {
	uint32_t function; /* PROFILE_NONE: the root of the tree */
	uint32_t parent; /* index into nodes; a parent precedes its children */
	uint64_t ncalls;
	uint64_t self_ns;
};

/* Finds the children of contexts: most have one. */
struct profile_children {
	uint32_t *first; /* first child by parent; 0: none yet */
	uint32_t first_room;
	struct index index; /* over the others */
	uint32_t count;     /* of these */
};

struct profile {
	struct strtab *text;
	struct profile_function *functions;
	uint32_t function_count;
	struct profile_edge *edges; /* each (caller, callee) once */
	uint32_t edge_count;
	struct profile_node *nodes; /* [0] is the root; empty without a tree */
	uint32_t node_count;
	struct profile_memory *memory; /* NULL: unknown */
	struct profile_events *events; /* NULL: times only */
	struct profile_lines *lines;   /* NULL: unknown; not in sums */
	uint64_t total_ns;             /* sum of tottime over all functions */
	uint64_t open_calls;           /* closed at the end of the recording */
	uint64_t unmatched; /* device activities without their launch */
	uint64_t flops;     /* of all operations; nested ones count once */
	uint32_t thread_count;
	/* Calls without a caller are written as such, even in formats that
	 * would add one, as cProfile does. */
	bool no_root;
	bool tree_estimated; /* by estimated_tree.h */

	uint32_t function_room, edge_room, node_room; /* private */
	/* Private; made by the first search. A sorted profile has none. */
	struct index function_index, edge_index;
	/* Private; made by profile_add_with_paths(). */
	struct profile_children paths;
};

struct profile *profile_new(void); /* free with profile_free() */
void profile_free(struct profile *profile);

/* A copy with the same numbers; free with profile_free(). NULL if out of
 * memory. */
struct profile *profile_copy(const struct profile *from);

/* Adds the functions and edges of `from`, in any order, but not its tree. Only
 * if all profiles have the same events, the sum has them. False if out of
 * memory; `to` then contains a part of it. */
bool profile_add(struct profile *to, const struct profile *from);

/* The same with its tree: equal calling contexts are one. */
bool profile_add_with_paths(struct profile *to, const struct profile *from);

/* Returns the function (name, file, line), added with zero costs if new;
 * PROFILE_NONE if out of memory. Text is copied. `file` may be NULL. */
uint32_t profile_add_function(struct profile *profile, const char *name,
	const char *file, uint32_t line);

/* Returns the edge's index, added with zero costs if new; PROFILE_NONE if out
 * of memory. */
uint32_t profile_add_edge(
	struct profile *profile, uint32_t caller, uint32_t callee);

/* Removes a function without callers; those that it called get its calls as
 * their calls without a caller. The numbers of others change. The profile must
 * not have a tree. */
void profile_remove_root(struct profile *profile, uint32_t function);

/* Adds a node below `parent`; PROFILE_NONE if out of memory. The first call
 * also adds the root; a `function` PROFILE_NONE adds only that. */
uint32_t profile_add_node(
	struct profile *profile, uint32_t parent, uint32_t function);

void profile_children_clear(struct profile_children *children);

/* Returns the context of `function` called from context `parent`, added if new;
 * PROFILE_NONE if out of memory. */
uint32_t profile_children_find(struct profile_children *children,
	struct profile *profile, uint32_t parent, uint32_t function);

/* Adds a function whose text is interned, with its costs, if it is new;
 * PROFILE_NONE if out of memory. */
uint32_t profile_put_function(
	struct profile *profile, const struct profile_function *function);

/* Adds the edges of `from` to `to`; map[] translates function numbers. False if
 * out of memory. */
bool profile_add_edges(
	struct profile *to, const struct profile *from, const uint32_t *map);

/* Frees the tables but not the text, which may belong to another profile. */
void profile_clear_tables(struct profile *profile);

/* Removes the tree. */
void profile_clear_nodes(struct profile *profile);

void profile_cost_add(struct profile_cost *to, const struct profile_cost *from);

/* Adds `from`. The first kind in the order of enum profile_kind, except
 * PROFILE_HOST, and the lowest number stay, in any order of additions. */
void profile_device_add(
	struct profile_device *to, const struct profile_device *from);

/* The kind of a device activity at this site, from its category. PROFILE_HOST:
 * not work, but waiting, the tool's own overhead and so on. */
enum profile_kind profile_kind_of(const struct trace *trace, uint32_t site);

/* Whether the event is an activity: a kernel, copy or memset of a device. All
 * commands count these. */
bool profile_is_activity(const struct trace *trace, const struct event *event);

/* Whether it has device functions. */
bool profile_has_device(const struct profile *profile);

/*
 * Sorts functions and edges independently of the order of input: functions by
 * (cumtime descending, name, file, line), edges by (callee, caller) in that
 * order, nodes in preorder with siblings by function. Also sets total_ns.
 * Writers receive profiles in this order.
 */
enum ctp_status profile_sort(struct profile *profile, struct ctp_error *err);

/*
 * For each function in sorted order i, its callers are
 * edges[first[i]] … edges[first[i + 1] - 1]. Free with memory_free(); NULL if out of
 * memory.
 */
uint32_t *profile_callers(const struct profile *profile);

/*
 * Merges the functions below the limits into one function "(other)": costs are
 * summed, edges between kept and pruned functions lead to or from it, and the
 * total time stays. A limit of 0 is off. The tree is pruned likewise.
 *
 * Units: `min_cumtime_ns` nanoseconds; `top` functions are kept, by cumtime.
 */
enum ctp_status profile_prune(struct profile *profile, uint64_t min_cumtime_ns,
	uint32_t top, struct ctp_error *err);

#endif

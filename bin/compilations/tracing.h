/* SPDX-License-Identifier: MIT */
/*
 * The functions that Dynamo traced, from the ranges that `record --compile` adds
 * to any log: their costs and callers, the frames, and the functions most worth
 * taking out of the compiled region. Time in the back end is not tracing.
 */
#ifndef TRACING_H
#define TRACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "profile/profile.h"
#include "trace/event.h"

/* Items of `size` bytes, each of which begins with its key. */
struct tracing_table {
	struct index index;
	void *items;
	uint32_t count, room;
};

struct tracing_key {
	uint64_t first, second;
};

struct tracing_function {
	struct tracing_key key;
	const char *name;
	const char *file; /* "": unknown */
	uint32_t line;
	uint32_t order;    /* from 0: the largest cumulative time first */
	bool is_torch;     /* PyTorch's own: a program cannot take it out */
	uint64_t bytecode; /* its size in bytes; 0: unknown */
	uint64_t traced_bytecode; /* of all calls */
	struct profile_cost cost;
	uint64_t alone_ns; /* saved by taking it alone out */
	/* Its edges from callers, and its uses. */
	uint32_t first_edge, edge_count;
	uint32_t first_use, use_count;
};

/* A path of calls; a parent precedes its children. */
struct tracing_context {
	struct tracing_key key; /* parent + 1, or 0; function */
	uint64_t ncalls;
	uint64_t self_ns;
};

struct tracing_edge {
	struct tracing_key key; /* caller, callee */
	struct profile_cost cost;
};

/* A function that was traced in a frame. */
struct tracing_use {
	struct tracing_key key; /* function, frame */
};

/* A frame, by its process, input and compile id; it may have been traced several
 * times. */
struct tracing_frame {
	struct tracing_key key;
	int64_t pid;
	const char *input;
	const char *id;
	uint32_t function;
	uint64_t attempts;
	uint64_t traced_ns;
	uint64_t restarts_ns; /* of all attempts but the last */
	uint64_t back_end_ns;
	uint64_t function_count;
};

/* A function to take out, after those before it. */
struct tracing_pick {
	uint32_t function;
	uint64_t saved_ns;
};

#define TRACING_PICKS 10

struct tracing {
	struct tracing_table functions, contexts, edges, uses, frames;
	/* After tracing_finish(): */
	uint32_t *order; /* functions */
	struct tracing_pick picks[TRACING_PICKS];
	uint32_t pick_count;
	uint64_t call_count, traced_ns, traced_bytecode, back_end_ns;

	struct strtab *text; /* of the members above */
	const char *torch;   /* PyTorch's directory, with the slash, or NULL */
	/* While an input is read: */
	const struct trace *trace;
	uint32_t input_number; /* of its text */
	struct tracing_track *tracks;
	uint32_t track_room;
};

/* False if out of memory. */
bool tracing_init(struct tracing *tracing);
void tracing_clear(struct tracing *tracing);

/* Begins an input; its name is copied. */
bool tracing_begin(
	struct tracing *tracing, const struct trace *trace, const char *input);

/* Adds an event; others than those of --compile are ignored. Errors:
 * CTP_ERR_NOMEM. */
enum ctp_status tracing_add(struct tracing *tracing, const struct event *event,
	struct ctp_error *err);

/* Ends the ranges that are open at the end of the input. */
bool tracing_end(struct tracing *tracing);

/* After all inputs: computes the costs. False if out of memory. */
bool tracing_finish(struct tracing *tracing);

/* Returns the number of the item with this key, added with zeros if new;
 * TRACE_NONE if out of memory. */
uint32_t tracing_find(struct tracing_table *table, size_t size, uint64_t first,
	uint64_t second);

static inline struct tracing_function *tracing_functions(
	const struct tracing *tracing)
{
	return tracing->functions.items;
}

static inline struct tracing_context *tracing_contexts(
	const struct tracing *tracing)
{
	return tracing->contexts.items;
}

static inline struct tracing_edge *tracing_edges(const struct tracing *tracing)
{
	return tracing->edges.items;
}

static inline struct tracing_use *tracing_uses(const struct tracing *tracing)
{
	return tracing->uses.items;
}

static inline struct tracing_frame *tracing_frames(
	const struct tracing *tracing)
{
	return tracing->frames.items;
}

#endif

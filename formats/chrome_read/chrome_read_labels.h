/* SPDX-License-Identifier: MIT */
/*
 * Names and categories of Chrome traces, as their producers write them. Source:
 * libkineto/src/output_json.cpp and the traces of its older versions; LLVM's
 * llvm/lib/Support/TimeProfiler.cpp; VizTracer's snaptrace.c; XLA's
 * xla/python/profiler/internal/python_hooks.cc.
 */
#ifndef CHROME_READ_LABELS_H
#define CHROME_READ_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_scan.h"
#include "trace/trace.h"
#include "chrome_read/chrome_read_args.h"
#include "chrome_read/chrome_read_record.h"

struct chrome_read_category {
	uint32_t text; /* strtab number of its current name */
	enum chrome_read_class class;
	bool python; /* "name (file:line)" */
	bool jax;    /* "$file:line name" */
	bool arrow;  /* from calls to their activities */
	bool whole;  /* keep all arguments */
};

/* A recently used category. */
struct chrome_read_label_lookup {
	struct json_smallstr text; /* in the file */
	uint32_t category;         /* + 1; 0: none */
};

#define CHROME_READ_LABELS_RECENT 16

struct chrome_read_labels {
	struct trace *trace;
	struct chrome_read_args *args; /* for its scratch space */
	struct chrome_read_category *categories;
	uint32_t category_count;
	uint32_t category_room;
	struct chrome_read_name *names; /* by strtab number */
	uint32_t name_room;
	struct chrome_read_label_lookup recent[CHROME_READ_LABELS_RECENT];
	bool is_own; /* our own file: JSON_ARGS_NO_CATEGORY means none */
};

/* The category of events without one. */
#define CHROME_READ_NO_CATEGORY 0
/* JAX's Python calls have no category either: they get PyTorch's. */
#define CHROME_READ_JAX_CALLS 1

/* False if out of memory, as for all below; call chrome_read_labels_clear() in
 * either case. Both are borrowed. */
bool chrome_read_labels_init(struct chrome_read_labels *labels,
	struct trace *trace, struct chrome_read_args *args);
void chrome_read_labels_clear(struct chrome_read_labels *labels);

/* The number of the category in this token. */
bool chrome_read_labels_category(struct chrome_read_labels *labels,
	const struct json_scan *scan, const struct json_token *token,
	uint32_t *category);

enum chrome_read_class chrome_read_labels_class(
	const struct chrome_read_labels *labels, uint32_t category);

/* The arguments that the reader itself uses in slices of this category and,
 * with `keeps_args`, the kept ones if they may occur; bits. */
uint32_t chrome_read_labels_wanted(const struct chrome_read_labels *labels,
	uint32_t category, bool keeps_args);

/* Whether to keep all arguments of this category's events. */
bool chrome_read_labels_is_whole(
	const struct chrome_read_labels *labels, uint32_t category);

/* Are these Kineto's arrows from a call to its activity? They repeat the
 * correlations. */
bool chrome_read_labels_is_arrow(const struct chrome_read_labels *labels,
	const struct json_scan *scan, const struct json_token *name,
	uint32_t category);

/* Is this event without a category a Python call from JAX? "$file:line name"
 * or, if written in C, "$module name". */
bool chrome_read_labels_is_jax(
	const struct json_scan *scan, const struct json_token *name);

/* Could it be one of clang's sums, such as "Total Frontend"? */
bool chrome_read_labels_is_sum(const char *name, size_t size);

/* The site of a slice with this name and category. */
bool chrome_read_labels_site(struct chrome_read_labels *labels,
	const struct json_scan *scan, const struct json_token *name,
	uint32_t category, uint32_t *site);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Names and categories of Chrome traces, as their producers have them.
 * Source: libkineto/src/output_json.cpp and the traces of its older versions;
 * LLVM's llvm/lib/Support/TimeProfiler.cpp; VizTracer's snaptrace.c; XLA's
 * xla/python/profiler/internal/python_hooks.cc.
 */
#ifndef TRACE_LABELS_H
#define TRACE_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_scan.h"
#include "json/json_smallstr.h"
#include "trace/trace.h"
#include "chrome_read/trace_args.h"

/* What a slice of a category is. */
enum trace_class {
	TRACE_PLAIN,
	TRACE_OP,         /* of PyTorch: may have an "External id" */
	TRACE_PYTHON,     /* a call in Python, by PyTorch or JAX */
	TRACE_API,        /* a call of a device's API */
	TRACE_WORK,       /* what a device did */
	TRACE_ANNOTATION, /* the span of what a device did for something */
	TRACE_WAIT,       /* the host waited for a device */
	TRACE_SPAN,       /* perhaps the whole recording: no call */
};

struct trace_category {
	uint32_t text; /* strtab number of its name today */
	enum trace_class class;
	bool python; /* "name (file:line)" */
	bool jax;    /* "$file:line name" */
	bool arrow;  /* from calls to what they caused */
};

/* One that was met of late. */
struct trace_met {
	struct json_smallstr text; /* in the file */
	uint32_t category;         /* + 1; 0: none */
};

#define TRACE_LABELS_MET 16

struct trace_labels {
	struct trace *trace;
	struct trace_args *args; /* for its scratch space */
	struct trace_category *categories;
	uint32_t category_count;
	uint32_t category_room;
	struct trace_name *names; /* by strtab number */
	uint32_t name_room;
	struct trace_met met[TRACE_LABELS_MET];
	bool is_own; /* we wrote it: JSON_ARGS_NO_CATEGORY is none */
};

/* The category of what has none. */
#define TRACE_NO_CATEGORY 0
/* That of the calls in Python among them, as JAX tells of them: PyTorch's. */
#define TRACE_JAX_CALLS 1

/* False if out of memory, like all below; call trace_labels_clear() in either
 * case. Both are borrowed. */
bool trace_labels_init(struct trace_labels *names, struct trace *trace,
	struct trace_args *args);
void trace_labels_clear(struct trace_labels *names);

/* The number of the category that this token of the file is. */
bool trace_labels_category(struct trace_labels *names,
	const struct json_scan *scan, const struct json_token *token,
	uint32_t *category);

enum trace_class trace_labels_class(
	const struct trace_labels *names, uint32_t category);

/* Which arguments of such slices the reader looks at itself, and, if it is
 * asked for any, whether these may be among them; bits. */
uint32_t trace_labels_wanted(
	const struct trace_labels *names, uint32_t category, bool asks);

/* Are arrows of this category and name those that Kineto draws from a call to
 * what it caused? They say what the correlations say. */
bool trace_labels_is_arrow(const struct trace_labels *names,
	const struct json_scan *scan, const struct json_token *name,
	uint32_t category);

/* Is what has no category a call in Python by JAX? "$file:line name", or, where
 * it is written in C, "$module name". */
bool trace_labels_is_jax(
	const struct json_scan *scan, const struct json_token *name);

/* Might it be one of clang's sums, "Total Frontend"? */
bool trace_labels_is_sum(const char *name, size_t size);

/* The site of a slice with this name and category. */
bool trace_labels_site(struct trace_labels *names, const struct json_scan *scan,
	const struct json_token *name, uint32_t category, uint32_t *site);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What clang says its ranges are about: the header, the template, the function.
 * In a profile that is part of what a function is; without it all headers would
 * be one. In a timeline it is an argument like others.
 * Source: LLVM's llvm/lib/Support/TimeProfiler.cpp, and the scopes that clang
 * (Parse, Sema, CodeGen) and LLVM (IR/PassTimingInfo, Passes) open with it.
 */
#ifndef TRACE_DETAIL_H
#define TRACE_DETAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer.h"
#include "demangle.h"
#include "json_scan.h"
#include "trace.h"
#include "trace_args.h"

/* What a range is, by the name of its function, as trace_detail_site() makes
 * them. */
enum trace_detail {
	TRACE_DETAIL_OTHER,
	TRACE_DETAIL_HEADER,
	TRACE_DETAIL_CLASS,    /* a template's instance */
	TRACE_DETAIL_FUNCTION, /* likewise */
	TRACE_DETAIL_OPTIMIZED,
	TRACE_DETAIL_GENERATED,
};

struct trace_details {
	struct trace *trace;
	struct trace_args *args; /* of the event that was read last */
	struct demangler demangler;
	struct buffer name;
	struct buffer detail;
	/* A header that was begun: its end is the event that follows. */
	bool has_header;
	uint32_t track;
	uint32_t site;
	int64_t time_ns;
};

/* Both are borrowed. */
void trace_details_init(struct trace_details *details, struct trace *trace,
	struct trace_args *args);
void trace_details_clear(struct trace_details *details);

/* Since clang 19 headers are asynchronous ranges, as they need not nest among
 * others: is this category, or name, theirs? */
bool trace_detail_is_header(
	const struct json_scan *scan, const struct json_token *token);

/* The site of a range with this name and the detail in `args`; without one
 * `*site` stays. False if out of memory. */
bool trace_detail_site(struct trace_details *details,
	const struct json_scan *scan, const struct json_token *name,
	uint32_t *site);

/* What a function is, and how long the first part of its name is, without what
 * it is about. */
enum trace_detail trace_detail_of(const char *name, size_t *size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The details of clang's and nvcc's ranges: the header, template or function
 * that a range processes. In a profile the detail is part of the function's
 * name; without it all headers would be one function. In a timeline it is an
 * ordinary argument, so that a profile has the same names whatever formats the
 * events went through. Source: LLVM's llvm/lib/Support/TimeProfiler.cpp, and
 * its scopes in clang (Parse, Sema, CodeGen) and LLVM (IR/PassTimingInfo,
 * Passes); traces of nvcc 13.0, whose device compiler has its own frontend.
 */
#ifndef BUILD_DETAILS_H
#define BUILD_DETAILS_H

#include <stddef.h>

#include "trace/event.h"

/* The argument with the detail. */
#define BUILD_DETAIL_KEY "detail"

/* Since clang 19, headers are asynchronous ranges of this name and category,
 * because they need not nest with others. */
#define BUILD_DETAIL_SOURCE "Source"

/* The kind of a range, by its function's name as the source below makes it. */
enum build_detail {
	BUILD_DETAIL_OTHER,
	BUILD_DETAIL_HEADER,
	BUILD_DETAIL_CLASS,    /* a template's instance */
	BUILD_DETAIL_FUNCTION, /* likewise */
	BUILD_DETAIL_OPTIMIZED,
	BUILD_DETAIL_GENERATED,
};

/*
 * Wraps `*source`, which is closed with the new source. Ranges' names include
 * their detail, and headers are ranges on a separate track: see
 * read_request.detailed_names.
 *
 * Errors: CTP_ERR_NOMEM; `*source` is as it was.
 */
enum ctp_status build_details_open(
	struct event_source **source, struct ctp_error *err);

/* The kind of a function, and the size of the first part of its name, without
 * the detail. */
enum build_detail build_details_kind(const char *name, size_t *size);

#endif

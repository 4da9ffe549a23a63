/* SPDX-License-Identifier: MIT */
/*
 * The details of clang's and nvcc's ranges: the header, template or function that
 * a range is about.
 * In a profile that is part of what a function is; without it all headers would
 * be one. In a timeline it is an argument like others, so that a profile has the
 * same names whatever the events went through before.
 * Source: LLVM's llvm/lib/Support/TimeProfiler.cpp, and the scopes that clang
 * (Parse, Sema, CodeGen) and LLVM (IR/PassTimingInfo, Passes) open with it;
 * traces of nvcc 13.0, whose compiler for the device has its own frontend.
 */
#ifndef BUILD_DETAILS_H
#define BUILD_DETAILS_H

#include <stddef.h>

#include "trace/event.h"

/* The argument that says it. */
#define BUILD_DETAIL_KEY "detail"

/* Since clang 19 headers are asynchronous ranges of this name and category, as
 * they need not nest among others. */
#define BUILD_DETAIL_SOURCE "Source"

/* What a range is, by the name of its function, as the source below makes
 * them. */
enum build_detail {
	BUILD_DETAIL_OTHER,
	BUILD_DETAIL_HEADER,
	BUILD_DETAIL_CLASS,    /* a template's instance */
	BUILD_DETAIL_FUNCTION, /* likewise */
	BUILD_DETAIL_OPTIMIZED,
	BUILD_DETAIL_GENERATED,
};

/*
 * Puts a source around `*source`, which is closed with it. Ranges are named after
 * what they are about, too, and headers are ranges on a track of their own: see
 * read_request.detailed_names.
 *
 * Errors: CTP_ERR_NOMEM; `*source` is as it was.
 */
enum ctp_status build_details_open(
	struct event_source **source, struct ctp_error *err);

/* What a function is, and how long the first part of its name is, without what
 * it is about. */
enum build_detail build_details_kind(const char *name, size_t *size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * LTTng's tracepoints: one for a begin, one for an end, each with the number of
 * its site. lttng-ust includes this file several times and requires the odd
 * guard.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ctprof_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./bench/bench_lttng.h"

#if !defined(BENCH_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_H

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(ctprof_bench, begin,
	LTTNG_UST_TP_ARGS(int, site),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, site, site)))

LTTNG_UST_TRACEPOINT_EVENT(ctprof_bench, end,
	LTTNG_UST_TP_ARGS(int, site),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, site, site)))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>

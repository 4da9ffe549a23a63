/* SPDX-License-Identifier: MIT */
/*
 * LTTng-UST. bench.sh makes the session, since it knows its daemon's place;
 * this program only checks whether our tracepoints are enabled.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE

#include "bench_lttng.h"

enum { loop = 64 }; /* the site of peer_loop() */

#define ENTER(n) lttng_ust_tracepoint(ctprof_bench, begin, n)
#define LEAVE(n) lttng_ust_tracepoint(ctprof_bench, end, n)

#include "bench_graph.h"

static bool start(const char *out)
{
	(void)out;
	return lttng_ust_tracepoint_enabled(ctprof_bench, begin);
}

static const char *why(void)
{
	return "no LTTng session has enabled the tracepoints";
}

static void stop(void)
{
}

const struct peer peer = {"lttng", start, why, stop};

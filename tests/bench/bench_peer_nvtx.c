/* SPDX-License-Identifier: MIT */
/*
 * A program that marks its ranges with NVTX, and uses ctprof only to begin
 * recording. With EMPTY, nothing records: the library that NVTX finds in
 * BENCH_INJECTION does nothing.
 */
#include <ctprof.h>

#include "lib/markers/nvtx_client.h"

#define ENTER(n) (void)nvtxRangePushA("graph_" #n)
#define LEAVE(n) (void)nvtxRangePop()

#include "bench_graph.h"

static const char *why(void)
{
	return "no library for NVTX in BENCH_INJECTION";
}

static bool start(const char *out)
{
	const char *library = getenv("BENCH_INJECTION");

	if (library == NULL || setenv("NVTX_INJECTION64_PATH", library, 1) != 0)
		return false;
#ifndef EMPTY
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = out;
	if (ctp_start(&options) != CTP_OK)
		return false;
#else
	(void)out;
#endif
	return nvtxRangePushA("first") == 0 && nvtxRangePop() == 0;
}

static void stop(void)
{
#ifndef EMPTY
	(void)ctp_stop();
#endif
}

#ifdef EMPTY
const struct peer peer = {"nvtx-empty", start, why, stop};
#else
const struct peer peer = {"ctprof-nvtx", start, why, stop};
#endif

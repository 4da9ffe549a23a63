/* SPDX-License-Identifier: MIT */
/* ctprof as intended: the macros, which record inline. */
#include <ctprof.h>

#define ENTER(n) CTP_SCOPE("node_" #n)
#define LEAVE(n) PEER_BARRIER()

#include "bench_graph.h"

static bool start(const char *out)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = out;
	return ctp_start(&options) == CTP_OK;
}

static void stop(void)
{
	(void)ctp_stop();
}

const struct peer peer = {"ctprof", start, ctp_status, stop};

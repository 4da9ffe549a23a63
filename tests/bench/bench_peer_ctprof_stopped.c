/* SPDX-License-Identifier: MIT */
/* A program that has recorded, and goes on after ctp_stop(). */
#include <ctprof.h>

#define ENTER(n) CTP_SCOPE("node_" #n)
#define LEAVE(n) PEER_BARRIER()

#include "bench_graph.h"

static bool start(const char *out)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = out;
	if (ctp_start(&options) != CTP_OK)
		return false;
	peer_loop(1000);
	(void)peer_graph(1000);
	return ctp_stop() == CTP_OK;
}

static void stop(void)
{
}

const struct peer peer = {"ctprof-stopped", start, ctp_status, stop};

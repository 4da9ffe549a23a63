/* SPDX-License-Identifier: MIT */
/* ctprof through its two functions, as a language binding uses it. */
#include <ctprof.h>

#define ENTER(n) \
	static struct ctp_site site_##n = {"node_" #n, __FILE__, __LINE__, 0}; \
	ctp_begin(&site_##n)
#define LEAVE(n) ctp_end()

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

const struct peer peer = {"ctprof-call", start, ctp_status, stop};

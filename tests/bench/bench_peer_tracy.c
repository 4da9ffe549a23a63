/* SPDX-License-Identifier: MIT */
/*
 * Tracy's zones. No server connects, so the client keeps all events in memory:
 * only the thread's time can be compared.
 *
 * Source: TracyC.h of https://github.com/wolfpld/tracy, whose client is not
 * packaged as a library. Put its folder `public` into bench-peers/tracy.
 */
#include <tracy/TracyC.h>

enum { loop = 64 }; /* the site of peer_loop() */

#define ENTER(n) \
	static const struct ___tracy_source_location_data site = { \
		"graph_" #n, __func__, __FILE__, (n) + 1, 0}; \
	TracyCZoneCtx zone = ___tracy_emit_zone_begin(&site, 1)
#define LEAVE(n) ___tracy_emit_zone_end(zone)

#include "bench_graph.h"

static bool start(const char *out)
{
	(void)out;
	return true;
}

static void stop(void)
{
}

const struct peer peer = {"tracy", start, peer_no_reason, stop};

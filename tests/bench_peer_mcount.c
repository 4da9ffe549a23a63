/* SPDX-License-Identifier: MIT */
/*
 * Nothing in the source: it is compiled with -pg, and the compiler puts a call
 * of mcount into each function. Run alone, glibc's mcount counts for gprof;
 * run by `uftrace record`, uftrace's takes its place.
 */
#define ENTER(n) PEER_BARRIER()
#define LEAVE(n) PEER_BARRIER()
#define PEER_OWN_LOOP

#include "bench_graph.h"

static __attribute__((noinline)) void empty(void)
{
	PEER_BARRIER();
}

__attribute__((no_instrument_function)) void peer_loop(uint64_t pairs)
{
	for (uint64_t i = 0; i < pairs; i++)
		empty();
}

static bool start(const char *out)
{
	(void)out;
	return true;
}

static void stop(void)
{
}

const struct peer peer = {"mcount", start, peer_no_reason, stop};

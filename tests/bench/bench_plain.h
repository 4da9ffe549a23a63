/* SPDX-License-Identifier: MIT */
/*
 * The graph and the loop without recording in the source: the compiler inserts
 * the recorder's calls into each function, by -pg or -finstrument-functions.
 * The loop calls an empty function.
 */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

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

#endif

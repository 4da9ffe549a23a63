/* SPDX-License-Identifier: MIT */
/*
 * The interface of a recorder for the benchmark harness: one program for each
 * recorder, so that none disturbs another and the same code measures all.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>

struct peer {
	const char *name;
	/* Begins recording to `out`. Returns whether it records as the name
	 * says; if not, the harness says why() and measures nothing. */
	bool (*start)(const char *out);
	const char *(*why)(void);
	/* Ends recording; what it had to write is in the file then. */
	void (*stop)(void);
};

extern const struct peer peer;

/* Records `pairs` empty ranges, one after the other. */
void peer_loop(uint64_t pairs);

/* Records `pairs` ranges of 64 sites that call each other. Returns a number
 * that depends on all work done. */
uint64_t peer_graph(uint64_t pairs);

/* The compiler must not move anything over it. */
#define PEER_BARRIER() __asm__ volatile("" ::: "memory")

#endif

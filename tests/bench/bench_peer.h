/* SPDX-License-Identifier: MIT */
/*
 * The interface of a recorder for the benchmark harness. Each recorder has its
 * own program, so that none disturbs another and the same code measures all.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>

struct peer {
	const char *name;
	/* Begins recording to `out`. Returns whether it records as its name
	 * promises; if not, the harness prints why() and measures nothing. */
	bool (*start)(const char *out);
	const char *(*why)(void);
	/* Ends recording, and completes the file. */
	void (*stop)(void);
};

extern const struct peer peer;

/* Records `pairs` empty ranges, one after the other. */
void peer_loop(uint64_t pairs);

/* Records `pairs` ranges of 64 sites that call each other. Returns a number
 * that depends on all of the work. */
uint64_t peer_graph(uint64_t pairs);

/* Keeps the compiler from moving anything across it. */
#define PEER_BARRIER() __asm__ volatile("" ::: "memory")

#endif

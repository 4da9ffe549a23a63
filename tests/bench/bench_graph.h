/* SPDX-License-Identifier: MIT */
/*
 * A program to record: 64 functions that call each other, up to 24 deep, each
 * with 0 to 22 multiply-adds of work of its own. The next callee, and the
 * number of its calls, depend on the numbers computed, so the recorded times
 * and sites are neither constant nor random.
 *
 * A recorder includes this after defining
 *
 *	ENTER(n)   begin a range of site n; may declare variables
 *	LEAVE(n)   end it
 *
 * and gets peer_loop() and peer_graph(), the same code in all of them.
 */
#ifndef BENCH_GRAPH_H
#define BENCH_GRAPH_H

#include "bench_peer.h"

#define GRAPH_DEPTH 24

struct walk {
	uint64_t state;
	uint64_t left; /* ranges still to be recorded */
	unsigned depth;
};

typedef void graph_node(struct walk *walk);

static graph_node *const graph_nodes[64];

/*
 * For recorders whose calls the compiler inserts: these two are inlined into
 * their callers. With -finstrument-functions, inlined functions would be
 * recorded like others.
 */
#define GRAPH_PART \
	static inline __attribute__((always_inline, no_instrument_function))

/* One step of a linear congruential generator: Knuth's constants. */
GRAPH_PART void graph_work(struct walk *walk, unsigned steps)
{
	uint64_t state = walk->state;

#pragma GCC unroll 1
	for (unsigned i = 0; i < steps; i++)
		state = state * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
	walk->state = state;
}

/* Every node has four callees; it calls none to three of them. */
GRAPH_PART void graph_calls(struct walk *walk, unsigned n)
{
	static const uint8_t counts[16] = {
		0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3};
	unsigned bits = (unsigned)(walk->state >> 40);

	if (walk->depth == GRAPH_DEPTH)
		return;
	walk->depth++;
	for (unsigned i = counts[bits & 15]; i > 0 && walk->left > 0; i--) {
		bits >>= 4;
		walk->left--;
		graph_nodes[(n * 5 + 11 + (bits & 3) * 17) & 63](walk);
	}
	walk->depth--;
}

#define GRAPH_NODE(n) \
	static __attribute__((noinline)) void graph_node_##n( \
		struct walk *walk) \
	{ \
		ENTER(n); \
		graph_work(walk, n * 7 % 23); \
		graph_calls(walk, n); \
		LEAVE(n); \
	}

/* The numbers are octal: 00 to 077. */
#define GRAPH_8(X, n) \
	X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define GRAPH_64(X) \
	GRAPH_8(X, 0) \
	GRAPH_8(X, 01) \
	GRAPH_8(X, 02) \
	GRAPH_8(X, 03) \
	GRAPH_8(X, 04) \
	GRAPH_8(X, 05) \
	GRAPH_8(X, 06) \
	GRAPH_8(X, 07)

#define GRAPH_NAME(n) graph_node_##n,

/* clang-format off */
GRAPH_64(GRAPH_NODE)

static graph_node *const graph_nodes[64] = {GRAPH_64(GRAPH_NAME)};
/* clang-format on */

uint64_t peer_graph(uint64_t pairs)
{
	struct walk walk = {.state = 1, .left = pairs};

	while (walk.left > 0) {
		/* Otherwise a node without work would be called for ever. */
		graph_work(&walk, 1);
		walk.left--;
		graph_nodes[walk.state >> 58](&walk);
	}
	return walk.state;
}

#ifndef PEER_OWN_LOOP
void peer_loop(uint64_t pairs)
{
	for (uint64_t i = 0; i < pairs; i++) {
		ENTER(loop);
		PEER_BARRIER();
		LEAVE(loop);
	}
}
#endif

static inline const char *peer_no_reason(void)
{
	return "no reason known";
}

#endif

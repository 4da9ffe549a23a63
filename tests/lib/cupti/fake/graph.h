/* SPDX-License-Identifier: MIT */
/* Graphs that the program captures, and the kernels' names in memory. */
#ifndef GRAPH_H
#define GRAPH_H

#include "fake_link.h"

struct graph_node {
	/* What is launched, but for when and where. */
	struct fake_activity activity;
	struct fake_kernel kernel;
	struct fake_copy copy;
	char captured[64]; /* the range that was open then */
};

struct graph {
	struct graph_node *nodes;
	uint32_t count;
};

/* From here to graph_end() the calling thread captures. */
void graph_begin(void);

/* The activity becomes a node, if this thread captures. */
bool graph_add(
	const struct fake_tool *tool, const struct fake_activity *activity);

/* The graph is made ready: its nodes are cloned, as the driver does then. Gives
 * its number. */
uint32_t graph_end(const struct fake_tool *tool);

const struct graph *graph_find(uint32_t number);

/* Where the driver keeps this name: the same for the same, until all are
 * forgotten and others take their places. Threads: any. */
const char *graph_name(const char *name);
void graph_forget_names(void);

#endif

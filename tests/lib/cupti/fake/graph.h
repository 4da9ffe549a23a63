/* SPDX-License-Identifier: MIT */
/* Graphs that the program captures, and the kernels' names in memory. */
#ifndef GRAPH_H
#define GRAPH_H

#include "fake_link.h"

struct graph_node {
	/* A launch without time and place. */
	struct fake_activity activity;
	struct fake_kernel kernel;
	struct fake_copy copy;
	char captured[64]; /* the range open at the capture */
};

struct graph {
	struct graph_node *nodes;
	uint32_t count;
};

/* From here to graph_end() the calling thread captures. */
void graph_begin(void);

/* Makes the activity a node, if this thread captures. */
bool graph_add(
	const struct fake_tool *tool, const struct fake_activity *activity);

/* Instantiates the graph: its nodes are cloned, as the driver does then.
 * Returns its number. */
uint32_t graph_end(const struct fake_tool *tool);

const struct graph *graph_find(uint32_t number);

/* The driver's copy of this name: the same address for the same name, until all
 * names are forgotten and others take their places. Threads: any. */
const char *graph_name(const char *name);
void graph_forget_names(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Nodes of CUDA graphs. A launched graph runs copies of nodes that were made
 * during a capture; this table maps each copy to its node.
 */
#ifndef CUPTI_GRAPH_H
#define CUPTI_GRAPH_H

#include <stdint.h>

/* A node was made. Threads: any. */
void cupti_graph_created(uint64_t node);

/* A node was made as a copy of another. Threads: any. */
void cupti_graph_cloned(uint64_t node, uint64_t original);

/* The node that this is a copy of, however often copied, or itself; 0 if it is
 * not known. Threads: any. */
uint64_t cupti_graph_captured(uint64_t node);

/* How many of those that were captured are not known. Threads: any. */
uint64_t cupti_graph_left_out(void);

#endif

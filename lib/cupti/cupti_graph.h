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

/* The original of this node, through any number of copies, or itself; 0 if
 * unknown. Threads: any. */
uint64_t cupti_graph_captured(uint64_t node);

/* Number of captured nodes that are unknown. Threads: any. */
uint64_t cupti_graph_left_out(void);

#endif

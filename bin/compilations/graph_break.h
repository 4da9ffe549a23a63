/* SPDX-License-Identifier: MIT */
/* The parts of the text with which torch.compile() explains a graph break. */
#ifndef GRAPH_BREAK_H
#define GRAPH_BREAK_H

#include <stddef.h>
#include <stdint.h>

struct graph_break_part {
	const char *text;
	size_t size;
};

struct graph_break_text {
	struct graph_break_part reason;  /* one line */
	struct graph_break_part details; /* all of the reason */
	struct graph_break_part stack;   /* of user code */
	struct graph_break_part file;
	uint32_t line; /* 0: unknown */
};

/* A part that is missing has size 0; the reason is at least the first line. */
void graph_break_read(
	struct graph_break_text *to, const char *text, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Where mended JSON goes. What comes behind the events waits for the end, so
 * that events that are found later still get to the others. For repair_*.c
 * only.
 */
#ifndef REPAIR_OUT_H
#define REPAIR_OUT_H

#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"

enum repair_out_mode {
	REPAIR_DIRECT,
	REPAIR_TAIL,  /* behind the events, or all */
	REPAIR_MUTED, /* nowhere */
};

struct repair_out {
	FILE *file;
	enum repair_out_mode mode;
	bool ends_events; /* the tail begins with the bracket of the events */
	struct buffer tail;
	uint64_t written;
};

void repair_out_add(struct repair_out *out, const void *bytes, size_t size);

/* From now on all is tail; false if it is already, or something was. */
bool repair_out_begin_tail(struct repair_out *out, bool ends_events);

/* Puts text before the tail. */
void repair_out_prepend(struct repair_out *out, const char *text);

/* Writes the tail. */
void repair_out_finish(struct repair_out *out);

#endif

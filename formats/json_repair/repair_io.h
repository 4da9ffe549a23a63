/* SPDX-License-Identifier: MIT */
/*
 * The input of a repair, of which a window is in memory, and its output. What
 * comes behind the events waits for the end, so that events that are found
 * later still get to the others. For repair_*.c only.
 */
#ifndef REPAIR_IO_H
#define REPAIR_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"

/* So much may be looked at before it is known what it is. */
#define REPAIR_WINDOW_BYTES_MAX ((size_t)16 << 20)

/* Zeros behind the window, so that who reads a few bytes at once, or up to the
 * end of a run, need not ask whether they are there. */
#define REPAIR_WINDOW_PADDING 64

struct repair_window {
	FILE *in;
	uint8_t *bytes;
	size_t room;
	size_t used;
	uint64_t base; /* the input's offset of bytes[0] */
	bool at_eof;
};

/* False if out of memory; call repair_window_clear() in either case. */
bool repair_window_init(struct repair_window *window, FILE *in,
	const void *head, size_t head_size);
void repair_window_clear(struct repair_window *window);

/*
 * More of the input; what is before `keep` goes, and what was there is 0 now.
 * CTP_END if nothing came: at the end of the input, or no room is left.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM.
 */
enum ctp_status repair_window_fill(
	struct repair_window *window, size_t keep, struct ctp_error *err);

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

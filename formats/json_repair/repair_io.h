/* SPDX-License-Identifier: MIT */
/*
 * A repair's input, with a window in memory, and its output. Text after the
 * events is held until the end, so that events found later can join the others.
 * For repair_*.c only.
 */
#ifndef REPAIR_IO_H
#define REPAIR_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"

/* Most input that may be examined for one decision. */
#define REPAIR_WINDOW_BYTES_MAX ((size_t)16 << 20)

/* Zeros after the window, so that reading a few bytes at once, or up to the end
 * of a run, needs no bounds check. */
#define REPAIR_WINDOW_PADDING 96

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
 * Reads more input; drops the bytes before `keep`, which becomes offset 0.
 * CTP_END if nothing was read: at the end of the input, or without room.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM.
 */
enum ctp_status repair_window_fill(
	struct repair_window *window, size_t keep, struct ctp_error *err);

enum repair_out_mode {
	REPAIR_DIRECT,
	REPAIR_TAIL,  /* after the events, or everything */
	REPAIR_MUTED, /* nowhere */
};

struct repair_out {
	FILE *file;
	enum repair_out_mode mode;
	bool ends_events; /* the tail begins with the events' closing bracket */
	struct buffer tail;
	uint64_t written;
};

void repair_out_add(struct repair_out *out, const void *bytes, size_t size);

/* Sends all further output to the tail; false if a tail was begun before. */
bool repair_out_begin_tail(struct repair_out *out, bool ends_events);

/* Puts text before the tail. */
void repair_out_prepend(struct repair_out *out, const char *text);

/* Writes the tail. */
void repair_out_finish(struct repair_out *out);

#endif

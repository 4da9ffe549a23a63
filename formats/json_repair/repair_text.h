/* SPDX-License-Identifier: MIT */
/* Text in damaged JSON, made a string. For repair_*.c only. */
#ifndef REPAIR_TEXT_H
#define REPAIR_TEXT_H

#include "base/buffer.h"
#include "json_repair/repair_fix.h"
#include "json_repair/repair_look.h"

struct repair_text {
	size_t from;
	size_t to;
	size_t next; /* behind the quote, if there is one */
	uint8_t quote;
	enum repair_place place;
	bool is_open;    /* there is no quote at its end */
	bool is_literal; /* backslashes are just that, as in "C:\new" */
};

/*
 * Finds where the text ends that begins at text->from, behind text->quote; a
 * quote in it ends it only where what follows agrees. False if it is broken off
 * by a hole in the file, or by the end of what is there.
 */
bool repair_text_find(struct repair_view *view, struct repair_text *text);

/* Appends it with its quotes, and counts what had to be changed; `base` is the
 * offset of the view. */
void repair_text_add(struct buffer *out, const struct repair_view *view,
	const struct repair_text *text, struct repair_fixes *fixes,
	uint64_t base);

#endif

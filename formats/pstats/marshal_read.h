/* SPDX-License-Identifier: MIT */
/*
 * Reads Python objects as marshal writes them, of any Python from 2.7 on, one
 * item at a time: a tuple or dict is told first, its items follow. Which of
 * these belong together is for the caller to keep, who knows what he expects;
 * so nothing here recurses.
 * Source: CPython, Python/marshal.c, r_object(), 2.7 to 3.14.
 */
#ifndef MARSHAL_READ_H
#define MARSHAL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

enum marshal_kind {
	MARSHAL_NONE,
	MARSHAL_INT,
	MARSHAL_FLOAT,
	MARSHAL_DECIMAL, /* a float as decimal text: Python 2 */
	MARSHAL_TEXT,    /* a str */
	MARSHAL_BYTES,   /* a str of Python 2, in whatever encoding */
	MARSHAL_TUPLE,   /* `count` items follow */
	MARSHAL_DICT,    /* keys and values follow, up to MARSHAL_DICT_END */
	MARSHAL_DICT_END,
	MARSHAL_AGAIN, /* a tuple or dict that was here before, as `slot` */
};

#define MARSHAL_NO_SLOT UINT32_MAX

struct marshal_value {
	enum marshal_kind kind;
	int64_t integer;
	double real;
	const char *text; /* borrowed from the input */
	size_t size;
	uint32_t count;
	/* MARSHAL_TUPLE, MARSHAL_DICT: what may refer to it later; or
	 * MARSHAL_NO_SLOT. */
	uint32_t slot;
};

struct marshal_slot;
struct marshal_text_slot;

struct marshal_in {
	struct cursor cursor;
	struct marshal_slot *slots;
	uint32_t slot_count;
	uint32_t slot_room;
	struct marshal_text_slot *texts; /* of Python 2 */
	uint32_t text_count;
	uint32_t text_room;
	bool no_memory;
};

void marshal_in_init(struct marshal_in *in, const void *bytes, size_t size);
void marshal_in_clear(struct marshal_in *in);

/* The next item; false if there is none that makes sense, or (no_memory is
 * set) no memory. */
bool marshal_next(struct marshal_in *in, struct marshal_value *value);

/* What the caller knows a tuple by, for when it comes again; and what he told.
 * False if he told nothing. */
void marshal_remember(struct marshal_in *in, uint32_t slot, uint32_t number);
bool marshal_recall(
	const struct marshal_in *in, uint32_t slot, uint32_t *number);

#endif

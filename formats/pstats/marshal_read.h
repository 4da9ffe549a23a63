/* SPDX-License-Identifier: MIT */
/*
 * Reads Python objects in marshal format, from Python 2.7 on, one item at a
 * time: first a tuple or dict, then its items. The caller, which knows the
 * expected structure, tracks the nesting; so nothing here recurses. Source:
 * CPython, Python/marshal.c, r_object(), 2.7 to 3.14.
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
	MARSHAL_BYTES,   /* a str of Python 2, in any encoding */
	MARSHAL_TUPLE,   /* `count` items follow */
	MARSHAL_DICT,    /* keys and values until MARSHAL_DICT_END */
	MARSHAL_DICT_END,
	MARSHAL_AGAIN, /* a repeated tuple or dict, in `slot` */
};

#define MARSHAL_NO_SLOT UINT32_MAX

struct marshal_value {
	enum marshal_kind kind;
	int64_t integer;
	double real;
	const char *text; /* borrowed from the input */
	size_t size;
	uint32_t count;
	/* MARSHAL_TUPLE, MARSHAL_DICT: for later references; or
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

/* The next item; false if it is missing or invalid, or if out of memory
 * (no_memory is set). */
bool marshal_next(struct marshal_in *in, struct marshal_value *value);

/* Store and look up the caller's number for a tuple that may recur. False if
 * none was stored. */
void marshal_remember(struct marshal_in *in, uint32_t slot, uint32_t number);
bool marshal_recall(
	const struct marshal_in *in, uint32_t slot, uint32_t *number);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Python's marshal format. Source: CPython, Python/marshal.c, w_object() and
 * r_object(), 2.7 to 3.14.
 *
 * Objects are written in the part of the format that Python 2.7 to 3.14 all
 * read: it has no version number and no references. They are read one item at a
 * time: first a tuple or dict, then its items. The caller, which knows the
 * expected structure, tracks the nesting; so nothing here recurses.
 */
#ifndef MARSHAL_H
#define MARSHAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cursor.h"

/* The longest text, in bytes: sizes are signed 32-bit numbers. */
#define MARSHAL_TEXT_MAX INT32_MAX

/* A dict is: begin, then each key and its value in turn, then end. */
void marshal_begin_dict(FILE *out);
void marshal_end_dict(FILE *out);

/* A tuple is this, then its items. */
void marshal_tuple(FILE *out, uint32_t count);

/* A str; `bytes` must be valid UTF-8, at most MARSHAL_TEXT_MAX of them. */
void marshal_text(FILE *out, const char *bytes, size_t size);

void marshal_int(FILE *out, uint64_t value);
void marshal_float(FILE *out, double value);

/* Reading. */

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

/* SPDX-License-Identifier: MIT */
/*
 * Writes Python objects in the part of the marshal format that Python 2.7 to
 * 3.14 all read. It has no version number and no references.
 * Source: CPython, Python/marshal.c, w_object() and r_object().
 */
#ifndef MARSHAL_H
#define MARSHAL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

#endif

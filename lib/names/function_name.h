/* SPDX-License-Identifier: MIT */
/* Short names of functions, without the parts added by C++. */
#ifndef FUNCTION_NAME_H
#define FUNCTION_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Appends a demangled name without parameters, return type and template
 * arguments: "int ns::f<int>(int)" is "ns::f". C names stay unchanged, and so
 * do names that would become empty.
 *
 * Errors: `out->failed`, as for all additions.
 * Source: the forms are those of libiberty's demangler (cp-demangle.c of gcc
 * 12), which libstdc++'s __cxa_demangle() is; LLVM's differ in lambdas.
 */
void function_name_add_short(struct buffer *out, const char *name, size_t size);

/*
 * Whether it is a name with scopes, such as in C++, that should be shortened by
 * function_name_add_short(). A capitalized word before it is an action on a
 * function, as in clang's traces: "InstantiateFunction ns::f"; return types are
 * rarely like that. A phrase has no scopes: "load::all the data".
 */
bool function_name_has_scopes(const char *name, size_t size);

/* The part after the first scope of a short name, "b::f" of "a::b::f"; NULL if
 * it has no scope. */
const char *function_name_inner(const char *name, const char *end);

/* Returns the end of the bracket that begins here, ( [ { or <; `end` if it is
 * not closed. */
const char *function_name_skip(const char *at, const char *end);

/* The place of a function, from its name. */
struct function_place {
	const char *name; /* within the text */
	size_t file_size; /* the text begins with the file name */
	uint32_t line;
};

/*
 * Splits "torch/nn/functional.py(12): linear", a name of a Python function by
 * PyTorch's profiler. False if the name does not have this form.
 */
bool function_name_find_place(const char *name, struct function_place *place);

/*
 * The size of the longest prefix that fits in `columns`; sets `cut` if an
 * ellipsis follows. A character that may be wide counts as two columns.
 *
 * Units: bytes.
 */
size_t function_name_fit(
	const char *text, size_t size, unsigned columns, bool *cut);

/*
 * Appends a function's name, shortened to `columns`: C++ names lose their
 * parameters and template arguments first, then enclosing scopes, and are
 * truncated last.
 */
void function_name_add_fit(
	struct buffer *out, const char *name, unsigned columns);

#endif

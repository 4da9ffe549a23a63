/* SPDX-License-Identifier: MIT */
/* The common name of a function: without the parts that C++ adds to it. */
#ifndef FUNCTION_NAME_H
#define FUNCTION_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Appends a demangled name without parameters, return type and template
 * arguments: "int ns::f<int>(int)" is "ns::f". Names of C stay what they are,
 * and so does whatever leaves nothing.
 *
 * Errors: `out->failed`, as of all that is added.
 * Source: the forms are those of libiberty's demangler (cp-demangle.c of gcc
 * 12), which libstdc++'s __cxa_demangle() is; LLVM's differ in lambdas.
 */
void function_name_add_short(struct buffer *out, const char *name, size_t size);

/*
 * Is it one of C++, say, that tells more without what function_name_add_short()
 * takes away? A word before it that begins with a capital says what is done with
 * a function, as in traces of clang: "InstantiateFunction ns::f"; types that are
 * returned are rarely like that. Nor has a phrase scopes: "load::all the data".
 */
bool function_name_has_scopes(const char *name, size_t size);

/* Behind the first scope of a short name, "b::f" of "a::b::f"; NULL if it is in
 * none. */
const char *function_name_inner(const char *name, const char *end);

/* Behind the bracket that closes the one here, ( [ { or <; `end` if there is
 * none. */
const char *function_name_skip(const char *at, const char *end);

/* Where a function is, which its name says. */
struct function_place {
	const char *name; /* within the text */
	size_t file_size; /* the text begins with the file's name */
	uint32_t line;
};

/*
 * Takes apart "torch/nn/functional.py(12): linear", as PyTorch's profiler names
 * functions of Python. False if the name has not this form.
 */
bool function_name_find_place(const char *name, struct function_place *place);

/*
 * The size of the longest prefix that fits in `columns`, and in `cut` whether an
 * ellipsis comes after it. A character that may be wide counts as two columns.
 *
 * Units: bytes.
 */
size_t function_name_fit(
	const char *text, size_t size, unsigned columns, bool *cut);

/*
 * Appends a function's name, shortened to `columns`: names of C++ lose their
 * parameters and template arguments first, then the scopes around them, and are
 * cut last.
 */
void function_name_add_fit(
	struct buffer *out, const char *name, unsigned columns);

#endif

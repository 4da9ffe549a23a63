/* SPDX-License-Identifier: MIT */
/* What people call a function: its name without all that C++ adds to it. */
#ifndef FUNCTION_NAME_H
#define FUNCTION_NAME_H

#include "buffer.h"

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

#endif

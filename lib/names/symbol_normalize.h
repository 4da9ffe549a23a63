/* SPDX-License-Identifier: MIT */
/* Normalizes names for comparing runs: removes the parts that change with a
 * rebuild, a process or an iteration. */
#ifndef SYMBOL_NORMALIZE_H
#define SYMBOL_NORMALIZE_H

#include <stddef.h>

#include "base/buffer.h"

/*
 * Appends a function's name without
 *   template arguments, and the parameters behind them and "void " before;
 *   suffixes of compilers for parts of functions: ".isra.0", " [clone .cold]";
 *   Triton's arguments, "_0d1d2de", and Inductor's counter, "triton_poi_f_3";
 * and with "#" in place of
 *   addresses, 0x7f12ab, and words that are hashes;
 *   the number in "ProfilerStep#5", "{lambda()#1}";
 *   a line, in "model.py:12".
 *
 * Errors: `out->failed`, as for all additions.
 * Source: demangled names as in function_name.h; torch/_inductor/scheduler.py
 * (names of kernels) and triton/compiler/code_generator.py (signatures).
 */
void symbol_normalize(struct buffer *out, const char *name, size_t size);

/* The same for a file: hashes, as in the names and directories of Inductor's
 * files. */
void symbol_normalize_file(struct buffer *out, const char *file, size_t size);

#endif

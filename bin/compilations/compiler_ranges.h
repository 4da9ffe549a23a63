/* SPDX-License-Identifier: MIT */
/*
 * Finds compilations in the ranges of compilers: clang, lld, nvcc, rustc, and
 * XLA, which JAX uses. A compilation is the outermost range of its kind, or all
 * ranges of a process or trace. Time is that of the innermost range that belongs
 * to a part.
 */
#ifndef COMPILER_RANGES_H
#define COMPILER_RANGES_H

#include <stdbool.h>

#include "compilations/compilations.h"

/* NULL if out of memory. */
struct compiler_ranges *compiler_ranges_new(void);
void compiler_ranges_free(struct compiler_ranges *ranges);

/* The following events belong to the input of `to`, which gets the rows;
 * borrowed until compiler_ranges_end(). */
void compiler_ranges_begin(
	struct compiler_ranges *ranges, struct compilations *to);

/* Each false if out of memory. */
bool compiler_ranges_add(
	struct compiler_ranges *ranges, const struct event *event);
bool compiler_ranges_end(struct compiler_ranges *ranges);

#endif

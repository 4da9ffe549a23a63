/* SPDX-License-Identifier: MIT */
/*
 * The integer expressions of #if.
 */
#ifndef EXPR_H
#define EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "lex.h"

/*
 * Evaluates tokens in which all macros are expanded and `defined` and
 * `__has_include` are numbers already. Returns whether they are one complete
 * expression; `value` is set if it is not zero.
 */
bool expr_evaluate(const struct token *tokens, size_t count, bool *value);

#endif

/* SPDX-License-Identifier: MIT */
/* Passes over what nobody wants to know, without a look at its tokens. For
 * json_scan.c only. */
#ifndef JSON_SKIP_H
#define JSON_SKIP_H

#include <stdbool.h>

#include "json_window.h"

/*
 * Passes over what is left of the object (or array, if `square`) that is open
 * innermost, its end included. False, having done nothing, if that is not
 * indexed yet, is nested too deep, or if something in it is wrong.
 */
bool json_skip(struct json_window *window, bool square);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The functions, by address, that are not recorded, from a file that `ctprof
 * record` makes from names. Source: lib/log/FORMAT.md, "Functions that are left
 * out".
 */
#ifndef FUNCTION_FILTER_H
#define FUNCTION_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Reads the file and replaces the previous filter; NULL or "": no filter.
 *
 * Errors: CTP_ERR_IO; CTP_ERR_FORMAT with the line; CTP_ERR_NOMEM. There is no
 * filter then.
 */
enum ctp_status function_filter_load(const char *path, struct ctp_error *err);

/* The filter of the module with this path, until the next
 * function_filter_load(). */
uint32_t function_filter_find(const char *path);

/* Whether the function at this offset of such a module is excluded. */
bool function_filter_excludes(uint32_t module, uint64_t offset);

#endif

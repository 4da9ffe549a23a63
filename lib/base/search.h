/* SPDX-License-Identifier: MIT */
/* Binary search. */
#ifndef SEARCH_H
#define SEARCH_H

#include <stddef.h>

/* Sets `at`, a size_t, to the first index below `count` for which `is_before`, an
 * expression with `at`, is false, or to `count`. The expression is true for all
 * indexes before that, and false for those after it. */
#define SEARCH_FIRST(at, count, is_before) \
	do { \
		size_t search_begin = 0; \
		size_t search_end = (count); \
\
		while (search_begin < search_end) { \
			(at) = search_begin + (search_end - search_begin) / 2; \
			if (is_before) \
				search_begin = (at) + 1; \
			else \
				search_end = (at); \
		} \
		(at) = search_begin; \
	} while (0)

#endif

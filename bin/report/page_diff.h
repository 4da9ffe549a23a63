/* SPDX-License-Identifier: MIT */
/*
 * The page's sections about what changed since a base: sums of both sides, the
 * changed functions, and call paths with their times on both sides.
 */
#ifndef PAGE_DIFF_H
#define PAGE_DIFF_H

#include <stdbool.h>

#include "compare/comparison.h"
#include "json/json.h"

struct page_diff {
	const char *base; /* the path of the base; NULL: none is compared */
	bool across_devices;
	enum match_key match;
	struct json json; /* the sections, if they were made */
	size_t bytes;     /* their size on the page */
};

/* Compares the base with an input, and makes sections of at most `max` bytes.
 * Errors: reported; returns an exit status. page_diff_clear() is due in any
 * case. */
int page_diff_make(struct page_diff *diff, const struct inputs *inputs,
	char *path, size_t max);
void page_diff_clear(struct page_diff *diff);

#endif

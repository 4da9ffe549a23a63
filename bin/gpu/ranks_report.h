/* SPDX-License-Identifier: MIT */
/* Prints the ranks of a job. */
#ifndef RANKS_REPORT_H
#define RANKS_REPORT_H

#include <stdbool.h>

#include "cli/columns.h"
#include "ranks/ranks.h"
#include "ranks/stragglers.h"

struct ranks_view {
	struct ranks *ranks; /* sorted; borrowed, like */
	const struct stragglers *stragglers;
	struct stragglers_by by;
	bool cumulative; /* functions and phases with what they call */
	uint32_t top;    /* rows of each table; 0: all */
};

extern const struct report_form ranks_form;

/* Whether there are more rows than shown. */
bool ranks_has_more(const struct ranks_view *view);

/* For report_write(). */
void ranks_write(struct sheet *sheet, const void *view);

/* Its parts, each of which stops at the limit of a page: members, and on a page
 * the notes; and the three tables. */
void ranks_write_head(struct sheet *sheet, const struct ranks_view *view);
void ranks_write_rows(struct sheet *sheet, const struct ranks_view *view);
void ranks_write_imbalance(struct sheet *sheet, const struct ranks_view *view);
void ranks_write_collectives(
	struct sheet *sheet, const struct ranks_view *view);

#endif

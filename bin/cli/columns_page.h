/* SPDX-License-Identifier: MIT */
/* Tables for the page of `ctprof report`: columns.h calls these if the sheet has
 * that style. */
#ifndef COLUMNS_PAGE_H
#define COLUMNS_PAGE_H

#include "cli/columns.h"

void columns_page_begin(struct sheet *sheet, const struct columns *columns);
void columns_page_add(
	struct sheet *sheet, const struct columns *columns, const void *row);
void columns_page_end(struct sheet *sheet);
void columns_page_hidden(struct sheet *sheet, uint64_t count);

/* For a table whose rows have more than its cells: members that describe it, in
 * the object that has begun; and cells, in the array that has begun. */
void columns_page_describe(struct sheet *sheet, const struct columns *columns);
void columns_page_cells(
	struct sheet *sheet, const struct columns *columns, const void *row);

/* Write a text, clipped in the middle if very long; of a function's name, the
 * text in brackets is dropped first. */
void columns_page_text(struct sheet *sheet, const char *text);
void columns_page_name(struct sheet *sheet, const char *name);

#endif

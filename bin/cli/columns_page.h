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

#endif

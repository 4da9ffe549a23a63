/* SPDX-License-Identifier: MIT */
/* Prints the compilations of torch.compile(). */
#ifndef COMPILATIONS_REPORT_H
#define COMPILATIONS_REPORT_H

#include "compilations/compile.h"

enum compilations_table {
	COMPILATIONS_ALL,
	COMPILATIONS_BREAKS,
	COMPILATIONS_AGAIN,
	COMPILATIONS_FUNCTIONS
};

/* The form of each table. */
extern const struct report_form compilations_form, graph_breaks_form,
	recompilations_form;

struct compilations_view {
	const struct compile *compile;
	enum compilations_table table;
	uint32_t top; /* rows of each table; 0: all */
	bool callers; /* of functions */
};

/* Sorts the rows of all tables, the worst first. False if out of memory. */
bool compilations_sort(struct compilations *to);

/* For report_write(); `view` is a struct compilations_view. */
void compilations_write(struct sheet *sheet, const void *view);

#endif

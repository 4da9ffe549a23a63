/* SPDX-License-Identifier: MIT */
/* Prints the functions that Dynamo traced. */
#ifndef TRACING_REPORT_H
#define TRACING_REPORT_H

#include "cli/columns.h"
#include "compilations/tracing.h"

/* The bit of the sheet's columns that callers need in CSV. */
#define TRACING_WITH_CALLERS (1U << 0)

struct tracing_view {
	const struct tracing *tracing;
	uint32_t top; /* rows of each table; 0: all */
	bool callers; /* in text and CSV; JSON always has them */
};

extern const struct columns tracing_table, tracing_picks_table;
extern const struct report_form functions_form;

/* Write the functions, and those most worth taking out. */
void tracing_write_functions(
	struct sheet *sheet, const struct tracing_view *view);
void tracing_write_picks(struct sheet *sheet, const struct tracing_view *view);

/* Both with their titles in text; CSV has the functions only. */
void tracing_write(struct sheet *sheet, const struct tracing_view *view);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The page of `ctprof report`: one self-contained HTML file of bounded size. If
 * there is not enough room, the least important items are omitted, and the page
 * shows their number.
 */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "compilations/compile.h"
#include "input/aggregate.h"
#include "input/input.h"
#include "report/page_source.h"
#include "report/page_diff.h"

#define PAGE_BYTES ((size_t)3000000)
#define PAGE_BYTES_MIN ((size_t)500000)
#define PAGE_BYTES_MAX ((size_t)1 << 30)
#define PAGE_INPUTS_MAX 64

struct page_options {
	const struct inputs *inputs;  /* borrowed until page_clear() */
	const struct page_diff *diff; /* borrowed; NULL: no base */
	size_t bytes;                 /* of the page, at most */
	bool is_piece; /* inputs are cut: more room for the timeline */
};

struct page {
	FILE *out;
	const char *title;   /* borrowed until the first input is added */
	size_t budget_bytes; /* for each input */
	size_t left_bytes;   /* of the whole page */
	bool has_input;      /* an input was added */
	const struct inputs *inputs;  /* borrowed until page_clear() */
	struct compile compile;       /* of all inputs */
	struct page_source source;    /* set after page_init() */
	const struct page_diff *diff; /* borrowed; NULL: no base */
	unsigned timeline_hundredths; /* of each input's room */
	uint32_t slices;              /* of its timeline */
	uint32_t bins;
};

/* Writes nothing yet: without an input there is no page, not even a partial
 * one. False if out of memory; page_clear() is due in any case. */
bool page_init(
	struct page *page, FILE *out, const struct page_options *options);
void page_clear(struct page *page);

/* Reads an input to its end and adds it. Errors: reported; returns an exit status;
 * those of writing show on the stream, here and below. */
int page_add_input(struct page *page, struct input *input);

/* Adds a sum, which has functions, and if they were summed kernels and idle
 * devices. Errors: reported; returns an exit status. */
int page_add_sum(struct page *page, const char *name, const char *format,
	const struct aggregate *aggregate);

/* Reads the compilations of PyTorch in a file below such a directory, quietly;
 * other files are ignored. Errors: reported; returns an exit status. */
int page_add_compilations(struct page *page, const char *path);

/* Writes the end of the page. Errors: reported; returns an exit status. */
int page_end(struct page *page);

/* The other files of this directory as lines, made by formats/embed.sh. */
extern const char *const page_css[];
extern const char *const page_flame_css[];
extern const char *const page_table_css[];
extern const char *const page_timeline_css[];
extern const char *const page_html[];
extern const char *const page_format_js[];
extern const char *const page_table_js[];
extern const char *const page_compile_js[];
extern const char *const page_device_js[];
extern const char *const page_diff_js[];
extern const char *const page_findings_js[];
extern const char *const page_flame_js[];
extern const char *const page_functions_js[];
extern const char *const page_memory_js[];
extern const char *const page_operators_js[];
extern const char *const page_ranks_js[];
extern const char *const page_sandwich_js[];
extern const char *const page_source_js[];
extern const char *const page_summary_js[];
extern const char *const page_lanes_js[];
extern const char *const page_lanes_range_js[];
extern const char *const page_timeline_js[];
extern const char *const page_timeline_draw_js[];
extern const char *const page_timeline_input_js[];
extern const char *const page_view_js[];
extern const char *const page_js[];

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The page that `ctprof report` writes: one file of HTML with all that it
 * needs, of bounded size. What there is no room for is left out, the least
 * first, and the page says so.
 */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "input/input.h"

#define PAGE_BYTES ((size_t)2000000)
#define PAGE_INPUTS_MAX 64

struct page {
	FILE *out;
	const char *title;   /* borrowed until the first input was added */
	size_t budget_bytes; /* for each input */
	bool has_input;      /* an input was added */
};

/* `title` is for people. Nothing is written: without an input there is no page,
 * not even half of one. */
void page_init(struct page *page, FILE *out, const char *title, size_t inputs);

/* Sets what page_add_input() wants of an input that is opened for it. */
void page_set_request(struct read_request *request);

/* Reads an input to its end and adds it. Errors: said; returns an exit status;
 * those of writing show on the stream, here and below. */
int page_add_input(
	struct page *page, const struct inputs *inputs, struct input *input);

/* Writes what is below the last one. */
void page_end(struct page *page);

/* The files beside this one as lines, made by formats/embed.sh. */
extern const char *const page_css[];
extern const char *const page_html[];
extern const char *const page_format_js[];
extern const char *const page_table_js[];
extern const char *const page_device_js[];
extern const char *const page_flame_js[];
extern const char *const page_timeline_js[];
extern const char *const page_js[];

#endif

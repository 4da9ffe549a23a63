/* SPDX-License-Identifier: MIT */
/* A page as the command line asks for it, for the commands that make one. */
#ifndef PAGE_REQUEST_H
#define PAGE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/arguments.h"
#include "input/inputs.h"
#include "input/report.h"
#include "report/page_diff.h"
#include "report/page_source.h"
#include "timeline/cut_pipeline.h"

struct page_request {
	struct inputs inputs;
	struct output_options output; /* set by the command */
	struct page_diff diff;
	struct page_source source;
	bool sum;
	bool paths;
	uint32_t jobs;
	struct cut_pipeline piece; /* its window is used */
	uint64_t bytes;            /* of the page; 0: the default */
};

/* Its structure is a struct page_request. */
extern const struct arguments page_request_arguments;

/* Writes the page to the output. Errors: reported; returns an exit status. */
int page_request_run(struct page_request *request);

/* Frees the memory allocated by parsing and running. */
void page_request_clear(struct page_request *request);

#endif

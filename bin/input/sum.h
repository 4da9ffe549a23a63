/* SPDX-License-Identifier: MIT */
/* One report on all inputs: --sum, and summaries as inputs. */
#ifndef SUM_H
#define SUM_H

#include <stdbool.h>
#include <stdio.h>

#include "input/aggregate.h"
#include "input/report.h"
#include "summary/summary.h"

struct sum_target {
	struct report_options *report_options;
	struct report report;
	struct phase_threads *threads; /* see struct aggregate_options */
	struct aggregate *aggregate;
	FILE *out;
};

struct sum {
	const struct inputs *inputs;
	struct report_options *report_options;
	/* The one of the summary that the report is on; NULL: all, and the groups
	 * of compilers. */
	const char *section;
	bool allows_repeats;
	unsigned jobs; /* number of inputs to read at a time; 0: as usual */
	/* NULL, or those of a report on phases: with rules, threads and repeats
	 * as in struct aggregate_options. */
	const struct aggregate_options *phases;
	/* Prints the report. Errors: reported; returns an exit status. */
	int (*print)(void *user, struct summary *summary,
		const struct sum_target *to);
	void *user;
};

/* Whether the first input is a summary, which can only be added up. */
bool sum_is_needed(const struct inputs *inputs);

/* Reads all inputs and prints one report. Errors: reported; returns an exit
 * status. */
int sum_run(const struct sum *sum);

/* Writes the report; rows may have been left out. Errors: reported; returns an
 * exit status. */
int sum_finish(const struct sum_target *to, const struct report_form *form,
	bool truncated, void (*write)(struct sheet *sheet, const void *view),
	const void *view);

/* The option --allow-repeats of reports on sums. */
#define SUM_REPEATS(member) \
	{ \
		"allow-repeats", 0, NULL, ARGUMENT_FLAG, \
			"add up an input, or a rank of several summaries, " \
			"more than once", \
			GROUP_INPUT, member \
	}

/* The options --sum and --jobs. */
#define SUM_OPTIONS(sum_member, jobs_member) \
	{"sum", 0, NULL, ARGUMENT_FLAG, \
		"add all inputs up to one report; directories stand for the " \
		"traces below them", \
		GROUP_INPUT, sum_member}, \
	{ \
		"jobs", 'j', "N", ARGUMENT_COUNT, \
			"with --sum: read this many inputs at a time " \
			"(default: one per processor)", \
			GROUP_INPUT, jobs_member \
	}

#endif

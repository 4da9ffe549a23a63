/* SPDX-License-Identifier: MIT */
/* Compares two runs, or two sets of runs. */
#include "cli/command.h"

#include <string.h>

#include "cli/arguments.h"
#include "compare/diff_report.h"
#include "compare/markdown.h"
#include "cli/output.h"
#include "input/report.h"

#define DEFAULT_TOP 30 /* for text: fits on a screen */

/* In the order of enum diff_key. */
#define KEYS "total|self|count|ratio|name"
static const char *const key_words[] = {
	"total", "self", "count", "ratio", "name"};

struct request {
	struct comparison comparison;
	struct report_options report_options;
	enum diff_key key;
	unsigned unit;
	bool exit_code;
	struct markdown_options markdown;
	const char *svg; /* NULL: no flame graph */
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->svg != NULL && strcmp(request->svg, "-") == 0)
		argp_error(state, "--svg needs a file name");
	return 0;
}

static int print(void *user, const struct diff *diff,
	const struct comparison_profiles *profiles, struct report *report)
{
	struct request *request = user;
	struct report_options *options = &request->report_options;
	const struct diff_view view = {.diff = diff,
		.comparison = &request->comparison,
		.sort = key_words[request->key],
		.top = report_row_limit(options, DEFAULT_TOP),
		.unit = request->unit};
	int worst = EXIT_DONE;
	int status;

	if (request->svg != NULL)
		worst = diff_svg_write(&request->comparison, profiles,
			request->svg, options->output.force);
	worst = exit_worse(worst, markdown_write_diff(&request->markdown,
					  options->output.force, &view));
	report->truncated |= diff_has_more(&view);
	status = report_write_output(options, report, diff_write, &view);
	if (status == EXIT_DONE && request->exit_code && diff_differs(&view))
		status = EXIT_NO;
	return exit_worse(worst, status);
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(&cmd_diff, argc, argv, &request);
	/* Check before reading, which may take long. */
	status = request.svg == NULL
			 ? EXIT_DONE
			 : output_check(request.svg,
				   request.report_options.output.force);
	if (status == EXIT_DONE)
		status = markdown_check(
			&request.markdown, request.report_options.output.force);
	if (status == EXIT_DONE)
		status = comparison_run(&request.comparison, request.key,
			diff_form.schema, print, &request);
	comparison_clear(&request.comparison);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Table:", GROUP_MAIN),
	{"sort", 's', KEYS, ARGUMENT_WORD,
		"order by the change of total time (the default), of own time, "
		"of the number of calls, by the factor, or by name", GROUP_MAIN,
		OF(key)},
	{"top", 'n', "N", ARGUMENT_CALL,
		"show the first N functions (default: 30 as text, all as JSON "
		"and CSV; 0: all)", GROUP_MAIN, OF(report_options),
		.call = report_read_top},
	{"exit-code", 0, NULL, ARGUMENT_FLAG,
		"exit with status 1 if there is any difference", GROUP_MAIN,
		OF(exit_code)},
	{"svg", 0, "FILE", ARGUMENT_OUTPUT,
		"also write a flame graph: red is slower than before, blue is "
		"faster", GROUP_OUTPUT, OF(svg),
		ARGUMENT_GIVEN(struct request, comparison.tree)},
	{"unit", 0, DELTA_UNITS, ARGUMENT_WORD,
		"unit of times in text (auto: ms, or us for short runs)",
		GROUP_OUTPUT, OF(unit)},
	ARGUMENTS_OF(&markdown_arguments, OF(markdown)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
	ARGUMENTS_OF(&comparison_arguments, OF(comparison)),
};
/* clang-format on */

const struct command cmd_diff = {
	.name = "diff",
	.group = "Look at a recording",
	.summary = "show what changed between two recordings",
	.forms = {&diff_form},
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "BASE NEW\n--runs BASE... -- NEW...",
	.help = "Show what changed between two recordings or profiles: for "
		"each "
		"function, kernel and copy its total time before and after, "
		"the "
		"changes of total and own time, and the number of "
		"calls.\vExamples:\n"
		"  ctprof diff before.ctp after.ctp\n"
		"  ctprof diff --sort self --json before.pstats after.pstats\n"
		"  ctprof diff --runs a1.ctp a2.ctp -- b1.ctp b2.ctp",
	.flags = ARGP_IN_ORDER,
	.run = run,
};

/* SPDX-License-Identifier: MIT */
/* Compares two runs, or two sets of runs. */
#include "cli/command.h"

#include <string.h>

#include "cli/arguments.h"
#include "compare/diff_report.h"
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
	const char *svg; /* NULL: no flame graph */
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->svg != NULL && strcmp(request->svg, "-") == 0)
		argp_error(state, "--svg needs a file name");
	return 0;
}

/* The report and its form. */
struct print_context {
	struct diff_view view;
	const struct report *report;
	const struct report_options *report_options;
};

static int print(void *user, FILE *out)
{
	struct print_context *context = user;
	struct diff_view *view = &context->view;

	view->color = terminal_color(out, context->report_options->color);
	view->width = terminal_width(out);
	return REPORT_PRINT(
		context->report_options, diff, view, context->report, out);
}

static int print_to_output(const struct request *request,
	const struct diff *diff, const struct report *report)
{
	struct print_context context = {
		.view = {.diff = diff,
			.comparison = &request->comparison,
			.sort = key_words[request->key],
			.top = report_row_limit(
				&request->report_options, DEFAULT_TOP),
			.unit = request->unit},
		.report = report,
		.report_options = &request->report_options,
	};
	int status =
		report_print(request->report_options.output, print, &context);

	if (status == EXIT_DONE && request->exit_code &&
		diff_differs(&context.view))
		status = EXIT_NO;
	return status;
}

static int write_svg(const struct request *request,
	const struct comparison_profiles *profiles, int worst)
{
	int status = diff_svg_write(&request->comparison, profiles,
		request->svg, request->report_options.output.force);

	return exit_worse(worst, status);
}

static int run_request(struct request *request)
{
	struct comparison_profiles profiles;
	int worst = comparison_read(&request->comparison, &profiles);
	struct diff *diff = NULL;

	if (worst == EXIT_DONE || worst == EXIT_DAMAGED) {
		struct report report = comparison_report(
			&request->comparison, &profiles, "ctprof/diff/1");
		int status = EXIT_LIMIT;

		if (request->svg != NULL)
			worst = write_svg(request, &profiles, worst);
		diff = comparison_diff(
			&request->comparison, &profiles, request->key);
		if (diff != NULL)
			status = print_to_output(request, diff, &report);
		worst = exit_worse(worst, status);
	}
	diff_free(diff);
	comparison_profiles_clear(&profiles);
	return worst;
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
		status = run_request(&request);
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
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
	ARGUMENTS_OF(&comparison_arguments, OF(comparison)),
};
/* clang-format on */

const struct command cmd_diff = {
	.name = "diff",
	.group = "Look at a recording",
	.summary = "show what changed between two recordings",
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

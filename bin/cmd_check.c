/* SPDX-License-Identifier: MIT */
/* Checks whether anything is slower than allowed; the exit status is the
 * answer. */
#include "cli/command.h"

#include <string.h>

#include "cli/arguments.h"
#include "compare/baseline.h"
#include "compare/check_report.h"
#include "compare/diff_report.h"
#include "compare/markdown.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "input/report.h"
#include "cli/diag.h"

#define DEFAULT_LIMIT_PPM 50000 /* 5 % */
#define DEFAULT_MIN_PPM 10000   /* 1 % */

#define FIGURES "total|self"

struct request {
	struct comparison comparison;
	struct report_options report_options;
	struct check_options options;
	struct baseline baseline;
	struct markdown_options markdown;
	const char *limits;
	const char *junit;
	const char *svg;
	unsigned unit;
	bool all;
};

static void read_min(const struct argument_value *value)
{
	struct check_options *options = value->member;
	uint32_t ppm = 0;
	uint64_t time_ns = 0;

	if (!quantity_read_share(value->text, &ppm) &&
		!quantity_read_time(value->text, &time_ns))
		argument_error(value,
			"'%s' is neither a time (100us) nor a share (0.5%%)",
			value->text);
	options->min_ppm = ppm;
	options->min_ns = time_ns;
}

static void read_limit(const struct argument_value *value)
{
	if (!limits_file_parse_limit(value->text, value->member))
		argument_error(
			value, "'%s' is not " ALLOWED_WORDS, value->text);
}

static int print_all(
	struct request *request, const struct diff *diff, struct report *report)
{
	struct check_rows regressions;
	struct output_options output = request->report_options.output;
	struct check_view view = {.regressions = &regressions,
		.diff = diff,
		.comparison = &request->comparison,
		.key = request->options.key,
		.all = request->all,
		.top = report_row_limit(&request->report_options, 0),
		.unit = request->unit};
	int worst = EXIT_DONE;
	int status;

	if (!check_rows_init(&regressions, diff, &request->comparison,
		    &request->options))
		return diag_no_memory(NULL);
	if (request->limits != NULL && !request->comparison.inputs.quiet)
		limits_file_report_unused(
			&request->options.limits, request->limits);
	if (request->junit != NULL) {
		output.path = request->junit;
		worst = report_print(output, check_print_junit, &view);
	}
	worst = exit_worse(worst,
		markdown_write_check(&request->markdown, output.force, &view));
	report->truncated |= check_has_more(&view);
	status = report_write_output(
		&request->report_options, report, check_write, &view);
	worst = exit_worse(worst, status);
	if (worst == EXIT_DONE && regressions.counts[REGRESSION_SLOWER] != 0)
		worst = EXIT_NO;
	check_rows_clear(&regressions);
	return worst;
}

/* Whether anything was measured on both sides; a function that did not run is
 * not faster. */
static bool have_common_function(const struct diff *diff)
{
	uint32_t count;
	const struct diff_row *rows = diff_rows(diff, &count);

	for (uint32_t i = 0; i < count; i++)
		if (rows[i].side[DIFF_BASE].found != 0 &&
			rows[i].side[DIFF_NEW].found != 0)
			return true;
	return false;
}

static int print(void *user, const struct diff *diff,
	const struct comparison_profiles *profiles, struct report *report)
{
	struct request *request = user;
	int status = print_all(request, diff, report);

	if (request->svg != NULL)
		status = exit_worse(
			status, diff_svg_write(&request->comparison, profiles,
					request->svg,
					request->report_options.output.force));
	if (have_common_function(diff) || status != EXIT_DONE)
		return status;
	diag("nothing to compare: no function is on both sides");
	return EXIT_INPUT;
}

/* Fails before the work, not after it. */
static int check_outputs(const struct request *request)
{
	const struct output_options *output = &request->report_options.output;
	const char *paths[] = {output->path, request->junit, request->svg};
	int status = markdown_check(&request->markdown, output->force);

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (status == EXIT_DONE && paths[i] != NULL)
			status = output_check(paths[i], output->force);
	return status;
}

/* The first run of a branch is compared with nothing. */
static int compare(struct request *request)
{
	struct comparison *comparison = &request->comparison;
	int status = EXIT_DONE;

	if (request->baseline.directory != NULL)
		status = baseline_read(&request->baseline, comparison);
	if (status != EXIT_DONE)
		return status;
	if (comparison->base_count != 0)
		return comparison_run(comparison, request->options.key,
			check_form.schema, print, request);
	if (!request->baseline.save)
		diag("%s: has no run of the branch; add one with --save",
			request->baseline.directory);
	else if (!comparison->inputs.quiet)
		diag("%s: nothing to compare with yet",
			request->baseline.directory);
	return request->baseline.save ? EXIT_DONE : EXIT_INPUT;
}

static int run_request(struct request *request)
{
	int status = EXIT_DONE;

	if (request->limits != NULL)
		status = limits_file_read(
			&request->options.limits, request->limits);
	if (status == EXIT_DONE)
		status = check_outputs(request);
	if (status == EXIT_DONE)
		status = compare(request);
	if (status <= EXIT_NO && request->baseline.save)
		status = exit_worse(status, baseline_save(&request->baseline,
						    &request->comparison));
	return status;
}

static error_t check_request(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;
	const struct inputs *inputs = &request->comparison.inputs;

	if (request->svg != NULL && strcmp(request->svg, "-") == 0)
		argp_error(state, "--svg needs a file name");
	for (size_t i = 0; i < inputs->count && request->baseline.save; i++)
		if (strcmp(inputs->paths[i], "-") == 0)
			argp_error(state,
				"--save reads the inputs twice: standard input "
				"(-) can be read only once");
	return 0;
}

static int run(int argc, char **argv)
{
	struct request request = {
		.options = {.default_limit.ppm = DEFAULT_LIMIT_PPM,
			.min_ppm = DEFAULT_MIN_PPM}};
	int status;

	arguments_parse(&cmd_check, argc, argv, &request);
	status = run_request(&request);
	limits_file_clear(&request.options.limits);
	comparison_clear(&request.comparison);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Limits:", GROUP_MAIN),
	{"max-regression", 0, "LIMIT", ARGUMENT_CALL,
		"how much more time a function may take: a share (5%, the "
		"default), a time (200us), or off", GROUP_MAIN,
		OF(options.default_limit), .call = read_limit},
	{"limits", 0, "FILE", ARGUMENT_INPUT,
		"read limits of functions from FILE: lines with a limit and a "
		"name or pattern; the first match counts", GROUP_MAIN,
		OF(limits)},
	{"min-time", 0, "TIME", ARGUMENT_CALL,
		"ignore functions that take less on both sides: a time "
		"(100us), or a share of the whole (default: 1%)", GROUP_MAIN,
		OF(options), .call = read_min},
	{"figure", 0, FIGURES, ARGUMENT_WORD,
		"compare total time (the default), or own time", GROUP_MAIN,
		OF(options.key)},
	{"all", 0, NULL, ARGUMENT_FLAG,
		"show all functions, not only those that are slower (as text) "
		"or compared (as JSON and CSV)", GROUP_OUTPUT, OF(all)},
	{"top", 'n', "N", ARGUMENT_CALL,
		"show the first N rows (default: all; 0: all)", GROUP_OUTPUT,
		OF(report_options), .call = report_read_top},
	{"junit", 0, "FILE", ARGUMENT_OUTPUT,
		"also write a report for CI servers to FILE", GROUP_OUTPUT,
		OF(junit)},
	{"svg", 0, "FILE", ARGUMENT_OUTPUT,
		"also write a flame graph: red is slower than before, blue is "
		"faster", GROUP_OUTPUT, OF(svg),
		ARGUMENT_GIVEN(struct request, comparison.tree)},
	{"unit", 0, DELTA_UNITS, ARGUMENT_WORD,
		"unit of times in text (auto: ms, or us for short runs)",
		GROUP_OUTPUT, OF(unit)},
	ARGUMENTS_OF(&markdown_arguments, OF(markdown)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
	ARGUMENT_HEADING("Baseline:", GROUP_TOOLS),
	{"baseline", 0, "DIR", ARGUMENT_OUTPUT,
		"compare with the runs that DIR keeps; all inputs are new runs",
		GROUP_TOOLS, OF(baseline.directory),
		ARGUMENT_GIVEN(struct request, comparison.is_new)},
	ARGUMENTS_OF(&baseline_arguments, OF(baseline)),
	ARGUMENTS_OF(&comparison_arguments, OF(comparison)),
};
/* clang-format on */

const struct command cmd_check = {
	.name = "check",
	.group = "Look at a recording",
	.summary = "check whether any function is slower than allowed",
	.forms = {&check_form},
	.arguments = {ARGUMENTS(options), .check = check_request},
	.usage = "BASE NEW\n--runs BASE... -- NEW...\n--baseline=DIR NEW...",
	.help = "Check whether any function is slower than allowed, and exit "
		"with status 1 if so. With --runs, three or more of the base, "
		"differences within the noise do not count.\vExamples:\n"
		"  ctprof check base.ctp new.ctp --max-regression 5%\n"
		"  ctprof check --limits perf.limits --junit out.xml a.ctp "
		"b.ctp\n"
		"  ctprof check --runs a1.ctp a2.ctp a3.ctp -- b1.ctp b2.ctp "
		"b3.ctp\n"
		"  ctprof check --baseline perf --save --markdown out.md "
		"new.ctp",
	.flags = ARGP_IN_ORDER,
	.run = run,
};

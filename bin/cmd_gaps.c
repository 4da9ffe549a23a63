/* SPDX-License-Identifier: MIT */
/* Reports when devices were idle, and why. */
#include "cli/command.h"

#include "cli/arguments.h"
#include "gpu/gaps_report.h"
#include "gpu/optimize_report.h"
#include "input/report.h"
#include "cli/diag.h"

#define DEFAULT_TOP 20 /* for text */

struct request {
	struct inputs inputs;
	struct report_options report_options;
	bool optimizes; /* --optimize was given, with: */
	struct ranking_options optimize;
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->optimize.robust && !request->optimizes)
		argp_error(state, "--robust needs --optimize: other reports "
				  "are always robust");
	return 0;
}

static enum ctp_status add_gaps_event(
	void *user, const struct event *event, struct ctp_error *err)
{
	return gaps_add(user, event, err);
}

static enum ctp_status add_ranking_event(
	void *user, const struct event *event, struct ctp_error *err)
{
	return ranking_add(user, event, err);
}

/* Passes all events to one of the two. */
static enum ctp_status read_events(const struct inputs *inputs,
	struct input *input, struct gaps *gaps, struct ranking *optimize,
	struct ctp_error *err)
{
	enum ctp_status status;

	if (gaps != NULL) {
		status = report_read(inputs, input, add_gaps_event, gaps, err);
		return status == CTP_OK ? gaps_finish(gaps, err) : status;
	}
	status = report_read(inputs, input, add_ranking_event, optimize, err);
	return status == CTP_OK ? ranking_finish(optimize, err) : status;
}

static int print_gaps(struct request *request, const struct gaps *gaps,
	const struct trace *trace, char *const *path, FILE *out)
{
	const struct gaps_view view = {.gaps = gaps,
		.top = report_row_limit(&request->report_options, DEFAULT_TOP),
		.input = *path};
	struct report report;

	report_init(&report, trace, gaps_form.schema, path);
	report.truncated |= gaps_has_more(&view);
	return report_write(
		&request->report_options, &report, out, gaps_write, &view);
}

static int print_optimize(struct request *request,
	const struct ranking *optimize, const struct trace *trace,
	char *const *path, FILE *out)
{
	const struct optimize_view view = {
		.optimize = optimize, .trace = trace, .input = *path};
	struct report report;

	report_init(&report, trace, optimize_form.schema, path);
	return report_write(
		&request->report_options, &report, out, optimize_write, &view);
}

static int report_input(
	void *user, char *const *path, struct input *input, FILE *out)
{
	struct request *request = user;
	const struct trace *trace = input->file.source->trace;
	struct gaps *gaps = request->optimizes ? NULL : gaps_new(trace);
	struct ranking *optimize =
		request->optimizes ? ranking_new(trace, request->optimize)
				   : NULL;
	struct ctp_error err = {0};
	int result;

	if (gaps == NULL && optimize == NULL)
		return diag_no_memory(input->name);
	if (!report_has_events(input))
		result = EXIT_INPUT;
	else if (read_events(&request->inputs, input, gaps, optimize, &err) !=
		 CTP_OK)
		result = input_diag_error(input, input->name, &err);
	else if (gaps != NULL)
		result = print_gaps(request, gaps, trace, path, out);
	else
		result = print_optimize(request, optimize, trace, path, out);
	gaps_free(gaps);
	ranking_free(optimize);
	return result;
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(&cmd_gaps, argc, argv, &request);
	request.inputs.request.skip_args = true;
	status = report_print_inputs(&request.report_options, &request.inputs,
		report_input, &request);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Table:", GROUP_MAIN),
	{"top", 'n', "N", ARGUMENT_CALL,
		"show the first N places in the host's code (default: 20 as "
		"text, all as JSON and CSV; 0: all)", GROUP_MAIN,
		OF(report_options), .call = report_read_top},
	{"optimize", 0, "N", ARGUMENT_COUNT,
		"show the N ranges of the host's code most worth optimizing: "
		"those that were idle for long while the queue of kernels ran "
		"empty", GROUP_MAIN, OF(optimize.length),
		ARGUMENT_GIVEN(struct request, optimizes)},
	{"robust", 0, NULL, ARGUMENT_FLAG,
		"with --optimize: count time as idle if no GPU works, not if "
		"the queue is empty; graphs, and launches outside the runtime "
		"API, count", GROUP_MAIN, OF(optimize.robust)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
};
/* clang-format on */

const struct command cmd_gaps = {
	.name = "gaps",
	.group = "Look at a recording",
	.summary = "show when GPUs were idle, and why",
	.forms = {&gaps_form, &optimize_form},
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE...]",
	.help = "Show when GPUs were idle, and why: how much of the time each "
		"was busy, the causes of the idle time, and the host's code "
		"meanwhile.\vExamples:\n"
		"  ctprof gaps train.json.gz\n"
		"  ctprof gaps --optimize 5 train.json.gz\n"
		"  ctprof gaps --json run.ctp | jq '.rows[].causes'",
	.run = run,
};

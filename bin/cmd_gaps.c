/* SPDX-License-Identifier: MIT */
/* Reports when devices were idle, and why. */
#include "cli/command.h"

#include "cli/arguments.h"
#include "gpu/gaps_report.h"
#include "gpu/optimize_report.h"
#include "input/report.h"
#include "input/sum.h"
#include "cli/diag.h"

#define DEFAULT_TOP 20 /* for text */

struct request {
	struct inputs inputs;
	struct report_options report_options;
	bool sum;
	bool allows_repeats;
	uint32_t jobs;
	bool optimizes; /* --optimize was given, with: */
	struct ranking_options optimize;
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->optimize.robust && !request->optimizes)
		argp_error(state, "--robust needs --optimize: other reports "
				  "are always robust");
	if (request->sum && request->optimizes)
		argp_error(state, "--optimize ranks the ranges of one input: "
				  "it cannot be combined with --sum");
	if (request->jobs != 0 && !request->sum)
		argp_error(state, "--jobs needs --sum");
	return 0;
}

static int print_gaps(void *user, const struct report_target *to)
{
	struct gaps *gaps = gaps_new(to->input->file.source->trace);
	const struct gaps_view view = {.gaps = gaps,
		.top = report_row_limit(to->report_options, DEFAULT_TOP),
		.input = *to->path};
	int status = report_collect(to, gaps_add, gaps_finish, gaps);

	(void)user;
	if (status == EXIT_DONE)
		status = report_finish(to, &gaps_form, gaps_has_more(&view),
			gaps_write, &view);
	gaps_free(gaps);
	return status;
}

static int print_sum(
	void *user, struct summary *summary, const struct sum_target *to)
{
	struct gaps_view view = {
		.top = report_row_limit(to->report_options, DEFAULT_TOP)};
	struct ctp_error err = {0};

	(void)user;
	if (summary->gaps == NULL)
		summary->gaps = gaps_new_sum();
	if (summary->gaps == NULL || gaps_finish(summary->gaps, &err) != CTP_OK)
		return diag_no_memory(NULL);
	view.gaps = summary->gaps;
	return sum_finish(
		to, &gaps_sum_form, gaps_has_more(&view), gaps_write, &view);
}

static int print_optimize(void *user, const struct report_target *to)
{
	const struct request *request = user;
	const struct trace *trace = to->input->file.source->trace;
	struct ranking *ranking = ranking_new(trace, request->optimize);
	const struct optimize_view view = {
		.optimize = ranking, .trace = trace, .input = *to->path};
	int status = report_collect(to, ranking_add, ranking_finish, ranking);

	if (status == EXIT_DONE)
		status = report_finish(
			to, &optimize_form, false, optimize_write, &view);
	ranking_free(ranking);
	return status;
}

static int report_all(struct request *request)
{
	const struct sum sum = {.inputs = &request->inputs,
		.report_options = &request->report_options,
		.section = "places",
		.allows_repeats = request->allows_repeats,
		.jobs = request->jobs,
		.print = print_sum,
		.user = request};

	if (request->sum ||
		(!request->optimizes && sum_is_needed(&request->inputs)))
		return sum_run(&sum);
	return report_print_inputs(&request->report_options, &request->inputs,
		request->optimizes ? print_optimize : print_gaps, request);
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(&cmd_gaps, argc, argv, &request);
	request.inputs.request.skip_args = true;
	status = report_all(&request);
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
	SUM_OPTIONS(OF(sum), OF(jobs)),
	SUM_REPEATS(OF(allows_repeats)),
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
};
/* clang-format on */

const struct command cmd_gaps = {
	.name = "gaps",
	.group = "Look at a recording",
	.summary = "show when GPUs were idle, and why",
	.forms = {&gaps_form, &optimize_form, &gaps_sum_form},
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE...]",
	.help = "Show when GPUs were idle, and why: how much of the time each "
		"was busy, the causes of the idle time, and the host's code "
		"meanwhile.\vExamples:\n"
		"  ctprof gaps train.json.gz\n"
		"  ctprof gaps --optimize 5 train.json.gz\n"
		"  ctprof gaps --sum traces/\n"
		"  ctprof gaps --json run.ctp | jq '.rows[].causes'",
	.run = run,
};

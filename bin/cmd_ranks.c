/* SPDX-License-Identifier: MIT */
/* Reports the ranks of a job: stragglers, imbalance and collectives. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/diag.h"
#include "gpu/ranks_report.h"
#include "input/report.h"
#include "input/sum.h"
#include "ranks/ranks.h"
#include "summary/summary.h"

#define DEFAULT_TOP 20 /* for text */

struct request {
	struct inputs inputs;
	struct report_options report_options;
	struct stragglers_by by;
	bool cumulative;
	bool allows_repeats;
	uint32_t jobs;
};

/* "host", or a number of ranks. */
static void read_by(const struct argument_value *value)
{
	struct stragglers_by *by = value->member;
	char *end;
	unsigned long ranks = strtoul(value->text, &end, 10);

	*by = (struct stragglers_by){.host = strcmp(value->text, "host") == 0};
	if (by->host)
		return;
	if (strspn(value->text, "0123456789") == 0 || *end != '\0' ||
		ranks == 0 || ranks > UINT32_MAX)
		argument_error(value,
			"'%s' is neither 'host' nor a number of ranks",
			value->text);
	by->ranks = (uint32_t)ranks;
}

static int print(
	void *user, struct summary *summary, const struct sum_target *to)
{
	struct request *request = user;
	struct stragglers stragglers = {0};
	struct ranks_view view = {.ranks = summary_ranks(summary),
		.stragglers = &stragglers,
		.by = request->by,
		.cumulative = request->cumulative,
		.top = report_row_limit(&request->report_options, DEFAULT_TOP)};
	int status;

	if (view.ranks == NULL || !ranks_sort(view.ranks) ||
		!stragglers_find(&stragglers, view.ranks, view.by))
		status = diag_no_memory(NULL);
	else
		status = sum_finish(to, &ranks_form, ranks_has_more(&view),
			ranks_write, &view);
	stragglers_clear(&stragglers);
	return status;
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	struct sum sum = {.inputs = &request.inputs,
		.report_options = &request.report_options,
		.section = "job",
		.print = print,
		.user = &request};
	int status;

	arguments_parse(&cmd_ranks, argc, argv, &request);
	sum.jobs = request.jobs;
	sum.allows_repeats = request.allows_repeats;
	status = sum_run(&sum);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Tables:", GROUP_MAIN),
	{"top", 'n', "N", ARGUMENT_CALL,
		"show the first N rows of each table (default: 20 as text, all "
		"as JSON and CSV; 0: all)", GROUP_MAIN,
		OF(report_options), .call = report_read_top},
	{"by", 0, "host|N", ARGUMENT_CALL,
		"show the means of each host, or of each N consecutive ranks, "
		"not each rank", GROUP_MAIN, OF(by), .call = read_by},
	{"cumulative", 0, NULL, ARGUMENT_FLAG,
		"compare the times of functions and phases including what they "
		"call, not their own times", GROUP_MAIN, OF(cumulative)},
	SUM_REPEATS(OF(allows_repeats)),
	{"jobs", 'j', "N", ARGUMENT_COUNT,
		"read this many inputs at a time (default: one "
		"per processor)", GROUP_INPUT, OF(jobs)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
};
/* clang-format on */

const struct command cmd_ranks = {
	.name = "ranks",
	.group = "Look at a recording",
	.forms = {&ranks_form},
	.summary = "compare the ranks of a job, and find the stragglers",
	.arguments = {ARGUMENTS(options)},
	.usage = "[FILE...]",
	.help = "Compare the ranks of a job: which are slow, and why; the "
		"functions, kernels and phases whose times differ; and the "
		"collectives, with the time spent waiting for others. Each "
		"FILE is the recording of a rank, or a summary of several; a "
		"directory stands for the traces below it. Clocks need not be "
		"synchronous.\vExamples:\n"
		"  ctprof ranks traces/\n"
		"  ctprof ranks --by host rank*.json.gz\n"
		"  ctprof ranks --json traces/ | jq '.rows[0]'",
	.run = run,
};

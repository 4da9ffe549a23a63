/* SPDX-License-Identifier: MIT */
/* Reports the time of threads by phase. Inputs are summed, as the units of a
 * build are. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "stats/phases_report.h"
#include "input/report.h"
#include "input/sum.h"
#include "cli/diag.h"

struct request {
	struct inputs inputs;
	struct report_options report_options;
	const char *rules; /* a name or a file; NULL: chosen by content */
	bool by_thread;
	bool allows_repeats;
	uint32_t jobs;
	struct phase_sets sets;
};

/* Prints built-in rules and exits. */
static void show_rules(const struct argument_value *value)
{
	const char *const *lines = phase_rules_shipped(value->text);

	if (lines == NULL)
		argument_error(value,
			"'%s' is not one of clang, dynamo, import, nvcc",
			value->text);
	else {
		for (; *lines != NULL; lines++)
			fputs(*lines, stdout);
		exit(output_finish_stdout());
	}
}

static int open_rules(struct request *request)
{
	struct ctp_error err = {0};
	enum ctp_status status;

	if (request->rules == NULL)
		return EXIT_DONE;
	status = phase_sets_open(&request->sets, request->rules, &err);
	if (status == CTP_OK)
		return EXIT_DONE;
	if (status == CTP_ERR_NOMEM)
		return diag_no_memory(request->rules);
	/* A mistyped name looks like a file. */
	if (access(request->rules, F_OK) != 0)
		diag("--rules: '%s' is neither a file nor one of clang, "
		     "dynamo, import, nvcc",
			request->rules);
	else
		diag_error(request->rules, &err);
	return EXIT_INPUT;
}

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->by_thread && aggregate_has_team())
		argp_error(state, "--threads shows the threads of each input: "
				  "use ctprof without MPI");
	return 0;
}

static int print(
	void *user, struct summary *summary, const struct sum_target *to)
{
	const struct request *request = user;
	const struct phases_view view = {.totals = &summary->phases,
		.threads = request->by_thread ? to->threads : NULL};

	phase_threads_sort(to->threads);
	return sum_finish(to, &phases_form, false, phases_write, &view);
}

static int run_request(struct request *request)
{
	const struct aggregate_options phases = {
		.phases = request->rules == NULL ? NULL : &request->sets,
		.by_thread = request->by_thread,
		.sums_repeats = true,
	};
	const struct sum sum = {
		.inputs = &request->inputs,
		.report_options = &request->report_options,
		.section = SUMMARY_PHASES_SECTION,
		.allows_repeats = request->allows_repeats,
		.jobs = request->jobs,
		.phases = &phases,
		.print = print,
		.user = request,
	};

	return sum_run(&sum);
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(&cmd_phases, argc, argv, &request);
	status = open_rules(&request);
	if (status == EXIT_DONE)
		status = run_request(&request);
	phase_sets_clear(&request.sets);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Phases:", GROUP_MAIN),
	{"rules", 0, "NAME|FILE", ARGUMENT_INPUT,
		"rules that assign ranges to phases: clang, dynamo, import or "
		"nvcc, or those of a file (default: of these four, the ones "
		"that cover most of an input's time)", GROUP_MAIN, OF(rules)},
	{"show-rules", 0, "NAME", ARGUMENT_CALL,
		"print ctprof's rules of this name, as a start for a file of "
		"rules", GROUP_MAIN, .call = show_rules},
	{"threads", 0, NULL, ARGUMENT_FLAG, "also show each thread", GROUP_MAIN,
		OF(by_thread)},
	SUM_REPEATS(OF(allows_repeats)),
	{"jobs", 'j', "N", ARGUMENT_COUNT,
		"read this many inputs at a time (default: one "
		"per processor)", GROUP_INPUT, OF(jobs)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
};
/* clang-format on */

const struct command cmd_phases = {
	.name = "phases",
	.group = "Look at a recording",
	.forms = {&phases_form},
	.summary = "show the time by phase, for example of compilers",
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE...]",
	.help = "Show the time by phase: of compiling with clang, nvcc or "
		"PyTorch, of importing in Python, or by rules of your own. The "
		"self times of the phases, the time outside of phases and the "
		"time outside of ranges add up exactly to the threads' time. "
		"Several inputs are summed; a directory stands for the traces "
		"below it, and a summary for its inputs.\vExamples:\n"
		"  ctprof phases --rules clang build/\n"
		"  ctprof phases --threads trace.json.gz\n"
		"  ctprof phases --show-rules import > my.rules",
	.run = run,
};

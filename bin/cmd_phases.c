/* SPDX-License-Identifier: MIT */
/* Reports the time of threads by phase. Inputs are summed, as the units of a
 * build are. */
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "stats/phases_report.h"
#include "input/report.h"
#include "input/aggregate.h"
#include "cli/diag.h"

/* Keys of options without a short form. */
enum {
	KEY_RULES = KEY_OWN,
	KEY_SHOW_RULES,
	KEY_THREADS,
};

struct request {
	struct inputs inputs;
	struct report_options report_options;
	const char *rules; /* a name or a file; NULL: chosen by content */
	bool by_thread;
	unsigned jobs;
	struct phase_sets sets;
	struct aggregate aggregate;
};

/* Prints built-in rules and exits. */
static void show_rules(const struct argp_state *state, const char *name)
{
	const char *const *lines = phase_rules_shipped(name);

	if (lines == NULL)
		argp_error(state,
			"--show-rules: '%s' is not one of clang, dynamo, "
			"import, nvcc",
			name);
	else {
		for (; *lines != NULL; lines++)
			fputs(*lines, stdout);
		exit(output_finish_stdout());
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &request->inputs;
		state->child_inputs[1] = &request->report_options;
		return 0;
	case KEY_RULES:
		request->rules = arg;
		return output_protect(arg) ? 0 : ENOMEM;
	case KEY_SHOW_RULES:
		show_rules(state, arg);
		return 0;
	case KEY_THREADS:
		request->by_thread = true;
		return 0;
	case 'j':
		request->jobs = arguments_count(state, "--jobs", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int open_rules(struct request *request)
{
	struct ctp_error err = {0};
	enum ctp_status status =
		request->rules == NULL
			? phase_sets_ship(&request->sets, &err)
			: phase_sets_open(&request->sets, request->rules, &err);

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

static int print(void *user, FILE *out)
{
	struct request *request = user;
	struct aggregate *aggregate = &request->aggregate;
	const struct phases_view view = {.totals = &aggregate->phases,
		.color = terminal_color(out, request->report_options.color),
		.width = terminal_width(out)};
	struct report report = {.schema = "ctprof/phases/1",
		.inputs = request->inputs.paths,
		.input_count = request->inputs.count,
		.truncated = aggregate->losses[LOSS_TRUNCATED] != 0};

	memcpy(report.losses, aggregate->losses, sizeof(report.losses));
	phase_totals_sort(&aggregate->phases);
	return REPORT_PRINT(
		&request->report_options, phases, &view, &report, out);
}

static int run_request(struct request *request)
{
	const struct aggregate_options options = {
		.inputs = &request->inputs,
		.phases = &request->sets,
		.by_thread = request->by_thread,
		.jobs = request->jobs,
	};
	int worst = aggregate_run(&request->aggregate, &options);

	if (request->aggregate.file_count == 0)
		return worst;
	return exit_worse(worst,
		report_print(request->report_options.output, print, request));
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(cmd_phases.argp, 0, argc, argv, &request);
	status = open_rules(&request);
	if (status == EXIT_DONE)
		status = run_request(&request);
	aggregate_clear(&request.aggregate);
	phase_sets_clear(&request.sets);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
static const struct argp_option options[] = {
	OPTION_HEADING("Phases:", GROUP_MAIN),
	{"rules", KEY_RULES, "NAME|FILE", 0,
		"rules that assign ranges to phases: clang, dynamo, import or "
		"nvcc, or those of a file (default: of these four, the ones "
		"that cover most of an input's time)", GROUP_MAIN},
	{"show-rules", KEY_SHOW_RULES, "NAME", 0,
		"print ctprof's rules of this name, as a start for a file of "
		"rules", GROUP_MAIN},
	{"threads", KEY_THREADS, NULL, 0,
		"also show each thread", GROUP_MAIN},
	{"jobs", 'j', "N", 0,
		"read this many inputs at a time (default: 1, or for "
		"directories one per processor)", GROUP_INPUT},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE...]",
	.doc = "Show the time by phase: of compiling with clang, nvcc or "
	       "PyTorch, of importing in Python, or by rules of your own. The "
	       "self times of the phases, the time outside of phases and the "
	       "time outside of ranges add up exactly to the threads' time. "
	       "Several inputs are summed; a directory stands for the traces "
	       "below it.\vExamples:\n"
	       "  ctprof phases --rules clang build/\n"
	       "  ctprof phases --threads trace.json.gz\n"
	       "  ctprof phases --show-rules import > my.rules",
	.children = report_children,
};

const struct command cmd_phases = {
	.name = "phases",
	.group = "Look at a recording",
	.summary = "show the time by phase, as of compilers",
	.argp = &argp,
	.run = run,
};

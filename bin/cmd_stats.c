/* SPDX-License-Identifier: MIT */
/*
 * Prints the table of functions. Several inputs, usually the processes of one
 * program, are summed by function.
 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "input/follow.h"
#include "stats/grouping.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "input/report.h"
#include "input/aggregate.h"
#include "cli/diag.h"
#include "stats/stats.h"
#include "stats/stats_build.h"

/* Keys of options without a short form. */
enum {
	KEY_FOLLOW = KEY_OWN,
	KEY_INTERVAL,
	KEY_CALLERS,
	KEY_CALLEES,
};

#define DEFAULT_TOP 30 /* for text: fits on a screen */
#define DEFAULT_INTERVAL_NS UINT64_C(1000000000)
#define LINES_AROUND 7 /* lines above and below the rows */

struct request {
	struct inputs inputs;
	struct stats_options options;
	struct report_options report_options;
	struct replay_options replay;
	struct grouping grouping;
	bool chose_device; /* --device was given */
	bool follow;
	uint64_t interval_ns;
	bool shown;      /* a report was printed while following */
	uint32_t groups; /* groups of compilers' traces */
	uint32_t jobs;
	struct aggregate aggregate;
	struct profile *sum; /* borrowed */
	struct report report;
};

static void read_interval(struct request *request, const char *text,
	const struct argp_state *state)
{
	if (!quantity_read_time(text, &request->interval_ns) ||
		request->interval_ns == 0)
		argp_error(state, "--interval: '%s' is not a time (200ms, 2s)",
			text);
}

static error_t parse_follow(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case KEY_FOLLOW:
		request->follow = true;
		return 0;
	case KEY_INTERVAL:
		read_interval(request, arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_table(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;
	struct stats_options *options = &request->options;

	switch (key) {
	case 'n':
		report_read_top(&request->report_options, state, arg);
		return 0;
	case KEY_MIN:
		arguments_min(state, arg, &options->min_parts,
			&options->min_cumtime_ns);
		return 0;
	case KEY_CALLERS:
		options->callers = true;
		return 0;
	case KEY_CALLEES:
		options->callees = true;
		return 0;
	case KEY_EDGE_TIMES:
		request->replay.all_edge_times =
			arguments_word(state, "--edge-times", INPUTS_EDGE_TIMES,
				arg) == 0;
		return 0;
	case KEY_DOCUMENT_EDGES:
		request->replay.all_edge_times = true;
		return 0;
	case KEY_GPU:
		options->gpu = true;
		return 0;
	case 'j':
		request->jobs = arguments_count(state, "--jobs", arg);
		return 0;
	case KEY_DEVICE:
		request->replay.device = (enum replay_device)arguments_word(
			state, "--device", INPUTS_DEVICE, arg);
		request->chose_device = true;
		return 0;
	default:
		return parse_follow(key, arg, state);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &request->inputs;
		state->child_inputs[1] = &request->grouping;
		state->child_inputs[2] = &request->report_options;
		return 0;
	case ARGP_KEY_END:
		if (request->options.gpu && request->chose_device)
			argp_error(state,
				"--gpu cannot be combined with --device: it "
				"shows hosts and devices apart");
		if (request->grouping.has_group &&
			(request->options.gpu || request->follow))
			argp_error(state, "--gpu and --follow cannot be "
					  "combined with --group");
		if (request->interval_ns == 0)
			request->interval_ns = DEFAULT_INTERVAL_NS;
		else if (!request->follow)
			argp_error(state, "--interval needs --follow");
		return 0;
	case KEY_UNIT:
		request->options.unit = (enum stats_unit)arguments_word(
			state, "--unit", STATS_UNITS, arg);
		return 0;
	default:
		return parse_table(key, arg, state);
	}
}

/* Milliseconds, unless all values would be 0, as for most kernels. */
static enum stats_unit default_unit(const struct request *request)
{
	return request->options.gpu || (request->sum != NULL &&
					       request->sum->total_ns < 1000000)
		       ? STATS_US
		       : STATS_MS;
}

/* Reports that the sort key has no data. */
static void diag_unsorted(const struct stats *stats)
{
	const char *owner = stats->options->key_owner;

	if (stats_has_key(stats))
		return;
	switch (stats->options->key) {
	case STATS_FLOPS:
		diag("--sort: no FLOP counts in this input: sorting by "
		     "cumtime");
		break;
	case STATS_MEMORY:
	case STATS_SELF_MEMORY:
		diag("--sort: no memory counts of %s in this input: sorting by "
		     "cumtime",
			owner == NULL ? "the host" : owner);
		break;
	case STATS_DEVICE_MEMORY:
	case STATS_SELF_DEVICE_MEMORY:
		diag("--sort: no memory counts of devices in this input: "
		     "sorting by cumtime");
		break;
	default:
		diag("--sort: no device activity in this input: sorting by "
		     "cumtime");
		break;
	}
}

static int print(struct request *request, FILE *out)
{
	struct ctp_error err = {0};
	struct stats stats;
	int status = EXIT_LIMIT;

	if (stats_init(&stats, request->sum, &request->options, &err) !=
		CTP_OK) {
		diag_error(NULL, &err);
		stats_clear(&stats);
		return status;
	}
	if (request->grouping.has_key && !request->shown)
		diag_unsorted(&stats);
	if (request->report_options.style == REPORT_JSON) {
		request->report.truncated =
			stats.hidden != 0 || stats.work_hidden != 0;
		status = stats_print_json(&stats, &request->report, out);
	} else if (request->report_options.style == REPORT_CSV) {
		status = stats_print_csv(&stats, out);
	} else if (request->options.gpu) {
		status = stats_print_gpu(&stats, out);
	} else if (request->options.ops != NULL) {
		status = stats_print_ops(&stats, out);
	} else {
		status = stats_print_text(&stats, out);
	}
	stats_clear(&stats);
	return status;
}

static void set_terminal_options(struct request *request, FILE *out)
{
	struct stats_options *options = &request->options;

	options->color = terminal_color(out, request->report_options.color);
	options->width = terminal_width(out);
	if (options->unit == STATS_AUTO)
		options->unit = default_unit(request);
}

static bool is_compiler_key(enum stats_key key)
{
	return key <= STATS_NAME;
}

/* Prints the functions, or the groups of compilers' traces. */
static int print_all(void *user, FILE *out)
{
	struct request *request = user;
	const struct aggregate *aggregate = &request->aggregate;
	struct ctp_error err = {0};

	if (aggregate->build_count != 0) {
		/* A header costs what it includes. */
		if (request->options.key_default)
			request->options.key = STATS_CUMTIME;
		if (!is_compiler_key(request->options.key))
			diag("--sort: compilers have no device time or memory "
			     "counts: sorting by cumtime");
		set_terminal_options(request, out);
		if (request->report_options.style == REPORT_JSON)
			return stats_build_json(aggregate, &request->options,
				&request->report, out);
		return (request->report_options.style == REPORT_CSV
				? stats_build_csv
				: stats_build_text)(
			aggregate, &request->options, out);
	}
	request->sum = aggregate->functions;
	if (profile_sort(request->sum, &err) != CTP_OK) {
		diag_error(NULL, &err);
		return EXIT_LIMIT;
	}
	set_terminal_options(request, out);
	return print(request, out);
}

/* Prints the profile so far; on a terminal over the previous output, like
 * top. */
static int show_snapshot(
	void *user, struct profile *profile, const uint64_t losses[LOSS_KINDS])
{
	struct request *request = user;
	struct stats_options *options = &request->options;
	enum stats_unit unit = options->unit;
	size_t height = terminal_height(stdout);
	int status;

	memcpy(request->report.losses, losses, sizeof(request->report.losses));
	if (height > 0 && request->report_options.style == REPORT_TEXT) {
		fputs("\033[H\033[2J", stdout);
		if (!request->report_options.has_top)
			options->top =
				height > 2 * LINES_AROUND
					? (uint32_t)(height - LINES_AROUND)
					: LINES_AROUND;
	} else if (request->shown &&
		   request->report_options.style == REPORT_TEXT) {
		putchar('\n');
	}
	request->sum = profile;
	set_terminal_options(request, stdout);
	status = print(request, stdout);
	request->shown = true;
	options->unit = unit;
	request->sum = NULL;
	if (status == EXIT_DONE)
		status = output_finish_stdout();
	return status;
}

/* Edges are counted only if they are shown. */
static void choose_edges(struct request *request)
{
	request->replay.no_edges = !request->options.callers &&
				   !request->options.callees &&
				   request->replay.device != REPLAY_DEVICE;
}

static int run_follow(struct request *request)
{
	struct follow follow = {
		.inputs = &request->inputs,
		.options = request->replay,
		.interval_ns = request->interval_ns,
		.show = show_snapshot,
		.user = request,
	};

	if (request->inputs.count != 1 ||
		strcmp(request->inputs.paths[0], "-") == 0) {
		diag("--follow needs exactly one file");
		return EXIT_USAGE;
	}
	if (request->report_options.output.path != NULL) {
		diag("--follow writes to standard output only");
		return EXIT_USAGE;
	}
	follow.path = request->inputs.paths[0];
	return follow_run(&follow);
}

/* For a directory of compilers' traces, shows all groups. */
static void choose_groups(struct request *request)
{
	const struct inputs *inputs = &request->inputs;

	for (size_t i = 0; i < inputs->count && request->groups == 0; i++)
		if (!request->options.gpu &&
			input_tree_is_directory(inputs->paths[i]))
			request->groups = stats_build_groups(BUILD_GROUP_COUNT);
}

static int run_request(struct request *request)
{
	struct aggregate_options options = {
		.inputs = &request->inputs,
		.replay = request->replay,
		.jobs = request->jobs,
	};
	struct aggregate *aggregate = &request->aggregate;
	struct grouping *grouping = &request->grouping;
	int worst;

	if (!grouping->has_group)
		choose_groups(request);
	options.groups = request->groups;
	if (grouping->has_ops) {
		grouping->ops.replay = request->replay;
		options.ops = &grouping->ops;
		request->options.ops = &grouping->ops_view;
	}
	worst = aggregate_run(aggregate, &options);
	/* An empty table would be misleading. */
	if (aggregate->file_count == 0)
		return worst;
	if (request->groups != 0 && grouping->has_group && !grouping->has_ops &&
		aggregate->build_count == 0) {
		diag("no compiler trace, which --group=phase, unit, header, "
		     "template, template-set, function and all need");
		return exit_worse(worst, EXIT_INPUT);
	}
	memcpy(request->report.losses, aggregate->losses,
		sizeof(aggregate->losses));
	return exit_worse(worst, report_print(request->report_options.output,
					 print_all, request));
}

/* Text begins with the most own time, or with the most in --columns; the order
 * of JSON and CSV is cumtime. */
static void choose_key(struct request *request)
{
	struct stats_options *options = &request->options;
	uint32_t columns = request->grouping.ops_view.columns;

	options->key = request->grouping.key;
	options->key_owner = request->grouping.key_owner;
	if (request->grouping.has_key)
		return;
	if (options->gpu) {
		options->key = STATS_DEVICE;
		return;
	}
	if (request->report_options.style != REPORT_TEXT)
		return;
	options->key_default = true;
	options->key =
		columns == 0 || (columns & 1U << STATS_OPS_CPU) != 0
			? STATS_TOTTIME
		: (columns & 1U << STATS_OPS_DEVICE) != 0 ? STATS_SELF_DEVICE
		: (columns & 1U << STATS_OPS_MEMORY) != 0 ? STATS_SELF_MEMORY
							  : STATS_FLOPS;
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(cmd_stats.argp, 0, argc, argv, &request);
	request.options.top =
		report_row_limit(&request.report_options, DEFAULT_TOP);
	request.groups = request.grouping.build;
	choose_key(&request);
	request.report.schema = "ctprof/stats/1";
	request.report.inputs = request.inputs.paths;
	request.report.input_count = request.inputs.count;
	choose_edges(&request);
	status = request.follow ? run_follow(&request) : run_request(&request);
	aggregate_clear(&request.aggregate);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
static const struct argp_option options[] = {
	OPTION_HEADING("Table:", GROUP_MAIN),
	{"top", 'n', "N", 0,
		"show the first N functions (default: 30 as text, all as JSON "
		"and CSV; 0: all)", GROUP_MAIN},
	{"min", KEY_MIN, "TIME", 0,
		"leave out functions with less cumtime, or a smaller share of "
		"the whole (100us, 0.5%)", GROUP_MAIN},
	{"callers", KEY_CALLERS, NULL, 0,
		"show the callers of each function", GROUP_MAIN},
	{"callees", KEY_CALLEES, NULL, 0,
		"show the callees of each function", GROUP_MAIN},
	{"gpu", KEY_GPU, NULL, 0,
		"show the work of GPUs, and the functions that launched "
		"it", GROUP_MAIN},
	INPUTS_DEVICE_OPTION(GROUP_MAIN),
	INPUTS_EDGE_TIMES_OPTIONS(GROUP_MAIN),
	{"follow", KEY_FOLLOW, NULL, 0,
		"read a log while it is being written: print the table again "
		"whenever the log has grown, until it is complete or Ctrl-C is "
		"pressed", GROUP_MAIN},
	{"interval", KEY_INTERVAL, "TIME", 0,
		"how often --follow looks (default: 1s)", GROUP_MAIN},
	{"jobs", 'j', "N", 0,
		"read this many inputs at a time (default: 1, or for "
		"directories one per processor)", GROUP_INPUT},
	{"unit", KEY_UNIT, STATS_UNITS, 0,
		"unit of times in text (auto: ms, or us for short runs)",
		GROUP_OUTPUT},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

static const struct argp_child children[] = {{&inputs_argp, 0, NULL, 0},
	{&grouping_argp, 0, NULL, 0}, {&report_argp, 0, NULL, 0},
	{&help_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE...]",
	.doc = "Show where the time went: for each function the number of "
	       "calls (ncalls; pcalls without recursion), its own time "
	       "(tottime), also in per cent, and its total time (cumtime). "
	       "Several inputs are "
	       "summed; a directory stands for the traces below "
	       "it.\vExamples:\n"
	       "  ctprof stats --sort cumtime --callers --min 1% run.ctp\n"
	       "  ctprof stats --group shape --sort self_device train.json.gz\n"
	       "  ctprof stats --top 20 build/",
	.children = children,
};

const struct command cmd_stats = {
	.name = "stats",
	.group = "Look at a recording",
	.summary = "show the functions that took the time",
	.argp = &argp,
	.run = run,
};

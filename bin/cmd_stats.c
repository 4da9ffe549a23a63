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
#include "input/sum.h"
#include "stats/grouping.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "input/report.h"
#include "input/aggregate_summary.h"
#include "cli/diag.h"
#include "stats/stats.h"
#include "stats/stats_build.h"

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
	bool allows_repeats;
	uint32_t jobs;
	struct aggregate aggregate;
	struct profile *sum; /* borrowed */
	struct report report;
};

static void read_min(const struct argument_value *value)
{
	struct stats_options *options = value->member;

	argument_min(value, &options->min_parts, &options->min_cumtime_ns);
}

static void read_interval(const struct argument_value *value)
{
	uint64_t *interval_ns = value->member;

	if (!quantity_read_time(value->text, interval_ns) || *interval_ns == 0)
		argument_error(
			value, "'%s' is not a time (200ms, 2s)", value->text);
}

static error_t check(void *structure, const struct argp_state *state)
{
	struct request *request = structure;

	if (request->options.gpu && request->chose_device)
		argp_error(state, "--gpu cannot be combined with --device: it "
				  "shows hosts and devices apart");
	if (request->grouping.has_group &&
		(request->options.gpu || request->follow))
		argp_error(state, "--gpu and --follow cannot be combined with "
				  "--group");
	if (request->grouping.threads &&
		(request->options.callers || request->options.callees))
		argp_error(state, "--group=thread cannot be combined with "
				  "--callers and --callees");
	if (request->grouping.threads && request->grouping.key != NULL &&
		columns_like(stats_threads_form.csv, request->grouping.key) ==
			NULL)
		argp_error(state, "--group=thread needs --sort by ncalls, "
				  "tottime or cumtime");
	if ((request->follow || request->grouping.threads) &&
		aggregate_has_team())
		argp_error(state, "--follow and --group=thread show one input "
				  "at a time: use ctprof without MPI");
	if (request->interval_ns == 0)
		request->interval_ns = DEFAULT_INTERVAL_NS;
	else if (!request->follow)
		argp_error(state, "--interval needs --follow");
	return 0;
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
	const struct column *key = stats->options->key;
	const char *owner = stats->options->key_owner;

	if (stats_has_key(stats))
		return;
	if (key->type == COLUMN_BYTES)
		diag("--sort: no memory counts of %s in this input: sorting by "
		     "cumtime",
			key->index == PROFILE_MEMORY_DEVICES ? "devices"
			: owner == NULL                      ? "the host"
							     : owner);
	else
		diag("--sort: no %s in this input: sorting by cumtime",
			(key->when & STATS_NEEDS_FLOPS) != 0
				? "FLOP counts"
				: "device activity");
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
	if (request->grouping.key != NULL && !request->shown)
		diag_unsorted(&stats);
	request->report.truncated = stats.hidden != 0 || stats.work_hidden != 0;
	/* Each table of --follow has its titles. */
	request->report_options.has_titles = false;
	status = report_write(&request->report_options, &request->report, out,
		stats_write, &stats);
	stats_clear(&stats);
	return status;
}

static void set_unit(struct request *request)
{
	if (request->options.unit == STATS_AUTO)
		request->options.unit = default_unit(request);
}

/* A summary has both functions and groups: the groups are shown where they were
 * asked for, or for a directory, and so for any summary of compilers' traces. */
static bool shows_groups(const struct request *request)
{
	const struct aggregate *aggregate = &request->aggregate;

	return aggregate->build_count != 0 &&
	       (request->groups != 0 ||
		       ((aggregate->has_directory ||
				aggregate_has_summary(aggregate)) &&
			       !request->options.gpu &&
			       !request->grouping.has_group));
}

/* Removes the groups that were not asked for, which only a summary has. */
static void drop_groups(struct request *request)
{
	struct aggregate *aggregate = &request->aggregate;
	uint32_t groups = request->groups != 0
				  ? request->groups
				  : stats_build_groups(BUILD_GROUP_COUNT);

	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++) {
		if ((groups & 1U << i) != 0)
			continue;
		profile_free(aggregate->groups[i]);
		aggregate->groups[i] = NULL;
	}
}

/* Prints the functions, or the groups of compilers' traces. */
static int print_all(void *user, FILE *out)
{
	struct request *request = user;
	const struct aggregate *aggregate = &request->aggregate;
	struct ctp_error err = {0};

	if (shows_groups(request)) {
		/* A header costs what it includes. */
		if (request->options.key_default)
			request->options.key = stats_key("cumtime");
		if ((request->options.key->when & STATS_NEEDS) != 0)
			diag("--sort: compilers have no device time or memory "
			     "counts: sorting by cumtime");
		set_unit(request);
		return stats_build_print(aggregate, &request->options,
			&request->report, &request->report_options, out);
	}
	request->sum = aggregate->functions;
	if (profile_sort(request->sum, &err) != CTP_OK) {
		diag_error(NULL, &err);
		return EXIT_LIMIT;
	}
	set_unit(request);
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
	set_unit(request);
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
		.allows_repeats = request->allows_repeats,
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
	/* An empty table would be misleading, and so would a doubled rank. */
	if (aggregate->file_count == 0 || aggregate->refused)
		return worst;
	if (request->groups != 0 && grouping->has_group && !grouping->has_ops &&
		aggregate->build_count == 0) {
		diag("no compiler trace, which --group=phase, unit, header, "
		     "template, template-set, function and all need");
		return exit_worse(worst, EXIT_INPUT);
	}
	drop_groups(request);
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

	options->key_owner = request->grouping.key_owner;
	options->key = request->grouping.key;
	if (options->key != NULL)
		return;
	options->key =
		stats_key(request->grouping.threads ? "tottime" : "cumtime");
	if (options->gpu) {
		options->key = stats_key("device");
		return;
	}
	if (request->report_options.style != REPORT_TEXT)
		return;
	options->key_default = true;
	options->key = stats_key(
		columns == 0 || (columns & 1U << STATS_OPS_CPU) != 0 ? "tottime"
		: (columns & 1U << STATS_OPS_DEVICE) != 0 ? "self-device"
		: (columns & 1U << STATS_OPS_MEMORY) != 0 ? "self-memory"
							  : "flops");
}

static int run(int argc, char **argv)
{
	struct request request = {.grouping.ops_view = GROUPING_WIDTHS};
	int status;

	arguments_parse(&cmd_stats, argc, argv, &request);
	request.options.top =
		report_row_limit(&request.report_options, DEFAULT_TOP);
	request.groups = request.grouping.build;
	choose_key(&request);
	request.report.schema = stats_form.schema;
	request.report.inputs = request.inputs.paths;
	request.report.input_count = request.inputs.count;
	choose_edges(&request);
	if (request.grouping.threads)
		set_unit(&request);
	status = request.follow ? run_follow(&request)
		 : request.grouping.threads
			 ? report_print_inputs(&request.report_options,
				   &request.inputs, stats_print_threads,
				   &request.options)
			 : run_request(&request);
	aggregate_clear(&request.aggregate);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Table:", GROUP_MAIN),
	{"top", 'n', "N", ARGUMENT_CALL,
		"show the first N functions (default: 30 as text, all as JSON "
		"and CSV; 0: all)", GROUP_MAIN, OF(report_options),
		.call = report_read_top},
	{"min", 0, "TIME", ARGUMENT_CALL,
		"leave out functions with less cumtime, or a smaller share of "
		"the whole (100us, 0.5%)", GROUP_MAIN, OF(options),
		.call = read_min},
	{"callers", 0, NULL, ARGUMENT_FLAG, "show the callers of each function",
		GROUP_MAIN, OF(options.callers)},
	{"callees", 0, NULL, ARGUMENT_FLAG, "show the callees of each function",
		GROUP_MAIN, OF(options.callees)},
	{"gpu", 0, NULL, ARGUMENT_FLAG,
		"show the work of GPUs, and the functions that launched it",
		GROUP_MAIN, OF(options.gpu)},
	INPUTS_DEVICE_OPTION(GROUP_MAIN, OF(replay.device),
		ARGUMENT_GIVEN(struct request, chose_device)),
	INPUTS_EDGE_TIMES_OPTIONS(GROUP_MAIN, OF(replay.all_edge_times)),
	{"follow", 0, NULL, ARGUMENT_FLAG,
		"read a log while it is being written: print the table again "
		"whenever the log has grown, until it is complete or Ctrl-C is "
		"pressed", GROUP_MAIN, OF(follow)},
	{"interval", 0, "TIME", ARGUMENT_CALL,
		"how often --follow looks (default: 1s)", GROUP_MAIN,
		OF(interval_ns), .call = read_interval},
	SUM_REPEATS(OF(allows_repeats)),
	{"jobs", 'j', "N", ARGUMENT_COUNT,
		"work on this many inputs at a time, and with more than one on "
		"parts of a log (default: one per processor)", GROUP_INPUT,
		OF(jobs)},
	{"unit", 0, STATS_UNITS, ARGUMENT_WORD,
		"unit of times in text (auto: ms, or us for short runs)",
		GROUP_OUTPUT, OF(options.unit)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&grouping_arguments, OF(grouping)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
};
/* clang-format on */

const struct command cmd_stats = {
	.name = "stats",
	.group = "Look at a recording",
	.summary = "show the functions that took the time",
	.forms = {&stats_form, &build_form, &stats_threads_form},
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE...]",
	.help = "Show where the time went: for each function the number of "
		"calls (ncalls; pcalls without recursion), its own time "
		"(tottime), also in per cent, and its total time (cumtime). "
		"Several inputs are "
		"summed; a directory stands for the traces below "
		"it.\vExamples:\n"
		"  ctprof stats --sort cumtime --callers --min 1% run.ctp\n"
		"  ctprof stats --group shape --sort self_device "
		"train.json.gz\n"
		"  ctprof stats --top 20 build/",
	.run = run,
};

/* SPDX-License-Identifier: MIT */
/* Adds up profiles of several runs, processes or parts, or merges timelines on
 * one clock. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/thread.h"
#include "cli/arguments.h"
#include "convert.h"
#include "input/format_names.h"
#include "input/input_map.h"
#include "input/output_path.h"
#include "cli/output.h"
#include "input/report.h"
#include "input/summarize.h"
#include "cli/diag.h"
#include "timeline/merge.h"

struct request {
	struct inputs inputs;
	const struct format *to;
	struct output_options output;
	const char *align; /* as given; NULL: the default */
	struct cut_pipeline cut;
	unsigned jobs;
	bool allows_repeats;       /* summaries only */
	struct inputs reading;     /* for reading a profile */
	struct profile **profiles; /* by input, until they are in the sum */
	struct profile *sum;
	struct buffer missing; /* names of inputs that are not in the sum */
	size_t missing_count;
};

/* Is only a part of the merged timeline wanted? */
static bool cuts(const struct request *request)
{
	return request->cut.has_time || request->cut.has_step ||
	       request->cut.filter.ranks.given;
}

/* Chooses the format by the output's name, without -t, and checks that sums can
 * be written in it. */
static int choose_format(struct request *request)
{
	const char *path =
		request->output.path == NULL ? "-" : request->output.path;

	if (request->to == NULL &&
		output_path_format(path, &request->to) != EXIT_DONE)
		return EXIT_USAGE;
	if (request->to == NULL) {
		diag("no output format; use -t FORMAT, see 'ctprof formats'");
		return EXIT_USAGE;
	}
	if (request->to->new_timeline == NULL && cuts(request)) {
		diag("--time, --step, --rank: format %s is not a timeline",
			request->to->name);
		return EXIT_USAGE;
	}
	if (request->to == &ctpart_format)
		return EXIT_DONE;
	if (!format_names_can_write(request->to)) {
		diag("format %s is read-only", request->to->name);
		return EXIT_USAGE;
	}
	if (request->to->write_profile != NULL && request->align != NULL) {
		diag("--align: format %s is a profile (no timestamps)",
			request->to->name);
		return EXIT_USAGE;
	}
	if (request->to->needs_tree) {
		diag("merge sums callers and callees, without the call paths "
		     "that %s needs",
			request->to->name);
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

static int read_profile(void *user, size_t index)
{
	const struct request *request = user;
	const struct inputs *inputs = &request->reading;
	const struct convert_job job = {.to = request->to};
	struct ctp_error err = {0};
	struct input input;
	int status = input_open(&input, inputs->paths[index], inputs);

	if (status != EXIT_DONE)
		return status;
	if (convert_profile(input.file.source, &job, &request->profiles[index],
		    &err) != CTP_OK)
		status = input_diag_error(&input, input.name, &err);
	return exit_worse(status, input_close(&input, inputs));
}

static void drop_profile(void *user, size_t index)
{
	struct profile **profile = &((struct request *)user)->profiles[index];

	profile_free(*profile);
	*profile = NULL;
}

static void add_missing(struct request *request, const char *path)
{
	if (request->missing_count++ > 0)
		buffer_add_text(&request->missing, ", ");
	buffer_add_text(&request->missing, input_name(path));
}

static int add_profile(void *user, size_t index, int status)
{
	struct request *request = user;
	const char *path = request->inputs.paths[index];
	const struct profile *profile = request->profiles[index];

	if (profile != NULL && !profile_add(request->sum, profile))
		status = diag_no_memory(input_name(path));
	drop_profile(request, index);
	if (status != EXIT_DONE && status != EXIT_DAMAGED)
		add_missing(request, path);
	return status;
}

/* Reports the error of each input that is not in the sum. */
static int add_inputs(struct request *request)
{
	struct inputs *inputs = &request->inputs;
	const struct input_map map = {.count = inputs->count,
		.jobs = input_map_jobs(inputs, request->jobs),
		.read = read_profile,
		.take = add_profile,
		.drop = drop_profile,
		.user = request,
		.progress = inputs_progress(inputs)};
	int status;

	request->reading = *inputs;
	request->reading.request.jobs = request->jobs;
	if (map.jobs > 1)
		request->reading.request.jobs =
			thread_share(request->jobs, inputs->count);
	request->profiles =
		memory_new_zeroed(inputs->count, sizeof(*request->profiles));
	if (request->profiles == NULL)
		return diag_no_memory(NULL);
	status = input_map_run(&map);
	memory_free(request->profiles);
	return status;
}

/* The output, which may be kept for long, lacks these. */
static void diag_missing(struct request *request)
{
	const char *path = request->output.path;

	if (request->missing_count == 0 || request->inputs.quiet)
		return;
	buffer_add_byte(&request->missing, '\0');
	diag("%s: the sum lacks %zu of %zu inputs: %s",
		path == NULL || strcmp(path, "-") == 0 ? "standard output"
						       : path,
		request->missing_count, request->inputs.count,
		request->missing.failed ? "" : (char *)request->missing.bytes);
}

static int write_sum(struct request *request)
{
	struct format_options options = {0};
	struct ctp_error err = {0};
	struct output output;
	int status = output_open_as(&output, request->output.path,
		request->output.force, request->to);

	if (status != EXIT_DONE)
		return status;
	if (profile_sort(request->sum, &err) != CTP_OK ||
		request->to->write_profile(
			output.file, request->sum, &options, &err) != CTP_OK) {
		diag_error(output.name, &err);
		status = err.status == CTP_ERR_NOMEM ? EXIT_LIMIT : EXIT_OUTPUT;
	}
	return exit_worse(status, output_close(&output, status == EXIT_DONE));
}

/* Any other word is the name of a range. */
static int merge_events(const struct request *request)
{
	struct merge_options options = {.inputs = &request->inputs,
		.to = request->to,
		.output = request->output.path,
		.force = request->output.force,
		.jobs = request->jobs,
		.align = CLOCKS_RANGE,
		.range = request->align,
		.cut = cuts(request) ? &request->cut : NULL};

	if (request->align == NULL || strcmp(request->align, "wall") == 0)
		options.align = CLOCKS_WALL;
	else if (strcmp(request->align, "none") == 0)
		options.align = CLOCKS_NONE;
	else if (strcmp(request->align, "collective") == 0)
		options.align = CLOCKS_COLLECTIVE;
	return merge_timelines(&options);
}

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->cut.has_time && request->cut.has_step)
		argp_error(state, "--time and --step exclude each other");
	return 0;
}

static int merge_profiles(struct request *request)
{
	int status;
	int written;

	convert_set_request(request->to, &request->inputs.request);
	request->sum = profile_new();
	if (request->sum == NULL)
		return diag_no_memory(NULL);
	status = add_inputs(request);
	/* Out of memory, an input may be in the sum in part. */
	if (status >= EXIT_OUTPUT ||
		request->missing_count == request->inputs.count)
		return status;
	written = write_sum(request);
	if (written == EXIT_DONE)
		diag_missing(request);
	return exit_worse(status, written);
}

static int merge_summaries(const struct request *request)
{
	const struct aggregate_options options = {
		.inputs = &request->inputs,
		.jobs = request->jobs,
		.allows_repeats = request->allows_repeats,
	};

	return summarize_run(&options, &request->output);
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(&cmd_merge, argc, argv, &request);
	status = choose_format(&request);
	if (status == EXIT_DONE && request.to == &ctpart_format)
		status = merge_summaries(&request);
	else if (status == EXIT_DONE)
		status = request.to->write_profile == NULL
				 ? merge_events(&request)
				 : merge_profiles(&request);
	profile_free(request.sum);
	free(request.cut.filter.ranks.ranges);
	buffer_clear(&request.missing);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	{"to", 't', "FORMAT", ARGUMENT_CALL,
		"format of the output (default: from the suffix of -o)",
		GROUP_OUTPUT, OF(to), .call = format_names_read},
	{"align", 0, "wall|collective|none|NAME", ARGUMENT_TEXT,
		"how to align the clocks of timelines: by time of day (wall, "
		"the default), by the ends of collective operations, not at "
		"all, or by the begin of the first range called NAME",
		GROUP_OUTPUT, OF(align)},
	{"time", 0, "A..B", ARGUMENT_CALL,
		"for a timeline: from A to B since its first event (1.5s..2s)",
		GROUP_OUTPUT, OF(cut), .call = cut_pipeline_argument_time},
	{"step", 0, "N", ARGUMENT_CALL,
		"for a timeline: during step N: ProfilerStep#N, or the step of "
		"ctp_step()", GROUP_OUTPUT, OF(cut),
		.call = cut_pipeline_argument_step},
	{"rank", 0, "LIST", ARGUMENT_CALL,
		"for a timeline: the processes of these ranks (0,8-15)",
		GROUP_OUTPUT, OF(cut.filter.ranks),
		.call = cut_pipeline_argument_list},
	{"allow-repeats", 0, NULL, ARGUMENT_FLAG,
		"for a summary: sum an input, or a rank of several summaries, "
		"more than once", GROUP_OUTPUT, OF(allows_repeats)},
	{"jobs", 'j', "N", ARGUMENT_COUNT,
		"read this many inputs at a time (default: one per processor)",
		GROUP_INPUT, OF(jobs)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&output_arguments, OF(output)),
};
/* clang-format on */

const struct command cmd_merge = {
	.name = "merge",
	.group = "Look at a recording",
	.summary = "sum profiles, or put timelines on one clock",
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE...]",
	.help = "Sum profiles, or put timelines - logs, and traces of the "
		"ranks "
		"of a job - side by side on one clock, depending on the "
		"output's format.\vProfiles: calls and times of equal "
		"functions, and of equal callers and callees, are added. The "
		"result does not depend on the order or grouping of the "
		"inputs. An input that cannot be read is left out and named; "
		"the exit status is then 3.\n"
		"\n"
		"Timelines: processes of different inputs stay separate even "
		"if "
		"their numbers are equal; they are named after their rank or "
		"else their file.\n"
		"\n"
		"Examples:\n"
		"  ctprof merge -o all.pstats a.pstats b.pstats\n"
		"  ctprof merge -o build.pstats part1.ctp part2.ctp\n"
		"  ctprof merge -o all.pftrace rank*.json.gz\n"
		"  ctprof merge --step 12 -o step12.pftrace rank*.json.gz",
	.run = run,
};

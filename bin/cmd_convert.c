/* SPDX-License-Identifier: MIT */
/*
 * Converts each input to an output in another format. All outputs are
 * determined before the first input is opened, so that name collisions are
 * found before anything is written.
 */
#include "cli/command.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "cli/arguments.h"
#include "input/batch.h"
#include "convert.h"
#include "timeline/cut_pipeline.h"
#include "gaps/device_counters.h"
#include "input/input.h"
#include "input/inputs.h"
#include "input/conversion.h"
#include "input/format_names.h"
#include "input/output_path.h"
#include "cli/output.h"
#include "input/aggregate.h"
#include "cli/diag.h"

struct request {
	struct inputs inputs;
	const struct format *to;
	const char *output; /* as given; NULL: stdout */
	char **outputs;     /* for -o DIR/: one per input; else NULL */
	bool force;
	bool counters;
	uint32_t jobs;
	uint64_t min_ns;        /* shorter ranges are left out; 0: all */
	uint64_t part_bytes;    /* 0: each input becomes one output */
	struct convert_job job; /* only the limits */
};

static void read_min(const struct argument_value *value)
{
	struct convert_job *job = value->member;

	argument_min(value, &job->min_parts, &job->min_cumtime_ns);
}

static void read_metric(const struct argument_value *value)
{
	*(enum format_metric *)value->member =
		FORMAT_SELF_CPU + argument_word(value);
}

/* Chooses the format by the output's name, without -t. */
static int choose_format(struct request *request)
{
	const char *path = request->output;

	if (request->to != NULL)
		return EXIT_DONE;
	if (path == NULL || strcmp(path, "-") == 0 ||
		output_path_is_directory(path)) {
		diag("no output format; use -t FORMAT, see 'ctprof formats'");
		return EXIT_USAGE;
	}
	if (output_path_format(path, &request->to) != EXIT_DONE)
		return EXIT_USAGE;
	if (request->to == NULL) {
		diag("%s: no format has this suffix; use -t FORMAT, see "
		     "'ctprof formats'",
			path);
		return EXIT_USAGE;
	}
	if (!format_names_can_write(request->to)) {
		diag("%s: format %s is read-only", path, request->to->name);
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* Parts are separate files and need a timeline. */
static int check_parts(const struct request *request)
{
	const char *path = request->output;

	if (request->part_bytes == 0)
		return EXIT_DONE;
	if (request->to->new_timeline == NULL) {
		diag("--split needs a timeline: format %s is a profile",
			request->to->name);
		return EXIT_USAGE;
	}
	if (path == NULL || strcmp(path, "-") == 0) {
		diag("--split writes several files; use -o DIRECTORY/ or -o "
		     "FILE");
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

static int check_counters(const struct request *request)
{
	if (!request->counters || request->to->new_timeline != NULL)
		return EXIT_DONE;
	diag("--counters needs a timeline: format %s is a profile",
		request->to->name);
	return EXIT_USAGE;
}

/* Limits of sums do nothing for a timeline, and vice versa. */
static int check_limits(const struct request *request)
{
	const struct convert_job *job = &request->job;
	bool timeline = request->to->new_timeline != NULL;

	if (timeline && (job->min_parts != 0 || job->min_cumtime_ns != 0)) {
		diag("--min needs a profile: format %s is a timeline; use "
		     "--min-dur",
			request->to->name);
		return EXIT_USAGE;
	}
	if (timeline && job->top != 0) {
		diag("--top needs a profile: format %s is a timeline",
			request->to->name);
		return EXIT_USAGE;
	}
	if (!timeline && request->min_ns != 0) {
		diag("--min-dur needs a timeline: format %s is a profile; use "
		     "--min",
			request->to->name);
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

static int check_csv_raw(const struct request *request)
{
	if (!request->job.options.csv_raw ||
		strcmp(request->to->name, "csv") == 0)
		return EXIT_DONE;
	diag("--csv-raw works with csv only, not with %s", request->to->name);
	return EXIT_USAGE;
}

static int check_metric(const struct request *request)
{
	const struct convert_job *job = &request->job;

	if (job->options.metric == FORMAT_USUAL)
		return EXIT_DONE;
	if (!request->to->has_metrics) {
		diag("--metric works with folded only, not with %s",
			request->to->name);
		return EXIT_USAGE;
	}
	if (job->device != REPLAY_SEPARATE) {
		diag("--metric cannot be combined with --device: it chooses "
		     "between host and device");
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* Sums cannot become a timeline. */
static int check_pair(const struct request *request)
{
	const struct format *from = request->inputs.from;
	const struct format *to = request->to;
	bool pointless =
		from != NULL && to->new_timeline != NULL &&
		(from->read_profile != NULL || from->write_profile != NULL);

	if (from == NULL || (format_can_read(from) && !pointless))
		return EXIT_DONE;
	if (pointless)
		diag("format %s is a profile (no timestamps) and cannot become "
		     "a timeline (%s)",
			from->name, to->name);
	else
		diag("format %s is write-only", from->name);
	return EXIT_USAGE;
}

/* A directory is added up, which needs a format for sums. */
static int check_directories(const struct request *request)
{
	const struct format *to = request->to;
	const struct inputs *inputs = &request->inputs;

	for (size_t i = 0; i < inputs->count; i++) {
		const char *path = inputs->paths[i];

		if ((to->new_timeline == NULL && !to->needs_tree) ||
			!input_tree_is_directory(path))
			continue;
		if (to->needs_tree)
			diag("%s: a directory is summed into callers and "
			     "callees, without the call paths that %s needs",
				path, to->name);
		else
			diag("%s: a directory is summed into a profile, not a "
			     "timeline (%s); name the files",
				path, to->name);
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* With -o DIR/: names every output. */
static int name_outputs(struct request *request)
{
	const struct inputs *inputs = &request->inputs;
	const char *path = request->output;
	int status;

	if (path == NULL || strcmp(path, "-") == 0 ||
		!output_path_is_directory(path)) {
		if (inputs->count == 1)
			return EXIT_DONE;
		diag("%zu inputs need more than one output; use -o DIRECTORY/",
			inputs->count);
		return EXIT_USAGE;
	}
	status = output_path_all(path, inputs, request->to, &request->outputs);
	return status == EXIT_DONE ? output_path_make_directory(path) : status;
}

/* Converts an open input to its output. */
static int write_input(
	const struct request *request, struct input *input, const char *path)
{
	const struct inputs *inputs = &request->inputs;
	struct conversion conversion = {
		.convert = request->job,
		.path = path,
		.force = request->force,
		.progress = inputs->count == 1 && !inputs->quiet
				    ? inputs->progress
				    : WHEN_NEVER,
		.part_bytes = request->part_bytes,
		.warn_size = !inputs->quiet && request->part_bytes == 0 &&
			     request->to == &chrome_format,
	};
	const struct cut_pipeline pipeline = {
		.filter.min_ns = request->min_ns,
		.parts = request->part_bytes > 0,
	};
	struct cut *cut = NULL;
	int status = EXIT_DONE;

	conversion.convert.to = request->to;
	conversion.convert.options.title = input->name;
	if (request->min_ns > 0 || pipeline.parts)
		status = cut_pipeline_apply(&pipeline, input, &cut);
	return status == EXIT_DONE ? conversion_run(&conversion, input, cut)
				   : status;
}

/* The same, with the counters of --counters. */
static int convert_input(
	const struct request *request, struct input *input, const char *path)
{
	struct event_source *source = input->file.source;
	struct device_counters *counters;
	struct ctp_error err = {0};
	int status;

	/* Sums have no counters and cannot become a timeline. */
	if (!request->counters || source->read_profile != NULL)
		return write_input(request, input, path);
	if (device_counters_open(source, &counters, &err) != CTP_OK)
		return input_diag_error(input, input->name, &err);
	input->file.source = device_counters_source(counters);
	status = write_input(request, input, path);
	if (status == EXIT_DONE && device_counters_count(counters) == 0 &&
		!request->inputs.quiet)
		diag("%s: no GPU activity: --counters adds nothing",
			input->name);
	return status;
}

/* Adds up a directory and writes the sum. */
static int convert_tree(
	const struct request *request, char *path, const char *to)
{
	struct inputs inputs = request->inputs;
	struct aggregate_options options = {
		.inputs = &inputs,
		.replay.all_edge_times = request->job.all_edge_times,
		.replay.device = request->job.device,
		/* With several inputs, each has its own process already. */
		.jobs = inputs.count == 1 ? request->jobs : 1,
	};
	struct convert_job job = request->job;
	struct ctp_error err = {0};
	struct aggregate aggregate;
	struct output output;
	int status;
	int written;

	inputs.paths = &path;
	inputs.count = 1;
	status = aggregate_run(&aggregate, &options);
	written = aggregate.file_count == 0
			  ? status
			  : output_open_as(
				    &output, to, request->force, request->to);
	if (aggregate.file_count == 0 || written != EXIT_DONE) {
		aggregate_clear(&aggregate);
		return exit_worse(status, written);
	}
	job.to = request->to;
	job.out = output.file;
	job.options.title = path;
	if (convert_write(aggregate.functions, &job, &err) != CTP_OK) {
		diag_error(output.name, &err);
		written = err.status == CTP_ERR_IO ? EXIT_OUTPUT : EXIT_LIMIT;
	}
	written = exit_worse(
		written, output_close(&output, written == EXIT_DONE));
	aggregate_clear(&aggregate);
	return exit_worse(status, written);
}

static int convert_one(size_t index, void *user)
{
	const struct request *request = user;
	const struct inputs *inputs = &request->inputs;
	const char *path = request->outputs == NULL ? request->output
						    : request->outputs[index];
	struct input input;
	int status;

	if (input_tree_is_directory(inputs->paths[index]))
		return convert_tree(request, inputs->paths[index], path);
	status = input_open(&input, inputs->paths[index], inputs);
	if (status != EXIT_DONE)
		return status;
	status = convert_input(request, &input, path);
	return exit_worse(status, input_close(&input, inputs));
}

static const char *input_name_at(size_t index, void *user)
{
	const struct request *request = user;

	return input_name(request->inputs.paths[index]);
}

static int convert_all(struct request *request)
{
	const struct inputs *inputs = &request->inputs;
	struct batch batch = {
		.count = inputs->count,
		.jobs = request->jobs,
		.run = convert_one,
		.user = request,
		.name = input_name_at,
		.progress = inputs_progress(inputs),
	};
	static int (*const checks[])(const struct request *request) = {
		check_pair, check_parts, check_counters, check_limits,
		check_metric, check_csv_raw, check_directories};
	int status = choose_format(request);

	request->inputs.keeps_costs = request->to == &callgrind_format;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		if (status == EXIT_DONE)
			status = checks[i](request);
	if (status == EXIT_DONE)
		status = name_outputs(request);
	convert_set_request(request->to, &request->inputs.request);
	request->inputs.request.jobs = request->jobs;
	if (inputs->count > 1)
		request->inputs.request.jobs =
			thread_share(request->jobs, inputs->count);
	return status == EXIT_DONE ? batch_run(&batch) : status;
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(&cmd_convert, argc, argv, &request);
	status = convert_all(&request);
	output_path_free(request.outputs, request.inputs.count);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Output:", GROUP_OUTPUT),
	{"to", 't', "FORMAT", ARGUMENT_CALL,
		"format of the output (default: from the suffix of -o)",
		GROUP_OUTPUT, OF(to), .call = format_names_read_to},
	{"output", 'o', "PATH", ARGUMENT_OUTPUT,
		"write to this file, to standard output (-, the default), or, "
		"for many inputs, into this DIRECTORY/", GROUP_OUTPUT,
		OF(output)},
	{"force", 0, NULL, ARGUMENT_FLAG, "overwrite files that exist",
		GROUP_OUTPUT, OF(force)},
	{"csv-raw", 0, NULL, ARGUMENT_FLAG,
		"write CSV texts unchanged, even if a spreadsheet takes them "
		"for formulas", GROUP_OUTPUT, OF(job.options.csv_raw)},
	{"jobs", 'j', "N", ARGUMENT_COUNT,
		"work on this many inputs at a time, and with more than one on "
		"parts of a log (default: one per processor)", GROUP_OUTPUT,
		OF(jobs)},
	ARGUMENT_HEADING("Profiles only:",
		GROUP_SELECT),
	{"top", 'n', "N", ARGUMENT_COUNT,
		"keep the N functions with the most time, and fold the others "
		"into \"(other)\"", GROUP_SELECT, OF(job.top)},
	{"min", 0, "TIME", ARGUMENT_CALL,
		"fold functions with less time, or a smaller share of the "
		"whole (100us, 0.5%), into \"(other)\"", GROUP_SELECT, OF(job),
		.call = read_min},
	INPUTS_EDGE_TIMES_OPTIONS(GROUP_SELECT, OF(job.all_edge_times)),
	INPUTS_DEVICE_OPTION(GROUP_SELECT, OF(job.device)),
	{"metric", 0, FORMAT_METRICS, ARGUMENT_CALL,
		"value of folded stacks instead of own time on hosts and "
		"devices: own or total time of the host or of devices, or the "
		"number of calls", GROUP_SELECT, OF(job.options.metric),
		.call = read_metric},
	ARGUMENT_HEADING("Timelines only:", GROUP_TOOLS),
	{"split", 0, "SIZE", ARGUMENT_CALL,
		"split into files of about SIZE (400M) each: "
		"NAME-0001.SUFFIX, ...", GROUP_TOOLS, OF(part_bytes),
		.call = argument_part_size},
	{"min-dur", 0, "TIME", ARGUMENT_TIME,
		"leave out ranges shorter than this (100us)",
		GROUP_TOOLS, OF(min_ns), .detail = "100us"},
	{"counters", 0, NULL, ARGUMENT_FLAG,
		"add counters for each GPU: idleness, and kernels waiting in "
		"its queue", GROUP_TOOLS, OF(counters)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
};
/* clang-format on */

const struct command cmd_convert = {
	.name = "convert",
	.group = "Look at a recording",
	.summary = "convert logs to pstats, Chrome traces, call graphs, ...",
	.arguments = {ARGUMENTS(options)},
	.usage = "[FILE...]",
	.help = "Convert logs, traces and profiles to other formats. A name "
		"like "
		"ctp2pstats stands for 'ctprof convert -t pstats'; "
		"ctp2gprof2dot writes pstats, the format that gives gprof2dot "
		"the most detail. A directory stands for the traces below it, "
		"which are summed into one profile.\vExamples:\n"
		"  ctprof convert run.ctp -o run.pstats && snakeviz "
		"run.pstats\n"
		"  ctprof convert -t gprof run.ctp | gprof2dot -f prof | dot "
		"-Tsvg -o g.svg\n"
		"  ctprof convert -t chrome -o traces/ -j 4 *.ctp",
	.run = run,
};

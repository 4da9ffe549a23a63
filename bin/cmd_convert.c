/* SPDX-License-Identifier: MIT */
/*
 * Turns inputs into another format, each into an output of its own. Which
 * outputs there will be is settled before the first input is opened, so that
 * names that collide are found before anything is written.
 */
#include "cli/command.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "input/batch.h"
#include "convert.h"
#include "timeline/cutting.h"
#include "gaps/device_counters.h"
#include "input/input.h"
#include "input/inputs.h"
#include "input/job.h"
#include "input/names.h"
#include "input/naming.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "input/rollup.h"
#include "cli/say.h"

struct conversion {
	struct inputs inputs;
	const struct format *to;
	const char *output; /* as given; NULL: standard output */
	char **outputs;     /* for -o DIR/: one for each input; else NULL */
	bool force;
	bool counters;
	uint32_t jobs;
	uint64_t part_bytes;    /* 0: each input becomes one output */
	struct convert_job job; /* limits only */
};

static void read_min(struct conversion *conversion, const char *text,
	const struct argp_state *state)
{
	struct convert_job *job = &conversion->job;

	if (!quantity_read_share(text, &job->min_parts) &&
		!quantity_read_time(text, &job->min_cumtime_ns))
		argp_error(state,
			"--min: '%s' is neither a share (0.5%%) nor a time "
			"(100us)",
			text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct conversion *conversion = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &conversion->inputs;
		state->child_inputs[1] = &conversion->inputs;
		return 0;
	case 't':
		conversion->to = names_to(state, arg);
		return 0;
	case 'o':
		conversion->output = arguments_output(state, "--output", arg);
		return 0;
	case 'j':
		conversion->jobs = arguments_count(state, "--jobs", arg);
		return 0;
	case KEY_FORCE:
		conversion->force = true;
		return 0;
	case KEY_SPLIT:
		conversion->part_bytes = arguments_part(state, arg);
		return 0;
	case KEY_COUNTERS:
		conversion->counters = true;
		return 0;
	case KEY_CSV_RAW:
		conversion->job.options.csv_raw = true;
		return 0;
	case 'n':
		conversion->job.top = arguments_count(state, "--top", arg);
		return 0;
	case KEY_MIN:
		read_min(conversion, arg, state);
		return 0;
	case KEY_DOCUMENT_EDGES:
		conversion->job.document_edges = true;
		return 0;
	case KEY_DEVICE:
		conversion->job.device = (enum replay_device)arguments_word(
			state, "--device", INPUTS_DEVICE, arg);
		return 0;
	case KEY_METRIC:
		conversion->job.options.metric =
			FORMAT_SELF_CPU +
			arguments_word(state, "--metric", FORMAT_METRICS, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The format by the output's name, where -t does not say it. */
static int choose_format(struct conversion *conversion)
{
	const char *path = conversion->output;

	if (conversion->to != NULL)
		return EXIT_DONE;
	if (path == NULL || strcmp(path, "-") == 0 ||
		naming_is_directory(path)) {
		say("to which format? Use -t FORMAT; see 'ctprof formats'");
		return EXIT_USAGE;
	}
	if (naming_format(path, &conversion->to) != EXIT_DONE)
		return EXIT_USAGE;
	if (conversion->to == NULL) {
		say("%s: no format ends like this; use -t FORMAT, see 'ctprof "
		    "formats'",
			path);
		return EXIT_USAGE;
	}
	if (!names_can_write(conversion->to)) {
		say("%s: ctprof reads %s but does not write it", path,
			conversion->to->name);
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* Parts are files of their own, of timelines. */
static int check_parts(const struct conversion *conversion)
{
	const char *path = conversion->output;

	if (conversion->part_bytes == 0)
		return EXIT_DONE;
	if (conversion->to->new_timeline == NULL) {
		say("--split makes parts of a timeline, and %s is a profile",
			conversion->to->name);
		return EXIT_USAGE;
	}
	if (path == NULL || strcmp(path, "-") == 0) {
		say("--split writes several files: give -o DIRECTORY/ or "
		    "-o FILE");
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

static int check_counters(const struct conversion *conversion)
{
	if (!conversion->counters || conversion->to->new_timeline != NULL)
		return EXIT_DONE;
	say("--counters adds to a timeline, and %s is a profile",
		conversion->to->name);
	return EXIT_USAGE;
}

static int check_csv_raw(const struct conversion *conversion)
{
	if (!conversion->job.options.csv_raw ||
		strcmp(conversion->to->name, "csv") == 0)
		return EXIT_DONE;
	say("--csv-raw is for csv, and not for %s", conversion->to->name);
	return EXIT_USAGE;
}

static int check_metric(const struct conversion *conversion)
{
	const struct convert_job *job = &conversion->job;

	if (job->options.metric == FORMAT_USUAL)
		return EXIT_DONE;
	if (!conversion->to->has_metrics) {
		say("--metric is for stacks of calls (folded), and not for %s",
			conversion->to->name);
		return EXIT_USAGE;
	}
	if (job->device != REPLAY_SEPARATE) {
		say("--metric chooses between host and device, and takes no "
		    "--device");
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* A timeline cannot be had from sums. */
static int check_pair(const struct conversion *conversion)
{
	const struct format *from = conversion->inputs.from;
	const struct format *to = conversion->to;
	bool pointless = from != NULL && to->new_timeline != NULL &&
			 (from->holds_profile || from->write_profile != NULL);

	if (from == NULL || (names_can_read(from) && !pointless))
		return EXIT_DONE;
	if (pointless)
		say("%s holds a profile, which cannot become a timeline (%s): "
		    "it does not know when things happened",
			from->name, to->name);
	else
		say("ctprof writes %s but does not read it", from->name);
	return EXIT_USAGE;
}

/* What is below a directory is added up, as far as it can be. */
static int check_directories(const struct conversion *conversion)
{
	const struct format *to = conversion->to;
	const struct inputs *inputs = &conversion->inputs;

	for (size_t i = 0; i < inputs->count; i++) {
		const char *path = inputs->paths[i];

		if ((to->new_timeline == NULL && !to->needs_tree) ||
			!tree_is_directory(path))
			continue;
		if (to->needs_tree)
			say("%s: what is below a directory is added up: who "
			    "called whom, not the paths of calls that %s shows",
				path, to->name);
		else
			say("%s: what is below a directory becomes a profile, "
			    "and no timeline (%s): name the files",
				path, to->name);
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* With -o DIR/: names every output. */
static int name_outputs(struct conversion *conversion)
{
	const struct inputs *inputs = &conversion->inputs;
	const char *path = conversion->output;
	int status;

	if (path == NULL || strcmp(path, "-") == 0 ||
		!naming_is_directory(path)) {
		if (inputs->count == 1)
			return EXIT_DONE;
		say("%zu inputs do not fit one output; use -o DIRECTORY/",
			inputs->count);
		return EXIT_USAGE;
	}
	status = naming_all(path, inputs, conversion->to, &conversion->outputs);
	return status == EXIT_DONE ? naming_make_directory(path) : status;
}

/* Converts an opened input to what it is written to. */
static int write_input(const struct conversion *conversion, struct input *input,
	const char *path)
{
	const struct inputs *inputs = &conversion->inputs;
	struct job job = {
		.convert = conversion->job,
		.path = path,
		.force = conversion->force,
		.progress = inputs->count == 1 && !inputs->quiet
				    ? inputs->progress
				    : WHEN_NEVER,
		.part_bytes = conversion->part_bytes,
	};
	struct cut *cut = NULL;
	int status = EXIT_DONE;

	job.convert.to = conversion->to;
	job.convert.options.title = input->name;
	if (job.part_bytes > 0)
		status = cutting_into_parts(input, &cut);
	return status == EXIT_DONE ? job_run(&job, input, cut) : status;
}

/* The same, with what --counters adds. */
static int convert_input(const struct conversion *conversion,
	struct input *input, const char *path)
{
	struct event_source *source = input->origin.source;
	struct device_counters *counters;
	struct ctp_error err = {0};
	int status;

	/* Sums have no counters, and become no timeline. */
	if (!conversion->counters || source->read_profile != NULL)
		return write_input(conversion, input, path);
	if (device_counters_open(source, &counters, &err) != CTP_OK)
		return input_failed(input, input->name, &err);
	input->origin.source = device_counters_source(counters);
	status = write_input(conversion, input, path);
	if (status == EXIT_DONE && device_counters_count(counters) == 0 &&
		!conversion->inputs.quiet)
		say("%s: no GPU did anything: --counters adds none",
			input->name);
	return status;
}

/* Adds up what is below a directory, and writes that. */
static int convert_tree(
	const struct conversion *conversion, char *path, const char *to)
{
	struct inputs inputs = conversion->inputs;
	struct rollup_options options = {
		.inputs = &inputs,
		.replay.document_edges = conversion->job.document_edges,
		.replay.device = conversion->job.device,
		/* Else there is a process for each input already. */
		.jobs = inputs.count == 1 ? conversion->jobs : 1,
	};
	struct convert_job job = conversion->job;
	struct ctp_error err = {0};
	struct rollup rollup;
	struct output output;
	int status;
	int written;
	int closed;

	inputs.paths = &path;
	inputs.count = 1;
	status = rollup_run(&rollup, &options);
	written = rollup.file_count == 0
			  ? status
			  : output_open_as(&output, to, conversion->force,
				    conversion->to);
	if (rollup.file_count == 0 || written != EXIT_DONE) {
		rollup_clear(&rollup);
		return written > status ? written : status;
	}
	job.to = conversion->to;
	job.out = output.file;
	job.options.title = path;
	if (convert_write(rollup.functions, &job, &err) != CTP_OK) {
		say_error(output.name, &err);
		written = err.status == CTP_ERR_IO ? EXIT_OUTPUT : EXIT_LIMIT;
	}
	closed = output_close(&output, written == EXIT_DONE);
	rollup_clear(&rollup);
	written = closed > written ? closed : written;
	return written > status ? written : status;
}

static int convert_one(size_t index, void *user)
{
	const struct conversion *conversion = user;
	const struct inputs *inputs = &conversion->inputs;
	const char *path = conversion->outputs == NULL
				   ? conversion->output
				   : conversion->outputs[index];
	struct input input;
	int status;
	int closed;

	if (tree_is_directory(inputs->paths[index]))
		return convert_tree(conversion, inputs->paths[index], path);
	status = input_open(&input, inputs->paths[index], inputs);
	if (status != EXIT_DONE)
		return status;
	status = convert_input(conversion, &input, path);
	closed = input_close(&input, inputs);
	return closed > status ? closed : status;
}

static const char *name_of(size_t index, void *user)
{
	const struct conversion *conversion = user;

	return input_name(conversion->inputs.paths[index]);
}

static int convert_all(struct conversion *conversion)
{
	const struct inputs *inputs = &conversion->inputs;
	struct batch batch = {
		.count = inputs->count,
		.jobs = conversion->jobs,
		.run = convert_one,
		.user = conversion,
		.name = name_of,
		.progress = inputs->quiet ? WHEN_NEVER : inputs->progress,
	};
	int status = choose_format(conversion);

	if (status == EXIT_DONE)
		status = check_pair(conversion);
	if (status == EXIT_DONE)
		status = check_parts(conversion);
	if (status == EXIT_DONE)
		status = check_counters(conversion);
	if (status == EXIT_DONE)
		status = check_metric(conversion);
	if (status == EXIT_DONE)
		status = check_csv_raw(conversion);
	if (status == EXIT_DONE)
		status = check_directories(conversion);
	if (status == EXIT_DONE)
		status = name_outputs(conversion);
	return status == EXIT_DONE ? batch_run(&batch) : status;
}

static int run(int argc, char **argv)
{
	struct conversion conversion = {0};
	int status;

	arguments_parse(cmd_convert.argp, 0, argc, argv, &conversion);
	status = convert_all(&conversion);
	naming_free(conversion.outputs, conversion.inputs.count);
	inputs_clear(&conversion.inputs);
	return status;
}

/* clang-format off */
static const struct argp_option options[] = {
	OPTION_HEADING("Output:", GROUP_OUTPUT),
	{"to", 't', "FORMAT", 0,
		"format of the output (default: told by the end of -o's name)",
		GROUP_OUTPUT},
	{"output", 'o', "PATH", 0,
		"write to this file, to standard output (-, the default), or, "
		"for many inputs, into this DIRECTORY/", GROUP_OUTPUT},
	{"force", KEY_FORCE, NULL, 0,
		"overwrite files that exist", GROUP_OUTPUT},
	{"split", KEY_SPLIT, "SIZE", 0,
		"of a timeline, files of about SIZE (400M) each: "
		"NAME-0001.SUFFIX, ...", GROUP_OTHER},
	{"counters", KEY_COUNTERS, NULL, 0,
		"add to a timeline, for each GPU, whether it is idle and how "
		"many kernels wait in its queue", GROUP_OTHER},
	{"csv-raw", KEY_CSV_RAW, NULL, 0,
		"write texts into CSV as they are, also those that a "
		"spreadsheet takes for formulas", GROUP_OUTPUT},
	{"jobs", 'j', "N", 0,
		"work on so many inputs at a time (default: one for each "
		"processor)", GROUP_OUTPUT},
	OPTION_HEADING("What goes into a profile (not into timelines):",
		GROUP_SELECT),
	{"top", 'n', "N", 0,
		"keep the N functions with the most time, and fold the others "
		"into \"(other)\"", GROUP_SELECT},
	{"min", KEY_MIN, "TIME", 0,
		"fold functions with less time, or a smaller share of the "
		"whole (100us, 0.5%), into \"(other)\"", GROUP_SELECT},
	{"document-edges", KEY_DOCUMENT_EDGES, NULL, 0,
		"edge figures as torch's dynamo profiler counts them, not as "
		"cProfile does", GROUP_SELECT},
	INPUTS_DEVICE_OPTION(GROUP_SELECT),
	{"metric", KEY_METRIC, FORMAT_METRICS, 0,
		"what folded stacks count instead of all time in themselves: "
		"that of the host or of devices, in themselves or with what "
		"they call; or how often they were called", GROUP_SELECT},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE...]",
	.doc = "Turn logs into what other programs show. A name like "
	       "ctp2pstats stands for 'ctprof convert -f log -t pstats'; "
	       "ctp2gprof2dot writes pstats, of which gprof2dot gets the "
	       "most. A directory stands for the traces below it, which are "
	       "added up to one profile.\v"
	       "Examples:\n"
	       "  ctprof convert run.ctp -o run.pstats && snakeviz run.pstats\n"
	       "  ctprof convert -t gprof run.ctp | gprof2dot -f prof | "
	       "dot -Tsvg -o g.svg\n"
	       "  ctprof convert -t chrome -o traces/ -j 4 *.ctp",
	.children = inputs_children,
};

const struct command cmd_convert = {
	.name = "convert",
	.group = "Look at a recording",
	.summary = "turn logs into pstats, Chrome traces, call graphs, ...",
	.argp = &argp,
	.run = run,
};

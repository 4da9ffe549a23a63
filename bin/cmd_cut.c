/* SPDX-License-Identifier: MIT */
/* Writes a part of a timeline, or all of it in parts. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "timeline/cut_pipeline.h"
#include "input/input.h"
#include "input/inputs.h"
#include "input/conversion.h"
#include "input/format_names.h"
#include "input/output_path.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "cli/diag.h"

/* Keys of options without a short form. */
enum {
	KEY_TIME = KEY_OWN,
	KEY_AROUND,
	KEY_STEP,
	KEY_PID,
	KEY_TID,
	KEY_DEVICES,
	KEY_RANK,
	KEY_CATEGORIES,
	KEY_MIN_LENGTH,
	KEY_REDACT,
};

struct cut_command {
	struct inputs inputs;
	const struct format *to; /* NULL: the input's */
	const char *output;      /* as given; NULL: standard output */
	bool force;
	uint64_t part_bytes;
	struct cut_pipeline pipeline;
};

static void read_list(struct event_filter_list *list, const char *option,
	const char *text, const struct argp_state *state)
{
	if (!cut_pipeline_read_list(text, list))
		argp_error(state,
			"%s: '%s' is not a list of numbers (0,3,8-11; none)",
			option, text);
}

static void read_step(struct cut_pipeline *pipeline, const char *text,
	const struct argp_state *state)
{
	char *end;

	pipeline->has_step = true;
	pipeline->step = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0')
		argp_error(state, "--step: '%s' is not a number", text);
}

/* Parses an option that filters events by property. */
static bool parse_filter(
	int key, const char *arg, const struct argp_state *state)
{
	struct cut_command *command = state->input;
	struct event_filter_options *filter = &command->pipeline.filter;

	switch (key) {
	case KEY_PID:
		read_list(&filter->pids, "--pid", arg, state);
		return true;
	case KEY_TID:
		read_list(&filter->tids, "--tid", arg, state);
		return true;
	case KEY_DEVICES:
		read_list(&filter->devices, "--device", arg, state);
		return true;
	case KEY_RANK:
		read_list(&filter->ranks, "--rank", arg, state);
		return true;
	case KEY_CATEGORIES:
		filter->categories = arg;
		return true;
	case KEY_MIN_LENGTH:
		if (!quantity_read_time(arg, &filter->min_ns))
			argp_error(state,
				"--min-dur: '%s' is not a time (100us)", arg);
		return true;
	default:
		return false;
	}
}

/* Parses an option for the window or the output. */
static bool parse_window(
	int key, const char *arg, const struct argp_state *state)
{
	struct cut_command *command = state->input;
	struct cut_pipeline *pipeline = &command->pipeline;

	switch (key) {
	case KEY_TIME:
		if (!cut_pipeline_read_time(arg, pipeline))
			argp_error(state,
				"--time: '%s' is not a time window (1.5s..2s, "
				"1.5s.., ..2s)",
				arg);
		return true;
	case KEY_AROUND:
		pipeline->range_name = arg;
		return true;
	case KEY_STEP:
		read_step(pipeline, arg, state);
		return true;
	case KEY_SPLIT:
		command->part_bytes = arguments_part_size(state, arg);
		pipeline->parts = true;
		return true;
	case KEY_REDACT:
		pipeline->redact = true;
		pipeline->salt = arg;
		return true;
	default:
		return false;
	}
}

static void check(
	const struct cut_command *command, const struct argp_state *state)
{
	const struct cut_pipeline *pipeline = &command->pipeline;
	const char *path = command->output;

	if (pipeline->has_time + pipeline->has_step +
			(pipeline->range_name != NULL) >
		1)
		argp_error(state,
			"--time, --around and --step exclude each other");
	if (command->inputs.count > 1)
		argp_error(state, "cut takes one input");
	if (pipeline->parts && (path == NULL || strcmp(path, "-") == 0))
		argp_error(state, "--split writes several files; use -o "
				  "DIRECTORY/ or -o FILE");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct cut_command *command = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &command->inputs;
		return 0;
	case ARGP_KEY_SUCCESS:
		check(command, state);
		return 0;
	case 't':
		command->to = format_names_parse_to(state, arg);
		return 0;
	case 'o':
		command->output = arguments_output(state, "--output", arg);
		return 0;
	case KEY_FORCE:
		command->force = true;
		return 0;
	default:
		return parse_filter(key, arg, state) ||
				       parse_window(key, arg, state)
			       ? 0
			       : ARGP_ERR_UNKNOWN;
	}
}

static int choose_format(struct cut_command *command, const struct input *input)
{
	int status = conversion_check_format(&command->to, input);

	if (status == EXIT_DONE && command->pipeline.parts &&
		command->to->new_timeline == NULL) {
		diag("--split needs a timeline: format %s is a profile",
			command->to->name);
		return EXIT_USAGE;
	}
	return status;
}

static int write_input(struct cut_command *command, struct input *input)
{
	struct conversion conversion = {
		.convert = {.to = command->to},
		.path = command->output,
		.force = command->force,
		.progress = inputs_progress(&command->inputs),
		.part_bytes = command->part_bytes,
	};
	struct cut *cut = NULL;
	char *path = NULL;
	int status = EXIT_DONE;

	if (!command->pipeline.redact)
		conversion.convert.options.title = input->name;
	if (conversion.path != NULL &&
		output_path_is_directory(conversion.path)) {
		status = output_path_make_directory(conversion.path);
		path = output_path_in(conversion.path, command->inputs.paths[0],
			conversion.convert.to);
		conversion.path = path;
		if (path == NULL)
			return diag_no_memory(NULL);
	}
	command->pipeline.progress = conversion.progress;
	if (status == EXIT_DONE)
		status = cut_pipeline_apply(&command->pipeline, input, &cut);
	if (status == EXIT_DONE)
		status = conversion_run(&conversion, input, cut);
	free(path);
	return status;
}

/* Names are those of timelines if a range is searched by name. Detailed names,
 * which may contain file names, are off when redacting. */
static void set_request(
	const struct cut_command *command, struct read_request *request)
{
	const struct cut_pipeline *pipeline = &command->pipeline;

	if (!pipeline->redact && !pipeline->has_time && !pipeline->has_step &&
		pipeline->range_name == NULL)
		convert_set_request(command->to, request);
}

static int cut_one(struct cut_command *command)
{
	struct inputs *inputs = &command->inputs;
	struct input input;
	int status = conversion_find_format(&command->to, command->output);

	if (status != EXIT_DONE)
		return status;
	set_request(command, &inputs->request);
	status = input_open(&input, inputs->paths[0], inputs);
	if (status != EXIT_DONE)
		return status;
	status = choose_format(command, &input);
	if (status == EXIT_DONE)
		status = write_input(command, &input);
	return exit_worse(status, input_close(&input, inputs));
}

static int run(int argc, char **argv)
{
	struct cut_command command = {0};
	struct event_filter_options *filter = &command.pipeline.filter;
	int status;

	arguments_parse(cmd_cut.argp, 0, argc, argv, &command);
	status = cut_one(&command);
	free(filter->pids.ranges);
	free(filter->tids.ranges);
	free(filter->devices.ranges);
	free(filter->ranks.ranges);
	inputs_clear(&command.inputs);
	return status;
}

/* clang-format off */
static const struct argp_option options[] = {
	OPTION_HEADING("Time window:", GROUP_MAIN),
	{"time", KEY_TIME, "A..B", 0,
		"from A to B since the first event (1.5s..2s); either may be "
		"left out", GROUP_MAIN},
	{"around", KEY_AROUND, "NAME", 0,
		"while the first range with this name, or matching this "
		"pattern, is open", GROUP_MAIN},
	{"step", KEY_STEP, "N", 0,
		"during step N: ProfilerStep#N, or the step of ctp_step()",
		GROUP_MAIN},
	OPTION_HEADING("Selection:", GROUP_SELECT),
	{"pid", KEY_PID, "LIST", 0,
		"these processes (12,40-49)", GROUP_SELECT},
	{"tid", KEY_TID, "LIST", 0,
		"these threads, or none; work of devices stays", GROUP_SELECT},
	{"device", KEY_DEVICES, "LIST", 0,
		"these devices, or none; threads stay", GROUP_SELECT},
	{"rank", KEY_RANK, "LIST", 0,
		"the processes of these ranks", GROUP_SELECT},
	{"cat", KEY_CATEGORIES, "LIST", 0,
		"events with one of these categories (cpu_op,kernel)",
		GROUP_SELECT},
	{"min-dur", KEY_MIN_LENGTH, "TIME", 0,
		"only ranges and device work at least this long (100us)",
		GROUP_SELECT},
	OPTION_HEADING("Output:", GROUP_OUTPUT),
	{"split", KEY_SPLIT, "SIZE", 0,
		"split into complete files of about SIZE (400M) each: "
		"NAME-0001.SUFFIX, ...", GROUP_OUTPUT},
	{"redact", KEY_REDACT, "SALT", OPTION_ARG_OPTIONAL,
		"replace files, hosts, users, commands, names of processes and "
		"threads, and the texts of arguments by hashes; with a SALT, "
		"nobody without it can guess the texts", GROUP_OUTPUT},
	{"to", 't', "FORMAT", 0,
		"format of the output (default: from the suffix of -o, or else "
		"the input's)", GROUP_OUTPUT},
	{"output", 'o', "PATH", 0,
		"write to this file, to standard output (-, the default), or "
		"into this DIRECTORY/", GROUP_OUTPUT},
	{"force", KEY_FORCE, NULL, 0,
		"overwrite files that exist", GROUP_OUTPUT},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE]",
	.doc = "Extract a piece of a timeline, leave out irrelevant events, "
	       "split it into files that viewers can open, or redact it for "
	       "sharing.\vExamples:\n"
	       "  ctprof cut --around 'ProfilerStep#7' t.json.gz -o "
	       "step7.json\n"
	       "  ctprof cut --time 1.5s..2s --min-dur 100us run.ctp -o "
	       "piece.json\n"
	       "  ctprof cut --split 400M big.json.gz -o parts/\n"
	       "  ctprof cut --redact run.ctp -o share.json",
	.children = inputs_children,
};

const struct command cmd_cut = {
	.name = "cut",
	.group = "Look at a recording",
	.summary = "extract a piece of a timeline, or split or redact it",
	.argp = &argp,
	.run = run,
};

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
#include "input/report.h"
#include "cli/diag.h"

struct cut_command {
	struct inputs inputs;
	const struct format *to; /* NULL: the input's */
	struct output_options output;
	uint64_t part_bytes;
	struct cut_pipeline pipeline;
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct cut_command *command = structure;
	const struct cut_pipeline *pipeline = &command->pipeline;
	const char *path = command->output.path;

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
	return 0;
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
		.path = command->output.path,
		.force = command->output.force,
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

/* A range is searched by its name in timelines. Redaction turns detailed names
 * off, because they may contain file names. */
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
	int status = conversion_find_format(&command->to, command->output.path);

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

	arguments_parse(&cmd_cut, argc, argv, &command);
	status = cut_one(&command);
	free(filter->pids.ranges);
	free(filter->tids.ranges);
	free(filter->devices.ranges);
	free(filter->ranks.ranges);
	inputs_clear(&command.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct cut_command, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Time window:", GROUP_MAIN),
	{"time", 0, "A..B", ARGUMENT_CALL,
		"from A to B since the first event (1.5s..2s); either may be "
		"left out", GROUP_MAIN, OF(pipeline), .call = cut_pipeline_argument_time},
	{"around", 0, "NAME", ARGUMENT_TEXT,
		"while the first range with this name, or matching this "
		"pattern, is open", GROUP_MAIN, OF(pipeline.range_name)},
	{"step", 0, "N", ARGUMENT_CALL,
		"during step N: ProfilerStep#N, or the step of ctp_step()",
		GROUP_MAIN, OF(pipeline), .call = cut_pipeline_argument_step},
	ARGUMENT_HEADING("Selection:", GROUP_SELECT),
	{"pid", 0, "LIST", ARGUMENT_CALL, "these processes (12,40-49)",
		GROUP_SELECT, OF(pipeline.filter.pids), .call = cut_pipeline_argument_list},
	{"tid", 0, "LIST", ARGUMENT_CALL,
		"these threads, or none; work of devices stays", GROUP_SELECT,
		OF(pipeline.filter.tids), .call = cut_pipeline_argument_list},
	{"device", 0, "LIST", ARGUMENT_CALL,
		"these devices, or none; threads stay", GROUP_SELECT,
		OF(pipeline.filter.devices), .call = cut_pipeline_argument_list},
	{"rank", 0, "LIST", ARGUMENT_CALL, "the processes of these ranks",
		GROUP_SELECT, OF(pipeline.filter.ranks), .call = cut_pipeline_argument_list},
	{"cat", 0, "LIST", ARGUMENT_TEXT,
		"events with one of these categories (cpu_op,kernel)",
		GROUP_SELECT, OF(pipeline.filter.categories)},
	{"min-dur", 0, "TIME", ARGUMENT_TIME,
		"only ranges and device work at least this long (100us)",
		GROUP_SELECT, OF(pipeline.filter.min_ns), .detail = "100us"},
	ARGUMENT_HEADING("Output:", GROUP_OUTPUT),
	{"split", 0, "SIZE", ARGUMENT_CALL,
		"split into complete files of about SIZE (400M) each: "
		"NAME-0001.SUFFIX, ...", GROUP_OUTPUT, OF(part_bytes),
		ARGUMENT_GIVEN(struct cut_command, pipeline.parts),
		.call = argument_part_size},
	{"redact", 0, "SALT", ARGUMENT_TEXT,
		"replace files, hosts, users, commands, names of processes and "
		"threads, and the texts of arguments by hashes; with a SALT, "
		"nobody without it can guess the texts", GROUP_OUTPUT,
		OF(pipeline.salt),
		ARGUMENT_GIVEN(struct cut_command, pipeline.redact),
		.optional = true},
	{"to", 't', "FORMAT", ARGUMENT_CALL,
		"format of the output (default: from the suffix of -o, or else "
		"the input's)", GROUP_OUTPUT, OF(to),
		.call = format_names_read_to},
	{"output", 'o', "PATH", ARGUMENT_OUTPUT,
		"write to this file, to standard output (-, the default), or "
		"into this DIRECTORY/", GROUP_OUTPUT, OF(output.path)},
	{"force", 0, NULL, ARGUMENT_FLAG, "overwrite files that exist",
		GROUP_OUTPUT, OF(output.force)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
};
/* clang-format on */

const struct command cmd_cut = {
	.name = "cut",
	.group = "Look at a recording",
	.summary = "extract a piece of a timeline, or split or redact it",
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE]",
	.help = "Extract a piece of a timeline, leave out irrelevant events, "
		"split it into files that viewers can open, or redact it for "
		"sharing.\vExamples:\n"
		"  ctprof cut --around 'ProfilerStep#7' t.json.gz -o "
		"step7.json\n"
		"  ctprof cut --time 1.5s..2s --min-dur 100us run.ctp -o "
		"piece.json\n"
		"  ctprof cut --split 400M big.json.gz -o parts/\n"
		"  ctprof cut --redact run.ctp -o share.json",
	.run = run,
};

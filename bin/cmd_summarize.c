/* SPDX-License-Identifier: MIT */
/* Writes the sums of many inputs, which other commands read like a profile. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "input/summarize.h"

struct request {
	struct inputs inputs;
	struct aggregate_options options;
	struct output_options output;
};

/* "0/64", as a job of a Slurm array has it. */
static void read_shard(const struct argument_value *value)
{
	struct aggregate_options *options = value->member;
	unsigned index;
	unsigned count;
	char end;

	if (sscanf(value->text, "%9u/%9u%c", &index, &count, &end) != 2 ||
		index >= count) {
		argument_error(value,
			"'%s' is not a part (0/4, 1/4, 2/4 or 3/4)",
			value->text);
		return;
	}
	options->shard = index;
	options->shard_count = count;
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status;

	arguments_parse(&cmd_summarize, argc, argv, &request);
	request.options.inputs = &request.inputs;
	status = summarize_run(&request.options, &request.output);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Sums:", GROUP_MAIN),
	{"shard", 0, "I/N", ARGUMENT_CALL,
		"read only the part I, from 0, of N about equal parts of the "
		"inputs, for example in a job of an array", GROUP_MAIN,
		OF(options), .call = read_shard},
	{"paths", 0, NULL, ARGUMENT_FLAG,
		"also sum call paths, for folded stacks and flame graphs: they "
		"may be many times as large as the rest", GROUP_MAIN,
		OF(options.replay.tree)},
	INPUTS_DEVICE_OPTION(GROUP_MAIN, OF(options.replay.device)),
	INPUTS_EDGE_TIMES_OPTIONS(GROUP_MAIN, OF(options.replay.all_edge_times)),
	{"allow-repeats", 0, NULL, ARGUMENT_FLAG,
		"sum an input, or a rank of several summaries, more than once",
		GROUP_MAIN, OF(options.allows_repeats)},
	{"jobs", 'j', "N", ARGUMENT_COUNT,
		"read this many inputs at a time (default: one "
		"per processor)", GROUP_INPUT, OF(options.jobs)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&output_arguments, OF(output)),
};
/* clang-format on */

const struct command cmd_summarize = {
	.name = "summarize",
	.group = "Look at a recording",
	.summary = "write the sums of many inputs to a file",
	.arguments = {ARGUMENTS(options)},
	.usage = "[FILE...]",
	.help = "Add up recordings and profiles, for example of the ranks of a "
		"job or of a build, and write a summary (.ctpart). stats, "
		"diff, check and convert read it in place of the inputs, and "
		"'ctprof merge' adds several up. A directory stands for the "
		"traces below it.\vAn input that cannot be read is listed in "
		"the summary with the reason; the exit status is then 3.\n"
		"\n"
		"Examples:\n"
		"  ctprof summarize -o job.ctpart traces/\n"
		"  ctprof stats job.ctpart\n"
		"  ctprof summarize --shard 3/64 -o 3.ctpart traces/\n"
		"  ctprof merge -o job.ctpart *.ctpart",
	.run = run,
};

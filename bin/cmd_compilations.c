/* SPDX-License-Identifier: MIT */
/* Reports what torch.compile() and other compilers compiled, why, and at what
 * cost. */
#include "cli/command.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/diag.h"
#include "compilations/compilations_report.h"
#include "compilations/tracing_report.h"
#include "input/input_tree.h"
#include "input/report.h"

#define DEFAULT_TOP 20 /* for text */

struct request {
	struct inputs inputs;
	struct report_options report_options;
	uint32_t table; /* enum compilations_table */
	bool callers;
	struct input_tree tree;
	struct compile compile;
	uint64_t losses[LOSS_KINDS];
};

static enum ctp_status read_events(
	struct request *request, struct input *input, struct ctp_error *err)
{
	struct compile *compile = &request->compile;
	struct trace *trace = input->file.source->trace;
	enum ctp_status status;

	if (!compile_begin(compile, trace, input->name))
		return ctp_no_memory(err);
	status =
		report_read(&request->inputs, input, compile_add, compile, err);
	if (status == CTP_OK && !compile_end(compile))
		status = ctp_no_memory(err);
	return status;
}

static void add_losses(struct request *request, const struct input *input)
{
	for (size_t i = 0; i < LOSS_KINDS; i++)
		request->losses[i] += input->file.source->trace->losses[i];
}

/* Reads a named file and reports all problems. */
static int read_named(struct request *request, const char *path)
{
	struct ctp_error err = {0};
	struct input input;
	int status = input_open(&input, path, &request->inputs);

	if (status != EXIT_DONE)
		return status;
	if (!report_has_events(&input))
		status = EXIT_INPUT;
	else if (read_events(request, &input, &err) != CTP_OK)
		status = input_diag_error(&input, input.name, &err);
	else
		add_losses(request, &input);
	return exit_worse(status, input_close(&input, &request->inputs));
}

static size_t count_found(const struct compile *compile)
{
	return compile->compilations.count + compile->compilations.break_count +
	       compile->tracing.functions.count + compile->tracing.frames.count;
}

/* Reads a file found below a directory: a tree of builds has others, too. */
static int read_found(struct request *request, struct input_tree_file *file)
{
	const struct inputs *inputs = &request->inputs;
	uint64_t *skipped = request->tree.skipped;
	size_t before = count_found(&request->compile);
	struct inputs silent = *inputs;
	struct ctp_error err = {0};
	struct input input;
	int status = EXIT_DONE;

	silent.quiet = true;
	if (input_try_open(&input, file->path, inputs, &err) != CTP_OK)
		return input_tree_skip_file(
			file, &input, inputs, skipped, &err);
	if (input.file.source->read_profile != NULL) {
		skipped[INPUT_TREE_OTHER_TRACE]++;
		return input_close(&input, &silent);
	}
	if (read_events(request, &input, &err) != CTP_OK) {
		status = input_tree_skip_file(
			file, &input, inputs, skipped, &err);
	} else if (count_found(&request->compile) == before) {
		skipped[INPUT_TREE_OTHER_TRACE]++;
	} else {
		silent.quiet = inputs->quiet;
		add_losses(request, &input);
	}
	return exit_worse(status, input_close(&input, &silent));
}

/* One unreadable input does not prevent reading the others. */
static int read_inputs(struct request *request, size_t *read)
{
	const struct inputs *inputs = &request->inputs;
	int worst = EXIT_DONE;

	for (size_t i = 0; i < inputs->count; i++)
		worst = exit_worse(worst,
			input_tree_add(&request->tree, inputs->paths[i]));
	for (size_t i = 0; i < request->tree.count; i++) {
		struct input_tree_file *file = &request->tree.files[i];
		int status = file->root_size != 0
				     ? read_found(request, file)
				     : read_named(request, file->path);

		*read += status == EXIT_DONE || status == EXIT_DAMAGED;
		worst = exit_worse(worst, status);
	}
	input_tree_diag_skipped(request->tree.skipped,
		inputs->count == 1 ? inputs->paths[0] : "all inputs");
	return worst;
}

static int write_report(struct request *request)
{
	static const struct report_form *const forms[] = {
		[COMPILATIONS_ALL] = &compilations_form,
		[COMPILATIONS_BREAKS] = &graph_breaks_form,
		[COMPILATIONS_AGAIN] = &recompilations_form,
		[COMPILATIONS_FUNCTIONS] = &functions_form,
	};
	const struct compilations_view view = {.compile = &request->compile,
		.table = request->table,
		.callers = request->callers,
		.top = report_row_limit(&request->report_options, DEFAULT_TOP)};
	struct report report = report_of(&request->inputs,
		forms[request->table]->schema, request->losses);

	if (compile_is_empty(&request->compile))
		diag("no compilations are in the input: make a log of "
		     "torch.compile() with TORCH_TRACE=DIRECTORY or 'ctprof "
		     "record --compile', or a trace with clang -ftime-trace "
		     "or nvcc --fdevice-time-trace");
	return report_write_output(
		&request->report_options, &report, compilations_write, &view);
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	size_t read = 0;
	int status;

	arguments_parse(&cmd_compilations, argc, argv, &request);
	if (!compile_init(&request.compile))
		return diag_no_memory(NULL);
	status = read_inputs(&request, &read);
	if (!compile_finish(&request.compile))
		status = diag_no_memory(NULL);
	else if (read != 0)
		status = exit_worse(status, write_report(&request));
	compile_clear(&request.compile);
	input_tree_clear(&request.tree);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Table:", GROUP_MAIN),
	{"table", 0, "all|breaks|again|functions", ARGUMENT_WORD,
		"show all tables (the default; as CSV, the one of "
		"compilations), or only that of graph breaks, of reasons for "
		"compiling again, or of functions", GROUP_MAIN, OF(table)},
	{"callers", 0, NULL, ARGUMENT_FLAG,
		"show the callers of each function, as text and CSV",
		GROUP_MAIN, OF(callers)},
	{"top", 'n', "N", ARGUMENT_CALL,
		"show the first N rows of each table (default: 20 as text, all "
		"as JSON and CSV; 0: all)", GROUP_MAIN, OF(report_options),
		.call = report_read_top},
	ARGUMENTS_OF(&inputs_unnamed_arguments, OF(inputs)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
};
/* clang-format on */

const struct command cmd_compilations = {
	.name = "compilations",
	.group = "Look at a recording",
	.summary = "show what torch.compile and other compilers compiled",
	.forms = {&compilations_form, &graph_breaks_form, &recompilations_form,
		&functions_form},
	.arguments = {ARGUMENTS(options)},
	.usage = "[FILE...]",
	.help = "Show what compilers compiled, the longest compilation first, "
		"with the time of each part. Logs of torch.compile(), by "
		"TORCH_TRACE, also have graph breaks with the lines that cause "
		"them, and the reasons for compiling again; those of record "
		"--compile have the functions that Dynamo traced. Both of one "
		"run are joined. Traces "
		"of clang, lld, nvcc, rustc and XLA (JAX) are "
		"recognized by their ranges. A directory stands for all traces "
		"below it; files that are not of a compiler are left "
		"out.\vExamples:\n"
		"  TORCH_TRACE=trace python3 train.py\n"
		"  ctprof compilations trace/\n"
		"  ctprof compilations --callers compile.ctp trace/\n"
		"  ctprof compilations build/        # clang -ftime-trace\n"
		"  ctprof compilations --table=breaks --json trace/ | "
		"jq '.graph_breaks[0].stack'",
	.run = run,
};

/* SPDX-License-Identifier: MIT */
/* When devices were idle, and why. */
#include "cmd.h"

#include <stdlib.h>

#include "arguments.h"
#include "convert.h"
#include "gaps_report.h"
#include "input.h"
#include "inputs.h"
#include "optimize_report.h"
#include "output.h"
#include "progress.h"
#include "say.h"

#define USUAL_TOP 20 /* for text */
#define TOP_UNSET UINT32_MAX

enum style { STYLE_TEXT, STYLE_JSON, STYLE_CSV };

struct request {
	struct inputs inputs;
	const char *output;
	bool force;
	enum style style;
	enum when color;
	uint32_t top;
	bool optimizes; /* --optimize was given, with this: */
	struct optimize_options optimize;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &request->inputs;
		state->child_inputs[1] = &request->inputs;
		return 0;
	case 'n':
		request->top = arg[0] == '0' && arg[1] == '\0'
				       ? 0
				       : arguments_count(state, "--top", arg);
		return 0;
	case KEY_OPTIMIZE:
		request->optimizes = true;
		request->optimize.length =
			arguments_count(state, "--optimize", arg);
		return 0;
	case KEY_ROBUST:
		request->optimize.robust = true;
		return 0;
	case ARGP_KEY_END:
		if (request->optimize.robust && !request->optimizes)
			argp_error(state, "--robust is for --optimize: without "
					  "it, the report is robust always");
		return 0;
	case KEY_JSON:
		request->style = STYLE_JSON;
		return 0;
	case KEY_CSV:
		request->style = STYLE_CSV;
		return 0;
	case 'o':
		request->output = arg;
		return 0;
	case KEY_FORCE:
		request->force = true;
		return 0;
	case KEY_COLOR:
		request->color = arguments_when(state, "--color", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void on_progress(void *user, uint64_t position)
{
	progress_update(user, position);
}

static enum ctp_status take_gaps(
	void *user, const struct event *event, struct ctp_error *err)
{
	return gaps_add(user, event, err);
}

static enum ctp_status take_optimize(
	void *user, const struct event *event, struct ctp_error *err)
{
	return optimize_add(user, event, err);
}

/* Reads all events into one of the two. */
static enum ctp_status read_events(const struct request *request,
	struct input *input, struct gaps *gaps, struct optimize *optimize,
	struct ctp_error *err)
{
	const struct inputs *inputs = &request->inputs;
	struct progress progress;
	struct convert_job job = {.progress = on_progress, .user = &progress};
	struct event_source *source = input->origin.source;
	enum ctp_status status;

	progress_start(&progress, inputs->quiet ? WHEN_NEVER : inputs->progress,
		NULL, input->origin.size_bytes);
	source->trace->no_args = true;
	if (gaps != NULL)
		status = convert_each(source, &job, take_gaps, gaps, err);
	else
		status = convert_each(
			source, &job, take_optimize, optimize, err);
	if (status == CTP_END)
		status = gaps != NULL ? gaps_finish(gaps, err)
				      : optimize_finish(optimize, err);
	progress_hide(&progress);
	return status;
}

static void begin_report(struct report *report, const struct trace *trace,
	const char *schema, char *const *path)
{
	*report = (struct report){
		.schema = schema,
		.inputs = path,
		.input_count = 1,
		.truncated = trace->losses[LOSS_TRUNCATED] != 0,
	};
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		report->losses[loss] = trace->losses[loss];
}

static int print_gaps(const struct request *request, const struct gaps *gaps,
	const struct trace *trace, char *const *path, FILE *out)
{
	const struct gaps_view view = {.gaps = gaps,
		.trace = trace,
		.top = request->top,
		.color = terminal_color(out, request->color),
		.width = terminal_width(out)};
	struct report report;
	uint32_t count;

	(void)gaps_devices(gaps, &count);
	begin_report(&report, trace, "ctprof/gaps/1", path);
	if (request->style == STYLE_JSON)
		return gaps_print_json(&view, &report, out);
	if (request->style == STYLE_CSV)
		return gaps_print_csv(&view, out);
	if (count > 0)
		return gaps_print_text(&view, out);
	fputs("No GPU did anything: there are no kernels, copies or memsets.\n",
		out);
	return EXIT_DONE;
}

static int print_optimize(const struct request *request,
	const struct optimize *optimize, const struct trace *trace,
	char *const *path, FILE *out)
{
	const struct optimize_view view = {.optimize = optimize,
		.trace = trace,
		.color = terminal_color(out, request->color),
		.width = terminal_width(out)};
	struct report report;

	begin_report(&report, trace, "ctprof/optimize/1", path);
	if (request->style == STYLE_JSON)
		return optimize_print_json(&view, &report, out);
	if (request->style == STYLE_CSV)
		return optimize_print_csv(&view, out);
	return optimize_print_text(&view, out);
}

static int report_input(const struct request *request, char *const *path,
	struct input *input, FILE *out)
{
	const struct trace *trace = input->origin.source->trace;
	struct gaps *gaps = request->optimizes ? NULL : gaps_new(trace);
	struct optimize *optimize =
		request->optimizes ? optimize_new(trace, request->optimize)
				   : NULL;
	struct ctp_error err = {0};
	int result;

	if (gaps == NULL && optimize == NULL) {
		say_no_memory(input->name);
		return EXIT_LIMIT;
	}
	if (read_events(request, input, gaps, optimize, &err) != CTP_OK)
		result = input_failed(input, input->name, &err);
	else if (gaps != NULL)
		result = print_gaps(request, gaps, trace, path, out);
	else
		result = print_optimize(request, optimize, trace, path, out);
	gaps_free(gaps);
	optimize_free(optimize);
	return result;
}

static int report_one(
	const struct request *request, char *const *path, FILE *out)
{
	struct input input;
	int status = input_open(&input, *path, &request->inputs);
	int closed;

	if (status != EXIT_DONE)
		return status;
	if (input.origin.source->read_profile != NULL) {
		say("%s: holds a profile, which does not know when things "
		    "happened",
			input.name);
		status = EXIT_INPUT;
	} else {
		status = report_input(request, path, &input, out);
	}
	closed = input_close(&input, &request->inputs);
	return closed > status ? closed : status;
}

static int run_request(const struct request *request)
{
	const struct inputs *inputs = &request->inputs;
	struct output output;
	int worst =
		output_open(&output, request->output, request->force, false);
	int status;

	if (worst != EXIT_DONE)
		return worst;
	for (size_t i = 0; i < inputs->count; i++) {
		if (i > 0 && request->style == STYLE_TEXT)
			putc('\n', output.file);
		status = report_one(request, &inputs->paths[i], output.file);
		worst = status > worst ? status : worst;
	}
	status = output_close(&output, worst == EXIT_DONE ||
					       worst == EXIT_DAMAGED ||
					       inputs->count > 1);
	return status > worst ? status : worst;
}

static int run(int argc, char **argv)
{
	struct request request = {.top = TOP_UNSET};
	int status;

	arguments_parse(cmd_gaps.argp, 0, argc, argv, &request);
	if (request.top == TOP_UNSET)
		request.top = request.style == STYLE_TEXT ? USUAL_TOP : 0;
	status = run_request(&request);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
static const struct argp_option options[] = {
	OPTION_HEADING("Table:", GROUP_MAIN),
	{"top", 'n', "N", 0,
		"show the first N places in the host's code (default: 20 as "
		"text, all as JSON and CSV; 0: all)", GROUP_MAIN},
	{"optimize", KEY_OPTIMIZE, "N", 0,
		"show the N ranges of the host's code that are most worth to "
		"be made faster: those idle for long while the queue of "
		"kernels ran empty", GROUP_MAIN},
	{"robust", KEY_ROBUST, NULL, 0,
		"with --optimize: idle is when no GPU does anything, not when "
		"the queue is empty; graphs, and other launches than the "
		"runtime's, count", GROUP_MAIN},
	OPTION_HEADING("Output:", GROUP_OUTPUT),
	{"json", KEY_JSON, NULL, 0,
		"print JSON, with times in nanoseconds, one object for each "
		"input", GROUP_OUTPUT},
	{"csv", KEY_CSV, NULL, 0,
		"print CSV, with times in nanoseconds", GROUP_OUTPUT},
	{"output", 'o', "FILE", 0,
		"write to this file (default: standard output)", GROUP_OUTPUT},
	{"force", KEY_FORCE, NULL, 0,
		"overwrite a file that exists", GROUP_OUTPUT},
	{"color", KEY_COLOR, WHEN_VALUES, 0,
		"colour (auto: on a terminal, unless NO_COLOR is set)",
		GROUP_OUTPUT},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

static const struct argp_child children[] = {{&inputs_argp, 0, NULL, 0},
	{&inputs_names_argp, 0, NULL, 0}, {&help_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE...]",
	.doc = "Show when GPUs were idle, and why: how much of the time each "
	       "was busy, what the idle time was due to, and which code of the "
	       "host covered it.\v"
	       "Examples:\n"
	       "  ctprof gaps train.json.gz\n"
	       "  ctprof gaps --optimize 5 train.json.gz\n"
	       "  ctprof gaps --json run.ctp | jq '.rows[].causes'",
	.children = children,
	.help_filter = arguments_filter,
};

const struct command cmd_gaps = {
	.name = "gaps",
	.group = "Look at a recording",
	.summary = "show when GPUs were idle, and why",
	.argp = &argp,
	.run = run,
};

/* SPDX-License-Identifier: MIT */
/* Options, inputs and output of commands that print a report. */
#include "input/report.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "convert.h"
#include "format.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "cli/table.h"

static void choose_style(const struct argument_value *value)
{
	const char *name = value->argument->name;
	enum report_style *chosen = value->member;
	enum report_style style =
		strcmp(name, "json") == 0 ? REPORT_JSON : REPORT_CSV;

	if (*chosen != REPORT_TEXT && *chosen != style)
		argp_error(value->state, "--json and --csv exclude each other");
	*chosen = style;
	if (strcmp(name, "csv-raw") == 0)
		table_csv_raw();
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct output_options, member)
static const struct argument output_options[] = {
	ARGUMENT_HEADING("Output:", GROUP_OUTPUT),
	{"output", 'o', "FILE", ARGUMENT_OUTPUT,
		"write to this file (default: -, standard output)",
		GROUP_OUTPUT, OF(path)},
	{"force", 0, NULL, ARGUMENT_FLAG, "overwrite a file that exists",
		GROUP_OUTPUT, OF(force)},
};

const struct arguments output_arguments = {ARGUMENTS(output_options)};
#undef OF

#define OF(member) ARGUMENT_OF(struct report_options, member)
static const struct argument options[] = {
	{"json", 0, NULL, ARGUMENT_CALL,
		"print JSON, with times in nanoseconds", GROUP_OUTPUT,
		OF(style), .call = choose_style},
	{"csv", 0, NULL, ARGUMENT_CALL, "print CSV, with times in nanoseconds",
		GROUP_OUTPUT, OF(style), .call = choose_style},
	{"csv-raw", 0, NULL, ARGUMENT_CALL,
		"print CSV with unchanged texts, even if a spreadsheet takes "
		"them for formulas", GROUP_OUTPUT, OF(style),
		.call = choose_style},
	{"color", 0, WHEN_VALUES, ARGUMENT_WORD,
		"colour (auto: on a terminal, unless NO_COLOR is set)",
		GROUP_OUTPUT, OF(color)},
	ARGUMENTS_OF(&output_arguments, OF(output)),
};
/* clang-format on */

const struct arguments report_arguments = {ARGUMENTS(options)};

int report_print(struct output_options to, int (*print)(void *user, FILE *out),
	void *user)
{
	struct output output;
	int status = output_open(&output, to.path, to.force, false);

	if (status != EXIT_DONE)
		return status;
	status = print(user, output.file);
	return exit_worse(status, output_close(&output, status == EXIT_DONE));
}

/* State shared by the reports of all inputs. */
struct input_loop {
	struct report_target to;
	struct inputs closing; /* for input_close() */
	report_fn *print;
	void *user;
	bool named;   /* begin each with the input's name */
	bool printed; /* one before this */
};

static int report_input(struct input_loop *loop, size_t i)
{
	struct report_target *to = &loop->to;
	struct input input;
	int status = input_open(&input, to->inputs->paths[i], to->inputs);

	if (status != EXIT_DONE)
		return status;
	if (loop->named) {
		fputs(loop->printed ? "\n" : "", to->out);
		table_text(to->out, input.name, strlen(input.name));
		putc('\n', to->out);
	}
	loop->printed = true;
	to->input = &input;
	to->path = &to->inputs->paths[i];
	status = loop->print(loop->user, to);
	return exit_worse(status, input_close(&input, &loop->closing));
}

int report_print_inputs(struct report_options *report_options,
	const struct inputs *inputs, report_fn *print, void *user)
{
	struct input_loop loop = {
		.to = {report_options, inputs, NULL, NULL, NULL},
		.closing = *inputs,
		.print = print,
		.user = user};
	struct output output;
	int worst = output_open(&output, report_options->output.path,
		report_options->output.force, false);
	int status;

	if (worst != EXIT_DONE)
		return worst;
	loop.to.out = output.file;
	loop.closing.quiet |= report_options->is_whole;
	loop.named = report_options->style == REPORT_TEXT &&
		     inputs->count > 1 && !report_options->is_whole;
	for (size_t i = 0; i < inputs->count; i++) {
		status = report_input(&loop, i);
		worst = exit_worse(worst, status);
	}
	if (report_options->finish != NULL)
		worst = exit_worse(
			worst, report_options->finish(user, output.file));
	return exit_worse(
		worst, output_close(&output, worst == EXIT_DONE ||
						     worst == EXIT_DAMAGED ||
						     inputs->count > 1));
}

enum ctp_status report_read(const struct inputs *inputs, struct input *input,
	enum ctp_status (*add_event)(
		void *user, const struct event *event, struct ctp_error *err),
	void *user, struct ctp_error *err)
{
	struct convert_job job = {
		.progress = input_update_progress, .user = input};
	const struct convert_sink sink = {.add = add_event, .to = user};
	enum ctp_status status;

	input_start_progress(input, inputs_progress(inputs));
	status = convert_read_events(input->file.source, &job, &sink, err);
	progress_hide(&input->progress);
	return status == CTP_END ? CTP_OK : status;
}

int report_collect(const struct report_target *to,
	enum ctp_status (*add_event)(
		void *user, const struct event *event, struct ctp_error *err),
	enum ctp_status (*finish)(void *user, struct ctp_error *err),
	void *user)
{
	struct ctp_error err = {0};
	enum ctp_status status;

	if (!report_has_events(to->input))
		return EXIT_INPUT;
	status = user == NULL ? ctp_no_memory(&err)
			      : report_read(to->inputs, to->input, add_event,
					user, &err);
	if (status == CTP_OK)
		status = finish(user, &err);
	return status == CTP_OK
		       ? EXIT_DONE
		       : input_diag_error(to->input, to->input->name, &err);
}

bool report_has_events(const struct input *input)
{
	if (input->file.source->read_profile == NULL)
		return true;
	diag(input->file.format == &ctpart_format
			? "%s: is a summary, which has only sums: use its "
			  "inputs"
			: "%s: is a profile (no timestamps)",
		input->name);
	return false;
}

struct report report_of(const struct inputs *inputs, const char *schema,
	const uint64_t losses[LOSS_KINDS])
{
	struct report report = {
		.schema = schema,
		.inputs = inputs->paths,
		.input_count = inputs->count,
		.truncated = losses[LOSS_TRUNCATED] != 0,
	};

	memcpy(report.losses, losses, sizeof(report.losses));
	return report;
}

void report_read_top(const struct argument_value *value)
{
	struct report_options *report_options = value->member;

	report_options->has_top = true;
	if (strcmp(value->text, "0") != 0 &&
		!quantity_read_count(value->text, &report_options->top))
		argument_error(value,
			"'%s' is not a number of rows, or 0 for all",
			value->text);
}

uint32_t report_row_limit(
	const struct report_options *report_options, uint32_t text_rows)
{
	if (report_options->has_top)
		return report_options->top;
	return report_options->style == REPORT_TEXT ? text_rows : 0;
}

int report_write(struct report_options *report_options,
	const struct report *report, FILE *out,
	void (*write)(struct sheet *sheet, const void *view), const void *view)
{
	struct sheet sheet = {
		.style = report_options->style,
		.out = out,
		.titles = report_needs_titles(report_options),
		.color = terminal_color(out, report_options->color),
		.width = terminal_width(out),
	};
	bool is_json = sheet.style == REPORT_JSON;
	int status = EXIT_DONE;

	if (is_json)
		status = report_begin(report, &sheet.json, out);
	if (status != EXIT_DONE)
		return status;
	write(&sheet, view);
	sheet.json.failed |= sheet.failed;
	if (is_json)
		return report_end(&sheet.json);
	if (!sheet.failed)
		return EXIT_DONE;
	return ferror(out) ? EXIT_OUTPUT : diag_no_memory(NULL);
}

int report_finish(const struct report_target *to,
	const struct report_form *form, bool truncated,
	void (*write)(struct sheet *sheet, const void *view), const void *view)
{
	const struct inputs inputs = {
		.paths = (char **)(uintptr_t)to->path, .count = 1};
	struct report report = report_of(
		&inputs, form->schema, to->input->file.source->trace->losses);

	report.truncated |= truncated;
	return report_write(to->report_options, &report, to->out, write, view);
}

struct write_context {
	struct report_options *report_options;
	const struct report *report;
	void (*write)(struct sheet *sheet, const void *view);
	const void *view;
};

static int write_view(void *user, FILE *out)
{
	const struct write_context *context = user;

	return report_write(context->report_options, context->report, out,
		context->write, context->view);
}

int report_write_output(struct report_options *report_options,
	const struct report *report,
	void (*write)(struct sheet *sheet, const void *view), const void *view)
{
	return report_print(report_options->output, write_view,
		&(struct write_context){report_options, report, write, view});
}

bool report_needs_titles(struct report_options *report_options)
{
	bool needs = !report_options->has_titles;

	report_options->has_titles = true;
	return needs;
}

/* ---- the JSON that reports have in common ---- */

void report_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_text(json, text);
}

void report_uint(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_uint(json, value);
}

void report_int(struct json *json, const char *key, int64_t value)
{
	json_key(json, key);
	json_int(json, value);
}

void report_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	json_bool(json, value);
}

static void put_losses(struct json *json, const struct report *report,
	const char *key, bool notes)
{
	json_key(json, key);
	json_begin(json, '{');
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		if (report->losses[loss] != 0 &&
			trace_loss_is_note(loss) == notes)
			report_uint(json, trace_loss_name(loss),
				report->losses[loss]);
	json_end(json, '}');
}

int report_begin(const struct report *report, struct json *json, FILE *out)
{
	if (!json_init(json, out))
		return diag_no_memory(NULL);
	json_begin(json, '{');
	report_text(json, "schema", report->schema);
	json_key(json, "inputs");
	json_begin(json, '[');
	for (size_t i = 0; i < report->input_count; i++)
		json_text(json, report->inputs[i]);
	json_end(json, ']');
	put_losses(json, report, "lost", false);
	put_losses(json, report, "notes", true);
	report_bool(json, "truncated", report->truncated);
	return EXIT_DONE;
}

int report_end(struct json *json)
{
	bool failed;

	json_end(json, '}');
	json_raw_text(json, "\n");
	json_flush(json);
	failed = json->failed;
	json_clear(json);
	if (!failed)
		return EXIT_DONE;
	return diag_no_memory(NULL);
}

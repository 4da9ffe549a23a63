/* SPDX-License-Identifier: MIT */
#include "repair/repair_json.h"

#include <inttypes.h>

#include "cli/command.h"
#include "io/known_formats.h"
#include "input/input.h"
#include "input_file.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "json_repair/repair.h"
#include "cli/report.h"
#include "cli/diag.h"

struct repair_input {
	const struct repair_json *request;
	const char *name;
	struct input_file file;
	struct progress progress;
	struct inflate_facts packed; /* of a gzip'd input */
	struct repair_result result;
};

/* Is it one of the formats that are JSON, or in none that we know? An archive
 * of traces would become one trace, of all of them. */
static int check_format(const struct repair_input *input)
{
	const struct format *format = input->file.format;
	const char *advice = NULL;

	if (format == NULL)
		advice = known_formats_advice(
			input->file.head, input->file.head_size);
	if (advice != NULL) {
		diag("%s: %s", input->name, advice);
		return EXIT_INPUT;
	}
	if (format == &log_format) {
		diag("%s: is a log of ctprof's, which is completed where it "
		     "is: "
		     "'ctprof repair %s'",
			input->name, input->request->input);
		return EXIT_INPUT;
	}
	if (format == NULL || format == &chrome_format ||
		format == &speedscope_format || format == &gprof2dot_format)
		return EXIT_DONE;
	diag("%s: is %s, and no JSON", input->name, format->name);
	return EXIT_INPUT;
}

static void on_progress(void *user, uint64_t position)
{
	struct repair_input *input = user;

	if (input->file.inflate != NULL)
		position = inflate_file_facts(input->file.inflate).position;
	progress_update(&input->progress, position);
}

static int report_error(const struct repair_input *input, FILE *out,
	const struct ctp_error *err)
{
	if (err->status == CTP_ERR_NOMEM) {
		diag_error(input->name, err);
		return EXIT_LIMIT;
	}
	if (err->status == CTP_ERR_IO && ferror(out) != 0)
		return EXIT_OUTPUT; /* said when it is closed */
	diag_error(input->name, err);
	return EXIT_INPUT;
}

/* Text of any kind has brackets, and between them what looks like pieces of
 * JSON: that is no trace, if neither an event nor a trace's member is there. */
static bool is_no_trace(const struct repair_input *input)
{
	const struct repair_result *result = &input->result;
	const struct repair_fixes *fixes = &result->fixes;
	bool garbage = fixes->counts[REPAIR_GARBAGE] > 0;

	if (input->file.format != NULL || result->events > 0 ||
		result->has_header)
		return false;
	if (result->out_bytes < sizeof("{\"traceEvents\":[]}"))
		return garbage || fixes->counts[REPAIR_DROPPED] > 0;
	return garbage && fixes->first[REPAIR_GARBAGE] == 0;
}

static int write_output(struct repair_input *input)
{
	struct output output;
	struct ctp_error err;
	struct repair_job job = {.in = input->file.file,
		.head = input->file.head,
		.head_size = input->file.head_size,
		.progress = on_progress,
		.user = input};
	int status = output_open(
		&output, input->request->output, input->request->force, false);
	enum ctp_status done;

	if (status != EXIT_DONE)
		return status;
	progress_start(&input->progress,
		input->request->quiet ? WHEN_NEVER : input->request->progress,
		NULL, input->file.size_bytes);
	job.out = output.file;
	done = repair_run(&job, &input->result, &err);
	progress_hide(&input->progress);
	if (done != CTP_OK)
		status = report_error(input, output.file, &err);
	if (status == EXIT_DONE && is_no_trace(input)) {
		diag("%s: has no event, and nothing else that a trace in JSON "
		     "has",
			input->name);
		status = EXIT_INPUT;
	}
	return exit_worse(
		status, output_close(&output,
				status == EXIT_DONE || status == EXIT_OUTPUT));
}

static void diag_fixes(const struct repair_input *input)
{
	const struct repair_fixes *fixes = &input->result.fixes;

	if (input->result.in_bytes == 0)
		diag("%s: is empty; so is the trace that was made of it",
			input->name);
	for (unsigned fix = 0; fix < REPAIR_FIXES; fix++)
		if (fixes->counts[fix] > 0)
			diag("%s: %" PRIu64 " %s, first at byte %" PRIu64,
				input->name, fixes->counts[fix],
				repair_fix_words(fix), fixes->first[fix]);
	if (input->packed.damage != NULL)
		diag("%s: byte %" PRIu64 ": %s", input->name,
			input->packed.damage_at, input->packed.damage);
	if (input->packed.strange_bytes > 0)
		diag("%s: %" PRIu64 " bytes behind what is compressed left out",
			input->name, input->packed.strange_bytes);
	if (repair_fix_total(fixes) == 0 && input->packed.damage == NULL)
		diag("%s: nothing to repair", input->name);
}

static void add_row(
	struct json *json, const struct repair_fixes *fixes, unsigned fix)
{
	json_begin(json, '{');
	report_text(json, "fix", repair_fix_name(fix));
	report_text(json, "words", repair_fix_words(fix));
	report_uint(json, "count", fixes->counts[fix]);
	report_uint(json, "byte", fixes->first[fix]);
	report_bool(json, "loss", repair_fix_is_loss(fix));
	json_end(json, '}');
}

static int print_report(const struct repair_input *input)
{
	const struct repair_fixes *fixes = &input->result.fixes;
	char *inputs[] = {(char *)(uintptr_t)input->request->input};
	struct report report = {.schema = "ctprof/repair/1",
		.inputs = inputs,
		.input_count = 1};
	struct json json;
	int status;

	report.losses[LOSS_TRUNCATED] = fixes->counts[REPAIR_TRUNCATED] +
					(input->packed.damage != NULL);
	report.losses[LOSS_BAD_EVENTS] = fixes->counts[REPAIR_DROPPED];
	report.truncated = report.losses[LOSS_TRUNCATED] > 0;
	status = report_begin(&report, &json, stdout);
	if (status != EXIT_DONE)
		return status;
	report_text(&json, "output", input->request->output);
	report_uint(&json, "input_bytes", input->result.in_bytes);
	report_uint(&json, "output_bytes", input->result.out_bytes);
	report_uint(&json, "events", input->result.events);
	report_uint(&json, "slices", input->result.slices);
	json_key(&json, "rows");
	json_begin(&json, '[');
	for (unsigned fix = 0; fix < REPAIR_FIXES; fix++)
		if (fixes->counts[fix] > 0)
			add_row(&json, fixes, fix);
	json_end(&json, ']');
	return report_end(&json);
}

int repair_json(const struct repair_json *request)
{
	struct repair_input input = {
		.request = request, .name = input_name(request->input)};
	struct ctp_error err;
	enum ctp_status opened =
		input_file_open_bytes(&input.file, request->input, &err);
	int status;

	if (opened != CTP_OK) {
		diag_error(input.name, &err);
		return opened == CTP_ERR_NOMEM ? EXIT_LIMIT : EXIT_INPUT;
	}
	status = check_format(&input);
	if (status == EXIT_DONE)
		status = write_output(&input);
	if (input.file.inflate != NULL)
		input.packed = inflate_file_facts(input.file.inflate);
	input_file_close_bytes(&input.file);
	if (status == EXIT_DONE && !request->quiet)
		diag_fixes(&input);
	return status == EXIT_DONE && request->json ? print_report(&input)
						    : status;
}

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

struct work {
	const struct repair_json *request;
	const char *name;
	struct input_file file;
	struct progress progress;
	struct inflate_facts packed; /* of a gzip'd input */
	struct repair_result result;
};

/* Is it one of the formats that are JSON, or in none that we know? An archive
 * of traces would become one trace, of all of them. */
static int check_format(const struct work *work)
{
	const struct format *format = work->file.format;
	const char *advice = NULL;

	if (format == NULL)
		advice = known_formats_advice(
			work->file.head, work->file.head_size);
	if (advice != NULL) {
		diag("%s: %s", work->name, advice);
		return EXIT_INPUT;
	}
	if (format == &log_format) {
		diag("%s: is a log of ctprof's, which is completed where it "
		     "is: "
		     "'ctprof repair %s'",
			work->name, work->request->input);
		return EXIT_INPUT;
	}
	if (format == NULL || format == &chrome_format ||
		format == &speedscope_format || format == &gprof2dot_format)
		return EXIT_DONE;
	diag("%s: is %s, and no JSON", work->name, format->name);
	return EXIT_INPUT;
}

static void on_progress(void *user, uint64_t position)
{
	struct work *work = user;

	if (work->file.inflate != NULL)
		position = inflate_file_facts(work->file.inflate).position;
	progress_update(&work->progress, position);
}

static int failed(
	const struct work *work, FILE *out, const struct ctp_error *err)
{
	if (err->status == CTP_ERR_NOMEM) {
		diag_error(work->name, err);
		return EXIT_LIMIT;
	}
	if (err->status == CTP_ERR_IO && ferror(out) != 0)
		return EXIT_OUTPUT; /* said when it is closed */
	diag_error(work->name, err);
	return EXIT_INPUT;
}

/* Text of any kind has brackets, and between them what looks like pieces of
 * JSON: that is no trace, if neither an event nor a trace's member is there. */
static bool is_no_trace(const struct work *work)
{
	const struct repair_result *result = &work->result;
	const struct repair_fixes *fixes = &result->fixes;
	bool garbage = fixes->counts[REPAIR_GARBAGE] > 0;

	if (work->file.format != NULL || result->events > 0 ||
		result->has_header)
		return false;
	if (result->out_bytes < sizeof("{\"traceEvents\":[]}"))
		return garbage || fixes->counts[REPAIR_DROPPED] > 0;
	return garbage && fixes->first[REPAIR_GARBAGE] == 0;
}

static int write_output(struct work *work)
{
	struct output output;
	struct ctp_error err;
	struct repair_job job = {.in = work->file.file,
		.head = work->file.head,
		.head_size = work->file.head_size,
		.progress = on_progress,
		.user = work};
	int status = output_open(
		&output, work->request->output, work->request->force, false);
	enum ctp_status done;

	if (status != EXIT_DONE)
		return status;
	progress_start(&work->progress,
		work->request->quiet ? WHEN_NEVER : work->request->progress,
		NULL, work->file.size_bytes);
	job.out = output.file;
	done = repair_run(&job, &work->result, &err);
	progress_hide(&work->progress);
	if (done != CTP_OK)
		status = failed(work, output.file, &err);
	if (status == EXIT_DONE && is_no_trace(work)) {
		diag("%s: has no event, and nothing else that a trace in JSON "
		     "has",
			work->name);
		status = EXIT_INPUT;
	}
	return exit_worse(
		status, output_close(&output,
				status == EXIT_DONE || status == EXIT_OUTPUT));
}

static void diag_fixes(const struct work *work)
{
	const struct repair_fixes *fixes = &work->result.fixes;

	if (work->result.in_bytes == 0)
		diag("%s: is empty; so is the trace that was made of it",
			work->name);
	for (unsigned fix = 0; fix < REPAIR_FIXES; fix++)
		if (fixes->counts[fix] > 0)
			diag("%s: %" PRIu64 " %s, first at byte %" PRIu64,
				work->name, fixes->counts[fix],
				repair_fix_words(fix), fixes->first[fix]);
	if (work->packed.damage != NULL)
		diag("%s: byte %" PRIu64 ": %s", work->name,
			work->packed.damage_at, work->packed.damage);
	if (work->packed.strange_bytes > 0)
		diag("%s: %" PRIu64 " bytes behind what is compressed left out",
			work->name, work->packed.strange_bytes);
	if (repair_fix_total(fixes) == 0 && work->packed.damage == NULL)
		diag("%s: nothing to repair", work->name);
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

static int print_report(const struct work *work)
{
	const struct repair_fixes *fixes = &work->result.fixes;
	char *inputs[] = {(char *)(uintptr_t)work->request->input};
	struct report report = {.schema = "ctprof/repair/1",
		.inputs = inputs,
		.input_count = 1};
	struct json json;
	int status;

	report.losses[LOSS_TRUNCATED] =
		fixes->counts[REPAIR_TRUNCATED] + (work->packed.damage != NULL);
	report.losses[LOSS_BAD_EVENTS] = fixes->counts[REPAIR_DROPPED];
	report.truncated = report.losses[LOSS_TRUNCATED] > 0;
	status = report_begin(&report, &json, stdout);
	if (status != EXIT_DONE)
		return status;
	report_text(&json, "output", work->request->output);
	report_uint(&json, "input_bytes", work->result.in_bytes);
	report_uint(&json, "output_bytes", work->result.out_bytes);
	report_uint(&json, "events", work->result.events);
	report_uint(&json, "slices", work->result.slices);
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
	struct work work = {
		.request = request, .name = input_name(request->input)};
	struct ctp_error err;
	enum ctp_status opened =
		input_file_open_bytes(&work.file, request->input, &err);
	int status;

	if (opened != CTP_OK) {
		diag_error(work.name, &err);
		return opened == CTP_ERR_NOMEM ? EXIT_LIMIT : EXIT_INPUT;
	}
	status = check_format(&work);
	if (status == EXIT_DONE)
		status = write_output(&work);
	if (work.file.inflate != NULL)
		work.packed = inflate_file_facts(work.file.inflate);
	input_file_close_bytes(&work.file);
	if (status == EXIT_DONE && !request->quiet)
		diag_fixes(&work);
	return status == EXIT_DONE && request->json ? print_report(&work)
						    : status;
}

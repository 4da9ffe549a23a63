/* SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include "cli/command.h"
#include "cli/diag.h"

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

/* SPDX-License-Identifier: MIT */
/* What an input is, when it was made, how much is in it and what is missing. */

#include "input/trace_summary.h"
#include "report/page_part.h"
#include "cli/quantity.h"
#include "cli/report.h"

#define FACTS_HUNDREDTHS 2

static void put_losses(struct page_part *part, const char *key, bool notes)
{
	struct json *json = &part->json;

	json_key(json, key);
	json_begin(json, '[');
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		if (part->trace->losses[loss] == 0 ||
			trace_loss_is_note(loss) != notes)
			continue;
		json_begin(json, '[');
		json_uint(json, part->trace->losses[loss]);
		json_text(json, trace_loss_words(loss));
		json_end(json, ']');
	}
	json_end(json, ']');
}

static void put_facts(struct page_part *part)
{
	const struct trace *trace = part->trace;
	struct json *json = &part->json;
	size_t until = page_part_until(part, FACTS_HUNDREDTHS);

	json_key(json, "facts");
	json_begin(json, '[');
	for (uint32_t i = 0; i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];

		if (page_part_bytes(part) >= until)
			break;
		json_begin(json, '[');
		page_part_text(part, strtab_text(trace->text, fact->key, NULL));
		page_part_text(
			part, strtab_text(trace->text, fact->value, NULL));
		json_end(json, ']');
	}
	json_end(json, ']');
}

static void put_start(
	struct json *json, const struct trace *trace, int64_t first_ns)
{
	char text[QUANTITY_TEXT];
	int64_t start_ns;

	json_key(json, "start");
	if (trace->base_realtime_ns == 0 ||
		__builtin_add_overflow(
			trace->base_realtime_ns, first_ns, &start_ns))
		json_none(json);
	else
		json_text(json, quantity_date(text, start_ns));
}

static void put_counts(struct page_part *part)
{
	const struct overview *overview = part->data->overview;
	const struct overview_counts *counts = overview_counts(overview);
	struct json *json = &part->json;

	report_uint(json, "ranges", counts->ranges);
	report_uint(json, "activities", counts->activities);
	report_uint(json, "instants", counts->instants);
	report_uint(json, "counters", counts->counters);
	report_uint(json, "async", counts->async);
	report_uint(json, "memory", counts->memory);
	report_uint(json, "steps", counts->steps);
}

static uint64_t calls_of(const struct profile *profile)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].device.kind == PROFILE_HOST)
			calls += profile->functions[i].cost.ncalls;
	return calls;
}

void page_facts_write(struct page_part *part, const struct input *input)
{
	const struct profile *profile = part->data->profile;
	struct json *json = &part->json;
	struct trace_summary summary = {0};
	int64_t first_ns = part->trace->start_ns;
	int64_t last_ns = part->trace->end_ns;

	if (part->data->overview != NULL)
		overview_span(part->data->overview, &first_ns, &last_ns);
	trace_summary_window(part->trace, &first_ns, &last_ns);
	json_key(json, "name");
	page_part_text(part, input->name);
	report_text(json, "format", input->origin.format->name);
	report_bool(json, "events", part->data->overview != NULL);
	put_start(json, part->trace, first_ns);
	if (part->data->overview != NULL) {
		report_uint(json, "span_ns",
			(uint64_t)last_ns - (uint64_t)first_ns);
		put_counts(part);
		if (!trace_summary_count_tracks(&summary, part->trace))
			json->failed = true;
		report_uint(json, "processes", summary.processes);
		report_uint(json, "threads", summary.threads);
		report_uint(json, "devices", summary.devices);
		report_uint(json, "late", kernels_late(part->data->kernels));
	}
	report_uint(json, "calls", calls_of(profile));
	put_losses(part, "lost", false);
	put_losses(part, "notes", true);
	put_facts(part);
}

/* SPDX-License-Identifier: MIT */
/* The inputs of a sum, as `ctprof info --sum` describes them. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/columns_page.h"
#include "input/input_tree.h"
#include "input/report.h"
#include "report/page_part.h"
#include "summary/census.h"
#include "summary/summary.h"

#define NAMES_SHOWN 20 /* of each kind */
#define LOST_SHOWN 100

/* Adds a fact "NAME: COUNT". False if out of memory. */
static bool add_name(
	struct trace *trace, const char *key, const struct summary_name *name)
{
	char *text = NULL;
	bool done;

	if (asprintf(&text, "%s: %" PRIu64,
		    name->name[0] == '\0' ? "unknown" : name->name,
		    name->count) < 0)
		return false;
	done = trace_add_fact(trace, key, text);
	free(text);
	return done;
}

bool page_sum_add_facts(struct trace *trace, const struct summary *summary)
{
	static const char *const keys[SUMMARY_NAME_KINDS] = {
		[SUMMARY_NAME_FORMAT] = "format",
		[SUMMARY_NAME_HOST] = "host",
		[SUMMARY_NAME_TOOL] = "tool",
		[SUMMARY_NAME_DEVICE] = "device"};
	unsigned counts[SUMMARY_NAME_KINDS] = {0};
	bool done = true;

	for (size_t i = 0; i < summary->name_count && done; i++) {
		const struct summary_name *name = &summary->names[i];
		unsigned count = counts[name->kind]++;

		if (count < NAMES_SHOWN)
			done = add_name(trace, keys[name->kind], name);
		else if (count == NAMES_SHOWN)
			done = trace_add_fact(trace, keys[name->kind],
				"(ctprof info --sum has more)");
	}
	return done;
}

static void put_lost(struct page_part *part, struct summary *summary)
{
	struct json *json = &part->sheet.json;
	size_t count = summary->lost_count;
	size_t shown = count < LOST_SHOWN ? count : LOST_SHOWN;

	summary_sort_lost(summary);
	json_key(json, "lost_inputs");
	json_begin(json, '[');
	for (size_t i = 0; i < shown; i++) {
		json_begin(json, '[');
		columns_page_text(&part->sheet, summary->lost[i].path);
		columns_page_text(&part->sheet, summary->lost[i].reason);
		json_end(json, ']');
	}
	json_end(json, ']');
	report_uint(json, "lost_inputs_hidden", count - shown);
}

static void put_skipped(struct json *json, const uint64_t *skipped)
{
	json_key(json, "skipped");
	json_begin(json, '[');
	for (enum input_tree_skip skip = 0; skip < INPUT_TREE_SKIP_COUNT;
		skip++) {
		if (skipped[skip] == 0)
			continue;
		json_begin(json, '[');
		json_uint(json, skipped[skip]);
		json_text(json, input_tree_skip_words(skip));
		json_end(json, ']');
	}
	json_end(json, ']');
}

void page_sum_write(struct page_part *part)
{
	const struct page_data *data = part->data;
	struct json *json = &part->sheet.json;
	struct census census = {0};

	summary_get_census(data->summary, &census);
	report_uint(json, "files", data->files);
	report_uint(json, "longest_ns", data->summary->extent.longest_ns);
	report_uint(json, "activities", census.activities);
	report_uint(json, "instants", census.instants);
	report_uint(json, "counters", census.counters);
	report_uint(json, "async", census.async);
	report_uint(json, "memory", census.memory);
	report_uint(json, "steps", census.steps);
	report_uint(json, "processes", census.processes);
	report_uint(json, "threads", census.threads);
	put_skipped(json, data->skipped);
	put_lost(part, data->summary);
}

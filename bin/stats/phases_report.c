/* SPDX-License-Identifier: MIT */
#include "stats/phases_report.h"

#include <inttypes.h>
#include <string.h>

#include "io/amount.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "cli/table.h"

#define SHORT_NS 10000000 /* shorter times are in us, not ms */
#define BAR "##########"
#define BAR_SIZE (sizeof(BAR) - 1)

/* A phase, or the rest. */
struct row {
	const char *phase;
	struct phase_sum sum;
	bool shown; /* it has any time */
};

/* Phases in the order of their rules, followed by the rest. */
static uint32_t row_count(const struct phases_view *view, uint32_t set)
{
	return phase_totals_phase_count(view->totals, set) + 2;
}

static struct row row_at(const struct phases_view *view, uint32_t set,
	const struct phase_times *times, uint32_t index)
{
	uint32_t phases = phase_totals_phase_count(view->totals, set);
	uint64_t rest_ns = index == phases ? times->unknown_ns : times->idle_ns;

	if (index < phases)
		return (struct row){
			.phase = phase_rules_phase(
				view->totals->sets->rules[set], index),
			.sum = times->phases[index],
			.shown = times->phases[index].count != 0,
		};
	return (struct row){
		.phase = index == phases ? "(unknown)" : "(idle)",
		.sum = {.self_ns = rest_ns, .total_ns = rest_ns},
		.shown = rest_ns != 0,
	};
}

static bool is_short(const struct phase_times *times)
{
	return times->wall_ns < SHORT_NS;
}

static const char *time_text(char text[QUANTITY_TEXT], uint64_t time_ns,
	const struct phase_times *of)
{
	return quantity_in(text, time_ns, is_short(of) ? 1000 : 1000000);
}

static void add_row(struct table *table, const struct row *row,
	const struct phase_times *times)
{
	uint32_t share = amount_share(row->sum.self_ns, times->wall_ns);
	size_t bar = (share * BAR_SIZE + AMOUNT_WHOLE / 2) / AMOUNT_WHOLE;
	bool is_rest = row->phase[0] == '(';
	char text[QUANTITY_TEXT];

	table_add_row(table, is_rest ? TABLE_FAINT : TABLE_PLAIN);
	table_add(table, time_text(text, row->sum.self_ns, times));
	table_add(table, amount_hundredths(text, share));
	table_add(table, &BAR[BAR_SIZE - bar]);
	table_add(table, time_text(text, row->sum.total_ns, times));
	(void)snprintf(text, sizeof(text), "%" PRIu64, row->sum.count);
	table_add(table, is_rest ? "" : text);
	table_add(table, row->phase);
}

static bool print_times(const struct phases_view *view, uint32_t set,
	const struct phase_times *times, FILE *out)
{
	const struct table_column columns[] = {
		{is_short(times) ? "self us" : "self ms", true},
		{"share %", true},
		{"", false},
		{is_short(times) ? "total us" : "total ms", true},
		{"count", true},
		{"phase", false},
	};
	struct table table;
	bool printed;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < row_count(view, set); i++) {
		struct row row = row_at(view, set, times, i);

		if (row.shown)
			add_row(&table, &row, times);
	}
	printed = table_print(&table, out, view->color, view->width);
	table_clear(&table);
	return printed;
}

static void put_printable(FILE *out, const char *name)
{
	table_text(out, name, strlen(name));
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void put_wall(const struct phase_times *times, FILE *out)
{
	char text[QUANTITY_TEXT];

	fprintf(out, "%s %s", time_text(text, times->wall_ns, times),
		is_short(times) ? "us" : "ms");
}

static void put_counts(const struct phase_total *total, FILE *out)
{
	fprintf(out, "%" PRIu64 " input%s, ", total->file_count,
		plural(total->file_count));
	if (total->thread_count != 0)
		fprintf(out, "%" PRIu64 " thread%s, ", total->thread_count,
			plural(total->thread_count));
	put_wall(&total->times, out);
}

static bool print_total(const struct phases_view *view, uint32_t set, FILE *out)
{
	const struct phase_total *total = &view->totals->totals[set];

	if (set == PHASE_TOTALS_NONE) {
		fputs("Without phases: ", out);
		put_counts(total, out);
		fputs("\n(no range matches the rules clang, dynamo, import or "
		      "nvcc; see --rules)\n",
			out);
		return true;
	}
	fputs("Phases by the rules ", out);
	put_printable(out, phase_totals_rules_name(view->totals, set));
	fputs(": ", out);
	put_counts(total, out);
	putc('\n', out);
	if (total->flat_count != 0)
		fprintf(out,
			"(%" PRIu64
			" of them have no call tree: there a phase has only "
			"the own time\nof the functions that its rules name)\n",
			total->flat_count);
	return print_times(view, set, &total->times, out);
}

static bool print_thread(const struct phases_view *view,
	const struct phase_total_thread *thread, FILE *out)
{
	putc('\n', out);
	put_printable(out, thread->path);
	fprintf(out, ": process %" PRId64 ", thread %" PRId64, thread->pid,
		thread->tid);
	if (thread->name[0] != '\0') {
		fputs(" (", out);
		put_printable(out, thread->name);
		putc(')', out);
	}
	fputs(": ", out);
	put_wall(&thread->times, out);
	putc('\n', out);
	return print_times(view, thread->set, &thread->times, out);
}

int phases_print_text(const struct phases_view *view, FILE *out)
{
	const struct phase_totals *totals = view->totals;
	bool printed = true;
	bool first = true;

	for (uint32_t set = 0; set <= PHASE_TOTALS_NONE && printed; set++) {
		if (totals->totals[set].file_count == 0)
			continue;
		if (!first)
			putc('\n', out);
		printed = print_total(view, set, out);
		first = false;
	}
	for (size_t i = 0; i < totals->thread_count && printed; i++)
		printed = print_thread(view, &totals->threads[i], out);
	if (first)
		fputs("No phase was found.\n", out);
	if (printed)
		return EXIT_DONE;
	return diag_no_memory(NULL);
}

static void put_csv_row(FILE *out, const char *rules, const struct row *row)
{
	table_csv(out, rules == NULL ? "" : rules, ',');
	table_csv(out, row->phase, ',');
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", row->sum.count,
		row->sum.self_ns, row->sum.total_ns);
}

static void put_csv_totals(const struct phases_view *view, FILE *out)
{
	const struct phase_totals *totals = view->totals;

	fputs("rules,phase,count,self_ns,total_ns\n", out);
	for (uint32_t set = 0; set <= PHASE_TOTALS_NONE; set++)
		for (uint32_t i = 0; totals->totals[set].file_count != 0 &&
				     i < row_count(view, set);
			i++) {
			struct row row = row_at(
				view, set, &totals->totals[set].times, i);

			if (row.shown)
				put_csv_row(out,
					phase_totals_rules_name(totals, set),
					&row);
		}
}

static void put_csv_threads(const struct phases_view *view, FILE *out)
{
	const struct phase_totals *totals = view->totals;

	fputs("input,pid,tid,name,rules,phase,count,self_ns,total_ns\n", out);
	for (size_t i = 0; i < totals->thread_count; i++) {
		const struct phase_total_thread *thread = &totals->threads[i];

		for (uint32_t j = 0; j < row_count(view, thread->set); j++) {
			struct row row =
				row_at(view, thread->set, &thread->times, j);

			if (!row.shown)
				continue;
			table_csv(out, thread->path, ',');
			fprintf(out, "%" PRId64 ",%" PRId64 ",", thread->pid,
				thread->tid);
			table_csv(out, thread->name, ',');
			put_csv_row(out,
				phase_totals_rules_name(totals, thread->set),
				&row);
		}
	}
}

int phases_print_csv(const struct phases_view *view, FILE *out)
{
	if (view->totals->by_thread)
		put_csv_threads(view, out);
	else
		put_csv_totals(view, out);
	return EXIT_DONE;
}

static void put_rules(
	const struct phases_view *view, uint32_t set, struct json *json)
{
	const char *rules = phase_totals_rules_name(view->totals, set);

	json_key(json, "rules");
	if (rules == NULL)
		json_none(json);
	else
		json_text(json, rules);
}

static void put_rows(
	const struct phases_view *view, uint32_t set, struct json *json)
{
	for (uint32_t i = 0; i < row_count(view, set); i++) {
		struct row row =
			row_at(view, set, &view->totals->totals[set].times, i);

		if (!row.shown)
			continue;
		json_begin(json, '{');
		put_rules(view, set, json);
		report_text(json, "phase", row.phase);
		report_uint(json, "count", row.sum.count);
		report_uint(json, "self_ns", row.sum.self_ns);
		report_uint(json, "total_ns", row.sum.total_ns);
		json_end(json, '}');
	}
}

static void put_set(
	const struct phases_view *view, uint32_t set, struct json *json)
{
	const struct phase_total *total = &view->totals->totals[set];

	json_begin(json, '{');
	put_rules(view, set, json);
	report_uint(json, "inputs", total->file_count);
	report_uint(json, "flat", total->flat_count);
	report_uint(json, "threads", total->thread_count);
	report_uint(json, "wall_ns", total->times.wall_ns);
	json_end(json, '}');
}

static void put_thread(const struct phases_view *view,
	const struct phase_total_thread *thread, struct json *json)
{
	json_begin(json, '{');
	report_text(json, "input", thread->path);
	report_int(json, "pid", thread->pid);
	report_int(json, "tid", thread->tid);
	report_text(json, "name", thread->name);
	put_rules(view, thread->set, json);
	report_uint(json, "wall_ns", thread->times.wall_ns);
	json_key(json, "phases");
	json_begin(json, '{');
	for (uint32_t i = 0; i < row_count(view, thread->set); i++) {
		struct row row = row_at(view, thread->set, &thread->times, i);

		if (row.shown)
			report_uint(json, row.phase, row.sum.self_ns);
	}
	json_end(json, '}');
	json_end(json, '}');
}

int phases_print_json(
	const struct phases_view *view, const struct report *report, FILE *out)
{
	const struct phase_totals *totals = view->totals;
	struct json json;
	int status = report_begin(report, &json, out);

	if (status != EXIT_DONE)
		return status;
	json_key(&json, "rows");
	json_begin(&json, '[');
	for (uint32_t set = 0; set <= PHASE_TOTALS_NONE; set++)
		if (totals->totals[set].file_count != 0)
			put_rows(view, set, &json);
	json_end(&json, ']');
	json_key(&json, "sets");
	json_begin(&json, '[');
	for (uint32_t set = 0; set <= PHASE_TOTALS_NONE; set++)
		if (totals->totals[set].file_count != 0)
			put_set(view, set, &json);
	json_end(&json, ']');
	if (totals->by_thread) {
		json_key(&json, "threads");
		json_begin(&json, '[');
		for (size_t i = 0; i < totals->thread_count; i++)
			put_thread(view, &totals->threads[i], &json);
		json_end(&json, ']');
	}
	return report_end(&json);
}

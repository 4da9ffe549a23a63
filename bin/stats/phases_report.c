/* SPDX-License-Identifier: MIT */
#include "stats/phases_report.h"

#include <inttypes.h>
#include <string.h>

#include "io/amount.h"
#include "cli/quantity.h"

#define SHORT_NS 10000000 /* shorter times are in us, not ms */
#define BAR "##########"
#define BAR_SIZE (sizeof(BAR) - 1)

static const struct column_unit ms = {"ms", 1000000};
static const struct column_unit us = {"us", 1000};

/* ---- phases ---- */

/* A phase, or the rest. */
struct line {
	const char *input, *name, *rules, *phase;
	int64_t pid, tid;
	struct phase_sum sum;
	uint64_t share;
	const char *bar;
	struct value count; /* in text */
};

#define THREADS 1u /* rows are of threads */

/* clang-format off */
#define OF(member) COLUMN_OF(struct line, member)
static const struct column items[] = {
	COLUMN_IN_CSV(TEXT, "input", "the input", OF(input), .when = THREADS),
	COLUMN_IN_CSV(INTEGER, "pid", "the process", OF(pid), .when = THREADS),
	COLUMN_IN_CSV(INTEGER, "tid", "the thread", OF(tid), .when = THREADS),
	COLUMN_IN_CSV(TEXT, "name", "the thread's name; empty if unknown",
		OF(name), .when = THREADS),
	COLUMN(TEXT, "rules", NULL, "the name of the rules; null for inputs "
		"that no rules match", OF(rules), .nullable = true),
	COLUMN(TEXT, "phase", NULL, "the phase; (unknown) is time outside of "
		"phases, (idle) time outside of ranges", OF(phase)),
	COLUMN(COUNT, "count", NULL, "number of ranges that begin it",
		OF(sum.count)),
	COLUMN(TIME, "self_ns", "self ", "time in the phase itself",
		OF(sum.self_ns)),
	COLUMN_IN_TEXT(PERCENT, "share %", OF(share)),
	COLUMN_IN_TEXT(TEXT, "", OF(bar)),
	COLUMN(TIME, "total_ns", "total ", "time from begin to end",
		OF(sum.total_ns)),
	COLUMN_IN_TEXT(COUNT, "count", OF(count)),
	COLUMN_IN_TEXT(TEXT, "phase", OF(phase)),
};
#undef OF
/* clang-format on */
static const struct columns table = COLUMNS("rows", "each phase", items);

/* Phases in the order of their rules, followed by the rest. */
static uint32_t line_count(const struct phase_total *total)
{
	return total->row_count + 2;
}

/* NULL for inputs that no rules match. */
static const char *rules_of(const struct phase_total *total)
{
	return total->rules[0] == '\0' ? NULL : total->rules;
}

/* False if it has no time. */
static bool find_line(struct line *line, const struct phase_total *total,
	uint64_t wall_ns, uint32_t index)
{
	bool is_phase = index < total->row_count;
	bool is_unknown = index == total->row_count;
	uint64_t rest_ns = is_unknown ? total->unknown_ns : total->idle_ns;
	size_t bar;

	line->rules = rules_of(total);
	if (is_phase) {
		line->phase = total->rows[index].name;
		line->sum = total->rows[index].sum;
		line->count = value_number(line->sum.count);
	} else {
		line->phase = is_unknown ? "(unknown)" : "(idle)";
		line->sum = (struct phase_sum){
			.self_ns = rest_ns, .total_ns = rest_ns};
	}
	line->share = amount_share(line->sum.self_ns, wall_ns);
	bar = (line->share * BAR_SIZE + AMOUNT_WHOLE / 2) / AMOUNT_WHOLE;
	line->bar = &BAR[BAR_SIZE - bar];
	return is_phase ? line->sum.count != 0 : rest_ns != 0;
}

/* `thread` is NULL for the sum of all. */
static void add_lines(struct sheet *sheet, const struct phase_total *total,
	const struct phase_thread_total *thread)
{
	uint64_t wall_ns = phase_total_wall(total);

	for (uint32_t i = 0; i < line_count(total); i++) {
		struct line line = {0};

		if (thread != NULL) {
			line.input = thread->path;
			line.name = thread->name;
			line.pid = thread->pid;
			line.tid = thread->tid;
		}
		if (find_line(&line, total, wall_ns, i))
			columns_add(sheet, &table,
				line.phase[0] == '(' ? TABLE_FAINT
						     : TABLE_PLAIN,
				&line);
	}
}

static void add_sums(struct sheet *sheet, const struct phase_totals *totals)
{
	for (uint32_t i = 0; i < totals->count; i++)
		add_lines(sheet, &totals->items[i], NULL);
}

static void add_threads(
	struct sheet *sheet, const struct phase_threads *threads)
{
	for (size_t i = 0; i < threads->count; i++)
		add_lines(sheet, &threads->items[i].total, &threads->items[i]);
}

/* ---- text ---- */

static void print_times(struct sheet *sheet, const struct phase_total *total)
{
	columns_begin(sheet, &table);
	add_lines(sheet, total, NULL);
	columns_end(sheet, &table);
}

/* "12.5 ms"; the unit is also that of the table. */
static void print_wall(struct sheet *sheet, const struct phase_total *total)
{
	uint64_t wall_ns = phase_total_wall(total);
	char text[QUANTITY_TEXT];

	sheet->unit = wall_ns < SHORT_NS ? us : ms;
	columns_note(sheet, "%s %s\n",
		quantity_in(text, wall_ns, sheet->unit.size), sheet->unit.name);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void print_counts(struct sheet *sheet, const struct phase_total *total)
{
	columns_note(sheet, "%" PRIu64 " input%s, ", total->file_count,
		plural(total->file_count));
	if (total->thread_count != 0)
		columns_note(sheet, "%" PRIu64 " thread%s, ",
			total->thread_count, plural(total->thread_count));
	print_wall(sheet, total);
}

static void print_name(struct sheet *sheet, const char *name)
{
	table_text(sheet->out, name, strlen(name));
}

static void print_total(struct sheet *sheet, const struct phase_total *total)
{
	if (rules_of(total) == NULL) {
		columns_note(sheet, "Without phases: ");
		print_counts(sheet, total);
		columns_note(sheet, "(no range matches the rules clang, "
				    "dynamo, import or nvcc; see --rules)\n");
		return;
	}
	columns_note(sheet, "Phases by the rules ");
	print_name(sheet, total->rules);
	columns_note(sheet, ": ");
	print_counts(sheet, total);
	if (total->flat_count != 0)
		columns_note(sheet,
			"(%" PRIu64
			" of them have no call tree: there a phase has only "
			"the own time\nof the functions that its rules name)\n",
			total->flat_count);
	print_times(sheet, total);
}

static void print_thread(
	struct sheet *sheet, const struct phase_thread_total *thread)
{
	columns_note(sheet, "\n");
	print_name(sheet, thread->path);
	columns_note(sheet, ": process %" PRId64 ", thread %" PRId64,
		thread->pid, thread->tid);
	if (thread->name[0] != '\0') {
		columns_note(sheet, " (");
		print_name(sheet, thread->name);
		columns_note(sheet, ")");
	}
	columns_note(sheet, ": ");
	print_wall(sheet, &thread->total);
	print_times(sheet, &thread->total);
}

static void write_text(struct sheet *sheet, const struct phases_view *view)
{
	const struct phase_totals *totals = view->totals;

	for (uint32_t i = 0; i < totals->count; i++) {
		if (i > 0)
			columns_note(sheet, "\n");
		print_total(sheet, &totals->items[i]);
	}
	for (size_t i = 0; view->threads != NULL && i < view->threads->count;
		i++)
		print_thread(sheet, &view->threads->items[i]);
	if (totals->count == 0)
		columns_note(sheet, "No phase was found.\n");
}

/* ---- sets and threads in JSON ---- */

struct set_line {
	const char *rules;
	uint64_t inputs, flat, threads, wall_ns;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct set_line, member)
static const struct column set_items[] = {
	COLUMN_IN_JSON(TEXT, "rules", "the name of the rules; null for inputs "
		"that no rules match", OF(rules), .nullable = true),
	COLUMN_IN_JSON(COUNT, "inputs", "number of inputs", OF(inputs)),
	COLUMN_IN_JSON(COUNT, "flat", "number of those without a call tree",
		OF(flat)),
	COLUMN_IN_JSON(COUNT, "threads", "number of threads", OF(threads)),
	COLUMN_IN_JSON(TIME, "wall_ns", "the sum of the self times",
		OF(wall_ns)),
};
#undef OF
/* clang-format on */
static const struct columns set_table =
	COLUMNS("sets", "each set of rules that was used", set_items);

static void add_sets(struct sheet *sheet, const struct phase_totals *totals)
{
	columns_begin(sheet, &set_table);
	for (uint32_t i = 0; i < totals->count; i++) {
		const struct phase_total *total = &totals->items[i];

		columns_add(sheet, &set_table, TABLE_PLAIN,
			&(struct set_line){.rules = rules_of(total),
				.inputs = total->file_count,
				.flat = total->flat_count,
				.threads = total->thread_count,
				.wall_ns = phase_total_wall(total)});
	}
	columns_end(sheet, &set_table);
}

struct thread_line {
	const struct phase_total *total;
	const char *input, *name, *rules;
	int64_t pid, tid;
	uint64_t wall_ns;
};

static void put_phases(
	struct sheet *sheet, const struct column *column, const void *row)
{
	const struct thread_line *thread = row;

	(void)column;
	for (uint32_t i = 0; i < line_count(thread->total); i++) {
		struct line line = {0};

		if (!find_line(&line, thread->total, thread->wall_ns, i))
			continue;
		json_key(&sheet->json, line.phase);
		json_uint(&sheet->json, line.sum.self_ns);
	}
}

/* clang-format off */
#define OF(member) COLUMN_OF(struct thread_line, member)
static const struct column thread_items[] = {
	COLUMN_IN_JSON(TEXT, "input", "the input", OF(input)),
	COLUMN_IN_JSON(INTEGER, "pid", "the process", OF(pid)),
	COLUMN_IN_JSON(INTEGER, "tid", "the thread", OF(tid)),
	COLUMN_IN_JSON(TEXT, "name", "the thread's name; empty if unknown",
		OF(name)),
	COLUMN_IN_JSON(TEXT, "rules", "the name of the rules; null for inputs "
		"that no rules match", OF(rules), .nullable = true),
	COLUMN_IN_JSON(TIME, "wall_ns", "the sum of the phases", OF(wall_ns)),
	COLUMN_IN_JSON(MAP, "phases", "the self time of each phase, in "
		"nanoseconds", .put = put_phases, .words = "time"),
};
/* clang-format on */
static const struct columns thread_table =
	COLUMNS("threads", "each thread; with --threads", thread_items);

static void add_thread_objects(
	struct sheet *sheet, const struct phase_threads *threads)
{
	columns_begin(sheet, &thread_table);
	for (size_t i = 0; i < threads->count; i++) {
		const struct phase_thread_total *thread = &threads->items[i];

		columns_add(sheet, &thread_table, TABLE_PLAIN,
			&(struct thread_line){&thread->total, thread->path,
				thread->name, rules_of(&thread->total),
				thread->pid, thread->tid,
				phase_total_wall(&thread->total)});
	}
	columns_end(sheet, &thread_table);
}

const struct report_form phases_form = {.schema = "ctprof/phases/1",
	.title = "ctprof phases",
	.arrays = {&table, &set_table, &thread_table},
	.array_bits = {0, 0, THREADS},
	.csv = &table};

void phases_write(struct sheet *sheet, const void *user)
{
	const struct phases_view *view = user;
	bool is_json = sheet->style == REPORT_JSON;

	if (sheet->style == REPORT_TEXT) {
		write_text(sheet, view);
		return;
	}
	sheet->shown = view->threads != NULL ? THREADS : 0;
	columns_begin(sheet, &table);
	if (view->threads != NULL && !is_json)
		add_threads(sheet, view->threads);
	else
		add_sums(sheet, view->totals);
	columns_end(sheet, &table);
	if (is_json)
		add_sets(sheet, view->totals);
	if (is_json && view->threads != NULL)
		add_thread_objects(sheet, view->threads);
}

/* SPDX-License-Identifier: MIT */
#include "compare/check_report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "profiles/label.h"
#include "cli/diag.h"
#include "io/amount.h"
#include "io/xml.h"

#define PPM_PERCENT 10000

/* ---- what of a verdict is printed ---- */

static const struct diff_cost *cost_of(
	const struct regression_row *verdict, enum diff_side side)
{
	return &verdict->row->side[side].median;
}

static uint64_t figure_of(const struct check_view *view,
	const struct regression_row *verdict, enum diff_side side)
{
	const struct diff_cost *cost = cost_of(verdict, side);

	return view->figure == DIFF_SELF ? cost->self_ns : cost->total_ns;
}

static uint64_t spread_of(const struct check_view *view,
	const struct regression_row *verdict, enum diff_side side)
{
	const struct diff_cost *spread = &verdict->row->side[side].spread;

	return view->figure == DIFF_SELF ? spread->self_ns : spread->total_ns;
}

const char *check_limit_text(
	char text[QUANTITY_TEXT], const struct regression_limit *limit)
{
	uint32_t rest = limit->ppm % PPM_PERCENT;
	int digits = 4;

	if (limit->off)
		return strcpy(text, "off");
	if (limit->ppm == 0)
		return quantity_time(text, limit->time_ns);
	for (; digits > 0 && rest % 10 == 0; digits--)
		rest /= 10;
	if (digits == 0)
		(void)snprintf(text, QUANTITY_TEXT, "%" PRIu32 "%%",
			limit->ppm / PPM_PERCENT);
	else
		(void)snprintf(text, QUANTITY_TEXT,
			"%" PRIu32 ".%0*" PRIu32 "%%", limit->ppm / PPM_PERCENT,
			digits, rest);
	return text;
}

/* ---- text ---- */

static bool shows_text(
	const struct check_view *view, const struct regression_row *verdict)
{
	return view->all || verdict->verdict == REGRESSION_SLOWER ||
	       verdict->verdict == REGRESSION_NOISE;
}

static void add_side(const struct check_view *view, struct table *table,
	const struct regression_row *verdict, enum diff_side side,
	uint64_t unit_ns)
{
	bool found = verdict->row->side[side].found != 0;
	char text[QUANTITY_TEXT];

	table_add(
		table, found ? quantity_in(text, figure_of(view, verdict, side),
				       unit_ns)
			     : "-");
	if (view->comparison->runs)
		table_add(table,
			found ? quantity_in(text,
					spread_of(view, verdict, side), unit_ns)
			      : "-");
}

static void add_row(const struct check_view *view, struct table *table,
	const struct regression_row *verdict, uint64_t unit_ns)
{
	uint64_t base = figure_of(view, verdict, DIFF_BASE);
	uint64_t changed = figure_of(view, verdict, DIFF_NEW);
	char text[QUANTITY_TEXT];

	table_add_row(table, verdict->verdict == REGRESSION_SLOWER ? TABLE_HOT
			     : regression_is_judged(verdict->verdict)
				     ? TABLE_PLAIN
				     : TABLE_FAINT);
	table_add(table, regression_name(verdict->verdict));
	add_side(view, table, verdict, DIFF_BASE, unit_ns);
	add_side(view, table, verdict, DIFF_NEW, unit_ns);
	table_add(table, delta_time(text, base, changed, unit_ns));
	table_add(table, delta_percent(text, base, changed));
	table_add(table, check_limit_text(text, verdict->limit));
	if (*verdict->row->name == '\0')
		table_add(table, label_name(verdict->name));
	else
		delta_add_name(table, verdict->row);
}

static bool print_rows(
	const struct check_view *view, const struct delta_unit *unit, FILE *out)
{
	static const char *const words[] = {"verdict", "base ", "+-", "new ",
		"+-", "change ", "change %", "allowed", "function", NULL};
	struct delta_columns columns;
	const struct regression_rows *regressions = view->regressions;
	struct table table;
	bool printed;

	delta_columns(&columns, words, view->comparison->runs, unit);
	columns.items[0].number = false;
	table_init(&table, columns.items, columns.count);
	for (size_t i = 0; i < regressions->count; i++)
		if (shows_text(view, &regressions->items[i]))
			add_row(view, &table, &regressions->items[i],
				unit->size_ns);
	printed = table_print(&table, out, view->color, view->width);
	table_clear(&table);
	return printed;
}

static uint64_t largest(const struct check_view *view)
{
	const struct regression_rows *regressions = view->regressions;
	uint64_t most = 0;

	for (size_t i = 0; i < regressions->count; i++)
		for (int side = 0; side < DIFF_SIDES; side++) {
			uint64_t time = figure_of(view, &regressions->items[i],
				(enum diff_side)side);

			most = time > most ? time : most;
		}
	return most;
}

/* "Checked 12: none is slower than allowed." and what was not. */
static void print_counts(const struct regression_rows *regressions, FILE *out)
{
	const size_t *counts = regressions->counts;

	fprintf(out, "Compared: %zu, slower than allowed: %zu",
		regression_rows_judged(regressions), counts[REGRESSION_SLOWER]);
	if (counts[REGRESSION_NOISE] != 0)
		fprintf(out, ", perhaps slower, but within the noise: %zu",
			counts[REGRESSION_NOISE]);
	if (counts[REGRESSION_NOISE] != 0)
		fputs(" (more runs tell)", out);
	fprintf(out,
		"\nToo short: %zu, without a limit: %zu, added: %zu, "
		"removed: %zu\n",
		counts[REGRESSION_SHORT], counts[REGRESSION_OFF],
		counts[REGRESSION_ADDED], counts[REGRESSION_REMOVED]);
}

int check_print_text(const struct check_view *view, FILE *out)
{
	const struct delta_unit *unit = delta_unit(view->unit, largest(view));
	const struct regression_rows *regressions = view->regressions;

	if (regressions->count == 0) {
		fputs("Nothing to compare: there are no functions.\n", out);
		return EXIT_DONE;
	}
	if (view->all ||
		regressions->counts[REGRESSION_SLOWER] +
				regressions->counts[REGRESSION_NOISE] !=
			0) {
		if (!print_rows(view, unit, out))
			return diag_no_memory(NULL);
		putc('\n', out);
	}
	print_counts(regressions, out);
	return EXIT_DONE;
}

/* ---- JSON and CSV ---- */

static bool shows(
	const struct check_view *view, const struct regression_row *verdict)
{
	return view->all || regression_is_judged(verdict->verdict);
}

static void put_limit(struct json *json, const struct regression_limit *limit)
{
	json_key(json, "allowed_ppm");
	if (limit->off || limit->ppm == 0)
		json_none(json);
	else
		json_uint(json, limit->ppm);
	json_key(json, "allowed_ns");
	if (limit->off || limit->ppm != 0)
		json_none(json);
	else
		json_uint(json, limit->time_ns);
}

static void put_row(struct json *json, const struct regression_row *verdict)
{
	json_begin(json, '{');
	report_text(json, "name", verdict->name);
	report_text(json, "file", verdict->row->file);
	report_uint(json, "line", verdict->row->line);
	report_text(json, "kind", delta_kind(verdict->row));
	report_text(json, "verdict", regression_name(verdict->verdict));
	put_limit(json, verdict->limit);
	delta_write(json, verdict->row);
	json_end(json, '}');
}

int check_print_json(
	const struct check_view *view, const struct report *report, FILE *out)
{
	const struct regression_rows *regressions = view->regressions;
	struct json json;
	int status = report_begin(report, &json, out);

	if (status != EXIT_DONE)
		return status;
	comparison_write(view->comparison, &json);
	report_text(
		&json, "figure", view->figure == DIFF_SELF ? "self" : "total");
	json_key(&json, "verdicts");
	json_begin(&json, '{');
	for (enum regression verdict = 0; verdict < REGRESSION_COUNT; verdict++)
		report_uint(&json, regression_name(verdict),
			regressions->counts[verdict]);
	json_end(&json, '}');
	json_key(&json, "rows");
	json_begin(&json, '[');
	for (size_t i = 0; i < regressions->count; i++)
		if (shows(view, &regressions->items[i]))
			put_row(&json, &regressions->items[i]);
	json_end(&json, ']');
	return report_end(&json);
}

static void put_line(FILE *out, const struct regression_row *verdict)
{
	const struct regression_limit *limit = verdict->limit;

	table_csv(out, verdict->name, ',');
	table_csv(out, verdict->row->file, ',');
	fprintf(out, "%" PRIu32 ",%s,%s,", verdict->row->line,
		delta_kind(verdict->row), regression_name(verdict->verdict));
	if (!limit->off && limit->ppm != 0)
		fprintf(out, "%" PRIu32, limit->ppm);
	putc(',', out);
	if (!limit->off && limit->ppm == 0)
		fprintf(out, "%" PRIu64, limit->time_ns);
	putc(',', out);
	delta_csv(out, verdict->row, '\n');
}

int check_print_csv(const struct check_view *view, FILE *out)
{
	const struct regression_rows *regressions = view->regressions;

	fputs("name,file,line,kind,verdict,allowed_ppm,"
	      "allowed_ns," CHANGE_CSV_TITLES "\n",
		out);
	for (size_t i = 0; i < regressions->count; i++)
		if (shows(view, &regressions->items[i]))
			put_line(out, &regressions->items[i]);
	return EXIT_DONE;
}

/* ---- JUnit ---- */

/* "+12.00 %, allowed is 5%: 1.2 s, 1.3 s" */
static void put_words(const struct check_view *view,
	const struct regression_row *verdict, FILE *out)
{
	uint64_t base = figure_of(view, verdict, DIFF_BASE);
	uint64_t changed = figure_of(view, verdict, DIFF_NEW);
	const struct delta_unit *unit = delta_unit(view->unit, base);
	char texts[4][QUANTITY_TEXT];

	fprintf(out, "%s %%, allowed is %s: %s %s, now %s %s",
		delta_percent(texts[0], base, changed),
		check_limit_text(texts[1], verdict->limit),
		quantity_in(texts[2], base, unit->size_ns), unit->name,
		quantity_in(texts[3], changed, unit->size_ns), unit->name);
}

static bool put_case(const struct check_view *view,
	const struct regression_row *verdict, FILE *out)
{
	uint64_t changed = figure_of(view, verdict, DIFF_NEW);
	char seconds[AMOUNT_TEXT];
	bool done;

	fputs("    <testcase name=\"", out);
	done = xml_put_line(out, verdict->name, strlen(verdict->name));
	fprintf(out, "\" classname=\"%s\"", delta_kind(verdict->row));
	if (*verdict->row->file != '\0') {
		fputs(" file=\"", out);
		done = xml_put_line(out, verdict->row->file,
			       strlen(verdict->row->file)) &&
		       done;
		fprintf(out, "\" line=\"%" PRIu32 "\"", verdict->row->line);
	}
	fprintf(out, " time=\"%s\"", amount_seconds(seconds, changed));
	if (verdict->verdict == REGRESSION_PASSED) {
		fputs("/>\n", out);
		return done;
	}
	if (verdict->verdict == REGRESSION_SLOWER)
		fputs(">\n      <failure type=\"slower\" message=\"", out);
	else
		fputs(">\n      <system-out>Within the noise: ", out);
	put_words(view, verdict, out);
	fputs(verdict->verdict == REGRESSION_SLOWER ? "\"/>" : "</system-out>",
		out);
	fputs("\n    </testcase>\n", out);
	return done;
}

int check_print_junit(const struct check_view *view, FILE *out)
{
	const struct regression_rows *regressions = view->regressions;
	bool done = true;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
		out);
	fprintf(out,
		"  <testsuite name=\"ctprof check\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"0\">\n",
		regression_rows_judged(regressions),
		regressions->counts[REGRESSION_SLOWER]);
	for (size_t i = 0; i < regressions->count; i++)
		if (regression_is_judged(regressions->items[i].verdict))
			done = put_case(view, &regressions->items[i], out) &&
			       done;
	fputs("  </testsuite>\n</testsuites>\n", out);
	if (done)
		return EXIT_DONE;
	return diag_no_memory(NULL);
}

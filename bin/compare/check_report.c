/* SPDX-License-Identifier: MIT */
#include "compare/check_report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "profiles/label.h"
#include "cli/diag.h"
#include "io/amount.h"
#include "io/xml.h"
#include "base/memory.h"

#define PPM_PERCENT 10000
#define MILLION 1e6

/* ---- rows: every function of a comparison, with its verdict ---- */

static const struct regression_limit *limit_of(
	struct check_options *options, const char *name)
{
	const struct regression_limit *limit =
		limits_file_find(&options->limits, name);

	return limit == NULL ? &options->default_limit : limit;
}

static void append_row(
	struct check_rows *regressions, const struct check_row *regression)
{
	regressions->items[regressions->count++] = *regression;
	regressions->counts[regression->verdict]++;
}

/* Sums have no minimum time, since it is a share of them. */
static void append_sum(struct check_rows *regressions, const struct diff *diff,
	bool device, struct check_options *options)
{
	const struct diff_row *sum = diff_sum(diff, device);
	struct check_row regression = {
		.row = sum, .name = delta_sum_name(device)};

	if (sum->side[DIFF_BASE].found + sum->side[DIFF_NEW].found == 0)
		return;
	regression.limit = limit_of(options, regression.name);
	regression.verdict =
		regression_of(diff, sum, DIFF_TOTAL, regression.limit, 0);
	append_row(regressions, &regression);
}

static uint64_t min_time_of(const struct diff *diff, bool device,
	const struct check_options *options)
{
	const struct diff_figures *sides = diff_sum(diff, device)->side;
	uint64_t base = sides[DIFF_BASE].median.total_ns;
	uint64_t changed = sides[DIFF_NEW].median.total_ns;
	uint64_t whole = base > changed ? base : changed;

	if (options->min_ppm == 0)
		return options->min_ns;
	return (uint64_t)((double)whole * (options->min_ppm / MILLION));
}

bool check_rows_init(struct check_rows *regressions, const struct diff *diff,
	const struct comparison *comparison, struct check_options *options)
{
	const uint64_t min_ns[] = {min_time_of(diff, false, options),
		min_time_of(diff, true, options)};
	uint32_t count;
	const struct diff_row *rows = diff_rows(diff, &count);

	*regressions = (struct check_rows){
		.items = memory_resize_array(
			NULL, (size_t)count + 2, sizeof(*regressions->items))};
	if (regressions->items == NULL)
		return false;
	if (!comparison->kernels)
		append_sum(regressions, diff, false, options);
	append_sum(regressions, diff, true, options);
	for (uint32_t i = 0; i < count; i++) {
		struct check_row regression = {
			.row = &rows[i], .name = rows[i].name};

		if (!comparison_shows(comparison, &rows[i]))
			continue;
		regression.limit = limit_of(options, regression.name);
		regression.verdict = regression_of(diff, &rows[i], options->key,
			regression.limit, min_ns[rows[i].kind != PROFILE_HOST]);
		append_row(regressions, &regression);
	}
	return true;
}

void check_rows_clear(struct check_rows *regressions)
{
	memory_free(regressions->items);
	*regressions = (struct check_rows){0};
}

size_t check_rows_judged_count(const struct check_rows *regressions)
{
	size_t judged = 0;

	for (enum regression verdict = 0; verdict < REGRESSION_COUNT; verdict++)
		if (regression_is_judged(verdict))
			judged += regressions->counts[verdict];
	return judged;
}

/* ---- a row as text ---- */

static const struct diff_cost *median_of(
	const struct check_row *regression, enum diff_side side)
{
	return &regression->row->side[side].median;
}

static uint64_t median_ns(const struct check_view *view,
	const struct check_row *regression, enum diff_side side)
{
	const struct diff_cost *cost = median_of(regression, side);

	return view->key == DIFF_SELF ? cost->self_ns : cost->total_ns;
}

static uint64_t spread_ns(const struct check_view *view,
	const struct check_row *regression, enum diff_side side)
{
	const struct diff_cost *spread = &regression->row->side[side].spread;

	return view->key == DIFF_SELF ? spread->self_ns : spread->total_ns;
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

/* Whether this is one of the first `top` rows that are shown. */
static bool is_within_top(const struct check_view *view, size_t *shown_count)
{
	if (view->top != 0 && *shown_count == view->top)
		return false;
	++*shown_count;
	return true;
}

/* ---- text ---- */

static bool is_in_text(
	const struct check_view *view, const struct check_row *regression)
{
	return view->all || regression->verdict == REGRESSION_SLOWER ||
	       regression->verdict == REGRESSION_NOISE;
}

static void add_side(const struct check_view *view, struct table *table,
	const struct check_row *regression, enum diff_side side,
	uint64_t unit_ns)
{
	bool found = regression->row->side[side].found != 0;
	char text[QUANTITY_TEXT];

	table_add(table,
		found ? quantity_in(text, median_ns(view, regression, side),
				unit_ns)
		      : "-");
	if (view->comparison->runs)
		table_add(table,
			found ? quantity_in(text,
					spread_ns(view, regression, side),
					unit_ns)
			      : "-");
}

static void add_row(const struct check_view *view, struct table *table,
	const struct check_row *regression, uint64_t unit_ns)
{
	uint64_t base = median_ns(view, regression, DIFF_BASE);
	uint64_t changed = median_ns(view, regression, DIFF_NEW);
	char text[QUANTITY_TEXT];

	table_add_row(table,
		regression->verdict == REGRESSION_SLOWER    ? TABLE_HOT
		: regression_is_judged(regression->verdict) ? TABLE_PLAIN
							    : TABLE_FAINT);
	table_add(table, regression_name(regression->verdict));
	add_side(view, table, regression, DIFF_BASE, unit_ns);
	add_side(view, table, regression, DIFF_NEW, unit_ns);
	table_add(table, delta_time(text, base, changed, unit_ns));
	table_add(table, delta_percent(text, base, changed));
	table_add(table, check_limit_text(text, regression->limit));
	if (*regression->row->name == '\0')
		table_add(table, label_name(regression->name));
	else
		delta_add_name(table, regression->row);
}

static bool print_rows(
	const struct check_view *view, const struct delta_unit *unit, FILE *out)
{
	static const char *const words[] = {"verdict", "base ", "+-", "new ",
		"+-", "change ", "change %", "allowed", "function", NULL};
	struct delta_columns columns;
	const struct check_rows *regressions = view->regressions;
	size_t shown_count = 0;
	size_t hidden_count = 0;
	struct table table;
	bool printed;

	delta_columns(&columns, words, view->comparison->runs, unit);
	columns.items[0].number = false;
	table_init(&table, columns.items, columns.count);
	for (size_t i = 0; i < regressions->count; i++) {
		if (!is_in_text(view, &regressions->items[i]))
			continue;
		if (is_within_top(view, &shown_count))
			add_row(view, &table, &regressions->items[i],
				unit->size_ns);
		else
			hidden_count++;
	}
	printed = table_print(&table, out, view->color, view->width);
	table_clear(&table);
	if (hidden_count != 0)
		fprintf(out, "(%zu more; see --top)\n", hidden_count);
	return printed;
}

static uint64_t largest_ns(const struct check_view *view)
{
	const struct check_rows *regressions = view->regressions;
	uint64_t most = 0;

	for (size_t i = 0; i < regressions->count; i++)
		for (int side = 0; side < DIFF_SIDES; side++) {
			uint64_t time = median_ns(view, &regressions->items[i],
				(enum diff_side)side);

			most = time > most ? time : most;
		}
	return most;
}

/* "Checked 12: none is slower than allowed." and the numbers not checked. */
static void print_counts(const struct check_rows *regressions, FILE *out)
{
	const size_t *counts = regressions->counts;

	fprintf(out, "Compared: %zu, slower than allowed: %zu",
		check_rows_judged_count(regressions),
		counts[REGRESSION_SLOWER]);
	if (counts[REGRESSION_NOISE] != 0)
		fprintf(out, ", slower within the noise: %zu",
			counts[REGRESSION_NOISE]);
	if (counts[REGRESSION_NOISE] != 0)
		fputs(" (use more runs)", out);
	fprintf(out,
		"\nToo short: %zu, without a limit: %zu, added: %zu, "
		"removed: %zu\n",
		counts[REGRESSION_SHORT], counts[REGRESSION_OFF],
		counts[REGRESSION_ADDED], counts[REGRESSION_REMOVED]);
}

int check_print_text(const struct check_view *view, FILE *out)
{
	const struct delta_unit *unit =
		delta_unit(view->unit, largest_ns(view));
	const struct check_rows *regressions = view->regressions;

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

static bool is_in_report(const struct check_view *view,
	const struct check_row *regression, size_t *shown_count)
{
	return (view->all || regression_is_judged(regression->verdict)) &&
	       is_within_top(view, shown_count);
}

/* Whether --top hides a row of the report. */
static bool is_cut(const struct check_view *view)
{
	const struct check_rows *regressions = view->regressions;
	size_t count = view->all ? regressions->count
				 : check_rows_judged_count(regressions);

	return view->top != 0 && view->top < count;
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

static void put_row(struct json *json, const struct check_row *regression)
{
	json_begin(json, '{');
	report_text(json, "name", regression->name);
	report_text(json, "file", regression->row->file);
	report_uint(json, "line", regression->row->line);
	report_text(json, "kind", delta_kind(regression->row));
	report_text(json, "verdict", regression_name(regression->verdict));
	put_limit(json, regression->limit);
	delta_write(json, regression->row);
	json_end(json, '}');
}

int check_print_json(
	const struct check_view *view, const struct report *report, FILE *out)
{
	const struct check_rows *regressions = view->regressions;
	struct report complete = *report;
	size_t shown_count = 0;
	struct json json;
	int status;

	complete.truncated = complete.truncated || is_cut(view);
	status = report_begin(&complete, &json, out);
	if (status != EXIT_DONE)
		return status;
	comparison_write(view->comparison, &json);
	report_text(&json, "figure", view->key == DIFF_SELF ? "self" : "total");
	json_key(&json, "verdicts");
	json_begin(&json, '{');
	for (enum regression verdict = 0; verdict < REGRESSION_COUNT; verdict++)
		report_uint(&json, regression_name(verdict),
			regressions->counts[verdict]);
	json_end(&json, '}');
	json_key(&json, "rows");
	json_begin(&json, '[');
	for (size_t i = 0; i < regressions->count; i++)
		if (is_in_report(view, &regressions->items[i], &shown_count))
			put_row(&json, &regressions->items[i]);
	json_end(&json, ']');
	return report_end(&json);
}

static void put_csv_row(FILE *out, const struct check_row *regression)
{
	const struct regression_limit *limit = regression->limit;

	table_csv(out, regression->name, ',');
	table_csv(out, regression->row->file, ',');
	fprintf(out, "%" PRIu32 ",%s,%s,", regression->row->line,
		delta_kind(regression->row),
		regression_name(regression->verdict));
	if (!limit->off && limit->ppm != 0)
		fprintf(out, "%" PRIu32, limit->ppm);
	putc(',', out);
	if (!limit->off && limit->ppm == 0)
		fprintf(out, "%" PRIu64, limit->time_ns);
	putc(',', out);
	delta_csv(out, regression->row, '\n');
}

int check_print_csv(const struct check_view *view, FILE *out)
{
	const struct check_rows *regressions = view->regressions;
	size_t shown_count = 0;

	fputs("name,file,line,kind,verdict,allowed_ppm,"
	      "allowed_ns," DELTA_CSV_TITLES "\n",
		out);
	for (size_t i = 0; i < regressions->count; i++)
		if (is_in_report(view, &regressions->items[i], &shown_count))
			put_csv_row(out, &regressions->items[i]);
	return EXIT_DONE;
}

/* ---- JUnit ---- */

/* "+12.00 %, allowed is 5%: 1.2 s, 1.3 s" */
static void put_junit_message(const struct check_view *view,
	const struct check_row *regression, FILE *out)
{
	uint64_t base = median_ns(view, regression, DIFF_BASE);
	uint64_t changed = median_ns(view, regression, DIFF_NEW);
	const struct delta_unit *unit = delta_unit(view->unit, base);
	char texts[4][QUANTITY_TEXT];

	fprintf(out, "%s %%, allowed is %s: %s %s, now %s %s",
		delta_percent(texts[0], base, changed),
		check_limit_text(texts[1], regression->limit),
		quantity_in(texts[2], base, unit->size_ns), unit->name,
		quantity_in(texts[3], changed, unit->size_ns), unit->name);
}

static bool put_junit_case(const struct check_view *view,
	const struct check_row *regression, FILE *out)
{
	uint64_t changed = median_ns(view, regression, DIFF_NEW);
	char seconds[AMOUNT_TEXT];
	bool done;

	fputs("    <testcase name=\"", out);
	done = xml_put_line(out, regression->name, strlen(regression->name));
	fprintf(out, "\" classname=\"%s\"", delta_kind(regression->row));
	if (*regression->row->file != '\0') {
		fputs(" file=\"", out);
		done = xml_put_line(out, regression->row->file,
			       strlen(regression->row->file)) &&
		       done;
		fprintf(out, "\" line=\"%" PRIu32 "\"", regression->row->line);
	}
	fprintf(out, " time=\"%s\"", amount_seconds(seconds, changed));
	if (regression->verdict == REGRESSION_PASSED) {
		fputs("/>\n", out);
		return done;
	}
	if (regression->verdict == REGRESSION_SLOWER)
		fputs(">\n      <failure type=\"slower\" message=\"", out);
	else
		fputs(">\n      <system-out>Within the noise: ", out);
	put_junit_message(view, regression, out);
	fputs(regression->verdict == REGRESSION_SLOWER ? "\"/>"
						       : "</system-out>",
		out);
	fputs("\n    </testcase>\n", out);
	return done;
}

int check_print_junit(const struct check_view *view, FILE *out)
{
	const struct check_rows *regressions = view->regressions;
	bool done = true;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
		out);
	fprintf(out,
		"  <testsuite name=\"ctprof check\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"0\">\n",
		check_rows_judged_count(regressions),
		regressions->counts[REGRESSION_SLOWER]);
	for (size_t i = 0; i < regressions->count; i++)
		if (regression_is_judged(regressions->items[i].verdict))
			done = put_junit_case(
				       view, &regressions->items[i], out) &&
			       done;
	fputs("  </testsuite>\n</testsuites>\n", out);
	if (done)
		return EXIT_DONE;
	return diag_no_memory(NULL);
}

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

/* ---- rows ---- */

/* clang-format off */
static const struct column items[] = {
	DELTA_NAME_COLUMNS,
	COLUMN(TEXT, "verdict", "verdict", "how it was judged",
		DELTA_OF(verdict),
		.words = "passed|slower|noise|short|off|added|removed"),
	COLUMN(COUNT, "allowed_ppm", NULL, "the limit, in parts per million "
		"of the base; null if it is a time or there is none",
		DELTA_OF(allowed_ppm), .nullable = true),
	COLUMN(TIME, "allowed_ns", NULL,
		"the limit; null if it is a share or there is none",
		DELTA_OF(allowed_ns), .nullable = true),
	DELTA_COLUMNS,
	DELTA_TEXT_COLUMNS,
	COLUMN_IN_TEXT(TIME, "allowed", DELTA_OF(allowed)),
	COLUMN_IN_TEXT(TEXT, "function", DELTA_OF(function)),
};
/* clang-format on */
static const struct columns table = COLUMNS(
	"rows", "the functions that were judged; with --all, all", items);

static void add_row(struct sheet *sheet, const struct check_view *view,
	const struct check_row *regression)
{
	const struct regression_limit *limit = regression->limit;
	enum regression verdict = regression->verdict;
	struct delta_line line;

	delta_line_init(&line, regression->row, regression->name, view->key,
		&sheet->unit);
	line.verdict = regression_name(verdict);
	line.allowed_ppm =
		value_maybe(!limit->off && limit->ppm != 0, limit->ppm);
	line.allowed_ns =
		value_maybe(!limit->off && limit->ppm == 0, limit->time_ns);
	line.allowed.text = check_limit_text(line.allowed_text, limit);
	columns_add(sheet, &table,
		verdict == REGRESSION_SLOWER    ? TABLE_HOT
		: regression_is_judged(verdict) ? TABLE_PLAIN
						: TABLE_FAINT,
		&line);
}

static bool is_in(const struct sheet *sheet, const struct check_view *view,
	enum regression verdict)
{
	if (view->all)
		return true;
	if (sheet->style != REPORT_TEXT)
		return regression_is_judged(verdict);
	return verdict == REGRESSION_SLOWER || verdict == REGRESSION_NOISE;
}

static void add_rows(struct sheet *sheet, const struct check_view *view)
{
	const struct check_rows *regressions = view->regressions;
	size_t shown = 0;
	size_t hidden = 0;

	columns_begin(sheet, &table);
	for (size_t i = 0; i < regressions->count; i++) {
		if (!is_in(sheet, view, regressions->items[i].verdict))
			continue;
		if (view->top == 0 || shown++ < view->top)
			add_row(sheet, view, &regressions->items[i]);
		else
			hidden++;
	}
	columns_end(sheet, &table);
	if (hidden != 0)
		columns_note(sheet, "(%zu more; see --top)\n", hidden);
}

/* ---- text ---- */

uint64_t check_largest_ns(const struct check_view *view)
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
static void print_counts(
	struct sheet *sheet, const struct check_rows *regressions)
{
	const size_t *counts = regressions->counts;

	columns_note(sheet, "Compared: %zu, slower than allowed: %zu",
		check_rows_judged_count(regressions),
		counts[REGRESSION_SLOWER]);
	if (counts[REGRESSION_NOISE] != 0)
		columns_note(sheet, ", slower within the noise: %zu",
			counts[REGRESSION_NOISE]);
	if (counts[REGRESSION_NOISE] != 0)
		columns_note(sheet, " (use more runs)");
	columns_note(sheet,
		"\nToo short: %zu, without a limit: %zu, added: %zu, "
		"removed: %zu\n",
		counts[REGRESSION_SHORT], counts[REGRESSION_OFF],
		counts[REGRESSION_ADDED], counts[REGRESSION_REMOVED]);
}

static void write_text(struct sheet *sheet, const struct check_view *view)
{
	const struct check_rows *regressions = view->regressions;
	const size_t *counts = regressions->counts;

	if (regressions->count == 0) {
		columns_note(
			sheet, "Nothing to compare: there are no functions.\n");
		return;
	}
	if (view->all ||
		counts[REGRESSION_SLOWER] + counts[REGRESSION_NOISE] != 0) {
		add_rows(sheet, view);
		columns_note(sheet, "\n");
	}
	print_counts(sheet, regressions);
}

/* ---- the report ---- */

#define VERDICT(verdict, key, help) \
	COLUMN_IN_JSON(COUNT, key, help, \
		.offset = (verdict) * sizeof(uint64_t), \
		.size = sizeof(uint64_t))
static const struct column verdict_items[] = {
	VERDICT(REGRESSION_PASSED, "passed", "not slower than allowed"),
	VERDICT(REGRESSION_SLOWER, "slower", "slower than allowed"),
	VERDICT(REGRESSION_NOISE, "noise",
		"slower than allowed, but within the noise"),
	VERDICT(REGRESSION_SHORT, "short", "too short to judge"),
	VERDICT(REGRESSION_OFF, "off", "without a limit"),
	VERDICT(REGRESSION_ADDED, "added", "only on the new side"),
	VERDICT(REGRESSION_REMOVED, "removed", "only in the base"),
};
static const struct columns verdict_table = COLUMNS(
	"verdicts", "number of functions with each verdict", verdict_items);

struct head {
	const char *figure;
	const uint64_t *verdicts;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct head, member)
static const struct column head_items[] = {
	COLUMN_IN_JSON(TEXT, "figure", "the time that was compared",
		OF(figure), .words = "total|self"),
	COLUMN_IN_JSON(OBJECT, "verdicts",
		"number of functions with each verdict", OF(verdicts),
		.table = &verdict_table),
};
/* clang-format on */
static const struct columns head_table = COLUMNS(NULL, NULL, head_items);

const struct report_form check_form = {.schema = "ctprof/check/1",
	.title = "ctprof check",
	.heads = {&comparison_head, &head_table},
	.arrays = {&table},
	.csv = &table};

bool check_has_more(const struct check_view *view)
{
	const struct check_rows *regressions = view->regressions;
	size_t count = view->all ? regressions->count
				 : check_rows_judged_count(regressions);

	return view->top != 0 && view->top < count;
}

void check_write(struct sheet *sheet, const void *user)
{
	const struct check_view *view = user;
	uint64_t verdicts[REGRESSION_COUNT];

	sheet->unit = *delta_unit(view->unit, check_largest_ns(view));
	sheet->shown = view->comparison->runs ? DELTA_RUNS : 0;
	if (sheet->style == REPORT_TEXT) {
		write_text(sheet, view);
		return;
	}
	for (enum regression i = 0; i < REGRESSION_COUNT; i++)
		verdicts[i] = view->regressions->counts[i];
	comparison_write(sheet, view->comparison);
	columns_members(sheet, &head_table,
		&(struct head){
			view->key == DIFF_SELF ? "self" : "total", verdicts});
	add_rows(sheet, view);
}

/* ---- JUnit ---- */

/* "+12.00 %, allowed is 5%: 1.2 s, 1.3 s" */
static void put_junit_message(const struct check_view *view,
	const struct check_row *regression, FILE *out)
{
	uint64_t base = median_ns(view, regression, DIFF_BASE);
	uint64_t changed = median_ns(view, regression, DIFF_NEW);
	const struct column_unit *unit = delta_unit(view->unit, base);
	char texts[4][QUANTITY_TEXT];

	fprintf(out, "%s %%, allowed is %s: %s %s, now %s %s",
		delta_percent(texts[0], base, changed),
		check_limit_text(texts[1], regression->limit),
		quantity_in(texts[2], base, unit->size), unit->name,
		quantity_in(texts[3], changed, unit->size), unit->name);
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

int check_print_junit(void *user, FILE *out)
{
	const struct check_view *view = user;
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

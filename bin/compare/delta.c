/* SPDX-License-Identifier: MIT */
#include "compare/delta.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/label.h"
#include "input/report.h"

#define DIGITS UINT64_C(1000000000000000000) /* digits that fit in a word */
#define WIDE_TEXT (QUANTITY_TEXT / 2)

__extension__ typedef unsigned __int128 wide;

const struct delta_unit *delta_unit(unsigned value, uint64_t largest_ns)
{
	static const struct delta_unit units[] = {
		{"ms", 1000000},
		{"ns", 1},
		{"us", 1000},
		{"ms", 1000000},
		{"s", 1000000000},
	};

	/* Like stats: milliseconds, unless the largest time is shorter. */
	return value == 0 && largest_ns < units[0].size_ns ? &units[2]
							   : &units[value];
}

void delta_columns(struct delta_columns *columns, const char *const *words,
	bool spread, const struct delta_unit *unit)
{
	size_t count = 0;

	for (; *words != NULL; words++) {
		char *title = columns->titles[count];
		bool has_unit = (*words)[strlen(*words) - 1] == ' ';

		if (strcmp(*words, "+-") == 0 && !spread)
			continue;
		assert(count < DELTA_COLUMNS_MAX);
		(void)snprintf(title, DELTA_TITLE_SIZE, "%s%s", *words,
			has_unit ? unit->name : "");
		columns->items[count++] =
			(struct table_column){title, words[1] != NULL};
	}
	columns->count = count;
}

const char *delta_time(char text[QUANTITY_TEXT], uint64_t base,
	uint64_t changed, uint64_t unit_ns)
{
	uint64_t size = changed > base ? changed - base : base - changed;

	if (size == 0)
		return strcpy(text, "0");
	(void)quantity_in(text, size, unit_ns);
	memmove(text + 1, text, strlen(text) + 1);
	text[0] = changed > base ? '+' : '-';
	return text;
}

/* Writes an integer of any size; returns its end. */
static char *put_wide(char *text, wide number)
{
	uint64_t high = (uint64_t)(number / DIGITS);
	uint64_t low = (uint64_t)(number % DIGITS);

	if (high == 0)
		return text + snprintf(text, WIDE_TEXT, "%" PRIu64, low);
	return text +
	       snprintf(text, WIDE_TEXT, "%" PRIu64 "%018" PRIu64, high, low);
}

const char *delta_percent(
	char text[QUANTITY_TEXT], uint64_t base, uint64_t changed)
{
	uint64_t size = changed > base ? changed - base : base - changed;
	wide hundredths;
	char *at = text;

	if (base == 0)
		return strcpy(text, changed == 0 ? "0" : "-");
	hundredths = ((wide)size * 10000 + base / 2) / base;
	if (hundredths != 0)
		*at++ = changed > base ? '+' : '-';
	at = put_wide(at, hundredths / 100);
	(void)snprintf(at, WIDE_TEXT, ".%02u", (unsigned)(hundredths % 100));
	return text;
}

void delta_add_name(struct table *table, const struct diff_row *row)
{
	const char *base = basename(row->file);
	const char *name = label_name(row->name);
	char *place = NULL;

	if (*base != '\0' &&
		asprintf(&place, " (%s:%" PRIu32 ")", base, row->line) < 0) {
		table->text.failed = true;
		return;
	}
	if (row->kind == PROFILE_HOST)
		table_add_name(table, "", name, place == NULL ? "" : place);
	else
		table_add(table, name);
	free(place);
}

const char *delta_sum_name(bool device)
{
	return device ? "(all GPU work)" : "(all functions)";
}

const char *delta_kind(const struct diff_row *row)
{
	static const char *const kinds[] = {
		[PROFILE_HOST] = "function",
		[PROFILE_KERNEL] = "kernel",
		[PROFILE_COPY] = "gpu_memcpy",
		[PROFILE_SET] = "gpu_memset",
	};

	return kinds[row->kind];
}

static void write_side(struct json *json, const struct diff_figures *side)
{
	if (side->found == 0) {
		json_none(json);
		return;
	}
	json_begin(json, '{');
	report_uint(json, "count", side->median.count);
	report_uint(json, "total_ns", side->median.total_ns);
	report_uint(json, "self_ns", side->median.self_ns);
	report_uint(json, "runs", side->found);
	report_uint(json, "count_mad", side->spread.count);
	report_uint(json, "total_mad_ns", side->spread.total_ns);
	report_uint(json, "self_mad_ns", side->spread.self_ns);
	json_end(json, '}');
}

/* New divided by base; false if undefined. */
static bool ratio_of(const struct diff_row *row, double *ratio)
{
	const struct diff_figures *base = &row->side[DIFF_BASE];
	const struct diff_figures *changed = &row->side[DIFF_NEW];

	if (base->found == 0 || changed->found == 0 ||
		base->median.total_ns == 0)
		return false;
	*ratio = (double)changed->median.total_ns /
		 (double)base->median.total_ns;
	return true;
}

void delta_write(struct json *json, const struct diff_row *row)
{
	const struct diff_cost *base = &row->side[DIFF_BASE].median;
	const struct diff_cost *changed = &row->side[DIFF_NEW].median;
	double ratio;

	json_key(json, "base");
	write_side(json, &row->side[DIFF_BASE]);
	json_key(json, "new");
	write_side(json, &row->side[DIFF_NEW]);
	report_int(json, "delta_ns",
		diff_change(base->total_ns, changed->total_ns));
	json_key(json, "ratio");
	if (ratio_of(row, &ratio))
		json_double(json, ratio);
	else
		json_none(json);
	report_int(json, "delta_self_ns",
		diff_change(base->self_ns, changed->self_ns));
	report_int(
		json, "delta_count", diff_change(base->count, changed->count));
}

static void csv_side(FILE *out, const struct diff_figures *side)
{
	if (side->found == 0)
		fputs(",,,,,", out);
	else
		fprintf(out,
			"%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",",
			side->median.count, side->median.total_ns,
			side->median.self_ns, side->spread.total_ns,
			side->spread.self_ns);
}

void delta_csv(FILE *out, const struct diff_row *row, char end)
{
	const struct diff_cost *base = &row->side[DIFF_BASE].median;
	const struct diff_cost *changed = &row->side[DIFF_NEW].median;
	char number[JSON_NUMBER_MAX + 1];
	double ratio;

	csv_side(out, &row->side[DIFF_BASE]);
	csv_side(out, &row->side[DIFF_NEW]);
	fprintf(out, "%" PRId64 ",",
		diff_change(base->total_ns, changed->total_ns));
	if (ratio_of(row, &ratio)) {
		*json_put_double(number, ratio) = '\0';
		fputs(number, out);
	}
	fprintf(out, ",%" PRId64 ",%" PRId64 "%c",
		diff_change(base->self_ns, changed->self_ns),
		diff_change(base->count, changed->count), end);
}

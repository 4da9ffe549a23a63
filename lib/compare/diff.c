/* SPDX-License-Identifier: MIT */
/*
 * Rows are found by a hash of the compared fields; each has a cell per run of
 * both sides. The first two rows are the sums.
 */
#include "compare/diff.h"

#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <stdbool.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "base/saturate.h"
#include "compare/source_map.h"
#include "names/symbol_normalize.h"

/* ---- regressions ---- */

/*
 * A function is slower if it is over its limit and the change is significant,
 * by the medians and spreads of the runs. Either alone raises false alarms: a
 * limit at every disturbance, and significance, with many runs, at irrelevant
 * changes.
 */

#define MILLION 1000000

__extension__ typedef unsigned __int128 wide;

const char *regression_name(enum regression regression)
{
	static const char *const names[REGRESSION_COUNT] = {
		[REGRESSION_PASSED] = "passed",
		[REGRESSION_SLOWER] = "slower",
		[REGRESSION_NOISE] = "noise",
		[REGRESSION_SHORT] = "short",
		[REGRESSION_OFF] = "off",
		[REGRESSION_ADDED] = "added",
		[REGRESSION_REMOVED] = "removed",
	};

	return names[regression];
}

bool regression_is_judged(enum regression regression)
{
	return regression <= REGRESSION_NOISE;
}

static uint64_t time_of(
	const struct diff_figures *figures, enum diff_key figure)
{
	return figure == DIFF_SELF ? figures->median.self_ns
				   : figures->median.total_ns;
}

bool regression_is_over(
	const struct regression_limit *limit, uint64_t base_ns, uint64_t new_ns)
{
	uint64_t more = new_ns > base_ns ? new_ns - base_ns : 0;

	if (limit->ppm == 0)
		return more > limit->time_ns;
	/* A change equal to the limit is not over it: nothing is rounded. */
	return (wide)more * MILLION > (wide)base_ns * limit->ppm;
}

enum regression regression_of(const struct diff *diff,
	const struct diff_row *row, enum diff_key figure,
	const struct regression_limit *limit, uint64_t min_ns)
{
	uint64_t base = time_of(&row->side[DIFF_BASE], figure);
	uint64_t changed = time_of(&row->side[DIFF_NEW], figure);

	if (limit->off)
		return REGRESSION_OFF;
	if (base < min_ns && changed < min_ns)
		return REGRESSION_SHORT;
	if (row->side[DIFF_BASE].found == 0)
		return REGRESSION_ADDED;
	if (row->side[DIFF_NEW].found == 0)
		return REGRESSION_REMOVED;
	if (!regression_is_over(limit, base, changed))
		return REGRESSION_PASSED;
	return diff_sign(diff, row, figure) > 0 ? REGRESSION_SLOWER
						: REGRESSION_NOISE;
}

/* ---- significance ---- */

/*
 * With many runs, ranks are compared: how often a run of one side exceeds one
 * of the other does not depend on the distribution of the noise, and outliers
 * have little effect. With few runs, the mean distance from the median is used;
 * outliers only increase it, which raises no false alarm. Its limits assume
 * normal noise: medians of equal programs differ by more once in 333 times.
 * Median absolute deviations are unsuitable, because with few runs they are
 * often nearly 0 by chance.
 * Source: Mann, Whitney, "On a test of whether one of two random variables is
 * stochastically larger than the other", 1947. The limits for few runs are from
 * a simulation of 400000 pairs for each count;
 * tests/lib/compare/test_significance.c repeats it.
 */

/* Chance exceeds this once in 2000 times. */
#define RANK_LIMIT 3.3

/* Significance limit in mean distances, by number of runs. */
static const double few_limits[] = {
	[SIGNIFICANCE_RUNS_MIN] = 7.62, 4.53, 3.77, 3.08, 2.83, 2.49, 2.35};

#define MANY (sizeof(few_limits) / sizeof(few_limits[0]))

/* The same for one or two runs beside several of the base, whose mean distance
 * alone counts. More of these would allow a lower limit. */
static const double lone_limits[] = {[SIGNIFICANCE_RUNS_MIN] = 32.95,
	14.18,
	10.34,
	8.12,
	7.21,
	6.49,
	6.11,
	5.73,
	5.52,
	5.29};

#define LONE_MOST (sizeof(lone_limits) / sizeof(lone_limits[0]) - 1)

static int compare_values(const void *a, const void *b)
{
	const uint64_t *left = a;
	const uint64_t *right = b;

	return *left < *right ? -1 : *left > *right;
}

uint64_t significance_median(uint64_t *values, size_t count)
{
	uint64_t upper;
	uint64_t lower;

	qsort(values, count, sizeof(*values), compare_values);
	upper = values[count / 2];
	lower = values[(count - 1) / 2];
	return lower + (upper - lower) / 2;
}

/* Takes `count` sorted values and replaces them by their distances. */
static struct significance_sample sample_of_values(
	uint64_t *values, size_t count)
{
	struct significance_sample sample = {
		.median = significance_median(values, count), .count = count};
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		values[i] = values[i] > sample.median
				    ? values[i] - sample.median
				    : sample.median - values[i];
		sum += (double)values[i];
	}
	sample.spread = significance_median(values, count);
	sample.deviation = sum / (double)count;
	return sample;
}

/* Takes sorted values. Equal pairs count half. */
static double rank_of(const uint64_t *base, size_t base_count,
	const uint64_t *changed, size_t changed_count)
{
	double pairs = (double)base_count * (double)changed_count;
	double more = 0;
	size_t less = 0; /* base values below the current one */
	size_t equal = 0;

	for (size_t i = 0; i < changed_count; i++) {
		while (less < base_count && base[less] < changed[i])
			less++;
		if (equal < less)
			equal = less;
		while (equal < base_count && base[equal] == changed[i])
			equal++;
		more += (double)(less + equal) / 2;
	}
	return (more - pairs / 2) /
	       sqrt(pairs * (double)(base_count + changed_count + 1) / 12);
}

struct significance_change significance_compare(uint64_t *base,
	size_t base_count, uint64_t *changed, size_t changed_count)
{
	struct significance_change change = {0};

	qsort(base, base_count, sizeof(*base), compare_values);
	qsort(changed, changed_count, sizeof(*changed), compare_values);
	if (base_count >= MANY && changed_count >= MANY)
		change.rank = rank_of(base, base_count, changed, changed_count);
	change.base = sample_of_values(base, base_count);
	change.changed = sample_of_values(changed, changed_count);
	return change;
}

/* Pools both sides, which are almost the same program. */
static double deviation_of(const struct significance_sample *base,
	const struct significance_sample *changed)
{
	double sum = base->deviation * (double)base->count +
		     changed->deviation * (double)changed->count;

	return sum / (double)(base->count + changed->count);
}

static double lone_limit(const struct significance_sample *base)
{
	return lone_limits[base->count < LONE_MOST ? base->count : LONE_MOST];
}

int significance_sign(const struct significance_change *change)
{
	const struct significance_sample *base = &change->base;
	const struct significance_sample *changed = &change->changed;
	size_t fewer =
		base->count < changed->count ? base->count : changed->count;
	double more = (double)changed->median - (double)base->median;
	bool is_change = true;

	if (changed->median == base->median)
		return 0;
	if (fewer >= MANY)
		is_change =
			(more > 0 ? change->rank : -change->rank) > RANK_LIMIT;
	else if (fewer >= SIGNIFICANCE_RUNS_MIN)
		is_change = fabs(more) >
			    few_limits[fewer] * deviation_of(base, changed);
	else if (base->count >= SIGNIFICANCE_RUNS_MIN)
		is_change = fabs(more) > lone_limit(base) * base->deviation;
	return !is_change ? 0 : more > 0 ? 1 : -1;
}

#define SUM_ROWS 2 /* host, devices */

struct diff {
	enum match_key match;
	enum diff_key key;
	uint32_t runs[DIFF_SIDES];
	uint32_t added[DIFF_SIDES];
	struct strtab *text;
	struct buffer name; /* of the current function, as is */
	struct buffer file;
	struct diff_row *rows;
	struct diff_cost *cells; /* row by row, base before new */
	bool *present;           /* by cell */
	uint32_t row_count;
	uint32_t row_room;
	struct index index; /* over rows */
};

static uint32_t stride(const struct diff *diff)
{
	return diff->runs[DIFF_BASE] + diff->runs[DIFF_NEW];
}

/* Makes room for one more row in all arrays by row. */
static bool grow(struct diff *diff)
{
	uint32_t rows = diff->row_room;
	uint32_t cells = diff->row_room;

	return array_reserve32(&diff->rows, diff->row_count, &rows,
		       sizeof(*diff->rows)) &&
	       array_reserve32(&diff->cells, diff->row_count, &cells,
		       stride(diff) * sizeof(*diff->cells)) &&
	       array_reserve32(&diff->present, diff->row_count, &diff->row_room,
		       stride(diff) * sizeof(*diff->present));
}

/* Returns the new row's number; PROFILE_NONE if out of memory. */
static uint32_t add_row(struct diff *diff, const struct diff_row *row)
{
	size_t first = (size_t)diff->row_count * stride(diff);

	if (!grow(diff))
		return PROFILE_NONE;
	memset(&diff->cells[first], 0, stride(diff) * sizeof(*diff->cells));
	memset(&diff->present[first], 0, stride(diff) * sizeof(*diff->present));
	diff->rows[diff->row_count] = *row;
	diff->rows[diff->row_count].cells = (uint32_t)diff->row_count;
	return diff->row_count++;
}

struct diff *diff_new(enum match_key match, const uint32_t runs[DIFF_SIDES])
{
	static const struct diff_row sums[SUM_ROWS] = {
		{.name = "", .file = "", .kind = PROFILE_HOST},
		{.name = "", .file = "", .kind = PROFILE_KERNEL}};
	struct diff *diff = memory_new_zeroed(1, sizeof(*diff));

	if (diff == NULL)
		return NULL;
	diff->match = match;
	diff->runs[DIFF_BASE] = runs[DIFF_BASE];
	diff->runs[DIFF_NEW] = runs[DIFF_NEW];
	diff->text = strtab_new();
	if (diff->text == NULL || add_row(diff, &sums[0]) == PROFILE_NONE ||
		add_row(diff, &sums[1]) == PROFILE_NONE) {
		diff_free(diff);
		return NULL;
	}
	return diff;
}

void diff_free(struct diff *diff)
{
	if (diff == NULL)
		return;
	strtab_free(diff->text);
	buffer_clear(&diff->name);
	buffer_clear(&diff->file);
	memory_free(diff->rows);
	memory_free(diff->cells);
	memory_free(diff->present);
	memory_free(diff->index.entries);
	memory_free(diff);
}

/* ---- joining ---- */

static const char *intern(struct diff *diff, const struct buffer *text)
{
	uint32_t number =
		strtab_add(diff->text, (const char *)text->bytes, text->used);

	return number == STRTAB_NONE ? NULL
				     : strtab_text(diff->text, number, NULL);
}

/* Fills the compared fields of a function; false if out of memory. */
static bool make_row(struct diff *diff, const struct profile_function *function,
	struct diff_row *row)
{
	diff->name.used = 0;
	diff->file.used = 0;
	function_match_name(diff->match, function, &diff->name, &diff->file);
	if (diff->name.failed || diff->file.failed)
		return false;
	*row = (struct diff_row){
		.name = intern(diff, &diff->name),
		.file = intern(diff, &diff->file),
		.line = function->line,
		.kind = function->device.kind,
	};
	return row->name != NULL && row->file != NULL;
}

static bool is_equal(const struct diff *diff, const struct diff_row *one,
	const struct diff_row *other)
{
	return one->name == other->name && one->file == other->file &&
	       one->kind == other->kind &&
	       (diff->match < MATCH_KEY_LINE || one->line == other->line);
}

static uint64_t row_hash(const struct diff *diff, const struct diff_row *row)
{
	uint32_t line = diff->match < MATCH_KEY_LINE ? 0 : row->line;

	return hash_triple((uintptr_t)row->name, (uintptr_t)row->file,
		(uint64_t)row->kind << 32 | line);
}

/* Returns the row's number; PROFILE_NONE if it is missing. */
static uint32_t find_equal(const struct diff *diff, const struct diff_row *row)
{
	uint64_t hash = row_hash(diff, row);
	uint32_t slot = index_first(&diff->index, hash);
	uint32_t number;

	while ((number = index_find(&diff->index, hash, &slot)) != INDEX_NONE) {
		if (is_equal(diff, &diff->rows[number], row))
			return number;
		slot = index_after(&diff->index, slot);
	}
	return PROFILE_NONE;
}

/* Returns the row's number, added if new; PROFILE_NONE if out of memory. */
static uint32_t find_row(struct diff *diff, const struct diff_row *row)
{
	uint64_t hash = row_hash(diff, row);
	uint32_t number;
	uint32_t slot;

	if (!index_reserve(&diff->index, diff->row_count))
		return PROFILE_NONE;
	slot = index_first(&diff->index, hash);
	while ((number = index_find(&diff->index, hash, &slot)) != INDEX_NONE) {
		if (is_equal(diff, &diff->rows[number], row))
			return number;
		slot = index_after(&diff->index, slot);
	}
	number = add_row(diff, row);
	if (number != PROFILE_NONE)
		index_set(&diff->index, slot, hash, number);
	return number;
}

static void add_cost(struct diff *diff, uint32_t row, uint32_t run,
	const struct diff_cost *cost)
{
	size_t number = (size_t)row * stride(diff) + run;
	struct diff_cost *cell = &diff->cells[number];

	cell->count = saturate_sum(cell->count, cost->count);
	cell->total_ns = saturate_sum(cell->total_ns, cost->total_ns);
	cell->self_ns = saturate_sum(cell->self_ns, cost->self_ns);
	diff->present[number] = true;
}

/* Sets the line to show: the new side's, if it has one. */
static void record_line(
	struct diff_row *row, enum diff_side side, uint32_t line)
{
	bool first = row->side[side].found++ == 0;

	if (side == DIFF_BASE && row->side[DIFF_NEW].found != 0)
		return;
	if (first || line < row->line)
		row->line = line;
}

static bool add_function(struct diff *diff, enum diff_side side,
	const struct profile_function *function)
{
	uint32_t run = diff->added[side] +
		       (side == DIFF_NEW ? diff->runs[DIFF_BASE] : 0);
	struct diff_cost cost = {
		.count = function->cost.ncalls,
		.total_ns = function->cost.cumtime_ns,
		.self_ns = function->cost.tottime_ns,
	};
	struct diff_row row;
	uint32_t number;

	if (function->device.kind != PROFILE_HOST) {
		cost.total_ns = function->device.self_ns;
		cost.self_ns = function->device.self_ns;
	}
	if (!make_row(diff, function, &row))
		return false;
	number = find_row(diff, &row);
	if (number == PROFILE_NONE)
		return false;
	record_line(&diff->rows[number], side, function->line);
	add_cost(diff, number, run, &cost);
	cost.total_ns = cost.self_ns;
	add_cost(diff, row.kind == PROFILE_HOST ? 0 : 1, run, &cost);
	return true;
}

enum ctp_status diff_add(struct diff *diff, enum diff_side side,
	const struct profile *profile, struct ctp_error *err)
{
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (!add_function(diff, side, &profile->functions[i]))
			return ctp_no_memory(err);
	diff->added[side]++;
	return CTP_OK;
}

/* ---- files of the new side ---- */

/* Copies the runs of the base; only the new side has the row `to`. */
static void copy_base(struct diff *diff, const struct diff_row *to,
	const struct diff_row *from)
{
	size_t first = (size_t)to->cells * stride(diff);
	size_t other = (size_t)from->cells * stride(diff);
	uint32_t count = diff->runs[DIFF_BASE];

	memcpy(&diff->cells[first], &diff->cells[other],
		count * sizeof(*diff->cells));
	memcpy(&diff->present[first], &diff->present[other],
		count * sizeof(*diff->present));
}

/* Gives a row of the base another file. `*joined`: its costs are now in the new
 * side's row. */
static bool change_file(
	struct diff *diff, struct diff_row *row, const char *file, bool *joined)
{
	uint32_t number;

	diff->file.used = 0;
	symbol_normalize_file(&diff->file, file, strlen(file));
	if (diff->file.failed)
		return false;
	file = intern(diff, &diff->file);
	if (file == NULL)
		return false;
	row->file = file;
	number = find_equal(diff, row);
	*joined = number != PROFILE_NONE;
	if (*joined)
		copy_base(diff, &diff->rows[number], row);
	return true;
}

enum ctp_status diff_map_files(
	struct diff *diff, const struct source_map *map, struct ctp_error *err)
{
	struct diff_row *kept =
		memory_resize_array(NULL, diff->row_count, sizeof(*kept));
	uint32_t count = 0;

	if (kept == NULL)
		return ctp_no_memory(err);
	for (uint32_t i = 0; i < diff->row_count; i++) {
		struct diff_row row = diff->rows[i];
		const char *file = NULL;
		bool joined = false;
		enum ctp_status status = CTP_OK;

		if (row.kind == PROFILE_HOST && row.file[0] != '\0')
			status = source_map_find(map, row.file, &file, err);
		if (status == CTP_OK && file != NULL &&
			!change_file(diff, &row, file, &joined))
			status = ctp_no_memory(err);
		if (status != CTP_OK) {
			memory_free(kept);
			return status;
		}
		if (!joined)
			kept[count++] = row;
	}
	memory_free(diff->rows);
	diff->rows = kept;
	diff->row_room = diff->row_count;
	diff->row_count = count;
	return CTP_OK;
}

/* ---- medians, and the order ---- */

static uint64_t get(const struct diff_cost *cost, enum diff_key key)
{
	switch (key) {
	case DIFF_SELF:
		return cost->self_ns;
	case DIFF_COUNT:
		return cost->count;
	default:
		return cost->total_ns;
	}
}

static void set(struct diff_cost *cost, enum diff_key key, uint64_t value)
{
	switch (key) {
	case DIFF_SELF:
		cost->self_ns = value;
		break;
	case DIFF_COUNT:
		cost->count = value;
		break;
	default:
		cost->total_ns = value;
		break;
	}
}

/* Gets the figures of the runs; returns the number of runs that have the
 * row. */
static uint32_t get_runs(const struct diff *diff, const struct diff_row *row,
	enum diff_side side, enum diff_key key, uint64_t *values)
{
	size_t first = (size_t)row->cells * stride(diff) +
		       (side == DIFF_NEW ? diff->runs[DIFF_BASE] : 0);
	uint32_t found = 0;

	for (uint32_t i = 0; i < diff->runs[side]; i++) {
		values[i] = get(&diff->cells[first + i], key);
		found += diff->present[first + i];
	}
	return found;
}

static void set_figures(struct diff_figures *figures, enum diff_key key,
	const struct significance_sample *sample)
{
	set(&figures->median, key, sample->median);
	set(&figures->spread, key, sample->spread);
	figures->deviation[key] = sample->deviation;
}

/* `values` has room for all runs. */
static void sum_up(
	const struct diff *diff, struct diff_row *row, uint64_t *values)
{
	static const enum diff_key keys[DIFF_FIGURES] = {
		DIFF_TOTAL, DIFF_SELF, DIFF_COUNT};
	struct diff_figures *sides = row->side;
	uint64_t *changed = values + diff->runs[DIFF_BASE];

	for (size_t k = 0; k < DIFF_FIGURES; k++) {
		struct significance_change change;

		sides[DIFF_BASE].found =
			get_runs(diff, row, DIFF_BASE, keys[k], values);
		sides[DIFF_NEW].found =
			get_runs(diff, row, DIFF_NEW, keys[k], changed);
		change = significance_compare(values, diff->runs[DIFF_BASE],
			changed, diff->runs[DIFF_NEW]);
		set_figures(&sides[DIFF_BASE], keys[k], &change.base);
		set_figures(&sides[DIFF_NEW], keys[k], &change.changed);
		row->rank[keys[k]] = change.rank;
	}
}

static struct significance_sample sample_of(const struct diff *diff,
	const struct diff_row *row, enum diff_side side, enum diff_key figure)
{
	const struct diff_figures *figures = &row->side[side];

	return (struct significance_sample){
		.median = get(&figures->median, figure),
		.spread = get(&figures->spread, figure),
		.deviation = figures->deviation[figure],
		.count = diff->runs[side],
	};
}

int diff_sign(const struct diff *diff, const struct diff_row *row,
	enum diff_key figure)
{
	const struct significance_change change = {
		.base = sample_of(diff, row, DIFF_BASE, figure),
		.changed = sample_of(diff, row, DIFF_NEW, figure),
		.rank = row->rank[figure],
	};

	return significance_sign(&change);
}

int64_t diff_change(uint64_t base, uint64_t changed)
{
	uint64_t size = changed > base ? changed - base : base - changed;

	if (size > INT64_MAX)
		size = INT64_MAX;
	return changed > base ? (int64_t)size : -(int64_t)size;
}

static int compare_text(const struct diff_row *one, const struct diff_row *two)
{
	int order = strcmp(one->name, two->name);

	if (order == 0)
		order = strcmp(one->file, two->file);
	if (order == 0)
		order = one->line < two->line ? -1 : one->line > two->line;
	return order != 0 ? order : (int)one->kind - (int)two->kind;
}

/* Ratio of the larger to the smaller; infinite if the smaller is 0. */
static double factor(uint64_t base, uint64_t changed)
{
	uint64_t less = base < changed ? base : changed;
	uint64_t more = base < changed ? changed : base;

	return more == 0 ? 1 : (double)more / (double)less;
}

static int compare(const void *a, const void *b, void *user)
{
	const struct diff *diff = user;
	const struct diff_row *rows[] = {a, b};
	uint64_t change[2];
	double by[2];

	for (int i = 0; i < 2; i++) {
		const struct diff_figures *sides = rows[i]->side;
		uint64_t base = get(&sides[DIFF_BASE].median, diff->key);
		uint64_t changed = get(&sides[DIFF_NEW].median, diff->key);

		change[i] = base < changed ? changed - base : base - changed;
		by[i] = factor(base, changed);
	}
	if (diff->key == DIFF_RATIO && by[0] != by[1])
		return by[0] > by[1] ? -1 : 1;
	if (diff->key != DIFF_NAME && change[0] != change[1])
		return change[0] > change[1] ? -1 : 1;
	return compare_text(rows[0], rows[1]);
}

enum ctp_status diff_finish(
	struct diff *diff, enum diff_key key, struct ctp_error *err)
{
	uint64_t *values =
		memory_resize_array(NULL, stride(diff), sizeof(*values));

	if (values == NULL)
		return ctp_no_memory(err);
	for (uint32_t i = 0; i < diff->row_count; i++)
		sum_up(diff, &diff->rows[i], values);
	memory_free(values);
	diff->key = key;
	qsort_r(diff->rows + SUM_ROWS, diff->row_count - SUM_ROWS,
		sizeof(*diff->rows), compare, diff);
	return CTP_OK;
}

const struct diff_row *diff_rows(const struct diff *diff, uint32_t *count)
{
	*count = diff->row_count - SUM_ROWS;
	return diff->rows + SUM_ROWS;
}

const struct diff_row *diff_sum(const struct diff *diff, bool device)
{
	return &diff->rows[device];
}

/* SPDX-License-Identifier: MIT */
#include "compare/regression_rows.h"

#include "compare/delta.h"
#include "base/memory.h"

#define MILLION 1e6

static const struct regression_limit *limit_of(
	struct regression_rows_options *options, const char *name)
{
	const struct regression_limit *limit =
		limits_file_find(&options->limits, name);

	return limit == NULL ? &options->default_limit : limit;
}

static void add(struct regression_rows *regressions,
	const struct regression_row *regression)
{
	regressions->items[regressions->count++] = *regression;
	regressions->counts[regression->verdict]++;
}

/* Sums have no shortest time: they are what that is a share of. */
static void add_sum(struct regression_rows *regressions,
	const struct diff *diff, bool device,
	struct regression_rows_options *options)
{
	const struct diff_row *sum = diff_sum(diff, device);
	struct regression_row regression = {
		.row = sum, .name = delta_sum_name(device)};

	if (sum->side[DIFF_BASE].found + sum->side[DIFF_NEW].found == 0)
		return;
	regression.limit = limit_of(options, regression.name);
	regression.verdict =
		regression_of(diff, sum, DIFF_TOTAL, regression.limit, 0);
	add(regressions, &regression);
}

static uint64_t min_time_of(const struct diff *diff, bool device,
	const struct regression_rows_options *options)
{
	const struct diff_figures *sides = diff_sum(diff, device)->side;
	uint64_t base = sides[DIFF_BASE].median.total_ns;
	uint64_t changed = sides[DIFF_NEW].median.total_ns;
	uint64_t whole = base > changed ? base : changed;

	if (options->min_ppm == 0)
		return options->min_ns;
	return (uint64_t)((double)whole * (options->min_ppm / MILLION));
}

bool regression_rows_init(struct regression_rows *regressions,
	const struct diff *diff, const struct comparison *comparison,
	struct regression_rows_options *options)
{
	const uint64_t min_ns[] = {min_time_of(diff, false, options),
		min_time_of(diff, true, options)};
	uint32_t count;
	const struct diff_row *rows = diff_rows(diff, &count);

	*regressions = (struct regression_rows){
		.items = memory_resize_array(
			NULL, (size_t)count + 2, sizeof(*regressions->items))};
	if (regressions->items == NULL)
		return false;
	if (!comparison->kernels)
		add_sum(regressions, diff, false, options);
	add_sum(regressions, diff, true, options);
	for (uint32_t i = 0; i < count; i++) {
		struct regression_row regression = {
			.row = &rows[i], .name = rows[i].name};

		if (!comparison_shows(comparison, &rows[i]))
			continue;
		regression.limit = limit_of(options, regression.name);
		regression.verdict = regression_of(diff, &rows[i], options->key,
			regression.limit, min_ns[rows[i].kind != PROFILE_HOST]);
		add(regressions, &regression);
	}
	return true;
}

void regression_rows_clear(struct regression_rows *regressions)
{
	memory_free(regressions->items);
	*regressions = (struct regression_rows){0};
}

size_t regression_rows_judged_count(const struct regression_rows *regressions)
{
	size_t judged = 0;

	for (enum regression verdict = 0; verdict < REGRESSION_COUNT; verdict++)
		if (regression_is_judged(verdict))
			judged += regressions->counts[verdict];
	return judged;
}

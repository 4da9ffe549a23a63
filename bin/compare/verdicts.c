/* SPDX-License-Identifier: MIT */
#include "compare/verdicts.h"

#include "compare/change.h"
#include "base/memory.h"

#define MILLION 1e6

static const struct regression_limit *limit_of(
	struct verdicts_options *options, const char *name)
{
	const struct regression_limit *limit =
		allowed_find(&options->limits, name);

	return limit == NULL ? &options->usual : limit;
}

static void add(struct verdicts *verdicts, const struct verdicts_item *verdict)
{
	verdicts->items[verdicts->count++] = *verdict;
	verdicts->counts[verdict->verdict]++;
}

/* Sums have no shortest time: they are what that is a share of. */
static void add_sum(struct verdicts *verdicts, const struct diff *diff,
	bool device, struct verdicts_options *options)
{
	const struct diff_row *sum = diff_sum(diff, device);
	struct verdicts_item verdict = {
		.row = sum, .name = change_sum_name(device)};

	if (sum->side[DIFF_BASE].found + sum->side[DIFF_NEW].found == 0)
		return;
	verdict.limit = limit_of(options, verdict.name);
	verdict.verdict =
		regression_of(diff, sum, DIFF_TOTAL, verdict.limit, 0);
	add(verdicts, &verdict);
}

static uint64_t min_of(const struct diff *diff, bool device,
	const struct verdicts_options *options)
{
	const struct diff_figures *sides = diff_sum(diff, device)->side;
	uint64_t base = sides[DIFF_BASE].median.total_ns;
	uint64_t changed = sides[DIFF_NEW].median.total_ns;
	uint64_t whole = base > changed ? base : changed;

	if (options->min_ppm == 0)
		return options->min_ns;
	return (uint64_t)((double)whole * (options->min_ppm / MILLION));
}

bool verdicts_make(struct verdicts *verdicts, const struct diff *diff,
	const struct sides *sides, struct verdicts_options *options)
{
	const uint64_t min_ns[] = {
		min_of(diff, false, options), min_of(diff, true, options)};
	uint32_t count;
	const struct diff_row *rows = diff_rows(diff, &count);

	*verdicts = (struct verdicts){
		.items = memory_resize_array(
			NULL, (size_t)count + 2, sizeof(*verdicts->items))};
	if (verdicts->items == NULL)
		return false;
	if (!sides->kernels)
		add_sum(verdicts, diff, false, options);
	add_sum(verdicts, diff, true, options);
	for (uint32_t i = 0; i < count; i++) {
		struct verdicts_item verdict = {
			.row = &rows[i], .name = rows[i].name};

		if (!sides_shows(sides, &rows[i]))
			continue;
		verdict.limit = limit_of(options, verdict.name);
		verdict.verdict = regression_of(diff, &rows[i], options->figure,
			verdict.limit, min_ns[rows[i].kind != PROFILE_HOST]);
		add(verdicts, &verdict);
	}
	return true;
}

void verdicts_clear(struct verdicts *verdicts)
{
	memory_free(verdicts->items);
	*verdicts = (struct verdicts){0};
}

size_t verdicts_judged(const struct verdicts *verdicts)
{
	size_t judged = 0;

	for (enum regression verdict = 0; verdict < REGRESSION_COUNT; verdict++)
		if (regression_is_judged(verdict))
			judged += verdicts->counts[verdict];
	return judged;
}

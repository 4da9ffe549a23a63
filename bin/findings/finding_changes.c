/* SPDX-License-Identifier: MIT */
/* Rules about what got slower since the base of a comparison. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/quantity.h"
#include "findings/finding_rules.h"

#define SLOWER_PERCENT 5
#define GROWN_PERCENT 2
#define ADDED_PERCENT 2

static bool is_device(const struct diff_row *row)
{
	return row->kind != PROFILE_HOST;
}

static uint64_t all_ns(
	const struct diff *diff, bool device, enum diff_side side)
{
	return diff_sum(diff, device)->side[side].median.total_ns;
}

/* The sum of one kind of functions is larger than before. */
static bool find_slower(
	struct finding *finding, const struct diff *diff, bool device)
{
	uint64_t base_ns;
	uint64_t new_ns;
	char percent[FINDING_PERCENT];
	char texts[2][QUANTITY_TEXT];

	if (diff == NULL ||
		diff_sign(diff, diff_sum(diff, device), DIFF_TOTAL) <= 0)
		return false;
	base_ns = all_ns(diff, device, DIFF_BASE);
	new_ns = all_ns(diff, device, DIFF_NEW);
	if (!finding_set_share(
		    finding, new_ns - base_ns, base_ns, SLOWER_PERCENT))
		return false;
	finding_set_text(finding, "%s %s, where the base took %s%s%s.",
		device ? "The work of GPUs takes" : "All functions take",
		quantity_time(texts[0], new_ns),
		quantity_time(texts[1], base_ns),
		finding->share_ppm < MILLION ? ": more by " : "",
		finding->share_ppm < MILLION
			? finding_percent(percent, finding->share_ppm)
			: "");
	return true;
}

bool finding_slower(struct finding *finding, const struct findings_facts *facts)
{
	return find_slower(finding, facts->diff, false);
}

bool finding_gpu_slower(
	struct finding *finding, const struct findings_facts *facts)
{
	return find_slower(finding, facts->diff, true);
}

/* Growth of own time; 0 if it is not in both sides, or not significant. */
static uint64_t growth_of(const struct diff *diff, const struct diff_row *row)
{
	const struct diff_figures *base = &row->side[DIFF_BASE];
	const struct diff_figures *now = &row->side[DIFF_NEW];

	if (base->found == 0 || now->found == 0 ||
		diff_sign(diff, row, DIFF_SELF) <= 0)
		return 0;
	return now->median.self_ns - base->median.self_ns;
}

static uint64_t added_of(const struct diff *diff, const struct diff_row *row)
{
	(void)diff;
	return row->side[DIFF_BASE].found == 0
		       ? row->side[DIFF_NEW].median.self_ns
		       : 0;
}

/* The first of the rows with the largest time, or NULL. */
static const struct diff_row *find_largest(
	const struct diff *diff, uint64_t (*time_of)(const struct diff *diff,
					 const struct diff_row *row))
{
	uint32_t count;
	const struct diff_row *rows = diff_rows(diff, &count);
	const struct diff_row *most = NULL;
	uint64_t most_ns = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t time_ns = time_of(diff, &rows[i]);

		if (time_ns > most_ns) {
			most_ns = time_ns;
			most = &rows[i];
		}
	}
	return most;
}

/* Whether it is slower because it is called more often, or each time. */
static void add_cause(char *text, size_t room, const struct diff_row *row)
{
	const struct diff_cost *base = &row->side[DIFF_BASE].median;
	const struct diff_cost *now = &row->side[DIFF_NEW].median;
	char times[2][QUANTITY_TEXT];

	if (now->count > base->count)
		(void)snprintf(text, room,
			"it is called %" PRIu64 " times, before %" PRIu64,
			now->count, base->count);
	else
		(void)snprintf(text, room, "a call takes %s, before %s",
			quantity_time(times[0],
				quantity_mean(now->self_ns, now->count)),
			quantity_time(times[1],
				quantity_mean(base->self_ns, base->count)));
}

bool finding_grown(struct finding *finding, const struct findings_facts *facts)
{
	const struct diff_row *row =
		facts->diff == NULL ? NULL
				    : find_largest(facts->diff, growth_of);
	char texts[2][QUANTITY_TEXT];
	char name[FINDING_NAME];
	char cause[3 * QUANTITY_TEXT];

	if (row == NULL ||
		!finding_set_share(finding, growth_of(facts->diff, row),
			all_ns(facts->diff, is_device(row), DIFF_BASE),
			GROWN_PERCENT))
		return false;
	add_cause(cause, sizeof(cause), row);
	finding_set_text(finding,
		"%s grew most: it takes %s itself, where it took %s; %s.",
		finding_name(name, row->name),
		quantity_time(texts[0], row->side[DIFF_NEW].median.self_ns),
		quantity_time(texts[1], row->side[DIFF_BASE].median.self_ns),
		cause);
	return true;
}

bool finding_added(struct finding *finding, const struct findings_facts *facts)
{
	const struct diff_row *row =
		facts->diff == NULL ? NULL
				    : find_largest(facts->diff, added_of);
	const struct diff_cost *now;
	char time[QUANTITY_TEXT];
	char name[FINDING_NAME];

	if (row == NULL)
		return false;
	now = &row->side[DIFF_NEW].median;
	if (!finding_set_share(finding, now->self_ns,
		    all_ns(facts->diff, is_device(row), DIFF_NEW),
		    ADDED_PERCENT))
		return false;
	finding_set_text(finding,
		"%s is not in the base and takes %s itself, in %" PRIu64
		" call%s.",
		finding_name(name, row->name),
		quantity_time(time, now->self_ns), now->count,
		now->count == 1 ? "" : "s");
	return true;
}

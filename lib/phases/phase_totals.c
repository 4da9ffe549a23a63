/* SPDX-License-Identifier: MIT */
#include "phases/phase_totals.h"

#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"

void phase_total_clear(struct phase_total *total)
{
	memory_free(total->rows);
	*total = (struct phase_total){.rules = ""};
}

void phase_totals_clear(struct phase_totals *totals)
{
	for (uint32_t i = 0; i < totals->count; i++)
		phase_total_clear(&totals->items[i]);
	memory_free(totals->items);
	strtab_free(totals->text);
	*totals = (struct phase_totals){0};
}

/* A copy of the text that lives as long as the totals. */
static const char *keep(struct phase_totals *totals, const char *text)
{
	uint32_t number;

	if (totals->text == NULL)
		totals->text = strtab_new();
	if (totals->text == NULL)
		return NULL;
	number = strtab_add(totals->text, text, strlen(text));
	return number == STRTAB_NONE ? NULL
				     : strtab_text(totals->text, number, NULL);
}

/* Inputs without rules are the last. */
static int compare_rules(const char *left, const char *right)
{
	if (left[0] == '\0' || right[0] == '\0')
		return (left[0] == '\0') - (right[0] == '\0');
	return strcmp(left, right);
}

struct phase_total *phase_totals_find(
	struct phase_totals *totals, const char *rules)
{
	struct phase_total total = {.rules = ""};
	uint32_t at = 0;

	while (at < totals->count &&
		compare_rules(totals->items[at].rules, rules) < 0)
		at++;
	if (at < totals->count && strcmp(totals->items[at].rules, rules) == 0)
		return &totals->items[at];
	total.rules = keep(totals, rules);
	if (total.rules == NULL ||
		!array_reserve32(&totals->items, totals->count, &totals->room,
			sizeof(*totals->items)))
		return NULL;
	memmove(&totals->items[at + 1], &totals->items[at],
		(totals->count - at) * sizeof(*totals->items));
	totals->count++;
	totals->items[at] = total;
	return &totals->items[at];
}

static int compare_row(
	const struct phase_row *row, uint32_t number, const char *name)
{
	return row->number != number
		       ? (row->number > number) - (row->number < number)
		       : strcmp(row->name, name);
}

/* The first row that is not before this one. */
static uint32_t find_row(
	const struct phase_total *total, uint32_t number, const char *name)
{
	uint32_t low = 0;
	uint32_t high = total->row_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare_row(&total->rows[middle], number, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct phase_row *phase_totals_row(struct phase_totals *totals,
	struct phase_total *total, uint32_t number, const char *name)
{
	uint32_t at = find_row(total, number, name);
	struct phase_row row = {.number = number};

	if (at < total->row_count &&
		compare_row(&total->rows[at], number, name) == 0)
		return &total->rows[at];
	row.name = keep(totals, name);
	if (row.name == NULL || !array_reserve32(&total->rows, total->row_count,
					&total->row_room, sizeof(*total->rows)))
		return NULL;
	memmove(&total->rows[at + 1], &total->rows[at],
		(total->row_count - at) * sizeof(*total->rows));
	total->row_count++;
	total->rows[at] = row;
	return &total->rows[at];
}

bool phase_total_init(struct phase_total *total,
	const struct phase_rules *rules, const struct phase_times *times)
{
	uint32_t count = rules == NULL ? 0 : phase_rules_count(rules);

	*total = (struct phase_total){
		.rules = rules == NULL ? "" : phase_rules_name(rules),
		.flat_count = times->flat,
		.unknown_ns = times->unknown_ns,
		.idle_ns = times->idle_ns};
	total->rows =
		memory_new_zeroed((size_t)count + 1, sizeof(*total->rows));
	if (total->rows == NULL)
		return false;
	total->row_room = count + 1;
	for (uint32_t i = 0; i < count && times->phases != NULL; i++) {
		const struct phase_sum *sum = &times->phases[i];

		if ((sum->count | sum->self_ns | sum->total_ns) != 0)
			total->rows[total->row_count++] = (struct phase_row){
				i, phase_rules_phase(rules, i), *sum};
	}
	return true;
}

static bool add_total(
	struct phase_totals *totals, const struct phase_total *from)
{
	struct phase_total *to = phase_totals_find(totals, from->rules);

	if (to == NULL)
		return false;
	to->file_count = saturate_sum(to->file_count, from->file_count);
	to->flat_count = saturate_sum(to->flat_count, from->flat_count);
	to->thread_count = saturate_sum(to->thread_count, from->thread_count);
	to->unknown_ns = saturate_sum(to->unknown_ns, from->unknown_ns);
	to->idle_ns = saturate_sum(to->idle_ns, from->idle_ns);
	for (uint32_t i = 0; i < from->row_count; i++) {
		struct phase_row *row = phase_totals_row(
			totals, to, from->rows[i].number, from->rows[i].name);

		if (row == NULL)
			return false;
		phase_sum_add(&row->sum, &from->rows[i].sum);
	}
	return true;
}

bool phase_totals_add(struct phase_totals *totals, const struct phases *phases)
{
	const struct phase_times *times = phases_times(phases);
	struct phase_total total;
	uint32_t threads;
	bool done;

	if (times->wall_ns == 0 && !times->flat)
		return true;
	if (!phase_total_init(&total, phases_rules(phases), times))
		return false;
	(void)phases_threads(phases, &threads);
	total.file_count = 1;
	total.thread_count = threads;
	done = add_total(totals, &total);
	phase_total_clear(&total);
	return done;
}

bool phase_totals_add_all(
	struct phase_totals *to, const struct phase_totals *from)
{
	for (uint32_t i = 0; i < from->count; i++)
		if (!add_total(to, &from->items[i]))
			return false;
	return true;
}

uint64_t phase_total_wall(const struct phase_total *total)
{
	uint64_t wall_ns = saturate_sum(total->unknown_ns, total->idle_ns);

	for (uint32_t i = 0; i < total->row_count; i++)
		wall_ns = saturate_sum(wall_ns, total->rows[i].sum.self_ns);
	return wall_ns;
}

/* SPDX-License-Identifier: MIT */
#include "ranks/stragglers.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/saturate.h"

/* Own times that exceed the median by less than this part have no reason. */
#define NOISE 32

const char *straggler_reason_name(enum straggler_reason reason)
{
	static const char *const names[STRAGGLER_REASONS + 1] = {
		[STRAGGLER_COMPUTE] = "slow compute",
		[STRAGGLER_LAUNCH] = "late launch",
		[STRAGGLER_INPUT] = "input",
		[STRAGGLER_COMMUNICATION] = "communication",
		[STRAGGLER_COPIES] = "copies",
	};

	return names[reason];
}

/* ---- waiting ---- */

/* Sums over the instances before each, and the ranks that came last. */
struct waiting {
	const struct collectives *collectives;
	spread_wide *least_ns;
	uint32_t *matched;
	int64_t *last_ranks; /* sorted */
	uint32_t last_count;
};

static int compare_numbers(const void *left, const void *right)
{
	const int64_t one = *(const int64_t *)left;
	const int64_t other = *(const int64_t *)right;

	return (one > other) - (one < other);
}

static void clear_waiting(struct waiting *waiting)
{
	memory_free(waiting->least_ns);
	memory_free(waiting->matched);
	memory_free(waiting->last_ranks);
}

static bool init_waiting(
	struct waiting *waiting, const struct collectives *collectives)
{
	size_t count = collectives->instance_count;

	*waiting = (struct waiting){.collectives = collectives,
		.least_ns = memory_new_zeroed(count + 1, sizeof(spread_wide)),
		.matched = memory_new_zeroed(count + 1, sizeof(uint32_t)),
		.last_ranks = memory_new_zeroed(count + 1, sizeof(int64_t))};
	if (waiting->least_ns == NULL || waiting->matched == NULL ||
		waiting->last_ranks == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct collective_instance *instance =
			&collectives->instances[i];
		bool matches = instance->count > 1;

		waiting->least_ns[i + 1] =
			waiting->least_ns[i] + instance->min_ns;
		waiting->matched[i + 1] = waiting->matched[i] + matches;
		if (matches && instance->min_rank != SPREAD_RANK_NONE)
			waiting->last_ranks[waiting->last_count++] =
				instance->min_rank;
	}
	qsort(waiting->last_ranks, waiting->last_count,
		sizeof(*waiting->last_ranks), compare_numbers);
	return true;
}

/* The index of the first instance that is not before this. */
static uint32_t find_instance(
	const struct waiting *waiting, uint64_t series, uint64_t number)
{
	uint32_t low = 0;
	uint32_t high = waiting->collectives->instance_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct collective_instance *instance =
			&waiting->collectives->instances[middle];

		if (instance->series < series ||
			(instance->series == series &&
				instance->number < number))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t count_last(const struct waiting *waiting, int64_t rank)
{
	uint32_t bounds[2];

	for (int i = 0; i < 2; i++) {
		uint32_t low = 0;
		uint32_t high = waiting->last_count;

		while (low < high) {
			uint32_t middle = low + (high - low) / 2;
			int64_t found = waiting->last_ranks[middle];

			if (i == 0 ? found < rank : found <= rank)
				low = middle + 1;
			else
				high = middle;
		}
		bounds[i] = low;
	}
	return bounds[1] - bounds[0];
}

/* The rank's durations in collectives, less the shortest ones. */
static void add_wait(struct straggler *straggler, const struct rank_row *row,
	const struct waiting *waiting)
{
	spread_wide least_ns = 0;
	uint64_t matched = 0;

	for (uint32_t i = 0; i < row->run_count; i++) {
		const struct rank_run *run = &row->runs[i];
		uint32_t first =
			find_instance(waiting, run->series, run->first);
		uint32_t end =
			find_instance(waiting, run->series, run->last + 1);

		least_ns += waiting->least_ns[end] - waiting->least_ns[first];
		matched += waiting->matched[end] - waiting->matched[first];
	}
	if (row->times.collective_ns > least_ns)
		straggler->wait_ns = saturate_sum(straggler->wait_ns,
			row->times.collective_ns - (uint64_t)least_ns);
	straggler->matched = saturate_sum(straggler->matched, matched);
	/* Rows are sorted: those of the devices of a rank follow each other. */
	if (row->rank != SPREAD_RANK_NONE &&
		(straggler->rows == 1 || row[-1].rank != row->rank))
		straggler->last_count = saturate_sum(
			straggler->last_count, count_last(waiting, row->rank));
}

/* ---- groups ---- */

static bool is_grouped(const struct rank_row *one, const struct rank_row *other,
	struct stragglers_by by)
{
	if (by.host)
		return one->host == other->host;
	return by.ranks > 0 && one->rank != SPREAD_RANK_NONE &&
	       other->rank != SPREAD_RANK_NONE &&
	       one->rank / by.ranks == other->rank / by.ranks;
}

/* Groups are found one by one: there are few hosts for each rank. */
static struct straggler *find_group(struct stragglers *stragglers,
	const struct rank_row *row, struct stragglers_by by)
{
	struct straggler *straggler = &stragglers->items[stragglers->count];

	for (uint32_t i = stragglers->count; (by.host || by.ranks > 0) && i > 0;
		i--)
		if (is_grouped(stragglers->items[i - 1].row, row, by))
			return &stragglers->items[i - 1];
	*straggler = (struct straggler){.row = row, .reason = STRAGGLER_NONE};
	stragglers->count++;
	return straggler;
}

/* ---- reasons ---- */

static uint64_t less(uint64_t from, uint64_t number)
{
	return from > number ? from - number : 0;
}

/* The parts of a straggler's own time, per step or recording. */
static uint64_t part_of(const struct straggler *straggler,
	enum straggler_reason reason, uint64_t divisor)
{
	const struct rank_times *times = &straggler->times;
	uint64_t part_ns = 0;

	switch (reason) {
	case STRAGGLER_COMPUTE:
		part_ns = times->compute_ns;
		break;
	case STRAGGLER_LAUNCH:
		for (int i = 0; i < GAP_CAUSES; i++)
			if (i != GAP_DATA && i != GAP_NOTHING)
				part_ns = saturate_sum(
					part_ns, times->cause_ns[i]);
		break;
	case STRAGGLER_INPUT:
		part_ns = times->cause_ns[GAP_DATA];
		break;
	case STRAGGLER_COMMUNICATION:
		part_ns = less(
			gaps_exposed_ns(times->kernel_ns, times->compute_ns),
			straggler->wait_ns);
		break;
	default:
		part_ns = less(times->busy_ns, times->kernel_ns);
		break;
	}
	return part_ns / divisor;
}

static uint64_t divisor_of(
	const struct stragglers *stragglers, const struct straggler *straggler)
{
	uint64_t count = stragglers->per_step ? straggler->times.steps
					      : straggler->times.recordings;

	return count == 0 ? 1 : count;
}

static int compare_values(const void *left, const void *right)
{
	const uint64_t one = *(const uint64_t *)left;
	const uint64_t other = *(const uint64_t *)right;

	return (one > other) - (one < other);
}

/* The lower median; sorts the values. */
static uint64_t median(uint64_t *values, uint32_t count)
{
	qsort(values, count, sizeof(*values), compare_values);
	return values[(count - 1) / 2];
}

static void set_reasons(struct stragglers *stragglers, uint64_t *values)
{
	uint32_t count = stragglers->count;
	uint64_t medians[STRAGGLER_REASONS];
	uint64_t own_ns;

	for (uint32_t i = 0; i < count; i++)
		values[i] = stragglers->items[i].own_ns;
	own_ns = median(values, count);
	for (int reason = 0; reason < STRAGGLER_REASONS; reason++) {
		for (uint32_t i = 0; i < count; i++)
			values[i] = part_of(&stragglers->items[i],
				(enum straggler_reason)reason,
				divisor_of(stragglers, &stragglers->items[i]));
		medians[reason] = median(values, count);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct straggler *item = &stragglers->items[i];
		uint64_t divisor = divisor_of(stragglers, item);
		uint64_t most_ns = 0;

		item->behind_ns = less(item->own_ns, own_ns);
		if (item->behind_ns <= own_ns / NOISE)
			continue;
		for (int reason = 0; reason < STRAGGLER_REASONS; reason++) {
			uint64_t more_ns = less(
				part_of(item, (enum straggler_reason)reason,
					divisor),
				medians[reason]);

			if (more_ns > most_ns)
				item->reason = (enum straggler_reason)reason;
			if (more_ns > most_ns)
				most_ns = more_ns;
		}
	}
}

/* ---- all ---- */

static int compare_stragglers(const void *left, const void *right)
{
	const struct straggler *one = left;
	const struct straggler *other = right;

	if (one->own_ns != other->own_ns)
		return one->own_ns > other->own_ns ? -1 : 1;
	/* Rows are sorted. */
	return (one->row > other->row) - (one->row < other->row);
}

static void set_own(struct stragglers *stragglers, const struct ranks *ranks)
{
	stragglers->per_step = true;
	for (uint32_t i = 0; i < ranks->row_count; i++)
		stragglers->per_step &= ranks->rows[i].times.steps > 0;
	for (uint32_t i = 0; i < stragglers->count; i++) {
		struct straggler *item = &stragglers->items[i];
		uint64_t base_ns = stragglers->per_step ? item->times.step_ns
							: item->times.span_ns;

		item->own_ns = less(base_ns, item->wait_ns) /
			       divisor_of(stragglers, item);
	}
}

bool stragglers_find(struct stragglers *stragglers, const struct ranks *ranks,
	struct stragglers_by by)
{
	uint64_t *values = memory_new_zeroed(
		(size_t)ranks->row_count + 1, sizeof(*values));
	struct waiting waiting;
	bool done = init_waiting(&waiting, &ranks->collectives);

	*stragglers = (struct stragglers){
		.items = memory_new_zeroed((size_t)ranks->row_count + 1,
			sizeof(*stragglers->items))};
	done = done && values != NULL && stragglers->items != NULL;
	for (uint32_t i = 0; i < ranks->row_count && done; i++) {
		const struct rank_row *row = &ranks->rows[i];
		struct straggler *straggler = find_group(stragglers, row, by);

		straggler->rows++;
		rank_times_add(&straggler->times, &row->times);
		add_wait(straggler, row, &waiting);
	}
	if (done && stragglers->count > 0) {
		set_own(stragglers, ranks);
		set_reasons(stragglers, values);
		qsort(stragglers->items, stragglers->count,
			sizeof(*stragglers->items), compare_stragglers);
	}
	clear_waiting(&waiting);
	memory_free(values);
	return done;
}

bool straggler_is_slow_host(
	const struct straggler *host, const struct stragglers *rows)
{
	uint32_t behind = 0;

	if (host->row->host == 0 || host->rows < 2 ||
		host->reason == STRAGGLER_NONE)
		return false;
	for (uint32_t i = 0; i < rows->count; i++)
		behind += rows->items[i].row->host == host->row->host &&
			  rows->items[i].reason != STRAGGLER_NONE;
	return behind == host->rows;
}

void stragglers_clear(struct stragglers *stragglers)
{
	memory_free(stragglers->items);
	*stragglers = (struct stragglers){.count = 0};
}

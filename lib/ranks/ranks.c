/* SPDX-License-Identifier: MIT */
#include "ranks/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "base/stable_hash.h"

struct ranks *ranks_new(void)
{
	struct ranks *ranks = memory_new_zeroed(1, sizeof(*ranks));

	if (ranks == NULL)
		return NULL;
	ranks->text = strtab_new();
	if (ranks->text != NULL)
		return ranks;
	ranks_free(ranks);
	return NULL;
}

void ranks_free(struct ranks *ranks)
{
	if (ranks == NULL)
		return;
	for (uint32_t i = 0; i < ranks->row_count; i++)
		memory_free(ranks->rows[i].runs);
	for (uint32_t i = 0; i < ranks->item_count; i++) {
		spread_clear(&ranks->items[i].self);
		spread_clear(&ranks->items[i].total);
	}
	collectives_clear(&ranks->collectives);
	memory_free(ranks->rows);
	memory_free(ranks->row_index.entries);
	memory_free(ranks->items);
	memory_free(ranks->item_index.entries);
	strtab_free(ranks->text);
	memory_free(ranks);
}

static const char *text_of(const struct ranks *ranks, uint32_t number)
{
	return strtab_text(ranks->text, number, NULL);
}

/* ---- rows ---- */

static uint64_t row_hash(const struct rank_row *row)
{
	const int64_t key[] = {row->rank, row->input, row->pid, row->device};

	return stable_hash(key, sizeof(key));
}

static bool is_row(const struct rank_row *one, const struct rank_row *other)
{
	return one->rank == other->rank && one->input == other->input &&
	       one->pid == other->pid && one->device == other->device;
}

static uint32_t add_text(struct ranks *ranks, const char *text)
{
	return strtab_add(ranks->text, text, strlen(text));
}

struct rank_row *ranks_row(struct ranks *ranks, const struct rank_row_key *key)
{
	struct rank_row row = {.rank = key->rank,
		.input = add_text(ranks, key->input),
		.pid = key->pid,
		.device = key->device};
	uint64_t hash = row_hash(&row);
	struct index *index = &ranks->row_index;
	uint32_t slot;
	uint32_t found;

	if (row.input == STRTAB_NONE || !index_reserve(index, ranks->row_count))
		return NULL;
	slot = index_first(index, hash);
	while ((found = index_find(index, hash, &slot)) != INDEX_NONE) {
		if (is_row(&ranks->rows[found], &row))
			return &ranks->rows[found];
		slot = index_after(index, slot);
	}
	if (!array_reserve32(&ranks->rows, ranks->row_count, &ranks->row_room,
		    sizeof(*ranks->rows)))
		return NULL;
	index_set(index, slot, hash, ranks->row_count);
	ranks->rows[ranks->row_count] = row;
	return &ranks->rows[ranks->row_count++];
}

bool ranks_set_host(struct ranks *ranks, struct rank_row *row, const char *host)
{
	uint32_t number = add_text(ranks, host);

	if (number == STRTAB_NONE)
		return false;
	if (number != 0 &&
		(row->host == 0 || strcmp(host, text_of(ranks, row->host)) < 0))
		row->host = number;
	return true;
}

bool rank_row_add_run(struct rank_row *row, const struct rank_run *run)
{
	struct rank_run *last =
		row->run_count == 0 ? NULL : &row->runs[row->run_count - 1];

	if (last != NULL && last->series == run->series &&
		last->last != UINT64_MAX && last->last + 1 == run->first) {
		last->last = run->last;
		return true;
	}
	if (!array_reserve32(&row->runs, row->run_count, &row->run_room,
		    sizeof(*row->runs)))
		return false;
	row->runs[row->run_count++] = *run;
	return true;
}

void rank_times_add(struct rank_times *to, const struct rank_times *from)
{
	uint64_t longest_ns = to->step_max_ns > from->step_max_ns
				      ? to->step_max_ns
				      : from->step_max_ns;
	uint64_t *sums = (uint64_t *)to;
	const uint64_t *added = (const uint64_t *)from;

	_Static_assert(sizeof(*to) % sizeof(*sums) == 0,
		"struct rank_times has only sums");
	for (size_t i = 0; i < sizeof(*to) / sizeof(*sums); i++)
		sums[i] = saturate_sum(sums[i], added[i]);
	to->step_max_ns = longest_ns;
}

static bool add_row(
	struct ranks *to, const struct ranks *from, const struct rank_row *row)
{
	const struct rank_row_key key = {.rank = row->rank,
		.input = text_of(from, row->input),
		.pid = row->pid,
		.device = row->device};
	struct rank_row *sum = ranks_row(to, &key);
	bool done = sum != NULL &&
		    ranks_set_host(to, sum, text_of(from, row->host));

	for (uint32_t i = 0; i < row->run_count && done; i++)
		done = rank_row_add_run(sum, &row->runs[i]);
	if (done)
		rank_times_add(&sum->times, &row->times);
	return done;
}

/* ---- items ---- */

static uint64_t item_hash(const struct rank_item *item)
{
	const uint32_t key[] = {
		(uint32_t)item->kind, item->name, item->file, item->line};

	return stable_hash(key, sizeof(key));
}

static bool is_item(const struct rank_item *one, const struct rank_item *other)
{
	return one->kind == other->kind && one->name == other->name &&
	       one->file == other->file && one->line == other->line;
}

struct rank_item *ranks_item(
	struct ranks *ranks, const struct rank_item_key *key)
{
	struct rank_item item = {.kind = key->kind,
		.name = add_text(ranks, key->name),
		.file = add_text(ranks, key->file),
		.line = key->line};
	uint64_t hash = item_hash(&item);
	struct index *index = &ranks->item_index;
	uint32_t slot;
	uint32_t found;

	if (item.name == STRTAB_NONE || item.file == STRTAB_NONE ||
		!index_reserve(index, ranks->item_count))
		return NULL;
	slot = index_first(index, hash);
	while ((found = index_find(index, hash, &slot)) != INDEX_NONE) {
		if (is_item(&ranks->items[found], &item))
			return &ranks->items[found];
		slot = index_after(index, slot);
	}
	if (!array_reserve32(&ranks->items, ranks->item_count,
		    &ranks->item_room, sizeof(*ranks->items)))
		return NULL;
	index_set(index, slot, hash, ranks->item_count);
	ranks->items[ranks->item_count] = item;
	return &ranks->items[ranks->item_count++];
}

static bool add_item(struct ranks *to, const struct ranks *from,
	const struct rank_item *item)
{
	const struct rank_item_key key = {.kind = item->kind,
		.name = text_of(from, item->name),
		.file = text_of(from, item->file),
		.line = item->line};
	struct rank_item *sum = ranks_item(to, &key);

	return sum != NULL && spread_add(&sum->self, &item->self) &&
	       spread_add(&sum->total, &item->total);
}

/* ---- all ---- */

bool ranks_add(struct ranks *to, const struct ranks *from)
{
	bool done = collectives_add(&to->collectives, &from->collectives);

	for (uint32_t i = 0; i < from->row_count && done; i++)
		done = add_row(to, from, &from->rows[i]);
	for (uint32_t i = 0; i < from->item_count && done; i++)
		done = add_item(to, from, &from->items[i]);
	to->recordings = saturate_sum(to->recordings, from->recordings);
	if (from->world > to->world)
		to->world = from->world;
	return done;
}

/* ---- order ---- */

static int compare_rows(const void *left, const void *right, void *user)
{
	const struct ranks *ranks = user;
	const struct rank_row *one = left;
	const struct rank_row *other = right;
	int order;

	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	order = strcmp(
		text_of(ranks, one->input), text_of(ranks, other->input));
	if (order == 0)
		order = (one->pid > other->pid) - (one->pid < other->pid);
	return order != 0 ? order
			  : (one->device > other->device) -
				    (one->device < other->device);
}

static int compare_items(const void *left, const void *right, void *user)
{
	const struct ranks *ranks = user;
	const struct rank_item *one = left;
	const struct rank_item *other = right;
	int order = (int)one->kind - (int)other->kind;

	if (order == 0)
		order = strcmp(
			text_of(ranks, one->name), text_of(ranks, other->name));
	if (order == 0)
		order = strcmp(
			text_of(ranks, one->file), text_of(ranks, other->file));
	return order != 0
		       ? order
		       : (one->line > other->line) - (one->line < other->line);
}

/* Where a run begins or has ended. */
struct edge {
	uint64_t series;
	uint64_t number;
	bool ends;
};

static int compare_edges(const void *left, const void *right)
{
	const struct edge *one = left;
	const struct edge *other = right;

	if (one->series != other->series)
		return one->series < other->series ? -1 : 1;
	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	return (int)one->ends - (int)other->ends;
}

static int compare_runs(const void *left, const void *right)
{
	const struct rank_run *one = left;
	const struct rank_run *other = right;

	if (one->series != other->series)
		return one->series < other->series ? -1 : 1;
	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	return (one->last > other->last) - (one->last < other->last);
}

/* Makes the longest runs of the numbers, then of those that occur twice, and so
 * on: their form does not depend on the order of adding. */
static bool sort_runs(struct rank_row *row)
{
	uint32_t count = 2 * row->run_count;
	struct edge *edges =
		memory_resize_array(NULL, (size_t)count + 1, sizeof(*edges));
	uint64_t *begins = memory_resize_array(
		NULL, (size_t)row->run_count + 1, sizeof(*begins));
	uint32_t depth = 0;
	uint32_t made = 0;
	bool done = edges != NULL && begins != NULL;

	for (uint32_t i = 0; i < count && done; i++) {
		const struct rank_run *run = &row->runs[i / 2];

		edges[i] = (struct edge){run->series,
			i % 2 == 0 ? run->first : run->last + 1, i % 2 == 1};
	}
	if (done && count > 0)
		qsort(edges, count, sizeof(*edges), compare_edges);
	for (uint32_t i = 0; i < count && done; i++) {
		const struct edge *edge = &edges[i];

		if (!edge->ends) {
			begins[depth++] = edge->number;
			continue;
		}
		depth--;
		if (begins[depth] != edge->number)
			row->runs[made++] = (struct rank_run){
				edge->series, begins[depth], edge->number - 1};
	}
	if (done) {
		row->run_count = made;
		if (made > 0)
			qsort(row->runs, made, sizeof(*row->runs),
				compare_runs);
	}
	memory_free(edges);
	memory_free(begins);
	return done;
}

static void reindex(struct ranks *ranks)
{
	index_clear(&ranks->row_index);
	for (uint32_t i = 0; i < ranks->row_count; i++)
		index_add(&ranks->row_index, row_hash(&ranks->rows[i]), i);
	index_clear(&ranks->item_index);
	for (uint32_t i = 0; i < ranks->item_count; i++)
		index_add(&ranks->item_index, item_hash(&ranks->items[i]), i);
}

bool ranks_sort(struct ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->row_count; i++)
		if (!sort_runs(&ranks->rows[i]))
			return false;
	if (ranks->row_count > 0)
		qsort_r(ranks->rows, ranks->row_count, sizeof(*ranks->rows),
			compare_rows, ranks);
	if (ranks->item_count > 0)
		qsort_r(ranks->items, ranks->item_count, sizeof(*ranks->items),
			compare_items, ranks);
	reindex(ranks);
	return collectives_sort(&ranks->collectives);
}

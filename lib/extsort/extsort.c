/* SPDX-License-Identifier: MIT */
/*
 * Records are copied into one piece of memory from its front, and their
 * entries, which are what is sorted, grow towards them from its end. When the
 * two meet, the records are written to the file in order, as a run.
 *
 * In a trace most pieces follow each other in time, so that merging them costs
 * little, and there are few: one of 16 MiB holds 150,000 events.
 */
#include "extsort/extsort.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "extsort/runs.h"
#include "extsort/temp_file.h"

/* One record of those in memory. */
struct extsort_entry {
	int64_t time_ns;
	uint32_t at; /* where its rank is, in units of EXTSORT_ALIGN */
	uint32_t size;
};

struct extsort_order {
	const uint8_t *bytes;
	bool reversed; /* of one time and rank, the later comes first */
	struct extsort_entry *entries;
	struct extsort_entry *scratch; /* room for half of the entries */
};

/* What a record takes of the memory beside its entry. */
static inline size_t extsort_order_whole(size_t size)
{
	return sizeof(int64_t) +
	       ((size + EXTSORT_ALIGN - 1) & ~(EXTSORT_ALIGN - 1));
}

/* The entry's record in this memory. */
static inline struct extsort_record extsort_order_record(
	const uint8_t *memory, const struct extsort_entry *entry)
{
	const uint8_t *at = memory + entry->at * EXTSORT_ALIGN;
	struct extsort_record record = {.time_ns = entry->time_ns,
		.bytes = at + sizeof(record.rank),
		.size = entry->size};

	memcpy(&record.rank, at, sizeof(record.rank));
	return record;
}

/* ---- the order of the records in memory ---- */

/*
 * A natural merge sort: a trace is written thread by thread, or by the ends of
 * its slices, so that what is already in order is found and kept, and pieces
 * that follow each other are not merged at all.
 *
 * Source: S. Buss, A. Knop, "Strategies for Stable Merge Sorting", 2019: the
 * 2-merge sort, a stack of runs each over twice as long as the one above.
 */

/* Shorter runs are made this long by insertion. */
#define RUN_MIN 12
/* Each run of the stack is over twice as long as the next. */
#define STACK_MAX 64

struct run {
	size_t begin;
	size_t end;
};

static bool before(const struct extsort_order *order,
	const struct extsort_entry *a, const struct extsort_entry *b)
{
	int64_t a_rank;
	int64_t b_rank;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	a_rank = extsort_order_record(order->bytes, a).rank;
	b_rank = extsort_order_record(order->bytes, b).rank;
	if (a_rank != b_rank)
		return a_rank < b_rank;
	return (a->at < b->at) != order->reversed;
}

static void turn_round(struct extsort_entry *first, struct extsort_entry *end)
{
	while (first + 1 < end) {
		struct extsort_entry entry = *first;

		*first++ = *--end;
		*end = entry;
	}
}

/* Puts entries from `at` to `end` where they belong in [begin, at). */
static void insert(
	const struct extsort_order *order, size_t begin, size_t at, size_t end)
{
	for (; at < end; at++) {
		struct extsort_entry entry = order->entries[at];
		size_t to = at;

		for (; to > begin &&
			before(order, &entry, &order->entries[to - 1]);
			to--)
			order->entries[to] = order->entries[to - 1];
		order->entries[to] = entry;
	}
}

/* The end of the run that begins here, which is in order then. */
static size_t find_run(
	const struct extsort_order *order, size_t begin, size_t count)
{
	const struct extsort_entry *entries = order->entries;
	size_t at = begin + 1;
	size_t end;

	if (at < count && before(order, &entries[at], &entries[at - 1])) {
		while (at < count &&
			before(order, &entries[at], &entries[at - 1]))
			at++;
		turn_round(order->entries + begin, order->entries + at);
	} else {
		while (at < count &&
			!before(order, &entries[at], &entries[at - 1]))
			at++;
	}
	if (at - begin >= RUN_MIN || at == count)
		return at;
	end = count - begin < RUN_MIN ? count : begin + RUN_MIN;
	insert(order, begin, at, end);
	return end;
}

/* The left run is the shorter one: it waits in the scratch. */
static void merge_forward(const struct extsort_order *order, size_t begin,
	size_t middle, size_t end)
{
	struct extsort_entry *to = order->entries + begin;
	const struct extsort_entry *left = order->scratch;
	const struct extsort_entry *left_end = left + (middle - begin);
	const struct extsort_entry *right = order->entries + middle;
	const struct extsort_entry *right_end = order->entries + end;

	memcpy(order->scratch, to, (middle - begin) * sizeof(*to));
	while (left < left_end && right < right_end)
		*to++ = before(order, right, left) ? *right++ : *left++;
	memcpy(to, left, (size_t)(left_end - left) * sizeof(*to));
}

/* The right run is the shorter one. */
static void merge_backward(const struct extsort_order *order, size_t begin,
	size_t middle, size_t end)
{
	struct extsort_entry *to = order->entries + end;
	const struct extsort_entry *left_begin = order->entries + begin;
	const struct extsort_entry *left = order->entries + middle;
	const struct extsort_entry *right_begin = order->scratch;
	const struct extsort_entry *right = right_begin + (end - middle);

	memcpy(order->scratch, left, (end - middle) * sizeof(*to));
	while (left > left_begin && right > right_begin)
		*--to = before(order, right - 1, left - 1) ? *--left : *--right;
	to -= right - right_begin;
	memcpy(to, right_begin, (size_t)(right - right_begin) * sizeof(*to));
}

/* The first in [begin, end) that comes after `entry`. */
static size_t find_place(const struct extsort_order *order,
	const struct extsort_entry *entry, size_t begin, size_t end)
{
	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (before(order, entry, &order->entries[middle]))
			end = middle;
		else
			begin = middle + 1;
	}
	return begin;
}

static struct run merge(
	const struct extsort_order *order, struct run left, struct run right)
{
	const struct extsort_entry *entries = order->entries;
	size_t middle = right.begin;
	size_t begin;
	size_t end;

	/* What is already in its place stays there. */
	begin = find_place(order, &entries[middle], left.begin, middle);
	end = find_place(order, &entries[middle - 1], middle, right.end);
	if (middle - begin <= end - middle)
		merge_forward(order, begin, middle, end);
	else
		merge_backward(order, begin, middle, end);
	return (struct run){left.begin, right.end};
}

/* Sorts `count` entries, the last added first, by time, rank and place. It is
 * linear in their number where they are a few sorted runs one behind the other,
 * as they mostly are. */
static void extsort_order_sort(const struct extsort_order *order, size_t count)
{
	struct run stack[STACK_MAX];
	size_t depth = 0;
	size_t at = 0;

	/* They come the last first: of what nearly is in order each run would
	 * lie behind all that follow it, and be moved over them. */
	turn_round(order->entries, order->entries + count);
	while (at < count) {
		struct run run = {at, find_run(order, at, count)};

		at = run.end;
		while (depth > 0 &&
			stack[depth - 1].end - stack[depth - 1].begin <=
				2 * (run.end - run.begin))
			run = merge(order, stack[--depth], run);
		assert(depth < STACK_MAX);
		stack[depth++] = run;
	}
	for (; depth > 1; depth--)
		stack[depth - 2] =
			merge(order, stack[depth - 2], stack[depth - 1]);
}

/* ---- sorting ---- */

/* Room for a few parts in a merge. */
#define MEMORY_MIN (4 * RUN_MERGE_PART)
/* What an entry can point into. */
#define MEMORY_MAX ((size_t)UINT32_MAX * EXTSORT_ALIGN)
/* What a run is read through that is brought into another order. */
#define REWRITE_BYTES ((size_t)256 << 10)

struct extsort {
	uint8_t *memory;
	size_t room;
	size_t used;  /* by records */
	size_t count; /* of entries at the end of the memory */
	bool reversed;
	struct temp_file file;
	struct extsort_run *runs;
	size_t run_count;
	size_t run_room;
	/* So many runs were written before the ties were reversed. */
	size_t old_run_count;
	struct run_merge merge;
};

struct extsort *extsort_new(size_t memory_bytes)
{
	struct extsort *sort = memory_new_zeroed(1, sizeof(*sort));
	size_t room = memory_bytes / sizeof(struct extsort_entry) *
		      sizeof(struct extsort_entry);

	if (sort == NULL)
		return NULL;
	sort->file = TEMP_FILE_NONE;
	sort->room = room < MEMORY_MIN   ? MEMORY_MIN
		     : room > MEMORY_MAX ? MEMORY_MAX
					 : room;
	sort->memory = memory_new(sort->room);
	if (sort->memory == NULL) {
		memory_free(sort);
		return NULL;
	}
	return sort;
}

void extsort_free(struct extsort *sort)
{
	if (sort == NULL)
		return;
	run_merge_clear(&sort->merge);
	temp_file_close(&sort->file);
	memory_free(sort->runs);
	memory_free(sort->memory);
	memory_free(sort);
}

/* The entries, the last added first. */
static struct extsort_entry *entries(const struct extsort *sort)
{
	return (struct extsort_entry *)(void *)(sort->memory + sort->room) -
	       sort->count;
}

/* Is there room for a record of this size, its entry, and what sorting them
 * takes? */
static bool fits(const struct extsort *sort, size_t size)
{
	size_t count = sort->count + 1;

	count += (count + 1) / 2;
	return extsort_order_whole(size) +
		       count * sizeof(struct extsort_entry) <=
	       sort->room - sort->used;
}

/* Copies a record that fits. */
static void hold(struct extsort *sort, const struct extsort_record *record)
{
	uint8_t *to = sort->memory + sort->used;

	memcpy(to, &record->rank, sizeof(record->rank));
	if (record->size > 0)
		memcpy(to + sizeof(record->rank), record->bytes, record->size);
	sort->count++;
	*entries(sort) = (struct extsort_entry){record->time_ns,
		(uint32_t)(sort->used / EXTSORT_ALIGN), (uint32_t)record->size};
	sort->used += extsort_order_whole(record->size);
}

static struct extsort_order sort_entries(const struct extsort *sort)
{
	struct extsort_entry *first = entries(sort);
	struct extsort_order order = {.bytes = sort->memory,
		.reversed = sort->reversed,
		.entries = first,
		.scratch = first - (sort->count + 1) / 2};

	extsort_order_sort(&order, sort->count);
	return order;
}

/* Adds a record to a run; `*last_ns` is the time of the one before it, and 0 at
 * first. */
static enum ctp_status put(struct temp_file *file, int64_t *last_ns,
	const struct extsort_record *record, struct ctp_error *err)
{
	uint8_t head[RUN_HEAD_ROOM];
	size_t size = run_head_write(head, *last_ns, record);
	enum ctp_status status = temp_file_add(file, head, size, err);

	*last_ns = record->time_ns;
	return status == CTP_OK && record->size > 0
		       ? temp_file_add(file, record->bytes, record->size, err)
		       : status;
}

/* Writes what is in memory in order, which is empty then. */
static enum ctp_status write_sorted(struct extsort *sort, struct ctp_error *err)
{
	struct extsort_order order = sort_entries(sort);
	enum ctp_status status = CTP_OK;
	int64_t last_ns = 0;

	for (size_t i = 0; i < sort->count && status == CTP_OK; i++) {
		struct extsort_record record =
			extsort_order_record(sort->memory, &order.entries[i]);

		status = put(&sort->file, &last_ns, &record, err);
	}
	if (status == CTP_OK)
		status = temp_file_flush(&sort->file, err);
	sort->used = 0;
	sort->count = 0;
	return status;
}

/* Room for one more run, and the file. */
static enum ctp_status begin_run(struct extsort *sort, struct ctp_error *err)
{
	if (sort->file.fd < 0) {
		enum ctp_status status = temp_file_open(&sort->file, err);

		if (status != CTP_OK)
			return status;
	}
	if (!memory_grow(&sort->runs, sort->run_count, &sort->run_room,
		    sizeof(*sort->runs)))
		return ctp_no_memory(err);
	return CTP_OK;
}

static enum ctp_status write_run(struct extsort *sort, struct ctp_error *err)
{
	enum ctp_status status;
	uint64_t begin;

	if (sort->count == 0)
		return CTP_OK;
	status = begin_run(sort, err);
	begin = sort->file.at;
	if (status == CTP_OK)
		status = write_sorted(sort, err);
	if (status == CTP_OK)
		sort->runs[sort->run_count++] =
			(struct extsort_run){begin, sort->file.at, false};
	return status;
}

/* A record that is larger than the memory is a run of its own. */
static enum ctp_status write_single(struct extsort *sort,
	const struct extsort_record *record, struct ctp_error *err)
{
	enum ctp_status status = begin_run(sort, err);
	uint64_t begin = sort->file.at;
	int64_t last_ns = 0;

	if (status == CTP_OK)
		status = put(&sort->file, &last_ns, record, err);
	if (status == CTP_OK)
		status = temp_file_flush(&sort->file, err);
	if (status == CTP_OK)
		sort->runs[sort->run_count++] =
			(struct extsort_run){begin, sort->file.at, true};
	return status;
}

enum ctp_status extsort_add(struct extsort *sort,
	const struct extsort_record *record, struct ctp_error *err)
{
	enum ctp_status status;

	if (record->size > EXTSORT_RECORD_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT,
			"an event is longer than %zu MiB",
			EXTSORT_RECORD_MAX >> 20);
	if (!fits(sort, record->size)) {
		status = write_run(sort, err);
		if (status != CTP_OK)
			return status;
		if (!fits(sort, record->size))
			return write_single(sort, record, err);
	}
	hold(sort, record);
	return CTP_OK;
}

void extsort_reverse_ties(struct extsort *sort)
{
	assert(!sort->reversed);
	sort->reversed = true;
	sort->old_run_count = sort->run_count;
}

/* Brings a run that was written before the ties were reversed into today's
 * order, in its place: it fits into the memory, as it did before, and takes the
 * same room in the file, since only records of the same time change places. */
static enum ctp_status rewrite(struct extsort *sort,
	const struct extsort_run *run, uint8_t *memory, struct ctp_error *err)
{
	struct run_merge whole = {.file = &sort->file,
		.memory = memory,
		.memory_bytes = REWRITE_BYTES};
	uint64_t end = sort->file.at;
	enum ctp_status status = run_merge_init(&whole, run, 1, err);

	while (status == CTP_OK) {
		struct extsort_record record;

		status = run_merge_next(&whole, &record, err);
		if (status == CTP_OK)
			hold(sort, &record);
	}
	run_merge_clear(&whole);
	if (status != CTP_END)
		return status;
	sort->file.at = run->begin;
	status = write_sorted(sort, err);
	sort->file.at = end;
	return status;
}

static enum ctp_status rewrite_old(struct extsort *sort, struct ctp_error *err)
{
	uint8_t *memory;
	enum ctp_status status = CTP_OK;

	if (sort->old_run_count == 0)
		return CTP_OK;
	memory = memory_new(REWRITE_BYTES);
	if (memory == NULL)
		return ctp_no_memory(err);
	for (size_t i = 0; i < sort->old_run_count && status == CTP_OK; i++)
		if (!sort->runs[i].single)
			status = rewrite(sort, &sort->runs[i], memory, err);
	memory_free(memory);
	return status;
}

static void prepare_merge(struct extsort *sort)
{
	run_merge_clear(&sort->merge);
	sort->merge = (struct run_merge){.file = &sort->file,
		.memory = sort->memory,
		.memory_bytes = sort->room,
		.reversed = sort->reversed};
}

/* Merges `count` runs into one at the end of another file. */
static enum ctp_status merge_runs(struct extsort *sort,
	const struct extsort_run *runs, size_t count, struct temp_file *out,
	struct ctp_error *err)
{
	struct extsort_record record;
	int64_t last_ns = 0;
	enum ctp_status status;

	prepare_merge(sort);
	status = run_merge_init(&sort->merge, runs, count, err);
	while (status == CTP_OK) {
		status = run_merge_next(&sort->merge, &record, err);
		if (status == CTP_OK)
			status = put(out, &last_ns, &record, err);
	}
	if (status == CTP_END)
		status = temp_file_flush(out, err);
	return status;
}

/* Merges runs that follow each other, as many at a time as have room, so that
 * there are fewer. */
static enum ctp_status merge_level(
	struct extsort *sort, size_t ways, struct ctp_error *err)
{
	struct temp_file out;
	enum ctp_status status = temp_file_open(&out, err);
	size_t made = 0;

	if (status != CTP_OK)
		return status;
	for (size_t i = 0; i < sort->run_count && status == CTP_OK; i += ways) {
		const struct extsort_run *first = &sort->runs[i];
		size_t left = sort->run_count - i;
		size_t count = left < ways ? left : ways;
		uint64_t begin = out.at;

		status = merge_runs(sort, first, count, &out, err);
		temp_file_forget(
			&sort->file, first->begin, first[count - 1].end);
		sort->runs[made++] =
			(struct extsort_run){begin, out.at, count == 1};
	}
	temp_file_close(&sort->file);
	sort->file = out;
	sort->run_count = made;
	return status;
}

/* Merges until there are no more runs than this. */
static enum ctp_status reduce_runs(
	struct extsort *sort, size_t ways, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK && sort->run_count > ways)
		status = merge_level(sort, ways, err);
	return status;
}

static enum ctp_status open_merge(struct extsort *sort, struct ctp_error *err)
{
	prepare_merge(sort);
	return run_merge_init(&sort->merge, sort->runs, sort->run_count, err);
}

enum ctp_status extsort_sort(struct extsort *sort, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (sort->run_count == 0) {
		(void)sort_entries(sort);
		return CTP_OK;
	}
	status = write_run(sort, err);
	if (status == CTP_OK)
		status = rewrite_old(sort, err);
	if (status == CTP_OK)
		status = reduce_runs(sort, sort->room / RUN_MERGE_PART, err);
	return status == CTP_OK ? open_merge(sort, err) : status;
}

/* All is in memory, and does not need all of it. */
static enum ctp_status fit(
	struct extsort *sort, size_t entry_bytes, struct ctp_error *err)
{
	size_t room = (sort->used + entry_bytes + EXTSORT_ALIGN - 1) &
		      ~(EXTSORT_ALIGN - 1);
	uint8_t *memory = memory_new(room + 1);

	if (memory == NULL)
		return ctp_no_memory(err);
	memcpy(memory, sort->memory, sort->used);
	memcpy(memory + room - entry_bytes, entries(sort), entry_bytes);
	memory_free(sort->memory);
	sort->memory = memory;
	sort->room = room;
	return CTP_OK;
}

enum ctp_status extsort_shrink(
	struct extsort *sort, size_t memory_bytes, struct ctp_error *err)
{
	size_t entry_bytes = sort->count * sizeof(struct extsort_entry);
	size_t room = memory_bytes < MEMORY_MIN ? MEMORY_MIN : memory_bytes;
	enum ctp_status status = CTP_OK;
	uint8_t *memory;

	if (room >= sort->room)
		return CTP_OK;
	if (sort->run_count == 0 && sort->used + entry_bytes <= room)
		return fit(sort, entry_bytes, err);
	if (sort->run_count == 0)
		status = write_run(sort, err);
	if (status == CTP_OK)
		status = reduce_runs(sort, room / RUN_MERGE_PART, err);
	if (status != CTP_OK)
		return status;
	memory = memory_new(room);
	if (memory == NULL)
		return ctp_no_memory(err);
	memory_free(sort->memory);
	sort->memory = memory;
	sort->room = room;
	temp_file_finish(&sort->file);
	return open_merge(sort, err);
}

enum ctp_status extsort_next(
	struct extsort *sort, struct extsort_record *out, struct ctp_error *err)
{
	if (sort->run_count > 0)
		return run_merge_next(&sort->merge, out, err);
	if (sort->count == 0)
		return CTP_END;
	*out = extsort_order_record(sort->memory, entries(sort));
	sort->count--;
	return CTP_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * Records are copied to the front of one piece of memory, and their entries,
 * which are sorted, grow downward from its end. When the two meet, the records
 * are written to the file in order, as a run.
 *
 * In a trace most runs follow each other in time, so merging is cheap, and
 * there are few: 16 MiB hold 150,000 events.
 */
#include "extsort/extsort.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/packed.h"
#include "extsort/temp_file.h"

/* Each record in memory, its rank and its bytes, is at a multiple of this. */
#define RECORD_ALIGN ((size_t)8)

/* A record in memory. */
struct entry {
	int64_t time_ns;
	uint32_t at; /* position of its rank, in units of RECORD_ALIGN */
	uint32_t size;
};

struct order {
	const uint8_t *bytes;
	bool reversed; /* equal time and rank: later records first */
	struct entry *entries;
	struct entry *scratch; /* room for half of the entries */
};

/* Memory of a record without its entry. */
static inline size_t order_whole(size_t size)
{
	return sizeof(int64_t) +
	       ((size + RECORD_ALIGN - 1) & ~(RECORD_ALIGN - 1));
}

/* The entry's record in this memory. */
static inline struct extsort_record order_record(
	const uint8_t *memory, const struct entry *entry)
{
	const uint8_t *at = memory + entry->at * RECORD_ALIGN;
	struct extsort_record record = {.time_ns = entry->time_ns,
		.bytes = at + sizeof(record.rank),
		.size = entry->size};

	memcpy(&record.rank, at, sizeof(record.rank));
	return record;
}

/* ---- the order of the records in memory ---- */

/*
 * A natural merge sort. Traces are written thread by thread, or ordered by the
 * ends of slices. So existing runs are detected and kept, and consecutive runs
 * are not merged at all.
 *
 * Source: S. Buss, A. Knop, "Strategies for Stable Merge Sorting", 2019: the
 * 2-merge sort, a stack of runs each over twice as long as the one above.
 */

/* Shorter runs are extended to this length by insertion. */
#define RUN_MIN 12
/* Each run of the stack is over twice as long as the next. */
#define STACK_MAX 64

struct run {
	size_t begin;
	size_t end;
};

static bool before(
	const struct order *order, const struct entry *a, const struct entry *b)
{
	int64_t a_rank;
	int64_t b_rank;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	a_rank = order_record(order->bytes, a).rank;
	b_rank = order_record(order->bytes, b).rank;
	if (a_rank != b_rank)
		return a_rank < b_rank;
	return (a->at < b->at) != order->reversed;
}

static void turn_round(struct entry *first, struct entry *end)
{
	while (first + 1 < end) {
		struct entry entry = *first;

		*first++ = *--end;
		*end = entry;
	}
}

/* Inserts the entries [at, end) into the sorted [begin, at). */
static void insert(
	const struct order *order, size_t begin, size_t at, size_t end)
{
	for (; at < end; at++) {
		struct entry entry = order->entries[at];
		size_t to = at;

		for (; to > begin &&
			before(order, &entry, &order->entries[to - 1]);
			to--)
			order->entries[to] = order->entries[to - 1];
		order->entries[to] = entry;
	}
}

/* Finds the end of the run that begins here, and sorts it. */
static size_t find_run(const struct order *order, size_t begin, size_t count)
{
	const struct entry *entries = order->entries;
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

/* The left run is the shorter one: it is moved to the scratch. */
static void merge_forward(
	const struct order *order, size_t begin, size_t middle, size_t end)
{
	struct entry *to = order->entries + begin;
	const struct entry *left = order->scratch;
	const struct entry *left_end = left + (middle - begin);
	const struct entry *right = order->entries + middle;
	const struct entry *right_end = order->entries + end;

	memcpy(order->scratch, to, (middle - begin) * sizeof(*to));
	while (left < left_end && right < right_end)
		*to++ = before(order, right, left) ? *right++ : *left++;
	memcpy(to, left, (size_t)(left_end - left) * sizeof(*to));
}

/* The right run is the shorter one. */
static void merge_backward(
	const struct order *order, size_t begin, size_t middle, size_t end)
{
	struct entry *to = order->entries + end;
	const struct entry *left_begin = order->entries + begin;
	const struct entry *left = order->entries + middle;
	const struct entry *right_begin = order->scratch;
	const struct entry *right = right_begin + (end - middle);

	memcpy(order->scratch, left, (end - middle) * sizeof(*to));
	while (left > left_begin && right > right_begin)
		*--to = before(order, right - 1, left - 1) ? *--left : *--right;
	to -= right - right_begin;
	memcpy(to, right_begin, (size_t)(right - right_begin) * sizeof(*to));
}

/* The first position in [begin, end) after `entry`. */
static size_t find_place(const struct order *order, const struct entry *entry,
	size_t begin, size_t end)
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
	const struct order *order, struct run left, struct run right)
{
	const struct entry *entries = order->entries;
	size_t middle = right.begin;
	size_t begin;
	size_t end;

	/* Records that are already in place stay there. */
	begin = find_place(order, &entries[middle], left.begin, middle);
	end = find_place(order, &entries[middle - 1], middle, right.end);
	if (middle - begin <= end - middle)
		merge_forward(order, begin, middle, end);
	else
		merge_backward(order, begin, middle, end);
	return (struct run){left.begin, right.end};
}

/* Sorts `count` entries, the last added first, by time, rank and place. Linear
 * in their number for a few consecutive sorted runs, the usual case. */
static void order_sort(const struct order *order, size_t count)
{
	struct run stack[STACK_MAX];
	size_t depth = 0;
	size_t at = 0;

	/* Entries are reversed. Without this, each run of nearly sorted input
	 * would be moved over all later ones. */
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

/* ---- runs: sorted records in the file ---- */

/*
 * The head of each record in a file: the difference of its time to the previous
 * record of the run, its rank and its size, each in as few bytes as possible.
 * The first byte has the number of bytes of each.
 */
#define RUN_HEAD_MAX ((size_t)1 + 2 * PACKED_MAX + 4)
/* Bytes that writing a head may touch. */
#define RUN_HEAD_ROOM (RUN_HEAD_MAX + PACKED_MAX)

/* Three bits encode up to eight bytes: seven are written as eight. */
static inline unsigned run_head_code(uint64_t number)
{
	unsigned size = packed_size(number);

	return size < 7 ? size : 7;
}

static inline unsigned run_head_bytes(unsigned code)
{
	return code + (code == 7);
}

/* Writes the head of a record after one of time `last_ns` (0 for the first of a
 * run); returns its size. */
static inline size_t run_head_write(
	uint8_t *to, int64_t last_ns, const struct extsort_record *record)
{
	uint64_t later_ns = (uint64_t)record->time_ns - (uint64_t)last_ns;
	/* Zigzag encoding: ranks near 0 become small numbers. */
	uint64_t rank = (uint64_t)record->rank << 1 ^
			(uint64_t)(record->rank < 0 ? -1 : 0);
	unsigned time_code = run_head_code(later_ns);
	unsigned rank_code = run_head_code(rank);
	unsigned size_bytes = packed_size(record->size | 1);
	uint8_t *at = to;

	*at++ = (uint8_t)(time_code | rank_code << 3 | (size_bytes - 1) << 6);
	packed_write(at, later_ns);
	at += run_head_bytes(time_code);
	packed_write(at, rank);
	at += run_head_bytes(rank_code);
	packed_write(at, record->size);
	return (size_t)(at - to) + size_bytes;
}

/* Reads a head: all of the record except its bytes. */
static inline size_t run_head_read(
	const uint8_t *from, int64_t last_ns, struct extsort_record *record)
{
	unsigned time_bytes = run_head_bytes(*from & 7);
	unsigned rank_bytes = run_head_bytes(*from >> 3 & 7);
	unsigned size_bytes = (unsigned)(*from >> 6) + 1;
	const uint8_t *at = from + 1 + time_bytes;
	uint64_t rank;

	record->time_ns =
		(int64_t)((uint64_t)last_ns + packed_read(at, time_bytes));
	at += rank_bytes;
	rank = packed_read(at, rank_bytes);
	record->rank = (int64_t)(rank >> 1 ^ -(rank & 1));
	at += size_bytes;
	record->size = (size_t)packed_read(at, size_bytes);
	return (size_t)(at - from);
}

/*
 * A heap of the runs, by their next record. The run whose record was returned
 * stays at the top until its next one is known. If that is the least again, as
 * usual in a trace, two comparisons suffice.
 */

/* Smallest part of the memory per run. */
#define PART_MIN ((size_t)32 << 10)

/* Larger parts are not faster and exceed the processor's cache. */
#define PART_MAX ((size_t)1 << 20)

/* The part of a run in memory. */
struct part {
	uint8_t *bytes;
	size_t from; /* the next record's head or, if it was read, bytes */
	size_t used;
	uint64_t at; /* the rest of the run in the file */
	uint64_t end;
	struct extsort_record next; /* all but its bytes */
};

struct key {
	int64_t time_ns;
	int64_t rank;
	size_t run;
};

struct file_run {
	uint64_t begin;
	uint64_t end;
	bool single; /* one record, which may be larger than the memory */
};

struct run_merge {
	/* The next four are set before run_merge_init(); borrowed. */
	const struct temp_file *file;
	uint8_t *memory;
	size_t memory_bytes;
	bool reversed; /* equal time and rank: records of later runs first */

	struct part *parts;
	struct key *heap; /* the least key is at [0] */
	size_t heap_count;
	size_t room;    /* of each part */
	bool taken;     /* the record of heap[0] was returned */
	uint8_t *large; /* a record that is larger than its part */
	size_t large_room;
};

static bool key_before(
	const struct run_merge *merge, const struct key *a, const struct key *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return (a->run < b->run) != merge->reversed;
}

static void sink_key(struct run_merge *merge, size_t at)
{
	struct key *heap = merge->heap;
	struct key key = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < merge->heap_count) {
		if (child + 1 < merge->heap_count &&
			key_before(merge, &heap[child + 1], &heap[child]))
			child++;
		if (!key_before(merge, &heap[child], &key))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = key;
}

/* Ensures that `size` bytes, which must fit in a part, are available from
 * `from` on, or the rest of the run. */
static enum ctp_status need(const struct run_merge *merge, struct part *part,
	size_t size, struct ctp_error *err)
{
	size_t left = part->used - part->from;
	enum ctp_status status;
	size_t more;

	if (left >= size)
		return CTP_OK;
	memmove(part->bytes, part->bytes + part->from, left);
	part->from = 0;
	part->used = left;
	more = merge->room - left;
	if (more > part->end - part->at)
		more = (size_t)(part->end - part->at);
	status = temp_file_read(
		merge->file, part->at, part->bytes + left, more, err);
	if (status != CTP_OK)
		return status;
	part->used += more;
	part->at += more;
	return CTP_OK;
}

/* Reads the head and key of a run's next record; CTP_END if there is none. */
static enum ctp_status read_key(const struct run_merge *merge, size_t run,
	struct key *key, struct ctp_error *err)
{
	struct part *part = &merge->parts[run];
	enum ctp_status status;

	if (part->from == part->used && part->at == part->end)
		return CTP_END;
	status = need(merge, part, RUN_HEAD_MAX, err);
	if (status != CTP_OK)
		return status;
	part->from += run_head_read(
		part->bytes + part->from, part->next.time_ns, &part->next);
	*key = (struct key){part->next.time_ns, part->next.rank, run};
	return CTP_OK;
}

static enum ctp_status fill_heap(
	struct run_merge *merge, size_t count, struct ctp_error *err)
{
	for (size_t i = 0; i < count; i++) {
		enum ctp_status status = read_key(
			merge, i, &merge->heap[merge->heap_count], err);

		if (status == CTP_OK)
			merge->heap_count++;
		else if (status != CTP_END)
			return status;
	}
	for (size_t at = merge->heap_count / 2; at-- > 0;)
		sink_key(merge, at);
	return CTP_OK;
}

/* Begins with `count` runs in their order of adding, at most as many as the
 * memory has parts. Call run_merge_clear() in any case. Errors: CTP_ERR_IO,
 * CTP_ERR_NOMEM. */
static enum ctp_status run_merge_init(struct run_merge *merge,
	const struct file_run *runs, size_t count, struct ctp_error *err)
{
	/* Reading a head also touches bytes before it. */
	uint8_t *memory = merge->memory + PACKED_MAX;
	size_t room = (merge->memory_bytes - PACKED_MAX) / count /
		      RECORD_ALIGN * RECORD_ALIGN;

	merge->room = room < PART_MAX ? room : PART_MAX;
	merge->parts = memory_new_zeroed(count, sizeof(*merge->parts));
	merge->heap = memory_new_zeroed(count, sizeof(*merge->heap));
	if (merge->parts == NULL || merge->heap == NULL)
		return ctp_no_memory(err);
	for (size_t i = 0; i < count; i++)
		merge->parts[i] =
			(struct part){.bytes = memory + i * merge->room,
				.at = runs[i].begin,
				.end = runs[i].end};
	return fill_heap(merge, count, err);
}

static void run_merge_clear(struct run_merge *merge)
{
	memory_free(merge->parts);
	memory_free(merge->heap);
	memory_free(merge->large);
}

/* Reads the bytes of a record larger than its part: those in memory, and the
 * rest from the file. */
static enum ctp_status read_large(
	struct run_merge *merge, struct part *part, struct ctp_error *err)
{
	size_t size = part->next.size;
	size_t there = part->used - part->from;
	enum ctp_status status;

	if (size > merge->large_room) {
		memory_free(merge->large);
		merge->large_room = 0;
		merge->large = memory_new(size);
		if (merge->large == NULL)
			return ctp_no_memory(err);
		merge->large_room = size;
	}
	memcpy(merge->large, part->bytes + part->from, there);
	status = temp_file_read(
		merge->file, part->at, merge->large + there, size - there, err);
	if (status != CTP_OK)
		return status;
	part->from = part->used;
	part->at += size - there;
	part->next.bytes = merge->large;
	return CTP_OK;
}

/* The bytes of a record. */
static enum ctp_status read_bytes(
	const struct run_merge *merge, struct part *part, struct ctp_error *err)
{
	enum ctp_status status = need(merge, part, part->next.size, err);

	if (status != CTP_OK)
		return status;
	part->next.bytes = part->bytes + part->from;
	part->from += part->next.size;
	return CTP_OK;
}

/* Advances the run whose record was returned to its next key, or removes it
 * from the heap. */
static enum ctp_status go_on(struct run_merge *merge, struct ctp_error *err)
{
	enum ctp_status status =
		read_key(merge, merge->heap[0].run, &merge->heap[0], err);

	if (status == CTP_END) {
		merge->heap[0] = merge->heap[--merge->heap_count];
		status = CTP_OK;
	}
	if (status == CTP_OK && merge->heap_count > 0)
		sink_key(merge, 0);
	return status;
}

/* Like extsort_next(). */
static enum ctp_status run_merge_next(struct run_merge *merge,
	struct extsort_record *out, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct part *part;

	if (merge->taken)
		status = go_on(merge, err);
	merge->taken = false;
	if (status != CTP_OK)
		return status;
	if (merge->heap_count == 0)
		return CTP_END;
	part = &merge->parts[merge->heap[0].run];
	status = part->next.size > merge->room ? read_large(merge, part, err)
					       : read_bytes(merge, part, err);
	if (status != CTP_OK)
		return status;
	*out = part->next;
	merge->taken = true;
	return CTP_OK;
}

/* ---- the sort ---- */

/* Room for a few parts in a merge. */
#define MEMORY_MIN (4 * PART_MIN)
/* Largest memory that entries can address. */
#define MEMORY_MAX ((size_t)UINT32_MAX * RECORD_ALIGN)
/* Buffer for reading a run to be reordered. */
#define REWRITE_BYTES ((size_t)256 << 10)

struct extsort {
	uint8_t *memory;
	size_t room;
	size_t used;  /* by records */
	size_t count; /* entries at the end of the memory */
	bool reversed;
	struct temp_file file;
	struct file_run *runs;
	size_t run_count;
	size_t run_room;
	/* Number of runs written before the ties were reversed. */
	size_t old_run_count;
	struct run_merge merge;
};

struct extsort *extsort_new(size_t memory_bytes)
{
	struct extsort *sort = memory_new_zeroed(1, sizeof(*sort));
	size_t room =
		memory_bytes / sizeof(struct entry) * sizeof(struct entry);

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
static struct entry *entries(const struct extsort *sort)
{
	return (struct entry *)(void *)(sort->memory + sort->room) -
	       sort->count;
}

/* Whether there is room for a record of this size, its entry, and sorting. */
static bool fits(const struct extsort *sort, size_t size)
{
	size_t count = sort->count + 1;

	count += (count + 1) / 2;
	return order_whole(size) + count * sizeof(struct entry) <=
	       sort->room - sort->used;
}

/* Copies a record that fits. */
static void store(struct extsort *sort, const struct extsort_record *record)
{
	uint8_t *to = sort->memory + sort->used;

	memcpy(to, &record->rank, sizeof(record->rank));
	if (record->size > 0)
		memcpy(to + sizeof(record->rank), record->bytes, record->size);
	sort->count++;
	*entries(sort) = (struct entry){record->time_ns,
		(uint32_t)(sort->used / RECORD_ALIGN), (uint32_t)record->size};
	sort->used += order_whole(record->size);
}

static struct order sort_entries(const struct extsort *sort)
{
	struct entry *first = entries(sort);
	struct order order = {.bytes = sort->memory,
		.reversed = sort->reversed,
		.entries = first,
		.scratch = first - (sort->count + 1) / 2};

	order_sort(&order, sort->count);
	return order;
}

/* Adds a record to a run; `*last_ns` is the time of the previous one, initially
 * 0. */
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

/* Writes the records in memory in order, and empties it. */
static enum ctp_status write_sorted(struct extsort *sort, struct ctp_error *err)
{
	struct order order = sort_entries(sort);
	enum ctp_status status = CTP_OK;
	int64_t last_ns = 0;

	for (size_t i = 0; i < sort->count && status == CTP_OK; i++) {
		struct extsort_record record =
			order_record(sort->memory, &order.entries[i]);

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
	if (!array_reserve(&sort->runs, sort->run_count, &sort->run_room,
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
			(struct file_run){begin, sort->file.at, false};
	return status;
}

/* A record that is larger than the memory becomes a separate run. */
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
			(struct file_run){begin, sort->file.at, true};
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
	store(sort, record);
	return CTP_OK;
}

void extsort_reverse_ties(struct extsort *sort)
{
	assert(!sort->reversed);
	sort->reversed = true;
	sort->old_run_count = sort->run_count;
}

/* Reorders a run in place that was written before the ties were reversed. It
 * fits in memory as before, and in the same space of the file, since only
 * records of equal times change places. */
static enum ctp_status rewrite(struct extsort *sort, const struct file_run *run,
	uint8_t *memory, struct ctp_error *err)
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
			store(sort, &record);
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
	const struct file_run *runs, size_t count, struct temp_file *out,
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

/* Merges consecutive runs, as many at a time as fit, to reduce their number. */
static enum ctp_status merge_level(
	struct extsort *sort, size_t ways, struct ctp_error *err)
{
	struct temp_file out;
	enum ctp_status status = temp_file_open(&out, err);
	size_t made = 0;

	if (status != CTP_OK)
		return status;
	for (size_t i = 0; i < sort->run_count && status == CTP_OK; i += ways) {
		const struct file_run *first = &sort->runs[i];
		size_t left = sort->run_count - i;
		size_t count = left < ways ? left : ways;
		uint64_t begin = out.at;

		status = merge_runs(sort, first, count, &out, err);
		temp_file_forget(
			&sort->file, first->begin, first[count - 1].end);
		sort->runs[made++] =
			(struct file_run){begin, out.at, count == 1};
	}
	temp_file_close(&sort->file);
	sort->file = out;
	sort->run_count = made;
	return status;
}

/* Merges until there are at most `most` runs. */
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
		status = reduce_runs(sort, sort->room / PART_MIN, err);
	return status == CTP_OK ? open_merge(sort, err) : status;
}

/* Shrinks the memory if all records are in it. */
static enum ctp_status fit(
	struct extsort *sort, size_t entry_bytes, struct ctp_error *err)
{
	size_t room = (sort->used + entry_bytes + RECORD_ALIGN - 1) &
		      ~(RECORD_ALIGN - 1);
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
	size_t entry_bytes = sort->count * sizeof(struct entry);
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
		status = reduce_runs(sort, room / PART_MIN, err);
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
	*out = order_record(sort->memory, entries(sort));
	sort->count--;
	return CTP_OK;
}

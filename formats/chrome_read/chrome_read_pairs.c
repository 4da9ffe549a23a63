/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_pairs.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

/* An end may close an enclosing range, but we search only this many levels:
 * unmatched ends would otherwise take quadratic time. */
#define RANGES_SEARCHED 64

/* Most bytes of empty pairs that wait for the end of their enclosing range. */
#define EMPTY_BYTES_MAX ((size_t)64 << 10)

struct range {
	struct buffer bytes; /* record of the begin, and its arguments */
	uint32_t name;       /* strtab number */
	int64_t time_ns;
	uint64_t order; /* position in the file */
};

struct ranges {
	struct range *open;
	uint32_t depth;
	uint32_t room;
	/* The last end of a range that began earlier. */
	int64_t ended_ns;
	uint64_t end_order;
	/* Empty pairs, each a struct empty_pair, and their time. */
	struct buffer empty;
	int64_t empty_ns;
};

struct pairs {
	struct trace *trace;
	const struct chrome_read_producer *producer;
	struct extsort *sorted;
	struct ranges *tracks;
	uint32_t track_count;
};

/* Adds a whole record, packing it in place. */
static enum ctp_status add_record(struct pairs *pairs,
	const struct buffer *bytes, int64_t rank, struct ctp_error *err)
{
	struct chrome_read_record record;
	const uint8_t *from;

	if (bytes->failed)
		return ctp_no_memory(err);
	memcpy(&record, bytes->bytes, sizeof(record));
	from = chrome_read_record_pack(
		bytes->bytes + sizeof(record), &record, record.time_ns);
	return extsort_add(pairs->sorted,
		&(struct extsort_record){.time_ns = record.time_ns,
			.rank = rank,
			.bytes = from,
			.size = bytes->used - (size_t)(from - bytes->bytes)},
		err);
}

/* An unpacked record, and its arguments. */
struct full_record {
	struct chrome_read_record record;
	const uint8_t *args;
	size_t args_size;
};

static struct full_record unpack(const struct extsort_record *item)
{
	const uint8_t *bytes = item->bytes;
	struct full_record full;

	full.args =
		chrome_read_record_unpack(&full.record, bytes, item->time_ns);
	full.args_size = item->size - (size_t)(full.args - bytes);
	return full;
}

static enum ctp_status begin(struct pairs *pairs,
	const struct full_record *full, struct ctp_error *err)
{
	const struct chrome_read_record *record = &full->record;
	struct ranges *ranges = &pairs->tracks[record->track];
	struct range *range;

	if (!array_reserve32(&ranges->open, ranges->depth, &ranges->room,
		    sizeof(*ranges->open)))
		return ctp_no_memory(err);
	range = &ranges->open[ranges->depth++];
	*range = (struct range){.bytes = BUFFER_INIT,
		.name = pairs->trace->sites[record->site].name,
		.time_ns = record->time_ns,
		.order = record->order};
	buffer_add(&range->bytes, record, sizeof(*record));
	buffer_add(&range->bytes, full->args, full->args_size);
	return range->bytes.failed ? ctp_no_memory(err) : CTP_OK;
}

/*
 * Is a range open that matches an end's name (0: none)? It need not be the
 * innermost, which is nevertheless ended, as in Chrome. For later ends, the
 * innermost range's name then replaces the matched one.
 */
static bool find_name(struct ranges *ranges, uint32_t name)
{
	uint32_t last = ranges->depth - 1;

	if (ranges->depth == 0 || name == 0)
		return ranges->depth > 0;
	for (uint32_t i = 0; i <= last && i < RANGES_SEARCHED; i++)
		if (ranges->open[last - i].name == name) {
			ranges->open[last - i].name = ranges->open[last].name;
			return true;
		}
	return false;
}

/*
 * The number of ranges around a slice, for its rank among equal ones. A
 * producer that writes slices when they begin writes the outer one first. If it
 * writes them when they end, equal ranges are outside the slice.
 */
static uint32_t count_outer(
	const struct pairs *pairs, const struct chrome_read_record *slice)
{
	const struct ranges *ranges = &pairs->tracks[slice->track];
	uint32_t outer = ranges->depth;

	if (pairs->producer->is_reversed)
		return CHROME_READ_RANK_NOT_PAIRED;
	while (outer > 0 && ranges->open[outer - 1].time_ns == slice->time_ns &&
		ranges->open[outer - 1].order > slice->order)
		outer--;
	return outer < ranges->depth ? outer : CHROME_READ_RANK_NOT_PAIRED;
}

/*
 * Equal slices nest in file order. Empty slices are ambiguous: they
 * nest in file order, and may follow each other, or be the last ones in a range
 * that ends at that time.
 */
static int64_t rank_of(const struct pairs *pairs,
	const struct chrome_read_record *record, uint32_t outer)
{
	const struct ranges *ranges = &pairs->tracks[record->track];

	if (record->dur_ns > 0)
		return pairs->producer->is_own
			       ? CHROME_READ_RANK_OWN + (int64_t)record->order
			       : chrome_read_record_rank(record->dur_ns, outer);
	if (ranges->ended_ns == record->time_ns &&
		ranges->end_order > record->order)
		return CHROME_READ_RANK_ENDING + (int64_t)record->order;
	if (pairs->producer->is_own)
		return CHROME_READ_RANK_OWN + (int64_t)record->order;
	return pairs->producer->is_reversed
		       ? chrome_read_record_rank(record->dur_ns, outer)
		       : CHROME_READ_RANK_EMPTY + (int64_t)record->order;
}

/* A waiting empty pair; its bytes follow. */
struct empty_pair {
	size_t size;
	uint32_t outer;
};

/* Adds the empty pairs, once it is known whether their enclosing range ends. */
static enum ctp_status add_empty(
	struct pairs *pairs, struct ranges *ranges, struct ctp_error *err)
{
	struct buffer one = BUFFER_INIT;
	enum ctp_status status = CTP_OK;
	size_t at = 0;

	while (at < ranges->empty.used && status == CTP_OK) {
		struct chrome_read_record record;
		struct empty_pair head;

		memcpy(&head, ranges->empty.bytes + at, sizeof(head));
		at += sizeof(head);
		memcpy(&record, ranges->empty.bytes + at, sizeof(record));
		one.used = 0;
		buffer_add(&one, ranges->empty.bytes + at, head.size);
		at += head.size;
		status = add_record(
			pairs, &one, rank_of(pairs, &record, head.outer), err);
	}
	buffer_clear(&one);
	ranges->empty.used = 0;
	return status;
}

/* Adds a pair, or makes it wait. */
static enum ctp_status add_pair(struct pairs *pairs, struct ranges *ranges,
	const struct buffer *bytes, struct ctp_error *err)
{
	struct empty_pair head = {bytes->used, ranges->depth};
	struct chrome_read_record record;

	if (bytes->failed)
		return ctp_no_memory(err);
	memcpy(&record, bytes->bytes, sizeof(record));
	if (record.dur_ns > 0) {
		ranges->ended_ns =
			(int64_t)((uint64_t)record.time_ns + record.dur_ns);
		ranges->end_order = chrome_read_record_end(&record);
	} else if (ranges->empty.used < EMPTY_BYTES_MAX) {
		ranges->empty_ns = record.time_ns;
		buffer_add(&ranges->empty, &head, sizeof(head));
		buffer_add(&ranges->empty, bytes->bytes, head.size);
		return ranges->empty.failed ? ctp_no_memory(err) : CTP_OK;
	}
	return add_record(
		pairs, bytes, rank_of(pairs, &record, ranges->depth), err);
}

/* Negative if the file is not in order of time. */
static int32_t order_between(const struct chrome_read_record *begin,
	const struct chrome_read_record *end)
{
	int64_t after = (int64_t)(end->order - begin->order);

	if (after > INT32_MAX)
		return INT32_MAX;
	return after < -INT32_MAX ? -INT32_MAX : (int32_t)after;
}

/* A range has the arguments of its begin and its end, so also the ids of
 * both. */
static void merge_ids(
	struct chrome_read_record *record, const struct chrome_read_record *end)
{
	if (record->class == CHROME_READ_PLAIN)
		record->class = end->class;
	if (record->id == 0)
		record->id = end->id;
	if (record->external == 0)
		record->external = end->external;
}

static enum ctp_status end(struct pairs *pairs, const struct full_record *full,
	struct ctp_error *err)
{
	const struct chrome_read_record *end = &full->record;
	struct trace *trace = pairs->trace;
	struct ranges *ranges = &pairs->tracks[end->track];
	struct chrome_read_record record;
	struct range *range;
	enum ctp_status status;

	if (!find_name(ranges, trace->sites[end->site].name)) {
		trace_lose(trace, LOSS_STRAY_ENDS, 1);
		return CTP_OK;
	}
	range = &ranges->open[--ranges->depth];
	buffer_add(&range->bytes, full->args, full->args_size);
	memcpy(&record, range->bytes.bytes, sizeof(record));
	record.kind = CHROME_READ_SLICE;
	record.dur_ns = (uint64_t)end->time_ns - (uint64_t)record.time_ns;
	record.arg_count += end->arg_count;
	record.after = order_between(&record, end);
	merge_ids(&record, end);
	memcpy(range->bytes.bytes, &record, sizeof(record));
	status = add_pair(pairs, ranges, &range->bytes, err);
	buffer_clear(&range->bytes);
	return status;
}

static enum ctp_status add(
	struct pairs *pairs, struct extsort_record *item, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct full_record full = unpack(item);
	const struct chrome_read_record *record = &full.record;
	struct ranges *ranges;

	ranges = record->kind == CHROME_READ_ACTIVITY
			 ? NULL
			 : &pairs->tracks[record->track];
	if (ranges != NULL && ranges->empty.used > 0 &&
		ranges->empty_ns != record->time_ns)
		status = add_empty(pairs, ranges, err);
	if (status != CTP_OK)
		return status;
	if (record->kind == CHROME_READ_BEGIN)
		return begin(pairs, &full, err);
	if (record->kind == CHROME_READ_END)
		return end(pairs, &full, err);
	if (record->kind == CHROME_READ_SLICE &&
		(record->dur_ns == 0 || !pairs->producer->is_own))
		item->rank = rank_of(pairs, record, count_outer(pairs, record));
	else if (record->kind != CHROME_READ_SLICE)
		item->rank += CHROME_READ_RANK_OTHERS;
	return extsort_add(pairs->sorted, item, err);
}

/* Adds ranges that never ended, as the longest at their time. */
static enum ctp_status add_open(struct pairs *pairs, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < pairs->track_count && status == CTP_OK; i++) {
		struct ranges *ranges = &pairs->tracks[i];

		status = add_empty(pairs, ranges, err);
		for (uint32_t j = 0; j < ranges->depth && status == CTP_OK; j++)
			status = add_record(pairs, &ranges->open[j].bytes,
				CHROME_READ_RANK_RANGES + j, err);
	}
	return status;
}

static void clear(struct pairs *pairs)
{
	for (uint32_t i = 0; pairs->tracks != NULL && i < pairs->track_count;
		i++) {
		struct ranges *ranges = &pairs->tracks[i];

		while (ranges->depth > 0)
			buffer_clear(&ranges->open[--ranges->depth].bytes);
		memory_free(ranges->open);
		buffer_clear(&ranges->empty);
	}
	memory_free(pairs->tracks);
	extsort_free(pairs->sorted);
}

enum ctp_status chrome_read_pairs_match(struct extsort **records,
	struct trace *trace, const struct chrome_read_producer *producer,
	struct ctp_error *err)
{
	struct pairs pairs = {.trace = trace,
		.producer = producer,
		.sorted = extsort_new(CHROME_READ_SORT_BYTES),
		.track_count = trace->track_count};
	struct extsort_record item;
	struct extsort *before = *records;
	enum ctp_status status = CTP_OK;

	pairs.tracks =
		memory_new_zeroed(pairs.track_count, sizeof(*pairs.tracks));
	if (pairs.sorted == NULL || pairs.tracks == NULL)
		status = ctp_no_memory(err);
	while (status == CTP_OK) {
		status = extsort_next(before, &item, err);
		if (status == CTP_OK)
			status = add(&pairs, &item, err);
	}
	if (status == CTP_END)
		status = add_open(&pairs, err);
	if (status == CTP_OK)
		status = extsort_sort(pairs.sorted, err);
	if (status == CTP_OK) {
		*records = pairs.sorted;
		pairs.sorted = before;
	}
	clear(&pairs);
	return status;
}

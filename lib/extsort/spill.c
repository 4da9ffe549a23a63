/* SPDX-License-Identifier: MIT */
/*
 * Records are copied into one piece of memory from its front, and their
 * entries, which are what is sorted, grow towards them from its end. When the
 * two meet, the records are written to the file in order, as a run.
 *
 * In a trace most pieces follow each other in time, so that merging them costs
 * little, and there are few: one of 16 MiB holds 150,000 events.
 */
#include "extsort/spill.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "extsort/spill_file.h"
#include "extsort/spill_head.h"
#include "extsort/spill_merge.h"
#include "extsort/spill_order.h"

/* Room for a few parts in a merge. */
#define MEMORY_MIN (4 * SPILL_MERGE_PART)
/* What an entry can point into. */
#define MEMORY_MAX ((size_t)UINT32_MAX * SPILL_ALIGN)
/* What a run is read through that is brought into another order. */
#define REWRITE_BYTES ((size_t)256 << 10)

struct spill {
	uint8_t *memory;
	size_t room;
	size_t used;  /* by records */
	size_t count; /* of entries at the end of the memory */
	bool reversed;
	struct spill_file file;
	struct spill_run *runs;
	size_t run_count;
	size_t run_room;
	/* So many runs were written before the ties were reversed. */
	size_t old_run_count;
	struct spill_merge merge;
};

struct spill *spill_new(size_t memory_bytes)
{
	struct spill *spill = memory_new_zeroed(1, sizeof(*spill));
	size_t room = memory_bytes / sizeof(struct spill_entry) *
		      sizeof(struct spill_entry);

	if (spill == NULL)
		return NULL;
	spill->file = SPILL_FILE_NONE;
	spill->room = room < MEMORY_MIN   ? MEMORY_MIN
		      : room > MEMORY_MAX ? MEMORY_MAX
					  : room;
	spill->memory = memory_new(spill->room);
	if (spill->memory == NULL) {
		memory_free(spill);
		return NULL;
	}
	return spill;
}

void spill_free(struct spill *spill)
{
	if (spill == NULL)
		return;
	spill_merge_clear(&spill->merge);
	spill_file_close(&spill->file);
	memory_free(spill->runs);
	memory_free(spill->memory);
	memory_free(spill);
}

/* The entries, the last added first. */
static struct spill_entry *entries(const struct spill *spill)
{
	return (struct spill_entry *)(void *)(spill->memory + spill->room) -
	       spill->count;
}

/* Is there room for a record of this size, its entry, and what sorting them
 * takes? */
static bool fits(const struct spill *spill, size_t size)
{
	size_t count = spill->count + 1;

	count += (count + 1) / 2;
	return spill_order_whole(size) + count * sizeof(struct spill_entry) <=
	       spill->room - spill->used;
}

/* Copies a record that fits. */
static void hold(struct spill *spill, const struct spill_record *record)
{
	uint8_t *to = spill->memory + spill->used;

	memcpy(to, &record->rank, sizeof(record->rank));
	if (record->size > 0)
		memcpy(to + sizeof(record->rank), record->bytes, record->size);
	spill->count++;
	*entries(spill) = (struct spill_entry){record->time_ns,
		(uint32_t)(spill->used / SPILL_ALIGN), (uint32_t)record->size};
	spill->used += spill_order_whole(record->size);
}

static struct spill_order sort_entries(const struct spill *spill)
{
	struct spill_entry *first = entries(spill);
	struct spill_order order = {.bytes = spill->memory,
		.reversed = spill->reversed,
		.entries = first,
		.scratch = first - (spill->count + 1) / 2};

	spill_order_sort(&order, spill->count);
	return order;
}

/* Adds a record to a run; `*last_ns` is the time of the one before it, and 0 at
 * first. */
static enum ctp_status put(struct spill_file *file, int64_t *last_ns,
	const struct spill_record *record, struct ctp_error *err)
{
	uint8_t head[SPILL_HEAD_ROOM];
	size_t size = spill_head_write(head, *last_ns, record);
	enum ctp_status status = spill_file_add(file, head, size, err);

	*last_ns = record->time_ns;
	return status == CTP_OK && record->size > 0
		       ? spill_file_add(file, record->bytes, record->size, err)
		       : status;
}

/* Writes what is in memory in order, which is empty then. */
static enum ctp_status write_sorted(struct spill *spill, struct ctp_error *err)
{
	struct spill_order order = sort_entries(spill);
	enum ctp_status status = CTP_OK;
	int64_t last_ns = 0;

	for (size_t i = 0; i < spill->count && status == CTP_OK; i++) {
		struct spill_record record =
			spill_order_record(spill->memory, &order.entries[i]);

		status = put(&spill->file, &last_ns, &record, err);
	}
	if (status == CTP_OK)
		status = spill_file_flush(&spill->file, err);
	spill->used = 0;
	spill->count = 0;
	return status;
}

/* Room for one more run, and the file. */
static enum ctp_status begin_run(struct spill *spill, struct ctp_error *err)
{
	if (spill->file.fd < 0) {
		enum ctp_status status = spill_file_open(&spill->file, err);

		if (status != CTP_OK)
			return status;
	}
	if (!memory_grow(&spill->runs, spill->run_count, &spill->run_room,
		    sizeof(*spill->runs)))
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	return CTP_OK;
}

static enum ctp_status write_run(struct spill *spill, struct ctp_error *err)
{
	enum ctp_status status;
	uint64_t begin;

	if (spill->count == 0)
		return CTP_OK;
	status = begin_run(spill, err);
	begin = spill->file.at;
	if (status == CTP_OK)
		status = write_sorted(spill, err);
	if (status == CTP_OK)
		spill->runs[spill->run_count++] =
			(struct spill_run){begin, spill->file.at, false};
	return status;
}

/* A record that is larger than the memory is a run of its own. */
static enum ctp_status write_single(struct spill *spill,
	const struct spill_record *record, struct ctp_error *err)
{
	enum ctp_status status = begin_run(spill, err);
	uint64_t begin = spill->file.at;
	int64_t last_ns = 0;

	if (status == CTP_OK)
		status = put(&spill->file, &last_ns, record, err);
	if (status == CTP_OK)
		status = spill_file_flush(&spill->file, err);
	if (status == CTP_OK)
		spill->runs[spill->run_count++] =
			(struct spill_run){begin, spill->file.at, true};
	return status;
}

enum ctp_status spill_add(struct spill *spill,
	const struct spill_record *record, struct ctp_error *err)
{
	enum ctp_status status;

	if (record->size > SPILL_RECORD_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT, ERROR_NO_OFFSET,
			"an event is longer than %zu MiB",
			SPILL_RECORD_MAX >> 20);
	if (!fits(spill, record->size)) {
		status = write_run(spill, err);
		if (status != CTP_OK)
			return status;
		if (!fits(spill, record->size))
			return write_single(spill, record, err);
	}
	hold(spill, record);
	return CTP_OK;
}

void spill_reverse_ties(struct spill *spill)
{
	assert(!spill->reversed);
	spill->reversed = true;
	spill->old_run_count = spill->run_count;
}

/* Brings a run that was written before the ties were reversed into today's
 * order, in its place: it fits into the memory, as it did before, and takes the
 * same room in the file, since only records of the same time change places. */
static enum ctp_status rewrite(struct spill *spill, const struct spill_run *run,
	uint8_t *memory, struct ctp_error *err)
{
	struct spill_merge whole = {.file = &spill->file,
		.memory = memory,
		.memory_bytes = REWRITE_BYTES};
	uint64_t end = spill->file.at;
	enum ctp_status status = spill_merge_init(&whole, run, 1, err);

	while (status == CTP_OK) {
		struct spill_record record;

		status = spill_merge_next(&whole, &record, err);
		if (status == CTP_OK)
			hold(spill, &record);
	}
	spill_merge_clear(&whole);
	if (status != CTP_END)
		return status;
	spill->file.at = run->begin;
	status = write_sorted(spill, err);
	spill->file.at = end;
	return status;
}

static enum ctp_status rewrite_old(struct spill *spill, struct ctp_error *err)
{
	uint8_t *memory;
	enum ctp_status status = CTP_OK;

	if (spill->old_run_count == 0)
		return CTP_OK;
	memory = memory_new(REWRITE_BYTES);
	if (memory == NULL)
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < spill->old_run_count && status == CTP_OK; i++)
		if (!spill->runs[i].single)
			status = rewrite(spill, &spill->runs[i], memory, err);
	memory_free(memory);
	return status;
}

static void prepare_merge(struct spill *spill)
{
	spill_merge_clear(&spill->merge);
	spill->merge = (struct spill_merge){.file = &spill->file,
		.memory = spill->memory,
		.memory_bytes = spill->room,
		.reversed = spill->reversed};
}

/* Merges `count` runs into one at the end of another file. */
static enum ctp_status merge_runs(struct spill *spill,
	const struct spill_run *runs, size_t count, struct spill_file *out,
	struct ctp_error *err)
{
	struct spill_record record;
	int64_t last_ns = 0;
	enum ctp_status status;

	prepare_merge(spill);
	status = spill_merge_init(&spill->merge, runs, count, err);
	while (status == CTP_OK) {
		status = spill_merge_next(&spill->merge, &record, err);
		if (status == CTP_OK)
			status = put(out, &last_ns, &record, err);
	}
	if (status == CTP_END)
		status = spill_file_flush(out, err);
	return status;
}

/* Merges runs that follow each other, as many at a time as have room, so that
 * there are fewer. */
static enum ctp_status merge_level(
	struct spill *spill, size_t ways, struct ctp_error *err)
{
	struct spill_file out;
	enum ctp_status status = spill_file_open(&out, err);
	size_t made = 0;

	if (status != CTP_OK)
		return status;
	for (size_t i = 0; i < spill->run_count && status == CTP_OK;
		i += ways) {
		const struct spill_run *first = &spill->runs[i];
		size_t left = spill->run_count - i;
		size_t count = left < ways ? left : ways;
		uint64_t begin = out.at;

		status = merge_runs(spill, first, count, &out, err);
		spill_file_forget(
			&spill->file, first->begin, first[count - 1].end);
		spill->runs[made++] =
			(struct spill_run){begin, out.at, count == 1};
	}
	spill_file_close(&spill->file);
	spill->file = out;
	spill->run_count = made;
	return status;
}

/* Merges until there are no more runs than this. */
static enum ctp_status reduce_runs(
	struct spill *spill, size_t ways, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK && spill->run_count > ways)
		status = merge_level(spill, ways, err);
	return status;
}

static enum ctp_status open_merge(struct spill *spill, struct ctp_error *err)
{
	prepare_merge(spill);
	return spill_merge_init(
		&spill->merge, spill->runs, spill->run_count, err);
}

enum ctp_status spill_sort(struct spill *spill, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (spill->run_count == 0) {
		(void)sort_entries(spill);
		return CTP_OK;
	}
	status = write_run(spill, err);
	if (status == CTP_OK)
		status = rewrite_old(spill, err);
	if (status == CTP_OK)
		status =
			reduce_runs(spill, spill->room / SPILL_MERGE_PART, err);
	return status == CTP_OK ? open_merge(spill, err) : status;
}

/* All is in memory, and does not need all of it. */
static enum ctp_status fit(
	struct spill *spill, size_t entry_bytes, struct ctp_error *err)
{
	size_t room = (spill->used + entry_bytes + SPILL_ALIGN - 1) &
		      ~(SPILL_ALIGN - 1);
	uint8_t *memory = memory_new(room + 1);

	if (memory == NULL)
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	memcpy(memory, spill->memory, spill->used);
	memcpy(memory + room - entry_bytes, entries(spill), entry_bytes);
	memory_free(spill->memory);
	spill->memory = memory;
	spill->room = room;
	return CTP_OK;
}

enum ctp_status spill_shrink(
	struct spill *spill, size_t memory_bytes, struct ctp_error *err)
{
	size_t entry_bytes = spill->count * sizeof(struct spill_entry);
	size_t room = memory_bytes < MEMORY_MIN ? MEMORY_MIN : memory_bytes;
	enum ctp_status status = CTP_OK;
	uint8_t *memory;

	if (room >= spill->room)
		return CTP_OK;
	if (spill->run_count == 0 && spill->used + entry_bytes <= room)
		return fit(spill, entry_bytes, err);
	if (spill->run_count == 0)
		status = write_run(spill, err);
	if (status == CTP_OK)
		status = reduce_runs(spill, room / SPILL_MERGE_PART, err);
	if (status != CTP_OK)
		return status;
	memory = memory_new(room);
	if (memory == NULL)
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	memory_free(spill->memory);
	spill->memory = memory;
	spill->room = room;
	spill_file_finish(&spill->file);
	return open_merge(spill, err);
}

enum ctp_status spill_next(
	struct spill *spill, struct spill_record *out, struct ctp_error *err)
{
	if (spill->run_count > 0)
		return spill_merge_next(&spill->merge, out, err);
	if (spill->count == 0)
		return CTP_END;
	*out = spill_order_record(spill->memory, entries(spill));
	spill->count--;
	return CTP_OK;
}

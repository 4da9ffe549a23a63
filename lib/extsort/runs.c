/* SPDX-License-Identifier: MIT */
/*
 * A heap of the runs, by their next record. The run whose record was taken
 * stays at the top until its next one is known: as long as that is the least
 * again, which it mostly is in a trace, two comparisons are all it takes.
 */
#include "extsort/runs.h"

#include <string.h>

#include "base/memory.h"

/* Larger parts are no faster, and fall out of the processor's cache. */
#define PART_MAX ((size_t)1 << 20)

/* What is in memory of a run. */
struct extsort_part {
	uint8_t *bytes;
	size_t from; /* the next record's head or, if that was read, bytes */
	size_t used;
	uint64_t at; /* the rest of the run in the file */
	uint64_t end;
	struct extsort_record next; /* all but its bytes */
};

struct extsort_key {
	int64_t time_ns;
	int64_t rank;
	size_t run;
};

static bool before(const struct run_merge *merge, const struct extsort_key *a,
	const struct extsort_key *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return (a->run < b->run) != merge->reversed;
}

static void sink(struct run_merge *merge, size_t at)
{
	struct extsort_key *heap = merge->heap;
	struct extsort_key key = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < merge->heap_count) {
		if (child + 1 < merge->heap_count &&
			before(merge, &heap[child + 1], &heap[child]))
			child++;
		if (!before(merge, &heap[child], &key))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = key;
}

/* Makes sure that `size` bytes, no more than a part has room for, are there
 * from `from` on, or all that the run has. */
static enum ctp_status need(const struct run_merge *merge,
	struct extsort_part *part, size_t size, struct ctp_error *err)
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

/* The head of a run's next record, and its key; CTP_END if there is none. */
static enum ctp_status read_key(const struct run_merge *merge, size_t run,
	struct extsort_key *key, struct ctp_error *err)
{
	struct extsort_part *part = &merge->parts[run];
	enum ctp_status status;

	if (part->from == part->used && part->at == part->end)
		return CTP_END;
	status = need(merge, part, RUN_HEAD_MAX, err);
	if (status != CTP_OK)
		return status;
	part->from += run_head_read(
		part->bytes + part->from, part->next.time_ns, &part->next);
	*key = (struct extsort_key){part->next.time_ns, part->next.rank, run};
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
		sink(merge, at);
	return CTP_OK;
}

enum ctp_status run_merge_init(struct run_merge *merge,
	const struct extsort_run *runs, size_t count, struct ctp_error *err)
{
	/* Reading a head touches what is in front of it, too. */
	uint8_t *memory = merge->memory + PACKED_MAX;
	size_t room = (merge->memory_bytes - PACKED_MAX) / count /
		      EXTSORT_ALIGN * EXTSORT_ALIGN;

	merge->room = room < PART_MAX ? room : PART_MAX;
	merge->parts = memory_new_zeroed(count, sizeof(*merge->parts));
	merge->heap = memory_new_zeroed(count, sizeof(*merge->heap));
	if (merge->parts == NULL || merge->heap == NULL)
		return ctp_no_memory(err);
	for (size_t i = 0; i < count; i++)
		merge->parts[i] =
			(struct extsort_part){.bytes = memory + i * merge->room,
				.at = runs[i].begin,
				.end = runs[i].end};
	return fill_heap(merge, count, err);
}

void run_merge_clear(struct run_merge *merge)
{
	memory_free(merge->parts);
	memory_free(merge->heap);
	memory_free(merge->large);
}

/* The bytes of a record that do not fit into its part: what of them is there,
 * and the rest from the file. */
static enum ctp_status read_large(struct run_merge *merge,
	struct extsort_part *part, struct ctp_error *err)
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
static enum ctp_status read_bytes(const struct run_merge *merge,
	struct extsort_part *part, struct ctp_error *err)
{
	enum ctp_status status = need(merge, part, part->next.size, err);

	if (status != CTP_OK)
		return status;
	part->next.bytes = part->bytes + part->from;
	part->from += part->next.size;
	return CTP_OK;
}

/* Whose record was taken moves on to its next key, or leaves the heap. */
static enum ctp_status go_on(struct run_merge *merge, struct ctp_error *err)
{
	enum ctp_status status =
		read_key(merge, merge->heap[0].run, &merge->heap[0], err);

	if (status == CTP_END) {
		merge->heap[0] = merge->heap[--merge->heap_count];
		status = CTP_OK;
	}
	if (status == CTP_OK && merge->heap_count > 0)
		sink(merge, 0);
	return status;
}

enum ctp_status run_merge_next(struct run_merge *merge,
	struct extsort_record *out, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct extsort_part *part;

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

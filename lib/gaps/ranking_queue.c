/* SPDX-License-Identifier: MIT */
#include "gaps/ranking_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/correlation.h"

bool ranking_spans_add(
	struct ranking_spans *spans, int64_t from_ns, int64_t to_ns)
{
	if (from_ns >= to_ns)
		return true;
	if (!memory_grow(&spans->items, spans->count, &spans->room,
		    sizeof(*spans->items)))
		return false;
	spans->items[spans->count++] = (struct ranking_span){from_ns, to_ns, 0};
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct ranking_span *one = left;
	const struct ranking_span *other = right;

	return (one->from_ns > other->from_ns) -
	       (one->from_ns < other->from_ns);
}

void ranking_spans_join(struct ranking_spans *spans)
{
	size_t kept = 0;
	uint64_t sum_ns = 0;

	if (spans->count == 0)
		return;
	qsort(spans->items, spans->count, sizeof(*spans->items), compare);
	for (size_t i = 1; i < spans->count; i++) {
		struct ranking_span *last = &spans->items[kept];
		const struct ranking_span *span = &spans->items[i];

		if (span->from_ns > last->to_ns)
			spans->items[++kept] = *span;
		else if (span->to_ns > last->to_ns)
			last->to_ns = span->to_ns;
	}
	spans->count = kept + 1;
	for (size_t i = 0; i < spans->count; i++) {
		struct ranking_span *span = &spans->items[i];

		span->before_ns = sum_ns;
		sum_ns += (uint64_t)span->to_ns - (uint64_t)span->from_ns;
	}
}

/* How much they cover of the time before a moment. */
static uint64_t before(const struct ranking_spans *spans, int64_t time_ns)
{
	size_t low = 0;
	size_t high = spans->count;
	const struct ranking_span *span;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->items[middle].from_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	span = &spans->items[low - 1];
	if (time_ns > span->to_ns)
		time_ns = span->to_ns;
	return span->before_ns + ((uint64_t)time_ns - (uint64_t)span->from_ns);
}

uint64_t ranking_spans_cover(
	const struct ranking_spans *spans, int64_t from_ns, int64_t to_ns)
{
	return to_ns <= from_ns ? 0
				: before(spans, to_ns) - before(spans, from_ns);
}

/*
 * The depth of the queue at each launch and at each kernel's start; what
 * follows from it.
 *
 * The document numbers kernels by their start; the depth is how far the number
 * of the latest launch's kernel is ahead of those that have started. A launch
 * looks for its kernel from that of the launch before it on. The robust form
 * counts each kernel whose launch is there from that launch to its start.
 */

#define PEAK 4 /* from here on it can run empty */
#define JOIN_LIMIT (UINT32_MAX / 8)
#define NONE UINT32_MAX

/* A point, and the depth behind it. */
struct sample {
	int64_t start_ns;
	int64_t end_ns;
	int64_t depth;
};

struct queue {
	struct ranking_point *points; /* in order of time */
	uint32_t count;
	uint32_t room;
	struct sample *samples;    /* of the points */
	struct correlation *first; /* by id: its first kernel, or how many */
	uint32_t *next;  /* by number of the kernel: the next of its id */
	int64_t *starts; /* likewise: when it started */
	uint32_t kernels;
};

static bool add_point(struct queue *queue, const void *bytes)
{
	if (!memory_grow32(&queue->points, queue->count, &queue->room,
		    sizeof(*queue->points)))
		return false;
	memcpy(&queue->points[queue->count], bytes, sizeof(*queue->points));
	queue->kernels += queue->points[queue->count].is_kernel != 0;
	queue->count++;
	return true;
}

static enum ctp_status read_points(
	struct ranking *ranking, struct queue *queue, struct ctp_error *err)
{
	struct extsort_record record;
	enum ctp_status status;

	for (;;) {
		status = extsort_next(ranking->points, &record, err);
		if (status != CTP_OK)
			break;
		if (!add_point(queue, record.bytes))
			return ctp_no_memory(err);
	}
	if (status != CTP_END)
		return status;
	queue->samples =
		memory_new_zeroed(queue->count + 1, sizeof(*queue->samples));
	queue->next =
		memory_new_zeroed(queue->kernels + 1, sizeof(*queue->next));
	queue->starts =
		memory_new_zeroed(queue->kernels + 1, sizeof(*queue->starts));
	queue->first = correlation_new(JOIN_LIMIT);
	return queue->samples == NULL || queue->next == NULL ||
			       queue->starts == NULL || queue->first == NULL
		       ? ctp_no_memory(err)
		       : CTP_OK;
}

/* Finds kernels by their ids: backward, so that the first is found first. */
static bool number_kernels(struct queue *queue)
{
	uint32_t number = queue->kernels;

	for (uint32_t i = queue->count; i-- > 0;) {
		const struct ranking_point *point = &queue->points[i];
		uint64_t next = NONE;

		if (!point->is_kernel)
			continue;
		number--;
		(void)correlation_find(
			queue->first, point->pid, point->id, &next);
		queue->next[number] = (uint32_t)next;
		queue->starts[number] = point->start_ns;
		if (!correlation_add(
			    queue->first, point->pid, point->id, number))
			return false;
	}
	return true;
}

/* The first kernel of a launch from this number on; NONE if there is none. */
static uint32_t kernel_of(const struct queue *queue,
	const struct ranking_point *launch, uint32_t from)
{
	uint64_t number = NONE;

	(void)correlation_find(queue->first, launch->pid, launch->id, &number);
	while (number != NONE && number < from)
		number = queue->next[number];
	return (uint32_t)number;
}

static bool measure_as_documented(struct queue *queue)
{
	uint32_t mapped = 0;
	int64_t latest = -1;
	int64_t started = 0;

	if (!number_kernels(queue))
		return false;
	for (uint32_t i = 0; i < queue->count; i++) {
		const struct ranking_point *point = &queue->points[i];
		uint32_t kernel = NONE;

		if (!point->is_kernel)
			kernel = kernel_of(queue, point, mapped);
		if (kernel != NONE) {
			mapped = kernel;
			latest = kernel;
		}
		while (started < (int64_t)queue->kernels &&
			queue->starts[started] <= point->start_ns)
			started++;
		queue->samples[i] = (struct sample){
			point->start_ns, point->end_ns, latest - started + 1};
	}
	return true;
}

static bool measure_robustly(struct queue *queue)
{
	int64_t depth = 0;

	for (uint32_t i = 0; i < queue->count; i++) {
		const struct ranking_point *point = &queue->points[i];
		uint64_t count = 0;

		if (!point->is_kernel)
			continue;
		(void)correlation_find(
			queue->first, point->pid, point->id, &count);
		if (!correlation_add(
			    queue->first, point->pid, point->id, count + 1))
			return false;
	}
	/* What starts before it is launched, by another clock, is added too
	 * late, and the depth is below 0 until then. A launch whose id comes
	 * again owns the same kernels: they are counted for the first. */
	for (uint32_t i = 0; i < queue->count; i++) {
		const struct ranking_point *point = &queue->points[i];
		uint64_t count = 0;

		if (!point->is_kernel) {
			(void)correlation_find(
				queue->first, point->pid, point->id, &count);
			depth += (int64_t)count;
		} else {
			depth--;
		}
		queue->samples[i] =
			(struct sample){point->start_ns, point->end_ns, depth};
	}
	return true;
}

/* From one end to the next beginning of work, as the document has it. */
static bool find_idle(struct ranking *ranking, const struct queue *queue)
{
	const struct sample *samples = queue->samples;
	struct ranking_spans *idle = &ranking->idle;
	int64_t since_ns = 0;
	bool is_idle = false;
	bool done;

	if (queue->count == 0 || !ranking->has_host)
		return true;
	done = ranking_spans_add(
		       idle, ranking->first_ns, samples[0].start_ns) &&
	       ranking_spans_add(idle, samples[queue->count - 1].end_ns,
		       ranking->last_end_ns);
	for (uint32_t i = 0; i < queue->count && done; i++) {
		if (samples[i].depth <= 0 && !is_idle) {
			since_ns = samples[i].end_ns;
			is_idle = true;
		} else if (samples[i].depth > 0 && is_idle) {
			done = ranking_spans_add(
				idle, since_ns, samples[i].start_ns);
			is_idle = false;
		}
	}
	return done;
}

/* What is between the work of all devices. */
static bool find_rest(struct ranking *ranking)
{
	struct ranking_spans *busy = &ranking->busy;
	int64_t from_ns = ranking->first_ns;
	bool done = true;

	if (!ranking->has_host || busy->count == 0)
		return true;
	ranking_spans_join(busy);
	for (size_t i = 0; i < busy->count && done; i++) {
		done = ranking_spans_add(
			&ranking->idle, from_ns, busy->items[i].from_ns);
		if (busy->items[i].to_ns > from_ns)
			from_ns = busy->items[i].to_ns;
	}
	return done &&
	       ranking_spans_add(&ranking->idle, from_ns, ranking->latest_ns);
}

/*
 * From the latest peak between two moments of an empty queue to the later one.
 * Backward, as the document goes: the peak may be further ahead if what lies
 * between is too low for one; and the search goes on behind the moment that it
 * ended at, which is not taken as the end of a phase of its own. The robust
 * form takes it.
 */
static bool find_falling(struct ranking *ranking, const struct queue *queue)
{
	const struct sample *samples = queue->samples;
	uint32_t end = queue->count;

	while (end-- > 0) {
		uint32_t at = end;
		uint32_t peak = end;

		if (samples[end].depth > 0)
			continue;
		while (at-- > 0) {
			if (samples[at].depth > samples[peak].depth &&
				samples[at].depth > 0)
				peak = at;
			if (samples[at].depth > 0)
				continue;
			if (peak != end && samples[peak].depth >= PEAK)
				break;
			if (ranking->options.robust)
				end = at;
			peak = end;
		}
		if (peak == end || samples[peak].depth < PEAK)
			return true;
		if (!ranking_spans_add(&ranking->falling,
			    samples[peak].start_ns, samples[end].start_ns))
			return false;
		if (at == NONE)
			return true;
		end = ranking->options.robust ? at + 1 : at;
	}
	return true;
}

static void clear(struct queue *queue)
{
	memory_free(queue->points);
	memory_free(queue->samples);
	memory_free(queue->next);
	memory_free(queue->starts);
	correlation_free(queue->first);
}

enum ctp_status ranking_read_queue(
	struct ranking *ranking, struct ctp_error *err)
{
	bool robust = ranking->options.robust;
	struct queue queue = {.count = 0};
	enum ctp_status status = read_points(ranking, &queue, err);
	bool done = false;

	if (status == CTP_OK) {
		done = robust ? measure_robustly(&queue)
			      : measure_as_documented(&queue);
		done = done && (robust ? find_rest(ranking)
				       : find_idle(ranking, &queue));
		done = done && find_falling(ranking, &queue);
	}
	clear(&queue);
	if (status == CTP_OK && !done)
		return ctp_no_memory(err);
	ranking_spans_join(&ranking->idle);
	ranking_spans_join(&ranking->falling);
	return status;
}

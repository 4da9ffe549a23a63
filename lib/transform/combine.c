/* SPDX-License-Identifier: MIT */
/*
 * A heap of the sources, by their next event. In a log blocks of tracks follow
 * each other, so that time goes back between them: a source's place in the heap
 * is the latest of its times so far, and what is behind is taken at once.
 */
#include "transform/combine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "transform/combine_private.h"
#include "base/memory.h"

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

static struct combine *combine_of(struct event_source *source)
{
	return (struct combine *)(void *)source;
}

int64_t combine_time(int64_t time_ns, int64_t shift_ns)
{
	int64_t sum_ns;

	if (!__builtin_add_overflow(time_ns, shift_ns, &sum_ns))
		return sum_ns;
	return shift_ns < 0 ? INT64_MIN : INT64_MAX;
}

int64_t combine_track_time(
	const struct combine_member *member, uint32_t track, int64_t time_ns)
{
	const struct trace *trace = member->source->trace;
	bool own = trace->tracks[track].kind == TRACE_TIMELINE;

	return combine_time(time_ns,
		own ? member->place.timeline_shift_ns : member->place.shift_ns);
}

static bool before(
	const struct combine_member *a, const struct combine_member *b)
{
	if (a->key_ns != b->key_ns)
		return a->key_ns < b->key_ns;
	return a->number < b->number;
}

static void sink(struct combine *combine, uint32_t at)
{
	struct combine_member **heap = combine->heap;
	struct combine_member *member = heap[at];
	uint32_t child;

	while ((child = 2 * at + 1) < combine->heap_count) {
		if (child + 1 < combine->heap_count &&
			before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], member))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = member;
}

/* A program's own clock says nothing of the order. */
static void note_key(struct combine_member *member)
{
	const struct trace *trace = member->source->trace;
	const struct event *event = &member->event;
	int64_t time_ns;

	if (trace->tracks[event->track].kind == TRACE_TIMELINE)
		return;
	time_ns = combine_time(event->time_ns, member->place.shift_ns);
	if (time_ns > member->key_ns)
		member->key_ns = time_ns;
}

static enum ctp_status take(struct combine *combine,
	struct combine_member *member, struct ctp_error *err)
{
	enum ctp_status status =
		member->source->next(member->source, &member->event, err);

	member->has_event = status == CTP_OK;
	member->had_event |= member->has_event;
	if (status != CTP_OK && status != CTP_END)
		combine->failed = member->index;
	return status;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct combine_member *left = a;
	const struct combine_member *right = b;

	return left->number < right->number ? -1 : left->number > right->number;
}

/* Recordings begin with the first of all, and what they know of their end is
 * known later. */
static enum ctp_status begin(struct combine *combine, struct ctp_error *err)
{
	struct trace *trace = combine->trace;
	bool has_start = false;

	combine->begun = true;
	qsort(combine->members, combine->count, sizeof(*combine->members),
		compare_numbers);
	for (uint32_t i = 0; i < combine->count; i++) {
		struct combine_member *member = &combine->members[i];
		int64_t start_ns = combine_time(member->source->trace->start_ns,
			member->place.shift_ns);

		member->key_ns = INT64_MIN;
		if (!member->has_event) {
			if (!combine_close_member(combine, member))
				return no_memory(err);
			continue;
		}
		if (!has_start || start_ns < trace->start_ns)
			trace->start_ns = start_ns;
		has_start = true;
		if (!combine_open_member(combine, member))
			return no_memory(err);
		note_key(member);
		combine->heap[combine->heap_count++] = member;
	}
	trace->end_ns = trace->start_ns;
	for (uint32_t at = combine->heap_count / 2; at-- > 0;)
		sink(combine, at);
	return CTP_OK;
}

/* Whose event was given out has another one, or leaves the heap. */
static enum ctp_status go_on(struct combine *combine, struct ctp_error *err)
{
	struct combine_member *member = combine->heap[0];
	enum ctp_status status = take(combine, member, err);

	if (status == CTP_OK) {
		note_key(member);
	} else if (status == CTP_END) {
		if (!combine_close_member(combine, member))
			return no_memory(err);
		combine->heap[0] = combine->heap[--combine->heap_count];
	} else {
		return status;
	}
	if (combine->heap_count > 0)
		sink(combine, 0);
	return CTP_OK;
}

/* "rank 3 host" */
static bool add_fact(struct combine *combine,
	const struct combine_member *member, const struct trace_fact *fact)
{
	const struct strtab *text = member->source->trace->text;
	const char *value = strtab_text(text, fact->value, NULL);
	struct buffer key = BUFFER_INIT;
	bool done;

	buffer_add_text(&key, member->place.label);
	if (key.used > 0)
		buffer_add_byte(&key, ' ');
	buffer_add_text(&key, strtab_text(text, fact->key, NULL));
	buffer_add_byte(&key, '\0');
	done = !key.failed &&
	       trace_add_fact(combine->trace, (const char *)key.bytes, value);
	buffer_clear(&key);
	return done;
}

/* How many recordings a source was made of is part of what is said of all. */
static bool is_ours(const struct trace *trace, uint32_t fact)
{
	return strcmp(strtab_text(trace->text, trace->facts[fact].key, NULL),
		       TRACE_MERGED) == 0;
}

static bool add_facts(struct combine *combine)
{
	for (uint32_t i = 0; i < combine->count; i++) {
		const struct combine_member *member = &combine->members[i];
		const struct trace *trace = member->source->trace;

		for (uint32_t j = 0; j < trace->fact_count; j++)
			if (!is_ours(trace, j) &&
				!add_fact(combine, member, &trace->facts[j]))
				return false;
	}
	return true;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct combine *combine = combine_of(source);
	enum ctp_status status = CTP_OK;

	if (!combine->begun)
		status = begin(combine, err);
	if (combine->taken)
		status = go_on(combine, err);
	combine->taken = false;
	if (status != CTP_OK)
		return status;
	if (combine->heap_count == 0) {
		if (!combine->finished && !add_facts(combine))
			return no_memory(err);
		combine->finished = true;
		return CTP_END;
	}
	combine->taken = true;
	return combine_translate(combine, combine->heap[0], event)
		       ? CTP_OK
		       : no_memory(err);
}

static uint64_t position(const struct event_source *source)
{
	const struct combine *combine =
		(const struct combine *)(const void *)source;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < combine->count; i++) {
		const struct event_source *of = combine->members[i].source;

		sum += of->position(of);
	}
	return sum;
}

static void close_nothing(struct event_source *source)
{
	(void)source;
}

struct combine *combine_new(uint32_t room)
{
	struct combine *combine = memory_new_zeroed(1, sizeof(*combine));

	if (combine == NULL)
		return NULL;
	combine->room = room;
	combine->failed = UINT32_MAX;
	combine->members = memory_new_zeroed(room, sizeof(*combine->members));
	combine->heap = memory_new_zeroed(room, sizeof(*combine->heap));
	if (combine->members == NULL || combine->heap == NULL ||
		!combine_table_init(combine)) {
		combine_free(combine);
		return NULL;
	}
	combine->source = (struct event_source){
		.trace = combine->trace,
		.next = next,
		.position = position,
		.close = close_nothing,
	};
	return combine;
}

void combine_free(struct combine *combine)
{
	if (combine == NULL)
		return;
	for (uint32_t i = 0; i < combine->count; i++)
		combine_member_clear(&combine->members[i]);
	combine_table_clear(combine);
	memory_free(combine->members);
	memory_free(combine->heap);
	memory_free(combine);
}

enum ctp_status combine_add(struct combine *combine,
	struct event_source *source, struct ctp_error *err)
{
	struct combine_member *member = &combine->members[combine->count];
	enum ctp_status status;

	assert(combine->count < combine->room);
	if (source->read_profile != NULL)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
			"holds a profile, which does not know when things "
			"happened: it cannot be merged into a timeline");
	*member = (struct combine_member){.source = source,
		.place = {.label = ""},
		.index = combine->count,
		.number = combine->count};
	status = take(combine, member, err);
	if (status != CTP_OK && status != CTP_END)
		return status;
	combine->count++;
	return CTP_OK;
}

void combine_set_place(struct combine *combine, uint32_t number,
	const struct combine_place *place)
{
	assert(number < combine->count && !combine->begun);
	assert(place->order > 0);
	combine->members[number].place = *place;
	combine->members[number].number = place->order - 1;
}

struct event_source *combine_source(struct combine *combine)
{
	return &combine->source;
}

bool combine_has_events(const struct combine *combine, uint32_t number)
{
	return combine->members[number].had_event;
}

uint32_t combine_failed(const struct combine *combine)
{
	return combine->failed;
}

uint64_t combine_lost(const struct combine *combine, enum trace_loss loss)
{
	return combine->lost[loss];
}

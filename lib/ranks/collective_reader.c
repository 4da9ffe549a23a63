/* SPDX-License-Identifier: MIT */
#include "ranks/collective_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stable_hash.h"
#include "profile/profile.h"
#include "trace/communication.h"
#include "trace/correlation.h"

/* Whether ranges at a site describe a collective. */
enum { SITE_UNKNOWN, SITE_OTHER, SITE_ANNOTATION };

struct annotation {
	uint32_t depth; /* of its range */
	struct collective_kind kind;
};

struct thread {
	uint32_t depth;
	struct annotation *annotations; /* open ones */
	uint32_t count;
	uint32_t room;
};

struct collective_reader {
	const struct trace *trace;
	struct thread *threads; /* by track */
	uint32_t thread_room;
	uint8_t *sites;
	uint32_t site_room;
	struct communication_sites communication;
	struct correlation *launches; /* to indexes of descriptions + 1 */
	/* Kinds with their `members`, which collectives_kind() does not
	 * distinguish. */
	struct collective_kind *kinds;
	uint32_t kind_count;
	uint32_t kind_room;
	struct index kind_index;
	struct collective_execution *executions;
	uint32_t count;
	uint32_t room;
	uint64_t left_out;
};

struct collective_reader *collective_reader_new(const struct trace *trace)
{
	struct collective_reader *reader =
		memory_new_zeroed(1, sizeof(*reader));

	if (reader != NULL)
		reader->trace = trace;
	return reader;
}

void collective_reader_free(struct collective_reader *reader)
{
	if (reader == NULL)
		return;
	for (uint32_t i = 0; i < reader->thread_room; i++)
		memory_free(reader->threads[i].annotations);
	memory_free(reader->threads);
	memory_free(reader->sites);
	memory_free(reader->communication.known);
	correlation_free(reader->launches);
	memory_free(reader->kinds);
	memory_free(reader->kind_index.entries);
	memory_free(reader->executions);
	memory_free(reader);
}

/* The index of a kind, with its members; INDEX_NONE if out of memory. */
static uint32_t find_kind(
	struct collective_reader *reader, const struct collective_kind *kind)
{
	const uint64_t key[] = {collective_kind_hash(kind), kind->members};
	uint64_t hash = stable_hash(key, sizeof(key));
	struct index *index = &reader->kind_index;
	uint32_t slot;
	uint32_t found;

	if (!index_reserve(index, reader->kind_count))
		return INDEX_NONE;
	slot = index_first(index, hash);
	while ((found = index_find(index, hash, &slot)) != INDEX_NONE) {
		if (reader->kinds[found].members == kind->members &&
			collective_kind_compare(&reader->kinds[found], kind) ==
				0)
			return found;
		slot = index_after(index, slot);
	}
	if (!array_reserve32(&reader->kinds, reader->kind_count,
		    &reader->kind_room, sizeof(*reader->kinds)))
		return INDEX_NONE;
	index_set(index, slot, hash, reader->kind_count);
	reader->kinds[reader->kind_count] = *kind;
	return reader->kind_count++;
}

/* ---- annotations ---- */

/* "nccl:all_reduce", "record_param_comms", "c10d::allreduce_" */
static bool describes(const char *name)
{
	return strncmp(name, "nccl:", 5) == 0 ||
	       strncmp(name, "c10d::", 6) == 0 ||
	       strcmp(name, "record_param_comms") == 0;
}

static bool is_annotation(struct collective_reader *reader, uint32_t site)
{
	if (!array_ensure_index(&reader->sites, site, &reader->site_room,
		    sizeof(*reader->sites)))
		return false;
	if (reader->sites[site] == SITE_UNKNOWN)
		reader->sites[site] =
			describes(trace_site_name(reader->trace, site))
				? SITE_ANNOTATION
				: SITE_OTHER;
	return reader->sites[site] == SITE_ANNOTATION;
}

static bool begin(struct collective_reader *reader, struct thread *thread,
	const struct event *event)
{
	struct annotation annotation = {.depth = ++thread->depth};

	if (!is_annotation(reader, event->site))
		return true;
	annotation.kind = collective_kind_of(reader->trace, event);
	if (thread->count > 0)
		collective_kind_complete(&annotation.kind,
			&thread->annotations[thread->count - 1].kind);
	if (!array_reserve32(&thread->annotations, thread->count, &thread->room,
		    sizeof(*thread->annotations)))
		return false;
	thread->annotations[thread->count++] = annotation;
	return true;
}

static void end(struct thread *thread)
{
	if (thread->depth == 0)
		return;
	if (thread->count > 0 &&
		thread->annotations[thread->count - 1].depth == thread->depth)
		thread->count--;
	thread->depth--;
}

/* Arguments that follow the begin of an annotation. */
static void describe(struct collective_reader *reader, struct thread *thread,
	const struct event *event)
{
	struct annotation *open =
		thread->count == 0 ? NULL
				   : &thread->annotations[thread->count - 1];
	struct collective_kind kind;

	if (open == NULL || open->depth != thread->depth)
		return;
	kind = collective_kind_of(reader->trace, event);
	collective_kind_complete(&kind, &open->kind);
	open->kind = kind;
}

static bool launch(struct collective_reader *reader,
	const struct thread *thread, const struct event *event)
{
	int64_t pid = reader->trace->tracks[event->track].pid;
	uint32_t kind;

	if (thread->count == 0 || event->id == 0)
		return true;
	if (reader->launches == NULL)
		reader->launches = correlation_new(CORRELATION_LIMIT);
	kind = find_kind(reader, &thread->annotations[thread->count - 1].kind);
	return reader->launches != NULL && kind != INDEX_NONE &&
	       correlation_add(reader->launches, pid, event->id, kind);
}

static bool add_host(
	struct collective_reader *reader, const struct event *event)
{
	struct thread *thread;

	if (!array_ensure_index(&reader->threads, event->track,
		    &reader->thread_room, sizeof(*reader->threads)))
		return false;
	thread = &reader->threads[event->track];
	switch (event->kind) {
	case EVENT_BEGIN:
		return begin(reader, thread, event);
	case EVENT_END:
		end(thread);
		return true;
	case EVENT_ARGS:
		describe(reader, thread, event);
		return true;
	default:
		return launch(reader, thread, event);
	}
}

/* ---- kernels ---- */

/* The recorded number is that of the group; a counted one is that of the
 * operation in it, too. */
static uint64_t series_of(const struct collective_kind *kind, bool has_number)
{
	const uint64_t key[] = {
		kind->members, has_number ? UINT64_MAX : (uint64_t)kind->op};

	return stable_hash(key, sizeof(key));
}

static bool add_kernel(
	struct collective_reader *reader, const struct event *event)
{
	const struct trace *trace = reader->trace;
	struct collective_kind kind = collective_kind_of(trace, event);
	struct collective_execution execution = {.start_ns = event->time_ns,
		.dur_ns = event->dur_ns,
		.track = event->track};
	uint64_t launched;

	if (reader->count == COLLECTIVE_READER_MAX) {
		reader->left_out++;
		return true;
	}
	if (reader->launches != NULL && event->id != 0 &&
		correlation_find(reader->launches,
			trace->tracks[event->track].pid, event->id, &launched))
		collective_kind_complete(&kind, &reader->kinds[launched]);
	execution.has_instance = collective_op_waits(kind.op);
	execution.has_number =
		kind.members != 0 &&
		collective_number(trace, event, &execution.number);
	execution.series = series_of(&kind, execution.has_number);
	execution.kind = find_kind(reader, &kind);
	if (execution.kind == INDEX_NONE ||
		!array_reserve32(&reader->executions, reader->count,
			&reader->room, sizeof(*reader->executions)))
		return false;
	reader->executions[reader->count++] = execution;
	return true;
}

bool collective_reader_add(
	struct collective_reader *reader, const struct event *event)
{
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
	case EVENT_ARGS:
	case EVENT_CORRELATION:
		return add_host(reader, event);
	case EVENT_ACTIVITY:
		return !profile_is_activity(reader->trace, event) ||
		       !communication_is_site(&reader->communication,
			       reader->trace, event->site) ||
		       profile_kind_of(reader->trace, event->site) !=
			       PROFILE_KERNEL ||
		       add_kernel(reader, event);
	default:
		return true;
	}
}

/* ---- numbers ---- */

static int compare_devices(const struct trace *trace,
	const struct collective_execution *one,
	const struct collective_execution *other)
{
	const struct trace_track *left = &trace->tracks[one->track];
	const struct trace_track *right = &trace->tracks[other->track];

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	return (left->device > right->device) - (left->device < right->device);
}

/* By device and series, then by number or start. */
static int compare(const void *left, const void *right, void *user)
{
	const struct collective_execution *one = left;
	const struct collective_execution *other = right;
	int order = compare_devices(user, one, other);

	if (order != 0)
		return order;
	if (one->series != other->series)
		return one->series < other->series ? -1 : 1;
	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	return (one->dur_ns > other->dur_ns) - (one->dur_ns < other->dur_ns);
}

/* The end of the executions with the same device and series as this one. */
static uint32_t find_end(const struct collective_reader *reader, uint32_t first)
{
	const struct collective_execution *all = reader->executions;
	uint32_t end = first + 1;

	while (end < reader->count && all[end].series == all[first].series &&
		compare_devices(reader->trace, &all[end], &all[first]) == 0)
		end++;
	return end;
}

const struct collective_execution *collective_reader_finish(
	struct collective_reader *reader, uint32_t *count)
{
	struct collective_execution *all = reader->executions;
	uint32_t last;

	*count = reader->count;
	if (reader->count == 0)
		return all;
	qsort_r(all, reader->count, sizeof(*all), compare,
		(void *)(uintptr_t)reader->trace);
	for (uint32_t first = 0; first < reader->count; first = last) {
		uint64_t key[2] = {all[first].series, 0};

		last = find_end(reader, first);
		if (all[first].has_number)
			continue;
		key[1] = last - first;
		for (uint32_t i = first; i < last; i++) {
			all[i].series = stable_hash(key, sizeof(key));
			all[i].number = i - first;
		}
	}
	return all;
}

const struct collective_kind *collective_reader_kind(
	const struct collective_reader *reader, uint32_t kind)
{
	return &reader->kinds[kind];
}

uint64_t collective_reader_left_out(const struct collective_reader *reader)
{
	return reader->left_out;
}

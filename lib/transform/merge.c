/* SPDX-License-Identifier: MIT */
/*
 * A heap of the sources by next event. In a log, blocks of several tracks
 * alternate, so time goes back between them: a source's key in the heap is its
 * latest time so far, and events before it are taken at once.
 */
#include "transform/merge.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/stable_hash.h"
#include "base/strtab.h"

/* Maps numbers of a source's table to ours; 0: not seen yet. */
struct merge_map {
	uint32_t *numbers; /* + 1 */
	uint32_t room;
};

struct merge_member {
	struct event_source *source;
	struct merge_place place;
	uint32_t index;     /* order of addition */
	uint32_t number;    /* from its place's order */
	struct event event; /* next event of the source, unmapped */
	bool has_event;
	bool had_event;
	int64_t key_ns;         /* never goes back */
	struct merge_map texts; /* unless the tables are shared */
	struct merge_map sites;
	struct merge_map tracks;
	uint32_t device_count; /* devices copied so far */
};

/* A member in the heap, with its order: members of large merges are not in the
 * processor's cache. */
struct merge_key {
	int64_t key_ns;
	uint32_t number;
	struct merge_member *member;
};

/* Keys of arguments that hold ids. */
#define MERGE_ID_KEYS 4

struct merge {
	struct event_source source; /* first member: callers hold a pointer to
				     * it */
	struct trace *trace;
	struct merge_member *members;
	uint32_t count;
	uint32_t room;
	struct merge_key *heap; /* the next event is at [0] */
	uint32_t heap_count;
	const struct strtab
		*shared; /* text of members that share their tables */
	struct merge_map shared_texts;
	struct merge_map shared_sites;
	bool begun;
	bool taken; /* the event of heap[0] was returned */
	bool finished;
	uint32_t failed;
	uint64_t lost[LOSS_KINDS];
	uint32_t id_keys[MERGE_ID_KEYS];
	struct strtab *processes; /* member and pid, as bytes */
	int64_t *pids;            /* by number in `processes`: our pid */
	uint32_t pid_room;
	struct strtab *taken_pids; /* as bytes */
	int64_t next_pid;
	struct event_arg *args; /* of the last event returned */
	uint32_t arg_room;
};

static struct merge *merge_of(struct event_source *source)
{
	return (struct merge *)(void *)source;
}

/* `time_ns + shift_ns`, saturated. */
static int64_t merge_time(int64_t time_ns, int64_t shift_ns)
{
	int64_t sum_ns;

	if (!__builtin_add_overflow(time_ns, shift_ns, &sum_ns))
		return sum_ns;
	return shift_ns < 0 ? INT64_MIN : INT64_MAX;
}

/* Converts a time on the member's track to the merged trace. */
static int64_t merge_track_time(
	const struct merge_member *member, uint32_t track, int64_t time_ns)
{
	const struct trace *trace = member->source->trace;
	bool own = trace->tracks[track].kind == TRACE_TIMELINE;

	return merge_time(time_ns,
		own ? member->place.timeline_shift_ns : member->place.shift_ns);
}

/* Maps the sites, tracks, devices and text of the sources to one trace. */

/* First pid for processes whose own is taken: systems do not use such numbers,
 * and Perfetto accepts pids up to 2^31 - 1. */
#define FIRST_OWN_PID (INT64_C(1) << 30)

/* Ids below this stay exact in readers that use doubles, and leave room for a
 * higher bit. Larger ones are addresses or hashes. */
#define ID_LIMIT (UINT64_C(1) << 52)

/* In Chrome traces with both, ids of ops have this bit set and ids of calls
 * do not. */
#define ID_KIND_BIT (UINT64_C(1) << 63)
#define ID_HASH_BIT (UINT64_C(1) << 62)

/* Sort positions per source; the upper half is for its devices. */
#define GROUP_SORT 100000

static const char *const id_keys[MERGE_ID_KEYS] = {"correlation", "External id",
	"external id", "wait_on_cuda_event_record_corr_id"};

/* Creates the tables; false if out of memory, as in all functions below. */
static bool merge_table_init(struct merge *merge)
{
	merge->next_pid = FIRST_OWN_PID;
	merge->trace = trace_new(NULL);
	merge->processes = strtab_new();
	merge->taken_pids = strtab_new();
	if (merge->trace == NULL || merge->processes == NULL ||
		merge->taken_pids == NULL)
		return false;
	for (int i = 0; i < MERGE_ID_KEYS; i++) {
		merge->id_keys[i] = strtab_add(
			merge->trace->text, id_keys[i], strlen(id_keys[i]));
		if (merge->id_keys[i] == STRTAB_NONE)
			return false;
	}
	return true;
}

static void merge_table_clear(struct merge *merge)
{
	trace_free(merge->trace);
	strtab_free(merge->processes);
	strtab_free(merge->taken_pids);
	memory_free(merge->pids);
	memory_free(merge->args);
	memory_free(merge->shared_texts.numbers);
	memory_free(merge->shared_sites.numbers);
}

static void merge_member_clear(struct merge_member *member)
{
	memory_free(member->texts.numbers);
	memory_free(member->sites.numbers);
	memory_free(member->tracks.numbers);
}

/* Returns the entry that maps `number`; NULL if out of memory. */
static uint32_t *map_entry(struct merge_map *map, uint32_t number)
{
	return array_ensure_index(
		       &map->numbers, number, &map->room, sizeof(*map->numbers))
		       ? &map->numbers[number]
		       : NULL;
}

static bool shares_tables(
	const struct merge *merge, const struct merge_member *member)
{
	return member->source->trace->text == merge->shared;
}

/* STRTAB_NONE if out of memory. */
static uint32_t map_text(
	struct merge *merge, struct merge_member *member, uint32_t number)
{
	uint32_t *place =
		map_entry(shares_tables(merge, member) ? &merge->shared_texts
						       : &member->texts,
			number);
	const char *text;
	size_t size;
	uint32_t mine;

	if (place == NULL)
		return STRTAB_NONE;
	if (*place != 0)
		return *place - 1;
	text = strtab_text(member->source->trace->text, number, &size);
	mine = strtab_add(merge->trace->text, text, size);
	if (mine != STRTAB_NONE)
		*place = mine + 1;
	return mine;
}

/* TRACE_NONE if out of memory. */
static uint32_t map_site(
	struct merge *merge, struct merge_member *member, uint32_t number)
{
	uint32_t *place =
		map_entry(shares_tables(merge, member) ? &merge->shared_sites
						       : &member->sites,
			number);
	struct trace_site site;
	uint32_t mine;

	if (place == NULL)
		return TRACE_NONE;
	if (*place != 0)
		return *place - 1;
	site = member->source->trace->sites[number];
	site.name = map_text(merge, member, site.name);
	site.file = map_text(merge, member, site.file);
	site.category = map_text(merge, member, site.category);
	mine = trace_add_place(merge->trace, site);
	if (mine != TRACE_NONE)
		*place = mine + 1;
	return mine;
}

/* Marks a pid as taken; `*is_new`: it was free. */
static bool use_pid(struct merge *merge, int64_t pid, bool *is_new)
{
	uint32_t count = strtab_count(merge->taken_pids);

	if (strtab_add(merge->taken_pids, (const char *)&pid, sizeof(pid)) ==
		STRTAB_NONE)
		return false;
	*is_new = strtab_count(merge->taken_pids) > count;
	return true;
}

static bool select_pid(struct merge *merge, int64_t wish, int64_t *pid)
{
	bool is_new;

	*pid = wish;
	if (!use_pid(merge, *pid, &is_new))
		return false;
	while (!is_new) {
		*pid = merge->next_pid++;
		if (!use_pid(merge, *pid, &is_new))
			return false;
	}
	return true;
}

static bool map_pid(
	struct merge *merge, const struct merge_member *member, int64_t *pid)
{
	const int64_t key[2] = {member->number, *pid};
	uint32_t known = strtab_count(merge->processes);
	uint32_t number =
		strtab_add(merge->processes, (const char *)key, sizeof(key));

	if (number == STRTAB_NONE)
		return false;
	if (!array_ensure_index(&merge->pids, number, &merge->pid_room,
		    sizeof(*merge->pids)) ||
		(number == known &&
			!select_pid(merge, *pid, &merge->pids[number])))
		return false;
	*pid = merge->pids[number];
	return true;
}

static void add_number(struct buffer *text, const char *words, int64_t number)
{
	char digits[24];

	(void)snprintf(digits, sizeof(digits), "%" PRId64, number);
	buffer_add_text(text, words);
	buffer_add_text(text, digits);
}

/* A log that knows its rank has it in the names of its processes. */
static bool has_label(const char *name, const char *label)
{
	size_t size = strlen(label);

	return size > 0 && strncmp(name, label, size) == 0 && name[size] == ':';
}

/* "rank 3: python (pid 1)"; the pid only if it differs from the one shown. */
static uint32_t name_process(struct merge *merge,
	const struct merge_member *member, const struct trace_track *from,
	int64_t pid)
{
	struct buffer text = BUFFER_INIT;
	size_t size;
	const char *name = strtab_text(
		member->source->trace->text, from->process_name, &size);
	bool is_other = pid != from->pid && from->pid > 0;
	uint32_t number = STRTAB_NONE;

	if (!has_label(name, member->place.label))
		buffer_add_text(&text, member->place.label);
	if (text.used > 0 && (size > 0 || is_other))
		buffer_add_text(&text, ": ");
	buffer_add(&text, name, size);
	if (is_other) {
		add_number(&text, size > 0 ? " (pid " : "process ", from->pid);
		buffer_add_text(&text, size > 0 ? ")" : "");
	}
	if (!text.failed)
		number = strtab_add(merge->trace->text,
			text.used > 0 ? (const char *)text.bytes : "",
			text.used);
	buffer_clear(&text);
	return number;
}

/* Sorts ranks in order, each followed by its devices. Traces merged before keep
 * their order. */
static void set_sort(const struct merge *merge,
	const struct merge_member *member, const struct trace_track *from,
	struct trace_track *track)
{
	const int64_t key[2] = {member->number, from->pid};
	int64_t index =
		strtab_add(merge->processes, (const char *)key, sizeof(key));

	if (member->place.label[0] == '\0' && track->has_process_sort)
		return;
	if (index >= GROUP_SORT / 2)
		index = GROUP_SORT / 2 - 1;
	if (track->kind == TRACE_STREAM)
		index = GROUP_SORT / 2 + track->device % (GROUP_SORT / 2);
	track->has_process_sort = true;
	track->process_sort = (int64_t)member->place.order * GROUP_SORT + index;
}

/* Converts a source's track to the merged trace. */
static bool copy_track(struct merge *merge, struct merge_member *member,
	uint32_t number, struct trace_track *out)
{
	const struct trace_track *from = &member->source->trace->tracks[number];

	*out = *from;
	if (!map_pid(merge, member, &out->pid))
		return false;
	out->name = map_text(merge, member, from->name);
	out->process_name = name_process(merge, member, from, out->pid);
	out->order = member->place.order;
	set_sort(merge, member, from, out);
	out->end_ns = merge_track_time(member, number, from->end_ns);
	return out->name != STRTAB_NONE && out->process_name != STRTAB_NONE;
}

/* TRACE_NONE if out of memory. */
static uint32_t map_track(
	struct merge *merge, struct merge_member *member, uint32_t number)
{
	uint32_t *place = map_entry(&member->tracks, number);
	struct trace_track track;
	uint32_t mine;

	if (place == NULL)
		return TRACE_NONE;
	if (*place != 0)
		return *place - 1;
	if (!copy_track(merge, member, number, &track))
		return TRACE_NONE;
	mine = trace_add_track(merge->trace, track);
	if (mine != TRACE_NONE)
		*place = mine + 1;
	return mine;
}

static bool copy_device(struct merge *merge, struct merge_member *member,
	const struct trace_device *from)
{
	struct trace_device device = *from;
	bool done = map_pid(merge, member, &device.pid);

	device.args = memory_new_zeroed(
		(size_t)from->arg_count + 1, sizeof(*device.args));
	done = done && device.args != NULL;
	for (uint32_t i = 0; i < from->arg_count && done; i++) {
		device.args[i] = from->args[i];
		device.args[i].key = map_text(merge, member, from->args[i].key);
		done = device.args[i].key != STRTAB_NONE;
	}
	done = done && trace_add_device(merge->trace, &device) != TRACE_NONE;
	memory_free(device.args);
	return done;
}

static bool copy_devices(struct merge *merge, struct merge_member *member)
{
	const struct trace *trace = member->source->trace;
	bool done = true;

	for (; member->device_count < trace->device_count && done;
		member->device_count++)
		done = copy_device(
			merge, member, &trace->devices[member->device_count]);
	return done;
}

/* Makes the id unique among the sources. */
static uint64_t map_id(const struct merge *merge,
	const struct merge_member *member, uint64_t id)
{
	uint64_t kind = id & ID_KIND_BIT;
	uint64_t key[2] = {id & ~ID_KIND_BIT, member->number};

	if (merge->count == 1)
		return id;
	if (key[0] < ID_LIMIT / merge->count)
		return (key[0] * merge->count + member->number) | kind;
	return (stable_hash(key, sizeof(key)) & (ID_HASH_BIT - 1)) |
	       ID_HASH_BIT | kind;
}

static bool is_id_key(const struct merge *merge, uint32_t key)
{
	for (int i = 0; i < MERGE_ID_KEYS; i++)
		if (merge->id_keys[i] == key)
			return true;
	return false;
}

/* Ids that are 0 or negative mean none. */
static bool map_args(
	struct merge *merge, struct merge_member *member, struct event *event)
{
	if (!array_ensure_index(&merge->args, event->arg_count,
		    &merge->arg_room, sizeof(*merge->args)))
		return false;
	for (uint32_t i = 0; i < event->arg_count; i++) {
		struct event_arg *arg = &merge->args[i];

		*arg = event->args[i];
		arg->key = map_text(merge, member, arg->key);
		if (arg->key == STRTAB_NONE)
			return false;
		if (arg->kind == ARG_INT && arg->value.integer > 0 &&
			is_id_key(merge, arg->key))
			arg->value.integer = (int64_t)map_id(
				merge, member, (uint64_t)arg->value.integer);
	}
	event->args = merge->args;
	return true;
}

/* Whether the id refers to other events. For memory blocks it is the address,
 * for steps the step. */
static bool has_id(const struct event *event)
{
	switch (event->kind) {
	case EVENT_ASYNC_BEGIN:
	case EVENT_ASYNC_END:
	case EVENT_FLOW:
		return true;
	case EVENT_CORRELATION:
	case EVENT_ACTIVITY:
		return event->id != 0; /* 0: none */
	default:
		return false;
	}
}

/* Converts the member's event to the merged trace. */
static bool merge_translate(
	struct merge *merge, struct merge_member *member, struct event *event)
{
	const struct trace *trace = member->source->trace;

	*event = member->event;
	event->time_ns = merge_track_time(member, event->track, event->time_ns);
	event->track = map_track(merge, member, event->track);
	if (event->track == TRACE_NONE)
		return false;
	if (event->site != TRACE_NONE) {
		event->site = map_site(merge, member, event->site);
		if (event->site == TRACE_NONE)
			return false;
	}
	if (has_id(event))
		event->id = map_id(merge, member, event->id);
	if (member->device_count < trace->device_count &&
		!copy_devices(merge, member))
		return false;
	return event->arg_count == 0 || map_args(merge, member, event);
}

/* Copies the member's tables as known before its first event. */
static bool merge_open_member(struct merge *merge, struct merge_member *member)
{
	const struct trace *trace = member->source->trace;

	for (uint32_t i = 0; i < trace->track_count; i++)
		if (map_track(merge, member, i) == TRACE_NONE)
			return false;
	return copy_devices(merge, member);
}

/* Updates names, which may have become known since, and the end of the
 * recording: open ranges are closed there, not at the end of all recordings. */
static bool close_tracks(struct merge *merge, struct merge_member *member)
{
	const struct trace *trace = member->source->trace;

	for (uint32_t i = 0; i < trace->track_count; i++) {
		uint32_t number = map_track(merge, member, i);
		struct trace_track *track;

		if (number == TRACE_NONE)
			return false;
		track = &merge->trace->tracks[number];
		if (!copy_track(merge, member, i, track))
			return false;
		track->has_end = true;
		track->end_ns =
			merge_track_time(member, i, trace_track_end(trace, i));
	}
	return true;
}

static bool copy_modules(struct merge *merge, struct merge_member *member)
{
	const struct trace *trace = member->source->trace;

	for (uint32_t i = 0; i < trace->module_count; i++) {
		struct trace_module module = trace->modules[i];

		module.path = map_text(merge, member, module.path);
		module.build_id = map_text(merge, member, module.build_id);
		if (module.path == STRTAB_NONE ||
			module.build_id == STRTAB_NONE ||
			!map_pid(merge, member, &module.pid) ||
			trace_add_module(merge->trace, module) == TRACE_NONE)
			return false;
	}
	return true;
}

static void close_times(struct merge *merge, const struct merge_member *member)
{
	const struct trace *trace = member->source->trace;
	struct trace *sum = merge->trace;
	int64_t end_ns = merge_time(trace->end_ns, member->place.shift_ns);

	if (member->had_event && end_ns > sum->end_ns)
		sum->end_ns = end_ns;
	if (trace->timeline_end_ns == INT64_MIN)
		return;
	end_ns = merge_time(
		trace->timeline_end_ns, member->place.timeline_shift_ns);
	if (end_ns > sum->timeline_end_ns)
		sum->timeline_end_ns = end_ns;
}

/* Copies what is known only at the member's end. */
static bool merge_close_member(struct merge *merge, struct merge_member *member)
{
	const struct trace *trace = member->source->trace;

	close_times(merge, member);
	for (enum trace_loss i = 0; i < LOSS_KINDS; i++) {
		trace_lose(merge->trace, i, trace->losses[i]);
		if (__builtin_add_overflow(
			    merge->lost[i], trace->losses[i], &merge->lost[i]))
			merge->lost[i] = UINT64_MAX;
	}
	/* Copy the devices again, as they may have new properties. */
	member->device_count = 0;
	return close_tracks(merge, member) && copy_devices(merge, member) &&
	       copy_modules(merge, member);
}

static bool before(const struct merge_key *a, const struct merge_key *b)
{
	if (a->key_ns != b->key_ns)
		return a->key_ns < b->key_ns;
	return a->number < b->number;
}

static void sink(struct merge *merge, uint32_t at)
{
	struct merge_key *heap = merge->heap;
	struct merge_key key = heap[at];
	uint32_t child;

	while ((child = 2 * at + 1) < merge->heap_count) {
		if (child + 1 < merge->heap_count &&
			before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &key))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = key;
}

/* A program's own clock does not define the order. */
static void record_key(struct merge_member *member)
{
	const struct trace *trace = member->source->trace;
	const struct event *event = &member->event;
	int64_t time_ns;

	if (trace->tracks[event->track].kind == TRACE_TIMELINE)
		return;
	time_ns = merge_time(event->time_ns, member->place.shift_ns);
	if (time_ns > member->key_ns)
		member->key_ns = time_ns;
}

static enum ctp_status read_event(
	struct merge *merge, struct merge_member *member, struct ctp_error *err)
{
	enum ctp_status status =
		member->source->next(member->source, &member->event, err);

	member->has_event = status == CTP_OK;
	member->had_event |= member->has_event;
	if (status != CTP_OK && status != CTP_END)
		merge->failed = member->index;
	return status;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct merge_member *left = a;
	const struct merge_member *right = b;

	return left->number < right->number ? -1 : left->number > right->number;
}

/* The merged recording begins with the earliest one; its end is known later. */
static enum ctp_status begin(struct merge *merge, struct ctp_error *err)
{
	struct trace *trace = merge->trace;
	bool has_start = false;

	merge->begun = true;
	qsort(merge->members, merge->count, sizeof(*merge->members),
		compare_numbers);
	for (uint32_t i = 0; i < merge->count; i++) {
		struct merge_member *member = &merge->members[i];
		int64_t start_ns = merge_time(member->source->trace->start_ns,
			member->place.shift_ns);

		member->key_ns = INT64_MIN;
		if (!member->has_event) {
			if (!merge_close_member(merge, member))
				return ctp_no_memory(err);
			continue;
		}
		if (!has_start || start_ns < trace->start_ns)
			trace->start_ns = start_ns;
		has_start = true;
		if (!merge_open_member(merge, member))
			return ctp_no_memory(err);
		record_key(member);
		merge->heap[merge->heap_count++] = (struct merge_key){
			member->key_ns, member->number, member};
	}
	trace->end_ns = trace->start_ns;
	for (uint32_t at = merge->heap_count / 2; at-- > 0;)
		sink(merge, at);
	return CTP_OK;
}

/* Reads the next event of the last source, or removes it from the heap. */
static enum ctp_status advance(struct merge *merge, struct ctp_error *err)
{
	struct merge_member *member = merge->heap[0].member;
	enum ctp_status status = read_event(merge, member, err);

	if (status == CTP_OK) {
		record_key(member);
		merge->heap[0].key_ns = member->key_ns;
	} else if (status == CTP_END) {
		if (!merge_close_member(merge, member))
			return ctp_no_memory(err);
		merge->heap[0] = merge->heap[--merge->heap_count];
	} else {
		return status;
	}
	if (merge->heap_count > 0)
		sink(merge, 0);
	return CTP_OK;
}

/* "rank 3 host" */
static bool add_fact(struct merge *merge, const struct merge_member *member,
	const struct trace_fact *fact)
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
	       trace_add_fact(merge->trace, (const char *)key.bytes, value);
	buffer_clear(&key);
	return done;
}

/* The number of merged recordings is written for the whole trace, not per
 * source. */
static bool is_ours(const struct trace *trace, uint32_t fact)
{
	return strcmp(strtab_text(trace->text, trace->facts[fact].key, NULL),
		       TRACE_MERGED) == 0;
}

static bool add_facts(struct merge *merge)
{
	for (uint32_t i = 0; i < merge->count; i++) {
		const struct merge_member *member = &merge->members[i];
		const struct trace *trace = member->source->trace;

		for (uint32_t j = 0; j < trace->fact_count; j++)
			if (!is_ours(trace, j) &&
				!add_fact(merge, member, &trace->facts[j]))
				return false;
	}
	return true;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct merge *merge = merge_of(source);
	enum ctp_status status = CTP_OK;

	if (!merge->begun)
		status = begin(merge, err);
	if (merge->taken)
		status = advance(merge, err);
	merge->taken = false;
	if (status != CTP_OK)
		return status;
	if (merge->heap_count == 0) {
		if (!merge->finished && !add_facts(merge))
			return ctp_no_memory(err);
		merge->finished = true;
		return CTP_END;
	}
	merge->taken = true;
	return merge_translate(merge, merge->heap[0].member, event)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

static uint64_t position(const struct event_source *source)
{
	const struct merge *merge = (const struct merge *)(const void *)source;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < merge->count; i++) {
		const struct event_source *of = merge->members[i].source;

		sum += of->position(of);
	}
	return sum;
}

static void close_nothing(struct event_source *source)
{
	(void)source;
}

struct merge *merge_new(uint32_t room)
{
	struct merge *merge = memory_new_zeroed(1, sizeof(*merge));

	if (merge == NULL)
		return NULL;
	merge->room = room;
	merge->failed = UINT32_MAX;
	merge->members = memory_new_zeroed(room, sizeof(*merge->members));
	merge->heap = memory_new_zeroed(room, sizeof(*merge->heap));
	if (merge->members == NULL || merge->heap == NULL ||
		!merge_table_init(merge)) {
		merge_free(merge);
		return NULL;
	}
	merge->source = (struct event_source){
		.trace = merge->trace,
		.next = next,
		.position = position,
		.close = close_nothing,
	};
	return merge;
}

void merge_free(struct merge *merge)
{
	if (merge == NULL)
		return;
	for (uint32_t i = 0; i < merge->count; i++)
		merge_member_clear(&merge->members[i]);
	merge_table_clear(merge);
	memory_free(merge->members);
	memory_free(merge->heap);
	memory_free(merge);
}

enum ctp_status merge_add(
	struct merge *merge, struct event_source *source, struct ctp_error *err)
{
	struct merge_member *member = &merge->members[merge->count];
	enum ctp_status status;

	assert(merge->count < merge->room);
	if (source->read_profile != NULL)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"is a profile (no timestamps) and cannot be merged "
			"into a timeline");
	*member = (struct merge_member){.source = source,
		.place = {.label = ""},
		.index = merge->count,
		.number = merge->count};
	status = read_event(merge, member, err);
	if (status != CTP_OK && status != CTP_END)
		return status;
	merge->count++;
	return CTP_OK;
}

void merge_share_tables(struct merge *merge, const struct trace *tables)
{
	assert(!merge->begun);
	merge->shared = tables->text;
}

void merge_set_place(
	struct merge *merge, uint32_t number, const struct merge_place *place)
{
	assert(number < merge->count && !merge->begun);
	assert(place->order > 0);
	merge->members[number].place = *place;
	merge->members[number].number = place->order - 1;
}

struct event_source *merge_source(struct merge *merge)
{
	return &merge->source;
}

bool merge_has_events(const struct merge *merge, uint32_t number)
{
	return merge->members[number].had_event;
}

uint32_t merge_failed(const struct merge *merge)
{
	return merge->failed;
}

uint64_t merge_lost(const struct merge *merge, enum trace_loss loss)
{
	return merge->lost[loss];
}

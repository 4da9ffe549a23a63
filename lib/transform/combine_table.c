/* SPDX-License-Identifier: MIT */
/* Sites, tracks, devices and text of the sources, as those of one trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "transform/combine_private.h"
#include "base/memory.h"
#include "base/stable_hash.h"

/* Numbers for processes whose own is taken: systems give none like these, and
 * Perfetto knows processes up to 2^31 - 1. */
#define FIRST_OWN_PID (INT64_C(1) << 30)

/* Ids below are the same for readers that have but doubles, and have room for
 * a bit above. Larger ones are addresses or hashes. */
#define ID_LIMIT (UINT64_C(1) << 52)

/* An id that is the number of an op and not of a call has this bit, in Chrome
 * traces that have both. */
#define ID_KIND_BIT (UINT64_C(1) << 63)
#define ID_HASH_BIT (UINT64_C(1) << 62)

/* Of the processes of one source, and of its devices half as many. */
#define GROUP_SORT 100000

static const char *const id_keys[COMBINE_ID_KEYS] = {"correlation",
	"External id", "external id", "wait_on_cuda_event_record_corr_id"};

bool combine_table_init(struct combine *combine)
{
	combine->next_pid = FIRST_OWN_PID;
	combine->trace = trace_new();
	combine->processes = strtab_new();
	combine->taken_pids = strtab_new();
	if (combine->trace == NULL || combine->processes == NULL ||
		combine->taken_pids == NULL)
		return false;
	for (int i = 0; i < COMBINE_ID_KEYS; i++) {
		combine->id_keys[i] = strtab_add(
			combine->trace->text, id_keys[i], strlen(id_keys[i]));
		if (combine->id_keys[i] == STRTAB_NONE)
			return false;
	}
	return true;
}

void combine_table_clear(struct combine *combine)
{
	trace_free(combine->trace);
	strtab_free(combine->processes);
	strtab_free(combine->taken_pids);
	memory_free(combine->pids);
	memory_free(combine->args);
}

void combine_member_clear(struct combine_member *member)
{
	memory_free(member->texts.numbers);
	memory_free(member->sites.numbers);
	memory_free(member->tracks.numbers);
}

/* The place for what `number` is here; NULL if out of memory. */
static uint32_t *reach(struct combine_map *map, uint32_t number)
{
	return memory_reach(
		       &map->numbers, number, &map->room, sizeof(*map->numbers))
		       ? &map->numbers[number]
		       : NULL;
}

/* STRTAB_NONE if out of memory. */
static uint32_t map_text(
	struct combine *combine, struct combine_member *member, uint32_t number)
{
	uint32_t *place = reach(&member->texts, number);
	const char *text;
	size_t size;
	uint32_t mine;

	if (place == NULL)
		return STRTAB_NONE;
	if (*place != 0)
		return *place - 1;
	text = strtab_text(member->source->trace->text, number, &size);
	mine = strtab_add(combine->trace->text, text, size);
	if (mine != STRTAB_NONE)
		*place = mine + 1;
	return mine;
}

/* TRACE_NONE if out of memory. */
static uint32_t map_site(
	struct combine *combine, struct combine_member *member, uint32_t number)
{
	uint32_t *place = reach(&member->sites, number);
	struct trace_site site;
	uint32_t mine;

	if (place == NULL)
		return TRACE_NONE;
	if (*place != 0)
		return *place - 1;
	site = member->source->trace->sites[number];
	site.name = map_text(combine, member, site.name);
	site.file = map_text(combine, member, site.file);
	site.category = map_text(combine, member, site.category);
	mine = trace_add_place(combine->trace, site);
	if (mine != TRACE_NONE)
		*place = mine + 1;
	return mine;
}

/* Adds to the pids that are taken; `*is_new`: it was not. */
static bool take_pid(struct combine *combine, int64_t pid, bool *is_new)
{
	uint32_t count = strtab_count(combine->taken_pids);

	if (strtab_add(combine->taken_pids, (const char *)&pid, sizeof(pid)) ==
		STRTAB_NONE)
		return false;
	*is_new = strtab_count(combine->taken_pids) > count;
	return true;
}

static bool choose_pid(struct combine *combine, int64_t wish, int64_t *pid)
{
	bool is_new;

	*pid = wish;
	if (!take_pid(combine, *pid, &is_new))
		return false;
	while (!is_new) {
		*pid = combine->next_pid++;
		if (!take_pid(combine, *pid, &is_new))
			return false;
	}
	return true;
}

static bool map_pid(struct combine *combine,
	const struct combine_member *member, int64_t *pid)
{
	const int64_t key[2] = {member->number, *pid};
	uint32_t known = strtab_count(combine->processes);
	uint32_t number =
		strtab_add(combine->processes, (const char *)key, sizeof(key));

	if (number == STRTAB_NONE)
		return false;
	if (!memory_reach(&combine->pids, number, &combine->pid_room,
		    sizeof(*combine->pids)) ||
		(number == known &&
			!choose_pid(combine, *pid, &combine->pids[number])))
		return false;
	*pid = combine->pids[number];
	return true;
}

static void add_number(struct buffer *text, const char *words, int64_t number)
{
	char digits[24];

	(void)snprintf(digits, sizeof(digits), "%" PRId64, number);
	buffer_add_text(text, words);
	buffer_add_text(text, digits);
}

/* "rank 3: python (pid 1)"; the number where it is not the one shown. */
static uint32_t name_process(struct combine *combine,
	const struct combine_member *member, const struct trace_track *from,
	int64_t pid)
{
	struct buffer text = BUFFER_INIT;
	size_t size;
	const char *name = strtab_text(
		member->source->trace->text, from->process_name, &size);
	bool is_other = pid != from->pid && from->pid > 0;
	uint32_t number = STRTAB_NONE;

	buffer_add_text(&text, member->place.label);
	if (text.used > 0 && (size > 0 || is_other))
		buffer_add_text(&text, ": ");
	buffer_add(&text, name, size);
	if (is_other) {
		add_number(&text, size > 0 ? " (pid " : "process ", from->pid);
		buffer_add_text(&text, size > 0 ? ")" : "");
	}
	if (!text.failed)
		number = strtab_add(combine->trace->text,
			text.used > 0 ? (const char *)text.bytes : "",
			text.used);
	buffer_clear(&text);
	return number;
}

/* Ranks stand in order, each with its devices below it. What was merged before
 * stands as it did. */
static void set_sort(const struct combine *combine,
	const struct combine_member *member, const struct trace_track *from,
	struct trace_track *track)
{
	const int64_t key[2] = {member->number, from->pid};
	int64_t index =
		strtab_add(combine->processes, (const char *)key, sizeof(key));

	if (member->place.label[0] == '\0' && track->has_process_sort)
		return;
	if (index >= GROUP_SORT / 2)
		index = GROUP_SORT / 2 - 1;
	if (track->kind == TRACE_STREAM)
		index = GROUP_SORT / 2 + track->device % (GROUP_SORT / 2);
	track->has_process_sort = true;
	track->process_sort = (int64_t)member->place.order * GROUP_SORT + index;
}

/* The source's track as one of the combined trace. */
static bool copy_track(struct combine *combine, struct combine_member *member,
	uint32_t number, struct trace_track *out)
{
	const struct trace_track *from = &member->source->trace->tracks[number];

	*out = *from;
	if (!map_pid(combine, member, &out->pid))
		return false;
	out->name = map_text(combine, member, from->name);
	out->process_name = name_process(combine, member, from, out->pid);
	out->order = member->place.order;
	set_sort(combine, member, from, out);
	out->end_ns = combine_track_time(member, number, from->end_ns);
	return out->name != STRTAB_NONE && out->process_name != STRTAB_NONE;
}

/* TRACE_NONE if out of memory. */
static uint32_t map_track(
	struct combine *combine, struct combine_member *member, uint32_t number)
{
	uint32_t *place = reach(&member->tracks, number);
	struct trace_track track;
	uint32_t mine;

	if (place == NULL)
		return TRACE_NONE;
	if (*place != 0)
		return *place - 1;
	if (!copy_track(combine, member, number, &track))
		return TRACE_NONE;
	mine = trace_add_track(combine->trace, track);
	if (mine != TRACE_NONE)
		*place = mine + 1;
	return mine;
}

static bool copy_device(struct combine *combine, struct combine_member *member,
	const struct trace_device *from)
{
	struct trace_device device = *from;
	bool done = map_pid(combine, member, &device.pid);

	device.args = memory_new_zeroed(
		(size_t)from->arg_count + 1, sizeof(*device.args));
	done = done && device.args != NULL;
	for (uint32_t i = 0; i < from->arg_count && done; i++) {
		device.args[i] = from->args[i];
		device.args[i].key =
			map_text(combine, member, from->args[i].key);
		done = device.args[i].key != STRTAB_NONE;
	}
	done = done && trace_add_device(combine->trace, &device) != TRACE_NONE;
	memory_free(device.args);
	return done;
}

static bool copy_devices(struct combine *combine, struct combine_member *member)
{
	const struct trace *trace = member->source->trace;
	bool done = true;

	for (; member->device_count < trace->device_count && done;
		member->device_count++)
		done = copy_device(
			combine, member, &trace->devices[member->device_count]);
	return done;
}

/* An id that no other source's id becomes. */
static uint64_t map_id(const struct combine *combine,
	const struct combine_member *member, uint64_t id)
{
	uint64_t kind = id & ID_KIND_BIT;
	uint64_t key[2] = {id & ~ID_KIND_BIT, member->number};

	if (combine->count == 1)
		return id;
	if (key[0] < ID_LIMIT / combine->count)
		return (key[0] * combine->count + member->number) | kind;
	return (stable_hash(key, sizeof(key)) & (ID_HASH_BIT - 1)) |
	       ID_HASH_BIT | kind;
}

static bool is_id_key(const struct combine *combine, uint32_t key)
{
	for (int i = 0; i < COMBINE_ID_KEYS; i++)
		if (combine->id_keys[i] == key)
			return true;
	return false;
}

/* Those that are 0 or negative are none. */
static bool map_args(struct combine *combine, struct combine_member *member,
	struct event *event)
{
	if (!memory_reach(&combine->args, event->arg_count, &combine->arg_room,
		    sizeof(*combine->args)))
		return false;
	for (uint32_t i = 0; i < event->arg_count; i++) {
		struct event_arg *arg = &combine->args[i];

		*arg = event->args[i];
		arg->key = map_text(combine, member, arg->key);
		if (arg->key == STRTAB_NONE)
			return false;
		if (arg->kind == ARG_INT && arg->value.integer > 0 &&
			is_id_key(combine, arg->key))
			arg->value.integer = (int64_t)map_id(
				combine, member, (uint64_t)arg->value.integer);
	}
	event->args = combine->args;
	return true;
}

/* Is its id a number that others have? Of a block of memory it is the address,
 * of a step the step. */
static bool has_id(const struct event *event)
{
	switch (event->kind) {
	case EVENT_ASYNC_BEGIN:
	case EVENT_ASYNC_END:
	case EVENT_FLOW:
		return true;
	case EVENT_CORRELATION:
	case EVENT_ACTIVITY:
		return event->id != 0; /* which is none */
	default:
		return false;
	}
}

bool combine_translate(struct combine *combine, struct combine_member *member,
	struct event *event)
{
	const struct trace *trace = member->source->trace;

	*event = member->event;
	event->time_ns =
		combine_track_time(member, event->track, event->time_ns);
	event->track = map_track(combine, member, event->track);
	if (event->track == TRACE_NONE)
		return false;
	if (event->site != TRACE_NONE) {
		event->site = map_site(combine, member, event->site);
		if (event->site == TRACE_NONE)
			return false;
	}
	if (has_id(event))
		event->id = map_id(combine, member, event->id);
	if (member->device_count < trace->device_count &&
		!copy_devices(combine, member))
		return false;
	return event->arg_count == 0 || map_args(combine, member, event);
}

bool combine_open_member(struct combine *combine, struct combine_member *member)
{
	const struct trace *trace = member->source->trace;

	for (uint32_t i = 0; i < trace->track_count; i++)
		if (map_track(combine, member, i) == TRACE_NONE)
			return false;
	return copy_devices(combine, member);
}

/* Names may have become known since, and when the recording ended: ranges that
 * are open are closed then, not at the end of all. */
static bool close_tracks(struct combine *combine, struct combine_member *member)
{
	const struct trace *trace = member->source->trace;

	for (uint32_t i = 0; i < trace->track_count; i++) {
		uint32_t number = map_track(combine, member, i);
		struct trace_track *track;

		if (number == TRACE_NONE)
			return false;
		track = &combine->trace->tracks[number];
		if (!copy_track(combine, member, i, track))
			return false;
		track->has_end = true;
		track->end_ns = combine_track_time(
			member, i, trace_track_end(trace, i));
	}
	return true;
}

static bool copy_modules(struct combine *combine, struct combine_member *member)
{
	const struct trace *trace = member->source->trace;

	for (uint32_t i = 0; i < trace->module_count; i++) {
		struct trace_module module = trace->modules[i];

		module.path = map_text(combine, member, module.path);
		module.build_id = map_text(combine, member, module.build_id);
		if (module.path == STRTAB_NONE ||
			module.build_id == STRTAB_NONE ||
			!map_pid(combine, member, &module.pid) ||
			trace_add_module(combine->trace, module) == TRACE_NONE)
			return false;
	}
	return true;
}

static void close_times(
	struct combine *combine, const struct combine_member *member)
{
	const struct trace *trace = member->source->trace;
	struct trace *sum = combine->trace;
	int64_t end_ns = combine_time(trace->end_ns, member->place.shift_ns);

	if (member->had_event && end_ns > sum->end_ns)
		sum->end_ns = end_ns;
	if (trace->timeline_end_ns == INT64_MIN)
		return;
	end_ns = combine_time(
		trace->timeline_end_ns, member->place.timeline_shift_ns);
	if (end_ns > sum->timeline_end_ns)
		sum->timeline_end_ns = end_ns;
}

bool combine_close_member(
	struct combine *combine, struct combine_member *member)
{
	const struct trace *trace = member->source->trace;

	close_times(combine, member);
	for (enum trace_loss i = 0; i < LOSS_KINDS; i++) {
		trace_lose(combine->trace, i, trace->losses[i]);
		if (__builtin_add_overflow(combine->lost[i], trace->losses[i],
			    &combine->lost[i]))
			combine->lost[i] = UINT64_MAX;
	}
	/* Again those of which more may be known since. */
	member->device_count = 0;
	return close_tracks(combine, member) && copy_devices(combine, member) &&
	       copy_modules(combine, member);
}

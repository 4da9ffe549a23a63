/* SPDX-License-Identifier: MIT */
#include "perfetto/pftrace_counter.h"

#include <math.h>
#include <string.h>

#include "json/json.h"
#include "protobuf/protobuf.h"

static void put_count(struct pftrace_tracks *tracks, uint64_t uuid,
	const struct event *event, const struct event_arg *value)
{
	struct buffer *out = pftrace_event_begin(
		tracks->packets, PFTRACE_COUNTER, uuid, event->time_ns);

	if (value->kind == ARG_INT)
		protobuf_add_int(
			out, TRACK_EVENT_COUNTER_VALUE, value->value.integer);
	else
		protobuf_add_double(out, TRACK_EVENT_DOUBLE_COUNTER_VALUE,
			value->value.real);
	pftrace_event_end(tracks->packets);
}

/* "name key", as Perfetto calls a counter of several values. */
static bool describe_counter(struct pftrace_tracks *tracks, uint64_t uuid,
	const struct pftrace_key *key)
{
	struct buffer name = BUFFER_INIT;
	const struct strtab *text = tracks->trace->text;
	size_t size;
	const char *bytes = strtab_text(text, (uint32_t)key->number, &size);
	bool done;

	buffer_add(&name, bytes, size);
	if (key->part != 0) {
		bytes = strtab_text(text, (uint32_t)key->part, &size);
		buffer_add_byte(&name, ' ');
		buffer_add(&name, bytes, size);
	}
	done = !name.failed;
	if (done)
		pftrace_counter_describe(
			tracks, uuid, key->pid, (char *)name.bytes, name.used);
	buffer_clear(&name);
	return done;
}

bool pftrace_counter_write(
	struct pftrace_tracks *tracks, const struct event *event)
{
	const struct event_arg *value = event->args;
	struct pftrace_key key = {PFTRACE_COUNTED,
		tracks->trace->tracks[event->track].pid,
		tracks->trace->sites[event->site].name, 0};
	struct pftrace_thing *thing;
	bool is_new;

	if (event->arg_count == 0 || value->kind > ARG_FLOAT ||
		(value->kind == ARG_FLOAT && !isfinite(value->value.real))) {
		tracks->trace->losses[LOSS_NOT_SHOWN]++;
		return true;
	}
	key.part = value->key;
	thing = pftrace_thing_find(tracks, key, &is_new);
	if (thing == NULL ||
		(is_new && !describe_counter(tracks, thing->uuid, &key)))
		return false;
	put_count(tracks, thing->uuid, event, value);
	return true;
}

/* What a device holds of a process, or the host (-1). */
static struct pftrace_thing *find_sum(
	struct pftrace_tracks *tracks, const struct event *event)
{
	struct pftrace_key key = {PFTRACE_MEMORY_SUM,
		tracks->trace->tracks[event->track].pid, event->device, 0};
	char name[64] = "Total Allocated (host)";
	bool is_new;
	struct pftrace_thing *thing = pftrace_thing_find(tracks, key, &is_new);

	if (thing == NULL || !is_new)
		return thing;
	if (event->device >= 0) {
		char *at = name + strlen("Total Allocated (");

		memcpy(at, "device ", 7);
		at = json_put_int(at + 7, event->device);
		*at++ = ')';
		*at = '\0';
	}
	pftrace_counter_describe(
		tracks, thing->uuid, key.pid, name, strlen(name));
	return thing;
}

bool pftrace_counter_write_memory(
	struct pftrace_tracks *tracks, const struct event *event)
{
	struct pftrace_thing *sum = find_sum(tracks, event);
	struct event_arg total = {.kind = ARG_INT};

	if (sum == NULL)
		return false;
	sum->total += event->kind == EVENT_FREE ? -event->bytes : event->bytes;
	total.value.integer = (int64_t)sum->total;
	put_count(tracks, sum->uuid, event, &total);
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_streams.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"

/* Number of calls that vote for the owner of a device, and of processes
 * considered with a call of the same number. */
#define SAMPLE_CALLS 4
#define SAMPLE_PROCESSES 512

struct chrome_read_stream {
	uint32_t device; /* in chrome_read_streams.devices */
	uint32_t context;
	int64_t stream;
};

/* A device on the rows of one process of the file. */
struct chrome_read_row_device {
	uint32_t process;
	uint32_t number;
	uint32_t owner; /* 0: nobody */
	uint32_t sample_count;
	uint64_t samples[SAMPLE_CALLS];
};

struct chrome_read_caller {
	uint64_t correlation;
	uint32_t process;
};

bool chrome_read_streams_init(
	struct chrome_read_streams *streams, struct chrome_read_rows *rows)
{
	*streams = (struct chrome_read_streams){.rows = rows};
	streams->keys = strtab_new();
	streams->device_keys = strtab_new();
	streams->track_keys = strtab_new();
	return streams->keys != NULL && streams->device_keys != NULL &&
	       streams->track_keys != NULL;
}

void chrome_read_streams_clear(struct chrome_read_streams *streams)
{
	strtab_free(streams->keys);
	strtab_free(streams->device_keys);
	strtab_free(streams->track_keys);
	memory_free(streams->streams);
	memory_free(streams->devices);
	memory_free(streams->tracks);
	memory_free(streams->calls);
}

static bool add_call(struct chrome_read_streams *streams, uint32_t process,
	uint64_t correlation)
{
	if (streams->call_count == CHROME_READ_STREAMS_CALLS)
		return true;
	if (!array_reserve(&streams->calls, streams->call_count,
		    &streams->call_room, sizeof(*streams->calls)))
		return false;
	streams->calls[streams->call_count++] =
		(struct chrome_read_caller){correlation, process};
	return true;
}

bool chrome_read_streams_add_call(struct chrome_read_streams *streams,
	uint32_t process, uint64_t correlation,
	const struct chrome_correlation_ids *before)
{
	if (streams->caller == 0)
		streams->caller = process;
	if (streams->several)
		return add_call(streams, process, correlation);
	if (streams->caller == process)
		return true;
	/* So far there was only one process, so no calls were stored. */
	streams->several = true;
	for (size_t i = 0; i < before->count; i++)
		if (!add_call(streams, streams->caller, before->ids[i]))
			return false;
	return add_call(streams, process, correlation);
}

/* The device of a row, created if new; NULL if out of memory. */
static struct chrome_read_row_device *find_device(
	struct chrome_read_streams *streams,
	const struct chrome_read_place *place, uint32_t *number)
{
	const int64_t key[2] = {place->process, place->device};
	uint32_t known = strtab_count(streams->device_keys);

	*number = strtab_add(
		streams->device_keys, (const char *)key, sizeof(key));
	if (*number == STRTAB_NONE ||
		!array_ensure_index(&streams->devices, *number,
			&streams->device_room, sizeof(*streams->devices)))
		return NULL;
	if (*number == known)
		streams->devices[*number] = (struct chrome_read_row_device){
			.process = place->process,
			.number = (uint32_t)place->device};
	return &streams->devices[*number];
}

uint32_t chrome_read_streams_add(struct chrome_read_streams *streams,
	struct chrome_read_place place, uint64_t correlation)
{
	const int64_t key[3] = {place.process, place.device, place.stream};
	uint32_t known = strtab_count(streams->keys);
	uint32_t number =
		strtab_add(streams->keys, (const char *)key, sizeof(key));
	struct chrome_read_row_device *device;
	uint32_t device_number;

	if (number == STRTAB_NONE ||
		!array_ensure_index(&streams->streams, number,
			&streams->stream_room, sizeof(*streams->streams)))
		return STRTAB_NONE;
	device = find_device(streams, &place, &device_number);
	if (device == NULL)
		return STRTAB_NONE;
	if (number == known)
		streams->streams[number] = (struct chrome_read_stream){
			.device = device_number, .stream = place.stream};
	if (place.context != 0)
		streams->streams[number].context = (uint32_t)place.context;
	if (correlation != 0 && device->sample_count < SAMPLE_CALLS)
		device->samples[device->sample_count++] = correlation;
	return number;
}

static int compare(const void *a, const void *b)
{
	const struct chrome_read_caller *left = a;
	const struct chrome_read_caller *right = b;

	if (left->correlation != right->correlation)
		return left->correlation < right->correlation ? -1 : 1;
	return left->process < right->process ? -1
					      : left->process > right->process;
}

/* Keeps each process once per number. */
static void sort_calls(struct chrome_read_streams *streams)
{
	struct chrome_read_caller *calls = streams->calls;
	size_t count = 0;

	if (streams->call_count == 0)
		return;
	qsort(calls, streams->call_count, sizeof(*calls), compare);
	for (size_t i = 1; i < streams->call_count; i++)
		if (compare(&calls[count], &calls[i]) != 0)
			calls[++count] = calls[i];
	streams->call_count = count + 1;
}

/* The first of the calls with this number, and their count. */
static const struct chrome_read_caller *find_calls(
	const struct chrome_read_streams *streams, uint64_t correlation,
	size_t *count)
{
	size_t from;
	size_t to;

	SEARCH_FIRST(from, streams->call_count,
		streams->calls[from].correlation < correlation);
	to = from;
	while (to < streams->call_count && to - from < SAMPLE_PROCESSES &&
		streams->calls[to].correlation == correlation)
		to++;
	*count = to - from;
	return streams->calls + from;
}

/* The state of each process while the owners of devices are found. */
struct device_owner_state {
	bool has_thread;
	const struct chrome_read_row_device *device; /* device of these votes */
	uint32_t votes;
	uint32_t devices; /* devices it already owns */
};

/* Is `a` more likely the owner than `b`? At equal votes, each process probably
 * owns a device. */
static bool is_better(
	const struct device_owner_state *a, const struct device_owner_state *b)
{
	if (a->votes != b->votes)
		return a->votes > b->votes;
	return a->devices < b->devices;
}

/* Counts the votes of the device's sample calls for their processes. */
static void count_votes(const struct chrome_read_streams *streams,
	const struct chrome_read_row_device *device,
	struct device_owner_state *states, uint32_t *best)
{
	for (uint32_t i = 0; i < device->sample_count; i++) {
		size_t count;
		const struct chrome_read_caller *calls =
			find_calls(streams, device->samples[i], &count);

		for (size_t j = 0; j < count; j++) {
			uint32_t process = calls[j].process;

			/* Votes restart for each device. */
			if (states[process].device != device) {
				states[process].device = device;
				states[process].votes = 0;
			}
			states[process].votes++;
			if (is_better(&states[process], &states[*best]))
				*best = process;
		}
	}
}

/* The row's process may not be a device but a process with threads. */
static void choose_owners(struct chrome_read_streams *streams, uint32_t process,
	struct device_owner_state *states)
{
	uint32_t count = strtab_count(streams->device_keys);

	for (uint32_t i = 1; i < count; i++) {
		struct chrome_read_row_device *device = &streams->devices[i];
		uint32_t best = streams->rows->processes[device->process].owner;

		if (best == 0 && streams->several)
			count_votes(streams, device, states, &best);
		if (best == 0 && streams->several &&
			states[device->process].has_thread)
			best = device->process;
		device->owner = best == 0 ? process : best;
		states[device->owner].devices++;
	}
}

/* The process's track for a stream, created if new; TRACE_NONE if out of
 * memory. */
static uint32_t find_track(struct chrome_read_streams *streams,
	const struct chrome_read_stream *stream, uint32_t process)
{
	const struct chrome_read_row_device *of =
		&streams->devices[stream->device];
	const struct chrome_read_process *owner =
		&streams->rows->processes[process];
	const struct chrome_read_process *row =
		&streams->rows->processes[of->process];
	const int64_t key[3] = {process, of->number, stream->stream};
	uint32_t known = strtab_count(streams->track_keys);
	uint32_t number =
		strtab_add(streams->track_keys, (const char *)key, sizeof(key));

	if (number == STRTAB_NONE ||
		!array_ensure_index(&streams->tracks, number,
			&streams->track_room, sizeof(*streams->tracks)))
		return TRACE_NONE;
	if (number == known)
		streams->tracks[number] = trace_add_track(streams->rows->trace,
			(struct trace_track){.kind = TRACE_STREAM,
				.pid = owner->pid,
				.tid = stream->stream,
				.process_name = owner->name,
				.device = of->number,
				.context = stream->context,
				.has_process_sort = row->has_sort,
				.process_sort = row->sort});
	return streams->tracks[number];
}

bool chrome_read_streams_finish(
	struct chrome_read_streams *streams, uint32_t process)
{
	const struct chrome_read_rows *rows = streams->rows;
	struct device_owner_state *states = memory_new_zeroed(
		strtab_count(rows->pids) + 1, sizeof(*states));

	if (states == NULL)
		return false;
	for (uint32_t i = 1; i < strtab_count(rows->keys); i++)
		if (rows->rows[i].track != TRACE_NONE)
			states[rows->rows[i].process].has_thread = true;
	sort_calls(streams);
	choose_owners(streams, process, states);
	memory_free(states);
	for (uint32_t i = 1; i < strtab_count(streams->keys); i++) {
		const struct chrome_read_stream *stream = &streams->streams[i];
		uint32_t owner = streams->devices[stream->device].owner;

		if (find_track(streams, stream, owner) == TRACE_NONE)
			return false;
	}
	return true;
}

uint32_t chrome_read_streams_track(struct chrome_read_streams *streams,
	uint32_t number, uint64_t correlation)
{
	const struct chrome_read_stream *stream = &streams->streams[number];
	uint32_t owner = streams->devices[stream->device].owner;
	const struct chrome_read_caller *calls;
	size_t count;

	if (streams->several && correlation != 0) {
		calls = find_calls(streams, correlation, &count);
		if (count == 1)
			owner = calls->process;
	}
	return find_track(streams, stream, owner);
}

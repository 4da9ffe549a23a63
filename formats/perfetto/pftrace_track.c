/* SPDX-License-Identifier: MIT */
#include "perfetto/pftrace_track.h"

#include <assert.h>
#include <string.h>

#include "json/json.h"
#include "base/memory.h"
#include "protobuf/protobuf.h"
#include "base/stable_hash.h"
#include "perfetto/pftrace_args.h"

/* Number of asynchronous ranges' tracks remembered as described. */
#define ASYNCS 65536

/* Their numbers are hashes with this bit set. */
#define ASYNC_BIT (UINT64_C(1) << 63)

enum { PACKET_TRACK_DESCRIPTOR = 60 };

/* Fields of the message TrackDescriptor. */
enum {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT_UUID = 5,
	DESCRIPTOR_COUNTER = 8,
	DESCRIPTOR_SIBLING_MERGE_BEHAVIOR = 15,
};

/* Fields of the messages in it. */
enum { PROCESS_PID = 1, PROCESS_PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_THREAD_NAME = 5 };

enum { MERGE_NONE = 2 };

bool pftrace_tracks_init(
	struct pftrace_tracks *tracks, struct pftrace_packets *packets)
{
	*tracks = (struct pftrace_tracks){
		.packets = packets, .trace = packets->trace};
	tracks->keys = strtab_new();
	tracks->threads = strtab_new();
	tracks->asyncs = memory_new_zeroed(ASYNCS, sizeof(uint64_t));
	return tracks->keys != NULL && tracks->threads != NULL &&
	       tracks->asyncs != NULL;
}

void pftrace_tracks_clear(struct pftrace_tracks *tracks)
{
	memory_free(tracks->uuids);
	memory_free(tracks->asyncs);
	strtab_free(tracks->keys);
	strtab_free(tracks->threads);
	buffer_clear(&tracks->name);
}

/* A field whose text is in tracks->name. */
static void add_name(
	struct pftrace_tracks *tracks, struct buffer *out, uint32_t field)
{
	if (tracks->name.failed)
		out->failed = true;
	pftrace_add_text(tracks->packets, out, field,
		(char *)tracks->name.bytes, tracks->name.used);
}

/* Begins a descriptor with its name, in tracks->name; fields may be added until
 * its end. */
static struct buffer *begin_descriptor(struct pftrace_tracks *tracks,
	uint64_t uuid, uint64_t parent, size_t *begun)
{
	struct buffer *out = pftrace_packet_begin(tracks->packets);

	*begun = protobuf_begin(out, PACKET_TRACK_DESCRIPTOR);
	protobuf_add_uint(out, DESCRIPTOR_UUID, uuid);
	if (parent != 0)
		protobuf_add_uint(out, DESCRIPTOR_PARENT_UUID, parent);
	add_name(tracks, out, DESCRIPTOR_NAME);
	return out;
}

static void end_descriptor(struct pftrace_tracks *tracks, size_t begun)
{
	protobuf_end(&tracks->packets->bytes, begun);
	pftrace_packet_end(tracks->packets);
}

/* Viewers merge tracks of the same name, and these may have one. */
static void describe(
	struct pftrace_tracks *tracks, uint64_t uuid, uint64_t parent)
{
	size_t begun;
	struct buffer *out = begin_descriptor(tracks, uuid, parent, &begun);

	protobuf_add_uint(out, DESCRIPTOR_SIBLING_MERGE_BEHAVIOR, MERGE_NONE);
	end_descriptor(tracks, begun);
}

static void set_name(
	struct pftrace_tracks *tracks, const char *text, int64_t number)
{
	char digits[JSON_NUMBER_MAX];
	char *end = json_put_int(digits, number);

	tracks->name.used = 0;
	buffer_add_text(&tracks->name, text);
	buffer_add(&tracks->name, digits, (size_t)(end - digits));
}

uint64_t pftrace_find_uuid(
	struct pftrace_tracks *tracks, struct pftrace_key key, bool *is_new)
{
	uint32_t number =
		strtab_add(tracks->keys, (const char *)&key, sizeof(key));

	if (number == STRTAB_NONE ||
		!array_ensure_index(&tracks->uuids, number, &tracks->uuid_room,
			sizeof(*tracks->uuids)))
		return 0;
	*is_new = tracks->uuids[number] == 0;
	if (*is_new)
		tracks->uuids[number] = ++tracks->last_uuid;
	return tracks->uuids[number];
}

static bool is_number(int64_t number)
{
	return number > 0 && number <= INT32_MAX;
}

static void describe_process(struct pftrace_tracks *tracks, uint64_t uuid,
	int64_t pid, uint32_t name)
{
	struct buffer *out;
	size_t begun, process;
	size_t size;
	const char *bytes = strtab_text(tracks->trace->text, name, &size);

	set_name(tracks, "process ", pid);
	if (name != 0) {
		tracks->name.used = 0;
		buffer_add(&tracks->name, bytes, size);
	}
	out = begin_descriptor(tracks, uuid, 0, &begun);
	if (is_number(pid)) {
		process = protobuf_begin(out, DESCRIPTOR_PROCESS);
		protobuf_add_int(out, PROCESS_PID, pid);
		add_name(tracks, out, PROCESS_PROCESS_NAME);
		protobuf_end(out, process);
	}
	end_descriptor(tracks, begun);
}

/* The process's track, described if it is new; 0 if out of memory. */
static uint64_t find_process(
	struct pftrace_tracks *tracks, int64_t pid, uint32_t name)
{
	bool is_new;
	uint64_t uuid = pftrace_find_uuid(tracks,
		(struct pftrace_key){PFTRACE_PROCESS, pid, 0, 0}, &is_new);

	if (uuid != 0 && is_new)
		describe_process(tracks, uuid, pid, name);
	return uuid;
}

void pftrace_tracks_begin(struct pftrace_tracks *tracks, int64_t first_ns)
{
	const struct trace *trace = tracks->trace;

	pftrace_packets_begin(tracks->packets, first_ns);
	for (uint32_t i = 0; i < trace->track_count; i++) {
		const struct trace_track *track = &trace->tracks[i];

		if (track->order != 0 && find_process(tracks, track->pid,
						 track->process_name) == 0)
			tracks->packets->bytes.failed = true;
	}
}

/* The parent of a track; 0 if out of memory. */
static uint64_t find_parent(
	struct pftrace_tracks *tracks, const struct trace_track *track)
{
	uint64_t process =
		find_process(tracks, track->pid, track->process_name);
	uint64_t device;
	bool is_new;

	if (process == 0 || track->kind != TRACE_STREAM)
		return process;
	device = pftrace_find_uuid(tracks,
		(struct pftrace_key){
			PFTRACE_DEVICE, track->pid, track->device, 0},
		&is_new);
	if (device != 0 && is_new) {
		set_name(tracks, "GPU ", track->device);
		describe(tracks, device, process);
	}
	return device;
}

/* Can Perfetto use it as this thread, and is it the thread's only track? */
static bool claim_thread(
	struct pftrace_tracks *tracks, const struct trace_track *track)
{
	int64_t key[2] = {track->pid, track->tid};
	uint32_t count = strtab_count(tracks->threads);

	return track->kind == TRACE_THREAD && is_number(track->pid) &&
	       is_number(track->tid) &&
	       strtab_add(tracks->threads, (const char *)key, sizeof(key)) ==
		       count;
}

/* Describes a row of a track, or the track itself (LANES_MAIN). */
static void describe_row(struct pftrace_tracks *tracks,
	const struct pftrace_track *track, uint64_t uuid, int32_t lane)
{
	const struct trace_track *from =
		&tracks->trace->tracks[track->base.number];
	uint64_t parent = track->uuid;
	size_t begun, thread;
	struct buffer *out;

	if (lane == LANES_MAIN)
		parent = find_parent(tracks, from);
	if (parent == 0)
		tracks->packets->bytes.failed = true;
	tracks->name.used = 0;
	lanes_add_row_name(
		&tracks->name, tracks->trace, track->base.number, lane);
	if (lane != LANES_MAIN || !track->is_thread) {
		describe(tracks, uuid, parent);
		return;
	}
	out = begin_descriptor(tracks, uuid, 0, &begun);
	thread = protobuf_begin(out, DESCRIPTOR_THREAD);
	protobuf_add_int(out, THREAD_PID, from->pid);
	protobuf_add_int(out, THREAD_TID, from->tid);
	add_name(tracks, out, THREAD_THREAD_NAME);
	protobuf_end(out, thread);
	end_descriptor(tracks, begun);
}

void pftrace_track_open(
	struct pftrace_tracks *tracks, struct pftrace_track *track)
{
	const struct trace_track *from =
		&tracks->trace->tracks[track->base.number];

	track->uuid = ++tracks->last_uuid;
	track->name = from->name;
	track->process_name = from->process_name;
	track->is_thread = claim_thread(tracks, from);
	describe_row(tracks, track, track->uuid, LANES_MAIN);
}

void pftrace_track_clear(struct timeline_track *base)
{
	struct pftrace_track *track = (struct pftrace_track *)base;

	memory_free(track->lines);
	memory_free(track->lanes);
	buffer_clear(&track->held);
}

/* Names the track of a line. */
static void describe_line(struct pftrace_tracks *tracks,
	const struct pftrace_track *track, uint32_t line)
{
	uint64_t uuid = track->lines[line].uuid;
	char digits[JSON_NUMBER_MAX];
	char *end = json_put_uint(digits, (uint64_t)line + 1);

	if (uuid == track->uuid)
		return;
	if (line == 0) {
		describe_row(tracks, track, uuid, LANES_RANGES);
		return;
	}
	tracks->name.used = 0;
	lanes_add_row_name(
		&tracks->name, tracks->trace, track->base.number, LANES_MAIN);
	buffer_add_text(&tracks->name, " (ranges ");
	buffer_add(&tracks->name, digits, (size_t)(end - digits));
	buffer_add_text(&tracks->name, ")");
	describe(tracks, uuid, track->uuid);
}

void pftrace_track_rename(
	struct pftrace_tracks *tracks, struct pftrace_track *track)
{
	const struct trace_track *from =
		&tracks->trace->tracks[track->base.number];

	if (track->process_name != from->process_name) {
		track->process_name = from->process_name;
		describe_process(tracks,
			find_process(tracks, from->pid, from->process_name),
			from->pid, from->process_name);
	}
	if (track->name == from->name)
		return;
	track->name = from->name;
	describe_row(tracks, track, track->uuid, LANES_MAIN);
	for (uint32_t i = 0; i < track->line_count; i++)
		describe_line(tracks, track, i);
	for (uint32_t i = 0; i < track->lane_room; i++)
		if (track->lanes[i] != 0 && track->lanes[i] != track->uuid)
			describe_row(
				tracks, track, track->lanes[i], (int32_t)i);
}

/* The track itself if it is unused, else a new one below it. */
static uint64_t claim_uuid(
	struct pftrace_tracks *tracks, struct pftrace_track *track)
{
	if (track->is_taken)
		return ++tracks->last_uuid;
	track->is_taken = true;
	return track->uuid;
}

/* Adds a line for ranges; false if out of memory. */
static bool add_line(struct pftrace_tracks *tracks, struct pftrace_track *track)
{
	uint32_t line = track->line_count;
	struct pftrace_line *lines = memory_resize(
		track->lines, ((size_t)line + 1) * sizeof(*lines));

	if (lines == NULL)
		return false;
	track->lines = lines;
	track->line_count = line + 1;
	lines[line] = (struct pftrace_line){.free_ns = INT64_MIN};
	lines[line].uuid =
		line == 0 ? claim_uuid(tracks, track) : ++tracks->last_uuid;
	describe_line(tracks, track, line);
	return true;
}

uint64_t pftrace_track_lane(struct pftrace_tracks *tracks,
	struct pftrace_track *track, int32_t lane)
{
	uint64_t *uuid;

	if (!array_ensure_index(&track->lanes, (uint32_t)lane,
		    &track->lane_room, sizeof(*track->lanes)))
		return 0;
	uuid = &track->lanes[lane];
	if (*uuid != 0)
		return *uuid;
	*uuid = lane < LANES_HOST ? claim_uuid(tracks, track)
				  : ++tracks->last_uuid;
	if (*uuid != track->uuid)
		describe_row(tracks, track, *uuid, lane);
	return *uuid;
}

void pftrace_counter_describe(struct pftrace_tracks *tracks, uint64_t uuid,
	int64_t pid, const char *name, size_t size)
{
	uint64_t process = find_process(tracks, pid, 0);
	struct buffer *out;
	size_t begun;

	tracks->name.used = 0;
	buffer_add(&tracks->name, name, size);
	out = begin_descriptor(tracks, uuid, process, &begun);
	protobuf_end(out, protobuf_begin(out, DESCRIPTOR_COUNTER));
	end_descriptor(tracks, begun);
}

uint64_t pftrace_async_track(
	struct pftrace_tracks *tracks, const struct event *event)
{
	const struct trace *trace = tracks->trace;
	int64_t pid = trace->tracks[event->track].pid;
	uint32_t name = trace->sites[event->site].name;
	uint64_t key[3] = {(uint64_t)pid, name, event->id};
	uint64_t uuid = stable_hash(key, sizeof(key)) | ASYNC_BIT;
	uint64_t process = find_process(tracks, pid, 0);
	size_t begun;
	size_t size;
	const char *bytes = strtab_text(trace->text, name, &size);

	if (process == 0 || tracks->asyncs[uuid % ASYNCS] == uuid)
		return process == 0 ? 0 : uuid;
	tracks->asyncs[uuid % ASYNCS] = uuid;
	/* Viewers merge counters of the same name. */
	tracks->name.used = 0;
	buffer_add(&tracks->name, bytes, size);
	(void)begin_descriptor(tracks, uuid, process, &begun);
	end_descriptor(tracks, begun);
	return uuid;
}

/*
 * Nested ranges: an event where each begins, and one where it ends. The begin
 * is held back until another event on its track, so that arguments and arrows
 * can be added to it. Later ones are added to the end, and readers merge them.
 *
 * A call whose end was moved to make it nest is written with its original end:
 * ranges that overlap it go to another line.
 *
 * Memory: the held begin and late arguments of open ranges.
 */

/* Lines in addition to those needed for depth. */
#define LINES_MAX 64

static struct pftrace_range *ranges(const struct pftrace_track *track)
{
	return track->base.frames;
}

/* The innermost range's line, or the first. */
static uint32_t inner_line(const struct pftrace_track *track)
{
	uint32_t depth = track->base.depth;

	return depth == 0 ? 0 : ranges(track)[depth - 1].line;
}

void pftrace_range_clear(void *range)
{
	buffer_clear(&((struct pftrace_range *)range)->late);
}

uint64_t pftrace_range_uuid(const struct pftrace_track *track)
{
	return track->line_count == 0 ? track->uuid
				      : track->lines[inner_line(track)].uuid;
}

bool pftrace_range_flush(
	struct pftrace_tracks *tracks, struct pftrace_track *track)
{
	struct pftrace_packets *packets = tracks->packets;
	struct buffer *out;

	if (!track->is_held)
		return true;
	if (track->held.failed)
		return false;
	track->is_held = false;
	out = pftrace_event_begin(packets, PFTRACE_SLICE_BEGIN,
		track->lines[inner_line(track)].uuid, track->held_ns);
	pftrace_args_add_site(packets, out, track->held_site);
	buffer_add(out, track->held.bytes, track->held.used);
	pftrace_event_end(packets);
	return true;
}

static bool is_free(
	const struct pftrace_track *track, uint32_t line, int64_t start_ns)
{
	return line < track->line_count && track->lines[line].open == 0 &&
	       track->lines[line].free_ns <= start_ns;
}

/* Finds the line for a range that begins at `start_ns`: the enclosing range's,
 * if it nests there, or else a free one. */
static bool find_line(struct pftrace_tracks *tracks,
	struct pftrace_track *track, int64_t start_ns, uint32_t *line)
{
	uint32_t inner = inner_line(track);
	uint32_t most = LINES_MAX + track->base.depth / PFTRACE_DEPTH;

	*line = inner;
	if (track->line_count > 0 && track->lines[inner].open < PFTRACE_DEPTH &&
		track->lines[inner].free_ns <= start_ns)
		return true;
	*line = inner + 1;
	if (is_free(track, *line, start_ns))
		return true;
	for (*line = 0; *line < track->line_count && *line < LINES_MAX; ++*line)
		if (is_free(track, *line, start_ns))
			return true;
	*line = track->line_count;
	if (*line < most)
		return add_line(tracks, track);
	trace_lose(tracks->trace, LOSS_DEEP_RANGES, 1);
	*line = inner;
	return true;
}

static void extend_line(struct pftrace_line *line, int64_t time_ns)
{
	if (time_ns > line->free_ns)
		line->free_ns = time_ns;
}

bool pftrace_range_begin(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event)
{
	bool is_clipped = event->shift_ns > 0;
	struct pftrace_range *range;
	uint32_t line;

	if (!pftrace_range_flush(tracks, track) ||
		!find_line(tracks, track, event->time_ns, &line))
		return false;
	track->lines[line].open += !is_clipped;
	extend_line(&track->lines[line], event->time_ns);
	range = &ranges(track)[track->base.depth++];
	range->line = line;
	range->is_clipped = is_clipped;
	range->late.used = 0;
	if (is_clipped)
		return true;
	track->is_held = true;
	track->held_ns = event->time_ns;
	track->held_site = event->site;
	track->held.used = 0;
	pftrace_args_add(tracks->packets, &track->held, event);
	return true;
}

struct buffer *pftrace_range_fields(struct pftrace_track *track)
{
	assert(track->base.depth > 0);
	return track->is_held ? &track->held
			      : &ranges(track)[track->base.depth - 1].late;
}

bool pftrace_range_end(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event)
{
	struct pftrace_packets *packets = tracks->packets;
	int64_t end_ns = event_end(event);
	const struct pftrace_range *range;
	struct buffer *out;

	pftrace_args_add(packets, pftrace_range_fields(track), event);
	if (!pftrace_range_flush(tracks, track))
		return false;
	range = &ranges(track)[--track->base.depth];
	if (range->late.failed)
		return false;
	if (range->is_clipped)
		return true;
	track->lines[range->line].open--;
	extend_line(&track->lines[range->line], end_ns);
	out = pftrace_event_begin(packets, PFTRACE_SLICE_END,
		track->lines[range->line].uuid, end_ns);
	buffer_add(out, range->late.bytes, range->late.used);
	pftrace_event_end(packets);
	return true;
}

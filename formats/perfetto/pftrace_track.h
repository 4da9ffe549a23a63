/* SPDX-License-Identifier: MIT */
/*
 * The tracks of a Perfetto trace: their contents and names.
 *
 * Processes and threads are tracks. Everything else has its own track below
 * these: lanes of overlapping slices, lines of ranges that overlap or nest
 * deeper than Perfetto shows on one track, devices with their streams,
 * counters, and each asynchronous range. Perfetto accepts process and thread
 * numbers from 1 to 2^31 - 1, and each thread once: any other is identified by
 * its name only.
 */
#ifndef PFTRACE_TRACK_H
#define PFTRACE_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "timeline/lanes.h"
#include "perfetto/pftrace_packet.h"

/* Perfetto drops deeper slices of a track. Source:
 * src/trace_processor/importers/common/slice_tracker.cc, kMaxDepth */
#define PFTRACE_DEPTH 512

/* Slices with known ends, in lanes; each lane is a track. */
struct pftrace_lanes {
	struct lanes *lanes; /* NULL: no slice yet */
	uint64_t uuids[LANES_MAX];
};

/* A track of nested ranges. */
struct pftrace_line {
	uint64_t uuid;
	uint32_t open;   /* ranges, PFTRACE_DEPTH at most */
	int64_t free_ns; /* no range begins or ends on it later */
};

struct pftrace_range {
	uint32_t line;
	bool is_clipped;    /* its EVENT_UNCLIPPED_CALL is written instead */
	struct buffer late; /* arguments for its end */
};

/* Open ranges of a track, mostly on its first line. */
struct pftrace_stack {
	struct pftrace_line *lines;
	uint32_t line_count;
	uint32_t depth;
	struct pftrace_range *ranges; /* by depth; unused ones keep memory */
	uint32_t range_room;
	/* The innermost range, while only its own arguments and arrows have
	 * followed: `held` has the fields of its event. */
	bool is_held;
	int64_t held_ns;
	uint32_t held_site;
	struct buffer held;
};

/* Most pending arrows of a track: only overlapping activities have several. */
#define PFTRACE_FLOWS_MAX 16

/* An arrow's end: its time, and its field in TrackEvent. */
struct pftrace_flow {
	int64_t time_ns;
	uint64_t id;
	uint32_t field;
	uint32_t site;
};

/* Arrows to device activities. An activity is written when it has ended, after
 * its arrow came, so the arrow waits on its track. */
struct pftrace_flows {
	struct pftrace_flow flows[PFTRACE_FLOWS_MAX]; /* the oldest first */
	uint32_t count;
};

struct pftrace_track {
	uint64_t uuid;
	bool is_thread; /* a thread in Perfetto's sense */
	bool is_taken;  /* by ranges, or the first lane */
	bool has_ranges;
	uint32_t number;       /* in the trace */
	uint32_t name;         /* as last written */
	uint32_t process_name; /* likewise */
	int64_t epoch_ns;      /* zero of the file's times */
	int64_t last_ns;       /* times of ranges do not go below it */
	struct pftrace_stack stack;
	struct pftrace_lanes slices;
	struct pftrace_lanes host;  /* of a stream: host time */
	struct pftrace_flows flows; /* of a stream: pending */
};

/* The kinds of tracks in the file that are not tracks of the trace. */
enum pftrace_kind {
	PFTRACE_PROCESS,    /* pid */
	PFTRACE_DEVICE,     /* pid, number */
	PFTRACE_COUNTED,    /* pid, strtab numbers of its name and key */
	PFTRACE_MEMORY_SUM, /* pid, device */
};

struct pftrace_descriptor {
	uint64_t uuid;  /* 0: it is new */
	uint64_t total; /* PFTRACE_MEMORY_SUM: bytes, modulo 2^64 */
};

/* The identity of such a track. */
struct pftrace_key {
	int64_t kind;
	int64_t pid;
	int64_t number;
	int64_t part;
};

struct pftrace_tracks {
	struct pftrace_packets *packets;
	struct trace *trace;
	struct pftrace_track **tracks; /* by number; NULL: not met yet */
	uint32_t count;
	struct strtab *keys; /* struct pftrace_key */
	struct pftrace_descriptor *descriptors;
	uint32_t descriptor_room;
	struct strtab *threads; /* known to Perfetto: pid, tid */
	uint64_t *asyncs;       /* described lately */
	uint64_t last_uuid;
	struct buffer name; /* scratch */
};

/* False if out of memory; call pftrace_tracks_clear() in either case. The
 * packets are borrowed. */
bool pftrace_tracks_init(
	struct pftrace_tracks *tracks, struct pftrace_packets *packets);
void pftrace_tracks_clear(struct pftrace_tracks *tracks);

/* Begins the file, before the first event: describes processes whose order
 * matters, because viewers show them in the order of description. */
void pftrace_tracks_begin(struct pftrace_tracks *tracks, int64_t first_ns);

/* The entry of a track, described if new; NULL if out of memory. */
struct pftrace_track *pftrace_tracks_open(
	struct pftrace_tracks *tracks, uint32_t number);

/* Describes tracks again if their name became known later. */
void pftrace_tracks_rename(struct pftrace_tracks *tracks);

/* The track for a slice, in the first free lane of `lanes` (the track's slices
 * or host), and the lane's number; 0 if out of memory. */
uint64_t pftrace_track_lane(struct pftrace_tracks *tracks,
	struct pftrace_track *track, struct pftrace_lanes *lanes,
	const struct event *event, uint32_t *lane);

/* The entry with this key; `*is_new`: its uuid is new and not yet described.
 * NULL if out of memory. */
struct pftrace_descriptor *pftrace_descriptor_find(
	struct pftrace_tracks *tracks, struct pftrace_key key, bool *is_new);

/* Describes a counter below its process. */
void pftrace_counter_describe(struct pftrace_tracks *tracks, uint64_t uuid,
	int64_t pid, const char *name, size_t size);

/* The track of an asynchronous range, the same wherever it begins and ends;
 * 0 if out of memory. */
uint64_t pftrace_async_track(
	struct pftrace_tracks *tracks, const struct event *event);

/* Nested ranges. */

/* Opens a range, with the event's arguments. False if out of memory, as for all
 * below, or the packets' `bytes.failed` is set. The caller must correct times
 * that go backwards. */
bool pftrace_track_begin(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event);

/* Closes the innermost range, which must exist, at the event's time and with
 * its arguments. */
bool pftrace_track_end(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event);

/* The buffer for fields of the innermost range's event; NULL if out of
 * memory. */
struct buffer *pftrace_track_fields(struct pftrace_track *track);

/* Writes the held begin: call it before another event of the track. */
bool pftrace_track_flush(
	struct pftrace_tracks *tracks, struct pftrace_track *track);

/* The track for an instant within the innermost range. */
uint64_t pftrace_track_uuid(const struct pftrace_track *track);

#endif

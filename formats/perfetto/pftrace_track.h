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

#include "perfetto/pftrace_packet.h"
#include "timeline/timeline.h"

/* Perfetto drops deeper slices of a track. Source:
 * src/trace_processor/importers/common/slice_tracker.cc, kMaxDepth */
#define PFTRACE_DEPTH 512

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
	struct timeline_track base;
	uint64_t uuid;
	bool is_thread;        /* a thread in Perfetto's sense */
	bool is_taken;         /* by ranges, or the first lane */
	uint32_t name;         /* as last written */
	uint32_t process_name; /* likewise */
	/* Lines of the open ranges, which are mostly on the first. */
	struct pftrace_line *lines;
	uint32_t line_count;
	/* The innermost range, while only its own arguments and arrows have
	 * followed: `held` has the fields of its event. */
	bool is_held;
	int64_t held_ns;
	uint32_t held_site;
	struct buffer held;
	uint64_t *lanes; /* uuids of slices' tracks; 0: none */
	uint32_t lane_room;
	struct pftrace_flows flows; /* of a stream: pending */
};

/* The kinds of tracks in the file that are not tracks of the trace. */
enum pftrace_kind {
	PFTRACE_PROCESS,    /* pid */
	PFTRACE_DEVICE,     /* pid, number */
	PFTRACE_COUNTED,    /* pid, strtab numbers of its name and key */
	PFTRACE_MEMORY_SUM, /* pid, device */
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
	struct strtab *keys; /* struct pftrace_key */
	uint64_t *uuids;     /* by number there; 0: new */
	uint32_t uuid_room;
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

/* Describes a new track. */
void pftrace_track_open(
	struct pftrace_tracks *tracks, struct pftrace_track *track);

/* Describes tracks again if their name became known later. */
void pftrace_track_rename(
	struct pftrace_tracks *tracks, struct pftrace_track *track);

void pftrace_track_clear(struct timeline_track *track);

/* The track for slices in this lane; 0 if out of memory. */
uint64_t pftrace_track_lane(struct pftrace_tracks *tracks,
	struct pftrace_track *track, int32_t lane);

/* The uuid of the track with this key; `*is_new`: it is not yet described. 0 if
 * out of memory. */
uint64_t pftrace_find_uuid(
	struct pftrace_tracks *tracks, struct pftrace_key key, bool *is_new);

/* Describes a counter below its process. */
void pftrace_counter_describe(struct pftrace_tracks *tracks, uint64_t uuid,
	int64_t pid, const char *name, size_t size);

/* The track of an asynchronous range, the same wherever it begins and ends;
 * 0 if out of memory. */
uint64_t pftrace_async_track(
	struct pftrace_tracks *tracks, const struct event *event);

/* Nested ranges. */

void pftrace_range_clear(void *range);

/* Opens a range, with the event's arguments. False if out of memory, as for all
 * below, or the packets' `bytes.failed` is set. */
bool pftrace_range_begin(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event);

/* Closes the innermost range, which must exist, at the event's time and with
 * its arguments. */
bool pftrace_range_end(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event);

/* The buffer for fields of the innermost range's event. */
struct buffer *pftrace_range_fields(struct pftrace_track *track);

/* Writes the held begin: call it before another event of the track. */
bool pftrace_range_flush(
	struct pftrace_tracks *tracks, struct pftrace_track *track);

/* The track for an instant within the innermost range. */
uint64_t pftrace_range_uuid(const struct pftrace_track *track);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The tracks of a Perfetto trace: what stands on which, and what they are
 * called.
 *
 * A process is a track, a thread is one; all else is a track of its own below
 * these. So are the lanes of slices that overlap, lines of ranges that do so or
 * are nested deeper than Perfetto shows on one track, devices with their
 * streams, counters, and each asynchronous range. Perfetto takes numbers of processes and threads from 1 to
 * 2^31 - 1, and each thread once: what has another number is known by its name
 * only.
 */
#ifndef PFTRACE_TRACK_H
#define PFTRACE_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "timeline/lanes.h"
#include "perfetto/pftrace_packet.h"

/* Perfetto drops what is deeper on one track.
 * Source: src/trace_processor/importers/common/slice_tracker.cc, kMaxDepth */
#define PFTRACE_DEPTH 512

/* Slices whose ends are known, in lanes, each of which is a track. */
struct pftrace_lanes {
	struct lanes *lanes; /* NULL: no slice yet */
	uint64_t uuids[LANES_MAX];
};

/* A track of ranges, which nest. */
struct pftrace_line {
	uint64_t uuid;
	uint32_t open;   /* ranges, PFTRACE_DEPTH at most */
	int64_t free_ns; /* none begins or ends on it after this */
};

struct pftrace_range {
	uint32_t line;
	bool is_clipped;    /* its EVENT_UNCLIPPED_CALL is what is written */
	struct buffer late; /* arguments for its end */
};

/* Ranges that are open on a track, most of them on its first line. */
struct pftrace_stack {
	struct pftrace_line *lines;
	uint32_t line_count;
	uint32_t depth;
	struct pftrace_range *ranges; /* by depth; those above keep memory */
	uint32_t range_room;
	/* The innermost range, while nothing has come after it but what
	 * belongs to it: `held` are fields of its event. */
	bool is_held;
	int64_t held_ns;
	uint32_t held_site;
	struct buffer held;
};

/* The number of arrows that wait on a track: only activities that overlap have
 * theirs wait together. */
#define PFTRACE_FLOWS_MAX 16

/* An arrow's end: at a time, and the field that it is of TrackEvent. */
struct pftrace_flow {
	int64_t time_ns;
	uint64_t id;
	uint32_t field;
	uint32_t site;
};

/* Arrows that lead to an activity of a device, which is written when it has
 * ended, so that the arrow comes before it: it waits on its track. */
struct pftrace_flows {
	struct pftrace_flow flows[PFTRACE_FLOWS_MAX]; /* the oldest first */
	uint32_t count;
};

struct pftrace_track {
	uint64_t uuid;
	bool is_thread; /* as Perfetto knows threads */
	bool is_taken;  /* by ranges, or the first lane */
	bool has_ranges;
	uint32_t number;       /* in the trace */
	uint32_t name;         /* when it was written last */
	uint32_t process_name; /* likewise */
	int64_t epoch_ns;      /* what is 0 in the file */
	int64_t last_ns;       /* times of ranges never go below it */
	struct pftrace_stack stack;
	struct pftrace_lanes slices;
	struct pftrace_lanes host;  /* a stream's: the host's time */
	struct pftrace_flows flows; /* likewise: what waits */
};

/* What has a track, and is not one of the trace's. */
enum pftrace_kind {
	PFTRACE_PROCESS,    /* pid */
	PFTRACE_DEVICE,     /* pid, number */
	PFTRACE_COUNTED,    /* pid, strtab numbers of its name and key */
	PFTRACE_MEMORY_SUM, /* pid, device */
};

struct pftrace_thing {
	uint64_t uuid;  /* 0: it is new */
	uint64_t total; /* PFTRACE_MEMORY_SUM: bytes, modulo 2^64 */
};

/* Which of them. */
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
	struct pftrace_thing *things;
	uint32_t thing_room;
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
 * matters, since viewers show them in that of their descriptions. */
void pftrace_tracks_begin(struct pftrace_tracks *tracks, int64_t first_ns);

/* The entry of a track, described if it is new; NULL if out of memory. */
struct pftrace_track *pftrace_tracks_open(
	struct pftrace_tracks *tracks, uint32_t number);

/* Describes tracks again whose name has become known since. */
void pftrace_tracks_rename(struct pftrace_tracks *tracks);

/* Adds a line for ranges; false if out of memory. */
bool pftrace_track_add_line(
	struct pftrace_tracks *tracks, struct pftrace_track *track);

/* The track for a slice, in the first of `lanes` (the track's slices, or host)
 * that has room, and that lane's number; 0 if out of memory. */
uint64_t pftrace_track_lane(struct pftrace_tracks *tracks,
	struct pftrace_track *track, struct pftrace_lanes *lanes,
	const struct event *event, uint32_t *lane);

/* The entry of what has this key; `*is_new` says that its uuid is, and that
 * nothing describes it yet. NULL if out of memory. */
struct pftrace_thing *pftrace_thing_find(
	struct pftrace_tracks *tracks, struct pftrace_key key, bool *is_new);

/* Describes a counter below its process. */
void pftrace_counter_describe(struct pftrace_tracks *tracks, uint64_t uuid,
	int64_t pid, const char *name, size_t size);

/* The track of an asynchronous range, the same wherever it begins and ends;
 * 0 if out of memory. */
uint64_t pftrace_async_track(
	struct pftrace_tracks *tracks, const struct event *event);

#endif

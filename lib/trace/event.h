/* SPDX-License-Identifier: MIT */
/*
 * Events: what happened when, on which track; and event sources. Sources are
 * pulled, writers are pushed, and one loop (formats/convert.c) joins them.
 */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/trace.h"

enum event_kind {
	EVENT_BEGIN,    /* site; opens a range on the track */
	EVENT_END,      /* closes the innermost open range */
	EVENT_ARGS,     /* args belong to the innermost open range */
	EVENT_COMPLETE, /* site, dur_ns; does not nest */
	/* Does not nest either: a call that overlaps ranges, at its real time.
	 * Its BEGIN comes later, clipped, so the shift_ns of BEGIN would arrive
	 * too late for writers, which get events in order of time. They show
	 * this event and skip the clipped range, which a cut trace may lack;
	 * counts of calls skip this event. If only the END of a call is
	 * clipped, there is no such event: its shift_ns has the real length. */
	EVENT_UNCLIPPED_CALL,
	EVENT_ASYNC_BEGIN, /* site, id; matched by (site name, id) */
	EVENT_ASYNC_END,   /* site, id; may be on another track */
	EVENT_INSTANT,     /* site */
	EVENT_COUNTER,     /* site; value in args[0], whose key may be empty */
	EVENT_ALLOC,       /* id (the address), bytes, device */
	EVENT_FREE,        /* likewise */
	EVENT_STEP,        /* site (the requester), id (the global step) */
	/* The innermost open range is a device API call; the activities that it
	 * causes follow later and have the same `id`. */
	EVENT_CORRELATION,
	/* A device activity, on the device's track: site, dur_ns, args; bytes,
	 * if it moved any; id is that of the call that caused it (0: none). */
	EVENT_ACTIVITY,
	/* site, id, flow: start, step or end of an arrow; bound to the
	 * innermost open range. */
	EVENT_FLOW,
	EVENT_KINDS
};

enum event_flow { FLOW_START, FLOW_STEP, FLOW_END };

struct event {
	enum event_kind kind;
	uint32_t track;
	uint32_t site;   /* TRACE_NONE for kinds without a site */
	int32_t device;  /* -1: the host */
	int64_t time_ns; /* since trace->base_realtime_ns; may be negative */
	uint64_t
		dur_ns; /* EVENT_COMPLETE, EVENT_UNCLIPPED_CALL, EVENT_ACTIVITY; else 0 */
	/* EVENT_BEGIN: how much earlier the call began than `time_ns`;
	 * EVENT_END: how much later it ended. The call was clipped so that it
	 * nests, see EVENT_UNCLIPPED_CALL. Else 0. */
	uint64_t shift_ns;
	uint64_t id;
	uint64_t bytes;
	enum event_flow flow; /* EVENT_FLOW */
	uint32_t arg_count;
	const struct event_arg *args; /* borrowed until the next call */
};

/* Consecutive ranges' begins and ends of a track, without anything but their
 * times. */
struct event_run {
	uint32_t track;
	uint32_t count;
	const uint32_t *sites; /* TRACE_NONE: an end */
	const int64_t *times_ns;
};

/*
 * A stream of events. On each track, BEGIN and END are in order of time; tracks
 * are interleaved as in the input. The tables in `trace` grow while events are
 * read, and always contain an event's site and track before the event.
 */
struct profile;

struct event_source {
	/* The source that this one wraps; NULL: none. */
	struct event_source *inner;

	struct trace *trace; /* the source's; borrowed until close() */

	/* The format's name if only reading could identify it; else NULL. */
	const char *format;

	/* Returns the next event; CTP_END after the last. Damage is not an
	 * error: it is counted in trace->losses, and reading continues after
	 * it. */
	enum ctp_status (*next)(struct event_source *source,
		struct event *event, struct ctp_error *err);

	/*
	 * The first returns the events that next() would return one by one, if
	 * they are a run that is read already; else the count is 0. The second
	 * takes them all. Both are NULL if the source has no runs. A run is
	 * borrowed until the next call.
	 */
	void (*peek_run)(struct event_source *source, struct event_run *run);
	void (*take_run)(struct event_source *source);

	/*
	 * For an input of sums without events: reads it to its end and returns
	 * the profile; free it with profile_free(). NULL if the input has
	 * events.
	 *
	 * Errors: CTP_ERR_NOMEM, CTP_ERR_IO, CTP_ERR_FORMAT.
	 */
	enum ctp_status (*read_profile)(struct event_source *source,
		struct profile **out, struct ctp_error *err);

	/*
	 * For an input that still grows; both are NULL if the format does not
	 * support it. With `on`, CTP_END means the current end: an incomplete
	 * item is kept, and the next call of next() continues. The second
	 * returns whether the input is complete.
	 */
	void (*follow)(struct event_source *source, bool on);
	bool (*is_whole)(const struct event_source *source);

	/* Bytes of input used so far, for progress. */
	uint64_t (*position)(const struct event_source *source);

	/* Frees the source and its trace. */
	void (*close)(struct event_source *source);
};

/* An event of a run. */
struct event event_run_get(const struct event_run *run, uint32_t index);

/* Makes it a wrapper of `inner`, with the same trace, format and position;
 * `close` has to close the inner source. */
void event_source_wrap(struct event_source *source, struct event_source *inner,
	enum ctp_status (*next)(struct event_source *source,
		struct event *event, struct ctp_error *err),
	void (*close)(struct event_source *source));

/* Makes `*to` a copy of `*from` with its own arguments, which
 * event_copy_clear() frees. False if out of memory; there are no arguments
 * then. */
bool event_copy(struct event *to, const struct event *from);
void event_copy_clear(struct event *event);

/* The argument with this key; NULL if it is missing. */
const struct event_arg *event_find_arg(
	const struct trace *trace, const struct event *event, const char *key);

/* End time of an event with a duration; for an EVENT_END, the range's end
 * before clipping. */
int64_t event_end(const struct event *event);

/* First in, first out. All zero is an empty queue; arguments are borrowed. */
struct event_queue {
	struct event *items;
	size_t count;
	size_t taken;
	size_t room;
};

/* False if out of memory. */
bool event_queue_add(struct event_queue *queue, const struct event *event);

/* False if the queue is empty. */
bool event_queue_pop(struct event_queue *queue, struct event *event);

void event_queue_clear(struct event_queue *queue);

#endif

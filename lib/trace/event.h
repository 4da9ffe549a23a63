/* SPDX-License-Identifier: MIT */
/*
 * What happened when, on which track; and where events come from. Sources are
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
	EVENT_COMPLETE, /* site, dur_ns; takes no part in the nesting */
	/* Likewise: a call that overlaps ranges without nesting, with its real
	 * times. Its BEGIN, which comes later, and its END are clipped so that
	 * they nest. A consumer that shows times takes this event and skips the
	 * clipped range; one that counts calls skips this event. A cut trace may
	 * lack the clipped range. A call whose END alone is clipped has no such
	 * event: shift_ns of its END tells its real length. */
	EVENT_UNCLIPPED_CALL,
	EVENT_ASYNC_BEGIN, /* site, id; matched by (site name, id) */
	EVENT_ASYNC_END,   /* site, id; may be on another track */
	EVENT_INSTANT,     /* site */
	EVENT_COUNTER,     /* site; value in args[0], whose key may be empty */
	EVENT_ALLOC,       /* id is the address; bytes, device */
	EVENT_FREE,        /* likewise */
	EVENT_STEP,        /* site is the requester; id the global step */
	/* The innermost open range is a call of a device's API; the activities
	 * that it causes have its `id`, and come later. */
	EVENT_CORRELATION,
	/* What a device did, on a track of its own: site, dur_ns, args; bytes,
	 * if it moved any; id ties it to the call that caused it (0: none). */
	EVENT_ACTIVITY,
	/* site, id, flow: an arrow that leads from here, over here or to here;
	 * bound to the range that is open innermost. */
	EVENT_FLOW,
	EVENT_KINDS
};

enum event_flow { FLOW_START, FLOW_STEP, FLOW_END };

struct event {
	enum event_kind kind;
	uint32_t track;
	uint32_t site;   /* TRACE_NONE where the kind has none */
	int32_t device;  /* -1: the host */
	int64_t time_ns; /* since trace->base_realtime_ns; may be negative */
	uint64_t
		dur_ns; /* EVENT_COMPLETE, EVENT_UNCLIPPED_CALL, EVENT_ACTIVITY; else 0 */
	/* Of an EVENT_BEGIN, how much earlier the call began than `time_ns`; of
	 * an EVENT_END, how much later it ended: it was clipped so that it
	 * nests, see EVENT_UNCLIPPED_CALL. Else 0. */
	uint64_t shift_ns;
	uint64_t id;
	uint64_t bytes;
	enum event_flow flow; /* EVENT_FLOW */
	uint32_t arg_count;
	const struct event_arg *args; /* borrowed until the next call */
};

/*
 * A stream of events. Per track, BEGIN and END come in order of time; tracks
 * are interleaved as the input has them. The tables in `trace` grow while
 * events are read: an event's site and track are always there already.
 */
struct profile;

struct event_source {
	/* The one that this one is around; NULL: none. */
	struct event_source *inner;

	struct trace *trace; /* the source's; borrowed until close() */

	/* The name of the format, where it took reading to tell it from
	 * others; else NULL. */
	const char *format;

	/* The next event; CTP_END after the last. Damage is not an error: it
	 * is counted in trace->losses and reading goes on after it. */
	enum ctp_status (*next)(struct event_source *source,
		struct event *event, struct ctp_error *err);

	/*
	 * For an input that holds sums, and no events: reads it to its end, and
	 * gives them; free them with profile_free(). NULL where there are
	 * events.
	 *
	 * Errors: CTP_ERR_NOMEM, CTP_ERR_IO, CTP_ERR_FORMAT.
	 */
	enum ctp_status (*read_profile)(struct event_source *source,
		struct profile **out, struct ctp_error *err);

	/*
	 * For an input that still grows; both are NULL where the format cannot
	 * tell. With `on`, CTP_END means the end so far: what may be the
	 * beginning of something is kept, and next() goes on when called again.
	 * Is the input whole, so that nothing more is to come?
	 */
	void (*follow)(struct event_source *source, bool on);
	bool (*is_whole)(const struct event_source *source);

	/* Bytes of input used so far, for progress. */
	uint64_t (*position)(const struct event_source *source);

	/* Frees the source and its trace. */
	void (*close)(struct event_source *source);
};

/* Makes it one around `inner`: its trace, format and position are that one's,
 * and `close` has to close it. */
void event_source_wrap(struct event_source *source, struct event_source *inner,
	enum ctp_status (*next)(struct event_source *source,
		struct event *event, struct ctp_error *err),
	void (*close)(struct event_source *source));

/* Makes `*to` an event like `*from`, with arguments of its own, which
 * event_copy_clear() frees. False if out of memory: then there are none. */
bool event_copy(struct event *to, const struct event *from);
void event_copy_clear(struct event *event);

/* The moment at which an event with a duration ends, or at which the range of an
 * EVENT_END ended before it was clipped. */
int64_t event_end(const struct event *event);

/* First in, first out. All zero is an empty one; arguments are borrowed. */
struct event_queue {
	struct event *items;
	size_t count;
	size_t taken;
	size_t room;
};

/* False if out of memory. */
bool event_queue_add(struct event_queue *queue, const struct event *event);

/* False if there is none. */
bool event_queue_pop(struct event_queue *queue, struct event *event);

void event_queue_clear(struct event_queue *queue);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The part that all writers of timelines have in common. A format's writer is a
 * struct that begins with `struct timeline`, and a `struct timeline_form` with
 * functions for what only the format knows. These write a range's begin and
 * end, a slice in its lane, or an instant.
 *
 * The layer finds the track of an event, and opens a new one. It sets where a
 * track's time begins, and corrects times that go backwards. It drops ends and
 * arguments without a range, and ends open ranges. It puts slices into lanes,
 * and finds the call that caused an activity. It counts all that cannot be
 * shown.
 *
 * Memory: tracks, open ranges, lanes.h, and CORRELATION_LIMIT calls.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/strtab.h"
#include "format.h"
#include "timeline/lanes.h"
#include "trace/correlation.h"
#include "trace/event.h"

/* Names and categories that writers look for. */
enum timeline_word {
	WORD_KERNEL,
	WORD_COPY,
	WORD_SET,
	WORD_MEMORY,
	WORD_WAIT,
	WORD_OVERHEAD,
	WORD_CAUSE, /* Kineto's arrows, which our own replace */
	TIMELINE_WORDS
};

/* A format's own struct may begin with it. */
struct timeline_track {
	uint32_t number;  /* in the trace */
	uint32_t depth;   /* open ranges; changed by the format's functions */
	bool has_ranges;  /* or calls that overlap them */
	int64_t epoch_ns; /* zero of the file's times */
	int64_t last_ns;  /* times of ranges do not go below it */
	void *frames;     /* of open ranges, see timeline_form.frame_bytes */
	uint32_t frame_room;
	struct lanes *lanes[LANES_ALL / LANES_MAX]; /* NULL: no slice yet */
};

struct timeline {
	struct timeline_writer writer; /* first: callers hold a pointer to it */
	const struct timeline_form *form;
	FILE *out;
	struct trace *trace;
	struct format_options options;
	struct timeline_track **tracks; /* by number; NULL: no event yet */
	uint32_t track_count;
	bool begun;
	const bool *failed; /* the format's buffer lacks memory; may be NULL */
	/* A failure other than CTP_ERR_NOMEM, and where to describe it. */
	enum ctp_status status;
	struct ctp_error *err;
	struct correlation *causes; /* calls, with values of the format */
	/* Bytes held by process and device, modulo 2^64: may be negative if
	 * memory from before the trace is freed. */
	struct strtab *holders;
	uint64_t *held;
	uint32_t held_room;
	uint32_t words[TIMELINE_WORDS]; /* strtab numbers in the trace */
};

typedef bool timeline_add_fn(struct timeline *timeline,
	struct timeline_track *track, const struct event *event);

/* The functions of a writer that shows each kind of event. */
#define TIMELINE_ADDERS(unclipped_call) \
	{ \
		[EVENT_BEGIN] = add_begin, [EVENT_END] = add_end, \
		[EVENT_ARGS] = add_args, [EVENT_COMPLETE] = add_complete, \
		[EVENT_UNCLIPPED_CALL] = (unclipped_call), \
		[EVENT_ASYNC_BEGIN] = add_async, \
		[EVENT_ASYNC_END] = add_async, [EVENT_INSTANT] = add_instant, \
		[EVENT_COUNTER] = add_counter, [EVENT_ALLOC] = add_memory, \
		[EVENT_FREE] = add_memory, [EVENT_STEP] = add_step, \
		[EVENT_CORRELATION] = add_correlation, \
		[EVENT_ACTIVITY] = add_activity, [EVENT_FLOW] = add_flow, \
	}

/* A format's functions. They return false if out of memory, or after another
 * failure, which timeline->status describes. */
struct timeline_form {
	size_t bytes;       /* of the struct that begins with the timeline */
	size_t track_bytes; /* likewise for a track */
	/* track->frames has one for each open range. It is zero at first, but
	 * the memory of an ended range is used again. */
	size_t frame_bytes;
	bool keeps_times; /* no epochs: the file has the trace's own times */
	bool keeps_apart; /* see lanes_keep_apart() */
	uint32_t skipped; /* bits of kinds that are not even counted */
	uint32_t words;   /* bits of those needed */
	bool (*init)(struct timeline *timeline);
	/* Before the first event, which is at `first_ns`, or the end. May be
	 * NULL, as may the next three. */
	void (*begin_file)(struct timeline *timeline, int64_t first_ns);
	bool (*open_track)(
		struct timeline *timeline, struct timeline_track *track);
	/* After the last event: of a track, and of an open range of it, which
	 * is then ended. */
	bool (*finish_track)(
		struct timeline *timeline, struct timeline_track *track);
	bool (*mark_open)(
		struct timeline *timeline, struct timeline_track *track);
	/*
	 * By kind; NULL: counted as not shown. Times of EVENT_BEGIN and
	 * EVENT_END are in order and those of the file; for the others see
	 * timeline_time(). A begin finds its frame at `depth`, which it
	 * increases. Ends, arguments and correlations have an open range.
	 */
	timeline_add_fn *const *add;
	bool (*finish)(struct timeline *timeline);
	uint64_t (*pending)(const struct timeline_writer *writer);
	/* The first two may be NULL. The last is called after them, and also
	 * if init() failed. */
	void (*clear_frame)(void *frame);
	void (*clear_track)(struct timeline_track *track);
	void (*clear)(struct timeline *timeline);
};

/* As new_timeline of `struct format`. */
enum ctp_status timeline_new(const struct timeline_form *form, FILE *out,
	struct trace *trace, const struct format_options *options,
	struct timeline_writer **writer, struct ctp_error *err);

/* Passes on a status as a format's function must return it. */
bool timeline_check(struct timeline *timeline, enum ctp_status status);

/* The slow path of timeline_find_track(). */
struct timeline_track *timeline_open_track(
	struct timeline *timeline, uint32_t number);

/* The entry of a track, opened if new; NULL if out of memory. */
static inline struct timeline_track *timeline_find_track(
	struct timeline *timeline, uint32_t number)
{
	if (__builtin_expect(number < timeline->track_count &&
				     timeline->tracks[number] != NULL,
		    1))
		return timeline->tracks[number];
	return timeline_open_track(timeline, number);
}

/* Sets the track's epoch before its first range or call. */
void timeline_open_ranges(struct timeline *timeline,
	struct timeline_track *track, int64_t first_ns);

/* A time of the track in the file. */
static inline int64_t timeline_time(
	const struct timeline_track *track, int64_t time_ns)
{
	int64_t since_ns;

	return __builtin_sub_overflow(time_ns, track->epoch_ns, &since_ns)
		       ? INT64_MIN
		       : since_ns;
}

/* The lane for the next slice, of those from `first` on, see lanes.h; the
 * second function also counts a slice that could not nest. False if out of
 * memory. */
bool timeline_place(struct timeline *timeline, struct timeline_track *track,
	const struct event *slice, int32_t first, int32_t *lane);
bool timeline_place_slice(struct timeline *timeline,
	struct timeline_track *track, const struct event *slice, int32_t first,
	int32_t *lane);

/* Is it driver overhead? Is it host time on a stream, which is overhead or a
 * wait for it, and overlaps the stream's activities? */
bool timeline_is_overhead(
	const struct timeline *timeline, const struct event *event);
bool timeline_is_host(
	const struct timeline *timeline, const struct event *event);

/* Remembers a call with the format's value. False if out of memory. */
bool timeline_add_cause(
	struct timeline *timeline, const struct event *event, uint64_t value);

/* Finds the value of the call that caused an activity with an id; false if it
 * is unknown, which is counted for a stream's. */
bool timeline_find_cause(
	struct timeline *timeline, const struct event *event, uint64_t *value);

/* The bytes held on a device, or the host, after an EVENT_ALLOC or EVENT_FREE
 * of the process `pid`. False if out of memory. */
bool timeline_hold(struct timeline *timeline, const struct event *event,
	int64_t pid, uint64_t *total);

/* Their counter's name. */
#define TIMELINE_HELD_NAME_MAX 64
void timeline_held_name(char name[TIMELINE_HELD_NAME_MAX], int32_t device);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A range is known to be long enough when it ends, or once enough time has
 * passed on its track. Until then it waits, with the events bound to it;
 * instants within it do not wait.
 */
#include "transform/event_filter.h"

#include <string.h>

#include "trace/event.h"
#include "base/memory.h"
#include "trace/open_ranges.h"
#include "base/saturate.h"

enum match { UNKNOWN, CHOSEN, LEFT_OUT };

struct event_filter {
	struct event_source source; /* first member: callers hold a pointer to
				     * it */
	const struct event_filter_options *options;
	uint8_t *tracks; /* enum match */
	uint32_t track_room;
	uint8_t *sites;
	uint32_t site_room;
	bool ended;
	struct event_queue queue;
	struct open_ranges ranges;
	struct open_asyncs asyncs;
};

/* Whether the number is in the list, or there is no list. */
static bool list_has(const struct event_filter_list *list, int64_t number)
{
	for (size_t i = 0; i < list->count; i++)
		if (number >= list->ranges[i].first &&
			number <= list->ranges[i].last)
			return true;
	return !list->given;
}

/* Reads the number in `text` after `key`. */
static bool find_number(const char *text, const char *key, int64_t *number)
{
	const char *at = text == NULL ? NULL : strstr(text, key);

	if (at == NULL)
		return false;
	at += strlen(key);
	at += strspn(at, ": ");
	if (*at < '0' || *at > '9')
		return false;
	*number = 0;
	for (; *at >= '0' && *at <= '9' && *number < INT32_MAX; at++)
		*number = *number * 10 + (*at - '0');
	return true;
}

/* Takes the rank from the process name of a merged trace ("rank 3: python"),
 * else the rank that PyTorch's profiler recorded. */
static bool find_rank(const struct trace *trace,
	const struct trace_track *track, int64_t *rank)
{
	const char *name = strtab_text(trace->text, track->process_name, NULL);

	if (strncmp(name, "rank ", 5) == 0 && find_number(name, "rank", rank))
		return true;
	return find_number(
		trace_find_fact(trace, TRACE_DISTRIBUTED), "\"rank\"", rank);
}

static bool judge_track(
	const struct event_filter *event_filter, uint32_t number)
{
	const struct event_filter_options *options = event_filter->options;
	const struct trace *trace = event_filter->source.trace;
	const struct trace_track *track = &trace->tracks[number];
	int64_t rank;

	if (!list_has(&options->pids, track->pid))
		return false;
	if (options->ranks.given && (!find_rank(trace, track, &rank) ||
					    !list_has(&options->ranks, rank)))
		return false;
	return track->kind == TRACE_STREAM
		       ? list_has(&options->devices, track->device)
		       : list_has(&options->tids, track->tid);
}

/* Whether the list, separated by commas, contains this word. */
static bool is_listed(const char *list, const char *word, size_t size)
{
	for (;;) {
		const char *end = strchrnul(list, ',');

		if ((size_t)(end - list) == size &&
			memcmp(list, word, size) == 0)
			return true;
		if (*end == '\0')
			return false;
		list = end + 1;
	}
}

/* A site may have several categories, separated by commas. */
static bool judge_site(const struct event_filter *event_filter, uint32_t number)
{
	const struct trace *trace = event_filter->source.trace;
	const char *word =
		strtab_text(trace->text, trace->sites[number].category, NULL);

	for (;;) {
		const char *end = strchrnul(word, ',');

		if (is_listed(event_filter->options->categories, word,
			    (size_t)(end - word)))
			return true;
		if (*end == '\0')
			return false;
		word = end + 1;
	}
}

/* Whether the event's site has a selected category. */
static bool has_category(struct event_filter *event_filter,
	const struct event *event, bool *chosen)
{
	uint8_t *match;

	*chosen = true;
	if (event_filter->options->categories == NULL ||
		event->site == TRACE_NONE)
		return true;
	if (!array_ensure_index(&event_filter->sites, event->site,
		    &event_filter->site_room, 1))
		return false;
	match = &event_filter->sites[event->site];
	if (*match == UNKNOWN)
		*match = judge_site(event_filter, event->site) ? CHOSEN
							       : LEFT_OUT;
	*chosen = *match == CHOSEN;
	return true;
}

static bool has_track(struct event_filter *event_filter,
	const struct event *event, bool *chosen)
{
	uint8_t *match;

	if (!array_ensure_index(&event_filter->tracks, event->track,
		    &event_filter->track_room, 1))
		return false;
	match = &event_filter->tracks[event->track];
	if (*match == UNKNOWN)
		*match = judge_track(event_filter, event->track) ? CHOSEN
								 : LEFT_OUT;
	*chosen = *match == CHOSEN;
	if (*chosen && event->device >= 0)
		*chosen = list_has(
			&event_filter->options->devices, event->device);
	return true;
}

static bool is_short(
	const struct event_filter *event_filter, uint64_t length_ns)
{
	if (length_ns >= event_filter->options->min_ns)
		return false;
	trace_lose(event_filter->source.trace, LOSS_SHORT_RANGES, 1);
	return true;
}

static uint64_t length(int64_t begin_ns, int64_t end_ns)
{
	return end_ns > begin_ns ? (uint64_t)end_ns - (uint64_t)begin_ns : 0;
}

/* The real time since the range began. */
static uint64_t lasted(const struct event *begin, int64_t now_ns)
{
	return saturate_sum(length(begin->time_ns, now_ns), begin->shift_ns);
}

/* Queues the waiting ranges that are long enough by now, outermost first: an
 * inner range is never longer than its outer one. */
static bool show_ranges(struct event_filter *event_filter,
	struct open_track *track, int64_t now_ns)
{
	bool done = true;

	for (; track->shown < track->depth && done; track->shown++) {
		struct open_range *range = &track->ranges[track->shown];

		if (range->hidden)
			continue;
		if (lasted(&range->begin, now_ns) <
			event_filter->options->min_ns)
			break;
		range->shown = true;
		done = event_queue_add(&event_filter->queue, &range->begin);
		for (uint32_t i = 0; i < range->bound_count && done; i++)
			done = event_queue_add(
				&event_filter->queue, &range->bound[i]);
	}
	return done;
}

static bool begin_range(struct event_filter *event_filter,
	struct open_track *track, const struct event *event)
{
	struct open_range *range;
	bool chosen;

	if (!has_category(event_filter, event, &chosen) ||
		!show_ranges(event_filter, track, event->time_ns))
		return false;
	range = open_track_push(track, event);
	if (range == NULL)
		return false;
	range->hidden = !chosen;
	return show_ranges(event_filter, track, event->time_ns);
}

static bool end_range(struct event_filter *event_filter,
	struct open_track *track, const struct event *event)
{
	const struct open_range *top = open_track_top(track);
	bool done = true;

	if (top == NULL)
		return event_queue_add(&event_filter->queue, event);
	if (!show_ranges(event_filter, track, event_end(event)))
		return false;
	if (top->shown)
		done = event_queue_add(&event_filter->queue, event);
	else if (!top->hidden && top->begin.shift_ns == 0)
		trace_lose(event_filter->source.trace, LOSS_SHORT_RANGES, 1);
	open_track_pop(track);
	return done;
}

/* An event of the innermost range is shown or hidden with it. */
static bool add_bound(struct event_filter *event_filter,
	struct open_track *track, const struct event *event)
{
	struct open_range *top = open_track_top(track);
	bool chosen = true;

	if (event->kind == EVENT_FLOW &&
		!has_category(event_filter, event, &chosen))
		return false;
	if (!chosen || (top != NULL && top->hidden))
		return true;
	if (top == NULL || top->shown)
		return event_queue_add(&event_filter->queue, event);
	return open_range_bind(top, event);
}

static bool filter_nested(
	struct event_filter *event_filter, const struct event *event)
{
	struct open_track *track =
		open_ranges_track(&event_filter->ranges, event->track);

	if (track == NULL)
		return false;
	if (event->kind == EVENT_BEGIN)
		return begin_range(event_filter, track, event);
	if (event->kind == EVENT_END)
		return end_range(event_filter, track, event);
	return add_bound(event_filter, track, event);
}

static bool begin_async(
	struct event_filter *event_filter, const struct event *event)
{
	return open_asyncs_add(&event_filter->asyncs,
		       event_filter->source.trace, event) != NULL;
}

/* An end without a begin is passed on. */
static bool end_async(
	struct event_filter *event_filter, const struct event *event)
{
	const struct open_async *async = open_asyncs_remove(
		&event_filter->asyncs, event_filter->source.trace, event);

	if (async != NULL) {
		if (is_short(event_filter,
			    length(async->begin.time_ns, event->time_ns)))
			return true;
		if (!event_queue_add(&event_filter->queue, &async->begin))
			return false;
	}
	return event_queue_add(&event_filter->queue, event);
}

/* Filters an event that does not nest. */
static bool filter_unnested(
	struct event_filter *event_filter, const struct event *event)
{
	bool waits = event_filter->options->min_ns > 0;
	bool chosen;

	if (!has_category(event_filter, event, &chosen))
		return false;
	if (!chosen)
		return true;
	if (waits && event->kind == EVENT_ASYNC_BEGIN)
		return begin_async(event_filter, event);
	if (waits && event->kind == EVENT_ASYNC_END)
		return end_async(event_filter, event);
	if ((event->kind == EVENT_COMPLETE ||
		    event->kind == EVENT_UNCLIPPED_CALL ||
		    event->kind == EVENT_ACTIVITY) &&
		is_short(event_filter, event->dur_ns))
		return true;
	return event_queue_add(&event_filter->queue, event);
}

static bool add_event(
	struct event_filter *event_filter, const struct event *event)
{
	bool chosen;

	if (!has_track(event_filter, event, &chosen))
		return false;
	if (!chosen)
		return true;
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
	case EVENT_ARGS:
	case EVENT_CORRELATION:
	case EVENT_FLOW:
		return filter_nested(event_filter, event);
	default:
		return filter_unnested(event_filter, event);
	}
}

/* Keeps unended ranges, whose duration is unknown. */
static bool finish(struct event_filter *event_filter)
{
	bool done = true;

	event_filter->ended = true;
	for (uint32_t i = 0; i < event_filter->ranges.room && done; i++)
		done = show_ranges(event_filter,
			&event_filter->ranges.tracks[i], INT64_MAX);
	for (uint32_t i = event_filter->asyncs.first; i != 0 && done;) {
		const struct open_async *async =
			&event_filter->asyncs.items[i - 1];

		i = async->after;
		done = event_queue_add(&event_filter->queue, &async->begin);
	}
	return done;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct event_filter *event_filter = (struct event_filter *)source;
	bool done;

	while (!event_queue_pop(&event_filter->queue, event)) {
		struct event taken;
		enum ctp_status status;

		if (event_filter->ended)
			return CTP_END;
		status = event_filter->source.inner->next(
			event_filter->source.inner, &taken, err);
		if (status == CTP_OK)
			done = add_event(event_filter, &taken);
		else if (status == CTP_END)
			done = finish(event_filter);
		else
			return status;
		if (!done)
			return ctp_no_memory(err);
	}
	return CTP_OK;
}

static void close_filter(struct event_source *source)
{
	struct event_filter *event_filter = (struct event_filter *)source;

	event_queue_clear(&event_filter->queue);
	open_ranges_clear(&event_filter->ranges);
	open_asyncs_clear(&event_filter->asyncs);
	memory_free(event_filter->tracks);
	memory_free(event_filter->sites);
	event_filter->source.inner->close(event_filter->source.inner);
	memory_free(event_filter);
}

enum ctp_status event_filter_open(struct event_source *inner,
	const struct event_filter_options *options, struct event_source **out,
	struct ctp_error *err)
{
	struct event_filter *event_filter =
		memory_new_zeroed(1, sizeof(*event_filter));

	if (event_filter == NULL)
		return ctp_no_memory(err);
	event_source_wrap(&event_filter->source, inner, next, close_filter);
	event_filter->options = options;
	*out = &event_filter->source;
	return CTP_OK;
}

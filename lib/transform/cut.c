/* SPDX-License-Identifier: MIT */
/*
 * An event with a duration cannot be returned at its start if the end of the
 * part is unknown: it waits until it or the part ends. Writers accept slices
 * ordered by start or by end.
 *
 * A call that began before the part and nests later (EVENT_UNCLIPPED_CALL) is
 * returned at the end of the part, clipped to it: when a profile is made of the
 * file, events that begin together with the reopened ranges have to follow
 * these.
 *
 * A range is reopened not at the start of the part but with the next event on
 * its track: a range that ends at that time was complete in the previous part.
 */
#include "transform/cut.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/event.h"
#include "trace/open_ranges.h"

/* ---- events by their end ---- */

/* All zero is an empty queue. */
struct end_queue {
	struct event *items; /* a heap; their arguments are owned */
	size_t count;
	size_t room;
};

/* Bound on the calls searched; real traces do not have more at one moment. */
#define CALLS_SEARCHED 1024

static void end_queue_clear(struct end_queue *queue)
{
	for (size_t i = 0; i < queue->count; i++)
		event_copy_clear(&queue->items[i]);
	memory_free(queue->items);
	*queue = (struct end_queue){0};
}

static void swap(struct event *a, struct event *b)
{
	struct event other = *a;

	*a = *b;
	*b = other;
}

static bool ends_before(const struct event *a, const struct event *b)
{
	return event_end(a) < event_end(b);
}

static void rise(struct end_queue *queue, size_t at)
{
	for (; at > 0; at = (at - 1) / 2) {
		struct event *parent = &queue->items[(at - 1) / 2];

		if (!ends_before(&queue->items[at], parent))
			break;
		swap(&queue->items[at], parent);
	}
}

static void sink(struct end_queue *queue, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= queue->count)
			break;
		if (child + 1 < queue->count &&
			ends_before(
				&queue->items[child + 1], &queue->items[child]))
			child++;
		if (!ends_before(&queue->items[child], &queue->items[at]))
			break;
		swap(&queue->items[child], &queue->items[at]);
		at = child;
	}
}

/* Adds a copy; false if out of memory. */
static bool end_queue_add(struct end_queue *queue, const struct event *event)
{
	if (!array_reserve(&queue->items, queue->count, &queue->room,
		    sizeof(*queue->items)))
		return false;
	if (!event_copy(&queue->items[queue->count], event))
		return false;
	rise(queue, queue->count++);
	return true;
}

/* Returns the event that ends first; NULL if the queue is empty. */
static const struct event *end_queue_first(const struct end_queue *queue)
{
	return queue->count == 0 ? NULL : queue->items;
}

/* Removes the event that ends first. The caller frees its arguments. */
static struct event end_queue_pop(struct end_queue *queue)
{
	struct event first = queue->items[0];

	assert(queue->count > 0);
	queue->items[0] = queue->items[--queue->count];
	sink(queue, 0);
	return first;
}

/* Removes the EVENT_UNCLIPPED_CALL of this clipped BEGIN; false if it is not in
 * the queue. The caller frees its arguments. */
static bool end_queue_pop_call(
	struct end_queue *queue, const struct event *begin, struct event *call)
{
	for (size_t i = 0; i < queue->count && i < CALLS_SEARCHED; i++) {
		struct event *item = &queue->items[i];

		if (item->kind != EVENT_UNCLIPPED_CALL ||
			item->track != begin->track ||
			item->site != begin->site ||
			(uint64_t)begin->time_ns - (uint64_t)item->time_ns !=
				begin->shift_ns)
			continue;
		*call = *item;
		*item = queue->items[--queue->count];
		if (i < queue->count) {
			sink(queue, i);
			rise(queue, i);
		}
		return true;
	}
	return false;
}

/* Restores the heap order, by end time. */
static void end_queue_restore(struct end_queue *queue)
{
	for (size_t i = queue->count / 2; i > 0; i--)
		sink(queue, i - 1);
}

/* Moves every EVENT_UNCLIPPED_CALL; false if out of memory. */
static bool end_queue_move_calls(struct end_queue *from, struct end_queue *to)
{
	size_t kept = 0;
	bool done = true;

	for (size_t i = 0; i < from->count; i++) {
		struct event *item = &from->items[i];

		if (done && item->kind == EVENT_UNCLIPPED_CALL) {
			done = end_queue_add(to, item);
			event_copy_clear(item);
		} else {
			from->items[kept++] = *item;
		}
	}
	from->count = kept;
	end_queue_restore(from);
	return done;
}

/* Enclosing events first. */
static int compare(const void *a, const void *b)
{
	const struct event *left = a;
	const struct event *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	if (left->dur_ns != right->dur_ns)
		return left->dur_ns > right->dur_ns ? -1 : 1;
	if (left->track != right->track)
		return left->track < right->track ? -1 : 1;
	return (left->site > right->site) - (left->site < right->site);
}

/* Sorts the items by start time. Call end_queue_restore() before the next add
 * or pop. */
static void end_queue_sort(struct end_queue *queue)
{
	if (queue->count > 0)
		qsort(queue->items, queue->count, sizeof(*queue->items),
			compare);
}

struct cut {
	struct event_source source; /* first member: callers hold a pointer to
				     * it */
	int64_t from_ns;
	int64_t until_ns;
	int64_t now_ns;
	int64_t end_ns; /* the trace's, while trace->end_ns is the part's */
	bool (*is_full)(void *user);
	void *user;
	struct event next; /* next event of the inner source, if any */
	bool has_next;
	bool ended; /* the inner source */
	bool over;  /* the part */
	bool asyncs_shown;
	struct event_queue queue;
	struct open_ranges ranges;
	struct open_asyncs asyncs;
	struct end_queue pending; /* events with a duration that have not
				   * ended */
	struct end_queue
		crossing;   /* EVENT_UNCLIPPED_CALLs that began by from_ns */
	struct event piece; /* last one returned; its arguments are owned */
};

/* Queues the event at another time. False, here and below, if out of memory. */
static bool cut_add_at(
	struct cut *cut, const struct event *event, int64_t time_ns)
{
	struct event copy = *event;

	copy.time_ns = time_ns;
	return event_queue_add(&cut->queue, &copy);
}

static bool cut_begin_async(struct cut *cut, const struct event *event)
{
	struct open_async *async =
		open_asyncs_add(&cut->asyncs, cut->source.trace, event);

	if (async == NULL)
		return false;
	if (event->time_ns < cut->from_ns)
		return true;
	async->shown = true;
	return event_queue_add(&cut->queue, event);
}

static bool cut_end_async(struct cut *cut, const struct event *event)
{
	const struct open_async *async =
		open_asyncs_remove(&cut->asyncs, cut->source.trace, event);

	if (event->time_ns < cut->from_ns)
		return true;
	if (async != NULL && !async->shown) {
		if (event->time_ns == cut->from_ns && event->arg_count == 0)
			return true;
		if (!cut_add_at(cut, &async->begin, cut->from_ns))
			return false;
	}
	return event_queue_add(&cut->queue, event);
}

/* Reopens the ranges that were open at the start of the part. */
static bool cut_reopen_asyncs(struct cut *cut)
{
	bool done = true;

	cut->asyncs_shown = true;
	for (uint32_t i = cut->asyncs.first; i != 0 && done;) {
		struct open_async *async = &cut->asyncs.items[i - 1];

		i = async->after;
		if (async->shown)
			continue;
		async->shown = true;
		done = cut_add_at(cut, &async->begin, cut->from_ns);
	}
	return done;
}

/* Closes the ranges that are open at its end. */
static bool cut_close_asyncs(struct cut *cut)
{
	bool done = cut_reopen_asyncs(cut);

	for (uint32_t i = cut->asyncs.last; i != 0 && done;) {
		struct event end = cut->asyncs.items[i - 1].begin;

		i = cut->asyncs.items[i - 1].before;
		end.kind = EVENT_ASYNC_END;
		end.args = NULL;
		end.arg_count = 0;
		done = cut_add_at(cut, &end, cut->until_ns);
	}
	return done;
}

/* Reopens the track's open ranges. The rest of a clipped call nests there, so
 * its unclipped event is dropped. */
static bool reopen(struct cut *cut, struct open_track *track)
{
	bool done = true;

	for (; track->shown < track->depth && done; track->shown++) {
		struct open_range *range = &track->ranges[track->shown];
		struct event call;

		if (range->begin.shift_ns > 0 &&
			end_queue_pop_call(
				&cut->crossing, &range->begin, &call))
			event_copy_clear(&call);
		range->begin.shift_ns = 0;
		done = cut_add_at(cut, &range->begin, cut->from_ns);
		for (uint32_t i = 0; i < range->bound_count && done; i++)
			done = cut_add_at(cut, &range->bound[i], cut->from_ns);
	}
	return done;
}

static bool begin_range(
	struct cut *cut, struct open_track *track, const struct event *event)
{
	if (event->time_ns < cut->from_ns)
		return open_track_push(track, event) != NULL;
	if (!reopen(cut, track) || open_track_push(track, event) == NULL)
		return false;
	track->shown = track->depth;
	return event_queue_add(&cut->queue, event);
}

/* Adds an event that belongs to the innermost range. */
static bool add_bound(
	struct cut *cut, struct open_track *track, const struct event *event)
{
	struct open_range *top = open_track_top(track);
	bool inside = event->time_ns >= cut->from_ns;

	if (inside && !reopen(cut, track))
		return false;
	if (top != NULL && event->kind != EVENT_FLOW &&
		!open_range_bind(top, event))
		return false;
	return !inside || event_queue_add(&cut->queue, event);
}

/* Adds the piece in [from, until). */
static bool add_piece(
	struct cut *cut, const struct event *event, int64_t until_ns)
{
	struct event piece = *event;
	int64_t end_ns = event_end(event);

	/* Not clipped if whole: the saturated end does not give back its
	 * duration. */
	if (piece.time_ns >= cut->from_ns && end_ns <= until_ns)
		return event_queue_add(&cut->queue, event);
	if (end_ns > until_ns)
		end_ns = until_ns;
	if (piece.time_ns < cut->from_ns)
		piece.time_ns = cut->from_ns;
	piece.dur_ns = (uint64_t)end_ns - (uint64_t)piece.time_ns;
	return event_queue_add(&cut->queue, &piece);
}

/* Keeps the rest of a call whose end was clipped to a time before the part. */
static bool add_rest(
	struct cut *cut, struct open_track *track, const struct event *end)
{
	const struct open_range *top = open_track_top(track);
	struct event rest;

	if (top == NULL || top->begin.shift_ns > 0 ||
		event_end(end) <= cut->from_ns)
		return true;
	rest = top->begin;
	rest.kind = EVENT_UNCLIPPED_CALL;
	rest.dur_ns = (uint64_t)event_end(end) - (uint64_t)rest.time_ns;
	return end_queue_add(&cut->crossing, &rest);
}

static bool add_end(struct cut *cut, const struct event *event)
{
	struct event end = *event;

	if (event_end(event) > cut->until_ns)
		end.shift_ns = (uint64_t)cut->until_ns - (uint64_t)end.time_ns;
	return event_queue_add(&cut->queue, &end);
}

static bool end_range(
	struct cut *cut, struct open_track *track, const struct event *event)
{
	bool inside = event->time_ns >= cut->from_ns;

	if (track->depth > track->shown && event->time_ns == cut->from_ns &&
		event->arg_count == 0)
		inside = false;
	if (inside && (!reopen(cut, track) || !add_end(cut, event)))
		return false;
	if (!inside && event->shift_ns > 0 && !add_rest(cut, track, event))
		return false;
	if (track->depth > 0)
		open_track_pop(track);
	return true;
}

/* Adds an event that has a duration. */
static bool add_slice(struct cut *cut, const struct event *event)
{
	int64_t end_ns = event_end(event);

	if (end_ns <= cut->from_ns && event->time_ns < cut->from_ns)
		return true;
	if (event->kind == EVENT_UNCLIPPED_CALL &&
		event->time_ns <= cut->from_ns)
		return end_queue_add(&cut->crossing, event);
	if (cut->is_full != NULL && end_ns > event->time_ns)
		return end_queue_add(&cut->pending, event);
	return add_piece(cut, event, cut->until_ns);
}

/* Queues an event that has ended by now; one that ended with the previous part
 * was complete there. */
static bool release_pending(struct cut *cut)
{
	const struct event *first;

	while ((first = end_queue_first(&cut->pending)) != NULL &&
		event_end(first) <= cut->now_ns) {
		event_copy_clear(&cut->piece);
		cut->piece = end_queue_pop(&cut->pending);
		if (event_end(&cut->piece) > cut->from_ns)
			return add_piece(cut, &cut->piece, INT64_MAX);
	}
	return true;
}

/* Queues the pieces of waiting events that are in the part. */
static bool add_pieces(struct cut *cut, struct end_queue *queue)
{
	bool done = true;

	end_queue_sort(queue);
	for (size_t i = 0; i < queue->count && done; i++)
		if (event_end(&queue->items[i]) > cut->from_ns)
			done = add_piece(cut, &queue->items[i], cut->until_ns);
	end_queue_restore(queue);
	return done;
}

static bool add_nested(struct cut *cut, const struct event *event)
{
	struct open_track *track =
		open_ranges_track(&cut->ranges, event->track);

	if (track == NULL)
		return false;
	if (event->kind == EVENT_BEGIN)
		return begin_range(cut, track, event);
	if (event->kind == EVENT_END)
		return end_range(cut, track, event);
	return add_bound(cut, track, event);
}

/* Adds an event before the end of the part; its arguments are borrowed until
 * the queue is empty. */
static bool add(struct cut *cut, const struct event *event)
{
	if (event->time_ns > cut->from_ns && !cut->asyncs_shown &&
		!cut_reopen_asyncs(cut))
		return false;
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
	case EVENT_ARGS:
	case EVENT_CORRELATION:
	case EVENT_FLOW:
		return add_nested(cut, event);
	case EVENT_COMPLETE:
	case EVENT_UNCLIPPED_CALL:
	case EVENT_ACTIVITY:
		return add_slice(cut, event);
	case EVENT_ASYNC_BEGIN:
		return cut_begin_async(cut, event);
	case EVENT_ASYNC_END:
		return cut_end_async(cut, event);
	default:
		return event->time_ns < cut->from_ns ||
		       event_queue_add(&cut->queue, event);
	}
}

static bool close_track(struct cut *cut, uint32_t number)
{
	struct open_track *track = &cut->ranges.tracks[number];
	struct event end = {.kind = EVENT_END,
		.track = number,
		.site = TRACE_NONE,
		.time_ns = cut->until_ns,
		.device = -1};
	bool done = reopen(cut, track);

	for (uint32_t i = 0; i < track->depth && done; i++)
		done = event_queue_add(&cut->queue, &end);
	return done;
}

/* INT64_MAX if it is unknown until everything is read. */
static int64_t known_end(const struct cut *cut, uint32_t track)
{
	const struct trace *trace = cut->source.trace;

	if (cut->has_next && !trace->tracks[track].has_end)
		return INT64_MAX;
	return trace_track_end(trace, track);
}

/* Closes the open ranges, which continue in the next part. They stay open if
 * the track's recording ends earlier. */
static bool close_tracks(struct cut *cut)
{
	bool done = true;

	for (uint32_t i = 0; i < cut->ranges.room && done; i++) {
		int64_t end_ns;

		if (cut->ranges.tracks[i].depth == 0)
			continue;
		end_ns = known_end(cut, i);
		if (end_ns >= cut->until_ns)
			done = close_track(cut, i);
		else if (end_ns > cut->from_ns)
			done = reopen(cut, &cut->ranges.tracks[i]);
	}
	return done;
}

/* Ends the part at until_ns. */
static bool close_part(struct cut *cut)
{
	struct trace *trace = cut->source.trace;

	cut->over = true;
	cut->end_ns = trace->end_ns;
	if (trace->end_ns > cut->until_ns)
		trace->end_ns = cut->until_ns;
	return close_tracks(cut) && cut_close_asyncs(cut) &&
	       add_pieces(cut, &cut->pending) &&
	       add_pieces(cut, &cut->crossing);
}

/* At the end of the input: unended ranges stay open, unless the window ends
 * before the recording. */
static bool finish(struct cut *cut)
{
	cut->over = true;
	return close_tracks(cut) && cut_reopen_asyncs(cut) &&
	       add_pieces(cut, &cut->pending) &&
	       add_pieces(cut, &cut->crossing);
}

static enum ctp_status pull(struct cut *cut, struct ctp_error *err)
{
	enum ctp_status status;

	if (cut->has_next)
		return CTP_OK;
	status = cut->source.inner->next(cut->source.inner, &cut->next, err);
	cut->has_next = status == CTP_OK;
	if (status != CTP_END)
		return status;
	cut->ended = true;
	return finish(cut) ? CTP_END : ctp_no_memory(err);
}

/* Whether the next event ends the part; sets its end then. */
static bool ends_here(struct cut *cut)
{
	/* INT64_MAX is in the last part: no time is later. */
	if (cut->next.time_ns >= cut->until_ns && cut->until_ns < INT64_MAX)
		return true;
	if (cut->is_full == NULL || cut->now_ns == INT64_MIN ||
		cut->next.time_ns <= cut->now_ns ||
		cut->next.time_ns <= cut->from_ns || !cut->is_full(cut->user))
		return false;
	cut->until_ns = cut->next.time_ns;
	return true;
}

/* Reads until the queue has an event; CTP_END if no more follow. */
static enum ctp_status fill(struct cut *cut, struct ctp_error *err)
{
	enum ctp_status status;
	bool done;

	while (cut->queue.count == 0) {
		if (cut->over)
			return CTP_END;
		status = pull(cut, err);
		if (status == CTP_END)
			continue;
		if (status != CTP_OK)
			return status;
		if (ends_here(cut)) {
			done = close_part(cut);
		} else {
			cut->now_ns = cut->next.time_ns;
			done = release_pending(cut);
			if (done && cut->queue.count == 0) {
				cut->has_next = false;
				done = add(cut, &cut->next);
			}
		}
		if (!done)
			return ctp_no_memory(err);
	}
	return CTP_OK;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct cut *cut = (struct cut *)source;
	enum ctp_status status = fill(cut, err);

	if (status == CTP_OK)
		(void)event_queue_pop(&cut->queue, event);
	return status;
}

static void close_cut(struct event_source *source)
{
	struct cut *cut = (struct cut *)source;

	event_queue_clear(&cut->queue);
	open_ranges_clear(&cut->ranges);
	open_asyncs_clear(&cut->asyncs);
	end_queue_clear(&cut->pending);
	end_queue_clear(&cut->crossing);
	event_copy_clear(&cut->piece);
	cut->source.inner->close(cut->source.inner);
	memory_free(cut);
}

enum ctp_status cut_open(
	struct event_source *inner, struct cut **out, struct ctp_error *err)
{
	struct cut *cut = memory_new_zeroed(1, sizeof(*cut));

	if (cut == NULL)
		return ctp_no_memory(err);
	event_source_wrap(&cut->source, inner, next, close_cut);
	cut->from_ns = INT64_MIN;
	cut->now_ns = INT64_MIN;
	cut->until_ns = INT64_MAX;
	cut->asyncs_shown = true;
	*out = cut;
	return CTP_OK;
}

struct event_source *cut_source(struct cut *cut)
{
	return &cut->source;
}

void cut_set_window(struct cut *cut, int64_t from_ns, int64_t until_ns)
{
	cut->from_ns = from_ns;
	cut->until_ns = until_ns;
	cut->asyncs_shown = false;
}

void cut_set_limit(struct cut *cut, bool (*is_full)(void *user), void *user)
{
	cut->is_full = is_full;
	cut->user = user;
}

/* Drops the calls that ended before the part. */
static void drop_ended(struct cut *cut)
{
	const struct event *first;

	while ((first = end_queue_first(&cut->crossing)) != NULL &&
		event_end(first) <= cut->from_ns) {
		struct event ended = end_queue_pop(&cut->crossing);

		event_copy_clear(&ended);
	}
}

enum ctp_status cut_next_part(struct cut *cut, struct ctp_error *err)
{
	if (cut->ended || !cut->has_next)
		return CTP_END;
	if (!end_queue_move_calls(&cut->pending, &cut->crossing))
		return ctp_no_memory(err);
	cut->source.trace->end_ns = cut->end_ns;
	cut->from_ns = cut->until_ns;
	drop_ended(cut);
	cut->now_ns = cut->from_ns;
	cut->until_ns = INT64_MAX;
	cut->over = false;
	cut->asyncs_shown = false;
	for (uint32_t i = 0; i < cut->ranges.room; i++)
		cut->ranges.tracks[i].shown = 0;
	for (uint32_t i = 0; i < cut->asyncs.count; i++)
		cut->asyncs.items[i].shown = false;
	return fill(cut, err);
}

int64_t cut_from_ns(const struct cut *cut)
{
	return cut->from_ns;
}

/* SPDX-License-Identifier: MIT */
/*
 * Time goes on only here: whenever a range begins or ends, what went by since
 * the last time is that of the phase that the thread was in. So nothing is lost
 * or counted twice, whatever the ranges are.
 *
 * Asynchronous ranges need not end in the order of their beginning: they are in
 * the stack among others, and go from its middle.
 */
#include "phases/phase_count.h"

#include <string.h>

#include "base/memory.h"

/* More that are open at once on a thread are no headers of a compiler, and
 * would have to be searched. */
#define ASYNCS_MAX 512

struct phase_found {
	bool known; /* it was looked up */
	struct phase_begin begin;
};

struct phase_frame {
	uint32_t
		begins; /* the phase; PHASE_NONE: goes on with what is around */
	uint32_t phase; /* that the thread is in */
	uint32_t site;
	bool async;
	uint64_t id;
};

/* How many ranges of a phase are open on a thread. */
struct phase_level {
	uint32_t open;
	int64_t since_ns; /* the outermost */
};

bool phase_count_init(struct phase_count *count, const struct trace *trace,
	const struct phase_rules *rules)
{
	uint32_t phases = phase_rules_count(rules);

	*count = (struct phase_count){
		.trace = trace, .rules = rules, .phase_count = phases};
	count->times.phases =
		memory_new_zeroed(phases, sizeof(*count->times.phases));
	return count->times.phases != NULL;
}

void phase_count_clear(struct phase_count *count)
{
	for (uint32_t i = 0; i < count->state_count; i++) {
		memory_free(count->states[i].frames);
		memory_free(count->states[i].levels);
		memory_free(count->states[i].times.phases);
	}
	memory_free(count->states);
	memory_free(count->found[0]);
	memory_free(count->found[1]);
	memory_free(count->times.phases);
	device_join_free(count->asyncs);
	*count = (struct phase_count){0};
}

/* What a range begins; false if out of memory. */
static bool find_phase(struct phase_count *count, uint32_t site, bool async,
	struct phase_begin *begin)
{
	struct phase_found *found;

	if (!memory_reach(&count->found[async], site, &count->found_room[async],
		    sizeof(*found)))
		return false;
	found = &count->found[async][site];
	if (!found->known)
		*found = (struct phase_found){
			true, phase_rules_find_site(
				      count->rules, count->trace, site, async)};
	*begin = found->begin;
	return true;
}

static struct phase_state *find_state(struct phase_count *count, uint32_t track)
{
	return memory_reach(&count->states, track, &count->state_count,
		       sizeof(*count->states))
		       ? &count->states[track]
		       : NULL;
}

static void start(struct phase_state *state, int64_t ns)
{
	if (!state->used)
		state->last_ns = ns;
	state->used = true;
}

/* Time goes on; it never goes back here. */
static void advance(
	struct phase_count *count, struct phase_state *state, int64_t ns)
{
	uint64_t spent_ns;
	uint32_t phase;

	if (ns < state->last_ns) {
		count->backward_times++;
		return;
	}
	spent_ns = (uint64_t)ns - (uint64_t)state->last_ns;
	state->last_ns = ns;
	state->times.wall_ns += spent_ns;
	if (state->depth == 0) {
		state->times.idle_ns += spent_ns;
		return;
	}
	phase = state->frames[state->depth - 1].phase;
	if (phase == PHASE_NONE)
		state->times.unknown_ns += spent_ns;
	else
		state->times.phases[phase].self_ns += spent_ns;
}

/* Most threads are never in any phase, and need no room for them. */
static bool enter_phase(const struct phase_count *count,
	struct phase_state *state, uint32_t phase)
{
	struct phase_sum **sums = &state->times.phases;
	uint32_t phases = count->phase_count;

	if (*sums == NULL)
		*sums = memory_new_zeroed(phases, sizeof(**sums));
	if (state->levels == NULL)
		state->levels =
			memory_new_zeroed(phases, sizeof(*state->levels));
	if (*sums == NULL || state->levels == NULL)
		return false;
	(*sums)[phase].count++;
	if (state->levels[phase].open++ == 0)
		state->levels[phase].since_ns = state->last_ns;
	return true;
}

static bool push(const struct phase_count *count, struct phase_state *state,
	struct phase_begin begin, struct phase_frame frame)
{
	uint32_t around = state->depth > 0
				  ? state->frames[state->depth - 1].phase
				  : PHASE_NONE;

	if (!memory_grow32(&state->frames, state->depth, &state->room,
		    sizeof(*state->frames)))
		return false;
	frame.begins = phase_begin_in(begin, around);
	frame.phase = frame.begins == PHASE_NONE ? around : frame.begins;
	if (frame.begins != PHASE_NONE &&
		!enter_phase(count, state, frame.begins))
		return false;
	state->asyncs += frame.async;
	state->frames[state->depth++] = frame;
	return true;
}

static void leave_phase(struct phase_state *state, uint32_t phase)
{
	struct phase_level *level = &state->levels[phase];

	if (--level->open == 0)
		state->times.phases[phase].total_ns +=
			(uint64_t)state->last_ns - (uint64_t)level->since_ns;
}

static void remove_frame(struct phase_state *state, uint32_t index)
{
	struct phase_frame *frames = state->frames;
	uint32_t phase = index == 0 ? PHASE_NONE : frames[index - 1].phase;

	if (frames[index].begins != PHASE_NONE)
		leave_phase(state, frames[index].begins);
	state->asyncs -= frames[index].async;
	state->depth--;
	memmove(&frames[index], &frames[index + 1],
		(state->depth - index) * sizeof(*frames));
	/* Those that went on with its phase have another around them now. */
	for (; index < state->depth && frames[index].begins == PHASE_NONE;
		index++)
		frames[index].phase = phase;
}

static bool begin(struct phase_count *count, const struct event *event)
{
	struct phase_state *state = find_state(count, event->track);
	struct phase_begin begin;

	if (state == NULL || !find_phase(count, event->site, false, &begin))
		return false;
	start(state, event->time_ns);
	advance(count, state, event->time_ns);
	return push(
		count, state, begin, (struct phase_frame){.site = event->site});
}

static bool end(struct phase_count *count, const struct event *event)
{
	struct phase_state *state = find_state(count, event->track);
	uint32_t index;

	if (state == NULL)
		return false;
	if (state->depth == state->asyncs) {
		count->stray_ends++;
		return true;
	}
	advance(count, state, event->time_ns);
	for (index = state->depth - 1; state->frames[index].async; index--)
		continue;
	remove_frame(state, index);
	return true;
}

static bool begin_async(struct phase_count *count, const struct event *event)
{
	struct phase_state *state;
	struct phase_frame frame = {
		.site = event->site, .async = true, .id = event->id};
	struct phase_begin begin;

	if (!find_phase(count, event->site, true, &begin))
		return false;
	if (begin.phase == PHASE_NONE)
		return true;
	state = find_state(count, event->track);
	if (state == NULL)
		return false;
	if (state->asyncs == ASYNCS_MAX) {
		count->left_out++;
		return true;
	}
	start(state, event->time_ns);
	advance(count, state, event->time_ns);
	if (count->asyncs == NULL)
		count->asyncs = device_join_new(DEVICE_JOIN_LIMIT);
	return count->asyncs != NULL &&
	       device_join_add(count->asyncs,
		       count->trace->sites[event->site].name, event->id,
		       event->track) &&
	       push(count, state, begin, frame);
}

/* Async ranges are known by their site's name and number. */
static bool is_same(const struct phase_count *count,
	const struct phase_frame *frame, const struct event *event)
{
	const struct trace_site *sites = count->trace->sites;

	return frame->async && frame->id == event->id &&
	       sites[frame->site].name == sites[event->site].name;
}

/* Ends the one that began last on this track; false if there is none. */
static bool end_async_on(struct phase_count *count, struct phase_state *state,
	const struct event *event)
{
	for (uint32_t i = state->depth; state->asyncs > 0 && i-- > 0;)
		if (is_same(count, &state->frames[i], event)) {
			advance(count, state, event->time_ns);
			remove_frame(state, i);
			return true;
		}
	return false;
}

static bool end_async(struct phase_count *count, const struct event *event)
{
	struct phase_state *state;
	struct phase_begin begin;
	uint64_t track;

	if (!find_phase(count, event->site, true, &begin))
		return false;
	if (begin.phase == PHASE_NONE)
		return true;
	state = find_state(count, event->track);
	if (state == NULL)
		return false;
	if (end_async_on(count, state, event))
		return true;
	if (count->asyncs == NULL ||
		!device_join_find(count->asyncs,
			count->trace->sites[event->site].name, event->id,
			&track) ||
		!end_async_on(count, &count->states[track], event))
		count->stray_ends++;
	return true;
}

bool phase_count_add(struct phase_count *count, const struct event *event)
{
	bool is_thread =
		count->trace->tracks[event->track].kind == TRACE_THREAD;

	switch (event->kind) {
	case EVENT_BEGIN:
		if (is_thread)
			return begin(count, event);
		count->left_out++;
		return true;
	case EVENT_END:
		return !is_thread || end(count, event);
	case EVENT_COMPLETE:
		count->left_out++;
		return true;
	case EVENT_ASYNC_BEGIN:
		return !is_thread || begin_async(count, event);
	case EVENT_ASYNC_END:
		return !is_thread || end_async(count, event);
	default:
		return true;
	}
}

void phase_count_finish(struct phase_count *count)
{
	for (uint32_t i = 0; i < count->state_count; i++) {
		struct phase_state *state = &count->states[i];
		int64_t end_ns;

		if (!state->used)
			continue;
		end_ns = state->depth == 0 ? state->last_ns
					   : trace_track_end(count->trace, i);
		if (end_ns > state->last_ns)
			advance(count, state, end_ns);
		count->open_ranges += state->depth;
		while (state->depth > 0)
			remove_frame(state, state->depth - 1);
		phase_times_add(
			&count->times, &state->times, count->phase_count);
	}
}

uint64_t phase_count_known_ns(const struct phase_count *count)
{
	return count->times.wall_ns - count->times.unknown_ns -
	       count->times.idle_ns;
}

/* SPDX-License-Identifier: MIT */
/*
 * Each group is a replay of its own, over sites of their own, for all traces.
 * Which site a range has in each group, if any, is found once for each of
 * these. A range that has none in a group leaves its time to what is around it
 * there.
 */
#include "compilers/compile.h"

#include "compilers/compile_places.h"
#include "base/memory.h"
#include "profile/replay.h"

/* The groups of the ranges that are open on a track. */
struct nest {
	uint32_t *groups;
	uint32_t depth;
	uint32_t room;
	uint32_t phases; /* of these have one */
};

struct compile {
	uint32_t asked;  /* groups that are */
	uint32_t groups; /* these, and what they are made of */
	struct replay *replays[COMPILE_GROUP_COUNT]; /* NULL: not asked for */
	struct profile *phases; /* NULL, like the replays */
	struct profile *units;
	struct compile_places places;

	/* The trace at hand. */
	const struct trace *trace;
	const char *unit;
	struct nest *nests; /* by number of their track */
	uint32_t nest_room;
};

static bool init(struct compile *compile)
{
	uint32_t phase = 1U << COMPILE_PHASE;
	bool done;

	compile->phases = profile_new();
	compile->units = profile_new();
	done = compile_places_init(&compile->places, compile->groups) &&
	       compile->phases != NULL && compile->units != NULL;
	for (unsigned i = 0; i < COMPILE_GROUP_COUNT && done; i++)
		if ((compile->groups & ~(phase | 1U << COMPILE_UNIT) &
			    1U << i) != 0) {
			compile->replays[i] = replay_new(compile->places.sites,
				(struct replay_options){0});
			done = compile->replays[i] != NULL;
		}
	return done;
}

struct compile *compile_new(uint32_t groups)
{
	struct compile *compile = memory_new_zeroed(1, sizeof(*compile));

	if (compile == NULL)
		return NULL;
	compile->asked = groups;
	compile->groups = groups;
	/* What a unit took is the sum of its phases. */
	if ((groups & 1U << COMPILE_UNIT) != 0)
		compile->groups |= 1U << COMPILE_PHASE;
	if (!init(compile)) {
		compile_free(compile);
		return NULL;
	}
	return compile;
}

void compile_free(struct compile *compile)
{
	if (compile == NULL)
		return;
	for (unsigned i = 0; i < COMPILE_GROUP_COUNT; i++)
		replay_free(compile->replays[i]);
	for (uint32_t i = 0; i < compile->nest_room; i++)
		memory_free(compile->nests[i].groups);
	memory_free(compile->nests);
	profile_free(compile->phases);
	profile_free(compile->units);
	compile_places_clear(&compile->places);
	memory_free(compile);
}

static struct nest *find_nest(struct compile *compile, uint32_t track)
{
	return memory_reach(&compile->nests, track, &compile->nest_room,
		       sizeof(*compile->nests))
		       ? &compile->nests[track]
		       : NULL;
}

static bool push(struct nest *nest, uint32_t groups)
{
	if (!memory_grow32(&nest->groups, nest->depth, &nest->room,
		    sizeof(*nest->groups)))
		return false;
	nest->groups[nest->depth++] = groups;
	nest->phases += (groups & 1U << COMPILE_PHASE) != 0;
	return true;
}

/* The groups that a range belongs to where it is. */
static uint32_t groups_at(const struct compile *compile,
	const struct nest *nest, const struct compile_place *place,
	const struct event *event)
{
	uint32_t phase = 1U << COMPILE_PHASE;
	uint32_t groups = place->groups;

	/* On a track of their own, headers take time that ranges have, too; so
	 * does what overlaps. */
	if (compile->trace->tracks[event->track].kind == TRACE_TIMELINE)
		return groups & 1U << COMPILE_HEADER;
	if (event->kind == EVENT_COMPLETE)
		return groups & ~phase;
	return nest->phases == 0 ? groups | (compile->groups & phase) : groups;
}

/* `place` is that of our site, if the event has one. */
static enum ctp_status hand_on(struct compile *compile, uint32_t groups,
	const struct compile_place *place, const struct event *event,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct event own = *event;

	for (unsigned i = 0; i < COMPILE_GROUP_COUNT && status == CTP_OK; i++) {
		if ((groups & 1U << i) == 0)
			continue;
		if (place != NULL)
			own.site = compile_place_site(place, i, event->site);
		status = replay_add(compile->replays[i], &own, err);
	}
	return status;
}

static enum ctp_status add_range(struct compile *compile,
	const struct event *event, struct ctp_error *err)
{
	struct nest *nest = find_nest(compile, event->track);
	struct event own = *event;
	const struct compile_place *place =
		compile_places_find(&compile->places, &own.site);
	uint32_t groups;

	if (nest == NULL || place == NULL)
		return ctp_no_memory(err);
	groups = groups_at(compile, nest, place, event);
	if (event->kind == EVENT_BEGIN && !push(nest, groups))
		return ctp_no_memory(err);
	return hand_on(compile, groups, place, &own, err);
}

static enum ctp_status add_end(struct compile *compile,
	const struct event *event, struct ctp_error *err)
{
	struct nest *nest = find_nest(compile, event->track);
	uint32_t groups;

	if (nest == NULL)
		return ctp_no_memory(err);
	if (nest->depth == 0)
		return CTP_OK;
	groups = nest->groups[--nest->depth];
	nest->phases -= (groups & 1U << COMPILE_PHASE) != 0;
	return hand_on(compile, groups, NULL, event, err);
}

enum ctp_status compile_add(struct compile *compile, const struct event *event,
	struct ctp_error *err)
{
	if (event->kind == EVENT_BEGIN || event->kind == EVENT_COMPLETE)
		return add_range(compile, event, err);
	if (event->kind == EVENT_END)
		return add_end(compile, event, err);
	return CTP_OK;
}

enum ctp_status compile_begin(struct compile *compile,
	const struct trace *trace, const char *unit, struct ctp_error *err)
{
	compile->trace = trace;
	compile->unit = unit;
	compile_places_begin(&compile->places, trace);
	if ((compile->groups & 1U << COMPILE_PHASE) == 0)
		return CTP_OK;
	/* A unit's are wanted, so that they are no part of a sum yet. */
	compile->replays[COMPILE_PHASE] =
		replay_new(compile->places.sites, (struct replay_options){0});
	return compile->replays[COMPILE_PHASE] == NULL ? ctp_no_memory(err)
						       : CTP_OK;
}

/* The unit, its time being that of its phases, which it calls. */
static bool add_unit(struct compile *compile, const struct profile *phases)
{
	struct profile *sum = compile->units;
	const struct profile_cost cost = {
		1, 1, phases->total_ns, phases->total_ns};
	uint32_t unit = profile_add_function(sum, compile->unit, "", 0);

	if (unit == PROFILE_NONE)
		return false;
	profile_cost_add(&sum->functions[unit].cost, &cost);
	profile_cost_add(&sum->functions[unit].root, &cost);
	sum->total_ns += cost.tottime_ns;
	for (uint32_t i = 0; i < phases->function_count; i++) {
		const struct profile_function *from = &phases->functions[i];
		uint32_t phase = profile_add_function(sum, from->name, "", 0);
		uint32_t edge = phase == PROFILE_NONE
					? PROFILE_NONE
					: profile_add_edge(sum, unit, phase);

		if (edge == PROFILE_NONE)
			return false;
		profile_cost_add(&sum->edges[edge].cost, &from->cost);
	}
	return true;
}

static enum ctp_status end_phases(
	struct compile *compile, struct ctp_error *err)
{
	struct profile *profile = NULL;
	enum ctp_status status;

	if (compile->replays[COMPILE_PHASE] == NULL)
		return CTP_OK;
	status = replay_finish(compile->replays[COMPILE_PHASE], &profile, err);
	replay_free(compile->replays[COMPILE_PHASE]);
	compile->replays[COMPILE_PHASE] = NULL;
	if (status == CTP_OK && (!profile_add(compile->phases, profile) ||
					!add_unit(compile, profile)))
		status = ctp_no_memory(err);
	profile_free(profile);
	return status;
}

/* What the trace leaves open ends where the trace does. */
static enum ctp_status close_ranges(
	struct compile *compile, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < compile->nest_room; i++)
		while (status == CTP_OK && compile->nests[i].depth > 0) {
			const struct event end = {.kind = EVENT_END,
				.track = i,
				.site = TRACE_NONE,
				.time_ns = trace_track_end(compile->trace, i)};

			status = add_end(compile, &end, err);
		}
	return status;
}

enum ctp_status compile_end(struct compile *compile, struct ctp_error *err)
{
	enum ctp_status status = close_ranges(compile, err);

	for (unsigned i = 0; i < COMPILE_GROUP_COUNT; i++)
		if (compile->replays[i] != NULL)
			replay_restart(compile->replays[i]);
	return status == CTP_OK ? end_phases(compile, err) : status;
}

enum ctp_status compile_finish(struct compile *compile,
	struct profile *sums[COMPILE_GROUP_COUNT], struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (unsigned i = 0; i < COMPILE_GROUP_COUNT; i++) {
		sums[i] = NULL;
		if (compile->replays[i] != NULL && status == CTP_OK)
			status = replay_finish(
				compile->replays[i], &sums[i], err);
	}
	if ((compile->asked & 1U << COMPILE_PHASE) != 0) {
		sums[COMPILE_PHASE] = compile->phases;
		compile->phases = NULL;
	}
	if ((compile->asked & 1U << COMPILE_UNIT) != 0) {
		sums[COMPILE_UNIT] = compile->units;
		compile->units = NULL;
	}
	return status;
}

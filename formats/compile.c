/* SPDX-License-Identifier: MIT */
/*
 * Each group is a replay of its own, over the same trace. Which site a range
 * has in each group, if any, is found once for each of its sites. A range that
 * has none in a group leaves its time to what is around it there.
 */
#include "compile.h"

#include <string.h>

#include "function_name.h"
#include "memory.h"
#include "replay.h"
#include "trace_detail.h"

#define IS_KNOWN (1U << COMPILE_GROUP_COUNT)
#define OTHER_PHASE "other"

/* A site of the trace, in the groups. */
struct place {
	uint32_t groups; /* bits, and IS_KNOWN */
	uint32_t phase, set, name;
};

/* The groups of the ranges that are open on a track. */
struct nest {
	uint32_t *groups;
	uint32_t depth;
	uint32_t room;
	uint32_t phases; /* of these have one */
};

struct compile {
	struct trace *trace;
	uint32_t groups;
	const char *unit;
	struct replay *replays[COMPILE_GROUP_COUNT]; /* NULL: not asked for */
	struct place *places; /* by number of their site */
	uint32_t place_room;
	struct nest *nests; /* by number of their track */
	uint32_t nest_room;
	struct buffer text;
};

/* What is not here belongs to the phase around it. */
static const struct {
	const char *name;
	const char *phase;
} phases[] = {
	{"ExecuteCompiler", "compiler"},
	{"ExecuteLinker", "linker"},
	{"Frontend", COMPILE_FRONTEND},
	{"Source", COMPILE_FRONTEND},
	{"PerformPendingInstantiations", "templates"},
	{"InstantiateClass", "templates"},
	{"InstantiateFunction", "templates"},
	{"CodeGen Function", "IR generation"},
	{"DebugType", "IR generation"},
	{"DebugConstGlobalVariable", "IR generation"},
	{"DebugGlobalVariable", "IR generation"},
	{"Backend", COMPILE_BACKEND},
	{"Optimizer", "optimizer"},
	{"PerFunctionPasses", "optimizer"},
	{"PerModulePasses", "optimizer"},
	{"CodeGenPasses", "machine code"},
};

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

/* The phase that a range of this name begins; NULL: none. */
static const char *phase_of(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		if (strlen(phases[i].name) == size &&
			memcmp(phases[i].name, name, size) == 0)
			return phases[i].phase;
	return NULL;
}

/* Is it one that only compilers have? */
static bool is_compiler_site(const struct trace *trace, uint32_t site)
{
	const char *name = trace_site_name(trace, site);
	size_t kind;

	if (trace->sites[site].category != 0)
		return false;
	if (strcmp(name, "ExecuteCompiler") == 0)
		return true;
	return trace_detail_of(name, &kind) != TRACE_DETAIL_OTHER &&
	       (name[kind] != '\0' || trace->sites[site].file != 0);
}

/* clang says when it began, at the end of the file: of versions before 11, and
 * of what is cut off, only the ranges tell. */
bool compile_is_trace(const struct trace *trace)
{
	if (trace_find_fact(trace, "beginningOfTime") != NULL)
		return true;
	for (uint32_t i = 0; i < trace->site_count; i++)
		if (is_compiler_site(trace, i))
			return true;
	return false;
}

struct compile *compile_new(
	struct trace *trace, uint32_t groups, const char *unit)
{
	struct compile *compile = memory_new_zeroed(1, sizeof(*compile));

	if (compile == NULL)
		return NULL;
	/* What a unit took is the sum of its phases. */
	if ((groups & 1U << COMPILE_UNIT) != 0)
		groups |= 1U << COMPILE_PHASE;
	groups &= ~(1U << COMPILE_UNIT);
	compile->trace = trace;
	compile->groups = groups;
	compile->unit = unit;
	for (unsigned i = 0; i < COMPILE_GROUP_COUNT; i++) {
		if ((groups & 1U << i) == 0)
			continue;
		compile->replays[i] =
			replay_new(trace, (struct replay_options){0});
		if (compile->replays[i] == NULL) {
			compile_free(compile);
			return NULL;
		}
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
	memory_free(compile->places);
	buffer_clear(&compile->text);
	memory_free(compile);
}

static bool add_site(
	struct compile *compile, const char *name, size_t size, uint32_t *site)
{
	*site = trace_add_site(compile->trace, name, size, "", 0, 0);
	return *site != TRACE_NONE;
}

/* The instance's template: "InstantiateClass std::vector". */
static bool find_set(
	struct compile *compile, const char *name, size_t kind, uint32_t *site)
{
	struct buffer *text = &compile->text;
	size_t size = strlen(name);

	text->used = 0;
	buffer_add(text, name, kind);
	if (size > kind) {
		buffer_add_byte(text, ' ');
		function_name_add_short(text, name + kind + 1, size - kind - 1);
	}
	return !text->failed &&
	       add_site(compile, (const char *)text->bytes, text->used, site);
}

/* False if out of memory. */
static bool learn(struct compile *compile, uint32_t site, struct place *place)
{
	const char *name = trace_site_name(compile->trace, site);
	size_t kind;
	enum trace_detail detail = trace_detail_of(name, &kind);
	const char *phase = phase_of(name, kind);
	uint32_t groups = 1U << COMPILE_NAME | IS_KNOWN;

	if (phase != NULL)
		groups |= 1U << COMPILE_PHASE;
	if (detail == TRACE_DETAIL_HEADER)
		groups |= 1U << COMPILE_HEADER;
	if (detail == TRACE_DETAIL_CLASS || detail == TRACE_DETAIL_FUNCTION)
		groups |= 1U << COMPILE_TEMPLATE | 1U << COMPILE_SET;
	if (detail == TRACE_DETAIL_OPTIMIZED ||
		detail == TRACE_DETAIL_GENERATED)
		groups |= 1U << COMPILE_FUNCTION;
	place->groups = groups & (compile->groups | IS_KNOWN);
	place->phase = TRACE_NONE;
	phase = phase == NULL ? OTHER_PHASE : phase;
	/* The table of sites moves what their names are borrowed from not. */
	return add_site(compile, phase, strlen(phase), &place->phase) &&
	       ((groups & 1U << COMPILE_SET) == 0 ||
		       find_set(compile, name, kind, &place->set)) &&
	       add_site(compile, name, kind, &place->name);
}

/* NULL if out of memory. */
static const struct place *find_place(struct compile *compile, uint32_t site)
{
	struct place *more = compile->places;

	if (site >= compile->place_room) {
		uint32_t room = 2 * site + 64;

		more = memory_resize_array(more, room, sizeof(*more));
		if (more == NULL)
			return NULL;
		memset(more + compile->place_room, 0,
			(room - compile->place_room) * sizeof(*more));
		compile->places = more;
		compile->place_room = room;
	}
	more += site;
	if (more->groups == 0 && !learn(compile, site, more))
		return NULL;
	return more;
}

static struct nest *find_nest(struct compile *compile, uint32_t track)
{
	struct nest *more = compile->nests;

	if (track >= compile->nest_room) {
		uint32_t room = 2 * track + 4;

		more = memory_resize_array(more, room, sizeof(*more));
		if (more == NULL)
			return NULL;
		memset(more + compile->nest_room, 0,
			(room - compile->nest_room) * sizeof(*more));
		compile->nests = more;
		compile->nest_room = room;
	}
	return &more[track];
}

static bool push(struct nest *nest, uint32_t groups)
{
	if (nest->depth == nest->room) {
		uint32_t room = nest->room == 0 ? 64 : 2 * nest->room;
		uint32_t *more =
			memory_resize_array(nest->groups, room, sizeof(*more));

		if (more == NULL)
			return false;
		nest->groups = more;
		nest->room = room;
	}
	nest->groups[nest->depth++] = groups;
	nest->phases += (groups & 1U << COMPILE_PHASE) != 0;
	return true;
}

static uint32_t site_in(
	const struct place *place, unsigned group, uint32_t site)
{
	switch (group) {
	case COMPILE_PHASE:
		return place->phase;
	case COMPILE_SET:
		return place->set;
	case COMPILE_NAME:
		return place->name;
	default:
		return site;
	}
}

/* The groups that a range belongs to where it is. */
static uint32_t groups_at(const struct compile *compile,
	const struct nest *nest, const struct place *place,
	const struct event *event)
{
	uint32_t phase = 1U << COMPILE_PHASE;
	uint32_t groups = place->groups & ~IS_KNOWN;

	/* On a track of their own, headers take time that ranges have, too; so
	 * does what overlaps. */
	if (compile->trace->tracks[event->track].kind == TRACE_TIMELINE)
		return groups & 1U << COMPILE_HEADER;
	if (event->kind == EVENT_COMPLETE)
		return groups & ~phase;
	return nest->phases == 0 ? groups | (compile->groups & phase) : groups;
}

static enum ctp_status hand_on(struct compile *compile, uint32_t groups,
	const struct place *place, const struct event *event,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct event own = *event;

	for (unsigned i = 0; i < COMPILE_GROUP_COUNT && status == CTP_OK; i++) {
		if ((groups & 1U << i) == 0)
			continue;
		if (place != NULL)
			own.site = site_in(place, i, event->site);
		status = replay_add(compile->replays[i], &own, err);
	}
	return status;
}

enum ctp_status compile_add(struct compile *compile, const struct event *event,
	struct ctp_error *err)
{
	bool is_range =
		event->kind == EVENT_BEGIN || event->kind == EVENT_COMPLETE;
	const struct place *place = NULL;
	struct nest *nest;
	uint32_t groups;

	if (!is_range && event->kind != EVENT_END)
		return CTP_OK;
	nest = find_nest(compile, event->track);
	if (is_range)
		place = find_place(compile, event->site);
	if (nest == NULL || (is_range && place == NULL))
		return no_memory(err);
	if (is_range) {
		groups = groups_at(compile, nest, place, event);
		if (event->kind == EVENT_BEGIN && !push(nest, groups))
			return no_memory(err);
	} else {
		if (nest->depth == 0)
			return CTP_OK;
		groups = nest->groups[--nest->depth];
		nest->phases -= (groups & 1U << COMPILE_PHASE) != 0;
	}
	return hand_on(compile, groups, place, event, err);
}

/* The unit, its time being that of its phases, which it calls. */
static bool add_unit(const struct compile *compile,
	const struct profile *phase_sums, struct profile *sum)
{
	const struct profile_cost cost = {
		1, 1, phase_sums->total_ns, phase_sums->total_ns};
	uint32_t unit = profile_add_function(sum, compile->unit, "", 0);

	if (unit == PROFILE_NONE)
		return false;
	profile_cost_add(&sum->functions[unit].cost, &cost);
	profile_cost_add(&sum->functions[unit].root, &cost);
	sum->total_ns += cost.tottime_ns;
	for (uint32_t i = 0; i < phase_sums->function_count; i++) {
		const struct profile_function *from = &phase_sums->functions[i];
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

enum ctp_status compile_finish(struct compile *compile,
	struct profile *const sums[COMPILE_GROUP_COUNT], struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (unsigned i = 0; i < COMPILE_GROUP_COUNT && status == CTP_OK; i++) {
		struct profile *profile = NULL;

		if (compile->replays[i] == NULL)
			continue;
		status = replay_finish(compile->replays[i], &profile, err);
		if (status != CTP_OK)
			return status;
		if ((sums[i] != NULL && !profile_add(sums[i], profile)) ||
			(i == COMPILE_PHASE && sums[COMPILE_UNIT] != NULL &&
				!add_unit(
					compile, profile, sums[COMPILE_UNIT])))
			status = no_memory(err);
		profile_free(profile);
	}
	return status;
}

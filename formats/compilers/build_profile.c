/* SPDX-License-Identifier: MIT */
/*
 * Each group has its own replay, for all traces, over shared sites separate
 * from the traces'. Each site's counterpart in each group is found once. A
 * range without one in a group leaves its time to the enclosing range there.
 */
#include "compilers/build_profile.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "compilers/build_details.h"
#include "names/function_name.h"
#include "phases/phase_rules.h"
#include "profile/replay.h"

#define IS_KNOWN (1U << BUILD_GROUP_COUNT)
#define OTHER_PHASE "other" /* not inside any phase */

/* The groups of a range. */
struct place {
	uint32_t groups; /* bits, plus IS_KNOWN */
	uint32_t phase, set, name;
};

/* Sites of all traces, and their counterparts in each group. */
struct places {
	struct trace *sites;        /* only its sites are used */
	uint32_t groups;            /* requested */
	struct phase_sets rules[2]; /* phase rules: clang's, nvcc's */
	struct place *known;        /* by number in `sites` */
	uint32_t known_room;
	struct buffer text;
	const struct trace *trace; /* at hand */
	uint32_t *
		numbers; /* by the trace's own number: in `sites`, or TRACE_NONE */
	uint32_t number_count;
	uint32_t number_room;
};

/* The phase that a range of this name begins; NULL: none. */
static const char *phase_of(
	const struct places *places, const char *name, size_t size)
{
	const struct phase_subject subject = {
		.name = name, .name_size = size, .file = "", .category = ""};

	for (unsigned i = 0; i < 2; i++) {
		const struct phase_rules *rules = places->rules[i].rules[0];
		uint32_t phase = phase_rules_find(rules, &subject).phase;

		if (phase != PHASE_NONE)
			return phase_rules_phase(rules, phase);
	}
	return NULL;
}

/* Does only a compiler have this site? "Source" may be anything, unless the
 * header is known. */
static bool is_compiler_site(const struct trace *trace, uint32_t number)
{
	const struct trace_site *site = &trace->sites[number];
	const char *name = trace_site_name(trace, number);
	size_t kind;
	enum build_detail detail = build_details_kind(name, &kind);

	if (detail == BUILD_DETAIL_HEADER)
		return site->category == 0 ? site->file != 0
					   : site->category == site->name;
	return site->category == 0 &&
	       (detail != BUILD_DETAIL_OTHER ||
		       strcmp(name, "ExecuteCompiler") == 0);
}

/* clang writes its start time at the end of the file. For versions before 11,
 * truncated files and logs, only the ranges identify it. */
bool build_profile_is_build_trace(const struct trace *trace)
{
	if (trace_find_fact(trace, "beginningOfTime") != NULL)
		return true;
	for (uint32_t i = 0; i < trace->site_count; i++)
		if (is_compiler_site(trace, i))
			return true;
	return false;
}

/* False if out of memory; call places_clear() in either case. */
static bool places_init(struct places *places, uint32_t groups)
{
	*places = (struct places){.sites = trace_new(NULL), .groups = groups};
	return places->sites != NULL &&
	       phase_sets_open(&places->rules[0], "clang", NULL) == CTP_OK &&
	       phase_sets_open(&places->rules[1], "nvcc", NULL) == CTP_OK;
}

static void places_clear(struct places *places)
{
	memory_free(places->numbers);
	memory_free(places->known);
	buffer_clear(&places->text);
	trace_free(places->sites);
	phase_sets_clear(&places->rules[0]);
	phase_sets_clear(&places->rules[1]);
}

/* The following sites belong to this trace, which is borrowed. */
static void places_begin(struct places *places, const struct trace *trace)
{
	places->trace = trace;
	places->number_count = 0;
}

static bool add_site(
	struct places *places, const char *name, size_t size, uint32_t *site)
{
	*site = trace_add_site(places->sites, name, size, "", 0, 0);
	return *site != TRACE_NONE;
}

/* The site of an instance's template: "InstantiateClass std::vector". */
static bool find_set(
	struct places *places, const char *name, size_t kind, uint32_t *site)
{
	struct buffer *text = &places->text;
	size_t size = strlen(name);

	text->used = 0;
	buffer_add(text, name, kind);
	if (size > kind) {
		buffer_add_byte(text, ' ');
		function_name_add_short(text, name + kind + 1, size - kind - 1);
	}
	return !text->failed &&
	       add_site(places, (const char *)text->bytes, text->used, site);
}

/* False if out of memory. */
static bool classify_site(
	struct places *places, uint32_t site, struct place *place)
{
	const char *name = trace_site_name(places->sites, site);
	size_t kind;
	enum build_detail detail = build_details_kind(name, &kind);
	const char *phase = phase_of(places, name, kind);
	uint32_t groups = 1U << BUILD_NAME | IS_KNOWN;

	if (phase != NULL)
		groups |= 1U << BUILD_PHASE;
	if (detail == BUILD_DETAIL_HEADER)
		groups |= 1U << BUILD_HEADER;
	if (detail == BUILD_DETAIL_CLASS || detail == BUILD_DETAIL_FUNCTION)
		groups |= 1U << BUILD_TEMPLATE | 1U << BUILD_SET;
	if (detail == BUILD_DETAIL_OPTIMIZED ||
		detail == BUILD_DETAIL_GENERATED)
		groups |= 1U << BUILD_FUNCTION;
	place->groups = groups & (places->groups | IS_KNOWN);
	place->phase = TRACE_NONE;
	phase = phase == NULL ? OTHER_PHASE : phase;
	/* Adding sites does not move the text that names are borrowed from. */
	return add_site(places, phase, strlen(phase), &place->phase) &&
	       ((groups & 1U << BUILD_SET) == 0 ||
		       find_set(places, name, kind, &place->set)) &&
	       add_site(places, name, kind, &place->name);
}

/* Extends the array to `index`. */
static bool ensure_number(struct places *places, uint32_t index)
{
	if (!array_ensure_index(&places->numbers, index, &places->number_room,
		    sizeof(*places->numbers)))
		return false;
	while (places->number_count <= index)
		places->numbers[places->number_count++] = TRACE_NONE;
	return true;
}

/* The number in `sites` of a trace's site; TRACE_NONE if out of memory. */
static uint32_t find_number(struct places *places, uint32_t site)
{
	const struct trace *trace = places->trace;
	const struct trace_site *from = &trace->sites[site];
	const char *name;
	const char *file;
	size_t name_size;
	size_t file_size;

	if (!ensure_number(places, site))
		return TRACE_NONE;
	if (places->numbers[site] != TRACE_NONE)
		return places->numbers[site];
	name = strtab_text(trace->text, from->name, &name_size);
	file = strtab_text(trace->text, from->file, &file_size);
	places->numbers[site] = trace_add_site(
		places->sites, name, name_size, file, file_size, from->line);
	return places->numbers[site];
}

/* The groups of a site's ranges; replaces its number by the one in `sites`.
 * NULL if out of memory. Borrowed until the next call. */
static const struct place *places_find(struct places *places, uint32_t *site)
{
	uint32_t number = find_number(places, *site);
	struct place *place;

	if (number == TRACE_NONE ||
		!array_ensure_index(&places->known, number, &places->known_room,
			sizeof(*places->known)))
		return NULL;
	place = &places->known[number];
	if (place->groups == 0 && !classify_site(places, number, place))
		return NULL;
	*site = number;
	return place;
}

/* The site in a group; `site` is the number in `sites`. */
static uint32_t place_site(
	const struct place *place, unsigned group, uint32_t site)
{
	switch (group) {
	case BUILD_PHASE:
		return place->phase;
	case BUILD_SET:
		return place->set;
	case BUILD_NAME:
		return place->name;
	default:
		return site;
	}
}

/* The groups of the ranges that are open on a track. */
struct open_groups {
	uint32_t *groups;
	uint32_t depth;
	uint32_t room;
	uint32_t phases; /* open ranges with a phase */
};

struct build_profile {
	uint32_t requested; /* groups */
	uint32_t groups;    /* requested groups and those they are computed
			     * from */
	struct replay *replays[BUILD_GROUP_COUNT]; /* NULL: not requested */
	struct profile *phases;                    /* NULL, like the replays */
	struct profile *units;
	struct places places;

	/* The current trace. */
	const struct trace *trace;
	const char *unit;
	struct open_groups *open; /* by track number */
	uint32_t open_room;
};

static bool init(struct build_profile *build)
{
	uint32_t phase = 1U << BUILD_PHASE;
	bool done;

	build->phases = profile_new();
	build->units = profile_new();
	done = places_init(&build->places, build->groups) &&
	       build->phases != NULL && build->units != NULL;
	for (unsigned i = 0; i < BUILD_GROUP_COUNT && done; i++)
		if ((build->groups & ~(phase | 1U << BUILD_UNIT) & 1U << i) !=
			0) {
			build->replays[i] = replay_new(build->places.sites,
				(struct replay_options){0});
			done = build->replays[i] != NULL;
		}
	return done;
}

struct build_profile *build_profile_new(uint32_t groups)
{
	struct build_profile *build = memory_new_zeroed(1, sizeof(*build));

	if (build == NULL)
		return NULL;
	build->requested = groups;
	build->groups = groups;
	/* A unit's time is the sum of its phases. */
	if ((groups & 1U << BUILD_UNIT) != 0)
		build->groups |= 1U << BUILD_PHASE;
	if (!init(build)) {
		build_profile_free(build);
		return NULL;
	}
	return build;
}

void build_profile_free(struct build_profile *build)
{
	if (build == NULL)
		return;
	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++)
		replay_free(build->replays[i]);
	for (uint32_t i = 0; i < build->open_room; i++)
		memory_free(build->open[i].groups);
	memory_free(build->open);
	profile_free(build->phases);
	profile_free(build->units);
	places_clear(&build->places);
	memory_free(build);
}

static struct open_groups *find_open(
	struct build_profile *build, uint32_t track)
{
	return array_ensure_index(&build->open, track, &build->open_room,
		       sizeof(*build->open))
		       ? &build->open[track]
		       : NULL;
}

static bool push(struct open_groups *open, uint32_t groups)
{
	if (!array_reserve32(&open->groups, open->depth, &open->room,
		    sizeof(*open->groups)))
		return false;
	open->groups[open->depth++] = groups;
	open->phases += (groups & 1U << BUILD_PHASE) != 0;
	return true;
}

/* The groups of a range at its position. */
static uint32_t groups_at(const struct build_profile *build,
	const struct open_groups *open, const struct place *place,
	const struct event *event)
{
	uint32_t phase = 1U << BUILD_PHASE;
	uint32_t groups = place->groups;

	/* On a separate track, headers take time that other ranges have too; so
	 * do overlapping slices. */
	if (build->trace->tracks[event->track].kind == TRACE_TIMELINE)
		return groups & 1U << BUILD_HEADER;
	if (event->kind == EVENT_COMPLETE)
		return groups & ~phase;
	return open->phases == 0 ? groups | (build->groups & phase) : groups;
}

/* `place` is the event's site's, if it has a site. */
static enum ctp_status add_to_groups(struct build_profile *build,
	uint32_t groups, const struct place *place, const struct event *event,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct event own = *event;
	uint32_t left = groups & ~IS_KNOWN;

	for (; left != 0 && status == CTP_OK; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		if (place != NULL)
			own.site = place_site(place, i, event->site);
		status = replay_add(build->replays[i], &own, err);
	}
	return status;
}

static enum ctp_status add_range(struct build_profile *build,
	const struct event *event, struct ctp_error *err)
{
	struct open_groups *open = find_open(build, event->track);
	struct event own = *event;
	const struct place *place = places_find(&build->places, &own.site);
	uint32_t groups;

	if (open == NULL || place == NULL)
		return ctp_no_memory(err);
	groups = groups_at(build, open, place, event);
	if (event->kind == EVENT_BEGIN && !push(open, groups))
		return ctp_no_memory(err);
	return add_to_groups(build, groups, place, &own, err);
}

static enum ctp_status add_end(struct build_profile *build,
	const struct event *event, struct ctp_error *err)
{
	struct open_groups *open = find_open(build, event->track);
	uint32_t groups;

	if (open == NULL)
		return ctp_no_memory(err);
	if (open->depth == 0)
		return CTP_OK;
	groups = open->groups[--open->depth];
	open->phases -= (groups & 1U << BUILD_PHASE) != 0;
	return add_to_groups(build, groups, NULL, event, err);
}

enum ctp_status build_profile_add(struct build_profile *build,
	const struct event *event, struct ctp_error *err)
{
	if (event->kind == EVENT_BEGIN || event->kind == EVENT_COMPLETE)
		return add_range(build, event, err);
	if (event->kind == EVENT_END)
		return add_end(build, event, err);
	return CTP_OK;
}

enum ctp_status build_profile_begin(struct build_profile *build,
	const struct trace *trace, const char *unit, struct ctp_error *err)
{
	build->trace = trace;
	build->unit = unit;
	places_begin(&build->places, trace);
	if ((build->groups & 1U << BUILD_PHASE) == 0)
		return CTP_OK;
	/* The phases of each unit are needed, so they are not summed yet. */
	build->replays[BUILD_PHASE] =
		replay_new(build->places.sites, (struct replay_options){0});
	return build->replays[BUILD_PHASE] == NULL ? ctp_no_memory(err)
						   : CTP_OK;
}

/* Adds the unit, with its phases as callees and their total time. */
static bool add_unit(struct build_profile *build, const struct profile *phases)
{
	struct profile *sum = build->units;
	const struct profile_cost cost = {
		1, 1, phases->total_ns, phases->total_ns};
	uint32_t unit = profile_add_function(sum, build->unit, "", 0);

	if (unit == PROFILE_NONE)
		return false;
	profile_cost_add(&sum->functions[unit].cost, &cost);
	profile_cost_add(&sum->functions[unit].root, &cost);
	sum->total_ns = saturate_sum(sum->total_ns, cost.tottime_ns);
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
	struct build_profile *build, struct ctp_error *err)
{
	struct profile *profile = NULL;
	enum ctp_status status;

	if (build->replays[BUILD_PHASE] == NULL)
		return CTP_OK;
	status = replay_finish(build->replays[BUILD_PHASE], &profile, err);
	replay_free(build->replays[BUILD_PHASE]);
	build->replays[BUILD_PHASE] = NULL;
	if (status == CTP_OK && (!profile_add(build->phases, profile) ||
					!add_unit(build, profile)))
		status = ctp_no_memory(err);
	profile_free(profile);
	return status;
}

/* Ranges left open end at the trace's end. */
static enum ctp_status close_ranges(
	struct build_profile *build, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < build->open_room; i++)
		while (status == CTP_OK && build->open[i].depth > 0) {
			const struct event end = {.kind = EVENT_END,
				.track = i,
				.site = TRACE_NONE,
				.time_ns = trace_track_end(build->trace, i)};

			status = add_end(build, &end, err);
		}
	return status;
}

enum ctp_status build_profile_end(
	struct build_profile *build, struct ctp_error *err)
{
	enum ctp_status status = close_ranges(build, err);

	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++)
		if (build->replays[i] != NULL)
			replay_restart(build->replays[i]);
	return status == CTP_OK ? end_phases(build, err) : status;
}

enum ctp_status build_profile_finish(struct build_profile *build,
	struct profile *sums[BUILD_GROUP_COUNT], struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++) {
		sums[i] = NULL;
		if (build->replays[i] != NULL && status == CTP_OK)
			status =
				replay_finish(build->replays[i], &sums[i], err);
	}
	if ((build->requested & 1U << BUILD_PHASE) != 0) {
		sums[BUILD_PHASE] = build->phases;
		build->phases = NULL;
	}
	if ((build->requested & 1U << BUILD_UNIT) != 0) {
		sums[BUILD_UNIT] = build->units;
		build->units = NULL;
	}
	return status;
}

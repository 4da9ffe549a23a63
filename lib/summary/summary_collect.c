/* SPDX-License-Identifier: MIT */
#include "summary/summary_collect.h"

#include <string.h>

#include "base/memory.h"
#include "gaps/gaps.h"
#include "phases/phases.h"
#include "profile/replay.h"
#include "summary/summary_section.h"

#define SUMMARY_ONE(name) +1
#define SECTION_COUNT (0 SUMMARY_SECTIONS(SUMMARY_ONE))

/* A section that sees events. */
struct member {
	const struct summary_collector *collector;
	void *state;
};

struct summary_collect {
	bool wanted[SECTION_COUNT];
	void *states[SECTION_COUNT]; /* NULL: it sees no events */
	/* The others, so that an event does not pass over all sections. */
	struct member members[SECTION_COUNT];
	size_t member_count;
	struct gaps *gaps;     /* NULL: not needed */
	struct phases *phases; /* likewise */
	struct replay *replay; /* likewise, or given as a profile */
	/* The replay's: they are counted elsewhere. */
	uint64_t losses[LOSS_KINDS];
};

static const struct summary_collector *collector(size_t section)
{
	return summary_sections[section]->collector;
}

/* Whether the section is collected: see summary_collect_args(). */
static bool is_wanted(size_t section, const char *only)
{
	return collector(section) != NULL &&
	       (only == NULL ||
		       strcmp(summary_sections[section]->name, only) == 0);
}

static bool has_arg(const char *const *args, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(args[i], name) == 0)
			return true;
	return false;
}

void summary_collect_args(
	const char *args[SUMMARY_ARGS_MAX], const char *section)
{
	size_t count = 0;

	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!is_wanted(i, section) || collector(i)->args == NULL)
			continue;
		for (const char *const *at = collector(i)->args; *at != NULL;
			at++)
			if (count < SUMMARY_ARGS_MAX - 1 &&
				!has_arg(args, count, *at))
				args[count++] = *at;
	}
	args[count] = NULL;
}

/* False if out of memory. */
static bool begin_section(
	struct summary_collect *collect, size_t section, struct trace *trace)
{
	const struct summary_collector *made = collector(section);

	collect->wanted[section] = true;
	if (made->begin == NULL)
		return true;
	collect->states[section] = made->begin(trace);
	if (collect->states[section] == NULL)
		return false;
	collect->members[collect->member_count++] =
		(struct member){made, collect->states[section]};
	return true;
}

/* The analyses that any of the wanted sections needs. */
static struct summary_collector needs_of(const struct summary_collect *collect)
{
	struct summary_collector needs = {.needs_gaps = false};

	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!collect->wanted[i])
			continue;
		needs.needs_gaps |= collector(i)->needs_gaps;
		needs.needs_profile |= collector(i)->needs_profile;
		needs.needs_phases |= collector(i)->needs_phases;
	}
	return needs;
}

/* False if out of memory. */
static bool begin_analyses(struct summary_collect *collect, struct trace *trace,
	const struct summary_collect_options *options)
{
	const struct summary_collector needs = needs_of(collect);
	bool replays = needs.needs_profile && !options->has_profile;
	const struct phase_sets *rules = options->phases == NULL
						 ? phase_sets_shipped()
						 : options->phases;

	if (needs.needs_gaps)
		collect->gaps = gaps_new(trace);
	if (needs.needs_phases && rules != NULL)
		collect->phases = phases_new(trace, rules);
	if (replays)
		collect->replay = replay_new(
			trace, (struct replay_options){.no_edges = true,
				       .losses = collect->losses});
	return (!needs.needs_gaps || collect->gaps != NULL) &&
	       (!needs.needs_phases || collect->phases != NULL) &&
	       (!replays || collect->replay != NULL);
}

struct summary_collect *summary_collect_new(
	struct trace *trace, const struct summary_collect_options *options)
{
	struct summary_collect *collect =
		memory_new_zeroed(1, sizeof(*collect));
	bool done = collect != NULL;

	for (size_t i = 0; i < SECTION_COUNT && done; i++)
		if (is_wanted(i, options->section))
			done = begin_section(collect, i, trace);
	if (done && begin_analyses(collect, trace, options))
		return collect;
	summary_collect_free(collect);
	return NULL;
}

const struct phases *summary_collect_phases(
	const struct summary_collect *collect)
{
	return collect->phases;
}

void summary_collect_free(struct summary_collect *collect)
{
	if (collect == NULL)
		return;
	for (size_t i = 0; i < collect->member_count; i++)
		collect->members[i].collector->free(collect->members[i].state);
	gaps_free(collect->gaps);
	phases_free(collect->phases);
	replay_free(collect->replay);
	memory_free(collect);
}

enum ctp_status summary_collect_add(struct summary_collect *collect,
	const struct event *event, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (collect->gaps != NULL)
		status = gaps_add(collect->gaps, event, err);
	if (status == CTP_OK && collect->phases != NULL)
		status = phases_add(collect->phases, event, err);
	if (status == CTP_OK && collect->replay != NULL)
		status = replay_add(collect->replay, event, err);
	for (size_t i = 0; i < collect->member_count && status == CTP_OK; i++)
		status = collect->members[i].collector->add(
			collect->members[i].state, event, err);
	return status;
}

enum ctp_status summary_collect_finish(struct summary_collect *collect,
	struct summary *summary, const struct summary_input *input,
	const struct profile *profile, struct ctp_error *err)
{
	struct profile *replayed = NULL;
	struct summary_finished finished = {
		input, collect->gaps, profile, collect->phases};
	enum ctp_status status = CTP_OK;

	if (collect->gaps != NULL)
		status = gaps_finish(collect->gaps, err);
	if (status == CTP_OK && collect->phases != NULL)
		status = phases_finish(collect->phases, err);
	if (status == CTP_OK && collect->replay != NULL) {
		status = replay_finish(collect->replay, &replayed, err);
		finished.profile = replayed;
	}
	for (size_t i = 0; i < SECTION_COUNT && status == CTP_OK; i++)
		if (collect->wanted[i])
			status = collector(i)->finish(
				collect->states[i], summary, &finished, err);
	profile_free(replayed);
	return status;
}

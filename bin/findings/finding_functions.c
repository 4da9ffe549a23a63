/* SPDX-License-Identifier: MIT */
/* Rules about the host's functions, compilers, and the recording itself. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/saturate.h"
#include "cli/quantity.h"
#include "findings/finding_rules.h"
#include "trace/trace.h"

#define HOT_PERCENT 50
#define HOT_FUNCTIONS 5u /* a program of fewer has nothing to choose from */
#define MANY_CALLS UINT64_C(1000000)
#define MANY_PERCENT 10
#define MANY_NS 1000u /* a call takes less */
#define HEADER_PERCENT 5
#define TEMPLATE_PERCENT 5
#define AGAIN_PERCENT 10
#define BREAKS_PERCENT 5
#define COST_PERCENT 10

/* ---- the recording ---- */

bool finding_losses(struct finding *finding, const struct findings_facts *facts)
{
	enum trace_loss worst = LOSS_KINDS;
	unsigned others = 0;
	char more[FINDING_NAME] = "";

	if (facts->losses == NULL)
		return false;
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		if (facts->losses[loss] == 0 || trace_loss_is_note(loss))
			continue;
		others += worst != LOSS_KINDS;
		if (worst == LOSS_KINDS ||
			facts->losses[loss] > facts->losses[worst])
			worst = loss;
	}
	if (worst == LOSS_KINDS)
		return false;
	if (others != 0)
		(void)snprintf(more, sizeof(more),
			", and there are %u other kinds of losses", others);
	finding_set_text(finding,
		"The recording is not complete: %" PRIu64 " %s%s.",
		facts->losses[worst], trace_loss_description(worst), more);
	return true;
}

bool finding_recording_cost(
	struct finding *finding, const struct findings_facts *facts)
{
	const struct recording_cost *cost = facts->cost;

	if (cost == NULL || cost->line[0] == '\0' ||
		!finding_set_share(finding, cost->percent, 100, COST_PERCENT))
		return false;
	finding_set_text(finding,
		"Recording took about %" PRIu32
		" %% of the time of functions: %" PRIu64 " ranges.",
		cost->percent, cost->ranges);
	return true;
}

/* ---- functions ---- */

static bool is_host(const struct profile_function *function)
{
	return function->device.kind == PROFILE_HOST;
}

/* The time of all host functions, and their number. */
static uint64_t host_ns(const struct profile *profile, uint32_t *count)
{
	uint64_t sum = 0;

	*count = 0;
	for (uint32_t i = 0; i < profile->function_count; i++) {
		if (!is_host(&profile->functions[i]))
			continue;
		sum = saturate_sum(sum, profile->functions[i].cost.tottime_ns);
		*count += 1;
	}
	return sum;
}

/* Whether the functions are those of a program that runs on the host. With a
 * GPU, the host waits for it; and compilers have rules of their own. */
static bool has_program(const struct findings_facts *facts)
{
	return facts->profile != NULL && !profile_has_device(facts->profile) &&
	       (facts->groups == NULL || facts->groups[BUILD_PHASE] == NULL ||
		       facts->groups[BUILD_PHASE]->function_count == 0);
}

bool finding_hot_function(
	struct finding *finding, const struct findings_facts *facts)
{
	const struct profile_function *hot = NULL;
	char texts[2][QUANTITY_TEXT];
	char percent[FINDING_PERCENT];
	char name[FINDING_NAME];
	uint32_t count;
	uint64_t all_ns;

	if (!has_program(facts))
		return false;
	all_ns = host_ns(facts->profile, &count);
	for (uint32_t i = 0; i < facts->profile->function_count; i++) {
		const struct profile_function *at =
			&facts->profile->functions[i];

		if (is_host(at) &&
			(hot == NULL ||
				at->cost.tottime_ns > hot->cost.tottime_ns))
			hot = at;
	}
	if (hot == NULL || count < HOT_FUNCTIONS ||
		!finding_set_share(
			finding, hot->cost.tottime_ns, all_ns, HOT_PERCENT))
		return false;
	finding_set_text(finding,
		"%s takes %s of the time itself, %s in %" PRIu64
		" call%s of %s each.",
		finding_name(name, hot->name),
		finding_percent(percent, finding->share_ppm),
		quantity_time(texts[0], hot->cost.tottime_ns), hot->cost.ncalls,
		hot->cost.ncalls == 1 ? "" : "s",
		quantity_time(texts[1],
			quantity_mean(hot->cost.tottime_ns, hot->cost.ncalls)));
	return true;
}

bool finding_many_calls(
	struct finding *finding, const struct findings_facts *facts)
{
	const struct profile_function *found = NULL;
	char percent[FINDING_PERCENT];
	char time[QUANTITY_TEXT];
	char name[FINDING_NAME];
	uint32_t count;
	uint64_t all_ns;

	if (!has_program(facts))
		return false;
	all_ns = host_ns(facts->profile, &count);
	for (uint32_t i = 0; i < facts->profile->function_count; i++) {
		const struct profile_function *at =
			&facts->profile->functions[i];

		if (is_host(at) && at->cost.ncalls >= MANY_CALLS &&
			at->cost.tottime_ns / at->cost.ncalls < MANY_NS &&
			(found == NULL ||
				at->cost.tottime_ns > found->cost.tottime_ns))
			found = at;
	}
	if (found == NULL || !finding_set_share(finding, found->cost.tottime_ns,
				     all_ns, MANY_PERCENT))
		return false;
	finding_set_text(finding,
		"%s is called %" PRIu64
		" times and takes %s each, %s of the time.",
		finding_name(name, found->name), found->cost.ncalls,
		quantity_time(time, quantity_mean(found->cost.tottime_ns,
					    found->cost.ncalls)),
		finding_percent(percent, finding->share_ppm));
	return true;
}

/* ---- builds ---- */

/* The row of a group with the most own time. */
static bool find_build(struct finding *finding,
	const struct findings_facts *facts, enum build_group group,
	unsigned least_percent, const char *verb)
{
	const struct profile *profile =
		facts->groups == NULL ? NULL : facts->groups[group];
	const struct profile *phases =
		profile == NULL ? NULL : facts->groups[BUILD_PHASE];
	const struct profile_function *most = NULL;
	char percent[FINDING_PERCENT];
	char time[QUANTITY_TEXT];
	char name[FINDING_NAME];
	uint32_t count;

	if (phases == NULL)
		return false;
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (most == NULL || profile->functions[i].cost.tottime_ns >
					    most->cost.tottime_ns)
			most = &profile->functions[i];
	if (most == NULL || most->cost.ncalls < 2 ||
		!finding_set_share(finding, most->cost.tottime_ns,
			host_ns(phases, &count), least_percent))
		return false;
	finding_set_text(finding,
		"%s is %s %" PRIu64
		" times and takes %s itself, %s of the compilers' time.",
		/* A header is a range with its file. */
		finding_name(
			name, group == BUILD_HEADER ? most->file : most->name),
		verb, most->cost.ncalls,
		quantity_time(time, most->cost.tottime_ns),
		finding_percent(percent, finding->share_ppm));
	return true;
}

bool finding_headers(
	struct finding *finding, const struct findings_facts *facts)
{
	return find_build(finding, facts, BUILD_HEADER, HEADER_PERCENT, "read");
}

bool finding_templates(
	struct finding *finding, const struct findings_facts *facts)
{
	return find_build(
		finding, facts, BUILD_SET, TEMPLATE_PERCENT, "instantiated");
}

/* ---- torch.compile ---- */

static uint64_t compile_ns(const struct compilations *compilations)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < compilations->count; i++)
		sum = saturate_sum(sum, compilations->rows[i].total_ns);
	return sum;
}

/* Time that several places wasted, and the first place that wasted most. */
struct waste {
	uint64_t time_ns;
	uint64_t count;
	uint64_t most_ns;
	size_t most; /* its number */
};

static void waste_add(
	struct waste *waste, size_t place, uint64_t time_ns, uint64_t count)
{
	if (time_ns > waste->most_ns) {
		waste->most_ns = time_ns;
		waste->most = place;
	}
	waste->time_ns = saturate_sum(waste->time_ns, time_ns);
	waste->count = saturate_sum(waste->count, count);
}

bool finding_recompilations(
	struct finding *finding, const struct findings_facts *facts)
{
	struct waste again = {0};
	const struct recompilation *most;
	char percent[FINDING_PERCENT];
	char time[QUANTITY_TEXT];
	char names[2][FINDING_NAME];

	if (facts->compile == NULL)
		return false;
	most = facts->compile->compilations.again;
	for (size_t i = 0; i < facts->compile->compilations.again_count; i++)
		waste_add(&again, i, most[i].total_ns, most[i].count);
	if (!finding_set_share(finding, again.time_ns,
		    compile_ns(&facts->compile->compilations), AGAIN_PERCENT))
		return false;
	most += again.most;
	finding_set_text(finding,
		"%" PRIu64 " recompilation%s take%s %s, %s of the compile "
		"time, most of it for %s: %s.",
		again.count, again.count == 1 ? "" : "s",
		again.count == 1 ? "s" : "", quantity_time(time, again.time_ns),
		finding_percent(percent, finding->share_ppm),
		finding_name(names[0],
			most->function == NULL ? "?" : most->function),
		finding_name(names[1], most->reason));
	return true;
}

bool finding_graph_breaks(
	struct finding *finding, const struct findings_facts *facts)
{
	struct waste lost = {0};
	const struct graph_break *most;
	char percent[FINDING_PERCENT];
	char time[QUANTITY_TEXT];
	char names[2][FINDING_NAME];

	if (facts->compile == NULL)
		return false;
	most = facts->compile->compilations.breaks;
	for (size_t i = 0; i < facts->compile->compilations.break_count; i++)
		waste_add(&lost, i, most[i].lost_ns, most[i].count);
	if (!finding_set_share(finding, lost.time_ns,
		    compile_ns(&facts->compile->compilations), BREAKS_PERCENT))
		return false;
	most += lost.most;
	finding_set_text(finding,
		"%" PRIu64 " graph break%s throw%s %s of compiling away, %s of "
		"it all, most at %s:%" PRIu32 ": %s.",
		lost.count, lost.count == 1 ? "" : "s",
		lost.count == 1 ? "s" : "", quantity_time(time, lost.time_ns),
		finding_percent(percent, finding->share_ppm),
		finding_name(names[0], most->file), most->line,
		finding_name(names[1], most->reason));
	return true;
}

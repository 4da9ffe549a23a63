/* SPDX-License-Identifier: MIT */
/*
 * Profiles have no ranges: their calling contexts are in phases as ranges would
 * be, and without these each function is by itself.
 */
#include <string.h>

#include "base/memory.h"
#include "phases/phase_count.h"

static struct phase_begin function_phase(const struct phase_count *count,
	const struct profile_function *function)
{
	const struct phase_subject subject = {
		.name = function->name,
		.name_size = strlen(function->name),
		.file = function->file,
		.file_size = strlen(function->file),
		.category = "",
	};

	return phase_rules_find(count->rules, &subject);
}

/* Time that is in a phase, or in none. */
static void charge(struct phase_times *times, uint32_t phase, uint64_t self_ns)
{
	times->wall_ns += self_ns;
	if (phase == PHASE_NONE)
		times->unknown_ns += self_ns;
	else
		times->phases[phase].self_ns += self_ns;
}

static void add_functions(struct phase_count *count,
	const struct profile *profile, const struct phase_begin *begins)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		uint32_t phase = begins[i].phase;
		struct phase_sum *sum;

		if (function->device.kind != PROFILE_HOST)
			continue;
		charge(&count->times, phase, function->cost.tottime_ns);
		if (phase == PHASE_NONE)
			continue;
		sum = &count->times.phases[phase];
		sum->count += function->cost.ncalls;
		sum->total_ns = sum->self_ns;
	}
}

#define MASK_WORDS ((PHASE_RULES_PHASES_MAX + 63) / 64)

struct context {
	uint32_t begins;
	uint32_t phase;
	uint64_t total_ns;
	uint64_t around[MASK_WORDS]; /* phases that contexts around it begin */
};

/* What stands around a context, and which phase it is in. */
static struct context make_context(const struct context *parent,
	struct phase_begin begin, uint64_t self_ns)
{
	uint32_t begins = phase_begin_in(begin, parent->phase);
	struct context context = *parent;

	if (parent->begins != PHASE_NONE)
		context.around[parent->begins / 64] |= UINT64_C(1)
						       << parent->begins % 64;
	context.begins = begins;
	if (begins != PHASE_NONE)
		context.phase = begins;
	context.total_ns = self_ns;
	return context;
}

static bool is_outermost(const struct context *context)
{
	return (context->around[context->begins / 64] &
		       UINT64_C(1) << context->begins % 64) == 0;
}

static void add_contexts(struct phase_count *count,
	const struct profile *profile, const struct phase_begin *begins,
	struct context *contexts)
{
	const struct profile_node *nodes = profile->nodes;

	contexts[0] =
		(struct context){.begins = PHASE_NONE, .phase = PHASE_NONE};
	for (uint32_t i = 1; i < profile->node_count; i++) {
		contexts[i] = make_context(&contexts[nodes[i].parent],
			begins[nodes[i].function], nodes[i].self_ns);
		charge(&count->times, contexts[i].phase, nodes[i].self_ns);
	}
	for (uint32_t i = profile->node_count; i-- > 1;) {
		const struct context *context = &contexts[i];
		struct phase_sum *sum;

		contexts[nodes[i].parent].total_ns += context->total_ns;
		if (context->begins == PHASE_NONE)
			continue;
		sum = &count->times.phases[context->begins];
		sum->count += nodes[i].ncalls;
		if (is_outermost(context))
			sum->total_ns += context->total_ns;
	}
}

bool phase_count_add_profile(
	struct phase_count *count, const struct profile *profile)
{
	size_t room = (size_t)profile->function_count + 1;
	struct phase_begin *begins = memory_new_zeroed(room, sizeof(*begins));
	struct context *contexts = NULL;
	bool done = begins != NULL;

	for (uint32_t i = 0; done && i < profile->function_count; i++)
		begins[i] = function_phase(count, &profile->functions[i]);
	if (done && profile->node_count > 0) {
		contexts = memory_new_zeroed(
			profile->node_count, sizeof(*contexts));
		done = contexts != NULL;
	}
	if (done && contexts != NULL)
		add_contexts(count, profile, begins, contexts);
	else if (done)
		add_functions(count, profile, begins);
	memory_free(contexts);
	memory_free(begins);
	return done;
}

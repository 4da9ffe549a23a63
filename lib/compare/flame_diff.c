/* SPDX-License-Identifier: MIT */
/*
 * The profile of the new side has the functions and call paths of both sides;
 * the costs of the base are kept in separate arrays.
 */
#include "compare/flame_diff.h"

#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "profile/profile.h"

struct flame_diff {
	enum match_key match;
	uint32_t runs[DIFF_SIDES];
	struct profile *profile;
	struct profile_children children;
	/* By node and by function of the profile, with the same room. */
	struct flame_cost *base_nodes;
	uint32_t node_room;
	struct flame_cost *base_functions;
	uint32_t function_room;
	struct buffer name; /* of the current function */
	struct buffer file;
};

struct flame_diff *flame_diff_new(enum match_key match)
{
	struct flame_diff *diff = memory_new_zeroed(1, sizeof(*diff));

	if (diff == NULL)
		return NULL;
	diff->match = match;
	diff->profile = profile_new();
	if (diff->profile == NULL || profile_add_node(diff->profile, 0,
					     PROFILE_NONE) == PROFILE_NONE) {
		flame_diff_free(diff);
		return NULL;
	}
	return diff;
}

void flame_diff_free(struct flame_diff *diff)
{
	if (diff == NULL)
		return;
	profile_free(diff->profile);
	profile_children_clear(&diff->children);
	memory_free(diff->base_nodes);
	memory_free(diff->base_functions);
	buffer_clear(&diff->name);
	buffer_clear(&diff->file);
	memory_free(diff);
}

/* Grows `costs` to the room of the profile's table and zeroes the new part.
 * False if out of memory. */
static bool follow(struct flame_cost **costs, uint32_t *room, uint32_t needed)
{
	struct flame_cost *more;

	if (*room >= needed)
		return true;
	more = memory_resize_array(*costs, needed, sizeof(*more));
	if (more == NULL)
		return false;
	memset(more + *room, 0, (needed - *room) * sizeof(*more));
	*costs = more;
	*room = needed;
	return true;
}

static bool has_room(struct flame_diff *diff)
{
	return follow(&diff->base_nodes, &diff->node_room,
		       diff->profile->node_room) &&
	       follow(&diff->base_functions, &diff->function_room,
		       diff->profile->function_room);
}

/* Returns the common function of both sides; PROFILE_NONE if out of memory. */
static uint32_t join(
	struct flame_diff *diff, const struct profile_function *function)
{
	uint32_t line = diff->match < MATCH_KEY_LINE ? 0 : function->line;
	uint32_t number;

	diff->name.used = 0;
	diff->file.used = 0;
	function_match_name(diff->match, function, &diff->name, &diff->file);
	if (function->device.kind != PROFILE_HOST)
		buffer_add_text(&diff->file, "<gpu>");
	buffer_add_byte(&diff->name, '\0');
	buffer_add_byte(&diff->file, '\0');
	if (diff->name.failed || diff->file.failed)
		return PROFILE_NONE;
	number = profile_add_function(diff->profile,
		(const char *)diff->name.bytes, (const char *)diff->file.bytes,
		line);
	if (number != PROFILE_NONE)
		diff->profile->functions[number].device.kind =
			function->device.kind;
	return number;
}

static bool add_function(struct flame_diff *diff, enum diff_side side,
	const struct profile_function *function, uint32_t *joined)
{
	struct flame_cost *base;

	*joined = join(diff, function);
	if (*joined == PROFILE_NONE || !has_room(diff))
		return false;
	if (side == DIFF_NEW) {
		struct profile_function *entry =
			&diff->profile->functions[*joined];

		profile_cost_add(&entry->cost, &function->cost);
		profile_device_add(&entry->device, &function->device);
		return true;
	}
	base = &diff->base_functions[*joined];
	base->calls = saturate_sum(base->calls, function->cost.ncalls);
	base->self_ns = saturate_sum(base->self_ns, function->cost.tottime_ns);
	base->total_ns =
		saturate_sum(base->total_ns, function->cost.cumtime_ns);
	return true;
}

static bool add_nodes(struct flame_diff *diff, enum diff_side side,
	const struct profile *from, const uint32_t *joined, uint32_t *place)
{
	struct profile *to = diff->profile;

	place[0] = 0;
	for (uint32_t i = 1; i < from->node_count; i++) {
		const struct profile_node *node = &from->nodes[i];
		uint32_t number = profile_children_find(&diff->children, to,
			place[node->parent], joined[node->function]);

		place[i] = number;
		if (number == PROFILE_NONE || !has_room(diff))
			return false;
		if (side == DIFF_NEW) {
			to->nodes[number].ncalls = saturate_sum(
				to->nodes[number].ncalls, node->ncalls);
			to->nodes[number].self_ns = saturate_sum(
				to->nodes[number].self_ns, node->self_ns);
		} else {
			diff->base_nodes[number].calls = saturate_sum(
				diff->base_nodes[number].calls, node->ncalls);
			diff->base_nodes[number].self_ns =
				saturate_sum(diff->base_nodes[number].self_ns,
					node->self_ns);
		}
	}
	return true;
}

enum ctp_status flame_diff_add(struct flame_diff *diff, enum diff_side side,
	const struct profile *profile, struct ctp_error *err)
{
	uint32_t *joined = memory_resize_array(
		NULL, (size_t)profile->function_count + 1, sizeof(*joined));
	uint32_t *place = memory_resize_array(
		NULL, (size_t)profile->node_count + 1, sizeof(*place));
	bool ok = joined != NULL && place != NULL && has_room(diff);

	for (uint32_t i = 0; ok && i < profile->function_count; i++)
		ok = add_function(
			diff, side, &profile->functions[i], &joined[i]);
	ok = ok && add_nodes(diff, side, profile, joined, place);
	memory_free(joined);
	memory_free(place);
	diff->runs[side]++;
	if (ok)
		return CTP_OK;
	return ctp_fail(
		err, CTP_ERR_NOMEM, "out of memory while joining call paths");
}

static void divide(struct flame_cost *cost, uint32_t runs)
{
	cost->calls /= runs;
	cost->self_ns /= runs;
	cost->total_ns /= runs;
}

static void finish_base(struct flame_diff *diff)
{
	uint32_t runs = diff->runs[DIFF_BASE];

	for (uint32_t i = 0; runs > 1 && i < diff->node_room; i++)
		divide(&diff->base_nodes[i], runs);
	for (uint32_t i = 0; runs > 1 && i < diff->function_room; i++)
		divide(&diff->base_functions[i], runs);
}

void flame_diff_finish(struct flame_diff *diff)
{
	struct profile *profile = diff->profile;
	uint32_t runs = diff->runs[DIFF_NEW];

	finish_base(diff);
	for (uint32_t i = 0; runs > 1 && i < profile->node_count; i++) {
		profile->nodes[i].ncalls /= runs;
		profile->nodes[i].self_ns /= runs;
	}
	for (uint32_t i = 0; runs > 1 && i < profile->function_count; i++) {
		struct profile_function *function = &profile->functions[i];

		function->cost.ncalls /= runs;
		function->cost.tottime_ns /= runs;
		function->cost.cumtime_ns /= runs;
		function->device.self_ns /= runs;
		function->device.total_ns /= runs;
	}
}

const struct profile *flame_diff_profile(const struct flame_diff *diff)
{
	return diff->profile;
}

const struct flame_cost *flame_diff_base_nodes(const struct flame_diff *diff)
{
	return diff->base_nodes;
}

const struct flame_cost *flame_diff_base_functions(
	const struct flame_diff *diff)
{
	return diff->base_functions;
}

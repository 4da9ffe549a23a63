/* SPDX-License-Identifier: MIT */
/* Sections of profiles: the functions, and the groups of compilers' ranges. All
 * rows begin with the name of the group. */
#include "summary/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "summary/summary_section.h"

#define FLAG_NO_ROOT 1u

struct profile *summary_find_profile(
	const struct summary *summary, const char *group)
{
	for (size_t i = 0; i < summary->profile_count; i++)
		if (strcmp(summary->profiles[i].group, group) == 0)
			return summary->profiles[i].profile;
	return NULL;
}

struct profile *summary_profile(struct summary *summary, const char *group)
{
	struct profile *found = summary_find_profile(summary, group);
	uint32_t number = strtab_add(summary->text, group, strlen(group));
	size_t at = summary->profile_count;
	struct summary_profile added;

	if (found != NULL)
		return found;
	if (number == STRTAB_NONE || at == SUMMARY_PROFILES_MAX ||
		!array_reserve(&summary->profiles, at, &summary->profile_room,
			sizeof(*summary->profiles)))
		return NULL;
	added.group = strtab_text(summary->text, number, NULL);
	added.profile = profile_new();
	if (added.profile == NULL)
		return NULL;
	for (; at > 0 && strcmp(summary->profiles[at - 1].group, group) > 0;
		at--)
		summary->profiles[at] = summary->profiles[at - 1];
	summary->profiles[at] = added;
	summary->profile_count++;
	return added.profile;
}

bool summary_put_profile(
	struct summary *summary, const char *group, struct profile *profile)
{
	struct profile *place = summary_profile(summary, group);
	struct profile empty;

	if (place == NULL) {
		profile_free(profile);
		return false;
	}
	empty = *place;
	*place = *profile;
	*profile = empty;
	profile_free(profile);
	return true;
}

struct profile *summary_take_profile(struct summary *summary, const char *group)
{
	for (size_t i = 0; i < summary->profile_count; i++) {
		struct summary_profile *at = &summary->profiles[i];
		struct profile *found = at->profile;

		if (strcmp(at->group, group) != 0)
			continue;
		summary->profile_count--;
		memmove(at, at + 1, (summary->profile_count - i) * sizeof(*at));
		return found;
	}
	return NULL;
}

/* ---- profiles ---- */

static void write_profile(
	const struct summary_profile *from, struct summary_out *out)
{
	const struct profile *profile = from->profile;

	summary_out_row(out);
	summary_out_text(out, from->group);
	summary_out_number(out, profile->thread_count);
	summary_out_number(out, profile->open_calls);
	summary_out_number(out, profile->unmatched);
	summary_out_number(out, profile->flops);
	summary_out_number(out, profile->no_root ? FLAG_NO_ROOT : 0);
	summary_out_end_row(out);
}

/* Also puts the functions, edges and paths of the later sections in order. */
static enum ctp_status write_profiles(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	for (size_t i = 0; i < summary->profile_count; i++) {
		enum ctp_status status =
			profile_sort(summary->profiles[i].profile, err);

		if (status != CTP_OK)
			return status;
		write_profile(&summary->profiles[i], out);
	}
	return CTP_OK;
}

static enum ctp_status read_profile(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	const char *group = summary_in_text(in);
	struct profile *profile;

	if (summary_find_profile(summary, group) != NULL ||
		summary->profile_count == SUMMARY_PROFILES_MAX)
		return summary_in_fail(in, "too many groups", err);
	profile = summary_profile(summary, group);
	if (profile == NULL)
		return ctp_no_memory(err);
	profile->thread_count = summary_in_index(in, UINT32_MAX);
	profile->open_calls = summary_in_number(in);
	profile->unmatched = summary_in_number(in);
	profile->flops = summary_in_number(in);
	profile->no_root = (summary_in_number(in) & FLAG_NO_ROOT) != 0;
	return CTP_OK;
}

static enum ctp_status add_profiles(
	struct summary *to, struct summary *from, struct ctp_error *err)
{
	for (size_t i = 0; i < from->profile_count; i++) {
		struct profile *sum =
			summary_profile(to, from->profiles[i].group);

		if (sum == NULL ||
			!profile_add_with_paths(sum, from->profiles[i].profile))
			return ctp_no_memory(err);
	}
	return CTP_OK;
}

static void clear_profiles(struct summary *summary)
{
	for (size_t i = 0; i < summary->profile_count; i++)
		profile_free(summary->profiles[i].profile);
	memory_free(summary->profiles);
}

const struct summary_section summary_profiles_section = {
	.name = "profiles",
	.write = write_profiles,
	.read = read_profile,
	.add = add_profiles,
	.clear = clear_profiles,
};

/* The profile of the group that a row begins with; NULL if it is wrong. */
static struct profile *row_profile(
	struct summary *summary, struct summary_in *in)
{
	return summary_find_profile(summary, summary_in_text(in));
}

/* ---- functions ---- */

static void write_cost(struct summary_out *out, const struct profile_cost *cost)
{
	summary_out_number(out, cost->ncalls);
	summary_out_number(out, cost->pcalls);
	summary_out_number(out, cost->tottime_ns);
	summary_out_number(out, cost->cumtime_ns);
}

static void read_cost(struct summary_in *in, struct profile_cost *cost)
{
	cost->ncalls = summary_in_number(in);
	cost->pcalls = summary_in_number(in);
	cost->tottime_ns = summary_in_number(in);
	cost->cumtime_ns = summary_in_number(in);
}

static void write_function(struct summary_out *out, const char *group,
	const struct profile_function *function)
{
	const struct profile_device *device = &function->device;

	summary_out_row(out);
	summary_out_text(out, group);
	summary_out_text(out, function->name);
	summary_out_text(out, function->file);
	summary_out_number(out, function->line);
	write_cost(out, &function->cost);
	write_cost(out, &function->root);
	summary_out_number(out, device->self_ns);
	summary_out_number(out, device->total_ns);
	summary_out_number(out, device->captured_ns);
	summary_out_number(out, function->use.flops);
	summary_out_number(out, device->kind);
	summary_out_number(out, device->number);
	summary_out_number(out, device->min_ns);
	summary_out_number(out, device->max_ns);
	summary_out_number(out, device->bytes);
	summary_out_end_row(out);
}

static enum ctp_status write_functions(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	for (size_t i = 0; i < summary->profile_count; i++) {
		const struct summary_profile *from = &summary->profiles[i];

		for (uint32_t k = 0; k < from->profile->function_count; k++)
			write_function(
				out, from->group, &from->profile->functions[k]);
	}
	return CTP_OK;
}

static void read_device(
	struct summary_in *in, struct profile_function *function)
{
	struct profile_device *device = &function->device;

	device->self_ns = summary_in_number(in);
	device->total_ns = summary_in_number(in);
	device->captured_ns = summary_in_number(in);
	function->use.flops = summary_in_number(in);
	device->kind = (enum profile_kind)summary_in_index(in, PROFILE_SET);
	device->number = summary_in_index(in, UINT32_MAX);
	device->min_ns = summary_in_number(in);
	device->max_ns = summary_in_number(in);
	device->bytes = summary_in_number(in);
}

static enum ctp_status read_function(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct profile *profile = row_profile(summary, in);
	const char *name = summary_in_text(in);
	const char *file = summary_in_text(in);
	uint32_t line = summary_in_index(in, UINT32_MAX);
	struct profile_function *function;
	uint32_t count;
	uint32_t number;

	if (profile == NULL)
		return summary_in_fail(in, "an unknown group", err);
	count = profile->function_count;
	number = profile_add_function(profile, name, file, line);
	if (number == PROFILE_NONE)
		return ctp_no_memory(err);
	if (number != count)
		return summary_in_fail(in, "a function twice", err);
	function = &profile->functions[number];
	read_cost(in, &function->cost);
	read_cost(in, &function->root);
	read_device(in, function);
	profile->total_ns =
		saturate_sum(profile->total_ns, function->cost.tottime_ns);
	return CTP_OK;
}

const struct summary_section summary_functions_section = {
	.name = "functions",
	.write = write_functions,
	.read = read_function,
};

/* ---- edges ---- */

static enum ctp_status write_edges(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	for (size_t i = 0; i < summary->profile_count; i++) {
		const struct summary_profile *from = &summary->profiles[i];

		for (uint32_t k = 0; k < from->profile->edge_count; k++) {
			const struct profile_edge *edge =
				&from->profile->edges[k];

			summary_out_row(out);
			summary_out_text(out, from->group);
			summary_out_number(out, edge->caller);
			summary_out_number(out, edge->callee);
			write_cost(out, &edge->cost);
			summary_out_end_row(out);
		}
	}
	return CTP_OK;
}

static enum ctp_status read_edge(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct profile *profile = row_profile(summary, in);
	uint32_t caller = summary_in_index(in, UINT32_MAX);
	uint32_t callee = summary_in_index(in, UINT32_MAX);
	uint32_t count;
	uint32_t number;

	if (profile == NULL || caller >= profile->function_count ||
		callee >= profile->function_count)
		return summary_in_fail(in, "an unknown function", err);
	count = profile->edge_count;
	number = profile_add_edge(profile, caller, callee);
	if (number == PROFILE_NONE)
		return ctp_no_memory(err);
	if (number != count)
		return summary_in_fail(in, "a caller twice", err);
	read_cost(in, &profile->edges[number].cost);
	return CTP_OK;
}

const struct summary_section summary_edges_section = {
	.name = "edges",
	.write = write_edges,
	.read = read_edge,
};

/* ---- memory ---- */

/* Numbers of the owners in canonical order. */
static void sort_owners(
	const struct profile_memory *memory, uint32_t order[PROFILE_OWNERS_MAX])
{
	for (uint32_t i = 0; i < memory->owner_count; i++) {
		uint32_t at = i;

		for (; at > 0 &&
			profile_owner_is_before(&memory->owners[i].owner,
				&memory->owners[order[at - 1]].owner);
			at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

/* Writes a list; `function` is its function's number + 1. */
static void write_amounts(struct summary_out *out,
	const struct summary_profile *from, uint32_t function,
	const uint32_t *order)
{
	const struct profile_memory *memory = from->profile->memory;
	uint32_t list =
		function == 0
			? memory->all
			: from->profile->functions[function - 1].use.memory;

	for (uint32_t i = 0; i < memory->owner_count; i++) {
		const struct profile_memory_owner *owner =
			&memory->owners[order[i]];
		const struct profile_memory_part *part =
			profile_memory_part(memory, list, order[i]);
		struct profile_amount amount = {0};

		if (part == NULL && function != 0)
			continue;
		if (part != NULL)
			amount = part->amount;
		summary_out_row(out);
		summary_out_text(out, from->group);
		summary_out_number(out, function);
		summary_out_number(out, owner->owner.kind);
		summary_out_signed(out, owner->owner.type);
		summary_out_signed(out, owner->owner.number);
		summary_out_number(out, function == 0 ? owner->records : 0);
		summary_out_signed(out, amount.self_bytes);
		summary_out_signed(out, amount.total_bytes);
		summary_out_number(out, amount.failed);
		summary_out_end_row(out);
	}
}

static enum ctp_status write_memory(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	for (size_t i = 0; i < summary->profile_count; i++) {
		const struct summary_profile *from = &summary->profiles[i];
		uint32_t order[PROFILE_OWNERS_MAX];

		if (from->profile->memory == NULL)
			continue;
		sort_owners(from->profile->memory, order);
		for (uint32_t k = 0; k <= from->profile->function_count; k++)
			write_amounts(out, from, k, order);
	}
	return CTP_OK;
}

static enum ctp_status read_memory(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct profile *profile = row_profile(summary, in);
	uint32_t function = summary_in_index(in, UINT32_MAX);
	struct profile_owner owner = {
		.kind = (enum profile_owner_kind)summary_in_index(
			in, PROFILE_OF_OTHER)};
	struct profile_amount amount;
	uint64_t records;
	uint32_t *list;
	uint32_t number;

	if (profile == NULL || function > profile->function_count)
		return summary_in_fail(in, "an unknown function", err);
	if (profile->memory == NULL)
		profile->memory = profile_memory_new();
	if (profile->memory == NULL)
		return ctp_no_memory(err);
	owner.type = summary_in_signed(in);
	owner.number = summary_in_signed(in);
	records = summary_in_number(in);
	amount.self_bytes = summary_in_signed(in);
	amount.total_bytes = summary_in_signed(in);
	amount.failed = summary_in_number(in);
	number = profile_memory_find(profile->memory, owner);
	if (number == UINT32_MAX)
		return ctp_no_memory(err);
	profile->memory->owners[number].records =
		saturate_sum(profile->memory->owners[number].records, records);
	list = function == 0 ? &profile->memory->all
			     : &profile->functions[function - 1].use.memory;
	if (profile_memory_part(profile->memory, *list, number) != NULL)
		return summary_in_fail(in, "a device twice", err);
	profile_memory_add(profile->memory, list, number, amount);
	return profile->memory->failed ? ctp_no_memory(err) : CTP_OK;
}

const struct summary_section summary_memory_section = {
	.name = "memory",
	.write = write_memory,
	.read = read_memory,
};

/* ---- paths ---- */

static enum ctp_status write_paths(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	(void)err;
	for (size_t i = 0; i < summary->profile_count; i++) {
		const struct summary_profile *from = &summary->profiles[i];

		for (uint32_t k = 1; k < from->profile->node_count; k++) {
			const struct profile_node *node =
				&from->profile->nodes[k];

			summary_out_row(out);
			summary_out_text(out, from->group);
			summary_out_number(out, node->parent);
			summary_out_number(out, (uint64_t)node->function + 1);
			summary_out_number(out, node->ncalls);
			summary_out_number(out, node->self_ns);
			summary_out_end_row(out);
		}
	}
	return CTP_OK;
}

static enum ctp_status read_path(
	struct summary *summary, struct summary_in *in, struct ctp_error *err)
{
	struct profile *profile = row_profile(summary, in);
	uint32_t parent = summary_in_index(in, UINT32_MAX);
	uint32_t function = summary_in_index(in, UINT32_MAX);
	uint32_t number;

	if (profile == NULL || function == 0 ||
		function > profile->function_count ||
		(parent != 0 && parent >= profile->node_count))
		return summary_in_fail(in, "an unknown function", err);
	number = profile_add_node(profile, parent, function - 1);
	if (number == PROFILE_NONE)
		return ctp_no_memory(err);
	profile->nodes[number].ncalls = summary_in_number(in);
	profile->nodes[number].self_ns = summary_in_number(in);
	return CTP_OK;
}

const struct summary_section summary_paths_section = {
	.name = "paths",
	.write = write_paths,
	.read = read_path,
};

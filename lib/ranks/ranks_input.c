/* SPDX-License-Identifier: MIT */
/*
 * Steps of training and collectives of a recording. Gaps, phases and its profile
 * come from analyses that other sums have, too.
 */
#include "ranks/ranks_input.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "ranks/collective_reader.h"
#include "ranks/ranks_merged.h"

/* Source: torch/profiler/profiler.py. */
#define STEP_PREFIX "ProfilerStep#"

enum { SITE_UNKNOWN, SITE_OTHER, SITE_STEP };

struct step_sums {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t max_ns;
};

/* The times of ranges. */
struct extent {
	bool any;
	int64_t first_ns;
	int64_t last_ns;
};

/* A thread: its open range of a step, and the last step that it marked. */
struct step_thread {
	uint32_t depth;
	uint32_t step_depth; /* 0: not in a step */
	int64_t begin_ns;
	bool marked;
	int64_t mark_ns;
	struct step_sums ranges;
	struct step_sums marks;
	struct extent extent;
};

struct ranks_input {
	struct trace *trace;
	struct collective_reader *collectives;
	struct step_thread *threads; /* by track */
	uint32_t thread_room;
	uint8_t *sites;
	uint32_t site_room;
	struct ranks_merged *merged; /* ranks of a merged timeline */
	uint32_t member_count;       /* 0: it is one rank, or none */
	bool any;                    /* there are ranges */
};

struct ranks_input *ranks_input_new(
	struct trace *trace, const struct phase_sets *phases)
{
	struct ranks_input *input = memory_new_zeroed(1, sizeof(*input));

	if (input == NULL)
		return NULL;
	input->trace = trace;
	input->collectives = collective_reader_new(trace);
	input->merged = ranks_merged_new(trace, phases);
	if (input->collectives != NULL && input->merged != NULL)
		return input;
	ranks_input_free(input);
	return NULL;
}

void ranks_input_free(struct ranks_input *input)
{
	if (input == NULL)
		return;
	ranks_merged_free(input->merged);
	collective_reader_free(input->collectives);
	memory_free(input->threads);
	memory_free(input->sites);
	memory_free(input);
}

/* ---- steps ---- */

static bool is_step_name(const char *name)
{
	return strncmp(name, STEP_PREFIX, sizeof(STEP_PREFIX) - 1) == 0;
}

static bool is_step(struct ranks_input *input, uint32_t site)
{
	if (!array_ensure_index(&input->sites, site, &input->site_room,
		    sizeof(*input->sites)))
		return false;
	if (input->sites[site] == SITE_UNKNOWN)
		input->sites[site] =
			is_step_name(trace_site_name(input->trace, site))
				? SITE_STEP
				: SITE_OTHER;
	return input->sites[site] == SITE_STEP;
}

static void add_step(struct step_sums *sums, int64_t begin_ns, int64_t end_ns)
{
	uint64_t dur_ns =
		end_ns > begin_ns ? (uint64_t)end_ns - (uint64_t)begin_ns : 0;

	sums->count++;
	sums->sum_ns = saturate_sum(sums->sum_ns, dur_ns);
	if (dur_ns > sums->max_ns)
		sums->max_ns = dur_ns;
}

static void mark_step(struct step_thread *thread, int64_t time_ns)
{
	if (thread->marked)
		add_step(&thread->marks, thread->mark_ns, time_ns);
	thread->marked = true;
	thread->mark_ns = time_ns;
}

static void add_time(struct extent *extent, int64_t time_ns)
{
	if (!extent->any || time_ns < extent->first_ns)
		extent->first_ns = time_ns;
	if (!extent->any || time_ns > extent->last_ns)
		extent->last_ns = time_ns;
	extent->any = true;
}

/* False if out of memory. */
static bool follow_steps(struct ranks_input *input, const struct event *event)
{
	struct step_thread *thread;

	if (!array_ensure_index(&input->threads, event->track,
		    &input->thread_room, sizeof(*input->threads)))
		return false;
	thread = &input->threads[event->track];
	if (event->kind == EVENT_STEP) {
		mark_step(thread, event->time_ns);
		return true;
	}
	add_time(&thread->extent, event->time_ns);
	input->any = true;
	if (event->kind == EVENT_BEGIN) {
		thread->depth++;
		if (thread->step_depth == 0 && is_step(input, event->site)) {
			thread->step_depth = thread->depth;
			thread->begin_ns = event->time_ns;
		}
	} else if (thread->depth > 0) {
		if (thread->step_depth == thread->depth) {
			add_step(&thread->ranges, thread->begin_ns,
				event->time_ns);
			thread->step_depth = 0;
		}
		thread->depth--;
	}
	return true;
}

static void join_steps(struct step_sums *to, const struct step_sums *from)
{
	to->count = saturate_sum(to->count, from->count);
	to->sum_ns = saturate_sum(to->sum_ns, from->sum_ns);
	if (from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
}

/* The steps of a process: its ranges, or without any its marks. */
static struct step_sums steps_of(const struct ranks_input *input, int64_t pid)
{
	struct step_sums ranges = {0};
	struct step_sums marks = {0};
	uint32_t count = input->thread_room < input->trace->track_count
				 ? input->thread_room
				 : input->trace->track_count;

	for (uint32_t i = 0; i < count; i++) {
		if (input->trace->tracks[i].pid != pid)
			continue;
		join_steps(&ranges, &input->threads[i].ranges);
		join_steps(&marks, &input->threads[i].marks);
	}
	return ranges.count > 0 ? ranges : marks;
}

/* ---- events ---- */

enum ctp_status ranks_input_add(struct ranks_input *input,
	const struct event *event, struct ctp_error *err)
{
	enum ctp_status status = ranks_merged_add(input->merged, event, err);

	if (status != CTP_OK)
		return status;
	if (!collective_reader_add(input->collectives, event))
		return ctp_no_memory(err);
	if (event->kind != EVENT_BEGIN && event->kind != EVENT_END &&
		event->kind != EVENT_STEP)
		return CTP_OK;
	return follow_steps(input, event) ? CTP_OK : ctp_no_memory(err);
}

/* ---- rows ---- */

static struct rank_row *row_of(struct ranks *ranks,
	const struct ranks_place *place, int64_t pid, int64_t device)
{
	bool known = place->rank >= 0;
	const struct rank_row_key key = {
		.rank = known ? place->rank : SPREAD_RANK_NONE,
		.input = known ? "" : place->input,
		.pid = known ? 0 : pid,
		.device = device};
	struct rank_row *row = ranks_row(ranks, &key);

	return row != NULL && ranks_set_host(ranks, row, place->host) ? row
								      : NULL;
}

static struct rank_times times_of(
	const struct ranks_input *input, const struct gaps_device *device)
{
	struct step_sums steps = steps_of(input, device->pid);
	struct rank_times times = {.recordings = 1,
		.steps = steps.count,
		.step_ns = steps.sum_ns,
		.step_max_ns = steps.max_ns,
		.span_ns = device->span_ns,
		.busy_ns = device->busy_ns,
		.kernel_ns = device->kernel_ns,
		.compute_ns = device->compute_ns,
		.communication_ns = device->communication_ns,
		.copy_ns = device->copy_ns,
		.idle_ns = device->idle_ns};

	memcpy(times.cause_ns, device->cause_ns, sizeof(times.cause_ns));
	return times;
}

/* The place of the rank of a track, or else that of the timeline. */
static const struct ranks_place *place_of(const struct ranks_input *input,
	const struct ranks_place *place, uint32_t track)
{
	uint32_t member = input->member_count == 0
				  ? UINT32_MAX
				  : ranks_merged_of(input->merged, track);

	return member == UINT32_MAX
		       ? place
		       : &ranks_merged_member(input->merged, member)->place;
}

/* The rank of a device is that of a track of it. */
static uint32_t track_of(
	const struct ranks_input *input, const struct gaps_device *device)
{
	for (uint32_t i = 0;
		input->member_count > 0 && i < input->trace->track_count; i++) {
		const struct trace_track *track = &input->trace->tracks[i];

		if (track->kind == TRACE_STREAM && track->pid == device->pid &&
			track->device == device->number)
			return i;
	}
	return UINT32_MAX;
}

/* Sets which members of a merged timeline have devices. */
static bool add_devices(const struct ranks_input *input,
	const struct ranks_place *place, const struct gaps *gaps,
	struct ranks *ranks, bool *has_device)
{
	uint32_t count;
	const struct gaps_device *devices = gaps_devices(gaps, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t track = track_of(input, &devices[i]);
		uint32_t member = ranks_merged_of(input->merged, track);
		struct rank_times times = times_of(input, &devices[i]);
		struct rank_row *row =
			row_of(ranks, place_of(input, place, track),
				devices[i].pid, (int64_t)devices[i].number);

		if (row == NULL)
			return false;
		rank_times_add(&row->times, &times);
		if (input->member_count > 0 && member != UINT32_MAX)
			has_device[member] = true;
	}
	return true;
}

/* The threads of a rank without a device. */
struct host_sums {
	struct step_sums ranges;
	struct step_sums marks;
	struct extent extent;
};

static void add_thread(struct host_sums *sums, const struct step_thread *thread)
{
	join_steps(&sums->ranges, &thread->ranges);
	join_steps(&sums->marks, &thread->marks);
	if (!thread->extent.any)
		return;
	add_time(&sums->extent, thread->extent.first_ns);
	add_time(&sums->extent, thread->extent.last_ns);
}

/* A rank without a device has a row for its steps. */
static bool add_host(const struct ranks_place *place,
	const struct host_sums *sums, struct ranks *ranks)
{
	struct rank_row *row = row_of(ranks, place, 0, RANKS_NO_DEVICE);
	const struct step_sums *steps =
		sums->ranges.count > 0 ? &sums->ranges : &sums->marks;
	const struct rank_times times = {.recordings = 1,
		.span_ns = (uint64_t)sums->extent.last_ns -
			   (uint64_t)sums->extent.first_ns,
		.steps = steps->count,
		.step_ns = steps->sum_ns,
		.step_max_ns = steps->max_ns};

	if (row == NULL)
		return false;
	rank_times_add(&row->times, &times);
	return true;
}

/* Adds rows of the ranks of a merged timeline without devices. */
static bool add_hosts(const struct ranks_input *input, const bool *has_device,
	struct ranks *ranks)
{
	struct host_sums *sums = memory_new_zeroed(
		(size_t)input->member_count + 1, sizeof(*sums));
	bool done = sums != NULL;

	for (uint32_t i = 0; i < input->thread_room && done; i++) {
		uint32_t member = ranks_merged_of(input->merged, i);

		if (member != UINT32_MAX)
			add_thread(&sums[member], &input->threads[i]);
	}
	for (uint32_t i = 0; i < input->member_count && done; i++)
		if (!has_device[i] && sums[i].extent.any)
			done = add_host(
				&ranks_merged_member(input->merged, i)->place,
				&sums[i], ranks);
	memory_free(sums);
	return done;
}

static bool add_rows(const struct ranks_input *input,
	const struct ranks_place *place, const struct gaps *gaps,
	struct ranks *ranks)
{
	bool *has_device = memory_new_zeroed(
		(size_t)input->member_count + 1, sizeof(*has_device));
	struct host_sums sums = {.ranges = {.count = 0}};
	uint32_t devices;
	bool done;

	(void)gaps_devices(gaps, &devices);
	done = has_device != NULL &&
	       add_devices(input, place, gaps, ranks, has_device);
	if (done && input->member_count > 0) {
		done = add_hosts(input, has_device, ranks);
	} else if (done && devices == 0) {
		for (uint32_t i = 0; i < input->thread_room; i++)
			add_thread(&sums, &input->threads[i]);
		done = add_host(place, &sums, ranks);
	}
	memory_free(has_device);
	return done;
}

/* ---- collectives ---- */

/* Adds executions that are one instance: kernels with the same number. */
static bool add_instance(const struct ranks_input *input,
	const struct collective_execution *executions, uint32_t count,
	const struct ranks_place *place, struct ranks *ranks)
{
	const struct collective_execution *first = &executions[0];
	const struct trace_track *track = &input->trace->tracks[first->track];
	struct rank_row *row =
		row_of(ranks, place, track->pid, (int64_t)track->device);
	const struct rank_run run = {
		first->series, first->number, first->number};
	struct collective_instance instance = {.series = first->series,
		.number = first->number,
		.count = 1,
		.min_rank = place->rank < 0 ? SPREAD_RANK_NONE : place->rank};

	instance.kind = collectives_kind(&ranks->collectives,
		collective_reader_kind(input->collectives, first->kind));
	if (row == NULL || instance.kind == INDEX_NONE)
		return false;
	for (uint32_t i = 0; i < count; i++)
		instance.sum_ns =
			saturate_sum(instance.sum_ns, executions[i].dur_ns);
	instance.min_ns = instance.sum_ns;
	instance.max_ns = instance.sum_ns;
	row->times.collectives = saturate_sum(row->times.collectives, 1);
	row->times.collective_ns =
		saturate_sum(row->times.collective_ns, instance.sum_ns);
	return rank_row_add_run(row, &run) &&
	       collectives_add_instance(&ranks->collectives, &instance);
}

static bool add_duration(const struct ranks_input *input,
	const struct collective_execution *execution,
	const struct ranks_place *place, struct ranks *ranks)
{
	struct collectives *collectives = &ranks->collectives;
	uint32_t kind = collectives_kind(collectives,
		collective_reader_kind(input->collectives, execution->kind));

	return kind != INDEX_NONE &&
	       spread_add_value(&collectives->kinds[kind].durations,
		       execution->dur_ns,
		       place->rank < 0 ? SPREAD_RANK_NONE : place->rank);
}

static bool add_collectives(struct ranks_input *input,
	const struct ranks_place *place, struct ranks *ranks)
{
	uint32_t count;
	const struct collective_execution *all =
		collective_reader_finish(input->collectives, &count);
	uint32_t last;
	bool done = true;

	for (uint32_t i = 0; i < count && done; i++)
		done = add_duration(input, &all[i],
			place_of(input, place, all[i].track), ranks);
	for (uint32_t i = 0; i < count && done; i = last) {
		const struct trace_track *track =
			&input->trace->tracks[all[i].track];

		for (last = i + 1;
			last < count && all[last].series == all[i].series &&
			all[last].number == all[i].number &&
			input->trace->tracks[all[last].track].pid ==
				track->pid &&
			input->trace->tracks[all[last].track].device ==
				track->device;
			last++)
			;
		if (all[i].has_instance)
			done = add_instance(input, &all[i], last - i,
				place_of(input, place, all[i].track), ranks);
	}
	ranks->collectives.left_out = saturate_sum(ranks->collectives.left_out,
		collective_reader_left_out(input->collectives));
	return done;
}

/* ---- items ---- */

static bool add_item(struct ranks *ranks, const struct rank_item_key *key,
	const struct phase_sum *sum, int64_t rank)
{
	struct rank_item *item = ranks_item(ranks, key);

	if (rank < 0)
		rank = SPREAD_RANK_NONE;
	return item != NULL &&
	       spread_add_value(&item->self, sum->self_ns, rank) &&
	       (key->kind == RANK_KERNEL ||
		       spread_add_value(&item->total, sum->total_ns, rank));
}

/* Steps have numbers in their names, which differ: rows count them. */
static bool add_functions(
	struct ranks *ranks, const struct profile *profile, int64_t rank)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		const struct rank_item_key key = {.kind = RANK_FUNCTION,
			.name = function->name,
			.file = function->file,
			.line = function->line};
		const struct phase_sum sum = {
			.self_ns = function->cost.tottime_ns,
			.total_ns = function->cost.cumtime_ns};

		if (function->device.kind == PROFILE_HOST &&
			!is_step_name(function->name) &&
			!add_item(ranks, &key, &sum, rank))
			return false;
	}
	return true;
}

/* Adds the work of each name on all devices, whose names are the files of
 * device functions. */
static bool sum_kernels(const struct profile *profile, struct strtab *names,
	uint64_t **sums_ns, uint32_t *room)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		uint32_t number;

		if (function->device.kind == PROFILE_HOST)
			continue;
		number = strtab_add(
			names, function->name, strlen(function->name));
		if (number == STRTAB_NONE ||
			!array_ensure_index(
				sums_ns, number, room, sizeof(**sums_ns)))
			return false;
		(*sums_ns)[number] = saturate_sum(
			(*sums_ns)[number], function->device.self_ns);
	}
	return true;
}

static bool add_kernels(
	struct ranks *ranks, const struct profile *profile, int64_t rank)
{
	struct strtab *names = strtab_new();
	uint64_t *sums_ns = NULL;
	uint32_t room = 0;
	bool done =
		names != NULL && sum_kernels(profile, names, &sums_ns, &room);

	for (uint32_t i = 1; done && i < strtab_count(names); i++) {
		const struct rank_item_key key = {.kind = RANK_KERNEL,
			.name = strtab_text(names, i, NULL),
			.file = ""};
		const struct phase_sum sum = {.self_ns = sums_ns[i]};

		done = add_item(ranks, &key, &sum, rank);
	}
	strtab_free(names);
	memory_free(sums_ns);
	return done;
}

static bool add_phases(
	struct ranks *ranks, const struct phases *phases, int64_t rank)
{
	const struct phase_times *times = phases_times(phases);
	const struct phase_rules *rules = phases_rules(phases);
	uint32_t count = rules == NULL || times->phases == NULL
				 ? 0
				 : phase_rules_count(rules);

	for (uint32_t i = 0; i < count; i++) {
		const struct rank_item_key key = {.kind = RANK_PHASE,
			.name = phase_rules_phase(rules, i),
			.file = ""};

		if (times->phases[i].count != 0 &&
			!add_item(ranks, &key, &times->phases[i], rank))
			return false;
	}
	return true;
}

/* The ranks of a merged timeline have profiles of their own, unless there are
 * too many. */
static bool add_items(const struct ranks_input *input,
	const struct ranks_place *place, const struct ranks_analyses *analyses,
	struct ranks *ranks)
{
	const struct profile *profile = analyses->profile;
	bool done = true;
	bool known = false;

	for (uint32_t i = 0; i < input->member_count && done; i++) {
		const struct ranks_member *member =
			ranks_merged_member(input->merged, i);
		int64_t rank = member->place.rank;

		if (member->place.world > ranks->world)
			ranks->world = member->place.world;
		if (member->profile == NULL)
			continue;
		known = true;
		done = add_functions(ranks, member->profile, rank) &&
		       add_kernels(ranks, member->profile, rank) &&
		       add_phases(ranks, member->phases, rank);
	}
	if (known || !done)
		return done;
	return add_functions(ranks, profile, place->rank) &&
	       add_kernels(ranks, profile, place->rank) &&
	       add_phases(ranks, analyses->phases, place->rank);
}

static bool add_recording(struct ranks_input *input,
	const struct ranks_place *place, const struct ranks_analyses *analyses,
	struct ranks *ranks)
{
	ranks->recordings = saturate_sum(ranks->recordings,
		input->member_count == 0 ? 1 : input->member_count);
	if (place->world > ranks->world)
		ranks->world = place->world;
	return add_rows(input, place, analyses->gaps, ranks) &&
	       add_collectives(input, place, ranks) &&
	       add_items(input, place, analyses, ranks);
}

enum ctp_status ranks_input_finish(struct ranks_input *input,
	const struct ranks_place *place, const struct ranks_analyses *analyses,
	struct ranks *ranks, struct ctp_error *err)
{
	enum ctp_status status;
	uint32_t devices;

	status = ranks_merged_finish(
		input->merged, place, &input->member_count, err);
	if (status != CTP_OK)
		return status;
	(void)gaps_devices(analyses->gaps, &devices);
	if (devices == 0 && !input->any)
		return CTP_END;
	return add_recording(input, place, analyses, ranks)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

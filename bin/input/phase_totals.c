/* SPDX-License-Identifier: MIT */
#include "input/phase_totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool phase_totals_init(struct phase_totals *totals,
	const struct phase_sets *sets, bool by_thread)
{
	*totals = (struct phase_totals){.sets = sets, .by_thread = by_thread};
	for (uint32_t i = 0; i < sets->count; i++) {
		struct phase_times *times = &totals->totals[i].times;

		times->phases =
			memory_new_zeroed(phase_rules_count(sets->rules[i]),
				sizeof(*times->phases));
		if (times->phases == NULL)
			return false;
	}
	return true;
}

static void clear_thread(struct phase_total_thread *thread)
{
	memory_free(thread->path);
	memory_free(thread->name);
	memory_free(thread->times.phases);
}

void phase_totals_clear(struct phase_totals *totals)
{
	for (uint32_t i = 0; i < PHASE_SETS_MAX; i++)
		memory_free(totals->totals[i].times.phases);
	for (size_t i = 0; i < totals->thread_count; i++)
		clear_thread(&totals->threads[i]);
	memory_free(totals->threads);
	*totals = (struct phase_totals){0};
}

uint32_t phase_totals_phase_count(
	const struct phase_totals *totals, uint32_t set)
{
	return set == PHASE_TOTALS_NONE
		       ? 0
		       : phase_rules_count(totals->sets->rules[set]);
}

const char *phase_totals_rules_name(
	const struct phase_totals *totals, uint32_t set)
{
	return set == PHASE_TOTALS_NONE
		       ? NULL
		       : phase_rules_name(totals->sets->rules[set]);
}

static bool make_room(struct phase_totals *totals, size_t more)
{
	size_t room = totals->thread_room;
	struct phase_total_thread *threads;

	if (more <= room - totals->thread_count)
		return true;
	room = 2 * room + more;
	threads = memory_resize_array(totals->threads, room, sizeof(*threads));
	if (threads == NULL)
		return false;
	totals->threads = threads;
	totals->thread_room = room;
	return true;
}

/* Copies the names, since a thread outlives its input. */
static bool add_thread(struct phase_totals *totals,
	const struct phase_totals_input *input, uint32_t set,
	const struct phase_thread *from)
{
	const struct trace_track *track = &input->trace->tracks[from->track];
	uint32_t phases = phase_totals_phase_count(totals, set);
	size_t size;
	const char *name = strtab_text(input->trace->text, track->name, &size);
	struct phase_total_thread thread = {
		.file = input->file,
		.track = from->track,
		.path = memory_copy_text(input->path, strlen(input->path)),
		.name = memory_copy_text(name, size),
		.pid = track->pid,
		.tid = track->tid,
		.set = set,
		.times = from->times,
	};

	thread.times.phases = memory_new_zeroed(
		(size_t)phases + 1, sizeof(*thread.times.phases));
	if (thread.path == NULL || thread.name == NULL ||
		thread.times.phases == NULL || !make_room(totals, 1)) {
		clear_thread(&thread);
		return false;
	}
	if (from->times.phases != NULL)
		memcpy(thread.times.phases, from->times.phases,
			phases * sizeof(*thread.times.phases));
	totals->threads[totals->thread_count++] = thread;
	return true;
}

bool phase_totals_add(
	struct phase_totals *totals, const struct phase_totals_input *input)
{
	uint32_t set = phases_set(input->phases);
	uint32_t count;
	const struct phase_thread *threads =
		phases_threads(input->phases, &count);
	struct phase_total *total;

	if (set == PHASE_NONE)
		set = PHASE_TOTALS_NONE;
	for (uint32_t i = 0; totals->by_thread && i < count; i++)
		if (!add_thread(totals, input, set, &threads[i]))
			return false;
	total = &totals->totals[set];
	total->file_count++;
	total->flat_count += input->flat;
	total->thread_count += count;
	phase_times_add(&total->times, phases_times(input->phases),
		phase_totals_phase_count(totals, set));
	return true;
}

bool phase_totals_add_all(struct phase_totals *to, struct phase_totals *from)
{
	if (!make_room(to, from->thread_count))
		return false;
	if (from->thread_count != 0)
		memcpy(&to->threads[to->thread_count], from->threads,
			from->thread_count * sizeof(*from->threads));
	to->thread_count += from->thread_count;
	from->thread_count = 0;
	for (uint32_t i = 0; i <= PHASE_TOTALS_NONE; i++) {
		struct phase_total *total = &to->totals[i];

		total->file_count += from->totals[i].file_count;
		total->flat_count += from->totals[i].flat_count;
		total->thread_count += from->totals[i].thread_count;
		if (i == PHASE_TOTALS_NONE || i < to->sets->count)
			phase_times_add(&total->times, &from->totals[i].times,
				phase_totals_phase_count(to, i));
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct phase_total_thread *left = a;
	const struct phase_total_thread *right = b;

	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	return (left->track > right->track) - (left->track < right->track);
}

void phase_totals_sort(struct phase_totals *totals)
{
	if (totals->thread_count != 0)
		qsort(totals->threads, totals->thread_count,
			sizeof(*totals->threads), compare);
}

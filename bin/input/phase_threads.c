/* SPDX-License-Identifier: MIT */
#include "input/phase_threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void clear_thread(struct phase_thread_total *thread)
{
	memory_free(thread->path);
	memory_free(thread->name);
	phase_total_clear(&thread->total);
}

void phase_threads_clear(struct phase_threads *threads)
{
	for (size_t i = 0; i < threads->count; i++)
		clear_thread(&threads->items[i]);
	memory_free(threads->items);
	*threads = (struct phase_threads){0};
}

/* Copies the names, since a thread outlives its input. */
static bool add_thread(struct phase_threads *threads,
	const struct phase_threads_input *input,
	const struct phase_thread *from)
{
	const struct trace_track *track = &input->trace->tracks[from->track];
	size_t size;
	const char *name = strtab_text(input->trace->text, track->name, &size);
	struct phase_thread_total thread = {
		.file = input->file,
		.track = from->track,
		.path = memory_copy_text(input->path, strlen(input->path)),
		.name = memory_copy_text(name, size),
		.pid = track->pid,
		.tid = track->tid,
	};

	if (!phase_total_init(
		    &thread.total, phases_rules(input->phases), &from->times) ||
		thread.path == NULL || thread.name == NULL ||
		!array_reserve(&threads->items, threads->count, &threads->room,
			sizeof(*threads->items))) {
		clear_thread(&thread);
		return false;
	}
	threads->items[threads->count++] = thread;
	return true;
}

bool phase_threads_add(
	struct phase_threads *threads, const struct phase_threads_input *input)
{
	uint32_t count;
	const struct phase_thread *from = phases_threads(input->phases, &count);
	bool done = true;

	/* An input without time is left out, as in phase_totals.h. */
	if (phases_times(input->phases)->wall_ns == 0)
		return true;
	for (uint32_t i = 0; i < count && done; i++)
		done = add_thread(threads, input, &from[i]);
	return done;
}

bool phase_threads_add_all(struct phase_threads *to, struct phase_threads *from)
{
	for (; from->count > 0; from->count--) {
		if (!array_reserve(&to->items, to->count, &to->room,
			    sizeof(*to->items)))
			return false;
		to->items[to->count++] = from->items[from->count - 1];
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct phase_thread_total *left = a;
	const struct phase_thread_total *right = b;

	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	return (left->track > right->track) - (left->track < right->track);
}

void phase_threads_sort(struct phase_threads *threads)
{
	if (threads->count != 0)
		qsort(threads->items, threads->count, sizeof(*threads->items),
			compare);
}

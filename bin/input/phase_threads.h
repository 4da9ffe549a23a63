/* SPDX-License-Identifier: MIT */
/* The phase times of each thread of many inputs. */
#ifndef PHASE_THREADS_H
#define PHASE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "phases/phase_totals.h"

/* A thread of an input. */
struct phase_thread_total {
	size_t file;
	uint32_t track; /* in the input */
	char *path;     /* of the input */
	char *name;     /* "" if unknown */
	int64_t pid;
	int64_t tid;
	struct phase_total total; /* its texts are those of the rules */
};

/* All zero is empty. */
struct phase_threads {
	struct phase_thread_total *items;
	size_t count;
	size_t room;
};

/* An input, with its number. */
struct phase_threads_input {
	const struct phases *phases;
	const struct trace *trace;
	size_t file;
	const char *path;
};

void phase_threads_clear(struct phase_threads *threads);

/* False if out of memory. The second takes over the threads. */
bool phase_threads_add(
	struct phase_threads *threads, const struct phase_threads_input *input);
bool phase_threads_add_all(
	struct phase_threads *to, struct phase_threads *from);

/* Sorts threads by input. */
void phase_threads_sort(struct phase_threads *threads);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The inputs that were claimed but not taken form a ring of slots. This thread
 * also reads: it claims inputs while the oldest one is not ready.
 */
#include "input/input_map.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/thread.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "cli/progress.h"

#define JOBS_MAX 64
#define SLOTS_PER_JOB 4
#define SLOTS_MAX (JOBS_MAX * SLOTS_PER_JOB)

struct slot {
	struct buffer messages;
	int status;
	bool is_ready; /* under the lock */
};

struct ring {
	const struct input_map *map;
	struct slot slots[SLOTS_MAX];
	size_t slot_count;
	pthread_t threads[JOBS_MAX];
	unsigned thread_count;
	pthread_mutex_t lock;
	pthread_cond_t freed; /* for the threads */
	pthread_cond_t ready; /* for the caller */
	/* Under the lock: */
	size_t claimed;
	size_t taken;
	bool stopped;
};

/* Whether all inputs can be read a second time. */
static bool are_files(const struct inputs *inputs)
{
	struct stat found;

	for (size_t i = 0; i < inputs->count; i++)
		if (strcmp(inputs->paths[i], "-") == 0 ||
			(stat(inputs->paths[i], &found) == 0 &&
				!S_ISREG(found.st_mode)))
			return false;
	return true;
}

unsigned input_map_jobs(const struct inputs *inputs, unsigned jobs)
{
	if (jobs == 0)
		jobs = thread_processors();
	if (jobs > JOBS_MAX)
		jobs = JOBS_MAX;
	if (jobs > inputs->count)
		jobs = (unsigned)inputs->count;
	return jobs > 1 && are_files(inputs) ? jobs : 1;
}

/* Claims the next input if a slot is free. The lock is held. */
static bool claim(struct ring *ring, size_t *index)
{
	if (ring->stopped || ring->claimed == ring->map->count ||
		ring->claimed - ring->taken == ring->slot_count)
		return false;
	*index = ring->claimed++;
	return true;
}

/* Reads a claimed input. The lock is held before and afterwards. */
static void read_input(struct ring *ring, size_t index)
{
	const struct input_map *map = ring->map;
	struct slot *slot = &ring->slots[index % ring->slot_count];
	struct buffer *before;

	(void)pthread_mutex_unlock(&ring->lock);
	before = diag_collect(&slot->messages);
	slot->status = map->read(map->user, index);
	(void)diag_collect(before);
	(void)pthread_mutex_lock(&ring->lock);
	slot->is_ready = true;
	(void)pthread_cond_signal(&ring->ready);
}

static void *run_thread(void *user)
{
	struct ring *ring = user;
	size_t index;

	(void)pthread_mutex_lock(&ring->lock);
	while (!ring->stopped && ring->claimed < ring->map->count)
		if (claim(ring, &index))
			read_input(ring, index);
		else
			(void)pthread_cond_wait(&ring->freed, &ring->lock);
	(void)pthread_mutex_unlock(&ring->lock);
	return NULL;
}

/* Waits for the oldest input, and reads others meanwhile. */
static void wait_for(struct ring *ring, const struct slot *slot)
{
	size_t index;

	(void)pthread_mutex_lock(&ring->lock);
	while (!slot->is_ready)
		if (claim(ring, &index))
			read_input(ring, index);
		else
			(void)pthread_cond_wait(&ring->ready, &ring->lock);
	(void)pthread_mutex_unlock(&ring->lock);
}

static int take(const struct input_map *map, size_t index, int status)
{
	return map->take == NULL ? status : map->take(map->user, index, status);
}

/* Makes the oldest slot free. */
static void release(struct ring *ring, struct slot *slot)
{
	(void)pthread_mutex_lock(&ring->lock);
	slot->is_ready = false;
	ring->taken++;
	(void)pthread_cond_signal(&ring->freed);
	(void)pthread_mutex_unlock(&ring->lock);
}

static void start_threads(struct ring *ring)
{
	while (ring->thread_count + 1 < ring->map->jobs &&
		thread_start(
			&ring->threads[ring->thread_count], run_thread, ring))
		ring->thread_count++;
}

/* Ends the threads, and drops all results that are left. */
static void stop_threads(struct ring *ring)
{
	const struct input_map *map = ring->map;

	(void)pthread_mutex_lock(&ring->lock);
	ring->stopped = true;
	(void)pthread_cond_broadcast(&ring->freed);
	(void)pthread_mutex_unlock(&ring->lock);
	for (unsigned i = 0; i < ring->thread_count; i++)
		(void)pthread_join(ring->threads[i], NULL);
	for (size_t i = ring->taken; i < ring->claimed; i++) {
		buffer_clear(&ring->slots[i % ring->slot_count].messages);
		if (map->drop != NULL)
			map->drop(map->user, i);
	}
}

/* Reads inputs until one lacks memory, which may be that of the others; `*next`
 * is the first that was not taken. */
static int read_many(struct ring *ring, struct progress *progress, size_t *next)
{
	const struct input_map *map = ring->map;
	int worst = EXIT_DONE;

	start_threads(ring);
	for (; *next < map->count; ++*next) {
		struct slot *slot = &ring->slots[*next % ring->slot_count];

		wait_for(ring, slot);
		if (slot->status >= EXIT_LIMIT)
			break;
		diag_print_lines(&slot->messages);
		worst = exit_worse(worst, take(map, *next, slot->status));
		release(ring, slot);
		progress_update(progress, *next + 1);
	}
	stop_threads(ring);
	return worst;
}

static int read_with_threads(
	const struct input_map *map, struct progress *progress, size_t *next)
{
	struct ring *ring = calloc(1, sizeof(*ring));
	int status;

	if (ring == NULL)
		return EXIT_DONE; /* they are read one by one */
	ring->map = map;
	ring->slot_count = (size_t)map->jobs * SLOTS_PER_JOB;
	(void)pthread_mutex_init(&ring->lock, NULL);
	(void)pthread_cond_init(&ring->freed, NULL);
	(void)pthread_cond_init(&ring->ready, NULL);
	status = read_many(ring, progress, next);
	(void)pthread_cond_destroy(&ring->ready);
	(void)pthread_cond_destroy(&ring->freed);
	(void)pthread_mutex_destroy(&ring->lock);
	free(ring);
	return status;
}

int input_map_run(const struct input_map *map)
{
	struct progress progress;
	size_t next = 0;
	int worst = EXIT_DONE;

	progress_start(&progress, map->progress, "files", map->count);
	if (map->jobs > 1)
		worst = read_with_threads(map, &progress, &next);
	for (; next < map->count; next++) {
		int status = take(map, next, map->read(map->user, next));

		worst = exit_worse(worst, status);
		progress_update(&progress, next + 1);
	}
	progress_hide(&progress);
	return worst;
}

/* SPDX-License-Identifier: MIT */
/*
 * The headers that wait for a worker: a ring that one thread fills and many
 * empty.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_ROOM 64

struct job {
	const char *path;
	uint64_t number;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty;
	pthread_cond_t not_full;
	struct job jobs[QUEUE_ROOM];
	size_t first;
	size_t count;
	bool closed;
};

/* Returns whether there was memory for the locks. */
bool queue_init(struct queue *queue);

void queue_clear(struct queue *queue);

/* Waits for room. `job->path` is borrowed. */
void queue_put(struct queue *queue, const struct job *job);

/* Waits for a job. Returns false if there will be no more. */
bool queue_take(struct queue *queue, struct job *job);

/* No more jobs will come. */
void queue_close(struct queue *queue);

#endif

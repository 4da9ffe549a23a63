/* SPDX-License-Identifier: MIT */
/*
 * The time that threads wait for each other is a separate range, since it is
 * the most interesting part of a picture of several threads.
 */
#include "queue.h"

#include <ctprof.h>

bool queue_init(struct queue *queue)
{
	*queue = (struct queue){0};
	if (pthread_mutex_init(&queue->lock, NULL) != 0)
		return false;
	if (pthread_cond_init(&queue->not_empty, NULL) != 0)
		goto no_empty;
	if (pthread_cond_init(&queue->not_full, NULL) != 0)
		goto no_full;
	return true;
no_full:
	pthread_cond_destroy(&queue->not_empty);
no_empty:
	pthread_mutex_destroy(&queue->lock);
	return false;
}

void queue_clear(struct queue *queue)
{
	pthread_cond_destroy(&queue->not_full);
	pthread_cond_destroy(&queue->not_empty);
	pthread_mutex_destroy(&queue->lock);
}

void queue_put(struct queue *queue, const struct job *job)
{
	pthread_mutex_lock(&queue->lock);
	if (queue->count == QUEUE_ROOM) {
		CTP_SCOPE("queue_wait_for_room");
		while (queue->count == QUEUE_ROOM)
			pthread_cond_wait(&queue->not_full, &queue->lock);
	}
	queue->jobs[(queue->first + queue->count) % QUEUE_ROOM] = *job;
	queue->count++;
	pthread_cond_signal(&queue->not_empty);
	pthread_mutex_unlock(&queue->lock);
}

bool queue_take(struct queue *queue, struct job *job)
{
	bool found;

	pthread_mutex_lock(&queue->lock);
	if (queue->count == 0 && !queue->closed) {
		CTP_SCOPE("queue_wait_for_job");
		while (queue->count == 0 && !queue->closed)
			pthread_cond_wait(&queue->not_empty, &queue->lock);
	}
	found = queue->count > 0;
	if (found) {
		*job = queue->jobs[queue->first];
		queue->first = (queue->first + 1) % QUEUE_ROOM;
		queue->count--;
		pthread_cond_signal(&queue->not_full);
	}
	pthread_mutex_unlock(&queue->lock);
	return found;
}

void queue_close(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_cond_broadcast(&queue->not_empty);
	pthread_mutex_unlock(&queue->lock);
}

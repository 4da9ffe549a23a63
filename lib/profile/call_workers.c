/* SPDX-License-Identifier: MIT */
#include "profile/call_workers.h"

#include <pthread.h>

#include "base/memory.h"
#include "base/thread.h"
#include "profile/call_batch.h"

/* Opening a call again takes as long as an event. So there is a credit for such
 * calls, which grows with the events. */
#define CREDIT_FIRST UINT64_C(65536)
#define CREDIT_MOST (16 * CREDIT_FIRST)

struct worker {
	struct call_workers *all;
	pthread_t thread;
	struct calls calls;
};

struct call_workers {
	struct worker *workers;
	unsigned count;
	struct call_batch *batches; /* a ring */
	bool *counted;              /* by batch, under the lock */
	uint32_t batch_count;
	/* The user's: */
	uint64_t applied;
	uint64_t credit; /* calls that may be opened again */
	pthread_mutex_t lock;
	pthread_cond_t given_more;
	pthread_cond_t counted_more;
	/* Under the lock: */
	uint64_t given;
	uint64_t taken;
	bool stopped;
};

/* ---- the threads ---- */

/* The number of the next batch to count; false if the thread must end. */
static bool take(struct call_workers *all, uint32_t *number)
{
	bool found;

	(void)pthread_mutex_lock(&all->lock);
	while (!all->stopped && all->taken == all->given)
		(void)pthread_cond_wait(&all->given_more, &all->lock);
	found = !all->stopped;
	if (found)
		*number = (uint32_t)(all->taken++ % all->batch_count);
	(void)pthread_mutex_unlock(&all->lock);
	return found;
}

static void *run(void *user)
{
	struct worker *worker = user;
	struct call_workers *all = worker->all;
	uint32_t number;

	while (take(all, &number)) {
		call_batch_count(&all->batches[number], &worker->calls);
		(void)pthread_mutex_lock(&all->lock);
		all->counted[number] = true;
		(void)pthread_cond_signal(&all->counted_more);
		(void)pthread_mutex_unlock(&all->lock);
	}
	return NULL;
}

/* ---- the user ---- */

static bool start(struct call_workers *all, struct calls_options options)
{
	struct worker *worker = &all->workers[all->count];

	worker->all = all;
	worker->calls.options = options;
	worker->calls.profile = profile_new();
	if (worker->calls.profile != NULL &&
		thread_start(&worker->thread, run, worker))
		return true;
	profile_free(worker->calls.profile);
	return false;
}

static bool make_batches(struct call_workers *all, unsigned threads)
{
	all->batch_count = 2 * threads + 2;
	all->batches =
		memory_new_zeroed(all->batch_count, sizeof(*all->batches));
	all->counted =
		memory_new_zeroed(all->batch_count, sizeof(*all->counted));
	if (all->batches == NULL || all->counted == NULL)
		return false;
	for (uint32_t i = 0; i < all->batch_count; i++)
		if (!call_batch_init(&all->batches[i]))
			return false;
	return true;
}

struct call_workers *call_workers_new(
	struct calls_options options, unsigned threads)
{
	struct call_workers *all = memory_new_zeroed(1, sizeof(*all));

	if (all == NULL)
		return NULL;
	all->credit = CREDIT_FIRST;
	(void)pthread_mutex_init(&all->lock, NULL);
	(void)pthread_cond_init(&all->given_more, NULL);
	(void)pthread_cond_init(&all->counted_more, NULL);
	all->workers = memory_new_zeroed(threads, sizeof(*all->workers));
	if (all->workers != NULL && make_batches(all, threads))
		while (all->count < threads && start(all, options))
			all->count++;
	if (all->count > 0)
		return all;
	call_workers_free(all);
	return NULL;
}

static void free_batches(struct call_workers *all)
{
	for (uint32_t i = 0; all->batches != NULL && i < all->batch_count; i++)
		call_batch_clear(&all->batches[i]);
	memory_free(all->batches);
	memory_free(all->counted);
}

void call_workers_free(struct call_workers *workers)
{
	if (workers == NULL)
		return;
	(void)pthread_mutex_lock(&workers->lock);
	workers->stopped = true;
	(void)pthread_cond_broadcast(&workers->given_more);
	(void)pthread_mutex_unlock(&workers->lock);
	for (unsigned i = 0; i < workers->count; i++) {
		struct worker *worker = &workers->workers[i];

		(void)pthread_join(worker->thread, NULL);
		calls_clear(&worker->calls);
		profile_free(worker->calls.profile);
	}
	free_batches(workers);
	(void)pthread_cond_destroy(&workers->given_more);
	(void)pthread_cond_destroy(&workers->counted_more);
	(void)pthread_mutex_destroy(&workers->lock);
	memory_free(workers->workers);
	memory_free(workers);
}

static struct call_batch *filling(struct call_workers *workers)
{
	return &workers->batches[workers->given % workers->batch_count];
}

static void give(struct call_workers *workers, const struct calls *calls)
{
	filling(workers)->function_count = calls->profile->function_count;
	(void)pthread_mutex_lock(&workers->lock);
	workers->given++;
	(void)pthread_cond_signal(&workers->given_more);
	(void)pthread_mutex_unlock(&workers->lock);
}

/* Whether the next batch is counted; waits for it if `wait`. */
static bool is_counted(struct call_workers *workers, uint32_t number, bool wait)
{
	bool counted;

	(void)pthread_mutex_lock(&workers->lock);
	while (wait && !workers->counted[number])
		(void)pthread_cond_wait(&workers->counted_more, &workers->lock);
	counted = workers->counted[number];
	workers->counted[number] = false;
	(void)pthread_mutex_unlock(&workers->lock);
	return counted;
}

/* Applies what is counted, and waits until at most `left` batches are not; false
 * if out of memory. */
static bool apply(struct call_workers *workers, struct calls *calls,
	struct call_track *tracks, uint64_t left)
{
	while (workers->applied < workers->given) {
		const uint64_t waiting = workers->given - workers->applied;
		const uint32_t number =
			(uint32_t)(workers->applied % workers->batch_count);
		struct call_batch *batch = &workers->batches[number];

		if (!is_counted(workers, number, waiting > left))
			return true;
		if (!call_batch_apply(batch, calls, tracks))
			return false;
		call_batch_reset(batch);
		workers->applied++;
	}
	return true;
}

bool call_workers_are_useful(
	const struct call_workers *workers, const struct call_track *track)
{
	return track->depth <= CALL_BATCH_DEPTH &&
	       track->depth <= workers->credit;
}

bool call_workers_give(struct call_workers *workers, uint32_t number,
	struct calls *calls, struct call_track *tracks)
{
	const struct call_batch *batch = filling(workers);

	if (batch->count + CALL_WORKERS_ROOM <= CALL_BATCH_EVENTS &&
		(call_batch_continues(batch, number) ||
			batch->open_count + tracks[number].depth <=
				CALL_BATCH_EVENTS))
		return true;
	give(workers, calls);
	return apply(workers, calls, tracks, workers->batch_count - 1);
}

bool call_workers_room(struct call_workers *workers, uint32_t number,
	const struct call_track *track, struct call_room *room)
{
	struct call_batch *batch = filling(workers);

	room->begins = batch->begins + batch->count;
	room->times_ns = batch->times_ns + batch->count;
	if (call_batch_continues(batch, number))
		return true;
	workers->credit -= track->depth;
	return call_batch_begin(batch, number, track);
}

void call_workers_added(struct call_workers *workers, uint32_t count)
{
	struct call_batch *batch = filling(workers);

	workers->credit += count;
	if (workers->credit > CREDIT_MOST)
		workers->credit = CREDIT_MOST;
	batch->count += count;
	batch->segments[batch->segment_count - 1].count += count;
}

bool call_workers_finish(struct call_workers *workers, struct calls *calls,
	struct call_track *tracks)
{
	if (filling(workers)->segment_count > 0)
		give(workers, calls);
	workers->credit = CREDIT_FIRST;
	return apply(workers, calls, tracks, 0);
}

static void move_cost(struct profile_cost *to, struct profile_cost *from)
{
	to->ncalls += from->ncalls;
	to->pcalls += from->pcalls;
	to->tottime_ns += from->tottime_ns;
	to->cumtime_ns += from->cumtime_ns;
	*from = (struct profile_cost){0};
}

bool call_workers_collect(struct call_workers *workers, struct calls *calls)
{
	struct profile *to = calls->profile;

	for (unsigned i = 0; i < workers->count; i++) {
		struct profile *from = workers->workers[i].calls.profile;
		uint32_t count = from->function_room < to->function_count
					 ? from->function_room
					 : to->function_count;

		for (uint32_t j = 0; j < count; j++) {
			move_cost(&to->functions[j].cost,
				&from->functions[j].cost);
			move_cost(&to->functions[j].root,
				&from->functions[j].root);
		}
		for (uint32_t j = 0; j < from->edge_count; j++) {
			struct profile_edge *edge = &from->edges[j];
			uint32_t number =
				calls_edge(calls, edge->caller, edge->callee);

			if (number == PROFILE_NONE)
				return false;
			move_cost(&to->edges[number].cost, &edge->cost);
		}
		to->total_ns += from->total_ns;
		from->total_ns = 0;
	}
	return true;
}

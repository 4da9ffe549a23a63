/* SPDX-License-Identifier: MIT */
/*
 * Uses threads, not processes like bin/input/batch.c: their sums share memory
 * and need not be serialized. Each thread has its own sums, so that none waits
 * for another.
 *
 * Sums have no order. Messages do, and so do errors that depend on earlier
 * inputs, such as options that differ and exhausted memory. So messages wait
 * until all inputs are read; after such an error, they are read again by one
 * thread.
 */
#include "input/aggregate_workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/thread.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "cli/progress.h"
#include "input/aggregate_summary.h"
#include "input/input.h"

#define JOBS_MAX 256

/* State shared by the workers. */
struct pool {
	const struct aggregate_options *options;
	const struct input_tree *tree;
	struct buffer *messages; /* of each file; NULL: they are printed */
	bool can_repeat;         /* without messages, if sums fail */
	atomic_size_t next;      /* file to read */
	atomic_size_t done;
};

struct worker {
	struct pool *pool;
	struct aggregate sums;
	struct progress *progress; /* in one worker; else NULL */
	pthread_t thread;
	bool started;
	int worst;
};

/* Adds a worker's sums; false, with the reason in `err`, if they do not go
 * together, or if out of memory. */
static bool add_sums(
	struct aggregate *to, struct aggregate *from, struct ctp_error *err)
{
	bool done = profile_add_with_paths(to->functions, from->functions) &&
		    phase_threads_add_all(&to->threads, &from->threads);

	done = done && aggregate_add_groups(to, from);
	aggregate_add_counts(to, from);
	if (!done)
		return ctp_no_memory(err) == CTP_OK;
	if (summary_add(to->summary, from->summary, err) == CTP_OK)
		return true;
	to->refused |= err->status == CTP_ERR_UNSUPPORTED;
	return false;
}

/* Completes the sums of a worker that has read its last file. */
static void finish_worker(struct worker *worker)
{
	struct aggregate *sums = &worker->sums;
	struct aggregate built = {0};
	struct ctp_error err = {0};
	bool done =
		sums->build == NULL ||
		build_profile_finish(sums->build, built.groups, &err) == CTP_OK;

	if (done && !aggregate_add_groups(sums, &built))
		done = ctp_no_memory(&err) == CTP_OK;
	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++)
		profile_free(built.groups[i]);
	if (!done) {
		if (!worker->pool->can_repeat)
			diag_error(NULL, &err);
		worker->worst = EXIT_LIMIT;
	}
	build_profile_free(sums->build);
	sums->build = NULL;
}

/* Reads a file; `messages` may be NULL. */
static int read_file(const struct aggregate_work *work, size_t index,
	struct buffer *messages)
{
	struct input_tree_file *file = &work->tree->files[index];
	struct buffer *before;
	int status;

	if (messages == NULL)
		return aggregate_read_file(work, file);
	before = diag_collect(&messages[index]);
	status = aggregate_read_file(work, file);
	(void)diag_collect(before);
	return status;
}

static void *run_worker(void *user)
{
	struct worker *worker = user;
	struct pool *pool = worker->pool;
	bool alone = pool->tree->count == 1;
	const struct aggregate_work work = {
		.options = pool->options,
		.tree = pool->tree,
		.shows_progress = alone && worker->progress != NULL,
		.sums = &worker->sums,
	};
	const struct aggregate_team *team = aggregate_find_team();
	int status = EXIT_DONE;

	for (;;) {
		size_t index = team == NULL ? atomic_fetch_add(&pool->next, 1)
					    : team->next(status);

		if (index >= pool->tree->count)
			break;
		status = read_file(&work, index, pool->messages);
		if (status > worker->worst)
			worker->worst = status;
		atomic_fetch_add(&pool->done, 1);
		if (worker->progress != NULL && !alone)
			progress_update(
				worker->progress, atomic_load(&pool->done));
	}
	finish_worker(worker);
	return NULL;
}

/* Whether all inputs can be read a second time. */
static bool are_files(const struct input_tree *tree)
{
	struct stat found;

	for (size_t i = 0; i < tree->count; i++) {
		const struct input_tree_file *file = &tree->files[i];

		if (file->root_size == 0 &&
			(strcmp(file->path, "-") == 0 ||
				(stat(file->path, &found) == 0 &&
					!S_ISREG(found.st_mode))))
			return false;
	}
	return true;
}

static unsigned job_count(
	const struct aggregate_options *options, const struct input_tree *tree)
{
	const struct aggregate_team *team = aggregate_find_team();
	unsigned jobs = options->jobs;

	if (jobs == 0 && team != NULL)
		jobs = team->jobs;
	if (jobs == 0 && (tree->directory_count > 0 ||
				 (team == NULL && are_files(tree))))
		jobs = thread_processors();
	if (jobs > JOBS_MAX)
		jobs = JOBS_MAX;
	if (jobs > tree->count)
		jobs = (unsigned)tree->count;
	return jobs == 0 ? 1 : jobs;
}

/* The first worker is this thread; its sums are in `aggregate`. */
static int run_workers(
	struct aggregate *aggregate, struct worker *workers, unsigned count)
{
	struct ctp_error err = {0};
	int worst = EXIT_DONE;

	for (unsigned i = 1; i < count; i++) {
		workers[i].started = aggregate_init(&workers[i].sums,
					     workers[0].pool->options) &&
				     thread_start(&workers[i].thread,
					     run_worker, &workers[i]);
	}
	(void)run_worker(&workers[0]);
	*aggregate = workers[0].sums;
	for (unsigned i = 0; i < count; i++) {
		struct worker *worker = &workers[i];

		if (worker->started) {
			(void)pthread_join(worker->thread, NULL);
			if (!add_sums(aggregate, &worker->sums, &err)) {
				if (!worker->pool->can_repeat)
					diag_error(NULL, &err);
				worker->worst = aggregate->refused ? EXIT_INPUT
								   : EXIT_LIMIT;
			}
		}
		if (i > 0)
			aggregate_clear(&worker->sums);
		worst = worker->worst > worst ? worker->worst : worst;
	}
	return worst;
}

/* Reads all inputs by `count` threads. */
static int read_all(
	struct aggregate *aggregate, struct pool *pool, unsigned count)
{
	const struct aggregate_options *options = pool->options;
	struct worker *workers = calloc(count, sizeof(*workers));
	struct progress progress;
	int status;

	if (workers == NULL || !aggregate_init(&workers[0].sums, options)) {
		if (workers != NULL)
			aggregate_clear(&workers[0].sums);
		free(workers);
		return pool->can_repeat ? EXIT_LIMIT : diag_no_memory(NULL);
	}
	progress_start(&progress,
		pool->tree->count == 1 ? WHEN_NEVER
				       : inputs_progress(options->inputs),
		"files", pool->tree->count);
	for (unsigned i = 0; i < count; i++)
		workers[i].pool = pool;
	workers[0].progress = aggregate_has_team() ? NULL : &progress;
	status = run_workers(aggregate, workers, count);
	progress_hide(&progress);
	free(workers);
	return status;
}

/* Prints the messages in order, or none, and frees them. */
static void finish_messages(struct pool *pool, bool print)
{
	for (size_t i = 0; i < pool->tree->count; i++)
		if (print)
			diag_print_lines(&pool->messages[i]);
		else
			buffer_clear(&pool->messages[i]);
	free(pool->messages);
	pool->messages = NULL;
}

int aggregate_read(struct aggregate *aggregate,
	const struct aggregate_options *options, const struct input_tree *tree)
{
	struct pool pool = {.options = options, .tree = tree};
	unsigned count = job_count(options, tree);
	int status;
	bool failed;

	if (count > 1 && !aggregate_has_team())
		pool.messages = calloc(tree->count, sizeof(*pool.messages));
	if (pool.messages == NULL)
		return read_all(aggregate, &pool, count);
	pool.can_repeat = are_files(tree);
	status = read_all(aggregate, &pool, count);
	failed =
		pool.can_repeat && (aggregate->refused || status >= EXIT_LIMIT);
	finish_messages(&pool, !failed);
	if (!failed)
		return status;
	aggregate_clear(aggregate);
	pool = (struct pool){.options = options, .tree = tree};
	return read_all(aggregate, &pool, 1);
}

/* SPDX-License-Identifier: MIT */
/*
 * Threads, not processes as bin/input/batch.c has them: their sums are in the same
 * memory, and need not be written and read again. Each has sums of its own, so
 * that none waits for another.
 */
#include "input/rollup.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "cli/command.h"
#include "cli/output.h"
#include "input/rollup_file.h"
#include "cli/say.h"

#define JOBS_MAX 256

/* What the workers share. */
struct pool {
	const struct rollup_options *options;
	const struct tree *tree;
	atomic_size_t next; /* file to read */
	atomic_size_t done;
};

struct worker {
	struct pool *pool;
	struct rollup sums;
	struct progress *progress; /* of one of the workers; else NULL */
	pthread_t thread;
	bool started;
	int worst;
};

static bool init_sums(
	struct rollup *rollup, const struct rollup_options *options)
{
	*rollup = (struct rollup){.functions = profile_new()};
	if (options->groups != 0)
		rollup->compile = compile_new(options->groups);
	return rollup->functions != NULL &&
	       (options->groups == 0 || rollup->compile != NULL) &&
	       (options->phases == NULL ||
		       phase_totals_init(&rollup->phases, options->phases,
			       options->by_thread));
}

void rollup_clear(struct rollup *rollup)
{
	profile_free(rollup->functions);
	for (unsigned i = 0; i < COMPILE_GROUP_COUNT; i++)
		profile_free(rollup->groups[i]);
	compile_free(rollup->compile);
	phase_totals_clear(&rollup->phases);
	*rollup = (struct rollup){0};
}

/* Adds what a worker has; false if out of memory. */
static bool add_sums(struct rollup *to, struct rollup *from)
{
	bool done = profile_add(to->functions, from->functions) &&
		    (to->phases.sets == NULL ||
			    phase_totals_add_all(&to->phases, &from->phases));

	for (unsigned i = 0; i < COMPILE_GROUP_COUNT && done; i++)
		if (to->groups[i] != NULL && from->groups[i] != NULL)
			done = profile_add(to->groups[i], from->groups[i]);
	for (unsigned i = 0; i < LOSS_KINDS; i++)
		to->losses[i] += from->losses[i];
	for (unsigned i = 0; i < TREE_SKIP_COUNT; i++)
		to->skipped[i] += from->skipped[i];
	to->file_count += from->file_count;
	to->compile_count += from->compile_count;
	return done;
}

/* All that the worker reads was read. */
static void finish_worker(struct worker *worker)
{
	struct rollup *sums = &worker->sums;
	struct ctp_error err = {0};

	if (sums->compile != NULL &&
		compile_finish(sums->compile, sums->groups, &err) != CTP_OK) {
		say_error(NULL, &err);
		worker->worst = EXIT_LIMIT;
	}
	compile_free(sums->compile);
	sums->compile = NULL;
}

static void *run_worker(void *user)
{
	struct worker *worker = user;
	struct pool *pool = worker->pool;
	bool alone = pool->tree->count == 1;
	const struct rollup_work work = {
		.options = pool->options,
		.tree = pool->tree,
		.progress = alone ? worker->progress : NULL,
		.sums = &worker->sums,
	};

	for (;;) {
		size_t index = atomic_fetch_add(&pool->next, 1);
		int status;

		if (index >= pool->tree->count)
			break;
		status = rollup_file_add(&work, &pool->tree->files[index]);
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

/* What was named is read in order, so that what is said is in order, too. */
static unsigned job_count(
	const struct rollup_options *options, const struct tree *tree)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned jobs = options->jobs;

	if (jobs == 0 && tree->directory_count > 0)
		jobs = online > 0 && online < JOBS_MAX ? (unsigned)online : 1;
	if (jobs > JOBS_MAX)
		jobs = JOBS_MAX;
	if (jobs > tree->count)
		jobs = (unsigned)tree->count;
	return jobs == 0 ? 1 : jobs;
}

/* The first worker is this thread, and has its sums in `rollup`. */
static int run_workers(
	struct rollup *rollup, struct worker *workers, unsigned count)
{
	int worst = EXIT_DONE;

	for (unsigned i = 1; i < count; i++) {
		workers[i].pool = workers[0].pool;
		workers[i].started =
			init_sums(&workers[i].sums, workers[0].pool->options) &&
			pthread_create(&workers[i].thread, NULL, run_worker,
				&workers[i]) == 0;
	}
	(void)run_worker(&workers[0]);
	*rollup = workers[0].sums;
	for (unsigned i = 0; i < count; i++) {
		struct worker *worker = &workers[i];

		if (worker->started) {
			(void)pthread_join(worker->thread, NULL);
			if (!add_sums(rollup, &worker->sums)) {
				say_no_memory(NULL);
				worker->worst = EXIT_LIMIT;
			}
		}
		if (i > 0)
			rollup_clear(&worker->sums);
		worst = worker->worst > worst ? worker->worst : worst;
	}
	return worst;
}

static int read_all(struct rollup *rollup, const struct rollup_options *options,
	const struct tree *tree)
{
	struct pool pool = {.options = options, .tree = tree};
	unsigned count = job_count(options, tree);
	struct worker *workers = calloc(count, sizeof(*workers));
	const struct inputs *inputs = options->inputs;
	struct progress progress;
	int status = EXIT_LIMIT;

	if (workers == NULL || !init_sums(&workers[0].sums, options)) {
		if (workers != NULL)
			rollup_clear(&workers[0].sums);
		free(workers);
		say_no_memory(NULL);
		return EXIT_LIMIT;
	}
	progress_start(&progress,
		inputs->quiet || tree->count == 1 ? WHEN_NEVER
						  : inputs->progress,
		"files", tree->count);
	workers[0].pool = &pool;
	workers[0].progress = &progress;
	status = run_workers(rollup, workers, count);
	progress_hide(&progress);
	free(workers);
	return status;
}

/* What is not in the sums, of all that was found. */
static void say_skipped(const struct rollup *rollup, const char *name)
{
	struct buffer line = BUFFER_INIT;
	char text[32];

	for (enum tree_skip skip = 0; skip < TREE_SKIP_COUNT; skip++) {
		if (rollup->skipped[skip] == 0)
			continue;
		(void)snprintf(text, sizeof(text), "%s%" PRIu64 " ",
			line.used == 0 ? "" : ", ", rollup->skipped[skip]);
		buffer_add_text(&line, text);
		buffer_add_text(&line, tree_skip_words(skip));
	}
	buffer_add_byte(&line, '\0');
	if (line.used > 1 && !line.failed)
		say("%s: left out: %s", name, (const char *)line.bytes);
	buffer_clear(&line);
}

static void say_losses(const struct rollup *rollup, const struct inputs *inputs,
	const char *name)
{
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		if (rollup->losses[loss] != 0 &&
			(inputs->verbose || !trace_loss_is_note(loss)))
			say("%s: %" PRIu64 " %s", name, rollup->losses[loss],
				trace_loss_words(loss));
}

static int finish(struct rollup *rollup, const struct inputs *inputs,
	const struct tree *tree)
{
	const char *name = inputs->count == 1 ? inputs->paths[0] : "all inputs";

	for (enum tree_skip skip = 0; skip < TREE_SKIP_COUNT; skip++)
		rollup->skipped[skip] += tree->skipped[skip];
	rollup->has_directory = tree->directory_count > 0;
	/* Others are in the way of what compilers did. */
	if (rollup->compile_count != 0)
		rollup->skipped[TREE_OTHER_TRACE] +=
			rollup->file_count - rollup->compile_count;
	if (rollup->has_directory && !inputs->quiet) {
		say_skipped(rollup, name);
		say_losses(rollup, inputs, name);
	}
	if (rollup->file_count != 0)
		return EXIT_DONE;
	if (rollup->has_directory)
		say("%s: no trace is there", name);
	return EXIT_INPUT;
}

/* What was found and is no trace may be an earlier report. */
static int spare_found(const struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_file *file = &tree->files[i];

		if (file->root_size != 0 && !file->is_none &&
			!output_spare(file->path)) {
			say_no_memory(file->path);
			return EXIT_LIMIT;
		}
	}
	return EXIT_DONE;
}

int rollup_run(struct rollup *rollup, const struct rollup_options *options)
{
	const struct inputs *inputs = options->inputs;
	struct tree tree = {0};
	int worst = EXIT_DONE;
	int status;

	*rollup = (struct rollup){0};
	for (size_t i = 0; i < inputs->count; i++) {
		status = tree_add(&tree, inputs->paths[i]);
		worst = status > worst ? status : worst;
	}
	status = read_all(rollup, options, &tree);
	worst = status > worst ? status : worst;
	status = spare_found(&tree);
	worst = status > worst ? status : worst;
	if (rollup->functions != NULL) {
		status = finish(rollup, inputs, &tree);
		worst = status > worst ? status : worst;
	}
	tree_clear(&tree);
	return worst;
}

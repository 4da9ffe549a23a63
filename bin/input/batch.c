/* SPDX-License-Identifier: MIT */
#include "input/batch.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"
#include "cli/command.h"
#include "cli/diag.h"

struct worker {
	pid_t pid; /* 0: free */
	size_t index;
};

struct pool {
	const struct batch *batch;
	struct worker *workers;
	unsigned count;
	unsigned busy;
	size_t done;
	int worst;
	struct progress progress;
};

static unsigned job_count(const struct batch *batch)
{
	unsigned jobs = batch->jobs;

	if (jobs == 0) {
		unsigned processors = thread_processors();

		jobs = processors < 4096 ? processors : 1;
	}
	return batch->count < jobs ? (unsigned)batch->count : jobs;
}

static void update_worst(struct pool *pool, int status)
{
	if (status > pool->worst)
		pool->worst = status;
}

static _Noreturn void run_child(
	const struct batch *batch, size_t index, pid_t parent)
{
	int status;

	/* Killing the parent should end the whole batch. */
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_LIMIT);
	status = batch->run(index, batch->user);
	(void)fflush(NULL);
	_exit(status);
}

static bool start_child(struct pool *pool, size_t index)
{
	pid_t parent = getpid();
	struct worker *worker = pool->workers;
	pid_t pid;

	while (worker->pid != 0)
		worker++;
	(void)fflush(NULL); /* otherwise the child would write it again */
	pid = fork();
	if (pid == 0)
		run_child(pool->batch, index, parent);
	if (pid < 0)
		return false;
	*worker = (struct worker){.pid = pid, .index = index};
	pool->busy++;
	return true;
}

static struct worker *find_worker(struct pool *pool, pid_t pid)
{
	for (unsigned i = 0; i < pool->count; i++)
		if (pool->workers[i].pid == pid)
			return &pool->workers[i];
	return NULL;
}

static void finish_child(struct pool *pool, struct worker *worker, int status)
{
	const struct batch *batch = pool->batch;

	progress_hide(&pool->progress);
	if (WIFSIGNALED(status)) {
		diag("%s: the process was ended by signal %d (%s)",
			batch->name(worker->index, batch->user),
			WTERMSIG(status), strsignal(WTERMSIG(status)));
		update_worst(pool, EXIT_LIMIT);
	} else {
		update_worst(pool, WEXITSTATUS(status));
	}
	worker->pid = 0;
	pool->busy--;
	pool->done++;
}

static void wait_for_child(struct pool *pool)
{
	struct worker *worker;
	int status;
	pid_t pid;

	do {
		pid = waitpid(-1, &status, 0);
	} while (pid < 0 && errno == EINTR);
	worker = pid < 0 ? NULL : find_worker(pool, pid);
	if (worker != NULL)
		finish_child(pool, worker, status);
	else if (pid < 0) /* impossible: they are our children */
		pool->busy = 0;
	progress_update(&pool->progress, pool->done);
}

static void run_in_parent(struct pool *pool, size_t index)
{
	progress_update(&pool->progress, pool->done);
	progress_hide(&pool->progress);
	update_worst(pool, pool->batch->run(index, pool->batch->user));
	pool->done++;
}

static void run_serially(struct pool *pool)
{
	for (size_t i = 0; i < pool->batch->count; i++)
		run_in_parent(pool, i);
}

static void run_pool(struct pool *pool)
{
	for (size_t i = 0; i < pool->batch->count; i++) {
		if (pool->busy == pool->count)
			wait_for_child(pool);
		/* fork() failed: do it in this process. */
		if (!start_child(pool, i))
			run_in_parent(pool, i);
	}
	while (pool->busy > 0)
		wait_for_child(pool);
}

int batch_run(const struct batch *batch)
{
	struct pool pool = {.batch = batch, .count = job_count(batch)};

	if (batch->count == 1)
		return batch->run(0, batch->user);
	progress_start(&pool.progress, batch->progress, "files", batch->count);
	if (pool.count > 1)
		pool.workers = calloc(pool.count, sizeof(*pool.workers));
	if (pool.workers == NULL)
		run_serially(&pool);
	else
		run_pool(&pool);
	progress_hide(&pool.progress);
	free(pool.workers);
	return pool.worst;
}

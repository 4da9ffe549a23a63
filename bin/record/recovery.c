/* SPDX-License-Identifier: MIT */
#include "record/recovery.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/command.h"
#include "record/run_logs.h"
#include "cli/diag.h"
#include "record/spool_dir.h"

#define SECOND INT64_C(1000000000)

/* A child being forked may briefly hold the lock of a dead process. */
#define BUSY_TRIES 100
#define BUSY_STEP_NS 10000000

static int exit_status(const struct ctp_error *err)
{
	switch (err->status) {
	case CTP_ERR_IO:
		return EXIT_OUTPUT;
	case CTP_ERR_NOMEM:
		return EXIT_LIMIT;
	default:
		return EXIT_INPUT;
	}
}

static void diag_result(const struct spool_file *spool,
	const struct recover_result *result, const struct recovery *recovery)
{
	const char *error = spool->header.error;
	const char *name = recovery->name;
	const char *how =
		recovery->how == NULL ? "is completed" : recovery->how;

	if (name == NULL || strcmp(result->log, spool->header.log_path) != 0)
		name = result->log;
	if (result->was_complete && error[0] == '\0') {
		if (recovery->how == NULL)
			diag("%s: is complete: nothing to do", name);
		return;
	}
	if (recovery->counts != NULL && error[0] == '\0' && !result->is_cut) {
		recovery->counts->logs++;
		recovery->counts->events += result->events;
		return;
	}
	if (error[0] != '\0')
		diag("%s: recording stopped early: %s; %" PRIu64
		     " event%s taken from its buffers",
			name, error, result->events,
			result->events == 1 ? " was" : "s were");
	else
		diag("%s: %s; %" PRIu64 " event%s taken from its buffers", name,
			how, result->events,
			result->events == 1 ? " was" : "s were");
	if (result->is_cut)
		diag("%s: the events written before are lost", name);
}

int recovery_complete(struct spool_file *spool, const struct recovery *recovery)
{
	const struct recover_options options = {recovery->log, recovery->death};
	struct recover_result result;
	struct ctp_error err;
	const char *name = recovery->name;

	if (name == NULL)
		name = spool->ready ? spool->header.log_path : spool->path;
	if (recover_spool(spool, &options, &result, &err) != CTP_OK) {
		if (spool->ready && spool->header.error[0] != '\0')
			diag("%s: recording stopped early: %s", name,
				spool->header.error);
		diag("%s: cannot be completed: %s; %s is kept", name,
			err.message, spool->path);
		return exit_status(&err);
	}
	if (!spool->ready && spool->header.error[0] != '\0')
		diag("process %ld was not recorded: %s",
			spool_dir_pid(spool->path), spool->header.error);
	else if (!spool->ready && recovery->how == NULL)
		diag("%s: nothing was recorded in it; removed", spool->path);
	else if (spool->ready && !recovery->quiet)
		diag_result(spool, &result, recovery);
	return EXIT_DONE;
}

void recovery_diag_busy(const struct spool_file *spool, const char *name)
{
	diag("%s: process %u is still recording to it; run 'ctprof repair' on "
	     "it when the process has ended",
		name, spool->header.facts.pid);
}

/* Total wait for helpers that end after the program, such as those of Python's
 * multiprocessing. */
#define HELPER_TRIES 50

/* A run that has ended. */
struct finished_run {
	const char *output;
	char *absolute;
	bool is_pattern;
	int64_t start_ns;
	const struct spawn_end *end;
	int64_t newest_ns; /* start of the program's last recording */
	int patience;      /* retries left for helpers */
	struct run_logs *logs;
	bool quiet;
	bool joins;
	struct recovery_counts counts; /* of children */
};

/* The log's name for the user. */
static char *log_name(const struct finished_run *run, const char *log_path)
{
	const char *slash = strrchr(run->output, '/');
	char *name = NULL;

	if (asprintf(&name, "%.*s%s",
		    slash == NULL ? 0 : (int)(slash + 1 - run->output),
		    run->output, strrchr(log_path, '/') + 1) < 0)
		return NULL;
	return name;
}

/* Whether the spool belongs to this run. Without a header its name decides. */
static bool is_of_run(
	const struct finished_run *run, const struct spool_file *spool)
{
	const struct spool_header *header = &spool->header;

	if (!spool->ready)
		return !spool->busy &&
		       spool_dir_pid(spool->path) == (long)run->end->pid;
	return header->start.realtime_ns >= run->start_ns &&
	       run_logs_belongs_to(header->log_path,
		       &(struct run_target){run->absolute, run->is_pattern});
}

static bool is_of_program(
	const struct finished_run *run, const struct spool_file *spool)
{
	return spool->header.facts.pid == (uint32_t)run->end->pid;
}

/* The name of a signal that ends processes, or NULL. The C library has
 * sigabbrev_np() only since version 2.32. */
static const char *find_signal_name(int number)
{
#define SIGNAL(name) \
	{ \
		name, #name \
	}
	static const struct {
		int number;
		const char *name;
	} signals[] = {SIGNAL(SIGHUP), SIGNAL(SIGINT), SIGNAL(SIGQUIT),
		SIGNAL(SIGILL), SIGNAL(SIGTRAP), SIGNAL(SIGABRT),
		SIGNAL(SIGBUS), SIGNAL(SIGFPE), SIGNAL(SIGKILL),
		SIGNAL(SIGUSR1), SIGNAL(SIGSEGV), SIGNAL(SIGUSR2),
		SIGNAL(SIGPIPE), SIGNAL(SIGALRM), SIGNAL(SIGTERM),
		SIGNAL(SIGSTKFLT), SIGNAL(SIGXCPU), SIGNAL(SIGXFSZ),
		SIGNAL(SIGVTALRM), SIGNAL(SIGPROF), SIGNAL(SIGPOLL),
		SIGNAL(SIGPWR), SIGNAL(SIGSYS)};
#undef SIGNAL

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signals[i].number == number)
			return signals[i].name;
	return NULL;
}

/* Reports how the spool's process ended. */
static void describe_end(const struct finished_run *run,
	const struct spool_file *spool, char *how, size_t size)
{
	int status = run->end->status;
	const char *what = "its process ended without completing it";

	if (is_of_program(run, spool) &&
		spool->header.start.realtime_ns < run->newest_ns)
		what = "the program was replaced by another (exec)";
	else if (is_of_program(run, spool) && WIFSIGNALED(status))
		what = NULL;
	else if (is_of_program(run, spool))
		what = "the program ended without completing it";
	if (what != NULL)
		(void)snprintf(how, size, "%s", what);
	else if (find_signal_name(WTERMSIG(status)) != NULL)
		(void)snprintf(how, size, "the program was killed by %s",
			find_signal_name(WTERMSIG(status)));
	else
		(void)snprintf(how, size, "the program was killed by signal %d",
			WTERMSIG(status));
}

/* Opens the spool, retrying while it is locked for a dead process. */
static bool open_unlocked(struct spool_file *spool, const char *path)
{
	struct timespec rest = {0, BUSY_STEP_NS};

	for (int i = 0; i < BUSY_TRIES; i++) {
		if (spool_file_open(spool, path, NULL) != CTP_OK)
			return false;
		if (!spool->busy || !spool->ready ||
			kill((pid_t)spool->header.facts.pid, 0) == 0 ||
			errno != ESRCH)
			return true;
		spool_file_close(spool);
		(void)nanosleep(&rest, NULL);
	}
	return spool_file_open(spool, path, NULL) == CTP_OK;
}

static void complete_log(struct finished_run *run, struct spool_file *spool)
{
	bool died = is_of_program(run, spool) &&
		    spool->header.start.realtime_ns == run->newest_ns;
	char *name =
		spool->ready ? log_name(run, spool->header.log_path) : NULL;
	char how[128] = "";

	if (spool->ready && spool->busy) {
		run_logs_add_busy(run->logs, spool->header.log_path);
		recovery_diag_busy(
			spool, name == NULL ? spool->header.log_path : name);
	} else {
		describe_end(run, spool, how, sizeof(how));
		if (!spool->ready && spool->header.error[0] != '\0')
			run->logs->refused = true;
		(void)recovery_complete(spool,
			&(struct recovery){.name = name,
				.how = how,
				.death = died ? &run->end->death : NULL,
				.quiet = run->quiet,
				.counts =
					run->joins && !is_of_program(run, spool)
						? &run->counts
						: NULL});
	}
	free(name);
}

/* Waits for a process that may be completing its log; false if it has done
 * so. */
static bool wait_for_helper(
	struct finished_run *run, struct spool_file *spool, const char *path)
{
	struct timespec rest = {0, BUSY_STEP_NS};

	while (spool->ready && spool->busy && run->patience > 0) {
		run->patience--;
		spool_file_close(spool);
		(void)nanosleep(&rest, NULL);
		if (spool_file_open(spool, path, NULL) != CTP_OK)
			return false;
	}
	return true;
}

/* A program that calls exec may have begun several recordings. */
static void find_newest(
	struct finished_run *run, const struct spool_dir *spools)
{
	for (size_t i = 0; i < spools->count; i++) {
		struct spool_file spool;

		if (spool_dir_pid(spools->paths[i]) != (long)run->end->pid ||
			spool_file_open(&spool, spools->paths[i], NULL) !=
				CTP_OK)
			continue;
		if (spool.ready &&
			spool.header.start.realtime_ns > run->newest_ns)
			run->newest_ns = spool.header.start.realtime_ns;
		spool_file_close(&spool);
	}
}

/* Children that leave by _exit(2), as those of multiprocessing do, are
 * usual. */
static void diag_counts(const struct finished_run *run)
{
	const struct recovery_counts *counts = &run->counts;

	if (counts->logs != 0)
		diag("%s: %" PRIu64 " child process%s ended without completing "
		     "%s; %" PRIu64 " event%s taken from buffers",
			run->output, counts->logs,
			counts->logs == 1 ? "" : "es",
			counts->logs == 1 ? "its log" : "their logs",
			counts->events,
			counts->events == 1 ? " was" : "s were");
}

void recovery_after_run(struct run_logs *logs, const struct recovery_run *given)
{
	struct finished_run run = {
		.output = given->target.path,
		.absolute = run_logs_absolute(given->target.path),
		.is_pattern = given->target.is_pattern,
		.start_ns = (int64_t)given->start.tv_sec * SECOND +
			    given->start.tv_nsec,
		.end = given->end,
		.patience = HELPER_TRIES,
		.logs = logs,
		.quiet = given->quiet,
		.joins = given->joins,
	};
	struct spool_dir spools = {0};

	if (run.absolute == NULL ||
		spool_dir_find(&spools, spool_dir_path(NULL)) != EXIT_DONE) {
		free(run.absolute);
		return;
	}
	find_newest(&run, &spools);
	for (size_t i = 0; i < spools.count; i++) {
		struct spool_file spool;

		if (!open_unlocked(&spool, spools.paths[i]))
			continue;
		if (is_of_run(&run, &spool)) {
			if (!wait_for_helper(&run, &spool, spools.paths[i]))
				continue;
			complete_log(&run, &spool);
		}
		spool_file_close(&spool);
	}
	spool_dir_clear(&spools);
	if (!given->brief)
		diag_counts(&run);
	free(run.absolute);
}

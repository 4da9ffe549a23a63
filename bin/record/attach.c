/* SPDX-License-Identifier: MIT */
/*
 * The process executes a script that starts the recording, and later one that
 * ends it, each when its main thread runs Python code. Nothing can hurry it: a
 * main thread in C code, or asleep in a system call, runs none. So each wait has
 * a limit.
 */
#include "record/attach.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "record/attach_files.h"
#include "record/attach_target.h"
#include "record/preload.h"

#define SECOND UINT64_C(1000000000)
#define DEFAULT_WAIT_NS (10 * SECOND)
/* A wait that lasts longer is reported. */
#define PATIENCE_NS (2 * SECOND)
/* Recording frames that are open gives the calls below them their context. */
#define DEPTH "--depth=128"

enum happening { ANSWERED, SIGNALLED, ENDED, TIMED_OUT };

struct session {
	const struct attach *attach;
	uint32_t pid;
	uint64_t wait_ns;
	struct attach_target target;
	struct attach_files files;
	int signals;
	int number; /* of the last signal */
	char answer[ATTACH_ANSWER_BYTES];
	bool has_log;
	bool leaves; /* the process still has to complete the log */
};

static uint64_t now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

/* Milliseconds until then, for poll(2), rounded up. */
static int left_ms(uint64_t until_ns)
{
	uint64_t at = now();
	uint64_t ms = until_ns <= at ? 0 : (until_ns - at + 999999) / 1000000;

	return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

/* Waits for what happens first, up to this time. */
static enum happening next(struct session *session, uint64_t until_ns)
{
	struct pollfd sources[] = {{session->files.pipe, POLLIN, 0},
		{session->signals, POLLIN, 0},
		{session->target.pidfd, POLLIN, 0}};
	struct signalfd_siginfo info;

	for (;;) {
		int ready = poll(sources, 3, left_ms(until_ns));

		if (attach_files_answer(&session->files, session->answer))
			return ANSWERED;
		if (read(session->signals, &info, sizeof(info)) ==
			(ssize_t)sizeof(info)) {
			session->number = (int)info.ssi_signo;
			return SIGNALLED;
		}
		if (attach_target_has_ended(&session->target))
			return ENDED;
		if (ready <= 0 && left_ms(until_ns) == 0)
			return TIMED_OUT;
	}
}

/* Waits for the answer to a script. */
static enum happening next_answer(struct session *session)
{
	uint64_t limit_ns = now() + session->wait_ns;
	uint64_t patience_ns = now() + PATIENCE_NS;
	enum happening happening;

	happening =
		next(session, patience_ns < limit_ns ? patience_ns : limit_ns);
	if (happening != TIMED_OUT || left_ms(limit_ns) == 0)
		return happening;
	if (!session->attach->quiet)
		diag("process %u: waiting until its main thread runs Python "
		     "code",
			session->pid);
	return next(session, limit_ns);
}

/* Whether the process answers "WORD TEXT"; the answer is then the text. */
static bool is_answer(struct session *session, const char *word)
{
	size_t size = strlen(word);
	char *text = session->answer + size;

	if (strncmp(session->answer, word, size) != 0 ||
		(*text != '\0' && *text != ' '))
		return false;
	memmove(session->answer, text + (*text == ' '), strlen(text) + 1);
	return true;
}

/* Replaces a script that waits to be executed by an empty one. False if it has
 * been executed meanwhile: then its answer is there. */
static bool take_back(struct session *session)
{
	(void)attach_target_execute(&session->target, "/dev/null");
	return !attach_files_answer(&session->files, session->answer);
}

static int diag_refused(struct session *session)
{
	bool is_known = is_answer(session, "failed");

	diag("process %u: not recording: %s", session->pid,
		is_known ? session->answer : "unknown answer");
	return EXIT_INPUT;
}

static int begin(struct session *session)
{
	enum happening happening;
	int status =
		attach_target_execute(&session->target, session->files.start);

	if (status != EXIT_DONE)
		return status;
	happening = next_answer(session);
	if (happening == ENDED) {
		diag("process %u: ended before recording began", session->pid);
		return EXIT_INPUT;
	}
	if (happening != ANSWERED && take_back(session)) {
		if (happening == SIGNALLED)
			diag("process %u: interrupted before recording began",
				session->pid);
		else
			diag("process %u: its main thread runs no Python code: "
			     "it is in C code or asleep; a longer --wait may "
			     "help",
				session->pid);
		return EXIT_LIMIT;
	}
	return is_answer(session, "started") ? EXIT_DONE
					     : diag_refused(session);
}

/* The process will execute the script that stops, if it ever runs Python. */
static int leave(struct session *session)
{
	session->leaves = true;
	session->has_log = false;
	diag("process %u: still recording, since its main thread runs no "
	     "Python "
	     "code; it completes %s when it does",
		session->pid, session->attach->log);
	return EXIT_LIMIT;
}

static int stop(struct session *session)
{
	int status =
		attach_target_execute(&session->target, session->files.stop);

	if (status != EXIT_DONE)
		return status;
	switch (next_answer(session)) {
	case ENDED:
		return EXIT_DONE;
	case ANSWERED:
		break;
	default:
		return leave(session);
	}
	if (!is_answer(session, "stopped"))
		return diag_refused(session);
	if (session->answer[0] != '\0' && !session->attach->quiet)
		diag("process %u: %s", session->pid, session->answer);
	return EXIT_DONE;
}

static int record(struct session *session)
{
	uint64_t duration_ns = session->attach->python->duration_ns;
	uint64_t until_ns;
	int status = begin(session);

	if (status != EXIT_DONE)
		return status;
	session->has_log = true;
	if (!session->attach->quiet)
		diag("process %u: recording to %s%s", session->pid,
			session->attach->log,
			duration_ns == 0 ? "; Ctrl-C stops" : "");
	until_ns = duration_ns == 0 || duration_ns > INT64_MAX
			   ? UINT64_MAX
			   : now() + duration_ns;
	switch (next(session, until_ns)) {
	case ANSWERED:
		session->has_log = false;
		(void)unlink(session->attach->log);
		return diag_refused(session);
	case ENDED:
		if (!session->attach->quiet)
			diag("process %u has ended", session->pid);
		return EXIT_DONE;
	default:
		return stop(session);
	}
}

/* Signals arrive one by one, through a descriptor. */
static int open_signals(struct session *session, struct spawn_end *end)
{
	static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		(void)sigaddset(&set, endings[i]);
	(void)sigprocmask(SIG_BLOCK, &set, &end->mask);
	session->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (session->signals >= 0)
		return EXIT_DONE;
	diag("cannot watch signals: %s", strerror(errno));
	return EXIT_LIMIT;
}

static int make_files(struct session *session)
{
	const struct python *python = session->attach->python;
	char *site = python_find_site();
	char *recorder = preload_find_recorder();
	char *words = NULL;
	int status = EXIT_INPUT;

	if (site != NULL &&
		asprintf(&words, DEPTH "%s%s",
			python->options == NULL ? "" : "\n",
			python->options == NULL ? "" : python->options) < 0)
		words = NULL;
	if (site != NULL && words == NULL)
		status = diag_no_memory(NULL);
	if (words != NULL)
		status = attach_files_make(&session->files, &session->target,
			&(struct attach_content){
				.out = session->attach->out,
				.site = site,
				.recorder = recorder,
				.words = words,
			});
	free(words);
	free(recorder);
	free(site);
	return status;
}

int attach_run(
	const struct attach *attach, struct spawn_end *end, bool *has_log)
{
	struct session session = {
		.attach = attach,
		.pid = attach->python->pid,
		.wait_ns = attach->python->wait_ns,
		.files = {.fd = -1, .pipe = -1},
		.signals = -1,
	};
	int status = attach_target_open(&session.target, session.pid);

	if (session.wait_ns == 0)
		session.wait_ns = DEFAULT_WAIT_NS;
	*end = (struct spawn_end){.pid = (pid_t)session.pid};
	if (status == EXIT_DONE)
		status = open_signals(&session, end);
	if (status == EXIT_DONE)
		status = make_files(&session);
	if (status == EXIT_DONE)
		status = record(&session);
	*has_log = session.has_log;
	end->death = clock_sync_now(true);
	attach_files_remove(&session.files, session.leaves);
	attach_target_close(&session.target);
	if (session.signals >= 0)
		(void)close(session.signals);
	return status;
}

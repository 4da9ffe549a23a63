/* SPDX-License-Identifier: MIT */
/*
 * The program stays in our process group, so the terminal's signals (Ctrl-C,
 * Ctrl-Z, hang-up, a new window size) reach it directly; passing them on would
 * deliver them twice. Signals that another process sends only to us are meant
 * for the program and are passed on. All signals are blocked here and received
 * one by one, so that there is no handler and no race.
 */
#include "record/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "pack/process.h"
#include "cli/diag.h"

static const int watched[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP,
	SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH, SIGTSTP, SIGALRM};

static void watch_signals(sigset_t *set, sigset_t *old)
{
	(void)sigemptyset(set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		(void)sigaddset(set, watched[i]);
	(void)sigprocmask(SIG_BLOCK, set, old);
}

/* In the child: executes the program, or writes the reason of the failure to
 * the pipe. */
static _Noreturn void exec_program(
	char *const *argv, const sigset_t *mask, int report)
{
	int error;

	(void)sigprocmask(SIG_SETMASK, mask, NULL);
	(void)execvp(argv[0], argv);
	error = errno;
	(void)!write(report, &error, sizeof(error));
	_exit(127);
}

static void unblock(int number)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, number);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Whether the program is or may be stopped: unknown if its first thread has
 * ended, or if it is not visible. */
static bool may_be_stopped(pid_t pid)
{
	long threads;

	switch (process_state(pid, &threads)) {
	case 'T':
	case 't': /* stopped while traced */
	case '\0':
		return true;
	case 'Z':
		return threads > 1;
	default:
		return false;
	}
}

/*
 * Forks a process that continues us when the program continues or is killed:
 * the process that stopped it may not know us. It does not outlive us.
 */
static pid_t start_waker(pid_t pid)
{
	const struct timespec pause = {0, 100000000};
	pid_t parent = getpid();
	pid_t waker = fork();
	long threads;

	if (waker != 0)
		return waker;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	do
		(void)nanosleep(&pause, NULL);
	while (getppid() == parent &&
		(may_be_stopped(pid) ||
			process_state(parent, &threads) != 'T'));
	if (getppid() == parent)
		(void)kill(parent, SIGCONT);
	_exit(0);
}

static void end_waker(pid_t waker)
{
	if (waker < 0)
		return;
	(void)kill(waker, SIGKILL);
	while (waitpid(waker, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The process that continued us; 0: we were not stopped. */
static pid_t continued_by(void)
{
	const struct timespec now = {0, 0};
	siginfo_t info;
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCONT);
	return sigtimedwait(&set, &info, &now) == SIGCONT ? info.si_pid : 0;
}

/* The program was stopped: stop as well, for the shell to see, until one of the
 * two continues. */
static void stop_with_child(pid_t pid, int number)
{
	pid_t waker = start_waker(pid);
	sigset_t old;

	(void)sigprocmask(SIG_BLOCK, NULL, &old);
	(void)raise(number);
	unblock(number);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	if (waker < 0 || continued_by() != waker)
		(void)kill(pid, SIGCONT);
	end_waker(waker);
}

/* True if the program has ended. */
static bool poll_child(pid_t pid, int *status)
{
	pid_t found;

	while ((found = waitpid(pid, status, WNOHANG | WUNTRACED)) == pid) {
		if (!WIFSTOPPED(*status))
			return true;
		stop_with_child(pid, WSTOPSIG(*status));
	}
	return found < 0 && errno != EINTR;
}

/* Whether a process other than the program sent the signal. */
static bool is_for_program(const siginfo_t *info, pid_t pid)
{
	return info->si_code <= 0 && info->si_pid != pid;
}

static void forward_signals(pid_t pid, const sigset_t *set, int *status)
{
	while (!poll_child(pid, status)) {
		siginfo_t info;
		int number = sigwaitinfo(set, &info);

		if (number > 0 && number != SIGCHLD &&
			is_for_program(&info, pid))
			(void)kill(pid, number);
	}
}

/* Waits until the program runs or the reason of a failure arrives. */
static int read_report(int report)
{
	int error = 0;
	ssize_t got;

	do {
		got = read(report, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	(void)close(report);
	return got == (ssize_t)sizeof(error) ? error : 0;
}

/* In the child. */
static void bind_to(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
}

int spawn_run(char *const *argv, bool bound, struct spawn_end *end)
{
	pid_t parent = getpid();
	sigset_t set;
	int report[2];
	pid_t pid;

	*end = (struct spawn_end){0};
	if (pipe2(report, O_CLOEXEC) != 0) {
		diag("cannot create a pipe: %s", strerror(errno));
		return EXIT_LIMIT;
	}
	watch_signals(&set, &end->mask);
	pid = fork();
	if (pid == 0) {
		if (bound)
			bind_to(parent);
		exec_program(argv, &end->mask, report[1]);
	}
	(void)close(report[1]);
	if (pid < 0) {
		diag("cannot create a process: %s", strerror(errno));
		(void)close(report[0]);
		spawn_take_signals(end);
		return EXIT_LIMIT;
	}
	end->exec_errno = read_report(report[0]);
	forward_signals(pid, &set, &end->status);
	end->death = clock_sync_now(true);
	end->pid = pid;
	return EXIT_DONE;
}

/* Signals that end a process. */
static void set_endings(sigset_t *set)
{
	static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	(void)sigemptyset(set);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		(void)sigaddset(set, endings[i]);
}

void spawn_discard_signals(void)
{
	const struct timespec now = {0, 0};
	sigset_t set;

	set_endings(&set);
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
}

bool spawn_has_signal(void)
{
	sigset_t pending;
	sigset_t set;

	set_endings(&set);
	return sigpending(&pending) == 0 &&
	       sigandset(&set, &set, &pending) == 0 && !sigisemptyset(&set);
}

void spawn_take_signals(const struct spawn_end *end)
{
	(void)sigprocmask(SIG_SETMASK, &end->mask, NULL);
}

int spawn_die_by_same_signal(int status)
{
	static const struct rlimit no_core = {0, 0};
	int number = WTERMSIG(status);

	/* Only the program's own core dump is useful. */
	(void)setrlimit(RLIMIT_CORE, &no_core);
	(void)signal(number, SIG_DFL);
	unblock(number);
	(void)raise(number);
	return 128 + number;
}

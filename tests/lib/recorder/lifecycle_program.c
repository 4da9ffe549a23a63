/* SPDX-License-Identifier: MIT */
/*
 * The program that tests/lib/recorder/lifecycle.sh records: it begins and ends
 * in the way named by its first argument. Prints "done" at the end, and always
 * exits with 7.
 */
#include <ctprof.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS 7
#define THREADS 8

static _Atomic int started;

static void work(int count)
{
	for (int i = 0; i < count; i++) {
		CTP_SCOPE("work");
		if (i % 3 == 0)
			ctp_arg_int("i", i);
	}
}

static void *work_for_ever(void *unused)
{
	work(1);
	started++;
	for (;;)
		work(1000);
	return unused;
}

static void start_threads(int detached)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work_for_ever, NULL) != 0)
			exit(1);
		if (detached && pthread_detach(thread) != 0)
			exit(1);
	}
	while (started < THREADS)
		(void)usleep(1000);
}

static void at_exit(void)
{
	CTP_SCOPE("at exit");
}

/* Called like the library's own threads for devices. */
static void *work_later(void *unused)
{
	(void)prctl(PR_SET_NAME, "ctprof-gpu");
	(void)usleep(250000);
	work(1000);
	return unused;
}

static void *wait_long(void *unused)
{
	(void)printf("%ld\n", (long)getpid());
	(void)fflush(stdout);
	(void)sleep(60);
	return unused;
}

/* The program continues without its first thread, and ends with its last. */
static void leave(void *(*last)(void *))
{
	pthread_t thread;

	if (atexit(at_exit) != 0 ||
		pthread_create(&thread, NULL, last, NULL) != 0)
		exit(1);
	puts("done");
	pthread_exit(NULL);
}

/* The same in a child, whose first thread this one is. */
static int leave_in_child(void)
{
	pid_t child;
	int status = 1;

	work(10);
	child = fork();
	if (child == 0)
		leave(work_later);
	return waitpid(child, &status, 0) == child && status == 0 ? STATUS : 1;
}

/* A child whose parent has no number in its namespace. */
static int fork_into_namespace(void)
{
	pid_t child;
	int status = 1;

	CTP_SCOPE("open at the fork");
	if (unshare(CLONE_NEWPID) != 0)
		return 77;
	child = fork();
	if (child == 0) {
		work(10);
		return STATUS;
	}
	return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 1;
}

/* A child whose number in /proc differs from its own. */
static int leave_in_namespace(void)
{
	return unshare(CLONE_NEWPID) != 0 ? 77 : leave_in_child();
}

/* A copy of the process made without the handlers of fork(). */
static int clone_itself(void)
{
	pid_t child;
	int status = 1;

	work(10);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0) {
		work(1000000);
		exit(ctp_flush() == CTP_OK || ctp_stop() == CTP_OK);
	}
	return waitpid(child, &status, 0) == child && status == 0 ? STATUS : 1;
}

/* Waits until a child has stopped, prints the descriptors that it has open
 * beyond the standard ones, and ends it. A child that is still being loaded
 * would show the files of the dynamic linker, too. */
static int list_descriptors(pid_t pid)
{
	char command[256];
	int status;

	if (waitpid(pid, NULL, WUNTRACED) != pid)
		return 1;
	(void)snprintf(command, sizeof(command),
		"find /proc/%ld/fd -mindepth 1 ! -name '[012]' "
		"-printf '%%f %%l\\n'",
		(long)pid);
	status = system(command);
	return status < 0 || kill(pid, SIGKILL) != 0 ||
	       waitpid(pid, NULL, 0) != pid;
}

/* Children of both kinds: handlers see those of fork(), and not those of
 * posix_spawn(). */
static int start_children(void)
{
	char shell[] = "sh";
	char option[] = "-c";
	char script[] = "kill -STOP $$";
	char *argv[] = {shell, option, script, NULL};
	pid_t child;

	work(10);
	if (posix_spawnp(&child, shell, NULL, NULL, argv, environ) != 0 ||
		list_descriptors(child) != 0)
		return 1;
	child = fork();
	if (child == 0)
		_exit(raise(SIGSTOP));
	if (list_descriptors(child) != 0)
		return 1;
	return STATUS;
}

static const char *mode = "";

__attribute__((constructor)) static void construct(void)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	/* For runs where the environment does not start recording. */
	if (getenv("LIFE_START") != NULL) {
		options.out = getenv("LIFE_START");
		if (ctp_start(&options) != CTP_OK)
			exit(1);
	}
	{
		CTP_SCOPE("constructor");
	}
}

__attribute__((destructor)) static void destruct(void)
{
	CTP_SCOPE("destructor");
}

/* Calls functions of a recorded library, closes it, and loads another, which is
 * mapped at the same place. */
static int use_libraries(char **paths)
{
	for (; *paths != NULL; paths++) {
		void *library = dlopen(*paths, RTLD_NOW | RTLD_LOCAL);
		void (*call)(void);

		if (library == NULL)
			return 1;
		*(void **)&call = dlsym(library, "call");
		if (call == NULL)
			return 1;
		call();
		if (dlclose(library) != 0)
			return 1;
	}
	return STATUS;
}

static int fill(int count)
{
	work(count);
	(void)ctp_flush();
	work(count);
	fprintf(stderr, "%s\n", ctp_status());
	return STATUS;
}

/* Execs itself once, and then ends normally. */
static int become_itself(char **argv)
{
	static char exit_mode[] = "atexit";
	char *again[] = {argv[0], exit_mode, NULL};

	work(10);
	(void)execv(argv[0], again);
	return 1;
}

int main(int argc, char **argv)
{
	int status = STATUS;

	mode = argc > 1 ? argv[1] : "";
	if (strcmp(mode, "exit") == 0) {
		start_threads(0);
		puts("done");
		exit(STATUS);
	}
	if (strcmp(mode, "leave") == 0)
		leave(work_later);
	if (strcmp(mode, "leave waiting") == 0)
		leave(wait_long);
	if (strcmp(mode, "leave in namespace") == 0)
		return leave_in_namespace();
	if (strcmp(mode, "leave child") == 0)
		return leave_in_child();
	if (strcmp(mode, "namespace") == 0)
		status = fork_into_namespace();
	if (strcmp(mode, "clone") == 0)
		status = clone_itself();
	if (strcmp(mode, "return") == 0)
		start_threads(1);
	else if (strcmp(mode, "atexit") == 0)
		status = atexit(at_exit) == 0 ? STATUS : 1;
	else if (strcmp(mode, "libraries") == 0)
		status = use_libraries(argv + 2);
	else if (strcmp(mode, "fill") == 0)
		status = fill(argc > 2 ? atoi(argv[2]) : 1000);
	else if (strcmp(mode, "exec") == 0)
		status = become_itself(argv);
	else if (strcmp(mode, "children") == 0)
		status = start_children();
	puts("done");
	return status;
}

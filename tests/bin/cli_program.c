/* SPDX-License-Identifier: MIT */
/*
 * The program that tests/bin/cli.sh records. It makes a timeline with fixed
 * times, so that reports of it are always the same. Its arguments select the
 * actions after that, and the way it ends.
 */
#include <ctprof.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* main calls parse twice, and parse calls itself once. */
static int make_timeline(void)
{
	struct ctp_site *outer = ctp_site_intern("main", "dir/one.c", 1);
	struct ctp_site *inner = ctp_site_intern("parse", "dir/two.c", 20);
	struct ctp_site *odd = ctp_site_intern("a, \"b\"", NULL, 0);

	if (outer == NULL || inner == NULL || odd == NULL)
		return 1;
	ctp_begin_at(outer, 0);
	ctp_begin_at(inner, 1000000);
	ctp_begin_at(inner, 2000000);
	ctp_end_at(2500000);
	ctp_end_at(3000000);
	ctp_begin_at(inner, 4000000);
	ctp_end_at(5000000);
	ctp_begin_at(odd, 6000000);
	ctp_end_at(6000250);
	ctp_end_at(10000000);
	return 0;
}

/* A child process, which records as well. */
static int run_again(char *program)
{
	char *argv[] = {program, NULL};
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		(void)execv(program, argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

/* Reports that it is ready, and waits for a signal. */
static int wait_for_signal(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t set;
	sigset_t old;

	(void)sigfillset(&set);
	(void)sigprocmask(SIG_BLOCK, &set, &old);
	(void)sigaction(SIGUSR1, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	printf("%ld\n", (long)getpid());
	(void)fflush(stdout);
	while (caught == 0)
		(void)sigsuspend(&old);
	printf("caught %d\n", (int)caught);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0;

	if (make_timeline() != 0)
		return 1;
	if (strcmp(what, "exit") == 0)
		return number;
	if (strcmp(what, "kill") == 0)
		return raise(number);
	if (strcmp(what, "again") == 0)
		return run_again(argv[0]);
	if (strcmp(what, "wait") == 0)
		return wait_for_signal();
	if (strcmp(what, "cat") == 0) {
		for (int c = getchar(); c != EOF; c = getchar())
			putchar(c);
		fputs("words\n", stderr);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Threads that are alive at the same time: the time of the run alone and
 * recorded, by the clock and by the processor, and the cost of a dropped range.
 * Each figure is the smallest of some runs that take turns.
 *
 *	bench_threads PROGRAM [THREADS...]    PROGRAM: threads_program
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS 5
#define LOG "bench-threads.ctp"

struct cost {
	double clock_ms;
	double processor_ms;
};

static double ms_of(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static double now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void lower(double *least, double value)
{
	if (*least == 0 || value < *least)
		*least = value;
}

/* Runs the program once; false if it fails. */
static bool run(const char *program, const char *threads, const char *log,
	struct cost *cost)
{
	double start_ms = now_ms();
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (log != NULL)
			(void)setenv("CTPROF_OUT", log, 1);
		execl(program, program, threads, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child ||
		status != 0)
		return false;
	lower(&cost->clock_ms, now_ms() - start_ms);
	lower(&cost->processor_ms,
		ms_of(usage.ru_utime) + ms_of(usage.ru_stime));
	return true;
}

/* The nanoseconds of a dropped range: the log is a pipe that is not read. */
static bool run_dropping(const char *program, const char *threads, double *ns)
{
	int log[2];
	int out[2];
	char text[32] = "";
	pid_t child;

	if (pipe(log) != 0 || pipe(out) != 0)
		return false;
	child = fork();
	if (child == 0) {
		char path[32];

		(void)dup2(out[1], STDOUT_FILENO);
		(void)snprintf(path, sizeof(path), "/dev/fd/%d", log[1]);
		(void)setenv("CTPROF_OUT", path, 1);
		(void)setenv("CTPROF_POLICY", "drop", 1);
		execl(program, program, threads, "dropping", (char *)NULL);
		_exit(127);
	}
	(void)close(log[1]);
	(void)close(out[1]);
	if (child < 0 || read(out[0], text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	(void)close(log[0]);
	(void)close(out[0]);
	(void)waitpid(child, NULL, 0);
	if (text[0] != '\0')
		lower(ns, strtod(text, NULL) / 1e3);
	return text[0] != '\0';
}

static bool measure(const char *program, const char *threads)
{
	struct cost alone = {0};
	struct cost recorded = {0};
	double dropped_ns = 0;
	bool good = true;

	for (int i = 0; good && i < RUNS; i++)
		good = run(program, threads, NULL, &alone) &&
		       run(program, threads, LOG, &recorded) &&
		       run_dropping(program, threads, &dropped_ns);
	(void)unlink(LOG);
	if (!good) {
		printf("%8s  cannot be run here\n", threads);
		return false;
	}
	printf("%8s  %9.1f %9.1f %5.2f  %9.1f %9.1f %5.2f  %8.1f\n", threads,
		alone.clock_ms, recorded.clock_ms,
		recorded.clock_ms / alone.clock_ms, alone.processor_ms,
		recorded.processor_ms,
		recorded.processor_ms / alone.processor_ms, dropped_ns);
	return true;
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {
		"1", "10", "100", "1000", "3000", "10000"};
	bool good = true;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_threads PROGRAM [THREADS...]\n");
		return 2;
	}
	printf("%8s  %25s  %25s  %8s\n", "", "ms by the clock",
		"ms of the processors", "ns of a");
	printf("%8s  %9s %9s %5s  %9s %9s %5s  %8s\n", "threads", "alone",
		"recorded", "x", "alone", "recorded", "x", "drop");
	for (int i = 2; i < argc; i++)
		good &= measure(argv[1], argv[i]);
	for (size_t i = 0; argc == 2 && i < sizeof(usual) / sizeof(usual[0]);
		i++)
		good &= measure(argv[1], usual[i]);
	return good ? 0 : 1;
}

/* SPDX-License-Identifier: MIT */
/*
 * The program that cupti_fake.sh records: it runs the case named by its first
 * argument with the fake CUDA of fake/, each launch in its own range. Prints
 * the number of ranges, and exits with 7.
 */
#include <ctprof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cupti_range.h"

#define STATUS 7
#define THREADS 16

static struct fake_kernel kernel_of(int i)
{
	static const char *const names[] = {"_Z6vecaddPKfS0_Pfi",
		"_ZN2at6native4fillIfEEvPT_i", "triton_poi_fused_0"};
	struct fake_kernel kernel = {
		.name = names[i % 3],
		.stream = 7,
		.grid = {i + 1, 2, 1},
		.block = {32 * (i % 4 + 1), 1, 1},
		.registers = (uint16_t)(16 + i % 3),
		.static_shared = 1024 * (i % 2),
		.dynamic_shared = 512 * (i % 2),
		.dur_ns = 1000,
	};

	return kernel;
}

static void launch(int i)
{
	struct fake_kernel kernel = kernel_of(i);

	cupti_fake->launch(&kernel);
}

/* A launch in its own range. */
static void launch_in(const char *name, int i)
{
	cupti_begin(name);
	launch(i);
	cupti_end();
}

static void do_nested(void)
{
	cupti_begin("outer");
	launch(0);
	for (int i = 0; i < 4; i++) {
		cupti_begin("middle");
		launch(1);
		launch_in("inner", 2 + i % 2);
		cupti_end();
	}
	launch(0);
	cupti_end();
}

static int per_thread = 100;

static void *run_thread(void *number)
{
	char names[4][32];
	int thread = (int)(intptr_t)number;

	for (int i = 0; i < 4; i++)
		(void)snprintf(
			names[i], sizeof(names[i]), "thread %d, %d", thread, i);
	cupti_begin("thread");
	for (int i = 0; i < per_thread; i++) {
		struct fake_kernel kernel = kernel_of(i % 7);

		/* One of two threads uses its own stream. */
		kernel.stream = 7 + (uint32_t)(thread / 2);
		kernel.dur_ns = 50;
		cupti_begin(names[i % 4]);
		cupti_fake->launch(&kernel);
		cupti_end();
	}
	cupti_end();
	return number;
}

static void do_threads(void)
{
	pthread_t threads[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_thread, (void *)i) !=
			0)
			cupti_complain("no thread");
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(threads[i], NULL) != 0)
			cupti_complain("no thread ends");
}

static void do_graph(int nodes, int replays)
{
	uint32_t graph;

	cupti_begin("capture");
	cupti_fake->capture();
	for (int i = 0; i < nodes; i++) {
		struct fake_kernel kernel = kernel_of(i % 5);

		kernel.dur_ns = 10;
		cupti_begin(i % 2 == 0 ? "even" : "odd");
		cupti_fake->launch(&kernel);
		cupti_end();
	}
	graph = cupti_fake->capture_end();
	cupti_end();
	for (int i = 0; i < replays; i++) {
		cupti_begin("replay");
		cupti_fake->graph(graph, 7);
		cupti_end();
	}
}

static void do_copies(void)
{
	const struct fake_copy copies[] = {
		{.kind = 1,
			.source = 1,
			.target = 3,
			.stream = 8,
			.bytes = 4096},
		{.kind = 2,
			.source = 3,
			.target = 2,
			.async = true,
			.stream = 9,
			.bytes = 1 << 20},
		{.kind = 8,
			.source = 3,
			.target = 3,
			.async = true,
			.stream = 9,
			.bytes = 12345},
		{.kind = 10,
			.source = 3,
			.target = 3,
			.async = true,
			.peer = true,
			.stream = 9,
			.bytes = 777},
	};

	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
		cupti_begin("copy");
		cupti_fake->copy(&copies[i]);
		cupti_end();
	}
}

static void do_refused(void)
{
	cupti_fake->fail(700);
	launch_in("refused", 1);
	cupti_fake->fail(0);
}

static void do_kinds(void)
{
	struct fake_kernel kernel = kernel_of(3);

	launch_in("by the runtime", 1);
	kernel.stream = 11;
	kernel.cluster[0] = 2;
	kernel.cluster[1] = kernel.cluster[2] = 1;
	cupti_begin("by the driver");
	cupti_fake->call_by(true, 0);
	cupti_fake->launch(&kernel);
	cupti_fake->call_by(false, 0);
	cupti_end();
	kernel.device = 1;
	kernel.stream = 12;
	cupti_begin("elsewhere");
	cupti_fake->launch(&kernel);
	cupti_end();
	do_copies();
	cupti_begin("set");
	cupti_fake->set(10, 42, 1 << 16);
	cupti_end();
	for (int i = FAKE_WAIT_EVENT; i <= FAKE_WAIT_CONTEXT; i++) {
		cupti_begin("wait");
		cupti_fake->wait((enum fake_wait)i, 7);
		cupti_end();
	}
	do_refused();
	cupti_fake->overhead(5, 3000);
	cupti_fake->noise();
}

static void do_newer(void)
{
	cupti_begin("a function of a second version");
	cupti_fake->call_by(true, 0);
	cupti_fake->wait(FAKE_WAIT_CONTEXT, 7);
	cupti_fake->call_by(false, 0);
	cupti_end();
}

static void launch_trouble(enum fake_trouble trouble, int64_t early_ns)
{
	struct fake_kernel kernel = kernel_of((int)trouble);

	kernel.trouble = trouble;
	kernel.early_ns = early_ns;
	kernel.stream = 20 + trouble;
	cupti_begin("trouble");
	cupti_fake->launch(&kernel);
	cupti_end();
}

static void do_troubles(void)
{
	for (int i = 0; i < 3; i++) {
		launch_trouble(FAKE_FINE, 0);
		launch_trouble(FAKE_ZERO, 0);
		launch_trouble(FAKE_BACKWARD, 0);
		launch_trouble(FAKE_ORPHAN, 0);
		launch_trouble(FAKE_UNFINISHED, 0);
	}
}

static void launch_many(int count)
{
	for (int i = 0; i < count; i++)
		launch_in("one of many", i % 5);
}

/* One after the other, for long enough that the first ones are due to be
 * read. */
static void do_slowly(void)
{
	for (int i = 0; i < 4; i++) {
		launch_in("from time to time", i);
		(void)usleep(400000);
	}
}

static void do_exhaust(void)
{
	/* The first buffer is read before the reader stalls. */
	launch_many(10);
	cupti_fake->stall(true);
	launch_many(2000);
	cupti_fake->stall(false);
	launch_many(10);
}

/* Many concurrent actions that need CUPTI's locks and ours. */
static void *run_flushes(void *unused)
{
	for (int i = 0; i < 20; i++)
		(void)ctp_flush();
	return unused;
}

static void do_locks(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_flushes, NULL) != 0)
		cupti_complain("no thread");
	do_threads();
	if (pthread_join(thread, NULL) != 0)
		cupti_complain("no thread ends");
}

/* The child does not use CUDA, nor does our code for it. */
static void do_fork(void)
{
	pid_t child;
	int status;

	launch_many(5);
	child = fork();
	if (child == 0) {
		cupti_fake = NULL;
		cupti_begin("child");
		cupti_end();
		exit(STATUS);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		WEXITSTATUS(status) != STATUS)
		cupti_complain("the child does not end as it should");
	launch_many(5);
}

/* Several recordings, and actions between them. */
static void do_restart(int count)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	const char *out = getenv("GPU_OUT");
	char path[512];

	options.out = path;
	for (int i = 0; i < count; i++) {
		launch_in("again", i % 3);
		if (ctp_stop() != CTP_OK || ctp_stop() != CTP_OK)
			cupti_complain(ctp_status());
		launch_in("unseen", 0);
		(void)snprintf(path, sizeof(path), "%s.%d.ctp",
			out == NULL ? "" : out, i);
		if (ctp_start(&options) != CTP_OK)
			cupti_complain(ctp_status());
	}
	launch_in("again", 1);
}

static void do_unload(void)
{
	static const char *const names[] = {
		"before_the_module_is_unloaded", "after_another_is_loaded"};

	for (int i = 0; i < 32; i++) {
		struct fake_kernel kernel = kernel_of(0);

		kernel.name = names[i / 8 % 2];
		cupti_begin("module");
		cupti_fake->launch(&kernel);
		cupti_end();
		if (i % 8 == 7)
			cupti_fake->unload();
	}
}

/* Short kernels, each on its own stream, so that they run within the calls that
 * launch them. With 20 records per buffer, they fill as many buffers as are
 * read at once. */
static void launch_short(int64_t early_ns)
{
	for (uint32_t i = 0; i < 160; i++) {
		struct fake_kernel kernel = kernel_of(1);

		kernel.dur_ns = 0;
		kernel.early_ns = early_ns;
		kernel.stream = 100 + i;
		cupti_begin("at this time");
		cupti_fake->launch(&kernel);
		cupti_end();
	}
}

/* The recorder has read the clock before and after all activities whose times
 * are compared, so no time is extrapolated from later readings. */
static void do_clock(int64_t step_ns)
{
	launch_short(1);
	cupti_fake->settle();
	launch_short(0);
	cupti_fake->settle();
	cupti_fake->step_clock(step_ns);
	launch_short(0);
}

/* An action between launches. */
static void launch_around(void (*happen)(void))
{
	launch_many(5);
	happen();
	launch_many(5);
}

static void do_reset(void)
{
	launch_trouble(FAKE_UNFINISHED, 0);
	launch_around(cupti_fake->reset);
}

static void do_context(void)
{
	launch_around(cupti_fake->destroy_context);
}

static void do_death(void)
{
	launch_around(cupti_fake->die);
}

static void do_ended(void)
{
	launch_around(cupti_fake->finalize);
}

static void do_early(void)
{
	for (int i = 0; i < 20; i++)
		launch_trouble(FAKE_FINE, 9000);
}

/* Recording begins long after CUDA's first use. */
static void do_late(void)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	launch_in("unseen", 0);
	cupti_opened = 0;
	options.gpu = CTP_GPU_LIGHT;
	options.out = getenv("GPU_OUT");
	if (ctp_start(&options) != CTP_OK)
		cupti_complain(ctp_status());
	do_nested();
}

/* The process loads nothing of CUDA, nor any library of ours for it. */
static void do_none(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024];

	for (int i = 0; i < 100; i++) {
		cupti_begin("no CUDA");
		cupti_end();
	}
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
		if (strstr(line, "libctprof-inject") != NULL ||
			strstr(line, "libcupti") != NULL)
			cupti_complain(line);
	if (maps != NULL)
		(void)fclose(maps);
	cupti_print_threads();
}

static int argument(int argc, char **argv, int i)
{
	return argc > i ? atoi(argv[i]) : 0;
}

/* Cases without an argument. */
static const struct mode {
	const char *name;
	void (*run)(void);
} modes[] = {
	{"nested", do_nested},
	{"threads", do_threads},
	{"kinds", do_kinds},
	{"refused", do_refused},
	{"newer", do_newer},
	{"troubles", do_troubles},
	{"slowly", do_slowly},
	{"exhaust", do_exhaust},
	{"locks", do_locks},
	{"fork", do_fork},
	{"unload", do_unload},
	{"reset", do_reset},
	{"context", do_context},
	{"death", do_death},
	{"ended", do_ended},
	{"early", do_early},
	{"late", do_late},
};

static bool run_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (strcmp(modes[i].name, name) != 0)
			continue;
		modes[i].run();
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	per_thread = argc > 2 ? argument(argc, argv, 2) : per_thread;
	if (strcmp(mode, "none") == 0)
		do_none();
	else
		cupti_load();
	if (strcmp(mode, "graph") == 0)
		do_graph(argument(argc, argv, 2), argument(argc, argv, 3));
	else if (strcmp(mode, "restart") == 0)
		do_restart(argument(argc, argv, 2));
	else if (strcmp(mode, "many") == 0)
		launch_many(argument(argc, argv, 2));
	else if (strcmp(mode, "clock") == 0)
		do_clock(argument(argc, argv, 2) * (int64_t)1000000000);
	else if (strcmp(mode, "none") != 0 && !run_mode(mode))
		cupti_complain("there is no such mode");
	printf("%lld\n", (long long)cupti_opened);
	/* Ends like a program without the recorder. */
	(void)fflush(stdout);
	if (strcmp(argv[argc - 1], "_exit") == 0)
		_exit(STATUS);
	if (strcmp(argv[argc - 1], "leave") == 0)
		pthread_exit(NULL);
	return STATUS;
}

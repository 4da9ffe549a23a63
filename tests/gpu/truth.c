/* SPDX-License-Identifier: MIT */
/*
 * truth CASE: does work on the GPU, each launch inside its own range, and
 * prints a record of it, a JSON object per line; check_truth.py compares that
 * with the log. The launch inside the range "r7" has a grid of 8 blocks, which
 * identifies each kernel in the log.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctprof.h"
#include "driver.h"

#define LAUNCHES 200
#define THREADS 8
#define THREAD_LAUNCHES 500
#define DURATIONS 50
#define BURST 100
#define SPIN_AHEAD_NS 300000
#define GRAPH_KERNELS 20
#define GRAPH_REPLAYS 1000
#define GRAPH_RANGE 100000
#define COPY_BYTES ((size_t)1 << 20)
#define STRESS_LAUNCHES 1000000
#define STRESS_SYNC 1000

static struct driver_kernels kernels;

/* Launches are numbered over the whole program. */
static unsigned launch_number;

static void begin_range(unsigned number)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "r%u", number);
	ctp_begin(ctp_site_intern(name, NULL, 0));
}

static unsigned next_number(void)
{
	return __atomic_fetch_add(&launch_number, 1, __ATOMIC_RELAXED);
}

struct shape {
	unsigned block;
	unsigned shared_bytes;
};

static int attribute(driver_function function, int which)
{
	int value = 0;

	MUST(driver.function_attribute(&value, which, function));
	return value;
}

/* One launch in its range, and the line that reports it. */
static void launch(const char *name, driver_function function,
	struct shape shape, driver_stream stream, void **parameters)
{
	unsigned number = next_number();

	begin_range(number);
	MUST(driver.launch(function, number + 1, 1, 1, shape.block, 1, 1,
		shape.shared_bytes, stream, parameters, NULL));
	ctp_end();
	(void)printf("{\"launch\": %u, \"name\": \"%s\", \"block\": %u, "
		     "\"dynamic\": %u, \"registers\": %d, \"static\": %d, "
		     "\"local\": %d, \"stream\": \"%p\"}\n",
		number, name, shape.block, shape.shared_bytes,
		attribute(function, DRIVER_REGISTERS),
		attribute(function, DRIVER_SHARED_BYTES),
		attribute(function, DRIVER_LOCAL_BYTES), (void *)stream);
}

static driver_stream new_stream(void)
{
	driver_stream stream;

	MUST(driver.stream_create(&stream, DRIVER_STREAM_NON_BLOCKING));
	return stream;
}

static void spin(driver_stream stream, uint64_t ns)
{
	void *parameters[] = {&ns};

	launch("spin_ns_k", kernels.spin, (struct shape){1, 0}, stream,
		parameters);
}

static void do_copies(driver_stream stream)
{
	driver_address a;
	driver_address b;
	void *host;

	MUST(driver.memory_alloc(&a, COPY_BYTES));
	MUST(driver.memory_alloc(&b, COPY_BYTES));
	MUST(driver.host_alloc(&host, COPY_BYTES, 0));
	for (unsigned i = 1; i <= 16; i++) {
		size_t bytes = COPY_BYTES / i;

		MUST(driver.fill_bytes(a, (unsigned char)i, bytes, stream));
		MUST(driver.copy_on_device(b, a, bytes, stream));
		MUST(driver.copy_to_host(host, b, bytes, stream));
		MUST(driver.copy_to_device(a, host, bytes, stream));
		(void)printf("{\"memset\": %zu, \"value\": %u}\n"
			     "{\"copy\": \"DtoD\", \"bytes\": %zu}\n"
			     "{\"copy\": \"DtoH\", \"bytes\": %zu}\n"
			     "{\"copy\": \"HtoD\", \"bytes\": %zu}\n",
			bytes, i, bytes, bytes, bytes);
	}
	MUST(driver.stream_synchronize(stream));
	(void)printf("{\"sync\": \"stream\"}\n");
}

/* Kernels of all shapes on one stream, copies, memsets. */
static void run_counts(void)
{
	static const struct shape shapes[] = {
		{1, 0}, {32, 256}, {128, 4096}, {1024, 16384}};
	driver_stream stream = new_stream();
	driver_address memory;
	float factor = 2;
	uint32_t count = 1024;

	MUST(driver.memory_alloc(&memory, sizeof(float) * 2 * count));
	for (unsigned i = 0; i < LAUNCHES; i++) {
		driver_address y = memory + sizeof(float) * count;
		void *axpy[] = {&memory, &y, &factor, &count};
		struct shape shape = shapes[i % 4];

		launch("empty_k", kernels.empty, shape, stream, NULL);
		launch("axpy_k", kernels.axpy, shape, stream, axpy);
		spin(stream, 1000);
	}
	do_copies(stream);
	MUST(driver.context_synchronize());
	(void)printf("{\"sync\": \"context\"}\n");
}

/*
 * `spins` kernels of this length between two events; prints the duration that
 * the events report. An earlier kernel keeps the device busy while these are
 * launched.
 */
static void spin_between_events(
	driver_stream stream, driver_event *events, unsigned count, uint64_t ns)
{
	unsigned first;
	float ms = 0;

	spin(stream, SPIN_AHEAD_NS);
	first = launch_number;
	MUST(driver.event_record(events[0], stream));
	for (unsigned i = 0; i < count; i++)
		spin(stream, ns);
	MUST(driver.event_record(events[1], stream));
	MUST(driver.event_synchronize(events[1]));
	MUST(driver.event_elapsed(&ms, events[0], events[1]));
	(void)printf("{\"sync\": \"event\"}\n{\"spins\": %u, \"first\": %u, "
		     "\"ns\": %llu, \"event_ms\": %.6f}\n",
		count, first, (unsigned long long)ns, (double)ms);
}

/* Kernels of known length: alone, and one after the other. */
static void run_durations(void)
{
	static const uint64_t lengths[] = {
		50000, 100000, 500000, 1000000, 5000000};
	driver_stream stream = new_stream();
	driver_event events[2];

	MUST(driver.event_create(&events[0], 0));
	MUST(driver.event_create(&events[1], 0));
	for (unsigned i = 0; i < DURATIONS; i++)
		spin_between_events(stream, events, 1, lengths[i % 5]);
	spin_between_events(stream, events, BURST, lengths[1]);
}

/* Long kernels of one block on four streams. */
static void run_streams(void)
{
	driver_stream streams[4];

	for (unsigned i = 0; i < 4; i++)
		streams[i] = new_stream();
	for (unsigned i = 0; i < 40; i++)
		spin(streams[i % 4], 2000000);
	MUST(driver.context_synchronize());
	(void)printf("{\"sync\": \"context\"}\n");
}

/* Half of the threads share a context of their own. */
static void *run_thread(void *argument)
{
	const driver_context *context = argument;
	struct driver_kernels own = kernels;
	driver_stream streams[2];

	MUST(driver.context_set(*context));
	driver_load(&own);
	for (unsigned i = 0; i < 2; i++)
		streams[i] = new_stream();
	for (unsigned i = 0; i < THREAD_LAUNCHES; i++)
		launch("empty_k", own.empty, (struct shape){32, 0},
			streams[i % 2], NULL);
	for (unsigned i = 0; i < 2; i++)
		MUST(driver.stream_synchronize(streams[i]));
	(void)printf("{\"sync\": \"stream\"}\n{\"sync\": \"stream\"}\n");
	return NULL;
}

static void run_threads(void)
{
	driver_context contexts[2];
	pthread_t threads[THREADS];
	int device;

	MUST(driver.device_get(&device, 0));
	MUST(driver.context_retain(&contexts[0], device));
	MUST(driver.context_create(&contexts[1], 0, device));
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_thread,
			    &contexts[i % 2]) != 0)
			exit(1);
	for (unsigned i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
}

/* The kernels, a copy and a memset of a graph, each in a range. */
static void capture_nodes(driver_stream stream, driver_address memory)
{
	for (unsigned i = 0; i < GRAPH_KERNELS; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "capture%u", i);
		ctp_begin(ctp_site_intern(name, NULL, 0));
		MUST(driver.launch(kernels.empty, i + 1, 1, 1, 32, 1, 1, 0,
			stream, NULL, NULL));
		ctp_end();
	}
	MUST(driver.copy_on_device(memory, memory + 4096, 4096, stream));
	MUST(driver.fill_bytes(memory, 1, 4096, stream));
}

static void run_graph(void)
{
	driver_stream stream = new_stream();
	driver_address memory;
	driver_graph graph;
	driver_graph_exec exec;

	MUST(driver.memory_alloc(&memory, 8192));
	MUST(driver.capture_begin(stream, DRIVER_CAPTURE_THREAD_LOCAL));
	capture_nodes(stream, memory);
	MUST(driver.capture_end(stream, &graph));
	MUST(driver.graph_instantiate(&exec, graph, 0));
	for (unsigned i = 0; i < GRAPH_REPLAYS; i++) {
		begin_range(GRAPH_RANGE + i);
		MUST(driver.graph_launch(exec, stream));
		ctp_end();
	}
	MUST(driver.stream_synchronize(stream));
	(void)printf("{\"sync\": \"stream\"}\n{\"graph\": %d, \"name\": "
		     "\"empty_k\", "
		     "\"others\": 2, \"replays\": %d, \"first\": %d}\n",
		GRAPH_KERNELS, GRAPH_REPLAYS, GRAPH_RANGE);
}

/* The largest memory use of the process. */
static long long peak_bytes(void)
{
	struct rusage usage = {0};

	(void)getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss * 1024LL;
}

/* Many launches. The free memory of the device must not shrink meanwhile, nor
 * that of the host. */
static void run_stress(void)
{
	long long peak = 0;
	driver_stream stream = new_stream();
	size_t before;
	size_t after;
	size_t total;

	ctp_begin(ctp_site_intern("stress", NULL, 0));
	for (unsigned i = 0; i < STRESS_LAUNCHES; i++) {
		if (i == STRESS_LAUNCHES / 10) {
			peak = peak_bytes();
			MUST(driver.memory_info(&before, &total));
		}
		MUST(driver.launch(kernels.empty, 1, 1, 1, 1, 1, 1, 0, stream,
			NULL, NULL));
		if (i % STRESS_SYNC == STRESS_SYNC - 1)
			MUST(driver.stream_synchronize(stream));
	}
	ctp_end();
	MUST(driver.memory_info(&after, &total));
	(void)printf("{\"stress\": %d, \"syncs\": %d, \"memory_lost\": %lld, "
		     "\"memory_grown\": %lld}\n",
		STRESS_LAUNCHES, STRESS_LAUNCHES / STRESS_SYNC,
		(long long)before - (long long)after, peak_bytes() - peak);
}

/* A child after CUDA was used; the parent goes on. */
static void run_fork(void)
{
	driver_stream stream = new_stream();
	pid_t child;
	int status = 0;

	launch("empty_k", kernels.empty, (struct shape){1, 0}, stream, NULL);
	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		CTP_SCOPE("child");
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		exit(1);
	launch("empty_k", kernels.empty, (struct shape){1, 0}, stream, NULL);
	MUST(driver.stream_synchronize(stream));
	(void)printf("{\"sync\": \"stream\"}\n");
}

/* Exits without waiting for its launches. */
static void run_exit(void)
{
	launch("empty_k", kernels.empty, (struct shape){1, 0}, new_stream(),
		NULL);
}

/* Work of a context that is destroyed, and of one that stays. */
static void run_context(void)
{
	driver_context contexts[2];
	struct driver_kernels own;
	driver_stream stream;
	int device;

	MUST(driver.device_get(&device, 0));
	MUST(driver.context_retain(&contexts[0], device));
	MUST(driver.context_create(&contexts[1], 0, device));
	driver_load(&own);
	stream = new_stream();
	for (unsigned i = 0; i < THREADS; i++)
		launch("empty_k", own.empty, (struct shape){32, 0}, stream,
			NULL);
	MUST(driver.stream_synchronize(stream));
	(void)printf("{\"sync\": \"stream\"}\n");
	MUST(driver.context_destroy(contexts[1]));
	MUST(driver.context_set(contexts[0]));
	launch("empty_k", kernels.empty, (struct shape){1, 0}, NULL, NULL);
	MUST(driver.context_synchronize());
	(void)printf("{\"sync\": \"context\"}\n");
}

static void run_reset(void)
{
	driver_stream stream = new_stream();
	int device;

	launch("empty_k", kernels.empty, (struct shape){1, 0}, stream, NULL);
	MUST(driver.stream_synchronize(stream));
	(void)printf("{\"sync\": \"stream\"}\n");
	MUST(driver.device_get(&device, 0));
	MUST(driver.context_reset(device));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"counts", run_counts},
	{"durations", run_durations},
	{"streams", run_streams},
	{"threads", run_threads},
	{"graph", run_graph},
	{"stress", run_stress},
	{"fork", run_fork},
	{"exit", run_exit},
	{"context", run_context},
	{"reset", run_reset},
};

int main(int argc, char **argv)
{
	const char *reason = driver_open();

	if (argc != 2)
		return 2;
	if (reason != NULL) {
		(void)fprintf(stderr, "%s\n", reason);
		return 77;
	}
	if (strcmp(argv[1], "probe") == 0)
		return 0;
	driver_begin(&kernels);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			return 0;
		}
	(void)fprintf(stderr, "%s: no such case\n", argv[1]);
	return 2;
}

/* SPDX-License-Identifier: MIT */
/*
 * The actions that a program can request of the fake CUDA: see fake.h. A call
 * of the runtime calls the driver, and both have the same correlation id.
 * Kernels of a stream run one after the other, from their launch on.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cuda.h"
#include "cuda_clock.h"
#include "graph.h"
#include "truth.h"

#define STREAMS 1024
#define CONTEXT 1

static _Atomic(const struct fake_tool *) tool;
static _Atomic uint32_t correlations;
static _Atomic bool has_contexts;
/* The end of the work of each stream of each context. */
static _Atomic int64_t stream_end_ns[STREAMS];

/* The calling thread's settings: see fake.h. */
static _Thread_local struct {
	bool by_driver;
	uint32_t context;
	int result; /* of launches */
} caller;

/* A program's calls, and the driver's call that each makes; cbid 0: none. */
struct calling {
	struct fake_call runtime, driver;
};

static void begin_call(struct fake_call *call, uint32_t correlation)
{
	const struct fake_tool *told = atomic_load(&tool);

	call->correlation = correlation;
	call->start_ns = cuda_clock_ns();
	if (told != NULL && call->cbid != 0)
		told->call(call, false);
}

/* An activity of the call itself, with its end. */
static void end_call(struct fake_call *call, enum fake_kind kind)
{
	const struct fake_tool *told = atomic_load(&tool);
	struct fake_activity activity = {
		.kind = kind,
		.start_ns = call->start_ns,
		.correlation = call->correlation,
		.cbid = call->cbid,
		.value = (uint32_t)call->result,
	};
	bool recorded;

	if (told == NULL || call->cbid == 0)
		return;
	told->call(call, true);
	activity.end_ns = cuda_clock_ns();
	/* The log need not have calls that no subscriber asked for. */
	recorded = told->activity(&activity);
	if (recorded)
		truth_activity(&activity, !call->noise, NULL);
}

static void tell_context(uint32_t cbid)
{
	const struct fake_tool *told = atomic_load(&tool);

	if (told != NULL)
		told->resource(cbid, NULL);
}

static void tell_contexts(void)
{
	const struct fake_tool *told = atomic_load(&tool);
	struct fake_activity activity = {.kind = FAKE_CONTEXT};

	for (uint32_t i = 0; i < 2 && told != NULL && has_contexts; i++) {
		activity.device = i;
		activity.context = CONTEXT + i;
		(void)told->activity(&activity);
	}
}

/* The first call creates the contexts, one for each device. */
static void make_contexts(void)
{
	has_contexts = true;
	tell_context(FAKE_CONTEXT_CREATED);
	tell_contexts();
}

static const struct fake_driver driver = {
	.is_up = cuda_is_up,
	.now_ns = cuda_clock_ns,
	.tell_contexts = tell_contexts,
	.tell = truth_tell,
};

const struct fake_driver *fake_connect(const struct fake_tool *connected)
{
	atomic_store(&tool, connected);
	return &driver;
}

static uint32_t context_of(uint32_t device)
{
	return caller.context != 0 ? caller.context : CONTEXT + device;
}

static uint32_t begin(struct calling *calling, uint32_t runtime, uint32_t cbid)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint32_t correlation = atomic_fetch_add(&correlations, 1) + 1;

	(void)pthread_once(&once, make_contexts);
	*calling = (struct calling){
		.runtime = {.domain = FAKE_RUNTIME_API,
			.cbid = caller.by_driver ? 0 : runtime},
		.driver = {.domain = FAKE_DRIVER_API, .cbid = cbid},
	};
	begin_call(&calling->runtime, correlation);
	begin_call(&calling->driver, correlation);
	return correlation;
}

static void end(struct calling *calling)
{
	end_call(&calling->driver, FAKE_DRIVER);
	end_call(&calling->runtime, FAKE_RUNTIME);
}

static _Atomic int64_t *end_of(const struct fake_activity *activity)
{
	return &stream_end_ns[(activity->stream + 256 * activity->context) %
			      STREAMS];
}

static int64_t length_ns(const struct fake_activity *activity)
{
	if (activity->kernel != NULL)
		return (int64_t)activity->kernel->dur_ns;
	return (int64_t)activity->bytes / (activity->copy != NULL ? 16 : 32);
}

/* The time at which it runs on its stream. */
static void schedule(struct fake_activity *activity, int64_t early_ns)
{
	_Atomic int64_t *end_ns = end_of(activity);
	int64_t start_ns = cuda_clock_ns() - early_ns;

	activity->prompt = early_ns == 0 && atomic_load(end_ns) <= start_ns;
	if (early_ns == 0 && !activity->prompt)
		start_ns = atomic_load(end_ns);
	activity->start_ns = start_ns;
	activity->end_ns = start_ns + length_ns(activity);
	atomic_store(end_ns, activity->end_ns);
}

static void perform(struct fake_activity *activity, const char *captured)
{
	const struct fake_tool *told = atomic_load(&tool);

	truth_activity(
		activity, told != NULL && told->activity(activity), captured);
}

static void run(struct fake_activity *activity, const char *captured)
{
	const struct fake_kernel *kernel = activity->kernel;

	if (kernel != NULL) {
		activity->name = graph_name(kernel->name);
		activity->trouble = kernel->trouble;
		if (kernel->trouble == FAKE_ORPHAN)
			activity->correlation += 1U << 31;
	}
	schedule(activity, kernel == NULL ? 0 : kernel->early_ns);
	perform(activity, captured);
}

/* Now, or whenever the graph is launched that the thread captures. */
static void run_or_capture(struct fake_activity *activity)
{
	if (!graph_add(atomic_load(&tool), activity))
		run(activity, NULL);
}

static void launch(const struct fake_kernel *kernel)
{
	struct calling calling;
	struct fake_activity activity = {
		.kind = FAKE_CONCURRENT_KERNEL,
		.device = kernel->device,
		.context = context_of(kernel->device),
		.stream = kernel->stream,
		.kernel = kernel,
	};

	activity.correlation = begin(&calling, 211, 307);
	if (caller.result == 0)
		run_or_capture(&activity);
	calling.runtime.result = calling.driver.result = caller.result;
	end(&calling);
}

/* The driver has a function for each direction. */
static uint32_t call_of_copy(const struct fake_copy *copied)
{
	switch (copied->kind) {
	case 1:
		return 277;
	case 2:
		return 279;
	default:
		return caller.by_driver ? 281 : 306;
	}
}

static void copy(const struct fake_copy *copied)
{
	struct calling calling;
	struct fake_activity activity = {
		.kind = copied->peer ? FAKE_MEMCPY2 : FAKE_MEMCPY,
		.context = context_of(0),
		.stream = copied->stream,
		.copy = copied,
		.bytes = copied->bytes,
	};

	activity.correlation =
		begin(&calling, copied->async ? 41 : 31, call_of_copy(copied));
	run_or_capture(&activity);
	end(&calling);
}

static void set(uint32_t stream, uint32_t value, uint64_t bytes)
{
	struct calling calling;
	struct fake_activity activity = {
		.kind = FAKE_MEMSET,
		.context = context_of(0),
		.stream = stream,
		.value = value,
		.bytes = bytes,
	};

	activity.correlation = begin(&calling, 51, 216);
	run_or_capture(&activity);
	end(&calling);
}

/* Waits until the stream, or each stream, is idle. */
static void sleep_until_done(
	enum fake_wait what, const struct fake_activity *activity)
{
	int64_t end_ns = atomic_load(end_of(activity));

	for (int i = 0; i < STREAMS && what == FAKE_WAIT_CONTEXT; i++)
		if (atomic_load(&stream_end_ns[i]) > end_ns)
			end_ns = atomic_load(&stream_end_ns[i]);
	while (what != FAKE_WAIT_STREAM_EVENT && cuda_clock_ns() < end_ns)
		(void)usleep((
			useconds_t)((end_ns - cuda_clock_ns()) / 1000 % 500000 +
				    1));
}

static void wait_for(enum fake_wait what, uint32_t stream)
{
	static const uint32_t runtime[] = {0, 137, 0, 131, 165};
	/* Callers of the driver call a function of CUDA 13. */
	const uint32_t cbids[] = {
		0, 121, 295, 126, caller.by_driver ? 800 : 17};
	const struct fake_tool *told = atomic_load(&tool);
	struct calling calling;
	struct fake_activity activity = {
		.kind = FAKE_SYNCHRONIZATION,
		.context = context_of(0),
		.stream = stream,
		.value = what,
	};

	activity.correlation = begin(&calling, runtime[what], cbids[what]);
	activity.start_ns = cuda_clock_ns();
	sleep_until_done(what, &activity);
	if (told != NULL)
		told->finish(what == FAKE_WAIT_CONTEXT ? UINT32_MAX : stream,
			cuda_clock_ns());
	if (what != FAKE_WAIT_STREAM && what != FAKE_WAIT_STREAM_EVENT)
		activity.stream = UINT32_MAX;
	activity.end_ns = cuda_clock_ns();
	perform(&activity, NULL);
	end(&calling);
}

static void overhead(uint32_t what, uint64_t dur_ns)
{
	struct fake_activity activity = {
		.kind = FAKE_OVERHEAD,
		.start_ns = cuda_clock_ns(),
		.value = what,
	};

	activity.end_ns = activity.start_ns + (int64_t)dur_ns;
	perform(&activity, NULL);
}

static void noise(void)
{
	struct fake_call call = {
		.domain = FAKE_RUNTIME_API, .cbid = 17, .noise = true};

	begin_call(&call, atomic_fetch_add(&correlations, 1) + 1);
	end_call(&call, FAKE_RUNTIME);
}

static void capture(void)
{
	graph_begin();
}

static uint32_t capture_end(void)
{
	return graph_end(atomic_load(&tool));
}

static void launch_graph(uint32_t number, uint32_t stream)
{
	const struct graph *graph = graph_find(number);
	struct calling calling;
	uint32_t correlation = begin(&calling, 311, 514);
	struct fake_activity whole = {.kind = FAKE_GRAPH_TRACE,
		.context = context_of(0),
		.stream = stream,
		.correlation = correlation,
		.graph = number};

	for (uint32_t i = 0; i < graph->count; i++) {
		struct fake_activity activity = graph->nodes[i].activity;

		activity.context = context_of(activity.device);
		activity.stream = stream;
		activity.correlation = correlation;
		run(&activity, graph->nodes[i].captured);
		if (i == 0) {
			whole.start_ns = activity.start_ns;
			whole.prompt = activity.prompt;
		}
		whole.end_ns = activity.end_ns;
	}
	perform(&whole, NULL);
	end(&calling);
}

static void settle(void)
{
	const struct fake_tool *told = atomic_load(&tool);

	if (told != NULL)
		told->settle();
}

static void unload(void)
{
	settle();
	graph_forget_names();
}

static void destroy_context(void)
{
	struct calling calling;

	(void)begin(&calling, 0, 322);
	tell_context(FAKE_CONTEXT_DESTROY_STARTING);
	end(&calling);
}

/* Records that have not been delivered when the call begins are lost. */
static void reset(void)
{
	struct calling calling;

	(void)begin(&calling, 164, caller.by_driver ? 545 : 0);
	tell_context(FAKE_CONTEXT_DESTROY_STARTING);
	end(&calling);
}

static void stall(bool on)
{
	const struct fake_tool *told = atomic_load(&tool);

	if (told != NULL)
		told->stall(on);
}

static void die(void)
{
	const struct fake_tool *told = atomic_load(&tool);

	if (told != NULL)
		told->state(FAKE_FATAL_ERROR);
}

static void finalize(void)
{
	const struct fake_tool *told = atomic_load(&tool);

	if (told != NULL)
		told->finalize();
}

static void call_by(bool driver_itself, uint32_t context)
{
	caller.by_driver = driver_itself;
	caller.context = context;
}

static void fail(int result)
{
	caller.result = result;
}

const struct fake_calls fake_calls = {
	.call_by = call_by,
	.fail = fail,
	.range = truth_range,
	.launch = launch,
	.copy = copy,
	.set = set,
	.wait = wait_for,
	.overhead = overhead,
	.noise = noise,
	.capture = capture,
	.capture_end = capture_end,
	.graph = launch_graph,
	.settle = settle,
	.unload = unload,
	.destroy_context = destroy_context,
	.reset = reset,
	.step_clock = cuda_clock_step,
	.stall = stall,
	.die = die,
	.finalize = finalize,
};

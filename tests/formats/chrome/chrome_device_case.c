/* SPDX-License-Identifier: MIT */
#include "chrome_device_case.h"

#include <string.h>

#include "chrome_check.h"
#include "support/quick_check.h"

struct trace *trace;
uint32_t host;
uint32_t stream;
uint32_t step;
uint32_t launch;
uint32_t kernel;
uint32_t copy;
uint32_t wait;
static struct event_arg kernel_args[6];

uint32_t add_text(const char *text)
{
	return strtab_add(trace->text, text, strlen(text));
}

uint32_t add_site(const char *name, const char *category)
{
	return trace_add_place(
		trace, (struct trace_site){.name = add_text(name),
			       .category = add_text(category)});
}

struct event_arg number_arg(const char *key, int64_t number)
{
	return (struct event_arg){
		.kind = ARG_INT, .key = add_text(key), .value.integer = number};
}

static struct event_arg text_arg(
	enum event_arg_kind kind, const char *key, const char *text)
{
	return (struct event_arg){.kind = kind,
		.key = add_text(key),
		.value.text = {text, strlen(text)}};
}

uint32_t add_stream(int64_t pid, uint32_t device, int64_t number)
{
	return trace_add_track(trace, (struct trace_track){.kind = TRACE_STREAM,
					      .pid = pid,
					      .tid = number,
					      .device = device,
					      .context = 1});
}

void add_device(int64_t pid, uint32_t number)
{
	struct event_arg args[] = {
		text_arg(ARG_TEXT, "name", "NVIDIA H100"),
		number_arg("numSms", 132),
		number_arg("warpSize", 32),
		number_arg("maxThreadsPerMultiprocessor", 2048),
	};
	const struct trace_device device = {
		.pid = pid, .number = number, .arg_count = 4, .args = args};

	ck_assert_uint_ne(trace_add_device(trace, &device), TRACE_NONE);
}

void case_setup(void)
{
	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
	host = trace_add_track(
		trace, (struct trace_track){.pid = 100, .tid = 101});
	stream = add_stream(100, 0, 7);
	add_device(100, 0);
	step = add_site("step", "");
	launch = add_site("cuLaunchKernel", "cuda_driver");
	kernel = add_site("axpy", "kernel");
	copy = add_site("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy");
	wait = add_site("Stream Sync", "cuda_sync");
	kernel_args[0] = text_arg(ARG_JSON, "grid", "[66,1,1]");
	kernel_args[1] = text_arg(ARG_JSON, "block", "[128,1,1]");
	kernel_args[2] = number_arg("registers per thread", 16);
	kernel_args[3] = number_arg("shared memory", 0);
	kernel_args[4] = number_arg("graph id", 3);
	kernel_args[5] = number_arg("graph node id", 4);
	trace->end_ns = 9000;
}

void case_teardown(void)
{
	trace_free(trace);
}

struct event begin(uint32_t site, int64_t time_ns)
{
	return (struct event){.kind = EVENT_BEGIN,
		.track = host,
		.site = site,
		.time_ns = time_ns};
}

struct event end(int64_t time_ns)
{
	return (struct event){.kind = EVENT_END,
		.track = host,
		.site = TRACE_NONE,
		.time_ns = time_ns};
}

struct event call(uint64_t id)
{
	return (struct event){.kind = EVENT_CORRELATION,
		.track = host,
		.site = TRACE_NONE,
		.id = id};
}

struct event activity(
	uint32_t site, uint64_t id, int64_t time_ns, uint64_t dur_ns)
{
	struct event event = {.kind = EVENT_ACTIVITY,
		.track = stream,
		.site = site,
		.time_ns = time_ns,
		.dur_ns = dur_ns,
		.id = id};

	if (site == kernel) {
		event.args = kernel_args;
		event.arg_count = 4;
	}
	return event;
}

/* The `n`-th slice of this name; the test fails if there are fewer. */
json_t *find_slice(json_t *json, const char *name, size_t n)
{
	json_t *event;

	for (size_t i = 0; (event = check_find(json, "X", i)) != NULL; i++)
		if (strcmp(check_text_of(event, "name"), name) == 0 && n-- == 0)
			return event;
	ck_abort_msg("no %s", name);
	return NULL;
}

bool has_arg(const json_t *event, const char *key)
{
	return json_object_get(json_object_get(event, "args"), key) != NULL;
}

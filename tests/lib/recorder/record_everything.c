/* SPDX-License-Identifier: MIT */
/* Records at least one event of every kind, on two threads, for long enough to
 * reach the correction of the clock. */
#include <pthread.h>
#include <unistd.h>

#include "ctprof.h"

static int fibonacci(int n)
{
	CTP_FUNCTION();
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void *work(void *unused)
{
	static struct ctp_site job = {"job \"1\"", "a\\b.c", 7, 0};
	const struct ctp_arg args[] = {
		{"whole", CTP_ARG_INT, {.number = INT64_MAX}},
		{"real", CTP_ARG_FLOAT, {.real = -0.1}},
		{"text", CTP_ARG_STRING, {.string = "\"\303\251\""}},
	};

	(void)unused;
	ctp_thread_name("worker");
	CTP_SCOPE("work");
	ctp_arg_int("int", -42);
	ctp_arg_float("float", 0.1);
	ctp_arg_string(
		"text", "h\303\251llo\n\t\"quoted\" \\ \360\237\230\200");
	ctp_arg_string("broken", "\377\376 not UTF-8");
	ctp_async_begin_args(&job, UINT64_MAX, args, 3);
	for (int i = 0; i < 13; i++) {
		(void)fibonacci(12);
		CTP_INSTANT("tick");
		CTP_COUNTER("i", i);
		(void)usleep(100000);
	}
	return NULL;
}

int main(void)
{
	struct ctp_site *given = ctp_site_intern("given", "elsewhere.c", 3);
	struct ctp_site *job = ctp_site_intern("job \"1\"", "a\\b.c", 7);
	pthread_t thread;

	CTP_FUNCTION();
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		return 1;
	ctp_begin_at(given, -5000);
	ctp_begin_at(given, 0);
	ctp_end_at(7);
	ctp_end_at(INT64_C(4000000000000000));
	(void)fibonacci(20);
	ctp_memory_alloc((void *)(uintptr_t)0xdeadbeef, 1000, -1);
	ctp_memory_free((void *)(uintptr_t)0xdeadbeef, 1000, -1);
	ctp_memory_alloc((void *)(uintptr_t)16, UINT64_C(1) << 40, 3);
	ctp_counter_float(given, -2.5e-300);
	(void)ctp_step("profiler");
	(void)ctp_step("optimizer");
	(void)ctp_step("profiler");
	(void)pthread_join(thread, NULL);
	ctp_async_end(job, UINT64_MAX);
	(void)fibonacci(20);
	ctp_begin(given); /* left open */
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Every kind of event once or a few times. */
#include <ctprof.h>
#include <pthread.h>
#include <signal.h>
CTP_STATIC_SITE(outer, "outer \"quoted\" \xc3\xa9");
CTP_STATIC_SITE(request, "request");
CTP_STATIC_SITE(killed, "killed");
CTP_STATIC_SITE(memory, "bytes");
static int fib(int n)
{
	CTP_FUNCTION();
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static void *thread(void *arg)
{
	ctp_thread_name("second");
	fib(6);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	ctp_begin(&outer);
	ctp_arg_int("n", -5);
	ctp_arg_float("x", 0.5);
	ctp_arg_string("s", "text");
	fib(8);
	CTP_INSTANT("instant");
	CTP_COUNTER("counter", 42);
	ctp_counter_float(&memory, 1.25);
	ctp_memory_alloc(&t, 4096, -1);
	ctp_memory_free(&t, 4096, -1);
	ctp_async_begin(&request, 7);
	ctp_async_end(&request, 7);
	ctp_begin_at(&request, 1000);
	ctp_end_at(2000);
	ctp_step("caller");
	ctp_end();
	if (argc > 1) {
		ctp_begin(&killed);
		raise(SIGKILL);
	}
	return 0;
}

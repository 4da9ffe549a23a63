/* SPDX-License-Identifier: MIT */
/* A program that marks tasks by ITT, for itt.sh. */
#include "itt_client.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS 8
#define ROUNDS 500

static int failed;

void named_function(void);

void named_function(void)
{
}

static void begin(const __itt_domain *domain, const char *name)
{
	__itt_task_begin(domain, __itt_null, __itt_null,
		__itt_string_handle_create(name));
}

static void tell_more(__itt_domain *domain)
{
	__itt_string_handle *key = __itt_string_handle_create("key");
	__itt_id id = {1, 2, 3};
	__itt_id other = {4, 5, 6};
	int32_t small = -7;
	double real = 0.5;

	__itt_task_begin(domain, id, __itt_null, key);
	__itt_metadata_add(
		domain, __itt_null, key, __itt_metadata_s32, 1, &small);
	__itt_metadata_add(domain, id, key, __itt_metadata_double, 1, &real);
	__itt_metadata_add(domain, other, key, __itt_metadata_s32, 1, &small);
	__itt_metadata_str_add(domain, id, key, "a text", 0);
	__itt_metadata_str_add(domain, id, key, "a text", 3);
	__itt_task_end(domain);
}

static void count(void)
{
	__itt_counter counter = __itt_counter_create_typed(
		"count", "counters", __itt_metadata_u64);
	__itt_counter real = __itt_counter_create_typed(
		"real", "counters", __itt_metadata_double);
	uint64_t value = 5;
	double half = 0.5;

	__itt_counter_set_value(counter, &value);
	__itt_counter_inc(counter);
	__itt_counter_dec_delta(counter, 10);
	__itt_counter_set_value(real, &half);
}

/* Tasks and regions that overlap, some with one id; and ends without a
 * begin. */
static void overlap(__itt_domain *domain)
{
	__itt_string_handle *one = __itt_string_handle_create("one");
	__itt_string_handle *two = __itt_string_handle_create("two");
	__itt_id first = {1, 0, 0};
	__itt_id second = {1, 0, 1};

	__itt_task_begin_overlapped(domain, first, __itt_null, one);
	__itt_task_begin_overlapped(domain, second, first, two);
	__itt_region_begin(domain, first, __itt_null, two);
	__itt_task_end_overlapped(domain, first);
	__itt_region_end(domain, first);
	__itt_task_end_overlapped(domain, second);
	__itt_task_begin_overlapped(domain, first, __itt_null, two);
	__itt_task_end_overlapped(domain, first);
	__itt_region_end(domain, first);
}

static void count_by_name(__itt_domain *domain)
{
	__itt_string_handle *name = __itt_string_handle_create("by name");
	__itt_counter counter =
		__itt_counter_create_v3(domain, "third", __itt_metadata_u64);
	uint64_t value = 9;

	__itt_counter_inc_v3(domain, name);
	__itt_counter_inc_v3(domain, __itt_string_handle_create("by name"));
	__itt_counter_dec_delta_v3(domain, name, 5);
	__itt_counter_set_value_v3(counter, &value);
}

/* Ranges begun while paused are not recorded; ends while paused are. */
static void rest(void)
{
	__itt_domain *domain = __itt_domain_create("dom");
	__itt_string_handle *name = __itt_string_handle_create("hidden");
	__itt_id id = {1, 2, 3};

	begin(domain, "before");
	__itt_task_begin_overlapped(domain, id, __itt_null, name);
	__itt_frame_begin_v3(domain, &id);
	__itt_pause();
	__itt_frame_end_v3(domain, &id);
	__itt_pause();
	begin(domain, "hidden");
	__itt_marker(domain, __itt_null, name, 1);
	__itt_frame_begin_v3(domain, &id);
	__itt_frame_end_v3(domain, &id);
	__itt_region_begin(domain, id, __itt_null, name);
	__itt_region_end(domain, id);
	__itt_counter_inc_v3(domain, name);
	__itt_task_end_overlapped(domain, id);
	begin(domain, "hidden");
	__itt_task_end(domain);
	__itt_resume();
	begin(domain, "after");
	__itt_task_end(domain);
	__itt_task_end(domain); /* hidden */
	__itt_counter_inc_v3(domain, name);
	__itt_task_end(domain);
}

static void plain(void)
{
	__itt_domain *domain = __itt_domain_create("dom");
	__itt_domain *other = __itt_domain_create("other");
	__itt_id id = {1, 2, 3};

	begin(domain, "outer");
	begin(other, "inner");
	__itt_task_begin_fn(
		domain, __itt_null, __itt_null, (void *)named_function);
	__itt_task_end(domain);
	__itt_task_end(other);
	__itt_task_end(domain);
	__itt_task_end(domain); /* of nothing */
	tell_more(domain);
	__itt_frame_begin_v3(domain, &id);
	__itt_marker(domain, __itt_null, __itt_string_handle_create("mark"), 1);
	__itt_frame_end_v3(domain, &id);
	count();
	overlap(domain);
	count_by_name(other);
	__itt_sync_prepare(domain);
	__itt_thread_set_name("the main one");
	if (__itt_string_handle_create("outer") !=
		__itt_string_handle_create("outer")) {
		printf("two handles for one text\n");
		failed = 1;
	}
}

/* Frames at one time, whose ids differ in both halves. */
static void frames(void)
{
	__itt_domain *domain = __itt_domain_create("dom");

	for (unsigned long long i = 0; i < 16; i++) {
		__itt_id id = {0x1000 + i, 0x1000 - i, 0};

		__itt_frame_begin_v3(domain, &id);
	}
	for (unsigned long long i = 0; i < 16; i++) {
		__itt_id id = {0x1000 ^ i, i, 0};

		__itt_frame_begin_v3(domain, &id);
	}
}

/* Begun under one id, and never ended. */
static void leave_open(void)
{
	__itt_domain *domain = __itt_domain_create("dom");

	for (int i = 0; i < 10000; i++)
		__itt_frame_begin_v3(domain, NULL);
}

static void *thread(void *argument)
{
	__itt_domain *domain = argument;
	__itt_string_handle *name = __itt_string_handle_create("any");
	__itt_id id = {(uintptr_t)&domain, 0, 0};

	for (int i = 0; i < ROUNDS; i++) {
		begin(domain, "outer");
		begin(domain, "inner");
		__itt_task_end(domain);
		__itt_task_end(domain);
		__itt_task_begin_overlapped(domain, id, __itt_null, name);
		__itt_task_end_overlapped(domain, id);
	}
	return NULL;
}

static void threads(void)
{
	__itt_domain *domain = __itt_domain_create("threads");
	pthread_t made[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&made[i], NULL, thread, domain) != 0)
			exit(99);
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(made[i], NULL);
}

/* The tool's record: "begin NAME" and "end", one per line. */
static void replay(void)
{
	__itt_domain *domain = __itt_domain_create("ctprof");
	char line[256];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "begin ", 6) == 0)
			begin(domain, line + 6);
		else
			__itt_task_end(domain);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"plain", plain}, {"frames", frames}, {"rest", rest},
		{"leave open", leave_open}, {"threads", threads},
		{"replay", replay}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc == 2 && strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	return failed;
}

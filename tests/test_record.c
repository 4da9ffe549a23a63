/* SPDX-License-Identifier: MIT */
/* What the recorder is told comes out of the log again. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctprof.h"
#include "log_read.h"
#include "run_suite.h"

static char directory[64];
static char path[256];

/* What a log holds, counted. */
struct content {
	uint64_t kinds[EVENT_STEP + 1];
	uint64_t tracks;
	uint64_t losses[LOSS_KINDS];
	uint64_t named; /* begins of the site asked for */
	int64_t depth;  /* begins less ends */
	int64_t last_id;
	bool ordered; /* no time of a track goes back */
	char text[256];
	char thread_name[64];
};

static void setup(void)
{
	(void)snprintf(directory, sizeof(directory), "./test_record.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	(void)snprintf(path, sizeof(path), "%s/run.ctp", directory);
}

static void teardown(void)
{
	char command[300];

	(void)ctp_stop();
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	ck_assert_int_eq(system(command), 0);
}

static void start(enum ctp_policy policy, uint64_t buffer_bytes)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = path;
	options.policy = policy;
	options.buffer_bytes = buffer_bytes;
	options.buffer_max = 4 * buffer_bytes;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
}

static void count(struct content *content, const struct event_source *source,
	const struct event *event, const char *name)
{
	content->kinds[event->kind]++;
	if (event->kind == EVENT_BEGIN) {
		content->depth++;
		if (strcmp(trace_site_name(source->trace, event->site), name) ==
			0)
			content->named++;
	}
	if (event->kind == EVENT_END)
		content->depth--;
	if (event->kind == EVENT_STEP || event->kind == EVENT_ASYNC_END)
		content->last_id = (int64_t)event->id;
	if (event->kind == EVENT_ARGS && event->args[0].kind == ARG_TEXT)
		(void)snprintf(content->text, sizeof(content->text), "%.*s",
			(int)event->args[0].value.text.size,
			event->args[0].value.text.bytes);
}

static struct content read_log(const char *log, const char *name)
{
	static int64_t last[4096];
	struct content content = {.ordered = true};
	struct event_source *source;
	struct ctp_error err;
	struct event event;
	enum ctp_status status;
	FILE *file = fopen(log, "rb");

	ck_assert_msg(file != NULL, "%s: %s", log, strerror(errno));
	ck_assert_int_eq(log_read_open(file, NULL, 0, &source, &err), CTP_OK);
	memset(last, 0, sizeof(last));
	while ((status = source->next(source, &event, &err)) == CTP_OK) {
		count(&content, source, &event, name);
		if (event.track < 4096) {
			if (event.time_ns < last[event.track])
				content.ordered = false;
			last[event.track] = event.time_ns;
		}
	}
	ck_assert_msg(status == CTP_END, "%s", err.message);
	content.tracks = source->trace->track_count;
	memcpy(content.losses, source->trace->losses, sizeof(content.losses));
	if (content.tracks > 0)
		(void)snprintf(content.thread_name, sizeof(content.thread_name),
			"%s",
			strtab_text(source->trace->text,
				source->trace->tracks[0].name, NULL));
	source->close(source);
	(void)fclose(file);
	return content;
}

static uint64_t lost(const struct content *content)
{
	uint64_t sum = 0;

	for (enum trace_loss i = 0; i < LOSS_KINDS; i++)
		if (!trace_loss_is_note(i))
			sum += content->losses[i];
	return sum;
}

static int early_return(int n)
{
	CTP_SCOPE("early");
	if (n > 0)
		return n;
	{
		CTP_SCOPE("inner");
		n--;
	}
	return n;
}

START_TEST(off_is_said_and_records_nothing)
{
	ck_assert_str_eq(ctp_status(), "off");
	ck_assert_int_eq(early_return(0), -1);
	ctp_begin(ctp_site_intern("x", NULL, 0));
	ctp_end();
	ctp_arg_int("k", 1);
	ck_assert_int_eq(ctp_flush(), CTP_ERR_STATE);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
}
END_TEST

START_TEST(scopes_close_however_they_are_left)
{
	struct content content;

	start(CTP_POLICY_BLOCK, 0);
	(void)early_return(1);
	(void)early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "early");
	ck_assert_uint_eq(content.named, 2);
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 3);
	ck_assert_uint_eq(content.kinds[EVENT_END], 3);
	ck_assert_uint_eq(lost(&content), 0);
}
END_TEST

START_TEST(a_second_start_is_refused)
{
	start(CTP_POLICY_BLOCK, 0);
	ck_assert_int_eq(ctp_start(NULL), CTP_ERR_STATE);
	ck_assert_ptr_nonnull(strstr(ctp_status(), "recording to "));
}
END_TEST

START_TEST(no_log_means_no_recording_but_no_harm)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = "/nonexistent/run.ctp";
	ck_assert_int_eq(ctp_start(&options), CTP_ERR_IO);
	ck_assert_ptr_nonnull(strstr(ctp_status(), "No such file"));
	ck_assert_int_eq(early_return(0), -1);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
}
END_TEST

START_TEST(a_full_disk_stops_recording_but_not_the_program)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = "/dev/full";
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	for (int i = 0; i < 1000000; i++)
		(void)early_return(1);
	ck_assert_int_eq(ctp_stop(), CTP_ERR_IO);
	ck_assert_ptr_nonnull(strstr(ctp_status(), "No space left"));
}
END_TEST

START_TEST(nothing_is_lost_over_many_chunks)
{
	struct content content;

	start(CTP_POLICY_BLOCK, 256 * 1024);
	for (int i = 0; i < 500000; i++)
		(void)early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "inner");
	ck_assert_uint_eq(content.named, 500000);
	ck_assert_int_eq(content.depth, 0);
	ck_assert(content.ordered);
	ck_assert_uint_eq(lost(&content), 0);
}
END_TEST

static void *record_many(void *name)
{
	ctp_thread_name(name);
	for (int i = 0; i < 300000; i++)
		(void)early_return(0);
	return NULL;
}

/* Two ranges each time. */
static void record_on_threads(void)
{
	pthread_t threads[4];
	static char name[] = "busy";

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, record_many, name),
			0);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

START_TEST(threads_have_tracks_and_names)
{
	struct content content;

	start(CTP_POLICY_BLOCK, 0);
	record_on_threads();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "early");
	ck_assert_uint_eq(content.tracks, 4);
	ck_assert_str_eq(content.thread_name, "busy");
	ck_assert_uint_eq(content.named, 1200000);
	ck_assert_uint_eq(lost(&content), 0);
}
END_TEST

START_TEST(drops_and_records_add_up)
{
	static const enum ctp_policy policies[] = {
		CTP_POLICY_DROP, CTP_POLICY_GROW};
	struct content content;

	start(policies[_i], 256 * 1024);
	record_on_threads();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "early");
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN] +
				  content.losses[LOSS_DROPPED_RANGES],
		2400000);
	ck_assert_int_eq(content.depth, 0);
	ck_assert(content.ordered);
	ck_assert_uint_eq(content.losses[LOSS_DROPPED_EVENTS], 0);
}
END_TEST

static void *record_timeline(void *unused)
{
	struct ctp_site *outer = ctp_site_intern("early", NULL, 0);
	struct ctp_site *inner = ctp_site_intern("inner", NULL, 0);

	(void)unused;
	for (int i = 0; i < 100000; i++) {
		ctp_begin_at(outer, 3 * i);
		ctp_begin_at(inner, 3 * i + 1);
		ctp_end_at(3 * i + 1);
		ctp_end_at(3 * i + 2);
	}
	return NULL;
}

START_TEST(timelines_stay_whole_where_ranges_are_dropped)
{
	struct content content;
	pthread_t threads[3];

	start(CTP_POLICY_DROP, 256 * 1024);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
					 record_timeline, NULL),
			0);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "early");
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN] +
				  content.losses[LOSS_DROPPED_RANGES],
		600000);
	ck_assert_int_eq(content.depth, 0);
	ck_assert(content.ordered);
	ck_assert_uint_eq(content.losses[LOSS_DROPPED_EVENTS], 0);
}
END_TEST

START_TEST(every_kind_of_event_comes_back)
{
	struct content content;
	struct ctp_site *site = ctp_site_intern("s", "f.c", 9);

	start(CTP_POLICY_BLOCK, 0);
	ctp_begin(site);
	ctp_arg_int("i", INT64_MIN);
	ctp_arg_float("f", 0.5);
	ctp_arg_string("t", "caf\303\251");
	ctp_instant(site);
	ctp_counter(site, -1);
	ctp_counter_float(site, 1e300);
	ctp_memory_alloc(site, 10, 0);
	ctp_memory_free(site, 10, 0);
	ctp_async_begin(site, 77);
	ctp_async_end(site, 77);
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "s");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.kinds[EVENT_ARGS], 3);
	ck_assert_str_eq(content.text, "caf\303\251");
	ck_assert_uint_eq(content.kinds[EVENT_INSTANT], 1);
	ck_assert_uint_eq(content.kinds[EVENT_COUNTER], 2);
	ck_assert_uint_eq(content.kinds[EVENT_ALLOC], 1);
	ck_assert_uint_eq(content.kinds[EVENT_FREE], 1);
	ck_assert_int_eq(content.last_id, 77);
}
END_TEST

START_TEST(equal_sites_are_one)
{
	struct ctp_site *site = ctp_site_intern("a", "b", 1);

	ck_assert_ptr_eq(site, ctp_site_intern("a", "b", 1));
	ck_assert_ptr_ne(site, ctp_site_intern("a", "b", 2));
	ck_assert_ptr_ne(site, ctp_site_intern("a", NULL, 1));
	ck_assert_str_eq(site->name, "a");
}
END_TEST

START_TEST(names_too_long_are_cut_not_lost)
{
	struct content content;
	char *name = malloc(100001);

	memset(name, 'x', 100000);
	name[100000] = '\0';
	start(CTP_POLICY_BLOCK, 0);
	ctp_begin(ctp_site_intern(name, NULL, 0));
	ctp_arg_string("key", name);
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	name[16000] = '\0';
	content = read_log(path, name);
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.losses[LOSS_CUT_TEXT], 1);
	free(name);
}
END_TEST

START_TEST(the_global_step_is_the_maximum)
{
	struct content content;

	start(CTP_POLICY_BLOCK, 0);
	ck_assert_int_eq(ctp_step("a"), 1);
	ck_assert_int_eq(ctp_step("a"), 2);
	ck_assert_int_eq(ctp_step("b"), 3); /* begins at the global step */
	ck_assert_int_eq(ctp_step("a"), 3);
	ctp_step_remove("b");
	ck_assert_int_eq(ctp_step("a"), 4);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "");
	ck_assert_uint_eq(content.kinds[EVENT_STEP], 4);
	ck_assert_int_eq(content.last_id, 4);
}
END_TEST

START_TEST(short_ranges_are_left_out_and_counted)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct content content;

	options.out = path;
	options.min_ns = 1000000000;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	for (int i = 0; i < 1000; i++)
		(void)early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "early");
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 0);
	ck_assert_uint_eq(content.losses[LOSS_SHORT_RANGES], 2000);
	ck_assert_uint_eq(lost(&content), 0);
}
END_TEST

START_TEST(the_system_clock_does_as_well)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct content content;

	options.out = path;
	options.clock = CTP_CLOCK_SYSTEM;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	for (int i = 0; i < 20000; i++)
		(void)early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "early");
	ck_assert_uint_eq(content.named, 20000);
	ck_assert(content.ordered);
}
END_TEST

START_TEST(a_flush_makes_it_readable_while_recording)
{
	struct content content;

	start(CTP_POLICY_BLOCK, 0);
	(void)early_return(0);
	ck_assert_int_eq(ctp_flush(), CTP_OK);
	content = read_log(path, "early");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.losses[LOSS_TRUNCATED], 1);
	(void)early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "early");
	ck_assert_uint_eq(content.named, 2);
	ck_assert_uint_eq(lost(&content), 0);
}
END_TEST

START_TEST(it_starts_and_stops_many_times)
{
	for (int i = 0; i < 60; i++) {
		start(CTP_POLICY_BLOCK, 256 * 1024);
		(void)early_return(0);
		ck_assert_int_eq(ctp_stop(), CTP_OK);
		ck_assert_uint_eq(read_log(path, "inner").named, 1);
	}
}
END_TEST

START_TEST(a_forked_child_has_a_log_of_its_own)
{
	char child_path[300];
	struct content content;
	int status = -1;
	pid_t child;

	start(CTP_POLICY_BLOCK, 0);
	ctp_begin(ctp_site_intern("parent", NULL, 0));
	child = fork();
	if (child == 0) {
		(void)early_return(0);
		_exit(ctp_stop() == CTP_OK ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "parent");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 1);
	(void)snprintf(child_path, sizeof(child_path), "%s/run.%ld.ctp",
		directory, (long)child);
	content = read_log(child_path, "inner");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 2);
}
END_TEST

START_TEST(a_child_that_records_nothing_leaves_nothing)
{
	char child_path[300];
	int status;
	pid_t child;

	start(CTP_POLICY_BLOCK, 0);
	child = fork();
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	(void)snprintf(child_path, sizeof(child_path), "%s/run.%ld.ctp",
		directory, (long)child);
	ck_assert_int_eq(access(child_path, F_OK), -1);
}
END_TEST

static void *record_one(void *unused)
{
	(void)unused;
	(void)early_return(1);
	return NULL;
}

START_TEST(many_short_threads_are_all_there)
{
	struct content content;

	start(CTP_POLICY_BLOCK, 0);
	for (int i = 0; i < 2000; i++) {
		pthread_t thread;

		ck_assert_int_eq(
			pthread_create(&thread, NULL, record_one, NULL), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
	}
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = read_log(path, "early");
	ck_assert_uint_eq(content.named, 2000);
	ck_assert_uint_eq(content.tracks, 2000);
}
END_TEST

static volatile int going;

static void *record_until_told(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&going, __ATOMIC_RELAXED))
		(void)early_return(0);
	return NULL;
}

START_TEST(it_stops_while_others_record)
{
	pthread_t threads[3];

	going = 1;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
					 record_until_told, NULL),
			0);
	for (int i = 0; i < 20; i++) {
		start(CTP_POLICY_BLOCK, 256 * 1024);
		(void)usleep(5000);
		ck_assert_int_eq(ctp_stop(), CTP_OK);
		ck_assert(read_log(path, "early").ordered);
	}
	__atomic_store_n(&going, 0, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record");
	TCase *tests = tcase_create("record");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, off_is_said_and_records_nothing);
	tcase_add_test(tests, scopes_close_however_they_are_left);
	tcase_add_test(tests, a_second_start_is_refused);
	tcase_add_test(tests, no_log_means_no_recording_but_no_harm);
	tcase_add_test(tests, a_full_disk_stops_recording_but_not_the_program);
	tcase_add_test(tests, nothing_is_lost_over_many_chunks);
	tcase_add_test(tests, threads_have_tracks_and_names);
	tcase_add_loop_test(tests, drops_and_records_add_up, 0, 2);
	tcase_add_test(tests, timelines_stay_whole_where_ranges_are_dropped);
	tcase_add_test(tests, every_kind_of_event_comes_back);
	tcase_add_test(tests, equal_sites_are_one);
	tcase_add_test(tests, names_too_long_are_cut_not_lost);
	tcase_add_test(tests, the_global_step_is_the_maximum);
	tcase_add_test(tests, short_ranges_are_left_out_and_counted);
	tcase_add_test(tests, the_system_clock_does_as_well);
	tcase_add_test(tests, a_flush_makes_it_readable_while_recording);
	tcase_add_test(tests, it_starts_and_stops_many_times);
	tcase_add_test(tests, a_forked_child_has_a_log_of_its_own);
	tcase_add_test(tests, a_child_that_records_nothing_leaves_nothing);
	tcase_add_test(tests, many_short_threads_are_all_there);
	tcase_add_test(tests, it_stops_while_others_record);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}

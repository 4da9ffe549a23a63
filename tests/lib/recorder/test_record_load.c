/* SPDX-License-Identifier: MIT */
/* More is recorded than can be written: memory stays within its limits, and
 * each thread's records and drops add up to its events. */
#include <check.h>
#include <dirent.h>
#include <msgpack.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "log/log.h"
#include "log_read/log_read.h"
#include "record_case.h"
#include "support/run_suite.h"

#define THREADS 8
#define MOST_THREADS 64
#define BUFFER ((uint64_t)512 * 1024)
#define BUFFER_MAX (2 * BUFFER)
#define CHUNK ((uint64_t)64 * 1024)

/* The events of one thread: in the log, or dropped. */
struct tally {
	uint64_t ranges;
	uint64_t ends;
	uint64_t others;
	uint64_t dropped_ranges;
	uint64_t dropped_events;
};

static void tally_event(struct tally *tally, const struct event *event)
{
	if (event->kind == EVENT_BEGIN)
		tally->ranges++;
	else if (event->kind == EVENT_END)
		tally->ends++;
	else
		tally->others++;
}

static uint64_t count_of(const msgpack_object_map *counts, const char *name)
{
	for (uint32_t i = 0; i < counts->size; i++) {
		const msgpack_object_str *key = &counts->ptr[i].key.via.str;

		if (key->size == strlen(name) &&
			memcmp(key->ptr, name, key->size) == 0)
			return counts->ptr[i].val.via.u64;
	}
	return 0;
}

/* Readers add up the losses of all tracks. */
static void read_losses(const char *path, struct tally *tallies)
{
	gzFile file = gzopen(path, "rb");
	msgpack_unpacker unpacker;
	msgpack_unpacked block;
	int got = 1;

	ck_assert_ptr_nonnull(file);
	ck_assert(msgpack_unpacker_init(&unpacker, 1 << 20));
	msgpack_unpacked_init(&block);
	while (got > 0) {
		ck_assert(msgpack_unpacker_reserve_buffer(&unpacker, 1 << 16));
		got = gzread(file, msgpack_unpacker_buffer(&unpacker), 1 << 16);
		ck_assert_int_ge(got, 0);
		msgpack_unpacker_buffer_consumed(&unpacker, (size_t)got);
		while (msgpack_unpacker_next(&unpacker, &block) ==
			MSGPACK_UNPACK_SUCCESS) {
			const msgpack_object *items = block.data.via.array.ptr;
			struct tally *tally;

			if (items[0].via.u64 != LOG_LOSSES)
				continue;
			ck_assert_uint_le(items[1].via.u64, MOST_THREADS);
			tally = &tallies[items[1].via.u64 - 1];
			tally->dropped_ranges =
				count_of(&items[2].via.map, "dropped_ranges");
			tally->dropped_events =
				count_of(&items[2].via.map, "dropped_events");
		}
	}
	msgpack_unpacked_destroy(&block);
	msgpack_unpacker_destroy(&unpacker);
	ck_assert_int_eq(gzclose(file), Z_OK);
}

/* By the thread's name, which is its number. */
static void read_tallies(const char *path, struct tally *tallies)
{
	struct tally by_track[MOST_THREADS] = {0};
	struct event_source *source;
	struct ctp_error err;
	struct event event;
	enum ctp_status status;
	FILE *file = fopen(path, "rb");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(
		log_read_open(file, NULL, 0, NULL, &source, &err), CTP_OK);
	while ((status = source->next(source, &event, &err)) == CTP_OK) {
		ck_assert_uint_lt(event.track, MOST_THREADS);
		tally_event(&by_track[event.track], &event);
	}
	ck_assert_int_eq(status, CTP_END);
	read_losses(path, by_track);
	for (uint32_t i = 0; i < source->trace->track_count; i++) {
		const char *name = strtab_text(source->trace->text,
			source->trace->tracks[i].name, NULL);

		tallies[atoi(name)] = by_track[i];
	}
	source->close(source);
	(void)fclose(file);
}

struct work {
	pthread_t thread;
	int number;
	int count;
};

/* Two ranges, and three other events, each time. */
static void *record(void *argument)
{
	const struct work *work = argument;
	char name[16];

	(void)snprintf(name, sizeof(name), "%d", work->number);
	ctp_thread_name(name);
	for (int i = 0; i < work->count; i++) {
		CTP_SCOPE("outer");
		ctp_arg_int("i", i);
		{
			CTP_SCOPE("inner");
			CTP_INSTANT("now");
		}
		CTP_COUNTER("count", i);
	}
	return NULL;
}

/* Runs `threads` threads, the n-th of which records `count` + n times. */
static void record_on(struct work *works, int threads, int count)
{
	for (int i = 0; i < threads; i++) {
		works[i].number = i;
		works[i].count = count + i;
		ck_assert_int_eq(pthread_create(&works[i].thread, NULL, record,
					 &works[i]),
			0);
	}
	for (int i = 0; i < threads; i++)
		ck_assert_int_eq(pthread_join(works[i].thread, NULL), 0);
}

/* A line of /proc/self/status, in bytes. */
static uint64_t memory(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long long kib = 0;
	char line[256];

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			(void)sscanf(line + strlen(name), ": %llu", &kib);
	(void)fclose(file);
	return kib * 1024;
}

/* The file system's list of them. */
#define HOLES (UINT64_C(2) * 4096)

/* Its memory: the file has holes. */
static uint64_t spool_size(void)
{
	DIR *directory = opendir(record_case_directory);
	uint64_t size = 0;

	ck_assert_ptr_nonnull(directory);
	for (const struct dirent *entry = readdir(directory); entry != NULL;
		entry = readdir(directory)) {
		struct stat file;

		if (strstr(entry->d_name, ".spool") == NULL)
			continue;
		ck_assert_int_eq(
			fstatat(dirfd(directory), entry->d_name, &file, 0), 0);
		size += (uint64_t)file.st_blocks * 512;
	}
	(void)closedir(directory);
	return size;
}

static const enum ctp_policy policies[] = {
	CTP_POLICY_BLOCK, CTP_POLICY_GROW, CTP_POLICY_DROP};

START_TEST(each_threads_records_and_drops_add_up)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct tally tallies[MOST_THREADS] = {0};
	struct work works[THREADS];
	uint64_t dropped = 0;

	options.out = record_case_path;
	options.policy = policies[_i % 3];
	options.clock = _i < 3 ? CTP_CLOCK_AUTO : CTP_CLOCK_SYSTEM;
	options.buffer_bytes = BUFFER;
	options.buffer_max = BUFFER_MAX;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	record_on(works, THREADS, 15000);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	read_tallies(record_case_path, tallies);
	for (int i = 0; i < THREADS; i++) {
		const struct tally *tally = &tallies[i];
		uint64_t did = (uint64_t)works[i].count;

		ck_assert_uint_eq(
			tally->ranges + tally->dropped_ranges, 2 * did);
		ck_assert_uint_eq(tally->ranges, tally->ends);
		ck_assert_uint_eq(
			tally->others + tally->dropped_events, 3 * did);
		dropped += tally->dropped_ranges + tally->dropped_events;
	}
	if (policies[_i % 3] == CTP_POLICY_BLOCK)
		ck_assert_uint_eq(dropped, 0);
}
END_TEST

START_TEST(memory_stays_under_the_cap)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct work works[THREADS];
	uint64_t before = memory("RssAnon");

	options.out = record_case_path;
	options.spool = record_case_directory;
	options.policy = policies[_i];
	options.buffer_bytes = BUFFER;
	options.buffer_max = BUFFER_MAX;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	record_on(works, THREADS, 15000);
	/* The spool has a header before the chunks. */
	ck_assert_uint_ge(spool_size(), BUFFER + CHUNK);
	ck_assert_uint_le(spool_size(), BUFFER_MAX + CHUNK + HOLES);
	/* Stacks and arenas of threads, and the packer's memory. */
	if (!CASE_SANITIZED)
		ck_assert_uint_le(memory("RssAnon"), before + 8 * 1024 * 1024);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_uint_eq(spool_size(), 0);
}
END_TEST

START_TEST(more_threads_than_chunks_lose_nothing)
{
	struct tally tallies[MOST_THREADS] = {0};
	struct work works[MOST_THREADS];
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = record_case_path;
	options.buffer_bytes = 256 * 1024;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	record_on(works, MOST_THREADS, 1500);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	read_tallies(record_case_path, tallies);
	for (int i = 0; i < MOST_THREADS; i++) {
		uint64_t did = (uint64_t)works[i].count;

		ck_assert_uint_eq(tallies[i].ranges, 2 * did);
		ck_assert_uint_eq(tallies[i].ends, 2 * did);
		ck_assert_uint_eq(tallies[i].others, 3 * did);
	}
}
END_TEST

START_TEST(a_cap_below_the_threads_is_kept_and_drops_are_counted)
{
	struct tally tallies[MOST_THREADS] = {0};
	struct work works[MOST_THREADS];
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = record_case_path;
	options.spool = record_case_directory;
	options.policy = policies[_i];
	options.buffer_bytes = 256 * 1024;
	options.buffer_max = 256 * 1024;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	record_on(works, MOST_THREADS, 1000);
	ck_assert_uint_le(spool_size(), 256 * 1024 + CHUNK + HOLES);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	read_tallies(record_case_path, tallies);
	for (int i = 0; i < MOST_THREADS; i++) {
		uint64_t did = (uint64_t)works[i].count;
		/* A thread that ends waits for room for these, but not
		 * forever. */
		uint64_t ends = tallies[i].ranges - tallies[i].ends;

		ck_assert_uint_eq(
			tallies[i].ranges + tallies[i].dropped_ranges, 2 * did);
		ck_assert_uint_eq(tallies[i].others + tallies[i].dropped_events,
			3 * did + ends);
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record_load");
	TCase *tests = tcase_create("record_load");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, each_threads_records_and_drops_add_up, 0, 6);
	tcase_add_loop_test(tests, memory_stays_under_the_cap, 0, 3);
	tcase_add_test(tests, more_threads_than_chunks_lose_nothing);
	tcase_add_loop_test(tests,
		a_cap_below_the_threads_is_kept_and_drops_are_counted, 0, 3);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}

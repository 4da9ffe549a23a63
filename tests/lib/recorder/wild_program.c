/* SPDX-License-Identifier: MIT */
/*
 * wild_program SEED RECORDINGS STORES [die]: the program of tests/lib/recorder/stray_stores.sh. Its
 * threads record while main stores random bytes into the mapped spool, as a
 * wild pointer might, STORES times for each recording; and a child is forked on
 * the way, which inherits what is open. With `die` the last recording ends with
 * SIGKILL.
 *
 * The threads' own state is not in the spool, so nothing here may fail.
 */
#include <ctprof.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pack/spool.h"

enum { THREADS = 3 };

static uint64_t state;
static _Atomic bool done;
static _Atomic long stored; /* how many times */
static uint8_t *spool;
static size_t spool_bytes;

static uint64_t pick(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

static _Noreturn void fail(const char *what)
{
	(void)fprintf(stderr, "wild_program: %s\n", what);
	_exit(99);
}

/* The only mapped file in $CTPROF_SPOOL; it may grow. */
static void find_spool(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[8192];

	spool = NULL;
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		unsigned long long from;
		unsigned long long to;

		if (strstr(line, getenv("CTPROF_SPOOL")) == NULL ||
			sscanf(line, "%llx-%llx", &from, &to) != 2)
			continue;
		if (spool == NULL)
			spool = (uint8_t *)(uintptr_t)from;
		spool_bytes = (size_t)(to - (uintptr_t)spool);
	}
	if (maps != NULL)
		(void)fclose(maps);
	if (spool == NULL)
		fail("no spool is mapped");
}

static void record_some(long number)
{
	static char text[3000];
	const struct ctp_arg args[] = {{.key = "text",
					       .kind = CTP_ARG_STRING,
					       .value.string = "value"},
		{.key = "int", .kind = CTP_ARG_INT, .value.number = number}};
	char name[32];

	(void)snprintf(name, sizeof(name), "site %ld", number % 500);
	ctp_begin(ctp_site_intern(name, "file.c", 1));
	for (int i = 0; i < 200; i++) {
		CTP_SCOPE("short");
		ctp_arg_int("i", i);
	}
	ctp_arg_string("long", text);
	ctp_async_begin_args(ctp_site_intern("async", "", 0), 1, args, 2);
	ctp_counter(ctp_site_intern("counter", "", 0), number);
	ctp_memory_alloc(name, 10, -1);
	ctp_begin_at(ctp_site_intern("at", "", 0), number);
	ctp_end_at(number + 1);
	ctp_end();
}

/* Waits for the stores, so that the log stays small. */
static void *record(void *argument)
{
	const struct timespec rest = {0, 50000};

	for (long i = 0; !atomic_load(&done); i++) {
		while (atomic_load(&stored) < 2 * i && !atomic_load(&done))
			(void)nanosleep(&rest, NULL);
		record_some(i);
	}
	return argument;
}

static void *record_once(void *argument)
{
	record_some(1);
	return argument;
}

static void run_once(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, record_once, NULL) != 0)
		fail("cannot create a thread");
	(void)pthread_join(thread, NULL);
}

static void run_child(void)
{
	int status = -1;
	pid_t child;

	CTP_SCOPE("parent");
	child = fork();
	if (child == 0) {
		record_some(2);
		(void)ctp_stop();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		fail("the child failed");
}

/* A record's first word: all valid ones, and nearly valid ones. */
static uint64_t pick_word(const struct chunk *chunk)
{
	static const uint64_t words[] = {
		0, 1, 2, 3, 4, 5, 100, CHUNK_WORDS - 1, CHUNK_WORDS, 0xffff};

	return chunk_long(chunk, (enum chunk_long)pick(CHUNK_BLOCK + 2),
		words[pick(sizeof(words) / sizeof(words[0]))], pick(10));
}

static void store(void *to, size_t size)
{
	uint8_t bytes[64];
	uint64_t like = pick(4);

	for (size_t i = 0; i < size; i++)
		bytes[i] = like == 0   ? 0
			   : like == 1 ? 0xff
				       : (uint8_t)pick(256);
	memcpy(to, bytes, size);
}

/* `whole` is false if the log's name is to stay: the log is completed there, be
 * it another user's. */
static void store_wildly(bool whole)
{
	struct spool_header *header = (struct spool_header *)(void *)spool;
	uint64_t chunks = spool_bytes / CHUNK_BYTES - 1;
	/* The first ones are used most. */
	uint64_t number = pick(2) == 0 ? pick(4) : pick(chunks);
	struct chunk *chunk =
		(struct chunk *)(void *)(spool +
					 (1 + number % chunks) * CHUNK_BYTES);
	size_t size = (size_t)pick(8) + 1;

	switch (pick(6)) {
	case 0:
		if (whole)
			store(spool + pick(spool_bytes - 64),
				(size_t)pick(64) + 1);
		break;
	case 1:
		store(spool + pick(offsetof(struct spool_header, log_path)),
			size);
		break;
	case 2:
		store((uint8_t *)&header->error +
				pick(sizeof(*header) - 64 -
					offsetof(struct spool_header, error)),
			(size_t)pick(64) + 1);
		break;
	case 3:
		store((uint8_t *)chunk + pick(offsetof(struct chunk, words)),
			size);
		break;
	case 4:
		chunk->words[pick(CHUNK_WORDS)] = pick_word(chunk);
		break;
	default:
		store((uint8_t *)chunk->words + pick(2000), size);
	}
}

static void damage(long stores, bool whole)
{
	for (long i = 0; i < stores; i++) {
		store_wildly(whole);
		atomic_store(&stored, i);
		if (i % 4 == 0)
			(void)nanosleep(&(struct timespec){0, 20000}, NULL);
		if (i % 32 == 0)
			(void)ctp_flush();
		if (i % 64 == 0)
			run_once();
		if (i == stores / 2)
			run_child();
		if (i % 16 == 0)
			find_spool();
	}
}

static void run(long number, long stores, bool dies)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	pthread_t threads[THREADS];
	char path[32];

	(void)snprintf(path, sizeof(path), "run%ld.ctp", number);
	options.out = path;
	options.policy = (enum ctp_policy)(number % 3 + CTP_POLICY_BLOCK);
	options.buffer_bytes = UINT64_C(1) << (18 + number % 3);
	options.buffer_max = 4 * options.buffer_bytes;
	options.min_ns = number % 4 == 3 ? 100 : 0;
	if (ctp_start(&options) != CTP_OK)
		fail(ctp_status());
	find_spool();
	atomic_store(&done, false);
	atomic_store(&stored, 0);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, record, NULL) != 0)
			fail("cannot create a thread");
	damage(stores, !dies);
	if (dies)
		(void)raise(SIGKILL);
	/* Half of the recordings stop while threads record. */
	atomic_store(&stored, LONG_MAX);
	atomic_store(&done, number % 2 == 0);
	for (int i = 0; number % 2 == 0 && i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	if (ctp_stop() != CTP_OK)
		fail(ctp_status());
	atomic_store(&done, true);
	for (int i = 0; number % 2 != 0 && i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	long recordings = argc < 4 ? 0 : strtol(argv[2], NULL, 10);
	long stores = argc < 4 ? 0 : strtol(argv[3], NULL, 10);

	if (argc < 4 || getenv("CTPROF_SPOOL") == NULL)
		return 99;
	state = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (long i = 0; i < recordings; i++)
		run(i, stores, argc > 4 && i == recordings - 1);
	return 0;
}

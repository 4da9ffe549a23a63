/* SPDX-License-Identifier: MIT */
/* lib/pack/spool.[ch]. */
#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pack/spool.h"
#include "support/run_suite.h"

static char directory[32];
static struct spool spool;

static void setup(void)
{
	(void)snprintf(directory, sizeof(directory), "./test_spool.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(
		spool_open(&spool, directory, 4, 10, NULL, NULL), CTP_OK);
}

static void teardown(void)
{
	spool_close(&spool, false);
	ck_assert_int_eq(rmdir(directory), 0); /* nothing is left in it */
}

static uint32_t count(void)
{
	return atomic_load(&spool.header->chunk_count);
}

static bool is_zero(const struct chunk *chunk)
{
	for (size_t i = 0; i < CHUNK_WORDS; i++)
		if (chunk->words[i] != 0)
			return false;
	return chunk->consumed == 0 && chunk->seq == 0;
}

START_TEST(the_header_identifies_the_file)
{
	struct stat status;

	ck_assert_int_eq(memcmp(spool.header->magic, "CTPSPOOL", 8), 0);
	ck_assert_uint_eq(spool.header->version, SPOOL_VERSION);
	ck_assert_uint_eq(count(), 4);
	ck_assert_uint_eq(spool.header->scale.ns_per_tick, 0);
	ck_assert_int_eq(stat(spool.path, &status), 0);
	ck_assert_int_eq(status.st_size, 5 * (off_t)CHUNK_BYTES);
	/* Other users cannot read a program's records. */
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
}
END_TEST

START_TEST(chunks_are_handed_out_once_each)
{
	struct chunk *chunks[4];

	for (uint32_t i = 0; i < 4; i++) {
		chunks[i] = spool_pop_free(&spool);
		ck_assert_ptr_nonnull(chunks[i]);
		ck_assert_uint_lt(spool_index(&spool, chunks[i]), 4);
		ck_assert_ptr_eq(
			spool_chunk(&spool, spool_index(&spool, chunks[i])),
			chunks[i]);
		ck_assert(is_zero(chunks[i]));
		for (uint32_t j = 0; j < i; j++)
			ck_assert_ptr_ne(chunks[j], chunks[i]);
	}
	ck_assert_ptr_null(spool_pop_free(&spool));
	spool_push_free(&spool, chunks[2]);
	ck_assert_ptr_eq(spool_pop_free(&spool), chunks[2]);
	ck_assert_ptr_null(spool_pop_free(&spool));
}
END_TEST

START_TEST(chunks_given_back_are_clear)
{
	static const uint32_t used[] = {0, 1, 100, CHUNK_WORDS};

	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		for (size_t j = 0; j < sizeof(used) / sizeof(used[0]); j++) {
			struct chunk *chunk = spool_pop_free(&spool);

			ck_assert_ptr_nonnull(chunk);
			for (uint32_t k = 0; k < used[i]; k++)
				chunk->words[k] = k + 1;
			spool_commit(&spool, chunk,
				used[j] < used[i] ? used[j] : used[i],
				(struct spool_extent){0});
			chunk->seq = 9;
			spool_push_free(&spool, chunk);
			ck_assert_ptr_eq(spool_pop_free(&spool), chunk);
			ck_assert(is_zero(chunk));
			spool_push_free(&spool, chunk);
		}
	}
}
END_TEST

START_TEST(full_chunks_come_out_oldest_first)
{
	struct chunk *chunks[4];
	struct chunk *chunk;

	ck_assert_ptr_null(spool_pop_full(&spool));
	for (uint32_t i = 0; i < 4; i++)
		chunks[i] = spool_pop_free(&spool);
	spool_push_full(&spool, chunks[3], 0);
	spool_push_full(&spool, chunks[0], 0);
	spool_push_full(&spool, chunks[2], 0);
	chunk = spool_pop_full(&spool);
	ck_assert_ptr_eq(chunk, chunks[3]);
	/* Records stored meanwhile are left for the next time. */
	spool_push_full(&spool, chunks[1], 0);
	chunk = spool_next(&spool, chunk);
	ck_assert_ptr_eq(chunk, chunks[0]);
	chunk = spool_next(&spool, chunk);
	ck_assert_ptr_eq(chunk, chunks[2]);
	ck_assert_ptr_null(spool_next(&spool, chunk));
	chunk = spool_pop_full(&spool);
	ck_assert_ptr_eq(chunk, chunks[1]);
	ck_assert_ptr_null(spool_next(&spool, chunk));
	ck_assert_ptr_null(spool_pop_full(&spool));
}
END_TEST

START_TEST(it_grows_to_its_maximum_and_no_further)
{
	struct chunk *first = spool_pop_free(&spool);
	struct stat status;

	first->words[0] = 77;
	ck_assert(spool_grow(&spool, 4));
	ck_assert_uint_eq(count(), 8);
	ck_assert(spool_grow(&spool, 4)); /* as many as there may be */
	ck_assert_uint_eq(count(), 10);
	ck_assert(!spool_grow(&spool, 1));
	ck_assert_uint_eq(count(), 10);
	for (int i = 0; i < 9; i++) {
		struct chunk *chunk = spool_pop_free(&spool);

		ck_assert_ptr_nonnull(chunk);
		ck_assert(is_zero(chunk));
		chunk->words[CHUNK_WORDS - 1] = 1;
	}
	ck_assert_ptr_null(spool_pop_free(&spool));
	ck_assert_uint_eq(first->words[0], 77); /* nothing has moved */
	ck_assert_int_eq(stat(spool.path, &status), 0);
	ck_assert_int_eq(status.st_size, 11 * (off_t)CHUNK_BYTES);
}
END_TEST

/* The memory of the file, in pages. */
static int64_t file_pages(void)
{
	struct stat status;

	ck_assert_int_eq(fstat(spool.fd, &status), 0);
	return (int64_t)status.st_blocks * 512 / (int64_t)SPOOL_PAGE_BYTES;
}

START_TEST(small_chunks_have_less_memory)
{
	int64_t before = file_pages();
	int64_t after;
	struct chunk *chunk;
	uint32_t room;

	while ((chunk = spool_pop_free(&spool)) != NULL)
		ck_assert_uint_eq(spool_room(&spool, chunk), CHUNK_WORDS);
	ck_assert(spool_grow_small(&spool, 16, 1, UINT32_MAX));
	ck_assert_uint_eq(count(), 20);
	after = file_pages(); /* the file system adds some of its own */
	ck_assert(after >= before + 16 && after <= before + 24);
	/* Not while there are some. */
	ck_assert(spool_grow_small(&spool, 16, 1, UINT32_MAX));
	ck_assert_uint_eq(count(), 20);
	chunk = spool_pop_free(&spool);
	room = spool_room(&spool, chunk);
	ck_assert_uint_eq(room, 512 - 8 - 1);
	for (uint32_t i = 0; i < room; i++)
		chunk->words[i] = 1;
	ck_assert_uint_eq(chunk->words[room], 0); /* readers stop here */
	spool_push_free(&spool, chunk);
	ck_assert_ptr_eq(spool_pop_free(&spool), chunk);
	for (uint32_t i = 0; i <= room; i++)
		ck_assert_uint_eq(chunk->words[i], 0);
	ck_assert_int_eq(file_pages(), after);
}
END_TEST

START_TEST(chunks_get_and_lose_memory)
{
	int64_t before = file_pages();
	struct chunk *chunk = spool_pop_free(&spool);

	ck_assert_uint_eq(atomic_load(&spool.pages), 4 * SPOOL_CHUNK_PAGES);
	spool_trim(&spool, chunk, 2);
	ck_assert_uint_eq(spool_room(&spool, chunk), 2 * 512 - 8 - 1);
	ck_assert_uint_eq(
		atomic_load(&spool.pages), 4 * SPOOL_CHUNK_PAGES - 14);
	ck_assert_int_lt(file_pages(), before - 8);
	ck_assert(spool_extend(&spool, chunk, spool_pages(CHUNK_WORDS),
		4 * SPOOL_CHUNK_PAGES));
	ck_assert_uint_eq(spool_room(&spool, chunk), CHUNK_WORDS);
	ck_assert_uint_eq(atomic_load(&spool.pages), 4 * SPOOL_CHUNK_PAGES);
	ck_assert_int_ge(file_pages(), before);
	ck_assert(is_zero(chunk));
	ck_assert_uint_eq(spool_pages(503), 1);
	ck_assert_uint_eq(spool_pages(504), 2);
}
END_TEST

START_TEST(recorded_events_are_in_the_file)
{
	struct chunk *chunk = spool_pop_free(&spool);
	uint64_t words[2];
	int fd = open(spool.path, O_RDONLY | O_CLOEXEC);
	off_t at = (off_t)((spool_index(&spool, chunk) + 1) * CHUNK_BYTES);

	chunk->words[0] = 0x1234;
	chunk->words[1] = 0x5678;
	ck_assert_int_ge(fd, 0);
	at += (off_t)((const char *)chunk->words - (const char *)chunk);
	ck_assert_int_eq(pread(fd, words, sizeof(words), at), sizeof(words));
	ck_assert_uint_eq(words[0], 0x1234);
	ck_assert_uint_eq(words[1], 0x5678);
	(void)close(fd);
}
END_TEST

START_TEST(commits_are_written_in_turn)
{
	struct chunk *chunk = spool_pop_free(&spool);
	const struct spool_header *header = spool.header;

	for (uint32_t i = 1; i < 6; i++) {
		const struct spool_commit *commit;

		chunk->track = i;
		chunk->seq = i + 1;
		spool_commit(&spool, chunk, i * 10,
			(struct spool_extent){i * 1000, i + 2, i});
		ck_assert_uint_eq(atomic_load(&header->sequence), i);
		commit = &header->commits[i & 1];
		ck_assert_uint_eq(commit->consumed, i * 10);
		ck_assert_uint_eq(commit->log.bytes, i * 1000);
		ck_assert_uint_eq(commit->log.events, i + 2);
		ck_assert_int_eq(commit->log.newest_ns, i);
		ck_assert_uint_eq(commit->chunk, spool_index(&spool, chunk));
		ck_assert_uint_eq(commit->track, i);
		ck_assert_uint_eq(commit->seq, i + 1);
		ck_assert_uint_eq(chunk->consumed, i * 10);
		if (i > 1)
			ck_assert_uint_eq(header->commits[~i & 1].log.bytes,
				(i - 1) * 1000);
	}
	spool_commit(&spool, NULL, 0, (struct spool_extent){6000, 7, 5});
	ck_assert_uint_eq(header->commits[0].log.bytes, 6000);
	ck_assert_uint_eq(header->commits[0].chunk, SPOOL_NO_CHUNK);
	ck_assert_uint_eq(chunk->consumed, 50); /* of the chunk before */
}
END_TEST

START_TEST(closing_removes_the_file_but_not_the_memory)
{
	struct chunk *chunk = spool_pop_free(&spool);
	char path[SPOOL_PATH_BYTES];

	memcpy(path, spool.path, sizeof(path));
	chunk->words[0] = 5;
	ck_assert_int_eq(access(path, F_OK), 0);
	spool_close(&spool, false);
	ck_assert_int_eq(access(path, F_OK), -1);
	/* A thread that was about to store a record does so now. */
	chunk->words[0] = 6;
	chunk->words[CHUNK_WORDS - 1] = 6;
	spool_close(&spool, false); /* twice is harmless */
	ck_assert_int_eq(
		spool_open(&spool, directory, 4, 10, NULL, NULL), CTP_OK);
	for (int i = 0; i < 4; i++) {
		chunk = spool_pop_free(&spool);
		ck_assert_ptr_nonnull(chunk);
		ck_assert(is_zero(chunk));
	}
}
END_TEST

START_TEST(without_a_directory_it_is_memory)
{
	struct chunk *chunk;

	spool_close(&spool, false);
	ck_assert_int_eq(
		spool_open(&spool, "./no/such/directory", 2, 5, NULL, NULL),
		CTP_OK);
	ck_assert_int_eq(spool.fd, -1);
	ck_assert_str_eq(spool.path, "");
	ck_assert_uint_eq(count(), 2);
	ck_assert_ptr_nonnull(spool_pop_free(&spool));
	ck_assert_ptr_nonnull(spool_pop_free(&spool));
	ck_assert_ptr_null(spool_pop_free(&spool));
	ck_assert(spool_grow(&spool, 10));
	ck_assert_uint_eq(count(), 5);
	chunk = spool_pop_free(&spool);
	ck_assert_ptr_nonnull(chunk);
	chunk->words[0] = 1;
	spool_push_free(&spool, chunk);
	ck_assert_ptr_eq(spool_pop_free(&spool), chunk);
	ck_assert(is_zero(chunk));
}
END_TEST

/* Simulates a full disk with a limit on file sizes. The limit must be lifted
 * before Check writes its own file. */
START_TEST(without_space_it_is_memory)
{
	struct rlimit limit = {2 * CHUNK_BYTES, RLIM_INFINITY};
	enum ctp_status status;

	spool_close(&spool, false);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	status = spool_open(&spool, directory, 2, 5, NULL, NULL);
	limit.rlim_cur = RLIM_INFINITY;
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_int_eq(status, CTP_OK);
	ck_assert_int_eq(spool.fd, -1);
	ck_assert_ptr_nonnull(spool_pop_free(&spool));
	ck_assert_ptr_nonnull(spool_pop_free(&spool));
	ck_assert_ptr_null(spool_pop_free(&spool));
}
END_TEST

START_TEST(without_space_to_grow_it_stays_as_it_is)
{
	struct rlimit limit = {6 * CHUNK_BYTES, RLIM_INFINITY};
	bool grew;

	(void)signal(SIGXFSZ, SIG_IGN);
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	grew = spool_grow(&spool, 4);
	limit.rlim_cur = RLIM_INFINITY;
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert(!grew);
	ck_assert_uint_eq(count(), 4);
	ck_assert(spool_grow(&spool, 4));
	ck_assert_uint_eq(count(), 8);
}
END_TEST

START_TEST(two_spools_of_a_process_have_files_of_their_own)
{
	char first[SPOOL_PATH_BYTES];

	memcpy(first, spool.path, sizeof(first));
	spool_close(&spool, false);
	ck_assert_int_eq(
		spool_open(&spool, directory, 1, 2, NULL, NULL), CTP_OK);
	ck_assert_str_ne(spool.path, first);
	ck_assert_int_eq(strncmp(spool.path, directory, strlen(directory)), 0);
}
END_TEST

START_TEST(a_child_lets_go_without_touching_it)
{
	struct chunk *chunk = spool_pop_free(&spool);
	int status;
	pid_t child;

	chunk->words[0] = 42;
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		spool_leave(&spool);
		chunk->words[0] = 43; /* plain memory by now */
		_exit(spool.fd == -1 && chunk->words[1] == 0 ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(chunk->words[0], 42);
	ck_assert_int_eq(access(spool.path, F_OK), 0);
}
END_TEST

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

START_TEST(waiting_ends_when_the_time_is_up)
{
	int64_t begin = now_ns();

	for (int i = 0; i < 4; i++)
		(void)spool_pop_free(&spool);
	spool_wait_free(&spool, 20000000);
	spool_wait_full(&spool, atomic_load(&spool.full_event), 20000000);
	ck_assert_int_ge(now_ns() - begin, 39000000);
	begin = now_ns();
	/* A record was stored since. */
	spool_wait_full(&spool, atomic_load(&spool.full_event) - 1,
		INT64_C(20000000000));
	ck_assert_int_lt(now_ns() - begin, 10000000000);
}
END_TEST

static void *give_later(void *argument)
{
	struct timespec rest = {0, 20000000};

	(void)nanosleep(&rest, NULL);
	spool_push_full(&spool, argument, 0);
	(void)nanosleep(&rest, NULL);
	spool_push_free(&spool, spool_pop_full(&spool));
	return NULL;
}

START_TEST(waiting_ends_when_there_is_something)
{
	uint32_t seen = atomic_load(&spool.full_event);
	struct chunk *chunk = spool_pop_free(&spool);
	int64_t begin = now_ns();
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		(void)spool_pop_free(&spool);
	ck_assert_int_eq(pthread_create(&thread, NULL, give_later, chunk), 0);
	spool_wait_full(&spool, seen, INT64_C(60000000000));
	spool_wait_free(&spool, INT64_C(60000000000));
	ck_assert_int_lt(now_ns() - begin, 30000000000);
	(void)pthread_join(thread, NULL);
	ck_assert_ptr_eq(spool_pop_free(&spool), chunk);
}
END_TEST

enum { THREADS = 4, ROUNDS = 20000 };

static _Atomic uint32_t owners[10];
static _Atomic uint32_t collisions;

/* Takes chunks, and returns them or passes them on. */
static void *churn(void *argument)
{
	unsigned number = *(const unsigned *)argument;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct chunk *chunk = spool_pop_free(&spool);

		if (chunk == NULL && i % 64 == 0)
			(void)spool_grow(&spool, 1);
		if (chunk == NULL)
			continue;
		if (atomic_exchange(&owners[spool_index(&spool, chunk)],
			    number + 1) != 0 ||
			chunk->words[0] != 0)
			atomic_fetch_add(&collisions, 1);
		chunk->words[0] = number + 1;
		atomic_store(&owners[spool_index(&spool, chunk)], 0);
		if (i % 3 == 0)
			spool_push_full(&spool, chunk, 0);
		else
			spool_push_free(&spool, chunk);
		if (number != 0)
			continue;
		chunk = spool_pop_full(&spool);
		while (chunk != NULL) {
			struct chunk *next = spool_next(&spool, chunk);

			spool_push_free(&spool, chunk);
			chunk = next;
		}
	}
	return NULL;
}

START_TEST(many_threads_lose_and_share_no_chunk)
{
	pthread_t threads[THREADS];
	unsigned numbers[THREADS];
	uint32_t found = 0;
	struct chunk *chunk;

	for (unsigned i = 0; i < THREADS; i++) {
		numbers[i] = i;
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, churn, &numbers[i]),
			0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	ck_assert_uint_eq(collisions, 0);
	for (chunk = spool_pop_full(&spool); chunk != NULL;
		chunk = spool_next(&spool, chunk))
		found++;
	while (spool_pop_free(&spool) != NULL)
		found++;
	ck_assert_uint_eq(found, count());
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("spool");
	TCase *tests = tcase_create("spool");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, the_header_identifies_the_file);
	tcase_add_test(tests, chunks_are_handed_out_once_each);
	tcase_add_test(tests, chunks_given_back_are_clear);
	tcase_add_test(tests, full_chunks_come_out_oldest_first);
	tcase_add_test(tests, it_grows_to_its_maximum_and_no_further);
	tcase_add_test(tests, recorded_events_are_in_the_file);
	tcase_add_test(tests, commits_are_written_in_turn);
	tcase_add_test(tests, closing_removes_the_file_but_not_the_memory);
	tcase_add_test(tests, without_a_directory_it_is_memory);
	tcase_add_test(tests, without_space_it_is_memory);
	tcase_add_test(tests, without_space_to_grow_it_stays_as_it_is);
	tcase_add_test(tests, two_spools_of_a_process_have_files_of_their_own);
	tcase_add_test(tests, a_child_lets_go_without_touching_it);
	tcase_add_test(tests, small_chunks_have_less_memory);
	tcase_add_test(tests, chunks_get_and_lose_memory);
	tcase_add_test(tests, waiting_ends_when_the_time_is_up);
	tcase_add_test(tests, waiting_ends_when_there_is_something);
	tcase_add_test(tests, many_threads_lose_and_share_no_chunk);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}

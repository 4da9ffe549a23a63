/* SPDX-License-Identifier: MIT */
/* Spools made or damaged to do harm: no crash, no endless work, and nothing is
 * written but the log. RECOVER_SPOOLS is their number. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recover_case.h"
#include "support/run_suite.h"

enum { CHUNKS = 4, SPOOL_BYTES = (CHUNKS + 1) * CHUNK_BYTES };

static struct hand hand;
static uint8_t sound[SPOOL_BYTES];
static uint8_t broken[SPOOL_BYTES];
static char log_bytes[65536];
static size_t log_size;
static char spool_path[SPOOL_PATH_BYTES];
static uint64_t state;

static uint64_t pick(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static void read_whole(const char *path, void *bytes, size_t room, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	ck_assert_int_ge(fd, 0);
	got = read(fd, bytes, room);
	ck_assert_int_ge(got, 0);
	(void)close(fd);
	*size = (size_t)got;
}

static void write_whole(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	(void)close(fd);
}

/* Every kind of record is in the chunks. */
static void put_long(struct chunk *chunk, uint32_t *used, enum chunk_long kind)
{
	uint64_t *at = chunk->words + *used;

	for (uint64_t i = 1; i <= 4; i++)
		at[i] = i == 1 ? hand.start + 1000 : i;
	at[0] = chunk_long(chunk, kind, 4, 8);
	*used += 5;
}

static void set_up(void)
{
	uint32_t used = 0;
	struct chunk *chunk;
	size_t size;

	record_case_set_up();
	hand_open(&hand, CHUNKS);
	hand_begin_log(&hand);
	chunk = hand_take(&hand, 1, 0);
	hand_ranges(&hand, chunk, 10, 0);
	hand_pack(&hand, chunk);
	hand_ranges(&hand, chunk, 10, 100000);
	chunk = hand_take(&hand, 2, 0);
	for (int kind = CHUNK_BEGIN; kind <= CHUNK_ARG_TEXT; kind++)
		put_long(chunk, &used, (enum chunk_long)kind);
	used = hand.registry_used;
	for (int kind = CHUNK_SITE; kind <= CHUNK_MODULE_CLOSED; kind++)
		put_long(hand.registry, &used, (enum chunk_long)kind);
	hand_die(&hand);
	(void)snprintf(spool_path, sizeof(spool_path), "%s", hand_spool());
	read_whole(spool_path, sound, sizeof(sound), &size);
	ck_assert_uint_eq(size, sizeof(sound));
	read_whole(record_case_path, log_bytes, sizeof(log_bytes), &log_size);
}

/* Positions of data that are checked. */
static size_t pick_offset(void)
{
	size_t chunk = (size_t)pick(CHUNKS + 1) * CHUNK_BYTES;

	switch (pick(4)) {
	case 0:
		return (size_t)pick(offsetof(struct spool_header, log_path));
	case 1:
		return offsetof(struct spool_header, facts) +
		       (size_t)pick(sizeof(struct spool_facts));
	case 2:
		return chunk + (size_t)pick(64);
	default:
		return chunk + (size_t)pick(1024);
	}
}

/* The log's path stays: the user's own spool may name any file. */
static void damage(void)
{
	size_t from = offsetof(struct spool_header, log_path);

	for (uint64_t i = pick(12) + 1; i > 0; i--) {
		size_t at = pick_offset();

		if (at >= from && at < from + SPOOL_PATH_BYTES)
			continue;
		switch (pick(4)) {
		case 0:
			broken[at] ^= (uint8_t)(1 << pick(8));
			break;
		case 1:
			broken[at] = (uint8_t)pick(256);
			break;
		case 2:
			broken[at] = 0xff;
			break;
		default:
			memset(broken + at, (int)pick(256),
				(size_t)pick(16) & 8);
		}
	}
}

/* The directory contains no other file. */
static void expect_nothing_else(void)
{
	char command[300];

	(void)snprintf(command, sizeof(command),
		"ls '%s' | grep -qvE '^(run[.0-9]*ctp|.*spool)$'",
		record_case_directory);
	ck_assert_int_ne(system(command), 0);
}

static void try_spool(size_t size)
{
	static struct spool_file spool;
	const struct recover_options options = {0};
	struct recover_result result;
	struct spool_content content;

	write_whole(spool_path, broken, size);
	write_whole(record_case_path, log_bytes, log_size);
	if (spool_file_open(&spool, spool_path, NULL) != CTP_OK)
		return;
	(void)spool_file_count(&spool, &content, NULL);
	if (recover_spool(&spool, &options, &result, NULL) == CTP_OK &&
		result.log[0] != '\0')
		(void)record_case_read_log(result.log, "");
	spool_file_close(&spool);
}

START_TEST(damaged_spools_do_no_harm)
{
	const char *asked = getenv("RECOVER_SPOOLS");
	int count = asked == NULL ? 2000 : atoi(asked);

	state = 0x9e3779b97f4a7c15;
	for (int i = 0; i < count; i++) {
		memcpy(broken, sound, sizeof(broken));
		damage();
		try_spool(sizeof(broken));
	}
	expect_nothing_else();
}
END_TEST

START_TEST(spools_cut_short_do_no_harm)
{
	memcpy(broken, sound, sizeof(broken));
	for (size_t size = 0; size < sizeof(broken);
		size += size < 300 ? 1 : 4099)
		try_spool(size);
	expect_nothing_else();
}
END_TEST

START_TEST(a_file_that_is_not_a_spool_is_refused)
{
	static struct spool_file spool;
	char link[300];

	(void)snprintf(
		link, sizeof(link), "%s/link.spool", record_case_directory);
	ck_assert_int_eq(symlink(spool_path, link), 0);
	ck_assert_int_eq(spool_file_open(&spool, link, NULL), CTP_ERR_FORMAT);
	ck_assert_int_eq(
		spool_file_open(&spool, "/dev/null", NULL), CTP_ERR_FORMAT);
	ck_assert_int_eq(spool_file_open(&spool, record_case_directory, NULL),
		CTP_ERR_FORMAT);
	ck_assert_int_eq(spool_file_open(&spool, record_case_path, NULL),
		CTP_ERR_FORMAT);
	ck_assert_int_eq(spool_file_open(&spool, "./none", NULL), CTP_ERR_IO);
	memcpy(broken, sound, sizeof(broken));
	broken[offsetof(struct spool_header, version)]++;
	write_whole(spool_path, broken, sizeof(broken));
	ck_assert_int_eq(
		spool_file_open(&spool, spool_path, NULL), CTP_ERR_UNSUPPORTED);
}
END_TEST

/* Opening one would wake others that wait at its other end. */
START_TEST(a_pipe_that_is_called_a_spool_is_not_opened)
{
	static struct spool_file spool;
	char path[300];
	pid_t reader;
	int status;

	(void)snprintf(
		path, sizeof(path), "%s/pipe.spool", record_case_directory);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	reader = fork();
	if (reader == 0) {
		(void)alarm(60);
		_exit(open(path, O_RDONLY) < 0);
	}
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(
			spool_file_open(&spool, path, NULL), CTP_ERR_FORMAT);
		(void)usleep(5000);
	}
	ck_assert_int_eq(waitpid(reader, &status, WNOHANG), 0);
	ck_assert_int_eq(kill(reader, SIGKILL), 0);
	ck_assert_int_eq(waitpid(reader, &status, 0), reader);
}
END_TEST

START_TEST(another_users_spool_is_refused)
{
	static struct spool_file spool;

	if (geteuid() != 0 || chown(spool_path, 12345, 12345) != 0)
		return; /* only root can make one */
	ck_assert_int_eq(
		spool_file_open(&spool, spool_path, NULL), CTP_ERR_FORMAT);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("recover_hostile");
	TCase *tests = tcase_create("recover_hostile");

	tcase_add_checked_fixture(tests, set_up, record_case_tear_down);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, damaged_spools_do_no_harm);
	tcase_add_test(tests, spools_cut_short_do_no_harm);
	tcase_add_test(tests, a_file_that_is_not_a_spool_is_refused);
	tcase_add_test(tests, a_pipe_that_is_called_a_spool_is_not_opened);
	tcase_add_test(tests, another_users_spool_is_refused);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}

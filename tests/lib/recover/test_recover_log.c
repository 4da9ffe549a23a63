/* SPDX-License-Identifier: MIT */
/* recover/recover_log.[ch], by way of recover.h: output goes only to the
 * spool's log, whatever became of it. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recover_case.h"
#include "recover/recover_log.h"
#include "support/run_suite.h"

static struct hand hand;
static char other[300]; /* another file's path */

static void set_up(void)
{
	record_case_set_up();
	(void)snprintf(other, sizeof(other), "%s/other", record_case_directory);
}

/* 10 ranges are in the log and 5 are not; `pid` is the recorder's. */
static void make(uint32_t pid)
{
	struct chunk *chunk;

	hand_open(&hand, 4);
	hand.spool.header->facts.pid = pid;
	hand_begin_log(&hand);
	chunk = hand_take(&hand, 1, 0);
	hand_ranges(&hand, chunk, 10, 0);
	hand_pack(&hand, chunk);
	hand_ranges(&hand, chunk, 5, 100000);
	hand_die(&hand);
}

static uint64_t ranges_in(const char *path)
{
	return record_case_read_log(path, "inner").named;
}

static off_t size_of(const char *path)
{
	struct stat file;

	ck_assert_int_eq(stat(path, &file), 0);
	return file.st_size;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	(void)close(fd);
}

static size_t read_file(const char *path, void *bytes, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size;

	ck_assert_int_ge(fd, 0);
	size = read(fd, bytes, room);
	(void)close(fd);
	ck_assert_int_ge(size, 0);
	return (size_t)size;
}

/* Recovery is refused, and the log does not change. */
static void expect_refused(const char *log)
{
	static char before[65536];
	static char after[65536];
	size_t size = read_file(record_case_path, before, sizeof(before));

	ck_assert_int_eq(hand_recover(log, NULL), CTP_ERR_FORMAT);
	ck_assert_uint_eq(
		read_file(record_case_path, after, sizeof(after)), size);
	ck_assert_int_eq(memcmp(before, after, size), 0);
}

START_TEST(a_log_may_be_renamed)
{
	struct recover_result result;

	make(77);
	ck_assert_int_eq(rename(record_case_path, other), 0);
	ck_assert_int_eq(hand_recover(other, &result), CTP_OK);
	ck_assert_str_eq(result.log, other);
	ck_assert_uint_eq(ranges_in(other), 15);
	ck_assert_int_eq(access(record_case_path, F_OK), -1);
}
END_TEST

START_TEST(a_log_may_be_copied)
{
	static char bytes[65536];

	make(77);
	write_file(other, bytes,
		read_file(record_case_path, bytes, sizeof(bytes)));
	ck_assert_int_eq(hand_recover(other, NULL), CTP_OK);
	ck_assert_uint_eq(ranges_in(other), 15);
	ck_assert_uint_eq(ranges_in(record_case_path), 10);
}
END_TEST

START_TEST(a_log_that_is_gone_is_made_anew)
{
	struct recover_result result;
	struct case_content content;

	make(77);
	ck_assert_int_eq(unlink(record_case_path), 0);
	ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
	ck_assert(result.is_cut);
	ck_assert_uint_eq(result.events, 10);
	content = record_case_read_log(record_case_path, "inner");
	/* The site's name went with the log. */
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 5);
	ck_assert_uint_ge(content.losses[LOSS_MISSING_BLOCKS], 1);
}
END_TEST

START_TEST(a_log_cut_short_shows_the_gap)
{
	off_t size;

	for (off_t less = 1; less < 60; less++) {
		struct recover_result result;
		struct case_content content;

		make(77);
		size = size_of(record_case_path);
		ck_assert_int_eq(truncate(record_case_path, size - less), 0);
		ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
		ck_assert(result.is_cut);
		content = record_case_read_log(record_case_path, "inner");
		ck_assert_uint_eq(content.named, 5);
		ck_assert_uint_ge(content.losses[LOSS_MISSING_BLOCKS], 1);
		ck_assert_uint_eq(content.losses[LOSS_DAMAGED_BLOCKS], 0);
	}
}
END_TEST

START_TEST(another_recordings_log_is_not_touched)
{
	static char bytes[65536];
	char path[400];
	struct recover_result result;
	size_t size;

	make(88);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	size = read_file(record_case_path, bytes, sizeof(bytes));
	make(77);
	write_file(record_case_path, bytes, size);
	ck_assert_int_eq(hand_recover(record_case_path, NULL), CTP_ERR_FORMAT);
	ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
	ck_assert_uint_eq(ranges_in(record_case_path), 15);
	(void)snprintf(
		path, sizeof(path), "%s/run.77.ctp", record_case_directory);
	ck_assert_str_eq(strrchr(result.log, '/'), "/run.77.ctp");
	ck_assert_uint_eq(record_case_read_log(path, "").kinds[EVENT_BEGIN], 5);
}
END_TEST

START_TEST(a_file_that_is_not_a_log_is_not_touched)
{
	static const char text[] = "all that I know\n";
	char bytes[100];
	struct recover_result result;

	make(77);
	write_file(record_case_path, text, sizeof(text));
	expect_refused(record_case_path);
	ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
	ck_assert_str_eq(strrchr(result.log, '/'), "/run.77.ctp");
	ck_assert_uint_eq(read_file(record_case_path, bytes, sizeof(bytes)),
		sizeof(text));
	ck_assert_str_eq(bytes, text);
}
END_TEST

START_TEST(directories_and_devices_are_refused)
{
	make(77);
	ck_assert_int_eq(unlink(record_case_path), 0);
	ck_assert_int_eq(symlink("/dev/null", record_case_path), 0);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_ERR_FORMAT);
	ck_assert_int_eq(unlink(record_case_path), 0);
	ck_assert_int_eq(mkfifo(record_case_path, 0600), 0);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_ERR_FORMAT);
	ck_assert_int_eq(unlink(record_case_path), 0);
	ck_assert_int_eq(mkdir(record_case_path, 0700), 0);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_ERR_FORMAT);
}
END_TEST

/* The rest goes to a log with the process's number; the file stays. */
static void expect_in_another(const char *untouched)
{
	struct recover_result result;
	struct stat before;
	struct stat after;
	int existed = stat(untouched, &before);

	ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
	ck_assert_str_eq(strrchr(result.log, '/'), "/run.77.ctp");
	ck_assert_int_eq(stat(untouched, &after), existed);
	if (existed == 0)
		ck_assert_int_eq(after.st_size, before.st_size);
	ck_assert_int_eq(unlink(result.log), 0);
}

START_TEST(a_link_in_the_place_of_the_log_is_not_followed)
{
	make(77);
	ck_assert_int_eq(rename(record_case_path, other), 0);
	/* It links to the log itself, but anybody may have made the link. */
	ck_assert_int_eq(symlink(strrchr(other, '/') + 1, record_case_path), 0);
	expect_in_another(other);
	ck_assert_int_eq(unlink(record_case_path), 0);
	ck_assert_int_eq(unlink(other), 0);
	make(77);
	ck_assert_int_eq(unlink(record_case_path), 0);
	ck_assert_int_eq(symlink(strrchr(other, '/') + 1, record_case_path), 0);
	expect_in_another(other);
	/* Nor is one that is named on the command line. */
	ck_assert_int_eq(unlink(record_case_path), 0);
	make(77);
	write_file(other, "", 0);
	ck_assert_int_eq(unlink(record_case_path), 0);
	ck_assert_int_eq(symlink(strrchr(other, '/') + 1, record_case_path), 0);
	ck_assert_int_eq(hand_recover(record_case_path, NULL), CTP_ERR_FORMAT);
	ck_assert_int_eq(size_of(other), 0);
}
END_TEST

START_TEST(an_empty_file_in_the_place_of_the_log_stays_empty)
{
	make(77);
	ck_assert_int_eq(rename(record_case_path, other), 0);
	write_file(record_case_path, "", 0);
	expect_in_another(record_case_path);
	/* Its own log may be empty by now. */
	make(77);
	ck_assert_int_eq(truncate(record_case_path, 0), 0);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	ck_assert_int_gt(size_of(record_case_path), 0);
}
END_TEST

START_TEST(another_users_file_in_the_place_of_the_log_is_not_touched)
{
	make(77);
	if (geteuid() != 0 || chown(record_case_path, 65534, 65534) != 0) {
		(void)printf("skipped another_users_file_in_the_place_of_the_"
			     "log_is_not_touched: only root can give a file "
			     "away\n");
		return;
	}
	ck_assert_int_eq(hand_recover(record_case_path, NULL), CTP_ERR_FORMAT);
	/* It is the log: its contents must not be lost. */
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_ERR_FORMAT);
	ck_assert_int_eq(rename(record_case_path, other), 0);
	write_file(record_case_path, "", 0);
	ck_assert_int_eq(chown(record_case_path, 65534, 65534), 0);
	expect_in_another(record_case_path);
}
END_TEST

START_TEST(a_log_that_is_being_written_is_not_touched)
{
	struct recover_result result;
	int fd;

	make(77);
	fd = open(record_case_path, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
	ck_assert_str_eq(strrchr(result.log, '/'), "/run.77.ctp");
	ck_assert_uint_eq(ranges_in(record_case_path), 10);
	(void)close(fd);
}
END_TEST

START_TEST(a_recording_behind_this_one_is_not_cut_away)
{
	static char bytes[65536];
	size_t size;
	int fd;

	make(88);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	size = read_file(record_case_path, bytes, sizeof(bytes));
	make(77);
	fd = open(record_case_path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	(void)close(fd);
	expect_refused(NULL);
	ck_assert_uint_eq(ranges_in(record_case_path), 25);
}
END_TEST

/* The size of the member that begins here; these are small. */
static size_t member_size(const uint8_t *member)
{
	return (size_t)member[16] + ((size_t)member[17] << 8);
}

/* Does a member end after this many bytes? */
static bool is_boundary(const uint8_t *bytes, size_t at)
{
	size_t end = 0;

	while (end < at)
		end += member_size(bytes + end);
	return end == at;
}

/* Another program has written the log anew, with more blocks: the journal's
 * size is inside a block. */
START_TEST(a_log_that_was_changed_is_not_cut)
{
	static uint8_t bytes[65536];
	size_t old_size;
	size_t size;
	size_t header;
	size_t sync;

	make(77);
	old_size = read_file(record_case_path, bytes, sizeof(bytes) / 2);
	size = old_size;
	header = member_size(bytes);
	sync = member_size(bytes + header);
	do {
		memmove(bytes + header + sync, bytes + header, size - header);
		size += sync;
		ck_assert_uint_lt(size, sizeof(bytes) - sync);
	} while (is_boundary(bytes, old_size));
	write_file(record_case_path, bytes, size);
	ck_assert_uint_eq(ranges_in(record_case_path), 10);
	expect_refused(NULL);
}
END_TEST

START_TEST(damage_in_the_log_stays_where_it_is)
{
	struct case_content content;
	int fd;

	make(77);
	fd = open(record_case_path, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, "?", 1, size_of(record_case_path) - 6), 1);
	(void)close(fd);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	content = record_case_read_log(record_case_path, "inner");
	ck_assert_uint_eq(content.named, 5);
	ck_assert_uint_eq(content.losses[LOSS_DAMAGED_BLOCKS], 1);
}
END_TEST

START_TEST(a_log_knows_its_spool)
{
	struct recover_origin origin;
	bool complete = true;
	int fd;

	make(77);
	fd = open(record_case_path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(recover_origin_read(fd, &origin, NULL), CTP_OK);
	ck_assert(origin.known);
	ck_assert_uint_eq(origin.pid, 77);
	ck_assert_str_eq(origin.spool, hand_spool());
	ck_assert_int_eq(recover_log_is_complete(fd, &complete, NULL), CTP_OK);
	ck_assert(!complete);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	ck_assert_int_eq(recover_log_is_complete(fd, &complete, NULL), CTP_OK);
	ck_assert(complete);
	(void)close(fd);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("recover_log");
	TCase *tests = tcase_create("recover_log");

	tcase_add_checked_fixture(tests, set_up, record_case_tear_down);
	tcase_add_test(tests, a_log_may_be_renamed);
	tcase_add_test(tests, a_log_may_be_copied);
	tcase_add_test(tests, a_log_that_is_gone_is_made_anew);
	tcase_add_test(tests, a_log_cut_short_shows_the_gap);
	tcase_add_test(tests, another_recordings_log_is_not_touched);
	tcase_add_test(tests, a_file_that_is_not_a_log_is_not_touched);
	tcase_add_test(tests, directories_and_devices_are_refused);
	tcase_add_test(tests, a_link_in_the_place_of_the_log_is_not_followed);
	tcase_add_test(
		tests, an_empty_file_in_the_place_of_the_log_stays_empty);
	tcase_add_test(tests,
		another_users_file_in_the_place_of_the_log_is_not_touched);
	tcase_add_test(tests, a_log_that_is_being_written_is_not_touched);
	tcase_add_test(tests, a_recording_behind_this_one_is_not_cut_away);
	tcase_add_test(tests, a_log_that_was_changed_is_not_cut);
	tcase_add_test(tests, damage_in_the_log_stays_where_it_is);
	tcase_add_test(tests, a_log_knows_its_spool);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}

/* SPDX-License-Identifier: MIT */
/* The log cannot be written, or no longer, or is removed: the program is not
 * harmed, the written part is readable, and the recorder reports the error. */
#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record_case.h"
#include "support/run_suite.h"
#include "pack/spool.h"

static void expect_words(const char *words, const char *expected)
{
	ck_assert_msg(strstr(words, expected) != NULL, "'%s', not '%s'", words,
		expected);
}

static void expect_status(const char *expected)
{
	expect_words(ctp_status(), expected);
}

/* The largest size of files that the process writes; without a signal. */
static void limit_files(rlim_t bytes)
{
	if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes}) != 0)
		_exit(9);
}

START_TEST(a_full_device_loses_all_and_reports_it)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = "/dev/full";
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	record_case_record(500);
	ck_assert_int_eq(ctp_flush(), CTP_ERR_IO);
	ck_assert_str_eq(ctp_status(),
		"stopped: cannot write /dev/full: No space left on device; "
		"1000 events after that are lost");
	record_case_record(500);
	ctp_arg_int("k", 1);
	ck_assert_int_eq(ctp_flush(), CTP_ERR_IO);
	ck_assert_int_eq(ctp_stop(), CTP_ERR_IO);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_str_eq(ctp_status(),
		"stopped: cannot write /dev/full: No space left on device; "
		"2001 events after that are lost");
	/* The next recording is independent. */
	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_record(1);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_str_eq(ctp_status(), "off");
}
END_TEST

struct limited {
	enum ctp_status start;
	enum ctp_status stop;
	uint64_t begun;
	char before[600]; /* ctp_status() */
	char after[600];
};

/* Ranges that are recorded after recording stopped: more than chunks have room
 * for, so that some are dropped. */
#define RANGES_AFTER 50000

static bool is_stopped(void)
{
	return strncmp(ctp_status(), "stopped", strlen("stopped")) == 0;
}

static void record_early(struct limited *done, int ranges)
{
	for (int i = 0; i < ranges; i++)
		(void)record_case_early_return(1);
	done->begun += (uint64_t)ranges;
}

/*
 * Starts, sets the limit (before that if `early`), and records until recording
 * stops, and after it: in a separate process, since Check writes files as well. It must end
 * as if there were no recorder.
 */
static struct limited record_limited(
	const struct ctp_options *options, rlim_t bytes, bool early)
{
	struct limited done = {.begun = 0};
	int ends[2];
	pid_t child;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		if (early)
			limit_files(bytes);
		done.start = ctp_start(options);
		(void)strcpy(done.before, ctp_status());
		if (!early)
			limit_files(bytes);
		while (!is_stopped())
			record_early(&done, 100);
		record_early(&done, RANGES_AFTER);
		done.stop = ctp_stop();
		(void)strcpy(done.after, ctp_status());
		_exit(write(ends[1], &done, sizeof(done)) !=
			(ssize_t)sizeof(done));
	}
	(void)close(ends[1]);
	ck_assert_int_eq(
		read(ends[0], &done, sizeof(done)), (ssize_t)sizeof(done));
	(void)close(ends[0]);
	record_case_wait(child);
	return done;
}

/* The header needs some 350 bytes. */
static const rlim_t limits[] = {0, 1, 23, 24, 100, 300, 301, 350, 400, 450, 500,
	550, 600, 700, 1000, 4095, 4096, 4097, 10000, 20000, 40000, 65535,
	65536, 65537, 100000, 150000, 200000, 300000, 300001, 400000};

START_TEST(a_limit_of_the_file_size_leaves_whole_blocks)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct case_content content;
	struct limited done;

	options.out = record_case_path;
	options.buffer_bytes = 256 * 1024;
	done = record_limited(&options, limits[_i], false);
	ck_assert_int_eq(done.stop, CTP_ERR_IO);
	expect_words(done.after, "stopped: cannot write ");
	expect_words(done.after, "/run.ctp: File too large; ");
	expect_words(done.after, " events after that are lost");
	ck_assert_uint_le(record_case_file_size(record_case_path), limits[_i]);
	if (record_case_file_size(record_case_path) == 0)
		return;
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.losses[LOSS_TRUNCATED], 1);
	ck_assert_uint_lt(content.named, done.begun);
	ck_assert_uint_eq(record_case_lost(&content),
		1 + content.losses[LOSS_OPEN_RANGES] +
			content.losses[LOSS_UNWRITTEN_RANGES]);
	/* The log's block for losses is there as soon as it has any event. */
	ck_assert(content.losses[LOSS_UNWRITTEN_RANGES] + content.named ==
			  done.begun ||
		  content.named == 0);
	if (limits[_i] >= 65536)
		ck_assert_uint_gt(content.named, 0);
}
END_TEST

START_TEST(a_limit_that_is_there_before_does_not_kill)
{
	static const enum ctp_policy policies[] = {
		CTP_POLICY_BLOCK, CTP_POLICY_GROW, CTP_POLICY_DROP};
	static const rlim_t before[] = {0, 5000, 400000};
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct limited done;

	options.out = record_case_path;
	options.spool = record_case_directory;
	options.policy = policies[_i / 3];
	options.buffer_bytes = 256 * 1024;
	done = record_limited(&options, before[_i % 3], true);
	ck_assert_int_eq(done.start, CTP_OK);
	if (before[_i % 3] < 256 * 1024)
		expect_words(done.before, "without a spool");
	ck_assert_int_eq(done.stop, CTP_ERR_IO);
	expect_words(done.after, "File too large");
	ck_assert_int_eq(record_case_file_count(), 1);
}
END_TEST

START_TEST(lost_and_kept_add_up)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct case_content content;
	unsigned long long lost = 0;
	struct limited done;
	const char *at;

	options.out = record_case_path;
	options.buffer_bytes = 256 * 1024;
	done = record_limited(&options, 50000, false);
	ck_assert_int_eq(done.stop, CTP_ERR_IO);
	at = strstr(done.after, "; ");
	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(sscanf(at, "; %llu events", &lost), 1);
	content = record_case_read_log(record_case_path, "early");
	/* Recording may have ended in the middle of the last range. */
	ck_assert_uint_le(content.named * 2 + lost, done.begun * 2);
	ck_assert_uint_ge(content.named * 2 + lost, done.begun * 2 - 2);
	ck_assert_uint_eq(content.named + content.losses[LOSS_UNWRITTEN_RANGES],
		done.begun);
	ck_assert_uint_eq(content.losses[LOSS_UNWRITTEN_EVENTS], 0);
}
END_TEST

#define THREAD_RANGES 40000

static void *record_some(void *argument)
{
	record_case_record(THREAD_RANGES);
	return argument;
}

/* Records in the given number of threads; some end before recording stops, and
 * others reuse their states. */
static void record_in_threads(int count, rlim_t bytes, enum ctp_policy policy)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	pthread_t threads[8];
	pid_t child = fork();

	if (child != 0) {
		record_case_wait(child);
		return;
	}
	options.out = record_case_path;
	options.buffer_bytes = 256 * 1024;
	options.policy = policy;
	limit_files(bytes);
	if (ctp_start(&options) != CTP_OK)
		_exit(1);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < count; i++)
			if (pthread_create(
				    &threads[i], NULL, record_some, NULL) != 0)
				_exit(2);
		for (int i = 0; i < count; i++)
			(void)pthread_join(threads[i], NULL);
	}
	_exit(ctp_stop() != CTP_ERR_IO);
}

START_TEST(kept_and_lost_ranges_are_all_ranges)
{
	static const rlim_t sizes[] = {1200, 1800, 2500};
	static const enum ctp_policy policies[] = {
		CTP_POLICY_BLOCK, CTP_POLICY_DROP};
	int count = _i % 2 == 0 ? 1 : 8;
	struct case_content content;

	record_in_threads(count, sizes[_i / 4], policies[_i / 2 % 2]);
	content = record_case_read_log(record_case_path, "work");
	ck_assert_uint_gt(content.losses[LOSS_UNWRITTEN_RANGES], 0);
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN] +
				  content.losses[LOSS_DROPPED_RANGES] +
				  content.losses[LOSS_UNWRITTEN_RANGES],
		(uint64_t)count * 2 * THREAD_RANGES);
	ck_assert_uint_eq(content.losses[LOSS_UNWRITTEN_EVENTS], 0);
}
END_TEST

START_TEST(a_log_that_is_removed_is_missed)
{
	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_record(10);
	ck_assert_int_eq(ctp_flush(), CTP_OK);
	ck_assert_int_eq(unlink(record_case_path), 0);
	if (_i == 1) {
		ck_assert_int_eq(rmdir(record_case_directory), 0);
		record_case_record(10);
	}
	ck_assert_int_eq(ctp_stop(), CTP_ERR_IO);
	expect_status("/run.ctp was removed while it was written");
	if (_i == 1)
		ck_assert_int_eq(mkdir(record_case_directory, 0700), 0);
}
END_TEST

START_TEST(a_log_that_is_replaced_is_missed)
{
	char other[300];
	FILE *file;

	(void)snprintf(other, sizeof(other), "%s/other", record_case_directory);
	file = fopen(other, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fclose(file), 0);
	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_record(10);
	ck_assert_int_eq(rename(other, record_case_path), 0);
	ck_assert_int_eq(ctp_stop(), CTP_ERR_IO);
	expect_status("was removed while it was written");
	ck_assert_uint_eq(record_case_file_size(record_case_path), 0);
}
END_TEST

START_TEST(a_log_may_be_moved)
{
	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_record(10);
	ck_assert_int_eq(
		rename(record_case_path, record_case_child_path(1)), 0);
	record_case_record(10);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_uint_eq(
		record_case_read_log(record_case_child_path(1), "early").named,
		20);
}
END_TEST

/* Nobody may write there, not even root, who changes to nobody for it. */
START_TEST(a_log_that_cannot_be_made_is_reported)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	FILE *file;

	options.out = record_case_path;
	if (_i == 1) {
		file = fopen(record_case_path, "w");
		ck_assert_ptr_nonnull(file);
		ck_assert_int_eq(fclose(file), 0);
		ck_assert_int_eq(chmod(record_case_path, 0444), 0);
	}
	ck_assert_int_eq(chmod(record_case_directory, 0555), 0);
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	ck_assert_int_eq(ctp_start(&options), CTP_ERR_IO);
	expect_status("/run.ctp: Permission denied");
	record_case_record(10);
	ck_assert_int_eq(ctp_flush(), CTP_ERR_STATE);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(chmod(record_case_directory, 0700), 0);
}
END_TEST

START_TEST(a_directory_is_not_a_log)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = record_case_directory;
	ck_assert_int_eq(ctp_start(&options), CTP_ERR_IO);
	expect_status("Is a directory");
}
END_TEST

START_TEST(a_pipe_without_a_reader_is_refused)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	ck_assert_int_eq(mkfifo(record_case_path, 0600), 0);
	options.out = record_case_path;
	ck_assert_int_eq(ctp_start(&options), CTP_ERR_IO);
	expect_status("No such device or address");
}
END_TEST

START_TEST(a_pipe_that_loses_its_reader_does_not_kill)
{
	uint8_t bytes[2];
	int reader;

	ck_assert_int_eq(mkfifo(record_case_path, 0600), 0);
	reader = open(record_case_path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(reader, 0);
	ck_assert_ptr_eq(signal(SIGPIPE, SIG_DFL), SIG_DFL);
	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_record(10);
	ck_assert_int_eq(ctp_flush(), CTP_OK);
	ck_assert_int_eq(read(reader, bytes, 2), 2);
	ck_assert_uint_eq(bytes[0], 0x1f);
	ck_assert_uint_eq(bytes[1], 0x8b);
	(void)close(reader);
	record_case_record(10);
	ck_assert_int_eq(ctp_flush(), CTP_ERR_IO);
	expect_status("/run.ctp: Broken pipe; 20 events after that are lost");
	ck_assert_int_eq(ctp_stop(), CTP_ERR_IO);
}
END_TEST

/* Recording to record_case_path is refused, and this file does not change. */
static void expect_untouched(const char *path, const char *words)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct stat before;
	struct stat after;
	int existed = stat(path, &before);

	options.out = record_case_path;
	ck_assert_int_eq(ctp_start(&options), CTP_ERR_IO);
	expect_status(words);
	ck_assert_int_eq(stat(path, &after), existed);
	if (existed == 0)
		ck_assert_int_eq(after.st_size, before.st_size);
}

static void write_text(const char *path)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs("all that I know\n", file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_link_is_not_followed)
{
	const char *words = "run.ctp: it is a symbolic link and is not "
			    "followed; give the path that it leads to";
	char other[300];

	(void)snprintf(other, sizeof(other), "%s/other", record_case_directory);
	ck_assert_int_eq(symlink("other", record_case_path), 0);
	expect_untouched(other, words);
	write_text(other);
	expect_untouched(other, words);
	/* Links in its path are the user's choice. */
	ck_assert_int_eq(unlink(record_case_path), 0);
	ck_assert_int_eq(unlink(other), 0);
	ck_assert_int_eq(symlink(".", other), 0);
	(void)snprintf(record_case_path, sizeof(record_case_path),
		"%s/other/run.ctp", record_case_directory);
	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_record(1);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
}
END_TEST

START_TEST(another_users_file_is_not_written_to)
{
	const char *words = "run.ctp: it belongs to another user; remove it, "
			    "or write to another file";

	write_text(record_case_path);
	if (geteuid() != 0 || chown(record_case_path, 65534, 65534) != 0) {
		(void)printf("skipped another_users_file_is_not_written_to: "
			     "only root can give a file away\n");
		return;
	}
	expect_untouched(record_case_path, words);
	/* The output would go to the creator of the pipe. */
	ck_assert_int_eq(unlink(record_case_path), 0);
	ck_assert_int_eq(mkfifo(record_case_path, 0666), 0);
	ck_assert_int_eq(chown(record_case_path, 65534, 65534), 0);
	ck_assert_int_ge(
		open(record_case_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), 0);
	expect_untouched(record_case_path, words);
}
END_TEST

START_TEST(standard_output_may_be_the_log)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	int out = open(record_case_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int before = dup(STDOUT_FILENO);

	ck_assert_int_ge(out, 0);
	ck_assert_int_eq(dup2(out, STDOUT_FILENO), STDOUT_FILENO);
	options.out = "/dev/stdout";
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	record_case_record(7);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_int_eq(dup2(before, STDOUT_FILENO), STDOUT_FILENO);
	ck_assert_uint_eq(
		record_case_read_log(record_case_path, "early").named, 7);
}
END_TEST

START_TEST(a_pipe_stays_where_recording_cannot_begin)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct rlimit few = {1 << 20, RLIM_INFINITY};
	const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};

	ck_assert_int_eq(mkfifo(record_case_path, 0600), 0);
	ck_assert_int_ge(
		open(record_case_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), 0);
	options.out = record_case_path;
	options.buffer_max = UINT64_C(1) << 36;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &few), 0);
	ck_assert_int_eq(ctp_start(&options), CTP_ERR_NOMEM);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &all), 0);
	ck_assert_int_eq(access(record_case_path, F_OK), 0);
}
END_TEST

/* Files of others in the directory do not remove the spool, without which a
 * killed program's events are lost. */
START_TEST(others_cannot_make_the_spool_first)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	char path[300];

	for (int i = 0; i < 200; i++) {
		(void)snprintf(path, sizeof(path), "%s/ctprof.%u.%ld.%d.spool",
			record_case_directory, (unsigned)geteuid(),
			(long)getpid(), i);
		ck_assert_int_eq(symlink("/nonexistent", path), 0);
	}
	options.out = record_case_path;
	options.spool = record_case_directory;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	ck_assert_ptr_null(strstr(ctp_status(), "without a spool"));
	record_case_record(10);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_uint_eq(
		record_case_read_log(record_case_path, "early").named, 10);
}
END_TEST

START_TEST(without_a_place_for_the_spool_memory_does)
{
	static const char *const places[] = {
		"/nonexistent", "/dev/null", "/proc", NULL};
	static char long_path[SPOOL_PATH_BYTES - 10];
	struct ctp_options options = CTP_OPTIONS_INIT;

	memset(long_path, 'x', sizeof(long_path) - 1);
	options.out = record_case_path;
	options.spool = places[_i] == NULL ? long_path : places[_i];
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	expect_status("recording to ");
	expect_status("without a spool");
	record_case_record(100000);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_uint_eq(
		record_case_read_log(record_case_path, "early").named, 100000);
}
END_TEST

/* Counts spools in the test's directory; `header` gets the last one's. */
static int find_spools(struct spool_header *header)
{
	char command[300];
	char path[300];
	int count = 0;
	FILE *found;

	(void)snprintf(command, sizeof(command), "ls -d %s/*.spool 2>/dev/null",
		record_case_directory);
	found = popen(command, "r");
	ck_assert_ptr_nonnull(found);
	while (fscanf(found, "%299s", path) == 1) {
		FILE *file = fopen(path, "rb");

		ck_assert_ptr_nonnull(file);
		ck_assert_uint_eq(fread(header, sizeof(*header), 1, file), 1);
		(void)fclose(file);
		count++;
	}
	(void)pclose(found);
	return count;
}

START_TEST(the_spool_has_the_reason_for_the_parent)
{
	static struct spool_header header;
	struct limited done;

	ck_assert_int_eq(setenv("CTPROF_OUT", record_case_path, 1), 0);
	ck_assert_int_eq(setenv("CTPROF_SPOOL", record_case_directory, 1), 0);
	ck_assert_int_eq(setenv("CTPROF_BUFFER", "256K", 1), 0);
	ck_assert_int_eq(setenv("CTPROF_OUT_EXCL", _i == 0 ? "1" : "0", 1), 0);
	done = record_limited(NULL, 600000, true);
	ck_assert_int_eq(done.stop, CTP_ERR_IO);
	ck_assert_int_eq(find_spools(&header), _i == 0 ? 1 : 0);
	if (_i != 0)
		return;
	ck_assert_int_eq(memcmp(header.magic, SPOOL_MAGIC, 8), 0);
	ck_assert_ptr_nonnull(strstr(header.error, "File too large"));
	ck_assert_int_eq(strncmp(done.after + strlen("stopped: "), header.error,
				 strlen(header.error)),
		0);
}
END_TEST

START_TEST(a_recording_that_went_well_leaves_no_spool)
{
	static struct spool_header header;

	ck_assert_int_eq(setenv("CTPROF_OUT", record_case_path, 1), 0);
	ck_assert_int_eq(setenv("CTPROF_SPOOL", record_case_directory, 1), 0);
	ck_assert_int_eq(setenv("CTPROF_OUT_EXCL", "1", 1), 0);
	ck_assert_int_eq(ctp_start(NULL), CTP_OK);
	ck_assert_int_eq(find_spools(&header), 1);
	record_case_record(10);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_int_eq(find_spools(&header), 0);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record_disk");
	TCase *tests = tcase_create("record_disk");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_full_device_loses_all_and_reports_it);
	tcase_add_loop_test(tests, a_limit_of_the_file_size_leaves_whole_blocks,
		0, COUNT(limits));
	tcase_add_loop_test(
		tests, a_limit_that_is_there_before_does_not_kill, 0, 9);
	tcase_add_test(tests, lost_and_kept_add_up);
	tcase_add_loop_test(tests, kept_and_lost_ranges_are_all_ranges, 0, 12);
	tcase_add_loop_test(tests, a_log_that_is_removed_is_missed, 0, 2);
	tcase_add_test(tests, a_log_that_is_replaced_is_missed);
	tcase_add_test(tests, a_log_may_be_moved);
	tcase_add_loop_test(tests, a_log_that_cannot_be_made_is_reported, 0, 2);
	tcase_add_test(tests, a_directory_is_not_a_log);
	tcase_add_test(tests, a_pipe_without_a_reader_is_refused);
	tcase_add_test(tests, a_pipe_that_loses_its_reader_does_not_kill);
	tcase_add_test(tests, a_link_is_not_followed);
	tcase_add_test(tests, another_users_file_is_not_written_to);
	tcase_add_test(tests, standard_output_may_be_the_log);
	if (!CASE_SANITIZED)
		tcase_add_test(
			tests, a_pipe_stays_where_recording_cannot_begin);
	tcase_add_test(tests, others_cannot_make_the_spool_first);
	tcase_add_loop_test(
		tests, without_a_place_for_the_spool_memory_does, 0, 4);
	tcase_add_loop_test(
		tests, the_spool_has_the_reason_for_the_parent, 0, 2);
	tcase_add_test(tests, a_recording_that_went_well_leaves_no_spool);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}

/* SPDX-License-Identifier: MIT */
/* A program may be killed while it writes: every prefix of every file is read,
 * repaired or not, or rejected with a reason. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "convert.h"
#include "input_file.h"
#include "json_repair/repair.h"
#include "support/run_suite.h"

/* All prefixes of each trace up to FIRST_BYTES, and MORE others. */
#define FIRST_BYTES 200
#define MORE 300

struct bytes {
	char *at;
	size_t size;
};

struct outcome {
	enum ctp_status status;
	struct ctp_error err;
	uint64_t count; /* of events, or of a profile's functions */
	uint64_t truncated;
};

/* The input has a path, so that it is opened like users' files. */
static int file = -1;
static char path[64];

static void setup(void)
{
	file = memfd_create("prefix", MFD_CLOEXEC);
	ck_assert_int_ge(file, 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
}

static void teardown(void)
{
	(void)close(file);
}

static void put(const char *bytes, size_t size)
{
	ck_assert_int_eq(ftruncate(file, 0), 0);
	ck_assert_int_eq(pwrite(file, bytes, size, 0), (ssize_t)size);
}

/* A file of the tests, decompressed unless `raw`. */
static struct bytes load(const char *name, bool raw)
{
	const char *directory = getenv("srcdir");
	struct input_file origin;
	struct bytes all = {0};
	char from[512];
	FILE *out = open_memstream(&all.at, &all.size);
	FILE *in;
	int byte;

	(void)snprintf(from, sizeof(from), "%s/tests/%s",
		directory != NULL ? directory : ".", name);
	ck_assert_ptr_nonnull(out);
	if (raw) {
		in = fopen(from, "re");
		ck_assert_msg(in != NULL, "%s", from);
	} else {
		ck_assert_int_eq(
			input_file_open_bytes(&origin, from, NULL), CTP_OK);
		(void)fwrite(origin.head, 1, origin.head_size, out);
		in = origin.file;
	}
	while ((byte = getc(in)) != EOF)
		putc(byte, out);
	if (raw)
		(void)fclose(in);
	else
		input_file_close_bytes(&origin);
	ck_assert_int_eq(fclose(out), 0);
	return all;
}

static enum ctp_status read_all(
	struct event_source *source, struct outcome *outcome)
{
	enum ctp_status status = CTP_OK;
	struct profile *profile = NULL;
	struct event event;

	if (source->read_profile != NULL) {
		status = source->read_profile(source, &profile, &outcome->err);
		if (status == CTP_OK)
			outcome->count = profile->function_count;
		profile_free(profile);
		return status;
	}
	for (;;) {
		status = source->next(source, &event, &outcome->err);
		if (status != CTP_OK)
			return status == CTP_END ? CTP_OK : status;
		outcome->count++;
	}
}

static struct outcome read_bytes(const char *bytes, size_t size)
{
	struct outcome outcome = {0};
	struct input_file origin;

	put(bytes, size);
	outcome.status =
		input_file_open(&origin, path, NULL, NULL, &outcome.err);
	if (outcome.status != CTP_OK)
		return outcome;
	outcome.status = read_all(origin.source, &outcome);
	outcome.truncated = origin.source->trace->losses[LOSS_TRUNCATED];
	input_file_close(&origin);
	return outcome;
}

/* Reads the output of `ctprof repair`. */
static struct outcome mend(const char *bytes, size_t size)
{
	struct repair_result result;
	struct outcome outcome;
	struct input_file origin;
	struct bytes made = {0};
	FILE *out = open_memstream(&made.at, &made.size);
	struct repair_job job = {.out = out};
	struct ctp_error err;

	put(bytes, size);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(input_file_open_bytes(&origin, path, NULL), CTP_OK);
	job.in = origin.file;
	job.head = origin.head;
	job.head_size = origin.head_size;
	ck_assert_msg(repair_run(&job, &result, &err) == CTP_OK,
		"%zu bytes: %s", size, err.message);
	input_file_close_bytes(&origin);
	ck_assert_int_eq(fclose(out), 0);
	outcome = read_bytes(made.at, made.size);
	ck_assert_msg(outcome.status == CTP_OK, "%zu bytes: %s: %s", size,
		outcome.err.message, made.at);
	ck_assert_uint_eq(outcome.truncated, 0);
	free(made.at);
	return outcome;
}

static bool is_blank(const char *bytes, size_t size)
{
	return size == 0 || strspn(bytes, " \t\r\n") >= size;
}

static void check_prefix(const struct bytes *all, size_t size, uint64_t *before)
{
	bool whole = is_blank(all->at + size, all->size - size);
	struct outcome outcome = read_bytes(all->at, size);
	struct outcome mended = mend(all->at, size);

	if (is_blank(all->at, size)) {
		ck_assert_int_eq(outcome.status, CTP_ERR_FORMAT);
		ck_assert_uint_eq(mended.count, 0);
		return;
	}
	ck_assert_msg(outcome.status == CTP_OK, "%zu bytes: %s", size,
		outcome.err.message);
	ck_assert_msg(outcome.count >= *before && mended.count >= outcome.count,
		"%zu bytes: %" PRIu64 " events after %" PRIu64
		", mended %" PRIu64,
		size, outcome.count, *before, mended.count);
	*before = outcome.count;
	/* The last bracket of an array may be missing. */
	if (whole || strchr(all->at, '[') > strchr(all->at, '{'))
		ck_assert_msg(outcome.truncated == !whole, "%zu bytes", size);
}

static const char *const traces[] = {"traces/a100_triton_1kernel.json.gz",
	"traces/cpu_only.json.gz", "traces/logging_integration.json.gz",
	"traces/old.json.gz", "traces/self-win-clang-19.1_main.json.gz"};

START_TEST(every_prefix_of_a_trace_is_one)
{
	struct bytes all = load(traces[_i], false);
	size_t step = all.size / MORE + 1;
	uint64_t before = 0;

	for (size_t size = 0; size < all.size;
		size += size < FIRST_BYTES ? 1 : step)
		check_prefix(&all, size, &before);
	check_prefix(&all, all.size, &before);
	ck_assert_uint_gt(before, 0);
	free(all.at);
}
END_TEST

/* The compressed data may end before anything can be decompressed. */
START_TEST(every_prefix_of_a_packed_trace_is_one)
{
	struct bytes all = load("traces/old.json.gz", true);
	bool was_read = false;

	for (size_t size = 1; size <= all.size; size++) {
		struct outcome outcome = read_bytes(all.at, size);

		(void)mend(all.at, size);
		if (outcome.status == CTP_OK)
			was_read = true;
		else
			ck_assert_msg(
				!was_read &&
					strstr(outcome.err.message,
						"the compressed data") != NULL,
				"%zu bytes: %s", size, outcome.err.message);
	}
	ck_assert(was_read);
	free(all.at);
}
END_TEST

/* A trace in another format. */
static struct bytes convert(const char *name, const struct format *to)
{
	struct bytes all = load(name, false);
	struct bytes made = {0};
	FILE *out = open_memstream(&made.at, &made.size);
	struct convert_job job = {.to = to, .out = out};
	struct read_request request = {.names = READ_NAMES_FULL};
	struct input_file origin;

	ck_assert_ptr_nonnull(out);
	put(all.at, all.size);
	free(all.at);
	convert_set_request(to, &request);
	ck_assert_int_eq(
		input_file_open(&origin, path, NULL, &request, NULL), CTP_OK);
	ck_assert_int_eq(convert_run(origin.source, &job, NULL), CTP_OK);
	input_file_close(&origin);
	ck_assert_int_eq(fclose(out), 0);
	return made;
}

static const struct format *const others[] = {
	&log_format, &pstats_format, &speedscope_format, &pprof_format};

/* Once a prefix can be read, every longer one can. But a single byte, a
 * bracket, may begin several formats. */
START_TEST(prefixes_of_other_formats_are_read_or_refused_with_a_reason)
{
	struct bytes all = convert("traces/old.json.gz", others[_i]);
	bool was_read = false;
	uint64_t count = 0;

	for (size_t size = 2; size <= all.size; size++) {
		struct outcome outcome = read_bytes(all.at, size);

		if (outcome.status == CTP_OK) {
			was_read = true;
			count = outcome.count;
			continue;
		}
		ck_assert_int_eq(outcome.status, CTP_ERR_FORMAT);
		ck_assert_msg(!was_read && outcome.err.message[0] != '\0',
			"%s, %zu bytes: %s", others[_i]->name, size,
			outcome.err.message);
	}
	ck_assert_uint_gt(count, 0);
	free(all.at);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("prefixes");
	TCase *tcase = tcase_create("prefixes");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, every_prefix_of_a_trace_is_one, 0,
		sizeof(traces) / sizeof(*traces));
	tcase_add_test(tcase, every_prefix_of_a_packed_trace_is_one);
	tcase_add_loop_test(tcase,
		prefixes_of_other_formats_are_read_or_refused_with_a_reason, 0,
		sizeof(others) / sizeof(*others));
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}

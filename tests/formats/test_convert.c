/* SPDX-License-Identifier: MIT */
/* formats/convert.[ch]: the loop between a source of events and a format. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "support/run_suite.h"

/* A source that repeats "f begins, g begins, g ends, f ends". */
struct repeat {
	struct event_source source;
	uint64_t left; /* events */
	uint64_t done;
	bool breaks; /* fails when none are left */
};

static struct repeat repeat;
static struct trace *trace;
static struct ctp_error err;
static char *text;
static size_t text_size;
static FILE *out;

static enum ctp_status next(struct event_source *source, struct event *event,
	struct ctp_error *error)
{
	struct repeat *self = (struct repeat *)source;

	if (self->left == 0 && self->breaks)
		return ctp_fail_at(error, CTP_ERR_FORMAT, 77, "broken");
	if (self->left == 0)
		return CTP_END;
	self->left--;
	*event = (struct event){.time_ns = (int64_t)self->done * 10,
		.kind = self->done % 4 < 2 ? EVENT_BEGIN : EVENT_END};
	event->site =
		self->done % 4 < 2 ? (uint32_t)(self->done % 4) : TRACE_NONE;
	self->done++;
	source->trace->end_ns = event->time_ns;
	return CTP_OK;
}

static uint64_t position(const struct event_source *source)
{
	return ((const struct repeat *)source)->done;
}

static void setup(void)
{
	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
	(void)trace_add_track(trace, (struct trace_track){.pid = 1, .tid = 1});
	(void)trace_add_site(trace, "f", 1, "a.c", 3, 1);
	(void)trace_add_site(trace, "g", 1, "a.c", 3, 2);
	repeat = (struct repeat){
		.source = {.trace = trace, .next = next, .position = position},
		.left = 4};
	memset(&err, 0, sizeof(err));
	out = open_memstream(&text, &text_size);
	ck_assert_ptr_nonnull(out);
}

static void teardown(void)
{
	(void)fclose(out);
	free(text);
	trace_free(trace);
}

/* A profile format that prints its input. */
static enum ctp_status print_profile(FILE *to, const struct profile *profile,
	const struct format_options *options, struct ctp_error *error)
{
	(void)error;
	(void)fprintf(to, "%s, %u nodes:", options->title, profile->node_count);
	for (uint32_t i = 0; i < profile->function_count; i++)
		(void)fprintf(to, " %s %llu/%llu", profile->functions[i].name,
			(unsigned long long)profile->functions[i]
				.cost.tottime_ns,
			(unsigned long long)profile->functions[i]
				.cost.cumtime_ns);
	return CTP_OK;
}

static const struct format printed = {
	.name = "printed", .write_profile = print_profile};

static enum ctp_status run(const struct convert_job *job)
{
	enum ctp_status status = convert_run(&repeat.source, job, &err);

	(void)fflush(out);
	return status;
}

START_TEST(timelines_are_written_event_by_event)
{
	struct convert_job job = {.to = &chrome_format, .out = out};

	ck_assert_int_eq(run(&job), CTP_OK);
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"g\""));
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"f\""));
	ck_assert_str_eq(text + text_size - 3, "}}\n");
}
END_TEST

START_TEST(profile_formats_get_a_sorted_profile)
{
	struct convert_job job = {
		.to = &printed, .out = out, .options = {.title = "title"}};

	ck_assert_int_eq(run(&job), CTP_OK);
	ck_assert_str_eq(text, "title, 0 nodes: f 20/30 g 10/10");
}
END_TEST

START_TEST(the_tree_is_built_for_formats_that_need_it)
{
	struct format with_tree = printed;
	struct convert_job job = {
		.to = &with_tree, .out = out, .options = {.title = "title"}};

	with_tree.needs_tree = true;
	ck_assert_int_eq(run(&job), CTP_OK);
	ck_assert_str_eq(text, "title, 3 nodes: f 20/30 g 10/10");
}
END_TEST

/* g has 10 of 30 ns: it is folded below 1/3 of the total, or below 11 ns. */
START_TEST(limits_fold_smaller_functions_into_other)
{
	static const struct {
		uint64_t min_cumtime_ns;
		uint32_t min_parts;
		uint32_t top;
		bool folded;
	} cases[] = {{10, 0, 0, false}, {11, 0, 0, true}, {0, 333333, 0, false},
		{0, 400000, 0, true}, {11, 1, 0, true}, {0, 0, 2, false},
		{0, 0, 1, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *profile = NULL;
		struct convert_job job = {
			.min_cumtime_ns = cases[i].min_cumtime_ns,
			.min_parts = cases[i].min_parts,
			.top = cases[i].top};
		uint64_t total_ns = 0;
		bool folded = false;

		repeat.left = 4;
		repeat.done = 0;
		ck_assert_int_eq(
			convert_profile(&repeat.source, &job, &profile, &err),
			CTP_OK);
		for (uint32_t j = 0; j < profile->function_count; j++) {
			const struct profile_function *function =
				&profile->functions[j];

			total_ns += function->cost.tottime_ns;
			if (strcmp(function->name, "(other)") == 0)
				folded = true;
		}
		ck_assert_int_eq(folded, cases[i].folded);
		ck_assert_uint_eq(total_ns, 30);
		profile_free(profile);
	}
}
END_TEST

START_TEST(a_format_that_is_only_read_is_refused)
{
	static const struct format read_only = {.name = "nvprof"};
	struct convert_job job = {.to = &read_only, .out = out};

	ck_assert_int_eq(run(&job), CTP_ERR_UNSUPPORTED);
	ck_assert_str_eq(err.message, "format nvprof is read-only");
	ck_assert_uint_eq(text_size, 0);
}
END_TEST

/* `_i`: a timeline and a profile. */
START_TEST(errors_of_the_source_are_handed_on)
{
	struct convert_job job = {.to = _i == 0 ? &chrome_format : &printed,
		.out = out,
		.options = {.title = "title"}};

	repeat.breaks = true;
	ck_assert_int_eq(run(&job), CTP_ERR_FORMAT);
	ck_assert_str_eq(err.message, "broken");
	ck_assert_uint_eq(err.offset, 77);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	FILE *full = fopen("/dev/full", "w");
	struct convert_job job = {.to = _i == 0 ? &chrome_format : &printed,
		.out = full,
		.options = {.title = "title"}};

	ck_assert_ptr_nonnull(full);
	ck_assert_int_eq(run(&job), CTP_ERR_IO);
	ck_assert_int_eq(err.sys_errno, ENOSPC);
	ck_assert_str_eq(err.message, "cannot write: No space left on device");
	(void)fclose(full);
}
END_TEST

START_TEST(a_full_disk_stops_the_reading)
{
	FILE *full = fopen("/dev/full", "w");
	struct convert_job job = {.to = &chrome_format, .out = full};

	ck_assert_ptr_nonnull(full);
	repeat.left = UINT64_C(1) << 40;
	ck_assert_int_eq(run(&job), CTP_ERR_IO);
	ck_assert_int_eq(err.sys_errno, ENOSPC);
	ck_assert_uint_lt(repeat.done, 1000000);
	(void)fclose(full);
}
END_TEST

struct seen {
	unsigned calls;
	uint64_t position;
};

static void see(void *user, uint64_t at)
{
	struct seen *seen = user;

	ck_assert_uint_ge(at, seen->position);
	seen->calls++;
	seen->position = at;
}

START_TEST(progress_is_reported_now_and_then)
{
	struct seen seen = {0, 0};
	struct convert_job job = {.to = _i == 0 ? &chrome_format : &printed,
		.out = out,
		.options = {.title = "title"},
		.progress = see,
		.user = &seen};

	repeat.left = 400000;
	ck_assert_int_eq(run(&job), CTP_OK);
	ck_assert_uint_ge(seen.calls, 4);
	ck_assert_uint_le(seen.calls, 40);
	ck_assert_uint_eq(seen.position, 400000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("convert");
	TCase *tests = tcase_create("convert");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, timelines_are_written_event_by_event);
	tcase_add_test(tests, profile_formats_get_a_sorted_profile);
	tcase_add_test(tests, the_tree_is_built_for_formats_that_need_it);
	tcase_add_test(tests, limits_fold_smaller_functions_into_other);
	tcase_add_test(tests, a_format_that_is_only_read_is_refused);
	tcase_add_loop_test(tests, errors_of_the_source_are_handed_on, 0, 2);
	tcase_add_loop_test(tests, a_full_disk_is_an_error, 0, 2);
	tcase_add_test(tests, a_full_disk_stops_the_reading);
	tcase_add_loop_test(tests, progress_is_reported_now_and_then, 0, 2);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}

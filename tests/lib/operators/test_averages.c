/* SPDX-License-Identifier: MIT */
/* lib/operators/averages.c: the owners of memory, with events as in a log; the
 * rest is tested on traces, see operators.sh. */
#include <check.h>
#include <string.h>

#include "base/memory.h"
#include "operators/averages.h"
#include "support/run_suite.h"

static struct trace *trace;
static struct averages *averages;
static struct profile *profile;
static uint32_t outer;
static uint32_t inner;
static int64_t now_ns;

static uint32_t add_site(const char *name)
{
	uint32_t site = trace_add_site(trace, name, strlen(name), "f.c", 3, 1);

	ck_assert_uint_ne(site, TRACE_NONE);
	return site;
}

static void setup(void)
{
	struct trace_track track = {.pid = 1, .tid = 1};

	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
	outer = add_site("outer");
	inner = add_site("inner");
	ck_assert_uint_eq(trace_add_track(trace, track), 0);
	averages = averages_new(
		trace, (struct averages_options){.group = AVERAGES_NAME});
	ck_assert_ptr_nonnull(averages);
	profile = NULL;
	now_ns = 0;
}

static void teardown(void)
{
	profile_free(profile);
	averages_free(averages);
	trace_free(trace);
}

static void add(enum event_kind kind, uint32_t site)
{
	struct event event = {.kind = kind,
		.site = site,
		.time_ns = now_ns += 10,
		.device = -1};

	ck_assert_int_eq(averages_add(averages, &event, NULL), CTP_OK);
}

static void use(enum event_kind kind, uint64_t bytes, int32_t device)
{
	struct event event = {.kind = kind,
		.site = TRACE_NONE,
		.time_ns = now_ns += 10,
		.bytes = bytes,
		.device = device};

	ck_assert_int_eq(averages_add(averages, &event, NULL), CTP_OK);
}

/* Checks a row: its own and its total bytes, of the host and of devices. */
static void check(const char *name, int64_t self, int64_t total,
	int64_t device_self, int64_t device_total)
{
	const struct profile_use *use = NULL;
	struct profile_amount host;
	struct profile_amount devices;

	for (uint32_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0)
			use = &profile->functions[i].use;
	ck_assert_msg(use != NULL, "%s has no row", name);
	host = profile_memory_of(
		profile->memory, use->memory, PROFILE_MEMORY_HOST);
	devices = profile_memory_of(
		profile->memory, use->memory, PROFILE_MEMORY_DEVICES);
	ck_assert_int_eq(host.self_bytes, self);
	ck_assert_int_eq(host.total_bytes, total);
	ck_assert_int_eq(devices.self_bytes, device_self);
	ck_assert_int_eq(devices.total_bytes, device_total);
}

static void finish(void)
{
	ck_assert_int_eq(averages_finish(averages, &profile, NULL), CTP_OK);
}

START_TEST(memory_belongs_to_the_innermost_range_and_those_around_it)
{
	add(EVENT_BEGIN, outer);
	use(EVENT_ALLOC, 100, -1);
	add(EVENT_BEGIN, inner);
	use(EVENT_ALLOC, 50, -1);
	use(EVENT_FREE, 20, 3);
	add(EVENT_END, TRACE_NONE);
	use(EVENT_FREE, 1, -1);
	add(EVENT_END, TRACE_NONE);
	finish();
	check("outer", 99, 149, 0, -20);
	check("inner", 50, 50, -20, -20);
	ck_assert_uint_eq(profile_memory_records(profile->memory), 4);
}
END_TEST

START_TEST(memory_in_a_recursion_counts_once)
{
	add(EVENT_BEGIN, outer);
	add(EVENT_BEGIN, inner);
	add(EVENT_BEGIN, outer);
	use(EVENT_ALLOC, 7, 0);
	add(EVENT_END, TRACE_NONE);
	add(EVENT_END, TRACE_NONE);
	use(EVENT_ALLOC, 2, 0);
	add(EVENT_END, TRACE_NONE);
	finish();
	check("outer", 0, 0, 9, 9);
	check("inner", 0, 0, 0, 7);
}
END_TEST

START_TEST(memory_in_no_range_has_a_row_of_its_own)
{
	use(EVENT_ALLOC, 64, -1);
	add(EVENT_BEGIN, outer);
	add(EVENT_END, TRACE_NONE);
	use(EVENT_FREE, 60, -1);
	finish();
	check(AVERAGES_MEMORY, 4, 4, 0, 0);
	check("outer", 0, 0, 0, 0);
}
END_TEST

START_TEST(open_ranges_have_their_memory)
{
	add(EVENT_BEGIN, outer);
	add(EVENT_BEGIN, inner);
	use(EVENT_ALLOC, 5, -1);
	finish();
	check("outer", 0, 5, 0, 0);
	check("inner", 5, 5, 0, 0);
}
END_TEST

/* Sizes come from the input: sums that overflow must do no harm. */
START_TEST(any_size_is_taken)
{
	add(EVENT_BEGIN, outer);
	use(EVENT_ALLOC, UINT64_MAX, -1);
	use(EVENT_FREE, UINT64_C(1) << 63, -1);
	use(EVENT_ALLOC, UINT64_C(1) << 63, -1);
	add(EVENT_END, TRACE_NONE);
	finish();
	check("outer", -1, -1, 0, 0);
}
END_TEST

/* An owner's memory in a row, self and total. */
static void check_owner(const struct profile *of, const char *name,
	struct profile_owner owner, int64_t self, int64_t total)
{
	struct profile_amount amount;
	uint32_t list = 0;

	for (uint32_t i = 0; i < of->function_count; i++)
		if (strcmp(of->functions[i].name, name) == 0)
			list = of->functions[i].use.memory;
	amount = profile_memory_of(
		of->memory, list, profile_memory_find(of->memory, owner));
	ck_assert_int_eq(amount.self_bytes, self);
	ck_assert_int_eq(amount.total_bytes, total);
}

/* They are met in one order for the first, and in the other for the second. */
START_TEST(owners_of_two_profiles_are_the_same_in_both)
{
	const struct profile_owner first = {PROFILE_OF_DEVICE, 1, 0};
	const struct profile_owner second = {PROFILE_OF_DEVICE, 1, 1};
	struct profile *one;

	add(EVENT_BEGIN, outer);
	use(EVENT_ALLOC, 10, 0);
	use(EVENT_ALLOC, 200, 1);
	finish();
	one = profile;
	profile = NULL;
	teardown();
	setup();
	add(EVENT_BEGIN, outer);
	add(EVENT_BEGIN, inner);
	use(EVENT_FREE, 50, 1);
	add(EVENT_END, TRACE_NONE);
	use(EVENT_ALLOC, 3, 0);
	use(EVENT_ALLOC, 7, -1);
	finish();
	ck_assert(profile_add(profile, one));
	profile_free(one);
	check_owner(profile, "outer", first, 13, 13);
	check_owner(profile, "outer", second, 200, 150);
	check_owner(profile, "inner", second, -50, -50);
	check("outer", 7, 7, 213, 163);
	ck_assert_uint_eq(profile_memory_records(profile->memory), 5);
	/* A merged function has the memory of both. */
	ck_assert_int_eq(profile_prune(profile, UINT64_MAX, 0, NULL), CTP_OK);
	check_owner(profile, "(other)", first, 13, 13);
	check_owner(profile, "(other)", second, 150, 100);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	struct ctp_error err = {0};
	enum ctp_status status = CTP_OK;

	add(EVENT_BEGIN, outer);
	memory_set_limit(1);
	for (int i = 0; i < 1000 && status == CTP_OK; i++) {
		struct event event = {.kind = EVENT_ALLOC,
			.site = TRACE_NONE,
			.time_ns = now_ns,
			.bytes = 1,
			.device = i};

		status = averages_add(averages, &event, &err);
	}
	memory_set_limit(0);
	ck_assert_int_eq(status, CTP_ERR_NOMEM);
}
END_TEST

START_TEST(ends_without_a_begin_are_counted)
{
	add(EVENT_END, TRACE_NONE);
	add(EVENT_BEGIN, outer);
	add(EVENT_END, TRACE_NONE);
	finish();
	ck_assert_uint_eq(trace->losses[LOSS_STRAY_ENDS], 1);
	check("outer", 0, 0, 0, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("averages");
	TCase *memory = tcase_create("memory");

	tcase_add_checked_fixture(memory, setup, teardown);
	tcase_add_test(memory,
		memory_belongs_to_the_innermost_range_and_those_around_it);
	tcase_add_test(memory, memory_in_a_recursion_counts_once);
	tcase_add_test(memory, memory_in_no_range_has_a_row_of_its_own);
	tcase_add_test(memory, open_ranges_have_their_memory);
	tcase_add_test(memory, any_size_is_taken);
	tcase_add_test(memory, owners_of_two_profiles_are_the_same_in_both);
	tcase_add_test(memory, a_full_disk_is_an_error);
	tcase_add_test(memory, ends_without_a_begin_are_counted);
	suite_add_tcase(suite, memory);
	return run_suite(suite);
}

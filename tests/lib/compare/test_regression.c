/* SPDX-License-Identifier: MIT */
/*
 * The regression gate on measured noise, see tests/bin/compare/check/README.md:
 * equal sets of runs raise no alarm, and any function made 10 % slower does.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/run_suite.h"
#include "compare/diff.h"

#define RUNS 20 /* that were measured */
#define FUNCTIONS_MAX 32
#define SIDE_MAX 500
#define PAIRS 100

struct function {
	char name[32];
	double sorted[RUNS];
	double middle;
};

static struct function functions[FUNCTIONS_MAX];
static size_t function_count;
static uint64_t state;

static int compare(const void *a, const void *b)
{
	const double *one = a;
	const double *two = b;

	return *one < *two ? -1 : *one > *two;
}

static void read_functions(void)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	FILE *in;
	struct function *function = functions;

	(void)snprintf(path, sizeof(path),
		"%s/tests/bin/compare/check/cindex_noise.tsv",
		srcdir == NULL ? "." : srcdir);
	function_count = 0;
	in = fopen(path, "r");
	ck_assert_ptr_nonnull(in);
	while (fscanf(in, "%31[^\t]", function->name) == 1) {
		for (size_t i = 0; i < RUNS; i++)
			ck_assert_int_eq(
				fscanf(in, "%lf", &function->sorted[i]), 1);
		ck_assert_int_eq(fgetc(in), '\n');
		qsort(function->sorted, RUNS, sizeof(double), compare);
		function->middle = (function->sorted[RUNS / 2 - 1] +
					   function->sorted[RUNS / 2]) /
				   2;
		function++;
		ck_assert_uint_lt(++function_count, FUNCTIONS_MAX);
	}
	fclose(in);
	ck_assert_uint_gt(function_count, 20);
}

/* Source: Marsaglia, "Xorshift RNGs". */
static double next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* A time between the measured ones, with the given share of their noise. */
static uint64_t make_time(
	const struct function *function, double noise, double place)
{
	size_t low = (size_t)(place * (RUNS - 1));
	double part = place * (RUNS - 1) - (double)low;
	double time = function->sorted[low] * (1 - part) +
		      function->sorted[low + 1] * part;

	return (uint64_t)(1000 * (function->middle +
					 (time - function->middle) * noise));
}

struct machine {
	double noise;
	size_t runs; /* a side */
};

/* A run is slow or fast for all of its functions. */
static bool raises_alarm(const struct function *function,
	const struct machine *machine, double (*places)[SIDE_MAX],
	double factor)
{
	static const struct regression_limit limit = {.ppm = 50000};
	uint64_t base[SIDE_MAX];
	uint64_t changed[SIDE_MAX];
	struct significance_change change;

	for (size_t i = 0; i < machine->runs; i++) {
		base[i] = make_time(function, machine->noise, places[0][i]);
		changed[i] = (uint64_t)(factor * (double)make_time(function,
							 machine->noise,
							 places[1][i]));
	}
	change = significance_compare(
		base, machine->runs, changed, machine->runs);
	return significance_sign(&change) > 0 &&
	       regression_is_over(
		       &limit, change.base.median, change.changed.median);
}

static void check_machine(const struct machine *machine)
{
	double places[2][SIDE_MAX];

	for (unsigned pair = 0; pair < PAIRS; pair++) {
		for (size_t i = 0; i < 2 * machine->runs; i++)
			places[i % 2][i / 2] = next_random();
		for (size_t i = 0; i < function_count; i++) {
			const struct function *function = &functions[i];

			ck_assert_msg(
				!raises_alarm(function, machine, places, 1),
				"pair %u: alarm for %s", pair, function->name);
			ck_assert_msg(
				raises_alarm(function, machine, places, 1.1),
				"pair %u: %s missed", pair, function->name);
		}
	}
}

static const struct machine machines[] = {
	{.noise = 1, .runs = 500},
	{.noise = 0.5, .runs = 100},
	{.noise = 0.25, .runs = 20},
};

START_TEST(equal_sets_raise_no_alarm_and_slower_ones_do)
{
	state = 88172645463325252;
	check_machine(&machines[_i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("regression");
	TCase *tests = tcase_create("noise");

	tcase_add_checked_fixture(tests, read_functions, NULL);
	tcase_add_loop_test(tests, equal_sets_raise_no_alarm_and_slower_ones_do,
		0, sizeof(machines) / sizeof(machines[0]));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}

/* SPDX-License-Identifier: MIT */
#include "profile_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quick_check.h"

struct profile *profile_case_profile;
char *profile_case_bytes;
size_t profile_case_size;

void profile_case_set_up(void)
{
	profile_case_profile = profile_new();
	ck_assert_ptr_nonnull(profile_case_profile);
}

void profile_case_tear_down(void)
{
	profile_free(profile_case_profile);
	free(profile_case_bytes);
	profile_case_bytes = NULL;
}

uint32_t profile_case_function(
	const char *name, const char *file, struct profile_cost cost)
{
	uint32_t number =
		profile_add_function(profile_case_profile, name, file, 7);

	ck_assert_uint_ne(number, PROFILE_NONE);
	profile_case_profile->functions[number].cost = cost;
	return number;
}

void profile_case_edge(
	uint32_t caller, uint32_t callee, struct profile_cost cost)
{
	uint32_t number =
		profile_add_edge(profile_case_profile, caller, callee);

	ck_assert_uint_ne(number, PROFILE_NONE);
	profile_case_profile->edges[number].cost = cost;
}

uint32_t profile_case_node(uint32_t parent, uint32_t function, uint64_t self_ns)
{
	uint32_t number =
		profile_add_node(profile_case_profile, parent, function);

	ck_assert_uint_ne(number, PROFILE_NONE);
	profile_case_profile->nodes[number].self_ns = self_ns;
	return number;
}

void profile_case_lone(const char *name, const char *file)
{
	struct profile_cost cost = {1, 1, 10, 10};
	uint32_t number = profile_case_function(name, file, cost);

	profile_case_profile->functions[number].root = cost;
	(void)profile_case_node(0, number, 10);
}

void profile_case_recursion(void)
{
	uint32_t f = profile_case_function(
		"f", "r.c", (struct profile_cost){4, 1, 440, 605});
	uint32_t g = profile_case_function(
		"g", "r.c", (struct profile_cost){3, 1, 165, 495});
	uint32_t at = 0;

	profile_case_profile->functions[f].root =
		(struct profile_cost){1, 1, 110, 605};
	profile_case_edge(f, g, (struct profile_cost){3, 1, 165, 495});
	profile_case_edge(g, f, (struct profile_cost){3, 1, 330, 440});
	for (unsigned i = 0; i < 7; i++)
		at = i % 2 == 0 ? profile_case_node(at, f, 110)
				: profile_case_node(at, g, 55);
}

void profile_case_write(const struct format *format)
{
	FILE *out;

	free(profile_case_bytes);
	profile_case_bytes = NULL;
	out = open_memstream(&profile_case_bytes, &profile_case_size);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(profile_sort(profile_case_profile, NULL), CTP_OK);
	ck_assert_int_eq(
		format->write_profile(out, profile_case_profile, NULL, NULL),
		CTP_OK);
	ck_assert_int_eq(fclose(out), 0);
}

bool profile_case_wrote(const void *part, size_t part_size)
{
	return memmem(profile_case_bytes, profile_case_size, part, part_size) !=
	       NULL;
}

/* SPDX-License-Identifier: MIT */
/* Parts of names, compared with strcasestr(). */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "names/name_parts.h"
#include "support/run_suite.h"

static bool has(const char *name, const char *text)
{
	struct name_parts parts;

	name_parts_init(&parts, name);
	return name_parts_has(&parts, text);
}

START_TEST(case_is_ignored)
{
	ck_assert(has("volta_SGEMM_128x64", "sgemm"));
	ck_assert(has("volta_sgemm_128x64", "SGemm"));
	ck_assert(has("sgemm", "sgemm"));
	ck_assert(!has("sgem", "sgemm"));
	ck_assert(!has("s_gemm", "sgemm"));
}
END_TEST

START_TEST(short_texts_are_found)
{
	ck_assert(has("a", "A"));
	ck_assert(has("a", ""));
	ck_assert(has("", ""));
	ck_assert(!has("", "a"));
	ck_assert(!has("b", "a"));
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/* Characters whose five bits are equal do not match. */
START_TEST(random_names_match_as_by_searching)
{
	static const char letters[] = "aAbB@`_\x7f\xe1!1Qq0P";
	uint32_t state = 1;

	for (int round = 0; round < 200000; round++) {
		char texts[2][12] = {""};

		for (int i = 0; i < 2; i++) {
			uint32_t size = next_random(&state) % (i == 0 ? 11 : 4);

			for (uint32_t k = 0; k < size; k++)
				texts[i][k] = letters[next_random(&state) %
						      (sizeof(letters) - 1)];
		}
		ck_assert_int_eq(has(texts[0], texts[1]),
			strcasestr(texts[0], texts[1]) != NULL);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("name_parts");
	TCase *tests = tcase_create("name_parts");

	tcase_add_test(tests, case_is_ignored);
	tcase_add_test(tests, short_texts_are_found);
	tcase_add_test(tests, random_names_match_as_by_searching);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}

/* SPDX-License-Identifier: MIT */
/* base/strtab.[ch]. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/utf8.h"
#include "support/run_suite.h"

static struct strtab *table;

static void setup(void)
{
	table = strtab_new();
	ck_assert_ptr_nonnull(table);
}

static void teardown(void)
{
	strtab_free(table);
}

static uint32_t add(const char *text)
{
	return strtab_add(table, text, strlen(text));
}

START_TEST(a_new_table_holds_the_empty_text_as_0)
{
	size_t size = 99;

	ck_assert_uint_eq(strtab_count(table), 1);
	ck_assert_str_eq(strtab_text(table, 0, &size), "");
	ck_assert_uint_eq(size, 0);
	ck_assert_uint_eq(add(""), 0);
	ck_assert_uint_eq(strtab_count(table), 1);
}
END_TEST

START_TEST(equal_text_has_one_number_and_one_address)
{
	char copy[] = "parse";
	uint32_t number = add("parse");
	const char *text = strtab_text(table, number, NULL);

	ck_assert_uint_eq(number, 1);
	ck_assert_uint_eq(add("lex"), 2);
	ck_assert_uint_eq(add(copy), number);
	ck_assert_ptr_ne(text, copy);
	memset(copy, 'x', sizeof(copy) - 1);
	ck_assert_ptr_eq(strtab_text(table, add("parse"), NULL), text);
	ck_assert_str_eq(text, "parse");
	ck_assert_uint_eq(strtab_count(table), 3);
}
END_TEST

START_TEST(a_beginning_is_another_text)
{
	uint32_t whole = strtab_add(table, "parser", 6);
	uint32_t begin = strtab_add(table, "parser", 5);
	size_t size;

	ck_assert_uint_ne(whole, begin);
	ck_assert_str_eq(strtab_text(table, begin, &size), "parse");
	ck_assert_uint_eq(size, 5);
}
END_TEST

START_TEST(zero_bytes_are_shown_on_request)
{
	uint32_t key = strtab_add(table, "k\0y", 3);
	uint32_t number;
	size_t size;

	strtab_show_zeros(table);
	for (uint32_t i = 0; i < 100; i++) {
		const char text[] = {'a', '\0', (char)(i + 1), '\0', '\0'};
		const char shown[] = "a" UTF8_REPLACEMENT
				     "!" UTF8_REPLACEMENT UTF8_REPLACEMENT;
		char wanted[sizeof(shown)];

		number = strtab_add(table, text, sizeof(text));
		memcpy(wanted, shown, sizeof(shown));
		*strchr(wanted, '!') = text[2];
		ck_assert_str_eq(strtab_text(table, number, NULL), wanted);
		ck_assert_mem_eq(
			strtab_text(table, number, &size), text, sizeof(text));
		ck_assert_uint_eq(size, sizeof(text));
		ck_assert_str_eq(strtab_text(table, add("none"), NULL), "none");
	}
	ck_assert_str_eq(strtab_text(table, key, NULL), "k");
}
END_TEST

START_TEST(zero_bytes_are_text)
{
	static const char zeros[8] = "";
	uint32_t numbers[9];

	for (size_t i = 0; i <= 8; i++) {
		numbers[i] = strtab_add(table, zeros, i);
		ck_assert_uint_eq(numbers[i], i);
	}
	for (size_t i = 0; i <= 8; i++) {
		size_t size;
		const char *text = strtab_text(table, numbers[i], &size);

		ck_assert_uint_eq(size, i);
		ck_assert_int_eq(memcmp(text, zeros, i), 0);
		ck_assert_int_eq(text[i], '\0');
	}
	ck_assert_uint_ne(strtab_add(table, "a\0b", 3), add("a"));
	ck_assert_uint_eq(strtab_add(table, "a\0b", 3), 9);
}
END_TEST

START_TEST(many_texts_keep_their_numbers_and_addresses)
{
	enum { COUNT = 100000 };
	const char **texts = calloc(COUNT + 1, sizeof(*texts));
	char name[32];

	ck_assert_ptr_nonnull(texts);
	for (uint32_t i = 1; i <= COUNT; i++) {
		(void)snprintf(name, sizeof(name), "function_%u", i);
		ck_assert_uint_eq(add(name), i);
		texts[i] = strtab_text(table, i, NULL);
	}
	for (uint32_t i = 1; i <= COUNT; i++) {
		(void)snprintf(name, sizeof(name), "function_%u", i);
		ck_assert_uint_eq(add(name), i);
		ck_assert_ptr_eq(strtab_text(table, i, NULL), texts[i]);
		ck_assert_str_eq(texts[i], name);
	}
	ck_assert_uint_eq(strtab_count(table), COUNT + 1);
	free(texts);
}
END_TEST

/* Around and above the size of the blocks of memory. */
START_TEST(long_texts_are_whole)
{
	static const size_t sizes[] = {65534, 65535, 65536, 65537, 1000000, 3};
	char *text = malloc(1000000);

	ck_assert_ptr_nonnull(text);
	memset(text, 'n', 1000000);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(strtab_add(table, text, sizes[i]), i + 1);
	for (uint32_t i = 0; i < 6; i++) {
		size_t size;
		const char *kept = strtab_text(table, i + 1, &size);

		ck_assert_uint_eq(size, sizes[i]);
		ck_assert_uint_eq(strlen(kept), sizes[i]);
	}
	free(text);
}
END_TEST

START_TEST(nothing_to_free_is_allowed)
{
	strtab_free(NULL);
	ck_assert_uint_eq(strtab_count(table), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("strtab");
	TCase *tests = tcase_create("strtab");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_new_table_holds_the_empty_text_as_0);
	tcase_add_test(tests, equal_text_has_one_number_and_one_address);
	tcase_add_test(tests, a_beginning_is_another_text);
	tcase_add_test(tests, zero_bytes_are_text);
	tcase_add_test(tests, zero_bytes_are_shown_on_request);
	tcase_add_test(tests, many_texts_keep_their_numbers_and_addresses);
	tcase_add_test(tests, long_texts_are_whole);
	tcase_add_test(tests, nothing_to_free_is_allowed);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}

/* SPDX-License-Identifier: MIT */
/* Tables for people, in lines of any length. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table.h"
#include "support/run_suite.h"

static const struct table_column columns[] = {
	{"count", true}, {"share %", true}, {"device", false}, {"name", false}};

static void add_row(struct table *table, const char *count, const char *share,
	const char *device, const char *name)
{
	table_add_row(table, TABLE_PLAIN);
	table_add(table, count);
	table_add(table, share);
	table_add(table, device);
	table_add(table, name);
}

static void expect(struct table *table, size_t width, const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	ck_assert(table_print(table, out, false, width));
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, wanted);
	free(text);
	table_clear(table);
}

START_TEST(without_a_width_nothing_is_shortened)
{
	struct table table;

	table_init(&table, columns, 4);
	table.min_line_width[1] = 50;
	add_row(&table, "7", "9.50", "0 a device with a long name",
		"a name that is as long as names of kernels are");
	expect(&table, 0,
		"count  share %  device                       name\n"
		"    7     9.50  0 a device with a long name  "
		"a name that is as long as names of kernels are\n");
}
END_TEST

START_TEST(columns_that_need_longer_lines_are_left_out)
{
	struct table table;

	table_init(&table, columns, 4);
	table.min_line_width[1] = 50;
	add_row(&table, "7", "9.50", "0", "mm");
	expect(&table, 49,
		"count  device  name\n"
		"    7  0       mm\n");
	table_init(&table, columns, 4);
	table.min_line_width[1] = 50;
	add_row(&table, "7", "9.50", "0", "mm");
	expect(&table, 50,
		"count  share %  device  name\n"
		"    7     9.50  0       mm\n");
}
END_TEST

START_TEST(columns_of_text_share_what_numbers_leave)
{
	struct table table;

	table_init(&table, columns, 4);
	add_row(&table, "7", "9.50", "0 a device with a long name",
		"a name that is as long as names of kernels are");
	expect(&table, 60,
		"count  share %  device                 name\n"
		"    7     9.50  0 a devic...long name  a name th...rnels "
		"are\n");
}
END_TEST

START_TEST(unused_width_goes_to_the_other_column)
{
	struct table table;

	table_init(&table, columns, 4);
	add_row(&table, "7", "9.50", "0", "a name of 33 characters for names");
	expect(&table, 60,
		"count  share %  device  name\n"
		"    7     9.50  0       a name of 33 characters for names\n");
	table_init(&table, columns, 4);
	add_row(&table, "7", "9.50", "0 a device with a long name", "mm");
	expect(&table, 60,
		"count  share %  device                       name\n"
		"    7     9.50  0 a device with a long name  mm\n");
}
END_TEST

START_TEST(names_are_told_apart_in_the_shortest_lines)
{
	struct table table;

	table_init(&table, columns, 4);
	add_row(&table, "7", "9.50", "0 a device with a long name",
		"a name of \xc3\xa4\xc3\xb6\xc3\xbc and other characters");
	expect(&table, 1,
		"count  share %  device    name\n"
		"    7     9.50  0 ...ame  a ...ers\n");
}
END_TEST

START_TEST(optional_columns_make_room_for_text)
{
	static const char *const wanted[] = {
		"count  share %  device  name\n"
		"    7     9.50  0       a name ...nels are\n",
		"share %  device  name\n"
		"   9.50  0       a name tha...kernels are\n",
		"device  name\n"
		"0       a name that... kernels are\n"};
	static const size_t widths[] = {42, 41, 34};

	for (size_t i = 0; i < 3; i++) {
		struct table table;

		table_init(&table, columns, 4);
		table.optional[0] = true;
		table.optional[1] = true;
		add_row(&table, "7", "9.50", "0",
			"a name that is as long as names of kernels are");
		expect(&table, widths[i], wanted[i]);
	}
}
END_TEST

START_TEST(zero_width_text_keeps_its_cell)
{
	struct table table;

	table_init(&table, columns, 4);
	add_row(&table, "7", "9.50", "\xe2\x80\x8b", "n");
	expect(&table, 0,
		"count  share %  device  name\n"
		"    7     9.50  \xe2\x80\x8b        n\n");
}
END_TEST

START_TEST(wide_characters_take_two_columns)
{
	struct table table;

	table_init(&table, columns, 4);
	add_row(&table, "7", "9.50",
		"0 "
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe8\xa3\x85"
		"\xe7\xbd\xae",
		"e\xcc\x81 \xed\x95\x9c\xea\xb5\xad\xec\x96\xb4 \xe5\x90\x8d");
	add_row(&table, "8", "0.50", "1", "mm");
	expect(&table, 0,
		"count  share %  device          name\n"
		"    7     9.50  "
		"0 "
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe8\xa3\x85"
		"\xe7\xbd\xae  "
		"e\xcc\x81 \xed\x95\x9c\xea\xb5\xad\xec\x96\xb4 \xe5\x90\x8d\n"
		"    8     0.50  1               mm\n");
	table_init(&table, columns, 4);
	add_row(&table, "7", "9.50",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac"
		"\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5"
		"\xe6\x9c\xac\xe8\xaa\x9e",
		"e\xcc\x81");
	add_row(&table, "8", "0.50", "1 a device with a long name", "mm");
	expect(&table, 1,
		"count  share %  device    name\n"
		"    7     9.50  \xe6\x97\xa5...\xe8\xaa\x9e   e\xcc\x81\n"
		"    8     0.50  1 ...ame  mm\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table");
	TCase *all = tcase_create("all");

	tcase_add_test(all, without_a_width_nothing_is_shortened);
	tcase_add_test(all, columns_that_need_longer_lines_are_left_out);
	tcase_add_test(all, columns_of_text_share_what_numbers_leave);
	tcase_add_test(all, unused_width_goes_to_the_other_column);
	tcase_add_test(all, names_are_told_apart_in_the_shortest_lines);
	tcase_add_test(all, optional_columns_make_room_for_text);
	tcase_add_test(all, zero_width_text_keeps_its_cell);
	tcase_add_test(all, wide_characters_take_two_columns);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}

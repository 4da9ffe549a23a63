/* SPDX-License-Identifier: MIT */
/* Symbols of this program itself; symbols.sh tests those of others. */
#include <check.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "support/run_suite.h"
#include "symbols/symbols.h"

#define SELF "/proc/self/exe"

enum { LINE_OF_KNOWN = __LINE__ + 1 };
static __attribute__((noinline)) int known(int x)
{
	return x + 1;
}

/* Where a function begins from the program's lowest address. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t low = UINTPTR_MAX;
	uint64_t *offset = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
			info->dlpi_phdr[i].p_vaddr < low)
			low = info->dlpi_phdr[i].p_vaddr;
	*offset -= info->dlpi_addr + low;
	return 1; /* the first is the program */
}

static uint64_t offset_of(int (*function)(int))
{
	uint64_t offset = (uintptr_t)function;

	ck_assert_int_eq(dl_iterate_phdr(find_offset, &offset), 1);
	return offset;
}

START_TEST(files_and_lines_follow_the_definition)
{
	struct symbols_function function;
	struct symbols *symbols;

	ck_assert_int_eq(
		symbols_open(SELF, NULL, NULL, &symbols, NULL), CTP_OK);
	ck_assert_int_eq(
		symbols_find(symbols, offset_of(known), &function, NULL),
		CTP_OK);
	ck_assert_str_eq(function.name, "known");
	ck_assert_str_eq(function.mangled, "");
	/* Unless this was compiled without -g. */
	if (function.line != 0) {
		const char *name = strrchr(function.file, '/');

		ck_assert_uint_eq(function.line, LINE_OF_KNOWN);
		ck_assert_ptr_nonnull(name);
		ck_assert_str_eq(name, "/test_symbols.c");
	}
	ck_assert_int_eq(
		symbols_find(symbols, offset_of(known) + 1, &function, NULL),
		CTP_END);
	ck_assert_int_eq(
		symbols_find(symbols, UINT64_MAX, &function, NULL), CTP_END);
	symbols_close(symbols);
}
END_TEST

START_TEST(a_file_is_not_taken_for_another)
{
	struct symbols_expected expected = {.build_id = "abc"};
	struct ctp_error err = {0};
	struct symbols *symbols;

	expected.build_id_bytes = 3;
	ck_assert_int_eq(symbols_open(SELF, &expected, NULL, &symbols, &err),
		CTP_ERR_FORMAT);
	ck_assert_str_eq(err.message, "has changed since it was recorded");
	expected.build_id_bytes = 0;
	expected.bytes = 1;
	ck_assert_int_eq(symbols_open(SELF, &expected, NULL, &symbols, &err),
		CTP_ERR_FORMAT);
}
END_TEST

static enum ctp_status refuse(void *user, uint64_t offset,
	const struct symbols_function *function, struct ctp_error *err)
{
	size_t *count = user;

	(void)offset;
	(void)function;
	return ++*count < 3 ? CTP_OK : ctp_fail(err, CTP_ERR_LIMIT, "enough");
}

START_TEST(a_visit_ends_when_the_visitor_wants)
{
	struct ctp_error err = {0};
	struct symbols *symbols;
	size_t count = 0;

	ck_assert_int_eq(
		symbols_open(SELF, NULL, NULL, &symbols, NULL), CTP_OK);
	ck_assert_int_eq(
		symbols_foreach(symbols, refuse, &count, &err), CTP_ERR_LIMIT);
	ck_assert_str_eq(err.message, "enough");
	ck_assert_uint_eq(count, 3);
	symbols_close(symbols);
}
END_TEST

static uint64_t random_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1;
	return *state >> 33;
}

static enum ctp_status take_any(void *user, uint64_t offset,
	const struct symbols_function *function, struct ctp_error *err)
{
	size_t *count = user;

	(void)offset;
	(void)err;
	*count += strlen(function->name) + strlen(function->file);
	return CTP_OK;
}

/* This program with bytes changed at random, mainly in its headers. */
START_TEST(a_damaged_program_costs_names_only)
{
	uint64_t state = 1;
	char path[64];
	char bytes[65536];
	FILE *whole = fopen(SELF, "rb");
	int out = memfd_create("program", MFD_CLOEXEC);
	struct buffer program = BUFFER_INIT;
	size_t got;

	while ((got = fread(bytes, 1, sizeof(bytes), whole)) > 0)
		buffer_add(&program, bytes, got);
	(void)fclose(whole);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", out);
	for (int round = 0; round < 150; round++) {
		size_t changes = 1u << random_number(&state) % 8;
		struct symbols *symbols;
		size_t count = 0;

		ck_assert_int_eq(pwrite(out, program.bytes, program.used, 0),
			(ssize_t)program.used);
		while (changes-- > 0) {
			uint8_t byte = (uint8_t)random_number(&state);
			size_t most = random_number(&state) % 3 == 0
					      ? 2048
					      : program.used;

			ck_assert_int_eq(
				pwrite(out, &byte, 1,
					(off_t)(random_number(&state) % most)),
				1);
		}
		if (symbols_open(path, NULL, NULL, &symbols, NULL) != CTP_OK)
			continue;
		ck_assert_int_eq(
			symbols_foreach(symbols, take_any, &count, NULL),
			CTP_OK);
		symbols_close(symbols);
	}
	(void)close(out);
	buffer_clear(&program);
}
END_TEST

static TCase *make_symbols(void)
{
	TCase *tests = tcase_create("symbols");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, files_and_lines_follow_the_definition);
	tcase_add_test(tests, a_file_is_not_taken_for_another);
	tcase_add_test(tests, a_visit_ends_when_the_visitor_wants);
	tcase_add_test(tests, a_damaged_program_costs_names_only);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("symbols");

	suite_add_tcase(suite, make_symbols());
	return run_suite(suite);
}

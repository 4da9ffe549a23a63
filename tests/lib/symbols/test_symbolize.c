/* SPDX-License-Identifier: MIT */
/*
 * Names for a log's functions, which are those of this program: its module
 * comes from dl_iterate_phdr(), as for the recorder.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/log_case.h"
#include "support/log_maker.h"
#include "support/run_suite.h"
#include "symbols/symbolize.h"

static __attribute__((noinline)) int first(int x)
{
	return x + 1;
}
__attribute__((noinline)) int second(int x);
int second(int x)
{
	return first(x) * 2;
}

static char self[4096];
static uintptr_t base;
static uint64_t span;
static char build_id[256]; /* in the form of a recipe */
static int file = -1;
static int out = -1;
static struct symbolize *names;

static void read_build_id(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const char *note =
			(const char *)(info->dlpi_addr + header->p_vaddr);
		const char *end = note + header->p_memsz;

		while (header->p_type == PT_NOTE &&
			note + sizeof(ElfW(Nhdr)) < end) {
			const ElfW(Nhdr) *head = (const void *)note;
			const uint8_t *id =
				(const uint8_t *)(note + sizeof(*head) +
						  ((head->n_namesz + 3) & ~3u));

			note = (const char *)id + ((head->n_descsz + 3) & ~3u);
			if (head->n_type != NT_GNU_BUILD_ID)
				continue;
			for (unsigned j = 0; j < head->n_descsz; j++)
				(void)snprintf(
					build_id + 4 * j, 5, "\\x%02x", id[j]);
		}
	}
}

static int read_module(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t low = UINTPTR_MAX;
	uintptr_t high = 0;

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type != PT_LOAD)
			continue;
		if (header->p_vaddr < low)
			low = header->p_vaddr;
		if (header->p_vaddr + header->p_memsz > high)
			high = header->p_vaddr + header->p_memsz;
	}
	base = info->dlpi_addr + low;
	span = high - low;
	read_build_id(info);
	return 1; /* the first is the program */
}

static void set_up(void)
{
	log_case_set_up();
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	ck_assert_int_eq(dl_iterate_phdr(read_module, NULL), 1);
	file = memfd_create("log", MFD_CLOEXEC);
	out = memfd_create("named", MFD_CLOEXEC);
	ck_assert_int_ge(file, 0);
	ck_assert_int_ge(out, 0);
}

static void tear_down(void)
{
	symbolize_free(names);
	names = NULL;
	(void)close(file);
	(void)close(out);
	log_case_tear_down();
}

static uint64_t offset_of(int (*function)(int))
{
	return (uintptr_t)function - base;
}

static void add_module(int number)
{
	log_maker_add(&log_case_made, "[16, %d, %ju, %ju, '%s', '%s']", number,
		(uintmax_t)base, (uintmax_t)span, self, build_id);
}

static void add_site(int number, uint64_t offset)
{
	log_maker_add(&log_case_made, "[1, %d, [['', '', 0, 1, %ju, '']]]",
		number, (uintmax_t)offset);
}

/* Events that begin and end each of these sites. */
static void add_events(int count)
{
	for (int i = 0; i < count; i++)
		log_maker_add(&log_case_made,
			"[3, 1, %d, %d, [0, 1], [], [%d], [2, 0], []]", i,
			10 * i, i + 1);
	log_maker_add(&log_case_made, "[6, {'log': 1000}]");
}

/* Reads the log that was made. */
static enum ctp_status look(struct ctp_error *err)
{
	symbolize_free(names);
	names = NULL;
	ck_assert_int_eq(ftruncate(file, 0), 0);
	ck_assert_int_eq(
		pwrite(file, log_case_made.bytes, log_case_made.used, 0),
		(ssize_t)log_case_made.used);
	return symbolize_new(file, NULL, &names, err);
}

/* Names the functions of the log that was made, which the named log
 * replaces. */
static void give_names(void)
{
	struct ctp_error err = {0};
	off_t size;

	ck_assert_int_eq(look(&err), CTP_OK);
	ck_assert_int_eq(ftruncate(out, 0), 0);
	ck_assert_int_eq(lseek(out, 0, SEEK_SET), 0);
	ck_assert_int_eq(symbolize_write(names, out, &err), CTP_OK);
	size = lseek(out, 0, SEEK_CUR);
	log_case_made.used = 0;
	ck_assert(buffer_reserve(&log_case_made, (size_t)size));
	ck_assert_int_eq(
		pread(out, log_case_made.bytes, (size_t)size, 0), size);
	log_case_made.used = (size_t)size;
}

START_TEST(functions_get_names_and_all_else_stays)
{
	log_maker_add_header(&log_case_made, 0, 1);
	add_module(1);
	add_site(1, offset_of(second));
	log_maker_add(&log_case_made,
		"[1, 2, [['a span', 'x.c', 7], "
		"['', '', 0, 1, %ju, '']]]",
		(uintmax_t)offset_of(first));
	add_events(3);
	give_names();
	ck_assert_uint_eq(symbolize_counts(names).functions, 2);
	ck_assert_uint_eq(symbolize_counts(names).named, 2);
	ck_assert_uint_eq(symbolize_counts(names).changed, 2);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events,
		"0 0 begin second\n0 1 end\n0 10 begin a span\n0 11 end\n"
		"0 20 begin first\n0 21 end\n");
	ck_assert_str_eq(log_case_text.losses, "");
}
END_TEST

START_TEST(a_second_time_changes_nothing)
{
	struct buffer before = BUFFER_INIT;

	log_maker_add_header(&log_case_made, 0, 1);
	add_module(1);
	add_site(1, offset_of(second));
	add_events(1);
	give_names();
	buffer_add(&before, log_case_made.bytes, log_case_made.used);
	give_names();
	ck_assert_uint_eq(symbolize_counts(names).changed, 0);
	ck_assert_uint_eq(symbolize_counts(names).named, 1);
	ck_assert_uint_eq(log_case_made.used, before.used);
	ck_assert_mem_eq(log_case_made.bytes, before.bytes, before.used);
	buffer_clear(&before);
}
END_TEST

START_TEST(a_log_without_addresses_is_copied)
{
	log_case_copy_members(0, SIZE_MAX);
	give_names();
	ck_assert_uint_eq(symbolize_counts(names).functions, 0);
	ck_assert_uint_eq(log_case_made.used, log_case_small.used);
	ck_assert_mem_eq(
		log_case_made.bytes, log_case_small.bytes, log_case_small.used);
}
END_TEST

START_TEST(additions_of_newer_versions_are_kept)
{
	log_maker_add_header(&log_case_made, 0, 1);
	add_module(1);
	log_maker_add(&log_case_made,
		"[1, 1, [['', '', 0, 1, %ju, '', 'kind', 9, 'new', [1, 2]], "
		"['f', '', 0, nil, 7]], {'more': 1}]",
		(uintmax_t)offset_of(second));
	add_events(2);
	give_names();
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events,
		"0 0 begin second\n0 1 end\n0 10 begin f\n0 11 end\n");
}
END_TEST

START_TEST(another_file_than_was_recorded_gives_no_names)
{
	const struct symbolize_module *module;

	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, "[16, 1, %ju, %ju, '%s', '\\x01\\x02']",
		(uintmax_t)base, (uintmax_t)span, self);
	add_site(1, offset_of(second));
	add_events(1);
	ck_assert_int_eq(look(NULL), CTP_OK);
	ck_assert_uint_eq(symbolize_counts(names).named, 0);
	module = symbolize_module(names, 0);
	ck_assert_ptr_nonnull(module);
	ck_assert_str_eq(module->path, self);
	ck_assert_uint_eq(module->unnamed, 1);
	ck_assert_str_eq(
		module->err.message, "has changed since it was recorded");
	ck_assert_ptr_null(symbolize_module(names, 1));
}
END_TEST

START_TEST(a_function_whose_module_is_lost_is_counted)
{
	log_maker_add_header(&log_case_made, 0, 1);
	add_site(1, offset_of(second));
	add_events(1);
	ck_assert_int_eq(look(NULL), CTP_OK);
	ck_assert_uint_eq(symbolize_counts(names).functions, 1);
	ck_assert_uint_eq(symbolize_counts(names).named, 0);
	ck_assert_uint_eq(symbolize_counts(names).lost, 1);
}
END_TEST

/* The second has other numbers for the same modules. */
START_TEST(recordings_one_after_another_have_modules_of_their_own)
{
	log_maker_add_header(&log_case_made, 0, 1);
	add_module(1);
	add_site(1, offset_of(second));
	add_events(1);
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, "[16, 1, 0, 1, '/none', '']");
	add_module(2);
	add_site(1, offset_of(second));
	log_maker_add(&log_case_made, "[1, 2, [['', '', 0, 2, %ju, '']]]",
		(uintmax_t)offset_of(first));
	add_events(2);
	give_names();
	ck_assert_uint_eq(symbolize_counts(names).functions, 3);
	ck_assert_uint_eq(symbolize_counts(names).changed, 2);
	log_case_read_made();
	ck_assert_ptr_nonnull(strstr(log_case_text.events, "begin second\n"));
	ck_assert_ptr_nonnull(strstr(log_case_text.events, "begin none+0x"));
	ck_assert_ptr_nonnull(strstr(log_case_text.events, "begin first\n"));
}
END_TEST

START_TEST(damage_is_kept_as_it_is)
{
	struct buffer garbage = BUFFER_INIT;

	buffer_add_text(&garbage, "this is not a member of a log");
	log_maker_add_header(&log_case_made, 0, 1);
	buffer_add(&log_case_made, garbage.bytes, garbage.used);
	add_module(1);
	add_site(1, offset_of(second));
	/* A block whose last row is cut off gets no names at all. */
	log_maker_add(&log_case_made,
		"[1, 2, [['', '', 0, 1, %ju, ''], ['', '', 0, 1, 16]]]",
		(uintmax_t)offset_of(first));
	add_events(1);
	log_case_made.bytes[log_case_made.used - 5] ^= 1; /* the end's CRC */
	buffer_add(&log_case_made, garbage.bytes, 7);
	give_names();
	ck_assert_uint_eq(symbolize_counts(names).changed, 2);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, "0 0 begin second\n0 1 end\n");
	ck_assert_uint_eq(log_case_lost("damaged_blocks"), 1);
	ck_assert_uint_eq(log_case_lost("truncated"), 1);
	ck_assert_uint_gt(log_case_lost("skipped_bytes"), garbage.used);
	buffer_clear(&garbage);
}
END_TEST

START_TEST(a_block_that_gets_too_large_is_written_as_several)
{
	struct buffer rows = BUFFER_INIT;
	int count = 300000;

	log_maker_add_header(&log_case_made, 0, 1);
	add_module(1);
	log_maker_pack(&rows, "[1, 1, [['', '', 0, 1, %ju, ''] * %d], 'more']",
		(uintmax_t)offset_of(second), count);
	log_maker_add_bytes(&log_case_made, 1, rows.bytes, rows.used);
	log_maker_add(&log_case_made,
		"[3, 1, 0, 10, [0, 1, 1, 1], [], [1, %d], "
		"[2, 0, 3, 0], []]",
		count);
	log_maker_add(&log_case_made, "[6, {'log': 1000}]");
	give_names();
	ck_assert_uint_eq(symbolize_counts(names).changed, (uint64_t)count);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, "0 10 begin second\n0 11 end\n"
					       "0 12 begin second\n0 13 end\n");
	ck_assert_str_eq(log_case_text.losses, "");
	buffer_clear(&rows);
}
END_TEST

START_TEST(a_log_whose_end_is_missing_names_its_spool)
{
	log_maker_add(&log_case_made,
		"[0, {'format': 'ctprof log', 'version': 1, "
		"'reader': 1, 'spool': '/dev/shm/x'}]");
	ck_assert_int_eq(look(NULL), CTP_OK);
	ck_assert_ptr_nonnull(symbolize_spool(names));
	ck_assert_str_eq(symbolize_spool(names), "/dev/shm/x");
	log_maker_add(&log_case_made, "[6, {'log': 1000}]");
	ck_assert_int_eq(look(NULL), CTP_OK);
	ck_assert_ptr_null(symbolize_spool(names));
}
END_TEST

START_TEST(a_foreign_file_is_an_error)
{
	struct ctp_error err = {0};

	buffer_add_text(&log_case_made, "no log");
	ck_assert_int_eq(look(&err), CTP_ERR_FORMAT);
	log_case_made.used = 0;
	log_maker_add_header(&log_case_made, 0, 99);
	ck_assert_int_eq(look(&err), CTP_ERR_UNSUPPORTED);
}
END_TEST

START_TEST(a_log_that_grows_meanwhile_is_an_error)
{
	struct ctp_error err = {0};

	log_maker_add_header(&log_case_made, 0, 1);
	add_module(1);
	add_site(1, offset_of(second));
	add_events(1);
	ck_assert_int_eq(look(&err), CTP_OK);
	ck_assert_int_eq(pwrite(file, "x", 1, (off_t)log_case_made.used), 1);
	ck_assert_int_eq(symbolize_write(names, out, &err), CTP_ERR_FORMAT);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	struct ctp_error err = {0};
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	log_maker_add_header(&log_case_made, 0, 1);
	add_module(1);
	add_site(1, offset_of(second));
	add_events(1);
	ck_assert_int_eq(look(&err), CTP_OK);
	ck_assert_int_eq(symbolize_write(names, full, &err), CTP_ERR_IO);
	ck_assert_int_eq(err.sys_errno, ENOSPC);
	(void)close(full);
}
END_TEST

static TCase *make_symbolize(void)
{
	TCase *tests = tcase_create("symbolize");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, functions_get_names_and_all_else_stays);
	tcase_add_test(tests, a_second_time_changes_nothing);
	tcase_add_test(tests, a_log_without_addresses_is_copied);
	tcase_add_test(tests, additions_of_newer_versions_are_kept);
	tcase_add_test(tests, another_file_than_was_recorded_gives_no_names);
	tcase_add_test(tests, a_function_whose_module_is_lost_is_counted);
	tcase_add_test(
		tests, recordings_one_after_another_have_modules_of_their_own);
	tcase_add_test(tests, damage_is_kept_as_it_is);
	tcase_add_test(
		tests, a_block_that_gets_too_large_is_written_as_several);
	tcase_add_test(tests, a_log_whose_end_is_missing_names_its_spool);
	tcase_add_test(tests, a_foreign_file_is_an_error);
	tcase_add_test(tests, a_log_that_grows_meanwhile_is_an_error);
	tcase_add_test(tests, a_full_disk_is_an_error);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("symbolize");

	suite_add_tcase(suite, make_symbolize());
	return run_suite(suite);
}

/* SPDX-License-Identifier: MIT */
/* protobuf/protobuf.[ch]: the bytes in the encoding's specification, and
 * messages of all sizes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "protobuf/protobuf.h"
#include "support/run_suite.h"

static struct buffer out;

static void set_up(void)
{
	out = (struct buffer)BUFFER_INIT;
}

static void tear_down(void)
{
	memory_set_limit(0);
	buffer_clear(&out);
}

static void ck_assert_wrote(const void *bytes, size_t size)
{
	ck_assert(!out.failed);
	ck_assert_uint_eq(out.used, size);
	ck_assert_mem_eq(out.bytes, bytes, size);
}

START_TEST(fields_are_as_the_document_has_them)
{
	protobuf_add_uint(&out, 1, 150);
	protobuf_add_text(&out, 2, "testing");
	protobuf_add_int(&out, 1, -2);
	ck_assert_wrote("\x08\x96\x01\x12\x07testing"
			"\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		23);
}
END_TEST

START_TEST(numbers_of_fixed_size_are_little_endian)
{
	protobuf_add_fixed64(&out, 47, UINT64_C(0x0102030405060708));
	protobuf_add_double(&out, 5, -2.0);
	ck_assert_wrote("\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01"
			"\x29\0\0\0\0\0\0\0\xc0",
		19);
}
END_TEST

START_TEST(varints_take_as_many_bytes_as_they_need)
{
	for (int bits = 0; bits < 64; bits++) {
		out.used = 0;
		protobuf_add_varint(&out, UINT64_C(1) << bits);
		ck_assert_uint_eq(out.used, (size_t)bits / 7 + 1);
	}
}
END_TEST

/* Sizes around those at which the encoded size gets longer. */
START_TEST(messages_nest_whatever_their_size)
{
	static const size_t sizes[] = {0, 1, 123, 124, 125, 126, 127, 128,
		16379, 16380, 16383, 16384, 2097148, 2097152};
	size_t size = sizes[_i];
	char *text = calloc(1, size + 1);
	size_t outer, inner;
	struct buffer again = BUFFER_INIT;

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', size);
	outer = protobuf_begin(&out, 3);
	inner = protobuf_begin(&out, 300);
	buffer_add(&out, text, size);
	protobuf_end(&out, inner);
	protobuf_add_uint(&out, 1, 7);
	protobuf_end(&out, outer);

	/* The same built from the inside out. */
	protobuf_add_bytes(&again, 300, text, size);
	protobuf_add_uint(&again, 1, 7);
	inner = out.used;
	protobuf_add_bytes(&out, 3, again.bytes, again.used);
	ck_assert(!out.failed && !again.failed);
	ck_assert_uint_eq(out.used, 2 * inner);
	ck_assert_mem_eq(out.bytes, out.bytes + inner, inner);
	buffer_clear(&again);
	free(text);
}
END_TEST

START_TEST(no_memory_shows_on_the_buffer)
{
	size_t begun;

	protobuf_add_uint(&out, 1, 1);
	memory_set_limit(1000);
	begun = protobuf_begin(&out, 2);
	for (int i = 0; i < 1000; i++)
		protobuf_add_fixed64(&out, 1, 1);
	protobuf_end(&out, begun);
	ck_assert(out.failed);
	ck_assert_uint_le(out.used, out.room);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("protobuf");
	TCase *tests = tcase_create("protobuf");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, fields_are_as_the_document_has_them);
	tcase_add_test(tests, numbers_of_fixed_size_are_little_endian);
	tcase_add_test(tests, varints_take_as_many_bytes_as_they_need);
	tcase_add_loop_test(tests, messages_nest_whatever_their_size, 0, 14);
	tcase_add_test(tests, no_memory_shows_on_the_buffer);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}

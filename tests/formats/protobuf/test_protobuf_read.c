/* SPDX-License-Identifier: MIT */
/* protobuf/protobuf.[ch]: reads its own output, and invalid messages. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "protobuf/protobuf.h"
#include "support/run_suite.h"

static struct buffer bytes;

static void set_up(void)
{
	bytes = (struct buffer)BUFFER_INIT;
}

static void tear_down(void)
{
	buffer_clear(&bytes);
}

/* A field of each kind. */
static void add_fields(void)
{
	protobuf_add_int(&bytes, 1, -2);
	protobuf_add_text(&bytes, 2, "testing");
	protobuf_add_fixed64(&bytes, 47, UINT64_C(0x0102030405060708));
	buffer_add(&bytes, "\x1d\x04\x03\x02\x01", 5);
	protobuf_add_text(&bytes, (1 << 29) - 1, "");
}

static void ck_assert_fields(struct protobuf_field *fields)
{
	ck_assert_uint_eq(fields[0].number, 1);
	ck_assert_int_eq((int64_t)fields[0].value, -2);
	ck_assert_uint_eq(fields[1].number, 2);
	ck_assert_uint_eq(fields[1].kind, PROTOBUF_BYTES);
	ck_assert_uint_eq(fields[1].size, 7);
	ck_assert_uint_eq(fields[2].number, 47);
	ck_assert_uint_eq(fields[2].value, UINT64_C(0x0102030405060708));
	ck_assert_uint_eq(fields[3].number, 3);
	ck_assert_uint_eq(fields[3].value, 0x01020304);
	ck_assert_uint_eq(fields[4].number, (1 << 29) - 1);
	ck_assert_uint_eq(fields[4].size, 0);
}

START_TEST(fields_of_all_kinds_are_read)
{
	struct protobuf_field fields[6];
	struct cursor message;

	add_fields();
	cursor_init(&message, bytes.bytes, bytes.used);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(protobuf_read_field(&message, &fields[i]),
			PROTOBUF_FIELD);
	ck_assert_fields(fields);
	ck_assert_mem_eq(fields[1].bytes, "testing", 7);
	ck_assert_int_eq(
		protobuf_read_field(&message, &fields[5]), PROTOBUF_END);
}
END_TEST

START_TEST(a_message_may_be_cut_off_anywhere)
{
	add_fields();
	for (size_t size = 0; size < bytes.used; size++) {
		char *copy = malloc(size + 1);
		struct protobuf_field field;
		enum protobuf_next next;
		struct cursor message;

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, bytes.bytes, size);
		cursor_init(&message, copy, size);
		do {
			next = protobuf_read_field(&message, &field);
		} while (next == PROTOBUF_FIELD);
		ck_assert_int_eq(next,
			message.left == 0 ? PROTOBUF_END : PROTOBUF_SHORT);
		free(copy);
	}
}
END_TEST

START_TEST(truncated_bytes_are_reported)
{
	struct protobuf_field field;
	struct cursor message;

	cursor_init(&message, "\x12\x07test", 6);
	ck_assert_int_eq(protobuf_read_field(&message, &field), PROTOBUF_SHORT);
	ck_assert_uint_eq(message.left, 6);
	ck_assert_uint_eq(field.number, 2);
	ck_assert_uint_eq(field.size, 4);
	ck_assert_mem_eq(field.bytes, "test", 4);
}
END_TEST

START_TEST(invalid_fields_are_bad)
{
	static const struct {
		const char *bytes;
		size_t size;
	} bad[] = {
		{"\x00\x01", 2},                 /* 0 */
		{"\x0b\x0c", 2},                 /* group */
		{"\x0f\x01", 2},                 /* kind 7 */
		{"\x80\x80\x80\x80\x10\x01", 6}, /* 2^29 */
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11}, /* long */
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11}, /* size */
	};
	struct protobuf_field field;
	struct cursor message;

	cursor_init(&message, bad[_i].bytes, bad[_i].size);
	ck_assert_int_eq(protobuf_read_field(&message, &field), PROTOBUF_BAD);
	ck_assert_uint_eq(message.left, bad[_i].size);
}
END_TEST

static FILE *open_bytes(size_t from)
{
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	ck_assert(!bytes.failed);
	ck_assert_uint_eq(
		fwrite(bytes.bytes + from, 1, bytes.used - from, file),
		bytes.used - from);
	rewind(file);
	return file;
}

/* With any part of it read before. */
START_TEST(a_file_is_a_message)
{
	add_fields();
	for (size_t head = 0; head <= bytes.used; head++) {
		FILE *file = open_bytes(head);
		struct protobuf_field fields[5];
		struct protobuf_stream stream;

		ck_assert(
			protobuf_stream_init(&stream, file, bytes.bytes, head));
		for (int i = 0; i < 5; i++)
			ck_assert_int_eq(
				protobuf_stream_next(&stream, &fields[i], NULL),
				CTP_OK);
		ck_assert_fields(fields);
		ck_assert_int_eq(
			protobuf_stream_next(&stream, fields, NULL), CTP_END);
		ck_assert_uint_eq(
			protobuf_stream_position(&stream), bytes.used);
		protobuf_stream_clear(&stream);
		(void)fclose(file);
	}
}
END_TEST

START_TEST(fields_may_be_longer_than_a_read)
{
	size_t size = (size_t)3 << 20;
	char *text = calloc(1, size);
	struct protobuf_stream stream;
	struct protobuf_field field;
	struct ctp_error err;
	FILE *file;

	ck_assert_ptr_nonnull(text);
	protobuf_add_bytes(&bytes, 1, text, size);
	protobuf_add_uint(&bytes, 2, 7);
	protobuf_add_bytes(&bytes, 3, text, size);
	bytes.used--;
	file = open_bytes(0);
	ck_assert(protobuf_stream_init(&stream, file, "", 0));
	ck_assert_int_eq(protobuf_stream_next(&stream, &field, &err), CTP_OK);
	ck_assert_uint_eq(field.size, size);
	ck_assert_mem_eq(field.bytes, text, size);
	ck_assert_int_eq(protobuf_stream_next(&stream, &field, &err), CTP_OK);
	ck_assert_uint_eq(field.value, 7);
	ck_assert_int_eq(
		protobuf_stream_next(&stream, &field, &err), CTP_ERR_FORMAT);
	ck_assert_uint_eq(err.offset, size + 7);
	protobuf_stream_clear(&stream);
	(void)fclose(file);
	free(text);
}
END_TEST

START_TEST(a_read_error_is_not_the_end)
{
	FILE *directory = fopen("/", "rb");
	struct protobuf_stream stream;
	struct protobuf_field field;
	struct ctp_error err;

	ck_assert_ptr_nonnull(directory);
	ck_assert(protobuf_stream_init(&stream, directory, "", 0));
	ck_assert_int_eq(
		protobuf_stream_next(&stream, &field, &err), CTP_ERR_IO);
	protobuf_stream_clear(&stream);
	(void)fclose(directory);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("protobuf_read");
	TCase *tests = tcase_create("protobuf_read");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, fields_of_all_kinds_are_read);
	tcase_add_test(tests, a_message_may_be_cut_off_anywhere);
	tcase_add_test(tests, truncated_bytes_are_reported);
	tcase_add_loop_test(tests, invalid_fields_are_bad, 0, 6);
	tcase_add_test(tests, a_file_is_a_message);
	tcase_add_test(tests, fields_may_be_longer_than_a_read);
	tcase_add_test(tests, a_read_error_is_not_the_end);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}

/* SPDX-License-Identifier: MIT */
/* The scanner against RFC 8259 on small texts, and against itself with input in
 * pieces of every size. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_scan.h"
#include "support/run_suite.h"

/* Each token as a letter, in place of its text: {k:"s",[n]} and so on. */
static enum ctp_status describe(
	struct json_scan *scan, char *out, size_t room, struct ctp_error *err)
{
	static const char letters[] = "{[)KSNtf0";
	struct json_token token;
	enum ctp_status status;
	size_t used = 0;

	while ((status = json_scan_next(scan, &token, err)) == CTP_OK) {
		used += (size_t)snprintf(
			out + used, room - used, "%c", letters[token.kind]);
		if (token.kind == JSON_KEY || token.kind == JSON_STRING ||
			token.kind == JSON_NUMBER)
			used += (size_t)snprintf(out + used, room - used,
				"%.*s ", (int)token.size,
				json_scan_text(scan, &token));
		if (used >= room)
			ck_abort_msg("more tokens than text");
	}
	out[used] = '\0';
	return status;
}

/* Scans a text whose first `head` bytes were already read. */
static enum ctp_status scan_text(const char *text, size_t size, size_t head,
	char *out, size_t room, struct ctp_error *err)
{
	FILE *in = tmpfile();
	struct json_scan *scan;
	enum ctp_status status;

	ck_assert_ptr_nonnull(in);
	ck_assert_uint_eq(fwrite(text + head, 1, size - head, in), size - head);
	rewind(in);
	scan = json_scan_new(in, text, head);
	ck_assert_ptr_nonnull(scan);
	status = describe(scan, out, room, err);
	json_scan_free(scan);
	(void)fclose(in);
	return status;
}

static void expect(const char *text, const char *wanted)
{
	char out[4096];
	struct ctp_error err;

	for (size_t head = 0; head <= strlen(text); head++) {
		ck_assert_int_eq(scan_text(text, strlen(text), head, out,
					 sizeof(out), &err),
			CTP_END);
		ck_assert_str_eq(out, wanted);
	}
}

static void refuse(const char *text, uint64_t offset)
{
	char out[4096];
	struct ctp_error err = {.offset = 12345};
	enum ctp_status status =
		scan_text(text, strlen(text), 0, out, sizeof(out), &err);

	ck_assert_msg(status == CTP_ERR_FORMAT, "'%s' is taken", text);
	ck_assert_msg(err.offset == offset, "'%s': %s at %llu", text,
		err.message, (unsigned long long)err.offset);
}

START_TEST(values_of_every_kind_are_reported)
{
	expect("{}", "{)");
	expect(" [ ] ", "[)");
	expect("\"a\"", "Sa ");
	expect("-12.5e+3\n", "N-12.5e+3 ");
	expect("[true,false,null]", "[tf0)");
	expect("{\"a\":1,\"b\":[{},[],\"c\"]}", "{Ka N1 Kb [{)[)Sc ))");
	expect("[0,-0,0.0,1E5,10]", "[N0 N-0 N0.0 N1E5 N10 )");
}
END_TEST

START_TEST(brackets_in_strings_are_text)
{
	expect("[\"{[,:]}\"]", "[S{[,:]} )");
	expect("{\"a\\\"b\":\"\\\\\"}", "{Ka\\\"b S\\\\ )");
	expect("[\"\\\\\\\"]\",1]", "[S\\\\\\\"] N1 )");
	expect("[\"\\u0041\"]", "[S\\u0041 )");
}
END_TEST

/* As written by Python, C's printf() and Microsoft's. */
START_TEST(words_that_are_not_numbers_are_text)
{
	static const char *const words[] = {"nan", "-nan", "inf", "-INF",
		"+inf", "-nan(ind)", "1.#INF00", "-1.#IND00", "1.#QNAN0"};
	char text[32];
	char tokens[32];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		(void)snprintf(text, sizeof(text), "[%s, 1]", words[i]);
		(void)snprintf(tokens, sizeof(tokens), "[S%s N1 )", words[i]);
		expect(text, tokens);
	}
	expect("[NaN,-Infinity , Infinity]", "[SNaN S-Infinity SInfinity )");
	expect("{\"a\":NaN,\"b\":[NaN],\"c\":1}", "{Ka SNaN Kb [SNaN )Kc N1 )");
}
END_TEST

START_TEST(invalid_json_is_refused_at_its_byte)
{
	refuse("", 0);
	refuse("[", 1);
	refuse("{\"a\"", 4);
	refuse("[1 2]", 3);
	refuse("[1,]", 3);
	refuse("{\"a\":1,}", 7);
	refuse("{\"a\" 1}", 5);
	refuse("{1:2}", 1);
	refuse("[}", 1);
	refuse("{\"a\":[}", 6);
	refuse("[\"abc", 1);
	refuse("[1]]", 3);
	refuse("[1] 2", 4);
	refuse("[,1]", 1);
	refuse("[:]", 1);
	refuse("[\"a\"\"b\"]", 4);
	refuse("[a]", 1);
}
END_TEST

START_TEST(invalid_numbers_are_refused)
{
	static const char *const wrong[] = {"01", "-", "+1", "1.", ".5", "1e",
		"1e+", "--1", "0x10", "1.2.3", "nano", "NaNN", "+-inf",
		"nan(ind", "1.#", "2.#INF", "nul", "1\v", "\x01", "1\\"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[32];

		(void)snprintf(text, sizeof(text), "[ %s]", wrong[i]);
		refuse(text, 2);
	}
}
END_TEST

START_TEST(an_error_comes_again)
{
	struct json_scan *scan;
	struct json_token token;
	struct ctp_error err;
	FILE *in = tmpfile();

	ck_assert_ptr_nonnull(in);
	scan = json_scan_new(in, "[}", 2);
	ck_assert_ptr_nonnull(scan);
	ck_assert_int_eq(json_scan_next(scan, &token, &err), CTP_OK);
	for (int i = 0; i < 3; i++) {
		err.offset = 0;
		ck_assert_int_eq(
			json_scan_next(scan, &token, &err), CTP_ERR_FORMAT);
		ck_assert_uint_eq(err.offset, 1);
		ck_assert_int_eq(json_scan_skip(scan, &err), CTP_ERR_FORMAT);
	}
	json_scan_free(scan);
	(void)fclose(in);
}
END_TEST

/* A random text of some MiB, and the expected results. */
struct made {
	char *text;
	size_t text_size;
	FILE *text_out;
	char *told;
	size_t told_size;
	FILE *told_out;
	uint64_t state;
};

static uint64_t chance(struct made *made, uint64_t below)
{
	made->state = made->state * UINT64_C(6364136223846793005) + 1;
	return (made->state >> 33) % below;
}

static void add_blanks(struct made *made)
{
	for (uint64_t i = chance(made, 8); i > 4; i--)
		(void)fputc(" \n\t\r"[chance(made, 4)], made -> text_out);
}

static void add_string(struct made *made, char letter)
{
	static const char *const pieces[] = {
		"a", "{", "]", ",", ":", "\\\\", "\\\"", "\\n", " ", "xyz"};
	uint64_t size = chance(made, 10000) == 0 ? chance(made, 600000)
						 : chance(made, 12);

	(void)fprintf(made->text_out, "\"");
	(void)fprintf(made->told_out, "%c", letter);
	for (uint64_t i = 0; i < size; i++) {
		const char *piece = pieces[chance(made, 10)];

		(void)fputs(piece, made->text_out);
		(void)fputs(piece, made->told_out);
	}
	(void)fprintf(made->text_out, "\"");
	(void)fprintf(made->told_out, " ");
}

static void add_value(struct made *made, unsigned depth);

static void add_items(struct made *made, unsigned depth, bool object)
{
	uint64_t count = depth == 0 ? 20000 : chance(made, 6);

	(void)fputc(object ? '{' : '[', made->text_out);
	(void)fputc(object ? '{' : '[', made->told_out);
	for (uint64_t i = 0; i < count; i++) {
		if (i > 0)
			(void)fputc(',', made->text_out);
		add_blanks(made);
		if (object) {
			add_string(made, 'K');
			add_blanks(made);
			(void)fputc(':', made->text_out);
		}
		add_value(made, depth + 1);
		add_blanks(made);
	}
	(void)fputc(object ? '}' : ']', made->text_out);
	(void)fputc(')', made->told_out);
}

static void add_value(struct made *made, unsigned depth)
{
	uint64_t kind = chance(made, depth > 6 ? 4 : 6);
	uint64_t number;

	switch (kind) {
	case 0:
		(void)fprintf(made->text_out, "true");
		(void)fprintf(made->told_out, "t");
		break;
	case 1:
		add_string(made, 'S');
		break;
	case 2:
	case 3:
		number = chance(made, 100000);
		(void)fprintf(made->text_out, "%llu.%03llu",
			(unsigned long long)number,
			(unsigned long long)number % 1000);
		(void)fprintf(made->told_out, "N%llu.%03llu ",
			(unsigned long long)number,
			(unsigned long long)number % 1000);
		break;
	default:
		add_items(made, depth, kind == 4);
	}
}

static struct made make_text(uint64_t seed)
{
	struct made made = {.state = seed};

	made.text_out = open_memstream(&made.text, &made.text_size);
	made.told_out = open_memstream(&made.told, &made.told_size);
	ck_assert(made.text_out != NULL && made.told_out != NULL);
	add_items(&made, 0, false);
	(void)fclose(made.text_out);
	(void)fclose(made.told_out);
	return made;
}

START_TEST(texts_larger_than_the_window_are_reported_whole)
{
	struct made made = make_text((uint64_t)_i + 1);
	char *out = malloc(made.told_size + 64);
	struct ctp_error err;

	ck_assert_ptr_nonnull(out);
	ck_assert_uint_gt(made.text_size, 2 << 20);
	ck_assert_int_eq(scan_text(made.text, made.text_size, (size_t)_i * 4099,
				 out, made.told_size + 64, &err),
		CTP_END);
	ck_assert(strcmp(out, made.told) == 0);
	free(out);
	free(made.text);
	free(made.told);
}
END_TEST

/* Counts the outer array's items, skipping each object and array at once. */
static uint64_t count_items(const struct made *made, struct ctp_error *err)
{
	FILE *in = fmemopen(made->text, made->text_size, "rb");
	struct json_scan *scan = json_scan_new(in, "", 0);
	struct json_token token;
	uint64_t count = 0;

	ck_assert_ptr_nonnull(scan);
	ck_assert_int_eq(json_scan_next(scan, &token, err), CTP_OK);
	while (json_scan_next(scan, &token, err) == CTP_OK &&
		token.kind != JSON_END) {
		count++;
		if ((token.kind == JSON_OBJECT || token.kind == JSON_ARRAY) &&
			json_scan_skip(scan, err) != CTP_OK)
			ck_abort_msg("cannot be skipped");
		if (json_scan_depth(scan) != 1)
			ck_abort_msg("skipped too much, or too little");
	}
	ck_assert_int_eq(json_scan_next(scan, &token, err), CTP_END);
	json_scan_free(scan);
	(void)fclose(in);
	return count;
}

START_TEST(skipped_values_are_counted)
{
	struct made made = make_text(77);
	struct ctp_error err;

	ck_assert_uint_eq(count_items(&made, &err), 20000);
	free(made.text);
	free(made.told);
}
END_TEST

START_TEST(skipped_values_are_checked)
{
	static const char *const wrong[] = {"[[1,]]", "[[1 2]]", "[{1:2}]",
		"[[01]]", "[{\"a\"}]", "[[}]", "[[\"", "[[1"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		FILE *in = tmpfile();
		struct json_scan *scan =
			json_scan_new(in, wrong[i], strlen(wrong[i]));
		struct json_token token;
		struct ctp_error err;

		ck_assert_ptr_nonnull(scan);
		ck_assert_int_eq(json_scan_next(scan, &token, &err), CTP_OK);
		ck_assert_int_eq(json_scan_next(scan, &token, &err), CTP_OK);
		ck_assert_msg(json_scan_skip(scan, &err) == CTP_ERR_FORMAT,
			"'%s' is taken", wrong[i]);
		json_scan_free(scan);
		(void)fclose(in);
	}
}
END_TEST

START_TEST(brackets_beyond_the_limit_are_refused)
{
	size_t size = JSON_SCAN_DEPTH_MAX + 10;
	char *text = malloc(size);
	FILE *in = tmpfile();
	struct json_scan *scan;
	struct json_token token;
	struct ctp_error err;

	ck_assert_ptr_nonnull(text);
	memset(text, '[', size);
	scan = json_scan_new(in, text, size);
	ck_assert_ptr_nonnull(scan);
	ck_assert_int_eq(json_scan_next(scan, &token, &err), CTP_OK);
	ck_assert_int_eq(json_scan_skip(scan, &err), CTP_ERR_LIMIT);
	ck_assert_uint_eq(err.offset, JSON_SCAN_DEPTH_MAX);
	json_scan_free(scan);
	(void)fclose(in);
	free(text);
}
END_TEST

START_TEST(kept_bytes_stay)
{
	struct made made = make_text(5);
	FILE *in = fmemopen(made.text, made.text_size, "rb");
	struct json_scan *scan = json_scan_new(in, "", 0);
	struct json_token token;
	struct ctp_error err;

	ck_assert_ptr_nonnull(scan);
	ck_assert_int_eq(json_scan_next(scan, &token, &err), CTP_OK);
	json_scan_pin(scan, &token);
	ck_assert_int_eq(json_scan_skip(scan, &err), CTP_OK);
	ck_assert_uint_eq(json_scan_position(scan), made.text_size);
	ck_assert(memcmp(json_scan_bytes(scan, 0), made.text, made.text_size) ==
		  0);
	json_scan_unpin(scan);
	json_scan_free(scan);
	(void)fclose(in);
	free(made.text);
	free(made.told);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_scan");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, values_of_every_kind_are_reported);
	tcase_add_test(tcase, brackets_in_strings_are_text);
	tcase_add_test(tcase, invalid_json_is_refused_at_its_byte);
	tcase_add_test(tcase, words_that_are_not_numbers_are_text);
	tcase_add_test(tcase, invalid_numbers_are_refused);
	tcase_add_test(tcase, an_error_comes_again);
	tcase_add_loop_test(
		tcase, texts_larger_than_the_window_are_reported_whole, 0, 4);
	tcase_add_test(tcase, skipped_values_are_counted);
	tcase_add_test(tcase, skipped_values_are_checked);
	tcase_add_test(tcase, brackets_beyond_the_limit_are_refused);
	tcase_add_test(tcase, kept_bytes_stay);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}

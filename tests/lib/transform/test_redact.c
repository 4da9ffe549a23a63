/* SPDX-License-Identifier: MIT */
/* lib/transform/redact.[ch], siphash() of lib/base/hash.[ch] */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "support/run_suite.h"
#include "transform/redact.h"

typedef void (*rule)(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

static struct redact_rules rules;
static struct buffer out;

static void setup(void)
{
	redact_rules_init(&rules, "");
}

static void teardown(void)
{
	redact_rules_clear(&rules);
	buffer_clear(&out);
}

static const char *apply(rule apply_to, const char *text)
{
	out.used = 0;
	apply_to(&rules, text, strlen(text), &out);
	buffer_add_byte(&out, '\0');
	ck_assert(!out.failed);
	return (const char *)out.bytes;
}

/* Does a hash of 16 digits follow this, and then this? */
static bool is_hashed(const char *text, const char *before, const char *behind)
{
	size_t size = strlen(before);

	return strncmp(text, before, size) == 0 &&
	       strspn(text + size, "0123456789abcdef") >= 16 &&
	       strcmp(text + size + 16, behind) == 0;
}

/* Source: the paper's appendix A, and vectors.h of its reference code. */
START_TEST(siphash_is_as_its_authors_have_it)
{
	const struct siphash_key key = {
		UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
	uint8_t bytes[15];

	for (uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	ck_assert_uint_eq(
		siphash(&key, bytes, 0), UINT64_C(0x726fdb47dd0e0e31));
	ck_assert_uint_eq(
		siphash(&key, bytes, 8), UINT64_C(0x93f5f5799a932462));
	ck_assert_uint_eq(
		siphash(&key, bytes, 15), UINT64_C(0xa129ca6149be45e5));
}
END_TEST

START_TEST(names_stay_unchanged)
{
	static const char *const names[] = {"", "main", "aten::addmm",
		"std::vector<int, std::allocator<int> >::push_back(int&&)",
		"a::operator/(a const&)", "a / b", "ProfilerStep#7",
		"Memcpy HtoD (Pageable -> Device)", "h\303\251llo"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_str_eq(apply(redact_name, names[i]), names[i]);
}
END_TEST

START_TEST(paths_in_names_are_replaced)
{
	ck_assert(is_hashed(
		apply(redact_name, "/usr/x.py(12): f"), "path-", ".py(12): f"));
	ck_assert(is_hashed(
		apply(redact_name, "f (a/b.cc:12)"), "f (path-", ".cc:12)"));
	ck_assert(is_hashed(
		apply(redact_name, "C:\\Users\\me\\run"), "path-", ""));
	ck_assert(is_hashed(
		apply(redact_name, "get https://host/"), "get path-", ""));
	ck_assert(is_hashed(apply(redact_name, "x/operator/"), "path-", ""));
}
END_TEST

START_TEST(paths_with_blanks_are_replaced_whole)
{
	ck_assert(is_hashed(apply(redact_name, "(/home/x/My own/a file/y.py)"),
		"(path-", ".py)"));
	ck_assert(is_hashed(
		apply(redact_name, "C:\\a b\\c d\\e.c: f"), "path-", " f"));
	ck_assert(is_hashed(
		apply(redact_name, "cp /a/b to x"), "cp path-", " to x"));
}
END_TEST

START_TEST(files_in_names_are_replaced)
{
	ck_assert(is_hashed(
		apply(redact_name, "model.py(12): f"), "path-", ".py(12): f"));
	ck_assert(is_hashed(apply(redact_name, "gcc a.c"), "gcc path-", ".c"));
	ck_assert_str_eq(apply(redact_name, "f.constprop.0"), "f.constprop.0");
}
END_TEST

START_TEST(modules_of_functions_without_a_name_are_replaced)
{
	ck_assert(is_hashed(
		apply(redact_name, "program+0x1a2f"), "module-", "+0x1a2f"));
	ck_assert_str_eq(apply(redact_name, "a+0x"), "a+0x");
	ck_assert_str_eq(apply(redact_name, "+0x1"), "+0x1");
	ck_assert_str_eq(apply(redact_name, "abc1"), "abc1");
}
END_TEST

START_TEST(words_are_replaced_wherever_they_are)
{
	ck_assert(redact_rules_add_word(&rules, "bob", 3));
	ck_assert(redact_rules_add_word(&rules, "bobby's", 5));
	ck_assert(redact_rules_add_word(&rules, "no", 2));
	ck_assert(is_hashed(
		apply(redact_name, "thread of bob."), "thread of word-", "."));
	ck_assert(is_hashed(apply(redact_name, "xbobby"), "xword-", ""));
	ck_assert_str_eq(apply(redact_name, "no"), "no");
	ck_assert(is_hashed(apply(redact_file, "<of bob>"), "<of word-", ">"));
}
END_TEST

START_TEST(users_are_found_by_their_home_directories)
{
	static const char text[] =
		"/home/bob/a C:\\Users\\eve /Users/ann:/home/";

	ck_assert(redact_rules_add_users(&rules, text, sizeof(text) - 1));
	ck_assert_uint_eq(rules.word_count, 3);
	ck_assert(is_hashed(apply(redact_name, "of eve"), "of word-", ""));
	ck_assert(is_hashed(apply(redact_name, "of ann"), "of word-", ""));
	ck_assert(is_hashed(apply(redact_name, "of bob"), "of word-", ""));
}
END_TEST

START_TEST(too_many_words_cost_all_names)
{
	char word[16];

	for (int i = 0; i < REDACT_WORDS_MAX; i++) {
		int size = snprintf(word, sizeof(word), "host%d", i);

		ck_assert(redact_rules_add_word(&rules, word, (size_t)size));
	}
	ck_assert_str_eq(apply(redact_name, "main"), "main");
	ck_assert(is_hashed(apply(redact_name, word), "word-", ""));
	ck_assert(redact_rules_add_word(&rules, "another", 7));
	ck_assert(is_hashed(apply(redact_name, "another"), "word-", ""));
	ck_assert(is_hashed(apply(redact_name, "main"), "word-", ""));
}
END_TEST

START_TEST(files_keep_the_suffix_of_their_language)
{
	ck_assert(is_hashed(apply(redact_file, "/a/b.py"), "file-", ".py"));
	ck_assert(is_hashed(apply(redact_file, "b.private"), "file-", ""));
	ck_assert(is_hashed(apply(redact_file, ".py"), "file-", ""));
	ck_assert(is_hashed(apply(redact_file, "</a>"), "file-", ""));
	ck_assert_str_eq(apply(redact_file, "~"), "~");
	ck_assert_str_eq(apply(redact_file, ""), "");
	ck_assert_str_eq(apply(redact_file, "<string>"), "<string>");
}
END_TEST

START_TEST(a_process_or_thread_keeps_its_rank_alone)
{
	ck_assert_str_eq(apply(redact_label, ""), "");
	ck_assert_str_eq(apply(redact_label, "rank 3"), "rank 3");
	ck_assert(is_hashed(apply(redact_label, "python3"), "label-", ""));
	ck_assert(is_hashed(
		apply(redact_label, "python3 x --key=y"), "label-", ""));
	ck_assert(is_hashed(
		apply(redact_label, "rank 3: python x"), "rank 3: label-", ""));
	ck_assert(is_hashed(apply(redact_label, "rank 3x"), "label-", ""));
	ck_assert(is_hashed(apply(redact_label, "rank me"), "label-", ""));
}
END_TEST

START_TEST(json_keeps_its_shape_numbers_and_keys)
{
	ck_assert_str_eq(apply(redact_json, "[[1,2.5],[true,null]]"),
		"[[1,2.5],[true,null]]");
	ck_assert(is_hashed(apply(redact_json, "{\"key\" : [\"a\\\"]b\"]}"),
		"{\"key\" : [\"text-", "\"]}"));
	ck_assert(is_hashed(
		apply(redact_json, "{\"a/b\": 1}"), "{\"path-", "\": 1}"));
	ck_assert(is_hashed(apply(redact_json, "{\"a\\\"b\":\"\"}"), "{\"text-",
		"\":\"\"}"));
}
END_TEST

START_TEST(equal_text_has_one_hash_and_a_salt_another)
{
	struct redact_rules salted;
	char first[64];

	(void)strcpy(first, apply(redact_file, "/a/b"));
	ck_assert_str_eq(apply(redact_file, "/a/b"), first);
	ck_assert_str_ne(apply(redact_file, "/a/c"), first);
	redact_rules_init(&salted, "salt");
	out.used = 0;
	redact_file(&salted, "/a/b", 4, &out);
	buffer_add_byte(&out, '\0');
	ck_assert_str_ne((const char *)out.bytes, first);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("redact");
	TCase *tests = tcase_create("redact");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, siphash_is_as_its_authors_have_it);
	tcase_add_test(tests, names_stay_unchanged);
	tcase_add_test(tests, paths_in_names_are_replaced);
	tcase_add_test(tests, paths_with_blanks_are_replaced_whole);
	tcase_add_test(tests, files_in_names_are_replaced);
	tcase_add_test(tests, modules_of_functions_without_a_name_are_replaced);
	tcase_add_test(tests, words_are_replaced_wherever_they_are);
	tcase_add_test(tests, users_are_found_by_their_home_directories);
	tcase_add_test(tests, too_many_words_cost_all_names);
	tcase_add_test(tests, files_keep_the_suffix_of_their_language);
	tcase_add_test(tests, a_process_or_thread_keeps_its_rank_alone);
	tcase_add_test(tests, json_keeps_its_shape_numbers_and_keys);
	tcase_add_test(tests, equal_text_has_one_hash_and_a_salt_another);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}

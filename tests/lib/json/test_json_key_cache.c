/* SPDX-License-Identifier: MIT */
/* Compares the fast path for reading and skipping with reading token by token,
 * on texts that are JSON except for a byte or two. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "json/json_scan.h"
#include "json/json_key_cache.h"
#include "support/run_suite.h"

#define TEXT_MAX 4096
#define TEXTS 3000

/* Pseudo-random numbers that are the same everywhere, unlike rand_r()'s. */
static uint64_t chance(uint64_t *state, uint64_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (*state >> 33) % limit;
}

struct text {
	char bytes[TEXT_MAX + 64];
	size_t size;
	uint64_t seed;
	uint64_t state;
	bool is_plain; /* blanks are alike */
};

static void add(struct text *text, const char *bytes)
{
	size_t size = strlen(bytes);

	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

static void add_blank(struct text *text)
{
	static const char *const blanks[] = {"", "", "", " ", "\n  ", "\t\r\n",
		"                                                            "};

	add(text, text->is_plain ? " " : blanks[chance(&text->state, 7)]);
}

static void add_scalar(struct text *text)
{
	static const char *const scalars[] = {"0", "1", "7.25", "-3", "1e9",
		"10.000", "true", "false", "null", "12345678901234567890.125",
		"-0.5E-7", "\"\"", "\"a\"", "\"{[,:\"", "\"\\\\\"", "\"\\\"]\"",
		"\"long enough to be in two steps, or end with one\""};

	add(text, scalars[chance(&text->state, 17)]);
}

/* More of them than are cached; some are too long, or need escapes. */
static void add_key(struct text *text)
{
	static const char *const odd[] = {"", "a", "b", "k\\\"", "\\\\",
		"ph\xff", "as long as a step may be with its blanks",
		"as long as no step may be with its blanks"};
	char key[64];

	if (chance(&text->state, 2) != 0)
		(void)snprintf(key, sizeof(key), "\"%s\"",
			odd[chance(&text->state, 8)]);
	else
		(void)snprintf(key, sizeof(key), "\"key%u\"",
			(unsigned)(text->seed / 4 + chance(&text->state, 3)));
	add(text, key);
}

static void add_items(struct text *text, unsigned depth)
{
	bool object = chance(&text->state, 2) != 0;
	uint64_t count = chance(&text->state, 10) == 0
				 ? 2 * JSON_MEMBERS_MAX
				 : chance(&text->state, 6);

	add(text, object ? "{" : "[");
	for (uint64_t i = 0; i < count && text->size < TEXT_MAX / 2; i++) {
		add_blank(text);
		if (i > 0)
			add(text, ",");
		add_blank(text);
		if (object) {
			add_key(text);
			add_blank(text);
			add(text, ":");
			add_blank(text);
		}
		if (depth < 12 && chance(&text->state, 3) != 0)
			add_items(text, depth + 1);
		else
			add_scalar(text);
	}
	add_blank(text);
	add(text, object ? "}" : "]");
}

/* Every second one is valid; the others have bytes changed, inserted or
 * removed. */
static void make_text(struct text *text, uint64_t seed)
{
	static const char marks[] = "{}[]:,\"\\0.1-e t";

	text->size = 0;
	text->seed = seed;
	text->state = seed;
	text->is_plain = seed % 4 < 2;
	for (uint64_t i = chance(&text->state, 70); i > 0; i--)
		add(text, " ");
	add_items(text, 0);
	for (uint64_t i = seed % 2 * (1 + chance(&text->state, 2)); i > 0;
		i--) {
		size_t at = (size_t)chance(&text->state, text->size);
		char mark = marks[chance(&text->state, sizeof(marks) - 1)];

		switch (chance(&text->state, 3)) {
		case 0:
			text->bytes[at] = mark;
			break;
		case 1:
			memmove(text->bytes + at + 1, text->bytes + at,
				text->size - at);
			text->bytes[at] = mark;
			text->size++;
			break;
		default:
			text->size--;
			memmove(text->bytes + at, text->bytes + at + 1,
				text->size - at);
		}
	}
}

/* The text after the head. */
static FILE *open_rest(struct text *text, size_t head)
{
	FILE *rest = head == text->size ? fopen("/dev/null", "rb")
					: fmemopen(text->bytes + head,
						  text->size - head, "rb");

	ck_assert_ptr_nonnull(rest);
	return rest;
}

struct outcome {
	enum ctp_status status;
	uint64_t offset;
	uint64_t position;
	struct json_token token; /* the next one */
	char message[sizeof(((struct ctp_error *)NULL)->message)];
};

/* Reads the text's first tokens, and skips the rest of the open bracket at once
 * or token by token. */
static struct outcome pass(
	struct text *text, size_t head, uint64_t first, bool at_once)
{
	FILE *rest = open_rest(text, head);
	struct json_scan *scan = json_scan_new(rest, text->bytes, head);
	struct ctp_error err = {.offset = 0};
	struct outcome outcome = {.status = CTP_OK};
	struct json_token token;
	uint32_t depth;

	ck_assert_ptr_nonnull(scan);
	for (uint64_t i = 0; i <= first && outcome.status == CTP_OK; i++)
		outcome.status = json_scan_next(scan, &token, &err);
	depth = json_scan_depth(scan);
	if (outcome.status == CTP_OK && depth > 0 && at_once)
		outcome.status = json_scan_skip(scan, &err);
	while (outcome.status == CTP_OK && json_scan_depth(scan) >= depth &&
		depth > 0)
		outcome.status = json_scan_next(scan, &token, &err);
	outcome.position = json_scan_position(scan);
	if (outcome.status == CTP_OK)
		outcome.status = json_scan_next(scan, &outcome.token, &err);
	outcome.offset = err.offset;
	memcpy(outcome.message, err.message, sizeof(outcome.message));
	json_scan_free(scan);
	(void)fclose(rest);
	return outcome;
}

static bool is_told_alike(const struct outcome *a, const struct outcome *b)
{
	if (a->status != b->status || a->offset != b->offset ||
		strcmp(a->message, b->message) != 0)
		return false;
	return a->status == CTP_ERR_FORMAT ||
	       (a->position == b->position && a->token.at == b->token.at &&
		       a->token.kind == b->token.kind);
}

START_TEST(skipped_values_are_checked_like_parsed_ones)
{
	static struct text text;
	unsigned refused = 0;

	for (uint64_t seed = 0; seed < TEXTS; seed++) {
		struct outcome skipped;
		struct outcome read;
		uint64_t first;

		make_text(&text, seed);
		first = chance(&text.state, 4);
		skipped =
			pass(&text, (size_t)chance(&text.state, text.size + 1),
				first, true);
		read = pass(&text, text.size, first, false);
		if (!is_told_alike(&skipped, &read))
			ck_abort_msg("%s at %llu, but %s at %llu: '%.*s'",
				skipped.message,
				(unsigned long long)skipped.offset,
				read.message, (unsigned long long)read.offset,
				(int)text.size, text.bytes);
		refused += read.status == CTP_ERR_FORMAT;
	}
	ck_assert_uint_gt(refused, TEXTS / 4);
	ck_assert_uint_lt(refused, TEXTS / 2);
}
END_TEST

/* All tokens returned, and the final status. */
struct tokens {
	struct json_token items[TEXT_MAX];
	size_t count;
	enum ctp_status status;
	struct ctp_error err;
};

static void note(struct tokens *tokens, const struct json_token *token)
{
	ck_assert_uint_lt(tokens->count, TEXT_MAX);
	tokens->items[tokens->count++] = *token;
}

/* Records members of the innermost open object; the last one determines the
 * next step. */
static enum ctp_status read_members(struct json_key_cache *shape,
	struct json_scan *scan, struct tokens *tokens, struct json_token *last)
{
	struct json_members_read read;
	enum ctp_status status =
		json_key_cache_read(shape, scan, &read, &tokens->err);

	for (unsigned i = 0; status == CTP_OK && i < read.count; i++) {
		struct json_token key =
			json_key_cache_key(shape, &read, &read.items[i]);

		*last = read.items[i].value;
		if (last->kind != JSON_END)
			note(tokens, &key);
		note(tokens, last);
	}
	return status;
}

/* One bit per open bracket, at most 64: is it an object? `head` bytes of the
 * text are available at first. */
static void read_all(struct text *text, size_t head,
	struct json_key_cache *shape, struct tokens *tokens)
{
	FILE *rest = open_rest(text, head);
	struct json_scan *scan = json_scan_new(rest, text->bytes, head);
	uint64_t objects = 0;

	ck_assert_ptr_nonnull(scan);
	tokens->count = 0;
	tokens->err = (struct ctp_error){.offset = 0};
	for (;;) {
		struct json_token token = {.kind = JSON_NULL};

		if (shape != NULL && (objects & 1) != 0) {
			tokens->status =
				read_members(shape, scan, tokens, &token);
		} else {
			tokens->status =
				json_scan_next(scan, &token, &tokens->err);
			if (tokens->status == CTP_OK)
				note(tokens, &token);
		}
		if (tokens->status != CTP_OK)
			break;
		if (token.kind == JSON_END)
			objects >>= 1;
		else if (token.kind == JSON_OBJECT || token.kind == JSON_ARRAY)
			objects = objects << 1 | (token.kind == JSON_OBJECT);
	}
	json_scan_free(scan);
	(void)fclose(rest);
}

/* Only one of the two returns a key with an invalid value. */
static bool are_same(const struct tokens *one, const struct tokens *other)
{
	size_t count = one->count < other->count ? one->count : other->count;

	for (size_t i = 0; i < count; i++) {
		const struct json_token *a = &one->items[i];
		const struct json_token *b = &other->items[i];

		if (a->kind != b->kind || a->at != b->at ||
			a->size != b->size || a->has_escapes != b->has_escapes)
			return false;
	}
	return one->count - count <= (one->status == CTP_ERR_FORMAT) &&
	       other->count == count && one->status == other->status &&
	       one->err.offset == other->err.offset &&
	       strcmp(one->err.message, other->err.message) == 0;
}

START_TEST(members_have_the_kinds_of_their_tokens)
{
	static struct text text;
	static struct tokens tokens;
	static struct tokens members;
	static struct json_key_cache shape; /* of all texts */

	for (uint64_t seed = 0; seed < TEXTS; seed++) {
		size_t head;

		make_text(&text, seed);
		head = (size_t)chance(&text.state, text.size + 1);
		read_all(&text, text.size, NULL, &tokens);
		read_all(&text, head, &shape, &members);
		if (!are_same(&tokens, &members))
			ck_abort_msg(
				"%s at %llu, but %s at %llu, %zu first: '%.*s'",
				tokens.err.message,
				(unsigned long long)tokens.err.offset,
				members.err.message,
				(unsigned long long)members.err.offset, head,
				(int)text.size, text.bytes);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_key_cache");
	TCase *all = tcase_create("all");

	tcase_add_test(all, skipped_values_are_checked_like_parsed_ones);
	tcase_add_test(all, members_have_the_kinds_of_their_tokens);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}

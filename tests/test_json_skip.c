/* SPDX-License-Identifier: MIT */
/* What is passed over at once against the same read token by token, and the
 * ways of looking at bytes against each other: on texts that are JSON but for
 * a byte or two. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "json_index.h"
#include "json_scan.h"
#include "run_suite.h"

#define TEXT_MAX 4096
#define TEXTS 6000
#define STEPS 8

/* Numbers that are none but for the generator: as rand_r() may not be. */
static uint64_t chance(uint64_t *state, uint64_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (*state >> 33) % limit;
}

struct text {
	char bytes[TEXT_MAX + 64];
	size_t size;
	uint64_t state;
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

	add(text, blanks[chance(&text->state, 7)]);
}

static void add_scalar(struct text *text)
{
	static const char *const scalars[] = {"0", "1", "7.25", "-3", "1e9",
		"10.000", "true", "false", "null", "12345678901234567890.125",
		"-0.5E-7", "\"\"", "\"a\"", "\"{[,:\"", "\"\\\\\"", "\"\\\"]\"",
		"\"long enough to be in two steps, or end with one\""};

	add(text, scalars[chance(&text->state, 17)]);
}

static void add_items(struct text *text, unsigned depth)
{
	bool object = chance(&text->state, 2) != 0;
	uint64_t count = chance(&text->state, 6);

	add(text, object ? "{" : "[");
	for (uint64_t i = 0; i < count && text->size < TEXT_MAX / 2; i++) {
		add_blank(text);
		if (i > 0)
			add(text, ",");
		add_blank(text);
		if (object) {
			add(text, "\"key\"");
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

/* Every second one is right; the others have bytes changed, put in or left
 * out. */
static void make_text(struct text *text, uint64_t seed)
{
	static const char marks[] = "{}[]:,\"\\0.1-e t";

	text->size = 0;
	text->state = seed;
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

struct outcome {
	enum ctp_status status;
	uint64_t offset;
	uint64_t position;
	struct json_token token; /* the one that comes next */
	char message[sizeof(((struct ctp_error *)NULL)->message)];
};

/* Reads the text's first tokens, and passes over the rest of what is open
 * then, at once or token by token. */
static struct outcome pass(
	const struct text *text, FILE *empty, uint64_t first, bool at_once)
{
	struct json_scan *scan = json_scan_new(empty, text->bytes, text->size);
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

START_TEST(what_is_skipped_is_checked_as_what_is_read)
{
	static struct text text;
	FILE *empty = fopen("/dev/null", "rb");
	unsigned refused = 0;

	ck_assert_ptr_nonnull(empty);
	for (uint64_t seed = 0; seed < TEXTS; seed++) {
		struct outcome skipped;
		struct outcome read;
		uint64_t first;

		make_text(&text, seed);
		first = chance(&text.state, 4);
		skipped = pass(&text, empty, first, true);
		read = pass(&text, empty, first, false);
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
	(void)fclose(empty);
}
END_TEST

struct found {
	uint32_t tokens[TEXT_MAX];
	struct json_block blocks[TEXT_MAX / JSON_INDEX_STEP];
	size_t count;
};

/* Indexes the text, which has whole steps, in parts of `steps` each. */
static void look(const struct text *text, unsigned way, unsigned steps,
	struct found *found)
{
	uint32_t end = (uint32_t)text->size;
	struct json_index index;

	memset(found, 0, sizeof(*found));
	json_index_init(&index, way);
	for (uint32_t from = 0; from < end; from += steps * JSON_INDEX_STEP) {
		uint32_t to = from + steps * JSON_INDEX_STEP;

		found->count += json_index_add(
			&index, &(struct json_index_part){
					.bytes = (const uint8_t *)text->bytes,
					.from = from,
					.to = to < end ? to : end,
					.tokens = found->tokens + found->count,
					.blocks = found->blocks +
						  from / JSON_INDEX_STEP});
	}
}

static bool is_same(const struct found *a, const struct found *b, size_t blocks)
{
	return a->count == b->count &&
	       memcmp(a->tokens, b->tokens, a->count * sizeof(*a->tokens)) ==
		       0 &&
	       memcmp(a->blocks, b->blocks, blocks * sizeof(*a->blocks)) == 0;
}

START_TEST(all_ways_find_the_same_in_parts_of_any_size)
{
	static struct text text;
	static struct found wanted;
	static struct found found;

	for (uint64_t seed = 0; seed < TEXTS / 4; seed++) {
		make_text(&text, seed);
		/* Bytes that are in no text of JSON, too. */
		for (uint64_t i = 0; i < seed % 8; i++)
			text.bytes[chance(&text.state, text.size)] =
				(char)chance(&text.state, 256);
		while (text.size % JSON_INDEX_STEP != 0)
			add(&text, " ");
		look(&text, 0, TEXT_MAX, &wanted);
		for (unsigned way = 0; way < json_index_ways(); way++)
			for (unsigned steps = 1; steps < STEPS; steps += 2) {
				look(&text, way, steps, &found);
				if (!is_same(&wanted, &found,
					    text.size / JSON_INDEX_STEP))
					ck_abort_msg("way %u, %u steps: '%.*s'",
						way, steps, (int)text.size,
						text.bytes);
			}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_skip");
	TCase *all = tcase_create("all");

	tcase_add_test(all, what_is_skipped_is_checked_as_what_is_read);
	tcase_add_test(all, all_ways_find_the_same_in_parts_of_any_size);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}

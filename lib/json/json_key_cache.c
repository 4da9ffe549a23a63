/* SPDX-License-Identifier: MIT */
#include "json/json_key_cache.h"

#include <string.h>

/* Steps for the beginning of an object, and for a member that is not cached. */
#define STEP_BEGIN 0
#define STEP_UNKNOWN 1
#define STEP_FIRST 2

/* Limit of attempts for files without repeating structure. */
#define CLEARED_MAX 16

#define MASK_BYTES 32

_Static_assert(JSON_STEP_BYTES + 48 <= JSON_BYTES_ROOM,
	"Reading a number after a step needs room.");

/* Does the text match the step's bytes? */
static inline bool is_step(const struct json_step *step, const uint8_t *text)
{
#ifdef __SSE2__
	const __m128i *own = (const __m128i *)step->bytes;
	const __m128i *others = (const __m128i *)text;
	__m128i first =
		_mm_cmpeq_epi8(_mm_loadu_si128(own), _mm_loadu_si128(others));
	__m128i second = _mm_cmpeq_epi8(
		_mm_loadu_si128(own + 1), _mm_loadu_si128(others + 1));
	uint32_t same = (uint32_t)_mm_movemask_epi8(first) |
			(uint32_t)_mm_movemask_epi8(second) << 16;

	return (~same & step->mask) == 0 &&
	       (step->size <= MASK_BYTES ||
		       memcmp(step->bytes + MASK_BYTES, text + MASK_BYTES,
			       step->size - MASK_BYTES) == 0);
#else
	return memcmp(step->bytes, text, step->size) == 0;
#endif
}

/* The next step, if it followed `last` before; NULL if not. */
static inline const struct json_step *find_next(
	const struct json_key_cache *cache, const struct json_step *last,
	const uint8_t *text)
{
	for (unsigned i = 0; i < last->next_count; i++) {
		const struct json_step *next = &cache->steps[last->next[i]];

		if (is_step(next, text))
			return next;
	}
	return NULL;
}

/* Reads members while they match cached steps; true if the last one is nested,
 * or there is no room for more. */
static bool read_known(struct json_key_cache *cache, struct json_scan *scan,
	struct json_members_read *members)
{
	const struct json_text all = json_state_text(scan);
	const uint8_t *text = scan->window.bytes + scan->window.at;
	const struct json_step *last = &cache->steps[cache->at];
	struct json_member *member = members->items;
	bool is_open = false;

	for (; member < members->items + JSON_MEMBERS_MAX && !is_open;
		member++) {
		const struct json_step *step = find_next(cache, last, text);
		const uint8_t *behind;
		bool is_nested;

		if (step == NULL)
			break;
		member->step = (uint8_t)(step - cache->steps);
		member->at = json_state_offset(&all, text);
		behind = json_state_fast_value(
			&all, text + step->size, &member->value);
		is_nested = json_state_is_nested(&member->value);
		if (behind == NULL || behind >= all.end ||
			(is_nested && !json_state_open(scan, &member->value)))
			break;
		is_open = is_nested;
		text = behind + (member->value.kind == JSON_STRING);
		last = step;
	}
	members->count = (unsigned)(member - members->items);
	if (members->count == 0)
		return false;
	cache->at = (uint8_t)(last - cache->steps);
	scan->window.at = (size_t)(text - all.bytes);
	if (!is_open)
		scan->state = JSON_STATE_IN_OBJECT;
	return is_open || members->count == JSON_MEMBERS_MAX;
}

/* Is a member or the end next? Continues from the last member of this
 * object. */
static bool is_between(
	struct json_key_cache *cache, const struct json_scan *scan)
{
	if (scan->state == JSON_STATE_FIRST_KEY)
		cache->at = STEP_BEGIN;
	else if (cache->at == STEP_BEGIN)
		cache->at = STEP_UNKNOWN;
	return scan->error.status == CTP_OK &&
	       (scan->state == JSON_STATE_FIRST_KEY ||
		       scan->state == JSON_STATE_IN_OBJECT);
}

/* Reads the end of the object if that is next. */
static bool read_end(struct json_scan *scan, struct json_members_read *members)
{
	const struct json_window *window = &scan->window;
	const uint8_t *text = json_bytes_blanks(
		window->bytes + window->at, window->bytes + window->used);
	struct json_member *member = &members->items[members->count];

	if (*text != '}' || !json_state_fast_close(scan, text, &member->value))
		return false;
	members->count++;
	return true;
}

/* Reads the next member of an object; false, reading nothing, if it needs the
 * slow path. */
static bool read_fast(struct json_scan *scan, struct json_token *key,
	struct json_token *value)
{
	const struct json_text all = json_state_text(scan);
	const uint8_t *text = json_bytes_blanks(
		scan->window.bytes + scan->window.at, all.end);
	const uint8_t *quote;

	text = json_state_fast_begin(scan, JSON_STATE_FIRST_KEY, text, all.end);
	if (text == NULL || *text++ != '"')
		return false;
	quote = json_bytes_string(text, all.end, &key->has_escapes);
	key->kind = JSON_KEY;
	key->at = json_state_offset(&all, text);
	key->size = (uint32_t)(quote - text);
	text = json_bytes_blanks(quote + 1, all.end);
	if (*text != ':')
		return false;
	text = json_bytes_blanks(text + 1, all.end);
	text = json_state_fast_value(&all, text, value);
	return json_state_fast_end(scan, text, value, JSON_STATE_IN_OBJECT);
}

/* The step equal to this one; JSON_STEP_NONE if there is none. */
static uint8_t find_step(
	const struct json_key_cache *cache, const struct json_step *like)
{
	for (unsigned i = STEP_FIRST; i < cache->count; i++)
		if (cache->steps[i].size == like->size &&
			memcmp(cache->steps[i].bytes, like->bytes,
				like->size) == 0)
			return (uint8_t)i;
	return JSON_STEP_NONE;
}

static uint8_t add_step(
	struct json_key_cache *cache, const struct json_step *step)
{
	if (cache->count == JSON_STEPS_MAX) {
		unsigned cleared = cache->cleared + 1;
		bool begins = cache->at == STEP_BEGIN;

		*cache = (struct json_key_cache){.cleared = cleared,
			.at = begins ? STEP_BEGIN : STEP_UNKNOWN};
	}
	if (cache->count < STEP_FIRST)
		cache->count = STEP_FIRST;
	cache->steps[cache->count] = *step;
	return (uint8_t)cache->count++;
}

/* Records that the step may follow the last one. */
static void add_next(struct json_key_cache *cache, uint8_t step)
{
	struct json_step *last = &cache->steps[cache->at];

	for (unsigned i = 0; i < last->next_count; i++)
		if (last->next[i] == step)
			return;
	if (last->next_count < JSON_STEP_NEXT_MAX)
		last->next_count++;
	last->next[last->next_count - 1] = step;
}

/* Caches the text before the member's value, from this position in the
 * window. */
static uint8_t learn_key(struct json_key_cache *cache,
	const struct json_scan *scan, size_t from,
	const struct json_members_read *members)
{
	const struct json_token *key = &members->new_key;
	const struct json_token *value = &members->items[0].value;
	uint64_t base = scan->window.base;
	size_t behind = (size_t)(value->at - base);
	struct json_step step = {.key_size = (uint8_t)key->size,
		.key_at = (uint8_t)(key->at - base - from)};
	uint8_t known;

	behind -= value->kind == JSON_STRING;
	if (behind - from > JSON_STEP_BYTES || key->has_escapes ||
		cache->cleared > CLEARED_MAX)
		return JSON_STEP_NONE;
	step.size = (uint8_t)(behind - from);
	memcpy(step.bytes, scan->window.bytes + from, step.size);
	step.mask = step.size < MASK_BYTES ? (UINT32_C(1) << step.size) - 1
					   : UINT32_MAX;
	known = find_step(cache, &step);
	if (known == JSON_STEP_NONE)
		known = add_step(cache, &step);
	add_next(cache, known);
	return known;
}

/* Reads one member of any form. */
static enum ctp_status read_new(struct json_key_cache *cache,
	struct json_scan *scan, struct json_members_read *members,
	struct ctp_error *err)
{
	struct json_member *member = &members->items[0];
	struct json_token *key = &members->new_key;
	size_t from = scan->window.at;
	enum ctp_status status;

	members->is_new = true;
	members->count = 1;
	member->step = JSON_STEP_NONE;
	if (is_between(cache, scan) && read_fast(scan, key, &member->value)) {
		member->step = learn_key(cache, scan, from, members);
	} else {
		status = json_scan_next_any(scan, key, err);
		if (status != CTP_OK)
			return status;
		member->value = *key;
		if (key->kind != JSON_END)
			status = json_scan_next_any(scan, &member->value, err);
		if (status != CTP_OK)
			return status;
	}
	cache->at =
		member->step == JSON_STEP_NONE ? STEP_UNKNOWN : member->step;
	return CTP_OK;
}

enum ctp_status json_key_cache_read(struct json_key_cache *cache,
	struct json_scan *scan, struct json_members_read *members,
	struct ctp_error *err)
{
	members->is_new = false;
	members->count = 0;
	if (is_between(cache, scan) &&
		(read_known(cache, scan, members) || read_end(scan, members)))
		return CTP_OK;
	return members->count == 0 ? read_new(cache, scan, members, err)
				   : CTP_OK;
}

/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_validate.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json_repair/repair_literal.h"
#include "base/utf8.h"

enum state { STATE_VALUE, STATE_FIRST, STATE_KEY, STATE_AFTER };

struct validator {
	const uint8_t *bytes;
	size_t at;
	size_t end;
	uint32_t depth;
	enum state state;
	enum repair_key_kind member; /* whose value comes */
	struct repair_event *event;
	uint64_t arrays[REPAIR_DEPTH_MAX / 64]; /* one bit per bracket */
};

#ifdef __SSE2__
size_t repair_validate_plain(const uint8_t *bytes, size_t at)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i slash = _mm_set1_epi8('\\');
	const __m128i blank = _mm_set1_epi8(0x20);

	for (;; at += sizeof(__m128i)) {
		__m128i text = _mm_loadu_si128(
			(const __m128i *)(const void *)(bytes + at));
		/* Signed comparison: bytes from 0x80 on are less too. */
		__m128i found = _mm_or_si128(_mm_cmplt_epi8(text, blank),
			_mm_or_si128(_mm_cmpeq_epi8(text, quote),
				_mm_cmpeq_epi8(text, slash)));
		int bits = _mm_movemask_epi8(found);

		if (bits != 0)
			return at + (size_t)__builtin_ctz((unsigned)bits);
	}
}
#else
size_t repair_validate_plain(const uint8_t *bytes, size_t at)
{
	while (bytes[at] >= 0x20 && bytes[at] < 0x80 && bytes[at] != '"' &&
		bytes[at] != '\\')
		at++;
	return at;
}
#endif

static int hex_value(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The value of four hexadecimal digits, or negative. */
static int read_hex(const uint8_t *at)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		int digit = hex_value(at[i]);

		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

size_t repair_validate_escape(const uint8_t *at, size_t left)
{
	int high;

	if (left < 2)
		return 0;
	if (at[1] != 'u')
		return at[1] != 0 && strchr("\"\\/bfnrt", at[1]) != NULL ? 2
									 : 0;
	high = left < 6 ? -1 : read_hex(at + 2);
	if (high < 0 || (high >= 0xdc00 && high < 0xe000))
		return 0;
	if (high < 0xd800 || high >= 0xe000)
		return 6;
	if (left < 12 || at[6] != '\\' || at[7] != 'u')
		return 0;
	return (read_hex(at + 8) & ~0x3ff) == 0xdc00 ? 12 : 0;
}

size_t repair_validate_sequence(const uint8_t *at, size_t left)
{
	size_t size = *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;

	return size <= left && utf8_valid_prefix((const char *)at, size) == size
		       ? size
		       : 0;
}

/* Could it be a truncated escape or character at the end? */
static bool is_half(const uint8_t *at, size_t left)
{
	/* The longest escape is a surrogate pair. */
	static const char pattern[] = "\\uxxxx\\uxxxx";

	if (left >= sizeof(pattern) - 1)
		return false;
	for (size_t i = 1; i < left; i++) {
		bool fits = pattern[i] == 'x' ? hex_value(at[i]) >= 0
					      : at[i] == (uint8_t)pattern[i];

		if (at[0] != '\\')
			fits = (at[i] & 0xc0) == 0x80;
		if (!fits)
			return false;
	}
	return true;
}

enum repair_outcome repair_validate_text(
	const uint8_t *bytes, size_t *at, size_t end)
{
	size_t size;

	for (;;) {
		*at = repair_validate_plain(bytes, *at);
		if (*at >= end)
			return REPAIR_MORE;
		if (bytes[*at] == '"')
			break;
		size = end - *at;
		if (bytes[*at] == '\\')
			size = repair_validate_escape(
				bytes + *at, size > 12 ? 12 : size);
		else if (bytes[*at] >= 0x80)
			size = repair_validate_sequence(bytes + *at, size);
		else
			return REPAIR_WRONG;
		if (size == 0)
			return is_half(bytes + *at, end - *at) ? REPAIR_MORE
							       : REPAIR_WRONG;
		*at += size;
	}
	++*at;
	return REPAIR_DONE;
}

static inline bool is_digit(uint8_t byte)
{
	return (uint8_t)(byte - '0') < 10;
}

static inline size_t skip_digits(const uint8_t *bytes, size_t at)
{
	while (is_digit(bytes[at]))
		at++;
	return at;
}

static enum repair_outcome check_number(struct validator *validator)
{
	const uint8_t *bytes = validator->bytes;
	size_t at = validator->at + (bytes[validator->at] == '-');
	size_t from = at;
	bool done = is_digit(bytes[at]);
	bool small = true;

	at = bytes[at] == '0' ? at + 1 : skip_digits(bytes, at);
	if (done && bytes[at] == '.') {
		done = is_digit(bytes[at + 1]);
		at = skip_digits(bytes, at + 1);
	}
	small = at - from <= REPAIR_LITERAL_SMALL;
	if (done && (bytes[at] | 0x20) == 'e') {
		at += bytes[at + 1] == '+' || bytes[at + 1] == '-' ? 2 : 1;
		done = is_digit(bytes[at]);
		at = skip_digits(bytes, at);
		small = false;
	}
	if (at >= validator->end)
		return REPAIR_MORE;
	if (!done || (!small && !repair_literal_is_finite(
					(const char *)bytes + validator->at,
					at - validator->at)))
		return REPAIR_WRONG;
	validator->at = at;
	return REPAIR_DONE;
}

static enum repair_outcome check_literal(struct validator *validator)
{
	const uint8_t *at = validator->bytes + validator->at;
	const char *word = *at == 't' ? "true" : *at == 'f' ? "false" : "null";
	size_t size = strlen(word);
	size_t left = validator->end - validator->at;

	if (left >= size && memcmp(at, word, size) == 0) {
		validator->at += size;
		return REPAIR_DONE;
	}
	return left < size && memcmp(at, word, left) == 0 ? REPAIR_MORE
							  : REPAIR_WRONG;
}

enum repair_key_kind repair_validate_member(const uint8_t *key, size_t size)
{
	if (size == 2 && memcmp(key, "ph", 2) == 0)
		return REPAIR_PHASE;
	if (size == 2 && memcmp(key, "ts", 2) == 0)
		return REPAIR_TIME;
	if (size == 3 && memcmp(key, "dur", 3) == 0)
		return REPAIR_DUR;
	if ((size == 3 && memcmp(key, "tts", 3) == 0) ||
		(size == 4 && memcmp(key, "tdur", 4) == 0))
		return REPAIR_THREAD_TIME;
	return REPAIR_OTHER;
}

bool repair_validate_is_timeless(const struct repair_event *event)
{
	if (!event->zero_time || event->phase == 0)
		return false;
	if (event->phase == 'X')
		return event->zero_dur;
	return strchr("stf", event->phase) != NULL;
}

bool repair_validate_is_zero(const uint8_t *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] != '0' && text[i] != '.')
			return false;
	return true;
}

/* Records a member of an event. */
static void record_member(struct validator *validator, size_t from)
{
	struct repair_event *event = validator->event;
	const uint8_t *text = validator->bytes + from;
	size_t size = validator->at - from;

	if (validator->member == REPAIR_PHASE) {
		if (size == 3 && text[0] == '"')
			event->phase = (char)text[1];
		return;
	}
	if (text[0] == '"' &&
		repair_literal_is_time((const char *)text + 1, size - 2))
		event->text_time = true;
	if (validator->member == REPAIR_DUR) {
		event->has_dur = true;
		event->zero_dur = repair_validate_is_zero(text, size);
	} else if (validator->member == REPAIR_TIME) {
		event->has_time = true;
		event->zero_time = repair_validate_is_zero(text, size);
		event->time_at = from;
		event->time_size = size;
	}
}

static inline void skip_blanks(struct validator *validator)
{
	while (repair_validate_is_blank(validator->bytes[validator->at]))
		validator->at++;
}

static enum repair_outcome open_bracket(struct validator *validator, bool array)
{
	uint64_t bit = UINT64_C(1) << validator->depth % 64;
	uint64_t *word = &validator->arrays[validator->depth / 64];

	if (validator->depth == REPAIR_DEPTH_MAX)
		return REPAIR_WRONG;
	*word = array ? *word | bit : *word & ~bit;
	validator->depth++;
	validator->at++;
	validator->state = STATE_FIRST;
	return REPAIR_DONE;
}

static inline bool in_array(const struct validator *validator)
{
	uint32_t last = validator->depth - 1;

	return (validator->arrays[last / 64] >> last % 64 & 1) != 0;
}

static enum repair_outcome check_value(struct validator *validator)
{
	size_t from = validator->at;
	enum repair_outcome outcome;

	switch (validator->bytes[from]) {
	case '{':
		return open_bracket(validator, false);
	case '[':
		return open_bracket(validator, true);
	case '"':
		validator->at++;
		outcome = repair_validate_text(
			validator->bytes, &validator->at, validator->end);
		break;
	case 't':
	case 'f':
	case 'n':
		outcome = check_literal(validator);
		break;
	default:
		outcome = check_number(validator);
	}
	validator->state = STATE_AFTER;
	if (outcome == REPAIR_DONE && validator->member != REPAIR_OTHER) {
		record_member(validator, from);
		validator->member = REPAIR_OTHER;
	}
	return outcome;
}

/* A key and its colon. */
static enum repair_outcome check_key(struct validator *validator)
{
	size_t from = validator->at + 1;
	enum repair_outcome outcome;

	if (validator->bytes[validator->at] != '"')
		return REPAIR_WRONG;
	validator->at = from;
	outcome = repair_validate_text(
		validator->bytes, &validator->at, validator->end);
	if (outcome != REPAIR_DONE)
		return outcome;
	validator->member = REPAIR_OTHER;
	if (validator->depth == 1 && validator->event != NULL)
		validator->member = repair_validate_member(
			validator->bytes + from, validator->at - 1 - from);
	skip_blanks(validator);
	if (validator->bytes[validator->at] != ':')
		return REPAIR_WRONG;
	validator->at++;
	validator->state = STATE_VALUE;
	return REPAIR_DONE;
}

/* A comma or a closing bracket. */
static enum repair_outcome check_after(struct validator *validator)
{
	uint8_t byte = validator->bytes[validator->at];
	bool array = in_array(validator);

	if (byte == ',' && validator->state == STATE_AFTER) {
		validator->state = array ? STATE_VALUE : STATE_KEY;
	} else if (byte == (array ? ']' : '}')) {
		validator->depth--;
		validator->state = STATE_AFTER;
	} else if (validator->state == STATE_FIRST) {
		validator->state = array ? STATE_VALUE : STATE_KEY;
		return REPAIR_DONE;
	} else {
		return REPAIR_WRONG;
	}
	validator->at++;
	return REPAIR_DONE;
}

enum repair_outcome repair_validate_value(const uint8_t *bytes, size_t *at,
	size_t end, struct repair_event *event)
{
	struct validator validator;
	enum repair_outcome outcome;

	validator.bytes = bytes;
	validator.at = *at;
	validator.end = end;
	validator.depth = 0;
	validator.state = STATE_VALUE;
	validator.member = REPAIR_OTHER;
	validator.event = event;
	do {
		skip_blanks(&validator);
		if (validator.state == STATE_VALUE)
			outcome = check_value(&validator);
		else if (validator.state == STATE_KEY)
			outcome = check_key(&validator);
		else
			outcome = check_after(&validator);
	} while (outcome == REPAIR_DONE &&
		 (validator.depth > 0 || validator.state != STATE_AFTER));
	/* The zeros after the end are invalid anywhere. */
	if (outcome == REPAIR_WRONG && validator.at >= end)
		outcome = REPAIR_MORE;
	*at = validator.at;
	return outcome;
}

/* SPDX-License-Identifier: MIT */
#include "json/json_sanitize.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json/json.h"
#include "json/json_value.h"

#ifdef __SSE2__
/* Are these 16 bytes plain? As signed numbers, those over 127 are less than a
 * blank. */
static bool are_plain(const char *text)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
	__m128i odd = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')),
		_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));

	return _mm_movemask_epi8(odd) == 0;
}
#endif

/* Is there nothing but printable ASCII without a backslash? */
static bool is_plain(const char *text, size_t size)
{
#ifdef __SSE2__
	if (size >= 16) {
		const char *last = text + size - 16;

		for (; text < last; text += 16)
			if (!are_plain(text))
				return false;
		return are_plain(last);
	}
#endif
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)(text[i] - ' ') > 0x5f || text[i] == '\\')
			return false;
	return true;
}

#ifdef __SSE2__
/* Of 16 bytes, of which the first ones are in a string if `string` is ~0 and
 * not 0: is there a backslash, what is no ASCII, or a control character in a
 * string? `*string` is of what is behind them then. */
static bool are_due(const char *text, uint32_t *string)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
	__m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
	__m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
	__m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
	uint32_t inside = (uint32_t)_mm_movemask_epi8(quotes);

	/* Behind each quote it is the other way round. */
	inside ^= inside << 1;
	inside ^= inside << 2;
	inside ^= inside << 4;
	inside ^= inside << 8;
	inside ^= *string;
	*string = -(inside >> 15 & 1);
	return _mm_movemask_epi8(_mm_or_si128(bytes, slashes)) != 0 ||
	       ((uint32_t)_mm_movemask_epi8(low) & inside & 0xffff) != 0;
}
#endif

/* Line breaks and tabs may stand between tokens: they are looked for in strings
 * only, which takes longer. */
bool json_sanitize_is_due(const char *text, size_t size)
{
	uint32_t string = 0;

	if (is_plain(text, size))
		return false;
#ifdef __SSE2__
	for (; size >= 16; text += 16, size -= 16)
		if (are_due(text, &string))
			return true;
#endif
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte == '"')
			string = ~string;
		if (byte == '\\' || byte >= 0x80 ||
			(string != 0 && byte < 0x20))
			return true;
	}
	return false;
}

/* The size of a string whose opening quote is before it. */
static size_t string_size(const char *text, size_t size)
{
	size_t at = 0;

	while (at < size && text[at] != '"')
		at += text[at] == '\\' ? 2 : 1;
	return at < size ? at : size;
}

/* What is between strings. */
static void add_between(struct json *json, const char *text, size_t size)
{
	size_t done = 0;

	for (size_t at = 0; at < size;) {
		size_t word = json_value_no_number(text + at, size - at);

		if (word > 0) {
			json_raw(json, text + done, at - done);
			json_raw_string(json, text + at, word);
			done = at + word;
		}
		at += word > 0 ? word : 1;
	}
	json_raw(json, text + done, size - done);
}

bool json_sanitize(const char *text, size_t size, struct buffer *out)
{
	struct buffer plain = BUFFER_INIT;
	struct json json;
	bool done = json_init(&json, NULL);

	while (done && size > 0) {
		const char *quote = memchr(text, '"', size);
		size_t before = quote == NULL ? size : (size_t)(quote - text);
		size_t inside;

		add_between(&json, text, before);
		text += before;
		size -= before;
		if (size == 0)
			break;
		inside = string_size(text + 1, size - 1);
		plain.used = 0;
		done = json_value_unescape(text + 1, inside, &plain);
		if (done)
			json_raw_string(
				&json, (const char *)plain.bytes, plain.used);
		inside += inside + 1 < size ? 2 : 1;
		text += inside;
		size -= inside;
	}
	if (done && !json.failed)
		buffer_add(out, json.bytes, json.used);
	done = done && !json.failed && !out->failed;
	buffer_clear(&plain);
	json_clear(&json);
	return done;
}

/* SPDX-License-Identifier: MIT */
#include "json/json_value.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json/json.h"

/* Exponents are clamped to this: larger ones overflow anyway. */
#define EXPONENT_MAX 1000000

static size_t count_digits(const char *at, size_t size)
{
	size_t count = 0;

	while (count < size && (unsigned char)(at[count] - '0') < 10)
		count++;
	return count;
}

/* A number's parts, as offsets into its text. */
struct decimal {
	bool negative;
	size_t whole;
	size_t whole_size;
	size_t fraction;
	size_t fraction_size;
	int exponent;
};

static int read_exponent(const char *at, size_t size, bool negative)
{
	int exponent = 0;

	for (size_t i = 0; i < size && exponent < EXPONENT_MAX; i++)
		exponent = exponent * 10 + (at[i] - '0');
	return negative ? -exponent : exponent;
}

/* Splits the number at the beginning into its parts. Returns its size; 0 if
 * there is none. */
static size_t split_decimal(
	const char *at, size_t size, struct decimal *decimal)
{
	size_t used = size > 0 && at[0] == '-';
	size_t count;

	*decimal = (struct decimal){.negative = used != 0, .whole = used};
	decimal->whole_size = count_digits(at + used, size - used);
	if (decimal->whole_size == 0 ||
		(decimal->whole_size > 1 && at[used] == '0'))
		return 0;
	used += decimal->whole_size;
	if (used < size && at[used] == '.') {
		decimal->fraction = ++used;
		decimal->fraction_size = count_digits(at + used, size - used);
		if (decimal->fraction_size == 0)
			return 0;
		used += decimal->fraction_size;
	}
	if (used < size && (at[used] | 0x20) == 'e') {
		bool negative = ++used < size && at[used] == '-';

		used += used < size && (at[used] == '-' || at[used] == '+');
		count = count_digits(at + used, size - used);
		decimal->exponent = read_exponent(at + used, count, negative);
		if (count == 0)
			return 0;
		used += count;
	}
	return used;
}

size_t json_value_begin(const char *text, size_t size, enum json_kind *kind)
{
	static const struct {
		const char *text;
		enum json_kind kind;
	} words[] = {{"true", JSON_TRUE}, {"false", JSON_FALSE},
		{"null", JSON_NULL}};
	struct decimal decimal;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i].text);

		if (size < length || memcmp(words[i].text, text, length) != 0)
			continue;
		*kind = words[i].kind;
		return length;
	}
	*kind = JSON_NUMBER;
	return split_decimal(text, size, &decimal);
}

bool json_value_is_finite(const char *text, size_t size)
{
	struct decimal decimal;
	int digits;
	char copy[JSON_VALUE_SMALL + 1];

	if (split_decimal(text, size, &decimal) != size ||
		(size > JSON_VALUE_SMALL && decimal.exponent != 0))
		return false;
	/* The number of digits before the point, without leading zeros. */
	digits = text[decimal.whole] == '0' ? 0 : (int)decimal.whole_size;
	digits += decimal.exponent;
	if (digits != DBL_MAX_10_EXP + 1 || size > JSON_VALUE_SMALL)
		return digits <= DBL_MAX_10_EXP;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return isfinite(strtod(copy, NULL));
}

/* The size of the word, given in lower case; 0 if the text differs. */
static size_t word_size(const char *text, size_t size, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i < length; i++)
		if (i == size || (text[i] | 0x20) != word[i])
			return 0;
	return length;
}

static size_t count_letters(const char *text, size_t size)
{
	size_t count = 0;

	while (count < size && json_value_is_word(text[count]))
		count++;
	return count;
}

/* The size of the kind in parentheses after "nan". */
static size_t kind_size(const char *text, size_t size)
{
	size_t count;

	if (size < 2 || text[0] != '(')
		return 0;
	count = count_letters(text + 1, size - 1) + 2;
	return count <= size && text[count - 1] == ')' ? count : 0;
}

size_t json_value_no_number(const char *text, size_t size)
{
	size_t sign = size > 0 && (text[0] == '-' || text[0] == '+');
	const char *word = text + sign;
	size_t left = size - sign;
	size_t found = 0;

	if (left < 3)
		return 0;
	if ((word[0] | 0x20) == 'n') {
		found = word_size(word, left, "nan");
		if (found > 0)
			found += kind_size(word + found, left - found);
	} else if ((word[0] | 0x20) == 'i') {
		found = word_size(word, left, "infinity");
		if (found == 0)
			found = word_size(word, left, "inf");
	} else if (word[0] == '1' && word[1] == '.' && word[2] == '#') {
		found = 3 + count_letters(word + 3, left - 3);
		if (found == 3)
			found = 0;
	}
	return found == 0 ? 0 : sign + found;
}

/* The digit at position `place` of the whole and the fraction together. */
static unsigned digit_at(
	const char *text, const struct decimal *decimal, size_t place)
{
	if (place < decimal->whole_size)
		return (unsigned)(text[decimal->whole + place] - '0');
	place -= decimal->whole_size;
	return place < decimal->fraction_size
		       ? (unsigned)(text[decimal->fraction + place] - '0')
		       : 0;
}

static bool add_digit(uint64_t *sum, unsigned digit)
{
	return !__builtin_mul_overflow(*sum, UINT64_C(10), sum) &&
	       !__builtin_add_overflow(*sum, digit, sum);
}

static bool scale(const char *text, const struct decimal *decimal, int power,
	int64_t *value)
{
	/* The number of digits before the point after it is moved. */
	int64_t count = (int64_t)decimal->whole_size + decimal->exponent +
			(int64_t)power;
	int64_t known = (int64_t)(decimal->whole_size + decimal->fraction_size);
	uint64_t sum = 0;

	for (int64_t i = 0; i < count; i++) {
		if (i >= known && sum == 0)
			break; /* zero, however long */
		if (!add_digit(&sum, digit_at(text, decimal, (size_t)i)))
			return false;
	}
	if (count >= 0 && digit_at(text, decimal, (size_t)count) >= 5)
		sum++;
	if (sum > (uint64_t)INT64_MAX + decimal->negative)
		return false;
	*value = (int64_t)(decimal->negative ? 0 - sum : sum);
	return true;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

bool json_value_scaled(const char *text, size_t size, int power, int64_t *value)
{
	struct decimal decimal;

	for (; size > 0 && is_blank(text[0]); size--)
		text++;
	while (size > 0 && is_blank(text[size - 1]))
		size--;
	if (size > 1 && text[0] == '+' && text[1] != '-') {
		text++;
		size--;
	}
	return size > 0 && split_decimal(text, size, &decimal) == size &&
	       scale(text, &decimal, power, value);
}

int json_value_hex(uint8_t digit)
{
	if ((uint8_t)(digit - '0') < 10)
		return digit - '0';
	digit |= 0x20;
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* The code unit of an escape \uXXXX; false if it is invalid. */
static bool read_unit(const char *at, size_t left, uint32_t *unit)
{
	if (left < 6 || at[0] != '\\' || at[1] != 'u')
		return false;
	*unit = 0;
	for (size_t i = 2; i < 6; i++) {
		int value = json_value_hex((uint8_t)at[i]);

		if (value < 0)
			return false;
		*unit = *unit << 4 | (uint32_t)value;
	}
	return true;
}

size_t json_value_escape(const char *at, size_t left, uint32_t *code)
{
	static const char names[] = "\"\\/bfnrt";
	static const char values[] = "\"\\/\b\f\n\r\t";
	const char *found;
	uint32_t low;

	if (left < 2 || at[1] == '\0')
		return 0;
	*code = (uint8_t)at[1];
	if (at[1] == '"' || at[1] == '\\')
		return 2;
	if (at[1] != 'u') {
		found = strchr(names, at[1]);
		*code = found == NULL ? 0 : (uint8_t)values[found - names];
		return found == NULL ? 0 : 2;
	}
	if (!read_unit(at, left, code))
		return 0;
	if (*code < 0xd800 || *code > 0xdbff ||
		!read_unit(at + 6, left - 6, &low) || low < 0xdc00 ||
		low > 0xdfff)
		return 6;
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return 12;
}

static void add_code(struct buffer *out, uint32_t code)
{
	char bytes[4];
	size_t size = 0;

	if (code < 0x80) {
		bytes[size++] = (char)code;
	} else if (code < 0x800) {
		bytes[size++] = (char)(0xc0 | code >> 6);
		bytes[size++] = (char)(0x80 | (code & 0x3f));
	} else {
		if (code < 0x10000) {
			bytes[size++] = (char)(0xe0 | code >> 12);
		} else {
			bytes[size++] = (char)(0xf0 | code >> 18);
			bytes[size++] = (char)(0x80 | (code >> 12 & 0x3f));
		}
		bytes[size++] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[size++] = (char)(0x80 | (code & 0x3f));
	}
	buffer_add(out, bytes, size);
}

bool json_value_unescape(const char *text, size_t size, struct buffer *out)
{
	while (size > 0) {
		const char *escape = memchr(text, '\\', size);
		size_t plain = escape == NULL ? size : (size_t)(escape - text);
		uint32_t code = 0;
		size_t used;

		buffer_add(out, text, plain);
		text += plain;
		size -= plain;
		if (size == 0)
			break;
		used = json_value_escape(text, size, &code);
		if (used == 0 || json_value_is_surrogate(code)) {
			buffer_add(out, text, 1);
			used = 1;
		} else {
			add_code(out, code);
		}
		text += used;
		size -= used;
	}
	return !out->failed;
}

bool json_value_id(const char *text, size_t size, uint64_t *id)
{
	uint64_t sum = 0;
	int64_t number;

	if (json_value_scaled(text, size, 0, &number)) {
		*id = (uint64_t)number;
		return true;
	}
	if (size < 3 || size > 18 || text[0] != '0' || (text[1] | 0x20) != 'x')
		return false;
	for (size_t i = 2; i < size; i++) {
		int digit = json_value_hex((uint8_t)text[i]);

		if (digit < 0)
			return false;
		sum = sum << 4 | (unsigned)digit;
	}
	*id = sum;
	return true;
}

#ifdef __SSE2__
/* Are these 16 bytes plain? Signed comparison: bytes over 127 are less than a
 * blank. */
static bool are_plain(const char *text)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
	__m128i odd = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')),
		_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));

	return _mm_movemask_epi8(odd) == 0;
}
#endif

/* Is it all printable ASCII without a backslash? */
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
/* Do 16 bytes contain a backslash, a non-ASCII byte, or a control character in
 * a string? `*string` is ~0 if they begin inside a string, else 0, and is
 * updated for the following bytes. */
static bool are_due(const char *text, uint32_t *string)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
	__m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
	__m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
	__m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
	uint32_t inside = (uint32_t)_mm_movemask_epi8(quotes);

	/* Each quote toggles it. */
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

/* Line breaks and tabs are allowed between tokens, so they are searched for in
 * strings only, which takes longer. */
bool json_value_needs_sanitizing(const char *text, size_t size)
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

/* The size of a string after its opening quote. */
static size_t string_size(const char *text, size_t size)
{
	size_t at = 0;

	while (at < size && text[at] != '"')
		at += text[at] == '\\' ? 2 : 1;
	return at < size ? at : size;
}

/* Adds the text between strings. */
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

bool json_value_sanitize(const char *text, size_t size, struct buffer *out)
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

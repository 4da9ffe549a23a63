/* SPDX-License-Identifier: MIT */
/*
 * The writer has its own buffer and passes it to the stream in large pieces:
 * stdio's locking and bookkeeping per call cost more than the text.
 *
 * Integers and times go two digits at a time from a table: a trace consists
 * mostly of these. Doubles, unless short, go through printf, and the locale's
 * decimal point is replaced.
 */
#include "json/json.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/memory.h"
#include "base/utf8.h"
#include "trace/trace.h"

/* With six more digits it is below 2^53 and has fewer than 16 digits. */
#define SHORT_MAX 1e9
/* Smaller numbers have an exponent. */
#define SHORT_MIN 1e-4

/* A string is escaped in pieces of this many bytes, so that a stream's buffer
 * always has room for one: a byte becomes at most six. */
#define PIECE_BYTES ((size_t)8 * 1024)

/* Streams write multiples of 4 or 8 KiB. */
#define BLOCK_BYTES ((size_t)8 * 1024)

bool json_init(struct json *json, FILE *out)
{
	*json = (struct json){.out = out};
	return json_make_room(json, 1);
}

void json_clear(struct json *json)
{
	memory_free(json->bytes);
	*json = (struct json){.out = NULL};
}

static void write_out(struct json *json, const char *bytes, size_t size)
{
	if (size == 0 || json->sys_errno != 0)
		return;
	errno = 0;
	if (fwrite(bytes, 1, size, json->out) != size)
		json->sys_errno = errno != 0 ? errno : EIO;
}

void json_flush(struct json *json)
{
	if (json->out == NULL)
		return;
	write_out(json, json->bytes, json->used);
	json->used = 0;
	if (json->sys_errno != 0)
		errno = json->sys_errno;
}

/* Passes whole blocks on. Otherwise the stream would keep a remainder and write
 * it separately the next time. */
static void write_out_blocks(struct json *json)
{
	size_t left = json->used % BLOCK_BYTES;
	size_t whole = json->used - left;

	write_out(json, json->bytes, whole);
	if (whole > 0)
		memcpy(json->bytes, json->bytes + whole, left);
	json->used = left;
}

bool json_make_room(struct json *json, size_t size)
{
	size_t room = json->out != NULL ? JSON_BUFFER_BYTES : 256;
	char *bytes;

	if (json->out != NULL) {
		write_out_blocks(json);
		if (size > json->room - json->used)
			json_flush(json);
	}
	if (size <= json->room - json->used)
		return true;
	while (room - json->used < size || room < json->used) {
		if (room > SIZE_MAX / 2)
			goto no_memory;
		room *= 2;
	}
	bytes = memory_resize(json->bytes, room);
	if (bytes == NULL)
		goto no_memory;
	json->bytes = bytes;
	json->room = room;
	return true;
no_memory:
	json->failed = true;
	return false;
}

void json_raw_slowly(struct json *json, const char *bytes, size_t size)
{
	char *at;

	if (json->out != NULL && size > JSON_BUFFER_BYTES) {
		json_flush(json);
		write_out(json, bytes, size);
		return;
	}
	at = json_room(json, size);
	if (at == NULL)
		return;
	memcpy(at, bytes, size);
	json_advance(json, at + size);
}

/* Can a character that must not be shown begin with this byte? See
 * utf8_safe_prefix(); noncharacters, and so all bytes from F0 on, stay
 * unchanged. */
static bool may_be_unsafe(unsigned char byte)
{
	return byte == 0x7f || byte == 0xc2 || byte == 0xd8 || byte == 0xe2;
}

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\' &&
	       !may_be_unsafe(byte);
}

static char *put_escape(char *at, unsigned char byte)
{
	static const char hex[] = "0123456789abcdef";
	static const char letters[32] = {['\b'] = 'b',
		['\t'] = 't',
		['\n'] = 'n',
		['\f'] = 'f',
		['\r'] = 'r'};

	*at++ = '\\';
	if (byte >= 0x20) {
		*at++ = (char)byte;
	} else if (letters[byte] != '\0') {
		*at++ = letters[byte];
	} else {
		memcpy(at, "u00", 3);
		at[3] = hex[byte >> 4];
		at[4] = hex[byte & 15];
		at += 5;
	}
	return at;
}

/* Copies bytes up to the first that is not plain ASCII; returns their number.
 * There must be room for all. */
static size_t copy_plain(char *at, const char *bytes, size_t size)
{
	size_t done = 0;

#ifdef __SSE2__
	for (; size - done >= 16; done += 16) {
		__m128i text = _mm_loadu_si128(
			(const __m128i *)(const void *)(bytes + done));
		/* Signed comparison: bytes over 127 are less than a blank, and
		 * so is 127 + 1. */
		__m128i odd = _mm_or_si128(
			_mm_cmplt_epi8(_mm_add_epi8(text, _mm_set1_epi8(1)),
				_mm_set1_epi8(' ' + 1)),
			_mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')),
				_mm_cmpeq_epi8(text, _mm_set1_epi8('\\'))));

		if (_mm_movemask_epi8(odd) != 0)
			break;
		_mm_storeu_si128((__m128i *)(void *)(at + done), text);
	}
#endif
	for (; done < size; done++) {
		unsigned char byte = (unsigned char)bytes[done];

		if (byte > 127 || !is_plain(byte))
			break;
		at[done] = (char)byte;
	}
	return done;
}

/* Writes a character of valid UTF-8 that is not plain; returns its size.
 * Terminal controls and bidirectional overrides are written as JSON escapes,
 * which represent the same text. */
static size_t put_odd(char **at, const char *bytes, size_t size)
{
	unsigned char byte = (unsigned char)*bytes;

	if (!may_be_unsafe(byte)) {
		*at = put_escape(*at, byte);
		return 1;
	}
	if (size > 3)
		size = 3;
	if (utf8_safe_prefix(bytes, size) == 0) {
		size = utf8_escape(*at, bytes, size);
		*at += 6; /* "\u202e" */
		return size;
	}
	*(*at)++ = *bytes;
	return 1;
}

/* Adds valid UTF-8, escaped. */
static void add_valid(struct json *json, const char *bytes, size_t size)
{
	while (size > 0) {
		size_t piece = size < PIECE_BYTES ? size : PIECE_BYTES;
		/* Room for the zero byte after the last escape. */
		char *at = json_room(json, piece * 6 + UTF8_ESCAPE_TEXT);
		size_t done = 0;

		if (at == NULL)
			return;
		while (done < piece) {
			if (is_plain((unsigned char)bytes[done]))
				*at++ = bytes[done++];
			else
				done += put_odd(&at, bytes + done, size - done);
		}
		json_advance(json, at);
		bytes += done;
		size -= done;
	}
}

/* Adds text that must be checked byte by byte. */
static void add_odd(struct json *json, const char *bytes, size_t size)
{
	while (size > 0) {
		size_t part = utf8_valid_prefix(bytes, size);

		add_valid(json, bytes, part);
		if (part < size) {
			json_raw(json, UTF8_REPLACEMENT, 3);
			json->replaced++;
			part += utf8_invalid_size(bytes + part, size - part);
		}
		bytes += part;
		size -= part;
	}
}

void json_raw_string(struct json *json, const char *bytes, size_t size)
{
	size_t piece = size < PIECE_BYTES ? size : PIECE_BYTES;
	char *at = json_room(json, piece + 2);

	if (at == NULL)
		return;
	*at++ = '"';
	/* An empty string may have no address. */
	if (size > 0) {
		size_t plain = copy_plain(at, bytes, piece);

		at += plain;
		bytes += plain;
		size -= plain;
	}
	json_advance(json, at);
	add_odd(json, bytes, size);
	json_raw(json, "\"", 1);
}

/* Every value, key and opening bracket begins here. */
static void item(struct json *json)
{
	if (json->comma)
		json_raw(json, ",", 1);
	json->comma = true;
}

void json_begin(struct json *json, char bracket)
{
	assert(bracket == '{' || bracket == '[');
	item(json);
	json_raw(json, &bracket, 1);
	json->comma = false;
}

void json_end(struct json *json, char bracket)
{
	assert(bracket == '}' || bracket == ']');
	json_raw(json, &bracket, 1);
	json->comma = true;
}

void json_key(struct json *json, const char *key)
{
	item(json);
	json_raw_string(json, key, strlen(key));
	json_raw(json, ":", 1);
	json->comma = false;
}

void json_text_sized(struct json *json, const char *bytes, size_t size)
{
	item(json);
	json_raw_string(json, bytes, size);
}

void json_text(struct json *json, const char *text)
{
	json_text_sized(json, text, strlen(text));
}

static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

static unsigned digit_count(uint64_t value)
{
	static const uint64_t powers[] = {0, 10, 100, 1000, 10000, 100000,
		1000000, 10000000, 100000000, 1000000000, 10000000000,
		100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, UINT64_C(10000000000000000000)};
	unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
	/* 1233/4096 is log10(2), close enough for 64 bits. */
	unsigned guess = bits * 1233 >> 12;

	return guess + (value >= powers[guess]);
}

char *json_put_uint(char *at, uint64_t value)
{
	char *end;
	char *digit;

	if (value < 10) {
		*at = (char)('0' + value);
		return at + 1;
	}
	end = at + digit_count(value);
	digit = end;
	while (value >= 10000) {
		unsigned four = (unsigned)(value % 10000);

		digit -= 4;
		memcpy(digit, &pairs[four / 100 * 2], 2);
		memcpy(digit + 2, &pairs[four % 100 * 2], 2);
		value /= 10000;
	}
	if (value >= 100) {
		digit -= 2;
		memcpy(digit, &pairs[value % 100 * 2], 2);
		value /= 100;
	}
	if (value >= 10)
		memcpy(digit - 2, &pairs[value * 2], 2);
	else
		digit[-1] = (char)('0' + value);
	return end;
}

char *json_put_int(char *at, int64_t value)
{
	if (value >= 0)
		return json_put_uint(at, (uint64_t)value);
	*at = '-';
	return json_put_uint(at + 1, -(uint64_t)value);
}

char *json_put_duration_us(char *at, uint64_t duration_ns)
{
	unsigned thousandths = (unsigned)(duration_ns % 1000);

	at = json_put_uint(at, duration_ns / 1000);
	at[0] = '.';
	at[1] = (char)('0' + thousandths / 100);
	memcpy(at + 2, &pairs[thousandths % 100 * 2], 2);
	return at + 4;
}

char *json_put_us(char *at, int64_t time_ns)
{
	if (time_ns >= 0)
		return json_put_duration_us(at, (uint64_t)time_ns);
	*at = '-';
	return json_put_duration_us(at + 1, -(uint64_t)time_ns);
}

static char *put_word(char *at, const char *word)
{
	size_t size = strlen(word);

	memcpy(at, word, size);
	return at + size;
}

static char *put_padded(char *at, uint64_t value, unsigned digits)
{
	for (unsigned i = digits; i-- > 0; value /= 10)
		at[i] = (char)('0' + value % 10);
	return at + digits;
}

/*
 * Writes a number with few decimals, like most numbers that were read from
 * text: finds the fewest decimals at which an integer divided by a power of ten
 * gives the same double. NULL: not found.
 */
static char *put_short(char *at, double value)
{
	static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
	double size = fabs(value);

	if (!(size >= SHORT_MIN && size < SHORT_MAX) || signbit(value))
		return NULL;
	for (unsigned behind = 1; behind < 7; behind++) {
		uint64_t digits = (uint64_t)(size * powers[behind] + 0.5);
		uint64_t power = (uint64_t)powers[behind];

		if ((double)digits / powers[behind] != size)
			continue;
		at = json_put_uint(at, digits / power);
		*at++ = '.';
		return put_padded(at, digits % power, behind);
	}
	return NULL;
}

char *json_put_double(char *at, double value)
{
	char text[64];
	bool whole = true;
	char *end = put_short(at, value);

	if (end != NULL)
		return end;
	if (isnan(value))
		return put_word(at, "\"NaN\"");
	if (isinf(value))
		return put_word(
			at, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	for (const char *from = text; *from != '\0'; from++) {
		bool digit = *from >= '0' && *from <= '9';

		if (digit || *from == '-' || *from == '+' || *from == 'e') {
			whole = whole && *from != 'e';
			*at++ = *from;
		} else if (whole) {
			/* The locale's decimal point, one byte or more. */
			whole = false;
			*at++ = '.';
		}
	}
	/* Distinguishes it from an integer. */
	return whole ? put_word(at, ".0") : at;
}

/* Writes the comma and makes room for a number. NULL if out of memory. */
static char *begin_number(struct json *json)
{
	char *at = json_room(json, 1 + JSON_NUMBER_MAX);

	if (at != NULL && json->comma)
		*at++ = ',';
	json->comma = true;
	return at;
}

void json_int(struct json *json, int64_t value)
{
	char *at = begin_number(json);

	if (at != NULL)
		json_advance(json, json_put_int(at, value));
}

void json_uint(struct json *json, uint64_t value)
{
	char *at = begin_number(json);

	if (at != NULL)
		json_advance(json, json_put_uint(at, value));
}

void json_double(struct json *json, double value)
{
	char *at = begin_number(json);

	if (at != NULL)
		json_advance(json, json_put_double(at, value));
}

void json_bool(struct json *json, bool value)
{
	json_value(json, value ? "true" : "false", value ? 4 : 5);
}

void json_none(struct json *json)
{
	json_value(json, "null", 4);
}

void json_value(struct json *json, const char *bytes, size_t size)
{
	item(json);
	json_raw(json, bytes, size);
}

void json_arg(struct json *json, const struct event_arg *arg)
{
	switch (arg->kind) {
	case ARG_INT:
		json_int(json, arg->value.integer);
		break;
	case ARG_FLOAT:
		json_double(json, arg->value.real);
		break;
	case ARG_TEXT:
		json_text_sized(
			json, arg->value.text.bytes, arg->value.text.size);
		break;
	case ARG_JSON:
		json_value(json, arg->value.text.bytes, arg->value.text.size);
		break;
	}
}

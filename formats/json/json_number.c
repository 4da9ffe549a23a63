/* SPDX-License-Identifier: MIT */
/*
 * Numbers as JSON has them. Integers and times go two digits at a time from a
 * table: that is most of what a trace consists of. Doubles go
 * through printf, whose decimal point is the locale's and is put right, unless
 * they are short.
 */
#include "json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With six digits more, less than 2^53, and all its digits fewer than 16. */
#define SHORT_MAX 1e9
/* Less has an exponent. */
#define SHORT_MIN 1e-4

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
 * A number of few digits behind the point, as most are that were read from
 * text: the least count of them at which so many digits, divided by a power of
 * ten, make the same double. NULL: it is not so.
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
			/* The locale's point, of one byte or more. */
			whole = false;
			*at++ = '.';
		}
	}
	/* So that a reader can tell it from an integer. */
	return whole ? put_word(at, ".0") : at;
}

/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define NO_POINT UINT32_MAX /* bytes that are not UTF-8 */

/* The valid range of the second byte after this lead byte, and the length of
 * the character. */
struct lead_byte {
	uint8_t size; /* 0: not a lead byte */
	uint8_t low;
	uint8_t high;
};

static struct lead_byte lead_byte_of(uint8_t lead)
{
	if (lead < 0x80)
		return (struct lead_byte){1, 0, 0};
	if (lead < 0xc2 || lead > 0xf4)
		return (struct lead_byte){0, 0, 0};
	if (lead < 0xe0)
		return (struct lead_byte){2, 0x80, 0xbf};
	if (lead < 0xf0)
		return (struct lead_byte){3, lead == 0xe0 ? 0xa0 : 0x80,
			lead == 0xed ? 0x9f : 0xbf};
	return (struct lead_byte){
		4, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf};
}

/* Number of bytes that match the range and length; `*whole` is set if all do. */
static size_t match(const uint8_t *at, size_t size, bool *whole)
{
	struct lead_byte lead = lead_byte_of(at[0]);
	size_t i = 1;

	*whole = false;
	if (lead.size > 1 && size > 1 && at[1] >= lead.low &&
		at[1] <= lead.high)
		for (i = 2; i < lead.size && i < size; i++)
			if ((at[i] & 0xc0) != 0x80)
				break;
	*whole = i == lead.size;
	return i;
}

/* Number of ASCII bytes from here on, rounded down to whole groups. */
static size_t skip_ascii(const uint8_t *at, size_t size)
{
	size_t done = 0;
	uint64_t word;

#ifdef __SSE2__
	while (size - done >= 16 &&
		_mm_movemask_epi8(_mm_loadu_si128(
			(const __m128i *)(const void *)(at + done))) == 0)
		done += 16;
#endif
	for (; size - done >= sizeof(word); done += sizeof(word)) {
		memcpy(&word, at + done, sizeof(word));
		if ((word & UINT64_C(0x8080808080808080)) != 0)
			break;
	}
	return done;
}

size_t utf8_size(const char *bytes, size_t size)
{
	bool whole;
	size_t length = match((const uint8_t *)bytes, size, &whole);

	return whole ? length : 0;
}

size_t utf8_valid_prefix(const char *bytes, size_t size)
{
	const uint8_t *at = (const uint8_t *)bytes;
	size_t done = 0;
	size_t length;
	bool whole;

	while (done < size) {
		/* Nearly all text is ASCII. */
		done += skip_ascii(at + done, size - done);
		while (done < size && at[done] < 0x80)
			done++;
		if (done == size)
			break;
		length = match(at + done, size - done, &whole);
		if (!whole)
			break;
		done += length;
	}
	return done;
}

size_t utf8_invalid_size(const char *bytes, size_t size)
{
	bool whole;

	return size == 0 ? 0 : match((const uint8_t *)bytes, size, &whole);
}

size_t utf8_add_valid(struct buffer *out, const char *bytes, size_t size)
{
	size_t replaced = 0;

	while (size > 0) {
		size_t valid = utf8_valid_prefix(bytes, size);

		buffer_add(out, bytes, valid);
		bytes += valid;
		size -= valid;
		if (size == 0)
			break;
		buffer_add_text(out, UTF8_REPLACEMENT);
		replaced++;
		valid = utf8_invalid_size(bytes, size);
		bytes += valid;
		size -= valid;
	}
	return replaced;
}

void utf8_add_nonzero(struct buffer *out, const char *bytes, size_t size)
{
	const char *zero;

	while (size > 0 && (zero = memchr(bytes, '\0', size)) != NULL) {
		size_t used = (size_t)(zero - bytes);

		buffer_add(out, bytes, used);
		buffer_add_text(out, UTF8_REPLACEMENT);
		bytes += used + 1;
		size -= used + 1;
	}
	buffer_add(out, bytes, size);
}

static uint32_t decode(const uint8_t *at, size_t size)
{
	static const uint8_t lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t point = at[0] & lead_bits[size];

	for (size_t i = 1; i < size; i++)
		point = point << 6 | (at[i] & 0x3f);
	return point;
}

/* White space: all of Unicode's. */
static bool is_blank(uint32_t point)
{
	return (point >= '\t' && point <= '\r') || point == ' ' ||
	       point == 0x85 || point == 0xa0 || point == 0x1680 ||
	       (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
	       point == 0x2029 || point == 0x202f || point == 0x205f ||
	       point == 0x3000;
}

/* Noncharacters, of which XML forbids the first two. */
static bool is_noncharacter(uint32_t point)
{
	return (point & 0xfffe) == 0xfffe ||
	       (point >= 0xfdd0 && point <= 0xfdef);
}

/* C0, DEL and C1; line separators; marks that change the direction of
 * surrounding text. Source: Unicode Standard Annex #9, section 2. */
static bool is_unsafe(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point <= 0x9f) ||
	       point == 0x61c || point == 0x200e || point == 0x200f ||
	       (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069) || is_noncharacter(point);
}

/* Number of visible ASCII bytes at the beginning. */
static size_t visible_prefix(const uint8_t *at, size_t size)
{
	size_t count = 0;

	while (count < size && (uint8_t)(at[count] - 0x21) < 0x5e)
		count++;
	return count;
}

/* Decodes the first character, or the first byte if it is not UTF-8: its size,
 * and whether it may be shown unescaped. */
static bool decode_at(
	const uint8_t *at, size_t size, size_t *length, uint32_t *point)
{
	bool whole;

	*length = match(at, size, &whole);
	if (!whole) {
		*length = 1;
		*point = NO_POINT;
		return false;
	}
	*point = decode(at, *length);
	return !is_unsafe(*point);
}

/* Number of printable ASCII bytes at the beginning. */
static size_t printable_prefix(const uint8_t *at, size_t size)
{
	size_t count = 0;

#ifdef __SSE2__
	/* As signed numbers plus one, all other bytes are at most a blank. */
	for (; size - count >= 16; count += 16)
		if (_mm_movemask_epi8(_mm_cmplt_epi8(
			    _mm_add_epi8(
				    _mm_loadu_si128((const __m128i *)(const void
						    *)(at + count)),
				    _mm_set1_epi8(1)),
			    _mm_set1_epi8(' ' + 1))) != 0)
			break;
#endif
	while (count < size && (uint8_t)(at[count] - ' ') < 0x5f)
		count++;
	return count;
}

size_t utf8_safe_prefix(const char *bytes, size_t size)
{
	const uint8_t *at = (const uint8_t *)bytes;
	size_t done = 0;
	size_t length;
	uint32_t point;

	while (done < size) {
		length = printable_prefix(at + done, size - done);
		if (length == 0 &&
			!decode_at(at + done, size - done, &length, &point))
			break;
		done += length;
	}
	return done;
}

static void put_escape(
	char text[UTF8_ESCAPE_TEXT], uint32_t point, uint8_t byte)
{
	static const char letters[] = {
		['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};

	if (point == NO_POINT)
		(void)snprintf(text, UTF8_ESCAPE_TEXT, "\\x%02x", byte);
	else if (point < sizeof(letters) && letters[point] != '\0')
		(void)snprintf(text, UTF8_ESCAPE_TEXT, "\\%c", letters[point]);
	else if (point < 0x10000)
		(void)snprintf(text, UTF8_ESCAPE_TEXT, "\\u%04" PRIx32, point);
	else
		(void)snprintf(text, UTF8_ESCAPE_TEXT, "\\U%08" PRIx32, point);
}

size_t utf8_escape(char text[UTF8_ESCAPE_TEXT], const char *bytes, size_t size)
{
	const uint8_t *at = (const uint8_t *)bytes;
	uint32_t point;
	size_t length;

	(void)decode_at(at, size, &length, &point);
	put_escape(text, point, at[0]);
	return length;
}

void utf8_add_printable(struct buffer *out, const char *bytes, size_t size)
{
	const uint8_t *at = (const uint8_t *)bytes;
	bool blank = false;
	size_t start = out->used;
	size_t length;

	for (; size > 0; at += length, size -= length) {
		char escape[UTF8_ESCAPE_TEXT];
		uint32_t point = 0;
		bool safe = true;

		length = visible_prefix(at, size);
		if (length == 0) {
			safe = decode_at(at, size, &length, &point);
			blank = blank || is_blank(point);
			if (is_blank(point))
				continue;
		}
		if (blank && out->used > start)
			buffer_add_byte(out, ' ');
		blank = false;
		if (safe) {
			buffer_add(out, at, length);
			continue;
		}
		put_escape(escape, point, at[0]);
		buffer_add_text(out, escape);
	}
}

/* Joiners and other characters without a shape that are not escaped. */
static bool is_shapeless(uint32_t point)
{
	return point == 0xad || (point >= 0x200b && point <= 0x200d) ||
	       (point >= 0x2060 && point <= 0x206f) ||
	       (point >= 0xfe00 && point <= 0xfe0f) || point == 0xfeff;
}

bool utf8_is_visible(const char *bytes, size_t size)
{
	const uint8_t *at = (const uint8_t *)bytes;
	size_t length;

	for (; size > 0; at += length, size -= length) {
		uint32_t point;
		bool safe;

		if (visible_prefix(at, size) > 0)
			return true;
		safe = decode_at(at, size, &length, &point);
		if (!is_blank(point) && !(safe && is_shapeless(point)))
			return true;
	}
	return false;
}

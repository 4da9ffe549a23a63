/* SPDX-License-Identifier: MIT */
#include "json_index.h"

#include <stdbool.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define EVEN_BITS UINT64_C(0x5555555555555555)

/* A bit for each of 64 bytes. */
struct classes {
	uint64_t quote;
	uint64_t backslash;
	uint64_t mark;  /* { } [ ] : , */
	uint64_t blank; /* white space as JSON has it */
};

#ifdef __SSE2__
static inline uint64_t bits_of(__m128i matches)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(matches);
}

static inline __m128i same(__m128i bytes, char byte)
{
	return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));
}

static inline struct classes classify(const uint8_t *bytes)
{
	struct classes classes = {0};

	for (unsigned i = 0; i < JSON_INDEX_STEP; i += sizeof(__m128i)) {
		__m128i at = _mm_loadu_si128(
			(const __m128i *)(const void *)(bytes + i));
		/* This makes [ of { and ] of }, and of nothing else. */
		__m128i low = _mm_or_si128(at, _mm_set1_epi8(0x20));
		__m128i mark = _mm_or_si128(
			_mm_or_si128(same(low, '{'), same(low, '}')),
			_mm_or_si128(same(at, ':'), same(at, ',')));
		__m128i blank = _mm_or_si128(
			_mm_or_si128(same(at, ' '), same(at, '\n')),
			_mm_or_si128(same(at, '\t'), same(at, '\r')));

		classes.quote |= bits_of(same(at, '"')) << i;
		classes.backslash |= bits_of(same(at, '\\')) << i;
		classes.mark |= bits_of(mark) << i;
		classes.blank |= bits_of(blank) << i;
	}
	return classes;
}
#else
static struct classes classify(const uint8_t *bytes)
{
	struct classes classes = {0};

	for (unsigned i = 0; i < JSON_INDEX_STEP; i++) {
		uint64_t bit = UINT64_C(1) << i;

		switch (bytes[i]) {
		case '"':
			classes.quote |= bit;
			break;
		case '\\':
			classes.backslash |= bit;
			break;
		case '{':
		case '}':
		case '[':
		case ']':
		case ':':
		case ',':
			classes.mark |= bit;
			break;
		case ' ':
		case '\n':
		case '\t':
		case '\r':
			classes.blank |= bit;
			break;
		default:
			break;
		}
	}
	return classes;
}
#endif

/* The bytes that a backslash stands before which is not itself escaped. */
static inline uint64_t find_escaped(
	struct json_index *index, uint64_t backslash)
{
	uint64_t follows;
	uint64_t odd_starts;
	uint64_t even_carries;
	uint64_t carry;

	backslash &= ~index->escaped;
	follows = backslash << 1 | index->escaped;
	/* Adding the starts of runs of backslashes carries to their ends: where
	 * a run that starts at an odd place ends tells its length's parity. */
	odd_starts = backslash & ~EVEN_BITS & ~follows;
	carry = __builtin_add_overflow(odd_starts, backslash, &even_carries);
	index->escaped = carry;
	return (EVEN_BITS ^ even_carries << 1) & follows;
}

/* Each bit: how many are set up to and with it, modulo 2. */
static inline uint64_t running_parity(uint64_t bits)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		bits ^= bits << shift;
	return bits;
}

static inline uint64_t find_tokens(
	struct json_index *index, const struct classes *classes)
{
	uint64_t quote = classes->quote;
	uint64_t string;
	uint64_t scalar;
	uint64_t begins;

	if (__builtin_expect((classes->backslash | index->escaped) != 0, 0))
		quote &= ~find_escaped(index, classes->backslash);
	/* From an opening quote up to the byte before the closing one. */
	string = running_parity(quote) ^ index->string;
	index->string = (uint64_t)((int64_t)string >> 63);
	scalar = ~(classes->mark | classes->blank | quote | string);
	begins = scalar & ~(scalar << 1 | index->scalar);
	index->scalar = scalar >> 63;
	return (classes->mark & ~string) | quote | begins;
}

size_t json_index_add(struct json_index *index, const uint8_t *bytes,
	uint32_t from, uint32_t to, uint32_t *tokens)
{
	uint32_t *next = tokens;

	for (; from < to; from += JSON_INDEX_STEP) {
		const struct classes classes = classify(bytes + from);
		uint64_t found = find_tokens(index, &classes);

		while (found != 0) {
			*next++ = from + (uint32_t)__builtin_ctzll(found);
			found &= found - 1;
		}
	}
	return (size_t)(next - tokens);
}

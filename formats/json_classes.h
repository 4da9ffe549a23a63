/* SPDX-License-Identifier: MIT */
/* What the bytes of a JSON text are, 64 at a time, as fast as the machine can
 * tell. For json_index.c only. */
#ifndef JSON_CLASSES_H
#define JSON_CLASSES_H

#include <stdint.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "json_index.h"

#define JSON_CLASSES_INLINE static inline __attribute__((always_inline))

/* A bit for each of 64 bytes. */
struct json_classes {
	uint64_t quote;
	uint64_t backslash;
	uint64_t opening; /* { [ */
	uint64_t closing; /* } ] */
	uint64_t square;  /* of these, [ ] */
	uint64_t colon;
	uint64_t comma;
	uint64_t blank; /* white space as JSON has it */
	uint64_t digit;
	uint64_t zero;
	uint64_t dot;
};

struct json_classes_way {
	void (*classify)(const uint8_t *bytes, struct json_classes *classes);
	uint64_t (*parity)(uint64_t bits);
	uint32_t (*lowest)(uint64_t bits);
};

JSON_CLASSES_INLINE void json_classes_any(
	const uint8_t *bytes, struct json_classes *classes)
{
	*classes = (struct json_classes){0};
	for (unsigned i = 0; i < JSON_INDEX_STEP; i++) {
		uint8_t byte = bytes[i];
		/* This makes [ of { and ] of }, and of nothing else. */
		uint8_t low = byte | 0x20;

		classes->quote |= (uint64_t)(byte == '"') << i;
		classes->backslash |= (uint64_t)(byte == '\\') << i;
		classes->opening |= (uint64_t)(low == '{') << i;
		classes->closing |= (uint64_t)(low == '}') << i;
		classes->square |= (uint64_t)(byte != low) << i;
		classes->colon |= (uint64_t)(byte == ':') << i;
		classes->comma |= (uint64_t)(byte == ',') << i;
		classes->blank |= (uint64_t)(byte == ' ' || byte == '\n' ||
					     byte == '\t' || byte == '\r')
				  << i;
		classes->digit |= (uint64_t)((uint8_t)(byte - '0') < 10) << i;
		classes->zero |= (uint64_t)(byte == '0') << i;
		classes->dot |= (uint64_t)(byte == '.') << i;
	}
}

/* Each bit: how many are set up to and with it, modulo 2. */
JSON_CLASSES_INLINE uint64_t json_classes_parity(uint64_t bits)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		bits ^= bits << shift;
	return bits;
}

/* The number of the lowest bit; any, if there is none. */
JSON_CLASSES_INLINE uint32_t json_classes_lowest(uint64_t bits)
{
	return (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
}

#ifdef __x86_64__
JSON_CLASSES_INLINE uint64_t json_classes_bits16(__m128i matches)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(matches);
}

JSON_CLASSES_INLINE __m128i json_classes_same16(__m128i bytes, char byte)
{
	return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));
}

JSON_CLASSES_INLINE void json_classes_sse2(
	const uint8_t *bytes, struct json_classes *classes)
{
#define BITS json_classes_bits16
#define SAME json_classes_same16
	*classes = (struct json_classes){0};
	for (unsigned i = 0; i < JSON_INDEX_STEP; i += sizeof(__m128i)) {
		__m128i at = _mm_loadu_si128(
			(const __m128i *)(const void *)(bytes + i));
		__m128i low = _mm_or_si128(at, _mm_set1_epi8(0x20));
		__m128i blank = _mm_or_si128(
			_mm_or_si128(SAME(at, ' '), SAME(at, '\n')),
			_mm_or_si128(SAME(at, '\t'), SAME(at, '\r')));
		__m128i value = _mm_sub_epi8(at, _mm_set1_epi8('0'));
		__m128i digit = _mm_cmpeq_epi8(
			_mm_min_epu8(value, _mm_set1_epi8(9)), value);

		classes->quote |= BITS(SAME(at, '"')) << i;
		classes->backslash |= BITS(SAME(at, '\\')) << i;
		classes->opening |= BITS(SAME(low, '{')) << i;
		classes->closing |= BITS(SAME(low, '}')) << i;
		classes->square |= BITS(_mm_xor_si128(_mm_cmpeq_epi8(low, at),
					   _mm_set1_epi8(-1)))
				   << i;
		classes->colon |= BITS(SAME(at, ':')) << i;
		classes->comma |= BITS(SAME(at, ',')) << i;
		classes->blank |= BITS(blank) << i;
		classes->digit |= BITS(digit) << i;
		classes->zero |= BITS(SAME(at, '0')) << i;
		classes->dot |= BITS(SAME(at, '.')) << i;
	}
#undef BITS
#undef SAME
}

#define JSON_CLASSES_AVX2 \
	__attribute__((target("avx2,pclmul,bmi,lzcnt,popcnt"), always_inline))

static inline JSON_CLASSES_AVX2 uint64_t json_classes_bits32(__m256i matches)
{
	return (uint32_t)_mm256_movemask_epi8(matches);
}

static inline JSON_CLASSES_AVX2 __m256i json_classes_same32(
	__m256i bytes, char byte)
{
	return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte));
}

static inline JSON_CLASSES_AVX2 void json_classes_avx2(
	const uint8_t *bytes, struct json_classes *classes)
{
#define BITS json_classes_bits32
#define SAME json_classes_same32
	/* By their low four bits; -1 is none that is looked for. */
	const __m256i blanks =
		_mm256_broadcastsi128_si256(_mm_setr_epi8(' ', -1, -1, -1, -1,
			-1, -1, -1, -1, '\t', '\n', -1, -1, '\r', -1, -1));

	*classes = (struct json_classes){0};
#pragma GCC unroll 2
	for (unsigned i = 0; i < JSON_INDEX_STEP; i += sizeof(__m256i)) {
		__m256i at = _mm256_loadu_si256(
			(const __m256i *)(const void *)(bytes + i));
		__m256i low = _mm256_or_si256(at, _mm256_set1_epi8(0x20));
		__m256i value = _mm256_sub_epi8(at, _mm256_set1_epi8('0'));
		__m256i digit = _mm256_cmpeq_epi8(
			_mm256_min_epu8(value, _mm256_set1_epi8(9)), value);

		classes->quote |= BITS(SAME(at, '"')) << i;
		classes->backslash |= BITS(SAME(at, '\\')) << i;
		classes->opening |= BITS(SAME(low, '{')) << i;
		classes->closing |= BITS(SAME(low, '}')) << i;
		/* The bit of 0x20 is the highest then. */
		classes->square |=
			(BITS(_mm256_slli_epi16(at, 2)) ^ UINT64_C(0xffffffff))
			<< i;
		classes->colon |= BITS(SAME(at, ':')) << i;
		classes->comma |= BITS(SAME(at, ',')) << i;
		classes->blank |= BITS(_mm256_cmpeq_epi8(
					  at, _mm256_shuffle_epi8(blanks, at)))
				  << i;
		classes->digit |= BITS(digit) << i;
		classes->zero |= BITS(SAME(at, '0')) << i;
		classes->dot |= BITS(SAME(at, '.')) << i;
	}
#undef BITS
#undef SAME
}

static inline JSON_CLASSES_AVX2 uint64_t json_classes_parity_avx2(uint64_t bits)
{
	__m128i parity = _mm_clmulepi64_si128(
		_mm_set_epi64x(0, (long long)bits), _mm_set1_epi8(-1), 0);

	return (uint64_t)_mm_cvtsi128_si64(parity);
}

static inline JSON_CLASSES_AVX2 uint32_t json_classes_lowest_avx2(uint64_t bits)
{
	return (uint32_t)_tzcnt_u64(bits);
}
#endif

#endif

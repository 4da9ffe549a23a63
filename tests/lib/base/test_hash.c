/* SPDX-License-Identifier: MIT */
/*
 * base/hash.[ch], base/stable_hash.[ch]. The adversary of these tests knows the
 * code and no seed. Floods are keys with the same hash, by any hash that tables
 * have or had. The seeds are fixed, so that the test never fails by chance.
 */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "support/run_suite.h"
#include "base/stable_hash.h"

#define KEYS 8192u
#define SLOTS (2 * KEYS)
#define SEEDS 24
#define TEXT_BYTES 16

/* The limit of probes per key: 1.5 for random hashes and, with most seeds, for
 * these. A bad seed gives up to 12 for numbers in arithmetic progression. If
 * all hashes are equal, it is KEYS / 2. */
#define PROBES_MAX 32

static struct hash_seed drawn;

static void setup(void)
{
	drawn = hash_seed;
}

static void teardown(void)
{
	hash_seed = drawn;
}

static void set_seed(uint64_t number)
{
	const struct siphash_key key = {number, 24};
	uint64_t words[sizeof(hash_seed) / sizeof(uint64_t)];

	for (uint64_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = siphash(&key, &i, sizeof(i));
	memcpy(&hash_seed, words, sizeof(hash_seed));
	hash_seed.point >>= 4; /* as described in hash.h */
}

/* Adds keys to a table with linear probing: by the upper half, as strtab.c
 * does, or by the lowest bits, as correlation.c does. */
struct slots {
	bool used[SLOTS];
	uint64_t probes;
};

static void put(struct slots *slots, uint64_t slot)
{
	slots->probes++;
	while (slots->used[slot]) {
		slot = (slot + 1) % SLOTS;
		slots->probes++;
	}
	slots->used[slot] = true;
}

/* The number of probes in the worse of both. */
static uint64_t probes_of(const uint64_t *hashes)
{
	static struct slots high;
	static struct slots low;

	high = (struct slots){.probes = 0};
	low = (struct slots){.probes = 0};
	for (uint32_t i = 0; i < KEYS; i++) {
		put(&high, (hashes[i] >> 32) * SLOTS >> 32);
		put(&low, hashes[i] % SLOTS);
	}
	return high.probes > low.probes ? high.probes : low.probes;
}

static uint64_t inverse(uint64_t odd)
{
	uint64_t found = odd;

	for (int i = 0; i < 6; i++)
		found *= 2 - odd * found;
	return found;
}

/* The inverse of `result` ^ `result` >> shift. */
static uint64_t unshift(uint64_t result, unsigned shift)
{
	uint64_t value = result;

	for (unsigned i = shift; i < 64; i += shift)
		value = result ^ value >> shift;
	return value;
}

/* The finaliser of MurmurHash3, backwards. */
static uint64_t unmix(uint64_t value)
{
	value = unshift(value, 33) * inverse(UINT64_C(0xc4ceb9fe1a85ec53));
	value = unshift(value, 33) * inverse(UINT64_C(0xff51afd7ed558ccd));
	return unshift(value, 33);
}

/* The second word of 16 bytes with this stable_hash(). */
static uint64_t second_word(uint64_t first, uint64_t hash)
{
	const uint64_t factor = UINT64_C(0x100000001b3);
	uint64_t state = UINT64_C(0xcbf29ce484222325) ^ TEXT_BYTES;

	state = (state ^ first) * factor;
	state ^= state >> 29;
	return state ^ unshift(unmix(hash), 29) * inverse(factor);
}

START_TEST(a_stable_hash_is_the_same_on_every_machine)
{
	const char *text = "0123456789abcdefghijklmnopqrstuvwxyz";
	char moved[40];

	memcpy(moved + 1, text, 36);
	for (size_t size = 0; size <= 36; size++)
		ck_assert_uint_eq(
			stable_hash(text, size), stable_hash(moved + 1, size));
	for (size_t size = 1; size <= 36; size++)
		ck_assert_uint_ne(
			stable_hash(text, size), stable_hash(text, size - 1));
	/* Computed separately, with the code that stable_hash.h names as its
	 * source. */
	ck_assert_uint_eq(stable_hash("", 0), UINT64_C(0xefd01f60ba992926));
	ck_assert_uint_eq(stable_hash("a", 1), UINT64_C(0x86ede49b2924d824));
	ck_assert_uint_eq(
		stable_hash("12345678a", 9), UINT64_C(0xa01d16dee5e73d0f));
}
END_TEST

START_TEST(a_seed_is_drawn)
{
	ck_assert_uint_ne((uint64_t)hash_seed.factors[0], 0);
	ck_assert_uint_ne((uint64_t)(hash_seed.factors[0] >> 64), 0);
	ck_assert_uint_ne(
		(uint64_t)hash_seed.factors[0], (uint64_t)hash_seed.factors[1]);
	ck_assert_uint_ne(
		(uint64_t)hash_seed.factors[1], (uint64_t)hash_seed.factors[2]);
	ck_assert_uint_ne((uint64_t)hash_seed.start, 0);
	ck_assert_uint_ne(hash_seed.point, 0);
	ck_assert_uint_eq(hash_seed.point >> 60, 0);
	for (int i = 1; i < 2 * HASH_PAIRS; i++)
		ck_assert_uint_ne(hash_seed.keys[i - 1], hash_seed.keys[i]);
}
END_TEST

START_TEST(equal_texts_have_one_hash_and_others_another)
{
	enum { SIZE = 600 };
	unsigned char text[SIZE] = {0};
	unsigned char moved[SIZE + 8];

	for (size_t size = 0; size <= SIZE; size++) {
		uint64_t hash = hash_bytes(text, size);

		for (size_t at = 0; at < 8; at++) {
			/* Bytes after the text do not count. */
			memset(moved, 0xff, sizeof(moved));
			memcpy(moved + at, text, size);
			ck_assert_uint_eq(hash_bytes(moved + at, size), hash);
		}
		/* All are zero; they differ in length. */
		if (size > 0)
			ck_assert_uint_ne(hash_bytes(text, size - 1), hash);
		for (size_t bit = size % 8; bit < 8 * size; bit += 8) {
			text[bit / 8] = (unsigned char)(1u << bit % 8);
			ck_assert_uint_ne(hash_bytes(text, size), hash);
			text[bit / 8] = 0;
		}
	}
}
END_TEST

START_TEST(words_have_their_places)
{
	ck_assert_uint_ne(hash_word(1), hash_word(2));
	ck_assert_uint_ne(hash_pair(1, 2), hash_pair(2, 1));
	ck_assert_uint_ne(hash_triple(1, 2, 3), hash_triple(1, 3, 2));
	ck_assert_uint_ne(hash_triple(1, 2, 3), hash_triple(2, 1, 3));
	ck_assert_uint_eq(hash_pair(1, 2), hash_pair(1, 2));
}
END_TEST

START_TEST(texts_made_for_one_stable_hash_are_spread)
{
	static uint64_t stable[KEYS];
	static uint64_t hashes[KEYS];

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		set_seed(seed);
		for (uint64_t i = 0; i < KEYS; i++) {
			/* Also in the first bytes, not only in the last. */
			uint64_t text[40] = {i, second_word(i, 5)};
			size_t size = seed % 2 == 0 ? TEXT_BYTES : sizeof(text);

			stable[i] = stable_hash(text, TEXT_BYTES);
			hashes[i] = hash_bytes(text, size);
		}
		ck_assert_uint_eq(stable[1], stable[KEYS - 1]);
		ck_assert_uint_gt(probes_of(stable), KEYS / 2 * KEYS);
		ck_assert_uint_lt(probes_of(hashes), PROBES_MAX * KEYS);
	}
}
END_TEST

/* Ids and addresses, and inverse images of these under the multiplier or
 * finaliser of a hash. */
static uint64_t flood_key(unsigned flood, uint64_t i)
{
	switch (flood) {
	case 64:
		return i * inverse(UINT64_C(0x9e3779b97f4a7c15));
	case 65:
		return unmix(UINT64_C(7) << 32 | i);
	case 66:
		return unmix(i << 32 | 7);
	case 67:
		return i << 20 | i;
	case 68:
		return i * i;
	case 69:
		return UINT64_MAX / KEYS * i;
	default:
		return i << flood | (i != 0 && flood > 51 ? i >> 3 : 0);
	}
}

START_TEST(numbers_are_spread_whatever_they_are)
{
	static uint64_t hashes[3][KEYS];

	for (unsigned flood = 0; flood < 70; flood++)
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			set_seed(seed);
			for (uint64_t i = 0; i < KEYS; i++) {
				uint64_t key = flood_key(flood, i);

				hashes[0][i] = hash_word(key);
				hashes[1][i] = hash_pair(key, i / 64);
				hashes[2][i] = hash_triple(1, key, i);
			}
			for (int i = 0; i < 3; i++)
				ck_assert_msg(probes_of(hashes[i]) <
						      PROBES_MAX * KEYS,
					"flood %u, seed %u, %d words", flood,
					(unsigned)seed, i + 1);
		}
}
END_TEST

START_TEST(a_flood_of_pairs_is_spread)
{
	static uint64_t stable[KEYS];
	static uint64_t hashes[KEYS];

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		set_seed(seed);
		for (uint64_t i = 0; i < KEYS; i++) {
			uint64_t pair[] = {i, second_word(i, 5)};

			stable[i] = stable_hash(pair, sizeof(pair));
			hashes[i] = hash_pair(pair[0], pair[1]);
		}
		ck_assert_uint_gt(probes_of(stable), KEYS / 2 * KEYS);
		ck_assert_uint_lt(probes_of(hashes), PROBES_MAX * KEYS);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hash");
	TCase *tests = tcase_create("hash");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_stable_hash_is_the_same_on_every_machine);
	tcase_add_test(tests, a_seed_is_drawn);
	tcase_add_test(tests, equal_texts_have_one_hash_and_others_another);
	tcase_add_test(tests, words_have_their_places);
	tcase_add_test(tests, texts_made_for_one_stable_hash_are_spread);
	tcase_add_test(tests, numbers_are_spread_whatever_they_are);
	tcase_add_test(tests, a_flood_of_pairs_is_spread);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}

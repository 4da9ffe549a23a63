/* SPDX-License-Identifier: MIT */
/* lib/pack.[ch], pack_row.c, pack_column.c: chunks made by hand, packed, and
 * read again as a log. Chunks lie on the heap, to the byte, so that a
 * sanitizer sees what is read beyond them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log_text.h"
#include "pack.h"
#include "run_suite.h"

#define WRAP (UINT64_C(1) << CTP_TICK_BITS)

static const struct clock_scale one = {0, UINT64_C(1) << 32};

static char path[32];
static struct log_writer *writer;
static struct packer *packer;
static struct chunk *chunk;
static size_t used; /* words of the chunk */
static struct log_text text;

static void start(struct clock_scale scale, uint64_t min_ns)
{
	packer_free(packer);
	packer = packer_new(writer, scale, min_ns);
	ck_assert_ptr_nonnull(packer);
}

/* Another, empty chunk. */
static void next_chunk(uint32_t track, uint64_t base)
{
	memset(chunk, 0, sizeof(*chunk));
	chunk->track = track;
	chunk->base = base;
	used = 0;
}

static void setup(void)
{
	int fd;

	(void)snprintf(path, sizeof(path), "./test_pack.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	writer = log_writer_new(fd, 1);
	ck_assert_ptr_nonnull(writer);
	chunk = malloc(sizeof(*chunk));
	ck_assert_ptr_nonnull(chunk);
	next_chunk(1, 0);
	start(one, 0);
}

static void teardown(void)
{
	packer_free(packer);
	packer = NULL;
	log_writer_free(writer);
	free(chunk);
	log_text_clear(&text);
	(void)unlink(path);
}

static void put(uint64_t word)
{
	ck_assert_uint_lt(used, CHUNK_WORDS);
	chunk->words[used++] = word;
}

/* A range begins (a site) or ends (0). */
static void on(uint64_t ticks, uint32_t site)
{
	put(ticks + ((uint64_t)site << CTP_TICK_BITS));
}

/* A long record of up to four words. */
static void put_long(enum chunk_long kind, uint64_t detail,
	const uint64_t *words, size_t count)
{
	put(chunk_long(chunk, kind, count, detail));
	for (size_t i = 0; i < count; i++)
		put(words[i]);
}

#define LONG(kind, detail, ...) \
	put_long(kind, detail, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* The same, and then text. */
static void put_text(enum chunk_long kind, const uint64_t *words, size_t count,
	const char *bytes)
{
	size_t size = strlen(bytes);
	size_t text_words = (size + 7) / 8;

	put(chunk_long(chunk, kind, count + text_words,
		size == 0 ? 0 : (size - 1) % 8 + 1));
	for (size_t i = 0; i < count; i++)
		put(words[i]);
	memcpy(&chunk->words[used], bytes, size);
	used += text_words;
}

#define TEXT(kind, bytes, ...) \
	put_text(kind, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
		bytes)

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void pack(void)
{
	uint32_t consumed = 0;

	ck_assert_int_eq(packer_events(packer, chunk, &consumed, NULL), CTP_OK);
	chunk->consumed = consumed;
}

static void pack_registry(void)
{
	uint32_t consumed = 0;

	ck_assert_int_eq(
		packer_registry(packer, chunk, &consumed, NULL), CTP_OK);
	chunk->consumed = consumed;
}

/* Reads what has been packed so far. */
static void read_log(void)
{
	size_t size = log_writer_bytes(writer);
	FILE *file = fopen(path, "rb");
	void *bytes = malloc(size + 1);

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(fread(bytes, 1, size + 1, file), size);
	log_text_clear(&text);
	text = log_text_read(bytes, size);
	free(bytes);
	(void)fclose(file);
}

START_TEST(records_become_events)
{
	on(100, 1);
	on(105, 2);
	on(110, 0);
	on(110, CHUNK_ID_LONG - 1);
	on(111, 0);
	on(200, 0);
	pack();
	read_log();
	ck_assert_str_eq(text.events, "0 100 begin (site 1)\n"
				      "0 105 begin (site 2)\n"
				      "0 110 end\n"
				      "0 110 begin (site 1048574)\n"
				      "0 111 end\n"
				      "0 200 end\n");
	ck_assert_uint_eq(chunk->consumed, 6);
	ck_assert_uint_eq(packer_event_count(packer), 6);
	ck_assert_int_eq(packer_newest_ns(packer), 200);
	ck_assert_uint_eq(log_writer_blocks(writer), 1);
}
END_TEST

START_TEST(ticks_are_scaled)
{
	start((struct clock_scale){1000, 1717986918}, 0); /* 2.5 GHz */
	next_chunk(1, 900);
	on(950, 1);
	on(1003, 0);
	on(25001000, 0);
	pack();
	read_log();
	ck_assert_str_eq(
		text.events, "0 -19 begin (site 1)\n0 1 end\n0 9999999 end\n");
}
END_TEST

START_TEST(an_empty_chunk_gives_no_block)
{
	pack();
	ck_assert_uint_eq(chunk->consumed, 0);
	ck_assert_uint_eq(log_writer_blocks(writer), 0);
	pack_registry();
	ck_assert_uint_eq(log_writer_blocks(writer), 0);
}
END_TEST

START_TEST(a_chunk_full_to_its_last_word_is_whole)
{
	for (uint32_t i = 0; i < CHUNK_WORDS; i++)
		on(i * 3, i % 2 == 0 ? i % 5000 + 1 : 0);
	pack();
	ck_assert_uint_eq(chunk->consumed, CHUNK_WORDS);
	ck_assert_uint_eq(packer_event_count(packer), CHUNK_WORDS);
	read_log();
	ck_assert_str_eq(text.losses, "truncated 1\nunknown_sites 2500\n");
}
END_TEST

START_TEST(times_go_on_where_44_bits_end)
{
	uint64_t base = 5 * WRAP - 10;

	next_chunk(1, base);
	on(base + 3, 1);
	on(base + 9, 2);
	on(base + 12, 0); /* what stands above bit 44 changes here */
	on(base + WRAP / 4, 0);
	pack();
	read_log();
	ck_assert_str_eq(text.events, "0 87960930222073 begin (site 1)\n"
				      "0 87960930222079 begin (site 2)\n"
				      "0 87960930222082 end\n"
				      "0 92358976733174 end\n");
}
END_TEST

START_TEST(steps_back_are_kept)
{
	next_chunk(1, WRAP + 1000);
	on(WRAP + 990, 1); /* before the chunk's base */
	on(WRAP + 1010, 2);
	on(WRAP + 1005, 0);
	on(WRAP - 5, 0); /* below a multiple of 2^44 */
	on(WRAP + 3, 0);
	pack();
	read_log();
	ck_assert_str_eq(text.events, "0 17592186045406 begin (site 1)\n"
				      "0 17592186045426 begin (site 2)\n"
				      "0 17592186045421 end\n"
				      "0 17592186044411 end\n"
				      "0 17592186044419 end\n");
}
END_TEST

START_TEST(every_long_record_becomes_its_event)
{
	on(1, 1);
	LONG(CHUNK_BEGIN, 0, 10, 1048580);
	TEXT(CHUNK_ARG_INT, "a key of some length", 11, (uint64_t)-5);
	TEXT(CHUNK_ARG_FLOAT, "12345678", 12, bits_of(0.5));
	TEXT(CHUNK_ARG_TEXT, "keyvalue", 13, 3);
	TEXT(CHUNK_ARG_TEXT, "key", 14, 3);
	TEXT(CHUNK_ARG_TEXT, "k\xff", 15, 1);
	LONG(CHUNK_INSTANT, 0, 20, 2, 0);
	LONG(CHUNK_COUNTER, 0, 21, 2, (uint64_t)-7);
	LONG(CHUNK_COUNTER, 1, 22, 2, bits_of(-2.5));
	LONG(CHUNK_ASYNC_BEGIN, 0, 23, 2, UINT64_MAX);
	LONG(CHUNK_ASYNC_END, 0, 24, 2, UINT64_MAX);
	LONG(CHUNK_ALLOC, 0, 25, 4096, 64, (uint64_t)-1);
	LONG(CHUNK_FREE, 0, 26, UINT64_MAX, UINT64_MAX, 3);
	LONG(CHUNK_STEP, 0, 27, 2, 12, 1);
	on(30, 0);
	pack();
	read_log();
	ck_assert_str_eq(text.events,
		"0 1 begin (site 1)\n"
		"0 10 begin (site 1048580)\n"
		"0 11 arg a key of some length=-5\n"
		"0 12 arg 12345678=0x1p-1\n"
		"0 13 arg key='value'\n"
		"0 14 arg key=''\n"
		"0 15 arg k='\xff'\n"
		"0 20 instant (site 2)\n"
		"0 21 counter (site 2) =-7\n"
		"0 22 counter (site 2) =-0x1.4p+1\n"
		"0 23 async_begin (site 2) 18446744073709551615\n"
		"0 24 async_end (site 2) 18446744073709551615\n"
		"0 25 alloc 4096 64 -1\n"
		"0 26 free 18446744073709551615 18446744073709551615 3\n"
		"0 27 step (site 2) 12 advance=1\n"
		"0 30 end\n");
	ck_assert_uint_eq(chunk->consumed, used);
	ck_assert_uint_eq(packer_event_count(packer), 16);
}
END_TEST

/* A long record has all 64 bits, which change nothing for short ones. */
START_TEST(short_records_count_from_the_base_of_the_chunk)
{
	on(5, 1);
	LONG(CHUNK_INSTANT, 0, 7 * WRAP - 1, 1, 0);
	on(7, 0);
	pack();
	read_log();
	ck_assert_str_eq(text.events, "0 5 begin (site 1)\n"
				      "0 123145302310911 instant (site 1)\n"
				      "0 7 end\n");
}
END_TEST

START_TEST(timelines_are_split_from_what_was_measured)
{
	LONG(CHUNK_TRACK, 0, 1, 0, 77);
	LONG(CHUNK_TRACK, 0, 2, 1, 77);
	pack_registry();
	next_chunk(1, 0);
	on(100, 1);
	LONG(CHUNK_BEGIN_AT, 0, (uint64_t)-1000, 2, 2);
	on(110, 0);
	LONG(CHUNK_END_AT, 0, 5000, 0, 2);
	LONG(CHUNK_BEGIN_AT, 0, 1, 3, 2);
	on(120, 1);
	pack();
	/* The ranges that are open stand at the beginning of the next. */
	next_chunk(1, 0);
	LONG(CHUNK_END_AT, 0, 9, 0, 2);
	on(130, 0);
	pack();
	read_log();
	ck_assert_str_eq(text.events, "0 100 begin (site 1)\n"
				      "0 110 end\n"
				      "0 120 begin (site 1)\n"
				      "1 -1000 begin (site 2)\n"
				      "1 5000 end\n"
				      "1 1 begin (site 3)\n"
				      "0 130 end\n"
				      "1 9 end\n");
	ck_assert_str_eq(
		text.tracks, "thread 0 77 '' to 130\ntimeline 0 77 ''\n");
	ck_assert_str_eq(text.losses, "truncated 1\nunknown_sites 3\n");
	ck_assert_int_eq(packer_newest_ns(packer), 130);
}
END_TEST

START_TEST(a_chunk_half_packed_goes_on_where_it_was)
{
	on(10, 1);
	on(20, 2);
	pack();
	ck_assert_uint_eq(chunk->consumed, 2);
	pack(); /* nothing new */
	ck_assert_uint_eq(chunk->consumed, 2);
	ck_assert_uint_eq(log_writer_blocks(writer), 1);
	on(30, 0);
	LONG(CHUNK_INSTANT, 0, 35, 4, 0);
	pack();
	ck_assert_uint_eq(chunk->consumed, 7);
	on(40, 0);
	pack();
	read_log();
	ck_assert_str_eq(text.events, "0 10 begin (site 1)\n"
				      "0 20 begin (site 2)\n"
				      "0 30 end\n"
				      "0 35 instant (site 4)\n"
				      "0 40 end\n");
	ck_assert_str_eq(text.losses, "truncated 1\nunknown_sites 3\n");
}
END_TEST

/* Only as far as records are complete: the first word is stored last. */
START_TEST(a_record_that_is_being_made_waits)
{
	on(10, 1);
	LONG(CHUNK_INSTANT, 0, 35, 4, 0);
	chunk->words[1] = 0;
	pack();
	ck_assert_uint_eq(chunk->consumed, 1);
	chunk->words[1] = chunk_long(chunk, CHUNK_INSTANT, 3, 0);
	pack();
	ck_assert_uint_eq(chunk->consumed, 5);
	read_log();
	ck_assert_str_eq(
		text.events, "0 10 begin (site 1)\n0 35 instant (site 4)\n");
}
END_TEST

START_TEST(short_innermost_ranges_are_left_out_and_counted)
{
	start(one, 10);
	on(0, 1);
	on(1, 2); /* 9: left out */
	on(10, 0);
	on(20, 2); /* 10: stays */
	on(30, 0);
	on(40, 2); /* contains but what is left out: left out itself */
	on(41, 3);
	on(42, 0);
	on(44, 0);
	on(50, 2); /* contains something that stays */
	LONG(CHUNK_INSTANT, 0, 51, 4, 0);
	on(52, 0);
	on(60, 2); /* goes back: left out */
	on(55, 0);
	on(100, 0);
	pack();
	ck_assert_int_eq(packer_finish(packer, NULL), CTP_OK);
	read_log();
	ck_assert_str_eq(text.events, "0 0 begin (site 1)\n"
				      "0 20 begin (site 2)\n"
				      "0 30 end\n"
				      "0 50 begin (site 2)\n"
				      "0 51 instant (site 4)\n"
				      "0 52 end\n"
				      "0 100 end\n");
	ck_assert_str_eq(
		text.losses, "short_ranges 4\ntruncated 1\nunknown_sites 3\n");
	ck_assert_uint_eq(packer_event_count(packer), 7);
}
END_TEST

START_TEST(short_ranges_across_packings_stay)
{
	start(one, 10);
	on(0, 1);
	pack();
	on(1, 0);
	on(2, 1);
	on(3, 0);
	pack();
	next_chunk(1, 0);
	LONG(CHUNK_BEGIN_AT, 0, 5, 2, 2);
	LONG(CHUNK_END_AT, 0, 6, 0, 2);
	pack();
	ck_assert_int_eq(packer_finish(packer, NULL), CTP_OK);
	ck_assert_int_eq(packer_finish(packer, NULL), CTP_OK);
	read_log();
	ck_assert_str_eq(text.events, "0 0 begin (site 1)\n0 1 end\n"
				      "1 5 begin (site 2)\n1 6 end\n");
	ck_assert_str_eq(
		text.losses, "short_ranges 1\ntruncated 1\nunknown_sites 2\n");
}
END_TEST

START_TEST(losses_of_a_chunk_are_written_when_they_change)
{
	on(1, 1);
	chunk->dropped_ranges = 5;
	chunk->cut_text = 1;
	pack();
	ck_assert_uint_eq(log_writer_blocks(writer), 2);
	on(2, 0);
	pack();
	ck_assert_uint_eq(log_writer_blocks(writer), 3);
	chunk->dropped_ranges = 7;
	chunk->dropped_events = 2;
	pack();
	ck_assert_uint_eq(log_writer_blocks(writer), 4);
	ck_assert_int_eq(packer_losses(packer, 9, 100, 0, 0, NULL), CTP_OK);
	next_chunk(0, 0);
	LONG(CHUNK_LOSSES, 0, 8, 1000, UINT64_C(3) << 32 | 20);
	pack_registry();
	read_log();
	ck_assert_str_eq(text.losses,
		"dropped_ranges 1107\ndropped_events 5\ncut_text 21\n"
		"truncated 1\nunknown_sites 1\n");
}
END_TEST

START_TEST(sites_and_tracks_come_from_the_registry)
{
	TEXT(CHUNK_SITE, "maina.c", 1, 10, 4);
	TEXT(CHUNK_SITE, "a name of some lengthsrc/b.c", 2, 4294967295, 21);
	TEXT(CHUNK_SITE, "g", 3, 0, 1);
	TEXT(CHUNK_TRACK, "a thread", 1, 0, 77);
	TEXT(CHUNK_SITE, "h\xff", 4, 0, 2);
	TEXT(CHUNK_SITE, "", 6, 0, 0); /* not the next number */
	TEXT(CHUNK_TRACK, "", 2, 1, 78);
	pack_registry();
	ck_assert_uint_eq(chunk->consumed, used);
	/* Runs of sites are one block each. */
	ck_assert_uint_eq(log_writer_blocks(writer), 5);
	TEXT(CHUNK_TRACK, "renamed", 1, 0, 77);
	pack_registry();
	ck_assert_uint_eq(chunk->consumed, used);
	next_chunk(1, 0);
	for (uint32_t site = 1; site < 7; site++)
		on(site, site);
	pack();
	read_log();
	ck_assert_str_eq(text.events, "0 1 begin main\n"
				      "0 2 begin a name of some length\n"
				      "0 3 begin g\n"
				      "0 4 begin h\xff\n"
				      "0 5 begin (site 5)\n"
				      "0 6 begin \n");
	ck_assert_str_eq(text.tracks, "thread 0 77 'renamed' to 6\n"
				      "timeline 0 78 ''\n");
}
END_TEST

START_TEST(deep_stacks_are_packed_and_not_repeated)
{
	enum { DEPTH = 3000 };

	for (uint32_t i = 0; i < DEPTH; i++)
		on(i, 1 + i % 7);
	pack();
	next_chunk(1, DEPTH);
	for (uint32_t i = 0; i < DEPTH - 2; i++)
		on(DEPTH + i, 0);
	pack();
	next_chunk(1, 2 * DEPTH);
	on(2 * DEPTH, 0);
	on(2 * DEPTH, 0);
	pack();
	read_log();
	ck_assert_str_eq(text.losses, "truncated 1\nunknown_sites 7\n");
	ck_assert_uint_eq(packer_event_count(packer), 2 * DEPTH);
}
END_TEST

/* Whatever lies in the first word of a long record. */
START_TEST(no_length_leads_out_of_the_chunk)
{
	static const uint64_t words[] = {
		0, 1, 2, 3, 4, CHUNK_WORDS - 1, CHUNK_WORDS, 0xffff};
	static const uint64_t details[] = {0, 1, 8, 9, 0xfffff};

	for (uint64_t kind = 0; kind < 20; kind++) {
		for (size_t i = 0; i < 8 * 5; i++) {
			next_chunk(1, 0);
			on(1, 1);
			/* At the end, and with all that follows set. */
			used = CHUNK_WORDS - 4;
			memset(chunk->words + 1, 0x11, 8 * (used - 1));
			put(chunk_long(chunk, (enum chunk_long)kind,
				words[i % 8], details[i / 8]));
			put(1);
			put(2);
			put(3);
			chunk->consumed = CHUNK_WORDS - 4;
			pack();
			ck_assert_uint_le(chunk->consumed, CHUNK_WORDS);
			chunk->consumed = CHUNK_WORDS - 4;
			pack_registry();
			ck_assert_uint_le(chunk->consumed, CHUNK_WORDS);
		}
	}
}
END_TEST

/* A good record, then one of which only the first words are there. */
START_TEST(a_second_site_does_not_lead_out_of_the_chunk)
{
	static const uint64_t words[] = {0, 1, 3, 100, 0xffff};

	for (size_t room = 1; room < 6; room++) {
		for (size_t i = 0; i < 5; i++) {
			next_chunk(0, 0);
			used = CHUNK_WORDS - 5 - room;
			chunk->consumed = (uint32_t)used;
			TEXT(CHUNK_SITE, "name", 1, 0, 4);
			put(chunk_long(chunk, CHUNK_SITE, words[i], 8));
			for (uint64_t word = 2; used < CHUNK_WORDS; word++)
				put(word);
			pack_registry();
			ck_assert_uint_le(chunk->consumed, CHUNK_WORDS);
		}
	}
	read_log();
	ck_assert_int_eq(text.status, CTP_END);
	ck_assert_str_eq(text.losses, "truncated 1\n");
}
END_TEST

/* Numbers that cannot be: the rest of the chunk is good. */
START_TEST(impossible_tracks_and_sites_cost_their_record_alone)
{
	on(1, 1);
	LONG(CHUNK_BEGIN, 0, 2, UINT32_MAX);
	LONG(CHUNK_BEGIN, 0, 3, UINT64_C(1) << 24);
	LONG(CHUNK_BEGIN_AT, 0, 4, 1, UINT32_MAX);
	LONG(CHUNK_BEGIN_AT, 0, 4, 1, UINT64_C(1) << 22);
	LONG(CHUNK_INSTANT, 0, 5, UINT64_MAX, 0);
	LONG(99, 0, 5, UINT64_MAX, 0);
	on(6, 0);
	pack();
	ck_assert_uint_eq(chunk->consumed, used);
	next_chunk(0, 0);
	LONG(CHUNK_LOSSES, 0, UINT32_MAX, 1000, 20);
	TEXT(CHUNK_TRACK, "", 3, 0, 79);
	pack_registry();
	ck_assert_uint_eq(chunk->consumed, used);
	read_log();
	ck_assert_str_eq(text.events, "0 1 begin (site 1)\n0 6 end\n");
	ck_assert_str_eq(text.losses, "truncated 1\nunknown_sites 1\n");
}
END_TEST

static uint32_t next_random(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

/* Chunks of three tracks, packed in pieces of any size. */
START_TEST(random_chunks_give_exactly_their_events)
{
	uint64_t state = 1;
	uint64_t ticks = WRAP - 100000;
	char *expected = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&expected, &size);

	ck_assert_ptr_nonnull(out);
	for (int round = 0; round < 300; round++) {
		/* Each track has chunks of its own, in any order. */
		uint32_t track = round < 3 ? (uint32_t)round + 1
					   : 1 + next_random(&state, 3);
		uint32_t records = 1 + next_random(&state, 400);

		next_chunk(track, ticks);
		for (uint32_t i = 0; i < records; i++) {
			uint32_t site = next_random(&state, 2) *
					(1 + next_random(&state, 300));

			ticks += next_random(&state, 1000);
			if (next_random(&state, 10) == 0)
				ticks -= 50;
			on(ticks, site);
			if (site == 0)
				(void)fprintf(out, "%u %lld end\n", track - 1,
					(long long)ticks);
			else
				(void)fprintf(out, "%u %lld begin (site %u)\n",
					track - 1, (long long)ticks, site);
			if (next_random(&state, 50) == 0)
				pack();
		}
		pack();
		ck_assert_uint_eq(chunk->consumed, records);
	}
	(void)fclose(out);
	read_log();
	ck_assert_int_eq(strcmp(text.events, expected), 0);
	free(expected);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("pack");
	TCase *tests = tcase_create("pack");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 20);
	tcase_add_test(tests, records_become_events);
	tcase_add_test(tests, ticks_are_scaled);
	tcase_add_test(tests, an_empty_chunk_gives_no_block);
	tcase_add_test(tests, a_chunk_full_to_its_last_word_is_whole);
	tcase_add_test(tests, times_go_on_where_44_bits_end);
	tcase_add_test(tests, steps_back_are_kept);
	tcase_add_test(tests, every_long_record_becomes_its_event);
	tcase_add_test(tests, short_records_count_from_the_base_of_the_chunk);
	tcase_add_test(tests, timelines_are_split_from_what_was_measured);
	tcase_add_test(tests, a_chunk_half_packed_goes_on_where_it_was);
	tcase_add_test(tests, a_record_that_is_being_made_waits);
	tcase_add_test(tests, short_innermost_ranges_are_left_out_and_counted);
	tcase_add_test(tests, short_ranges_across_packings_stay);
	tcase_add_test(tests, losses_of_a_chunk_are_written_when_they_change);
	tcase_add_test(tests, sites_and_tracks_come_from_the_registry);
	tcase_add_test(tests, deep_stacks_are_packed_and_not_repeated);
	tcase_add_test(tests, no_length_leads_out_of_the_chunk);
	tcase_add_test(tests, a_second_site_does_not_lead_out_of_the_chunk);
	tcase_add_test(
		tests, impossible_tracks_and_sites_cost_their_record_alone);
	tcase_add_test(tests, random_chunks_give_exactly_their_events);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}

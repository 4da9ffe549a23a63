/* SPDX-License-Identifier: MIT */
/*
 * The reason for lib/log/huffman.c: packs a column of times, which has no
 * repetitions, with that file and with zlib's Z_HUFFMAN_ONLY, and prints the
 * speed and size of both.
 *
 *	bench_huffman
 *
 * The column is 64 KiB of times since the event before, as an event block has
 * them: log-normal, half of them below 55 ns.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

#include "log/huffman.h"
#include "log/msgpack_out.h"

#define COLUMN_BYTES ((size_t)64 * 1024)
#define ROUNDS 7
#define PACKED_PER_ROUND 200

static uint8_t column[COLUMN_BYTES + MSGPACK_OUT_INT_MAX];
static uint8_t packed[4 * COLUMN_BYTES]; /* huffman_bound() and more */

/* Close to normal: four uniform numbers. */
static double normal(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 4; i++) {
		*state = *state * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
		sum += (double)(*state >> 11) / 9007199254740992.0;
	}
	return (sum - 2) * 1.7320508;
}

static void make_column(void)
{
	uint64_t state = 0;
	uint8_t *at = column;

	while (at < column + COLUMN_BYTES)
		at = msgpack_out_int(at, (int64_t)(55 * exp(normal(&state))));
}

static size_t pack_ours(z_stream *stream)
{
	(void)stream;
	return huffman_pack(NULL, column, COLUMN_BYTES, packed, sizeof(packed));
}

static size_t pack_zlib(z_stream *stream)
{
	stream->next_in = column;
	stream->avail_in = COLUMN_BYTES;
	stream->next_out = packed;
	stream->avail_out = sizeof(packed);
	if (deflateReset(stream) != Z_OK ||
		deflate(stream, Z_SYNC_FLUSH) != Z_OK)
		return 0;
	return sizeof(packed) - stream->avail_out;
}

static double cpu_seconds(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
		return 0;
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The fastest of some rounds. */
static int measure(
	const char *name, size_t (*pack)(z_stream *stream), z_stream *stream)
{
	double least = INFINITY;
	size_t size = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double seconds = cpu_seconds();

		for (int i = 0; i < PACKED_PER_ROUND; i++) {
			size = pack(stream);
			if (size == 0)
				return 1;
		}
		seconds = cpu_seconds() - seconds;
		least = seconds < least ? seconds : least;
	}
	printf("%-24s %6.0f MB/s %8zu bytes\n", name,
		(double)(COLUMN_BYTES * PACKED_PER_ROUND) / least / 1e6, size);
	return 0;
}

int main(void)
{
	z_stream stream = {0};
	int failed;

	make_column();
	if (deflateInit2(&stream, 1, Z_DEFLATED, -MAX_WBITS, 9,
		    Z_HUFFMAN_ONLY) != Z_OK)
		return 1;
	printf("%-24s %11s %14zu bytes\n", "a column of times", "",
		COLUMN_BYTES);
	failed = measure("huffman_pack(NULL, )", pack_ours, &stream) +
		 measure("zlib, Z_HUFFMAN_ONLY", pack_zlib, &stream);
	(void)deflateEnd(&stream);
	return failed;
}

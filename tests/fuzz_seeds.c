/* SPDX-License-Identifier: MIT */
/*
 * Writes the logs that fuzzing of the log reader begins with into a directory:
 *
 *	fuzz_seeds DIRECTORY
 *
 * Each is a small log with one block more, which is odd or wrong: as a log, and
 * as the unpacked blocks that fuzz_log.c makes a log of.
 */
#include <stdio.h>
#include <stdlib.h>

#include "deflate.h"
#include "log.h"
#include "log_maker.h"

static const char *const recipes[] = {
	"[3, 1, 3, 5000, [0, 1, 2, 3, 4], [], [1, 2], [2, 3, 0, 0, 1], [[2, "
	"1]]]",
	"[3, 1, 9, 5000, [-1, -1, -1, -1], [3, 2, 1], [1], [0, 0, 0, 2], []]",
	"[3, 1, 3, 0, [0 * 3000], nil, [1], [2 * 3000], []]",
	"[3, 1, 3, 0, [1 * 1024], [1 * 1024], [1], [0 * 1024], []]",
	"[3, 1, 3, 9223372036854775807, [9223372036854775807, "
	"-9223372036854775808], [], [1], [2, 0], []]",
	"[3, 4194303, 18446744073709551615, -1, [0], [], [16777215], [2], []]",
	"[3, 1, 3, 0, [0], [], [], [1], [[]], 2]",
	"[3, 1, 3, 0, [0, 0, 0], [], [], [1, 1, 0], [[1, 'k'], [1, 'k', 1]]]",
	"[3, 2, 1, 0, [0, 5], [], [1], [2, 0], []]",
	"[1, 5, [['f', 'b.c', 7], ['', '', 0], ['f', 'b.c', 7]]]",
	"[1, 1, [['other', '', 0]]]",
	"[2, 1, 1, -5, 'now a timeline']",
	"[4, [[500000000, 600000000, 0], [1000000000, -5, 0], [0, 0, 0]]]",
	"[4, [[-2305843009213693951, 2305843009211693951, 0],"
	" [-2305843008713693951, 2305843009213693951, 0],"
	" [2305843009213693951, -2305843009213693951, 0]]]",
	"[5, 1, {'dropped_ranges': 18446744073709551615}]",
	"[6, {'log': -9223372036854775808}]",
	"[0, {'format': 'ctprof log', 'reader': 1, 'pid': -1,"
	" 'realtime': -9223372036854775808, 'command': ['a', 'b']}]",
	"[7, [[[[[[]]]]]]]",
};

static bool write_file(const char *directory, const char *kind, size_t number,
	const struct buffer *content)
{
	char path[4096];
	FILE *file;
	bool written;

	(void)snprintf(path, sizeof(path), "%s/%s%zu", directory, kind, number);
	file = fopen(path, "wb");
	if (file == NULL) {
		perror(path);
		return false;
	}
	written =
		fwrite(content->bytes, 1, content->used, file) == content->used;
	return fclose(file) == 0 && written;
}

/* The members of a log unpacked, each after its size. */
static bool unpack_log(const struct buffer *log, struct buffer *blocks)
{
	struct inflater *inflater = inflater_new();
	struct log_maker_span span;
	uint8_t block[65536];
	bool good = inflater != NULL;

	for (size_t i = 0; good && log_maker_find(log, i, &span); i++) {
		const uint8_t *end = log->bytes + span.end;
		size_t size = (size_t)end[-4] | (size_t)end[-3] << 8;

		good = inflater_unpack(inflater,
			log->bytes + span.begin + LOG_HEADER_BYTES,
			span.end - span.begin - LOG_HEADER_BYTES -
				LOG_TRAILER_BYTES,
			block, size);
		buffer_add_byte(blocks, (uint8_t)size);
		buffer_add_byte(blocks, (uint8_t)(size >> 8));
		buffer_add(blocks, block, size);
	}
	inflater_free(inflater);
	return good;
}

int main(int argc, char **argv)
{
	size_t count = sizeof(recipes) / sizeof(recipes[0]);
	bool good = argc == 2;

	for (size_t i = 0; good && i <= count; i++) {
		struct buffer log = BUFFER_INIT;
		struct buffer blocks = BUFFER_INIT;

		log_maker_add_small(&log);
		if (i < count)
			log_maker_add(&log, "%s", recipes[i]);
		log_maker_add(&log, "[6, {'log': 9000}]");
		good = unpack_log(&log, &blocks) &&
		       write_file(argv[1], "log", i, &log) &&
		       write_file(argv[1], "blocks", i, &blocks);
		buffer_clear(&log);
		buffer_clear(&blocks);
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

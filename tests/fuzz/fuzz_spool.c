/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the spool of a dead recorder, from which its log is completed.
 * The input changes a sound spool. Bits of its first byte: the log is
 * not empty (1), the file has another length (2). That
 * length follows in two bytes (little endian), in units of 8. Each change is an
 * offset in three bytes, a number of bytes, 1 to 8, and these bytes.
 *
 * The log is whole and undamaged for any content of the spool.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "fuzz_case.h"
#include "log/log.h"
#include "support/log_maker.h"
#include "log_read/log_read.h"
#include "pack/process.h"
#include "recover/recover.h"

enum { CHUNKS = 4, BYTES = (CHUNKS + 1) * CHUNK_BYTES };
/* A length greater than the header's. */
enum { LENGTH_MAX = BYTES + CHUNK_BYTES };

#define START UINT64_C(1000000)

static char directory[] = "/tmp/fuzz_spool.XXXXXX";
static char log_path[64];
static char spool_path[64];
static uint8_t image[LENGTH_MAX];

static struct spool_header *header_of(void)
{
	return (struct spool_header *)(void *)image;
}

static struct chunk *take_chunk(uint32_t index, uint32_t track, uint64_t base)
{
	struct chunk *chunk =
		(struct chunk *)(void *)(image + (1 + index) * CHUNK_BYTES);

	chunk->track = track;
	chunk->base = base;
	return chunk;
}

/* One record of each kind; the fuzzer changes their words. */
static void put_records(struct chunk *chunk, enum chunk_long first,
	enum chunk_long last, uint64_t number)
{
	uint64_t *at = chunk->words;

	for (enum chunk_long kind = first; kind <= last; kind++, at += 5) {
		at[0] = chunk_long(chunk, kind, 4, 4);
		at[1] = number;
		at[2] = 1;
		at[3] = 2;
		memcpy(at + 4, "text", 4);
	}
}

/* An event with arguments: a text, and a number. */
static void put_args(struct chunk *chunk)
{
	uint32_t at = 0;

	while (chunk->words[at] != 0)
		at += chunk_record_words(chunk, at);
	chunk->words[at + 1] = START + 6000;
	chunk->words[at + 2] = 1;
	chunk->words[at + 4] = chunk_arg(CHUNK_ARG_TEXT, 3, 5);
	memcpy(&chunk->words[at + 6], "keyvalue", 8);
	chunk->words[at + 7] = chunk_arg(CHUNK_ARG_INT, 3, 0);
	chunk->words[at + 8] = 5;
	memcpy(&chunk->words[at + 9], "key", 3);
	chunk->words[at] = chunk_long(chunk, CHUNK_INSTANT, 9, 0);
}

static void put(struct chunk *chunk, uint32_t *at, enum chunk_long kind,
	const uint64_t words[4])
{
	memcpy(chunk->words + *at + 1, words, 4 * sizeof(*words));
	chunk->words[*at] = chunk_long(chunk, kind, 4, 8);
	*at += 5;
}

/* A stream, a block, an instant on both clocks, and an activity. */
static void put_devices(struct chunk *registry, struct chunk *chunk)
{
	/* [13, {'a.b': 5}] */
	static const char block[8] = "\x92\x0d\x81\xa3"
				     "a.b\x05";
	const uint64_t end = UINT64_C(0xf);
	uint64_t words[4] = {LOG_DEVICE_FACTS, sizeof(block)};
	uint32_t at = 0;

	while (registry->words[at] != 0)
		at += chunk_record_words(registry, at);
	put(registry, &at, CHUNK_STREAM,
		(const uint64_t[]){3, LOG_STREAM, 7, UINT64_C(1) << 32});
	memcpy(&words[2], block, sizeof(block));
	put(registry, &at, CHUNK_BLOCK, words);
	at = 0;
	put(chunk, &at, CHUNK_DEVICE_SYNC,
		(const uint64_t[]){START + 1000, 5000, end, end});
	put(chunk, &at, CHUNK_ACTIVITY,
		(const uint64_t[]){6000, 50, UINT64_C(3) << 32 | 1, 9});
}

/* Are there records that the packer does not interpret? */
static bool has_devices(void)
{
	for (uint32_t i = 0; i < CHUNKS; i++) {
		const struct chunk *chunk = (const struct chunk *)(const void
				*)(image + (1 + i) * CHUNK_BYTES);
		uint32_t words;

		for (uint32_t at = 0;
			(words = chunk_record_words(chunk, at)) != 0;
			at += words)
			if (chunk_site(chunk, chunk->words[at]) ==
					CHUNK_ID_LONG &&
				chunk_head(chunk, chunk->words[at]).kind >=
					CHUNK_ACTIVITY)
				return true;
	}
	return false;
}

static void make_image(void)
{
	struct spool_header *header = header_of();
	struct chunk *chunk;

	memset(image, 0, sizeof(image));
	memcpy(header->magic, SPOOL_MAGIC, sizeof(header->magic));
	header->version = SPOOL_VERSION;
	atomic_store(&header->ready, 1);
	atomic_store(&header->chunk_count, CHUNKS);
	header->start = (struct clock_sync){START, 0, 0};
	header->scale = (struct clock_scale){START, UINT64_C(1) << 32};
	spool_describe_process(&header->facts, false);
	header->facts.level = 1;
	chunk = take_chunk(0, 0, 0);
	put_records(chunk, CHUNK_SITE, CHUNK_MODULE_CLOSED, 1);
	put_devices(chunk, take_chunk(3, 4, START));
	chunk = take_chunk(1, 2, START);
	put_records(chunk, CHUNK_BEGIN, CHUNK_ARG_TEXT, START + 5000);
	put_args(chunk);
	chunk = take_chunk(2, 1, START);
	for (uint64_t i = 0; i < 8; i++)
		chunk->words[i] = (UINT64_C(1) << CTP_TICK_BITS) * (i % 2) +
				  START + 1000 * i;
}

static void change_image(struct cursor *input)
{
	uint16_t low;
	uint8_t high;
	uint8_t count;

	while (cursor_le16(input, &low) && cursor_u8(input, &high) &&
		cursor_u8(input, &count)) {
		size_t offset = ((size_t)high << 16 | low) % BYTES;
		size_t size = (size_t)(count & 7) + 1;
		const void *bytes = cursor_bytes(input, size);

		if (bytes != NULL && size <= BYTES - offset)
			memcpy(image + offset, bytes, size);
	}
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	fuzz_require(file != NULL);
	fuzz_require(fwrite(bytes, 1, size, file) == size);
	fuzz_require(fclose(file) == 0);
}

static void make_log(bool begun)
{
	struct buffer small = BUFFER_INIT;
	struct log_maker_span end = {0, 0};
	struct spool_header *header = header_of();
	struct stat found;

	log_maker_add_small(&small);
	if (begun)
		fuzz_require(log_maker_find(&small, 12, &end));
	write_file(log_path, small.bytes, end.begin);
	header->commits[0].log = (struct spool_extent){end.begin, 26, 2040};
	header->commits[0].chunk = SPOOL_NO_CHUNK;
	fuzz_require(stat(log_path, &found) == 0);
	header->log_device = found.st_dev;
	header->log_inode = found.st_ino;
	buffer_clear(&small);
}

/* A spool names any file that its user can write: only the user's own spools
 * are completed. */
static void name_log(void)
{
	struct spool_header *header = header_of();

	(void)snprintf(
		header->log_path, sizeof(header->log_path), "%s", log_path);
}

static void check_log(const char *path)
{
	FILE *file = fopen(path, "rb");
	enum ctp_status status = CTP_OK;
	struct event_source *source;
	struct fuzz_source limited;
	struct event event;
	struct stat found;

	fuzz_require(file != NULL && fstat(fileno(file), &found) == 0);
	fuzz_require(
		log_read_open(file, NULL, 0, NULL, &source, NULL) == CTP_OK);
	fuzz_source_init(&limited, source);
	while (found.st_size > 0 && status == CTP_OK)
		status = limited.source.next(&limited.source, &event, NULL);
	fuzz_require(status == CTP_OK || status == CTP_END);
	fuzz_require(source->trace->losses[LOSS_DAMAGED_BLOCKS] == 0 ||
		     has_devices());
	fuzz_require(source->trace->losses[LOSS_SKIPPED_BYTES] == 0);
	fuzz_require(limited.left == 0 ||
		     source->trace->losses[LOSS_TRUNCATED] == 0);
	source->close(source);
	(void)fclose(file);
}

static void recover(void)
{
	static struct spool_file spool;
	const struct recover_options options = {NULL, NULL};
	struct recover_result result;

	if (spool_file_open(&spool, spool_path, NULL) != CTP_OK)
		return;
	fuzz_require(!spool.busy);
	if (recover_spool(&spool, &options, &result, NULL) == CTP_OK) {
		fuzz_require(access(spool_path, F_OK) != 0);
		/* If the log is not the spool's, a second log beside it. */
		fuzz_require(
			result.log[0] == '\0' ||
			strncmp(result.log, log_path, strlen(log_path)) == 0);
		if (result.log[0] != '\0')
			check_log(result.log);
	}
	spool_file_close(&spool);
}

/* A log begun beside the other stays if completing it fails. */
static void empty_directory(void)
{
	DIR *files = opendir(directory);
	struct dirent *file;

	fuzz_require(files != NULL);
	while ((file = readdir(files)) != NULL)
		(void)unlinkat(dirfd(files), file->d_name, 0);
	(void)closedir(files);
}

static void clean_up(void)
{
	(void)rmdir(directory);
}

static void start(void)
{
	static bool started;

	if (started)
		return;
	started = true;
	fuzz_require(mkdtemp(directory) != NULL);
	fuzz_require(atexit(clean_up) == 0);
	(void)snprintf(log_path, sizeof(log_path), "%s/log", directory);
	(void)snprintf(spool_path, sizeof(spool_path), "%s/spool", directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct cursor input;
	uint8_t kind = 0;
	uint16_t units = 0;
	size_t length = BYTES;

	start();
	cursor_init(&input, bytes, size);
	(void)cursor_u8(&input, &kind);
	if ((kind & 2) != 0 && cursor_le16(&input, &units))
		length = (size_t)units * 8 % (LENGTH_MAX + 1);
	make_image();
	make_log((kind & 1) != 0);
	change_image(&input);
	name_log();
	write_file(spool_path, image, length);
	recover();
	empty_directory();
	return 0;
}

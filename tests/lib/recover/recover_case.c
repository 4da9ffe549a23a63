/* SPDX-License-Identifier: MIT */
#include "recover_case.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pack/pack.h"
#include "pack/process.h"
#include "support/quick_check.h"

static uint32_t used_words(const struct chunk *chunk)
{
	uint32_t used = chunk->consumed;

	while (used < CHUNK_WORDS && chunk->words[used] != 0)
		used++;
	return used;
}

/* A registry record: three numbers and a text of up to eight bytes. */
static void put_text(struct hand *hand, enum chunk_long kind,
	const uint64_t numbers[3], const char *text)
{
	struct chunk *chunk = hand->registry;
	uint64_t *at = chunk->words + hand->registry_used;

	hand->registry_used += 5;
	memcpy(at + 1, numbers, 3 * sizeof(*numbers));
	memcpy(at + 4, text, strlen(text));
	at[0] = chunk_long(chunk, kind, 4, strlen(text));
}

static int open_log(struct spool_header *header)
{
	char *directory = realpath(record_case_directory, NULL);
	struct stat file;
	int fd = open(
		record_case_path, O_RDWR | O_CREAT | O_CLOEXEC | O_TRUNC, 0666);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &file), 0);
	header->log_device = file.st_dev;
	header->log_inode = file.st_ino;
	ck_assert_ptr_nonnull(directory);
	(void)snprintf(header->log_path, sizeof(header->log_path), "%s/run.ctp",
		directory);
	free(directory);
	return fd;
}

void hand_open(struct hand *hand, uint32_t chunks)
{
	struct spool_header *header;
	struct clock_scale scale;

	*hand = (struct hand){0};
	ck_assert_int_eq(spool_open(&hand->spool, record_case_directory, chunks,
				 chunks, NULL, NULL),
		CTP_OK);
	header = hand->spool.header;
	header->start = clock_sync_now(false);
	hand->start = header->start.ticks;
	scale = (struct clock_scale){hand->start, UINT64_C(1) << 32};
	spool_describe_process(&header->facts, false);
	header->facts.level = 1;
	hand->writer = log_writer_new(open_log(header), 1);
	hand->packer = packer_new(hand->writer, scale, 0);
	ck_assert_ptr_nonnull(hand->packer);
	hand->registry = hand_take(hand, 0, 0);
	hand->registry->base = 0;
	put_text(hand, CHUNK_SITE, (uint64_t[]){1, 0, 5}, "inner");
	put_text(hand, CHUNK_TRACK, (uint64_t[]){1, 0, 11}, "one");
	put_text(hand, CHUNK_TRACK, (uint64_t[]){2, 0, 12}, "two");
	header->scale = scale;
	atomic_store(&header->ready, 1);
}

void hand_begin_log(struct hand *hand)
{
	const struct spool_header *header = hand->spool.header;
	uint32_t consumed = hand->registry->consumed;

	ck_assert_int_eq(
		log_frame_header(hand->writer, header, hand->spool.path, NULL),
		CTP_OK);
	ck_assert_int_eq(log_frame_sync(hand->writer, &header->scale,
				 &header->start, NULL),
		CTP_OK);
	ck_assert_int_eq(packer_write_registry(
				 hand->packer, hand->registry, &consumed, NULL),
		CTP_OK);
	hand_commit(hand, hand->registry, consumed);
}

struct chunk *hand_take(struct hand *hand, uint32_t track, uint64_t seq)
{
	struct chunk *chunk = spool_pop_free(&hand->spool);

	ck_assert_ptr_nonnull(chunk);
	chunk->track = track;
	chunk->seq = seq;
	chunk->base = hand->start;
	return chunk;
}

void hand_ranges(
	struct hand *hand, struct chunk *chunk, uint32_t count, int64_t at_ns)
{
	uint64_t *at = chunk->words + used_words(chunk);
	uint64_t ticks = hand->start + (uint64_t)at_ns;

	for (uint32_t i = 0; i < count; i++) {
		*at++ = (UINT64_C(1) << CTP_TICK_BITS) + ticks;
		*at++ = ticks + 1000;
		ticks += 2000;
	}
}

uint32_t hand_write(struct hand *hand, struct chunk *chunk)
{
	const struct chunk_losses losses = chunk_losses(chunk);
	uint32_t consumed = chunk->consumed;

	ck_assert_int_eq(
		packer_read_events(hand->packer, chunk, &consumed, NULL),
		CTP_OK);
	ck_assert_int_eq(
		packer_write_events(hand->packer, &losses, NULL), CTP_OK);
	return consumed;
}

void hand_commit(struct hand *hand, struct chunk *chunk, uint32_t consumed)
{
	spool_commit(&hand->spool, chunk, consumed,
		(struct spool_extent){log_writer_bytes(hand->writer),
			packer_event_count(hand->packer),
			packer_newest_ns(hand->packer)});
}

void hand_pack(struct hand *hand, struct chunk *chunk)
{
	hand_commit(hand, chunk, hand_write(hand, chunk));
}

void hand_end_log(struct hand *hand)
{
	struct log_frame_totals totals = {.events = 1};

	ck_assert_int_eq(log_frame_end(hand->writer, &totals, NULL), CTP_OK);
	hand_commit(hand, NULL, 0);
}

void hand_die(struct hand *hand)
{
	spool_leave(&hand->spool);
	packer_free(hand->packer);
	log_writer_free(hand->writer);
}

const char *hand_spool(void)
{
	static char path[SPOOL_PATH_BYTES];
	char pattern[128];
	glob_t found;

	(void)snprintf(
		pattern, sizeof(pattern), "%s/*.spool", record_case_directory);
	path[0] = '\0';
	if (glob(pattern, 0, NULL, &found) != 0)
		return path;
	ck_assert_uint_eq(found.gl_pathc, 1);
	(void)snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
	globfree(&found);
	return path;
}

enum ctp_status hand_recover(const char *log, struct recover_result *result)
{
	static struct spool_file spool;
	const struct recover_options options = {log, NULL};
	struct recover_result ignored;
	enum ctp_status status;

	ck_assert_int_eq(spool_file_open(&spool, hand_spool(), NULL), CTP_OK);
	ck_assert(!spool.busy);
	status = recover_spool(
		&spool, &options, result == NULL ? &ignored : result, NULL);
	spool_file_close(&spool);
	ck_assert_int_eq(hand_spool()[0] == '\0', status == CTP_OK);
	return status;
}

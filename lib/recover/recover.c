/* SPDX-License-Identifier: MIT */
#include "recover/recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pack/chunk.h"
#include "pack/pack.h"
#include "pack/process.h"
#include "recover/recover_log.h"

/* Minimum time for measuring the clock's scale. */
#define SCALE_NS INT64_C(10000000)

/* A chunk that is not empty. */
struct entry {
	uint32_t track;
	uint32_t index;
	uint64_t seq;
	bool is_first;  /* no earlier chunk of its track is in the log */
	bool is_device; /* device activities: written after their causes */
};

struct recovery {
	struct spool_file *spool;
	struct recover_log log;
	struct clock_scale scale;
	bool same_boot;
	struct log_writer *writer; /* has the log's descriptor */
	struct packer *packer;
	struct chunk *chunk;
	struct entry *entries;
	uint32_t count;
	struct packer_lost lost; /* in the log as it was */
};

static bool is_same_boot(const struct spool_header *header)
{
	char boot_id[sizeof(header->facts.boot_id)];

	process_boot_id(boot_id, sizeof(boot_id));
	return boot_id[0] != '\0' &&
	       strcmp(boot_id, header->facts.boot_id) == 0;
}

/* Finds the length of a tick; measured now if the recorder died before
 * measuring. */
static enum ctp_status find_scale(
	struct recovery *recovery, struct ctp_error *err)
{
	const struct spool_header *header = &recovery->spool->header;
	struct clock_sync now;
	int64_t elapsed;

	recovery->scale = (struct clock_scale){
		header->start.ticks, header->scale.ns_per_tick};
	if (header->clock != SPOOL_CLOCK_TSC)
		recovery->scale.ns_per_tick = UINT64_C(1) << 32;
	if (recovery->scale.ns_per_tick != 0)
		return CTP_OK;
	if (!recovery->same_boot)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"was recorded before the machine was restarted, and "
			"its clock rate was not measured: its times mean "
			"nothing");
	now = clock_sync_now(true);
	elapsed = (int64_t)((uint64_t)now.raw_ns -
			    (uint64_t)header->start.raw_ns);
	if (elapsed >= 0 && elapsed < SCALE_NS) {
		struct timespec rest = {0, SCALE_NS - elapsed};

		(void)nanosleep(&rest, NULL);
		now = clock_sync_now(true);
	}
	recovery->scale = clock_scale_between(&header->start, &now, true);
	return CTP_OK;
}

static int compare(const void *left, const void *right)
{
	const struct entry *a = left;
	const struct entry *b = right;

	if (a->is_device != b->is_device)
		return a->is_device ? 1 : -1;
	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

static bool is_device(const struct chunk *chunk)
{
	uint64_t word = chunk->words[chunk->consumed];

	return chunk_site(chunk, word) == CHUNK_ID_LONG &&
	       chunk_is_device(chunk_head(chunk, word).kind);
}

/* Lists the chunks that are not empty, in packing order: sites and tracks (0)
 * first. They may be in any list of the recorder or between two lists, so all
 * chunks are examined. */
static enum ctp_status list_chunks(
	struct recovery *recovery, struct ctp_error *err)
{
	uint32_t chunks = atomic_load(&recovery->spool->header.chunk_count);

	recovery->entries = calloc(chunks, sizeof(*recovery->entries));
	if (recovery->entries == NULL)
		return ctp_no_memory(err);
	for (uint32_t i = 0; i < chunks; i++) {
		const struct chunk *chunk = recovery->chunk;
		enum ctp_status status = spool_file_chunk(
			recovery->spool, i, recovery->chunk, err);

		if (status != CTP_OK)
			return status;
		if (spool_file_has_news(chunk))
			recovery->entries[recovery->count++] =
				(struct entry){chunk->track, i, chunk->seq,
					chunk->seq == 0 && chunk->consumed == 0,
					is_device(chunk)};
	}
	qsort(recovery->entries, recovery->count, sizeof(struct entry),
		compare);
	return CTP_OK;
}

/* The log's block for losses after it could not be written; false if it is
 * missing. Another file may have its name by now. */
static bool has_unwritten(const struct recovery *recovery)
{
	static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;
	uint64_t at = recovery->spool->header.unwritten_at;
	uint8_t head[LOG_HEADER_BYTES];

	return at != 0 && at < recovery->log.bytes &&
	       pread(recovery->log.fd, head, sizeof(head), (off_t)at) ==
		       (ssize_t)sizeof(head) &&
	       memcmp(head, magic, sizeof(magic)) == 0 &&
	       head[LOG_MAGIC_BYTES + 4] == LOG_TRACE_LOSSES;
}

static void set_unwritten(
	struct recovery *recovery, const struct packer_lost *lost)
{
	if (has_unwritten(recovery))
		(void)log_frame_set_unwritten(recovery->writer,
			recovery->spool->header.unwritten_at, lost);
}

/* Lost and kept events have to add up if the log cannot be completed now. It
 * may be completed later. */
static void give_up(struct recovery *recovery)
{
	const struct spool_header *header = &recovery->spool->header;
	struct packer_lost lost = {
		header->unwritten_ranges, header->unwritten_events};
	struct spool_left left = {0};

	for (uint32_t i = 0; i < recovery->count; i++)
		if (recovery->entries[i].track != 0 &&
			spool_file_chunk(recovery->spool,
				recovery->entries[i].index, recovery->chunk,
				NULL) == CTP_OK)
			spool_add_left(recovery->chunk, &left);
	log_writer_cut(
		recovery->writer, recovery->log.bytes, recovery->log.blocks);
	lost.ranges += left.ranges;
	lost.events += left.others;
	set_unwritten(recovery, &lost);
}

/* The number of blocks that a truncated log lost is unknown; readers notice
 * gaps in the numbering. */
static enum ctp_status mark_gaps(
	struct recovery *recovery, struct ctp_error *err)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < recovery->count; i++) {
		const struct entry *entry = &recovery->entries[i];
		bool is_new = entry->track != last;

		last = entry->track;
		if (is_new && !entry->is_first &&
			entry->track < LOG_TRACKS_MAX &&
			!packer_resume_gap(recovery->packer, entry->track))
			return ctp_no_memory(err);
	}
	return CTP_OK;
}

static enum ctp_status write_sync(struct recovery *recovery,
	const struct clock_sync *sync, struct ctp_error *err)
{
	return log_frame_sync(recovery->writer, &recovery->scale, sync, err);
}

static enum ctp_status begin(struct recovery *recovery, struct ctp_error *err)
{
	struct spool_header *header = &recovery->spool->header;
	enum ctp_status status;

	if (recovery->log.bytes > 0)
		return CTP_OK;
	header->scale = recovery->scale;
	status = log_frame_header(
		recovery->writer, header, recovery->spool->path, err);
	return status == CTP_OK ? write_sync(recovery, &header->start, err)
				: status;
}

/* Counts the words after a complete but invalid record. A record that the
 * thread was writing when it died begins with 0. */
static uint32_t unreadable(const struct chunk *chunk, uint32_t at)
{
	uint32_t end = CHUNK_WORDS;

	if (at >= CHUNK_WORDS || chunk->words[at] == 0)
		return 0;
	while (chunk->words[end - 1] == 0)
		end--;
	return end - at;
}

static enum ctp_status pack_chunk(
	struct packer *packer, const struct chunk *chunk, struct ctp_error *err)
{
	const struct chunk_losses losses = chunk_losses(chunk);
	uint32_t consumed = chunk->consumed;
	enum ctp_status status;

	if (chunk->track == 0)
		return packer_write_registry(packer, chunk, &consumed, err);
	status = packer_read_events(packer, chunk, &consumed, err);
	if (status != CTP_OK)
		return status;
	packer_count_lost(packer, unreadable(chunk, consumed));
	return packer_write_events(packer, &losses, err);
}

static enum ctp_status pack(struct recovery *recovery, struct ctp_error *err)
{
	struct packer *packer = recovery->packer;
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; status == CTP_OK && i < recovery->count; i++) {
		status = spool_file_chunk(recovery->spool,
			recovery->entries[i].index, recovery->chunk, err);
		if (status == CTP_OK)
			status = pack_chunk(packer, recovery->chunk, err);
	}
	if (status == CTP_OK && recovery->spool->header.earlier_events > 0)
		status = packer_write_earlier(
			packer, recovery->spool->header.earlier_events, err);
	return status == CTP_OK ? packer_finish(packer, err) : status;
}

static uint64_t less(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/* Threads count what they drop once the log cannot be written. Threads that
 * had ended have left their counts in the chunks. */
static enum ctp_status write_unwritten(
	struct recovery *recovery, struct ctp_error *err)
{
	const struct spool_header *header = &recovery->spool->header;
	const struct packer_lost now = packer_lost(recovery->packer);
	const struct packer_lost rest = {
		less(header->unwritten_ranges,
			now.ranges - recovery->lost.ranges),
		less(header->unwritten_events,
			now.events - recovery->lost.events)};

	if (rest.ranges == 0 && rest.events == 0)
		return CTP_OK;
	return log_frame_unwritten(recovery->writer, &rest, err);
}

static enum ctp_status end(struct recovery *recovery,
	const struct clock_sync *death, struct ctp_error *err)
{
	const char *error = recovery->spool->header.error;
	struct log_frame_totals totals = {
		.log_ns = packer_newest_ns(recovery->packer),
		.events = packer_event_count(recovery->packer),
		.unrecorded = recovery->spool->header.unrecorded,
		.recovered = true,
		.stopped = error[0] != '\0' ? error : NULL,
	};

	/* Ranges that were open when recording stopped end there. */
	if (totals.stopped == NULL && death != NULL && recovery->same_boot) {
		int64_t death_ns = clock_ns(&recovery->scale, death->ticks);

		if (death_ns > totals.log_ns)
			totals.log_ns = death_ns;
	}
	return log_frame_end(recovery->writer, &totals, err);
}

/* Truncates the log to the size in the journal; the writer continues from
 * there. */
static enum ctp_status resume(struct recovery *recovery, struct ctp_error *err)
{
	const struct recover_log *log = &recovery->log;

	if (ftruncate(log->fd, (off_t)log->bytes) != 0 ||
		lseek(log->fd, (off_t)log->bytes, SEEK_SET) < 0)
		return ctp_fail_at(
			err, CTP_ERR_IO, log->bytes, "cannot truncate the log");
	log_writer_resume(recovery->writer, log->bytes, log->blocks);
	return CTP_OK;
}

/* Writes everything that is not in the log yet. `death` is NULL if unknown. */
static enum ctp_status complete(struct recovery *recovery,
	const struct clock_sync *death, struct ctp_error *err)
{
	struct clock_sync now = death != NULL ? *death : clock_sync_now(true);
	enum ctp_status status = list_chunks(recovery, err);

	if (recovery->spool->header.clock == SPOOL_CLOCK_SYSTEM)
		now.ticks = (uint64_t)now.raw_ns;
	if (status == CTP_OK && recovery->log.is_cut) {
		status = mark_gaps(recovery, err);
		if (status == CTP_OK)
			status = spool_file_set_extent(
				recovery->spool, recovery->log.bytes, err);
	}
	if (status == CTP_OK)
		status = resume(recovery, err);
	if (status == CTP_OK)
		status = begin(recovery, err);
	if (status == CTP_OK && recovery->same_boot)
		status = write_sync(recovery, &now, err);
	if (status == CTP_OK)
		status = pack(recovery, err);
	if (status == CTP_OK)
		status = write_unwritten(recovery, err);
	if (status == CTP_OK)
		status = end(recovery, death == NULL ? NULL : &now, err);
	return status;
}

/* Recovers with an open log and writer. */
static enum ctp_status recover(struct recovery *recovery,
	const struct clock_sync *death, struct recover_result *result,
	struct ctp_error *err)
{
	struct spool_extent extent = spool_file_extent(recovery->spool);
	struct recover_log *log = &recovery->log;
	enum ctp_status status;

	recovery->chunk = malloc(sizeof(*recovery->chunk));
	recovery->packer = packer_new(recovery->writer, recovery->scale,
		recovery->spool->header.facts.min_ns);
	if (recovery->chunk == NULL || recovery->packer == NULL)
		return ctp_no_memory(err);
	packer_resume(recovery->packer, extent.events, extent.newest_ns);
	status = recover_log_scan(log, extent.bytes, recovery->packer, err);
	if (status != CTP_OK)
		return status;
	recovery->lost = packer_lost(recovery->packer);
	result->was_complete = log->has_end && !log->is_cut;
	if (!result->was_complete) {
		status = complete(
			recovery, recovery->same_boot ? death : NULL, err);
		if (status == CTP_OK)
			set_unwritten(recovery, &(struct packer_lost){0});
		else
			give_up(recovery);
		result->blocks =
			log_writer_blocks(recovery->writer) - log->blocks;
	}
	result->events = packer_event_count(recovery->packer) - extent.events;
	result->is_cut = log->is_cut;
	(void)snprintf(result->log, sizeof(result->log), "%s", log->path);
	return status;
}

enum ctp_status recover_spool(struct spool_file *spool,
	const struct recover_options *options, struct recover_result *result,
	struct ctp_error *err)
{
	struct recovery recovery = {.spool = spool};
	enum ctp_status status;

	*result = (struct recover_result){0};
	if (!spool->ready)
		return spool_file_remove(spool, err);
	/* A counter of events is not a clock that continued. */
	recovery.same_boot = is_same_boot(&spool->header) &&
			     spool->header.clock != SPOOL_CLOCK_EVENTS;
	status = find_scale(&recovery, err);
	if (status == CTP_OK)
		status = recover_log_open(
			&recovery.log, spool, options->log, err);
	if (status != CTP_OK)
		return status;
	recovery.writer =
		log_writer_new(recovery.log.fd, (int)spool->header.facts.level);
	if (recovery.writer == NULL) {
		recover_log_close(&recovery.log);
		return ctp_no_memory(err);
	}
	status = recover(&recovery, options->death, result, err);
	free(recovery.entries);
	free(recovery.chunk);
	packer_free(recovery.packer);
	log_writer_free(recovery.writer);
	return status == CTP_OK ? spool_file_remove(spool, err) : status;
}

/* SPDX-License-Identifier: MIT */
/*
 * One chunk gives one event block for the thread's measured events, and one
 * for its timeline where it has events with times of the program's own.
 */
#include "pack/pack.h"

#include <stdlib.h>
#include <string.h>

#include "pack/pack_private.h"
#include "pack/pack_row.h"

struct packer *packer_new(
	struct log_writer *writer, struct clock_scale scale, uint64_t min_ns)
{
	struct packer *packer = calloc(1, sizeof(*packer));

	if (packer == NULL)
		return NULL;
	packer->writer = writer;
	packer->scale = scale;
	packer->min_ns = min_ns > INT64_MAX ? INT64_MAX : (int64_t)min_ns;
	return packer;
}

void packer_free(struct packer *packer)
{
	if (packer == NULL)
		return;
	for (uint32_t i = 0; i < packer->track_room; i++) {
		if (packer->tracks[i] != NULL)
			free(packer->tracks[i]->open);
		free(packer->tracks[i]);
	}
	free(packer->tracks);
	log_column_sites_clear(&packer->sites);
	log_column_clear(&packer->measured);
	log_column_clear(&packer->timeline);
	buffer_clear(&packer->bytes);
	free(packer);
}

uint64_t packer_event_count(const struct packer *packer)
{
	return packer->event_count;
}

int64_t packer_newest_ns(const struct packer *packer)
{
	return packer->newest_ns;
}

const uint32_t *packer_open_ranges(
	const struct packer *packer, uint32_t track, uint32_t *depth)
{
	const struct pack_track *found =
		track < packer->track_room ? packer->tracks[track] : NULL;

	*depth = found == NULL ? 0 : found->depth;
	return found == NULL ? NULL : found->open;
}

enum ctp_status packer_no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

struct pack_track *packer_find_track(struct packer *packer, uint32_t number)
{
	uint32_t room = packer->track_room == 0 ? 16 : packer->track_room;
	struct pack_track **tracks;

	while (room <= number)
		room *= 2;
	if (room > packer->track_room) {
		tracks = realloc(packer->tracks, room * sizeof(*tracks));
		if (tracks == NULL)
			return NULL;
		memset(tracks + packer->track_room, 0,
			(room - packer->track_room) * sizeof(*tracks));
		packer->tracks = tracks;
		packer->track_room = room;
	}
	if (packer->tracks[number] == NULL)
		packer->tracks[number] = calloc(1, sizeof(struct pack_track));
	return packer->tracks[number];
}

static void add_begin(struct log_column *column, struct pack_track *track,
	uint32_t site, int64_t time_ns)
{
	if (track->depth < LOG_OPEN_MAX)
		track->open[track->depth] = site;
	track->depth++;
	log_column_add(column, site + LOG_COLUMN_SITES, time_ns);
}

static void add_end(struct log_column *column, struct pack_track *track,
	int64_t time_ns, int64_t min_ns)
{
	uint32_t last = column->count - 1;

	if (track->depth > 0)
		track->depth--;
	if (min_ns > 0 && column->count > 0 &&
		column->ids[last] > LOG_COLUMN_EXTRA &&
		(int64_t)((uint64_t)time_ns - (uint64_t)column->times[last]) <
			min_ns) {
		column->count--;
		track->short_ranges++;
		track->losses_changed = true;
		return;
	}
	log_column_add(column, LOG_COLUMN_END, time_ns);
}

/* A range with the program's own time, for the thread's timeline. */
static bool add_timeline(
	struct packer *packer, enum chunk_long kind, const uint64_t *record)
{
	struct log_column *column = &packer->timeline;
	struct pack_track *track;
	int64_t time_ns = (int64_t)record[1];

	/* All that is in a chunk is of one thread, which has one timeline. */
	if (record[2] >= LOG_SITES_MAX || record[3] >= LOG_TRACKS_MAX ||
		(column->count > 0 && record[3] != column->track)) {
		packer->lost_words++;
		return true;
	}
	track = packer_find_track(packer, (uint32_t)record[3]);
	if (track == NULL || !pack_track_widen(track))
		return false;
	if (column->count == 0)
		pack_column_start(column, (uint32_t)record[3], track);
	if (kind == CHUNK_BEGIN_AT)
		add_begin(column, track, (uint32_t)record[2], time_ns);
	else
		add_end(column, track, time_ns, 0);
	return true;
}

/* Sorts one long record into its column; false if out of memory. */
static bool add_long(struct packer *packer, struct pack_track *track,
	struct chunk_head head, const uint64_t *record)
{
	int64_t time_ns;

	if (head.words < pack_row_least_words(head.kind)) {
		packer->lost_words++;
		return true;
	}
	if (head.kind == CHUNK_BEGIN_AT || head.kind == CHUNK_END_AT)
		return add_timeline(packer, head.kind, record);
	if (pack_device_is(head.kind)) {
		pack_device_add(&packer->device, &packer->scale, head, record);
		return true;
	}
	time_ns = clock_ns(&packer->scale, record[1]);
	if (head.kind != CHUNK_BEGIN)
		pack_row_add(&packer->measured, head, record, time_ns);
	else if (record[2] < LOG_SITES_MAX)
		add_begin(
			&packer->measured, track, (uint32_t)record[2], time_ns);
	else
		packer->lost_words++;
	return true;
}

/*
 * Reads short records from words[at] on, up to one that is none. This is where
 * the background thread spends its time: all state is in local variables, and
 * there is no branch on whether a range begins or ends, which is as good as
 * random. Returns the word after the last one.
 */
static uint32_t read_short(struct packer *packer, struct pack_track *track,
	const struct chunk *chunk, uint32_t at)
{
	const struct clock_scale scale = packer->scale;
	const uint64_t origin = chunk_origin(&packer->copy);
	struct log_column *column = &packer->measured;
	uint32_t *ids = column->ids;
	int64_t *times = column->times;
	uint32_t count = column->count;
	uint32_t depth = track->depth;

	for (; at < CHUNK_WORDS; at++) {
		uint64_t word =
			__atomic_load_n(&chunk->words[at], __ATOMIC_ACQUIRE);
		uint64_t from = word - origin;
		uint32_t id = (uint32_t)(from >> CTP_TICK_BITS);
		uint32_t begins = id != 0;

		if (word == 0 || id == CHUNK_ID_LONG)
			break;
		track->open[depth < LOG_OPEN_MAX ? depth : LOG_OPEN_MAX] = id;
		depth = depth + begins - ((depth > 0) & !begins);
		ids[count] = id + begins * LOG_COLUMN_SITES;
		times[count++] =
			clock_ns(&scale, origin + (from & CHUNK_TICK_MASK));
	}
	column->count = count;
	track->depth = depth;
	return at;
}

/* The same where short ranges are left out. */
static uint32_t read_short_filtered(struct packer *packer,
	struct pack_track *track, const struct chunk *chunk, uint32_t at)
{
	const uint64_t origin = chunk_origin(&packer->copy);
	struct log_column *column = &packer->measured;

	for (; at < CHUNK_WORDS; at++) {
		uint64_t word =
			__atomic_load_n(&chunk->words[at], __ATOMIC_ACQUIRE);
		uint64_t from = word - origin;
		uint32_t id = (uint32_t)(from >> CTP_TICK_BITS);
		int64_t time_ns;

		if (word == 0 || id == CHUNK_ID_LONG)
			break;
		time_ns = clock_ns(
			&packer->scale, origin + (from & CHUNK_TICK_MASK));
		if (id != 0)
			add_begin(column, track, id, time_ns);
		else
			add_end(column, track, time_ns, packer->min_ns);
	}
	return at;
}

/* Reads records from words[at] on into the columns. Returns the word after
 * the last one; UINT32_MAX if out of memory. */
static uint32_t read_records(struct packer *packer, struct pack_track *track,
	const struct chunk *chunk, uint32_t at)
{
	struct chunk *copy = &packer->copy;

	for (;;) {
		struct chunk_head head;
		uint64_t word;

		at = packer->min_ns > 0
			     ? read_short_filtered(packer, track, chunk, at)
			     : read_short(packer, track, chunk, at);
		if (at >= CHUNK_WORDS)
			return at;
		word = __atomic_load_n(&chunk->words[at], __ATOMIC_ACQUIRE);
		if (word == 0)
			return at;
		/* A short one may have come since that was looked at. */
		if (chunk_site(copy, word) != CHUNK_ID_LONG)
			continue;
		head = chunk_head(copy, word);
		if (head.words >= CHUNK_WORDS - at)
			return at;
		memcpy(copy->words + 1, &chunk->words[at + 1],
			head.words * sizeof(copy->words[0]));
		if (!add_long(packer, track, head, copy->words))
			return UINT32_MAX;
		at += 1 + head.words;
	}
}

static enum ctp_status write_column(
	struct packer *packer, struct log_column *column, struct ctp_error *err)
{
	struct pack_track *track;
	enum ctp_status status;

	if (column->count == 0)
		return CTP_OK;
	track = packer_find_track(packer, column->track);
	column->seq = track->blocks++;
	status = log_column_write(
		column, &packer->sites, &packer->bytes, packer->writer, err);
	if (status == CTP_OK)
		packer->event_count += column->count;
	return status;
}

enum ctp_status packer_read_events(struct packer *packer,
	const struct chunk *chunk, uint32_t *consumed, struct ctp_error *err)
{
	struct log_column *measured = &packer->measured;
	struct chunk *copy = &packer->copy;
	struct pack_track *track;
	uint32_t end;

	copy->track = chunk->track;
	copy->base = chunk->base;
	packer->lost_words = 0;
	measured->count = 0;
	packer->timeline.count = 0;
	packer->device.activities.count = 0;
	packer->device.sync_count = 0;
	if (copy->track >= LOG_TRACKS_MAX) { /* no such thread: all lost */
		for (; *consumed < CHUNK_WORDS; ++*consumed)
			packer->lost_words += chunk->words[*consumed] != 0;
		return CTP_OK;
	}
	track = packer_find_track(packer, copy->track);
	if (track == NULL || !pack_track_widen(track))
		return packer_no_memory(err);
	pack_column_start(measured, copy->track, track);
	end = read_records(packer, track, chunk, *consumed);
	if (end == UINT32_MAX)
		return packer_no_memory(err);
	pack_track_narrow(track);
	if (packer->timeline.count > 0)
		pack_track_narrow(packer->tracks[packer->timeline.track]);
	if (measured->count > 0 &&
		measured->times[measured->count - 1] > packer->newest_ns)
		packer->newest_ns = measured->times[measured->count - 1];
	*consumed = end;
	return CTP_OK;
}

static enum ctp_status write_device(
	struct packer *packer, struct ctp_error *err)
{
	enum ctp_status status = pack_device_write_syncs(
		&packer->device, &packer->bytes, packer->writer, err);

	if (status == CTP_OK)
		status = log_activities_write(&packer->device.activities,
			&packer->bytes, packer->writer, err);
	if (status == CTP_OK)
		packer->event_count += packer->device.activities.count;
	return status;
}

enum ctp_status packer_write_events(struct packer *packer,
	const struct chunk_losses *losses, struct ctp_error *err)
{
	enum ctp_status status = write_column(packer, &packer->measured, err);

	if (status == CTP_OK)
		status = write_column(packer, &packer->timeline, err);
	if (status == CTP_OK)
		status = write_device(packer, err);
	if (status == CTP_OK)
		status = packer_note_lost(packer, err);
	if (status == CTP_OK)
		status = packer_losses(packer, packer->copy.track, losses, err);
	return status;
}

enum ctp_status packer_write(
	struct packer *packer, enum log_block kind, struct ctp_error *err)
{
	if (packer->bytes.failed)
		return packer_no_memory(err);
	return log_writer_add(packer->writer, kind,
		&(struct deflate_part){
			packer->bytes.bytes, packer->bytes.used, false},
		1, err);
}

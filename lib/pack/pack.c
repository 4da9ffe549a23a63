/* SPDX-License-Identifier: MIT */
/*
 * A chunk becomes an event block for the thread's measured events, and another
 * for its timeline if it has events with the program's own times.
 */
#include "pack/pack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log_activities.h"
#include "log/log_column.h"
#include "log/log_block.h"
#include "pack/pack_record.h"
#include "pack/options.h"

/* ---- the frame of a log ---- */

static void add_command(msgpack_packer *out, const struct spool_facts *facts)
{
	const char *at = facts->command;
	size_t left = facts->command_bytes < sizeof(facts->command)
			      ? facts->command_bytes
			      : sizeof(facts->command);
	size_t count = 0;

	for (size_t i = 0; i < left; i++)
		count += at[i] == '\0';
	(void)msgpack_pack_array(out, count);
	for (; count > 0; count--) {
		size_t size = strlen(at);

		msgpack_out_text(out, at, size);
		at += size + 1;
	}
}

/* Ticks per second, from the fixed-point nanoseconds per tick. */
static uint64_t hertz(const struct clock_scale *scale)
{
	uint64_t per_tick = scale->ns_per_tick;

	/* 1e9 × 2^32 fits 62 bits. */
	return per_tick == 0 ? 0
			     : ((UINT64_C(1000000000) << 32) + per_tick / 2) /
				       per_tick;
}

/* Writes the block and frees it. */
static enum ctp_status write_block(struct log_writer *writer,
	enum log_block kind, struct buffer *bytes, struct ctp_error *err)
{
	enum ctp_status status = log_block_write(writer, kind, bytes, err);

	buffer_clear(bytes);
	return status;
}

enum ctp_status log_frame_header(struct log_writer *writer,
	const struct spool_header *spool, const char *spool_path,
	struct ctp_error *err)
{
	const struct spool_facts *facts = &spool->facts;
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = log_block_begin(&bytes, LOG_HEADER, 2);
	static const char *const clocks[SPOOL_CLOCKS] = {
		"monotonic_raw", "tsc", "events"};

	(void)msgpack_pack_map(
		&out, (size_t)14 + (spool->range_ps != 0) + (spool->rank != 0));
	msgpack_out_pair(&out, "format", LOG_FORMAT_NAME);
	msgpack_out_pair_uint(&out, "version", LOG_VERSION);
	msgpack_out_pair_uint(&out, "reader", LOG_READER);
	msgpack_out_pair(&out, "tool", PACKAGE_STRING);
	msgpack_out_pair(&out, "host", facts->host);
	msgpack_out_pair_uint(&out, "pid", facts->pid);
	msgpack_out_pair_uint(&out, "parent", facts->parent);
	msgpack_out_key(&out, "command");
	add_command(&out, facts);
	if (spool->rank != 0)
		msgpack_out_pair_uint(&out, "rank", spool->rank - 1);
	msgpack_out_pair_int(&out, "realtime", spool->start.realtime_ns);
	msgpack_out_pair(&out, "clock", clocks[spool->clock]);
	msgpack_out_pair_uint(&out, "clock_hz", hertz(&spool->scale));
	msgpack_out_pair(&out, "policy",
		options_policy_name((enum ctp_policy)facts->policy));
	msgpack_out_pair_uint(&out, "min_ns", facts->min_ns);
	msgpack_out_pair(&out, "spool", spool_path);
	if (spool->range_ps != 0)
		msgpack_out_pair_uint(&out, "range_ps", spool->range_ps);
	return write_block(writer, LOG_HEADER, &bytes, err);
}

enum ctp_status log_frame_sync(struct log_writer *writer,
	const struct clock_scale *scale, const struct clock_sync *sync,
	struct ctp_error *err)
{
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = log_block_begin(&bytes, LOG_SYNC, 2);

	(void)msgpack_pack_array(&out, 1);
	(void)msgpack_pack_array(&out, 3);
	(void)msgpack_pack_int64(&out, clock_ns(scale, sync->ticks));
	(void)msgpack_pack_int64(&out, sync->raw_ns);
	(void)msgpack_pack_int64(&out, sync->realtime_ns);
	return write_block(writer, LOG_SYNC, &bytes, err);
}

enum ctp_status log_frame_end(struct log_writer *writer,
	const struct log_frame_totals *totals, struct ctp_error *err)
{
	struct buffer bytes = BUFFER_INIT;
	msgpack_packer out = log_block_begin(&bytes, LOG_END, 2);

	(void)msgpack_pack_map(&out, (size_t)5 + (totals->unrecorded != 0) +
					     totals->recovered +
					     (totals->stopped != NULL));
	msgpack_out_pair_int(&out, "log", totals->log_ns);
	msgpack_out_pair_uint(&out, "events", totals->events);
	msgpack_out_pair_uint(&out, "blocks", log_writer_blocks(writer));
	msgpack_out_pair_uint(&out, "stalls", totals->stalls);
	msgpack_out_pair_uint(&out, "stall_ns", totals->stall_ns);
	if (totals->unrecorded != 0)
		msgpack_out_pair_uint(&out, "unrecorded", totals->unrecorded);
	if (totals->recovered)
		msgpack_out_pair_uint(&out, "recovered", 1);
	if (totals->stopped != NULL)
		msgpack_out_pair(&out, "stopped", totals->stopped);
	return write_block(writer, LOG_END, &bytes, err);
}

/* Both numbers have nine bytes, whatever they are. */
static void fill_unwritten(struct buffer *bytes, const struct packer_lost *lost)
{
	msgpack_packer out = log_block_begin(bytes, LOG_TRACE_LOSSES, 2);

	(void)msgpack_pack_map(&out, 2);
	msgpack_out_key(&out, "unwritten_ranges");
	(void)msgpack_pack_fix_uint64(&out, lost->ranges);
	msgpack_out_key(&out, "unwritten_events");
	(void)msgpack_pack_fix_uint64(&out, lost->events);
}

enum ctp_status log_frame_reserve(
	struct log_writer *writer, uint64_t *at, struct ctp_error *err)
{
	struct buffer bytes = BUFFER_INIT;
	uint64_t before = log_writer_bytes(writer);
	enum ctp_status status = CTP_ERR_NOMEM;

	fill_unwritten(&bytes, &(struct packer_lost){0});
	if (!bytes.failed)
		status = log_writer_add_stored(writer, LOG_TRACE_LOSSES,
			&(struct deflate_part){
				bytes.bytes, bytes.used, DEFLATE_ANY},
			err);
	else
		(void)ctp_no_memory(err);
	buffer_clear(&bytes);
	if (status == CTP_OK)
		*at = before;
	return status;
}

bool log_frame_set_unwritten(
	struct log_writer *writer, uint64_t at, const struct packer_lost *lost)
{
	struct buffer bytes = BUFFER_INIT;
	bool good;

	fill_unwritten(&bytes, lost);
	good = !bytes.failed && log_writer_replace(writer, at, LOG_TRACE_LOSSES,
					&(struct deflate_part){bytes.bytes,
						bytes.used, DEFLATE_ANY});
	buffer_clear(&bytes);
	return good;
}

enum ctp_status log_frame_unwritten(struct log_writer *writer,
	const struct packer_lost *lost, struct ctp_error *err)
{
	struct buffer bytes = BUFFER_INIT;

	fill_unwritten(&bytes, lost);
	return write_block(writer, LOG_TRACE_LOSSES, &bytes, err);
}

_Static_assert(CHUNK_WORDS <= LOG_COLUMN_MAX, "a chunk is one block");

/* Depth if another process began the log: so large that no chunk's ends reduce
 * it to a known depth. */
#define PACK_DEPTH_UNKNOWN (UINT32_C(1) << 31)

/* The packer's state for a track over the whole recording. */
struct pack_track {
	uint64_t blocks;
	uint64_t short_ranges;
	struct chunk_losses losses;
	struct packer_lost written; /* of the losses, in the log */
	uint64_t unreadable;        /* among dropped_events */
	bool losses_changed;
	uint32_t depth; /* over LOG_OPEN_MAX: open[] has not all */
	/* Sites of the open ranges; entries from `depth` on are stale. Minimal
	 * size, but maximal while a chunk is read. */
	uint32_t *open;
	bool wide; /* it has the maximal size */
};

/* Room for all records of a chunk. */
_Static_assert(CHUNK_WORDS / 5 <= LOG_ACTIVITIES_MAX, "a chunk is one block");
#define PACK_DEVICE_SYNCS (CHUNK_WORDS / 3)

struct pack_device {
	struct log_activities activities;
	uint32_t sync_count;
	struct log_device_sync syncs[PACK_DEVICE_SYNCS];
};

/* A range that is dropped if it turns out to be short. */
struct pack_begin {
	int64_t time_ns;
	uint32_t site;
};

struct packer {
	struct log_writer *writer;
	struct clock_scale scale;
	int64_t min_ns;
	struct pack_track **tracks; /* by number */
	uint32_t track_room;
	struct log_column measured;
	struct log_column timeline;
	/* The newest measured ranges, without anything in them so far; only if
	 * short ones are dropped. */
	struct pack_begin begins[CHUNK_WORDS];
	uint32_t begin_count;
	struct pack_device device;
	struct buffer bytes;
	uint64_t event_count;
	struct packer_lost lost; /* sums of all tracks' */
	int64_t newest_ns;
	uint64_t lost_words;     /* of the current chunk; and */
	uint64_t lost_untracked; /* of chunks without a track */
	/*
	 * A copy of that chunk's head, and of its words one record at a time
	 * (events) or all new ones (registry). The thread may still write there
	 * by mistake, but checked values must not change.
	 */
	struct chunk copy;
};

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
	memory_free(packer->tracks);
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

/* Returns the track of this number, added if new; NULL if out of memory. */
static struct pack_track *find_track(struct packer *packer, uint32_t number)
{
	if (!array_ensure_index(&packer->tracks, number, &packer->track_room,
		    sizeof(struct pack_track *)))
		return NULL;
	if (packer->tracks[number] == NULL)
		packer->tracks[number] = calloc(1, sizeof(struct pack_track));
	return packer->tracks[number];
}

/* Resize `open` before and after reading a chunk: room for all that it may
 * open, kept or not, false if out of memory; then the minimum, since there may
 * be many threads. */
static bool widen(struct pack_track *track)
{
	uint32_t *open =
		track->wide
			? track->open
			: realloc(track->open,
				  (LOG_OPEN_MAX + CHUNK_WORDS) * sizeof(*open));

	if (open == NULL)
		return false;
	track->open = open;
	track->wide = true;
	return true;
}

static void narrow(struct pack_track *track)
{
	uint32_t count =
		track->depth < LOG_OPEN_MAX ? track->depth : LOG_OPEN_MAX;
	uint32_t *open = NULL;

	if (count == 0)
		free(track->open);
	else
		open = realloc(track->open, count * sizeof(track->open[0]));
	if (count == 0 || open != NULL)
		track->open = open;
	track->wide = false;
}

/* Begins a column for this track. */
static void start_column(struct log_column *column, uint32_t number,
	const struct pack_track *track)
{
	log_column_begin(column, number, track->open, track->depth);
	column->extra_count = 0;
	column->extras.used = 0;
}

static uint64_t at_most_int(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : value;
}

static void add_activity(struct pack_device *device, struct chunk_head head,
	const uint64_t *record)
{
	struct log_activity_row row = {
		.start_ns = (int64_t)record[1],
		.dur_ns = at_most_int(record[2]),
		.track = (uint32_t)(record[3] >> 32),
		.description = (uint32_t)record[3],
		.correlation = (uint32_t)record[4],
	};

	if (head.words >= 6) {
		row.bytes = at_most_int(record[5]);
		row.node = record[6];
	}
	if (row.track < LOG_TRACKS_MAX &&
		row.description < LOG_DESCRIPTIONS_MAX)
		log_activities_add(&device->activities, &row);
}

/* Adds such a record; an invalid one is ignored. */
static void add_device(struct pack_device *device,
	const struct clock_scale *scale, struct chunk_head head,
	const uint64_t *record)
{
	if (head.kind == CHUNK_ACTIVITY)
		add_activity(device, head, record);
	else
		device->syncs[device->sync_count++] = (struct log_device_sync){
			clock_ns(scale, record[1]), (int64_t)record[2]};
}

/* Writes a block of the syncs, if any; it must precede the activities'
 * block. */
static enum ctp_status write_syncs(const struct pack_device *device,
	struct buffer *bytes, struct log_writer *writer, struct ctp_error *err)
{
	if (device->sync_count == 0)
		return CTP_OK;
	log_block_set_device_syncs(bytes, device->syncs, device->sync_count);
	return log_block_write(writer, LOG_DEVICE_SYNC, bytes, err);
}

static void push_open(struct pack_track *track, uint32_t site)
{
	if (track->depth < LOG_OPEN_MAX)
		track->open[track->depth] = site;
	track->depth++;
}

static void pop_open(struct pack_track *track)
{
	if (track->depth > 0)
		track->depth--;
}

/* Adds the ranges that could have been short: something in them is kept. */
static void keep_begins(struct packer *packer)
{
	for (uint32_t i = 0; i < packer->begin_count; i++)
		log_column_add(&packer->measured, packer->begins[i].site,
			packer->begins[i].time_ns);
	packer->begin_count = 0;
}

static void add_begin(struct packer *packer, struct pack_track *track,
	uint32_t site, int64_t time_ns)
{
	push_open(track, site);
	if (packer->min_ns > 0)
		packer->begins[packer->begin_count++] =
			(struct pack_begin){time_ns, site};
	else
		log_column_add(&packer->measured, site, time_ns);
}

static void add_end(
	struct packer *packer, struct pack_track *track, int64_t time_ns)
{
	const uint32_t count = packer->begin_count;

	pop_open(track);
	if (count > 0 &&
		(int64_t)((uint64_t)time_ns -
			  (uint64_t)packer->begins[count - 1].time_ns) <
			packer->min_ns) {
		packer->begin_count--;
		track->short_ranges++;
		track->losses_changed = true;
		return;
	}
	keep_begins(packer);
	log_column_add(&packer->measured, LOG_COLUMN_END, time_ns);
}

/* A range with the program's own time, for the thread's timeline. */
static bool add_timeline(
	struct packer *packer, enum chunk_long kind, const uint64_t *record)
{
	struct log_column *column = &packer->timeline;
	struct pack_track *track;
	int64_t time_ns = (int64_t)record[1];

	/* A chunk belongs to one thread, which has one timeline. */
	if (record[2] >= LOG_SITES_MAX || record[3] >= LOG_TRACKS_MAX ||
		(column->count > 0 && record[3] != column->track)) {
		packer->lost_words++;
		return true;
	}
	track = find_track(packer, (uint32_t)record[3]);
	if (track == NULL || !widen(track))
		return false;
	if (column->count == 0)
		start_column(column, (uint32_t)record[3], track);
	if (kind == CHUNK_BEGIN_AT) {
		push_open(track, (uint32_t)record[2]);
		log_column_add(column, (uint32_t)record[2], time_ns);
	} else {
		pop_open(track);
		log_column_add(column, LOG_COLUMN_END, time_ns);
	}
	return true;
}

/* Adds one long record to its column; false if out of memory. */
static bool add_long(struct packer *packer, struct pack_track *track,
	struct chunk_head head, const uint64_t *record)
{
	int64_t time_ns;

	if (head.words < pack_record_least_words(head.kind)) {
		packer->lost_words++;
		return true;
	}
	if (head.kind == CHUNK_BEGIN_AT || head.kind == CHUNK_END_AT)
		return add_timeline(packer, head.kind, record);
	if (chunk_is_device(head.kind)) {
		add_device(&packer->device, &packer->scale, head, record);
		return true;
	}
	time_ns = clock_ns(&packer->scale, record[1]);
	if (head.kind != CHUNK_BEGIN) {
		keep_begins(packer);
		pack_record_add_row(&packer->measured, head, record, time_ns);
	} else if (record[2] < LOG_SITES_MAX) {
		add_begin(packer, track, (uint32_t)record[2], time_ns);
	} else {
		packer->lost_words++;
	}
	return true;
}

/* Packs the time of a first event, or of one that is far from the one before,
 * which `steps` has. */
static uint8_t *jump(struct log_column *column, struct clock_steps *steps,
	uint64_t ticks, uint8_t *times)
{
	if (steps->last != UINT64_MAX)
		column->last_ns = clock_steps_ns(steps);
	clock_steps_jump(steps, ticks);
	if (times == column->bytes.bytes + LOG_COLUMN_HEAD_MAX) {
		column->first_ns = clock_steps_ns(steps);
		column->last_ns = column->first_ns;
	}
	return log_column_put_time(column, times,
		(uint64_t)clock_steps_ns(steps) - (uint64_t)column->last_ns);
}

/*
 * Reads short records from words[at] on, up to the first other one. At most
 * LOG_OPEN_MAX ranges are open. Returns the word after the last one.
 *
 * The background thread spends most of its time here: each event is read, scaled
 * and packed at once. All state is in local variables, for which inlining would
 * leave too few registers. There is no branch on whether a range begins or ends,
 * which is practically random.
 */
static __attribute__((noinline)) uint32_t read_short(struct packer *packer,
	struct pack_track *track, const struct chunk *chunk, uint32_t at)
{
	struct log_column *column = &packer->measured;
	struct clock_steps steps =
		clock_steps(&packer->scale, chunk_origin(&packer->copy));
	const uint32_t first = at;
	uint32_t *open = track->open;
	uint8_t *times = column->times_end;
	uint8_t *ids = column->ids_end;
	uint32_t depth = track->depth;

	for (; at < CHUNK_WORDS; at++) {
		uint64_t word =
			__atomic_load_n(&chunk->words[at], __ATOMIC_ACQUIRE);
		uint64_t from = word - steps.origin;
		uint32_t site = (uint32_t)(from >> CTP_TICK_BITS);
		uint64_t ticks = from & CHUNK_TICK_MASK;
		uint32_t below = depth - (depth > 0);
		uint32_t step_ns;

		if (word == 0 || site == CHUNK_ID_LONG)
			break;
		open[depth] = site;
		depth = site != 0 ? depth + 1 : below;
		ids = log_column_put(ids, log_column_id(column, site));
		if (clock_steps_add(&steps, ticks, &step_ns))
			times = log_column_put_time(column, times, step_ns);
		else
			times = jump(column, &steps, ticks, times);
	}
	if (at != first)
		column->last_ns = clock_steps_ns(&steps);
	column->count += at - first;
	column->times_end = times;
	column->ids_end = ids;
	track->depth = depth;
	return at;
}

/* The same with short ranges dropped, or any depth. */
static uint32_t read_short_slowly(struct packer *packer,
	struct pack_track *track, const struct chunk *chunk, uint32_t at)
{
	const uint64_t origin = chunk_origin(&packer->copy);

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
			add_begin(packer, track, id, time_ns);
		else
			add_end(packer, track, time_ns);
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

		at = packer->min_ns > 0 || track->depth > LOG_OPEN_MAX
			     ? read_short_slowly(packer, track, chunk, at)
			     : read_short(packer, track, chunk, at);
		if (at >= CHUNK_WORDS)
			return at;
		word = __atomic_load_n(&chunk->words[at], __ATOMIC_ACQUIRE);
		if (word == 0)
			return at;
		/* A short one may have been stored meanwhile. */
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
	track = find_track(packer, column->track);
	column->seq = track->blocks++;
	status = log_column_write(column, packer->writer, err);
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
	packer->begin_count = 0;
	log_activities_reset(&packer->device.activities);
	packer->device.sync_count = 0;
	if (copy->track >= LOG_TRACKS_MAX) { /* invalid track: all lost */
		for (; *consumed < CHUNK_WORDS; ++*consumed)
			packer->lost_words += chunk->words[*consumed] != 0;
		return CTP_OK;
	}
	track = find_track(packer, copy->track);
	if (track == NULL || !widen(track))
		return ctp_no_memory(err);
	start_column(measured, copy->track, track);
	if (measured->failed)
		return ctp_no_memory(err);
	end = read_records(packer, track, chunk, *consumed);
	if (end == UINT32_MAX)
		return ctp_no_memory(err);
	keep_begins(packer);
	narrow(track);
	if (packer->timeline.count > 0)
		narrow(packer->tracks[packer->timeline.track]);
	if (measured->count > 0 && measured->last_ns > packer->newest_ns)
		packer->newest_ns = measured->last_ns;
	*consumed = end;
	return CTP_OK;
}

static enum ctp_status write_device(
	struct packer *packer, struct ctp_error *err)
{
	enum ctp_status status = write_syncs(
		&packer->device, &packer->bytes, packer->writer, err);

	if (status == CTP_OK)
		status = log_activities_write(&packer->device.activities,
			&packer->bytes, packer->writer, err);
	if (status == CTP_OK)
		packer->event_count += packer->device.activities.count;
	return status;
}

/* A track's entry in a losses block. */
static const struct {
	const char *name;
	size_t offset; /* offset of the count */
} loss_fields[] = {
	{"dropped_ranges", offsetof(struct pack_track, losses.dropped_ranges)},
	{"dropped_events", offsetof(struct pack_track, losses.dropped_events)},
	{"short_ranges", offsetof(struct pack_track, short_ranges)},
	{"cut_text", offsetof(struct pack_track, losses.cut_text)},
	{"unwound_ranges", offsetof(struct pack_track, losses.unwound_ranges)},
	{"stray_exits", offsetof(struct pack_track, losses.stray_exits)}};

static uint64_t *loss_of(struct pack_track *track, size_t loss)
{
	return (uint64_t *)(void *)((char *)track + loss_fields[loss].offset);
}

struct packer_lost packer_lost(const struct packer *packer)
{
	return packer->lost;
}

/* The log has the track's losses. */
static void count_written(struct packer *packer, struct pack_track *track)
{
	const struct packer_lost now = {
		track->losses.dropped_ranges, track->losses.dropped_events};

	packer->lost.ranges += now.ranges - track->written.ranges;
	packer->lost.events += now.events - track->written.events;
	track->written = now;
}

static enum ctp_status write_losses(struct packer *packer, uint32_t number,
	struct pack_track *track, struct ctp_error *err)
{
	enum ctp_status status;
	size_t kinds = sizeof(loss_fields) / sizeof(loss_fields[0]);
	msgpack_packer out = log_block_begin(&packer->bytes, LOG_LOSSES, 3);

	track->losses_changed = false;
	(void)msgpack_pack_uint32(&out, number);
	(void)msgpack_pack_map(&out, kinds);
	for (size_t i = 0; i < kinds; i++)
		msgpack_out_pair_uint(
			&out, loss_fields[i].name, *loss_of(track, i));
	status = log_block_write(
		packer->writer, LOG_LOSSES, &packer->bytes, err);
	if (status == CTP_OK)
		count_written(packer, track);
	return status;
}

/* True if it grew. */
static bool raise(uint64_t *count, uint64_t to)
{
	bool grows = to > *count;

	if (grows)
		*count = to;
	return grows;
}

enum ctp_status packer_write_losses(struct packer *packer, uint32_t number,
	const struct chunk_losses *lost, struct ctp_error *err)
{
	struct pack_track *track;
	struct chunk_losses *known;
	bool news;

	if (number >= LOG_TRACKS_MAX)
		return CTP_OK;
	track = find_track(packer, number);
	if (track == NULL)
		return ctp_no_memory(err);
	/* A thread's total losses may arrive before a chunk with an earlier
	 * count. */
	known = &track->losses;
	news = track->losses_changed;
	news |= raise(&known->dropped_ranges, lost->dropped_ranges);
	news |= raise(&known->dropped_events,
		lost->dropped_events + track->unreadable);
	news |= raise(&known->cut_text, lost->cut_text);
	news |= raise(&known->unwound_ranges, lost->unwound_ranges);
	news |= raise(&known->stray_exits, lost->stray_exits);
	return news ? write_losses(packer, number, track, err) : CTP_OK;
}

void packer_count_lost(struct packer *packer, uint32_t words)
{
	packer->lost_words += words;
}

/* Counts the unreadable words of the current chunk. */
static enum ctp_status count_on_track(
	struct packer *packer, struct ctp_error *err)
{
	const uint64_t words = packer->lost_words;
	struct pack_track *track;

	packer->lost_words = 0;
	if (words == 0)
		return CTP_OK;
	if (packer->copy.track >= LOG_TRACKS_MAX) {
		packer->lost_untracked += words;
		return CTP_OK;
	}
	track = find_track(packer, packer->copy.track);
	if (track == NULL)
		return ctp_no_memory(err);
	track->unreadable += words;
	track->losses.dropped_events += words;
	track->losses_changed = true;
	return CTP_OK;
}

/* Writes a total loss without a track; the name is that of a losses block. */
static enum ctp_status write_trace_loss(struct packer *packer, const char *name,
	uint64_t count, struct ctp_error *err)
{
	msgpack_packer out =
		log_block_begin(&packer->bytes, LOG_TRACE_LOSSES, 2);

	(void)msgpack_pack_map(&out, 1);
	msgpack_out_pair_uint(&out, name, count);
	return log_block_write(
		packer->writer, LOG_TRACE_LOSSES, &packer->bytes, err);
}

enum ctp_status packer_write_earlier(
	struct packer *packer, uint64_t count, struct ctp_error *err)
{
	return write_trace_loss(packer, "earlier_events", count, err);
}

enum ctp_status packer_finish(struct packer *packer, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (packer->lost_untracked > 0)
		status = write_trace_loss(
			packer, "dropped_events", packer->lost_untracked, err);
	for (uint32_t i = 0; status == CTP_OK && i < packer->track_room; i++)
		if (packer->tracks[i] != NULL &&
			packer->tracks[i]->losses_changed)
			status =
				write_losses(packer, i, packer->tracks[i], err);
	return status;
}

void packer_resume(struct packer *packer, uint64_t events, int64_t newest_ns)
{
	packer->event_count = events;
	packer->newest_ns = newest_ns;
}

bool packer_resume_blocks(
	struct packer *packer, uint32_t number, uint64_t blocks)
{
	struct pack_track *track = find_track(packer, number);

	if (track == NULL)
		return false;
	if (blocks > track->blocks)
		track->blocks = blocks;
	track->depth = PACK_DEPTH_UNKNOWN;
	return true;
}

bool packer_resume_gap(struct packer *packer, uint32_t number)
{
	const struct pack_track *track = find_track(packer, number);

	return track != NULL &&
	       packer_resume_blocks(packer, number, track->blocks + 1);
}

bool packer_resume_loss(struct packer *packer, uint32_t number,
	const char *name, uint64_t count)
{
	struct pack_track *track = find_track(packer, number);

	if (track == NULL)
		return false;
	for (size_t i = 0; i < sizeof(loss_fields) / sizeof(loss_fields[0]);
		i++)
		if (strcmp(loss_fields[i].name, name) == 0)
			*loss_of(track, i) = count;
	count_written(packer, track);
	return true;
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
		status = count_on_track(packer, err);
	if (status == CTP_OK)
		status = packer_write_losses(
			packer, packer->copy.track, losses, err);
	return status;
}

/* Copies the records from words[at] on, up to the first invalid one. */
static void copy_records(
	struct chunk *copy, const struct chunk *chunk, uint32_t at)
{
	copy->base = chunk->base;
	while (at < CHUNK_WORDS) {
		uint64_t word =
			__atomic_load_n(&chunk->words[at], __ATOMIC_ACQUIRE);
		uint32_t words = chunk_head(copy, word).words;

		copy->words[at++] = word;
		if (word == 0 || words > CHUNK_WORDS - at)
			return;
		memcpy(&copy->words[at], &chunk->words[at],
			words * sizeof(word));
		at += words;
	}
}

/* A record that does not become a separate block, and the losses in it. */
static enum ctp_status read_losses(struct packer *packer, enum chunk_long kind,
	const uint64_t *record, struct ctp_error *err)
{
	struct chunk_losses losses = {0};

	if (kind == CHUNK_LOSSES && record[1] == LOG_NO_TRACK)
		/* Not by track: there is one count for all truncated text. */
		return write_trace_loss(
			packer, "cut_text", record[3] & UINT32_MAX, err);
	if (kind == CHUNK_LOSSES) {
		losses.dropped_ranges = record[2];
		losses.dropped_events = record[3] >> 32;
		losses.cut_text = record[3] & UINT32_MAX;
	} else if (kind == CHUNK_UNWOUND) {
		losses.unwound_ranges = record[2];
		losses.stray_exits = record[3];
	} else {
		return CTP_OK;
	}
	return packer_write_losses(packer, (uint32_t)record[1], &losses, err);
}

enum ctp_status packer_write_registry(struct packer *packer,
	const struct chunk *chunk, uint32_t *consumed, struct ctp_error *err)
{
	struct chunk *copy = &packer->copy;
	enum ctp_status status = CTP_OK;
	uint32_t at = *consumed;
	struct chunk_head head;

	copy_records(copy, chunk, at);
	/* Threads that start at once have a block each. */
	log_writer_hold(packer->writer);
	while (status == CTP_OK && pack_record_find(copy, at, &head)) {
		const uint64_t *record = &copy->words[at];
		enum log_block kind;

		at += pack_record_add_block(&packer->bytes, copy, at, &kind);
		status = kind == LOG_BLOCK_KINDS
				 ? read_losses(packer, head.kind, record, err)
				 : log_block_write(packer->writer, kind,
					   &packer->bytes, err);
	}
	if (status == CTP_OK)
		status = log_writer_release(packer->writer, err);
	else
		(void)log_writer_release(packer->writer, NULL);
	if (status == CTP_OK)
		*consumed = at;
	return status;
}

/* SPDX-License-Identifier: MIT */
#include "pack/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "log/log.h"

/* Most ranges that are kept over the edge, in each direction; deeper ones are
 * not. All of them fit a chunk. */
#define OPEN_MAX UINT32_C(2032)
#define SYNC_WORDS 3
#define BEGIN_WORDS 3
_Static_assert(SYNC_WORDS + OPEN_MAX * (1 + BEGIN_WORDS) <= CHUNK_WORDS,
	"a prefix is one chunk");

/* The argument of a range that began before the window, if all of them have
 * room: how long before, in nanoseconds. */
#define KEY "earlier_ns"
#define KEY_BYTES (sizeof(KEY) - 1)
#define KEY_WORDS ((KEY_BYTES + 7) / 8)
#define ARG_WORDS (3 + KEY_WORDS)

struct window_chunk {
	uint64_t last; /* newest ticks */
	uint32_t events;
};

struct window_begin {
	uint64_t ticks;
	uint32_t site;
};

/* Edge of a track: what happened before it, as far as it matters after it. */
struct window_track {
	struct chunk *prefix; /* NULL: none */
	uint64_t ends[OPEN_MAX];
	struct window_begin begins[OPEN_MAX];
	uint32_t end_count;
	uint32_t begin_count;
	uint32_t deep; /* open ranges beyond those in begins */
	bool has_sync;
	uint64_t sync[SYNC_WORDS - 1]; /* the newest of its device */
};

enum ctp_status window_init(struct window *window, struct spool *spool,
	uint64_t events_min, struct ctp_error *err)
{
	*window = (struct window){.spool = spool, .events_min = events_min};
	if (events_min == 0)
		return CTP_OK;
	window->chunks = calloc(spool->index_max, sizeof(*window->chunks));
	return window->chunks == NULL ? ctp_no_memory(err) : CTP_OK;
}

void window_clear(struct window *window)
{
	for (uint32_t i = 0; i < window->track_room; i++)
		free(window->tracks[i]);
	memory_free(window->tracks);
	free(window->chunks);
	*window = (struct window){0};
}

uint64_t window_earlier(const struct window *window)
{
	return window->dropped - window->prefixed;
}

static struct window_chunk *info_of(
	const struct window *window, const struct chunk *chunk)
{
	return &window->chunks[spool_index(window->spool, chunk)];
}

/* ---- records ---- */

/* Whether the record is an event: arguments belong to one. */
static bool is_event(enum chunk_long kind)
{
	return kind != CHUNK_ARG_INT && kind != CHUNK_ARG_FLOAT &&
	       kind != CHUNK_ARG_TEXT && kind != CHUNK_DEVICE_SYNC;
}

static bool has_ticks(enum chunk_long kind)
{
	return kind != CHUNK_BEGIN_AT && kind != CHUNK_END_AT &&
	       kind != CHUNK_ACTIVITY;
}

static void add_begin(struct window_track *track, uint64_t ticks, uint32_t site)
{
	if (track->deep == 0 && track->begin_count < OPEN_MAX)
		track->begins[track->begin_count++] =
			(struct window_begin){ticks, site};
	else
		track->deep++;
}

static void add_end(struct window_track *track, uint64_t ticks)
{
	if (track->deep > 0)
		track->deep--;
	else if (track->begin_count > 0)
		track->begin_count--;
	else if (track->end_count < OPEN_MAX)
		track->ends[track->end_count++] = ticks;
}

/* Reads a long record; true if it is an event. */
static bool read_long(struct window_track *track, struct chunk_head head,
	const uint64_t *record, uint64_t *last)
{
	if (head.words > 0 && has_ticks(head.kind))
		*last = record[1];
	if (track != NULL && head.kind == CHUNK_BEGIN && head.words >= 2 &&
		record[2] < LOG_SITES_MAX)
		add_begin(track, record[1], (uint32_t)record[2]);
	if (track != NULL && head.kind == CHUNK_DEVICE_SYNC &&
		head.words >= SYNC_WORDS - 1) {
		memcpy(track->sync, &record[1], sizeof(track->sync));
		track->has_sync = true;
	}
	return is_event(head.kind);
}

/*
 * Reads the records that are not in the log yet: counts their events, and with
 * a track follows its ranges. The thread may still write there by mistake, so
 * each word is loaded once.
 */
static struct window_chunk read_chunk(const struct window *window,
	const struct chunk *chunk, struct window_track *track)
{
	struct window_chunk read = {.last = chunk->base};
	uint32_t at = spool_consumed(window->spool, chunk);

	while (at < CHUNK_WORDS) {
		uint64_t word =
			__atomic_load_n(&chunk->words[at], __ATOMIC_ACQUIRE);
		uint32_t site = chunk_site(chunk, word);
		struct chunk_head head = chunk_head(chunk, word);

		if (word == 0)
			break;
		if (site == CHUNK_ID_LONG) {
			if (head.words >= CHUNK_WORDS - at)
				break;
			read.events += read_long(
				track, head, &chunk->words[at], &read.last);
			at += 1 + head.words;
			continue;
		}
		read.last = chunk_origin(chunk) +
			    ((word - chunk_origin(chunk)) & CHUNK_TICK_MASK);
		read.events++;
		if (track != NULL && site != 0)
			add_begin(track, read.last, site);
		else if (track != NULL)
			add_end(track, read.last);
		at++;
	}
	return read;
}

/* ---- prefixes ---- */

static struct window_track *find_track(struct window *window, uint32_t number)
{
	if (!array_ensure_index(&window->tracks, number, &window->track_room,
		    sizeof(struct window_track *)))
		return NULL;
	if (window->tracks[number] == NULL)
		window->tracks[number] = calloc(1, sizeof(struct window_track));
	return window->tracks[number];
}

bool window_has_track(const struct window *window, uint32_t track)
{
	return track < window->track_room && window->tracks[track] != NULL;
}

static uint32_t events_of(const struct window_track *track)
{
	return track->end_count + track->begin_count;
}

/* Forgets the prefix, whose chunk is in the log or is dropped, and returns its
 * chunk, hidden, or NULL. */
static struct chunk *hide_prefix(
	struct window *window, struct window_track *track)
{
	struct chunk *prefix = track->prefix;

	if (prefix == NULL)
		return NULL;
	spool_hide(window->spool, prefix);
	window->prefixed -= info_of(window, prefix)->events;
	window->count--;
	track->prefix = NULL;
	return prefix;
}

/* Stores the word of a long record, then the words after it. */
static uint32_t put_long(struct chunk *chunk, uint32_t at,
	struct chunk_head head, const uint64_t *words)
{
	chunk->words[at] =
		chunk_long(chunk, head.kind, head.words, head.detail);
	memcpy(&chunk->words[at + 1], words, head.words * sizeof(*words));
	return at + 1 + head.words;
}

/* Begins are shown at the window's edge. */
static uint32_t put_begin(struct chunk *chunk, uint32_t at, uint32_t site)
{
	const uint64_t words[] = {chunk->base, site};

	if (site >= CHUNK_ID_LONG)
		return put_long(chunk, at,
			(struct chunk_head){CHUNK_BEGIN, 2, 0}, words);
	chunk->words[at] = chunk->base + ((uint64_t)site << CTP_TICK_BITS);
	return at + 1;
}

static uint32_t put_earlier(struct chunk *chunk, uint32_t at, int64_t time_ns)
{
	uint64_t words[2 + KEY_WORDS] = {chunk->base, (uint64_t)time_ns};

	memcpy(words + 2, KEY, KEY_BYTES);
	return put_long(chunk, at,
		(struct chunk_head){CHUNK_ARG_INT, 2 + KEY_WORDS,
			KEY_BYTES - 8 * (KEY_WORDS - 1)},
		words);
}

/* An end may be too long ago for a record of one word. */
static uint64_t end_ticks(const struct chunk *chunk, uint64_t ticks)
{
	const uint64_t most = UINT64_C(1) << (CTP_TICK_BITS - 2);

	return chunk->base - ticks > most ? chunk->base - most : ticks;
}

/* Writes the words of the prefix; returns their number. */
static uint32_t fill(struct chunk *chunk, const struct window_track *track,
	const struct clock_scale *scale)
{
	uint32_t at = 0;
	bool has_args = scale->ns_per_tick != 0 &&
			SYNC_WORDS + track->end_count +
					track->begin_count *
						(BEGIN_WORDS + ARG_WORDS) <=
				CHUNK_WORDS;

	if (track->has_sync)
		at = put_long(chunk, at,
			(struct chunk_head){
				CHUNK_DEVICE_SYNC, SYNC_WORDS - 1, 0},
			track->sync);
	for (uint32_t i = 0; i < track->end_count; i++)
		chunk->words[at++] = end_ticks(chunk, track->ends[i]);
	for (uint32_t i = 0; i < track->begin_count; i++) {
		const struct window_begin *begin = &track->begins[i];

		at = put_begin(chunk, at, begin->site);
		if (has_args)
			at = put_earlier(chunk, at,
				clock_ns(scale, chunk->base) -
					clock_ns(scale, begin->ticks));
	}
	return at;
}

/* Makes the dropped chunk its track's prefix. */
static void set_prefix(struct window *window, struct window_track *track,
	struct chunk *chunk, const struct chunk *filled, uint32_t used)
{
	spool_rewrite(window->spool, chunk, filled, used);
	info_of(window, chunk)->events = events_of(track);
	info_of(window, chunk)->last = filled->base;
	window->prefixed += events_of(track);
	track->prefix = chunk;
	window->count++;
}

/*
 * Replaces the chunk and the track's prefix by a new prefix, of `used` words or,
 * if that is 0, by nothing. The process may be killed at any time, so all that
 * shows in the spool changes together, in a few instructions.
 */
static void replace(struct window *window, struct window_track *track,
	struct chunk *chunk, const struct chunk *filled, uint32_t used)
{
	struct chunk *old = hide_prefix(window, track);

	if (used != 0)
		set_prefix(window, track, chunk, filled, used);
	else
		spool_hide(window->spool, chunk);
	window->spool->header->earlier_events = window_earlier(window);
	if (used != 0)
		spool_clear_rest(window->spool, chunk);
	else
		spool_push_free(window->spool, chunk);
	if (old != NULL)
		spool_push_free(window->spool, old);
}

/* ---- the list ---- */

static void append(struct window *window, struct chunk *chunk)
{
	if (window->newest == NULL)
		window->oldest = chunk;
	else
		spool_link(window->spool, window->newest,
			spool_used(window->spool, window->newest), chunk);
	window->newest = chunk;
}

static void take_full(struct window *window)
{
	struct chunk *chunk = spool_pop_full(window->spool);

	while (chunk != NULL) {
		struct chunk *next = spool_next(window->spool, chunk);

		spool_restore_label(window->spool, chunk);
		*info_of(window, chunk) = read_chunk(window, chunk, NULL);
		window->events += info_of(window, chunk)->events;
		append(window, chunk);
		window->count++;
		chunk = next;
	}
}

/* Takes the oldest chunk out of the list. */
static struct chunk *pop_oldest(struct window *window)
{
	struct chunk *chunk = window->oldest;

	window->oldest = chunk == window->newest
				 ? NULL
				 : spool_next(window->spool, chunk);
	if (window->oldest == NULL)
		window->newest = NULL;
	window->events -= info_of(window, chunk)->events;
	window->count--;
	return chunk;
}

static enum ctp_status drop_oldest(struct window *window, struct ctp_error *err)
{
	const struct clock_scale scale = {window->spool->own.start.ticks,
		window->spool->own.scale.ns_per_tick};
	static struct chunk filled; /* too large for the stack */
	struct chunk *chunk = pop_oldest(window);
	struct window_chunk read;
	struct window_track *track;

	spool_restore_label(window->spool, chunk);
	track = chunk->track < LOG_TRACKS_MAX ? find_track(window, chunk->track)
					      : NULL;
	if (track == NULL)
		return ctp_no_memory(err);
	read = read_chunk(window, chunk, track);
	window->dropped += read.events;
	filled.base = read.last;
	replace(window, track, chunk, &filled, fill(&filled, track, &scale));
	return CTP_OK;
}

/*
 * Whether enough events are later than those of the oldest chunk. Chunks that
 * were begun before its end may have older ones and do not count.
 */
static bool has_enough(const struct window *window)
{
	const uint64_t last = info_of(window, window->oldest)->last;
	uint64_t later = 0;

	if (window->events - info_of(window, window->oldest)->events <
		window->events_min)
		return false;
	for (const struct chunk *chunk = window->oldest;
		chunk != window->newest;) {
		chunk = spool_next(window->spool, chunk);
		if ((int64_t)(chunk->base - last) >= 0)
			later += info_of(window, chunk)->events;
	}
	return later >= window->events_min;
}

/* Whether threads need the memory: a quarter of all is theirs. */
static bool is_full(const struct window *window)
{
	const struct spool *spool = window->spool;
	const uint32_t most = spool->chunk_max - spool->chunk_max / 4;

	return window->count > most ||
	       (atomic_load(&spool->waiting) != 0 &&
		       (uint32_t)atomic_load(&spool->free_head) == 0 &&
		       atomic_load(&spool->own.chunk_count) ==
			       spool->chunk_max);
}

enum ctp_status window_add(struct window *window, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	take_full(window);
	while (status == CTP_OK && window->oldest != NULL &&
		(is_full(window) || has_enough(window)))
		status = drop_oldest(window, err);
	return status;
}

static const struct chunk *find_listed(
	const struct window *window, uint32_t track, uint64_t seq)
{
	const struct chunk *chunk = window->oldest;

	while (chunk != NULL && (chunk->track != track || chunk->seq < seq))
		chunk = chunk == window->newest
				? NULL
				: spool_next(window->spool, chunk);
	return chunk;
}

void window_end_track(struct window *window, uint32_t number)
{
	struct window_track *track = window->tracks[number];
	struct chunk *prefix;

	if (find_listed(window, number, 0) != NULL)
		return;
	prefix = hide_prefix(window, track);
	window->spool->header->earlier_events = window_earlier(window);
	if (prefix != NULL)
		spool_push_free(window->spool, prefix);
	free(track);
	window->tracks[number] = NULL;
}

/* Puts the prefixes before the chunks of the list. */
static struct chunk *take_prefixes(struct window *window)
{
	struct spool *spool = window->spool;
	struct chunk *first = window->oldest;

	for (uint32_t i = 0; i < window->track_room; i++) {
		struct window_track *track = window->tracks[i];

		if (track == NULL)
			continue;
		if (track->prefix != NULL && first != NULL)
			spool_link(spool, track->prefix,
				spool_used(spool, track->prefix), first);
		if (track->prefix != NULL) {
			window->dropped -=
				info_of(window, track->prefix)->events;
			first = track->prefix;
		}
		free(track);
		window->tracks[i] = NULL;
	}
	return first;
}

struct chunk *window_take(struct window *window)
{
	struct chunk *first;

	take_full(window);
	first = take_prefixes(window);
	window->oldest = NULL;
	window->newest = NULL;
	window->events = 0;
	window->prefixed = 0;
	window->count = 0;
	return first;
}

const struct chunk *window_find(
	const struct window *window, uint32_t track, uint64_t *seq)
{
	const struct chunk *chunk = window_has_track(window, track)
					    ? window->tracks[track]->prefix
					    : NULL;

	/* The prefix is the oldest, and a thread's chunks are in order. */
	if (chunk == NULL || chunk->seq < *seq)
		chunk = find_listed(window, track, *seq);
	if (chunk != NULL)
		*seq = chunk->seq;
	return chunk;
}

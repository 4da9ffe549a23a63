/* SPDX-License-Identifier: MIT */
/*
 * Records of sites and tracks go through the spool like events do, so that a
 * killed program's names are found there. They have a list of chunks of their
 * own, from which the background thread reads before it packs any event: a
 * site's record is stored before its number can stand in an event.
 */
#include "recorder/registry.h"

#include <pthread.h>
#include <string.h>

#include "recorder/registry_private.h"
#include "recorder/session.h"
#include "recorder/thread.h"

/* How often the stream waits for a chunk, 20 ms each time. */
#define WAITS 50

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	struct spool *spool; /* NULL: not recording */
	struct chunk *_Atomic first;
	struct chunk *_Atomic last;
	uint32_t used; /* words of `last` */
	uint64_t seq;
	uint32_t tracks;
	uint64_t cut; /* texts */
	bool drained; /* by the background thread: chunks come back */
} stream;

void registry_lock(void)
{
	(void)pthread_mutex_lock(&lock);
}

void registry_unlock(void)
{
	(void)pthread_mutex_unlock(&lock);
}

void registry_forget(void)
{
	(void)pthread_mutex_init(&lock, NULL);
}

struct thread_hold registry_hold(void)
{
	struct thread_hold before = thread_hold();

	registry_lock();
	return before;
}

void registry_release(struct thread_hold before)
{
	registry_unlock();
	thread_release(before);
}

/*
 * A chunk for the stream: sites are few, so it takes one wherever it can. Who
 * holds the lock may wait for one, since the background thread does not take
 * it; but not for ever, where all chunks are other threads' live ones.
 */
static struct chunk *take_chunk(void)
{
	struct chunk *chunk = spool_take(stream.spool);

	if (chunk == NULL && spool_grow(stream.spool, 1))
		chunk = spool_take(stream.spool);
	for (int i = 0; chunk == NULL && i < WAITS && stream.drained &&
			session_may_wait();
		i++)
		chunk = session_wait_chunk();
	if (chunk != NULL)
		spool_label(stream.spool, chunk, 0, stream.seq++, 0);
	return chunk;
}

/* Room for a record of so many words, or NULL. */
static uint64_t *reserve(size_t words)
{
	struct chunk *last = atomic_load(&stream.last);
	struct chunk *chunk;

	if (words <= CHUNK_WORDS - stream.used)
		return last->words + stream.used;
	chunk = take_chunk();
	if (chunk == NULL)
		return NULL;
	spool_link(stream.spool, last, stream.used, chunk);
	stream.used = 0;
	atomic_store(&stream.last, chunk);
	return chunk->words;
}

bool registry_is_on(void)
{
	return stream.spool != NULL;
}

bool registry_emit(const struct registry_record *record)
{
	size_t bytes = 0;
	size_t words;
	uint64_t *at;
	char *text;

	for (int i = 0; i < REGISTRY_TEXTS; i++)
		bytes += record->sizes[i];
	words = record->count + (bytes + 7) / 8;
	at = registry_is_on() ? reserve(1 + words) : NULL;

	if (at == NULL)
		return false;
	memcpy(at + 1, record->numbers, record->count * sizeof(*at));
	text = (char *)(at + 1 + record->count);
	for (int i = 0; i < REGISTRY_TEXTS; text += record->sizes[i++])
		if (record->sizes[i] != 0)
			memcpy(text, record->texts[i], record->sizes[i]);
	__atomic_store_n(at,
		chunk_long(atomic_load(&stream.last), record->kind, words,
			bytes - (words - record->count) * 8 + 8),
		__ATOMIC_RELEASE);
	/*
	 * And before all that this thread stores from now on: an event that
	 * has the number, in one relaxed word of the inline path, or the tag
	 * by which another thread comes to store it - one that depends on
	 * what was loaded, which no processor that we run on stores before.
	 */
	atomic_thread_fence(memory_order_release);
	stream.used += (uint32_t)(1 + words);
	return true;
}

static bool emit_numbers(
	enum chunk_long kind, uint64_t a, uint64_t b, uint64_t c)
{
	return registry_emit(&(struct registry_record){.kind = kind,
		.count = 3,
		.numbers = {a, b, c},
		.texts = {"", ""}});
}

void registry_cut(uint64_t texts)
{
	if (texts == 0 || !registry_is_on())
		return;
	stream.cut += texts;
	(void)emit_numbers(
		CHUNK_LOSSES, LOG_NO_TRACK, 0, stream.cut & UINT32_MAX);
}

static void emit_track(uint32_t track, enum log_track_kind kind, uint32_t tid,
	const char *name)
{
	const size_t size = strnlen(name, REGISTRY_TEXT_MAX);

	(void)registry_emit(&(struct registry_record){.kind = CHUNK_TRACK,
		.count = 3,
		.numbers = {track, kind, tid},
		.texts = {name, ""},
		.sizes = {size, 0}});
	registry_cut(name[size] != '\0');
}

uint32_t registry_track(
	enum log_track_kind kind, uint32_t tid, const char *name)
{
	const struct thread_hold before = registry_hold();
	uint32_t track;

	track = ++stream.tracks;
	emit_track(track, kind, tid, name);
	registry_release(before);
	return track;
}

uint32_t registry_hidden_track(void)
{
	const struct thread_hold before = registry_hold();
	uint32_t track = ++stream.tracks;

	registry_release(before);
	return track;
}

uint32_t registry_stream(enum log_track_kind kind, int64_t number,
	uint64_t place, const char *name)
{
	const struct thread_hold before = registry_hold();
	uint32_t track = stream.tracks + 1;
	bool good = registry_emit(&(struct registry_record){
		.kind = CHUNK_STREAM,
		.count = 4,
		.numbers = {track, (uint64_t)kind, (uint64_t)number, place},
		.texts = {name},
		.sizes = {strnlen(name, REGISTRY_TEXT_MAX)}});

	if (good)
		stream.tracks = track;
	registry_release(before);
	return good ? track : 0;
}

bool registry_block(enum log_block kind, const void *bytes, size_t size)
{
	const struct thread_hold before = registry_hold();
	bool good = registry_emit(&(struct registry_record){.kind = CHUNK_BLOCK,
		.count = 2,
		.numbers = {(uint64_t)kind, size},
		.texts = {bytes},
		.sizes = {size}});

	registry_release(before);
	return good;
}

void registry_rename(uint32_t track, enum log_track_kind kind, uint32_t tid,
	const char *name)
{
	const struct thread_hold before = registry_hold();

	emit_track(track, kind, tid, name);
	registry_release(before);
}

void registry_losses(uint32_t track, const struct chunk_losses *losses)
{
	const struct thread_hold before = registry_hold();

	if (losses->dropped_ranges != 0 || losses->dropped_events != 0 ||
		losses->cut_text != 0)
		(void)emit_numbers(CHUNK_LOSSES, track, losses->dropped_ranges,
			losses->dropped_events << 32 | losses->cut_text);
	if (losses->unwound_ranges != 0 || losses->stray_exits != 0)
		(void)emit_numbers(CHUNK_UNWOUND, track, losses->unwound_ranges,
			losses->stray_exits);
	registry_release(before);
}

bool registry_start(struct spool *spool)
{
	struct chunk *chunk;
	bool good = true;

	registry_lock();
	stream.spool = spool;
	stream.drained = false;
	stream.seq = 0;
	stream.used = 0;
	stream.tracks = 0;
	stream.cut = 0;
	chunk = take_chunk();
	atomic_store(&stream.first, chunk);
	atomic_store(&stream.last, chunk);
	if (chunk == NULL)
		stream.spool = NULL;
	good = chunk != NULL && registry_emit_modules() &&
	       registry_emit_sites();
	stream.drained = true;
	registry_unlock();
	return good;
}

void registry_stop(void)
{
	registry_lock();
	stream.spool = NULL;
	registry_unlock();
}

struct chunk *registry_chunk(bool *last)
{
	struct chunk *first = atomic_load(&stream.first);

	*last = first == atomic_load(&stream.last);
	return first;
}

void registry_pass(void)
{
	struct chunk *first = atomic_load(&stream.first);

	atomic_store(&stream.first, spool_next(stream.spool, first));
	spool_give(stream.spool, first);
}

/* SPDX-License-Identifier: MIT */
/*
 * Records of sites and tracks go through the spool like events do, so that a
 * killed program's names are found there. They have a list of chunks of their
 * own, from which the background thread reads before it packs any event: a
 * site's record is stored before its number can stand in an event.
 */
#include "registry.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"
#include "registry_private.h"
#include "session.h"
#include "strtab.h"
#include "thread.h"

#define UNNAMED "(unnamed)"

/* How often the stream waits for a chunk, 20 ms each time. */
#define WAITS 50

struct entry {
	struct ctp_site site;
	uint64_t hash;
	uint64_t offset; /* of a function in its module */
	uint32_t module; /* 0: not a function known by its address */
	uint32_t number;
	uint32_t name_size;
	uint32_t file_size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Entries are never moved: ctp_site_intern() hands out their addresses. */
static struct {
	struct entry **index; /* open addressing */
	uint32_t index_size;
	struct entry **by_number; /* number - 1 */
	uint32_t room;
	uint32_t count;
} sites;

static struct {
	struct spool *spool; /* NULL: not recording */
	struct chunk *_Atomic first;
	struct chunk *_Atomic last;
	uint32_t used; /* words of `last` */
	uint64_t seq;
	uint32_t tracks;
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
	if (chunk != NULL) {
		chunk->track = 0;
		chunk->base = 0;
		chunk->seq = stream.seq++;
	}
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
	stream.used = 0;
	atomic_store(&last->link, spool_index(stream.spool, chunk) + 1);
	atomic_store(&stream.last, chunk);
	return chunk->words;
}

bool registry_is_on(void)
{
	return stream.spool != NULL;
}

bool registry_emit(const struct registry_record *record)
{
	const size_t *sizes = record->sizes;
	size_t bytes = sizes[0] + sizes[1];
	size_t words = record->count + (bytes + 7) / 8;
	uint64_t *at = registry_is_on() ? reserve(1 + words) : NULL;
	char *text;

	if (at == NULL)
		return false;
	memcpy(at + 1, record->numbers, record->count * sizeof(*at));
	text = (char *)(at + 1 + record->count);
	memcpy(text, record->texts[0], sizes[0]);
	memcpy(text + sizes[0], record->texts[1], sizes[1]);
	__atomic_store_n(at,
		chunk_long(atomic_load(&stream.last), record->kind, words,
			bytes - (words - record->count) * 8 + 8),
		__ATOMIC_RELEASE);
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

static bool emit_site(const struct entry *entry)
{
	if (entry->module != 0)
		return emit_numbers(CHUNK_FUNCTION, entry->number,
			entry->module, entry->offset);
	return registry_emit(&(struct registry_record){.kind = CHUNK_SITE,
		.count = 3,
		.numbers = {entry->number, entry->site.line, entry->name_size},
		.texts = {entry->site.name, entry->site.file},
		.sizes = {entry->name_size, entry->file_size}});
}

static bool emit_track(uint32_t track, enum log_track_kind kind, uint32_t tid,
	const char *name)
{
	return registry_emit(&(struct registry_record){.kind = CHUNK_TRACK,
		.count = 3,
		.numbers = {track, kind, tid},
		.texts = {name, ""},
		.sizes = {strnlen(name, REGISTRY_TEXT_MAX), 0}});
}

static bool grow(void)
{
	uint32_t size = sites.index_size == 0 ? 1024 : sites.index_size * 2;
	struct entry **index = arena_take(size * sizeof(*index));
	struct entry **by_number = arena_take(size / 2 * sizeof(*by_number));

	if (index == NULL || by_number == NULL || size > UINT32_MAX / 4)
		return false;
	for (uint32_t i = 0; i < sites.count; i++) {
		struct entry *entry = sites.by_number[i];
		uint32_t slot = (uint32_t)entry->hash & (size - 1);

		while (index[slot] != NULL)
			slot = (slot + 1) & (size - 1);
		index[slot] = entry;
		by_number[i] = entry;
	}
	sites.index = index;
	sites.index_size = size;
	sites.by_number = by_number;
	sites.room = size / 2;
	return true;
}

static bool equal(const struct entry *entry, uint64_t hash, const char *name,
	size_t name_size, const char *file, size_t file_size, uint32_t line)
{
	return entry->hash == hash && entry->module == 0 &&
	       entry->site.line == line && entry->name_size == name_size &&
	       entry->file_size == file_size &&
	       memcmp(entry->site.name, name, name_size) == 0 &&
	       memcmp(entry->site.file, file, file_size) == 0;
}

static struct entry *add(uint32_t slot, struct entry content)
{
	struct entry *entry = sites.count + 1 < LOG_SITES_MAX
				      ? arena_take(sizeof(*entry))
				      : NULL;

	if (entry == NULL)
		return NULL;
	*entry = content;
	entry->site.name = arena_copy(content.site.name, content.name_size);
	entry->site.file = arena_copy(content.site.file, content.file_size);
	if (entry->site.name == NULL || entry->site.file == NULL)
		return NULL;
	entry->number = sites.count + 1;
	if (entry->number < CHUNK_ID_LONG)
		entry->site.tag = (uint64_t)entry->number << CTP_TICK_BITS;
	if (registry_is_on() && !emit_site(entry))
		return NULL;
	sites.by_number[sites.count++] = entry;
	sites.index[slot] = entry;
	return entry;
}

/* Number 1 is taken before any other. */
static bool add_unnamed(void)
{
	static const char name[] = UNNAMED;
	uint64_t hash = strtab_hash(name, sizeof(name) - 1);

	return add((uint32_t)hash & (sites.index_size - 1),
		       (struct entry){.site = {name, "", 0, 0},
			       .hash = hash,
			       .name_size = sizeof(name) - 1}) != NULL;
}

/* Makes room for one more; then the index has free slots. */
static bool prepare(void)
{
	return (sites.count < sites.room || grow()) &&
	       (sites.count != 0 || add_unnamed());
}

/* The entry for this triple, made if it is new. The lock is held. */
static struct entry *find(const char *name, const char *file, uint32_t line)
{
	const char *place = file == NULL ? "" : file;
	size_t name_size = strnlen(name, REGISTRY_TEXT_MAX);
	size_t file_size = strnlen(place, REGISTRY_TEXT_MAX);
	uint64_t hash = strtab_hash(name, name_size) ^
			strtab_hash(place, file_size) * 31 ^
			line * UINT64_C(0x9e3779b1);
	uint32_t slot;

	if (!prepare())
		return NULL;
	slot = (uint32_t)hash & (sites.index_size - 1);
	for (; sites.index[slot] != NULL;
		slot = (slot + 1) & (sites.index_size - 1))
		if (equal(sites.index[slot], hash, name, name_size, place,
			    file_size, line))
			return sites.index[slot];
	return add(slot, (struct entry){.site = {name, place, line, 0},
				 .hash = hash,
				 .name_size = (uint32_t)name_size,
				 .file_size = (uint32_t)file_size});
}

static struct entry *find_function(uint32_t module, uint64_t offset)
{
	const uint64_t key[2] = {module, offset};
	uint64_t hash = strtab_hash(key, sizeof(key));
	uint32_t slot;

	if (!prepare())
		return NULL;
	slot = (uint32_t)hash & (sites.index_size - 1);
	for (; sites.index[slot] != NULL;
		slot = (slot + 1) & (sites.index_size - 1)) {
		const struct entry *other = sites.index[slot];

		if (other->module == module && other->offset == offset)
			return sites.index[slot];
	}
	return add(slot, (struct entry){.site = {"", "", 0, 0},
				 .hash = hash,
				 .module = module,
				 .offset = offset});
}

uint32_t registry_function(uint32_t module, uint64_t offset)
{
	const struct thread_hold before = registry_hold();
	const struct entry *entry = find_function(module, offset);

	registry_release(before);
	return entry == NULL ? REGISTRY_UNNAMED : entry->number;
}

uint32_t registry_site(struct ctp_site *site)
{
	const struct thread_hold before = registry_hold();
	uint32_t number = REGISTRY_UNNAMED;
	struct entry *entry;

	entry = find(site->name, site->file, site->line);
	if (entry != NULL) {
		number = entry->number;
		__atomic_store_n(&site->tag, entry->site.tag, __ATOMIC_RELEASE);
	}
	registry_release(before);
	return number;
}

struct ctp_site *registry_intern(
	const char *name, const char *file, uint32_t line)
{
	static struct ctp_site unnamed = {
		UNNAMED, "", 0, (uint64_t)REGISTRY_UNNAMED << CTP_TICK_BITS};
	const struct thread_hold before = registry_hold();
	struct entry *entry = find(name, file, line);

	registry_release(before);
	return entry == NULL ? &unnamed : &entry->site;
}

uint32_t registry_track(
	enum log_track_kind kind, uint32_t tid, const char *name)
{
	const struct thread_hold before = registry_hold();
	uint32_t track;

	track = ++stream.tracks;
	(void)emit_track(track, kind, tid, name);
	registry_release(before);
	return track;
}

void registry_rename(uint32_t track, enum log_track_kind kind, uint32_t tid,
	const char *name)
{
	const struct thread_hold before = registry_hold();

	(void)emit_track(track, kind, tid, name);
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
	chunk = take_chunk();
	atomic_store(&stream.first, chunk);
	atomic_store(&stream.last, chunk);
	if (chunk == NULL)
		stream.spool = NULL;
	good = chunk != NULL && registry_emit_modules();
	for (uint32_t i = 0; good && i < sites.count; i++)
		good = emit_site(sites.by_number[i]);
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

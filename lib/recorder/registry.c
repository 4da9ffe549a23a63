/* SPDX-License-Identifier: MIT */
/*
 * Records of sites and tracks go through the spool like events, so that a
 * killed program's names are found there. They have a separate list of chunks,
 * which the background thread reads before it packs any event: a site's record
 * is stored before its number can be used in an event.
 */
#include "recorder/registry.h"

#include <pthread.h>
#include <string.h>

#include "base/stable_hash.h"
#include "pack/chunk.h"
#include "recorder/arena.h"
#include "recorder/session_state.h"
#include "recorder/thread_state.h"

#define RECORD_TEXTS 4

/* Most waits of the stream for a chunk, 20 ms each. */
#define WAITS 50

/* A record of the stream: numbers, then texts without gaps. */
struct record {
	enum chunk_long kind;
	uint32_t count;
	uint64_t numbers[4];
	const char *texts[RECORD_TEXTS];
	size_t sizes[RECORD_TEXTS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	struct spool *spool; /* NULL: not recording */
	struct chunk *_Atomic first;
	struct chunk *_Atomic last;
	uint32_t used; /* words of `last` */
	uint32_t room; /* its words */
	uint64_t seq;
	uint32_t tracks;
	uint64_t cut; /* texts */
	bool drained; /* by the background thread: chunks are returned */
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

static struct thread_hold hold(void)
{
	struct thread_hold before = thread_hold();

	registry_lock();
	return before;
}

static void release(struct thread_hold before)
{
	registry_unlock();
	thread_release(before);
}

/*
 * Takes a chunk for the stream, which has priority, since sites are few. The
 * holder of the lock may wait for one, since the background thread does not
 * take it. The wait is bounded, because all chunks may be other threads' live
 * ones.
 */
static struct chunk *pop_chunk(size_t words)
{
	struct chunk *chunk = spool_pop_free(stream.spool);

	if (chunk == NULL && spool_grow(stream.spool, 1))
		chunk = spool_pop_free(stream.spool);
	for (int i = 0; chunk == NULL && i < WAITS && stream.drained &&
			session_may_wait();
		i++)
		chunk = session_wait_chunk(words);
	if (chunk == NULL)
		return NULL;
	/* A whole one, or what is needed, even beyond the limit. */
	if (!spool_extend(stream.spool, chunk, SPOOL_CHUNK_PAGES,
		    stream.spool->chunk_max * SPOOL_CHUNK_PAGES))
		(void)spool_extend(
			stream.spool, chunk, spool_pages(words), UINT32_MAX);
	spool_label(stream.spool, chunk, 0, stream.seq++, 0);
	return chunk;
}

/* Room for a record of `words` words, or NULL. */
static uint64_t *reserve(size_t words)
{
	struct chunk *last = atomic_load(&stream.last);
	struct chunk *chunk;

	if (words <= stream.room - stream.used)
		return last->words + stream.used;
	chunk = pop_chunk(words);
	if (chunk == NULL)
		return NULL;
	spool_link(stream.spool, last, stream.used, chunk);
	stream.used = 0;
	stream.room = spool_room(stream.spool, chunk);
	atomic_store(&stream.last, chunk);
	return words <= stream.room ? chunk->words : NULL;
}

static bool is_on(void)
{
	return stream.spool != NULL;
}

static bool emit(const struct record *record)
{
	size_t bytes = 0;
	size_t words;
	uint64_t *at;
	char *text;

	for (int i = 0; i < RECORD_TEXTS; i++)
		bytes += record->sizes[i];
	words = record->count + (bytes + 7) / 8;
	at = is_on() ? reserve(1 + words) : NULL;

	if (at == NULL)
		return false;
	memcpy(at + 1, record->numbers, record->count * sizeof(*at));
	text = (char *)(at + 1 + record->count);
	for (int i = 0; i < RECORD_TEXTS; text += record->sizes[i++])
		if (record->sizes[i] != 0)
			memcpy(text, record->texts[i], record->sizes[i]);
	__atomic_store_n(at,
		chunk_long(atomic_load(&stream.last), record->kind, words,
			bytes - (words - record->count) * 8 + 8),
		__ATOMIC_RELEASE);
	/*
	 * Also before every later store of this thread: an event with the
	 * number, in one relaxed word of the inline path, or the tag, with
	 * which another thread stores it. That store depends on the loaded tag,
	 * and no supported processor executes it earlier.
	 */
	atomic_thread_fence(memory_order_release);
	stream.used += (uint32_t)(1 + words);
	return true;
}

static bool emit_numbers(
	enum chunk_long kind, uint64_t a, uint64_t b, uint64_t c)
{
	return emit(&(struct record){.kind = kind,
		.count = 3,
		.numbers = {a, b, c},
		.texts = {"", ""}});
}

static void count_cut(uint64_t texts)
{
	if (texts == 0 || !is_on())
		return;
	stream.cut += texts;
	(void)emit_numbers(
		CHUNK_LOSSES, LOG_NO_TRACK, 0, stream.cut & UINT32_MAX);
}

static void emit_track(uint32_t track, enum log_track_kind kind, uint32_t tid,
	const char *name)
{
	const size_t size = strnlen(name, REGISTRY_TEXT_MAX);

	(void)emit(&(struct record){.kind = CHUNK_TRACK,
		.count = 3,
		.numbers = {track, kind, tid},
		.texts = {name, ""},
		.sizes = {size, 0}});
	count_cut(name[size] != '\0');
}

uint32_t registry_track(
	enum log_track_kind kind, uint32_t tid, const char *name)
{
	const struct thread_hold before = hold();
	uint32_t track;

	track = ++stream.tracks;
	emit_track(track, kind, tid, name);
	release(before);
	return track;
}

uint32_t registry_hidden_track(void)
{
	const struct thread_hold before = hold();
	uint32_t track = ++stream.tracks;

	release(before);
	return track;
}

uint32_t registry_stream(enum log_track_kind kind, int64_t number,
	uint64_t place, const char *name)
{
	const struct thread_hold before = hold();
	uint32_t track = stream.tracks + 1;
	bool good = emit(&(struct record){.kind = CHUNK_STREAM,
		.count = 4,
		.numbers = {track, (uint64_t)kind, (uint64_t)number, place},
		.texts = {name},
		.sizes = {strnlen(name, REGISTRY_TEXT_MAX)}});

	if (good)
		stream.tracks = track;
	release(before);
	return good ? track : 0;
}

bool registry_block(enum log_block kind, const void *bytes, size_t size)
{
	const struct thread_hold before = hold();
	bool good = emit(&(struct record){.kind = CHUNK_BLOCK,
		.count = 2,
		.numbers = {(uint64_t)kind, size},
		.texts = {bytes},
		.sizes = {size}});

	release(before);
	return good;
}

void registry_rename(uint32_t track, enum log_track_kind kind, uint32_t tid,
	const char *name)
{
	const struct thread_hold before = hold();

	emit_track(track, kind, tid, name);
	release(before);
}

void registry_losses(uint32_t track, const struct chunk_losses *losses)
{
	struct thread_hold before;

	/* Threads that end at once would wait for each other. */
	if ((losses->dropped_ranges | losses->dropped_events |
		    losses->cut_text | losses->unwound_ranges |
		    losses->stray_exits) == 0)
		return;
	before = hold();
	if (losses->dropped_ranges != 0 || losses->dropped_events != 0 ||
		losses->cut_text != 0)
		(void)emit_numbers(CHUNK_LOSSES, track, losses->dropped_ranges,
			losses->dropped_events << 32 | losses->cut_text);
	if (losses->unwound_ranges != 0 || losses->stray_exits != 0)
		(void)emit_numbers(CHUNK_UNWOUND, track, losses->unwound_ranges,
			losses->stray_exits);
	release(before);
}

/* The modules of functions known by address. They are few, and searched only
 * for a new address. */
#define FIRST_MODULES 64

struct module {
	uint64_t base;
	uint64_t bytes;
	const char *path;
	const char *build_id;
	uint32_t path_bytes;
	uint32_t build_id_bytes;
	bool closed;
};

/* By number - 1; never freed. */
static struct {
	struct module *all;
	uint32_t room;
	uint32_t count;
} modules;

static bool emit_closed(uint32_t number)
{
	return emit(&(struct record){.kind = CHUNK_MODULE_CLOSED,
		.count = 1,
		.numbers = {number},
		.texts = {"", ""}});
}

static bool emit_module(uint32_t number)
{
	const struct module *module = &modules.all[number - 1];

	return emit(&(struct record){.kind = CHUNK_MODULE,
		.count = 4,
		.numbers = {number, module->base, module->bytes,
			module->path_bytes},
		.texts = {module->path, module->build_id},
		.sizes = {module->path_bytes, module->build_id_bytes}});
}

static bool emit_modules(void)
{
	bool good = true;

	for (uint32_t i = 1; good && i <= modules.count; i++)
		good = emit_module(i) &&
		       (!modules.all[i - 1].closed || emit_closed(i));
	return good;
}

static bool grow_modules(void)
{
	uint32_t room = modules.room == 0 ? FIRST_MODULES : modules.room * 2;
	struct module *all;

	if (modules.count < modules.room)
		return true;
	if (modules.count + 1 >= LOG_MODULES_MAX)
		return false;
	all = arena_alloc(room * sizeof(*all));
	if (all == NULL)
		return false;
	if (modules.count > 0)
		memcpy(all, modules.all, modules.count * sizeof(*all));
	modules.all = all;
	modules.room = room;
	return true;
}

static bool is_same_module(
	const struct module *module, const struct registry_module *other)
{
	return module->base == other->base && module->bytes == other->bytes &&
	       module->build_id_bytes == other->build_id_bytes &&
	       memcmp(module->build_id, other->build_id,
		       module->build_id_bytes) == 0 &&
	       strncmp(module->path, other->path, REGISTRY_TEXT_MAX) == 0;
}

static uint32_t find_module(const struct registry_module *wanted)
{
	for (uint32_t i = 0; i < modules.count; i++)
		if (is_same_module(&modules.all[i], wanted))
			return i + 1;
	return 0;
}

static uint32_t add_module(const struct registry_module *module)
{
	size_t path_bytes = strnlen(module->path, REGISTRY_TEXT_MAX);
	const char *path;
	const char *build_id;

	if (!grow_modules())
		return 0;
	path = arena_copy(module->path, path_bytes);
	build_id = arena_copy(
		(const char *)module->build_id, module->build_id_bytes);
	if (path == NULL || build_id == NULL)
		return 0;
	modules.all[modules.count++] = (struct module){.base = module->base,
		.bytes = module->bytes,
		.path = path,
		.build_id = build_id,
		.path_bytes = (uint32_t)path_bytes,
		.build_id_bytes = module->build_id_bytes};
	return modules.count;
}

uint32_t registry_module(const struct registry_module *module)
{
	const struct thread_hold before = hold();
	uint32_t number;
	bool news = true;

	number = find_module(module);
	if (number == 0)
		number = add_module(module);
	else
		news = modules.all[number - 1].closed;
	if (number != 0 && news) {
		modules.all[number - 1].closed = false;
		if (is_on() && !emit_module(number))
			number = 0;
	}
	release(before);
	return number;
}

void registry_module_closed(uint32_t number)
{
	const struct thread_hold before = hold();

	modules.all[number - 1].closed = true;
	(void)emit_closed(number);
	release(before);
}

/* The table of sites: places named by the program, and functions known by
 * address. */
static const char UNNAMED[] = "(unnamed)";

enum { NAME, FILE_NAME, FULL_NAME, CATEGORY, TEXTS };

/* The key of a site; a function has its module and offset only. */
struct key {
	const char *texts[TEXTS];
	uint32_t sizes[TEXTS];
	uint32_t cut; /* this many of them */
	uint32_t line;
	uint32_t call_line;
	uint32_t module; /* 0: not a function known by address */
	uint64_t offset;
};

struct entry {
	struct ctp_site site;
	struct key key;
	uint64_t hash;
	uint32_t number;
};

/* Entries never move: ctp_site_intern() returns their addresses. */
static struct {
	struct entry **index; /* open addressing */
	uint32_t index_size;
	struct entry **by_number; /* number - 1 */
	uint32_t room;
	uint32_t count;
} sites;

static bool emit_function(const struct entry *entry)
{
	return emit(&(struct record){.kind = CHUNK_FUNCTION,
		.count = 3,
		.numbers = {
			entry->number, entry->key.module, entry->key.offset}});
}

static bool emit_plain(const struct entry *entry)
{
	const struct key *key = &entry->key;

	return emit(&(struct record){.kind = CHUNK_SITE,
		.count = 3,
		.numbers = {entry->number, key->line, key->sizes[NAME]},
		.texts = {key->texts[NAME], key->texts[FILE_NAME]},
		.sizes = {key->sizes[NAME], key->sizes[FILE_NAME]}});
}

static bool emit_info(const struct entry *entry)
{
	const struct key *key = &entry->key;
	struct record record = {.kind = CHUNK_SITE_INFO,
		.count = 4,
		.numbers = {entry->number,
			key->line | (uint64_t)key->call_line << 32,
			key->sizes[NAME] | (uint64_t)key->sizes[FILE_NAME]
						   << 32,
			key->sizes[FULL_NAME]}};

	_Static_assert(TEXTS == RECORD_TEXTS, "one record holds them");
	for (int i = 0; i < TEXTS; i++) {
		record.texts[i] = key->texts[i];
		record.sizes[i] = key->sizes[i];
	}
	return emit(&record);
}

static bool emit_site(const struct entry *entry)
{
	const struct key *key = &entry->key;

	if (key->module != 0)
		return emit_function(entry);
	count_cut(key->cut);
	return key->call_line == 0 && key->sizes[FULL_NAME] == 0 &&
			       key->sizes[CATEGORY] == 0
		       ? emit_plain(entry)
		       : emit_info(entry);
}

static bool emit_sites(void)
{
	bool good = true;

	for (uint32_t i = 0; good && i < sites.count; i++)
		good = emit_site(sites.by_number[i]);
	return good;
}

static bool grow_sites(void)
{
	uint32_t size = sites.index_size == 0 ? 1024 : sites.index_size * 2;
	struct entry **index = arena_alloc(size * sizeof(*index));
	struct entry **by_number = arena_alloc(size / 2 * sizeof(*by_number));

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

static uint64_t hash_of(const struct key *key)
{
	uint64_t hash = key->line * UINT64_C(0x9e3779b1) ^
			key->call_line * UINT64_C(0x85ebca77);

	if (key->module != 0)
		return stable_hash(&key->offset, sizeof(key->offset)) ^
		       key->module * UINT64_C(0xc2b2ae35);
	for (int i = 0; i < TEXTS; i++)
		hash = hash * 31 ^ stable_hash(key->texts[i], key->sizes[i]);
	return hash;
}

static bool equal_keys(const struct key *a, const struct key *b)
{
	bool same = a->line == b->line && a->call_line == b->call_line &&
		    a->module == b->module && a->offset == b->offset;

	for (int i = 0; same && i < TEXTS; i++)
		same = a->sizes[i] == b->sizes[i] &&
		       memcmp(a->texts[i], b->texts[i], a->sizes[i]) == 0;
	return same;
}

static struct entry *add_site(
	uint32_t slot, const struct key *key, uint64_t hash)
{
	struct entry *entry = sites.count + 1 < LOG_SITES_MAX
				      ? arena_alloc(sizeof(*entry))
				      : NULL;

	if (entry == NULL)
		return NULL;
	entry->key = *key;
	entry->hash = hash;
	for (int i = 0; i < TEXTS; i++) {
		entry->key.texts[i] = arena_copy(key->texts[i], key->sizes[i]);
		if (entry->key.texts[i] == NULL)
			return NULL;
	}
	entry->site = (struct ctp_site){entry->key.texts[NAME],
		entry->key.texts[FILE_NAME], key->line, 0};
	entry->number = sites.count + 1;
	if (entry->number < CHUNK_ID_LONG)
		entry->site.tag = (uint64_t)entry->number << CTP_TICK_BITS;
	if (is_on() && !emit_site(entry))
		return NULL;
	sites.by_number[sites.count++] = entry;
	sites.index[slot] = entry;
	return entry;
}

/* Returns the entry of this key, or sets the slot for it. */
static struct entry *find_entry(
	const struct key *key, uint64_t hash, uint32_t *slot)
{
	*slot = (uint32_t)hash & (sites.index_size - 1);
	for (; sites.index[*slot] != NULL;
		*slot = (*slot + 1) & (sites.index_size - 1)) {
		struct entry *entry = sites.index[*slot];

		if (entry->hash == hash && equal_keys(&entry->key, key))
			return entry;
	}
	return NULL;
}

static void set_text(struct key *key, int which, const char *text)
{
	key->texts[which] = text == NULL ? "" : text;
	key->sizes[which] =
		(uint32_t)strnlen(key->texts[which], REGISTRY_TEXT_MAX);
	key->cut += key->texts[which][key->sizes[which]] != '\0';
}

static struct key key_of(const char *name, const char *file, uint32_t line)
{
	struct key key = {.line = line};

	set_text(&key, NAME, name);
	set_text(&key, FILE_NAME, file);
	set_text(&key, FULL_NAME, NULL);
	set_text(&key, CATEGORY, NULL);
	return key;
}

/* Assigns number 1 before all others. */
static bool add_unnamed(void)
{
	const struct key key = key_of(UNNAMED, NULL, 0);
	uint64_t hash = hash_of(&key);

	return add_site((uint32_t)hash & (sites.index_size - 1), &key, hash) !=
	       NULL;
}

/* Returns the entry of this key, added if new. The lock is held. */
static struct entry *find_site(const struct key *key)
{
	uint64_t hash = hash_of(key);
	struct entry *entry;
	uint32_t slot;

	/* With room for another entry, the index has free slots. */
	if ((sites.count >= sites.room && !grow_sites()) ||
		(sites.count == 0 && !add_unnamed()))
		return NULL;
	entry = find_entry(key, hash, &slot);
	return entry != NULL ? entry : add_site(slot, key, hash);
}

const char *registry_site_name(uint32_t number)
{
	const struct thread_hold before = hold();
	const char *name = number == 0 || number > sites.count
				   ? UNNAMED
				   : sites.by_number[number - 1]->site.name;

	release(before);
	return name;
}

static uint32_t number_of(const struct entry *entry)
{
	return entry == NULL ? REGISTRY_UNNAMED : entry->number;
}

uint32_t registry_function(uint32_t module, uint64_t offset)
{
	const struct thread_hold before = hold();
	struct key key = key_of("", NULL, 0);
	uint32_t number;

	key.module = module;
	key.offset = offset;
	number = number_of(find_site(&key));
	release(before);
	return number;
}

uint32_t registry_site(struct ctp_site *site)
{
	const struct thread_hold before = hold();
	const struct key key = key_of(site->name, site->file, site->line);
	const struct entry *entry = find_site(&key);

	if (entry != NULL)
		__atomic_store_n(&site->tag, entry->site.tag, __ATOMIC_RELEASE);
	release(before);
	return number_of(entry);
}

struct ctp_site *registry_intern(const struct ctp_site_info *info)
{
	static struct ctp_site unnamed = {
		UNNAMED, "", 0, (uint64_t)REGISTRY_UNNAMED << CTP_TICK_BITS};
	const struct thread_hold before = hold();
	struct key key = key_of(info->name, info->file, info->line);
	struct entry *entry;

	key.call_line = info->call_line;
	if (info->full_name != NULL && strcmp(info->full_name, info->name) != 0)
		set_text(&key, FULL_NAME, info->full_name);
	set_text(&key, CATEGORY, info->category);
	entry = find_site(&key);
	release(before);
	return entry == NULL ? &unnamed : &entry->site;
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
	chunk = pop_chunk(1);
	atomic_store(&stream.first, chunk);
	atomic_store(&stream.last, chunk);
	if (chunk == NULL)
		stream.spool = NULL;
	else
		stream.room = spool_room(spool, chunk);
	good = chunk != NULL && emit_modules() && emit_sites();
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
	spool_push_free(stream.spool, first);
}

/* SPDX-License-Identifier: MIT */
/* The table of sites: places that the program names, and functions that are
 * known by their address. */
#include <string.h>

#include "recorder/arena.h"
#include "recorder/registry_private.h"
#include "base/stable_hash.h"

static const char UNNAMED[] = "(unnamed)";

enum { NAME, FILE_NAME, FULL_NAME, CATEGORY, TEXTS };

/* What sites are told apart by; a function has its module and offset only. */
struct key {
	const char *texts[TEXTS];
	uint32_t sizes[TEXTS];
	uint32_t cut; /* so many of them */
	uint32_t line;
	uint32_t call_line;
	uint32_t module; /* 0: not a function known by its address */
	uint64_t offset;
};

struct entry {
	struct ctp_site site;
	struct key key;
	uint64_t hash;
	uint32_t number;
};

/* Entries are never moved: ctp_site_intern() hands out their addresses. */
static struct {
	struct entry **index; /* open addressing */
	uint32_t index_size;
	struct entry **by_number; /* number - 1 */
	uint32_t room;
	uint32_t count;
} sites;

static bool emit_function(const struct entry *entry)
{
	return registry_emit(&(struct registry_record){.kind = CHUNK_FUNCTION,
		.count = 3,
		.numbers = {
			entry->number, entry->key.module, entry->key.offset}});
}

static bool emit_plain(const struct entry *entry)
{
	const struct key *key = &entry->key;

	return registry_emit(&(struct registry_record){.kind = CHUNK_SITE,
		.count = 3,
		.numbers = {entry->number, key->line, key->sizes[NAME]},
		.texts = {key->texts[NAME], key->texts[FILE_NAME]},
		.sizes = {key->sizes[NAME], key->sizes[FILE_NAME]}});
}

static bool emit_info(const struct entry *entry)
{
	const struct key *key = &entry->key;
	struct registry_record record = {.kind = CHUNK_SITE_INFO,
		.count = 4,
		.numbers = {entry->number,
			key->line | (uint64_t)key->call_line << 32,
			key->sizes[NAME] | (uint64_t)key->sizes[FILE_NAME]
						   << 32,
			key->sizes[FULL_NAME]}};

	_Static_assert(TEXTS == REGISTRY_TEXTS, "one record holds them");
	for (int i = 0; i < TEXTS; i++) {
		record.texts[i] = key->texts[i];
		record.sizes[i] = key->sizes[i];
	}
	return registry_emit(&record);
}

static bool emit(const struct entry *entry)
{
	const struct key *key = &entry->key;

	if (key->module != 0)
		return emit_function(entry);
	registry_cut(key->cut);
	return key->call_line == 0 && key->sizes[FULL_NAME] == 0 &&
			       key->sizes[CATEGORY] == 0
		       ? emit_plain(entry)
		       : emit_info(entry);
}

bool registry_emit_sites(void)
{
	bool good = true;

	for (uint32_t i = 0; good && i < sites.count; i++)
		good = emit(sites.by_number[i]);
	return good;
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

static bool equal(const struct key *a, const struct key *b)
{
	bool same = a->line == b->line && a->call_line == b->call_line &&
		    a->module == b->module && a->offset == b->offset;

	for (int i = 0; same && i < TEXTS; i++)
		same = a->sizes[i] == b->sizes[i] &&
		       memcmp(a->texts[i], b->texts[i], a->sizes[i]) == 0;
	return same;
}

static struct entry *add(uint32_t slot, const struct key *key, uint64_t hash)
{
	struct entry *entry = sites.count + 1 < LOG_SITES_MAX
				      ? arena_take(sizeof(*entry))
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
	if (registry_is_on() && !emit(entry))
		return NULL;
	sites.by_number[sites.count++] = entry;
	sites.index[slot] = entry;
	return entry;
}

/* The entry of this key, or the slot where it belongs. */
static struct entry *look(const struct key *key, uint64_t hash, uint32_t *slot)
{
	*slot = (uint32_t)hash & (sites.index_size - 1);
	for (; sites.index[*slot] != NULL;
		*slot = (*slot + 1) & (sites.index_size - 1)) {
		struct entry *entry = sites.index[*slot];

		if (entry->hash == hash && equal(&entry->key, key))
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

/* Number 1 is taken before any other. */
static bool add_unnamed(void)
{
	const struct key key = key_of(UNNAMED, NULL, 0);
	uint64_t hash = hash_of(&key);

	return add((uint32_t)hash & (sites.index_size - 1), &key, hash) != NULL;
}

/* The entry of this key, made if it is new. The lock is held. */
static struct entry *find(const struct key *key)
{
	uint64_t hash = hash_of(key);
	struct entry *entry;
	uint32_t slot;

	/* With room for one more the index has free slots. */
	if ((sites.count >= sites.room && !grow()) ||
		(sites.count == 0 && !add_unnamed()))
		return NULL;
	entry = look(key, hash, &slot);
	return entry != NULL ? entry : add(slot, key, hash);
}

const char *registry_site_name(uint32_t number)
{
	const struct thread_hold before = registry_hold();
	const char *name = number == 0 || number > sites.count
				   ? UNNAMED
				   : sites.by_number[number - 1]->site.name;

	registry_release(before);
	return name;
}

static uint32_t number_of(const struct entry *entry)
{
	return entry == NULL ? REGISTRY_UNNAMED : entry->number;
}

uint32_t registry_function(uint32_t module, uint64_t offset)
{
	const struct thread_hold before = registry_hold();
	struct key key = key_of("", NULL, 0);
	uint32_t number;

	key.module = module;
	key.offset = offset;
	number = number_of(find(&key));
	registry_release(before);
	return number;
}

uint32_t registry_site(struct ctp_site *site)
{
	const struct thread_hold before = registry_hold();
	const struct key key = key_of(site->name, site->file, site->line);
	const struct entry *entry = find(&key);

	if (entry != NULL)
		__atomic_store_n(&site->tag, entry->site.tag, __ATOMIC_RELEASE);
	registry_release(before);
	return number_of(entry);
}

struct ctp_site *registry_intern(const struct ctp_site_info *info)
{
	static struct ctp_site unnamed = {
		UNNAMED, "", 0, (uint64_t)REGISTRY_UNNAMED << CTP_TICK_BITS};
	const struct thread_hold before = registry_hold();
	struct key key = key_of(info->name, info->file, info->line);
	struct entry *entry;

	key.call_line = info->call_line;
	if (info->full_name != NULL && strcmp(info->full_name, info->name) != 0)
		set_text(&key, FULL_NAME, info->full_name);
	set_text(&key, CATEGORY, info->category);
	entry = find(&key);
	registry_release(before);
	return entry == NULL ? &unnamed : &entry->site;
}

/* SPDX-License-Identifier: MIT */
#include "timeline/json_args.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "json/json.h"

/* Prefix of a member's key in json_names.keys. */
#define JSON_ARGS_MEMBER "\"" TRACE_MEMBER
#define JSON_ARGS_MEMBER_SIZE (sizeof(JSON_ARGS_MEMBER) - 1)

/* Limits for arguments of ended ranges that are kept for reuse. */
#define SPARE_MAX 64
#define SPARE_BYTES_MAX 4096
#define SPARE_ITEMS_MAX 128

/* Number of arguments from which the index is used. */
#define INDEX_MIN 64

struct json_args_item {
	uint32_t key; /* in json_names.keys */
	bool is_beside;
	bool is_gone; /* set again later, or taken out */
	size_t start; /* in json_args.text */
	size_t size;  /* without the comma */
};

void json_args_clear(struct json_args *args)
{
	memory_free(args->items);
	memory_free(args->index.entries);
	json_clear(&args->text);
	*args = (struct json_args)JSON_ARGS_INIT;
}

void json_args_free(struct json_args *args)
{
	if (args != NULL)
		json_args_clear(args);
	memory_free(args);
}

void json_args_reset(struct json_args *args)
{
	args->count = 0;
	memory_free(args->index.entries);
	args->index = (struct index){0};
	args->gone_bytes = 0;
	args->has_beside = false;
	args->keys = 0;
	args->text.used = 0;
}

struct json_args *json_args_acquire(struct json_names *names)
{
	struct json_args *args = names->spare;

	if (args == NULL)
		return memory_new_zeroed(1, sizeof(*args));
	names->spare = args->next;
	names->spare_count--;
	return args;
}

void json_args_release(struct json_names *names, struct json_args *args)
{
	if (args == NULL)
		return;
	if (names->spare_count == SPARE_MAX ||
		args->text.room > SPARE_BYTES_MAX ||
		args->room > SPARE_ITEMS_MAX) {
		json_args_free(args);
		return;
	}
	json_args_reset(args);
	args->next = names->spare;
	names->spare = args;
	names->spare_count++;
}

static void free_spare(struct json_names *names)
{
	while (names->spare != NULL) {
		struct json_args *args = names->spare;

		names->spare = args->next;
		json_args_free(args);
	}
}

/* Is it a member of the event itself, other than the standard ones? */
static bool is_beside(const char *key, size_t size)
{
	static const char *const taken[] = {
		"ph", "ts", "dur", "pid", "tid", "name", "cat", "args"};
	const char *name = key + JSON_ARGS_MEMBER_SIZE;
	const char *end;

	if (size < JSON_ARGS_MEMBER_SIZE ||
		memcmp(key, JSON_ARGS_MEMBER, JSON_ARGS_MEMBER_SIZE) != 0)
		return false;
	end = memchr(name, '"', size - JSON_ARGS_MEMBER_SIZE);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (strlen(taken[i]) == (size_t)(end - name) &&
			memcmp(name, taken[i], strlen(taken[i])) == 0)
			return false;
	return true;
}

/* Adds `"key":` to the keys; returns its number, 0 if out of memory. */
static uint32_t add_key(
	struct json_names *names, const char *bytes, size_t size)
{
	uint32_t number = strtab_add(names->keys, bytes, size);

	if (number == STRTAB_NONE ||
		!array_ensure_index(&names->made, number, &names->made_room,
			sizeof(*names->made)))
		return 0;
	names->made[number] = (struct json_arg_key){
		.bytes = strtab_text(names->keys, number, NULL),
		.size = size,
		.number = number,
		.is_beside = is_beside(bytes, size)};
	return number;
}

bool json_names_init(struct json_names *names, const struct trace *trace)
{
	static const char *const own[] = {
		[JSON_ARGS_KEY_FILE] = "\"file\":",
		[JSON_ARGS_KEY_LINE] = "\"line\":",
		[JSON_ARGS_KEY_OPEN] = "\"open\":",
		[JSON_ARGS_KEY_EXTERNAL_ID] = "\"External id\":",
		[JSON_ARGS_KEY_CORRELATION] = "\"correlation\":",
		[JSON_ARGS_KEY_CATEGORY] = "\"category\":",
		[JSON_ARGS_KEY_DEVICE] = "\"device\":",
		[JSON_ARGS_KEY_CONTEXT] = "\"context\":",
		[JSON_ARGS_KEY_STREAM] = "\"stream\":",
		[JSON_ARGS_KEY_BYTES] = "\"bytes\":",
		[JSON_ARGS_KEY_BANDWIDTH] = "\"memory bandwidth (GB/s)\":",
		[JSON_ARGS_KEY_QUEUED] = "\"queued\":",
		[JSON_ARGS_KEY_BLOCKS] = "\"blocks per SM\":",
		[JSON_ARGS_KEY_WARPS] = "\"warps per SM\":",
		[JSON_ARGS_KEY_OCCUPANCY] = "\"est. achieved occupancy %\":",
		[JSON_ARGS_KEY_ID] = "\"id\":",
		[JSON_ARGS_KEY_PID] = "\"pid\":",
		[JSON_ARGS_KEY_MEMBER_PHASE] = "\"event.ph\":",
		[JSON_ARGS_KEY_MEMBER_ID] = "\"event.id\":",
		[JSON_ARGS_KEY_MEMBER_ID2] = "\"event.id2\":",
		[JSON_ARGS_KEY_MEMBER_SCOPE] = "\"event.scope\":",
		[JSON_ARGS_KEY_MEMBER_REACH] = "\"event.s\":",
		[JSON_ARGS_KEY_MEMBER_BIND] = "\"event.bp\":",
	};

	*names = (struct json_names){.trace = trace};
	names->keys = strtab_new();
	if (names->keys == NULL || !json_init(&names->scratch, NULL))
		return false;
	for (uint32_t i = JSON_ARGS_KEY_FILE; i < JSON_ARGS_KEYS; i++)
		if (add_key(names, own[i], strlen(own[i])) != i)
			return false;
	names->runtime_category = strtab_add(trace->text, "cuda_runtime", 12);
	names->driver_category = strtab_add(trace->text, "cuda_driver", 11);
	return names->runtime_category != STRTAB_NONE &&
	       names->driver_category != STRTAB_NONE;
}

void json_names_clear(struct json_names *names)
{
	for (uint32_t i = 0; i < names->site_count; i++)
		memory_free(names->sites[i].bytes);
	memory_free(names->sites);
	memory_free(names->key_of_text);
	memory_free(names->made);
	free_spare(names);
	strtab_free(names->keys);
	json_clear(&names->scratch);
}

bool json_names_is_call(const struct json_names *names, uint32_t site)
{
	uint32_t category = names->trace->sites[site].category;

	return category == names->runtime_category ||
	       category == names->driver_category;
}

struct json *json_names_scratch(struct json_names *names)
{
	names->scratch.used = 0;
	names->scratch.comma = false;
	names->scratch.failed = false;
	return &names->scratch;
}

static void raw_string(
	struct json *json, const struct strtab *table, uint32_t number)
{
	size_t size;
	const char *bytes = strtab_text(table, number, &size);

	json_raw_string(json, bytes, size);
}

/* Writes both, even if one is unknown: chrome_read_args.c treats "file" alone
 * as an ordinary argument. */
static void write_place(struct json_names *names, struct json_site *made,
	const struct trace_site *site)
{
	struct json *json = &names->scratch;
	bool has_place = site->file != 0 || site->line != 0;

	json_raw_text(json, ",\"args\":{");
	made->file_at = json->used;
	if (has_place) {
		json_raw_text(json, "\"file\":");
		raw_string(json, names->trace->text, site->file);
	}
	made->file_size = json->used - made->file_at;
	if (has_place)
		json_raw_text(json, ",");
	made->line_at = json->used;
	if (has_place) {
		json_raw_text(json, "\"line\":");
		json_uint(json, site->line);
	}
	if (has_place && site->call_line != 0)
		json_raw_text(json, ",");
	if (site->call_line != 0) {
		json_raw_text(json, "\"call_line\":");
		/* The comma is already written. */
		json->comma = false;
		json_uint(json, site->call_line);
	}
	made->line_size = json->used - made->line_at;
}

/* Makes the entry in the scratch buffer, then copies it to its final place. */
static bool make_site(struct json_names *names, uint32_t number)
{
	struct json_site *made = &names->sites[number];
	struct json *json = json_names_scratch(names);
	struct trace_site site;

	assert(number < names->trace->site_count);
	site = names->trace->sites[number];
	json_raw_text(json, ",\"name\":");
	raw_string(json, names->trace->text, site.name);
	made->name_size = json->used;
	json_raw_text(json, ",\"cat\":");
	if (site.category == 0)
		json_raw_text(json, "\"" JSON_ARGS_NO_CATEGORY "\"");
	else
		raw_string(json, names->trace->text, site.category);
	made->cat_size = json->used;
	if (site.file != 0 || site.line != 0 || site.call_line != 0)
		write_place(names, made, &site);
	if (json->failed)
		return false;
	made->bytes = memory_new(json->used);
	if (made->bytes == NULL)
		return false;
	memcpy(made->bytes, json->bytes, json->used);
	made->size = json->used;
	return true;
}

const struct json_site *json_names_make_site(
	struct json_names *names, uint32_t site)
{
	if (!array_ensure_index(&names->sites, site, &names->site_count,
		    sizeof(*names->sites)))
		return NULL;
	if (names->sites[site].bytes == NULL && !make_site(names, site))
		return NULL;
	return &names->sites[site];
}

const struct json_arg_key *json_names_make_key(
	struct json_names *names, uint32_t number)
{
	struct json *json;
	uint32_t key;

	if (!array_ensure_index(&names->key_of_text, number, &names->key_room,
		    sizeof(*names->key_of_text)))
		return NULL;
	json = json_names_scratch(names);
	raw_string(json, names->trace->text, number);
	json_raw_text(json, ":");
	if (json->failed)
		return NULL;
	key = add_key(names, json->bytes, json->used);
	if (key == 0)
		return NULL;
	names->key_of_text[number] = key;
	return &names->made[key];
}

static uint64_t bit_of(uint32_t key)
{
	return UINT64_C(1) << key % 64;
}

/* The number + 1 of the key's last item in the index, which is not empty; 0 if
 * it is missing. Sets its slot, or the free slot for it. */
static uint32_t find_number(
	const struct json_args *args, uint32_t key, uint32_t *slot)
{
	uint64_t hash = hash_word(key);
	uint32_t number;

	*slot = index_first(&args->index, hash);
	while ((number = index_find(&args->index, hash, slot)) != INDEX_NONE) {
		if (args->items[number].key == key)
			return number + 1;
		*slot = index_after(&args->index, *slot);
	}
	return 0;
}

static void index_item(struct json_args *args, uint32_t number)
{
	uint32_t key = args->items[number].key;
	uint32_t slot;

	(void)find_number(args, key, &slot);
	index_set(&args->index, slot, hash_word(key), number);
}

/* Adds the last item to the index, if an index is needed. */
static bool index_last(struct json_args *args)
{
	bool is_new = args->index.size == 0;

	if (is_new && args->count < INDEX_MIN)
		return true;
	if (!index_reserve(&args->index, args->count))
		return false;
	for (uint32_t i = is_new ? 0 : args->count - 1; i < args->count; i++)
		index_item(args, i);
	return true;
}

/* The key's item; NULL if there is none. */
static struct json_args_item *find(const struct json_args *args, uint32_t key)
{
	uint32_t number = args->count;
	uint32_t slot;

	if ((args->keys & bit_of(key)) == 0)
		return NULL;
	if (args->index.size > 0)
		number = find_number(args, key, &slot);
	else
		while (number > 0 && args->items[number - 1].key != key)
			number--;
	if (number == 0 || args->items[number - 1].is_gone)
		return NULL;
	return &args->items[number - 1];
}

bool json_args_has(const struct json_args *args, uint32_t key)
{
	return find(args, key) != NULL;
}

/* Frees the memory of removed items. */
static void compact(struct json_args *args)
{
	uint32_t count = 0;
	size_t used = 0;

	for (uint32_t i = 0; i < args->count; i++) {
		struct json_args_item item = args->items[i];

		if (item.is_gone)
			continue;
		memmove(args->text.bytes + used, args->text.bytes + item.start,
			item.size + 1);
		item.start = used;
		used += item.size + 1;
		args->items[count++] = item;
	}
	args->count = count;
	args->text.used = used;
	args->gone_bytes = 0;
	if (args->index.size == 0)
		return;
	index_clear(&args->index);
	for (uint32_t i = 0; i < count; i++)
		index_item(args, i);
}

/* A key set twice keeps the last value, as in JSON readers. Moving the items
 * after the first one each time would take too long. */
static void drop(struct json_args *args, struct json_args_item *item)
{
	item->is_gone = true;
	args->gone_bytes += item->size + 1;
	if (2 * args->gone_bytes > args->text.used)
		compact(args);
}

/* Adds the entry of a member that begins here; NULL if out of memory. */
static inline struct json_args_item *push(
	struct json_args *args, const struct json_arg_key *key)
{
	struct json_args_item *item = find(args, key->number);

	if (item != NULL)
		drop(args, item);
	if (!array_reserve32(&args->items, args->count, &args->room,
		    sizeof(*args->items)))
		return NULL;
	args->keys |= bit_of(key->number);
	args->has_beside |= key->is_beside;
	item = &args->items[args->count++];
	item->key = key->number;
	item->is_beside = key->is_beside;
	item->is_gone = false;
	item->start = args->text.used;
	return index_last(args) ? item : NULL;
}

/* Begins a member; the caller writes its value to the result. NULL if out of
 * memory. */
static struct json *begin_member(
	struct json_args *args, const struct json_arg_key *key)
{
	if (push(args, key) == NULL)
		return NULL;
	json_raw(&args->text, key->bytes, key->size);
	args->text.comma = false;
	return &args->text;
}

static bool end_member(struct json_args *args)
{
	struct json *json = &args->text;
	struct json_args_item *item = &args->items[args->count - 1];

	item->size = json->used - item->start;
	json_raw(json, ",", 1);
	return !json->failed;
}

/* A member that is plain text or an integer, as most are. */
static bool add_plain(struct json_args *args, const struct json_arg_key *key,
	const struct event_arg *arg)
{
	struct json_args_item *item = push(args, key);
	size_t size =
		arg->kind == ARG_JSON ? arg->value.text.size : JSON_NUMBER_MAX;
	char *at = json_room(&args->text, key->size + size + 1);

	if (item == NULL || at == NULL)
		return false;
	memcpy(at, key->bytes, key->size);
	at += key->size;
	if (arg->kind == ARG_INT) {
		at = json_put_int(at, arg->value.integer);
	} else if (size > 0) {
		memcpy(at, arg->value.text.bytes, size);
		at += size;
	}
	*at = ',';
	json_advance(&args->text, at + 1);
	item->size = args->text.used - 1 - item->start;
	return true;
}

static bool add(struct json_args *args, const struct json_arg_key *key,
	const struct event_arg *arg)
{
	struct json *json;

	if (arg->kind == ARG_INT || arg->kind == ARG_JSON)
		return add_plain(args, key, arg);
	json = begin_member(args, key);
	if (json == NULL)
		return false;
	json_arg(json, arg);
	return end_member(args);
}

/* Counts invalid text in the common total. */
static void count_replaced(struct json_args *args, struct json_names *names)
{
	names->scratch.replaced += args->text.replaced;
	args->text.replaced = 0;
}

bool json_args_add(struct json_args *args, struct json_names *names,
	const struct event *event)
{
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];
		const struct json_arg_key *key =
			json_names_key(names, arg->key);

		if (key == NULL || !add(args, key, arg))
			return false;
	}
	count_replaced(args, names);
	return true;
}

static struct json *begin_own(
	struct json_args *args, const struct json_names *names, uint32_t number)
{
	return begin_member(args, &names->made[number]);
}

bool json_args_add_int(struct json_args *args, struct json_names *names,
	uint32_t key, int64_t value)
{
	struct json *json = begin_own(args, names, key);

	if (json == NULL)
		return false;
	json_int(json, value);
	return end_member(args);
}

bool json_args_add_double(struct json_args *args, struct json_names *names,
	uint32_t key, double value)
{
	struct json *json = begin_own(args, names, key);

	if (json == NULL)
		return false;
	json_double(json, value);
	return end_member(args);
}

bool json_args_add_category(
	struct json_args *args, struct json_names *names, uint32_t site)
{
	uint32_t category = names->trace->sites[site].category;
	struct json *json;
	size_t size;
	const char *bytes = strtab_text(names->trace->text, category, &size);

	if (category == 0)
		return true;
	json = begin_own(args, names, JSON_ARGS_KEY_CATEGORY);
	if (json == NULL)
		return false;
	json_text_sized(json, bytes, size);
	count_replaced(args, names);
	return end_member(args);
}

bool json_args_add_open(struct json_args *args, struct json_names *names)
{
	struct json *json;

	if (json_args_has(args, JSON_ARGS_KEY_OPEN))
		return true;
	json = begin_own(args, names, JSON_ARGS_KEY_OPEN);
	if (json == NULL)
		return false;
	json_bool(json, true);
	return end_member(args);
}

char json_args_remove_phase(struct json_args *args)
{
	static const char phase[] = JSON_ARGS_MEMBER "ph\":\"?\"";
	const size_t at = sizeof(phase) - sizeof("?\"");

	struct json_args_item *item = find(args, JSON_ARGS_KEY_MEMBER_PHASE);
	char letter;

	if (item == NULL || item->size != sizeof(phase) - 1)
		return 0;
	letter = args->text.bytes[item->start + at];
	if (strchr("RnNODcvV()=", letter) == NULL)
		return 0;
	drop(args, item);
	return letter;
}

static void write_member(struct json *json, const char *text, size_t size)
{
	if (size > 5 && memcmp(text + size - 5, ":null", 5) == 0)
		return;
	json_raw_text(json, ",\"");
	json_raw(json, text + JSON_ARGS_MEMBER_SIZE,
		size - JSON_ARGS_MEMBER_SIZE);
}

/* Writes one member; the first opens the object. */
static void member(
	struct json *json, bool *first, const void *bytes, size_t size)
{
	json_raw_text(json, *first ? ",\"args\":{" : ",");
	*first = false;
	json_raw(json, bytes, size);
}

/* Writes only the arguments, one by one, if there are other members too. */
static void write_mixed(
	struct json *json, bool *first, const struct json_args *args)
{
	for (uint32_t i = 0; i < args->count; i++)
		if (!args->items[i].is_beside && !args->items[i].is_gone)
			member(json, first,
				args->text.bytes + args->items[i].start,
				args->items[i].size);
}

/* Writes the members beside the arguments. */
static void write_beside(struct json *json, const struct json_args *args)
{
	for (uint32_t i = 0; i < args->count; i++) {
		const struct json_args_item *item = &args->items[i];

		if (item->is_beside && !item->is_gone)
			write_member(json, args->text.bytes + item->start,
				item->size);
	}
}

void json_args_move_beside(struct json *json, struct json_args *args)
{
	if (args == NULL || !args->has_beside)
		return;
	write_beside(json, args);
	for (uint32_t i = 0; i < args->count; i++) {
		struct json_args_item *item = &args->items[i];

		if (!item->is_beside || item->is_gone)
			continue;
		item->is_gone = true;
		args->gone_bytes += item->size + 1;
	}
	args->has_beside = false;
}

void json_args_write(struct json *json, const struct json_site *site,
	const struct json_args *args)
{
	bool first = true;

	if (site != NULL && site->file_size > 0 &&
		(args == NULL || !json_args_has(args, JSON_ARGS_KEY_FILE)))
		member(json, &first, site->bytes + site->file_at,
			site->file_size);
	if (site != NULL && site->line_size > 0 &&
		(args == NULL || !json_args_has(args, JSON_ARGS_KEY_LINE)))
		member(json, &first, site->bytes + site->line_at,
			site->line_size);
	if (args != NULL && (args->has_beside || args->gone_bytes > 0))
		write_mixed(json, &first, args);
	else if (args != NULL && args->count > 0)
		member(json, &first, args->text.bytes, args->text.used - 1);
	if (!first)
		json_raw_text(json, "}");
	if (args != NULL && args->has_beside)
		write_beside(json, args);
}

void json_args_write_object(struct json *json, const struct json_args *args)
{
	json_begin(json, '{');
	for (uint32_t i = 0; i < args->count; i++)
		if (!args->items[i].is_gone)
			json_value(json,
				args->text.bytes + args->items[i].start,
				args->items[i].size);
	json_end(json, '}');
}

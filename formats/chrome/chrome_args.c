/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_args.h"

#include <string.h>

#include "base/hash.h"
#include "json/json_arg.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "chrome/trace_members.h"

/* So many wait to be used again, if they are no larger than this. */
#define SPARE_MAX 64
#define SPARE_BYTES_MAX 4096
#define SPARE_ITEMS_MAX 128

/* So many are not searched one by one any more. */
#define INDEX_MIN 64

struct chrome_arg {
	uint32_t key; /* in chrome_text.keys */
	bool is_beside;
	bool is_gone; /* it was set again behind this one, or taken */
	size_t start; /* in chrome_args.text */
	size_t size;  /* without the comma */
};

void chrome_args_clear(struct chrome_args *args)
{
	memory_free(args->items);
	memory_free(args->index);
	json_clear(&args->text);
	*args = (struct chrome_args)CHROME_ARGS_INIT;
}

void chrome_args_reset(struct chrome_args *args)
{
	args->count = 0;
	memory_free(args->index);
	args->index = NULL;
	args->index_size = 0;
	args->gone_bytes = 0;
	args->has_beside = false;
	args->keys = 0;
	args->text.used = 0;
}

struct chrome_args *chrome_args_take(struct chrome_text *text)
{
	struct chrome_args *args = text->spare;

	if (args == NULL)
		return memory_new_zeroed(1, sizeof(*args));
	text->spare = args->next;
	text->spare_count--;
	return args;
}

void chrome_args_give(struct chrome_text *text, struct chrome_args *args)
{
	if (args == NULL)
		return;
	if (text->spare_count == SPARE_MAX ||
		args->text.room > SPARE_BYTES_MAX ||
		args->room > SPARE_ITEMS_MAX) {
		chrome_args_clear(args);
		memory_free(args);
		return;
	}
	chrome_args_reset(args);
	args->next = text->spare;
	text->spare = args;
	text->spare_count++;
}

void chrome_args_free_spare(struct chrome_text *text)
{
	while (text->spare != NULL) {
		struct chrome_args *args = text->spare;

		text->spare = args->next;
		chrome_args_clear(args);
		memory_free(args);
	}
}

static uint64_t bit_of(uint32_t key)
{
	return UINT64_C(1) << key % 64;
}

/* Where the number of the key's last item is, or belongs. */
static uint32_t *index_slot(const struct chrome_args *args, uint32_t key)
{
	size_t mask = args->index_size - 1;
	size_t slot = (size_t)hash_word(key) & mask;

	while (args->index[slot] != 0 &&
		args->items[args->index[slot] - 1].key != key)
		slot = (slot + 1) & mask;
	return &args->index[slot];
}

static void fill_index(struct chrome_args *args)
{
	memset(args->index, 0, args->index_size * sizeof(*args->index));
	for (uint32_t i = 0; i < args->count; i++)
		*index_slot(args, args->items[i].key) = i + 1;
}

/* Adds the last item to the index, if there is to be one. */
static bool index_last(struct chrome_args *args)
{
	size_t size = 4 * INDEX_MIN;
	uint32_t *index;

	if (args->index_size == 0 && args->count < INDEX_MIN)
		return true;
	if (args->index_size / 2 >= args->count) {
		*index_slot(args, args->items[args->count - 1].key) =
			args->count;
		return true;
	}
	while (size / 4 < args->count)
		size *= 2;
	index = memory_resize_array(args->index, size, sizeof(*index));
	if (index == NULL)
		return false;
	args->index = index;
	args->index_size = size;
	fill_index(args);
	return true;
}

/* The item that the key has; NULL if it has none. */
static struct chrome_arg *find(const struct chrome_args *args, uint32_t key)
{
	uint32_t number = args->count;

	if ((args->keys & bit_of(key)) == 0)
		return NULL;
	if (args->index_size > 0)
		number = *index_slot(args, key);
	else
		while (number > 0 && args->items[number - 1].key != key)
			number--;
	if (number == 0 || args->items[number - 1].is_gone)
		return NULL;
	return &args->items[number - 1];
}

bool chrome_args_has(const struct chrome_args *args, uint32_t key)
{
	return find(args, key) != NULL;
}

/* Those that are gone leave the memory. */
static void compact(struct chrome_args *args)
{
	uint32_t count = 0;
	size_t used = 0;

	for (uint32_t i = 0; i < args->count; i++) {
		struct chrome_arg item = args->items[i];

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
	if (args->index_size > 0)
		fill_index(args);
}

/* A key set twice keeps the last value, as a JSON reader would. To move what is
 * behind the first one each time would take too long. */
static void drop(struct chrome_args *args, struct chrome_arg *item)
{
	item->is_gone = true;
	args->gone_bytes += item->size + 1;
	if (2 * args->gone_bytes > args->text.used)
		compact(args);
}

/* The entry of a member that begins here; NULL if out of memory. */
static inline struct chrome_arg *push(
	struct chrome_args *args, const struct chrome_key *key)
{
	struct chrome_arg *item = find(args, key->number);

	if (item != NULL)
		drop(args, item);
	if (!memory_grow32(&args->items, args->count, &args->room,
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

/* Begins a member, whose value is to be written to this; NULL if out of memory.
 */
static struct json *begin_member(
	struct chrome_args *args, const struct chrome_key *key)
{
	if (push(args, key) == NULL)
		return NULL;
	json_raw(&args->text, key->bytes, key->size);
	args->text.comma = false;
	return &args->text;
}

static bool end_member(struct chrome_args *args)
{
	struct json *json = &args->text;
	struct chrome_arg *item = &args->items[args->count - 1];

	item->size = json->used - item->start;
	json_raw(json, ",", 1);
	return !json->failed;
}

/* A member that is text as it is, or an integer: most are. */
static bool add_plain(struct chrome_args *args, const struct chrome_key *key,
	const struct event_arg *arg)
{
	struct chrome_arg *item = push(args, key);
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

static bool add(struct chrome_args *args, const struct chrome_key *key,
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

/* Bad text is counted where all is. */
static void count_replaced(struct chrome_args *args, struct chrome_text *text)
{
	text->scratch.replaced += args->text.replaced;
	args->text.replaced = 0;
}

bool chrome_args_add(struct chrome_args *args, struct chrome_text *text,
	const struct event *event)
{
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];
		const struct chrome_key *key = chrome_text_key(text, arg->key);

		if (key == NULL || !add(args, key, arg))
			return false;
	}
	count_replaced(args, text);
	return true;
}

static struct json *begin_own(struct chrome_args *args,
	const struct chrome_text *text, uint32_t number)
{
	return begin_member(args, &text->made[number]);
}

bool chrome_args_add_int(struct chrome_args *args, struct chrome_text *text,
	uint32_t key, int64_t value)
{
	struct json *json = begin_own(args, text, key);

	if (json == NULL)
		return false;
	json_int(json, value);
	return end_member(args);
}

bool chrome_args_add_double(struct chrome_args *args, struct chrome_text *text,
	uint32_t key, double value)
{
	struct json *json = begin_own(args, text, key);

	if (json == NULL)
		return false;
	json_double(json, value);
	return end_member(args);
}

bool chrome_args_add_category(
	struct chrome_args *args, struct chrome_text *text, uint32_t site)
{
	uint32_t category = text->trace->sites[site].category;
	struct json *json;
	size_t size;
	const char *bytes = strtab_text(text->trace->text, category, &size);

	if (category == 0)
		return true;
	json = begin_own(args, text, CHROME_KEY_CATEGORY);
	if (json == NULL)
		return false;
	json_text_sized(json, bytes, size);
	count_replaced(args, text);
	return end_member(args);
}

bool chrome_args_add_open(struct chrome_args *args, struct chrome_text *text)
{
	struct json *json;

	if (chrome_args_has(args, CHROME_KEY_OPEN))
		return true;
	json = begin_own(args, text, CHROME_KEY_OPEN);
	if (json == NULL)
		return false;
	json_bool(json, true);
	return end_member(args);
}

char chrome_args_take_phase(struct chrome_args *args)
{
	static const char phase[] = CHROME_MEMBER "ph\":\"?\"";
	const size_t at = sizeof(phase) - sizeof("?\"");

	struct chrome_arg *item = find(args, CHROME_KEY_MEMBER_PHASE);
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
	json_raw(json, text + CHROME_MEMBER_SIZE, size - CHROME_MEMBER_SIZE);
}

/* Writes one member; the first opens the object. */
static void member(
	struct json *json, bool *first, const void *bytes, size_t size)
{
	json_raw_text(json, *first ? ",\"args\":{" : ",");
	*first = false;
	json_raw(json, bytes, size);
}

/* Those that are arguments, one by one, where not all are. */
static void write_mixed(
	struct json *json, bool *first, const struct chrome_args *args)
{
	for (uint32_t i = 0; i < args->count; i++)
		if (!args->items[i].is_beside && !args->items[i].is_gone)
			member(json, first,
				args->text.bytes + args->items[i].start,
				args->items[i].size);
}

/* Those that stand beside the arguments. */
static void write_beside(struct json *json, const struct chrome_args *args)
{
	for (uint32_t i = 0; i < args->count; i++) {
		const struct chrome_arg *item = &args->items[i];

		if (item->is_beside && !item->is_gone)
			write_member(json, args->text.bytes + item->start,
				item->size);
	}
}

void chrome_args_move_beside(struct json *json, struct chrome_args *args)
{
	if (args == NULL || !args->has_beside)
		return;
	write_beside(json, args);
	for (uint32_t i = 0; i < args->count; i++) {
		struct chrome_arg *item = &args->items[i];

		if (!item->is_beside || item->is_gone)
			continue;
		item->is_gone = true;
		args->gone_bytes += item->size + 1;
	}
	args->has_beside = false;
}

void chrome_args_write(struct json *json, const struct chrome_site *site,
	const struct chrome_args *args)
{
	bool first = true;

	if (site != NULL && site->file_size > 0 &&
		(args == NULL || !chrome_args_has(args, CHROME_KEY_FILE)))
		member(json, &first, site->bytes + site->file_at,
			site->file_size);
	if (site != NULL && site->line_size > 0 &&
		(args == NULL || !chrome_args_has(args, CHROME_KEY_LINE)))
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

void chrome_args_write_object(struct json *json, const struct chrome_args *args)
{
	json_begin(json, '{');
	for (uint32_t i = 0; i < args->count; i++)
		if (!args->items[i].is_gone)
			json_value(json,
				args->text.bytes + args->items[i].start,
				args->items[i].size);
	json_end(json, '}');
}

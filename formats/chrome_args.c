/* SPDX-License-Identifier: MIT */
#include "chrome_args.h"

#include <string.h>

#include "json_arg.h"
#include "memory.h"
#include "trace_members.h"

/* So many wait to be used again, if they are no larger than this. */
#define SPARE_MAX 64
#define SPARE_BYTES_MAX 4096
#define SPARE_ITEMS_MAX 128

struct chrome_arg {
	uint32_t key; /* in chrome_text.keys */
	bool is_beside;
	size_t start; /* in chrome_args.text */
	size_t size;  /* without the comma */
};

void chrome_args_clear(struct chrome_args *args)
{
	memory_free(args->items);
	json_clear(&args->text);
	*args = (struct chrome_args)CHROME_ARGS_INIT;
}

void chrome_args_reset(struct chrome_args *args)
{
	args->count = 0;
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

bool chrome_args_has(const struct chrome_args *args, uint32_t key)
{
	if ((args->keys & bit_of(key)) == 0)
		return false;
	for (uint32_t i = 0; i < args->count; i++)
		if (args->items[i].key == key)
			return true;
	return false;
}

/* Takes the text of this key out, so that a key that is set again and again
 * does not take more and more memory. */
static void drop(struct chrome_args *args, uint32_t key)
{
	struct chrome_arg *items = args->items;
	char *bytes = args->text.bytes;
	uint32_t at = 0;
	size_t end;
	size_t size;

	while (at < args->count && items[at].key != key)
		at++;
	if (at == args->count)
		return;
	size = items[at].size + 1;
	end = items[at].start + size;
	memmove(bytes + end - size, bytes + end, args->text.used - end);
	args->text.used -= size;
	args->count--;
	for (; at < args->count; at++) {
		items[at] = items[at + 1];
		items[at].start -= size;
	}
}

/* The entry of a member that begins here; NULL if out of memory. */
static inline struct chrome_arg *push(
	struct chrome_args *args, const struct chrome_key *key)
{
	struct chrome_arg *item;

	if ((args->keys & bit_of(key->number)) != 0)
		drop(args, key->number);
	if (!memory_grow32(&args->items, args->count, &args->room,
		    sizeof(*args->items)))
		return NULL;
	args->keys |= bit_of(key->number);
	args->has_beside |= key->is_beside;
	item = &args->items[args->count++];
	item->key = key->number;
	item->is_beside = key->is_beside;
	item->start = args->text.used;
	return item;
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

	if (!chrome_args_has(args, CHROME_KEY_MEMBER_PHASE))
		return 0;
	for (uint32_t i = 0; i < args->count; i++) {
		const struct chrome_arg *item = &args->items[i];
		char letter;

		if (item->key != CHROME_KEY_MEMBER_PHASE ||
			item->size != sizeof(phase) - 1)
			continue;
		letter = args->text.bytes[item->start + at];
		if (strchr("RnNODcvV", letter) == NULL)
			continue;
		drop(args, CHROME_KEY_MEMBER_PHASE);
		return letter;
	}
	return 0;
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

/* Those that are arguments, one by one, if others are among them. */
static void write_mixed(
	struct json *json, bool *first, const struct chrome_args *args)
{
	for (uint32_t i = 0; i < args->count; i++)
		if (!args->items[i].is_beside)
			member(json, first,
				args->text.bytes + args->items[i].start,
				args->items[i].size);
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
	if (args != NULL && args->has_beside)
		write_mixed(json, &first, args);
	else if (args != NULL && args->count > 0)
		member(json, &first, args->text.bytes, args->text.used - 1);
	if (!first)
		json_raw_text(json, "}");
	if (args == NULL || !args->has_beside)
		return;
	for (uint32_t i = 0; i < args->count; i++) {
		const struct chrome_arg *item = &args->items[i];

		if (item->is_beside)
			write_member(json, args->text.bytes + item->start,
				item->size);
	}
}

void chrome_args_write_object(struct json *json, const struct chrome_args *args)
{
	json_begin(json, '{');
	if (args->count > 0)
		json_value(json, args->text.bytes, args->text.used - 1);
	json_end(json, '}');
}

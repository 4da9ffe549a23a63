/* SPDX-License-Identifier: MIT */
/* Tracks, names and arguments that rows refer to. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "names/function_name.h"
#include "base/memory.h"
#include "nvidia/sqlite_source.h"

#define UNKNOWN_ROOM 40 /* of "(name -9223372036854775808)" */

/* Without padding, because its bytes are compared. */
struct name_key {
	int64_t name;
	uint32_t category;
	uint32_t how;
};

struct label_key {
	int64_t what, first, second;
};

struct track_key {
	int64_t kind, pid, tid, place;
};

/* The number of a key minus one ("" is 0), and whether the key is new. */
static uint32_t number_of(
	struct strtab *keys, const void *key, size_t size, bool *is_new)
{
	uint32_t count = strtab_count(keys);
	uint32_t number = strtab_add(keys, key, size);

	*is_new = number == count;
	return number == STRTAB_NONE ? TRACE_NONE : number - 1;
}

/* Makes room for number `at` of an array that grows by one at a time; NULL if
 * out of memory. */
static uint32_t *grow(uint32_t *array, uint32_t at)
{
	if ((at & (at - 1)) != 0)
		return array;
	return memory_resize_array(
		array, at == 0 ? 1 : (size_t)2 * at, sizeof(*array));
}

/* The key of a label: one number for a process, two for the others. */
static struct label_key label_key(enum sqlite_label what, const int64_t *by)
{
	struct label_key key = {(int64_t)what, by[0], 0};

	if (what != SQLITE_LABEL_PROCESS)
		key.second = by[1];
	return key;
}

/* The label's text, initially 0; NULL if out of memory. */
static uint32_t *label_slot(
	struct sqlite_source *source, enum sqlite_label what, const int64_t *by)
{
	const struct label_key key = label_key(what, by);
	uint32_t *texts;
	bool is_new;
	uint32_t number =
		number_of(source->label_keys, &key, sizeof(key), &is_new);

	if (number == TRACE_NONE)
		return NULL;
	if (is_new) {
		texts = grow(source->label_texts, number);
		if (texts == NULL)
			return NULL;
		source->label_texts = texts;
		texts[number] = 0;
	}
	return &source->label_texts[number];
}

bool sqlite_source_label(struct sqlite_source *source, enum sqlite_label what,
	const int64_t *by, uint32_t text)
{
	uint32_t *slot = label_slot(source, what, by);

	if (slot == NULL || text == STRTAB_NONE)
		return false;
	*slot = text;
	return true;
}

uint32_t sqlite_source_label_of(
	struct sqlite_source *source, enum sqlite_label what, const int64_t *by)
{
	const uint32_t *slot = label_slot(source, what, by);

	return slot == NULL ? 0 : *slot;
}

uint32_t sqlite_source_track(
	struct sqlite_source *source, const struct sqlite_track *track)
{
	struct track_key key = {(int64_t)track->kind, track->pid, track->tid,
		(int64_t)((uint64_t)track->device << 32 | track->context)};
	const int64_t by[2] = {track->pid, track->tid};
	struct sqlite_stack *stacks;
	bool is_new;
	uint32_t number =
		number_of(source->track_keys, &key, sizeof(key), &is_new);

	if (number == TRACE_NONE || !is_new)
		return number;
	stacks = memory_resize_array(
		source->stacks, number + 1, sizeof(*stacks));
	if (stacks == NULL)
		return TRACE_NONE;
	source->stacks = stacks;
	stacks[number] = (struct sqlite_stack){.track = number};
	source->stack_count = number + 1;
	if (track->kind == TRACE_STREAM && source->add_device != NULL &&
		trace_find_device(source->source.trace, track->pid,
			track->device) == NULL &&
		!source->add_device(source, track->pid, track->device))
		return TRACE_NONE;
	return trace_add_track(source->source.trace,
		(struct trace_track){.kind = track->kind,
			.pid = track->pid,
			.tid = track->tid,
			.device = track->device,
			.context = track->context,
			.process_name = sqlite_source_label_of(
				source, SQLITE_LABEL_PROCESS, by),
			.name = track->kind == TRACE_STREAM
					? 0
					: sqlite_source_label_of(source,
						  SQLITE_LABEL_THREAD, by)});
}

uint32_t sqlite_source_key(struct sqlite_source *source, const char *text)
{
	return strtab_add(source->source.trace->text, text, strlen(text));
}

uint32_t sqlite_source_text_site(struct sqlite_source *source,
	uint32_t category, const char *text, size_t size)
{
	struct trace *trace = source->source.trace;

	return trace_add_place(trace,
		(struct trace_site){.name = strtab_add(trace->text, text, size),
			.category = category});
}

/* The size without the API version at its end: "_v3020". */
static size_t without_version(const char *name, size_t size)
{
	size_t at = size;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at < size && at > 2 && name[at - 1] == 'v' && name[at - 2] == '_'
		       ? at - 2
		       : size;
}

/* The site of a kernel; `name` is mangled or already demangled. */
static uint32_t kernel_site(struct sqlite_source *source, uint32_t category,
	const char *name, size_t size)
{
	enum read_names names = source->source.trace->request.names;
	struct buffer text = BUFFER_INIT;
	const char *plain = NULL;
	uint32_t site;

	if (names != READ_NAMES_MANGLED)
		plain = demangle(&source->demangler, name);
	if (plain != NULL) {
		name = plain;
		size = strlen(plain);
	}
	if (names != READ_NAMES_SHORT && names != READ_NAMES_QUALIFIED)
		return sqlite_source_text_site(source, category, name, size);
	function_name_add_short(&text, name, size);
	site = text.failed ? TRACE_NONE
			   : sqlite_source_text_site(source, category,
				     (const char *)text.bytes, text.used);
	buffer_clear(&text);
	return site;
}

static uint32_t make_site(struct sqlite_source *source,
	const struct name_key *key, const char *name, size_t size)
{
	switch ((enum sqlite_name)key->how) {
	case SQLITE_NAME_CALL:
		size = without_version(name, size);
		break;
	case SQLITE_NAME_KERNEL:
		return kernel_site(source, key->category, name, size);
	case SQLITE_NAME_PLAIN:
		break;
	}
	return sqlite_source_text_site(source, key->category, name, size);
}

/* Looks a name up in the database; borrowed until its statement is reset. */
static const char *find_text(
	struct sqlite_source *source, int64_t name, size_t *size)
{
	sqlite3_stmt *find = source->find_name;

	*size = 0;
	if (find == NULL)
		return NULL;
	(void)sqlite3_reset(find);
	(void)sqlite3_bind_int64(find, 1, name);
	return sqlite_input_find(&source->input, find) == CTP_OK
		       ? sqlite_input_text(find, 0, size)
		       : NULL;
}

/* Is the name missing for lack of memory? */
static bool is_out_of_memory(const struct sqlite_source *source)
{
	return sqlite_input_check(&source->input, NULL) == CTP_ERR_NOMEM;
}

uint32_t sqlite_source_name(struct sqlite_source *source, int64_t name)
{
	size_t size;
	const char *text = find_text(source, name, &size);

	if (text != NULL)
		return strtab_add(source->source.trace->text, text, size);
	return is_out_of_memory(source) ? STRTAB_NONE : 0;
}

static uint32_t find_site(
	struct sqlite_source *source, const struct name_key *key)
{
	char unknown[UNKNOWN_ROOM];
	size_t size;
	const char *name = find_text(source, key->name, &size);

	if (name == NULL && is_out_of_memory(source))
		return TRACE_NONE;
	if (name == NULL) {
		(void)snprintf(unknown, sizeof(unknown), "(name %" PRId64 ")",
			key->name);
		name = unknown;
		size = strlen(unknown);
		trace_lose(source->source.trace, LOSS_UNKNOWN_SITES, 1);
	}
	return make_site(source, key, name, size);
}

uint32_t sqlite_source_site(struct sqlite_source *source, enum sqlite_name how,
	uint32_t category, int64_t name)
{
	const struct name_key key = {name, category, (uint32_t)how};
	uint32_t *sites;
	bool is_new;
	uint32_t number =
		number_of(source->name_keys, &key, sizeof(key), &is_new);

	if (number == TRACE_NONE)
		return TRACE_NONE;
	if (!is_new)
		return source->name_sites[number];
	sites = grow(source->name_sites, number);
	if (sites == NULL)
		return TRACE_NONE;
	source->name_sites = sites;
	sites[number] = find_site(source, &key);
	return sites[number];
}

static struct event_arg *add(struct sqlite_source *source, const char *key)
{
	struct sqlite_row *row = &source->row;
	struct event_arg *arg;

	if (row->event.arg_count == SQLITE_ARGS_MAX)
		return NULL;
	arg = &row->args[row->event.arg_count];
	arg->key = sqlite_source_key(source, key);
	if (arg->key == STRTAB_NONE) {
		row->failed = true;
		return NULL;
	}
	row->event.arg_count++;
	return arg;
}

void sqlite_row_add_int(
	struct sqlite_source *source, const char *key, int64_t value)
{
	struct event_arg *arg = add(source, key);

	if (arg == NULL)
		return;
	arg->kind = ARG_INT;
	arg->value.integer = value;
}

void sqlite_row_add_double(
	struct sqlite_source *source, const char *key, double value)
{
	struct event_arg *arg = add(source, key);

	if (arg == NULL)
		return;
	arg->kind = ARG_FLOAT;
	arg->value.real = value;
}

void sqlite_row_add_text(struct sqlite_source *source, const char *key,
	const char *text, size_t size)
{
	struct event_arg *arg = text == NULL ? NULL : add(source, key);

	if (arg == NULL)
		return;
	arg->kind = ARG_TEXT;
	arg->value.text.bytes = text;
	arg->value.text.size = size;
}

void sqlite_row_add_triple(
	struct sqlite_source *source, const char *key, const int64_t *values)
{
	struct sqlite_row *row = &source->row;
	struct event_arg *arg;
	char *list;

	if ((values[0] | values[1] | values[2]) == 0 ||
		row->list_count == SQLITE_LISTS_MAX)
		return;
	arg = add(source, key);
	if (arg == NULL)
		return;
	list = row->lists[row->list_count++];
	(void)snprintf(list, SQLITE_LIST_ROOM,
		"[%" PRId64 ",%" PRId64 ",%" PRId64 "]", values[0], values[1],
		values[2]);
	arg->kind = ARG_JSON;
	arg->value.text.bytes = list;
	arg->value.text.size = strlen(list);
}

/* SPDX-License-Identifier: MIT */
#include "log_read/log_args.h"

#include "json/json.h"
#include "log/log.h"
#include "base/memory.h"
#include "log/unpack.h"

void log_args_clear(struct log_args *args)
{
	memory_free(args->items);
	*args = (struct log_args){0};
}

/* JSON is checked, since it may come from elsewhere. */
static bool read_json(struct cursor *cursor, struct event_arg *arg)
{
	int8_t type;

	arg->kind = ARG_JSON;
	return unpack_ext(cursor, &type, &arg->value.text.bytes,
		       &arg->value.text.size) &&
	       type == LOG_EXT_JSON &&
	       json_check(arg->value.text.bytes, arg->value.text.size);
}

bool log_args_value(struct cursor *cursor, struct event_arg *arg)
{
	switch (unpack_peek(cursor)) {
	case UNPACK_INT:
		arg->kind = ARG_INT;
		return unpack_int(cursor, &arg->value.integer);
	case UNPACK_FLOAT:
		arg->kind = ARG_FLOAT;
		return unpack_float(cursor, &arg->value.real);
	case UNPACK_TEXT:
		arg->kind = ARG_TEXT;
		return unpack_text(
			cursor, &arg->value.text.bytes, &arg->value.text.size);
	case UNPACK_EXT:
		return read_json(cursor, arg);
	default:
		return false;
	}
}

struct event_arg *log_args_push(struct log_args *args)
{
	if (!array_reserve32(&args->items, args->count, &args->room,
		    sizeof(*args->items)))
		return NULL;
	return &args->items[args->count++];
}

/* Converts a pair of a map to an argument; false, with *failed, if out of
 * memory. */
static bool read_pair(struct trace *trace, struct cursor pair,
	struct event_arg *arg, bool *failed)
{
	const char *key;
	size_t size;

	if (!unpack_text(&pair, &key, &size) || !log_args_value(&pair, arg))
		return false;
	arg->key = strtab_add(trace->text, size == 0 ? "" : key, size);
	*failed = arg->key == STRTAB_NONE;
	return !*failed;
}

bool log_args_map(
	struct log_args *args, struct trace *trace, struct cursor *map)
{
	uint32_t pairs;

	if (!unpack_map(map, &pairs))
		return false;
	for (; pairs > 0 && args->count < LOG_ARGS_MAX; pairs--) {
		struct cursor pair = *map;
		struct event_arg *arg;
		bool failed = false;

		if (!unpack_skip(map) || !unpack_skip(map))
			return false;
		arg = log_args_push(args);
		if (arg == NULL)
			return false;
		args->count -= !read_pair(trace, pair, arg, &failed);
		if (failed)
			return false;
	}
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "log_read/log_device_args.h"

#include <inttypes.h>
#include <stdio.h>

#include "log/log.h"
#include "log_read/log_args.h"
#include "log/unpack.h"

#define LIST_MAX 16
#define LIST_ROOM (LIST_MAX * 22 + 2)

/* Text that lives as long as the trace. */
static bool keep_text(struct trace *trace, struct event_arg *arg,
	const char *text, size_t size)
{
	uint32_t number = strtab_add(trace->text, text, size);

	if (number == STRTAB_NONE)
		return false;
	arg->value.text.bytes =
		strtab_text(trace->text, number, &arg->value.text.size);
	return true;
}

/* "[1,2,3]"; false if the list has anything but integers, or too many. */
static bool print_list(struct cursor list, char *out, size_t *size)
{
	uint32_t count;

	if (!unpack_array(&list, &count) || count > LIST_MAX)
		return false;
	out[0] = '[';
	*size = 1;
	for (uint32_t i = 0; i < count; i++) {
		int64_t value;

		if (!unpack_int(&list, &value))
			return false;
		*size += (size_t)snprintf(out + *size, LIST_ROOM - *size,
			"%s%" PRId64, i == 0 ? "" : ",", value);
	}
	out[(*size)++] = ']';
	return true;
}

/* The value as an argument; false if it is none that we have. */
static bool read_value(struct trace *trace, struct cursor value,
	struct event_arg *arg, bool *failed)
{
	char list[LIST_ROOM];
	const char *text;
	size_t size;

	switch (unpack_peek(&value)) {
	case UNPACK_INT:
		arg->kind = ARG_INT;
		return unpack_int(&value, &arg->value.integer);
	case UNPACK_FLOAT:
		arg->kind = ARG_FLOAT;
		return unpack_float(&value, &arg->value.real);
	case UNPACK_TEXT:
		arg->kind = ARG_TEXT;
		if (!unpack_text(&value, &text, &size))
			return false;
		break;
	case UNPACK_ARRAY:
		arg->kind = ARG_JSON;
		text = list;
		if (!print_list(value, list, &size))
			return false;
		break;
	case UNPACK_EXT:
		if (!log_args_value(&value, arg))
			return false;
		text = arg->value.text.bytes;
		size = arg->value.text.size;
		break;
	default:
		return false;
	}
	*failed |= !keep_text(trace, arg, size == 0 ? "" : text, size);
	return true;
}

bool log_device_args(struct trace *trace, struct cursor *block,
	struct event_arg *args, uint32_t *count, bool *failed)
{
	uint32_t pairs;

	*count = 0;
	*failed = false;
	if (!unpack_map(block, &pairs) || pairs > LOG_DEVICE_KEYS_MAX)
		return false;
	while (pairs-- > 0) {
		struct event_arg *arg;
		struct cursor value;
		const char *key;
		size_t size;

		if (!unpack_text(block, &key, &size))
			return false;
		value = *block;
		if (!unpack_skip(block))
			return false;
		if (args == NULL)
			continue;
		arg = &args[*count];
		arg->key = strtab_add(trace->text, size == 0 ? "" : key, size);
		*failed |= arg->key == STRTAB_NONE;
		*count += read_value(trace, value, arg, failed);
	}
	return true;
}

/* SPDX-License-Identifier: MIT */
/* What is told of ranges and marks. */
#include <string.h>

#include "markers/inject.h"

void inject_arg_int(struct inject_args *args, const char *key, int64_t value)
{
	args->items[args->count++] = (struct record_arg){
		.kind = CHUNK_ARG_INT, .key = key, .number = (uint64_t)value};
}

void inject_arg_float(struct inject_args *args, const char *key, double value)
{
	struct record_arg *arg = &args->items[args->count++];

	*arg = (struct record_arg){.kind = CHUNK_ARG_FLOAT, .key = key};
	memcpy(&arg->number, &value, sizeof(value));
}

void inject_arg_text(
	struct inject_args *args, const char *key, const char *text)
{
	args->items[args->count++] = (struct record_arg){
		.kind = CHUNK_ARG_TEXT, .key = key, .text = text};
}

void inject_event(enum chunk_long kind, struct inject_message message,
	uint64_t id, struct inject_args *args)
{
	struct inject_args none;

	if (message.name == NULL)
		return;
	none.count = 0;
	if (args == NULL)
		args = &none;
	if (message.name->is_other)
		inject_arg_text(args, INJECT_OTHER_KEY, message.text);
	ctp_private_event(&(struct record_event){.kind = kind,
		.site = message.name->site,
		.id = id,
		.args = args->items,
		.arg_count = args->count});
}

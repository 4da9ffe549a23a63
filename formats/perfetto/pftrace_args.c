/* SPDX-License-Identifier: MIT */
#include "perfetto/pftrace_args.h"

#include <stdlib.h>
#include <string.h>

#include "json/json_value.h"
#include "json/json_walk.h"
#include "protobuf/protobuf.h"

/* Fields of the message DebugAnnotation. */
enum {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_BOOL_VALUE = 2,
	ANNOTATION_UINT_VALUE = 3,
	ANNOTATION_INT_VALUE = 4,
	ANNOTATION_DOUBLE_VALUE = 5,
	ANNOTATION_STRING_VALUE = 6,
	ANNOTATION_NAME = 10,
	ANNOTATION_DICT_ENTRIES = 11,
	ANNOTATION_ARRAY_VALUES = 12,
	ANNOTATION_STRING_VALUE_IID = 17,
};

/* A JSON value being converted; its text is valid JSON. */
struct arg_walk {
	struct pftrace_packets *packets;
	struct buffer *out;
	const char *at;
	const char *end;
	struct buffer text; /* scratch: a string without its escapes */
	uint32_t depth;
	/* The open brackets: the start of each one's annotation, and whether it
	 * is an object. */
	struct {
		size_t begun;
		bool is_object;
	} open[PFTRACE_JSON_DEPTH];
};

static void add_string(struct pftrace_packets *packets, struct buffer *out,
	const char *bytes, size_t size)
{
	uint64_t iid = pftrace_value(packets, bytes, size);

	if (iid != 0)
		protobuf_add_uint(out, ANNOTATION_STRING_VALUE_IID, iid);
	else
		pftrace_add_text(
			packets, out, ANNOTATION_STRING_VALUE, bytes, size);
}

/* The position after the quote that ends the string at `at`. */
static const char *string_end(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\')
			at++;
	return at < end ? at + 1 : end;
}

static bool is_blank(char c)
{
	return json_bytes_is_blank((uint8_t)c);
}

static const char *scalar_end(const char *at, const char *end)
{
	do
		at++;
	while (at < end && !json_bytes_ends((uint8_t)*at) && *at != ':');
	return at;
}

/* Sets `text` to the unescaped string in this range. */
static void unescape(struct arg_walk *walk, const char *from, const char *to)
{
	size_t size = (size_t)(to - from);

	walk->text.used = 0;
	if (size >= 2 && !json_value_unescape(from + 1, size - 2, &walk->text))
		walk->out->failed = true;
}

static void add_number(struct arg_walk *walk, const char *text, size_t size)
{
	char number[64];
	char *end;

	if (size >= sizeof(number)) {
		add_string(walk->packets, walk->out, text, size);
		return;
	}
	memcpy(number, text, size);
	number[size] = '\0';
	if (strpbrk(number, ".eE") == NULL) {
		int64_t value;

		if (json_value_scaled(text, size, 0, &value)) {
			protobuf_add_int(
				walk->out, ANNOTATION_INT_VALUE, value);
			return;
		}
		/* A number that fits neither type stays as it is written. */
		if (size == 20 && number[0] == '1') {
			protobuf_add_uint(walk->out, ANNOTATION_UINT_VALUE,
				strtoull(number, &end, 10));
			return;
		}
	}
	protobuf_add_double(
		walk->out, ANNOTATION_DOUBLE_VALUE, strtod(number, &end));
}

static void add_scalar(struct arg_walk *walk, const char *text, size_t size)
{
	enum json_kind kind;

	if (!json_value_kind(text, size, &kind))
		kind = JSON_NULL;
	switch (kind) {
	case JSON_NUMBER:
		add_number(walk, text, size);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		protobuf_add_uint(
			walk->out, ANNOTATION_BOOL_VALUE, kind == JSON_TRUE);
		break;
	default:
		/* There is no field for null. */
		add_string(walk->packets, walk->out, text, size);
		break;
	}
}

/* The end of the object or array that begins here. */
static const char *bracket_end(const char *at, const char *end)
{
	size_t depth = 0;

	while (at < end) {
		if (*at == '"') {
			at = string_end(at, end);
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		else if ((*at == '}' || *at == ']') && --depth == 0)
			return at + 1;
		at++;
	}
	return end;
}

static bool is_empty(const char *at, const char *end)
{
	do
		at++;
	while (at < end && is_blank(*at));
	return at < end && (*at == '}' || *at == ']');
}

/* Adds the current value to the annotation that began at `begun`; a value
 * without brackets ends it. */
static void add_value(struct arg_walk *walk, size_t begun)
{
	const char *from = walk->at;

	if (*from == '{' || *from == '[') {
		/* Readers do not show an empty annotation. */
		if (walk->depth < PFTRACE_JSON_DEPTH &&
			!is_empty(from, walk->end)) {
			walk->open[walk->depth].begun = begun;
			walk->open[walk->depth++].is_object = *from == '{';
			walk->at++;
			return;
		}
		walk->at = bracket_end(from, walk->end);
		add_string(walk->packets, walk->out, from,
			(size_t)(walk->at - from));
	} else if (*from == '"') {
		walk->at = string_end(from, walk->end);
		unescape(walk, from, walk->at);
		add_string(walk->packets, walk->out, (char *)walk->text.bytes,
			walk->text.used);
	} else {
		walk->at = scalar_end(from, walk->end);
		add_scalar(walk, from, (size_t)(walk->at - from));
	}
	protobuf_end(walk->out, begun);
}

/* Adds a member of the open object or an element of the open array. */
static void add_member(struct arg_walk *walk)
{
	bool is_object = walk->open[walk->depth - 1].is_object;
	size_t begun = protobuf_begin(walk->out,
		is_object ? ANNOTATION_DICT_ENTRIES : ANNOTATION_ARRAY_VALUES);

	if (is_object) {
		const char *from = walk->at;

		walk->at = string_end(from, walk->end);
		unescape(walk, from, walk->at);
		pftrace_add_text(walk->packets, walk->out, ANNOTATION_NAME,
			(char *)walk->text.bytes, walk->text.used);
		while (walk->at < walk->end &&
			(is_blank(*walk->at) || *walk->at == ':'))
			walk->at++;
	}
	if (walk->at < walk->end)
		add_value(walk, begun);
	else
		protobuf_end(walk->out, begun);
}

/* Adds a JSON value to the annotation that began at `begun`, and ends it. */
static void add_json(struct pftrace_packets *packets, struct buffer *out,
	const struct event_arg *arg, size_t begun)
{
	struct arg_walk walk = {.packets = packets,
		.out = out,
		.at = arg->value.text.bytes,
		.end = arg->value.text.bytes + arg->value.text.size,
		.text = BUFFER_INIT};
	bool first = true;

	while (walk.at < walk.end) {
		if (is_blank(*walk.at) || *walk.at == ',') {
			walk.at++;
		} else if (*walk.at == '}' || *walk.at == ']') {
			walk.at++;
			if (walk.depth > 0)
				protobuf_end(
					out, walk.open[--walk.depth].begun);
		} else if (walk.depth > 0) {
			add_member(&walk);
		} else if (first) {
			first = false;
			add_value(&walk, begun);
		} else {
			break;
		}
	}
	while (walk.depth > 0)
		protobuf_end(out, walk.open[--walk.depth].begun);
	if (first)
		protobuf_end(out, begun);
	buffer_clear(&walk.text);
}

static size_t begin(
	struct pftrace_packets *packets, struct buffer *out, uint32_t key)
{
	uint64_t iid = pftrace_text(packets, key, PFTRACE_KEY);
	size_t begun = protobuf_begin(out, TRACK_EVENT_DEBUG_ANNOTATIONS);

	protobuf_add_uint(out, ANNOTATION_NAME_IID, iid);
	return begun;
}

static void add_arg(struct pftrace_packets *packets, struct buffer *out,
	const struct event_arg *arg)
{
	size_t begun = begin(packets, out, arg->key);

	switch (arg->kind) {
	case ARG_INT:
		protobuf_add_int(out, ANNOTATION_INT_VALUE, arg->value.integer);
		break;
	case ARG_FLOAT:
		protobuf_add_double(
			out, ANNOTATION_DOUBLE_VALUE, arg->value.real);
		break;
	case ARG_TEXT:
		add_string(packets, out, arg->value.text.bytes,
			arg->value.text.size);
		break;
	case ARG_JSON:
		add_json(packets, out, arg, begun);
		return;
	}
	protobuf_end(out, begun);
}

void pftrace_args_add(struct pftrace_packets *packets, struct buffer *out,
	const struct event *event)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		add_arg(packets, out, &event->args[i]);
}

/* Begins an argument of the writer's own. */
static size_t begin_own(
	struct pftrace_packets *packets, struct buffer *out, const char *key)
{
	uint32_t number = strtab_add(packets->trace->text, key, strlen(key));

	if (number == STRTAB_NONE) {
		out->failed = true;
		number = 0;
	}
	return begin(packets, out, number);
}

void pftrace_args_add_int(struct pftrace_packets *packets, struct buffer *out,
	const char *key, int64_t value)
{
	size_t begun = begin_own(packets, out, key);

	protobuf_add_int(out, ANNOTATION_INT_VALUE, value);
	protobuf_end(out, begun);
}

void pftrace_args_add_text(struct pftrace_packets *packets, struct buffer *out,
	const char *key, uint32_t text)
{
	size_t begun = begin_own(packets, out, key);
	size_t size;
	const char *bytes = strtab_text(packets->trace->text, text, &size);

	add_string(packets, out, bytes, size);
	protobuf_end(out, begun);
}

void pftrace_args_add_true(
	struct pftrace_packets *packets, struct buffer *out, const char *key)
{
	size_t begun = begin_own(packets, out, key);

	protobuf_add_uint(out, ANNOTATION_BOOL_VALUE, 1);
	protobuf_end(out, begun);
}

void pftrace_args_add_site(
	struct pftrace_packets *packets, struct buffer *out, uint32_t site)
{
	uint32_t line = packets->trace->sites[site].call_line;

	pftrace_add_site(packets, out, site);
	if (line != 0)
		pftrace_args_add_int(packets, out, "call_line", line);
}

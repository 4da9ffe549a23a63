/* SPDX-License-Identifier: MIT */
#include "log_maker.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/deflate.h"
#include "log/log.h"
#include "log/msgpack_out.h"

/* A recipe is part of a test's source: an error in it is a bug there. */
static void *checked(void *pointer, const char *what)
{
	if (pointer == NULL) {
		(void)fprintf(stderr, "log_maker: %s\n", what);
		abort();
	}
	return pointer;
}

static void skip_blanks(const char **at)
{
	while (**at == ' ' || **at == '\t' || **at == '\n')
		(*at)++;
}

static bool take(const char **at, char wanted)
{
	skip_blanks(at);
	if (**at != wanted)
		return false;
	(*at)++;
	return true;
}

static void pack_value(struct buffer *out, const char **at);

/* Up to the closing quote. */
static struct buffer take_text(const char **at)
{
	struct buffer text = BUFFER_INIT;

	for (; **at != '\''; (*at)++) {
		char hex[3] = "";

		if (**at == '\0')
			checked(NULL, "text without an end");
		if (**at == '\\' && (*at)[1] == 'x') {
			memcpy(hex, *at + 2, 2);
			buffer_add_byte(&text, (uint8_t)strtoul(hex, NULL, 16));
			*at += 3;
		} else {
			*at += **at == '\\';
			buffer_add_byte(&text, (uint8_t) * *at);
		}
	}
	(*at)++;
	return text;
}

static void pack_text(struct buffer *out, const char **at)
{
	msgpack_packer packer = msgpack_out(out);
	struct buffer text = take_text(at);

	msgpack_out_text(&packer, (const char *)text.bytes, text.used);
	buffer_clear(&text);
}

static void pack_json(struct buffer *out, const char **at)
{
	msgpack_packer packer = msgpack_out(out);
	struct buffer text = take_text(at);

	(void)msgpack_pack_ext(&packer, text.used, LOG_EXT_JSON);
	(void)msgpack_pack_ext_body(&packer, text.bytes, text.used);
	buffer_clear(&text);
}

static void pack_number(struct buffer *out, const char **at)
{
	msgpack_packer packer = msgpack_out(out);
	size_t size = strspn(*at, "+-.0123456789e");
	char *end;

	if (memchr(*at, '.', size) != NULL)
		(void)msgpack_pack_double(&packer, strtod(*at, &end));
	else if (**at == '-')
		(void)msgpack_pack_int64(&packer, strtoll(*at, &end, 10));
	else
		(void)msgpack_pack_uint64(&packer, strtoull(*at, &end, 10));
	if (size == 0 || end != *at + size)
		checked(NULL, "neither a value nor its end");
	*at = end;
}

static bool take_word(const char **at, const char *word)
{
	if (strncmp(*at, word, strlen(word)) != 0)
		return false;
	*at += strlen(word);
	return true;
}

/* The elements up to the closing bracket; a map's keys and values count as
 * one pair. */
static void pack_elements(struct buffer *out, const char **at, char close)
{
	msgpack_packer packer = msgpack_out(out);
	struct buffer content = BUFFER_INIT;
	size_t count = 0;

	while (!take(at, close)) {
		size_t begin = content.used;
		size_t size;
		unsigned long copies = 1;
		char *end;

		pack_value(&content, at);
		if (close == '}' && take(at, ':'))
			pack_value(&content, at);
		size = content.used - begin;
		if (take(at, '*')) {
			copies = strtoul(*at, &end, 10);
			*at = end;
		}
		count += copies;
		for (; copies > 1 && buffer_reserve(&content, size); copies--)
			buffer_add(&content, content.bytes + begin, size);
		(void)take(at, ',');
	}
	(void)(close == '}' ? msgpack_pack_map(&packer, count)
			    : msgpack_pack_array(&packer, count));
	buffer_add(out, content.bytes, content.used);
	buffer_clear(&content);
}

static void pack_value(struct buffer *out, const char **at)
{
	msgpack_packer packer = msgpack_out(out);

	if (take(at, '['))
		pack_elements(out, at, ']');
	else if (take(at, '{'))
		pack_elements(out, at, '}');
	else if (take(at, '\''))
		pack_text(out, at);
	else if (take_word(at, "json'"))
		pack_json(out, at);
	else if (take_word(at, "nil"))
		(void)msgpack_pack_nil(&packer);
	else if (take_word(at, "true"))
		(void)msgpack_pack_true(&packer);
	else if (take_word(at, "false"))
		(void)msgpack_pack_false(&packer);
	else
		pack_number(out, at);
}

__attribute__((format(printf, 1, 0))) static char *expand(
	const char *format, va_list values)
{
	char *recipe = NULL;

	if (vasprintf(&recipe, format, values) < 0)
		checked(NULL, "out of memory");
	return recipe;
}

static void pack_recipe(struct buffer *out, const char *recipe)
{
	const char *at = recipe;

	pack_value(out, &at);
	skip_blanks(&at);
	if (*at != '\0' || out->failed)
		checked(NULL, recipe);
}

void log_maker_pack(struct buffer *out, const char *format, ...)
{
	va_list values;
	char *recipe;

	va_start(values, format);
	recipe = expand(format, values);
	va_end(values);
	pack_recipe(out, recipe);
	free(recipe);
}

void log_maker_add(struct buffer *log, const char *format, ...)
{
	struct buffer block = BUFFER_INIT;
	const char *kind;
	va_list values;
	char *recipe;

	va_start(values, format);
	recipe = expand(format, values);
	va_end(values);
	pack_recipe(&block, recipe);
	kind = recipe;
	(void)take(&kind, '[');
	log_maker_add_bytes(log, (unsigned)strtoul(kind, NULL, 10), block.bytes,
		block.used);
	buffer_clear(&block);
	free(recipe);
}

static void add_le32(struct buffer *out, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		buffer_add_byte(out, (uint8_t)(value >> 8 * i));
}

void log_maker_add_member(
	struct buffer *log, const struct log_maker_member *member)
{
	static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;

	buffer_add(log, magic, sizeof(magic));
	add_le32(log, (uint32_t)(LOG_HEADER_BYTES + member->size +
				 LOG_TRAILER_BYTES));
	add_le32(log, member->kind);
	buffer_add(log, member->data, member->size);
	add_le32(log, member->crc);
	add_le32(log, member->unpacked);
	if (log->failed)
		checked(NULL, "out of memory");
}

void log_maker_add_bytes(
	struct buffer *log, unsigned kind, const void *bytes, size_t size)
{
	struct deflater *deflater = checked(deflater_new(6), "out of memory");
	size_t room = deflater_bound(deflater, size);
	void *packed = checked(malloc(room), "out of memory");
	struct deflate_part part = {bytes, size, DEFLATE_ANY};
	struct log_maker_member member = {.kind = kind,
		.data = packed,
		.size = deflater_pack(deflater, &part, 1, packed, room),
		.crc = deflate_crc32(bytes, size),
		.unpacked = (uint32_t)size};

	log_maker_add_member(log, &member);
	free(packed);
	deflater_free(deflater);
}

void log_maker_add_header(struct buffer *log, int64_t realtime, int reader)
{
	log_maker_add(log,
		"[0, {'format': 'ctprof log', 'version': 1, 'reader': %d,"
		" 'tool': 'ctprof 0.1.0', 'host': 'here', 'pid': 42,"
		" 'command': ['cc', '-c', 'a b.c'], 'realtime': %" PRId64 ","
		" 'clock': 'tsc', 'clock_hz': 2600000000, 'policy': 'block',"
		" 'min_ns': 0, 'spool': ''}]",
		reader, realtime);
}

void log_maker_add_small(struct buffer *log)
{
	log_maker_add_header(log, INT64_C(1700000000000000000), 1);
	log_maker_add(log, "[4, [[0, 5000, 1700000000000000000]]]");
	log_maker_add(log, "[1, 1, [['main', 'a.c', 1], ['parse', 'a.c', 10],"
			   " ['lex', '', 0]]]");
	log_maker_add(log, "[2, 1, 0, 100, 'main thread']");
	log_maker_add(log, "[3, 1, 0, 1000, [0, 10, 5, 20], [], [1, 2], [2, 3, "
			   "1, 0], [[1, 'line', 7]]]");
	log_maker_add(log, "[2, 2, 1, 100, '']");
	log_maker_add(log, "[3, 2, 0, 500, [0, 100], [], [3], [2, 0], []]");
	log_maker_add(log, "[1, 4, [['it\\'s \\xff', 'b.c', 4294967295]]]");
	log_maker_add(log,
		"[3, 1, 1, 1100, [0, 5, 1 * 11, 2, -1], [1], [2, 4], [2, 3, 1 "
		"* 11, 0, 2], [[1, 'real', 0.5], [1, 'text', 'x \\xff'], [2, "
		"3], [3, 3, -9], [3, 3, 2.5], [4, 2, 18446744073709551615], "
		"[5, 2, 18446744073709551615], [6, 4096, 64, -1], [7, 4096, "
		"64, 0], [8, 2, 12, 1], [99, 'unknown']]]");
	log_maker_add(log, "[3, 1, 2, 2000, [0, 10, 10, 10, 10], [1, 2, 2], "
			   "[3], [0, 2, 0, 0, 0], []]");
	log_maker_add(log, "[5, 1, {'dropped_ranges': 3, 'cut_text': 1}]");
	log_maker_add(log, "[4, [[3000, 8000, 1700000000000003000]]]");
	log_maker_add(log, "[6, {'log': 3000, 'events': 26, 'blocks': 12,"
			   " 'stalls': 2, 'stall_ns': 77}]");
}

bool log_maker_find(
	const struct buffer *log, size_t number, struct log_maker_span *span)
{
	span->begin = 0;
	span->end = 0;
	do {
		const uint8_t *size;

		span->begin = span->end;
		if (log->used - span->begin < LOG_HEADER_BYTES)
			return false;
		size = log->bytes + span->begin + LOG_MAGIC_BYTES;
		span->end += (size_t)size[0] | (size_t)size[1] << 8 |
			     (size_t)size[2] << 16;
	} while (number-- > 0);
	return true;
}

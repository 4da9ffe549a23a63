/* SPDX-License-Identifier: MIT */
#include "pack/pack_record.h"

#include <string.h>

#include "log/log_row.h"
#include "log/log_block.h"
#include "log/unpack.h"

/* Words of an event's record before its arguments. */
#define PLAIN_WORDS 3

/* Adds an event with a row; the caller appends its bytes to the result. */
static struct buffer *add_extra(struct log_column *column, int64_t time_ns)
{
	log_column_add(column, LOG_COLUMN_EXTRA, time_ns);
	column->extra_count++;
	return &column->extras;
}

static double to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Finds the text at the end of a long record, which begins after `skip` words;
 * false if the record is inconsistent. */
static bool read_text(struct chunk_head head, const uint64_t *record,
	uint32_t skip, const char **text, size_t *size)
{
	uint32_t words = head.words;
	uint32_t last = head.detail;

	if (words < skip || last > 8)
		return false;
	*text = (const char *)(record + 1 + skip);
	*size = words == skip ? 0 : ((size_t)words - skip - 1) * 8 + last;
	return true;
}

/* An argument in a chunk: a number, or a text after the key. */
struct packed_arg {
	enum chunk_long kind;
	uint64_t number;
	const char *key;
	size_t key_size;
	size_t text_size;
};

static void pack_arg(msgpack_packer *packer, const struct packed_arg *arg)
{
	msgpack_out_text(packer, arg->key, arg->key_size);
	if (arg->kind == CHUNK_ARG_INT)
		(void)msgpack_pack_int64(packer, (int64_t)arg->number);
	else if (arg->kind == CHUNK_ARG_FLOAT)
		(void)msgpack_pack_double(packer, to_double(arg->number));
	else
		msgpack_out_text(
			packer, arg->key + arg->key_size, arg->text_size);
}

/* The argument of a range, a record of its own. */
static void add_arg(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns)
{
	struct packed_arg arg = {.kind = head.kind, .number = record[2]};
	msgpack_packer packer = msgpack_out(&column->extras);
	size_t size;

	if (!read_text(head, record, 2, &arg.key, &size))
		return;
	arg.key_size = size;
	if (arg.kind == CHUNK_ARG_TEXT && arg.number < size)
		arg.key_size = (size_t)arg.number;
	arg.text_size = size - arg.key_size;
	log_row_begin(add_extra(column, time_ns), LOG_ROW_ARG, 3);
	pack_arg(&packer, &arg);
}

/* Reads the argument at the beginning of `left` words. Returns its number of
 * words; 0 if there is none. */
static uint32_t read_packed(
	const uint64_t *words, uint32_t count, struct packed_arg *out)
{
	size_t all;

	if (count < CHUNK_ARG_WORDS)
		return 0;
	out->kind = (enum chunk_long)(words[0] & 0xff);
	out->key_size = words[0] >> 8 & 0xffffff;
	out->text_size = words[0] >> 32;
	out->number = words[1];
	out->key = (const char *)(words + CHUNK_ARG_WORDS);
	all = CHUNK_ARG_WORDS +
	      chunk_text_words(out->key_size + out->text_size);
	return all > count ? 0 : (uint32_t)all;
}

/* Adds the arguments, if any, of the event added last. */
static void add_more(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns)
{
	const uint64_t *first = record + 1 + PLAIN_WORDS;
	const uint32_t words = head.words - PLAIN_WORDS;
	struct packed_arg arg;
	msgpack_packer packer = msgpack_out(&column->extras);
	uint32_t count = 0;
	uint32_t used;

	for (uint32_t at = 0;
		(used = read_packed(first + at, words - at, &arg)) != 0;
		at += used)
		count++;
	if (count == 0)
		return;
	log_row_begin(add_extra(column, time_ns), LOG_ROW_MORE_ARGS, 2);
	(void)msgpack_pack_map(&packer, count);
	for (uint32_t at = 0; count > 0; count--) {
		at += read_packed(first + at, words - at, &arg);
		pack_arg(&packer, &arg);
	}
}

static void add_counter(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns)
{
	msgpack_packer packer = msgpack_out(&column->extras);

	log_row_begin(add_extra(column, time_ns), LOG_ROW_COUNTER, 3);
	(void)msgpack_pack_uint64(&packer, record[2]);
	if (head.detail == 1)
		(void)msgpack_pack_double(&packer, to_double(record[3]));
	else
		(void)msgpack_pack_int64(&packer, (int64_t)record[3]);
}

/* The row of a record, by its kind; 0: none, or a row of arguments. */
#define ROW(name, row, kind, ...) [kind] = row,
static const uint8_t rows[] = {LOG_ROWS_RECORDED(ROW)};
#undef ROW

static enum log_row row_of(enum chunk_long kind)
{
	return kind < sizeof(rows) ? (enum log_row)rows[kind] : 0;
}

static bool has_args(enum chunk_long kind)
{
	return kind == CHUNK_INSTANT || kind == CHUNK_ASYNC_BEGIN ||
	       kind == CHUNK_ASYNC_END;
}

/* Words of a record that becomes a row; UINT32_MAX for others. */
static uint32_t row_words(enum chunk_long kind)
{
	const enum log_row row = row_of(kind);
	uint32_t words = 1;

	if (row == 0)
		return UINT32_MAX;
	while (log_row_fields[row][words - 1] != LOG_FIELD_END)
		words++;
	return has_args(kind) && words < PLAIN_WORDS ? PLAIN_WORDS : words;
}

uint32_t pack_record_least_words(enum chunk_long kind)
{
	switch (kind) {
	case CHUNK_BEGIN:
	case CHUNK_ARG_INT:
	case CHUNK_ARG_FLOAT:
	case CHUNK_ARG_TEXT:
	case CHUNK_DEVICE_SYNC:
	case CHUNK_BLOCK:
		return 2;
	case CHUNK_BEGIN_AT:
	case CHUNK_END_AT:
	case CHUNK_SITE:
	case CHUNK_TRACK:
	case CHUNK_LOSSES:
	case CHUNK_UNWOUND:
	case CHUNK_FUNCTION:
		return 3;
	case CHUNK_MODULE_CLOSED:
		return 1;
	case CHUNK_MODULE:
	case CHUNK_SITE_INFO:
	case CHUNK_ACTIVITY:
	case CHUNK_STREAM:
		return 4;
	default:
		return row_words(kind);
	}
}

void pack_record_add_row(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns)
{
	const enum log_row row = row_of(head.kind);

	if (row == 0) {
		add_arg(column, head, record, time_ns);
	} else if (row == LOG_ROW_COUNTER) {
		add_counter(column, head, record, time_ns);
	} else {
		log_row_add(add_extra(column, time_ns), row, record + 2);
		if (has_args(head.kind))
			add_more(column, head, record, time_ns);
	}
}

/* Records of the registry. */

bool pack_record_find(
	const struct chunk *chunk, uint32_t at, struct chunk_head *head)
{
	uint64_t word = at < CHUNK_WORDS ? chunk->words[at] : 0;

	*head = chunk_head(chunk, word);
	return word != 0 && head->words < CHUNK_WORDS - at &&
	       head->words >= pack_record_least_words(head->kind);
}

/* Takes `size` bytes, or as many as there are, of a text. */
static struct log_text take(struct log_text *text, uint64_t size)
{
	const struct log_text part = {
		text->bytes, size > text->size ? text->size : (size_t)size};

	text->bytes += part.size;
	text->size -= part.size;
	return part;
}

static bool is_site(enum chunk_long kind)
{
	return kind == CHUNK_SITE || kind == CHUNK_FUNCTION ||
	       kind == CHUNK_SITE_INFO;
}

static void add_site(
	msgpack_packer *out, struct chunk_head head, const uint64_t *record)
{
	struct log_site_row row = {.elements = LOG_SITE_ELEMENTS};
	struct log_text text = {"", 0};

	if (head.kind == CHUNK_FUNCTION) {
		row.elements = LOG_SITE_FUNCTION_ELEMENTS;
		row.module = (uint32_t)record[2];
		row.offset = record[3];
	} else if (head.kind == CHUNK_SITE) {
		(void)read_text(head, record, 3, &text.bytes, &text.size);
		row.name = take(&text, record[3]);
		row.file = text;
		row.line = (uint32_t)record[2];
	} else {
		(void)read_text(head, record, 4, &text.bytes, &text.size);
		row.elements = LOG_SITE_INFO_ELEMENTS;
		row.name = take(&text, record[3] & UINT32_MAX);
		row.file = take(&text, record[3] >> 32);
		row.line = (uint32_t)record[2];
		row.full_name = take(&text, record[4]);
		row.category = text;
		row.call_line = (uint32_t)(record[2] >> 32);
	}
	log_block_add_site(out, &row);
}

/* The run of site records that begins here, whose numbers follow one another.
 * Returns how many words it has. */
static uint32_t add_sites(
	struct buffer *bytes, const struct chunk *chunk, uint32_t at)
{
	const uint64_t *first = &chunk->words[at];
	msgpack_packer out;
	const uint32_t begin = at;
	uint32_t end = at;
	struct chunk_head head;
	size_t count = 0;

	while (pack_record_find(chunk, end, &head) && is_site(head.kind) &&
		chunk->words[end + 1] == first[1] + count) {
		count++;
		end += 1 + head.words;
	}
	out = log_block_begin_rows(bytes, LOG_SITES, first[1], count);
	while (at < end) {
		(void)pack_record_find(chunk, at, &head);
		add_site(&out, head, &chunk->words[at]);
		at += 1 + head.words;
	}
	return end - begin;
}

/* A thread, or [2, track, kind, number, name, device, context] of a device. */
static enum log_block add_track(
	struct buffer *bytes, struct chunk_head head, const uint64_t *record)
{
	const bool is_stream = head.kind == CHUNK_STREAM;
	struct log_track_row row = {.number = (uint32_t)record[1],
		.kind = (uint32_t)record[2],
		.tid = (int64_t)record[3]};

	if (is_stream && record[2] != LOG_STREAM && record[2] != LOG_CALLS)
		return LOG_BLOCK_KINDS;
	if (is_stream) {
		row.device = (uint32_t)(record[4] >> 32);
		row.context = (uint32_t)record[4];
	}
	(void)read_text(head, record, is_stream ? 4 : 3, &row.name.bytes,
		&row.name.size);
	log_block_set_track(bytes, &row,
		is_stream ? LOG_TRACK_DEVICE_ELEMENTS : LOG_TRACK_ELEMENTS);
	return LOG_TRACK;
}

/* Whether this is one array that begins with that number; a dead program may
 * have left anything. */
static bool is_block(const char *bytes, size_t size, uint64_t kind)
{
	struct cursor block;
	struct cursor whole;
	uint32_t elements;
	uint64_t first;

	cursor_init(&block, bytes, size);
	whole = block;
	return kind >= LOG_DESCRIPTIONS && kind <= LOG_DEVICE_FACTS &&
	       kind != LOG_DEVICE_SYNC && unpack_array(&block, &elements) &&
	       elements > 1 && unpack_uint(&block, &first) && first == kind &&
	       unpack_skip(&whole) && whole.left == 0;
}

/* An unchanged block. */
static enum log_block add_block(
	struct buffer *bytes, struct chunk_head head, const uint64_t *record)
{
	const char *block = "";
	size_t size = 0;

	if (!read_text(head, record, 2, &block, &size) || record[2] > size ||
		!is_block(block, (size_t)record[2], record[1]))
		return LOG_BLOCK_KINDS;
	buffer_add(bytes, block, (size_t)record[2]);
	return (enum log_block)record[1];
}

static enum log_block add_module(
	struct buffer *bytes, struct chunk_head head, const uint64_t *record)
{
	msgpack_packer out = log_block_begin(bytes, LOG_MODULE, 6);
	struct log_text text = {"", 0};
	struct log_text path;

	(void)read_text(head, record, 4, &text.bytes, &text.size);
	for (size_t i = 1; i <= 3; i++)
		(void)msgpack_pack_uint64(&out, record[i]);
	path = take(&text, record[4]);
	msgpack_out_text(&out, path.bytes, path.size);
	(void)msgpack_pack_bin_with_body(&out, text.bytes, text.size);
	return LOG_MODULE;
}

static enum log_block add_closed(struct buffer *bytes, const uint64_t *record)
{
	msgpack_packer out = log_block_begin(bytes, LOG_MODULE_CLOSED, 2);

	(void)msgpack_pack_uint64(&out, record[1]);
	return LOG_MODULE_CLOSED;
}

static enum log_block add_record(
	struct buffer *bytes, struct chunk_head head, const uint64_t *record)
{
	switch (head.kind) {
	case CHUNK_TRACK:
	case CHUNK_STREAM:
		return add_track(bytes, head, record);
	case CHUNK_BLOCK:
		return add_block(bytes, head, record);
	case CHUNK_MODULE:
		return add_module(bytes, head, record);
	case CHUNK_MODULE_CLOSED:
		return add_closed(bytes, record);
	default:
		return LOG_BLOCK_KINDS;
	}
}

uint32_t pack_record_add_block(struct buffer *bytes, const struct chunk *chunk,
	uint32_t at, enum log_block *kind)
{
	struct chunk_head head;

	bytes->used = 0;
	(void)pack_record_find(chunk, at, &head);
	if (is_site(head.kind)) {
		*kind = LOG_SITES;
		return add_sites(bytes, chunk, at);
	}
	*kind = add_record(bytes, head, &chunk->words[at]);
	return 1 + head.words;
}

/* SPDX-License-Identifier: MIT */
#include "pack/pack_registry.h"

#include "log/msgpack_out.h"
#include "log/unpack.h"
#include "pack/pack_row.h"

bool pack_registry_find(
	const struct chunk *chunk, uint32_t at, struct chunk_head *head)
{
	uint64_t word = at < CHUNK_WORDS ? chunk->words[at] : 0;

	*head = chunk_head(chunk, word);
	return word != 0 && head->words < CHUNK_WORDS - at &&
	       head->words >= pack_row_least_words(head->kind);
}

/* Reads `size` bytes, or as many as there are, as a text. */
static void add_part(
	msgpack_packer *out, const char **text, size_t *left, uint64_t size)
{
	size_t part = size > *left ? *left : (size_t)size;

	msgpack_out_text(out, *text, part);
	*text += part;
	*left -= part;
}

/* [name, file, line, 0, 0, full name, category, line of the call] */
static void add_site_info(
	msgpack_packer *out, struct chunk_head head, const uint64_t *record)
{
	const char *text = "";
	size_t left = 0;

	(void)pack_row_text(head, record, 4, &text, &left);
	(void)msgpack_pack_array(out, 8);
	add_part(out, &text, &left, record[3] & UINT32_MAX);
	add_part(out, &text, &left, record[3] >> 32);
	(void)msgpack_pack_uint64(out, record[2] & UINT32_MAX);
	(void)msgpack_pack_int(out, 0);
	(void)msgpack_pack_int(out, 0);
	add_part(out, &text, &left, record[4]);
	msgpack_out_text(out, text, left);
	(void)msgpack_pack_uint64(out, record[2] >> 32);
}

static bool is_site(enum chunk_long kind)
{
	return kind == CHUNK_SITE || kind == CHUNK_FUNCTION ||
	       kind == CHUNK_SITE_INFO;
}

/* One site's [name, file, line], and what a function has after it. */
static void add_site(
	msgpack_packer *out, struct chunk_head head, const uint64_t *record)
{
	const char *text = "";
	size_t size = 0;

	if (head.kind == CHUNK_SITE_INFO) {
		add_site_info(out, head, record);
		return;
	}
	if (head.kind == CHUNK_FUNCTION) {
		(void)msgpack_pack_array(out, 6);
		msgpack_out_text(out, "", 0);
		msgpack_out_text(out, "", 0);
		(void)msgpack_pack_int(out, 0);
		(void)msgpack_pack_uint64(out, record[2]);
		(void)msgpack_pack_uint64(out, record[3]);
		msgpack_out_text(out, "", 0);
		return;
	}
	(void)pack_row_text(head, record, 3, &text, &size);
	(void)msgpack_pack_array(out, 3);
	add_part(out, &text, &size, record[3]);
	msgpack_out_text(out, text, size);
	(void)msgpack_pack_uint64(out, record[2]);
}

/* The run of site records that begins here, whose numbers follow one another.
 * Returns how many words it has. */
static uint32_t add_sites(
	struct buffer *bytes, const struct chunk *chunk, uint32_t at)
{
	msgpack_packer out = msgpack_out(bytes);
	const uint64_t *first = &chunk->words[at];
	const uint32_t begin = at;
	uint32_t end = at;
	struct chunk_head head;
	size_t count = 0;

	while (pack_registry_find(chunk, end, &head) && is_site(head.kind) &&
		chunk->words[end + 1] == first[1] + count) {
		count++;
		end += 1 + head.words;
	}
	(void)msgpack_pack_array(&out, 3);
	(void)msgpack_pack_int(&out, LOG_SITES);
	(void)msgpack_pack_uint64(&out, first[1]);
	(void)msgpack_pack_array(&out, count);
	while (at < end) {
		(void)pack_registry_find(chunk, at, &head);
		add_site(&out, head, &chunk->words[at]);
		at += 1 + head.words;
	}
	return end - begin;
}

static enum log_block add_track(
	struct buffer *bytes, struct chunk_head head, const uint64_t *record)
{
	msgpack_packer out = msgpack_out(bytes);
	const char *text = "";
	size_t size = 0;

	(void)pack_row_text(head, record, 3, &text, &size);
	(void)msgpack_pack_array(&out, 5);
	(void)msgpack_pack_int(&out, LOG_TRACK);
	(void)msgpack_pack_uint64(&out, record[1]);
	(void)msgpack_pack_uint64(&out, record[2]);
	(void)msgpack_pack_uint64(&out, record[3]);
	msgpack_out_text(&out, text, size);
	return LOG_TRACK;
}

/* [2, track, kind, number, name, device, context] */
static enum log_block add_stream(
	struct buffer *bytes, struct chunk_head head, const uint64_t *record)
{
	msgpack_packer out = msgpack_out(bytes);
	const char *text = "";
	size_t size = 0;

	if (record[2] != LOG_STREAM && record[2] != LOG_CALLS)
		return LOG_BLOCK_KINDS;
	(void)pack_row_text(head, record, 4, &text, &size);
	(void)msgpack_pack_array(&out, 7);
	(void)msgpack_pack_int(&out, LOG_TRACK);
	(void)msgpack_pack_uint64(&out, record[1]);
	(void)msgpack_pack_uint64(&out, record[2]);
	(void)msgpack_pack_int64(&out, (int64_t)record[3]);
	msgpack_out_text(&out, text, size);
	(void)msgpack_pack_uint64(&out, record[4] >> 32);
	(void)msgpack_pack_uint64(&out, record[4] & UINT32_MAX);
	return LOG_TRACK;
}

/* Is this one array that begins with that number? A dead program may have left
 * anything. */
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

/* A block as it stands. */
static enum log_block add_block(
	struct buffer *bytes, struct chunk_head head, const uint64_t *record)
{
	const char *block = "";
	size_t size = 0;

	if (!pack_row_text(head, record, 2, &block, &size) ||
		record[2] > size ||
		!is_block(block, (size_t)record[2], record[1]))
		return LOG_BLOCK_KINDS;
	buffer_add(bytes, block, (size_t)record[2]);
	return (enum log_block)record[1];
}

static enum log_block add_module(
	struct buffer *bytes, struct chunk_head head, const uint64_t *record)
{
	msgpack_packer out = msgpack_out(bytes);
	const char *text = "";
	size_t size = 0;

	(void)pack_row_text(head, record, 4, &text, &size);
	(void)msgpack_pack_array(&out, 6);
	(void)msgpack_pack_int(&out, LOG_MODULE);
	for (size_t i = 1; i <= 3; i++)
		(void)msgpack_pack_uint64(&out, record[i]);
	add_part(&out, &text, &size, record[4]);
	(void)msgpack_pack_bin_with_body(&out, text, size);
	return LOG_MODULE;
}

static enum log_block add_closed(struct buffer *bytes, const uint64_t *record)
{
	msgpack_packer out = msgpack_out(bytes);

	(void)msgpack_pack_array(&out, 2);
	(void)msgpack_pack_int(&out, LOG_MODULE_CLOSED);
	(void)msgpack_pack_uint64(&out, record[1]);
	return LOG_MODULE_CLOSED;
}

static enum log_block add_record(
	struct buffer *bytes, struct chunk_head head, const uint64_t *record)
{
	switch (head.kind) {
	case CHUNK_TRACK:
		return add_track(bytes, head, record);
	case CHUNK_STREAM:
		return add_stream(bytes, head, record);
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

uint32_t pack_registry_add(struct buffer *bytes, const struct chunk *chunk,
	uint32_t at, enum log_block *kind)
{
	struct chunk_head head;

	bytes->used = 0;
	(void)pack_registry_find(chunk, at, &head);
	if (is_site(head.kind)) {
		*kind = LOG_SITES;
		return add_sites(bytes, chunk, at);
	}
	*kind = add_record(bytes, head, &chunk->words[at]);
	return 1 + head.words;
}

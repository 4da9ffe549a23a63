/* SPDX-License-Identifier: MIT */
/* The registry's chunks: sites, tracks, modules and what was lost. */
#include <string.h>

#include "log/msgpack_out.h"
#include "pack/pack_private.h"
#include "pack/pack_row.h"
#include "log/unpack.h"

/* Copies the records from words[at] on, up to the first invalid one. */
static void copy_records(
	struct chunk *copy, const struct chunk *chunk, uint32_t at)
{
	copy->base = chunk->base;
	while (at < CHUNK_WORDS) {
		uint64_t word =
			__atomic_load_n(&chunk->words[at], __ATOMIC_ACQUIRE);
		uint32_t words = chunk_head(copy, word).words;

		copy->words[at++] = word;
		if (word == 0 || words > CHUNK_WORDS - at)
			return;
		memcpy(&copy->words[at], &chunk->words[at],
			words * sizeof(word));
		at += words;
	}
}

/* The long record at words[at]; false if there is none (yet), or it does not
 * lie in the chunk, or is shorter than its kind needs. */
static bool find_long(
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

/* Packs the run of site records that begins here, whose numbers follow one
 * another. Moves `at` past it. */
static enum ctp_status write_sites(struct packer *packer,
	const struct chunk *chunk, uint32_t *at, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(&packer->bytes);
	const uint64_t *first = &chunk->words[*at];
	uint32_t end = *at;
	struct chunk_head head;
	size_t count = 0;

	while (find_long(chunk, end, &head) && is_site(head.kind) &&
		chunk->words[end + 1] == first[1] + count) {
		count++;
		end += 1 + head.words;
	}
	packer->bytes.used = 0;
	(void)msgpack_pack_array(&out, 3);
	(void)msgpack_pack_int(&out, LOG_SITES);
	(void)msgpack_pack_uint64(&out, first[1]);
	(void)msgpack_pack_array(&out, count);
	while (*at < end) {
		(void)find_long(chunk, *at, &head);
		add_site(&out, head, &chunk->words[*at]);
		*at += 1 + head.words;
	}
	return packer_write(packer, LOG_SITES, err);
}

static enum ctp_status write_track(struct packer *packer,
	struct chunk_head head, const uint64_t *record, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(&packer->bytes);
	const char *text = "";
	size_t size = 0;

	(void)pack_row_text(head, record, 3, &text, &size);
	packer->bytes.used = 0;
	(void)msgpack_pack_array(&out, 5);
	(void)msgpack_pack_int(&out, LOG_TRACK);
	(void)msgpack_pack_uint64(&out, record[1]);
	(void)msgpack_pack_uint64(&out, record[2]);
	(void)msgpack_pack_uint64(&out, record[3]);
	msgpack_out_text(&out, text, size);
	return packer_write(packer, LOG_TRACK, err);
}

/* [2, track, kind, number, name, device, context] */
static enum ctp_status write_stream(struct packer *packer,
	struct chunk_head head, const uint64_t *record, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(&packer->bytes);
	const char *text = "";
	size_t size = 0;

	if (record[2] != LOG_STREAM && record[2] != LOG_CALLS)
		return CTP_OK;
	(void)pack_row_text(head, record, 4, &text, &size);
	packer->bytes.used = 0;
	(void)msgpack_pack_array(&out, 7);
	(void)msgpack_pack_int(&out, LOG_TRACK);
	(void)msgpack_pack_uint64(&out, record[1]);
	(void)msgpack_pack_uint64(&out, record[2]);
	(void)msgpack_pack_int64(&out, (int64_t)record[3]);
	msgpack_out_text(&out, text, size);
	(void)msgpack_pack_uint64(&out, record[4] >> 32);
	(void)msgpack_pack_uint64(&out, record[4] & UINT32_MAX);
	return packer_write(packer, LOG_TRACK, err);
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
static enum ctp_status write_block(struct packer *packer,
	struct chunk_head head, const uint64_t *record, struct ctp_error *err)
{
	const char *bytes = "";
	size_t size = 0;

	if (!pack_row_text(head, record, 2, &bytes, &size) ||
		record[2] > size ||
		!is_block(bytes, (size_t)record[2], record[1]))
		return CTP_OK;
	packer->bytes.used = 0;
	buffer_add(&packer->bytes, bytes, (size_t)record[2]);
	return packer_write(packer, (enum log_block)record[1], err);
}

static enum ctp_status write_module(struct packer *packer,
	struct chunk_head head, const uint64_t *record, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(&packer->bytes);
	const char *text = "";
	size_t size = 0;

	(void)pack_row_text(head, record, 4, &text, &size);
	packer->bytes.used = 0;
	(void)msgpack_pack_array(&out, 6);
	(void)msgpack_pack_int(&out, LOG_MODULE);
	for (size_t i = 1; i <= 3; i++)
		(void)msgpack_pack_uint64(&out, record[i]);
	add_part(&out, &text, &size, record[4]);
	(void)msgpack_pack_bin_with_body(&out, text, size);
	return packer_write(packer, LOG_MODULE, err);
}

static enum ctp_status write_closed(
	struct packer *packer, const uint64_t *record, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(&packer->bytes);

	packer->bytes.used = 0;
	(void)msgpack_pack_array(&out, 2);
	(void)msgpack_pack_int(&out, LOG_MODULE_CLOSED);
	(void)msgpack_pack_uint64(&out, record[1]);
	return packer_write(packer, LOG_MODULE_CLOSED, err);
}

/* A record that is not of a site. */
static enum ctp_status write_other(struct packer *packer,
	struct chunk_head head, const uint64_t *record, struct ctp_error *err)
{
	struct chunk_losses losses = {0};

	/* Not by track: there is one count for all truncated text. */

	switch (head.kind) {
	case CHUNK_TRACK:
		return write_track(packer, head, record, err);
	case CHUNK_STREAM:
		return write_stream(packer, head, record, err);
	case CHUNK_BLOCK:
		return write_block(packer, head, record, err);
	case CHUNK_MODULE:
		return write_module(packer, head, record, err);
	case CHUNK_MODULE_CLOSED:
		return write_closed(packer, record, err);
	case CHUNK_LOSSES:
		if (record[1] == LOG_NO_TRACK)
			return packer_trace_loss(packer, "cut_text",
				record[3] & UINT32_MAX, err);
		losses.dropped_ranges = record[2];
		losses.dropped_events = record[3] >> 32;
		losses.cut_text = record[3] & UINT32_MAX;
		break;
	case CHUNK_UNWOUND:
		losses.unwound_ranges = record[2];
		losses.stray_exits = record[3];
		break;
	default:
		return CTP_OK;
	}
	return packer_losses(packer, (uint32_t)record[1], &losses, err);
}

enum ctp_status packer_registry(struct packer *packer,
	const struct chunk *chunk, uint32_t *consumed, struct ctp_error *err)
{
	struct chunk *copy = &packer->copy;
	enum ctp_status status = CTP_OK;
	uint32_t at = *consumed;
	struct chunk_head head;

	copy_records(copy, chunk, at);
	while (status == CTP_OK && find_long(copy, at, &head)) {
		if (is_site(head.kind)) {
			status = write_sites(packer, copy, &at, err);
			continue;
		}
		status = write_other(packer, head, &copy->words[at], err);
		at += 1 + head.words;
	}
	if (status == CTP_OK)
		*consumed = at;
	return status;
}

/* SPDX-License-Identifier: MIT */
#include "json_window.h"

#include <errno.h>
#include <string.h>

#include "memory.h"

#define WINDOW_BYTES ((size_t)1 << 20)
/* So much is indexed at once: with all that is known of it, it stays in the
 * machine's nearest caches. */
#define INDEX_BYTES ((size_t)16 << 10)

/* Makes room for the tokens and blocks of `size` more bytes. */
static bool reserve(struct json_window *window, size_t size)
{
	size_t tokens = window->token_count + size;
	size_t blocks = (window->indexed - window->blocks_from + size) /
			JSON_INDEX_STEP;
	void *more;

	if (tokens > window->token_room) {
		tokens *= 2;
		more = memory_resize_array(
			window->tokens, tokens, sizeof(*window->tokens));
		if (more == NULL)
			return false;
		window->tokens = more;
		window->token_room = tokens;
	}
	if (blocks > window->block_room) {
		blocks *= 2;
		more = memory_resize_array(
			window->blocks, blocks, sizeof(*window->blocks));
		if (more == NULL)
			return false;
		window->blocks = more;
		window->block_room = blocks;
	}
	return true;
}

bool json_window_init(struct json_window *window, FILE *in, const void *head,
	size_t head_size)
{
	size_t room = WINDOW_BYTES > head_size ? WINDOW_BYTES : head_size;

	*window = (struct json_window){
		.in = in, .room = room, .kept = JSON_WINDOW_NOT_KEPT};
	window->bytes = memory_new(room + JSON_INDEX_STEP);
	json_index_init(&window->index, json_index_ways() - 1);
	if (window->bytes == NULL || !reserve(window, INDEX_BYTES))
		return false;
	if (head_size > 0)
		memcpy(window->bytes, head, head_size);
	window->used = head_size;
	return true;
}

void json_window_clear(struct json_window *window)
{
	memory_free(window->bytes);
	memory_free(window->tokens);
	memory_free(window->blocks);
}

/* Where the next token begins; in whole blocks. */
static size_t block_start(const struct json_window *window)
{
	size_t from = window->token_at < window->token_count
			      ? window->tokens[window->token_at]
			      : window->indexed;

	return from - from % JSON_INDEX_STEP;
}

/* What is known of what is before the tokens that are left goes. */
static void drop_tokens(struct json_window *window)
{
	size_t from = block_start(window);
	size_t gone = (from - window->blocks_from) / JSON_INDEX_STEP;

	if (gone > 0)
		memmove(window->blocks, window->blocks + gone,
			(window->indexed - from) / JSON_INDEX_STEP *
				sizeof(*window->blocks));
	window->blocks_from = from;
	if (window->token_at == 0)
		return;
	window->token_count -= window->token_at;
	memmove(window->tokens, window->tokens + window->token_at,
		window->token_count * sizeof(*window->tokens));
	window->dropped += window->token_at;
	window->token_at = 0;
}

/* Text goes that is before the tokens that are left and is not kept; in whole
 * blocks. */
static void drop_used(struct json_window *window)
{
	size_t from;

	drop_tokens(window);
	from = block_start(window);
	if (window->kept != JSON_WINDOW_NOT_KEPT &&
		window->kept - window->base < from)
		from = (size_t)(window->kept - window->base);
	from -= from % JSON_INDEX_STEP;
	memmove(window->bytes, window->bytes + from, window->used - from);
	window->used -= from;
	window->indexed -= from;
	window->blocks_from -= from;
	window->base += from;
	window->index.slashed -= window->index.slashed < from
					 ? window->index.slashed
					 : (uint32_t)from;
	for (size_t i = 0; i < window->token_count; i++)
		window->tokens[i] -= (uint32_t)from;
}

static enum ctp_status grow_window(
	struct json_window *window, struct ctp_error *err)
{
	size_t room = window->room * 2;
	uint8_t *bytes;

	if (room > JSON_WINDOW_BYTES_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT, window->base,
			"what begins here is too long");
	bytes = memory_resize(window->bytes, room + JSON_INDEX_STEP);
	if (bytes == NULL)
		return ctp_fail(
			err, CTP_ERR_NOMEM, window->base, "out of memory");
	window->bytes = bytes;
	window->room = room;
	return CTP_OK;
}

/* More of the input into the window. */
static enum ctp_status fill(struct json_window *window, struct ctp_error *err)
{
	enum ctp_status status;
	size_t got;

	drop_used(window);
	if (window->used == window->room) {
		status = grow_window(window, err);
		if (status != CTP_OK)
			return status;
	}
	errno = 0;
	got = fread(window->bytes + window->used, 1,
		window->room - window->used, window->in);
	if (got == 0 && ferror(window->in))
		return ctp_fail(err, CTP_ERR_IO, window->base + window->used,
			"cannot be read");
	window->used += got;
	window->at_eof = got == 0;
	return CTP_OK;
}

/* Finds more tokens, in whole steps of the index; the last one is filled up
 * with white space, which is in no token. */
static enum ctp_status look_ahead(
	struct json_window *window, struct ctp_error *err)
{
	size_t left = window->used - window->indexed;
	size_t size = left < INDEX_BYTES ? left : INDEX_BYTES;
	struct json_index_part part;

	if (left < JSON_INDEX_STEP && !window->at_eof)
		return fill(window, err);
	if (left == 0)
		return CTP_END;
	if (size < JSON_INDEX_STEP) {
		memset(window->bytes + window->used, ' ',
			JSON_INDEX_STEP - size);
		size = JSON_INDEX_STEP;
	}
	size -= size % JSON_INDEX_STEP;
	drop_tokens(window);
	if (!reserve(window, size))
		return ctp_fail(
			err, CTP_ERR_NOMEM, window->base, "out of memory");
	part = (struct json_index_part){.bytes = window->bytes,
		.from = (uint32_t)window->indexed,
		.to = (uint32_t)(window->indexed + size),
		.tokens = window->tokens + window->token_count,
		.blocks = window->blocks +
			  (window->indexed - window->blocks_from) /
				  JSON_INDEX_STEP};
	window->token_count += json_index_add(&window->index, &part);
	window->indexed += size < left ? size : left;
	return CTP_OK;
}

enum ctp_status json_window_need(
	struct json_window *window, size_t count, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK &&
		window->token_count - window->token_at < count)
		status = look_ahead(window, err);
	return status;
}

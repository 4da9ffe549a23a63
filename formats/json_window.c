/* SPDX-License-Identifier: MIT */
#include "json_window.h"

#include <errno.h>
#include <string.h>

#include "memory.h"

#define WINDOW_BYTES ((size_t)1 << 20)
#define INDEX_BYTES ((size_t)64 << 10)

bool json_window_init(struct json_window *window, FILE *in, const void *head,
	size_t head_size)
{
	size_t room = WINDOW_BYTES > head_size ? WINDOW_BYTES : head_size;

	*window = (struct json_window){.in = in,
		.room = room,
		.kept = JSON_WINDOW_NOT_KEPT,
		.token_room = INDEX_BYTES};
	window->bytes = memory_new(room + JSON_INDEX_STEP);
	window->tokens =
		memory_new(window->token_room * sizeof(*window->tokens));
	if (window->bytes == NULL || window->tokens == NULL)
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
}

/* What is before the tokens that are left and is not kept goes. */
static void drop_used(struct json_window *window)
{
	size_t from = window->token_at < window->token_count
			      ? window->tokens[window->token_at]
			      : window->indexed;

	if (window->kept != JSON_WINDOW_NOT_KEPT &&
		window->kept - window->base < from)
		from = (size_t)(window->kept - window->base);
	memmove(window->bytes, window->bytes + from, window->used - from);
	window->used -= from;
	window->indexed -= from;
	window->base += from;
	window->token_count -= window->token_at;
	for (size_t i = 0; i < window->token_count; i++)
		window->tokens[i] =
			window->tokens[i + window->token_at] - (uint32_t)from;
	window->token_at = 0;
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
	uint32_t *tokens;
	size_t room;

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
	room = window->token_count + size;
	if (room > window->token_room) {
		tokens = memory_resize(
			window->tokens, 2 * room * sizeof(*tokens));
		if (tokens == NULL)
			return ctp_fail(err, CTP_ERR_NOMEM, window->base,
				"out of memory");
		window->tokens = tokens;
		window->token_room = 2 * room;
	}
	window->token_count += json_index_add(&window->index, window->bytes,
		(uint32_t)window->indexed, (uint32_t)(window->indexed + size),
		window->tokens + window->token_count);
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

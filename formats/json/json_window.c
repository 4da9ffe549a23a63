/* SPDX-License-Identifier: MIT */
#include "json/json_window.h"

#include <errno.h>
#include <string.h>

#include "json/json_bytes.h"
#include "base/memory.h"

#define WINDOW_BYTES ((size_t)1 << 20)

static void set_used(struct json_window *window, size_t used)
{
	window->used = used;
	memset(window->bytes + used, 0, JSON_BYTES_ROOM);
}

bool json_window_init(struct json_window *window, FILE *in, const void *head,
	size_t head_size)
{
	size_t room = WINDOW_BYTES > head_size ? WINDOW_BYTES : head_size;

	*window = (struct json_window){
		.in = in, .room = room, .kept = JSON_WINDOW_NOT_KEPT};
	window->bytes = memory_new(room + JSON_BYTES_ROOM);
	if (window->bytes == NULL)
		return false;
	if (head_size > 0)
		memcpy(window->bytes, head, head_size);
	set_used(window, head_size);
	return true;
}

void json_window_clear(struct json_window *window)
{
	memory_free(window->bytes);
}

/* What has been read and is not kept goes. */
static void drop(struct json_window *window)
{
	size_t from = window->at;

	if (window->kept != JSON_WINDOW_NOT_KEPT &&
		window->kept - window->base < from)
		from = (size_t)(window->kept - window->base);
	memmove(window->bytes, window->bytes + from, window->used - from);
	window->used -= from;
	window->at -= from;
	window->base += from;
}

static enum ctp_status grow(struct json_window *window, struct ctp_error *err)
{
	size_t room = window->room * 2;
	uint8_t *bytes;

	if (room > JSON_WINDOW_BYTES_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT, window->base,
			"what begins here is too long");
	bytes = memory_resize(window->bytes, room + JSON_BYTES_ROOM);
	if (bytes == NULL)
		return ctp_fail(
			err, CTP_ERR_NOMEM, window->base, "out of memory");
	window->bytes = bytes;
	window->room = room;
	return CTP_OK;
}

enum ctp_status json_window_fill(
	struct json_window *window, struct ctp_error *err)
{
	enum ctp_status status;
	size_t got;

	if (window->at_eof)
		return CTP_END;
	drop(window);
	if (window->used == window->room) {
		status = grow(window, err);
		if (status != CTP_OK)
			return status;
	}
	errno = 0;
	got = fread(window->bytes + window->used, 1,
		window->room - window->used, window->in);
	if (got == 0 && ferror(window->in))
		return ctp_fail(err, CTP_ERR_IO, window->base + window->used,
			"cannot be read");
	set_used(window, window->used + got);
	window->at_eof = got == 0;
	return got == 0 ? CTP_END : CTP_OK;
}

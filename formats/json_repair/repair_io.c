/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_io.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"

#define WINDOW_BYTES ((size_t)1 << 20)

bool repair_window_init(struct repair_window *window, FILE *in,
	const void *head, size_t head_size)
{
	size_t room = WINDOW_BYTES > head_size ? WINDOW_BYTES : head_size;

	*window = (struct repair_window){.in = in, .room = room};
	window->bytes = memory_new(room + REPAIR_WINDOW_PADDING);
	if (window->bytes == NULL)
		return false;
	if (head_size > 0)
		memcpy(window->bytes, head, head_size);
	window->used = head_size;
	memset(window->bytes + head_size, 0, REPAIR_WINDOW_PADDING);
	return true;
}

void repair_window_clear(struct repair_window *window)
{
	memory_free(window->bytes);
	*window = (struct repair_window){0};
}

/* Doubles the window when kept bytes fill half of it. */
static bool grow(struct repair_window *window)
{
	size_t room = window->room * 2;
	uint8_t *bytes;

	if (window->used <= window->room / 2 || room > REPAIR_WINDOW_BYTES_MAX)
		return true;
	bytes = memory_resize(window->bytes, room + REPAIR_WINDOW_PADDING);
	if (bytes == NULL)
		return false;
	window->bytes = bytes;
	window->room = room;
	return true;
}

enum ctp_status repair_window_fill(
	struct repair_window *window, size_t keep, struct ctp_error *err)
{
	size_t got;

	window->used -= keep;
	window->base += keep;
	memmove(window->bytes, window->bytes + keep, window->used);
	if (!grow(window))
		return ctp_fail_at(
			err, CTP_ERR_NOMEM, window->base, "out of memory");
	errno = 0;
	got = window->at_eof ? 0
			     : fread(window->bytes + window->used, 1,
				       window->room - window->used, window->in);
	if (got == 0 && ferror(window->in))
		return ctp_fail_at(err, CTP_ERR_IO, window->base + window->used,
			"cannot be read");
	if (got < window->room - window->used)
		window->at_eof = true;
	window->used += got;
	memset(window->bytes + window->used, 0, REPAIR_WINDOW_PADDING);
	return got == 0 ? CTP_END : CTP_OK;
}

/* A longer tail is written at once: VizTracer puts whole source files there. */
#define TAIL_BYTES_MAX ((size_t)1 << 20)

static void write_out(struct repair_out *out, const void *bytes, size_t size)
{
	out->written += fwrite(bytes, 1, size, out->file);
}

void repair_out_finish(struct repair_out *out)
{
	write_out(out, out->tail.bytes, out->tail.used);
	out->tail.used = 0;
	out->ends_events = false;
	out->mode = REPAIR_DIRECT;
}

void repair_out_add(struct repair_out *out, const void *bytes, size_t size)
{
	if (size == 0 || out->mode == REPAIR_MUTED)
		return;
	if (out->mode == REPAIR_TAIL && out->tail.used + size > TAIL_BYTES_MAX)
		repair_out_finish(out);
	if (out->mode == REPAIR_TAIL)
		buffer_add(&out->tail, bytes, size);
	else
		write_out(out, bytes, size);
}

bool repair_out_begin_tail(struct repair_out *out, bool ends_events)
{
	if (out->mode != REPAIR_DIRECT || out->tail.used > 0)
		return false;
	out->mode = REPAIR_TAIL;
	out->ends_events = ends_events;
	return true;
}

void repair_out_prepend(struct repair_out *out, const char *text)
{
	size_t size = strlen(text);

	if (!buffer_reserve(&out->tail, size))
		return;
	memmove(out->tail.bytes + size, out->tail.bytes, out->tail.used);
	memcpy(out->tail.bytes, text, size);
	out->tail.used += size;
}

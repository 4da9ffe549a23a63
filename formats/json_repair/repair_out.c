/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_out.h"

#include <string.h>

/* A longer tail is written: what VizTracer puts there are whole sources. */
#define TAIL_BYTES_MAX ((size_t)1 << 20)

static void put(struct repair_out *out, const void *bytes, size_t size)
{
	out->written += fwrite(bytes, 1, size, out->file);
}

void repair_out_finish(struct repair_out *out)
{
	put(out, out->tail.bytes, out->tail.used);
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
		put(out, bytes, size);
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

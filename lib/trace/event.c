/* SPDX-License-Identifier: MIT */
#include "trace/event.h"

#include <string.h>

#include "base/memory.h"

static uint64_t position(const struct event_source *source)
{
	return source->inner->position(source->inner);
}

struct event event_run_get(const struct event_run *run, uint32_t index)
{
	const uint32_t site = run->sites[index];

	return (struct event){
		.kind = site == TRACE_NONE ? EVENT_END : EVENT_BEGIN,
		.track = run->track,
		.site = site,
		.device = -1,
		.time_ns = run->times_ns[index],
	};
}

void event_source_wrap(struct event_source *source, struct event_source *inner,
	enum ctp_status (*next)(struct event_source *source,
		struct event *event, struct ctp_error *err),
	void (*close)(struct event_source *source))
{
	*source = (struct event_source){
		.inner = inner,
		.trace = inner->trace,
		.format = inner->format,
		.next = next,
		.position = position,
		.close = close,
	};
}

static bool has_text(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT || arg->kind == ARG_JSON;
}

/* One allocation holds the arguments, followed by all their text. */
bool event_copy(struct event *to, const struct event *from)
{
	size_t size = from->arg_count * sizeof(*from->args);
	struct event_arg *args;
	char *text;

	*to = *from;
	to->args = NULL;
	to->arg_count = 0;
	if (from->arg_count == 0)
		return true;
	for (uint32_t i = 0; i < from->arg_count; i++)
		if (has_text(&from->args[i]))
			size += from->args[i].value.text.size;
	args = memory_new(size);
	if (args == NULL)
		return false;
	text = (char *)(args + from->arg_count);
	for (uint32_t i = 0; i < from->arg_count; i++) {
		args[i] = from->args[i];
		if (!has_text(&args[i]))
			continue;
		size = args[i].value.text.size;
		if (size > 0)
			memcpy(text, args[i].value.text.bytes, size);
		args[i].value.text.bytes = text;
		text += size;
	}
	to->args = args;
	to->arg_count = from->arg_count;
	return true;
}

void event_copy_clear(struct event *event)
{
	memory_free((void *)(uintptr_t)event->args);
	event->args = NULL;
	event->arg_count = 0;
}

const struct event_arg *event_find_arg(
	const struct trace *trace, const struct event *event, const char *key)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (strcmp(strtab_text(trace->text, event->args[i].key, NULL),
			    key) == 0)
			return &event->args[i];
	return NULL;
}

int64_t event_end(const struct event *event)
{
	uint64_t rest_ns =
		event->kind == EVENT_END ? event->shift_ns : event->dur_ns;
	int64_t end_ns;

	return __builtin_add_overflow(event->time_ns, rest_ns, &end_ns)
		       ? INT64_MAX
		       : end_ns;
}

bool event_queue_add(struct event_queue *queue, const struct event *event)
{
	if (!array_reserve(&queue->items, queue->count, &queue->room,
		    sizeof(*queue->items)))
		return false;
	queue->items[queue->count++] = *event;
	return true;
}

bool event_queue_pop(struct event_queue *queue, struct event *event)
{
	if (queue->taken == queue->count)
		return false;
	*event = queue->items[queue->taken++];
	if (queue->taken == queue->count) {
		queue->taken = 0;
		queue->count = 0;
	}
	return true;
}

void event_queue_clear(struct event_queue *queue)
{
	memory_free(queue->items);
	*queue = (struct event_queue){0};
}

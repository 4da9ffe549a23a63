/* SPDX-License-Identifier: MIT */
#include "array_source.h"

#include <string.h>

#include "quick_check.h"

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct array_source *array = (struct array_source *)(void *)source;

	if (array->at == array->count)
		return array->breaks
			       ? ctp_fail_at(err, CTP_ERR_FORMAT, 77, "broken")
			       : CTP_END;
	*event = array->events[array->at++];
	if (event->time_ns > source->trace->end_ns)
		source->trace->end_ns = event->time_ns;
	return CTP_OK;
}

static uint64_t position(const struct event_source *source)
{
	return ((const struct array_source *)(const void *)source)->at;
}

void array_source_init(
	struct array_source *array, const struct event *events, size_t count)
{
	*array = (struct array_source){.source = {.trace = trace_new(NULL),
					       .next = next,
					       .position = position},
		.events = events,
		.count = count};
	ck_assert_ptr_nonnull(array->source.trace);
}

void array_source_clear(struct array_source *array)
{
	trace_free(array->source.trace);
}

uint32_t array_source_text(struct array_source *array, const char *text)
{
	uint32_t number =
		strtab_add(array->source.trace->text, text, strlen(text));

	ck_assert_uint_ne(number, STRTAB_NONE);
	return number;
}

uint32_t array_source_site(
	struct array_source *array, const char *name, const char *category)
{
	uint32_t number = trace_add_place(array->source.trace,
		(struct trace_site){.name = array_source_text(array, name),
			.category = array_source_text(array, category)});

	ck_assert_uint_ne(number, TRACE_NONE);
	return number;
}

uint32_t array_source_track(
	struct array_source *array, struct trace_track track, const char *name)
{
	uint32_t number;

	track.process_name = array_source_text(array, name);
	number = trace_add_track(array->source.trace, track);
	ck_assert_uint_ne(number, TRACE_NONE);
	return number;
}

/* SPDX-License-Identifier: MIT */
#include "profiles/profile_source.h"

#include "io/truncation.h"
#include "base/memory.h"

static struct profile_source *from_of(struct event_source *source)
{
	return (struct profile_source *)(void *)source;
}

static enum ctp_status read_profile(struct event_source *source,
	struct profile **out, struct ctp_error *err)
{
	struct profile_source *from = from_of(source);
	struct ctp_error error = {.offset = ERROR_NO_OFFSET};
	enum ctp_status status;

	profile_free(from->profile);
	from->profile = profile_new();
	if (from->profile == NULL)
		return ctp_no_memory(err);
	status = from->read(from, &error);
	if (status == CTP_ERR_FORMAT && from->profile->function_count > 0)
		status = truncation_record(source->trace, &error)
				 ? CTP_OK
				 : ctp_no_memory(&error);
	if (status != CTP_OK) {
		if (err != NULL)
			*err = error;
		return status;
	}
	*out = from->profile;
	from->profile = NULL;
	return CTP_OK;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	(void)source;
	(void)event;
	(void)err;
	return CTP_END;
}

static uint64_t position(const struct event_source *source)
{
	return ((const struct profile_source *)(const void *)source)->position;
}

static void close_source(struct event_source *source)
{
	struct profile_source *from = from_of(source);

	profile_free(from->profile);
	buffer_clear(&from->head);
	trace_free(source->trace);
	memory_free(from);
}

enum ctp_status profile_source_open(struct profile_source_input input,
	enum ctp_status (*read)(
		struct profile_source *from, struct ctp_error *err),
	struct event_source **out, struct ctp_error *err)
{
	struct profile_source *from = memory_new_zeroed(1, sizeof(*from));

	if (from == NULL)
		return ctp_no_memory(err);
	from->source.trace = trace_new(input.request);
	buffer_add(&from->head, input.head, input.head_size);
	if (from->source.trace == NULL || from->head.failed) {
		close_source(&from->source);
		return ctp_no_memory(err);
	}
	from->in = input.in;
	from->read = read;
	from->source.next = next;
	from->source.read_profile = read_profile;
	from->source.position = position;
	from->source.close = close_source;
	*out = &from->source;
	return CTP_OK;
}

/* SPDX-License-Identifier: MIT */
#include "trace/event.h"

static uint64_t position(const struct event_source *source)
{
	return source->inner->position(source->inner);
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

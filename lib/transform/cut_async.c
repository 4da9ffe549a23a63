/* SPDX-License-Identifier: MIT */
#include "transform/cut_private.h"

bool cut_begin_async(struct cut *cut, const struct event *event)
{
	struct open_async *async =
		open_asyncs_add(&cut->asyncs, cut->source.trace, event);

	if (async == NULL)
		return false;
	if (event->time_ns < cut->from_ns)
		return true;
	async->shown = true;
	return event_queue_add(&cut->queue, event);
}

bool cut_end_async(struct cut *cut, const struct event *event)
{
	const struct open_async *async =
		open_asyncs_take(&cut->asyncs, cut->source.trace, event);

	if (event->time_ns < cut->from_ns)
		return true;
	if (async != NULL && !async->shown) {
		if (event->time_ns == cut->from_ns && event->arg_count == 0)
			return true;
		if (!cut_add_at(cut, &async->begin, cut->from_ns))
			return false;
	}
	return event_queue_add(&cut->queue, event);
}

bool cut_reopen_asyncs(struct cut *cut)
{
	bool done = true;

	cut->asyncs_shown = true;
	for (uint32_t i = cut->asyncs.first; i != 0 && done;) {
		struct open_async *async = &cut->asyncs.items[i - 1];

		i = async->after;
		if (async->shown)
			continue;
		async->shown = true;
		done = cut_add_at(cut, &async->begin, cut->from_ns);
	}
	return done;
}

bool cut_close_asyncs(struct cut *cut)
{
	bool done = cut_reopen_asyncs(cut);

	for (uint32_t i = cut->asyncs.last; i != 0 && done;) {
		struct event end = cut->asyncs.items[i - 1].begin;

		i = cut->asyncs.items[i - 1].before;
		end.kind = EVENT_ASYNC_END;
		end.args = NULL;
		end.arg_count = 0;
		done = cut_add_at(cut, &end, cut->until_ns);
	}
	return done;
}

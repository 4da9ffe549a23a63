/* SPDX-License-Identifier: MIT */
/*
 * What operators say about their inputs, as long as they are open: most of them
 * launch no kernel, and to copy a text takes less than to read it.
 */
#include "roofline/shares_private.h"

#include "base/memory.h"

static bool is_text(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT || arg->kind == ARG_JSON;
}

bool shares_args_keep(struct shares_track *track, struct shares_range *range,
	const struct event *event)
{
	range->unread = true;
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		if (!memory_grow32(&track->args, track->arg_count,
			    &track->arg_room, sizeof(*track->args)))
			return false;
		track->args[track->arg_count++] = *arg;
		if (is_text(arg))
			buffer_add(&track->texts, arg->value.text.bytes,
				arg->value.text.size);
	}
	return !track->texts.failed;
}

void shares_args_read(struct shares *shares, struct shares_track *track,
	struct shares_range *range)
{
	uint32_t end = range == &track->ranges[track->depth - 1]
			       ? track->arg_count
			       : range[1].first_arg;
	struct event event = {.arg_count = end - range->first_arg};
	size_t at = range->text_at;

	if (!range->unread)
		return;
	range->unread = false;
	if (event.arg_count > 0)
		event.args = &track->args[range->first_arg];
	/* The texts may have moved since they were kept. */
	for (uint32_t i = range->first_arg; i < end; i++) {
		struct event_arg *arg = &track->args[i];

		if (!is_text(arg) || arg->value.text.size == 0)
			continue;
		arg->value.text.bytes = (const char *)track->texts.bytes + at;
		at += arg->value.text.size;
	}
	flops_of_op(shares->flops, range->site, &event, &range->work);
}

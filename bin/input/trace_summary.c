/* SPDX-License-Identifier: MIT */
#include "input/trace_summary.h"

#include <stddef.h>

#include "base/saturate.h"
#include "profile/profile.h"

#define EVENTS_PER_TICK 65536

/* A profile has no events, but the calls of its functions were ranges. */
static enum ctp_status count_profile(struct trace_summary *summary,
	struct event_source *source, struct ctp_error *err)
{
	struct profile *profile;
	enum ctp_status status = source->read_profile(source, &profile, err);

	if (status != CTP_OK)
		return status;
	for (uint32_t i = 0; i < profile->function_count; i++)
		summary->events.ranges = saturate_sum(summary->events.ranges,
			profile->functions[i].cost.ncalls);
	profile_free(profile);
	return CTP_OK;
}

/* Counts the event for the cost of recording, if the recorder measured that of
 * a range. */
static enum ctp_status add_cost(struct trace_summary *summary,
	struct trace *trace, const struct event *event, struct ctp_error *err)
{
	bool first = !summary->has_begun;

	summary->has_begun = true;
	if (first && trace_find_fact(trace, RECORDING_COST_FACT) != NULL) {
		summary->replay = replay_new(
			trace, (struct replay_options){.device = REPLAY_HOST});
		if (summary->replay == NULL)
			return ctp_no_memory(err);
	}
	if (summary->replay == NULL || event->kind == EVENT_ACTIVITY ||
		event->kind == EVENT_CORRELATION)
		return CTP_OK;
	return replay_add(summary->replay, event, err);
}

/* The replay's own losses are not those of the file. */
static enum ctp_status finish_cost(struct trace_summary *summary,
	struct trace *trace, struct ctp_error *err)
{
	static const enum trace_loss own[] = {
		LOSS_STRAY_ENDS, LOSS_OPEN_RANGES, LOSS_BACKWARD_TIMES};
	struct profile *profile = NULL;
	enum ctp_status status = CTP_OK;

	if (summary->replay != NULL)
		status = replay_finish(summary->replay, &profile, err);
	for (size_t i = 0;
		summary->replay != NULL && i < sizeof(own) / sizeof(own[0]);
		i++)
		trace->losses[own[i]] = 0;
	recording_cost_find(&summary->cost, trace, profile);
	profile_free(profile);
	replay_free(summary->replay);
	summary->replay = NULL;
	return status;
}

enum ctp_status trace_summary_read(struct trace_summary *summary,
	struct event_source *source,
	void (*progress)(void *user, uint64_t position), void *user,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct event event;

	*summary = (struct trace_summary){.has_begun = false};
	if (!census_init(&summary->events, source->trace))
		status = ctp_no_memory(err);
	else if (source->read_profile != NULL)
		status = count_profile(summary, source, err);
	while (status == CTP_OK) {
		status = source->next(source, &event, err);
		if (status == CTP_OK && !census_add(&summary->events, &event))
			status = ctp_no_memory(err);
		if (status == CTP_OK)
			status = add_cost(summary, source->trace, &event, err);
		if (progress != NULL &&
			summary->events.event_count % EVENTS_PER_TICK == 0)
			progress(user, source->position(source));
	}
	if (status == CTP_END)
		status = finish_cost(summary, source->trace, err);
	replay_free(summary->replay);
	summary->replay = NULL;
	trace_lose(source->trace, LOSS_UNMATCHED, summary->events.unmatched);
	if (!census_finish(&summary->events) && status == CTP_OK)
		status = ctp_no_memory(err);
	census_clear(&summary->events);
	return status;
}

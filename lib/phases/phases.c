/* SPDX-License-Identifier: MIT */
/* All sets of rules count at once: which one knows most of the time is only
 * certain at the end, and events come once. */
#include "phases/phases.h"

#include "base/memory.h"
#include "phases/phase_count.h"

struct phases {
	struct phase_count counts[PHASE_SETS_MAX];
	size_t count;
	size_t best;
	struct phase_thread *threads;
	uint32_t thread_count;
};

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

void phase_times_add(
	struct phase_times *to, const struct phase_times *from, uint32_t phases)
{
	for (uint32_t i = 0; i < phases && from->phases != NULL; i++) {
		to->phases[i].count += from->phases[i].count;
		to->phases[i].self_ns += from->phases[i].self_ns;
		to->phases[i].total_ns += from->phases[i].total_ns;
	}
	to->wall_ns += from->wall_ns;
	to->unknown_ns += from->unknown_ns;
	to->idle_ns += from->idle_ns;
}

struct phases *phases_new(
	const struct trace *trace, const struct phase_sets *sets)
{
	struct phases *phases = memory_new_zeroed(1, sizeof(*phases));

	if (phases == NULL)
		return NULL;
	for (; phases->count < sets->count; phases->count++)
		if (!phase_count_init(&phases->counts[phases->count], trace,
			    sets->rules[phases->count])) {
			phases_free(phases);
			return NULL;
		}
	return phases;
}

void phases_free(struct phases *phases)
{
	if (phases == NULL)
		return;
	for (size_t i = 0; i < phases->count; i++)
		phase_count_clear(&phases->counts[i]);
	memory_free(phases->threads);
	memory_free(phases);
}

enum ctp_status phases_add(
	struct phases *phases, const struct event *event, struct ctp_error *err)
{
	for (size_t i = 0; i < phases->count; i++)
		if (!phase_count_add(&phases->counts[i], event))
			return no_memory(err);
	return CTP_OK;
}

enum ctp_status phases_add_profile(struct phases *phases,
	const struct profile *profile, struct ctp_error *err)
{
	for (size_t i = 0; i < phases->count; i++)
		if (!phase_count_add_profile(&phases->counts[i], profile))
			return no_memory(err);
	return CTP_OK;
}

static bool list_threads(struct phases *phases)
{
	const struct phase_count *count = &phases->counts[phases->best];

	phases->threads = memory_new_zeroed(
		(size_t)count->state_count + 1, sizeof(*phases->threads));
	if (phases->threads == NULL)
		return false;
	for (uint32_t i = 0; i < count->state_count; i++)
		if (count->states[i].used)
			phases->threads[phases->thread_count++] =
				(struct phase_thread){
					i, count->states[i].times};
	return true;
}

enum ctp_status phases_finish(struct phases *phases, struct ctp_error *err)
{
	for (size_t i = 0; i < phases->count; i++) {
		phase_count_finish(&phases->counts[i]);
		if (phase_count_known_ns(&phases->counts[i]) >
			phase_count_known_ns(&phases->counts[phases->best]))
			phases->best = i;
	}
	return list_threads(phases) ? CTP_OK : no_memory(err);
}

uint32_t phases_set(const struct phases *phases)
{
	if (phases->count > 1 &&
		phase_count_known_ns(&phases->counts[phases->best]) == 0)
		return PHASE_NONE;
	return (uint32_t)phases->best;
}

const struct phase_times *phases_times(const struct phases *phases)
{
	return &phases->counts[phases->best].times;
}

const struct phase_thread *phases_threads(
	const struct phases *phases, uint32_t *count)
{
	*count = phases->thread_count;
	return phases->threads;
}

void phases_count_losses(const struct phases *phases, struct trace *trace)
{
	const struct phase_count *count = &phases->counts[phases->best];

	trace_lose(trace, LOSS_STRAY_ENDS, count->stray_ends);
	trace_lose(trace, LOSS_OPEN_RANGES, count->open_ranges);
	trace_lose(trace, LOSS_BACKWARD_TIMES, count->backward_times);
	trace_lose(trace, LOSS_NOT_SHOWN, count->left_out);
}

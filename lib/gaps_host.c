/* SPDX-License-Identifier: MIT */
/*
 * Charges parts of gaps to what a thread did: follows what is open on each
 * thread, and whenever that changes, what it was until then is charged to the
 * gaps that wait for the thread. A gap belongs to one thread, and a device has
 * one gap at a time, so a thread has as many as there are devices at most.
 */
#include <string.h>

#include "device_work.h"
#include "gaps_private.h"
#include "memory.h"

/* A range that is open, and what it is together with those around it. */
struct frame {
	enum gap_cause cause;
	uint32_t name_site; /* innermost that is no call of the API */
	uint32_t call_site; /* the call inside that; TRACE_NONE: none */
};

struct thread {
	struct frame *frames;
	uint32_t depth;
	uint32_t room;
	struct gaps_wait *waits;
	uint32_t wait_count;
	uint32_t wait_room;
};

struct sweep {
	struct gaps *gaps;
	struct thread *threads; /* by track */
	uint32_t count;
	uint8_t *causes; /* by site: enum gap_cause + 1, and IS_API */
};

#define IS_API 0x80

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Copies, and waits for the device, of CUDA and of HIP. */
static enum gap_cause cause_of_call(const char *name)
{
	static const char *const waits[] = {"DeviceSynchronize",
		"StreamSynchronize", "EventSynchronize", "CtxSynchronize",
		"ThreadSynchronize"};
	static const char *const prefixes[] = {"cuda", "cu", "hip"};
	size_t i = 0;

	while (i < 3 && !begins_with(name, prefixes[i]))
		i++;
	if (i == 3)
		return GAP_HOST;
	name += strlen(prefixes[i]);
	if (begins_with(name, "Memcpy"))
		return GAP_COPY;
	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (begins_with(name, waits[i]))
			return GAP_SYNC;
	return GAP_HOST;
}

static bool loads_data(const struct trace *trace, uint32_t site)
{
	return strcasestr(trace_site_name(trace, site), "dataloader") != NULL ||
	       strcasestr(trace_site_file(trace, site), "dataloader") != NULL;
}

/* Python's name of a wait, where the call of the API inside is not known. */
static bool waits(const struct trace *trace, uint32_t site)
{
	const char *name = trace_site_name(trace, site);

	return begins_with(name, "<built-in ") &&
	       strstr(name, "synchronize") != NULL;
}

static uint8_t classify(const struct trace *trace, uint32_t site)
{
	if (device_work_is_api(trace, site))
		return (uint8_t)(cause_of_call(trace_site_name(trace, site)) +
				 1) |
		       IS_API;
	if (waits(trace, site))
		return GAP_SYNC + 1;
	return loads_data(trace, site) ? GAP_DATA + 1 : GAP_HOST + 1;
}

static bool push(struct sweep *sweep, struct thread *thread, uint32_t site)
{
	struct frame frame = {GAP_HOST, TRACE_NONE, TRACE_NONE};
	uint8_t *known = &sweep->causes[site];

	if (!memory_grow32(&thread->frames, thread->depth, &thread->room,
		    sizeof(*thread->frames)))
		return false;
	if (thread->depth > 0)
		frame = thread->frames[thread->depth - 1];
	if (*known == 0)
		*known = classify(sweep->gaps->trace, site);
	if ((*known & ~IS_API) != GAP_HOST + 1)
		frame.cause = (enum gap_cause)((*known & ~IS_API) - 1);
	if ((*known & IS_API) != 0) {
		frame.call_site = site;
	} else {
		frame.name_site = site;
		frame.call_site = TRACE_NONE;
	}
	thread->frames[thread->depth++] = frame;
	return true;
}

/* Charges to what is open what a gap has of the time until then. */
static bool charge(struct gaps *gaps, const struct thread *thread,
	struct gaps_wait *wait, int64_t until_ns)
{
	const struct trace *trace = gaps->trace;
	struct gaps_place place = {.device = wait->device, .cause = GAP_HOST};
	int64_t from_ns = wait->from_ns;

	if (until_ns > wait->to_ns)
		until_ns = wait->to_ns;
	if (until_ns <= from_ns)
		return true;
	wait->from_ns = until_ns;
	if (thread->depth > 0) {
		const struct frame *frame = &thread->frames[thread->depth - 1];

		place.cause = frame->cause;
		if (frame->name_site != TRACE_NONE) {
			const struct trace_site *site =
				&trace->sites[frame->name_site];

			place.name = site->name;
			place.file = site->file;
			place.line = site->line;
		}
		if (frame->call_site != TRACE_NONE)
			place.call = trace->sites[frame->call_site].name;
	}
	return gaps_charge(
		gaps, &place, (uint64_t)until_ns - (uint64_t)from_ns);
}

/* What is open changes now. */
static bool charge_all(
	struct gaps *gaps, struct thread *thread, int64_t until_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < thread->wait_count; i++) {
		struct gaps_wait wait = thread->waits[i];

		if (!charge(gaps, thread, &wait, until_ns))
			return false;
		if (wait.from_ns < wait.to_ns)
			thread->waits[kept++] = wait;
	}
	thread->wait_count = kept;
	return true;
}

static bool take_range(struct sweep *sweep, const struct spill_record *record)
{
	uint32_t what[2]; /* track; site, or none for an end */
	struct thread *thread;

	memcpy(what, record->bytes, sizeof(what));
	thread = &sweep->threads[what[0]];
	if (thread->wait_count > 0 &&
		!charge_all(sweep->gaps, thread, record->time_ns))
		return false;
	if (what[1] != TRACE_NONE)
		return push(sweep, thread, what[1]);
	if (thread->depth > 0)
		thread->depth--;
	return true;
}

static bool take_wait(struct sweep *sweep, const struct gaps_wait *wait)
{
	struct thread *thread = &sweep->threads[wait->track];

	/* Those that are over by now, though nothing has changed since. */
	if (!charge_all(sweep->gaps, thread, wait->from_ns))
		return false;
	if (!memory_grow32(&thread->waits, thread->wait_count,
		    &thread->wait_room, sizeof(*thread->waits)))
		return false;
	thread->waits[thread->wait_count++] = *wait;
	return true;
}

/* Both in order of time; of the same moment, what threads did comes first. */
static enum ctp_status run(struct sweep *sweep, struct ctp_error *err)
{
	struct gaps *gaps = sweep->gaps;
	struct spill_record range;
	struct spill_record wait;
	enum ctp_status ranges = spill_next(gaps->host, &range, err);
	enum ctp_status waits = spill_next(gaps->waits, &wait, err);

	while ((ranges == CTP_OK || waits == CTP_OK) && ranges >= 0 &&
		waits >= 0) {
		bool done;

		if (ranges == CTP_OK &&
			(waits != CTP_OK || range.time_ns <= wait.time_ns)) {
			done = take_range(sweep, &range);
			ranges = spill_next(gaps->host, &range, err);
		} else {
			struct gaps_wait taken;

			memcpy(&taken, wait.bytes, sizeof(taken));
			done = take_wait(sweep, &taken);
			waits = spill_next(gaps->waits, &wait, err);
		}
		if (!done)
			return gaps_no_memory(err);
	}
	if (ranges < 0 || waits < 0)
		return ranges < 0 ? ranges : waits;
	for (uint32_t i = 0; i < sweep->count; i++)
		if (!charge_all(gaps, &sweep->threads[i], INT64_MAX))
			return gaps_no_memory(err);
	return CTP_OK;
}

enum ctp_status gaps_charge_host(struct gaps *gaps, struct ctp_error *err)
{
	const struct trace *trace = gaps->trace;
	struct sweep sweep = {.gaps = gaps,
		.count = trace->track_count,
		.threads = memory_new_zeroed(
			trace->track_count + 1, sizeof(*sweep.threads)),
		.causes = memory_new_zeroed(trace->site_count + 1, 1)};
	enum ctp_status status = gaps_no_memory(err);

	if (sweep.threads != NULL && sweep.causes != NULL)
		status = run(&sweep, err);
	for (uint32_t i = 0; sweep.threads != NULL && i < sweep.count; i++) {
		memory_free(sweep.threads[i].frames);
		memory_free(sweep.threads[i].waits);
	}
	memory_free(sweep.threads);
	memory_free(sweep.causes);
	return status;
}

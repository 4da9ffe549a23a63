/* SPDX-License-Identifier: MIT */
/*
 * Charges parts of gaps to what a thread did: follows what is open on each
 * thread, one after the other, and whenever that changes, what it was until
 * then is charged to the gaps that wait for the thread. A gap belongs to one
 * thread, and a device has one gap at a time, so a thread has as many as there
 * are devices at most.
 */
#include <string.h>

#include "profile/activity_kind.h"
#include "gaps/gaps_private.h"
#include "base/memory.h"

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
	struct thread thread; /* that is at hand */
	uint8_t *causes;      /* by site: enum gap_cause + 1, and IS_API */
	/* What comes next, of any thread. */
	struct extsort_record block;
	enum ctp_status block_read;
	struct extsort_record wait;
	enum ctp_status wait_read;
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
	if (activity_kind_is_api(trace, site))
		return (uint8_t)(cause_of_call(trace_site_name(trace, site)) +
				 1) |
		       IS_API;
	if (waits(trace, site))
		return GAP_SYNC + 1;
	return loads_data(trace, site) ? GAP_DATA + 1 : GAP_HOST + 1;
}

static bool push(struct sweep *sweep, uint32_t site)
{
	struct thread *thread = &sweep->thread;
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

static bool take_range(struct sweep *sweep, const struct gaps_range *range)
{
	struct thread *thread = &sweep->thread;

	if (thread->wait_count > 0 &&
		!charge_all(sweep->gaps, thread, range->time_ns))
		return false;
	if (range->site != TRACE_NONE)
		return push(sweep, range->site);
	if (thread->depth > 0)
		thread->depth--;
	return true;
}

static bool is_of(const struct extsort_record *record, uint32_t track)
{
	return record->time_ns == (int64_t)track;
}

static void next_block(struct sweep *sweep, struct ctp_error *err)
{
	sweep->block_read = extsort_next(sweep->gaps->host, &sweep->block, err);
}

/* Takes those of the thread's waits that begin before this moment: of the same
 * moment, what the thread did comes first. */
static enum ctp_status take_waits(struct sweep *sweep, uint32_t track,
	int64_t until_ns, struct ctp_error *err)
{
	struct thread *thread = &sweep->thread;

	while (sweep->wait_read == CTP_OK && is_of(&sweep->wait, track) &&
		sweep->wait.rank < until_ns) {
		/* Those that are over by now, though nothing has changed. */
		if (!charge_all(sweep->gaps, thread, sweep->wait.rank) ||
			!memory_grow32(&thread->waits, thread->wait_count,
				&thread->wait_room, sizeof(*thread->waits)))
			return ctp_no_memory(err);
		memcpy(&thread->waits[thread->wait_count++], sweep->wait.bytes,
			sizeof(*thread->waits));
		sweep->wait_read =
			extsort_next(sweep->gaps->waits, &sweep->wait, err);
	}
	return sweep->wait_read < 0 ? sweep->wait_read : CTP_OK;
}

/* Is there still something to be charged to what the thread does? */
static bool is_waited_for(const struct sweep *sweep, uint32_t track)
{
	return sweep->thread.wait_count > 0 ||
	       (sweep->wait_read == CTP_OK && is_of(&sweep->wait, track));
}

static enum ctp_status take_ranges(
	struct sweep *sweep, uint32_t track, struct ctp_error *err)
{
	struct gaps_ranges ranges = gaps_ranges_open(&sweep->block);
	enum ctp_status status = CTP_OK;
	struct gaps_range range;

	while (status == CTP_OK && gaps_ranges_next(&ranges, &range)) {
		if (sweep->wait_read == CTP_OK)
			status = take_waits(sweep, track, range.time_ns, err);
		if (status == CTP_OK && !take_range(sweep, &range))
			status = ctp_no_memory(err);
	}
	return status;
}

/* Both in order of time, from the thread's first wait on. */
static enum ctp_status sweep_thread(
	struct sweep *sweep, uint32_t track, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK && sweep->block_read == CTP_OK &&
		is_of(&sweep->block, track)) {
		if (is_waited_for(sweep, track))
			status = take_ranges(sweep, track, err);
		next_block(sweep, err);
	}
	if (status == CTP_OK)
		status = take_waits(sweep, track, INT64_MAX, err);
	if (status == CTP_OK &&
		!charge_all(sweep->gaps, &sweep->thread, INT64_MAX))
		status = ctp_no_memory(err);
	sweep->thread.depth = 0;
	return status;
}

/* Nothing waits for the threads that are passed over. */
static enum ctp_status run(struct sweep *sweep, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	next_block(sweep, err);
	sweep->wait_read = extsort_next(sweep->gaps->waits, &sweep->wait, err);
	while (status == CTP_OK && sweep->wait_read == CTP_OK &&
		sweep->block_read >= 0) {
		if (sweep->block_read == CTP_OK &&
			sweep->block.time_ns < sweep->wait.time_ns)
			next_block(sweep, err);
		else
			status = sweep_thread(
				sweep, (uint32_t)sweep->wait.time_ns, err);
	}
	if (status == CTP_OK && sweep->block_read < 0)
		status = sweep->block_read;
	if (status == CTP_OK && sweep->wait_read < 0)
		status = sweep->wait_read;
	return status;
}

enum ctp_status gaps_charge_host(struct gaps *gaps, struct ctp_error *err)
{
	struct sweep sweep = {.gaps = gaps,
		.causes = memory_new_zeroed(gaps->trace->site_count + 1, 1)};
	enum ctp_status status = ctp_no_memory(err);

	if (sweep.causes != NULL)
		status = run(&sweep, err);
	memory_free(sweep.thread.frames);
	memory_free(sweep.thread.waits);
	memory_free(sweep.causes);
	return status;
}

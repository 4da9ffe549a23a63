/* SPDX-License-Identifier: MIT */
/*
 * The sweep follows the open ranges of one thread after another. Whenever they
 * change, the time until then is charged to the waits for the thread. A wait
 * belongs to one thread, and a device has one at a time, so a thread has at
 * most as many as there are devices.
 */
#include "gaps/host_ranges.h"

#include <string.h>

#include "base/memory.h"
#include "base/packed.h"
#include "extsort/extsort.h"

/* Memory per sort. */
#define SORT_BYTES ((size_t)32 << 20)

/*
 * Begins and ends of ranges, the most frequent events. A thread's times do not
 * go back, so they need no sorting. Each thread's events are packed into
 * blocks, a few bytes each, and the blocks are sorted by thread.
 *
 * A block has a start time, and then for each event a byte with the sizes of
 * two numbers, which follow: the time since the previous event, and the site
 * plus one (missing for an end).
 */
#define BLOCK_BYTES 512
/* Most bytes that writing an event may touch: the size byte, the time and the
 * site. */
#define RANGE_ROOM (1 + 2 * PACKED_MAX)
#define SITE_SHIFT 4

struct block {
	uint32_t used;
	uint8_t bytes[BLOCK_BYTES];
};

/* A track, with its last block being filled. */
struct track {
	int64_t last_ns;     /* the latest begin or end */
	struct block *block; /* NULL: none yet */
};

struct host_ranges {
	const struct trace *trace;
	struct track *tracks; /* by number */
	uint32_t track_count;
	struct extsort *blocks; /* by track */
	struct extsort *waits;  /* struct host_wait, by track and from_ns */
};

/* A begin or an end of a range. */
struct range {
	int64_t time_ns;
	uint32_t site; /* TRACE_NONE: an end */
};

/* The unread rest of a block. */
struct block_reader {
	const uint8_t *at;
	const uint8_t *end;
	int64_t time_ns; /* of the event read last */
};

struct host_ranges *host_ranges_new(const struct trace *trace)
{
	struct host_ranges *ranges = memory_new_zeroed(1, sizeof(*ranges));

	if (ranges == NULL)
		return NULL;
	ranges->trace = trace;
	ranges->blocks = extsort_new(SORT_BYTES);
	ranges->waits = extsort_new(SORT_BYTES);
	if (ranges->blocks != NULL && ranges->waits != NULL)
		return ranges;
	host_ranges_free(ranges);
	return NULL;
}

void host_ranges_free(struct host_ranges *ranges)
{
	if (ranges == NULL)
		return;
	for (uint32_t i = 0; i < ranges->track_count; i++)
		memory_free(ranges->tracks[i].block);
	memory_free(ranges->tracks);
	extsort_free(ranges->blocks);
	extsort_free(ranges->waits);
	memory_free(ranges);
}

static enum ctp_status put_block(
	struct host_ranges *ranges, uint32_t track, struct ctp_error *err)
{
	const struct block *block = ranges->tracks[track].block;
	const struct extsort_record record = {
		.time_ns = track, .bytes = block->bytes, .size = block->used};

	return extsort_add(ranges->blocks, &record, err);
}

/* Begins a new block of a track. */
static enum ctp_status begin_block(
	struct host_ranges *ranges, uint32_t number, struct ctp_error *err)
{
	struct track *track = &ranges->tracks[number];
	enum ctp_status status = CTP_OK;

	if (track->block != NULL) {
		status = put_block(ranges, number, err);
	} else {
		track->block = memory_new(sizeof(*track->block));
		if (track->block == NULL)
			status = ctp_no_memory(err);
		track->last_ns = INT64_MIN;
	}
	if (status != CTP_OK)
		return status;
	memcpy(track->block->bytes, &track->last_ns, sizeof(track->last_ns));
	track->block->used = sizeof(track->last_ns);
	return CTP_OK;
}

enum ctp_status host_ranges_add(struct host_ranges *ranges,
	const struct event *event, struct ctp_error *err)
{
	uint64_t site =
		event->kind == EVENT_BEGIN ? (uint64_t)event->site + 1 : 0;
	unsigned site_size = packed_size(site);
	uint64_t later_ns = 0;
	unsigned time_size;
	struct track *track;
	uint8_t *at;

	if (!array_ensure_index(&ranges->tracks, event->track,
		    &ranges->track_count, sizeof(*ranges->tracks)))
		return ctp_no_memory(err);
	track = &ranges->tracks[event->track];
	if (track->block == NULL ||
		track->block->used > BLOCK_BYTES - RANGE_ROOM) {
		enum ctp_status status = begin_block(ranges, event->track, err);

		if (status != CTP_OK)
			return status;
	}
	/* Clamps times that go back, which would change the order. */
	if (event->time_ns > track->last_ns)
		later_ns = (uint64_t)event->time_ns - (uint64_t)track->last_ns;
	time_size = packed_size(later_ns);
	at = &track->block->bytes[track->block->used];
	*at = (uint8_t)(time_size | site_size << SITE_SHIFT);
	packed_write(at + 1, later_ns);
	packed_write(at + 1 + time_size, site);
	track->block->used += 1 + time_size + site_size;
	track->last_ns = (int64_t)((uint64_t)track->last_ns + later_ns);
	return CTP_OK;
}

enum ctp_status host_ranges_add_wait(struct host_ranges *ranges,
	const struct host_wait *wait, struct ctp_error *err)
{
	const struct extsort_record record = {.time_ns = wait->track,
		.rank = wait->from_ns,
		.bytes = wait,
		.size = sizeof(*wait)};

	return extsort_add(ranges->waits, &record, err);
}

static enum ctp_status sort_all(
	struct host_ranges *ranges, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < ranges->track_count && status == CTP_OK; i++)
		if (ranges->tracks[i].block != NULL)
			status = put_block(ranges, i, err);
	if (status == CTP_OK)
		status = extsort_sort(ranges->blocks, err);
	return status == CTP_OK ? extsort_sort(ranges->waits, err) : status;
}

/* Reads a block, which is borrowed. */
static struct block_reader open_block(const struct extsort_record *record)
{
	const uint8_t *bytes = record->bytes;
	struct block_reader reader = {.at = bytes + sizeof(reader.time_ns),
		.end = bytes + record->size};

	memcpy(&reader.time_ns, bytes, sizeof(reader.time_ns));
	return reader;
}

/* False at the end. */
static bool next_range(struct block_reader *reader, struct range *range)
{
	unsigned time_size;
	unsigned site_size;

	if (reader->at == reader->end)
		return false;
	time_size = *reader->at & ((1U << SITE_SHIFT) - 1);
	site_size = (unsigned)*reader->at >> SITE_SHIFT;
	reader->at += 1 + time_size;
	reader->time_ns = (int64_t)((uint64_t)reader->time_ns +
				    packed_read(reader->at, time_size));
	reader->at += site_size;
	*range = (struct range){.time_ns = reader->time_ns, .site = TRACE_NONE};
	if (site_size > 0)
		range->site =
			(uint32_t)(packed_read(reader->at, site_size) - 1);
	return true;
}

/* An open range, and the code that it represents with the enclosing ones. */
struct frame {
	enum gap_cause cause;
	uint32_t name_site; /* innermost that is not an API call */
	uint32_t call_site; /* the call inside that; TRACE_NONE: none */
};

struct thread {
	struct frame *frames;
	uint32_t depth;
	uint32_t room;
	struct host_wait *waits;
	uint32_t wait_count;
	uint32_t wait_room;
};

struct sweep {
	struct host_ranges *ranges;
	bool (*charge)(void *user, const struct host_stretch *stretch);
	void *user;
	struct thread thread; /* current one */
	uint8_t *causes;      /* by site: enum gap_cause + 1, and IS_API */
	/* The next event of any thread. */
	struct extsort_record block;
	enum ctp_status block_read;
	struct extsort_record wait;
	enum ctp_status wait_read;
};

#define IS_API 0x80

static uint8_t classify(const struct trace *trace, uint32_t site)
{
	return (uint8_t)((gap_cause_of_site(trace, site) + 1) |
			 (trace_site_is_api(trace, site) ? IS_API : 0));
}

static bool push(struct sweep *sweep, uint32_t site)
{
	struct thread *thread = &sweep->thread;
	struct frame frame = {GAP_HOST, TRACE_NONE, TRACE_NONE};
	uint8_t *known = &sweep->causes[site];

	if (!array_reserve32(&thread->frames, thread->depth, &thread->room,
		    sizeof(*thread->frames)))
		return false;
	if (thread->depth > 0)
		frame = thread->frames[thread->depth - 1];
	if (*known == 0)
		*known = classify(sweep->ranges->trace, site);
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

/* Charges a wait's time up to `until_ns` to the open ranges. */
static bool charge(
	const struct sweep *sweep, struct host_wait *wait, int64_t until_ns)
{
	const struct thread *thread = &sweep->thread;
	struct host_stretch stretch = {.device = wait->device,
		.cause = GAP_HOST,
		.name_site = TRACE_NONE,
		.call_site = TRACE_NONE};

	if (until_ns > wait->to_ns)
		until_ns = wait->to_ns;
	if (until_ns <= wait->from_ns)
		return true;
	stretch.time_ns = (uint64_t)until_ns - (uint64_t)wait->from_ns;
	wait->from_ns = until_ns;
	if (thread->depth > 0) {
		const struct frame *frame = &thread->frames[thread->depth - 1];

		stretch.cause = frame->cause;
		stretch.name_site = frame->name_site;
		stretch.call_site = frame->call_site;
	}
	return sweep->charge(sweep->user, &stretch);
}

/* Charges all waits before the open ranges change. */
static bool charge_all(struct sweep *sweep, int64_t until_ns)
{
	struct thread *thread = &sweep->thread;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < thread->wait_count; i++) {
		struct host_wait wait = thread->waits[i];

		if (!charge(sweep, &wait, until_ns))
			return false;
		if (wait.from_ns < wait.to_ns)
			thread->waits[kept++] = wait;
	}
	thread->wait_count = kept;
	return true;
}

static bool follow_range(struct sweep *sweep, const struct range *range)
{
	struct thread *thread = &sweep->thread;

	if (thread->wait_count > 0 && !charge_all(sweep, range->time_ns))
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
	sweep->block_read =
		extsort_next(sweep->ranges->blocks, &sweep->block, err);
}

/* Begins the thread's waits that start before this time: at equal times the
 * thread's events come first. */
static enum ctp_status begin_waits(struct sweep *sweep, uint32_t track,
	int64_t until_ns, struct ctp_error *err)
{
	struct thread *thread = &sweep->thread;

	while (sweep->wait_read == CTP_OK && is_of(&sweep->wait, track) &&
		sweep->wait.rank < until_ns) {
		/* Waits may have ended although no range has changed. */
		if (!charge_all(sweep, sweep->wait.rank) ||
			!array_reserve32(&thread->waits, thread->wait_count,
				&thread->wait_room, sizeof(*thread->waits)))
			return ctp_no_memory(err);
		memcpy(&thread->waits[thread->wait_count++], sweep->wait.bytes,
			sizeof(*thread->waits));
		sweep->wait_read =
			extsort_next(sweep->ranges->waits, &sweep->wait, err);
	}
	return sweep->wait_read < 0 ? sweep->wait_read : CTP_OK;
}

/* Whether there are still waits for the thread. */
static bool is_waited_for(const struct sweep *sweep, uint32_t track)
{
	return sweep->thread.wait_count > 0 ||
	       (sweep->wait_read == CTP_OK && is_of(&sweep->wait, track));
}

static enum ctp_status follow_ranges(
	struct sweep *sweep, uint32_t track, struct ctp_error *err)
{
	struct block_reader reader = open_block(&sweep->block);
	enum ctp_status status = CTP_OK;
	struct range range;

	while (status == CTP_OK && next_range(&reader, &range)) {
		if (sweep->wait_read == CTP_OK)
			status = begin_waits(sweep, track, range.time_ns, err);
		if (status == CTP_OK && !follow_range(sweep, &range))
			status = ctp_no_memory(err);
	}
	return status;
}

/* Processes waits and ranges in order of time, from the thread's first wait
 * on. */
static enum ctp_status sweep_thread(
	struct sweep *sweep, uint32_t track, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK && sweep->block_read == CTP_OK &&
		is_of(&sweep->block, track)) {
		if (is_waited_for(sweep, track))
			status = follow_ranges(sweep, track, err);
		next_block(sweep, err);
	}
	if (status == CTP_OK)
		status = begin_waits(sweep, track, INT64_MAX, err);
	if (status == CTP_OK && !charge_all(sweep, INT64_MAX))
		status = ctp_no_memory(err);
	sweep->thread.depth = 0;
	return status;
}

/* Skips threads without waits. */
static enum ctp_status run(struct sweep *sweep, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	next_block(sweep, err);
	sweep->wait_read =
		extsort_next(sweep->ranges->waits, &sweep->wait, err);
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

enum ctp_status host_ranges_charge(struct host_ranges *ranges,
	bool (*charge_stretch)(void *user, const struct host_stretch *stretch),
	void *user, struct ctp_error *err)
{
	struct sweep sweep = {.ranges = ranges,
		.charge = charge_stretch,
		.user = user,
		.causes = memory_new_zeroed(ranges->trace->site_count + 1, 1)};
	enum ctp_status status = sort_all(ranges, err);

	if (status == CTP_OK)
		status = sweep.causes != NULL ? run(&sweep, err)
					      : ctp_no_memory(err);
	memory_free(sweep.thread.frames);
	memory_free(sweep.thread.waits);
	memory_free(sweep.causes);
	return status;
}

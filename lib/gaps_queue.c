/* SPDX-License-Identifier: MIT */
/* How many kernels were launched and had not started, over time. */
#include <string.h>

#include "gaps_private.h"
#include "memory.h"

#define THOUSANDTHS 1000

__extension__ typedef unsigned __int128 wide;

struct queue {
	uint64_t depth;
	int64_t since_ns;
	wide sum; /* of depth times ns */
	bool begun;
};

static enum ctp_status tell(const struct gaps *gaps, uint32_t device,
	int64_t time_ns, uint64_t depth, struct ctp_error *err)
{
	const struct gaps_level level = {GAPS_QUEUE, device, time_ns, depth};

	return gaps_tell(gaps, &level, err);
}

/* A kernel more, or fewer, waits in the queue from now on. */
static enum ctp_status take_step(struct gaps *gaps, struct queue *queue,
	const struct spill_record *record, int by, struct ctp_error *err)
{
	struct gaps_device *device;
	enum ctp_status status = CTP_OK;
	uint32_t number;

	memcpy(&number, record->bytes, sizeof(number));
	device = &gaps->devices[number];
	queue += number;
	if (!queue->begun)
		status = tell(gaps, number, device->start_ns, 0, err);
	queue->begun = true;
	queue->sum += (wide)queue->depth *
		      ((uint64_t)record->time_ns - (uint64_t)queue->since_ns);
	queue->since_ns = record->time_ns;
	/* Never below 0: each kernel starts later than it is launched. */
	queue->depth += (uint64_t)(int64_t)by;
	if (queue->depth > device->queue_max)
		device->queue_max = queue->depth;
	return status == CTP_OK
		       ? tell(gaps, number, record->time_ns, queue->depth, err)
		       : status;
}

/* Both in order of time; of the same moment, starts come first, since what
 * starts at once was never in the queue. */
static enum ctp_status take_steps(
	struct gaps *gaps, struct queue *queues, struct ctp_error *err)
{
	struct spill_record launch;
	struct spill_record start;
	enum ctp_status launches = spill_next(gaps->launched, &launch, err);
	enum ctp_status starts = spill_next(gaps->started, &start, err);
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK && launches >= 0 && starts >= 0 &&
		(launches == CTP_OK || starts == CTP_OK)) {
		if (starts == CTP_OK &&
			(launches != CTP_OK ||
				start.time_ns <= launch.time_ns)) {
			status = take_step(gaps, queues, &start, -1, err);
			starts = spill_next(gaps->started, &start, err);
		} else {
			status = take_step(gaps, queues, &launch, 1, err);
			launches = spill_next(gaps->launched, &launch, err);
		}
	}
	if (status != CTP_OK)
		return status;
	return launches < 0 ? launches : starts < 0 ? starts : CTP_OK;
}

static void set_means(struct gaps *gaps, const struct queue *queues)
{
	for (uint32_t i = 0; i < gaps->device_count; i++) {
		struct gaps_device *device = &gaps->devices[i];

		if (device->span_ns > 0)
			device->queue_mean =
				(uint64_t)(queues[i].sum * THOUSANDTHS /
					   device->span_ns);
	}
}

enum ctp_status gaps_sum_queue(struct gaps *gaps, struct ctp_error *err)
{
	struct queue *queues =
		memory_new_zeroed(gaps->device_count + 1, sizeof(*queues));
	enum ctp_status status;

	if (queues == NULL)
		return gaps_no_memory(err);
	status = take_steps(gaps, queues, err);
	if (status == CTP_OK)
		set_means(gaps, queues);
	memory_free(queues);
	return status;
}

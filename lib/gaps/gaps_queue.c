/* SPDX-License-Identifier: MIT */
/* How many kernels were launched and had not started, over time. */
#include "gaps/gaps_private.h"
#include "base/memory.h"

#define THOUSANDTHS 1000

__extension__ typedef unsigned __int128 wide;

struct gaps_queue {
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
static enum ctp_status take_step(struct gaps_queues *queues, uint32_t number,
	int64_t time_ns, int by, struct ctp_error *err)
{
	struct gaps_device *device = &queues->gaps->devices[number];
	struct gaps_queue *queue = &queues->queues[number];
	enum ctp_status status = CTP_OK;

	if (!queue->begun)
		status = tell(queues->gaps, number, device->start_ns, 0, err);
	queue->begun = true;
	queue->sum += (wide)queue->depth *
		      ((uint64_t)time_ns - (uint64_t)queue->since_ns);
	queue->since_ns = time_ns;
	/* Never below 0: each kernel starts later than it is launched. */
	queue->depth += (uint64_t)(int64_t)by;
	if (queue->depth > device->queue_max)
		device->queue_max = queue->depth;
	return status == CTP_OK
		       ? tell(queues->gaps, number, time_ns, queue->depth, err)
		       : status;
}

/* Of the same moment, starts come first, since what starts at once was never in
 * the queue. */
enum ctp_status gaps_queues_start(struct gaps_queues *queues, uint32_t device,
	int64_t time_ns, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK && queues->launch_read == CTP_OK &&
		queues->launch.time_ns < time_ns) {
		status = take_step(queues, (uint32_t)queues->launch.rank,
			queues->launch.time_ns, 1, err);
		queues->launch_read = spill_next(
			queues->gaps->launched, &queues->launch, err);
	}
	if (status == CTP_OK && queues->launch_read < 0)
		status = queues->launch_read;
	return status == CTP_OK ? take_step(queues, device, time_ns, -1, err)
				: status;
}

void gaps_queues_finish(const struct gaps_queues *queues)
{
	for (uint32_t i = 0; i < queues->gaps->device_count; i++) {
		struct gaps_device *device = &queues->gaps->devices[i];

		if (device->span_ns > 0)
			device->queue_mean =
				(uint64_t)(queues->queues[i].sum * THOUSANDTHS /
					   device->span_ns);
	}
}

enum ctp_status gaps_queues_init(
	struct gaps_queues *queues, struct gaps *gaps, struct ctp_error *err)
{
	*queues = (struct gaps_queues){.gaps = gaps,
		.queues = memory_new_zeroed(
			gaps->device_count + 1, sizeof(*queues->queues))};
	if (queues->queues == NULL)
		return gaps_no_memory(err);
	queues->launch_read = spill_next(gaps->launched, &queues->launch, err);
	return queues->launch_read < 0 ? queues->launch_read : CTP_OK;
}

void gaps_queues_clear(struct gaps_queues *queues)
{
	memory_free(queues->queues);
}

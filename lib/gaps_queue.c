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

static enum ctp_status take_step(struct gaps *gaps, struct queue *queue,
	const struct spill_record *record, struct ctp_error *err)
{
	struct gaps_device *device;
	enum ctp_status status = CTP_OK;
	struct gaps_step step;

	memcpy(&step, record->bytes, sizeof(step));
	device = &gaps->devices[step.device];
	queue += step.device;
	if (!queue->begun)
		status = tell(gaps, step.device, device->start_ns, 0, err);
	queue->begun = true;
	queue->sum += (wide)queue->depth *
		      ((uint64_t)record->time_ns - (uint64_t)queue->since_ns);
	queue->since_ns = record->time_ns;
	/* Never below 0: each kernel starts later than it is launched. */
	queue->depth += (uint64_t)(int64_t)step.by;
	if (queue->depth > device->queue_max)
		device->queue_max = queue->depth;
	return status == CTP_OK ? tell(gaps, step.device, record->time_ns,
					  queue->depth, err)
				: status;
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
	enum ctp_status status = CTP_OK;

	if (queues == NULL)
		return gaps_no_memory(err);
	while (status == CTP_OK) {
		struct spill_record record;

		status = spill_next(gaps->queue, &record, err);
		if (status == CTP_OK)
			status = take_step(gaps, queues, &record, err);
	}
	if (status == CTP_END)
		set_means(gaps, queues);
	memory_free(queues);
	return status == CTP_END ? CTP_OK : status;
}

/* SPDX-License-Identifier: MIT */
/* What is said of devices: descriptions of what they do, their properties and
 * clocks, what was lost. */

#include "log_read/log_block_private.h"
#include "log_read/log_device_args.h"
#include "base/memory.h"
#include "log/unpack.h"

/* Adds a description, with the arguments that stand behind the others'. */
static enum log_verdict add_description(struct log_recording *recording,
	uint32_t number, struct log_description description)
{
	struct log_device *device = &recording->device;
	uint32_t place = device->description_count;

	if (!memory_reach(&device->descriptions, place,
		    &device->description_room, sizeof(description)) ||
		!log_table_set(&device->numbers, number, place + 1))
		return LOG_NO_MEMORY;
	device->descriptions[device->description_count++] = description;
	device->arg_count += description.arg_count;
	return LOG_SOUND;
}

/* [kind, site, {…}]; what the kind is shows in the site's category. */
static enum log_verdict take_description(struct log_recording *recording,
	struct cursor *block, uint32_t number, bool apply)
{
	struct log_device *device = &recording->device;
	struct log_description description = {.first_arg = device->arg_count};
	struct event_arg *args = NULL;
	uint32_t elements;
	uint32_t kind;
	uint32_t site;
	bool failed;

	apply = apply && log_table_find(&device->numbers, number) == 0;
	if (apply && !memory_reach(&device->args,
			     device->arg_count + LOG_DEVICE_KEYS_MAX,
			     &device->arg_room, sizeof(*device->args)))
		return LOG_NO_MEMORY;
	if (apply)
		args = device->args + device->arg_count;
	if (!unpack_array(block, &elements) || elements < 3 ||
		!unpack_u32(block, UINT32_MAX, &kind) ||
		!unpack_u32(block, LOG_SITES_MAX - 1, &site) ||
		!log_device_args(recording->trace, block, args,
			&description.arg_count, &failed))
		return LOG_DAMAGED;
	for (; elements > 3; elements--)
		if (!unpack_skip(block)) /* of a newer version */
			return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	description.site = log_block_site(recording, site);
	if (description.site == TRACE_NONE || failed)
		return LOG_NO_MEMORY;
	return add_description(recording, number, description);
}

enum log_verdict log_device_take_descriptions(
	struct log_recording *recording, struct cursor block, bool apply)
{
	enum log_verdict verdict = LOG_SOUND;
	uint32_t first;
	uint32_t count;

	if (!unpack_u32(&block, LOG_DESCRIPTIONS_MAX - 1, &first) ||
		first == 0 || !unpack_array(&block, &count) ||
		count > LOG_DESCRIPTIONS_MAX - first)
		return LOG_DAMAGED;
	for (uint32_t i = 0; verdict == LOG_SOUND && i < count; i++)
		verdict = take_description(recording, &block, first + i, apply);
	return verdict;
}

enum log_verdict log_device_take_properties(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct event_arg args[LOG_DEVICE_KEYS_MAX];
	struct trace_device device = {.pid = recording->pid, .args = args};
	bool failed;

	if (recording->trace->device_count >= LOG_DEVICES_MAX ||
		!unpack_u32(&block, UINT32_MAX, &device.number) ||
		!log_device_args(recording->trace, &block, apply ? args : NULL,
			&device.arg_count, &failed) ||
		(block.left > 0 && !unpack_int(&block, &device.pid)))
		return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	return failed || trace_add_device(recording->trace, &device) ==
				       TRACE_NONE
		       ? LOG_NO_MEMORY
		       : LOG_SOUND;
}

enum log_verdict log_device_take_sync(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct log_device_time *time = &recording->device.time;
	uint32_t steps = time->steps;
	uint32_t count;

	if (!unpack_array(&block, &count))
		return LOG_DAMAGED;
	while (count-- > 0) {
		uint32_t elements;
		int64_t log;
		int64_t device;

		if (!unpack_array(&block, &elements) || elements < 2 ||
			!unpack_int(&block, &log) ||
			!unpack_int(&block, &device))
			return LOG_DAMAGED;
		for (; elements > 2; elements--)
			if (!unpack_skip(&block))
				return LOG_DAMAGED;
		if (apply && !log_device_time_add(time, log, device))
			return LOG_NO_MEMORY;
	}
	return time->steps == steps || log_facts_set_number(recording->trace,
					       "gpu.clock_steps", time->steps)
		       ? LOG_SOUND
		       : LOG_NO_MEMORY;
}

enum log_verdict log_device_take_losses(
	struct log_recording *recording, struct cursor block, bool apply)
{
	const struct log_losses losses = {
		apply ? recording->device.losses : NULL, LOSS_DEVICE_DROPPED,
		LOSS_DEVICE_UNKNOWN};

	return log_block_take_losses(recording, block, &losses);
}

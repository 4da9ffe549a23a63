/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_devices.h"

#include <string.h>

#include "base/memory.h"
#include "base/strtab.h"

void chrome_read_devices_init(struct chrome_read_devices *devices,
	struct trace *trace, struct chrome_read_args *args)
{
	*devices = (struct chrome_read_devices){.trace = trace, .args = args};
}

void chrome_read_devices_clear(struct chrome_read_devices *devices)
{
	buffer_clear(&devices->bytes);
}

static enum ctp_status read_device(struct chrome_read_devices *devices,
	const struct json_token *token, struct json_scan *scan,
	struct ctp_error *err)
{
	struct chrome_read_args *args = devices->args;
	enum ctp_status status;

	json_scan_pin(scan, token);
	if (!chrome_read_args_reset(args))
		return ctp_no_memory(err);
	status = chrome_read_args_read(args, scan, CHROME_READ_WANT_ALL, err);
	if (status != CTP_OK)
		return status;
	buffer_add(&devices->bytes, &args->count, sizeof(args->count));
	buffer_add(&devices->bytes, args->bytes.bytes + args->before,
		args->bytes.used - args->before);
	if (devices->bytes.failed)
		return ctp_no_memory(err);
	devices->count++;
	return CTP_OK;
}

enum ctp_status chrome_read_devices_read(struct chrome_read_devices *devices,
	struct json_scan *scan, struct ctp_error *err)
{
	struct json_token token;
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		status = json_scan_next(scan, &token, err);
		json_scan_unpin(scan);
		if (status != CTP_OK || token.kind == JSON_END)
			break;
		if (token.kind == JSON_OBJECT &&
			devices->count < CHROME_READ_DEVICES_MAX) {
			status = read_device(devices, &token, scan, err);
		} else if (token.kind == JSON_OBJECT ||
			   token.kind == JSON_ARRAY) {
			trace_lose(devices->trace, LOSS_NOT_SHOWN, 1);
			status = json_scan_skip(scan, err);
		}
	}
	return status;
}

/* Is it the argument of this name, and a non-negative number? */
static bool is_number(const struct chrome_read_devices *devices,
	const struct event_arg *arg, const char *key)
{
	return arg->kind == ARG_INT && arg->value.integer >= 0 &&
	       strcmp(strtab_text(devices->trace->text, arg->key, NULL), key) ==
		       0;
}

/* Reads the arguments of a device, except those that identify it. */
static const uint8_t *read_args(const struct chrome_read_devices *devices,
	const uint8_t *at, uint32_t count, struct trace_device *device,
	bool *owned)
{
	for (uint32_t i = 0; i < count; i++) {
		struct event_arg arg = chrome_read_args_next(&at);

		if (is_number(devices, &arg, "id") &&
			arg.value.integer <= (int64_t)UINT32_MAX) {
			device->number = (uint32_t)arg.value.integer;
		} else if (is_number(devices, &arg, "pid")) {
			device->pid = arg.value.integer;
			*owned = true;
		} else {
			device->args[device->arg_count++] = arg;
		}
	}
	return at;
}

/* Adds a device for each process that used it, or if none did, for its own
 * process. */
static bool add_shared(struct trace *trace, struct trace_device *device)
{
	bool used = false;

	for (uint32_t i = 0; i < trace->track_count; i++) {
		const struct trace_track *track = &trace->tracks[i];

		if (track->kind != TRACE_STREAM ||
			track->device != device->number ||
			(used && track->pid == device->pid))
			continue;
		if (trace->device_count == CHROME_READ_DEVICES_MAX) {
			trace_lose(trace, LOSS_NOT_SHOWN, 1);
			return true;
		}
		used = true;
		device->pid = track->pid;
		if (trace_add_device(trace, device) == TRACE_NONE)
			return false;
	}
	return used || trace_add_device(trace, device) != TRACE_NONE;
}

bool chrome_read_devices_finish(
	struct chrome_read_devices *devices, int64_t pid)
{
	const uint8_t *at = devices->bytes.bytes;

	for (uint32_t i = 0; i < devices->count; i++) {
		struct trace_device device = {.pid = pid};
		uint32_t count;
		bool owned = false;
		bool done;

		memcpy(&count, at, sizeof(count));
		device.args = memory_resize_array(
			NULL, (size_t)count + 1, sizeof(*device.args));
		if (device.args == NULL)
			return false;
		at = read_args(
			devices, at + sizeof(count), count, &device, &owned);
		done = owned ? trace_add_device(devices->trace, &device) !=
				       TRACE_NONE
			     : add_shared(devices->trace, &device);
		memory_free(device.args);
		if (!done)
			return false;
	}
	return true;
}

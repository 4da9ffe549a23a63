/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_device.h"

bool chrome_device_init(struct chrome_device *device, struct timeline *timeline,
	struct json_names *names)
{
	struct trace *trace = timeline->trace;

	*device = (struct chrome_device){
		.timeline = timeline, .trace = trace, .names = names};
	device->pids = strtab_new();
	return device->pids != NULL &&
	       occupancy_init(&device->occupancy, trace);
}

void chrome_device_clear(struct chrome_device *device)
{
	strtab_free(device->pids);
}

/* Replaces the bit of an External id: larger numbers are inexact in readers
 * that use doubles. */
#define EXTERNAL_FLOW (UINT64_C(1) << 52)

static bool is_external(const struct event *event)
{
	return (event->id & TRACE_EXTERNAL_ID_BIT) != 0;
}

/* The number of an arrow: the correlation, as in Kineto; for further processes,
 * which number their calls independently, with high bits added. */
static bool find_flow(
	struct chrome_device *device, const struct event *event, uint64_t *flow)
{
	int64_t pid = device->trace->tracks[event->track].pid;
	uint32_t number =
		strtab_add(device->pids, (const char *)&pid, sizeof(pid));

	*flow = event->id ^ (uint64_t)(number - 1) << 32;
	if (is_external(event))
		*flow ^= TRACE_EXTERNAL_ID_BIT | EXTERNAL_FLOW;
	return number != STRTAB_NONE;
}

bool chrome_device_call(struct chrome_device *device,
	struct chrome_track *track, const struct event *event)
{
	struct chrome_call call = {
		.correlation = is_external(event) ? 0 : event->id};
	uint64_t id = device->last_id + 1;

	if (!find_flow(device, event, &call.flow) ||
		!chrome_stack_call(track, call, &id))
		return false;
	if (id > device->last_id)
		device->last_id = id;
	return timeline_add_cause(device->timeline, event, id);
}

static uint32_t category_of(
	const struct chrome_device *device, const struct event *event)
{
	return device->trace->sites[event->site].category;
}

/* Adds the device, context and stream. */
static bool add_place(struct chrome_device *device, const struct event *event,
	struct json_args *args)
{
	const struct trace_track *track = &device->trace->tracks[event->track];

	return json_args_add_int(args, device->names, JSON_ARGS_KEY_DEVICE,
		       track->device) &&
	       json_args_add_int(args, device->names, JSON_ARGS_KEY_CONTEXT,
		       track->context) &&
	       json_args_add_int(args, device->names, JSON_ARGS_KEY_STREAM,
		       lanes_stream(track));
}

/* Queueing times are not measured; Kineto then writes 0. */
static bool add_kernel(struct chrome_device *device, const struct event *event,
	struct json_args *args)
{
	struct json_names *names = device->names;
	struct occupancy_estimate estimate;

	if (!json_args_add_int(args, names, JSON_ARGS_KEY_QUEUED, 0))
		return false;
	if (!occupancy_estimate(&device->occupancy, event, &estimate))
		return true;
	if (!json_args_add_double(
		    args, names, JSON_ARGS_KEY_BLOCKS, estimate.blocks) ||
		!json_args_add_double(
			args, names, JSON_ARGS_KEY_WARPS, estimate.warps))
		return false;
	return estimate.percent < 0 ||
	       json_args_add_int(
		       args, names, JSON_ARGS_KEY_OCCUPANCY, estimate.percent);
}

/* Bytes per nanosecond are gigabytes per second. */
static bool add_bytes(struct chrome_device *device, const struct event *event,
	struct json_args *args)
{
	if (!json_args_add_int(args, device->names, JSON_ARGS_KEY_BYTES,
		    (int64_t)event->bytes))
		return false;
	return event->dur_ns == 0 ||
	       json_args_add_double(args, device->names,
		       JSON_ARGS_KEY_BANDWIDTH,
		       (double)event->bytes / (double)event->dur_ns);
}

static bool add_details(struct chrome_device *device, const struct event *event,
	struct json_args *args)
{
	uint32_t category = category_of(device, event);

	if (category == device->timeline->words[WORD_KERNEL])
		return add_kernel(device, event, args);
	if (category == device->timeline->words[WORD_COPY] ||
		category == device->timeline->words[WORD_SET] ||
		event->bytes != 0)
		return add_bytes(device, event, args);
	return true;
}

/* Do these numbers come from the trace that was read? Then so do all others. */
static bool has_cause(const struct json_args *args)
{
	return json_args_has(args, JSON_ARGS_KEY_CORRELATION) ||
	       json_args_has(args, JSON_ARGS_KEY_EXTERNAL_ID) ||
	       json_args_has(args, JSON_ARGS_KEY_STREAM);
}

/*
 * The driver's record of a call is beside our own range of it. Readers join by
 * "correlation" and would find two calls for one kernel, so only records
 * without a range get it.
 */
static bool add_cause(struct chrome_device *device, const struct event *event,
	struct json_args *args, struct chrome_cause *cause)
{
	bool stream = device->trace->tracks[event->track].kind == TRACE_STREAM;
	uint64_t id = 0;

	cause->known = timeline_find_cause(device->timeline, event, &id);
	if (has_cause(args))
		return find_flow(device, event, &cause->flow);
	if (id != 0 && !json_args_add_int(args, device->names,
			       JSON_ARGS_KEY_EXTERNAL_ID, (int64_t)id))
		return false;
	if (!stream && cause->known) {
		cause->known = false;
		return true;
	}
	if (!find_flow(device, event, &cause->flow))
		return false;
	if (is_external(event))
		return json_args_add_int(args, device->names,
			JSON_ARGS_KEY_EXTERNAL_ID,
			(int64_t)(event->id ^ TRACE_EXTERNAL_ID_BIT));
	return json_args_add_int(args, device->names, JSON_ARGS_KEY_CORRELATION,
		(int64_t)event->id);
}

bool chrome_device_args(struct chrome_device *device, const struct event *event,
	struct json_args *args, struct chrome_cause *cause)
{
	const struct trace_track *track = &device->trace->tracks[event->track];
	bool has_args = has_cause(args);

	*cause = (struct chrome_cause){.known = false};
	if (event->id != 0 && !add_cause(device, event, args, cause))
		return false;
	if (has_args)
		return true;
	/* Readers take events with a "stream" for device work, which this is
	 * not. */
	if (track->kind == TRACE_STREAM &&
		!timeline_is_overhead(device->timeline, event) &&
		!add_place(device, event, args))
		return false;
	return add_details(device, event, args);
}

static bool write_device(struct chrome_device *device, struct json *json,
	const struct trace_device *from)
{
	struct json_names *names = device->names;
	struct json_args args = JSON_ARGS_INIT;
	const struct event event = {
		.arg_count = from->arg_count, .args = from->args};
	bool done =
		json_args_add(&args, names, &event) &&
		json_args_add_int(
			&args, names, JSON_ARGS_KEY_ID, from->number) &&
		json_args_add_int(&args, names, JSON_ARGS_KEY_PID, from->pid);

	if (done)
		json_args_write_object(json, &args);
	json_args_clear(&args);
	return done;
}

bool chrome_device_write(struct chrome_device *device, struct json *json)
{
	const struct trace *trace = device->trace;
	bool done = true;

	if (trace->device_count == 0)
		return true;
	json_key(json, "deviceProperties");
	json_begin(json, '[');
	for (uint32_t i = 0; i < trace->device_count && done; i++)
		done = write_device(device, json, &trace->devices[i]);
	json_end(json, ']');
	return done;
}

/* SPDX-License-Identifier: MIT */
#include "profile/device_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "profile/profile.h"

/* The argument that links a range to the graph nodes that it captured. */
#define CAPTURE_KEY "captured graph node"

#define HINTS 1024

/* Cached function of a site's activities on a track. */
struct device_hint {
	uint32_t site;
	uint32_t track;
	uint32_t function; /* PROFILE_NONE: they are not work */
	bool used;
};

bool device_calls_init(struct device_calls *calls, struct trace *trace)
{
	*calls = (struct device_calls){.trace = trace,
		.losses = trace->losses,
		.capture_key = strtab_add(
			trace->text, CAPTURE_KEY, strlen(CAPTURE_KEY))};
	return calls->capture_key != STRTAB_NONE;
}

void device_calls_clear(struct device_calls *calls)
{
	correlation_free(calls->launches);
	correlation_free(calls->captures);
	memory_free(calls->hints);
	memory_free(calls->files);
}

bool device_calls_add_launch(
	struct device_calls *calls, const struct event *event, uint32_t context)
{
	if (calls->launches == NULL)
		calls->launches = correlation_new(CORRELATION_LIMIT);
	return calls->launches != NULL &&
	       correlation_add(calls->launches,
		       calls->trace->tracks[event->track].pid, event->id,
		       context);
}

static bool is_capture(
	const struct device_calls *calls, const struct event_arg *arg)
{
	return arg->key == calls->capture_key && arg->kind == ARG_INT;
}

bool device_calls_is_capture(
	const struct device_calls *calls, const struct event *event)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (is_capture(calls, &event->args[i]))
			return true;
	return false;
}

bool device_calls_add_captures(struct device_calls *calls,
	const struct event *event, uint32_t function)
{
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		if (!is_capture(calls, arg))
			continue;
		if (calls->captures == NULL)
			calls->captures = correlation_new(CORRELATION_LIMIT);
		if (calls->captures == NULL ||
			!correlation_add(calls->captures,
				calls->trace->tracks[event->track].pid,
				(uint64_t)arg->value.integer, function))
			return false;
	}
	return true;
}

/* Writes "<gpu:0 NAME>" to `out`, or "<gpu:0>" if no name is known. */
static void add_file(struct buffer *out, const struct trace *trace,
	const struct trace_track *track)
{
	const struct trace_device *device =
		trace_find_device(trace, track->pid, track->device);
	char number[32];

	(void)snprintf(number, sizeof(number), "<gpu:%" PRIu32, track->device);
	buffer_add_text(out, number);
	for (uint32_t i = 0; device != NULL && i < device->arg_count; i++) {
		const struct event_arg *arg = &device->args[i];

		if (arg->kind != ARG_TEXT ||
			strcmp(strtab_text(trace->text, arg->key, NULL),
				"name") != 0)
			continue;
		buffer_add_byte(out, ' ');
		buffer_add(out, arg->value.text.bytes, arg->value.text.size);
		break;
	}
	buffer_add_byte(out, '>');
}

/* The file of a track's functions. It stays the same even if the device's name
 * becomes known later. NULL if out of memory. */
static const char *file_of(struct device_calls *calls, uint32_t track)
{
	struct trace *trace = calls->trace;
	struct buffer text = BUFFER_INIT;
	uint32_t file = STRTAB_NONE;

	if (!array_ensure_index(&calls->files, track, &calls->file_room,
		    sizeof(*calls->files)))
		return NULL;
	if (calls->files[track] == 0) {
		add_file(&text, trace, &trace->tracks[track]);
		if (!text.failed)
			file = strtab_add(
				trace->text, (char *)text.bytes, text.used);
		buffer_clear(&text);
		if (file == STRTAB_NONE)
			return NULL;
		calls->files[track] = file;
	}
	return strtab_text(trace->text, calls->files[track], NULL);
}

/* Finds or makes the function that the activity is a call of. */
static enum ctp_status make_function(struct device_calls *calls,
	struct profile *profile, const struct event *event, uint32_t *function)
{
	const struct trace *trace = calls->trace;
	const struct trace_track *track = &trace->tracks[event->track];
	enum profile_kind kind = profile_kind_of(trace, event->site);
	struct profile_device *device;
	const char *file;

	*function = PROFILE_NONE;
	if (track->kind != TRACE_STREAM || kind == PROFILE_HOST)
		return CTP_OK;
	file = file_of(calls, event->track);
	if (file == NULL)
		return CTP_ERR_NOMEM;
	*function = profile_add_function(
		profile, trace_site_name(trace, event->site), file, 0);
	if (*function == PROFILE_NONE)
		return CTP_ERR_NOMEM;
	device = &profile->functions[*function].device;
	device->kind = kind;
	device->number = track->device;
	return CTP_OK;
}

/* Usually one of the last functions used, found without a search. */
enum ctp_status device_calls_find(struct device_calls *calls,
	struct profile *profile, const struct event *event, uint32_t *function)
{
	uint32_t number = (event->site * 31 + event->track) % HINTS;
	struct device_hint *hint;
	enum ctp_status status;

	if (calls->hints == NULL)
		calls->hints = memory_new_zeroed(HINTS, sizeof(*calls->hints));
	if (calls->hints == NULL)
		return CTP_ERR_NOMEM;
	hint = &calls->hints[number];
	if (!hint->used || hint->site != event->site ||
		hint->track != event->track) {
		status = make_function(calls, profile, event, function);
		if (status != CTP_OK)
			return status;
		*hint = (struct device_hint){
			event->site, event->track, *function, true};
	}
	*function = hint->function;
	return CTP_OK;
}

uint32_t device_calls_find_context(const struct device_calls *calls,
	struct profile *profile, const struct event *event)
{
	uint64_t context = 0;

	if (calls->launches == NULL ||
		!correlation_find(calls->launches,
			calls->trace->tracks[event->track].pid, event->id,
			&context)) {
		profile->unmatched++;
		calls->losses[LOSS_UNMATCHED]++;
	}
	return (uint32_t)context;
}

void device_calls_count_captured(const struct device_calls *calls,
	struct profile *profile, const struct event *event)
{
	int64_t pid = calls->trace->tracks[event->track].pid;
	uint64_t function;

	for (uint32_t i = 0; calls->captures != NULL && i < event->arg_count;
		i++) {
		const struct event_arg *arg = &event->args[i];

		if (is_capture(calls, arg) &&
			correlation_find(calls->captures, pid,
				(uint64_t)arg->value.integer, &function))
			profile->functions[function].device.captured_ns +=
				event->dur_ns;
	}
}

/* ---- the time below each function ---- */

/*
 * The device time below each host function. The tree has it at the contexts
 * that launched it, or in leaves below them that are device functions. If a
 * function occurs several times on a path, only the outermost occurrence
 * counts: it includes the others.
 */

static bool is_device(
	const struct profile *profile, const struct profile_node *node)
{
	return profile->functions[node->function].device.kind != PROFILE_HOST;
}

/* The device time at a node, without that below it. It was launched by the
 * function of the node or, for a leaf, of its parent. */
static uint64_t add_own(struct profile *profile,
	const struct profile_node *node, bool has_leaves)
{
	uint32_t function = node->function;

	if (has_leaves) {
		if (!is_device(profile, node))
			return 0;
		if (node->parent == 0)
			return node->self_ns;
		function = profile->nodes[node->parent].function;
	}
	profile->functions[function].device.self_ns += node->self_ns;
	return node->self_ns;
}

/* Adds the device time below a node to the edge that leads there. */
static bool time_edge(struct profile *profile, const struct profile_node *node,
	uint64_t total_ns, bool counts)
{
	uint32_t edge;

	if (node->parent == 0) {
		profile->functions[node->function].root.cumtime_ns += total_ns;
		return true;
	}
	edge = profile_add_edge(
		profile, profile->nodes[node->parent].function, node->function);
	if (edge == PROFILE_NONE)
		return false;
	if (counts)
		profile->edges[edge].cost.cumtime_ns += total_ns;
	return true;
}

/* Skips device functions, which have their times already. */
static bool add_total(struct profile *profile, uint32_t number,
	uint64_t total_ns, const struct device_calls_sum *how)
{
	const struct profile_node *node = &profile->nodes[number];
	struct profile_function *function = &profile->functions[node->function];
	unsigned repeats =
		number < how->repeat_count ? how->repeats[number] : 0;

	if (total_ns == 0 || is_device(profile, node))
		return true;
	if ((repeats & REPEATS_FUNCTION) == 0) {
		function->device.total_ns += total_ns;
		if (how->as_time)
			function->cost.cumtime_ns += total_ns;
	}
	return !how->as_time ||
	       time_edge(profile, node, total_ns,
		       how->all_edge_times || (repeats & REPEATS_EDGE) == 0);
}

bool device_calls_sum(
	struct profile *profile, const struct device_calls_sum *how)
{
	uint64_t *total_ns = memory_new_zeroed(
		(size_t)profile->node_count + 1, sizeof(*total_ns));
	bool ok = total_ns != NULL;

	/* Leaves first: a parent precedes its children. */
	for (uint32_t i = profile->node_count; ok && i-- > 1;) {
		const struct profile_node *node = &profile->nodes[i];

		total_ns[i] += add_own(profile, node, how->has_leaves);
		total_ns[node->parent] += total_ns[i];
		ok = add_total(profile, i, total_ns[i], how);
	}
	memory_free(total_ns);
	return ok;
}

/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "chrome_check.h"
#include "support/quick_check.h"

static bool is(const json_t *event, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(event, key));

	return value != NULL && strcmp(value, text) == 0;
}

static bool is_host(const json_t *event)
{
	return is(event, "cat", "cuda_runtime") ||
	       is(event, "cat", "cuda_driver");
}

static bool is_device(const json_t *event)
{
	return is(event, "ph", "X") &&
	       json_object_get(json_object_get(event, "args"), "device") !=
		       NULL;
}

static bool same_row(const json_t *a, const json_t *b)
{
	return check_number_of(a, "pid") == check_number_of(b, "pid") &&
	       check_number_of(a, "tid") == check_number_of(b, "tid");
}

/* The slice on the arrow end's row that begins at its time. */
static json_t *find_slice(json_t *events, const json_t *flow)
{
	json_t *found = NULL;
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		const json_t *args = json_object_get(event, "args");
		const json_t *correlation =
			json_object_get(args, "correlation");

		if (is(event, "ph", "X") && same_row(event, flow) &&
			json_equal(correlation, json_object_get(flow, "id")) &&
			check_ns(event, "ts") == check_ns(flow, "ts"))
			found = event;
	}
	ck_assert_msg(found != NULL, "an arrow's end outside of any slice");
	return found;
}

static size_t count_starts(json_t *events, const json_t *end)
{
	size_t count = 0;
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event) count +=
		is(event, "ph", "s") && json_equal(json_object_get(event, "id"),
						json_object_get(end, "id"));
	return count;
}

static void check_flow(json_t *events, const json_t *flow)
{
	bool end = is(flow, "ph", "f");
	const json_t *slice = find_slice(events, flow);

	ck_assert(is(flow, "cat", "ac2g") && is(flow, "name", "ac2g"));
	ck_assert_uint_eq(count_starts(events, flow), 1);
	ck_assert(end ? is_device(slice) : is_host(slice));
	ck_assert(is(flow, "bp", "e") == end);
}

static void check_external_id(json_t *events, const json_t *id)
{
	size_t count = 0;
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event) count +=
		is(event, "cat", "cpu_op") &&
		json_equal(id, json_object_get(json_object_get(event, "args"),
				       "External id"));
	ck_assert_uint_eq(count, 1);
}

static void check_properties(json_t *trace, json_int_t number)
{
	json_t *devices = json_object_get(trace, "deviceProperties");
	size_t count = 0;
	json_t *device;
	size_t i;

	json_array_foreach(devices, i, device)
	{
		(void)check_text_of(device, "name");
		count += check_number_of(device, "id") == number;
	}
	ck_assert_uint_eq(count, 1);
}

static void check_kernel(const json_t *args)
{
	static const char *const lists[] = {"grid", "block"};

	(void)check_number_of(args, "correlation");
	(void)check_number_of(args, "queued");
	(void)check_number_of(args, "registers per thread");
	(void)check_number_of(args, "shared memory");
	(void)check_number_of(args, "est. achieved occupancy %");
	ck_assert(json_is_real(json_object_get(args, "blocks per SM")));
	ck_assert(json_is_real(json_object_get(args, "warps per SM")));
	for (int i = 0; i < 2; i++) {
		const json_t *list = json_object_get(args, lists[i]);

		ck_assert_uint_eq(json_array_size(list), 3);
		for (size_t j = 0; j < 3; j++)
			ck_assert(json_is_integer(json_array_get(list, j)));
	}
}

static void check_activity(json_t *trace, const json_t *event)
{
	const json_t *args = check_args_of(event);

	(void)check_number_of(args, "context");
	(void)check_number_of(args, "stream");
	check_properties(trace, check_number_of(args, "device"));
	if (is(event, "cat", "kernel"))
		check_kernel(args);
	if (is(event, "cat", "gpu_memcpy") || is(event, "cat", "gpu_memset"))
		(void)check_number_of(args, "bytes");
}

size_t check_devices(json_t *trace)
{
	json_t *events = json_object_get(trace, "traceEvents");
	size_t ends = 0;
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		const json_t *id = json_object_get(
			json_object_get(event, "args"), "External id");

		ends += is(event, "ph", "f");
		if (is(event, "ph", "f") || is(event, "ph", "s"))
			check_flow(events, event);
		if (is_device(event))
			check_activity(trace, event);
		if (id != NULL)
			check_external_id(events, id);
	}
	return ends;
}

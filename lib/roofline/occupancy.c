/* SPDX-License-Identifier: MIT */
#include "roofline/occupancy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Drivers report no larger numbers; products of two do not overflow. */
#define NUMBER_MAX INT32_MAX

#define REGISTER_UNIT 256

struct field {
	const char *key;
	size_t offset;
};

#define DEVICE(member) offsetof(struct occupancy_device, member)
#define KERNEL(member) offsetof(struct occupancy_kernel, member)

static const struct field device_fields[] = {
	{"numSms", DEVICE(multiprocessors)},
	{"warpSize", DEVICE(warp_size)},
	{"maxThreadsPerMultiprocessor", DEVICE(threads)},
	{"maxThreadsPerBlock", DEVICE(threads_per_block)},
	{"maxBlocksPerMultiprocessor", DEVICE(blocks)},
	{"regsPerMultiprocessor", DEVICE(registers)},
	{"regsPerBlock", DEVICE(registers_per_block)},
	{"sharedMemPerMultiprocessor", DEVICE(shared_bytes)},
	{"sharedMemPerBlockOptin", DEVICE(shared_bytes_per_block)},
	{"reservedSharedMemPerBlock", DEVICE(reserved_bytes_per_block)},
	{"computeMajor", DEVICE(compute_major)},
	{"computeMinor", DEVICE(compute_minor)},
};

static const struct field kernel_fields[] = {
	{"grid", KERNEL(grid)},
	{"block", KERNEL(block)},
	{"registers per thread", KERNEL(registers_per_thread)},
	{"static shared memory", KERNEL(static_bytes)},
	{"dynamic shared memory", KERNEL(dynamic_bytes)},
	{"shared memory", KERNEL(shared_bytes)},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(COUNT(device_fields) <= OCCUPANCY_KEYS, "room for all keys");
_Static_assert(COUNT(kernel_fields) <= OCCUPANCY_KEYS, "room for all keys");

bool occupancy_init(struct occupancy *occupancy, const struct trace *trace)
{
	*occupancy = (struct occupancy){.trace = trace};
	for (size_t i = 0; i < COUNT(device_fields); i++) {
		const char *key = device_fields[i].key;

		occupancy->device_keys[i] =
			strtab_add(trace->text, key, strlen(key));
		if (occupancy->device_keys[i] == STRTAB_NONE)
			return false;
	}
	for (size_t i = 0; i < COUNT(kernel_fields); i++) {
		const char *key = kernel_fields[i].key;

		occupancy->kernel_keys[i] =
			strtab_add(trace->text, key, strlen(key));
		if (occupancy->kernel_keys[i] == STRTAB_NONE)
			return false;
	}
	return true;
}

static bool is_usable(int64_t number)
{
	return number >= 0 && number <= NUMBER_MAX;
}

/* "[3,1,1]" */
static void read_list(int64_t numbers[3], const struct event_arg *arg)
{
	const char *at = arg->value.text.bytes;
	const char *end = at + arg->value.text.size;

	for (int i = 0; i < 3; i++) {
		int64_t number = 0;

		while (at < end && (*at < '0' || *at > '9'))
			at++;
		if (at == end)
			return;
		for (; at < end && *at >= '0' && *at <= '9'; at++)
			if (number <= NUMBER_MAX)
				number = number * 10 + (*at - '0');
		numbers[i] = is_usable(number) ? number : 0;
	}
}

static void read_arg(void *to, const struct event_arg *arg)
{
	int64_t *number = to;

	if (arg->kind == ARG_JSON)
		read_list(to, arg);
	else if (arg->kind == ARG_INT && is_usable(arg->value.integer))
		*number = arg->value.integer;
}

static bool is_list(const struct field *field)
{
	return field->offset == KERNEL(grid) || field->offset == KERNEL(block);
}

static void read_device(const struct occupancy *occupancy,
	const struct trace_device *from, struct occupancy_device *device)
{
	for (uint32_t i = 0; i < from->arg_count; i++)
		for (size_t j = 0; j < COUNT(device_fields); j++)
			if (from->args[i].key == occupancy->device_keys[j] &&
				from->args[i].kind == ARG_INT)
				read_arg((char *)device +
						 device_fields[j].offset,
					&from->args[i]);
}

static void read_kernel(const struct occupancy *occupancy,
	const struct event *event, struct occupancy_kernel *kernel)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		for (size_t j = 0; j < COUNT(kernel_fields); j++)
			if (event->args[i].key == occupancy->kernel_keys[j] &&
				(event->args[i].kind == ARG_JSON) ==
					is_list(&kernel_fields[j]))
				read_arg((char *)kernel +
						 kernel_fields[j].offset,
					&event->args[i]);
}

static int64_t round_up(int64_t number, int64_t unit)
{
	return (number + unit - 1) / unit * unit;
}

static int64_t product(const int64_t numbers[3])
{
	int64_t threads;

	if (__builtin_mul_overflow(numbers[0], numbers[1], &threads) ||
		__builtin_mul_overflow(threads, numbers[2], &threads) ||
		!is_usable(threads))
		return NUMBER_MAX;
	return threads;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Registers are allocated per warp, in each partition of a multiprocessor
 * separately. */
static int64_t limit_registers(const struct occupancy_device *device,
	const struct occupancy_kernel *kernel, int64_t warps)
{
	bool halves = device->compute_major == 6 && device->compute_minor == 0;
	int64_t parts = halves ? 2 : 4;
	int64_t registers =
		round_up(kernel->registers_per_thread * device->warp_size,
			REGISTER_UNIT);

	if (registers == 0 || device->registers == 0)
		return INT64_MAX;
	if (device->registers_per_block != 0 &&
		registers >
			device->registers_per_block / round_up(warps, parts))
		return 0;
	return device->registers / parts / registers * parts / warps;
}

static int64_t limit_shared(const struct occupancy_device *device,
	const struct occupancy_kernel *kernel)
{
	int64_t unit = device->compute_major >= 8 ? 128 : 256;
	int64_t bytes = kernel->static_bytes + kernel->dynamic_bytes;

	if (bytes == 0)
		bytes = kernel->shared_bytes;
	if (device->shared_bytes_per_block != 0 &&
		bytes > device->shared_bytes_per_block)
		return 0;
	bytes = round_up(bytes + device->reserved_bytes_per_block, unit);
	if (bytes == 0 || device->shared_bytes == 0)
		return INT64_MAX;
	return device->shared_bytes / bytes;
}

int64_t occupancy_blocks(const struct occupancy_device *device,
	const struct occupancy_kernel *kernel)
{
	int64_t threads = product(kernel->block);
	int64_t warps;
	int64_t blocks;

	if (threads == 0 || device->warp_size == 0 || device->threads == 0)
		return -1;
	if (device->threads_per_block != 0 &&
		threads > device->threads_per_block)
		return 0;
	warps = round_up(threads, device->warp_size) / device->warp_size;
	blocks = device->threads / device->warp_size / warps;
	if (device->blocks != 0)
		blocks = least(blocks, device->blocks);
	blocks = least(blocks, limit_registers(device, kernel, warps));
	return least(blocks, limit_shared(device, kernel));
}

/* In single precision, like Kineto: the rounding of 22.5 would differ. */
static int percent_of(const struct occupancy_device *device, double blocks,
	int64_t most, int64_t threads)
{
	float held = blocks < (double)most ? (float)blocks : (float)most;
	float share = held * (float)threads / (float)device->threads;

	return (int)(0.5 + 100 * (double)share);
}

bool occupancy_estimate(const struct occupancy *occupancy,
	const struct event *event, struct occupancy_estimate *estimate)
{
	const struct trace_track *track =
		&occupancy->trace->tracks[event->track];
	const struct trace_device *from =
		trace_find_device(occupancy->trace, track->pid, track->device);
	struct occupancy_device device = {0};
	struct occupancy_kernel kernel = {0};
	int64_t threads;
	int64_t most;

	if (from == NULL)
		return false;
	read_device(occupancy, from, &device);
	read_kernel(occupancy, event, &kernel);
	threads = product(kernel.block);
	if (device.multiprocessors == 0 || device.warp_size == 0 ||
		threads == 0 || product(kernel.grid) == 0)
		return false;
	estimate->blocks = (double)kernel.grid[0] * (double)kernel.grid[1] *
			   (double)kernel.grid[2] /
			   (double)device.multiprocessors;
	estimate->warps =
		estimate->blocks * (double)threads / (double)device.warp_size;
	most = occupancy_blocks(&device, &kernel);
	estimate->percent =
		most < 0 ? -1
			 : percent_of(&device, estimate->blocks, most, threads);
	return true;
}

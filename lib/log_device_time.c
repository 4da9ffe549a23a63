/* SPDX-License-Identifier: MIT */
#include "log_device_time.h"

#include "log.h"
#include "memory.h"

/* Differences of two such times fit. */
#define DEVICE_MAX (INT64_MAX / 2)
/* As log_time.c has it. */
#define LOG_MAX (INT64_MAX / 8)
/* How many steps of the clock back it is looked for a time: what is handed
 * over is of the last seconds. */
#define STEPS_BACK 16

__extension__ typedef __int128 wide;

void log_device_time_clear(struct log_device_time *time)
{
	memory_free(time->pairs);
	*time = (struct log_device_time){0};
}

static bool append(struct log_device_time *time, struct log_device_pair pair)
{
	if (time->count == time->room) {
		uint32_t room = time->room == 0 ? 16 : time->room * 2;
		struct log_device_pair *pairs =
			memory_resize_array(time->pairs, room, sizeof(*pairs));

		if (pairs == NULL || room < time->room)
			return false;
		time->pairs = pairs;
		time->room = room;
	}
	time->pairs[time->count++] = pair;
	return true;
}

bool log_device_time_add(
	struct log_device_time *time, int64_t log, int64_t device)
{
	struct log_device_pair pair = {log, device, time->count};
	const struct log_device_pair *last;
	int64_t since;
	wide off;

	if (log > LOG_MAX || log < -LOG_MAX || device > DEVICE_MAX ||
		device < -DEVICE_MAX)
		return true;
	if (time->count == 0)
		return append(time, pair);
	last = &time->pairs[time->count - 1];
	since = log - last->log;
	if (since < LOG_DEVICE_SYNC_MIN_NS)
		return true;
	off = (wide)device - last->device - since;
	if ((off < 0 ? -off : off) >
		LOG_DEVICE_STEP_NS + since / LOG_DEVICE_STEP_PART)
		time->steps++;
	else
		pair.first = last->first;
	return append(time, pair);
}

/* floor(a / b) of a positive b. */
static wide divide_down(wide a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The time on the line through two pairs, or of slope 1 where that is one. */
static int64_t on_line(const struct log_device_pair *a,
	const struct log_device_pair *b, int64_t device)
{
	wide since = (wide)device - a->device;
	int64_t span = b->device - a->device;
	int64_t more = b->log - a->log - span;
	wide log = a->log + since;

	if (more != 0 && since < INT32_MAX && since > INT32_MIN &&
		more < INT32_MAX && more > INT32_MIN) {
		int64_t product = (int64_t)since * more;

		log += product / span - (product % span < 0);
	} else if (more != 0) {
		log += divide_down(since * more, span);
	}
	return log > LOG_MAX    ? LOG_MAX
	       : log < -LOG_MAX ? -LOG_MAX
				: (int64_t)log;
}

/* A pair far enough from `from`, in the direction of `to`, to tell how fast
 * the clock goes; `from` itself if there is none. */
static const struct log_device_pair *far_pair(
	const struct log_device_pair *from, const struct log_device_pair *to)
{
	const struct log_device_pair *at = from;

	while (at != to) {
		int64_t apart;

		at += to > from ? 1 : -1;
		apart = at->log - from->log;
		if (apart >= LOG_SYNC_MIN_NS || apart <= -LOG_SYNC_MIN_NS)
			return at;
	}
	return from;
}

/* How far the time is from those that these pairs span; 0: within. */
static uint64_t distance(const struct log_device_pair *first,
	const struct log_device_pair *last, int64_t device)
{
	if (device < first->device)
		return (uint64_t)first->device - (uint64_t)device;
	if (device > last->device)
		return (uint64_t)device - (uint64_t)last->device;
	return 0;
}

/* The last of the pairs without a step between them that are nearest; the
 * newest of several. */
static const struct log_device_pair *nearest(
	const struct log_device_time *time, int64_t device)
{
	const struct log_device_pair *last = &time->pairs[time->count - 1];
	const struct log_device_pair *best = last;
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < STEPS_BACK && least != 0; i++) {
		const struct log_device_pair *first = &time->pairs[last->first];
		uint64_t far = distance(first, last, device);

		if (far < least) {
			least = far;
			best = last;
		}
		if (last->first == 0)
			break;
		last = first - 1;
	}
	return best;
}

/* Log time among these pairs. */
static int64_t place(const struct log_device_pair *first,
	const struct log_device_pair *last, int64_t device)
{
	if (device >= last->device)
		return on_line(far_pair(last, first), last, device);
	if (device < first->device)
		return on_line(first, far_pair(first, last), device);
	if (last[-1].device <= device) /* most are in the last second */
		return on_line(last - 1, last, device);
	while (last - first > 1) {
		const struct log_device_pair *middle =
			first + (last - first) / 2;

		if (middle->device <= device)
			first = middle;
		else
			last = middle;
	}
	return on_line(first, last, device);
}

void log_device_time_place(
	const struct log_device_time *time, int64_t *begin, int64_t *end)
{
	const struct log_device_pair start = {0, time->start, 0};
	const struct log_device_pair *last = &start;
	const struct log_device_pair *first = &start;

	if (time->count > 0) {
		last = nearest(time, *begin);
		first = &time->pairs[last->first];
	}
	*begin = place(first, last, *begin);
	*end = place(first, last, *end);
}

/* SPDX-License-Identifier: MIT */
/*
 * Where the device's clock steps, a new run of pairs begins.
 */
#include "log_read/log_device_time.h"

#include "log/log.h"
#include "base/memory.h"

/* Differences of two such times fit. */
#define DEVICE_MAX (INT64_MAX / 2)
/* As log_time.c has it. */
#define LOG_MAX (INT64_MAX / 8)
/* Number of the newest runs between two steps that are searched: activities
 * that are handed over are of the last seconds. */
#define RUNS 16

__extension__ typedef __int128 wide;

void log_device_time_clear(struct log_device_time *time)
{
	memory_free(time->pairs);
	*time = (struct log_device_time){0};
}

static bool append(struct log_device_time *time, struct log_device_pair pair)
{
	if (!array_reserve32(&time->pairs, time->count, &time->room,
		    sizeof(*time->pairs)))
		return false;
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

/* Two entries that tell how fast the clock goes; one twice: as fast as ours. */
struct rate {
	const struct log_device_pair *from;
	const struct log_device_pair *to;
};

/* The time on the line of this rate through a pair. */
static int64_t on_line(
	const struct log_device_pair *through, struct rate rate, int64_t device)
{
	wide since = (wide)device - through->device;
	int64_t span = rate.to->device - rate.from->device;
	int64_t more = rate.to->log - rate.from->log - span;
	wide log = through->log + since;

	if (more != 0 && since < INT32_MAX && since > INT32_MIN &&
		more < INT32_MAX && more > INT32_MIN) {
		int64_t product = (int64_t)since * more;

		log += product / span - (product % span < 0);
	} else if (more != 0) {
		log += divide_down(since * more, span);
	}
	if (log > LOG_MAX)
		return LOG_MAX;
	return log < -LOG_MAX ? -LOG_MAX : (int64_t)log;
}

/* A pair far enough from `from`, in the direction of `to`, to tell the rate;
 * `from` itself if there is none. */
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

/* The rate at the end of a run; if it is too short, of a run before it. */
static struct rate last_rate(
	const struct log_device_time *time, const struct log_device_pair *last)
{
	struct rate rate = {last, last};

	for (int i = 0; i < RUNS; i++) {
		const struct log_device_pair *first = &time->pairs[last->first];

		rate.from = far_pair(last, first);
		rate.to = last;
		if (rate.from != last || last->first == 0)
			break;
		last = first - 1;
	}
	return rate;
}

/* Log time by the run of pairs that ends with `last`. */
static int64_t place(const struct log_device_time *time,
	const struct log_device_pair *last, int64_t device)
{
	const struct log_device_pair *first = &time->pairs[last->first];
	const struct log_device_pair *far;

	if (device >= last->device)
		return on_line(last, last_rate(time, last), device);
	if (device < first->device) {
		far = far_pair(first, last);
		return on_line(first,
			far == first ? last_rate(time, last)
				     : (struct rate){first, far},
			device);
	}
	if (last[-1].device <= device) /* most are in the last second */
		first = last - 1;
	while (last - first > 1) {
		const struct log_device_pair *middle =
			first + (last - first) / 2;

		if (middle->device <= device)
			first = middle;
		else
			last = middle;
	}
	return on_line(first, (struct rate){first, last}, device);
}

/* Does the run that ends with `last` put the time where the device's clock may
 * have been what it was in this run? */
static bool is_of(const struct log_device_time *time,
	const struct log_device_pair *last, int64_t device)
{
	const struct log_device_pair *first = &time->pairs[last->first];
	bool newest = last == &time->pairs[time->count - 1];
	int64_t log = place(time, last, device);

	return (last->first == 0 || log > first[-1].log) &&
	       log <= last[newest ? 0 : 1].log;
}

/* The end of the newest run that the time may be of; of none, the newest. */
static const struct log_device_pair *find_run(
	const struct log_device_time *time, int64_t device)
{
	const struct log_device_pair *newest = &time->pairs[time->count - 1];
	const struct log_device_pair *last = newest;

	if (newest->first == 0)
		return newest;
	for (int i = 0; i < RUNS; i++) {
		if (is_of(time, last, device))
			return last;
		if (last->first == 0)
			break;
		last = &time->pairs[last->first - 1];
	}
	return newest;
}

void log_device_time_place(
	const struct log_device_time *time, int64_t *begin, int64_t *end)
{
	struct log_device_pair start = {0, time->start, 0};
	const struct log_device_time none = {.pairs = &start, .count = 1};
	const struct log_device_pair *last;

	/* These times are log times. */
	if (time->count == 1 && time->pairs[0].log == time->pairs[0].device)
		return;
	if (time->count == 0)
		time = &none;
	last = find_run(time, *begin);
	*begin = place(time, last, *begin);
	*end = place(time, last, *end);
}

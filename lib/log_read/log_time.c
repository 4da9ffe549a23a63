/* SPDX-License-Identifier: MIT */
#include "log_read/log_time.h"

#include "log/log.h"
#include "base/memory.h"
#include "base/search.h"
#include "log/unpack.h"

#define SECOND INT64_C(1000000000)
/* 36 years; keeps sums of a few times within 64 bits. */
#define TIME_MAX (INT64_MAX / 8)

void log_time_clear(struct log_time *time)
{
	memory_free(time->pieces);
	*time = (struct log_time){0};
}

bool log_time_read(
	struct cursor *block, uint32_t least, int64_t *log, int64_t *other)
{
	uint32_t elements;

	return unpack_array(block, &elements) && elements >= least &&
	       unpack_int(block, log) && unpack_int(block, other) &&
	       unpack_skip_values(block, elements - 2);
}

/* floor(value / by) of a positive `by`. */
static int64_t divide_down(int64_t value, int64_t by)
{
	return value / by - (value % by < 0);
}

/* floor(value * slew / 1e9) without overflow; |slew| is at most 500,000. Most
 * values are below two hours, whose product fits. */
static int64_t slewed(int64_t value, int64_t slew)
{
	if (slew == 0)
		return 0;
	if (value > -(INT64_C(1) << 43) && value < INT64_C(1) << 43)
		return divide_down(value * slew, SECOND);
	return value / SECOND * slew +
	       divide_down(value % SECOND * slew, SECOND);
}

static bool add_piece(struct log_time *time, struct log_time_piece piece)
{
	if (!array_reserve32(&time->pieces, time->count, &time->room,
		    sizeof(*time->pieces)))
		return false;
	time->pieces[time->count++] = piece;
	return true;
}

bool log_time_add(struct log_time *time, int64_t log, int64_t raw)
{
	int64_t since;
	int64_t truth;
	int64_t y;
	int64_t ahead;

	if (log > TIME_MAX || log < -TIME_MAX || raw > TIME_MAX ||
		raw < -TIME_MAX)
		return true;
	if (time->count == 0) {
		time->first_log = log;
		time->first_raw = raw;
		return add_piece(time, (struct log_time_piece){log, 0, 0});
	}
	if (log - time->pieces[time->count - 1].log < LOG_SYNC_MIN_NS)
		return true;
	since = log - time->first_log;
	truth = raw - time->first_raw;
	y = log_time_correct(time, log);
	/* drift × 1e9 / since; a drift that would overflow is limited below
	 * anyway. */
	ahead = truth - since;
	if (ahead > SECOND)
		ahead = SECOND;
	if (ahead < -SECOND)
		ahead = -SECOND;
	ahead = truth + divide_down(ahead * SECOND, since) - y;
	if (ahead > LOG_SYNC_SLEW_MAX)
		ahead = LOG_SYNC_SLEW_MAX;
	if (ahead < -LOG_SYNC_SLEW_MAX)
		ahead = -LOG_SYNC_SLEW_MAX;
	return add_piece(time, (struct log_time_piece){log, y, ahead});
}

/* The last piece that begins at or before `log`, or the first. */
static const struct log_time_piece *find(
	const struct log_time *time, int64_t log)
{
	size_t at;

	SEARCH_FIRST(at, time->count, time->pieces[at].log <= log);
	return &time->pieces[at == 0 ? 0 : at - 1];
}

int64_t log_time_correct(const struct log_time *time, int64_t log)
{
	const struct log_time_piece *piece;
	int64_t since;

	if (time->count == 0 || log > TIME_MAX || log < -TIME_MAX)
		return log;
	piece = &time->pieces[time->count - 1];
	if (log < piece->log)
		piece = find(time, log);
	since = log - piece->log;
	return piece->y + since + slewed(since, piece->slew);
}

/* A slew that is followed from time to time, without a division for most:
 * (time - from) * slew = whole * 1e9 + rest, with 0 <= rest < 1e9. */
struct slew {
	int64_t whole;
	int64_t rest;
};

static struct slew slew_at(int64_t since, int64_t slew)
{
	const int64_t whole = slewed(since, slew);

	return (struct slew){
		whole, (int64_t)((uint64_t)since * (uint64_t)slew -
				 (uint64_t)whole * (uint64_t)SECOND)};
}

/* Corrects consecutive times in one piece, found by the first of them; returns
 * their number. `log` is the last of them. */
static uint32_t correct_run(const struct log_time_piece *piece, int64_t end,
	int64_t shift, int64_t *times, uint32_t count, uint64_t *log)
{
	uint64_t offset =
		(uint64_t)piece->y - (uint64_t)piece->log + (uint64_t)shift;
	const struct log_time_piece from = *piece;
	struct slew slew = {0, -1}; /* unknown yet */
	uint64_t now = *log;
	uint32_t i = 0;

	for (; i < count; i++) {
		const int64_t delta = times[i];
		const uint64_t next = now + (uint64_t)delta;

		if ((int64_t)next < from.log || (int64_t)next >= end)
			break;
		now = next;
		if (slew.rest >= 0 && (uint64_t)delta < SECOND)
			slew.rest += delta * from.slew;
		else
			slew.rest = -1;
		if ((uint64_t)slew.rest >= (uint64_t)SECOND)
			slew = slew_at((int64_t)now - from.log, from.slew);
		times[i] = (int64_t)(now + offset + (uint64_t)slew.whole);
	}
	*log = now;
	return i;
}

void log_time_correct_all(const struct log_time *time, int64_t base,
	int64_t shift, int64_t *times, uint32_t count)
{
	uint64_t log = (uint64_t)base;

	for (uint32_t i = 0; i < count;) {
		int64_t next = (int64_t)(log + (uint64_t)times[i]);

		if (time->count > 0 && next < TIME_MAX &&
			next >= time->pieces[0].log) {
			const struct log_time_piece *piece = find(time, next);
			bool last = piece == &time->pieces[time->count - 1];

			i += correct_run(piece, last ? TIME_MAX : piece[1].log,
				shift, times + i, count - i, &log);
		} else { /* before the first entry, or without entries */
			log = (uint64_t)next;
			times[i++] = (int64_t)((uint64_t)log_time_correct(
						       time, next) +
					       (uint64_t)shift);
		}
	}
}

/* A device's clock. Where it steps, a new run of pairs begins. */

/* Differences of two such times fit. */
#define DEVICE_MAX (INT64_MAX / 2)
/* Number of newest runs searched: delivered activities are from the last
 * seconds. */
#define RUNS 16

__extension__ typedef __int128 wide;

void log_time_device_clear(struct log_time_device *time)
{
	memory_free(time->pairs);
	*time = (struct log_time_device){0};
}

static bool append(
	struct log_time_device *time, struct log_time_device_pair pair)
{
	if (!array_reserve32(&time->pairs, time->count, &time->room,
		    sizeof(*time->pairs)))
		return false;
	time->pairs[time->count++] = pair;
	return true;
}

bool log_time_device_add(
	struct log_time_device *time, int64_t log, int64_t device)
{
	struct log_time_device_pair pair = {log, device, time->count};
	const struct log_time_device_pair *last;
	int64_t since;
	wide off;
	wide most; /* of `off` without a step */

	if (log > TIME_MAX || log < -TIME_MAX || device > DEVICE_MAX ||
		device < -DEVICE_MAX)
		return true;
	if (time->count == 0)
		return append(time, pair);
	last = &time->pairs[time->count - 1];
	since = log - last->log;
	most = since < LOG_DEVICE_SYNC_MIN_NS
		       ? LOG_DEVICE_SYNC_MIN_NS
		       : LOG_DEVICE_STEP_NS + since / LOG_DEVICE_STEP_PART;
	off = (wide)device - last->device - since;
	if (off < 0)
		off = -off;
	if (since <= 0 || (since < LOG_DEVICE_SYNC_MIN_NS && off <= most))
		return true;
	if (off > most)
		time->steps++;
	else
		pair.first = last->first;
	return append(time, pair);
}

/* Two entries that determine the clock's rate; equal: the same rate as ours. */
struct rate {
	const struct log_time_device_pair *from;
	const struct log_time_device_pair *to;
};

/* The time on the line of this rate through a pair. */
static int64_t on_line(const struct log_time_device_pair *through,
	struct rate rate, int64_t device)
{
	wide since = (wide)device - through->device;
	int64_t span = rate.to->device - rate.from->device;
	int64_t more = rate.to->log - rate.from->log - span;
	wide log = through->log + since;

	if (more != 0 && since < INT32_MAX && since > INT32_MIN &&
		more < INT32_MAX && more > INT32_MIN) {
		log += divide_down((int64_t)since * more, span);
	} else if (more != 0) {
		wide product = since * more;

		log += product / span - (product % span < 0);
	}
	if (log > TIME_MAX)
		return TIME_MAX;
	return log < -TIME_MAX ? -TIME_MAX : (int64_t)log;
}

/* A pair far enough from `from`, in the direction of `to`, for the rate; `from`
 * itself if there is none. */
static const struct log_time_device_pair *far_pair(
	const struct log_time_device_pair *from,
	const struct log_time_device_pair *to)
{
	const struct log_time_device_pair *at = from;

	while (at != to) {
		int64_t apart;

		at += to > from ? 1 : -1;
		apart = at->log - from->log;
		if (apart >= LOG_SYNC_MIN_NS || apart <= -LOG_SYNC_MIN_NS)
			return at;
	}
	return from;
}

/* The rate at the end of a run or, if it is too short, of an earlier run. */
static struct rate last_rate(const struct log_time_device *time,
	const struct log_time_device_pair *last)
{
	struct rate rate = {last, last};

	for (int i = 0; i < RUNS; i++) {
		const struct log_time_device_pair *first =
			&time->pairs[last->first];

		rate.from = far_pair(last, first);
		rate.to = last;
		if (rate.from != last || last->first == 0)
			break;
		last = first - 1;
	}
	return rate;
}

/* Log time by the run of pairs that ends with `last`. */
static int64_t place(const struct log_time_device *time,
	const struct log_time_device_pair *last, int64_t device)
{
	const struct log_time_device_pair *first = &time->pairs[last->first];
	const struct log_time_device_pair *far;

	if (device >= last->device)
		return on_line(last, last_rate(time, last), device);
	if (device < first->device) {
		far = far_pair(first, last);
		return on_line(first,
			far == first ? last_rate(time, last)
				     : (struct rate){first, far},
			device);
	}
	if (last[-1].device <= device) /* usual: in the last second */
		first = last - 1;
	while (last - first > 1) {
		const struct log_time_device_pair *middle =
			first + (last - first) / 2;

		if (middle->device <= device)
			first = middle;
		else
			last = middle;
	}
	return on_line(first, (struct rate){first, last}, device);
}

/* Whether the run that ends with `last` converts the time into its own
 * period. */
static bool is_of(const struct log_time_device *time,
	const struct log_time_device_pair *last, int64_t device)
{
	const struct log_time_device_pair *first = &time->pairs[last->first];
	bool newest = last == &time->pairs[time->count - 1];
	int64_t log = place(time, last, device);

	return (last->first == 0 || log > first[-1].log) &&
	       log <= last[newest ? 0 : 1].log;
}

/* The end of the newest run that may contain the time; the newest if none
 * does. */
static const struct log_time_device_pair *find_run(
	const struct log_time_device *time, int64_t device)
{
	const struct log_time_device_pair *newest =
		&time->pairs[time->count - 1];
	const struct log_time_device_pair *last = newest;

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

void log_time_device_place(
	const struct log_time_device *time, int64_t *begin, int64_t *end)
{
	struct log_time_device_pair start = {0, time->start, 0};
	const struct log_time_device none = {.pairs = &start, .count = 1};
	const struct log_time_device_pair *last;

	/* These times are log times. */
	if (time->count == 1 && time->pairs[0].log == time->pairs[0].device)
		return;
	if (time->count == 0)
		time = &none;
	last = find_run(time, *begin);
	*begin = place(time, last, *begin);
	*end = place(time, last, *end);
}

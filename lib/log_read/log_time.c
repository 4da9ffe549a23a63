/* SPDX-License-Identifier: MIT */
#include "log_read/log_time.h"

#include "log/log.h"
#include "base/memory.h"

#define SECOND INT64_C(1000000000)
/* Keeps sums of a few times within 64 bits; 36 years. */
#define TIME_MAX (INT64_MAX / 8)

void log_time_clear(struct log_time *time)
{
	memory_free(time->pieces);
	*time = (struct log_time){0};
}

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
	/* drift × 1e9 / since; a drift so large that this would overflow is
	 * cut by the limit below anyway. */
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

/* The last piece that begins at or before `log`; else the first. */
static const struct log_time_piece *find(
	const struct log_time *time, int64_t log)
{
	uint32_t low = 0;
	uint32_t high = time->count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (time->pieces[middle].log <= log)
			low = middle;
		else
			high = middle;
	}
	return &time->pieces[low];
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

/* Corrects the run of times that lie in one piece, from the first of which the
 * piece was found; returns how many there are. `log` is the last of them. */
static uint32_t correct_run(const struct log_time_piece *piece, int64_t end,
	int64_t shift, int64_t *times, uint32_t count, uint64_t *log)
{
	uint64_t offset =
		(uint64_t)piece->y - (uint64_t)piece->log + (uint64_t)shift;
	uint64_t now = *log;
	uint32_t i = 0;

	for (; i < count; i++) {
		uint64_t next = now + (uint64_t)times[i];

		if ((int64_t)next < piece->log || (int64_t)next >= end)
			break;
		now = next;
		times[i] = (int64_t)(now + offset +
				     (uint64_t)slewed((int64_t)now - piece->log,
					     piece->slew));
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
		} else { /* before the first entry, or there is none */
			log = (uint64_t)next;
			times[i++] = (int64_t)((uint64_t)log_time_correct(
						       time, next) +
					       (uint64_t)shift);
		}
	}
}

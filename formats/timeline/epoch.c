/* SPDX-License-Identifier: MIT */
#include "timeline/epoch.h"

/* Times this close to the recording's start, a year, are of the wall clock:
 * other clocks have not come that far. */
#define WALL_CLOCK_NS INT64_C(31536000000000000)

int64_t epoch_of_track(const struct trace *trace, const struct event *first)
{
	int64_t since_ns;

	if (trace->tracks[first->track].kind != TRACE_TIMELINE ||
		trace->base_realtime_ns <= 0 ||
		__builtin_sub_overflow(
			first->time_ns, trace->base_realtime_ns, &since_ns) ||
		since_ns < -WALL_CLOCK_NS || since_ns > WALL_CLOCK_NS)
		return 0;
	return trace->base_realtime_ns;
}

/* SPDX-License-Identifier: MIT */
/* The rows that a timeline's writer shows for one track, and their names. */
#ifndef ROW_NAME_H
#define ROW_NAME_H

#include <stdint.h>

#include "base/buffer.h"
#include "timeline/lanes.h"
#include "trace/trace.h"

/* A track's first row; one for its nested ranges if the first is taken by
 * slices; or lane 0 and up for slices, from ROW_HOST on for the host's time
 * on a stream, from ROW_CALLS on for calls that overlap ranges. */
#define ROW_MAIN (-2)
#define ROW_RANGES (-1)
#define ROW_HOST LANES_MAX
#define ROW_CALLS (2 * LANES_MAX)

/* The stream's number; -1 where what stands on the track is of its device as
 * a whole. */
int64_t row_name_stream(const struct trace_track *track);

/* Adds the name of a row of the track: of a lane, or of one of the above. */
void row_name_add(struct buffer *name, const struct trace *trace,
	uint32_t number, int32_t lane);

/* Adds the name of the track's process, or of its device. */
void row_name_add_process(
	struct buffer *name, const struct trace *trace, uint32_t number);

/* Adds `text`, and the number in decimal. */
void row_name_add_number(struct buffer *name, const char *text, int64_t id);

#endif

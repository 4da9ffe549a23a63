/* SPDX-License-Identifier: MIT */
/*
 * A timeline in bounded memory: the longest slices of each lane, and sums of the
 * others by time; nothing is omitted from the sum of both.
 *
 * A lane is the nested ranges of a track, its complete events and activities, or
 * the asynchronous ranges that begin on it.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/buffer.h"
#include "base/strtab.h"
#include "digest/digest_series.h"
#include "digest/slice_bins.h"
#include "digest/slice_store.h"
#include "gaps/launch_table.h"
#include "trace/event.h"

enum digest_part { DIGEST_RANGES, DIGEST_WHOLE, DIGEST_ASYNC, DIGEST_PARTS };

/* The most rows of a lane; deeper ranges are in the last one. */
#define DIGEST_ROWS 1024

struct digest_lane {
	uint32_t track;
	enum digest_part part;
	uint32_t rows;
	uint64_t count;   /* of slices, kept or not */
	uint64_t time_ns; /* their sum; saturates */
	uint64_t top_ns;  /* likewise, of the first row */
};

struct digest_step {
	int64_t time_ns;
	uint64_t number;
	uint32_t site;
};

#define DIGEST_STEPS 512

struct digest {
	const struct trace *trace;
	struct slice_store store;
	struct slice_bins bins;
	struct digest_lane *lanes;
	uint32_t lane_count;
	struct series_table series;
	struct strtab *args;
	struct digest_step steps[DIGEST_STEPS];
	uint32_t step_count;
	uint64_t steps_omitted;

	/* While events are read. */
	struct digest_track *tracks;
	uint32_t lane_room;
	uint32_t track_count;
	struct open_async_rows *async;
	struct json *json;
	struct buffer text;
	size_t args_bytes;
};

/* Keeps up to twice as many slices and bins; `trace` is borrowed until
 * digest_free(). NULL if out of memory. */
struct digest *digest_new(
	const struct trace *trace, uint32_t slices, uint32_t bins);
void digest_free(struct digest *digest);

/* Takes one event; `launch` is the call that caused it, or NULL. Errors:
 * CTP_ERR_NOMEM. */
enum ctp_status digest_add(struct digest *digest, const struct event *event,
	const struct launch *launch, struct ctp_error *err);

/* Call it once, after the last event: open ranges end with their track. Errors:
 * as above. */
enum ctp_status digest_finish(struct digest *digest, struct ctp_error *err);

/* After digest_finish(), any number of times: reduces both and sorts them.
 * False if out of memory. */
bool digest_reduce(struct digest *digest, uint32_t slices, uint32_t bins);

#endif

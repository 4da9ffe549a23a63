/* SPDX-License-Identifier: MIT */
/*
 * Converts records, in order of time, to events, one per call; the current
 * record is kept until all of its events were returned.
 */
#ifndef CHROME_READ_REPLAY_H
#define CHROME_READ_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "chrome/chrome_correlation.h"
#include "chrome_read/chrome_read_frames.h"
#include "chrome_read/chrome_read_record.h"
#include "chrome_read/chrome_read_streams.h"
#include "chrome_read/slice_stack.h"
#include "extsort/extsort.h"
#include "trace/event.h"
#include "trace/trace.h"

struct chrome_read_replay {
	/* Borrowed and complete. */
	struct trace *trace;
	struct extsort *records;
	struct chrome_read_streams *streams;
	struct chrome_correlation *correlation;
	struct chrome_read_frames *frames;
	const struct chrome_read_producer *producer;
	/* Its own members, initially zero. */
	struct slice_stacks stacks;
	struct deferred_calls deferred;
	struct extsort_record item; /* read ahead, but perhaps not next */
	bool has_item;
	bool has_record;
	struct chrome_read_record record;
	int64_t record_rank;
	const uint8_t *record_args;
	size_t record_size;  /* unpacked size, with arguments */
	uint32_t args_taken; /* of a record of counters */
	uint64_t begun_id;   /* correlation of the latest range begun, or 0 */
	struct event_arg *event_args;
	uint32_t event_args_room;
};

/* Frees its own. */
void chrome_read_replay_clear(struct chrome_read_replay *replay);

/* The next event. Errors: those of extsort_next(); CTP_ERR_NOMEM. */
enum ctp_status chrome_read_replay_next(struct chrome_read_replay *replay,
	struct event *event, struct ctp_error *err);

#endif

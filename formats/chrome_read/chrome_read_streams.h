/* SPDX-License-Identifier: MIT */
/*
 * The device streams of a Chrome trace, and their processes. A file may contain
 * several processes, each of which numbers its devices and calls independently;
 * device activities are on separate rows that do not name the process. An
 * activity belongs to the process that made its call. If there is no call, or
 * several processes made one with that number, it belongs to the process with
 * most calls for this row's device.
 *
 * Memory: for files with several processes, CHROME_READ_STREAMS_CALLS calls.
 */
#ifndef CHROME_READ_STREAMS_H
#define CHROME_READ_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "trace/trace.h"
#include "chrome/chrome_correlation.h"
#include "chrome_read/chrome_read_rows.h"

/* Further calls are dropped; those kept are enough to find most owners. */
#define CHROME_READ_STREAMS_CALLS CHROME_CORRELATION_LIMIT

/* The place of an activity in the file. */
struct chrome_read_place {
	uint32_t process; /* the row's, in chrome_read_rows.processes */
	int64_t device;
	int64_t context;
	int64_t stream;
};

struct chrome_read_streams {
	struct chrome_read_rows *rows;
	struct strtab *keys; /* keys of streams, as bytes */
	struct chrome_read_stream *streams;
	uint32_t stream_room;
	struct strtab *device_keys; /* keys of the rows' devices, likewise */
	struct chrome_read_row_device *devices;
	uint32_t device_room;
	struct strtab *track_keys; /* of tracks, likewise */
	uint32_t *tracks;
	uint32_t track_room;
	struct chrome_read_caller *calls; /* filled if `several` processes made
					   * calls */
	size_t call_count;
	size_t call_room;
	uint32_t caller; /* in chrome_read_rows.processes; 0: no calls */
	bool several;
};

/* False if out of memory, as for all below; call chrome_read_streams_clear() in
 * either case. The rows are borrowed. */
bool chrome_read_streams_init(
	struct chrome_read_streams *streams, struct chrome_read_rows *rows);
void chrome_read_streams_clear(struct chrome_read_streams *streams);

/* Adds a call of this process; `before` has all earlier calls. */
bool chrome_read_streams_add_call(struct chrome_read_streams *streams,
	uint32_t process, uint64_t correlation,
	const struct chrome_correlation_ids *before);

/* The number of the place's stream; records an activity there from this call
 * (0: none). STRTAB_NONE if out of memory. */
uint32_t chrome_read_streams_add(struct chrome_read_streams *streams,
	struct chrome_read_place place, uint64_t correlation);

/* Call it after reading the file. `process` is the default user of the
 * devices. */
bool chrome_read_streams_finish(
	struct chrome_read_streams *streams, uint32_t process);

/* After that: the track of an activity on a stream from this call; TRACE_NONE
 * if out of memory. */
uint32_t chrome_read_streams_track(struct chrome_read_streams *streams,
	uint32_t stream, uint64_t correlation);

#endif

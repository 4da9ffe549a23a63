/* SPDX-License-Identifier: MIT */
/*
 * The streams of devices that a Chrome trace tells of, and whose they are. A
 * file may be of several processes, each with devices, and calls, that it
 * counts for itself; what a device did stands on rows of its own, which do not
 * say whose it was. It is that of the process which made the call; where there
 * is no call, or several processes made one with that number, that which made
 * most of the calls for this device of this row.
 *
 * Memory: of files of several processes, CHROME_READ_STREAMS_CALLS calls.
 */
#ifndef CHROME_READ_STREAMS_H
#define CHROME_READ_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "trace/trace.h"
#include "chrome/chrome_correlation.h"
#include "chrome_read/chrome_read_rows.h"

/* Calls of a file with more are not all known; most of what is to be learnt
 * from them is. */
#define CHROME_READ_STREAMS_CALLS CHROME_CORRELATION_LIMIT

/* The place of device work, as the file has it. */
struct chrome_read_place {
	uint32_t process; /* of the row: in chrome_read_rows.processes */
	int64_t device;
	int64_t context;
	int64_t stream;
};

struct chrome_read_streams {
	struct chrome_read_rows *rows;
	struct strtab *keys; /* of streams, as bytes */
	struct chrome_read_stream *streams;
	uint32_t stream_room;
	struct strtab *device_keys; /* of the devices of rows, likewise */
	struct chrome_read_row_device *devices;
	uint32_t device_room;
	struct strtab *track_keys; /* of tracks, likewise */
	uint32_t *tracks;
	uint32_t track_room;
	struct chrome_read_caller *calls; /* if `several` processes made some */
	size_t call_count;
	size_t call_room;
	uint32_t caller; /* in chrome_read_rows.processes; 0: nobody called */
	bool several;
};

/* False if out of memory, like all below; call chrome_read_streams_clear() in either
 * case. The rows are borrowed. */
bool chrome_read_streams_init(
	struct chrome_read_streams *streams, struct chrome_read_rows *rows);
void chrome_read_streams_clear(struct chrome_read_streams *streams);

/* This process made a call; `before` are all that were made before. */
bool chrome_read_streams_add_call(struct chrome_read_streams *streams,
	uint32_t process, uint64_t correlation,
	const struct chrome_correlation_ids *before);

/* The number of the place's stream, and that something was done there by this
 * call (0: by none); STRTAB_NONE if out of memory. */
uint32_t chrome_read_streams_add(struct chrome_read_streams *streams,
	struct chrome_read_place place, uint64_t correlation);

/* The file is read. `process` is the one that used the devices, if nothing else
 * tells. */
bool chrome_read_streams_finish(
	struct chrome_read_streams *streams, uint32_t process);

/* After that: the track on which something was done on a stream by this call;
 * TRACE_NONE if out of memory. */
uint32_t chrome_read_streams_track(struct chrome_read_streams *streams,
	uint32_t stream, uint64_t correlation);

#endif

/* SPDX-License-Identifier: MIT */
/* The reader's state for one recording, and how each kind of block changes
 * it. */
#ifndef LOG_BLOCK_H
#define LOG_BLOCK_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "names/demangle.h"
#include "trace/event.h"
#include "log/log.h"
#include "log_read/log_device.h"
#include "log_read/log_table.h"
#include "log_read/log_time.h"

struct log_track {
	uint32_t trace_track;
	enum log_track_kind kind;
	bool known; /* its block was there */
	uint64_t next_seq;
	uint32_t *open; /* trace sites of the open ranges */
	uint32_t depth;
	uint32_t room;
	uint64_t losses[LOSS_KINDS]; /* of the last losses block */
};

/* An event block that is being read. */
struct log_events {
	struct log_track *track;
	uint32_t at;
	uint32_t count;
	uint32_t *ids;  /* room for LOG_EVENTS_MAX */
	int64_t *times; /* likewise; as the trace has them */
	int64_t base_ns;
	uint32_t room;
	uint32_t *sites; /* trace sites by position */
	uint32_t site_room;
	uint32_t site_count;
	struct cursor extras; /* rows still to read */
	/* To bring the track's open ranges to what the block begins with. */
	uint32_t closing; /* ranges to end first */
	const uint32_t *opening;
	uint32_t opening_count;
	uint32_t *open; /* trace sites; room for LOG_OPEN_MAX */
};

/* The events that were read of a recording, and those that its end block
 * counts. */
struct log_totals {
	uint64_t blocks;
	uint64_t events;
	uint64_t gaps;    /* blocks missing from tracks' numbering */
	uint64_t damaged; /* LOSS_DAMAGED_BLOCKS before the recording */
	uint64_t end_blocks;
	uint64_t end_events;
};

struct log_recording {
	struct trace *trace;
	bool started;   /* something of it was taken in */
	bool has_facts; /* of the first header that there is */
	bool has_end;
	bool finished;    /* log_block_finish() was here */
	bool is_recorded; /* and not written since, from a log or a trace */
	bool refused; /* it needs a newer reader: its blocks are passed over */
	struct log_totals totals;
	uint64_t losses[LOSS_KINDS]; /* of the last block of the trace's */
	int64_t pid;
	uint32_t process_name; /* strtab number; 0: none */
	int64_t shift_ns;      /* of this recording against the first */
	struct log_time time;
	struct log_table sites;   /* trace site + 1 */
	struct log_table modules; /* trace module + 1 */
	struct buffer name;       /* that is being put together */
	struct demangler demangler;
	uint64_t demangled_bytes;
	struct log_table track_numbers; /* place in tracks + 1 */
	struct log_track **tracks;
	uint32_t track_count;
	uint32_t track_room;
	struct log_events events;
	struct log_device device;
};

/* Frees what the recording holds. */
void log_recording_clear(struct log_recording *recording);

/*
 * Takes a block in. Event blocks then stand in recording->events. A block
 * that contradicts the format changes nothing and is counted.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED.
 */
enum ctp_status log_block_take(struct log_recording *recording,
	struct cursor block, struct ctp_error *err);

/* The trace's site for a number in the log; one that says so if its name is
 * lost. TRACE_NONE if out of memory. */
uint32_t log_block_site(struct log_recording *recording, uint32_t number);

/* The next activity of the block that is being read; false if out of memory. */
bool log_device_event(struct log_recording *recording, struct event *event);

/* The end of the input, or another recording, follows: was this one whole?
 * Counts what is missing, once. */
void log_block_finish(struct log_recording *recording);

#endif

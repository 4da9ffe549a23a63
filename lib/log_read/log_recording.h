/* SPDX-License-Identifier: MIT */
/* The state of one recording while its log is read: what all kinds of blocks
 * change, each by functions of its own. */
#ifndef LOG_RECORDING_H
#define LOG_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "log/log.h"
#include "log_read/log_args.h"
#include "log_read/log_time.h"
#include "names/demangle.h"
#include "trace/event.h"

/* Whether a block is as the format has it. */
enum log_verdict { LOG_SOUND, LOG_DAMAGED, LOG_NO_MEMORY };

/* Maps a log's numbers to values. A recorder's numbers are dense; any other
 * large number costs at most a page of the table. */
struct log_table {
	uint32_t **pages;
	uint32_t page_room;
};

void log_table_clear(struct log_table *table);

/* The value of this number; 0 if none was set. */
uint32_t log_table_find(const struct log_table *table, uint32_t number);

/* Sets the value of a number; false if out of memory. */
bool log_table_set(struct log_table *table, uint32_t number, uint32_t value);

/* The kinds of activities. */
struct log_description {
	uint32_t site; /* of the trace */
	uint32_t first_arg;
	uint32_t arg_count;
};

/* The columns of a block of activities; later the trace's values. */
enum log_device_column {
	LOG_DEVICE_STARTS,
	LOG_DEVICE_DURATIONS,
	LOG_DEVICE_TRACKS,
	LOG_DEVICE_DESCRIPTIONS,
	LOG_DEVICE_CORRELATIONS,
	LOG_DEVICE_BYTES,
	LOG_DEVICE_NODES,
	LOG_DEVICE_COLUMNS
};

/* The state of a recording's devices, and the block of activities that is being
 * read. */
struct log_device {
	struct log_time_device time;
	struct log_table numbers; /* place in descriptions + 1 */
	struct log_description *descriptions;
	uint32_t description_count;
	uint32_t description_room;
	struct event_arg *args; /* of all descriptions; text is the trace's */
	uint32_t arg_count;
	uint32_t arg_room;
	uint64_t losses[LOSS_KINDS]; /* of the last such block */
	uint32_t at;
	uint32_t count;
	uint32_t room;
	int64_t *columns[LOG_DEVICE_COLUMNS];
	/* A map or nil for each row; empty if no row has any. */
	struct cursor row_args;
	struct log_args joined; /* for an event with more than its
				 * description's */
	uint32_t node_key;      /* strtab number; 0: not yet */
};

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

/* Counts of events read, and of those in the end block. */
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
	bool started;   /* some block was applied */
	bool has_facts; /* from the first header */
	bool has_end;
	bool finished;    /* log_recording_finish() was here */
	bool is_recorded; /* by the recorder, not converted */
	bool refused;     /* it needs a newer reader: its blocks are skipped */
	uint32_t number;  /* in the log, from 0 */
	/* Number of changes to what log_events_parse_plain() uses. A site or
	 * track with a new number does not count. */
	uint64_t version;
	int64_t end_ns;          /* its own, which may be before the trace's */
	int64_t timeline_end_ns; /* likewise */
	struct log_totals totals;
	uint64_t losses[LOSS_KINDS]; /* of the last block of the trace's */
	int64_t pid;
	uint32_t process_name; /* strtab number; 0: none */
	int64_t shift_ns;      /* of this recording relative to the first */
	struct log_time time;
	struct log_table sites;   /* trace site + 1 */
	struct log_table modules; /* trace module + 1 */
	struct buffer name;       /* scratch for names */
	struct demangler demangler;
	uint64_t demangled_bytes;
	struct log_table track_numbers; /* place in tracks + 1 */
	struct log_track **tracks;
	uint32_t track_count;
	uint32_t track_room;
	struct log_device device;
};

/* Frees what the recording holds. */
void log_recording_clear(struct log_recording *recording);

/* Call it before the end of the input or another recording: counts what is
 * missing, once. */
void log_recording_finish(struct log_recording *recording);

/* Finishes the recording and resets everything that the next one does not
 * share. */
void log_recording_next(struct log_recording *recording);

/* The track of this number, made if it is new; NULL if out of memory. */
struct log_track *log_recording_track(
	struct log_recording *recording, uint32_t number);

/* Something measured ended at this time. */
void log_recording_extend(struct log_recording *recording, int64_t end_ns);

/* An id that links events of this recording only: unique in the trace. */
uint64_t log_recording_id(const struct log_recording *recording, uint64_t id);

/* Losses as a block reports them: their number so far. */
struct log_losses {
	uint64_t *known; /* of the previous block; NULL: only check */
	enum trace_loss first;
	enum trace_loss last;
};

/* Adds the losses in a map that exceed the known ones; a late block adds
 * nothing. */
enum log_verdict log_recording_parse_losses(struct log_recording *recording,
	struct cursor block, const struct log_losses *losses);

/* Is this key that name? */
bool log_key_is(const char *key, size_t size, const char *name);

/* Whether such a track has activities instead of ranges. */
static inline bool log_track_is_device(enum log_track_kind kind)
{
	return kind == LOG_STREAM || kind == LOG_CALLS;
}

#endif

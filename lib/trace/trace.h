/* SPDX-License-Identifier: MIT */
/*
 * The tables that events refer to - sites, tracks, text - and what is known
 * about a recording as a whole: where it is from, its clock, what was lost.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/index.h"
#include "base/strtab.h"

#define TRACE_NONE UINT32_MAX

/* A place in a program: equal ones have one number. Those that differ only in
 * what stands after the line are one function. */
struct trace_site {
	uint32_t name;      /* strtab number */
	uint32_t file;      /* strtab number; 0 (""): unknown */
	uint32_t line;      /* 0: unknown */
	uint32_t call_line; /* in the caller's file; 0: unknown */
	uint32_t category;  /* strtab number; 0 (""): none */
};

/* Set in the ids of events that stand for an "External id" of the trace. */
#define TRACE_EXTERNAL_ID_BIT (UINT64_C(1) << 63)

/* A program or shared library that functions lie in. */
struct trace_module {
	uint64_t base; /* its lowest address */
	uint64_t bytes;
	int64_t pid;
	uint32_t path;     /* strtab number */
	uint32_t build_id; /* strtab number of its hexadecimal form */
	bool closed;       /* unloaded before the end */
};

enum event_arg_kind { ARG_INT, ARG_FLOAT, ARG_TEXT, ARG_JSON };

struct event_arg {
	enum event_arg_kind kind;
	uint32_t key; /* strtab number */
	union {
		int64_t integer;
		double real;
		struct {
			const char *bytes; /* may be invalid UTF-8 */
			size_t size;
		} text; /* ARG_TEXT; ARG_JSON: one valid JSON value */
	} value;
};

enum trace_track_kind {
	TRACE_THREAD,   /* measured nesting of a thread */
	TRACE_TIMELINE, /* ranges whose times the program gave */
	TRACE_STREAM,   /* a stream of a device */
	TRACE_CALLS,    /* a thread's calls, as the device's driver tells */
};

/* Where a trace that was read has texts for pids and tids, numbers below this
 * stand for them, less by the text's in the string table: no system has numbers
 * like these. */
#define TRACE_TEXT_IDS (-(INT64_C(1) << 40))

static inline bool trace_id_is_text(int64_t id)
{
	return id < TRACE_TEXT_IDS && id >= TRACE_TEXT_IDS - UINT32_MAX;
}

/* What events happen on: a thread of a process, a stream of a device. */
struct trace_track {
	enum trace_track_kind kind;
	int64_t pid;
	int64_t tid;           /* or the stream's number */
	uint32_t process_name; /* strtab number; 0: none */
	uint32_t name;         /* strtab number; 0: none */
	uint32_t device;       /* TRACE_STREAM: which of the process */
	uint32_t context;      /* likewise */
	/* Where its process stands for viewers among groups of processes, as
	 * those of one rank are; 0: as they come. */
	uint32_t order;
	/* Where it stands among the tracks of its process, and that among
	 * others, where a trace that was read says so: the less the higher. */
	bool has_sort;
	bool has_process_sort;
	int64_t sort;
	int64_t process_sort;
	/* When this track's recording ended, if that is known. */
	bool has_end;
	int64_t end_ns;
};

/* A device that a process used, and its properties. */
struct trace_device {
	int64_t pid;
	uint32_t number;
	uint32_t arg_count;
	struct event_arg *args; /* text is owned; see trace_add_device() */
};

/* What can be lost or repaired; trace_loss_name() has the words. */
enum trace_loss {
	LOSS_DROPPED_RANGES,    /* recorder: no room for whole ranges */
	LOSS_DROPPED_EVENTS,    /* recorder: no room for other events */
	LOSS_SHORT_RANGES,      /* recorder: shorter than min_ns, as asked */
	LOSS_CUT_TEXT,          /* recorder: text longer than a record */
	LOSS_UNWOUND_RANGES,    /* recorder: functions left without an exit */
	LOSS_STRAY_EXITS,       /* recorder: exits of functions not open */
	LOSS_DEVICE_DROPPED,    /* driver: activities, for want of buffers */
	LOSS_DEVICE_DISCARDED,  /* recorder: likewise */
	LOSS_DEVICE_TIMES,      /* driver: activities without a usable time */
	LOSS_DEVICE_UNFINISHED, /* recorder: activities that had not ended */
	LOSS_DEVICE_UNKNOWN,    /* recorder: activities of a kind not known */
	LOSS_UNRECORDED,        /* recorder: forked processes without a log */
	LOSS_DAMAGED_BLOCKS,    /* reader: blocks that could not be used */
	LOSS_MISSING_BLOCKS,    /* reader: gaps in a track's numbering */
	LOSS_SKIPPED_BYTES,     /* reader: bytes that are no block */
	LOSS_MISSING_EVENTS,    /* reader: events that the end block knows of */
	LOSS_TRUNCATED,         /* reader: the input ends before its end */
	LOSS_UNKNOWN_SITES,     /* reader: sites whose name was lost */
	LOSS_UNKNOWN_BLOCKS, /* reader: kinds that this version does not know */
	LOSS_UNKNOWN_EVENTS, /* reader: likewise of events */
	LOSS_BAD_EVENTS,     /* reader: events that make no sense */
	LOSS_LEFT_OUT,       /* reader: what are no events of their own */
	LOSS_STRAY_ENDS,     /* replay: ends without a begin */
	LOSS_OPEN_RANGES,    /* replay: still open at the end; closed there */
	LOSS_REOPENED_RANGES, /* reader: begin was in a lost block */
	LOSS_CLOSED_RANGES,   /* reader: end was in a lost block */
	LOSS_BACKWARD_TIMES,  /* replay: time went back; taken as standing */
	LOSS_UNMATCHED,       /* join: activities whose launch is not there */
	LOSS_DEEP_RANGES,     /* writer: nested too deep for the format */
	LOSS_OVERLAPS,        /* writer: could not nest; put into a lane */
	LOSS_CUT_CALLS,       /* reader: to what does not overlap a range */
	LOSS_BAD_TEXT,        /* writer: bytes that are not UTF-8, replaced */
	LOSS_NOT_SHOWN,       /* writer: the format cannot express these */
	LOSS_KINDS
};

/* Where a fact is from: of a member of a Chrome trace it is known how that can
 * be written again. In a log they are these numbers. */
enum trace_fact_kind {
	FACT_OWN,
	FACT_TEXT,       /* a member of the document, whose value was text */
	FACT_JSON,       /* likewise, and any other JSON */
	FACT_OTHER_TEXT, /* the same, of its member "otherData" */
	FACT_OTHER_JSON,
	FACT_KINDS
};

/* One fact about the recording, in the order in which it was learnt. */
struct trace_fact {
	uint32_t key;
	uint32_t value;
	enum trace_fact_kind kind;
};

/* Times since 1970 are later than 2001: no other clock goes so far. */
#define TRACE_WALL_MIN_NS INT64_C(978307200000000000)

/* Facts that tell the ranks of a job from each other: of how many recordings a
 * trace was merged; what PyTorch says of its process, in JSON. */
#define TRACE_MERGED "merged"
#define TRACE_DISTRIBUTED "distributedInfo"

/* The form of a function's name. */
enum read_names {
	READ_NAMES_FULL,      /* demangled: "int ns::f<int>(int)" */
	READ_NAMES_SHORT,     /* "ns::f" */
	READ_NAMES_MANGLED,   /* as the linker knows it */
	READ_NAMES_QUALIFIED, /* short; of Python with its class: "C.f" */
};

/* How a device's activities are matched with the calls that caused them, in
 * traces that other programs wrote. */
enum read_join {
	READ_JOIN_AUTO,        /* whichever is right for this trace */
	READ_JOIN_EXTERNAL,    /* the op with the same "External id" */
	READ_JOIN_CORRELATION, /* the op around the call of the API */
};

/* The options that a consumer gives to a reader when it opens an input. All
 * members are 0 by default. A reader ignores those that do not apply to its
 * format. */
struct read_request {
	enum read_names names;
	enum read_join join;
	bool trim_prefix; /* file names lose their longest trace prefix */
	bool skip_args;   /* a reader may leave out arguments */
	/* Keys of the arguments of operations, activities and instants that a
	 * reader must keep in spite of `skip_args`; the list ends with NULL.
	 * NULL: none. Borrowed until the source is closed. */
	const char *const *kept_args;
	/* A compiler's range is named after what it works on, too: "Source
	 * a.h" instead of "Source". */
	bool detailed_names;
	/* Limit of the memory that a sorting reader uses after it has read its
	 * input, for inputs that are open together. 0: no limit. */
	size_t memory_after_read_bytes;
	/* A source that reads on without giving events, as one that sorts,
	 * calls this now and then. NULL: nothing is called. */
	void (*progress)(void *user);
	void *progress_user;
};

/* To be called after the `count`th event that a source has read and not given
 * yet. */
static inline void read_request_progress(
	const struct read_request *request, uint64_t count)
{
	if (count % 16384 == 0 && request->progress != NULL)
		request->progress(request->progress_user);
}

struct trace {
	struct strtab *text;
	struct read_request request; /* set by trace_new(NULL) alone */
	/* Found by readers of logs: functions that have got names, and such as
	 * are only known by their addresses. */
	bool has_named, has_unnamed;
	/* Directories that the program found its modules in; strtab numbers. */
	uint32_t *prefixes;
	uint32_t prefix_count;
	struct trace_site *sites;
	uint32_t site_count;
	struct trace_track *tracks;
	uint32_t track_count;
	struct trace_module *modules;
	uint32_t module_count;
	struct trace_device *devices;
	uint32_t device_count;
	struct trace_fact *facts; /* tool, host, command, clock, … */
	uint32_t fact_count;
	/* Event times are relative to this instant of CLOCK_REALTIME, in ns
	 * since 1970; 0: unknown. */
	int64_t base_realtime_ns;
	/* Measured threads: the first and last moment of the recording, as
	 * far as it is known; end_ns grows while events are read. */
	int64_t start_ns;
	int64_t end_ns;
	/* The same for timelines, whose clock is the program's own. */
	int64_t timeline_end_ns;
	uint64_t losses[LOSS_KINDS];

	struct index site_index; /* private: over sites */
	uint32_t site_room, track_room, module_room, fact_room, prefix_room;
	uint32_t device_room;
};

/* An empty trace, with a copy of what its reader was asked for; NULL: defaults.
 * Free with trace_free(). NULL if out of memory. */
struct trace *trace_new(const struct read_request *request);
void trace_free(struct trace *trace);

/* Each returns the new (or, for sites, the equal) entry's number; TRACE_NONE
 * if out of memory. Text is copied. */
uint32_t trace_add_site(struct trace *trace, const char *name, size_t name_size,
	const char *file, size_t file_size, uint32_t line);
uint32_t trace_add_place(struct trace *trace, struct trace_site site);
uint32_t trace_add_track(struct trace *trace, struct trace_track track);
uint32_t trace_add_module(struct trace *trace, struct trace_module module);
bool trace_add_fact(struct trace *trace, const char *key, const char *value);

/* The same of a member; the value of FACT_JSON and FACT_OTHER_JSON is one valid
 * JSON value. */
bool trace_add_member(struct trace *trace, enum trace_fact_kind kind,
	const char *key, const char *value);

/* The same of a fact of which only the last value counts. */
bool trace_set_fact(struct trace *trace, const char *key, const char *value);

/* A device; one that is there already gets the new properties. Arguments and
 * their text are copied. */
uint32_t trace_add_device(
	struct trace *trace, const struct trace_device *device);

/* The device that a stream belongs to; NULL if nothing is known of it. */
const struct trace_device *trace_find_device(
	const struct trace *trace, int64_t pid, uint32_t number);

bool trace_add_prefix(struct trace *trace, const char *path, size_t size);

/* How much of a file's name is the longest prefix that it lies below, and the
 * slash behind it; 0 where names are not to be trimmed. */
size_t trace_prefix_size(
	const struct trace *trace, const char *file, size_t size);

/* Borrowed text of a site; "" where unknown. */
const char *trace_site_name(const struct trace *trace, uint32_t site);
const char *trace_site_file(const struct trace *trace, uint32_t site);

/* Is it a function that cProfile would show: of Python, or called by it? */
bool trace_site_is_python(const struct trace *trace, uint32_t site);

/* Is it a call of a device's API, which launches what its caller wants? */
bool trace_site_is_api(const struct trace *trace, uint32_t site);

/* Is it the time of a whole recording, which PyTorch's profiler writes as a
 * slice, and no call? Source: libkineto/src/output_json.cpp. */
bool trace_site_is_span(const struct trace *trace, uint32_t site);

/* A fact's value, or NULL; borrowed. */
const char *trace_find_fact(const struct trace *trace, const char *key);

/* Counts a loss; a sum beyond what can be counted stays the largest number. */
void trace_lose(struct trace *trace, enum trace_loss loss, uint64_t count);

/* The moment at which this track's open ranges are closed. */
int64_t trace_track_end(const struct trace *trace, uint32_t track);

/*
 * The time that this track's times in a file are relative to; its first event is
 * at `first_ns`. A timeline has the program's own; where these are of the wall
 * clock, as time.time_ns() of Python is, it stands beside the measured tracks of
 * the same moments.
 */
int64_t trace_track_epoch(
	const struct trace *trace, uint32_t track, int64_t first_ns);

/* "dropped_ranges", and "ranges dropped: the buffers were full". */
const char *trace_loss_name(enum trace_loss loss);
const char *trace_loss_description(enum trace_loss loss);

/* Is this loss harmless information (asked for, or nothing is missing)? Then
 * --strict does not fail on it. */
bool trace_loss_is_note(enum trace_loss loss);

/*
 * Kinds of devices, as PyTorch numbers them.
 * Source: c10/core/DeviceType.h, the enum and DeviceTypeName() with
 * lower_case; its numbers are never given anew.
 */
enum { TRACE_DEVICE_CPU = 0, TRACE_DEVICE_CUDA = 1 };

/* "cuda"; NULL of a number that is not known. */
const char *trace_device_type_name(int64_t type);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The tables that events refer to (sites, tracks, text) and the facts about a
 * whole recording: origin, clock, losses.
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

/* A place in a program. Equal sites have one number; sites that differ only in
 * the members after the line are one function. */
struct trace_site {
	uint32_t name;      /* strtab number */
	uint32_t file;      /* strtab number; 0 (""): unknown */
	uint32_t line;      /* 0: unknown */
	uint32_t call_line; /* in the caller's file; 0: unknown */
	uint32_t category;  /* strtab number; 0 (""): none */
};

/* Set in event ids that are an "External id" of the trace. */
#define TRACE_EXTERNAL_ID_BIT (UINT64_C(1) << 63)

/* A program or shared library that contains functions. */
struct trace_module {
	uint64_t base; /* lowest address */
	uint64_t bytes;
	int64_t pid;
	uint32_t path;     /* strtab number */
	uint32_t build_id; /* strtab number of the hexadecimal form */
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
	TRACE_THREAD,   /* a thread's measured, nested ranges */
	TRACE_TIMELINE, /* ranges with times given by the program */
	TRACE_STREAM,   /* a device's stream */
	TRACE_CALLS,    /* a thread's calls, as reported by the driver */
};

/* A pid or tid that is text in the input becomes this number minus the text's
 * strtab number: no system uses such numbers. */
#define TRACE_TEXT_IDS (-(INT64_C(1) << 40))

static inline bool trace_id_is_text(int64_t id)
{
	return id < TRACE_TEXT_IDS && id >= TRACE_TEXT_IDS - UINT32_MAX;
}

/* The place of events: a thread of a process, or a stream of a device. */
struct trace_track {
	enum trace_track_kind kind;
	int64_t pid;
	int64_t tid;           /* or stream number */
	uint32_t process_name; /* strtab number; 0: none */
	uint32_t name;         /* strtab number; 0: none */
	uint32_t device;       /* TRACE_STREAM: number within the process */
	uint32_t context;      /* likewise */
	/* Position of its group of processes (such as a rank) in viewers; 0:
	 * order of appearance. */
	uint32_t order;
	/* Position among the tracks of its process, and of the process among
	 * others, if the input sets them: smaller is higher. */
	bool has_sort;
	bool has_process_sort;
	int64_t sort;
	int64_t process_sort;
	/* 1 + the thread whose asynchronous ranges it has as nested ones, with
	 * their ids, and their sites at the end, too; 0: no thread's. */
	uint32_t async_of;
	/* End of this track's recording, if known. */
	bool has_end;
	int64_t end_ns;
};

/* A device that a process used, with its properties. */
struct trace_device {
	int64_t pid;
	uint32_t number;
	uint32_t arg_count;
	struct event_arg *args; /* text is owned; see trace_add_device() */
};

/* Kinds of losses and repairs; trace_loss_name() describes them. */
enum trace_loss {
	LOSS_DROPPED_RANGES,    /* recorder: no room for whole ranges */
	LOSS_DROPPED_EVENTS,    /* recorder: no room for other events */
	LOSS_SHORT_RANGES,      /* recorder: shorter than min_ns, as
				 * requested */
	LOSS_CUT_TEXT,          /* recorder: text longer than a record */
	LOSS_UNWOUND_RANGES,    /* recorder: functions without an exit */
	LOSS_STRAY_EXITS,       /* recorder: exits of functions not open */
	LOSS_UNWRITTEN_RANGES,  /* recorder: ranges after the log failed */
	LOSS_UNWRITTEN_EVENTS,  /* recorder: other events, likewise */
	LOSS_DEVICE_DROPPED,    /* driver: activities, buffers full */
	LOSS_DEVICE_DISCARDED,  /* recorder: activities, buffers full */
	LOSS_DEVICE_TIMES,      /* driver: activities without a usable time */
	LOSS_DEVICE_UNFINISHED, /* recorder: activities that had not ended */
	LOSS_DEVICE_UNKNOWN,    /* recorder: activities of unknown kind */
	LOSS_UNRECORDED,        /* recorder: forked processes without a log */
	LOSS_DAMAGED_BLOCKS,    /* reader: unusable blocks */
	LOSS_MISSING_BLOCKS,    /* reader: gaps in a track's numbering */
	LOSS_SKIPPED_BYTES,     /* reader: bytes outside of blocks */
	LOSS_MISSING_EVENTS,    /* reader: events counted by the end block */
	LOSS_TRUNCATED,         /* reader: the input is truncated */
	LOSS_UNKNOWN_SITES,     /* reader: sites with a lost name */
	LOSS_UNKNOWN_BLOCKS,    /* reader: kinds unknown to this version */
	LOSS_UNKNOWN_EVENTS,    /* reader: likewise for events */
	LOSS_BAD_EVENTS,        /* reader: invalid events */
	LOSS_LEFT_OUT,          /* reader: input items that are not events */
	LOSS_NOT_KEPT,          /* reader: parts of events and documents */
	LOSS_STRAY_ENDS,        /* replay: ends without a begin */
	LOSS_OPEN_RANGES,     /* replay: still open at the end; closed there */
	LOSS_REOPENED_RANGES, /* reader: begin was in a lost block */
	LOSS_CLOSED_RANGES,   /* reader: end was in a lost block */
	LOSS_BACKWARD_TIMES,  /* replay: time went back; held constant */
	LOSS_UNMATCHED,       /* join: activities without their launch */
	LOSS_DEEP_RANGES,     /* writer: nested too deep for the format */
	LOSS_OVERLAPS,        /* writer: could not nest; moved to a lane */
	LOSS_CUT_CALLS,       /* reader: shortened so as not to overlap a
			       * range */
	LOSS_SAMPLES,         /* reader: samples of stacks, kept as instants */
	LOSS_ROUNDED_RANGES,  /* reader: overlapped by rounding of times;
			       * shortened so that they nest */
	LOSS_BAD_TEXT,        /* writer: bytes that are not UTF-8, replaced */
	LOSS_NOT_SHOWN,       /* writer: the format cannot express these */
	LOSS_EARLIER_EVENTS,  /* recorder: before the last N, as requested */
	LOSS_KINDS
};

/* Origin of a fact, so that a member of a Chrome trace can be written back as
 * it was. Logs contain these numbers. */
enum trace_fact_kind {
	FACT_OWN,
	FACT_TEXT,       /* a member of the document with a text value */
	FACT_JSON,       /* likewise, with any other JSON value */
	FACT_OTHER_TEXT, /* a text member of "otherData" */
	FACT_OTHER_JSON,
	FACT_KINDS
};

/* A fact about the recording; facts are kept in the order of reading. */
struct trace_fact {
	uint32_t key;
	uint32_t value;
	enum trace_fact_kind kind;
};

/* Times since 1970 are from 2001, which no other clock reaches, to 2100. */
#define TRACE_WALL_MIN_NS INT64_C(978307200000000000)
#define TRACE_WALL_MAX_NS INT64_C(4102444800000000000)

/* Facts that identify the ranks of a job: the number of recordings merged;
 * PyTorch's description of its process, in JSON. */
#define TRACE_MERGED "merged"
#define TRACE_DISTRIBUTED "distributedInfo"

/* Our own logs: the rank from the environment of the recorded process. */
#define TRACE_RANK "rank"

/* The form of a function's name. */
enum read_names {
	READ_NAMES_FULL,      /* demangled: "int ns::f<int>(int)" */
	READ_NAMES_SHORT,     /* "ns::f" */
	READ_NAMES_MANGLED,   /* as the linker knows it */
	READ_NAMES_QUALIFIED, /* short; Python with the class: "C.f" */
};

/* How device activities are matched with the calls that caused them in other
 * programs' traces. */
enum read_join {
	READ_JOIN_AUTO,        /* chosen for each trace */
	READ_JOIN_EXTERNAL,    /* the op with the same "External id" */
	READ_JOIN_CORRELATION, /* the op around the API call */
};

/* The options that a consumer gives to a reader when it opens an input. All
 * members are 0 by default. A reader ignores those that do not apply to its
 * format. */
struct read_request {
	enum read_names names;
	enum read_join join;
	bool trim_prefix; /* file names lose their longest trace prefix */
	bool skip_args;   /* a reader may skip arguments */
	/* Argument keys of operations, activities and instants that a reader
	 * must keep despite `skip_args`; ends with NULL. NULL: none. Borrowed
	 * until the source is closed. */
	const char *const *kept_args;
	/* Arguments of compilations of PyTorch are kept despite `skip_args`. */
	bool keeps_compilations;
	/* The event, such as Ir, that a profile of several is read for; it must
	 * have it. NULL: the reader chooses. Borrowed until the source is
	 * closed. */
	const char *event;
	/* A compiler's range name includes what it works on: "Source a.h"
	 * instead of "Source". */
	bool detailed_names;
	/* A profile's reader keeps the costs of lines, if it knows them. */
	bool keeps_lines;
	/* Memory limit of a sorting reader once it has read its input, for
	 * inputs that are open together. 0: no limit. */
	size_t memory_after_read_bytes;
	/* Most threads that a reader of one input may use; 0: as many as it
	 * can use well. */
	unsigned jobs;
	/* Called now and then by a source that reads without returning events,
	 * such as a sorting one. May be NULL. */
	void (*progress)(void *user);
	void *progress_user;
};

/* To be called after the `count`th event that a source has read but not
 * returned. */
static inline void read_request_progress(
	const struct read_request *request, uint64_t count)
{
	if (count % 16384 == 0 && request->progress != NULL)
		request->progress(request->progress_user);
}

struct trace {
	struct strtab *text;
	struct read_request request; /* defaults after trace_new(NULL) */
	/* Set by log readers: there are functions with names, and functions
	 * known only by address. */
	bool has_named, has_unnamed;
	/* Directories in which the program found its modules; strtab
	 * numbers. */
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
	/* Event times are relative to this CLOCK_REALTIME time, in ns since
	 * 1970; 0: unknown. */
	int64_t base_realtime_ns;
	/* Measured threads: the recording's known start and end; end_ns grows
	 * while events are read. */
	int64_t start_ns;
	int64_t end_ns;
	/* The same for timelines, which have the program's own clock. */
	int64_t timeline_end_ns;
	uint64_t losses[LOSS_KINDS];

	struct index site_index;   /* private: over sites */
	struct index device_index; /* private: over devices */
	uint32_t site_room, track_room, module_room, fact_room, prefix_room;
	uint32_t device_room;
};

/* Returns an empty trace with a copy of the request (NULL: defaults). Free with
 * trace_free(). NULL if out of memory. */
struct trace *trace_new(const struct read_request *request);
void trace_free(struct trace *trace);

/* Each returns the number of the new entry (for sites, of an equal one);
 * TRACE_NONE if out of memory. Text is copied. */
uint32_t trace_add_site(struct trace *trace, const char *name, size_t name_size,
	const char *file, size_t file_size, uint32_t line);
uint32_t trace_add_place(struct trace *trace, struct trace_site site);
uint32_t trace_add_track(struct trace *trace, struct trace_track track);
uint32_t trace_add_module(struct trace *trace, struct trace_module module);
bool trace_add_fact(struct trace *trace, const char *key, const char *value);

/* The same for a member; the value of FACT_JSON and FACT_OTHER_JSON is one
 * valid JSON value. */
bool trace_add_member(struct trace *trace, enum trace_fact_kind kind,
	const char *key, const char *value);

/* The same for a fact that has only one value: the last one wins. */
bool trace_set_fact(struct trace *trace, const char *key, const char *value);

/* Adds a device, or replaces the properties of a known one. Arguments and their
 * text are copied. */
uint32_t trace_add_device(
	struct trace *trace, const struct trace_device *device);

/* Returns the device of a stream; NULL if unknown. */
const struct trace_device *trace_find_device(
	const struct trace *trace, int64_t pid, uint32_t number);

bool trace_add_prefix(struct trace *trace, const char *path, size_t size);

/* Length of the longest prefix directory of a file name, with the slash; 0 if
 * names are not trimmed. */
size_t trace_prefix_size(
	const struct trace *trace, const char *file, size_t size);

/* Borrowed text of a site; "" if unknown. */
const char *trace_site_name(const struct trace *trace, uint32_t site);
const char *trace_site_file(const struct trace *trace, uint32_t site);

/* Whether cProfile would show this function: in Python, or called by it. */
bool trace_site_is_python(const struct trace *trace, uint32_t site);

/* Whether it is a device API call, which launches work for its caller. */
bool trace_site_is_api(const struct trace *trace, uint32_t site);

/* Whether it is the slice for a whole recording that PyTorch's profiler writes,
 * not a call. Source: libkineto/src/output_json.cpp. */
bool trace_site_is_span(const struct trace *trace, uint32_t site);

/* Returns a fact's value, borrowed, or NULL. */
const char *trace_find_fact(const struct trace *trace, const char *key);

/* Counts a loss; the sum saturates. */
void trace_lose(struct trace *trace, enum trace_loss loss, uint64_t count);

/* The time at which this track's open ranges are closed. */
int64_t trace_track_end(const struct trace *trace, uint32_t track);

/* Are its times since 1970? Traces of older Kineto versions and of TORCH_TRACE
 * have such times with a base of 0. */
bool trace_is_wall(const struct trace *trace);

/*
 * The origin of this track's times in a file; its first event is at `first_ns`.
 * A timeline has the program's own times. If these are wall-clock times, such
 * as Python's time.time_ns(), the timeline is aligned with the measured tracks.
 */
int64_t trace_track_epoch(
	const struct trace *trace, uint32_t track, int64_t first_ns);

/* "dropped_ranges", and "ranges dropped: the buffers were full". */
const char *trace_loss_name(enum trace_loss loss);
const char *trace_loss_description(enum trace_loss loss);

/* Whether this loss is harmless (requested, or nothing is missing): --strict
 * does not fail on it. */
bool trace_loss_is_note(enum trace_loss loss);

/*
 * PyTorch's numbers of device kinds.
 * Source: c10/core/DeviceType.h, the enum and DeviceTypeName() with lower_case;
 * its numbers are never reused.
 */
enum { TRACE_DEVICE_CPU = 0, TRACE_DEVICE_CUDA = 1 };

/* "cuda"; NULL for an unknown number. */
const char *trace_device_type_name(int64_t type);

#endif

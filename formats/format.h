/* SPDX-License-Identifier: MIT */
/*
 * A format is one struct in one file. To add one: write formats/NAME/NAME.c
 * with its `const struct format NAME_format`, and add a line to FORMATS below,
 * one to formats/local.mk, and a test. Everything else - `--to`, `ctprof
 * formats`, help, suffixes, probing, completion, the manual's lists, common
 * tests - derives from the table; `make readme` writes the README's.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"
#include "profile/profile.h"

/* The values in formats that show call paths. Device times count for the host
 * path that launched them; they have their own path only if that is unknown.
 * FORMAT_METRICS has the words from FORMAT_SELF_CPU on. */
#define FORMAT_METRICS "self_cpu|cpu|self_device|device|count"
enum format_metric {
	FORMAT_USUAL,       /* all time, device time on its own paths */
	FORMAT_SELF_CPU,    /* host, self time of the last function */
	FORMAT_CPU,         /* host, inclusive time */
	FORMAT_SELF_DEVICE, /* device, launched by the last function */
	FORMAT_DEVICE,      /* device, launched below too */
	FORMAT_COUNT,       /* number of calls */
};

/* Options of a writer. Zero means the default everywhere. */
struct format_options {
	const char *title; /* the input's name, for people; may be NULL */
	enum format_metric metric; /* formats with has_metrics only */
	bool csv_raw; /* csv only: unchanged text, see csv_field() */
};

/* Writes events as they arrive. One object per output. */
struct timeline_writer {
	/* Errors: CTP_ERR_NOMEM; write errors show on the stream. */
	enum ctp_status (*add)(struct timeline_writer *writer,
		const struct event *event, struct ctp_error *err);
	/* Closes open ranges at trace_track_end() and writes the rest. */
	enum ctp_status (*finish)(
		struct timeline_writer *writer, struct ctp_error *err);
	void (*free)(struct timeline_writer *writer);
	/* Estimated size in the file of added but unwritten events; NULL:
	 * nearly all are written at once. */
	uint64_t (*pending)(const struct timeline_writer *writer);
};

struct profile_source;

struct format {
	const char *name;    /* as in --to */
	const char *suffix;  /* ".pstats", with the dot; NULL: none */
	const char *summary; /* what it is and who reads it; no capital */
	bool binary;         /* not for a terminal */
	bool packed;         /* the output is compressed */
	bool needs_tree;     /* write_profile wants profile->nodes */
	bool can_estimate;   /* and may get those of profile_estimate_tree() */
	bool has_metrics;    /* write_profile heeds options->metric */
	bool has_no_args;    /* new_timeline() ignores arguments */

	/*
	 * Confidence that this is the format: the number of bits that matched,
	 * 0 if it is not. Reads only these bytes; no I/O.
	 */
	unsigned (*probe)(const void *bytes, size_t size);

	/*
	 * A format that can be read has one of these two.
	 * Opens a reader: the parameters are format_open()'s.
	 */
	enum ctp_status (*open_events)(FILE *in, const void *head,
		size_t head_size, const struct read_request *request,
		struct event_source **out, struct ctp_error *err);
	/* The file is a profile and has no events; see profile_source.h. */
	enum ctp_status (*read_profile)(
		struct profile_source *from, struct ctp_error *err);

	/* Exactly one of these two, or none for a read-only format. `trace` is
	 * borrowed while the writer lives. */
	enum ctp_status (*new_timeline)(FILE *out, struct trace *trace,
		const struct format_options *options,
		struct timeline_writer **writer, struct ctp_error *err);
	enum ctp_status (*write_profile)(FILE *out,
		const struct profile *profile,
		const struct format_options *options, struct ctp_error *err);
};

/* Every format. To add one, add a line here. */
#define FORMATS(X) \
	X(log) \
	X(pstats) \
	X(nsys) \
	X(nvprof) \
	X(sqlite) \
	X(csv) \
	X(chrome) \
	X(gprof) \
	X(callgrind) \
	X(folded) \
	X(dot) \
	X(svg) \
	X(flamegraph) \
	X(pprof) \
	X(speedscope) \
	X(pftrace) \
	X(torch_trace) \
	X(ctpart) \
	X(gprof2dot)

#define FORMAT_DECLARE(name) extern const struct format name##_format;
FORMATS(FORMAT_DECLARE)
#undef FORMAT_DECLARE

/* All formats, in the table's order; ends with NULL. */
extern const struct format *const formats[];

/* By name, or NULL. */
const struct format *format_find(const char *name);

/* By the end of a path ("x.pstats"; the longest suffix wins), or NULL. */
const struct format *format_of_path(const char *path);

/* The format with the most matching bits, or NULL. */
const struct format *format_probe(const void *bytes, size_t size);

bool format_can_read(const struct format *format);

/*
 * Opens a source of a format that can be read. `in` is borrowed until the source
 * is closed, need not be seekable, and `head` has the bytes already read from
 * it. `request` may be NULL: defaults.
 */
enum ctp_status format_open(const struct format *format, FILE *in,
	const void *head, size_t head_size, const struct read_request *request,
	struct event_source **out, struct ctp_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A section of a summary is one struct in one file. To add one: describe it in
 * FORMAT.md, write lib/summary/summary_NAME.c with its `const struct
 * summary_section summary_NAME_section`, and add a line to SUMMARY_SECTIONS.
 */
#ifndef SUMMARY_SECTION_H
#define SUMMARY_SECTION_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "summary/summary.h"

/* The header; see FORMAT.md. */
#define SUMMARY_VERSION 1
#define SUMMARY_READER 1
#define SUMMARY_FORMAT_NAME "ctprof summary"

/* A file being written. */
struct summary_out;

/* Begin a row; add its elements; end it. Zeros at its end are left out. An error
 * is kept until the end. */
void summary_out_row(struct summary_out *out);
void summary_out_text(struct summary_out *out, const char *text);
void summary_out_number(struct summary_out *out, uint64_t number);
void summary_out_signed(struct summary_out *out, int64_t number);
void summary_out_end_row(struct summary_out *out);

/* A row being read. A missing element is 0. So is one of a wrong kind, but then
 * the file is refused. */
struct summary_in;

const char *summary_in_text(struct summary_in *in); /* borrowed from the file */
uint64_t summary_in_number(struct summary_in *in);
int64_t summary_in_signed(struct summary_in *in);

/* The same for an index, or a number, that is at most `most`: a larger one is an
 * error. */
uint32_t summary_in_index(struct summary_in *in, uint32_t most);

/* Elements left in the row. */
uint32_t summary_in_left(const struct summary_in *in);

/* Refuses the file, because of a wrong row. */
enum ctp_status summary_in_fail(
	struct summary_in *in, const char *reason, struct ctp_error *err);

struct event;
struct gaps;

/* An input after its last event. Analyses that no collector needs are NULL. */
struct summary_finished {
	const struct summary_input *input;
	const struct gaps *gaps;
	const struct profile *profile;
	const struct phases *phases;
};

/* Makes a section from the events of inputs, one input at a time. */
struct summary_collector {
	bool needs_gaps;
	bool needs_profile; /* with devices' functions separate */
	bool needs_phases;

	/* Arguments of events that it needs; ends with NULL. NULL: none. */
	const char *const *args;

	/* Begins an input, whose trace is borrowed until free(). NULL if out of
	 * memory. Without this function, finish() is the only other one. */
	void *(*begin)(struct trace *trace);
	enum ctp_status (*add)(
		void *state, const struct event *event, struct ctp_error *err);
	/* Adds the input to the sums after its last event. It is not called for
	 * an input that could not be read. */
	enum ctp_status (*finish)(void *state, struct summary *summary,
		const struct summary_finished *finished, struct ctp_error *err);
	void (*free)(void *state);
};

struct summary_section {
	const char *name;

	/* Writes all rows, in canonical order. Errors: CTP_ERR_NOMEM. */
	enum ctp_status (*write)(struct summary *summary,
		struct summary_out *out, struct ctp_error *err);

	/* Adds a row to a new summary. Errors: CTP_ERR_NOMEM, and those of
	 * summary_in_fail(). */
	enum ctp_status (*read)(struct summary *summary, struct summary_in *in,
		struct ctp_error *err);

	/* Adds the sums of another summary, which may be changed. NULL if an
	 * earlier section adds these, too. Errors: CTP_ERR_NOMEM. */
	enum ctp_status (*add)(struct summary *to, struct summary *from,
		struct ctp_error *err);

	/* NULL: made otherwise. */
	const struct summary_collector *collector;

	/* Frees what the section has. NULL: nothing, or an earlier section
	 * does. */
	void (*clear)(struct summary *summary);
};

/* Every section, in the order of the file. To add one, add a line here. */
#define SUMMARY_SECTIONS(X) \
	X(options) \
	X(counts) \
	X(inputs) \
	X(lost) \
	X(profiles) \
	X(functions) \
	X(edges) \
	X(memory) \
	X(paths) \
	X(names) \
	X(census) \
	X(kernel_devices) \
	X(kernels) \
	X(idle_devices) \
	X(places) \
	X(phase_sets) \
	X(phases) \
	X(job) \
	X(ranks) \
	X(runs) \
	X(spread) \
	X(collectives) \
	X(instances)

#define SUMMARY_DECLARE(name) \
	extern const struct summary_section summary_##name##_section;
SUMMARY_SECTIONS(SUMMARY_DECLARE)
#undef SUMMARY_DECLARE

/* All sections, in the table's order; ends with NULL. */
extern const struct summary_section *const summary_sections[];

#endif

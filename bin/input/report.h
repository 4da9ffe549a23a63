/* SPDX-License-Identifier: MIT */
/*
 * A report, as commands print it: the options that say where to and in which
 * form, the loop over inputs, how their events are read, and the JSON that all
 * reports have in common.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "input/input.h"
#include "input/inputs.h"
#include "cli/columns.h"
#include "trace/trace.h"
#include "cli/terminal.h"

/* ---- JSON: what every --json report begins and ends with ---- */

struct report {
	const char *schema; /* "ctprof/NAME/1" */
	char *const *inputs;
	size_t input_count;
	uint64_t losses[LOSS_KINDS];
	bool truncated; /* something was lost or truncated */
};

/*
 * Opens the object and writes schema, inputs, lost (losses), notes (harmless
 * omissions and changes) and truncated.
 *
 * Errors: reported; returns an exit status. After success call report_end().
 */
int report_begin(const struct report *report, struct json *json, FILE *out);

/* Closes the object. Errors: a lack of memory is reported; returns an exit
 * status. Write errors remain in the stream. */
int report_end(struct json *json);

/* A key with its value. */
void report_text(struct json *json, const char *key, const char *text);
void report_uint(struct json *json, const char *key, uint64_t value);
void report_int(struct json *json, const char *key, int64_t value);
void report_bool(struct json *json, const char *key, bool value);

/* ---- options ---- */

/* The output of a result: --output and --force. */
struct output_options {
	const char *path; /* NULL: standard output */
	bool force;
};

extern const struct arguments output_arguments;

/* The form of a report: --json, --csv, --color, and those of the output. */
struct report_options {
	struct output_options output;
	enum report_style style;
	enum when color;
	bool has_top; /* --top was given, with: */
	uint32_t top; /* rows; 0: all */
	bool has_titles;
	/* Prints what follows the last input; NULL: nothing. Errors: reported;
	 * returns an exit status. */
	int (*finish)(void *user, FILE *out);
	bool is_whole; /* it has each input's name and losses: neither is
			* printed elsewhere */
};

extern const struct arguments report_arguments;

/* ---- inputs and output ---- */

/* Opens the output for `print` and keeps it if that returns EXIT_DONE.
 * Errors: reported; returns the worse exit status. */
int report_print(struct output_options to, int (*print)(void *user, FILE *out),
	void *user);

/* Prints the report of one open input. Errors: reported; returns an exit
 * status. */
struct report_target {
	struct report_options *report_options;
	const struct inputs *inputs;
	struct input *input;
	char *const *path; /* an array of its one path, for struct report */
	FILE *out;
};
typedef int report_fn(void *user, const struct report_target *to);

/* Opens the output, and each input in turn for `print`; text reports are
 * separated by empty lines. Errors: reported; returns the worst exit status. */
int report_print_inputs(struct report_options *report_options,
	const struct inputs *inputs, report_fn *print, void *user);

/*
 * Hands every event of the input to `add_event`, with progress.
 *
 * Errors: those of the input and of `add_event`; CTP_OK at the end of the input.
 */
enum ctp_status report_read(const struct inputs *inputs, struct input *input,
	enum ctp_status (*add_event)(
		void *user, const struct event *event, struct ctp_error *err),
	void *user, struct ctp_error *err);

/* The same for a report on one input, which must have events, with a function
 * for the end. `user` is NULL if out of memory. Errors: reported; returns an exit
 * status. */
int report_collect(const struct report_target *to,
	enum ctp_status (*add_event)(
		void *user, const struct event *event, struct ctp_error *err),
	enum ctp_status (*finish)(void *user, struct ctp_error *err),
	void *user);

/* Whether the input has events, not sums; otherwise reports that. */
bool report_has_events(const struct input *input);

/* The head of a report on all inputs. */
struct report report_of(const struct inputs *inputs, const char *schema,
	const uint64_t losses[LOSS_KINDS]);

/* For the `call` of --top, whose member is a struct report_options. */
void report_read_top(const struct argument_value *value);

/* The number of rows to show, 0 for all: --top, or by default `text_rows` in
 * text and all in JSON and CSV. */
uint32_t report_row_limit(
	const struct report_options *report_options, uint32_t text_rows);

/* Whether to print the CSV titles: true once, for any number of inputs. */
bool report_needs_titles(struct report_options *report_options);

/* Writes a view in the style of the options, as JSON between report_begin() and
 * report_end(). Errors: reported; returns an exit status. */
int report_write(struct report_options *report_options,
	const struct report *report, FILE *out,
	void (*write)(struct sheet *sheet, const void *view), const void *view);

/* Writes a report on one input that has been read; rows may have been left out.
 */
int report_finish(const struct report_target *to,
	const struct report_form *form, bool truncated,
	void (*write)(struct sheet *sheet, const void *view), const void *view);

/* The same into the output that the options name. */
int report_write_output(struct report_options *report_options,
	const struct report *report,
	void (*write)(struct sheet *sheet, const void *view), const void *view);

#endif

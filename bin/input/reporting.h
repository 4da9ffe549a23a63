/* SPDX-License-Identifier: MIT */
/*
 * What the commands have in common that print a report: the options that say
 * where to and in which form, the loop over inputs, and how their events are
 * read.
 */
#ifndef REPORTING_H
#define REPORTING_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "input/input.h"
#include "input/inputs.h"
#include "cli/report.h"
#include "cli/terminal.h"

/* Where a result goes. Its argp has --output and --force. */
struct output_options {
	const char *path; /* NULL: standard output */
	bool force;
};

extern const struct argp output_argp;

/* inputs_argp, this one and help_argp. */
extern const struct argp_child output_children[];

/* In which form: --json, --csv, --color, and output_argp's. */
enum reporting_style { REPORTING_TEXT, REPORTING_JSON, REPORTING_CSV };

struct reporting {
	struct output_options output;
	enum reporting_style style;
	enum when color;
	bool has_top; /* --top was given, with this: */
	uint32_t top; /* rows; 0: all */
	bool has_titles;
};

extern const struct argp reporting_argp;

/* inputs_argp, this one and help_argp. */
extern const struct argp_child reporting_children[];

/* Opens the output for `print`, and keeps it if that returns EXIT_DONE.
 * Errors: said; returns the worse exit status. */
int reporting_print(struct output_options to,
	int (*print)(void *user, FILE *out), void *user);

/* What the command prints of one input that is open. `path` is its one path,
 * as struct report wants it. Errors: said; returns an exit status. */
typedef int reporting_fn(
	void *user, char *const *path, struct input *input, FILE *out);

/* Opens the output, and each input in turn for `print`; texts have an empty
 * line between them. Errors: said; returns the worst exit status. */
int reporting_print_inputs(const struct reporting *reporting,
	const struct inputs *inputs, reporting_fn *print, void *user);

/*
 * Hands every event of the input to `add_event`, with progress.
 *
 * Errors: those of the input and of `add_event`; CTP_OK at the end of the input.
 */
enum ctp_status reporting_read(const struct inputs *inputs, struct input *input,
	enum ctp_status (*add_event)(
		void *user, const struct event *event, struct ctp_error *err),
	void *user, struct ctp_error *err);

/* Are there events, and not sums? Else says so. */
bool reporting_has_events(const struct input *input);

/* The head of a report on one input that has been read. */
void reporting_init_report(struct report *report, const struct trace *trace,
	const char *schema, char *const *path);

/* Reads the value of --top. On a mistake, prints it and exits with status 2. */
void reporting_read_top(struct reporting *reporting,
	const struct argp_state *state, const char *text);

/* The number of rows to show, 0 for all: --top, or else `text_rows` as text, and
 * all as JSON and CSV. */
uint32_t reporting_row_limit(
	const struct reporting *reporting, uint32_t text_rows);

/* Are the titles of CSV's columns due? They are once, whatever the inputs. */
bool reporting_needs_titles(struct reporting *reporting);

/* Prints a view by NAME_print_json(), NAME_print_csv() or NAME_print_text(). */
#define REPORTING_PRINT(reporting, name, view, report, out) \
	((reporting)->style == REPORTING_JSON \
			? name##_print_json(view, report, out) \
		: (reporting)->style == REPORTING_CSV \
			? name##_print_csv(view, out) \
			: name##_print_text(view, out))

#endif

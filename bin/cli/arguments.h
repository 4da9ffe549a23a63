/* SPDX-License-Identifier: MIT */
/*
 * Common parts of all sub-commands' argp: --help and --version, errors with
 * status 2, and a walk over the option table for completion and manual pages.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <argp.h>
#include <stdint.h>

#include "cli/columns.h"
#include "cli/terminal.h"

/* Groups of options in --help, in order. A heading is an entry with only a text
 * and its group. */
enum option_group {
	GROUP_MAIN = 1,
	GROUP_OUTPUT,
	GROUP_SELECT,
	GROUP_TOOLS,
	GROUP_PYTHON,
	GROUP_INPUT,
	GROUP_OTHER,
};

#define OPTION_HEADING(text, number) \
	{ \
		NULL, 0, NULL, 0, text, number \
	}

/* Keys of options without a short form. Keys that only one file uses are in an
 * enum there, from KEY_OWN on. Source: glibc's argp-parse.c gives a long option
 * to the parser whose table it is in, so two tables may have equal keys. */
enum option_key {
	KEY_FORCE = 256,
	KEY_STRICT,
	KEY_PROGRESS,
	KEY_MIN,
	KEY_EDGE_TIMES,
	KEY_DOCUMENT_EDGES,
	KEY_DEVICE,
	KEY_GPU,
	KEY_GROUP,
	KEY_JSON,
	KEY_CSV_RAW,
	KEY_UNIT,
	KEY_SPOOL,
	KEY_ALL,
	KEY_USAGE,
	KEY_SPLIT,
	KEY_OWN, /* first private key of a file */
};

/* -h, --help, -V, --version: a child of every command's argp. */
extern const struct argp help_argp;

/* Only help_argp, for a command without inputs. */
extern const struct argp_child help_children[];

/* Parses the arguments; on a mistake, prints it and exits with status 2.
 * `flags` are argp's, added to those of all commands. */
void arguments_parse(const struct argp *argp, unsigned flags, int argc,
	char **argv, void *input);

/* Calls `visit` for every option of the argp and its children, headings
 * included, in the order of --help's groups. */
void arguments_visit(const struct argp *argp,
	void (*visit)(const struct argp_option *option, void *user),
	void *user);

/* Read numbers and words of options; on a mistake, print it and exit with
 * status 2. */
uint32_t arguments_count(
	const struct argp_state *state, const char *option, const char *text);
enum when arguments_when(
	const struct argp_state *state, const char *option, const char *text);

/* The name of an output, not "". */
char *arguments_output(
	const struct argp_state *state, const char *option, char *text);

/* The size of the parts of --split, not 0: "64M". */
uint64_t arguments_part_size(const struct argp_state *state, const char *text);

/* A number of bytes, like "64M". */
uint64_t arguments_size(
	const struct argp_state *state, const char *option, const char *text);

/* The value of --min, a share of the whole in parts per million or a time. */
void arguments_min(const struct argp_state *state, const char *text,
	uint32_t *share_ppm, uint64_t *time_ns);

/* Index of a word in `values` ("a|b|c"). */
unsigned arguments_word(const struct argp_state *state, const char *option,
	const char *values, const char *text);

/* The column that a word of --sort names. */
const struct column *arguments_sort(const struct argp_state *state,
	const struct columns *columns, const char *text);

#endif

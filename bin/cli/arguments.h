/* SPDX-License-Identifier: MIT */
/*
 * What every sub-command's argp has in common: --help and --version, errors
 * with status 2, and a walk over the option table, from which completion and
 * manual pages are made.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <argp.h>
#include <stdint.h>

#include "cli/terminal.h"

/* Groups of options in --help, in this order. A heading is an entry with only
 * a text and its group. */
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

/* Keys of options without a letter; each has one meaning everywhere. */
enum option_key {
	KEY_FORCE = 256,
	KEY_ALIGN,
	KEY_FILES0_FROM,
	KEY_STRICT,
	KEY_TRIM_PREFIX,
	KEY_MAX_MEM,
	KEY_PROGRESS,
	KEY_COLOR,
	KEY_MIN,
	KEY_DOCUMENT_EDGES,
	KEY_DEVICE,
	KEY_JOIN,
	KEY_GPU,
	KEY_METRIC,
	KEY_GROUP,
	KEY_COLUMNS,
	KEY_TOP_LEVEL,
	KEY_NAME_WIDTH,
	KEY_DETAILS_WIDTH,
	KEY_JSON,
	KEY_CSV,
	KEY_CSV_RAW,
	KEY_FOLLOW,
	KEY_INTERVAL,
	KEY_CALLERS,
	KEY_CALLEES,
	KEY_UNIT,
	KEY_BUFFER,
	KEY_BUFFER_MAX,
	KEY_POLICY,
	KEY_MIN_NS,
	KEY_CLOCK,
	KEY_SPOOL,
	KEY_LEVEL,
	KEY_NO_PRELOAD,
	KEY_ALL,
	KEY_DISCARD,
	KEY_DEBUG_DIR,
	KEY_NO_COMMAND,
	KEY_NO_SYMBOLIZE,
	KEY_FILTER,
	KEY_EXCLUDE,
	KEY_NAMES,
	KEY_ROFF,
	KEY_USAGE,
	KEY_PYTHON,
	KEY_CALLS,
	KEY_NO_C_CALLS,
	KEY_INCLUDE,
	KEY_DEPTH,
	KEY_GC,
	KEY_IMPORTS,
	KEY_TASKS,
	KEY_NO_MODULES,
	KEY_PARAMETERS,
	KEY_HOOK,
	KEY_EMIT,
	KEY_NO_NVTX,
	KEY_NO_ITT,
	KEY_TIME,
	KEY_AROUND,
	KEY_STEP,
	KEY_PID,
	KEY_TID,
	KEY_DEVICES,
	KEY_RANK,
	KEY_CATEGORIES,
	KEY_MIN_LENGTH,
	KEY_SPLIT,
	KEY_REDACT,
	KEY_OPTIMIZE,
	KEY_ROBUST,
	KEY_DTYPE,
	KEY_PEAKS,
	KEY_AUGMENT,
	KEY_REGISTRY,
	KEY_COUNTERS,
	KEY_RUNS,
	KEY_MATCH,
	KEY_ACROSS_DEVICES,
	KEY_KERNELS,
	KEY_EXIT_CODE,
	KEY_SVG,
	KEY_MAX_REGRESSION,
	KEY_LIMITS,
	KEY_MIN_TIME,
	KEY_FIGURE,
	KEY_JUNIT,
	KEY_RULES,
	KEY_SHOW_RULES,
	KEY_THREADS,
};

/* -h, --help, -V, --version: a child of every command's argp. */
extern const struct argp help_argp;

/* No other than that: of a command with no inputs. */
extern const struct argp_child help_children[];

/* Parses; on a mistake says what is wrong and exits with status 2. `flags` are
 * argp's, added to those that all commands need. */
void arguments_parse(const struct argp *argp, unsigned flags, int argc,
	char **argv, void *input);

/* Calls `visit` for every option of the argp and its children, headings
 * included, in the order of --help's groups. */
void arguments_each(const struct argp *argp,
	void (*visit)(const struct argp_option *option, void *user),
	void *user);

/* Numbers and words in options; a mistake is said and exits with status 2. */
uint32_t arguments_count(
	const struct argp_state *state, const char *option, const char *text);
enum when arguments_when(
	const struct argp_state *state, const char *option, const char *text);

/* The name of an output, which is not "". */
char *arguments_output(
	const struct argp_state *state, const char *option, char *text);

/* How large the parts of --split are to be: some bytes, like "64M". */
uint64_t arguments_part(const struct argp_state *state, const char *text);

/* A number of bytes, like "64M". */
uint64_t arguments_size(
	const struct argp_state *state, const char *option, const char *text);

/* Which of the words of `values` ("a|b|c") this is. */
unsigned arguments_word(const struct argp_state *state, const char *option,
	const char *values, const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* A recording's options: from the program, the environment, the defaults. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "ctprof.h"
#include "pack/spool.h"

#define OPTIONS_PATH_BYTES SPOOL_PATH_BYTES

/* The complete options of a recording. */
struct session_options {
	char out[OPTIONS_PATH_BYTES];
	char spool[OPTIONS_PATH_BYTES];
	bool exclusive; /* never replace a file, use another name */
	uint32_t chunks;
	uint32_t chunk_max;
	uint64_t min_ns;
	enum ctp_policy policy;
	enum ctp_clock clock;
	int level;
	enum ctp_gpu gpu;
	enum ctp_emit emit;
	bool no_command; /* the program's name, without its arguments */
	uint64_t last;   /* keep this many events; 0: all */
	int dump_signal; /* writes them to the log; 0: none */
};

/*
 * Fills in everything. Zero fields of `given` (may be NULL) are taken from the
 * environment, and otherwise from the defaults.
 *
 * Errors: CTP_ERR_FORMAT for an invalid environment variable, named in the
 * message; CTP_ERR_UNSUPPORTED if the environment is refused and `given` has no
 * path.
 */
enum ctp_status options_fill(struct session_options *options,
	const struct ctp_options *given, struct ctp_error *err);

/* Whether the environment requests recording. */
int options_in_environment(void);

/* Replaces %p by the process, %h by the host, %r by the rank and %% by %. False
 * if the result does not fit in OPTIONS_PATH_BYTES. */
bool options_expand(char *out, const char *pattern);

/* The rank that the job's launcher put into the environment, + 1; 0: none. */
uint32_t options_rank(void);

/* "run.ctp" with a number before the suffix: "run.123.ctp", and from the
 * second try on "run.123.2.ctp". */
void options_other_name(
	char *out, size_t size, const char *path, long pid, int try);

/* Whether to use the time-stamp counter. */
bool options_use_tsc(const struct session_options *options);

/* The recording's ticks under this option. */
enum spool_clock options_spool_clock(
	const struct session_options *options, bool tsc);

const char *options_policy_name(enum ctp_policy policy);

/* The environment's mode for GPUs; off if it is invalid. */
enum ctp_gpu options_gpu(void);
const char *options_gpu_name(enum ctp_gpu gpu);

#endif

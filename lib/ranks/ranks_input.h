/* SPDX-License-Identifier: MIT */
/* The events of one recording as ranks of a job: see ranks.h. */
#ifndef RANKS_INPUT_H
#define RANKS_INPUT_H

#include <stdint.h>

#include "base/error.h"
#include "gaps/gaps.h"
#include "phases/phases.h"
#include "profile/profile.h"
#include "ranks/ranks.h"
#include "trace/event.h"

#define RANKS_HOST 256

/* The recording's place in its job. */
struct ranks_place {
	int64_t rank;          /* -1: unknown */
	uint64_t world;        /* number of ranks; 0: unknown */
	const char *input;     /* name of the input; borrowed */
	char host[RANKS_HOST]; /* "": unknown */
};

/* Finds the host and the number of ranks of a trace that has been read, from its
 * facts and the name of its file. */
void ranks_place_find(struct ranks_place *place, const char *path, int64_t rank,
	const struct trace *trace);

/* Sets the place of a rank of a merged timeline, from its facts: "rank 3 host". */
void ranks_place_of_member(struct ranks_place *place,
	const struct ranks_place *whole, int64_t rank,
	const struct trace *trace);

/* Finished analyses of the recording. */
struct ranks_analyses {
	const struct gaps *gaps;
	const struct profile *profile;
	const struct phases *phases;
};

struct ranks_input;

/* Both are borrowed until ranks_input_free(). `phases` are the rules of phases for
 * each rank of a merged timeline. NULL if out of memory. */
struct ranks_input *ranks_input_new(
	struct trace *trace, const struct phase_sets *phases);
void ranks_input_free(struct ranks_input *input);

/* Errors: CTP_ERR_NOMEM; CTP_ERR_IO for temporary files. */
enum ctp_status ranks_input_add(struct ranks_input *input,
	const struct event *event, struct ctp_error *err);

/*
 * Adds the recording to `ranks`, after the last event. Call it once. CTP_END,
 * and nothing is added, if the recording has neither threads nor devices.
 *
 * Errors: as above.
 */
enum ctp_status ranks_input_finish(struct ranks_input *input,
	const struct ranks_place *place, const struct ranks_analyses *analyses,
	struct ranks *ranks, struct ctp_error *err);

#endif

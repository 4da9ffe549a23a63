/* SPDX-License-Identifier: MIT */
/* Adds inputs to the ranks of a job. */
#ifndef RANK_TOTALS_H
#define RANK_TOTALS_H

#include "input/input.h"
#include "phases/phase_rules.h"
#include "ranks/ranks.h"
#include "ranks/ranks_input.h"

/* The place of an input that has been read; `host` is room for its text. */
#define RANK_HOST 256
struct ranks_place rank_totals_place(
	const char *path, const struct trace *trace, char host[RANK_HOST]);

/*
 * Reads an input to its end. `phases` are the rules of phases. CTP_END: it had
 * no events.
 *
 * Errors: those of the input; CTP_ERR_UNSUPPORTED for a profile.
 */
enum ctp_status rank_totals_read(struct ranks *ranks, struct input *input,
	const struct phase_sets *phases, struct ctp_error *err);

#endif

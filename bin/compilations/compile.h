/* SPDX-License-Identifier: MIT */
/*
 * All that is known of compilations: from TORCH_TRACE logs, from logs of
 * `record --compile`, or from both, joined by the process and the compile id.
 */
#ifndef COMPILE_H
#define COMPILE_H

#include "compilations/compilations.h"
#include "compilations/tracing.h"

struct compile {
	struct compilations compilations;
	struct tracing tracing;
};

/* False if out of memory. */
bool compile_init(struct compile *compile);
void compile_clear(struct compile *compile);

/* Begins an input; its name is copied. */
bool compile_begin(
	struct compile *compile, const struct trace *trace, const char *input);

/* Adds an event; others than those of compilations are ignored. `user` is a
 * struct compile. Errors: CTP_ERR_NOMEM. */
enum ctp_status compile_add(
	void *user, const struct event *event, struct ctp_error *err);

/* Ends an input. False if out of memory. */
bool compile_end(struct compile *compile);

/* After all inputs: joins and sorts. False if out of memory. */
bool compile_finish(struct compile *compile);

/* Whether there is anything to show. */
bool compile_is_empty(const struct compile *compile);

#endif

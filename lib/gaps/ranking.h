/* SPDX-License-Identifier: MIT */
/*
 * Ranks host ranges by the gain for the device from optimizing them: those with
 * long idle times of the device while the queue of kernels ran empty. Waiting
 * in a thread that never calls the device's API takes no part.
 * Source: shared spec 04, except for such waits.
 *
 * Memory: names, tracks and open ranges; and 40 bytes per launch and kernel,
 * since a launch's place in the queue is that of its kernel.
 */
#ifndef RANKING_H
#define RANKING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

struct ranking_options {
	/* Idle means that no device works, instead of an empty queue; every
	 * launching call and every kernel of a graph counts. */
	bool robust;
	uint32_t length; /* most entries; 0: all */
};

struct ranking_row {
	uint32_t site;
	uint32_t place; /* site of the range itself or its nearest enclosing one
			 * with a place in a file; TRACE_NONE: none */
	int64_t start_ns;
	uint64_t duration_ns;
	uint64_t self_ns;
	uint64_t idle_ns;
	double score;
};

struct ranking;

/* `trace` is borrowed until ranking_free(). NULL if out of memory. */
struct ranking *ranking_new(
	const struct trace *trace, struct ranking_options options);
void ranking_free(struct ranking *ranking);

/* Adds an event. Errors: CTP_ERR_NOMEM; CTP_ERR_IO for temporary files. */
enum ctp_status ranking_add(
	void *ranking, const struct event *event, struct ctp_error *err);

/* Call it once, after the last event. Errors: as above. */
enum ctp_status ranking_finish(void *ranking, struct ctp_error *err);

/* Whether a device ran a kernel. Call it after the last event. */
bool ranking_has_kernels(const struct ranking *ranking);

/* The highest score first; borrowed until ranking_free(). */
const struct ranking_row *ranking_rows(
	const struct ranking *ranking, uint32_t *count);

#endif

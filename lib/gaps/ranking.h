/* SPDX-License-Identifier: MIT */
/*
 * Ranks the host's ranges by the gain for the device from making them faster:
 * those in which it was idle for long while the queue of kernels ran empty.
 * Source: shared spec 04.
 *
 * Memory: names, tracks and open ranges; and 40 bytes for each launch and each
 * kernel, since a launch's place in the queue is that of its kernel.
 */
#ifndef RANKING_H
#define RANKING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

struct ranking_options {
	/* Idle is when no device does anything, not when the queue is empty;
	 * all that launches counts, and so does every kernel of a graph. */
	bool robust;
	uint32_t length; /* most entries; 0: all */
};

struct ranking_row {
	uint32_t site;
	uint32_t place; /* site of the nearest range around it, or itself, that
			 * has a place in a file; TRACE_NONE: none has */
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

/* Takes one event. Errors: CTP_ERR_NOMEM; CTP_ERR_IO of temporary files. */
enum ctp_status ranking_add(struct ranking *ranking, const struct event *event,
	struct ctp_error *err);

/* After the last event, once. Errors: as above. */
enum ctp_status ranking_finish(struct ranking *ranking, struct ctp_error *err);

/* Did a device run a kernel? After the last event. */
bool ranking_has_kernels(const struct ranking *ranking);

/* The highest score first; borrowed until ranking_free(). */
const struct ranking_row *ranking_rows(
	const struct ranking *ranking, uint32_t *count);

#endif

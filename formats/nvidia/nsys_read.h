/* SPDX-License-Identifier: MIT */
/* The tables of a report of Nsight Systems, as events. */
#ifndef NSYS_READ_H
#define NSYS_READ_H

#include "nvidia/sqlite_source.h"

/* Is it one? */
bool nsys_read_knows(struct sqlite_input *input);

/* Asks all its tables. Errors: CTP_ERR_NOMEM. */
enum ctp_status nsys_read_ask(
	struct sqlite_source *source, struct ctp_error *err);

/* What is asked of NVTX. */
enum ctp_status nsys_nvtx_ask(
	struct sqlite_source *source, struct ctp_error *err);

/* The track of a thread, by its number; for the row at hand. */
void nsys_read_thread(struct sqlite_source *source, int64_t global_tid);

#endif

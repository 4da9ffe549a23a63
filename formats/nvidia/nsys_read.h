/* SPDX-License-Identifier: MIT */
/* The tables of a Nsight Systems report, as events. */
#ifndef NSYS_READ_H
#define NSYS_READ_H

#include "nvidia/sqlite_source.h"

/* Is it one? */
bool nsys_read_probe(struct sqlite_input *input);

/* Queries all its tables. Errors: CTP_ERR_NOMEM. */
enum ctp_status nsys_read_add_queries(
	struct sqlite_source *source, struct ctp_error *err);

/* Queries the NVTX table. */
enum ctp_status nsys_nvtx_add_queries(
	struct sqlite_source *source, struct ctp_error *err);

/* Sets the current row's track to that of a thread. */
void nsys_read_thread(struct sqlite_source *source, int64_t global_tid);

#endif

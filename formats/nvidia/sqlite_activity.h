/* SPDX-License-Identifier: MIT */
/*
 * Device activities, from the tables of CUPTI records: the columns that nvprof
 * and Nsight Systems have in common are the same. Source: cupti_activity.h.
 */
#ifndef SQLITE_ACTIVITY_H
#define SQLITE_ACTIVITY_H

#include "nvidia/sqlite_source.h"

/* Queries the tables of kernels, copies, memsets, waits and whole graphs.
 * Errors: CTP_ERR_NOMEM. */
enum ctp_status sqlite_activity_add_queries(
	struct sqlite_source *source, struct ctp_error *err);

/* The process in a global id of Nsight Systems. */
int64_t sqlite_activity_pid(struct sqlite_source *source, int64_t global_id);

#endif

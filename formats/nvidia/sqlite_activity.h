/* SPDX-License-Identifier: MIT */
/*
 * What devices did, in the tables that are CUPTI's records: those of nvprof and
 * of Nsight Systems have the same columns, as far as they have them.
 * Source: cupti_activity.h.
 */
#ifndef SQLITE_ACTIVITY_H
#define SQLITE_ACTIVITY_H

#include "nvidia/sqlite_source.h"

/* Asks the tables of kernels, copies, memsets, waits and whole graphs. Errors:
 * CTP_ERR_NOMEM. */
enum ctp_status sqlite_activity_ask(
	struct sqlite_source *source, struct ctp_error *err);

/* The process that a number of Nsight Systems' stands for. */
int64_t sqlite_activity_pid(struct sqlite_source *source, int64_t global_id);

#endif

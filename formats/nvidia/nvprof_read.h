/* SPDX-License-Identifier: MIT */
/* The tables of nvprof and the Visual Profiler, as events. */
#ifndef NVPROF_READ_H
#define NVPROF_READ_H

#include <stdint.h>

#include "nvidia/sqlite_source.h"

/* Is it one? */
bool nvprof_read_probe(struct sqlite_input *input);

/* Queries all its tables. Errors: CTP_ERR_NOMEM. */
enum ctp_status nvprof_read_add_queries(
	struct sqlite_source *source, struct ctp_error *err);

/* The function with this number; NULL if there is none. */
const char *nvprof_read_runtime(int64_t number);
const char *nvprof_read_driver(int64_t number);

#endif

/* SPDX-License-Identifier: MIT */
/* Reads the machine from a Nsight Systems report: devices, processes, threads,
 * the report's creator and time. */
#ifndef NSYS_DEVICE_H
#define NSYS_DEVICE_H

#include "nvidia/sqlite_source.h"

/* Call it before the events are read. Errors: CTP_ERR_NOMEM. */
enum ctp_status nsys_device_read(
	struct sqlite_source *source, struct ctp_error *err);

#endif

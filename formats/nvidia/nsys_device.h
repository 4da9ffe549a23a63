/* SPDX-License-Identifier: MIT */
/* What a report of Nsight Systems says of the machine: devices, processes,
 * threads, who made it and when. */
#ifndef NSYS_DEVICE_H
#define NSYS_DEVICE_H

#include "nvidia/sqlite_source.h"

/* Reads it, before the events. Errors: CTP_ERR_NOMEM. */
enum ctp_status nsys_device_read(
	struct sqlite_source *source, struct ctp_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* The devices that a Chrome trace tells of, until it is known which process
 * used them. */
#ifndef CHROME_READ_DEVICES_H
#define CHROME_READ_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "json/json_scan.h"
#include "trace/trace.h"
#include "chrome_read/chrome_read_args.h"

/* No machine has more; what is beyond that is counted as not shown. */
#define CHROME_READ_DEVICES_MAX 1024

struct chrome_read_devices {
	struct trace *trace;
	struct chrome_read_args *args;
	struct buffer bytes; /* a count, then that many arguments; and again */
	uint32_t count;
};

void chrome_read_devices_init(struct chrome_read_devices *devices,
	struct trace *trace, struct chrome_read_args *args);
void chrome_read_devices_clear(struct chrome_read_devices *devices);

/* Reads the array whose beginning was the last token. Errors: those of
 * json_scan_next(), CTP_ERR_NOMEM. */
enum ctp_status chrome_read_devices_read(struct chrome_read_devices *devices,
	struct json_scan *scan, struct ctp_error *err);

/* Adds them to the trace as those of the processes that they tell, or that used
 * them, or else of this one; false if out of memory. */
bool chrome_read_devices_finish(
	struct chrome_read_devices *devices, int64_t pid);

#endif

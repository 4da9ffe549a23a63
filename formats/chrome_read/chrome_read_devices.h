/* SPDX-License-Identifier: MIT */
/* The devices of a Chrome trace, until the processes that used them are
 * known. */
#ifndef CHROME_READ_DEVICES_H
#define CHROME_READ_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "json/json_scan.h"
#include "trace/trace.h"
#include "chrome_read/chrome_read_args.h"

/* More than any machine has; further ones are counted as not shown. */
#define CHROME_READ_DEVICES_MAX 1024

struct chrome_read_devices {
	struct trace *trace;
	struct chrome_read_args *args;
	struct buffer bytes; /* argument counts, each followed by the
			      * arguments */
	uint32_t count;
};

void chrome_read_devices_init(struct chrome_read_devices *devices,
	struct trace *trace, struct chrome_read_args *args);
void chrome_read_devices_clear(struct chrome_read_devices *devices);

/* Reads the array that the last token began. Errors: those of json_scan_next(),
 * CTP_ERR_NOMEM. */
enum ctp_status chrome_read_devices_read(struct chrome_read_devices *devices,
	struct json_scan *scan, struct ctp_error *err);

/* Adds them to the trace, for the processes that they name, or that used them,
 * or else for `pid`; false if out of memory. */
bool chrome_read_devices_finish(
	struct chrome_read_devices *devices, int64_t pid);

#endif

/* SPDX-License-Identifier: MIT */
/* Our own log as a format. It is read; the recorder writes it. */
#include "format.h"

#include "log_read.h"

const struct format log_format = {
	.name = "log",
	.suffix = ".ctp",
	.summary = "ctprof's own log, as the recorder writes it",
	.binary = true,
	.probe = log_read_probe,
	.open_events = log_read_open,
};

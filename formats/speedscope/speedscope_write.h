/* SPDX-License-Identifier: MIT */
/* speedscope's own files, written. */
#ifndef SPEEDSCOPE_WRITE_H
#define SPEEDSCOPE_WRITE_H

#include "format.h"

/* See struct format. */
enum ctp_status speedscope_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err);

#endif

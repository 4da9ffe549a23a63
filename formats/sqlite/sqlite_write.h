/* SPDX-License-Identifier: MIT */
/* Writes timelines as databases. */
#ifndef SQLITE_WRITE_H
#define SQLITE_WRITE_H

#include "format.h"

/* As a format's new_timeline(). Errors: CTP_ERR_NOMEM, CTP_ERR_IO;
 * CTP_ERR_UNSUPPORTED if we were built without SQLite. */
enum ctp_status sqlite_write_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err);

#endif

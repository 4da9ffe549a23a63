/* SPDX-License-Identifier: MIT */
/* The writer of databases in a build without SQLite. */
#include "sqlite/sqlite_write.h"

enum ctp_status sqlite_write_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	(void)out;
	(void)trace;
	(void)options;
	(void)writer;
	return ctp_fail(err, CTP_ERR_UNSUPPORTED,
		"cannot become a database: this ctprof was built without "
		"libsqlite3");
}

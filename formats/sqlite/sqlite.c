/* SPDX-License-Identifier: MIT */
/* Databases for SQL; sqlite_write.c describes their contents. */
#include "format.h"
#include "sqlite/sqlite_write.h"

#ifndef HAVE_SQLITE
enum ctp_status sqlite_write_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	(void)out;
	(void)trace;
	(void)options;
	(void)writer;
	return ctp_fail(err, CTP_ERR_UNSUPPORTED,
		"cannot write a database: this ctprof was built without "
		"libsqlite3");
}
#endif

const struct format sqlite_format = {
	.name = "sqlite",
	.suffix = ".sqlite",
	.summary = "SQLite database with all events",
	.binary = true,
	.new_timeline = sqlite_write_new,
};

/* SPDX-License-Identifier: MIT */
/* Where SQLite is not there to build with. */
#include "nvidia/sqlite_profile.h"
#include "sqlite/sqlite_write.h"

enum ctp_status sqlite_profile_open(FILE *in, const void *head,
	size_t head_size, struct event_source **out, struct ctp_error *err)
{
	(void)in;
	(void)head;
	(void)head_size;
	(void)out;
	return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
		"is a database of SQLite, and this ctprof was built without "
		"libsqlite3");
}

enum ctp_status sqlite_write_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	(void)out;
	(void)trace;
	(void)options;
	(void)writer;
	return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
		"cannot become a database: this ctprof was built without "
		"libsqlite3");
}

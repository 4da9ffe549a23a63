/* SPDX-License-Identifier: MIT */
/* The readers of databases in a build without SQLite. */
#include "nvidia/sqlite_profile.h"

enum ctp_status sqlite_profile_open(FILE *in, const void *head,
	size_t head_size, const struct read_request *request,
	struct event_source **out, struct ctp_error *err)
{
	(void)in;
	(void)head;
	(void)head_size;
	(void)request;
	(void)out;
	return ctp_fail(err, CTP_ERR_UNSUPPORTED,
		"is a database of SQLite, and this ctprof was built without "
		"libsqlite3");
}

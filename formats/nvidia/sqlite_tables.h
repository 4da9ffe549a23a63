/* SPDX-License-Identifier: MIT */
/* The tables that a database has, whoever made it. */
#ifndef SQLITE_TABLES_H
#define SQLITE_TABLES_H

#include "nvidia/sqlite_source.h"

/*
 * Calls `see` (may be NULL) for each table, by name; then counts what is in
 * those that have events and have not been asked. The name given stays.
 *
 * Errors: CTP_ERR_NOMEM; those of `see`.
 */
enum ctp_status sqlite_tables_see(struct sqlite_source *source,
	enum ctp_status (*see)(struct sqlite_source *source, const char *table,
		struct ctp_error *err),
	struct ctp_error *err);

#endif

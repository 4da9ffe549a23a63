/* SPDX-License-Identifier: MIT */
/*
 * Databases of SQLite in files that have no name: those that we are given as a
 * descriptor, and temporary ones. SQLite is told to open a number.
 */
#ifndef SQLITE_FILE_H
#define SQLITE_FILE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * Opens the database in the file behind `fd`. Read-only, it is taken to never
 * change: there are no locks, and no journal is looked for.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED with SQLite's own words. Nothing
 * is open then.
 * Ownership: `fd` is borrowed until the database is closed.
 */
enum ctp_status sqlite_file_open(
	int fd, bool write, sqlite3 **out, struct ctp_error *err);

#endif

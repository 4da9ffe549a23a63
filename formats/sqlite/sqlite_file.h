/* SPDX-License-Identifier: MIT */
/*
 * SQLite databases in files without a name: those given as a descriptor, and
 * temporary ones. SQLite opens a number.
 */
#ifndef SQLITE_FILE_H
#define SQLITE_FILE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * Opens the database in the file `fd`. Without `write`, the file is assumed
 * never to change: no locks, no journal.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED with SQLite's message. Nothing is
 * open then. Ownership: `fd` is borrowed until the database is closed.
 */
enum ctp_status sqlite_file_open(
	int fd, bool write, sqlite3 **out, struct ctp_error *err);

#endif

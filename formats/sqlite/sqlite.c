/* SPDX-License-Identifier: MIT */
/* Databases for SQL; sqlite_write.c describes their contents. */
#include "format.h"
#include "sqlite/sqlite_write.h"

const struct format sqlite_format = {
	.name = "sqlite",
	.suffix = ".sqlite",
	.summary = "database of SQLite with all events, for SQL",
	.binary = true,
	.new_timeline = sqlite_write_new,
};

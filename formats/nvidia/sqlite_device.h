/* SPDX-License-Identifier: MIT */
/* Properties of devices from a row of a table, under the names that PyTorch's
 * profiler has for them. */
#ifndef SQLITE_DEVICE_H
#define SQLITE_DEVICE_H

#include "nvidia/sqlite_source.h"

enum sqlite_property_kind {
	SQLITE_PROPERTY_NUMBER, /* multiplied and divided */
	SQLITE_PROPERTY_TEXT,
	SQLITE_PROPERTY_NAME, /* a number in the table of strings */
	SQLITE_PROPERTY_UUID, /* sixteen bytes */
};

struct sqlite_property {
	const char *column;
	const char *key;
	enum sqlite_property_kind kind;
	int64_t times, per; /* the column's unit in ours */
};

#define SQLITE_PROPERTIES_MAX 24

/*
 * Adds the device of this number that the row describes, whose columns are
 * those of `properties`, in order. False if out of memory.
 */
bool sqlite_device_add(struct sqlite_source *source, sqlite3_stmt *row,
	const struct sqlite_property *properties, size_t count,
	struct trace_device device);

#endif

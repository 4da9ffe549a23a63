/* SPDX-License-Identifier: MIT */
/* Properties of devices from a table's row, under PyTorch profiler's names. */
#ifndef SQLITE_DEVICE_H
#define SQLITE_DEVICE_H

#include "nvidia/sqlite_source.h"

enum sqlite_property_kind {
	SQLITE_PROPERTY_NUMBER, /* multiplied and divided */
	SQLITE_PROPERTY_TEXT,
	SQLITE_PROPERTY_NAME, /* index into the string table */
	SQLITE_PROPERTY_UUID, /* sixteen bytes */
};

struct sqlite_property {
	const char *column;
	const char *key;
	enum sqlite_property_kind kind;
	int64_t times, per; /* the column's unit in our unit */
};

#define SQLITE_PROPERTIES_MAX 24

/*
 * Adds device `number` from a row whose columns are `properties`, in order.
 * False if out of memory.
 */
bool sqlite_device_add(struct sqlite_source *source, sqlite3_stmt *row,
	const struct sqlite_property *properties, size_t count,
	struct trace_device device);

#endif

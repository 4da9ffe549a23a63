/* SPDX-License-Identifier: MIT */
/*
 * Adds names to a log's functions that are known only by address. The log is
 * rewritten unchanged, including any damage, except the site blocks that get
 * names.
 */
#ifndef SYMBOLIZE_H
#define SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct symbolize;
struct symbols;

/* A module of a log, with the symbols of its file. */
struct symbolize_module {
	char *path;
	void *build_id;
	size_t build_id_bytes;
	uint64_t bytes;
	bool tried; /* to open the file */
	struct symbols *symbols;
	/* The result: */
	struct ctp_error err; /* why `symbols` is NULL */
	uint64_t unnamed;     /* functions without a name */
};

struct symbolize_counts {
	uint64_t functions; /* known by address */
	uint64_t named;     /* of these, including earlier names */
	uint64_t changed;   /* get a name or file missing in the log */
	uint64_t lost;      /* whose module is missing in the log */
};

/*
 * Reads the log and looks up the names. `debug_directory` (may be NULL) is an
 * absolute path, borrowed.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM; CTP_ERR_FORMAT if it has no block of a
 * log; CTP_ERR_UNSUPPORTED for a log of a newer version.
 * Ownership: `fd` is borrowed; free with symbolize_free().
 */
enum ctp_status symbolize_new(int fd, const char *debug_directory,
	struct symbolize **out, struct ctp_error *err);
void symbolize_free(struct symbolize *symbolize);

struct symbolize_counts symbolize_counts(const struct symbolize *symbolize);

/* Ends with NULL; borrowed. */
const struct symbolize_module *symbolize_module(
	const struct symbolize *symbolize, uint32_t number);

/* The spool of an unfinished recording: if it still exists, the recorder or a
 * repair will append to this file. NULL if there is none. */
const char *symbolize_spool(const struct symbolize *symbolize);

/*
 * Writes the log with the names to `out`, at its current position.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM; CTP_ERR_FORMAT if the log has changed
 * since it was read. err->offset is set only for read errors.
 */
enum ctp_status symbolize_write(
	struct symbolize *symbolize, int out, struct ctp_error *err);

#endif

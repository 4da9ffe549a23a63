/* SPDX-License-Identifier: MIT */
/*
 * Gives names to the functions of a log that are known by their addresses. The
 * log is written anew: everything in it as it is, damage included, but the
 * blocks of sites that get names.
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
	bool tried; /* to open it */
	struct symbols *symbols;
	/* For whoever wants to know what became of it. */
	struct ctp_error err; /* why `symbols` is NULL */
	uint64_t unnamed;     /* functions that stay without a name */
};

struct symbolize_counts {
	uint64_t functions; /* known by their addresses */
	uint64_t named;     /* of these, now or before */
	uint64_t changed;   /* got a name, or a file, that the log lacks */
	uint64_t lost;      /* whose modules the log has lost */
};

/*
 * Reads the log and looks for the names. `debug_directory` (may be NULL) is an
 * absolute path, borrowed.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM; CTP_ERR_FORMAT if not one block of a log
 * is there; CTP_ERR_UNSUPPORTED for a log of a newer kind.
 * Ownership: `fd` is borrowed; free with symbolize_free().
 */
enum ctp_status symbolize_new(int fd, const char *debug_directory,
	struct symbolize **out, struct ctp_error *err);
void symbolize_free(struct symbolize *symbolize);

struct symbolize_counts symbolize_counts(const struct symbolize *symbolize);

/* Ends with NULL; borrowed. */
const struct symbolize_module *symbolize_module(
	const struct symbolize *symbolize, uint32_t number);

/* The spool of a recording that has no end: if it is still there, the recorder
 * or a repair will write on to this very file. NULL if there is none. */
const char *symbolize_spool(const struct symbolize *symbolize);

/*
 * Writes the log with its names to `out`, from where that stands.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM; CTP_ERR_FORMAT if the log has changed
 * since it was read. err->offset is only set for reading.
 */
enum ctp_status symbolize_write(
	struct symbolize *symbolize, int out, struct ctp_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* What the files that give names to a log's functions share; nobody else
 * includes it. */
#ifndef SYMBOLIZE_PRIVATE_H
#define SYMBOLIZE_PRIVATE_H

#include <sys/stat.h>

#include "base/buffer.h"
#include "log_read/log_scan.h"
#include "log/log_write.h"
#include "symbols/symbolize.h"

struct symbolize {
	int fd;
	const char *debug_directory;
	struct stat file; /* as it was when it was read */
	struct log_scan *scan;
	struct symbolize_modules modules;
	struct symbolize_counts counts;
	uint64_t members;
	char *spool;       /* of the recording; NULL: it has ended */
	uint64_t *changes; /* offsets of members to be written anew */
	size_t change_count;
	size_t change_room;
	struct buffer rows; /* of the block that is being made */
	struct buffer block;
	/* While writing: */
	struct log_writer *writer; /* NULL: only looking */
	int out;
	size_t next_change;
	uint64_t copied; /* bytes of the log, so far */
	uint8_t *copy;   /* where the system does not do it */
};

/* What a site block holds, behind its kind. */
struct symbolize_sites {
	uint32_t elements; /* of the block */
	uint32_t first;
	uint32_t count;
	struct cursor rows; /* and what comes after them */
};

/* False if the block is not well formed as a whole. */
bool symbolize_sites_read(
	struct cursor block, uint32_t elements, struct symbolize_sites *sites);

/* Looks up the names of a block's functions and counts them, or, with a
 * writer, writes the block with them. */
enum ctp_status symbolize_sites_take(struct symbolize *symbolize,
	struct symbolize_sites sites, struct ctp_error *err);

#endif

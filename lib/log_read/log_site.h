/* SPDX-License-Identifier: MIT */
/* Blocks of sites and modules, and their rows. */
#ifndef LOG_SITE_H
#define LOG_SITE_H

#include "log/log_block.h"
#include "log_read/log_recording.h"

/* Texts are borrowed from the block. */
struct log_site_module {
	uint32_t number;
	uint64_t base;
	uint64_t bytes;
	struct log_text path;
	struct log_text build_id;
};

/* Read a row, and the contents of a module block after its kind. False if
 * malformed. */
bool log_site_read(struct cursor *block, struct log_site_row *row);
bool log_site_read_module(struct cursor *block, struct log_site_module *module);

/* The trace's site for a number in the log; a placeholder if its name is lost.
 * TRACE_NONE if out of memory. */
uint32_t log_site_find(struct log_recording *recording, uint32_t number);

/* For `apply` see log_read.c. */
enum log_verdict log_site_parse(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_site_parse_module(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_site_parse_closed(
	struct log_recording *recording, struct cursor block, bool apply);

#endif

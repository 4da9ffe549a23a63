/* SPDX-License-Identifier: MIT */
/* Lines of source files on the page, for the functions with most own time. */
#ifndef PAGE_SOURCE_H
#define PAGE_SOURCE_H

#include <stdbool.h>

#include "base/error.h"

struct page_part;

struct page_source {
	bool wanted;
	/* Directories for files that are not where the recording has them,
	 * separated by colons; NULL: none. Borrowed. */
	const char *directories;
};

/* Writes the member "sources", of at most part->source_bytes, if part->source
 * asks for it. Functions whose files are missing are counted. Errors: CTP_ERR_NOMEM. */
enum ctp_status page_source_write(
	struct page_part *part, struct ctp_error *err);

#endif

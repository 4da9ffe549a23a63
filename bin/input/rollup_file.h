/* SPDX-License-Identifier: MIT */
/* One of many inputs: read, and added to the sums. For rollup*.c only. */
#ifndef ROLLUP_FILE_H
#define ROLLUP_FILE_H

#include "convert.h"
#include "cli/progress.h"
#include "input/rollup.h"

struct rollup_work {
	const struct rollup_options *options;
	const struct tree *tree;
	struct progress *progress; /* of one file alone; else NULL */
	struct rollup *sums;       /* no other thread's */
};

/*
 * What is wrong with a file that was named is said; of one that was found it is
 * counted.
 *
 * Errors: returns an exit status.
 */
int rollup_file_add(const struct rollup_work *work, struct tree_file *file);

/* What shows the progress of reading a file. */
struct convert_job rollup_file_job(const struct rollup_work *work);

/*
 * Reads a source into the sums of phases (rollup_phases.c); CTP_END: there was
 * nothing in it.
 *
 * Errors: CTP_ERR_NOMEM; those of the source.
 */
enum ctp_status rollup_phases_add(const struct rollup_work *work,
	const struct tree_file *file, struct event_source *source,
	struct ctp_error *err);

#endif

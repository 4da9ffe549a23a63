/* SPDX-License-Identifier: MIT */
/* A recording in a directory of its own, and what its log holds, for the tests
 * of the recorder. */
#ifndef RECORD_CASE_H
#define RECORD_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "event.h"
#include "trace.h"

extern char case_directory[64];
extern char case_path[256]; /* of the log */

/* What a log holds, counted. */
struct case_content {
	uint64_t kinds[EVENT_STEP + 1];
	uint64_t tracks;
	uint64_t losses[LOSS_KINDS];
	uint64_t named; /* begins of the site asked for */
	int64_t depth;  /* begins less ends */
	int64_t last_id;
	bool ordered; /* no time of a track goes back */
	char text[256];
	char thread_name[64];
};

/* Before and after each test. */
void case_set_up(void);
void case_tear_down(void);

/* Begins to record. */
void case_start(enum ctp_policy policy, uint64_t buffer_bytes);

/* Counts what is in a log; `name` is that of the site asked for. */
struct case_content case_read_log(const char *log, const char *name);

/* All that is missing from the log. */
uint64_t case_lost(const struct case_content *content);

/* One range, `early`, and another in it, `inner`, unless n is over 0. */
int case_early_return(int n);

#endif

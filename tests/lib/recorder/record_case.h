/* SPDX-License-Identifier: MIT */
/* A recording in a temporary directory, and the contents of its log, for the
 * tests of the recorder. */
#ifndef RECORD_CASE_H
#define RECORD_CASE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof.h"
#include "trace/event.h"
#include "trace/trace.h"

/* Tests are left out with these: sanitizers keep memory for themselves, and
 * fail in some other cases. */
#if defined(__SANITIZE_ADDRESS__)
#define CASE_ADDRESS_SANITIZED 1
#elif defined(__SANITIZE_THREAD__)
#define CASE_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CASE_ADDRESS_SANITIZED 1
#elif __has_feature(thread_sanitizer)
#define CASE_THREAD_SANITIZED 1
#endif
#endif
#ifndef CASE_ADDRESS_SANITIZED
#define CASE_ADDRESS_SANITIZED 0
#endif
#ifndef CASE_THREAD_SANITIZED
#define CASE_THREAD_SANITIZED 0
#endif
#define CASE_SANITIZED (CASE_ADDRESS_SANITIZED || CASE_THREAD_SANITIZED)

extern char record_case_directory[64];
extern char record_case_path[256]; /* of the log */

/* Counts of a log's contents. */
struct case_content {
	uint64_t kinds[EVENT_KINDS];
	uint64_t tracks;
	uint64_t losses[LOSS_KINDS];
	uint64_t named; /* begins of the given site */
	int64_t depth;  /* begins less ends */
	int64_t last_id;
	bool ordered; /* no time of a track goes back */
	char text[256];
	char thread_name[64];
};

/* Before and after each test. */
void record_case_set_up(void);
void record_case_tear_down(void);

/* Begins to record. */
void record_case_start(enum ctp_policy policy, uint64_t buffer_bytes);

/* Counts the contents of a log; `name` is the given site's. */
struct case_content record_case_read_log(const char *log, const char *name);

/* The log NAME.PID.ctp of a child, in memory that the next call reuses. */
const char *record_case_child_path(long pid);

/* The log's events one after the other without tracks and times, "begin a; arg
 * inherited=1; end; "; free with free(). */
char *record_case_read_events(const char *log);

void record_case_expect(const char *log, const char *expected);

/* Begins a range of this name. */
void record_case_begin(const char *name);

/* Waits for a child, which must exit with 0. */
void record_case_wait(pid_t child);

/* Ends the child; a failed check would not be seen in it. The second one is for
 * a log that is then found under a number known to the parent. */
_Noreturn void record_case_leave(void);
_Noreturn void record_case_leave_as(long number);

/* The number of files, logs and spools, in the test's directory. */
int record_case_file_count(void);

/* All losses of the log. */
uint64_t record_case_lost(const struct case_content *content);

/* One range, `early`, and another in it, `inner`, unless n is over 0. */
int record_case_early_return(int n);

/* Records this many ranges of one function. */
void record_case_record(int ranges);

uint64_t record_case_file_size(const char *path);

#endif

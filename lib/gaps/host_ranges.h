/* SPDX-License-Identifier: MIT */
/*
 * The ranges of all threads, in temporary files, and their code while a device
 * waited for the thread.
 */
#ifndef HOST_RANGES_H
#define HOST_RANGES_H

#include <stdbool.h>

#include "gaps/gaps.h"
#include "trace/event.h"

struct host_ranges;

/* A part of a gap in which a device waited for a thread. */
struct host_wait {
	int64_t from_ns;
	int64_t to_ns;
	uint32_t track;
	uint32_t device;
};

/* A part of a wait with the same open ranges. */
struct host_stretch {
	uint32_t device;
	enum gap_cause cause;
	uint32_t name_site; /* innermost that is not an API call, or */
	uint32_t call_site; /* TRACE_NONE; the API call inside that, or
			     * TRACE_NONE */
	uint64_t time_ns;
};

/* `trace` is borrowed until host_ranges_free(). NULL if out of memory. */
struct host_ranges *host_ranges_new(const struct trace *trace);
void host_ranges_free(struct host_ranges *ranges);

/* Adds a begin or an end. Errors: CTP_ERR_NOMEM, CTP_ERR_IO. */
enum ctp_status host_ranges_add(struct host_ranges *ranges,
	const struct event *event, struct ctp_error *err);

/* Adds a wait; a device has one at a time. Errors: as above. */
enum ctp_status host_ranges_add_wait(struct host_ranges *ranges,
	const struct host_wait *wait, struct ctp_error *err);

/*
 * Call it once, after the last of both: calls `charge`, which returns false if
 * out of memory, for each part of the waits. Errors: as above.
 */
enum ctp_status host_ranges_charge(struct host_ranges *ranges,
	bool (*charge)(void *user, const struct host_stretch *stretch),
	void *user, struct ctp_error *err);

#endif

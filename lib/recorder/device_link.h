/* SPDX-License-Identifier: MIT */
/*
 * The interface between libctprof and libctprof-inject; not for programs, and
 * not stable, because both have the same version. libctprof-inject gets a
 * device's activities from its driver and delivers them here.
 *
 * Readers rely on the order of a round: ctp_flush(), so that the calls that
 * caused the activities are in the log; ctp_private_block() with new
 * descriptions; one ctp_private_device_sync(), later than all delivered
 * activities; the activities.
 */
#ifndef DEVICE_LINK_H
#define DEVICE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof.h"
#include "log/log.h"
#include "recorder/exit_watch.h"

/* The longest block that ctp_private_block() takes. */
#define DEVICE_BLOCK_BYTES 32000

/* A device activity. Times are the driver's, by the device's clock. */
struct device_activity {
	int64_t start_ns;
	uint64_t dur_ns;
	uint32_t track;       /* of ctp_private_stream() */
	uint32_t description; /* the caller's numbers, from 1; see
			       * lib/log/FORMAT.md, block 9 */
	uint32_t correlation; /* of the call that caused it; 0: unknown */
	uint64_t bytes;
	uint64_t node; /* of a graph; 0: none */
};

struct device_place {
	uint32_t device;
	uint32_t context;
};

/* Functions called by libctprof. */
struct device_calls {
	/* A recording, if any, is about to stop: deliver all activities until
	 * now. No lock is held. Also at exit, and in a forked child. */
	void (*stop)(void);
	/* Around fork(), before libctprof takes a lock and after it releases
	 * the last: no change is unfinished in the child. The child calls
	 * child() instead of unlock(), even if nothing was locked because of a
	 * fork in a signal handler: it reinitializes the locks; threads are
	 * gone. */
	void (*lock)(void);
	void (*unlock)(void);
	void (*child)(void);
};

/* Registers libctprof-inject. */
CTP_API void ctp_private_devices(const struct device_calls *calls);

/* The requested mode: of the current or last recording, else of the
 * environment. Never CTP_GPU_DEFAULT. */
CTP_API enum ctp_gpu ctp_private_gpu(void);

/* Whether the program initialized the driver before recording was requested. */
CTP_API bool ctp_private_device_late(void);

/*
 * Gives the calling thread the name DEVICE_THREAD, inherited by threads that it
 * creates, until the other call; `own` has room for 16 bytes and receives its
 * real name. One thread at a time, and briefly: until then the program does not
 * end with its last thread.
 */
CTP_API void ctp_private_device_name(char *own);
CTP_API void ctp_private_own_name(const char *own);

/* Marks the calling thread as the library's own, which is not recorded. */
CTP_API void ctp_private_mute(void);

/*
 * The number of the current recording, 0 if none. Begins one that is due. A new
 * recording restarts the numbers of tracks and descriptions. Unlike
 * ctp_private_session() this is also for threads that are not recorded.
 */
CTP_API uint64_t ctp_private_device_session(void);

/*
 * Adds a track to the recording: a stream with the driver's number
 * (LOG_STREAM), or the driver's report of a thread's calls with the thread's
 * number (LOG_CALLS). 0 without a recording or room.
 *
 * Ownership: copies.
 */
CTP_API uint32_t ctp_private_stream(enum log_track_kind kind, int64_t number,
	const struct device_place *place, const char *name);

/* The number of this site in descriptions. */
CTP_API uint32_t ctp_private_site_number(struct ctp_site *site);

/*
 * Adds a whole block, packed as MessagePack, of one of the kinds
 * LOG_DESCRIPTIONS, LOG_DEVICE, LOG_DEVICE_LOSSES and LOG_DEVICE_FACTS. It
 * precedes all later records in the log. False if it is too long, or without
 * room or a recording.
 *
 * Ownership: copies.
 */
CTP_API bool ctp_private_block(
	enum log_block kind, const void *bytes, size_t size);

/*
 * Stores an activity. False without room (if the policy does not wait for it)
 * or a recording: the caller counts it.
 *
 * Threads: any, one at a time.
 */
CTP_API bool ctp_private_activity(const struct device_activity *activity);

/* Stores a pair of simultaneous times: of ctp_private_ticks() and of the
 * device. False as for ctp_private_activity(). */
CTP_API bool ctp_private_device_sync(uint64_t ticks, int64_t device_ns);

/* Marks the thread's innermost open range as the device API call with this
 * number. As fast as a counter. */
CTP_API void ctp_private_correlate(uint32_t correlation);

/* Begins a range that is such a call: both in one, as fast as ctp_begin().
 * Returns whether it was opened. */
CTP_API int ctp_private_begin_call(struct ctp_site *site, uint32_t correlation);

/* Why nothing is recorded in a child of a program that uses CUDA. */
#define DEVICE_FORKED "CUDA cannot be used after fork"

/* Whether this process was forked from one with an active libctprof-inject. */
bool device_is_forked(void);

/* For libctprof: pass events to libctprof-inject, if registered. */
void device_stop(void);
void device_lock(void);
void device_unlock(void);
void device_child(void);

#endif

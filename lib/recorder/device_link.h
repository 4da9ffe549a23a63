/* SPDX-License-Identifier: MIT */
/*
 * The interface between libctprof and libctprof-inject; not for programs, and
 * without a fixed form, because both are of one version. libctprof-inject
 * learns a device's activities from its driver and hands them over here.
 *
 * The order of a round, by which readers tell what belongs together:
 * ctp_flush(), so that the calls that caused the activities are in the log;
 * ctp_private_block() with descriptions that are new; one
 * ctp_private_device_sync(), later than whatever is handed over; the
 * activities.
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

/* Something that a device did. Times are of the device's clock, as the driver
 * gives them. */
struct device_activity {
	int64_t start_ns;
	uint64_t dur_ns;
	uint32_t track;       /* of ctp_private_stream() */
	uint32_t description; /* numbers of the caller's own, from 1; see
				 lib/log/FORMAT.md, block 9 */
	uint32_t correlation; /* of the call that caused it; 0: unknown */
	uint64_t bytes;
	uint64_t node; /* of a graph; 0: none */
};

struct device_place {
	uint32_t device;
	uint32_t context;
};

/* What libctprof calls. */
struct device_calls {
	/* Recording is about to stop, if any is on: hand over what devices did
	 * until now. No lock is held. Also at exit, and in a forked child. */
	void (*stop)(void);
	/* Around fork(), before any lock of libctprof's is taken, and after
	 * the last is released: nobody is halfway through a change in the
	 * child. There it is child() that is called, not unlock(); and also
	 * where nothing was locked, because of a fork in a signal handler:
	 * locks are made anew there, and threads are gone. */
	void (*lock)(void);
	void (*unlock)(void);
	void (*child)(void);
};

/* libctprof-inject is there. */
CTP_API void ctp_private_devices(const struct device_calls *calls);

/* The mode that was asked for: by the recording that is on or was last, else by
 * the environment. Never CTP_GPU_DEFAULT. */
CTP_API enum ctp_gpu ctp_private_gpu(void);

/* The program had initialised the driver before it was to be recorded. */
CTP_API bool ctp_private_device_late(void);

/*
 * The calling thread bears that name, which what it makes inherits, from the
 * one call to the other; `own` has room for 16 bytes and is its name
 * otherwise. One thread at a time, and not for long: until then the program
 * does not end with its last thread.
 */
CTP_API void ctp_private_device_name(char *own);
CTP_API void ctp_private_own_name(const char *own);

/* The calling thread is the library's own: it is not to be recorded. */
CTP_API void ctp_private_mute(void);

/*
 * The number of the recording that is on, 0 if none is. Begins one that is
 * due. With a new one, the numbers of tracks and descriptions start afresh.
 * Unlike ctp_private_session() this is also for threads that are not recorded.
 */
CTP_API uint64_t ctp_private_device_session(void);

/*
 * A new track of the recording: a stream, where `number` is the driver's
 * (LOG_STREAM), or the driver's report of a thread's calls, where it is the
 * thread's (LOG_CALLS). 0 if there is no recording, or no room.
 *
 * Ownership: copies.
 */
CTP_API uint32_t ctp_private_stream(enum log_track_kind kind, int64_t number,
	const struct device_place *place, const char *name);

/* The number by which descriptions name this site. */
CTP_API uint32_t ctp_private_site_number(struct ctp_site *site);

/*
 * A whole block, packed as MessagePack, of one of the kinds LOG_DESCRIPTIONS,
 * LOG_DEVICE, LOG_DEVICE_LOSSES and LOG_DEVICE_FACTS. It is in the log before
 * whatever is stored later. False if it is too long, or there is no room, or no
 * recording.
 *
 * Ownership: copies.
 */
CTP_API bool ctp_private_block(
	enum log_block kind, const void *bytes, size_t size);

/*
 * Stores an activity. False if there is no room (and the policy is not to wait
 * for it), or no recording: who calls counts it.
 *
 * Threads: any, one after the other.
 */
CTP_API bool ctp_private_activity(const struct device_activity *activity);

/* Stores that this was one instant: on the clock of ctp_private_ticks(), and on
 * the device's. False as of ctp_private_activity(). */
CTP_API bool ctp_private_device_sync(uint64_t ticks, int64_t device_ns);

/* The innermost open range of this thread is the call of the device's API that
 * has this number. Does what a counter does, as fast. */
CTP_API void ctp_private_correlate(uint32_t correlation);

/* A range begins that is such a call: both at once, as fast as ctp_begin().
 * Returns whether it was opened. */
CTP_API int ctp_private_begin_call(struct ctp_site *site, uint32_t correlation);

/* Why nothing is recorded in a child of a program that uses CUDA. */
#define DEVICE_FORKED "CUDA cannot be used after fork"

/* Was this process forked from one where libctprof-inject was at work? */
bool device_is_forked(void);

/* For libctprof: passes on what happens, if there is anyone to hear it. */
void device_stop(void);
void device_lock(void);
void device_unlock(void);
void device_child(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The interface between libctprof and libctprof-instrument; not for programs,
 * and not stable, because both have the same version. libctprof owns the
 * recorder's state, so that a program that also uses ctp_begin() has one
 * recorder.
 */
#ifndef INSTRUMENT_ABI_H
#define INSTRUMENT_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "recorder/registry.h"

/* Functions called by libctprof. */
struct instrument_calls {
	/* The calling thread ends, and with it its open functions. */
	void (*thread_end)(void);
	/* A recording begins, perhaps with another filter. */
	void (*begin)(void);
	/* Around fork(): no change is unfinished in the child. */
	void (*lock)(void);
	void (*unlock)(void);
	/* Sites of the calling thread's open functions, outermost first, up to
	 * `room` of them. Returns how many are open. */
	uint32_t (*open)(uint32_t *sites, uint32_t room);
};

/* Registers libctprof-instrument. */
CTP_API void ctp_private_instrument(const struct instrument_calls *calls);

/*
 * The number of the recording of the calling thread's events; 0 if none. Begins
 * one that is due.
 */
CTP_API uint64_t ctp_private_session(void);

/*
 * Begin a range; end the innermost one. `ticks` is the time, 0 for now. Return
 * the time; 0 if the thread is not recorded.
 */
CTP_API uint64_t ctp_private_begin(uint32_t site, uint64_t ticks);
CTP_API uint64_t ctp_private_end(uint64_t ticks);

/* Adds to the calling thread's losses. */
CTP_API void ctp_private_lose(const struct chunk_losses *losses);

/* The clock of the records. */
CTP_API uint64_t ctp_private_ticks(void);

/* See registry.h. */
CTP_API uint32_t ctp_private_module(const struct registry_module *module);
CTP_API void ctp_private_module_closed(uint32_t module);
CTP_API uint32_t ctp_private_function(uint32_t module, uint64_t offset);
CTP_API uint32_t ctp_private_site(const char *name);

/* See function_filter.h. The caller holds the lock of instrument_calls. */
CTP_API uint32_t ctp_private_filter(const char *path);
CTP_API bool ctp_private_is_excluded(uint32_t filter, uint64_t offset);

/* For libctprof: pass events to libctprof-instrument, if registered. */
void instrument_thread_end(void);
void instrument_begin(void);
void instrument_lock(void);
void instrument_unlock(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The interface between libctprof and libctprof-instrument; not for programs,
 * and without a fixed form, because both are of one version. The recorder's
 * state is libctprof's, so that a program that also uses ctp_begin() has one
 * recorder.
 */
#ifndef INSTRUMENT_ABI_H
#define INSTRUMENT_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "recorder/registry.h"

/* What libctprof calls. */
struct instrument_calls {
	/* The calling thread ends: so do its open functions. */
	void (*thread_end)(void);
	/* A recording begins, perhaps with another filter. */
	void (*begin)(void);
	/* Around fork(): nobody is halfway through a change in the child. */
	void (*lock)(void);
	void (*unlock)(void);
	/* Sites of the calling thread's open functions, outermost first, up to
	 * `room` of them. Returns how many are open. */
	uint32_t (*open)(uint32_t *sites, uint32_t room);
};

/* libctprof-instrument is there. */
CTP_API void ctp_private_instrument(const struct instrument_calls *calls);

/*
 * The number of the recording that the calling thread's events go to; 0 if
 * none do. Begins one that is due.
 */
CTP_API uint64_t ctp_private_session(void);

/*
 * A range begins; the innermost one ends. `ticks` is the time, 0 stands for
 * now. Returns the time; 0 if the thread is not recorded.
 */
CTP_API uint64_t ctp_private_begin(uint32_t site, uint64_t ticks);
CTP_API uint64_t ctp_private_end(uint64_t ticks);

/* Adds to what the calling thread lost. */
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

/* For libctprof: passes on what happens, if there is anyone to hear it. */
void instrument_thread_end(void);
void instrument_begin(void);
void instrument_lock(void);
void instrument_unlock(void);

#endif

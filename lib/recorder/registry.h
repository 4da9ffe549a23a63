/* SPDX-License-Identifier: MIT */
/*
 * The sites of the process, numbered from 1 for all its recordings, and the
 * stream of site and track records. A recording begins with that stream, which
 * has its own chunks and grows with each new site.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "log/log.h"
#include "pack/spool.h"

/* Longer names are truncated and counted as a loss without a track: a record
 * must fit in a chunk. */
#define REGISTRY_TEXT_MAX 16000

/* The site in place of sites that could not be registered. */
#define REGISTRY_UNNAMED 1

/*
 * The number of this site, assigned now if new; REGISTRY_UNNAMED if out of
 * memory. Sets site->tag if the number fits a short record. Locks.
 */
uint32_t registry_site(struct ctp_site *site);

/* The permanent name of the site with this number; "" for functions known by
 * address. Locks. */
const char *registry_site_name(uint32_t number);

/* The interned site; "(unnamed)" if out of memory. Locks. */
struct ctp_site *registry_intern(const struct ctp_site_info *info);

/* Adds a track to this recording and writes its record; returns its number.
 * Locks. */
uint32_t registry_track(
	enum log_track_kind kind, uint32_t tid, const char *name);

/* The same for a hidden track, without a record. */
uint32_t registry_hidden_track(void);

/* Adds a device track; 0 without room or a recording. Locks. */
uint32_t registry_stream(enum log_track_kind kind, int64_t number,
	uint64_t place, const char *name);

/* Adds a whole block; false without room or a recording. Locks. */
bool registry_block(enum log_block kind, const void *bytes, size_t size);

/* Renames a track. Locks. */
void registry_rename(uint32_t track, enum log_track_kind kind, uint32_t tid,
	const char *name);

/* Records the losses of a track that ended, if there are any. Locks. */
void registry_losses(uint32_t track, const struct chunk_losses *losses);

/* A program or library in memory. */
struct registry_module {
	uint64_t base;
	uint64_t bytes;
	const char *path;
	const uint8_t *build_id;
	uint32_t build_id_bytes;
};

/*
 * The module's number, from 1; 0 if out of memory. The same file at the same
 * place is the same module, even if it was unloaded meanwhile. Locks.
 * Ownership: copies.
 */
uint32_t registry_module(const struct registry_module *module);

/* Marks the module as unloaded. Locks. */
void registry_module_closed(uint32_t module);

/* The site number of the function at this offset of the module;
 * REGISTRY_UNNAMED if out of memory. Locks. */
uint32_t registry_function(uint32_t module, uint64_t offset);

/* Begins the stream of a recording in `spool` with all sites so far; false if
 * it has no free chunk. */
bool registry_start(struct spool *spool);
void registry_stop(void);

/* Around fork(): no change is unfinished in the child. */
void registry_lock(void);
void registry_unlock(void);

/* In a child after a fork that did not lock: the holder may be gone. */
void registry_forget(void);

/*
 * For the background thread: the oldest chunk of the stream that is not yet
 * wholly in the log. `*last` is set if records may still be added to it; if
 * not, and all is consumed, registry_pass() returns it and continues.
 */
struct chunk *registry_chunk(bool *last);
void registry_pass(void);

#endif

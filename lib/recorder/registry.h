/* SPDX-License-Identifier: MIT */
/*
 * The sites of the process, numbered from 1 for all its recordings, and the
 * stream of site and track records. A recording begins with that stream; it
 * lies in chunks of its own and grows with each new site.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "log/log.h"
#include "pack/spool.h"

/* Longer names are cut, and counted as lost by no track: a record must fit a
 * chunk. */
#define REGISTRY_TEXT_MAX 16000

/* The site that stands for those which could not be registered. */
#define REGISTRY_UNNAMED 1

/*
 * The number of this site, given now if it is new; REGISTRY_UNNAMED if there
 * is no memory. Sets site->tag if the number fits a short record. Locks.
 */
uint32_t registry_site(struct ctp_site *site);

/* The name of the site of this number, which stays; "" for functions known by
 * their address. Locks. */
const char *registry_site_name(uint32_t number);

/* The interned site; "(unnamed)" if out of memory. Locks. */
struct ctp_site *registry_intern(const struct ctp_site_info *info);

/* A new track's number in this recording; writes its record. Locks. */
uint32_t registry_track(
	enum log_track_kind kind, uint32_t tid, const char *name);

/* The same of a track that nobody is to know of; no record. */
uint32_t registry_hidden_track(void);

/* A track of a device; 0 if its record has no room, or there is no recording.
 * Locks. */
uint32_t registry_stream(enum log_track_kind kind, int64_t number,
	uint64_t place, const char *name);

/* Adds a whole block; false if it has no room, or there is no recording.
 * Locks. */
bool registry_block(enum log_block kind, const void *bytes, size_t size);

/* Renames a track. Locks. */
void registry_rename(uint32_t track, enum log_track_kind kind, uint32_t tid,
	const char *name);

/* Records the losses of a track that ended, if there are any. Locks. */
void registry_losses(uint32_t track, const struct chunk_losses *losses);

/* A program or library as it lies in memory. */
struct registry_module {
	uint64_t base;
	uint64_t bytes;
	const char *path;
	const uint8_t *build_id;
	uint32_t build_id_bytes;
};

/*
 * The module's number, from 1; 0 if there is no memory. The same file at the
 * same place is the same module, also if it was away meanwhile. Locks.
 * Ownership: copies.
 */
uint32_t registry_module(const struct registry_module *module);

/* The module was unloaded. Locks. */
void registry_module_closed(uint32_t module);

/* The number of the site of the function that begins at this offset in this
 * module; REGISTRY_UNNAMED if there is no memory. Locks. */
uint32_t registry_function(uint32_t module, uint64_t offset);

/* Begins the stream of a recording in `spool` with all sites so far; false if
 * it has no chunk to give. */
bool registry_start(struct spool *spool);
void registry_stop(void);

/* Around fork(): nobody is halfway through a change in the child. */
void registry_lock(void);
void registry_unlock(void);

/* In a child after a fork that did not lock: who held it may be gone. */
void registry_forget(void);

/*
 * For the background thread: the oldest chunk of the stream that is not yet
 * wholly in the log. `*last` says whether records may still be added to it;
 * if not, and all is consumed, registry_pass() gives it back and goes on.
 */
struct chunk *registry_chunk(bool *last);
void registry_pass(void);

#endif

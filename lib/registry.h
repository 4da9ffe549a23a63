/* SPDX-License-Identifier: MIT */
/*
 * The sites of the process, numbered from 1 for all its recordings; and the
 * stream of site and track records, in chunks of its own, that a recording
 * begins with and that grows as new ones are met.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "log.h"
#include "spool.h"

/* Longer names are cut (and counted): a record must fit a chunk. */
#define REGISTRY_TEXT_MAX 16000

/* The site that stands for those which could not be registered. */
#define REGISTRY_UNNAMED 1

/*
 * The number of this site, given now if it is new; REGISTRY_UNNAMED if there
 * is no memory. Sets site->tag if the number fits a short record. Locks.
 */
uint32_t registry_site(struct ctp_site *site);

/* The interned site; "(unnamed)" if out of memory. Locks. */
struct ctp_site *registry_intern(
	const char *name, const char *file, uint32_t line);

/* A new track's number in this recording; writes its record. Locks. */
uint32_t registry_track(
	enum log_track_kind kind, uint32_t tid, const char *name);

/* Renames a track. Locks. */
void registry_rename(uint32_t track, enum log_track_kind kind, uint32_t tid,
	const char *name);

/* What a track that ended had lost, in all; nothing if nothing. Locks. */
void registry_losses(
	uint32_t track, uint32_t ranges, uint32_t events, uint32_t cut_text);

/* Begins the stream of a recording in `spool` with all sites so far; false if
 * it has no chunk to give. */
bool registry_start(struct spool *spool);
void registry_stop(void);

/* Around fork(): nobody is halfway through a change in the child. */
void registry_lock(void);
void registry_unlock(void);

/*
 * For the background thread: the oldest chunk of the stream that is not yet
 * wholly in the log. `*last` says whether records may still be added to it;
 * if not, and all is consumed, registry_pass() gives it back and goes on.
 */
struct chunk *registry_chunk(bool *last);
void registry_pass(void);

#endif

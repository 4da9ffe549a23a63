/* SPDX-License-Identifier: MIT */
/* The registry's stream of records, for the files that add to it. */
#ifndef REGISTRY_PRIVATE_H
#define REGISTRY_PRIVATE_H

#include "pack/chunk.h"
#include "recorder/registry.h"
#include "recorder/thread.h"

#define REGISTRY_TEXTS 4

/* A record of the stream: numbers, then some texts run together. */
struct registry_record {
	enum chunk_long kind;
	uint32_t count;
	uint64_t numbers[4];
	const char *texts[REGISTRY_TEXTS];
	size_t sizes[REGISTRY_TEXTS];
};

/* Stores a record; false if there is no room, or no recording. The lock is
 * held. */
bool registry_emit(const struct registry_record *record);

/* Counts texts that were cut: of sites and tracks. The lock is held. */
void registry_cut(uint64_t texts);

/* Takes the lock for a call that a thread makes; see thread_hold(). */
struct thread_hold registry_hold(void);
void registry_release(struct thread_hold before);

/* Is there a recording? The lock is held. */
bool registry_is_on(void);

/* Stores the records of all sites so far. The lock is held. */
bool registry_emit_sites(void);

/* Stores the records of all modules so far. The lock is held. */
bool registry_emit_modules(void);

#endif

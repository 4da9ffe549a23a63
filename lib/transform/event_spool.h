/* SPDX-License-Identifier: MIT */
/*
 * Stores the events of many sources in one temporary file, so that each source
 * can be closed before the next one is opened, and all are read side by side
 * later.
 *
 * Memory: names once for all sources; tracks, devices and facts of each; a
 * buffer of 4 KiB to 64 KiB for each source that is read, 32 MiB together. On
 * disk: some 40 bytes for each event, and its arguments.
 */
#ifndef EVENT_SPOOL_H
#define EVENT_SPOOL_H

#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

struct event_spool;

/* Returns an empty spool; free with event_spool_free(). NULL if out of
 * memory. */
struct event_spool *event_spool_new(void);

/* Frees it with all its sources. NULL is allowed. */
void event_spool_free(struct event_spool *spool);

/*
 * Reads a source of events to its end. `*stored` then has the same events, and
 * a trace that grows while they are read just as the source's did. Its facts,
 * losses and ends are those after the first event; after the last one, those of
 * the whole source.
 * All stored sources share their text and sites: see event_spool_tables().
 *
 * Errors: those of the source; CTP_ERR_IO if the file cannot be written,
 * CTP_ERR_NOMEM. Ownership: the spool's; its close() does nothing. `source` is
 * not needed afterwards.
 */
enum ctp_status event_spool_add(struct event_spool *spool,
	struct event_source *source, struct event_source **stored,
	struct ctp_error *err);

/* Call it once after the last source, before events are read. Errors:
 * CTP_ERR_IO. */
enum ctp_status event_spool_finish(
	struct event_spool *spool, struct ctp_error *err);

/* The same events once more, before those of `stored` are read, with the trace
 * as it is at their end. Borrowed until the next call. */
struct event_source *event_spool_scan(struct event_source *stored);

/* The trace whose text and sites all stored sources share. */
const struct trace *event_spool_tables(const struct event_spool *spool);

#endif

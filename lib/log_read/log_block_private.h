/* SPDX-License-Identifier: MIT */
/* What the files that take blocks in share; nobody else includes it. */
#ifndef LOG_BLOCK_PRIVATE_H
#define LOG_BLOCK_PRIVATE_H

#include "log_read/log_block.h"

/* What taking a block came to. */
enum log_verdict { LOG_SOUND, LOG_DAMAGED, LOG_NO_MEMORY };

/* The track of this number, made if it is new; NULL if out of memory. */
struct log_track *log_block_track(
	struct log_recording *recording, uint32_t number);

/* Is this key that name? */
bool log_block_is(const char *key, size_t size, const char *name);

/* Losses as a block tells of them: so many so far. */
struct log_losses {
	uint64_t *known; /* of the block before; NULL: nothing is applied */
	enum trace_loss first;
	enum trace_loss last;
};

/* Counts what a map of losses says of these, by name, beyond what is known: a
 * block that came late says nothing new. */
enum log_verdict log_block_take_losses(struct log_recording *recording,
	struct cursor block, const struct log_losses *losses);

/* Finishes the recording, and forgets all of it that is not for the next one.
 */
void log_block_next(struct log_recording *recording);

/* These are called twice: first to see whether the whole block is sound, then
 * to `apply` it. */
enum log_verdict log_site_take(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_site_take_module(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_site_take_closed(
	struct log_recording *recording, struct cursor block, bool apply);

enum log_verdict log_device_take_descriptions(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_device_take_properties(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_device_take_sync(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_device_take_losses(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_facts_take_device(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_facts_take(
	struct log_recording *recording, struct cursor block, bool apply);

/* A fact that is a number; false if out of memory. */
bool log_facts_set_number(
	struct trace *trace, const char *key, uint64_t number);

/* Are activities on such a track, and no ranges? */
static inline bool log_block_is_device(enum log_track_kind kind)
{
	return kind == LOG_STREAM || kind == LOG_CALLS;
}

enum ctp_status log_facts_take_header(struct log_recording *recording,
	struct cursor block, enum log_verdict *verdict, struct ctp_error *err);
enum log_verdict log_facts_take_end(
	struct log_recording *recording, struct cursor block, bool apply);
/* A block of events, or activities, of so many elements, from its second on. */
enum log_verdict log_events_take(struct log_recording *recording,
	struct cursor block, uint32_t elements);
enum log_verdict log_device_take(struct log_recording *recording,
	struct cursor block, uint32_t elements);

#endif

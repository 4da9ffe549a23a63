/* SPDX-License-Identifier: MIT */
/* A recorder that is driven step by step, and can die between any two steps.
 * Its log is record_case_path, its clock counts nanoseconds from `start`. */
#ifndef RECOVER_CASE_H
#define RECOVER_CASE_H

#include "pack/pack.h"
#include "lib/recorder/record_case.h"
#include "recover/recover.h"

struct hand {
	struct spool spool;
	struct log_writer *writer;
	struct packer *packer;
	struct chunk *registry;
	uint32_t registry_used; /* words */
	uint64_t start;
};

/* A spool with this many chunks, a site ("inner", number 1) and two tracks. */
void hand_open(struct hand *hand, uint32_t chunks);

/* Writes header, start and registry to the log. */
void hand_begin_log(struct hand *hand);

/* A chunk for the track's records. */
struct chunk *hand_take(struct hand *hand, uint32_t track, uint64_t seq);

/* Records `count` ranges of a microsecond each, the first at `at_ns`, after the
 * chunk's records. */
void hand_ranges(
	struct hand *hand, struct chunk *chunk, uint32_t count, int64_t at_ns);

/* Writes the chunk's new records to the log, not yet journaled; returns the
 * chunk's part that is then in the log. */
uint32_t hand_write(struct hand *hand, struct chunk *chunk);
void hand_commit(struct hand *hand, struct chunk *chunk, uint32_t consumed);

/* Both. */
void hand_pack(struct hand *hand, struct chunk *chunk);

/* Ends the log, as at the stop. */
void hand_end_log(struct hand *hand);

/* Dies: the spool stays. */
void hand_die(struct hand *hand);

/* Completes the log of the only spool in the directory; this removes the spool
 * if it succeeds. */
enum ctp_status hand_recover(const char *log, struct recover_result *result);

/* The only spool in the directory; "" if there is none. */
const char *hand_spool(void);

#endif

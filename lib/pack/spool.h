/* SPDX-License-Identifier: MIT */
/*
 * The chunks of one recording, in a file mapped shared, so that a program's
 * events outlive it, however it dies. The header holds everything that another
 * process needs to complete the log.
 *
 * A wild store of the program may hit the mapping. So the recorder keeps its
 * own copy of the header, the lists and each chunk's progress, and only writes
 * them to the mapping.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "pack/chunk.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file_id.h"

#define SPOOL_MAGIC "CTPSPOOL"
#define SPOOL_VERSION 3
#define SPOOL_PATH_BYTES 4096
#define SPOOL_DIRECTORY "/dev/shm" /* where nothing else is asked for */
/* Made of user, process, the process's number of it, and chance: anyone who
 * could guess the name could make the file first. */
#define SPOOL_NAME "ctprof.%u.%ld.%u.%016" PRIx64 ".spool"
#define SPOOL_ERROR_BYTES 512
#define SPOOL_COMMAND_BYTES ((size_t)32 * 1024)

/* The background thread is woken when this number of chunks is full, or a
 * quarter of all if that is less; fewer wait for its next round. Waking it for
 * each costs both threads more than the wait. */
#define SPOOL_BATCH 8

#define SPOOL_NO_CHUNK UINT32_MAX

/* How far the log has come. */
struct spool_extent {
	uint64_t bytes;
	uint64_t events;
	int64_t newest_ns; /* log time of its newest event */
};

/*
 * How much of a chunk is in the log, once the log has come so far. The chunk
 * may have been given back since, and be another thread's by now: it is this
 * one only if track and number are still the same.
 */
struct spool_commit {
	struct spool_extent log;
	uint64_t seq;
	uint32_t track;
	uint32_t chunk; /* SPOOL_NO_CHUNK: the log grew by something else */
	uint32_t consumed;
};

/* The log's header block for the recording, which another process may have to
 * write. */
struct spool_facts {
	uint32_t pid;
	uint32_t parent; /* the process it was forked from; 0: none */
	uint32_t policy; /* enum ctp_policy */
	uint32_t level;
	uint64_t min_ns;
	char boot_id[64]; /* the ticks mean nothing after another boot */
	char host[256];
	uint32_t command_bytes;
	char command[SPOOL_COMMAND_BYTES]; /* arguments, each with its zero */
};

/* What a recording's ticks are. */
enum spool_clock {
	SPOOL_CLOCK_SYSTEM, /* nanoseconds of CLOCK_MONOTONIC_RAW */
	SPOOL_CLOCK_TSC,    /* the time-stamp counter */
	SPOOL_CLOCK_EVENTS, /* how many events were recorded */
	SPOOL_CLOCKS
};

/*
 * The recorder holds a lock (flock) on the file while it lives: a spool that
 * can be locked was left behind.
 */
struct spool_header {
	char magic[8];
	uint32_t version;
	/* All that the recorder fills in at the start is there. Before, nothing
	 * is recorded. */
	_Atomic uint32_t ready;
	_Atomic uint32_t chunk_count;
	uint32_t clock; /* enum spool_clock: what ticks are */
	struct clock_sync start;
	struct clock_scale scale; /* ns_per_tick is 0 until it is known */
	/* Two entries written in turn, so that one is always whole:
	 * commits[sequence & 1] is the one that counts. */
	struct spool_commit commits[2];
	_Atomic uint64_t sequence;
	char log_path[SPOOL_PATH_BYTES]; /* absolute */
	uint64_t log_device;             /* and which file that is */
	uint64_t log_inode;
	char error
		[SPOOL_ERROR_BYTES]; /* why recording stopped before its time; "" */
	struct spool_facts facts;
	/* Forked processes that have no log, as of the last round; behind all
	 * else, for in older spools it is 0. */
	uint32_t unrecorded;
};

/* The state of a chunk that the recorder relies on. */
struct spool_slot {
	_Atomic uint32_t link; /* index + 1 of the next in a list; 0: none */
	uint32_t used;         /* words that its thread stored, once full */
	uint32_t consumed;     /* words that are in the log */
	uint32_t track;        /* these three as in the chunk */
	uint64_t seq;
	uint64_t base;
	struct chunk_losses losses; /* likewise; its thread may note more */
};

/* May a thread be about to store a record there? */
typedef bool spool_in_use(const void *address, size_t bytes);

struct spool_addresses {
	uint8_t *start;
	size_t bytes;
};

struct spool {
	struct spool_header *header; /* NULL: none */
	struct spool_header own;     /* what stands there, unless it was hit */
	struct spool_slot *slots;    /* by index, behind the chunks */
	struct spool_addresses addresses; /* all that it may have */
	int fd;                           /* -1: memory that does not survive */
	struct file_id id;                /* of the file */
	uint32_t chunk_max;
	uint32_t batch; /* chunks, see SPOOL_BATCH */
	char path[SPOOL_PATH_BYTES];
	/* Chunks nobody uses: head is tag << 32 | index + 1, the tag counts
	 * pops, so that a head that left and came back is noticed. */
	_Atomic uint64_t free_head;
	_Atomic uint32_t full_head;  /* index + 1, newest first */
	_Atomic uint32_t full_count; /* pushed since the last pop */
	_Atomic uint32_t full_event; /* futex: counts wakings */
	_Atomic uint32_t free_event; /* futex: counts chunks given back */
	_Atomic uint32_t waiting;    /* threads that wait for a free chunk */
	_Atomic uint32_t growing;
};

/*
 * Makes the file `directory`/SPOOL_NAME with `chunks` chunks that may grow to
 * `chunk_max`. Where no file can be made (no such directory, no
 * space) memory is taken instead, that does not survive the program. `in_use`
 * tells which addresses of former spools may be taken again; NULL: no thread of
 * this process records.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status spool_open(struct spool *spool, const char *directory,
	uint32_t chunks, uint32_t chunk_max, spool_in_use *in_use,
	struct ctp_error *err);

/*
 * Is there a spool of this user and this process's number in the directory,
 * made since the process began? Before the first is made, it is of what the
 * process was before it called exec.
 */
bool spool_was_left(const char *directory);

/*
 * Removes the file, unless it is to be kept. The addresses stay mapped, to
 * empty memory, since a thread may be about to store a record.
 */
void spool_close(struct spool *spool, bool keep);

/* In a child after fork: lets go of the parent's spool, which it shares,
 * without touching it. Its header is empty memory then, so that a thread that
 * was interrupted in here may go on. */
void spool_leave(struct spool *spool);

/* Fills in pid, boot, host and command; with `no_command`, that is the name of
 * the program's file alone. */
void spool_describe_process(struct spool_facts *facts, bool no_command);

/* Stores the own header in the mapping. Before anything is recorded. */
void spool_publish(struct spool *spool);

/* Adds up to `chunks` chunks; false at the maximum or without space. Any
 * thread; where two meet, one grows and the other waits for it. */
bool spool_grow(struct spool *spool, uint32_t chunks);

struct chunk *spool_chunk(const struct spool *spool, uint32_t index);
uint32_t spool_index(const struct spool *spool, const struct chunk *chunk);

/* An unused chunk, all zero, or NULL. Lock-free, any thread. */
struct chunk *spool_pop_free(struct spool *spool);

/* Gives a chunk back. Clears it. Any thread. */
void spool_push_free(struct spool *spool, struct chunk *chunk);

/* Notes what a chunk is for, in its slot as well, before its first record. */
void spool_label(struct spool *spool, struct chunk *chunk, uint32_t track,
	uint64_t seq, uint64_t base);

/* The same again, if it was overwritten. */
void spool_restore_label(const struct spool *spool, struct chunk *chunk);

/* Notes what was lost on the chunk's track, likewise. Its thread, at any time.
 */
void spool_set_losses(struct spool *spool, struct chunk *chunk,
	const struct chunk_losses *losses);
struct chunk_losses spool_losses(
	const struct spool *spool, const struct chunk *chunk);

/* Hands a full chunk, of which `used` words were stored, to the background
 * thread. Lock-free, any thread. */
void spool_push_full(struct spool *spool, struct chunk *chunk, uint32_t used);

/* All full chunks as a list, oldest first; NULL if none. */
struct chunk *spool_pop_full(struct spool *spool);

/* The chunk after this one in such a list, or NULL. */
struct chunk *spool_next(const struct spool *spool, const struct chunk *chunk);

/* Makes `next` the chunk after this one, of which `used` words were stored. */
void spool_link(struct spool *spool, const struct chunk *chunk, uint32_t used,
	const struct chunk *next);

/* Words of a chunk that its thread stored, once it was pushed; and that are in
 * the log. */
uint32_t spool_used(const struct spool *spool, const struct chunk *chunk);
uint32_t spool_consumed(const struct spool *spool, const struct chunk *chunk);

/* The oldest full chunk of this track whose seq is `*seq` or more, and through
 * `seq` its own; or NULL. While nobody pops. */
const struct chunk *spool_find_full(
	const struct spool *spool, uint32_t track, uint64_t *seq);

/* How many records are not in the log, in all chunks. */
uint64_t spool_left(const struct spool *spool);

/* Waits until a chunk is full (or woken), or a chunk is free; at most this
 * long. */
void spool_wait_full(struct spool *spool, uint32_t seen, int64_t max_ns);
void spool_wait_free(struct spool *spool, int64_t max_ns);
void spool_wake(struct spool *spool);

/* Notes that the log now holds `consumed` words of `chunk`, in the chunk as
 * well; or, where that is NULL, that it grew by something else. */
void spool_commit(struct spool *spool, struct chunk *chunk, uint32_t consumed,
	struct spool_extent log);

#endif

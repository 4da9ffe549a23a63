/* SPDX-License-Identifier: MIT */
/*
 * The chunks of one recording, in a shared file mapping, so that a program's
 * events survive any death of it. The header has everything that another
 * process needs to complete the log.
 *
 * A wild store of the program may hit the mapping. So the recorder keeps its
 * own copy of the header, the lists and each chunk's progress, and only writes
 * them to the mapping.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include <inttypes.h>
#include <pthread.h>
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
#define SPOOL_DIRECTORY "/dev/shm" /* default */
/* User, process, the spool's number in the process, and a random number: anyone
 * who could guess the name could create the file first. */
#define SPOOL_NAME "ctprof.%u.%ld.%u.%016" PRIx64 ".spool"
#define SPOOL_ERROR_BYTES 512
#define SPOOL_COMMAND_BYTES ((size_t)32 * 1024)

#define SPOOL_NO_CHUNK UINT32_MAX

/*
 * A chunk has memory for all of its words, or only at its beginning: with many
 * threads each gets less. Addresses and the file have the whole size, so that a
 * chunk's place depends on its number only; the rest is a hole of the file.
 */
#define SPOOL_PAGE_BYTES ((size_t)4096)
#define SPOOL_CHUNK_PAGES ((uint32_t)(CHUNK_BYTES / SPOOL_PAGE_BYTES))

/* The progress of the log. */
struct spool_extent {
	uint64_t bytes;
	uint64_t events;
	int64_t newest_ns; /* log time of its newest event */
};

/*
 * The part of a chunk that is in the log at this progress. The chunk may have
 * been returned since and belong to another thread: it is the same only if
 * track and number are unchanged.
 */
struct spool_commit {
	struct spool_extent log;
	uint64_t seq;
	uint32_t track;
	uint32_t chunk; /* SPOOL_NO_CHUNK: other data was added */
	uint32_t consumed;
};

/* Data of the log's header block, which another process may have to write. */
struct spool_facts {
	uint32_t pid;
	uint32_t parent; /* the process it was forked from; 0: none */
	uint32_t policy; /* enum ctp_policy */
	uint32_t level;
	uint64_t min_ns;
	char boot_id[64]; /* ticks are meaningless after a reboot */
	char host[256];
	uint32_t command_bytes;
	char command[SPOOL_COMMAND_BYTES]; /* arguments, each with its zero */
};

/* The unit of a recording's ticks. */
enum spool_clock {
	SPOOL_CLOCK_SYSTEM, /* nanoseconds of CLOCK_MONOTONIC_RAW */
	SPOOL_CLOCK_TSC,    /* the time-stamp counter */
	SPOOL_CLOCK_EVENTS, /* number of events recorded */
	SPOOL_CLOCKS
};

/*
 * The recorder holds a lock (flock) on the file while it lives: a spool that
 * can be locked is abandoned.
 */
struct spool_header {
	char magic[8];
	uint32_t version;
	/* The recorder has filled in the initial values; nothing is recorded
	 * before. */
	_Atomic uint32_t ready;
	_Atomic uint32_t chunk_count;
	uint32_t clock; /* enum spool_clock */
	struct clock_sync start;
	struct clock_scale scale; /* ns_per_tick is 0 until it is known */
	/* Two entries written alternately, so that one is always complete:
	 * commits[sequence & 1] is valid. */
	struct spool_commit commits[2];
	_Atomic uint64_t sequence;
	char log_path[SPOOL_PATH_BYTES]; /* absolute */
	uint64_t log_device;             /* identity of that file */
	uint64_t log_inode;
	char error[SPOOL_ERROR_BYTES]; /* why recording stopped early; "" */
	struct spool_facts facts;
	/* Forked processes without a log at the last round; at the end,
	 * because it is 0 in older spools. */
	uint32_t unrecorded;
	/* Measured cost of recording a range, in picoseconds; 0: unknown.
	 * Likewise. */
	uint32_t range_ps;
	/* The process's rank in its job, + 1; 0: unknown. Likewise. */
	uint32_t rank;
	/* Events that were not kept, see window.h. Likewise. */
	uint64_t earlier_events;
	/* After the log could not be written: ranges and other events that are
	 * neither in the log nor in a chunk; and the byte of the log's block for
	 * such losses, 0 if it is missing. Likewise. */
	uint64_t unwritten_ranges;
	uint64_t unwritten_events;
	uint64_t unwritten_at;
};

/* The state of a chunk that the recorder relies on. */
struct spool_slot {
	_Atomic uint32_t link;  /* index + 1 of the next in a list; 0: none */
	_Atomic uint32_t pages; /* that have memory */
	uint32_t used;          /* words that its thread stored, once full */
	uint32_t consumed;      /* words that are in the log */
	uint32_t track;         /* these three like in the chunk */
	uint64_t seq;
	uint64_t base;
	struct chunk_losses losses; /* likewise; its thread may increase them */
};

/* Whether a thread may be about to store a record there. */
typedef bool spool_in_use(const void *address, size_t bytes);

struct spool_addresses {
	uint8_t *start;
	size_t bytes;
};

struct spool {
	struct spool_header *header;      /* NULL: none */
	struct spool_header own;          /* intended contents of `header` */
	struct spool_slot *slots;         /* by index, after the chunks */
	struct spool_addresses addresses; /* all that it may have */
	int fd;                           /* -1: memory that is lost with the
					   * program */
	struct file_id id;                /* of the file */
	uint32_t chunk_max;               /* whole ones, that fit the memory */
	uint32_t index_max;               /* of any size */
	_Atomic uint32_t pages;           /* of all chunks */
	char path[SPOOL_PATH_BYTES];
	/* Unused chunks: head is tag << 32 | index + 1; the tag counts pops, to
	 * detect a head that was popped and pushed again. */
	_Atomic uint64_t free_head;
	_Atomic uint32_t full_head;  /* index + 1, newest first */
	_Atomic uint32_t full_count; /* their pages, since the last pop */
	_Atomic uint32_t full_event; /* futex: counts wakeups */
	_Atomic uint32_t free_event; /* futex: counts returned chunks */
	_Atomic uint32_t waiting;    /* threads that wait for a free chunk */
	pthread_mutex_t growing;     /* held to add chunks */
	_Atomic uint32_t refused;    /* attempts since there was no space */
};

/*
 * Creates the file `directory`/SPOOL_NAME with `chunks` chunks, at most
 * `chunk_max`, fewer if the process has a limit of addresses. If that fails (no such directory, no space), uses memory, which
 * is lost with the program. Addresses of former spools for which `in_use` returns
 * false may be taken again; NULL: no thread of this process records.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status spool_open(struct spool *spool, const char *directory,
	uint32_t chunks, uint32_t chunk_max, spool_in_use *in_use,
	struct ctp_error *err);

/*
 * Whether the directory has a spool of this user and pid, created since the
 * process began. Before the first own one, it is from the program that called
 * exec.
 */
bool spool_was_left(const char *directory);

/*
 * Removes the file, unless it must be kept. The addresses stay mapped, to
 * empty memory, since a thread may be about to store a record.
 */
void spool_close(struct spool *spool, bool keep);

/* In a child after fork: detaches from the shared spool of the parent without
 * changing it. Its header becomes empty memory, so that a thread that was
 * interrupted in here can continue. */
void spool_leave(struct spool *spool);

/*
 * Leaves a file without chunks in the directory, with the reason why the process does
 * not record, for its recovery. It is not ready, and not locked. Nothing happens if
 * that fails, or if REASONS_MOST of the user's spools are there.
 */
void spool_leave_reason(
	const char *directory, int64_t realtime_ns, const char *reason);

/* Fills in pid, boot, host and command; with `no_command` only the name of the
 * program's file. */
void spool_describe_process(struct spool_facts *facts, bool no_command);

/* Stores our header in the mapping. Call it before anything is recorded. */
void spool_publish(struct spool *spool);

/* Adds up to `chunks` whole chunks; false at the maximum or without space. Any
 * thread; one at a time. */
bool spool_grow(struct spool *spool, uint32_t chunks);

/* Likewise chunks of `pages` pages, as long as all have at most `page_max`, unless
 * there are unused ones. */
bool spool_grow_small(struct spool *spool, uint32_t chunks, uint32_t pages,
	uint32_t page_max);

/* Words for records in this chunk. One that is not whole has another word, 0,
 * at the end of its memory, so that readers stop there. */
uint32_t spool_room(const struct spool *spool, const struct chunk *chunk);

/* Its pages that have memory, and those that `words` words need. */
uint32_t spool_chunk_pages(
	const struct spool *spool, const struct chunk *chunk);
uint32_t spool_pages(size_t words);

/* Give an unused chunk memory for at least, or at most, `pages` pages. The first
 * is false without space, or if all would have more than `page_max`. By its
 * owner. */
bool spool_extend(struct spool *spool, struct chunk *chunk, uint32_t pages,
	uint32_t page_max);
void spool_trim(struct spool *spool, struct chunk *chunk, uint32_t pages);

struct chunk *spool_chunk(const struct spool *spool, uint32_t index);
uint32_t spool_index(const struct spool *spool, const struct chunk *chunk);

/* Takes an unused chunk, all zero; NULL if there is none. Lock-free, any
 * thread. */
struct chunk *spool_pop_free(struct spool *spool);

/* Clears and returns a chunk. Any thread. */
void spool_push_free(struct spool *spool, struct chunk *chunk);

/* Sets the track of a chunk and its slot, before its first record. */
void spool_label(struct spool *spool, struct chunk *chunk, uint32_t track,
	uint64_t seq, uint64_t base);

/* Restores it if it was overwritten. */
void spool_restore_label(const struct spool *spool, struct chunk *chunk);

/* Sets the losses of the chunk's track, likewise. Its thread, at any time. */
void spool_set_losses(struct spool *spool, struct chunk *chunk,
	const struct chunk_losses *losses);
struct chunk_losses spool_losses(
	const struct spool *spool, const struct chunk *chunk);

/* Passes a full chunk with `used` words to the background thread. Lock-free,
 * any thread. */
void spool_push_full(struct spool *spool, struct chunk *chunk, uint32_t used);

/* All full chunks as a list, oldest first; NULL if none. */
struct chunk *spool_pop_full(struct spool *spool);

/* The chunk after this one in such a list, or NULL. */
struct chunk *spool_next(const struct spool *spool, const struct chunk *chunk);

/* Links `next` after this chunk, which has `used` words. */
void spool_link(struct spool *spool, const struct chunk *chunk, uint32_t used,
	const struct chunk *next);

/* Makes a full chunk appear to be empty. */
void spool_hide(struct spool *spool, struct chunk *chunk);

/* Replaces the contents of a full chunk by the `used` words of `from`, at least
 * one, and its base; track and number stay. It takes a few instructions;
 * spool_clear_rest() is due, which takes more. */
void spool_rewrite(struct spool *spool, struct chunk *chunk,
	const struct chunk *from, uint32_t used);
void spool_clear_rest(const struct spool *spool, struct chunk *chunk);

/* Words stored in a pushed chunk; and words that are in the log. */
uint32_t spool_used(const struct spool *spool, const struct chunk *chunk);
uint32_t spool_consumed(const struct spool *spool, const struct chunk *chunk);

/* The oldest full chunk of this track whose seq is at least `*seq`, which is
 * set to its own; or NULL. Not concurrent with pops. */
const struct chunk *spool_find_full(
	const struct spool *spool, uint32_t track, uint64_t *seq);

/* The records that are not in the log, in a chunk or in all; adds to `left`. */
struct spool_left {
	uint64_t records;
	uint64_t ranges; /* begins among them */
	uint64_t others; /* neither begins nor ends */
};

void spool_add_left(const struct chunk *chunk, struct spool_left *left);
struct spool_left spool_left(const struct spool *spool);

/* Wait until a chunk is full (or woken), or free; at most `max_ns`. */
void spool_wait_full(struct spool *spool, uint32_t seen, int64_t max_ns);
void spool_wait_free(struct spool *spool, int64_t max_ns);
void spool_wake(struct spool *spool);

/* Records in the journal and the chunk that the log has `consumed` words of
 * `chunk`; or, if NULL, that other data was added. */
void spool_commit(struct spool *spool, struct chunk *chunk, uint32_t consumed,
	struct spool_extent log);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A chunk of records, as it lies in the spool; and what a record looks like.
 *
 * A record is one 8-byte word or more, and is complete as soon as its first
 * word is not zero: that word is stored last. So neither the background thread
 * nor a reader after the program's death needs to know how far the writing
 * thread got. Chunks are zero when they are handed out.
 *
 *	word   = ticks << 20 | site   a range begins (site 1 …) or ends (0);
 *	                              the ticks' low 44 bits
 *	word   = … | 0xfffff          a long record: kind, number of words
 *	                              after this one, and a detail
 *
 * 44 bits of ticks are at least 58 minutes up to 5 GHz; they count from the
 * chunk's base. A chunk older than a quarter of that is changed at the
 * thread's next event (drain.c sees to it), whose chunk has a fresh base.
 */
#ifndef CHUNK_H
#define CHUNK_H

#include <stdatomic.h>
#include <stdint.h>

#include "ctprof.h"

#define CHUNK_BYTES ((size_t)64 * 1024)
#define CHUNK_WORDS (CHUNK_BYTES / 8 - 8)
#define CHUNK_TICK_BITS (64 - CTP_ID_BITS)
#define CHUNK_ID_LONG ((UINT32_C(1) << CTP_ID_BITS) - 1)
#define CHUNK_MAX_AGE (UINT64_C(1) << (CHUNK_TICK_BITS - 2))

struct chunk {
	_Atomic uint32_t link; /* index + 1 of the next in a list; 0: none */
	uint32_t track;        /* 0: the registry's sites and tracks */
	uint64_t seq;          /* 0, 1, … among the track's chunks */
	uint64_t base;         /* full ticks when it was handed out */
	uint32_t consumed;     /* words that are in the log already */
	/* Lost on this track until the chunk was handed out, in all. */
	uint32_t dropped_ranges;
	uint32_t dropped_events;
	uint32_t cut_text;
	uint32_t reserved[6];
	uint64_t words[CHUNK_WORDS];
};

_Static_assert(sizeof(struct chunk) == CHUNK_BYTES, "a chunk is 64 KiB");

/* Long records. Their words follow the first; `ticks` is always first. */
enum chunk_long {
	CHUNK_BEGIN = 1,   /* ticks, site: a site number of over 20 bits */
	CHUNK_BEGIN_AT,    /* ns, site, track of the timeline */
	CHUNK_END_AT,      /* ns, 0, track of the timeline */
	CHUNK_INSTANT,     /* ticks, site, 0 */
	CHUNK_COUNTER,     /* ticks, site, value; detail 1: a double's bits */
	CHUNK_ASYNC_BEGIN, /* ticks, site, id */
	CHUNK_ASYNC_END,   /* ticks, site, id */
	CHUNK_ALLOC,       /* ticks, address, bytes, device */
	CHUNK_FREE,        /* ticks, address, bytes, device */
	CHUNK_STEP,        /* ticks, site, step, advance */
	CHUNK_ARG_INT,     /* ticks, value, key text */
	CHUNK_ARG_FLOAT,   /* ticks, a double's bits, key text */
	CHUNK_ARG_TEXT,    /* ticks, size of the key, key and value text */
	CHUNK_SITE,        /* site, line, size of the name, name and file */
	CHUNK_TRACK,       /* track, log_track_kind, tid, name text */
	CHUNK_LOSSES,      /* track, ranges, events << 32 | cut texts */
};

/* The first word: kind, words after it, and for text the bytes used in the
 * last word (1-8) as detail. */
static inline uint64_t chunk_long(
	enum chunk_long kind, uint64_t words, uint64_t detail)
{
	return detail << 44 | words << 28 | (uint64_t)kind << 20 |
	       CHUNK_ID_LONG;
}

static inline uint32_t chunk_long_kind(uint64_t word)
{
	return (uint32_t)(word >> 20 & 0xff);
}

static inline uint32_t chunk_long_words(uint64_t word)
{
	return (uint32_t)(word >> 28 & 0xffff);
}

static inline uint32_t chunk_long_detail(uint64_t word)
{
	return (uint32_t)(word >> 44);
}

#endif

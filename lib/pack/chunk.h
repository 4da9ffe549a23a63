/* SPDX-License-Identifier: MIT */
/*
 * A chunk of records in the spool, and the form of records.
 *
 * A record is one 8-byte word or more, and is complete as soon as its first
 * word is not zero: that word is stored last. So neither the background thread
 * nor a reader after the program's death needs to know how far the writing
 * thread got. New chunks are zero.
 *
 * A record of one word is stored relaxed: only the record of its site must be
 * there before it, and the registry sees to that. The first word of a long
 * record is stored with release. All are loaded with acquire, one after the
 * other, so a reader always sees the records that the thread stored first.
 * After the program's death all stores up to some instruction are there, if the
 * compiler keeps their order.
 *
 *	word = site << 44 + ticks     a range begins (site 1 ...) or ends (0)
 *	word = 0xfffff << 44 + ...    a long record: kind, number of words
 *	                              after this one, and a detail
 *
 * Ticks are all 64 bits of the clock, so the bits above 44 of the sum are not
 * the site. But ticks are near the chunk's base, and their difference to it has
 * less than 44 bits, so subtracting the base leaves the site. The writing
 * thread need not truncate the ticks.
 *
 * Records may be from 2^43 ticks before the base - half an hour at 5 GHz - to
 * as much after it. A chunk older than half of that is replaced at the thread's
 * next event (see writer_thread.c), with a new base.
 */
#ifndef CHUNK_H
#define CHUNK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "log/log_row.h"

#define CHUNK_BYTES ((size_t)64 * 1024)
#define CHUNK_WORDS (CHUNK_BYTES / 8 - 8)
#define CHUNK_ID_LONG ((UINT32_C(1) << (64 - CTP_TICK_BITS)) - 1)
#define CHUNK_TICK_MASK ((UINT64_C(1) << CTP_TICK_BITS) - 1)
#define CHUNK_MAX_AGE (UINT64_C(1) << (CTP_TICK_BITS - 2))

struct chunk {
	uint32_t link;     /* unused; lists are in struct spool_slot */
	uint32_t track;    /* 0: the registry's sites and tracks */
	uint64_t seq;      /* 0, 1, … among the track's chunks */
	uint64_t base;     /* full ticks when it was taken */
	uint32_t consumed; /* words that are in the log already */
	/* Total losses of this track, when the chunk was taken or later. */
	uint32_t dropped_ranges;
	uint32_t dropped_events;
	uint32_t cut_text;
	uint32_t unwound_ranges;
	uint32_t stray_exits;
	uint32_t reserved[4];
	uint64_t words[CHUNK_WORDS];
};

_Static_assert(sizeof(struct chunk) == CHUNK_BYTES, "a chunk is 64 KiB");

/* Long records. Their words follow the first; `ticks` is always first. */
#define CHUNK_KIND(name, row, kind, ...) CHUNK_##name = kind,
enum chunk_long {
	CHUNK_BEGIN = 1,     /* ticks, site: a site number of over 20 bits */
	CHUNK_BEGIN_AT,      /* ns, site, track of the timeline */
	CHUNK_END_AT,        /* ns, 0, track of the timeline */
	CHUNK_ARG_INT = 11,  /* ticks, value, key text */
	CHUNK_ARG_FLOAT,     /* ticks, a double's bits, key text */
	CHUNK_ARG_TEXT,      /* ticks, size of the key, key and value text */
	CHUNK_SITE,          /* site, line, size of the name, name and file */
	CHUNK_TRACK,         /* track, log_track_kind, tid, name text */
	CHUNK_LOSSES,        /* track, ranges, events << 32 | cut texts */
	CHUNK_UNWOUND,       /* track, unwound ranges, stray exits */
	CHUNK_FUNCTION,      /* site, module, offset */
	CHUNK_MODULE,        /* module, base, bytes, size of the path; path and
			      build id */
	CHUNK_MODULE_CLOSED, /* module */
	CHUNK_SITE_INFO,     /* site, line | line of the call << 32, bytes of
			      the name | of the file << 32, of the full name;
			      name, file, full name and category */
	CHUNK_DEVICE_SYNC = 23, /* ticks, device's ns */
	CHUNK_ACTIVITY,         /* device's ns, duration, track << 32 |
			      description, correlation; and if one of them is
			      not 0: bytes, node */
	CHUNK_STREAM,           /* track, log_track_kind, number, device << 32 |
			      context; name text */
	CHUNK_BLOCK,            /* kind, size; the unchanged block */

	/* CHUNK_INSTANT and others that become rows of the log: ticks, and the
	 * row's fields. For a counter, detail 1 means a double's bits. */
	LOG_ROWS_RECORDED(CHUNK_KIND)
};
#undef CHUNK_KIND

/*
 * Arguments of an event other than a range, after its words. Each has the kind
 * of a separate argument record with the bytes of its key and text; its number,
 * 0 if it has a text; then key and text without a gap.
 */
#define CHUNK_ARG_WORDS 2

static inline uint64_t chunk_arg(
	enum chunk_long kind, size_t key_size, size_t text_size)
{
	return (uint64_t)kind | (uint64_t)key_size << 8 |
	       (uint64_t)text_size << 32;
}

/* Words of `size` bytes of text. */
static inline size_t chunk_text_words(size_t size)
{
	return (size + 7) / 8;
}

/* Total losses of a track, named as in a losses block. */
struct chunk_losses {
	uint64_t dropped_ranges;
	uint64_t dropped_events;
	uint64_t cut_text;
	uint64_t unwound_ranges;
	uint64_t stray_exits;
};

/* Reads the chunk's losses, which its thread may still increase. */
static inline struct chunk_losses chunk_losses(const struct chunk *chunk)
{
	return (struct chunk_losses){
		__atomic_load_n(&chunk->dropped_ranges, __ATOMIC_RELAXED),
		__atomic_load_n(&chunk->dropped_events, __ATOMIC_RELAXED),
		__atomic_load_n(&chunk->cut_text, __ATOMIC_RELAXED),
		__atomic_load_n(&chunk->unwound_ranges, __ATOMIC_RELAXED),
		__atomic_load_n(&chunk->stray_exits, __ATOMIC_RELAXED)};
}

/* The origin of a chunk's ticks. */
static inline uint64_t chunk_origin(const struct chunk *chunk)
{
	return chunk->base - (UINT64_C(1) << (CTP_TICK_BITS - 1));
}

/* The first word of a long record: the number of words after it, and for text
 * the bytes used in the last word (1-8) as detail. */
struct chunk_head {
	enum chunk_long kind;
	uint32_t words;
	uint32_t detail;
};

static inline uint64_t chunk_long(const struct chunk *chunk,
	enum chunk_long kind, uint64_t words, uint64_t detail)
{
	return chunk_origin(chunk) + ((uint64_t)CHUNK_ID_LONG << CTP_TICK_BITS |
					     detail << 24 | words << 8 |
					     (uint64_t)kind);
}

/* The site of the range that a record's first word begins; 0: it ends one;
 * CHUNK_ID_LONG: a long record. */
static inline uint32_t chunk_site(const struct chunk *chunk, uint64_t word)
{
	return (uint32_t)((word - chunk_origin(chunk)) >> CTP_TICK_BITS);
}

static inline struct chunk_head chunk_head(
	const struct chunk *chunk, uint64_t word)
{
	uint64_t fields = word - chunk_origin(chunk);

	return (struct chunk_head){(enum chunk_long)(fields & 0xff),
		(uint32_t)(fields >> 8 & 0xffff),
		(uint32_t)(fields >> 24 & 0xfffff)};
}

/* Words of the record at words[at], the first one included; 0 if there is none
 * (yet), or it exceeds the chunk. */
static inline uint32_t chunk_record_words(
	const struct chunk *chunk, uint32_t at)
{
	uint64_t word = at < CHUNK_WORDS ? __atomic_load_n(&chunk->words[at],
						   __ATOMIC_ACQUIRE)
					 : 0;
	uint32_t more;

	if (word == 0)
		return 0;
	if (chunk_site(chunk, word) != CHUNK_ID_LONG)
		return 1;
	more = chunk_head(chunk, word).words;
	return more < CHUNK_WORDS - at ? 1 + more : 0;
}

/* Whether this is a record of devices. */
static inline bool chunk_is_device(enum chunk_long kind)
{
	return kind == CHUNK_ACTIVITY || kind == CHUNK_DEVICE_SYNC;
}

#endif

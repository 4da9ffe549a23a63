/* SPDX-License-Identifier: MIT */
/* Chunks made by hand, packed, and read again as a log, for the tests of the
 * packer. The chunk is a heap block of the exact size, so that a sanitizer sees
 * reads beyond it. */
#ifndef PACK_CASE_H
#define PACK_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "support/log_text.h"
#include "pack/pack.h"

#define CASE_WRAP (UINT64_C(1) << CTP_TICK_BITS)

extern const struct clock_scale pack_case_one; /* a tick is a nanosecond */

extern struct log_writer *pack_case_writer;
extern struct packer *pack_case_packer;
extern struct chunk *pack_case_chunk;
extern size_t pack_case_used;          /* words of the chunk */
extern struct log_text pack_case_text; /* the result of the last read */

/* Before and after each test. */
void pack_case_set_up(void);
void pack_case_tear_down(void);

/* Another packer. */
void pack_case_start(struct clock_scale scale, uint64_t min_ns);

/* Another, empty chunk. */
void pack_case_next_chunk(uint32_t track, uint64_t base);

/* The next word of the chunk. */
void pack_case_put(uint64_t word);

/* A range begins (a site) or ends (0). */
void pack_case_on(uint64_t ticks, uint32_t site);

/* A long record of up to four words. */
void pack_case_put_long(enum chunk_long kind, uint64_t detail,
	const uint64_t *words, size_t count);

#define CASE_LONG(kind, detail, ...) \
	pack_case_put_long(kind, detail, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* The same, and then text. */
void pack_case_put_text(enum chunk_long kind, const uint64_t *words,
	size_t count, const char *bytes);

#define CASE_TEXT(kind, bytes, ...) \
	pack_case_put_text(kind, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
		bytes)

/* Packs the new records of the chunk, as a thread's or as the registry's. */
void pack_case_pack(void);
void pack_case_pack_registry(void);

/* Reads the records packed so far into `pack_case_text`. */
void pack_case_read_log(void);

#endif

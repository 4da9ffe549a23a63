/* SPDX-License-Identifier: MIT */
/* Chunks made by hand, packed, and read again as a log, for the tests of the
 * packer. The chunk lies on the heap, to the byte, so that a sanitizer sees
 * what is read beyond it. */
#ifndef PACK_CASE_H
#define PACK_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "log_text.h"
#include "pack.h"

#define CASE_WRAP (UINT64_C(1) << CTP_TICK_BITS)

extern const struct clock_scale case_one; /* a tick is a nanosecond */

extern struct log_writer *case_writer;
extern struct packer *case_packer;
extern struct chunk *case_chunk;
extern size_t case_used;          /* words of the chunk */
extern struct log_text case_text; /* what was read last */

/* Before and after each test. */
void case_set_up(void);
void case_tear_down(void);

/* Another packer. */
void case_start(struct clock_scale scale, uint64_t min_ns);

/* Another, empty chunk. */
void case_next_chunk(uint32_t track, uint64_t base);

/* The next word of the chunk. */
void case_put(uint64_t word);

/* A range begins (a site) or ends (0). */
void case_on(uint64_t ticks, uint32_t site);

/* A long record of up to four words. */
void case_put_long(enum chunk_long kind, uint64_t detail, const uint64_t *words,
	size_t count);

#define CASE_LONG(kind, detail, ...) \
	case_put_long(kind, detail, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* The same, and then text. */
void case_put_text(enum chunk_long kind, const uint64_t *words, size_t count,
	const char *bytes);

#define CASE_TEXT(kind, bytes, ...) \
	case_put_text(kind, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
		bytes)

/* Packs what is new in the chunk, as a thread's or as the registry's. */
void case_pack(void);
void case_pack_registry(void);

/* Reads what has been packed so far into `case_text`. */
void case_read_log(void);

#endif

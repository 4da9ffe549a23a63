/* SPDX-License-Identifier: MIT */
/* Memory for the recorder that is never given back, and not got from malloc:
 * we may be inside the program's malloc. */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

/* Zero-filled and aligned to 64 bytes; NULL if out of memory. The caller holds
 * a lock. */
void *arena_alloc(size_t size);

/* A copy of some bytes with a zero byte after them. */
char *arena_copy(const char *text, size_t size);

#endif

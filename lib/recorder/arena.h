/* SPDX-License-Identifier: MIT */
/* Memory for the recorder that is never freed and not from malloc: we may be
 * inside the program's malloc. */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

/* Zero-filled and aligned to 64 bytes; NULL if out of memory. The caller holds
 * a lock. */
void *arena_alloc(size_t size);

/* Copies bytes and appends a zero byte. */
char *arena_copy(const char *text, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Keys that Chrome traces have, by which one is known that is damaged or not
 * all there. */
#ifndef CHROME_KEYS_H
#define CHROME_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is it a member of the document, beside or before the events? */
bool chrome_keys_document(const void *key, size_t size);

/* A bit for each key that events have; 0 if it is none. */
uint32_t chrome_keys_event(const void *key, size_t size);

#endif

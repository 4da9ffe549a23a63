/* SPDX-License-Identifier: MIT */
/* The addresses at which a recording has its chunks. */
#ifndef ADDRESS_SPACE_H
#define ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* May a thread be about to store a record there? */
typedef bool address_space_in_use(const void *address, size_t bytes);

struct address_space {
	uint8_t *address;
	size_t bytes;
};

/*
 * Reserves `size` bytes of addresses, or reuses reserved ones. They are never
 * given back: a thread that was interrupted between finding room and storing
 * its record must find memory there, even if recording stopped meanwhile. And
 * they are taken again only when no thread can be about to store there, or its
 * record would be in the wrong recording. `in_use` decides that; NULL: no
 * thread of this process records.
 *
 * Threads: one at a time. False if there is no address space.
 */
bool address_space_take(struct address_space *region, size_t bytes,
	address_space_in_use *in_use);

#endif

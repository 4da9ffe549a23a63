/* SPDX-License-Identifier: MIT */
#include "pack/address_space.h"

#include <sys/mman.h>

/* Two are enough, unless threads stop recording for good at different times. A
 * forgotten one stays reserved. */
#define REGIONS 64

static struct {
	struct address_space regions[REGIONS];
	size_t count; /* ever reserved */
} kept;

bool address_space_take(struct address_space *region, size_t bytes,
	address_space_in_use *in_use)
{
	void *address;

	for (size_t i = 0; i < REGIONS && i < kept.count; i++)
		if (kept.regions[i].bytes >= bytes &&
			(in_use == NULL || !in_use(kept.regions[i].address,
						   kept.regions[i].bytes))) {
			*region = kept.regions[i];
			return true;
		}
	address = mmap(NULL, bytes, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (address == MAP_FAILED)
		return false;
	*region = (struct address_space){address, bytes};
	kept.regions[kept.count++ % REGIONS] = *region;
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "recorder/region.h"

#include <sys/mman.h>

#include "recorder/thread.h"

/* Two are enough, unless threads stop recording for good at different times. A
 * forgotten one stays reserved. */
#define REGIONS 64

static struct {
	struct region regions[REGIONS];
	size_t count; /* ever reserved */
} kept;

static bool may_be_stored_to(const struct region *region)
{
	for (const struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next)
		if (thread_may_store(thread, region->address, region->bytes))
			return true;
	return false;
}

bool region_take(struct region *region, size_t bytes)
{
	void *address;

	for (size_t i = 0; i < REGIONS && i < kept.count; i++)
		if (kept.regions[i].bytes >= bytes &&
			!may_be_stored_to(&kept.regions[i])) {
			*region = kept.regions[i];
			return true;
		}
	address = mmap(NULL, bytes, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (address == MAP_FAILED)
		return false;
	*region = (struct region){address, bytes};
	kept.regions[kept.count++ % REGIONS] = *region;
	return true;
}

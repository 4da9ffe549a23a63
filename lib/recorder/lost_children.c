/* SPDX-License-Identifier: MIT */
/* A page that a process shares with those that it forks: all else is copied. */
#include "recorder/lost_children.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

struct shared {
	_Atomic uint32_t lost;
};

/* The counters of this process's recording, and of the one that this process
 * was forked from. NULL: nobody records there, or there was no memory. */
static struct shared *own;
static struct shared *parents;

static void drop(struct shared **page)
{
	if (*page != NULL)
		(void)munmap(*page, sizeof(**page));
	*page = NULL;
}

void lost_children_begin(void)
{
	void *page;

	drop(&own);
	page = mmap(NULL, sizeof(*own), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	own = page == MAP_FAILED ? NULL : page;
}

void lost_children_forked(void)
{
	if (own == NULL)
		return;
	drop(&parents);
	parents = own;
	own = NULL;
}

void lost_children_add(void)
{
	drop(&own);
	if (parents != NULL)
		(void)atomic_fetch_add(&parents->lost, 1);
}

uint32_t lost_children_count(void)
{
	return own == NULL ? 0 : atomic_load(&own->lost);
}

/* SPDX-License-Identifier: MIT */
/* A page that a process shares with those that it forks: all else is copied. */
#include "unrecorded.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

struct shared {
	_Atomic uint32_t lost;
};

/* Until a forked process records itself, that of the one that forked it. NULL:
 * nobody records there, or there was no memory. */
static struct shared *shared;

void unrecorded_begin(void)
{
	void *page;

	if (shared != NULL)
		(void)munmap(shared, sizeof(*shared));
	page = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared = page == MAP_FAILED ? NULL : page;
}

void unrecorded_add(void)
{
	if (shared != NULL)
		(void)atomic_fetch_add(&shared->lost, 1);
}

uint32_t unrecorded_count(void)
{
	return shared == NULL ? 0 : atomic_load(&shared->lost);
}

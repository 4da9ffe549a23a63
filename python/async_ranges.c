/* SPDX-License-Identifier: MIT */
#include "async_ranges.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 64, MOST = 4096 };

/* The interpreter's lock is never released while this one is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct async_range *all; /* by their begin */
static size_t count, room;

/* Makes room for one more, up to MOST. */
static bool grow(void)
{
	size_t size = room == 0 ? FIRST : 2 * room;
	struct async_range *more =
		size > MOST ? NULL : realloc(all, size * sizeof(*all));

	if (more == NULL)
		return false;
	all = more;
	room = size;
	return true;
}

bool async_ranges_add(const struct async_range *range)
{
	bool has_room;

	pthread_mutex_lock(&lock);
	has_room = count < room || grow();
	if (has_room)
		all[count++] = *range;
	pthread_mutex_unlock(&lock);
	return has_room;
}

/* The index after the range to remove; 0 if there is none. */
static size_t find(const void *identity, const struct tracer_thread *thread)
{
	size_t of_any = 0;

	for (size_t i = count; i > 0; i--) {
		if (all[i - 1].identity != identity)
			continue;
		if (all[i - 1].thread == thread)
			return i;
		if (of_any == 0)
			of_any = i;
	}
	return of_any;
}

bool async_ranges_remove(const void *identity,
	const struct tracer_thread *thread, struct async_range *range)
{
	size_t found;

	pthread_mutex_lock(&lock);
	found = find(identity, thread);
	if (found > 0) {
		*range = all[found - 1];
		memmove(all + found - 1, all + found,
			(count - found) * sizeof(*all));
		count--;
	}
	pthread_mutex_unlock(&lock);
	return found > 0;
}

void async_ranges_clear(void)
{
	pthread_mutex_lock(&lock);
	count = 0;
	pthread_mutex_unlock(&lock);
}

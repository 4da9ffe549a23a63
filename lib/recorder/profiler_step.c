/* SPDX-License-Identifier: MIT */
/*
 * Steps: each requester counts its own, the global step is their maximum and
 * advances when the maximum does. Source: shared spec 03, "Steps".
 */
#include <stddef.h>

#include "recorder/arena.h"
#include "ctprof.h"
#include "recorder/record.h"
#include "recorder/registry.h"
#include "recorder/thread_state.h"

struct requester {
	struct requester *next;
	struct ctp_site *site; /* NULL: removed */
	int64_t step;
};

/* Protected by the registry's lock, which is consistent after fork(). */
static struct {
	struct requester *first;
	int64_t global;
} steps;

static struct requester *find(struct ctp_site *site)
{
	struct requester *requester = steps.first;

	while (requester != NULL && requester->site != site)
		requester = requester->next;
	return requester;
}

/* Reuses a removed entry or adds one; it starts at the global step. */
static struct requester *add(struct ctp_site *site)
{
	struct requester *requester = find(NULL);

	if (requester == NULL) {
		requester = arena_alloc(sizeof(*requester));
		if (requester == NULL)
			return NULL;
		requester->next = steps.first;
		steps.first = requester;
	}
	requester->site = site;
	requester->step = steps.global;
	return requester;
}

static int64_t maximum(void)
{
	int64_t step = steps.global;

	for (const struct requester *requester = steps.first; requester != NULL;
		requester = requester->next)
		if (requester->site != NULL && requester->step > step)
			step = requester->step;
	return step;
}

int64_t ctp_step(const char *name)
{
	struct ctp_site *site = ctp_site_intern(name, NULL, 0);
	const struct thread_hold before = thread_hold();
	struct requester *requester;
	int64_t advance = 0;
	int64_t step;

	registry_lock();
	requester = find(site);
	if (requester == NULL)
		requester = add(site);
	if (requester != NULL)
		requester->step++;
	step = maximum();
	advance = step - steps.global;
	steps.global = step;
	registry_unlock();
	thread_release(before);
	if (advance > 0)
		record_step(site, step, advance);
	return step;
}

void ctp_step_remove(const char *name)
{
	struct ctp_site *site = ctp_site_intern(name, NULL, 0);
	const struct thread_hold before = thread_hold();
	struct requester *requester;

	registry_lock();
	requester = find(site);
	if (requester != NULL)
		requester->site = NULL;
	registry_unlock();
	thread_release(before);
}

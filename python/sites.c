/* SPDX-License-Identifier: MIT */
#include "sites.h"

#include <pthread.h>
#include <string.h>

/* The interpreter's lock is never released while this one is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ptr_map table; /* (identity, place) to struct ctp_site */

static struct ctp_site *intern(const struct callee *callee, uint32_t call_line)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;

	info.name = callee->names.name;
	info.file = callee->names.file;
	info.line = callee->line;
	info.call_line = call_line;
	info.full_name = callee->names.full_name;
	info.category = callee->category;
	return ctp_site_intern_info(&info);
}

/* The caller as a callee; NULL if there is none, or if out of memory. */
static const struct callee *caller_find(frame_t *caller)
{
	PyCodeObject *code = caller == NULL ? NULL : frame_code(caller);

	return code == NULL ? NULL
			    : callee_find(&(struct callee_seen){
				      code, (PyObject *)code, NULL});
}

/* The caller's current line; 0 if unknown. Its code must be kept, or another's
 * instruction could get the same address. */
static uint32_t call_line(struct tracer_thread *thread, frame_t *caller)
{
	if (caller_find(caller) == NULL)
		return 0;
	return line_table_find(
		&thread->line_tables, frame_code(caller), frame_index(caller));
}

/* Is it called by the wrapper in _trace.py that has begun a range with its name
 * and place? Recording both would look like a recursive call. */
static bool has_range(frame_t *caller)
{
	const struct callee *wrapper = caller_find(caller);

	return wrapper != NULL && wrapper->kind == CALLEE_HIDDEN &&
	       strcmp(wrapper->names.full_name,
		       "_of_same_name.<locals>.wrapper") == 0;
}

/* The site shared by all threads; NULL: not recorded. */
static struct ctp_site *find_global(struct tracer_thread *thread,
	const struct callee *callee, frame_t *caller, const void *place)
{
	struct ctp_site *site;

	pthread_mutex_lock(&lock);
	site = ptr_map_find(&table, callee->identity, place);
	pthread_mutex_unlock(&lock);
	if (site != NULL)
		return site;
	if (has_range(caller))
		return NULL;
	/* Two threads may both get here; they get the same pointer. */
	site = intern(callee, call_line(thread, caller));
	pthread_mutex_lock(&lock);
	if (ptr_map_find(&table, callee->identity, place) == NULL)
		(void)ptr_map_add(&table,
			(struct ptr_map_entry){callee->identity, place, site});
	pthread_mutex_unlock(&lock);
	return site;
}

/* Adds it to the thread's cache. */
static void cache(struct tracer_thread *thread, const struct tracer_slot *new)
{
	struct tracer_slot *slot =
		threads_slot(thread, new->identity, new->place);

	if (slot->identity != NULL)
		*threads_other_slot(slot) = *slot;
	*slot = *new;
}

static bool is_shown(const struct callee *callee)
{
	return callee->kind != CALLEE_HIDDEN && callee->kind != CALLEE_EXCLUDED;
}

struct ctp_site *sites_find_open(struct tracer_thread *thread,
	const struct callee *callee, frame_t *caller, bool in_range)
{
	if (!is_shown(callee) || (in_range && has_range(caller)))
		return NULL;
	return intern(callee, call_line(thread, caller));
}

struct ctp_site *sites_find(struct tracer_thread *thread,
	const struct callee *callee, frame_t *caller, const void *place)
{
	struct ctp_site *site = NULL;

	if (is_shown(callee))
		site = find_global(thread, callee, caller, place);
	/* Callees with more than a site are resolved at each call. */
	if (callee->kind <= CALLEE_HIDDEN)
		cache(thread, &(struct tracer_slot){callee->identity, place,
				      site, site == NULL ? 0 : site->tag});
	return site;
}

void sites_clear(void)
{
	pthread_mutex_lock(&lock);
	ptr_map_clear(&table);
	pthread_mutex_unlock(&lock);
}

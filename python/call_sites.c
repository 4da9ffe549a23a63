/* SPDX-License-Identifier: MIT */
#include "call_sites.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof.h"
#include "line_table.h"
#include "ptr_map.h"

/* The calls of a callee from one place, in the lists of both callees. */
struct call_site {
	const void *identity;
	const void *place;
	struct ctp_site *site; /* NULL: not recorded */
	struct call_site *next[CALLEE_LISTS];
	struct call_site *
		*link[CALLEE_LISTS]; /* to this; NULL: not in the list */
};

/* The interpreter's lock is never released while this one is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ptr_map table; /* (identity, place) to struct call_site */

static void link_to(
	struct call_site *call, enum callee_list list, struct callee *callee)
{
	struct call_site **first = &callee->calls[list];

	call->next[list] = *first;
	call->link[list] = first;
	if (*first != NULL)
		(*first)->link[list] = &call->next[list];
	*first = call;
}

static void unlink_from(struct call_site *call, enum callee_list list)
{
	if (call->link[list] == NULL)
		return;
	*call->link[list] = call->next[list];
	if (call->next[list] != NULL)
		call->next[list]->link[list] = call->link[list];
}

static void call_site_free(struct call_site *call)
{
	for (enum callee_list list = 0; list < CALLEE_LISTS; list++)
		unlink_from(call, list);
	free(call);
}

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

/* The caller as a callee; NULL for an outermost call, or if out of memory. */
static struct callee *caller_find(frame_t *caller)
{
	PyCodeObject *code = caller == NULL ? NULL : frame_code(caller);

	return code == NULL ? NULL
			    : callee_find(&(struct callee_seen){
				      code, (PyObject *)code, NULL});
}

/* The caller's current line; 0 if unknown. Its code must be a callee's, or
 * another's instruction could get the same address unnoticed. */
static uint32_t call_line(struct tracer_thread *thread, frame_t *caller)
{
	if (caller_find(caller) == NULL)
		return 0;
	return line_table_find(
		&thread->line_tables, frame_code(caller), frame_index(caller));
}

/* Is it called by the wrapper in _trace.py that has begun a range with its name
 * and place? Recording both would look like a recursive call. */
static bool has_range(const struct callee *caller)
{
	return caller != NULL && caller->kind == CALLEE_HIDDEN &&
	       strcmp(caller->names.full_name,
		       "_of_same_name.<locals>.wrapper") == 0;
}

static bool is_shown(const struct callee *callee)
{
	return callee->kind != CALLEE_HIDDEN && callee->kind != CALLEE_EXCLUDED;
}

/* Finds a stored call; false for a new one. */
static bool find(
	const void *identity, const void *place, struct ctp_site **site)
{
	const struct call_site *call;

	pthread_mutex_lock(&lock);
	call = ptr_map_find(&table, identity, place);
	if (call != NULL)
		*site = call->site;
	pthread_mutex_unlock(&lock);
	return call != NULL;
}

/* Stores a call whose code is alive. False if out of memory, or if the trace
 * has ended: then its code may be freed unnoticed. */
static bool add(const struct tracer_thread *thread, const struct call_site *new,
	struct callee *callee, struct callee *caller)
{
	struct call_site *call = malloc(sizeof(*call));
	bool is_known, added = false;

	if (call == NULL)
		return false;
	*call = *new;
	pthread_mutex_lock(&lock);
	/* Two threads may both get here; they have the same site. */
	is_known = ptr_map_find(&table, call->identity, call->place) != NULL;
	if (!is_known && tracer_is_in(thread))
		added = ptr_map_add(
				&table, (struct ptr_map_entry){call->identity,
						call->place, call}) == 0;
	if (added)
		link_to(call, CALLEE_CALLED, callee);
	if (added && caller != NULL)
		link_to(call, CALLEE_CALLING, caller);
	pthread_mutex_unlock(&lock);
	if (!added)
		free(call);
	return added || is_known;
}

/* Finds the site of a new call, and stores it. False if it cannot be stored. */
static bool find_new(struct tracer_thread *thread, struct call_site *call,
	struct callee *callee, frame_t *frame)
{
	struct callee *caller = caller_find(frame);

	if (is_shown(callee) && !has_range(caller))
		call->site = intern(callee, call_line(thread, frame));
	/* Without its caller, the place's end would not be noticed. */
	return (frame == NULL || caller != NULL) &&
	       add(thread, call, callee, caller);
}

struct ctp_site *call_sites_find(struct tracer_thread *thread,
	struct callee *callee, frame_t *caller, const void *place)
{
	struct call_site call = {.identity = callee->identity, .place = place};
	bool is_stored = find(call.identity, place, &call.site) ||
			 find_new(thread, &call, callee, caller);

	/* Callees with more than a site are resolved at each call. */
	if (is_stored && callee->kind <= CALLEE_HIDDEN && !callee->has_values)
		threads_cache(thread,
			&(struct tracer_slot){call.identity, place, call.site,
				call.site == NULL ? 0 : call.site->tag});
	return call.site;
}

struct ctp_site *call_sites_find_open(struct tracer_thread *thread,
	const struct callee *callee, frame_t *caller, bool in_range)
{
	if (!is_shown(callee) || (in_range && has_range(caller_find(caller))))
		return NULL;
	return intern(callee, call_line(thread, caller));
}

void call_sites_forget(struct callee *callee)
{
	pthread_mutex_lock(&lock);
	for (enum callee_list list = 0; list < CALLEE_LISTS; list++)
		while (callee->calls[list] != NULL) {
			struct call_site *call = callee->calls[list];

			ptr_map_remove(&table, call->identity, call->place);
			threads_forget_call(call->identity, call->place);
			call_site_free(call);
		}
	pthread_mutex_unlock(&lock);
	threads_forget_code(callee->identity);
}

void call_sites_clear(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < table.size; i++)
		if (table.entries[i].first != NULL)
			call_site_free(table.entries[i].value);
	ptr_map_clear(&table);
	pthread_mutex_unlock(&lock);
}

/* SPDX-License-Identifier: MIT */
/* libctprof's side of instrument_abi.h. */
#include <stddef.h>

#include "base/clock.h"
#include "recorder/forward.h"
#include "recorder/function_filter.h"
#include "recorder/instrument_abi.h"
#include "recorder/record.h"
#include "recorder/session_state.h"
#include "recorder/thread.h"

static const struct instrument_calls *_Atomic calls;

void ctp_private_instrument(const struct instrument_calls *theirs)
{
	atomic_store(&calls, theirs);
}

void instrument_thread_end(void)
{
	const struct instrument_calls *theirs = atomic_load(&calls);

	if (theirs != NULL)
		theirs->thread_end();
}

void instrument_begin(void)
{
	const struct instrument_calls *theirs = atomic_load(&calls);

	if (theirs != NULL)
		theirs->begin();
}

void instrument_lock(void)
{
	const struct instrument_calls *theirs = atomic_load(&calls);

	if (theirs != NULL)
		theirs->lock();
}

void instrument_unlock(void)
{
	const struct instrument_calls *theirs = atomic_load(&calls);

	if (theirs != NULL)
		theirs->unlock();
}

uint64_t ctp_private_session(void)
{
	struct thread *thread = thread_enter();
	uint64_t session;

	if (thread == NULL)
		return 0;
	session = atomic_load(&thread->session);
	thread_leave(thread);
	return session;
}

uint64_t ctp_private_ticks(void)
{
	return clock_stamp(session_uses_tsc());
}

uint64_t ctp_private_begin(uint32_t site, uint64_t ticks)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return 0;
	forward_skip(thread);
	ticks = record_begin(thread, site, ticks);
	thread_leave(thread);
	return ticks;
}

uint64_t ctp_private_end(uint64_t ticks)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return 0;
	ticks = record_end(thread, ticks);
	forward_end(thread);
	thread_leave(thread);
	return ticks;
}

void ctp_repaired(uint64_t ranges, uint64_t ends)
{
	ctp_private_lose(&(struct chunk_losses){
		.unwound_ranges = ranges, .stray_exits = ends});
}

void ctp_private_lose(const struct chunk_losses *losses)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return;
	atomic_fetch_add(
		&thread->dropped_ranges, (uint32_t)losses->dropped_ranges);
	atomic_fetch_add(
		&thread->unwound_ranges, (uint32_t)losses->unwound_ranges);
	atomic_fetch_add(&thread->stray_exits, (uint32_t)losses->stray_exits);
	thread_record_losses(thread);
	thread_leave(thread);
}

uint32_t ctp_private_module(const struct registry_module *module)
{
	return registry_module(module);
}

void ctp_private_module_closed(uint32_t module)
{
	registry_module_closed(module);
}

uint32_t ctp_private_function(uint32_t module, uint64_t offset)
{
	return registry_function(module, offset);
}

uint32_t ctp_private_filter(const char *path)
{
	return function_filter_find(path);
}

bool ctp_private_is_excluded(uint32_t filter, uint64_t offset)
{
	return function_filter_excludes(filter, offset);
}

uint32_t ctp_private_site(const char *name)
{
	struct ctp_site site = {name, NULL, 0, 0};

	return registry_site(&site);
}

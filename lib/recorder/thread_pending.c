/* SPDX-License-Identifier: MIT */
/* What threads hold back for want of room. */
#include <string.h>

#include "base/clock.h"
#include "recorder/session.h"
#include "recorder/thread.h"

/* A thread that ends waits at most so long. */
#define SETTLE_NS INT64_C(1000000000)
#define SETTLE_STEP_NS INT64_C(20000000)

bool thread_flush_pending(struct thread *thread)
{
	struct thread_pending *pending = &thread->pending;
	uint64_t *at;

	if (pending->deep != 0)
		return false;
	for (uint32_t i = 0; i < pending->end_count; i++) {
		at = thread_reserve(thread, 1);
		if (at == NULL) {
			memmove(pending->ends, pending->ends + i,
				(pending->end_count - i) *
					sizeof(pending->ends[0]));
			pending->end_count -= i;
			return false;
		}
		__atomic_store_n(at, pending->ends[i], __ATOMIC_RELEASE);
		thread_advance(thread, 1);
	}
	pending->end_count = 0;
	for (uint32_t i = 0; i < pending->begin_count; i++) {
		const struct thread_begin *begin = &pending->begins[i];

		at = thread_reserve(thread, 3);
		if (at == NULL) {
			memmove(pending->begins, pending->begins + i,
				(pending->begin_count - i) *
					sizeof(pending->begins[0]));
			pending->begin_count -= i;
			return false;
		}
		thread_store(thread, at, (struct chunk_head){CHUNK_BEGIN, 2, 0},
			(uint64_t[]){begin->ticks, begin->site});
	}
	pending->begin_count = 0;
	return true;
}

/* Whatever the policy, the last chance to record what was held back is worth
 * waiting for: without the ends the thread's ranges seem to be open. */
void thread_settle(struct thread *thread)
{
	struct thread_pending *pending = &thread->pending;
	int64_t limit_ns = clock_raw_ns() + SETTLE_NS;

	while (!thread_flush_pending(thread) && clock_raw_ns() < limit_ns) {
		/* When recording stops, the background thread sees to it. */
		if (__atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) == 0)
			return;
		spool_wait_free(session_spool(), SETTLE_STEP_NS);
	}
	atomic_fetch_add(&thread->dropped_events, pending->end_count);
	atomic_fetch_add(
		&thread->dropped_ranges, pending->begin_count + pending->deep);
	pending->end_count = 0;
	pending->begin_count = 0;
	pending->deep = 0;
	atomic_fetch_add(&thread->dropped_ranges, thread->timeline_dropped);
	thread->timeline_dropped = 0;
}

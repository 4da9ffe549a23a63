/* SPDX-License-Identifier: MIT */
/*
 * The hooks that compilers call at the beginning and end of every function
 * with -finstrument-functions. Here is what a function costs as a rule: a look
 * into the table, one word stored, a frame of the shadow stack. All else is in
 * instrument_thread.c.
 *
 * Signal handlers may be instrumented, and interrupt a hook anywhere. So what
 * a hook changes is guarded, by plain stores: only the thread itself looks.
 */
#include <dlfcn.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif
#include <stdatomic.h>
#include <string.h>

#include "functions.h"
#include "instrument_thread.h"
#include "modules.h"
#include "thread.h"

#define HOOK __attribute__((visibility("default"), no_instrument_function))

#define BARRIER() atomic_signal_fence(memory_order_seq_cst)

HOOK int dlclose(void *handle);
HOOK void __cyg_profile_func_enter(void *function, void *call_site);
HOOK void __cyg_profile_func_exit(void *function, void *call_site);

/* Must be in the hook itself: it is about the hook's frame. */
#define HOOK_EVENT(function, call_site) \
	{ \
		(uintptr_t)(function), (uintptr_t)(call_site), \
			(uintptr_t)__builtin_return_address(0), \
			(uintptr_t)__builtin_dwarf_cfa() \
	}

#ifdef CTP_INLINE_TICKS
static inline void set_guard(
	struct instrument_self *self, uintptr_t sp, uintptr_t pc)
{
	_mm_store_si128((__m128i *)(void *)&self->guard,
		_mm_set_epi64x((long long)pc, (long long)sp));
}

static inline void guard(struct instrument_self *self,
	const struct shadow_event *event, uintptr_t kind)
{
	set_guard(self, event->sp | kind, event->pc);
	BARRIER();
	self->guard_top = self->shadow.top;
	BARRIER();
}

/* The hook is done, at `ticks`; 0: the slow path does it. */
static inline void unguard(struct instrument_self *self, uint64_t ticks)
{
	BARRIER();
	set_guard(self, 0, 0);
	BARRIER();
	if (ticks != 0 && __builtin_expect(__atomic_load_n(&self->waiting,
						   __ATOMIC_RELAXED) != 0,
				  0))
		instrument_settle(ticks);
}

/* Nothing to be seen to first? */
static inline bool is_free(const struct instrument_self *self)
{
	return (__atomic_load_n(&self->guard.sp, __ATOMIC_RELAXED) |
		       __atomic_load_n(&self->waiting, __ATOMIC_RELAXED)) == 0;
}

/* Stores a record; the frame is already there. The order is what
 * instrument_thread.c's mend() goes by. */
static inline void store(struct ctp_thread *thread, uint64_t *next,
	uint64_t word, struct shadow_frame *top)
{
	struct shadow *shadow = &instrument_self.shadow;

	__atomic_store_n(next, word, __ATOMIC_RELAXED);
	BARRIER();
	shadow->top = top;
	BARRIER();
	__atomic_store_n(&thread->next, next + 1, __ATOMIC_RELAXED);
}

static inline bool enter(const struct shadow_event *event, uint64_t tag)
{
	struct instrument_self *self = &instrument_self;
	struct shadow *shadow = &self->shadow;
	struct ctp_thread *thread;
	uint64_t *next;
	uintptr_t depth;
	uint64_t ticks;

	if (__builtin_expect(tag < FUNCTION_TAG || !is_free(self), 0))
		return false;
	guard(self, event, 0);
	thread = ctp_self;
	next = __atomic_load_n(&thread->next, __ATOMIC_RELAXED);
	if (__builtin_expect(
		    next >= __atomic_load_n(&thread->limit, __ATOMIC_RELAXED),
		    0))
		goto slow;
	depth = shadow_entry(shadow, event);
	if (__builtin_expect(depth == SHADOW_REPAIR, 0))
		goto slow;
	shadow->top[1] = shadow_frame(depth, event);
	ticks = CTP_INLINE_TICKS();
	store(thread, next, ticks + tag, shadow->top + 1);
	unguard(self, ticks);
	return true;
slow:
	unguard(self, 0);
	return false;
}

static inline bool leave(const struct shadow_event *event)
{
	struct instrument_self *self = &instrument_self;
	struct shadow *shadow = &self->shadow;
	struct ctp_thread *thread;
	uint64_t *next;
	uint64_t ticks;

	if (__builtin_expect(!is_free(self), 0))
		return false;
	guard(self, event, GUARD_EXIT);
	thread = ctp_self;
	next = __atomic_load_n(&thread->next, __ATOMIC_RELAXED);
	if (__builtin_expect(!shadow_is_top(shadow, event) ||
				     next >= __atomic_load_n(&thread->limit,
						     __ATOMIC_RELAXED),
		    0)) {
		unguard(self, 0);
		return false;
	}
	ticks = CTP_INLINE_TICKS();
	store(thread, next, ticks, shadow->top - 1);
	unguard(self, ticks);
	return true;
}
#else
static bool enter(const struct shadow_event *event, uint64_t tag)
{
	(void)event;
	(void)tag;
	return false;
}

static bool leave(const struct shadow_event *event)
{
	(void)event;
	return false;
}
#endif

void __cyg_profile_func_enter(void *function, void *call_site)
{
	uint64_t tag;

	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return;
	tag = function_tag((uintptr_t)function);
	if (__builtin_expect(tag != FUNCTION_EXCLUDED, 1)) {
		const struct shadow_event event =
			HOOK_EVENT(function, call_site);

		if (!enter(&event, tag))
			instrument_slow(event.function, event.call_site,
				event.pc, event.sp);
	}
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	const struct shadow_event event = HOOK_EVENT(function, call_site);

	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return;
	if (!leave(&event) && function_tag(event.function) != FUNCTION_EXCLUDED)
		instrument_slow(event.function, event.call_site, event.pc,
			event.sp | GUARD_EXIT);
}

/* Called in place of the dynamic linker's: what was closed is no more where it
 * was, and another library may come to lie there. */
int dlclose(void *handle)
{
	static int (*_Atomic real)(void *);
	int (*call)(void *) = atomic_load(&real);
	void *found;
	int result;

	if (call == NULL) {
		found = dlsym(RTLD_NEXT, "dlclose");
		if (found == NULL)
			return -1;
		memcpy(&call, &found, sizeof(call));
		atomic_store(&real, call);
	}
	result = call(handle);
	instrument_look();
	return result;
}

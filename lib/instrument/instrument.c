/* SPDX-License-Identifier: MIT */
/*
 * The hooks that compilers call at the beginning and end of every function
 * with -finstrument-functions. This file has the fast path: a table lookup, one
 * stored word and a frame of the shadow stack. The slow path is in
 * instrument_thread.c.
 *
 * Beside the clock, the cost is instructions, not waiting: see
 * doc/benchmarks/2026-11-21.md. So the fast path calls nothing and needs neither
 * a stack frame nor saved registers. The slow path is called last, with the
 * hook's own arguments, and finds the rest in the guard.
 *
 * Signal handlers may be instrumented, and interrupt a hook anywhere. So a
 * hook's changes are guarded, by plain stores, since only the thread itself
 * reads them.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* The fast path relies on the place of x86-64's return addresses, below the
 * caller's stack pointer. On other machines every hook takes the slow path. */
#ifdef __x86_64__
#include <emmintrin.h>
#define HAS_USUAL_WAY
#endif

#include "instrument/functions.h"
#include "instrument/instrument_thread.h"
#include "recorder/thread_state.h"

#define HOOK __attribute__((visibility("default"), no_instrument_function))

#define BARRIER() atomic_signal_fence(memory_order_seq_cst)

HOOK int dlclose(void *handle);
HOOK void __cyg_profile_func_enter(void *function, void *call_site);
HOOK void __cyg_profile_func_exit(void *function, void *call_site);

/* Must be in the hook itself: it is about the hook's frame. */
#define HOOK_PC ((uintptr_t)__builtin_return_address(0))
#define HOOK_SP ((uintptr_t)__builtin_dwarf_cfa())

#ifdef HAS_USUAL_WAY
/* Whether nothing has to be handled first. */
static inline bool is_free(const struct instrument_self *self)
{
	return (self->guard.sp | self->waiting) == 0;
}

/* Sets the guard. Returns the innermost frame, which no handler changes from
 * now on. */
static inline struct shadow_frame *guard(
	struct instrument_self *self, uintptr_t pc, uintptr_t sp)
{
	struct shadow_frame *top;

	_mm_store_si128((__m128i *)(void *)&self->guard,
		_mm_set_epi64x((long long)pc, (long long)sp));
	BARRIER();
	top = self->shadow.top;
	self->guard_top = top;
	return top;
}

static inline void unguard(struct instrument_self *self)
{
	BARRIER();
	self->guard.sp = 0;
	BARRIER();
}

/*
 * Stores a record, as the last action of a hook; its frame is already there.
 * instrument_thread.c's mend() relies on the order.
 */
static inline void store(struct ctp_thread *thread, uint64_t *next,
	struct shadow_frame *top, uint64_t tag)
{
	struct instrument_self *self = &instrument_self;
	uint64_t ticks;

	BARRIER();
	ticks = CTP_INLINE_TICKS();
	__atomic_store_n(next, ticks + tag, __ATOMIC_RELAXED);
	BARRIER();
	self->shadow.top = top;
	BARRIER();
	__atomic_store_n(&thread->next, next + 1, __ATOMIC_RELAXED);
	unguard(self);
	if (__builtin_expect(self->waiting != 0, 0))
		instrument_handle_deferred(ticks);
}

static inline bool has_room(
	const struct ctp_thread *thread, const uint64_t *next)
{
	return __builtin_expect(
		next < __atomic_load_n(&thread->limit, __ATOMIC_RELAXED), 1);
}

/*
 * The rest of a hook that has set the guard and then cannot take the fast path.
 * Its other state is in the guard: with two arguments, and as a tail call,
 * nothing needs to be saved for this call.
 */
static __attribute__((noinline)) void leave_fast_path(
	uintptr_t function, uintptr_t call_site)
{
	struct instrument_self *self = &instrument_self;
	struct guard found = self->guard;

	unguard(self);
	if (function_tag(function) != FUNCTION_EXCLUDED)
		instrument_slow(function, call_site, found.pc, found.sp);
}

/* Enters a function not called directly by the innermost one: there is code
 * without hooks between them, it is inlined, or a function was left without an
 * exit. */
static __attribute__((noinline)) void enter_far(
	uintptr_t function, uintptr_t call_site)
{
	struct instrument_self *self = &instrument_self;
	const struct shadow_event event = {
		function, call_site, self->guard.pc, self->guard.sp};
	struct shadow_frame *top = self->shadow.top;
	uintptr_t sp = shadow_entry(&self->shadow, &event);
	uint64_t tag = function_tag(function);
	struct ctp_thread *thread = ctp_self;
	uint64_t *next = __atomic_load_n(&thread->next, __ATOMIC_RELAXED);

	/* Another thread may have begun a recording meanwhile. */
	if (sp == SHADOW_REPAIR || tag < FUNCTION_TAG ||
		!has_room(thread, next)) {
		leave_fast_path(function, call_site);
		return;
	}
	top[1] = shadow_frame(sp, &event);
	store(thread, next, top + 1, tag);
}

static inline void enter(const struct shadow_event *event, uint64_t tag)
{
	struct instrument_self *self = &instrument_self;
	struct shadow_frame *top = guard(self, event->pc, event->sp);
	struct ctp_thread *thread;
	uint64_t *next;

	if (__builtin_expect(!shadow_is_called(&self->shadow, event), 0)) {
		enter_far(event->function, event->call_site);
		return;
	}
	thread = ctp_self;
	next = __atomic_load_n(&thread->next, __ATOMIC_RELAXED);
	if (__builtin_expect(!has_room(thread, next), 0)) {
		leave_fast_path(event->function, event->call_site);
		return;
	}
	top[1] = shadow_frame(event->sp, event);
	store(thread, next, top + 1, tag);
}

static inline void leave(const struct shadow_event *event)
{
	struct instrument_self *self = &instrument_self;
	struct shadow_frame *top =
		guard(self, event->pc, event->sp | GUARD_EXIT);
	struct ctp_thread *thread = ctp_self;
	uint64_t *next = __atomic_load_n(&thread->next, __ATOMIC_RELAXED);

	if (__builtin_expect(!has_room(thread, next) ||
				     !shadow_is_top(&self->shadow, event),
		    0))
		leave_fast_path(event->function, event->call_site);
	else
		store(thread, next, top - 1, 0);
}
#endif

void __cyg_profile_func_enter(void *function, void *call_site)
{
	const uintptr_t address = (uintptr_t)function;
	const uintptr_t from = (uintptr_t)call_site;
	uint64_t tag;

	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return;
	tag = function_tag(address);
#ifdef HAS_USUAL_WAY
	if (__builtin_expect(
		    tag >= FUNCTION_TAG && is_free(&instrument_self), 1)) {
		enter(&(struct shadow_event){address, from, HOOK_PC, HOOK_SP},
			tag);
		return;
	}
#endif
	if (tag != FUNCTION_EXCLUDED)
		instrument_slow(address, from, HOOK_PC, HOOK_SP);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	const uintptr_t address = (uintptr_t)function;
	const uintptr_t from = (uintptr_t)call_site;

	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return;
#ifdef HAS_USUAL_WAY
	if (__builtin_expect(is_free(&instrument_self), 1)) {
		leave(&(struct shadow_event){address, from, HOOK_PC, HOOK_SP});
		return;
	}
#endif
	if (function_tag(address) != FUNCTION_EXCLUDED)
		instrument_slow(address, from, HOOK_PC, HOOK_SP | GUARD_EXIT);
}

/* Replaces the dynamic linker's function: another library may be loaded at the
 * addresses of a closed one. */
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
	instrument_find_closed();
	return result;
}

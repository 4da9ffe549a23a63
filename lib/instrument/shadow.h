/* SPDX-License-Identifier: MIT */
/*
 * The open functions of a thread, as their hooks reported them. A function left
 * without an exit (longjmp, an exception, the end of the thread) is detected at
 * the next hook, by the stack pointer and the place of the entered function's
 * return address.
 *
 * A frame has the stack pointer at the call of the hook in the function's
 * prologue. Within one physical frame it may be lower at the hooks of inlined
 * functions: arguments of earlier calls may not be popped yet (gcc's
 * -fdefer-pop, on by default), and there is alloca(). Therefore physical frames
 * are compared: an inlined function gets that of its enclosing one.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* Largest number of frames; deeper functions are not recorded. */
#define SHADOW_MAX (UINT32_C(1) << 22)

/* The data of a hook. */
struct shadow_event {
	uintptr_t function;
	uintptr_t call_site; /* return address of the function */
	uintptr_t pc;        /* return address of the hook */
	uintptr_t sp;        /* at the call of the hook */
};

/* Stack pointers of frames whose stack is not the thread's own. They are less
 * than any other, so that no frame appears to be deeper. */
enum shadow_elsewhere {
	SHADOW_FOREIGN = 0,  /* a coroutine's: unknown */
	SHADOW_ALTERNATE = 1 /* the stack for signal handlers */
};

struct shadow_frame {
	uintptr_t sp;
	uintptr_t call_site;
	uintptr_t pc;
	uintptr_t function;
};

struct shadow {
	struct shadow_frame *top;   /* the innermost; `bottom` if none */
	struct shadow_frame *limit; /* upper limit of `top` */
	/* Placeholder for the thread's first frame: nothing is shallower. */
	struct shadow_frame *bottom;
	uintptr_t low;  /* end of the thread's own stack */
	uintptr_t span; /* its size */
	/* Functions beyond SHADOW_MAX, and the place of the first. */
	uint32_t beyond;
	uintptr_t beyond_sp;
};

/* A shadow without room, for threads without one. */
extern struct shadow_frame shadow_none;

/* Allocates the calling thread's shadow; false if out of memory. */
bool shadow_init(struct shadow *shadow, uintptr_t low, uintptr_t high);
void shadow_clear(struct shadow *shadow);

/* Removes all frames. */
void shadow_reset(struct shadow *shadow);

/* Makes room for one more frame; false beyond SHADOW_MAX, or if out of
 * memory. */
bool shadow_make_room(struct shadow *shadow);

static inline bool shadow_is_own(const struct shadow *shadow, uintptr_t sp)
{
	return sp - shadow->low < shadow->span;
}

/*
 * Whether the entered function was called directly by the top one, or is the
 * first, and there is room for its frame. This is the usual case: the return
 * address is directly below the top one's frame. Nothing needs repair, and the
 * frame's stack pointer is the hook's. This is never true on another stack: the
 * return address of the function that switches stacks would be there.
 */
__attribute__((no_sanitize("address"))) static inline bool shadow_is_called(
	const struct shadow *shadow, const struct shadow_event *event)
{
	const struct shadow_frame *top = shadow->top;

	return top < shadow->limit && event->sp < top->sp &&
	       (((const uintptr_t *)top->sp)[-1] == event->call_site ||
		       (top == shadow->bottom &&
			       shadow_is_own(shadow, event->sp)));
}

/* The stack pointer for the frame of any entered function, if nothing needs
 * repair first; else SHADOW_REPAIR. */
#define SHADOW_REPAIR UINTPTR_MAX
uintptr_t shadow_entry(
	const struct shadow *shadow, const struct shadow_event *event);

/*
 * Whether it is certainly the top function that exits. A tail-called hook, in
 * functions without a result, returns to the function's call site, and its
 * stack pointer is that of the function's caller.
 */
static inline bool shadow_is_top(
	const struct shadow *shadow, const struct shadow_event *event)
{
	const struct shadow_frame *top = shadow->top;

	return top->function == event->function &&
	       top->call_site == event->call_site &&
	       ((event->pc == event->call_site ? top[-1].sp : top->sp) >=
			       event->sp ||
		       top->sp <= SHADOW_ALTERNATE);
}

static inline struct shadow_frame shadow_frame(
	uintptr_t sp, const struct shadow_event *event)
{
	return (struct shadow_frame){
		sp, event->call_site, event->pc, event->function};
}

/* The place of the entered function's return address, on the thread's own
 * stack; 0 if it is not found. Call it while the hook runs. */
uintptr_t shadow_slot(
	const struct shadow *shadow, const struct shadow_event *event);

/*
 * For an entered function: returns the number of functions at the top that have
 * been left. `elsewhere` is its stack, if not the thread's own; else
 * SHADOW_OWN, with `slot` from shadow_slot(). Sets `*sp` for its frame.
 */
#define SHADOW_OWN UINTPTR_MAX
uint32_t shadow_dead(const struct shadow *shadow,
	const struct shadow_event *event, uintptr_t elsewhere, uintptr_t slot,
	uintptr_t *sp);

/* For an exiting function: returns the number of functions at the top that end,
 * including itself as the last; 0 if it is not open. */
uint32_t shadow_find(const struct shadow *shadow,
	const struct shadow_event *event, uintptr_t elsewhere);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The open functions of a thread, as their hooks reported them. A function that
 * was left without an exit (longjmp, an exception, the end of the thread) is
 * recognised at the next hook, by the stack pointer and by the place of the
 * entered function's return address.
 *
 * A frame has the stack pointer at the call of the hook in the function's
 * prologue. Within one physical frame it may be lower at the hooks of functions
 * that were inlined: arguments of earlier calls may not be popped yet (gcc's
 * -fdefer-pop, on by default), and there is alloca(). Compared are therefore
 * physical frames: an inlined function gets that of the one it is in.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* Frames at most; deeper functions are not recorded. */
#define SHADOW_MAX (UINT32_C(1) << 22)

/* What a hook knows. */
struct shadow_event {
	uintptr_t function;
	uintptr_t call_site; /* where the function returns to */
	uintptr_t pc;        /* where the hook returns to */
	uintptr_t sp;        /* at the hook's call */
};

/* Stack pointers of frames whose stack is not the thread's own. They are less
 * than any other, so that nothing passes for something deeper. */
enum shadow_elsewhere {
	SHADOW_FOREIGN = 0,  /* a coroutine's: nothing is known */
	SHADOW_ALTERNATE = 1 /* the one for signal handlers */
};

struct shadow_frame {
	uintptr_t sp;
	uintptr_t call_site;
	uintptr_t pc;
	uintptr_t function;
};

struct shadow {
	struct shadow_frame *top;   /* the innermost; `bottom` if none */
	struct shadow_frame *limit; /* `top` may not go beyond */
	/* Stands for the thread's first frame: nothing is shallower. */
	struct shadow_frame *bottom;
	uintptr_t low;  /* end of the thread's own stack */
	uintptr_t span; /* its size */
	/* Functions beyond SHADOW_MAX, and where the first of them is. */
	uint32_t beyond;
	uintptr_t beyond_sp;
};

/* A shadow in which nothing can be open, for threads without one. */
extern struct shadow_frame shadow_none;

/* Takes memory for the calling thread's; false if out of it. */
bool shadow_init(struct shadow *shadow, uintptr_t low, uintptr_t high);
void shadow_clear(struct shadow *shadow);

/* Nothing is open. */
void shadow_reset(struct shadow *shadow);

/* Room for one more frame; false beyond SHADOW_MAX, or out of memory. */
bool shadow_make_room(struct shadow *shadow);

static inline bool shadow_is_own(const struct shadow *shadow, uintptr_t sp)
{
	return sp - shadow->low < shadow->span;
}

/*
 * Is a function entered that the top one called directly, or that is the first,
 * and is there room for its frame? Most are: then the return address lies right
 * below the top one's frame. Nothing is to be repaired, and the frame's stack
 * pointer is the hook's. On another stack it cannot be: there the top one would
 * have called what changes stacks, and that return address would lie there.
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

/* The stack pointer for the frame of any function that is entered, if nothing
 * is to be repaired before; else SHADOW_REPAIR. */
#define SHADOW_REPAIR UINTPTR_MAX
uintptr_t shadow_entry(
	const struct shadow *shadow, const struct shadow_event *event);

/*
 * Is it surely the top function that exits? A hook that was tail-called, as
 * compilers do where nothing is to be returned, returns to the function's
 * call site, and its stack pointer is that of the function's caller.
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

/* Where the return address of the function is that is being entered, on the
 * thread's own stack; 0 if it is not found. To be asked while the hook runs. */
uintptr_t shadow_slot(
	const struct shadow *shadow, const struct shadow_event *event);

/*
 * A function is entered: how many functions from the top on are no more.
 * `elsewhere` tells which stack it is on, if not the thread's own; else
 * SHADOW_OWN, and `slot` is shadow_slot()'s. `*sp` is what its frame gets.
 */
#define SHADOW_OWN UINTPTR_MAX
uint32_t shadow_dead(const struct shadow *shadow,
	const struct shadow_event *event, uintptr_t elsewhere, uintptr_t slot,
	uintptr_t *sp);

/* A function exits: how many functions from the top on are no more, itself
 * being the last of them; 0 if it is not open. */
uint32_t shadow_find(const struct shadow *shadow,
	const struct shadow_event *event, uintptr_t elsewhere);

#endif

/* SPDX-License-Identifier: MIT */
#include "instrument/shadow.h"

#include <stddef.h>
#include <sys/mman.h>

#define FIRST_FRAMES 2048

/* Words above the stack pointer searched for a return address. */
#define SEARCH_WORDS 512

/* Largest distance of a function's own hook call from its start. */
#define PROLOGUE_BYTES 256

/* The address in a return address on the stack: aarch64's pointer
 * authentication (-mbranch-protection) signs it in the bits above. */
#ifdef __aarch64__
#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)
#else
#define ADDRESS_MASK UINTPTR_MAX
#endif

struct shadow_frame shadow_none;

bool shadow_init(struct shadow *shadow, uintptr_t low, uintptr_t high)
{
	struct shadow_frame *frames = mmap(NULL, FIRST_FRAMES * sizeof(*frames),
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (frames == MAP_FAILED)
		return false;
	shadow->bottom = frames;
	shadow->limit = frames + FIRST_FRAMES - 1;
	shadow->low = low;
	shadow->span = high - low;
	frames->sp = high;
	shadow_reset(shadow);
	return true;
}

void shadow_clear(struct shadow *shadow)
{
	if (shadow->bottom != NULL)
		(void)munmap(shadow->bottom,
			(size_t)(shadow->limit + 1 - shadow->bottom) *
				sizeof(*shadow->bottom));
	*shadow = (struct shadow){.top = &shadow_none};
}

void shadow_reset(struct shadow *shadow)
{
	shadow->top = shadow->bottom;
	shadow->beyond = 0;
}

bool shadow_make_room(struct shadow *shadow)
{
	size_t size = (size_t)(shadow->limit + 1 - shadow->bottom);
	ptrdiff_t used = shadow->top - shadow->bottom;
	struct shadow_frame *frames;

	if (shadow->top < shadow->limit)
		return true;
	if (size >= SHADOW_MAX)
		return false;
	frames = mremap(shadow->bottom, size * sizeof(*frames),
		2 * size * sizeof(*frames), MREMAP_MAYMOVE);
	if (frames == MAP_FAILED)
		return false;
	shadow->bottom = frames;
	shadow->limit = frames + 2 * size - 1;
	shadow->top = frames + used;
	return true;
}

/*
 * Finds the return address of the entered function: the first equal word from
 * the stack pointer on. A copy of it may come first, so it is there or above. 0
 * if it is not below `end`, or too far away.
 */
__attribute__((no_sanitize("address"))) static uintptr_t find_return(
	const struct shadow_event *event, uintptr_t end)
{
	uintptr_t at = event->sp;

	for (int i = 0; i < SEARCH_WORDS && at < end; i++, at += sizeof(at))
		if (((*(const uintptr_t *)at ^ event->call_site) &
			    ADDRESS_MASK) == 0)
			return at;
	return 0;
}

uintptr_t shadow_slot(
	const struct shadow *shadow, const struct shadow_event *event)
{
	return find_return(event, shadow->low + shadow->span);
}

/*
 * Whether this frame has been left, given a function whose return address is at
 * `slot` or above. Callees of the frame would have that below it, and two
 * physical frames never share a stack pointer. Functions with one call site may
 * be in one physical frame.
 */
static bool is_left(const struct shadow_frame *frame,
	const struct shadow_event *event, uintptr_t slot)
{
	if (frame->sp <= SHADOW_ALTERNATE)
		return frame->sp == SHADOW_ALTERNATE;
	return frame->sp < event->sp ||
	       (frame->call_site != event->call_site &&
		       (frame->sp == event->sp ||
			       (slot != 0 && slot >= frame->sp)));
}

/* Whether the function is inlined into the physical frame of `frame`. If not,
 * it was called from there, by recursion. */
static bool is_inlined(const struct shadow_frame *frame,
	const struct shadow_event *event, uintptr_t slot)
{
	uintptr_t end = frame->sp;

	if (frame->sp <= SHADOW_ALTERNATE ||
		frame->call_site != event->call_site)
		return false;
	/* Not found means too far away, because of alloca(). */
	if (slot == 0 && end - event->sp > SEARCH_WORDS * sizeof(slot))
		return event->pc - event->function > PROLOGUE_BYTES;
	return slot == 0 || slot >= end;
}

/* The frame in the same physical frame as `live` that was entered at exactly
 * this place, and so must have been left since; NULL if none. */
static const struct shadow_frame *find_place(
	const struct shadow_frame *live, const struct shadow_event *event)
{
	for (const struct shadow_frame *frame = live;
		frame->sp == live->sp && frame->call_site == live->call_site;
		frame--)
		if (frame->pc == event->pc)
			return frame;
	return NULL;
}

uintptr_t shadow_entry(
	const struct shadow *shadow, const struct shadow_event *event)
{
	const struct shadow_frame *top = shadow->top;
	uintptr_t end = top->sp;
	uintptr_t slot;

	if (top >= shadow->limit)
		return SHADOW_REPAIR;
	if (!shadow_is_own(shadow, event->sp))
		return top->sp <= SHADOW_ALTERNATE ? top->sp : SHADOW_REPAIR;
	if (top == shadow->bottom || top->sp == SHADOW_FOREIGN)
		return event->sp;
	if (event->sp > top->sp)
		return SHADOW_REPAIR;
	slot = find_return(event, end);
	if (is_inlined(top, event, slot))
		return find_place(top, event) == NULL ? top->sp : SHADOW_REPAIR;
	if (slot != 0 || end - event->sp > SEARCH_WORDS * sizeof(slot))
		return event->sp;
	return SHADOW_REPAIR;
}

uint32_t shadow_dead(const struct shadow *shadow,
	const struct shadow_event *event, uintptr_t elsewhere, uintptr_t slot,
	uintptr_t *sp)
{
	const struct shadow_frame *live = shadow->top;
	const struct shadow_frame *found;

	*sp = elsewhere;
	if (elsewhere != SHADOW_OWN)
		return 0;
	*sp = event->sp;
	while (live != shadow->bottom && is_left(live, event, slot))
		live--;
	if (live == shadow->bottom || !is_inlined(live, event, slot))
		return (uint32_t)(shadow->top - live);
	*sp = live->sp;
	found = find_place(live, event);
	return found == NULL ? (uint32_t)(shadow->top - live)
			     : (uint32_t)(shadow->top - found) + 1;
}

static bool is_of(
	const struct shadow_frame *frame, const struct shadow_event *event)
{
	return frame->function == event->function &&
	       frame->call_site == event->call_site;
}

/* The outermost frame below the stack pointer of a function's caller. */
static const struct shadow_frame *find_tail(
	const struct shadow *shadow, const struct shadow_event *event)
{
	const struct shadow_frame *found = NULL;

	for (const struct shadow_frame *frame = shadow->top;
		frame != shadow->bottom && frame->sp < event->sp; frame--)
		if (is_of(frame, event))
			found = frame;
	return found;
}

/*
 * The innermost frame of the function, at this stack pointer or above. Its call
 * site differs for functions that gcc split, with the exit in a separate part.
 */
static const struct shadow_frame *find_from(const struct shadow *shadow,
	const struct shadow_event *event, uintptr_t sp, bool any_call_site)
{
	for (const struct shadow_frame *frame = shadow->top;
		frame != shadow->bottom; frame--)
		if (frame->sp >= sp &&
			(is_of(frame, event) ||
				(any_call_site &&
					frame->function == event->function)))
			return frame;
	return NULL;
}

uint32_t shadow_find(const struct shadow *shadow,
	const struct shadow_event *event, uintptr_t elsewhere)
{
	const struct shadow_frame *found = NULL;

	if (elsewhere == SHADOW_OWN)
		found = event->pc == event->call_site
				? find_tail(shadow, event)
				: find_from(shadow, event, event->sp, false);
	if (found == NULL)
		found = find_from(shadow, event, 0, false);
	if (found == NULL && elsewhere == SHADOW_OWN)
		found = find_from(shadow, event, event->sp, true);
	return found == NULL ? 0 : (uint32_t)(shadow->top - found) + 1;
}

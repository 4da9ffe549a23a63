/* SPDX-License-Identifier: MIT */
#include "shadow.h"

#include <stddef.h>
#include <sys/mman.h>

#define FIRST_FRAMES 2048

/* How far below a frame its callee's return address is looked for: there are
 * the callee's arguments between. */
#define SEARCH_WORDS 64

/* A function's own hook is called this close to its beginning. */
#define PROLOGUE_BYTES 256

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
	frames->depth = shadow->span;
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
 * Is the function inlined into the physical frame that `frame` is of? Its call
 * site is the same, and the stack pointer not higher. If it is not, then it
 * was called, by recursion, and its return address lies below the frame.
 */
__attribute__((no_sanitize("address"))) static bool is_inlined(
	const struct shadow *shadow, const struct shadow_frame *frame,
	const struct shadow_event *event)
{
	uintptr_t at = shadow->low + frame->depth;

	for (int i = 0; i < SEARCH_WORDS; i++) {
		if (at - sizeof(at) < event->sp)
			return true;
		at -= sizeof(at);
		if (*(const uintptr_t *)at == event->call_site)
			return false;
	}
	/* It may be further down, if the caller has used alloca(). */
	return event->pc - event->function > PROLOGUE_BYTES;
}

/* Has this frame been left, seen from a function that is entered at `depth`?
 * Two physical frames are never at one depth. */
static bool is_left(
	const struct shadow_frame *frame, uintptr_t depth, uintptr_t call_site)
{
	if (frame->depth == SHADOW_FOREIGN)
		return false;
	return frame->depth < depth ||
	       (frame->depth == depth && frame->call_site != call_site);
}

uint32_t shadow_dead(const struct shadow *shadow,
	const struct shadow_event *event, uintptr_t elsewhere, uintptr_t *depth)
{
	const struct shadow_frame *live = shadow->top;

	*depth = elsewhere;
	if (elsewhere != SHADOW_OWN)
		return 0;
	*depth = event->sp - shadow->low;
	while (live != shadow->bottom &&
		is_left(live, *depth, event->call_site))
		live--;
	if (live == shadow->bottom || live->depth == SHADOW_FOREIGN ||
		live->call_site != event->call_site ||
		!is_inlined(shadow, live, event))
		return (uint32_t)(shadow->top - live);
	*depth = live->depth;
	/* If this very place was entered before, then it was left since. */
	for (const struct shadow_frame *frame = live;
		frame->depth == live->depth &&
		frame->call_site == live->call_site;
		frame--)
		if (frame->pc == event->pc)
			return (uint32_t)(shadow->top - frame) + 1;
	return (uint32_t)(shadow->top - live);
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
	uintptr_t depth = event->sp - shadow->low;
	const struct shadow_frame *found = NULL;

	for (const struct shadow_frame *frame = shadow->top;
		frame != shadow->bottom && frame->depth < depth; frame--)
		if (is_of(frame, event))
			found = frame;
	return found;
}

/*
 * The innermost frame that is of the function, at this stack pointer or above.
 * A call site that is another is for functions that gcc took apart, whose exit
 * is in a part of its own.
 */
static const struct shadow_frame *find_from(const struct shadow *shadow,
	const struct shadow_event *event, uintptr_t depth, bool any_call_site)
{
	for (const struct shadow_frame *frame = shadow->top;
		frame != shadow->bottom; frame--)
		if (frame->depth >= depth &&
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
				: find_from(shadow, event,
					  event->sp - shadow->low, false);
	if (found == NULL)
		found = find_from(shadow, event, 0, false);
	if (found == NULL && elsewhere == SHADOW_OWN)
		found = find_from(shadow, event, event->sp - shadow->low, true);
	return found == NULL ? 0 : (uint32_t)(shadow->top - found) + 1;
}

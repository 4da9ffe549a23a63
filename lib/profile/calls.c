/* SPDX-License-Identifier: MIT */
#include "profile/calls.h"

#include "base/memory.h"
#include "profile/device_calls.h"

/* A bit for each function and edge with open calls. */
struct call_set {
	struct call_set *next; /* in the list of unused sets */
	uint64_t *functions;
	uint32_t function_words;
	uint64_t *edges;
	uint32_t edge_words;
};

static void call_set_free(struct call_set *set)
{
	if (set == NULL)
		return;
	memory_free(set->functions);
	memory_free(set->edges);
	memory_free(set);
}

void call_stack_clear(struct call_stack *stack)
{
	memory_free(stack->frames);
	call_set_free(stack->set);
	*stack = (struct call_stack){0};
}

void calls_clear(struct calls *calls)
{
	while (calls->unused != NULL) {
		struct call_set *set = calls->unused;

		calls->unused = set->next;
		call_set_free(set);
	}
	profile_children_clear(&calls->children);
	memory_free(calls->repeats);
}

static bool borrow_set(struct calls *calls, struct call_stack *stack)
{
	struct call_set *set = calls->unused;

	if (set != NULL)
		calls->unused = set->next;
	else
		set = memory_new_zeroed(1, sizeof(*set));
	stack->set = set;
	return set != NULL;
}

static inline void return_set(struct calls *calls, struct call_stack *stack)
{
	stack->set->next = calls->unused;
	calls->unused = stack->set;
	stack->set = NULL;
}

#define WORD_BITS 64

/* Makes room for the bit; false if out of memory. */
static inline bool ensure_bit(uint64_t **bits, uint32_t number, uint32_t *words)
{
	return array_ensure_index(
		bits, number / WORD_BITS, words, sizeof(**bits));
}

/* Returns whether the bit was set. */
static inline bool add_bit(uint64_t *bits, uint32_t number)
{
	uint64_t *word = &bits[number / WORD_BITS];
	const uint64_t bit = UINT64_C(1) << number % WORD_BITS;
	const bool was_there = (*word & bit) != 0;

	*word |= bit;
	return was_there;
}

static inline void remove_bit(uint64_t *bits, uint32_t number)
{
	bits[number / WORD_BITS] &= ~(UINT64_C(1) << number % WORD_BITS);
}

/* Returns the edge, usually one of the last used, which is found without a
 * search. PROFILE_NONE if out of memory. */
static inline uint32_t edge_of(
	struct calls *calls, uint32_t caller, uint32_t callee)
{
	uint32_t *hint =
		&calls->edge_hints[(caller * 31 + callee) % CALLS_HINTS];
	const struct profile *profile = calls->profile;

	if (*hint < profile->edge_count &&
		profile->edges[*hint].caller == caller &&
		profile->edges[*hint].callee == callee)
		return *hint;
	*hint = profile_add_edge(calls->profile, caller, callee);
	return *hint;
}

uint32_t calls_edge(struct calls *calls, uint32_t caller, uint32_t callee)
{
	return edge_of(calls, caller, callee);
}

/* Returns the node of a frame below its caller's, added if new; PROFILE_NONE if
 * out of memory. */
static uint32_t node_of(
	struct calls *calls, uint32_t parent, const struct call_frame *frame)
{
	uint32_t count = calls->profile->node_count;
	uint32_t node = profile_children_find(
		&calls->children, calls->profile, parent, frame->function);

	if (node < count || node == PROFILE_NONE || frame->repeats == 0)
		return node;
	if (!array_ensure_index(&calls->repeats, node, &calls->repeat_room,
		    sizeof(*calls->repeats)))
		return PROFILE_NONE;
	calls->repeats[node] = frame->repeats;
	return node;
}

/* Sets the edge and node of a frame in place, above its caller's; false if out
 * of memory. */
static inline bool link_frame(
	struct calls *calls, struct call_stack *stack, struct call_frame *frame)
{
	const struct call_frame *parent = stack->depth == 0 ? NULL : frame - 1;

	if (parent != NULL && !calls->options.no_edges) {
		frame->edge = edge_of(calls, parent->function, frame->function);
		if (frame->edge == PROFILE_NONE ||
			!ensure_bit(&stack->set->edges, frame->edge,
				&stack->set->edge_words))
			return false;
		if (add_bit(stack->set->edges, frame->edge))
			frame->repeats |= REPEATS_EDGE;
	}
	if (add_bit(stack->set->functions, frame->function))
		frame->repeats |= REPEATS_FUNCTION;
	if (!calls->options.tree)
		return true;
	frame->node = node_of(calls, parent ? parent->node : 0, frame);
	return frame->node != PROFILE_NONE;
}

/* Opens a call. The frame is filled in place: loads from a copy of it would wait
 * for the narrower stores. */
static inline bool begin_call(struct calls *calls, struct call_stack *stack,
	uint32_t begin, int64_t time_ns)
{
	const uint32_t function = call_function(begin);
	struct call_frame *frame;

	if ((stack->set == NULL && !borrow_set(calls, stack)) ||
		!ensure_bit(&stack->set->functions, function,
			&stack->set->function_words) ||
		!array_reserve32(&stack->frames, stack->depth, &stack->room,
			sizeof(*stack->frames)))
		return false;
	/* Needed when the call ends. */
	__builtin_prefetch(&calls->profile->functions[function].cost, 1);
	frame = &stack->frames[stack->depth];
	frame->start_ns = time_ns;
	frame->children_ns = 0;
	frame->function = function;
	frame->edge = PROFILE_NONE;
	frame->node = 0;
	frame->api = (begin & CALL_API) != 0;
	frame->repeats = 0;
	frame->memory = 0;
	if (!link_frame(calls, stack, frame))
		return false;
	stack->depth++;
	return true;
}

/* At the end of a call, adds its memory to its caller's. */
static void pop_memory(struct calls *calls, const struct call_frame *frame,
	struct call_frame *caller, bool primitive)
{
	struct profile *profile = calls->profile;
	struct profile_memory *memory = profile->memory;
	uint32_t *sum = &profile->functions[frame->function].use.memory;

	if (primitive)
		profile_memory_add_list(memory, sum, frame->memory);
	if (caller != NULL && caller->memory == 0) {
		caller->memory = frame->memory;
		return;
	}
	if (caller != NULL)
		profile_memory_add_list(memory, &caller->memory, frame->memory);
	profile_memory_release(memory, frame->memory);
}

static inline void end_call(
	struct calls *calls, struct call_stack *stack, int64_t end_ns)
{
	const struct call_frame *frame = &stack->frames[--stack->depth];
	struct profile *profile = calls->profile;
	uint64_t time_ns = (uint64_t)end_ns - (uint64_t)frame->start_ns;
	uint64_t self_ns = time_ns - frame->children_ns;
	uint64_t child_ns = time_ns;
	bool primitive = (frame->repeats & REPEATS_FUNCTION) == 0;
	bool all = calls->options.all_edge_times;

	if (primitive)
		remove_bit(stack->set->functions, frame->function);
	if (calls->options.no_times)
		self_ns = time_ns = 0;
	calls_cost(&profile->functions[frame->function].cost, self_ns, time_ns,
		primitive, primitive);
	if (frame->edge != PROFILE_NONE) {
		bool first = (frame->repeats & REPEATS_EDGE) == 0;

		if (first)
			remove_bit(stack->set->edges, frame->edge);
		calls_cost(&profile->edges[frame->edge].cost, self_ns, time_ns,
			all ? primitive : first, all || first);
	} else if (stack->depth == 0) {
		calls_cost(&profile->functions[frame->function].root, self_ns,
			time_ns, true, true);
	}
	if (calls->options.tree) {
		profile->nodes[frame->node].ncalls++;
		profile->nodes[frame->node].self_ns += self_ns;
	}
	profile->total_ns += self_ns;
	if (calls->has_memory)
		pop_memory(calls, frame,
			stack->depth == 0 ? NULL
					  : &stack->frames[stack->depth - 1],
			primitive);
	if (stack->depth > 0)
		stack->frames[stack->depth - 1].children_ns += child_ns;
	else
		return_set(calls, stack);
}

bool calls_add(struct calls *calls, struct call_stack *stack,
	struct call_run *run, uint32_t kept)
{
	const uint32_t *begins = run->begins;
	const int64_t *times_ns = run->times_ns;
	const uint32_t count = run->count;
	uint32_t at;

	for (at = run->at; at < count; at++) {
		if (begins[at] != CALL_END) {
			if (!begin_call(calls, stack, begins[at], times_ns[at]))
				return false;
		} else if (stack->depth == kept) {
			break;
		} else {
			end_call(calls, stack, times_ns[at]);
		}
	}
	run->at = at;
	return true;
}

bool calls_begin(struct calls *calls, struct call_stack *stack, uint32_t begin,
	int64_t time_ns)
{
	struct call_run run = {&begin, &time_ns, 1, 0};

	return calls_add(calls, stack, &run, 0);
}

void calls_end(struct calls *calls, struct call_stack *stack, int64_t end_ns)
{
	static const uint32_t end = CALL_END;
	struct call_run run = {&end, &end_ns, 1, 0};

	(void)calls_add(calls, stack, &run, 0);
}

void calls_drop(struct calls *calls, struct call_stack *stack)
{
	const struct call_frame *frame = &stack->frames[--stack->depth];

	if ((frame->repeats & REPEATS_FUNCTION) == 0)
		remove_bit(stack->set->functions, frame->function);
	if (frame->edge != PROFILE_NONE && (frame->repeats & REPEATS_EDGE) == 0)
		remove_bit(stack->set->edges, frame->edge);
	if (stack->depth == 0)
		return_set(calls, stack);
}

void calls_reopen(struct calls *calls, struct call_stack *stack, uint32_t depth,
	int64_t end_ns)
{
	/* The last set returned is the stack's own. */
	stack->set = calls->unused;
	calls->unused = stack->set->next;
	stack->depth = depth;
	for (uint32_t i = 0; i < depth; i++) {
		const struct call_frame *frame = &stack->frames[i];

		(void)add_bit(stack->set->functions, frame->function);
		if (frame->edge != PROFILE_NONE)
			(void)add_bit(stack->set->edges, frame->edge);
		if (i > 0)
			stack->frames[i - 1].children_ns -=
				(uint64_t)end_ns - (uint64_t)frame->start_ns;
	}
}

/* The contexts of its callers are usually known. */
uint32_t calls_context(
	struct calls *calls, struct call_stack *stack, uint32_t number)
{
	struct call_frame *frames = stack->frames;
	uint32_t first = number + 1;
	uint32_t node = 0;

	while (first > 0 && frames[first - 1].node == 0)
		first--;
	if (first > 0)
		node = frames[first - 1].node;
	for (uint32_t i = first; i <= number; i++) {
		node = node_of(calls, node, &frames[i]);
		if (node == PROFILE_NONE)
			return PROFILE_NONE;
		frames[i].node = node;
	}
	return node;
}

/* SPDX-License-Identifier: MIT */
/*
 * Held text is a list of pieces per frame, in the order of the file, joined in
 * constant time when a range that is held itself closes: a chain of ranges
 * that all start together costs no more than one that does not.
 */
#include "chrome_stack.h"

#include <assert.h>
#include <string.h>

#include "memory.h"

/* Text that is to be written after what holds it back. */
struct piece {
	struct piece *next;
	size_t size;
	char bytes[];
};

struct held {
	struct piece *first; /* NULL: nothing */
	struct piece *last;
};

struct chrome_frame {
	int64_t start_ns;
	uint32_t site;
	bool begun;       /* "B" is written: it ends with "E" */
	bool has_flow;    /* `flow` starts here */
	bool is_op;       /* its category is "cpu_op" */
	bool is_numbered; /* as a call, by us */
	uint64_t flow;
	uint64_t id;              /* "External id"; 0: none */
	struct chrome_args *args; /* NULL: none */
	struct held held;
};

/* Calls of a device's API are made by one another, to no great depth. */
#define CALLS_MAX 8

/* Numbers, punctuation and both prefixes of one event. */
#define EVENT_ROOM (CHROME_PREFIX_ROOM + 2 * JSON_NUMBER_MAX + 32)

void chrome_stack_init(struct chrome_stack *stack, struct json *json,
	struct chrome_text *text, const struct chrome_row *row)
{
	*stack = (struct chrome_stack){.json = json,
		.text = text,
		.row = row,
		.last_ns = INT64_MIN,
		.empty_ns = INT64_MIN};
}

static void free_held(struct held *held)
{
	while (held->first != NULL) {
		struct piece *piece = held->first;

		held->first = piece->next;
		memory_free(piece);
	}
}

void chrome_stack_clear(struct chrome_stack *stack)
{
	for (uint32_t i = 0; i < stack->depth; i++) {
		free_held(&stack->frames[i].held);
		chrome_args_give(stack->text, stack->frames[i].args);
	}
	memory_free(stack->frames);
}

static struct chrome_frame *top(const struct chrome_stack *stack)
{
	assert(stack->depth > 0);
	return &stack->frames[stack->depth - 1];
}

static bool grow(struct chrome_stack *stack)
{
	uint32_t room = stack->room == 0 ? 32 : stack->room * 2;
	struct chrome_frame *frames;

	if (stack->room > UINT32_MAX / 4)
		return false;
	frames = memory_resize(stack->frames, room * sizeof(*frames));
	if (frames == NULL)
		return false;
	stack->frames = frames;
	stack->room = room;
	return true;
}

bool chrome_stack_begin(struct chrome_stack *stack, const struct event *event)
{
	if (stack->depth == stack->room && !grow(stack))
		return false;
	stack->frames[stack->depth++] = (struct chrome_frame){
		.start_ns = event->time_ns, .site = event->site};
	return event->arg_count == 0 || chrome_stack_args(stack, event);
}

/* A range's arguments, made if there are none. */
static struct chrome_args *own_args(
	const struct chrome_stack *stack, struct chrome_frame *frame)
{
	if (frame->args == NULL)
		frame->args = chrome_args_take(stack->text);
	return frame->args;
}

bool chrome_stack_args(struct chrome_stack *stack, const struct event *event)
{
	struct chrome_args *args = own_args(stack, top(stack));

	return args != NULL && chrome_args_add(args, stack->text, event);
}

static void write_times(struct json *json, const struct chrome_row *row,
	int64_t time_ns, uint64_t dur_ns)
{
	char *at = json_room(json, EVENT_ROOM);

	if (at == NULL)
		return;
	at = chrome_row_put(row, at, 'X', time_ns);
	memcpy(at, ",\"dur\":", 7);
	json_advance(json, json_put_duration_us(at + 7, dur_ns));
}

void chrome_stack_write_slice(struct json *json, const struct chrome_row *row,
	const struct chrome_site *site, const struct chrome_args *args,
	int64_t time_ns, uint64_t dur_ns)
{
	size_t size = args == NULL ? site->size : site->cat_size;

	write_times(json, row, time_ns, dur_ns);
	json_raw(json, site->bytes, size);
	if (args != NULL)
		chrome_args_write(json, site, args);
	if (size > site->cat_size)
		json_raw(json, "}}", 2);
	else
		json_raw(json, "}", 1);
}

static void write_flow(struct json *json, const struct chrome_stack *stack,
	const struct chrome_frame *frame)
{
	struct chrome_flow flow = {'s', frame->start_ns, frame->flow};

	if (frame->has_flow)
		chrome_row_write_flow(json, stack->row, flow);
}

/* Its name, and that it is an operation. */
static void write_op(struct json *json, const struct chrome_site *site)
{
	json_raw(json, site->bytes, site->name_size);
	json_raw_text(json, ",\"cat\":\"cpu_op\"");
}

/* What has started together stands behind it, or Perfetto would start the
 * arrow in the range around it. */
static void write_range(struct json *json, const struct chrome_stack *stack,
	const struct chrome_frame *frame, uint64_t dur_ns)
{
	const struct chrome_site *site = &stack->text->sites[frame->site];

	if (frame->is_op) {
		write_times(json, stack->row, frame->start_ns, dur_ns);
		write_op(json, site);
		chrome_args_write(json, site, frame->args);
		json_raw(json, "}", 1);
	} else {
		chrome_stack_write_slice(json, stack->row, site, frame->args,
			frame->start_ns, dur_ns);
	}
	write_flow(json, stack, frame);
}

/* The arguments go with the end: all are known by then. What stands beside them
 * is the beginning's; an end's is an argument, see trace_members.h. */
static void write_mark(struct json *json, const struct chrome_stack *stack,
	const struct chrome_frame *frame, char phase, int64_t time_ns)
{
	const struct chrome_site *site = &stack->text->sites[frame->site];
	char *at = json_room(json, EVENT_ROOM);

	if (at == NULL)
		return;
	json_advance(json, chrome_row_put(stack->row, at, phase, time_ns));
	if (frame->is_op)
		write_op(json, site);
	else
		json_raw(json, site->bytes, site->cat_size);
	if (phase == 'E')
		chrome_args_write(json, site, frame->args);
	else
		chrome_args_move_beside(json, frame->args);
	json_raw(json, "}", 1);
	if (phase == 'B')
		write_flow(json, stack, frame);
}

static void write_held(struct chrome_stack *stack, struct held *held)
{
	for (struct piece *piece = held->first; piece != NULL;
		piece = piece->next) {
		json_raw(stack->json, piece->bytes, piece->size);
		stack->held_bytes -= piece->size;
	}
	free_held(held);
}

/* Writes the beginning of the innermost range and, in order, of those it
 * started together with, so that nothing needs to be held back for them. */
static bool begin_tied(struct chrome_stack *stack)
{
	uint32_t first = stack->depth - 1;

	while (first > 0 && !stack->frames[first - 1].begun &&
		stack->frames[first - 1].start_ns ==
			stack->frames[first].start_ns)
		first--;
	for (uint32_t i = first; i < stack->depth; i++) {
		struct chrome_frame *frame = &stack->frames[i];

		if (chrome_text_site(stack->text, frame->site) == NULL)
			return false;
		write_mark(stack->json, stack, frame, 'B', frame->start_ns);
		write_held(stack, &frame->held);
		frame->begun = true;
	}
	return true;
}

/* Does the innermost range wait for the one around it? */
static bool is_tied(const struct chrome_stack *stack)
{
	const struct chrome_frame *frame = top(stack);

	return stack->depth > 1 && frame[-1].start_ns == frame->start_ns &&
	       !frame[-1].begun;
}

static void held_join(struct held *held, struct held *more)
{
	if (more->first == NULL)
		return;
	if (held->first == NULL)
		held->first = more->first;
	else
		held->last->next = more->first;
	held->last = more->last;
	*more = (struct held){NULL, NULL};
}

/* Moves the scratch text to the end of the list. */
static bool hold(
	struct chrome_stack *stack, struct held *held, const struct json *json)
{
	struct piece *piece = NULL;
	struct held more;

	if (!json->failed)
		piece = memory_new(sizeof(*piece) + json->used);
	if (piece == NULL)
		return false;
	piece->next = NULL;
	piece->size = json->used;
	memcpy(piece->bytes, json->bytes, json->used);
	stack->held_bytes += piece->size;
	more = (struct held){piece, piece};
	held_join(held, &more);
	return true;
}

/* Gives the closing range and what it holds to the one around it. */
static bool hold_range(
	struct chrome_stack *stack, int64_t end_ns, bool as_slice)
{
	struct chrome_frame *frame = top(stack);
	struct held *held = &frame[-1].held;
	struct json *json = chrome_text_scratch(stack->text);
	uint64_t dur_ns = (uint64_t)end_ns - (uint64_t)frame->start_ns;

	if (as_slice)
		write_range(json, stack, frame, dur_ns);
	else
		write_mark(json, stack, frame, 'B', frame->start_ns);
	if (!hold(stack, held, json))
		return false;
	held_join(held, &frame->held);
	if (as_slice)
		return true;
	json = chrome_text_scratch(stack->text);
	write_mark(json, stack, frame, 'E', end_ns);
	return hold(stack, held, json);
}

static void pop(struct chrome_stack *stack)
{
	chrome_args_give(stack->text, top(stack)->args);
	stack->depth--;
}

/* Closes the innermost range. */
static bool close_range(struct chrome_stack *stack, int64_t end_ns)
{
	struct chrome_frame *frame = top(stack);
	bool empty = frame->start_ns == end_ns;
	bool as_slice = stack->empty_ns != end_ns;

	if (chrome_text_site(stack->text, frame->site) == NULL)
		return false;
	if (empty)
		stack->empty_ns = end_ns;
	if (!frame->begun && is_tied(stack) && (as_slice || empty)) {
		if (!hold_range(stack, end_ns, as_slice))
			return false;
		pop(stack);
		return stack->held_bytes <= CHROME_HELD_MAX ||
		       begin_tied(stack);
	}
	/* An "E" must come before all that starts after it: not held. */
	if (!frame->begun && !as_slice && !begin_tied(stack))
		return false;
	if (frame->begun) {
		write_mark(stack->json, stack, frame, 'E', end_ns);
	} else {
		write_range(stack->json, stack, frame,
			(uint64_t)end_ns - (uint64_t)frame->start_ns);
		write_held(stack, &frame->held);
	}
	pop(stack);
	return true;
}

/* The range that the innermost, a call, was made in; NULL if there is none. */
static struct chrome_frame *find_caller(const struct chrome_stack *stack)
{
	uint32_t at = stack->depth - 1;

	for (int i = 0; i < CALLS_MAX && at > 0; i++) {
		struct chrome_frame *frame = &stack->frames[--at];

		if (!chrome_text_is_call(stack->text, frame->site))
			return frame;
	}
	return NULL;
}

/* Gives a range its number. */
static bool number_range(
	struct chrome_stack *stack, struct chrome_frame *frame, uint64_t id)
{
	struct chrome_args *args = own_args(stack, frame);

	if (args == NULL)
		return false;
	frame->id = id;
	/* What is begun has its category in the file. */
	frame->is_op = !frame->begun;
	if (frame->is_op &&
		!chrome_args_add_category(args, stack->text, frame->site))
		return false;
	return chrome_args_add_int(
		args, stack->text, CHROME_KEY_EXTERNAL_ID, (int64_t)id);
}

/* Ties the innermost range to the one that it was made in. */
static bool number_call(
	struct chrome_stack *stack, struct chrome_call call, uint64_t *id)
{
	struct chrome_frame *frame = top(stack);
	struct chrome_frame *caller = find_caller(stack);
	struct chrome_args *args = own_args(stack, frame);

	if (args == NULL ||
		!chrome_args_add_int(args, stack->text, CHROME_KEY_CORRELATION,
			(int64_t)call.correlation))
		return false;
	if (caller == NULL)
		*id = 0;
	else if (caller->id != 0)
		*id = caller->id;
	else if (!number_range(stack, caller, *id))
		return false;
	frame->is_numbered = true;
	return caller == NULL || chrome_args_add_int(args, stack->text,
					 CHROME_KEY_EXTERNAL_ID, (int64_t)*id);
}

/* Has the range such numbers from the trace itself? */
static bool is_told(const struct chrome_frame *frame)
{
	return !frame->is_numbered && frame->args != NULL &&
	       (chrome_args_has(frame->args, CHROME_KEY_CORRELATION) ||
		       chrome_args_has(frame->args, CHROME_KEY_EXTERNAL_ID));
}

bool chrome_stack_call(
	struct chrome_stack *stack, struct chrome_call call, uint64_t *id)
{
	struct chrome_frame *frame = top(stack);

	if (call.correlation == 0 || is_told(frame))
		*id = 0;
	else if (!number_call(stack, call, id))
		return false;
	frame->flow = call.flow;
	if (frame->begun && !frame->has_flow) {
		frame->has_flow = true;
		write_flow(stack->json, stack, frame);
	}
	frame->has_flow = true;
	return true;
}

bool chrome_stack_end(struct chrome_stack *stack, const struct event *event)
{
	if (event->arg_count > 0 && !chrome_stack_args(stack, event))
		return false;
	return close_range(stack, event->time_ns);
}

bool chrome_stack_cut(struct chrome_stack *stack, int64_t time_ns)
{
	struct chrome_args *args = own_args(stack, top(stack));

	return args != NULL && chrome_args_add_open(args, stack->text) &&
	       close_range(stack, time_ns);
}

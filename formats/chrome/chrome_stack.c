/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_stack.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "trace/event.h"

struct pending_piece {
	struct pending_piece *next;
	size_t size;
	char bytes[];
};

/*
 * Pending text, to be written after the range that holds it back: a list of
 * pieces in file order, which is joined with another in constant time. So a
 * chain of ranges that start together costs no more than other ranges.
 */
struct pending_text {                /* all zero: nothing */
	struct pending_piece *first; /* NULL: nothing */
	struct pending_piece *last;
};

static void pending_clear(struct pending_text *pending)
{
	while (pending->first != NULL) {
		struct pending_piece *piece = pending->first;

		pending->first = piece->next;
		memory_free(piece);
	}
}

/* Moves all of `more` to the end. */
static void pending_join(
	struct pending_text *pending, struct pending_text *more)
{
	if (more->first == NULL)
		return;
	if (pending->first == NULL)
		pending->first = more->first;
	else
		pending->last->next = more->first;
	pending->last = more->last;
	*more = (struct pending_text){NULL, NULL};
}

/* Adds the text written to `json`, in memory. False if out of memory. */
static bool pending_add(struct pending_text *pending, const struct json *json)
{
	struct pending_piece *piece = NULL;
	struct pending_text more;

	if (!json->failed)
		piece = memory_new(sizeof(*piece) + json->used);
	if (piece == NULL)
		return false;
	piece->next = NULL;
	piece->size = json->used;
	memcpy(piece->bytes, json->bytes, json->used);
	more = (struct pending_text){piece, piece};
	pending_join(pending, &more);
	return true;
}

/* Writes and empties it; returns the size in bytes. */
static size_t pending_write(struct pending_text *pending, struct json *json)
{
	size_t size = 0;

	for (const struct pending_piece *piece = pending->first; piece != NULL;
		piece = piece->next) {
		json_raw(json, piece->bytes, piece->size);
		size += piece->size;
	}
	pending_clear(pending);
	return size;
}

struct chrome_frame {
	int64_t start_ns;
	uint32_t site;
	bool begun;       /* "B" is written: it ends with "E" */
	bool is_clipped;  /* its EVENT_UNCLIPPED_CALL is written instead */
	bool has_flow;    /* `flow` starts here */
	bool is_op;       /* its category is "cpu_op" */
	bool is_numbered; /* numbered as a call by us */
	uint64_t flow;
	uint64_t id;            /* "External id"; 0: none */
	struct json_args *args; /* NULL: none */
	struct pending_text pending;
};

/* The slice that represents a range. */
struct shape {
	const struct chrome_row *row;
	int64_t start_ns;
	uint64_t dur_ns;
};

/* Most nested device API calls: they call each other, but not deeply. */
#define CALLS_MAX 8

/* Numbers, punctuation and both prefixes of one event. */
#define EVENT_ROOM (CHROME_PREFIX_ROOM + 2 * JSON_NUMBER_MAX + 32)

void chrome_stack_init(struct chrome_stack *stack, struct json *json,
	struct json_names *names, const struct chrome_row *row)
{
	*stack = (struct chrome_stack){.json = json,
		.names = names,
		.row = row,
		.last_ns = INT64_MIN,
		.empty_ns = INT64_MIN};
}

void chrome_stack_clear(struct chrome_stack *stack)
{
	for (uint32_t i = 0; i < stack->depth; i++) {
		pending_clear(&stack->frames[i].pending);
		json_args_release(stack->names, stack->frames[i].args);
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
	stack->frames[stack->depth++] =
		(struct chrome_frame){.start_ns = event->time_ns,
			.is_clipped = event->shift_ns > 0,
			.site = event->site};
	return event->arg_count == 0 || chrome_stack_args(stack, event);
}

/* A range's arguments, created if necessary. */
static struct json_args *own_args(
	const struct chrome_stack *stack, struct chrome_frame *frame)
{
	if (frame->args == NULL)
		frame->args = json_args_acquire(stack->names);
	return frame->args;
}

bool chrome_stack_args(struct chrome_stack *stack, const struct event *event)
{
	struct json_args *args = own_args(stack, top(stack));

	return args != NULL && json_args_add(args, stack->names, event);
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
	const struct json_site *site, const struct json_args *args,
	int64_t time_ns, uint64_t dur_ns)
{
	size_t size = args == NULL ? site->size : site->cat_size;

	write_times(json, row, time_ns, dur_ns);
	json_raw(json, site->bytes, size);
	if (args != NULL)
		json_args_write(json, site, args);
	if (size > site->cat_size)
		json_raw(json, "}}", 2);
	else
		json_raw(json, "}", 1);
}

static void write_flow(struct json *json, const struct chrome_row *row,
	const struct chrome_frame *frame, int64_t time_ns)
{
	struct chrome_flow flow = {'s', time_ns, frame->flow};

	if (frame->has_flow)
		chrome_row_write_flow(json, row, flow);
}

/* Writes its name and the category "cpu_op". */
static void write_op(struct json *json, const struct json_site *site)
{
	json_raw(json, site->bytes, site->name_size);
	json_raw_text(json, ",\"cat\":\"cpu_op\"");
}

/* Ranges that started at the same time follow it; otherwise Perfetto would
 * start the arrow in the enclosing range. */
static void write_range(struct json *json, const struct chrome_stack *stack,
	const struct chrome_frame *frame, const struct shape *shape)
{
	const struct json_site *site = &stack->names->sites[frame->site];

	if (frame->is_op) {
		write_times(json, shape->row, shape->start_ns, shape->dur_ns);
		write_op(json, site);
		json_args_write(json, site, frame->args);
		json_raw(json, "}", 1);
	} else {
		chrome_stack_write_slice(json, shape->row, site, frame->args,
			shape->start_ns, shape->dur_ns);
	}
	write_flow(json, shape->row, frame, shape->start_ns);
}

/* The begin has the function's location, the end the arguments, which are
 * complete by then. Members beside the arguments belong to the begin; those of
 * an end are arguments, see chrome_read_json.h. */
static void write_mark(struct json *json, const struct chrome_stack *stack,
	const struct chrome_frame *frame, char phase, int64_t time_ns)
{
	const struct json_site *site = &stack->names->sites[frame->site];
	char *at = json_room(json, EVENT_ROOM);

	if (at == NULL)
		return;
	json_advance(json, chrome_row_put(stack->row, at, phase, time_ns));
	if (frame->is_op)
		write_op(json, site);
	else
		json_raw(json, site->bytes, site->cat_size);
	if (phase == 'E') {
		json_args_write(json, NULL, frame->args);
	} else {
		json_args_move_beside(json, frame->args);
		json_args_write(json, site, NULL);
	}
	json_raw(json, "}", 1);
	if (phase == 'B')
		write_flow(json, stack->row, frame, frame->start_ns);
}

static void write_pending(
	struct chrome_stack *stack, struct pending_text *pending)
{
	stack->pending_bytes -= pending_write(pending, stack->json);
}

/* Writes the begins of the innermost range and of those that started at the
 * same time, in order, so that nothing needs to be held back for them. */
static bool begin_tied(struct chrome_stack *stack)
{
	uint32_t first = stack->depth - 1;

	while (first > 0 && !stack->frames[first - 1].begun &&
		stack->frames[first - 1].start_ns ==
			stack->frames[first].start_ns)
		first--;
	for (uint32_t i = first; i < stack->depth; i++) {
		struct chrome_frame *frame = &stack->frames[i];

		if (json_names_site(stack->names, frame->site) == NULL)
			return false;
		if (!frame->is_clipped)
			write_mark(stack->json, stack, frame, 'B',
				frame->start_ns);
		write_pending(stack, &frame->pending);
		frame->begun = true;
	}
	return true;
}

/* Must the innermost range wait for the enclosing one? */
static bool is_tied(const struct chrome_stack *stack)
{
	const struct chrome_frame *frame = top(stack);

	return stack->depth > 1 && frame[-1].start_ns == frame->start_ns &&
	       !frame[-1].begun;
}

/* Moves the scratch text to the end of the pending text. */
static bool add_pending(struct chrome_stack *stack,
	struct pending_text *pending, const struct json *json)
{
	stack->pending_bytes += json->used;
	return pending_add(pending, json);
}

/* Adds the closing range and its held text to the enclosing one. */
static bool add_pending_range(
	struct chrome_stack *stack, const struct shape *shape)
{
	struct chrome_frame *frame = top(stack);
	struct pending_text *pending = &frame[-1].pending;
	struct json *json = json_names_scratch(stack->names);

	write_range(json, stack, frame, shape);
	if (!add_pending(stack, pending, json))
		return false;
	pending_join(pending, &frame->pending);
	return true;
}

/* Likewise, as "B" and "E". */
static bool add_pending_marks(struct chrome_stack *stack, int64_t end_ns)
{
	struct chrome_frame *frame = top(stack);
	struct pending_text *pending = &frame[-1].pending;
	struct json *json = json_names_scratch(stack->names);

	write_mark(json, stack, frame, 'B', frame->start_ns);
	if (!add_pending(stack, pending, json))
		return false;
	pending_join(pending, &frame->pending);
	json = json_names_scratch(stack->names);
	write_mark(json, stack, frame, 'E', end_ns);
	return add_pending(stack, pending, json);
}

static void pop(struct chrome_stack *stack)
{
	json_args_release(stack->names, top(stack)->args);
	stack->depth--;
}

/* Writes all held text if there is more than the limit. */
static bool check_pending(struct chrome_stack *stack)
{
	return stack->pending_bytes <= CHROME_PENDING_MAX || begin_tied(stack);
}

/* Closes the innermost range, which is a slice. */
static bool close_slice(struct chrome_stack *stack, const struct shape *shape)
{
	struct chrome_frame *frame = top(stack);

	if (json_names_site(stack->names, frame->site) == NULL)
		return false;
	if (!frame->begun && is_tied(stack)) {
		if (!add_pending_range(stack, shape))
			return false;
		pop(stack);
		return check_pending(stack);
	}
	write_range(stack->json, stack, frame, shape);
	write_pending(stack, &frame->pending);
	pop(stack);
	return true;
}

/* Likewise, for a range that is not itself written. */
static void close_clipped(struct chrome_stack *stack)
{
	struct chrome_frame *frame = top(stack);

	if (!frame->begun && is_tied(stack))
		pending_join(&frame[-1].pending, &frame->pending);
	else
		write_pending(stack, &frame->pending);
	pop(stack);
}

/* Closes the innermost range on its own row. */
static bool close_range(struct chrome_stack *stack, int64_t end_ns)
{
	struct chrome_frame *frame = top(stack);
	const struct shape shape = {stack->row, frame->start_ns,
		(uint64_t)end_ns - (uint64_t)frame->start_ns};
	bool as_slice = stack->empty_ns != end_ns;

	if (json_names_site(stack->names, frame->site) == NULL)
		return false;
	if (shape.dur_ns == 0)
		stack->empty_ns = end_ns;
	if (!frame->begun && as_slice)
		return close_slice(stack, &shape);
	if (!frame->begun && is_tied(stack) && shape.dur_ns == 0) {
		if (!add_pending_marks(stack, end_ns))
			return false;
		pop(stack);
		return check_pending(stack);
	}
	/* An "E" must precede every later begin, so it cannot be held. */
	if (!frame->begun && !begin_tied(stack))
		return false;
	write_mark(stack->json, stack, frame, 'E', end_ns);
	pop(stack);
	return true;
}

/* The range that made the innermost one, a call; NULL if there is none. */
static struct chrome_frame *find_caller(const struct chrome_stack *stack)
{
	uint32_t at = stack->depth - 1;

	for (int i = 0; i < CALLS_MAX && at > 0; i++) {
		struct chrome_frame *frame = &stack->frames[--at];

		if (!frame->is_clipped &&
			!json_names_is_call(stack->names, frame->site))
			return frame;
	}
	return NULL;
}

/* Gives a range its number. */
static bool number_range(
	struct chrome_stack *stack, struct chrome_frame *frame, uint64_t id)
{
	struct json_args *args = own_args(stack, frame);

	if (args == NULL)
		return false;
	frame->id = id;
	/* A range that has begun already has its category in the file. */
	frame->is_op = !frame->begun;
	if (frame->is_op &&
		!json_args_add_category(args, stack->names, frame->site))
		return false;
	return json_args_add_int(
		args, stack->names, JSON_ARGS_KEY_EXTERNAL_ID, (int64_t)id);
}

/* Connects the innermost range, a call, to its caller. */
static bool number_call(
	struct chrome_stack *stack, struct chrome_call call, uint64_t *id)
{
	struct chrome_frame *frame = top(stack);
	struct chrome_frame *caller = find_caller(stack);
	struct json_args *args = own_args(stack, frame);

	if (args == NULL ||
		!json_args_add_int(args, stack->names,
			JSON_ARGS_KEY_CORRELATION, (int64_t)call.correlation))
		return false;
	if (caller == NULL)
		*id = 0;
	else if (caller->id != 0)
		*id = caller->id;
	else if (!number_range(stack, caller, *id))
		return false;
	frame->is_numbered = true;
	return caller == NULL ||
	       json_args_add_int(args, stack->names, JSON_ARGS_KEY_EXTERNAL_ID,
		       (int64_t)*id);
}

/* Does the range have such numbers from the input trace? */
static bool has_numbers(const struct chrome_frame *frame)
{
	return !frame->is_numbered && frame->args != NULL &&
	       (json_args_has(frame->args, JSON_ARGS_KEY_CORRELATION) ||
		       json_args_has(frame->args, JSON_ARGS_KEY_EXTERNAL_ID));
}

bool chrome_stack_call(
	struct chrome_stack *stack, struct chrome_call call, uint64_t *id)
{
	struct chrome_frame *frame = top(stack);

	if (call.correlation == 0 || has_numbers(frame))
		*id = 0;
	else if (!number_call(stack, call, id))
		return false;
	frame->flow = call.flow;
	if (frame->begun && !frame->has_flow) {
		frame->has_flow = true;
		write_flow(stack->json, stack->row, frame, frame->start_ns);
	}
	frame->has_flow = true;
	return true;
}

static bool close_any(struct chrome_stack *stack, int64_t end_ns)
{
	if (!top(stack)->is_clipped)
		return close_range(stack, end_ns);
	close_clipped(stack);
	return true;
}

static bool add_end_args(struct chrome_stack *stack, const struct event *event)
{
	return event->arg_count == 0 || chrome_stack_args(stack, event);
}

bool chrome_stack_end(struct chrome_stack *stack, const struct event *event)
{
	return add_end_args(stack, event) && close_any(stack, event->time_ns);
}

bool chrome_stack_cut(struct chrome_stack *stack, int64_t time_ns)
{
	struct json_args *args = own_args(stack, top(stack));

	return args != NULL && json_args_add_open(args, stack->names) &&
	       close_any(stack, time_ns);
}

bool chrome_stack_is_begun(const struct chrome_stack *stack)
{
	return top(stack)->begun;
}

bool chrome_stack_is_longer(const struct chrome_stack *stack,
	const struct event *end, struct event *call)
{
	const struct chrome_frame *frame = top(stack);

	if (end->shift_ns == 0 || frame->is_clipped)
		return false;
	*call = (struct event){.kind = EVENT_COMPLETE,
		.track = stack->row->track,
		.site = frame->site,
		.time_ns = frame->start_ns};
	call->dur_ns = (uint64_t)event_end(end) - (uint64_t)frame->start_ns;
	return true;
}

bool chrome_stack_end_call(struct chrome_stack *stack, const struct event *end,
	const struct event *call, const struct chrome_row *row)
{
	const struct shape shape = {row, call->time_ns, call->dur_ns};

	return add_end_args(stack, end) && close_slice(stack, &shape);
}

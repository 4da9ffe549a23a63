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

void chrome_stack_clear_frame(void *frame)
{
	struct chrome_frame *ended = frame;

	pending_clear(&ended->pending);
	json_args_free(ended->args);
}

static struct chrome_frame *frames(const struct chrome_track *track)
{
	return track->base.frames;
}

struct chrome_frame *chrome_stack_top(const struct chrome_track *track)
{
	assert(track->base.depth > 0);
	return &frames(track)[track->base.depth - 1];
}

bool chrome_stack_begin(struct chrome_track *track, const struct event *event)
{
	frames(track)[track->base.depth++] =
		(struct chrome_frame){.start_ns = event->time_ns,
			.is_clipped = event->shift_ns > 0,
			.site = event->site};
	return event->arg_count == 0 || chrome_stack_args(track, event);
}

/* A range's arguments, created if necessary. */
static struct json_args *own_args(
	const struct chrome_track *track, struct chrome_frame *frame)
{
	if (frame->args == NULL)
		frame->args = json_args_acquire(track->names);
	return frame->args;
}

bool chrome_stack_args(struct chrome_track *track, const struct event *event)
{
	struct json_args *args = own_args(track, chrome_stack_top(track));

	return args != NULL && json_args_add(args, track->names, event);
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
static void write_range(struct json *json, const struct chrome_track *track,
	const struct chrome_frame *frame, const struct shape *shape)
{
	const struct json_site *site = &track->names->sites[frame->site];

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
static void write_mark(struct json *json, const struct chrome_track *track,
	const struct chrome_frame *frame, char phase, int64_t time_ns)
{
	const struct json_site *site = &track->names->sites[frame->site];
	char *at = json_room(json, EVENT_ROOM);

	if (at == NULL)
		return;
	json_advance(
		json, chrome_row_put(track->ranges_row, at, phase, time_ns));
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
		write_flow(json, track->ranges_row, frame, frame->start_ns);
}

static void write_pending(
	struct chrome_track *track, struct pending_text *pending)
{
	track->pending_bytes -= pending_write(pending, track->json);
}

/* Writes the begins of the innermost range and of those that started at the
 * same time, in order, so that nothing needs to be held back for them. */
static bool begin_tied(struct chrome_track *track)
{
	uint32_t first = track->base.depth - 1;

	while (first > 0 && !frames(track)[first - 1].begun &&
		frames(track)[first - 1].start_ns ==
			frames(track)[first].start_ns)
		first--;
	for (uint32_t i = first; i < track->base.depth; i++) {
		struct chrome_frame *frame = &frames(track)[i];

		if (json_names_site(track->names, frame->site) == NULL)
			return false;
		if (!frame->is_clipped)
			write_mark(track->json, track, frame, 'B',
				frame->start_ns);
		write_pending(track, &frame->pending);
		frame->begun = true;
	}
	return true;
}

/* Must the innermost range wait for the enclosing one? */
static bool is_tied(const struct chrome_track *track)
{
	const struct chrome_frame *frame = chrome_stack_top(track);

	return track->base.depth > 1 && frame[-1].start_ns == frame->start_ns &&
	       !frame[-1].begun;
}

/* Moves the scratch text to the end of the pending text. */
static bool add_pending(struct chrome_track *track,
	struct pending_text *pending, const struct json *json)
{
	track->pending_bytes += json->used;
	return pending_add(pending, json);
}

/* Adds the closing range and its held text to the enclosing one. */
static bool add_pending_range(
	struct chrome_track *track, const struct shape *shape)
{
	struct chrome_frame *frame = chrome_stack_top(track);
	struct pending_text *pending = &frame[-1].pending;
	struct json *json = json_names_scratch(track->names);

	write_range(json, track, frame, shape);
	if (!add_pending(track, pending, json))
		return false;
	pending_join(pending, &frame->pending);
	return true;
}

/* Likewise, as "B" and "E". */
static bool add_pending_marks(struct chrome_track *track, int64_t end_ns)
{
	struct chrome_frame *frame = chrome_stack_top(track);
	struct pending_text *pending = &frame[-1].pending;
	struct json *json = json_names_scratch(track->names);

	write_mark(json, track, frame, 'B', frame->start_ns);
	if (!add_pending(track, pending, json))
		return false;
	pending_join(pending, &frame->pending);
	json = json_names_scratch(track->names);
	write_mark(json, track, frame, 'E', end_ns);
	return add_pending(track, pending, json);
}

static void pop(struct chrome_track *track)
{
	struct chrome_frame *frame = chrome_stack_top(track);

	json_args_release(track->names, frame->args);
	frame->args = NULL;
	track->base.depth--;
}

/* Writes all held text if there is more than the limit. */
static bool check_pending(struct chrome_track *track)
{
	return track->pending_bytes <= CHROME_PENDING_MAX || begin_tied(track);
}

/* Closes the innermost range, which is a slice. */
static bool close_slice(struct chrome_track *track, const struct shape *shape)
{
	struct chrome_frame *frame = chrome_stack_top(track);

	if (json_names_site(track->names, frame->site) == NULL)
		return false;
	if (!frame->begun && is_tied(track)) {
		if (!add_pending_range(track, shape))
			return false;
		pop(track);
		return check_pending(track);
	}
	write_range(track->json, track, frame, shape);
	write_pending(track, &frame->pending);
	pop(track);
	return true;
}

/* Likewise, for a range that is not itself written. */
static void close_clipped(struct chrome_track *track)
{
	struct chrome_frame *frame = chrome_stack_top(track);

	if (!frame->begun && is_tied(track))
		pending_join(&frame[-1].pending, &frame->pending);
	else
		write_pending(track, &frame->pending);
	pop(track);
}

/* Closes the innermost range on its own row. */
static bool close_range(struct chrome_track *track, int64_t end_ns)
{
	struct chrome_frame *frame = chrome_stack_top(track);
	const struct shape shape = {track->ranges_row, frame->start_ns,
		(uint64_t)end_ns - (uint64_t)frame->start_ns};
	bool as_slice = track->empty_ns != end_ns;

	if (json_names_site(track->names, frame->site) == NULL)
		return false;
	if (shape.dur_ns == 0)
		track->empty_ns = end_ns;
	if (!frame->begun && as_slice)
		return close_slice(track, &shape);
	if (!frame->begun && is_tied(track) && shape.dur_ns == 0) {
		if (!add_pending_marks(track, end_ns))
			return false;
		pop(track);
		return check_pending(track);
	}
	/* An "E" must precede every later begin, so it cannot be held. */
	if (!frame->begun && !begin_tied(track))
		return false;
	write_mark(track->json, track, frame, 'E', end_ns);
	pop(track);
	return true;
}

/* The range that made the innermost one, a call; NULL if there is none. */
static struct chrome_frame *find_caller(const struct chrome_track *track)
{
	uint32_t at = track->base.depth - 1;

	for (int i = 0; i < CALLS_MAX && at > 0; i++) {
		struct chrome_frame *frame = &frames(track)[--at];

		if (!frame->is_clipped &&
			!json_names_is_call(track->names, frame->site))
			return frame;
	}
	return NULL;
}

/* Gives a range its number. */
static bool number_range(
	struct chrome_track *track, struct chrome_frame *frame, uint64_t id)
{
	struct json_args *args = own_args(track, frame);

	if (args == NULL)
		return false;
	frame->id = id;
	/* A range that has begun already has its category in the file. */
	frame->is_op = !frame->begun;
	if (frame->is_op &&
		!json_args_add_category(args, track->names, frame->site))
		return false;
	return json_args_add_int(
		args, track->names, JSON_ARGS_KEY_EXTERNAL_ID, (int64_t)id);
}

/* Connects the innermost range, a call, to its caller. */
static bool number_call(
	struct chrome_track *track, struct chrome_call call, uint64_t *id)
{
	struct chrome_frame *frame = chrome_stack_top(track);
	struct chrome_frame *caller = find_caller(track);
	struct json_args *args = own_args(track, frame);

	if (args == NULL ||
		!json_args_add_int(args, track->names,
			JSON_ARGS_KEY_CORRELATION, (int64_t)call.correlation))
		return false;
	if (caller == NULL)
		*id = 0;
	else if (caller->id != 0)
		*id = caller->id;
	else if (!number_range(track, caller, *id))
		return false;
	frame->is_numbered = true;
	return caller == NULL ||
	       json_args_add_int(args, track->names, JSON_ARGS_KEY_EXTERNAL_ID,
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
	struct chrome_track *track, struct chrome_call call, uint64_t *id)
{
	struct chrome_frame *frame = chrome_stack_top(track);

	if (call.correlation == 0 || has_numbers(frame))
		*id = 0;
	else if (!number_call(track, call, id))
		return false;
	frame->flow = call.flow;
	if (frame->begun && !frame->has_flow) {
		frame->has_flow = true;
		write_flow(
			track->json, track->ranges_row, frame, frame->start_ns);
	}
	frame->has_flow = true;
	return true;
}

bool chrome_stack_end(struct chrome_track *track, const struct event *event,
	const struct chrome_row *row)
{
	const struct chrome_frame *frame = chrome_stack_top(track);
	const struct shape shape = {row, frame->start_ns,
		(uint64_t)event_end(event) - (uint64_t)frame->start_ns};

	if (event->arg_count > 0 && !chrome_stack_args(track, event))
		return false;
	if (row != NULL)
		return close_slice(track, &shape);
	if (!frame->is_clipped)
		return close_range(track, event->time_ns);
	close_clipped(track);
	return true;
}

bool chrome_stack_mark_open(struct chrome_track *track)
{
	struct json_args *args = own_args(track, chrome_stack_top(track));

	return args != NULL && json_args_add_open(args, track->names);
}

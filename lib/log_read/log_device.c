/* SPDX-License-Identifier: MIT */
/* Blocks of devices: activities and descriptions. */
#include "log_read/log_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "log/log.h"
#include "log/unpack.h"
#include "log_read/log_args.h"
#include "log_read/log_facts.h"
#include "log_read/log_site.h"
#include "trace/trace.h"

/* Elements of a block before the rows' own arguments. */
#define ELEMENTS (2 + LOG_DEVICE_COLUMNS)

#define NAME_ROOM 32 /* for "(activity 4194303)" */

/* Finds the place of this description; one with a placeholder name if it is
 * lost. TRACE_NONE if out of memory. */
static uint32_t find_description(
	struct log_recording *recording, uint32_t number)
{
	struct log_device *device = &recording->device;
	uint32_t place = log_table_find(&device->numbers, number);
	struct log_description unknown = {0};
	char name[NAME_ROOM];

	if (place != 0)
		return place - 1;
	(void)snprintf(name, sizeof(name), "(activity %" PRIu32 ")", number);
	unknown.site =
		trace_add_site(recording->trace, name, strlen(name), "", 0, 0);
	place = device->description_count;
	if (unknown.site == TRACE_NONE ||
		!array_ensure_index(&device->descriptions, place,
			&device->description_room, sizeof(unknown)) ||
		!log_table_set(&device->numbers, number, place + 1))
		return TRACE_NONE;
	device->descriptions[device->description_count++] = unknown;
	recording->trace->losses[LOSS_UNKNOWN_SITES]++;
	return place;
}

static bool make_room(struct log_device *device, uint32_t count)
{
	uint32_t room = device->room == 0 ? 2048 : device->room;

	while (room < count)
		room *= 2;
	for (int i = 0; room != device->room && i < LOG_DEVICE_COLUMNS; i++) {
		int64_t *column = memory_resize_array(
			device->columns[i], room, sizeof(*column));

		if (column == NULL)
			return false;
		device->columns[i] = column;
	}
	device->room = room;
	return true;
}

static bool is_optional(int column)
{
	return column == LOG_DEVICE_BYTES || column == LOG_DEVICE_NODES;
}

/* Reads the columns and sets `count` to the number of rows. */
static enum log_verdict read_columns(
	struct log_device *device, struct cursor *block, uint32_t *count)
{
	struct cursor ahead = *block;

	if (!unpack_array(&ahead, count) || *count > LOG_EVENTS_MAX)
		return LOG_DAMAGED;
	if (!make_room(device, *count))
		return LOG_NO_MEMORY;
	for (int i = 0; i < LOG_DEVICE_COLUMNS; i++) {
		int64_t *column = device->columns[i];
		uint32_t rows;

		if (!unpack_ints(block, column, *count, &rows) ||
			(rows != *count && (rows != 0 || !is_optional(i))))
			return LOG_DAMAGED;
		if (rows == 0)
			memset(column, 0, *count * sizeof(*column));
	}
	return LOG_SOUND;
}

/* Finds the rows' own arguments. */
#define LIST_MAX 16
#define LIST_ROOM (LIST_MAX * 22 + 2)

/* Copies text into the trace's strings. */
static bool copy_text(struct trace *trace, struct event_arg *arg,
	const char *text, size_t size)
{
	uint32_t number = strtab_add(trace->text, text, size);

	if (number == STRTAB_NONE)
		return false;
	arg->value.text.bytes =
		strtab_text(trace->text, number, &arg->value.text.size);
	return true;
}

/* "[1,2,3]"; false if the list has anything but integers, or too many. */
static bool print_list(struct cursor list, char *out, size_t *size)
{
	uint32_t count;

	if (!unpack_array(&list, &count) || count > LIST_MAX)
		return false;
	out[0] = '[';
	*size = 1;
	for (uint32_t i = 0; i < count; i++) {
		int64_t value;

		if (!unpack_int(&list, &value))
			return false;
		*size += (size_t)snprintf(out + *size, LIST_ROOM - *size,
			"%s%" PRId64, i == 0 ? "" : ",", value);
	}
	out[(*size)++] = ']';
	return true;
}

/* The value as an argument; false if its type is unknown. */
static bool read_value(struct trace *trace, struct cursor value,
	struct event_arg *arg, bool *failed)
{
	char list[LIST_ROOM];
	const char *text;
	size_t size;

	switch (unpack_peek(&value)) {
	case UNPACK_INT:
		arg->kind = ARG_INT;
		return unpack_int(&value, &arg->value.integer);
	case UNPACK_FLOAT:
		arg->kind = ARG_FLOAT;
		return unpack_float(&value, &arg->value.real);
	case UNPACK_TEXT:
		arg->kind = ARG_TEXT;
		if (!unpack_text(&value, &text, &size))
			return false;
		break;
	case UNPACK_ARRAY:
		arg->kind = ARG_JSON;
		text = list;
		if (!print_list(value, list, &size))
			return false;
		break;
	case UNPACK_EXT:
		if (!log_args_value(&value, arg))
			return false;
		text = arg->value.text.bytes;
		size = arg->value.text.size;
		break;
	default:
		return false;
	}
	*failed |= !copy_text(trace, arg, size == 0 ? "" : text, size);
	return true;
}

/*
 * Takes a map. Its values become arguments whose text is the trace's: integers,
 * floats, texts, and lists of integers as JSON; other values are dropped.
 * `args` has room for LOG_DEVICE_KEYS_MAX; NULL: skips the map.
 *
 * Errors: false if it is not a map or too long; or, with `failed`, out of
 * memory.
 */
static bool log_device_args(struct trace *trace, struct cursor *block,
	struct event_arg *args, uint32_t *count, bool *failed)
{
	uint32_t pairs;

	*count = 0;
	*failed = false;
	if (!unpack_map(block, &pairs) || pairs > LOG_DEVICE_KEYS_MAX)
		return false;
	while (pairs-- > 0) {
		struct event_arg *arg;
		struct cursor value;
		const char *key;
		size_t size;

		if (!unpack_text(block, &key, &size))
			return false;
		value = *block;
		if (!unpack_skip(block))
			return false;
		if (args == NULL)
			continue;
		arg = &args[*count];
		arg->key = strtab_add(trace->text, size == 0 ? "" : key, size);
		*failed |= arg->key == STRTAB_NONE;
		*count += read_value(trace, value, arg, failed);
	}
	return true;
}

static bool read_row_args(
	struct log_device *device, struct cursor *block, uint32_t count)
{
	struct cursor rows;
	uint32_t left;

	if (!unpack_array(block, &left) || (left != 0 && left != count))
		return false;
	rows = *block;
	for (; left > 0; left--) {
		enum unpack_type type = unpack_peek(block);

		if ((type != UNPACK_NIL && type != UNPACK_MAP) ||
			!unpack_skip(block))
			return false;
	}
	rows.left -= block->left;
	device->row_args = rows;
	return true;
}

/* Whether the track may have activities, or is still unknown. */
static bool is_free(const struct log_recording *recording, int64_t number)
{
	uint32_t place =
		log_table_find(&recording->track_numbers, (uint32_t)number);
	const struct log_track *track =
		place == 0 ? NULL : recording->tracks[place - 1];

	return track == NULL || log_track_is_device(track->kind) ||
	       (!track->known && track->next_seq == 0);
}

/* Whether all values are within their limits. */
static bool is_sound(const struct log_recording *recording, uint32_t count)
{
	int64_t *const *columns = recording->device.columns;

	for (uint32_t i = 0; i < count; i++)
		if (columns[LOG_DEVICE_DURATIONS][i] < 0 ||
			columns[LOG_DEVICE_BYTES][i] < 0 ||
			columns[LOG_DEVICE_TRACKS][i] < 0 ||
			columns[LOG_DEVICE_TRACKS][i] >= LOG_TRACKS_MAX ||
			columns[LOG_DEVICE_DESCRIPTIONS][i] < 0 ||
			columns[LOG_DEVICE_DESCRIPTIONS][i] >=
				LOG_DESCRIPTIONS_MAX ||
			!is_free(recording, columns[LOG_DEVICE_TRACKS][i]))
			return false;
	return true;
}

/* Prepares a track for activities. If its block is lost it becomes a stream. */
static bool use_track(
	struct log_recording *recording, int64_t number, int64_t *out)
{
	struct log_track *track =
		log_recording_track(recording, (uint32_t)number);

	if (track == NULL)
		return false;
	if (!log_track_is_device(track->kind)) {
		track->known = true;
		track->kind = LOG_STREAM;
		recording->trace->tracks[track->trace_track].kind =
			TRACE_STREAM;
	}
	*out = track->trace_track;
	return true;
}

/* Replaces numbers by the trace's. Rows of one stream, and of one kernel, often
 * follow one another. */
static enum log_verdict resolve(struct log_recording *recording, uint32_t count)
{
	struct log_device *device = &recording->device;
	int64_t *tracks = device->columns[LOG_DEVICE_TRACKS];
	int64_t *descriptions = device->columns[LOG_DEVICE_DESCRIPTIONS];
	int64_t last_track = -1;
	int64_t track = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t place;

		if (tracks[i] != last_track &&
			!use_track(recording, tracks[i], &track))
			return LOG_NO_MEMORY;
		last_track = tracks[i];
		tracks[i] = track;
		place = find_description(recording, (uint32_t)descriptions[i]);
		if (place == TRACE_NONE)
			return LOG_NO_MEMORY;
		descriptions[i] = place;
	}
	return LOG_SOUND;
}

/* Adds up the differences. */
static void sum(int64_t *column, uint32_t count, int64_t base)
{
	uint64_t last = (uint64_t)base;

	for (uint32_t i = 0; i < count; i++) {
		last += (uint64_t)column[i];
		column[i] = (int64_t)last;
	}
}

/* Converts to trace time, and updates the trace's end. */
static void make_times(struct log_recording *recording, uint32_t count)
{
	struct log_device *device = &recording->device;
	int64_t *starts = device->columns[LOG_DEVICE_STARTS];
	int64_t *durations = device->columns[LOG_DEVICE_DURATIONS];

	for (uint32_t i = 0; i < count; i++) {
		int64_t dur_ns = durations[i];
		int64_t begin = starts[i];
		int64_t took;
		int64_t end;

		if (__builtin_add_overflow(begin, dur_ns, &end))
			end = INT64_MAX;
		log_time_device_place(&device->time, &begin, &end);
		begin = log_time_correct(&recording->time, begin);
		took = log_time_correct(&recording->time, end) - begin;
		/* Rounding twice must not lengthen the device's duration, nor
		 * make a shorter one overlap with the next activity. */
		if (took - dur_ns == 1)
			took = dur_ns;
		starts[i] = (int64_t)((uint64_t)begin +
				      (uint64_t)recording->shift_ns);
		durations[i] = took < 0 ? 0 : took;
		end = (int64_t)((uint64_t)starts[i] + (uint64_t)durations[i]);
		log_recording_extend(recording, end);
	}
}

enum log_verdict log_device_parse(
	struct log_recording *recording, struct cursor block, uint32_t elements)
{
	struct log_device *device = &recording->device;
	enum log_verdict verdict;
	uint32_t count;
	int64_t base;

	if (!unpack_int(&block, &base))
		return LOG_DAMAGED;
	verdict = read_columns(device, &block, &count);
	if (verdict != LOG_SOUND)
		return verdict;
	device->row_args = (struct cursor){.left = 0};
	if (elements > ELEMENTS) {
		if (!read_row_args(device, &block, count))
			return LOG_DAMAGED;
		elements--;
	}
	if (elements > ELEMENTS && /* of a newer version */
		!unpack_skip_values(&block, elements - ELEMENTS))
		return LOG_DAMAGED;
	if (block.left != 0 || !is_sound(recording, count))
		return LOG_DAMAGED;
	verdict = resolve(recording, count);
	if (verdict != LOG_SOUND)
		return verdict;
	sum(device->columns[LOG_DEVICE_STARTS], count, base);
	sum(device->columns[LOG_DEVICE_CORRELATIONS], count, 0);
	sum(device->columns[LOG_DEVICE_NODES], count, 0);
	make_times(recording, count);
	recording->totals.events += count;
	device->at = 0;
	device->count = count;
	return LOG_SOUND;
}

/* Adds the arguments of this row only. */
static bool add_row(struct log_recording *recording)
{
	struct log_device *device = &recording->device;
	struct cursor row = device->row_args;

	(void)unpack_skip(&device->row_args);
	row.left -= device->row_args.left;
	return unpack_peek(&row) == UNPACK_NIL ||
	       log_args_map(&device->joined, recording->trace, &row);
}

static bool add_node(struct log_recording *recording, int64_t node)
{
	struct log_device *device = &recording->device;
	struct event_arg *arg = log_args_push(&device->joined);

	if (arg == NULL)
		return false;
	if (device->node_key == 0)
		device->node_key = strtab_add(recording->trace->text,
			LOG_NODE_KEY, strlen(LOG_NODE_KEY));
	*arg = (struct event_arg){.kind = ARG_INT, .key = device->node_key};
	arg->value.integer = node;
	return device->node_key != STRTAB_NONE;
}

/* The description's arguments, the row's own, and the node. */
static bool join_args(
	struct log_recording *recording, struct event *event, int64_t node)
{
	struct log_device *device = &recording->device;
	struct log_args *args = &device->joined;

	args->count = 0;
	for (uint32_t i = 0; i < event->arg_count; i++) {
		struct event_arg *arg = log_args_push(args);

		if (arg == NULL)
			return false;
		*arg = event->args[i];
	}
	if (device->row_args.left > 0 && !add_row(recording))
		return false;
	if (node != 0 && !add_node(recording, node))
		return false;
	event->args = args->items;
	event->arg_count = args->count;
	return true;
}

bool log_device_event(struct log_recording *recording, struct event *event)
{
	struct log_device *device = &recording->device;
	int64_t *const *columns = device->columns;
	uint32_t at = device->at++;
	const struct log_description *description =
		&device->descriptions[columns[LOG_DEVICE_DESCRIPTIONS][at]];

	event->kind = EVENT_ACTIVITY;
	event->track = (uint32_t)columns[LOG_DEVICE_TRACKS][at];
	event->time_ns = columns[LOG_DEVICE_STARTS][at];
	event->dur_ns = (uint64_t)columns[LOG_DEVICE_DURATIONS][at];
	event->id = log_recording_id(
		recording, (uint64_t)columns[LOG_DEVICE_CORRELATIONS][at]);
	event->bytes = (uint64_t)columns[LOG_DEVICE_BYTES][at];
	event->site = description->site;
	event->arg_count = description->arg_count;
	if (event->arg_count > 0) /* otherwise the array may be NULL */
		event->args = device->args + description->first_arg;
	if (columns[LOG_DEVICE_NODES][at] == 0 && device->row_args.left == 0)
		return true;
	return join_args(recording, event, columns[LOG_DEVICE_NODES][at]);
}

/* Statements about devices: descriptions of activities, properties, clocks and
 * losses. */

/* Adds a description; its arguments follow those of the others. */
static enum log_verdict add_description(struct log_recording *recording,
	uint32_t number, struct log_description description)
{
	struct log_device *device = &recording->device;
	uint32_t place = device->description_count;

	if (!array_ensure_index(&device->descriptions, place,
		    &device->description_room, sizeof(description)) ||
		!log_table_set(&device->numbers, number, place + 1))
		return LOG_NO_MEMORY;
	device->descriptions[device->description_count++] = description;
	device->arg_count += description.arg_count;
	return LOG_SOUND;
}

/* [kind, site, {…}]; the site's category has the kind. */
static enum log_verdict parse_description(struct log_recording *recording,
	struct cursor *block, uint32_t number, bool apply)
{
	struct log_device *device = &recording->device;
	struct log_description description = {.first_arg = device->arg_count};
	struct event_arg *args = NULL;
	uint32_t elements;
	uint32_t kind;
	uint32_t site;
	bool failed;

	apply = apply && log_table_find(&device->numbers, number) == 0;
	if (apply && !array_ensure_index(&device->args,
			     device->arg_count + LOG_DEVICE_KEYS_MAX,
			     &device->arg_room, sizeof(*device->args)))
		return LOG_NO_MEMORY;
	if (apply)
		args = device->args + device->arg_count;
	if (!unpack_array(block, &elements) || elements < 3 ||
		!unpack_u32(block, UINT32_MAX, &kind) ||
		!unpack_u32(block, LOG_SITES_MAX - 1, &site) ||
		!log_device_args(recording->trace, block, args,
			&description.arg_count, &failed) ||
		!unpack_skip_values(block, elements - 3)) /* of a newer one */
		return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	description.site = log_site_find(recording, site);
	if (description.site == TRACE_NONE || failed)
		return LOG_NO_MEMORY;
	return add_description(recording, number, description);
}

enum log_verdict log_device_parse_descriptions(
	struct log_recording *recording, struct cursor block, bool apply)
{
	enum log_verdict verdict = LOG_SOUND;
	uint32_t first;
	uint32_t count;

	if (!unpack_u32(&block, LOG_DESCRIPTIONS_MAX - 1, &first) ||
		first == 0 || !unpack_array(&block, &count) ||
		count > LOG_DESCRIPTIONS_MAX - first)
		return LOG_DAMAGED;
	for (uint32_t i = 0; verdict == LOG_SOUND && i < count; i++)
		verdict =
			parse_description(recording, &block, first + i, apply);
	return verdict;
}

enum log_verdict log_device_parse_properties(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct event_arg args[LOG_DEVICE_KEYS_MAX];
	struct trace_device device = {.pid = recording->pid, .args = args};
	bool failed;

	if (recording->trace->device_count >= LOG_DEVICES_MAX ||
		!unpack_u32(&block, UINT32_MAX, &device.number) ||
		!log_device_args(recording->trace, &block, apply ? args : NULL,
			&device.arg_count, &failed) ||
		(block.left > 0 && !unpack_int(&block, &device.pid)))
		return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	return failed || trace_add_device(recording->trace, &device) ==
				       TRACE_NONE
		       ? LOG_NO_MEMORY
		       : LOG_SOUND;
}

enum log_verdict log_device_parse_sync(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct log_time_device *time = &recording->device.time;
	uint32_t steps = time->steps;
	uint32_t count;

	if (!unpack_array(&block, &count))
		return LOG_DAMAGED;
	while (count-- > 0) {
		int64_t log;
		int64_t device;

		if (!log_time_read(&block, 2, &log, &device))
			return LOG_DAMAGED;
		if (apply && !log_time_device_add(time, log, device))
			return LOG_NO_MEMORY;
	}
	return time->steps == steps || log_facts_set_number(recording->trace,
					       "gpu.clock_steps", time->steps)
		       ? LOG_SOUND
		       : LOG_NO_MEMORY;
}

enum log_verdict log_device_parse_losses(
	struct log_recording *recording, struct cursor block, bool apply)
{
	const struct log_losses losses = {
		apply ? recording->device.losses : NULL, LOSS_DEVICE_DROPPED,
		LOSS_DEVICE_UNKNOWN};

	return log_recording_parse_losses(recording, block, &losses);
}

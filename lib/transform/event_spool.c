/* SPDX-License-Identifier: MIT */
/*
 * A record of the file is its size, four bytes, and an event. All numbers of the
 * event are in groups of seven bits. Most are small: a time is a difference,
 * text and sites are numbers of the common tables.
 *
 * A merge of a thousand sources takes an event of each in turn. That is slow if
 * each of them has its own reader and tables, as none of these stays in the
 * processor's cache.
 */
#include "transform/event_spool.h"

#include <assert.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "extsort/temp_file.h"

#define BUFFER_MIN ((size_t)4 << 10)
#define BUFFER_MAX ((size_t)64 << 10)
#define BUFFERS_ALL ((size_t)32 << 20)

/* Members of an event that its record has. The kind is in the lower five bits
 * of the first byte, the flow above. */
#define KIND_BITS 5
#define HAS_TRACK 1u /* other than the last event's */
#define HAS_SITE 2u
#define HAS_DEVICE 4u
#define HAS_DURATION 8u
#define HAS_SHIFT 16u
#define HAS_ID 32u
#define HAS_BYTES 64u
#define HAS_ARGS 128u

/* Numbers of a source's table in the common one, + 1; 0: not known yet. */
struct spool_map {
	uint32_t *numbers;
	uint32_t room;
};

/* A track or device that became known while events were read. */
struct spool_step {
	uint64_t at; /* number of the event it precedes */
	bool is_device;
	uint32_t number; /* of the track, or of the device in `added` */
	struct trace_track track; /* as it was then */
};

struct spool_part;

/* The next event of a part, from the file. */
struct spool_reader {
	struct spool_part *part;
	uint8_t *bytes;
	size_t room;
	size_t from; /* the next record */
	size_t used;
	uint64_t at; /* the rest in the file */
	int64_t last_ns;
	uint32_t last_track;
	struct event_arg *args;
	uint32_t arg_room;
};

struct spool_part {
	struct event_source source; /* first: callers hold a pointer to it */
	struct event_spool *spool;
	uint64_t begin; /* in the file */
	uint64_t end;
	uint64_t taken;      /* events returned */
	struct trace *shown; /* the source's trace; `last` at the end */
	struct trace *last;
	struct trace *added; /* devices of steps */
	struct spool_step *steps;
	uint32_t step_count;
	uint32_t step_room;
	uint32_t step_at;
	struct spool_reader reader;
};

struct event_spool {
	struct temp_file file;
	struct trace *tables; /* only text and sites */
	struct spool_part **parts;
	uint32_t count;
	uint32_t room;
	struct buffer record;
	/* For the source being added. */
	struct spool_map texts;
	struct spool_map sites;
	size_t buffer_bytes;
	struct event_source scan_source;
	struct spool_reader scan;
};

/* ---- tables ---- */

/* NULL if out of memory. */
static uint32_t *map_entry(struct spool_map *map, uint32_t number)
{
	return array_ensure_index(
		       &map->numbers, number, &map->room, sizeof(*map->numbers))
		       ? &map->numbers[number]
		       : NULL;
}

static void map_reset(struct spool_map *map)
{
	if (map->room > 0)
		memset(map->numbers, 0, map->room * sizeof(*map->numbers));
}

/* STRTAB_NONE if out of memory. */
static uint32_t map_text(
	struct event_spool *spool, const struct trace *from, uint32_t number)
{
	uint32_t *entry = map_entry(&spool->texts, number);
	const char *text;
	uint32_t mine;
	size_t size;

	if (entry == NULL)
		return STRTAB_NONE;
	if (*entry != 0)
		return *entry - 1;
	text = strtab_text(from->text, number, &size);
	mine = strtab_add(spool->tables->text, text, size);
	if (mine != STRTAB_NONE)
		*entry = mine + 1;
	return mine;
}

/* TRACE_NONE if out of memory. */
static uint32_t map_site(
	struct event_spool *spool, const struct trace *from, uint32_t number)
{
	uint32_t *entry = map_entry(&spool->sites, number);
	struct trace_site site;
	uint32_t mine;

	if (entry == NULL)
		return TRACE_NONE;
	if (*entry != 0)
		return *entry - 1;
	site = from->sites[number];
	site.name = map_text(spool, from, site.name);
	site.file = map_text(spool, from, site.file);
	site.category = map_text(spool, from, site.category);
	mine = trace_add_place(spool->tables, site);
	if (mine != TRACE_NONE)
		*entry = mine + 1;
	return mine;
}

/* A trace without tables, whose text is the common one. */
static struct trace *new_trace(
	const struct event_spool *spool, const struct trace *from)
{
	struct trace *trace = trace_new(&from->request);

	if (trace == NULL)
		return NULL;
	strtab_free(trace->text);
	trace->text = spool->tables->text;
	return trace;
}

static void free_trace(struct trace *trace)
{
	if (trace == NULL)
		return;
	trace->text = NULL;
	trace->sites = NULL;
	trace_free(trace);
}

static bool copy_track(struct event_spool *spool, const struct trace *from,
	uint32_t number, struct trace_track *out)
{
	*out = from->tracks[number];
	out->name = map_text(spool, from, out->name);
	out->process_name = map_text(spool, from, out->process_name);
	return out->name != STRTAB_NONE && out->process_name != STRTAB_NONE;
}

static bool copy_device(struct event_spool *spool, const struct trace *from,
	uint32_t number, struct trace *to)
{
	struct trace_device device = from->devices[number];
	bool done;

	device.args = memory_new_zeroed(
		(size_t)device.arg_count + 1, sizeof(*device.args));
	done = device.args != NULL;
	for (uint32_t i = 0; i < device.arg_count && done; i++) {
		device.args[i] = from->devices[number].args[i];
		device.args[i].key = map_text(spool, from, device.args[i].key);
		done = device.args[i].key != STRTAB_NONE;
	}
	done = done && trace_add_device(to, &device) != TRACE_NONE;
	memory_free(device.args);
	return done;
}

static bool copy_facts(
	struct event_spool *spool, const struct trace *from, struct trace *to)
{
	for (uint32_t i = 0; i < from->fact_count; i++) {
		struct trace_fact fact = from->facts[i];

		fact.key = map_text(spool, from, fact.key);
		fact.value = map_text(spool, from, fact.value);
		if (fact.key == STRTAB_NONE || fact.value == STRTAB_NONE ||
			!array_reserve32(&to->facts, to->fact_count,
				&to->fact_room, sizeof(fact)))
			return false;
		to->facts[to->fact_count++] = fact;
	}
	return true;
}

static bool copy_modules(
	struct event_spool *spool, const struct trace *from, struct trace *to)
{
	for (uint32_t i = 0; i < from->module_count; i++) {
		struct trace_module module = from->modules[i];

		module.path = map_text(spool, from, module.path);
		module.build_id = map_text(spool, from, module.build_id);
		if (module.path == STRTAB_NONE ||
			module.build_id == STRTAB_NONE ||
			trace_add_module(to, module) == TRACE_NONE)
			return false;
	}
	return true;
}

/* A copy of a trace without its sites; NULL if out of memory. */
static struct trace *copy_trace(
	struct event_spool *spool, const struct trace *from)
{
	struct trace *to = new_trace(spool, from);
	bool done = to != NULL;

	for (uint32_t i = 0; done && i < from->track_count; i++) {
		struct trace_track track;

		done = copy_track(spool, from, i, &track) &&
		       trace_add_track(to, track) != TRACE_NONE;
	}
	for (uint32_t i = 0; done && i < from->device_count; i++)
		done = copy_device(spool, from, i, to);
	if (!done || !copy_facts(spool, from, to) ||
		!copy_modules(spool, from, to)) {
		free_trace(to);
		return NULL;
	}
	to->has_named = from->has_named;
	to->has_unnamed = from->has_unnamed;
	to->base_realtime_ns = from->base_realtime_ns;
	to->start_ns = from->start_ns;
	to->end_ns = from->end_ns;
	to->timeline_end_ns = from->timeline_end_ns;
	memcpy(to->losses, from->losses, sizeof(to->losses));
	return to;
}

/* ---- writing ---- */

static void add_uint(struct buffer *buffer, uint64_t number)
{
	uint8_t bytes[10];
	size_t size = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[size++] = (uint8_t)(number | 0x80);
	bytes[size++] = (uint8_t)number;
	buffer_add(buffer, bytes, size);
}

/* Zigzag encoding: numbers near 0 become small. */
static uint64_t zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number < 0 ? -1 : 0);
}

static bool has_text(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT || arg->kind == ARG_JSON;
}

static bool add_args(struct event_spool *spool, const struct trace *from,
	const struct event *event)
{
	struct buffer *to = &spool->record;

	add_uint(to, event->arg_count);
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];
		uint32_t key = map_text(spool, from, arg->key);

		if (key == STRTAB_NONE)
			return false;
		add_uint(to, (uint64_t)key << 2 | arg->kind);
		if (arg->kind == ARG_INT) {
			add_uint(to, zigzag(arg->value.integer));
		} else if (has_text(arg)) {
			add_uint(to, arg->value.text.size);
			buffer_add(to, arg->value.text.bytes,
				arg->value.text.size);
		} else {
			buffer_add(
				to, &arg->value.real, sizeof(arg->value.real));
		}
	}
	return true;
}

static unsigned find_flags(
	const struct spool_reader *state, const struct event *event)
{
	return (event->track != state->last_track ? HAS_TRACK : 0) |
	       (event->site != TRACE_NONE ? HAS_SITE : 0) |
	       (event->device != 0 ? HAS_DEVICE : 0) |
	       (event->dur_ns != 0 ? HAS_DURATION : 0) |
	       (event->shift_ns != 0 ? HAS_SHIFT : 0) |
	       (event->id != 0 ? HAS_ID : 0) |
	       (event->bytes != 0 ? HAS_BYTES : 0) |
	       (event->arg_count != 0 ? HAS_ARGS : 0);
}

/* Puts the event into `record`; false if out of memory. */
static bool pack(struct event_spool *spool, const struct trace *from,
	struct spool_reader *state, const struct event *event)
{
	struct buffer *to = &spool->record;
	unsigned flags = find_flags(state, event);
	uint32_t site = event->site;

	if (site != TRACE_NONE) {
		site = map_site(spool, from, site);
		if (site == TRACE_NONE)
			return false;
	}
	assert((unsigned)event->kind < 1u << KIND_BITS);
	to->used = sizeof(uint32_t);
	buffer_add_byte(to, (uint8_t)(event->kind | event->flow << KIND_BITS));
	buffer_add_byte(to, (uint8_t)flags);
	add_uint(to, zigzag((int64_t)((uint64_t)event->time_ns -
				      (uint64_t)state->last_ns)));
	if ((flags & HAS_TRACK) != 0)
		add_uint(to, event->track);
	if ((flags & HAS_SITE) != 0)
		add_uint(to, site);
	if ((flags & HAS_DEVICE) != 0)
		add_uint(to, zigzag(event->device));
	if ((flags & HAS_DURATION) != 0)
		add_uint(to, event->dur_ns);
	if ((flags & HAS_SHIFT) != 0)
		add_uint(to, event->shift_ns);
	if ((flags & HAS_ID) != 0)
		add_uint(to, event->id);
	if ((flags & HAS_BYTES) != 0)
		add_uint(to, event->bytes);
	state->last_ns = event->time_ns;
	state->last_track = event->track;
	return ((flags & HAS_ARGS) == 0 || add_args(spool, from, event)) &&
	       !to->failed;
}

static enum ctp_status write_event(struct event_spool *spool,
	const struct trace *from, struct spool_reader *state,
	const struct event *event, struct ctp_error *err)
{
	struct buffer *record = &spool->record;
	uint32_t size;

	if (!pack(spool, from, state, event))
		return ctp_no_memory(err);
	if (record->used - sizeof(size) > UINT32_MAX / 2)
		return ctp_fail(
			err, CTP_ERR_LIMIT, "an event is longer than 2 GiB");
	size = (uint32_t)(record->used - sizeof(size));
	memcpy(record->bytes, &size, sizeof(size));
	return temp_file_add(&spool->file, record->bytes, record->used, err);
}

/* ---- adding a source ---- */

static struct spool_step *add_step(struct spool_part *part, uint64_t at)
{
	struct spool_step *step;

	if (!array_reserve32(&part->steps, part->step_count, &part->step_room,
		    sizeof(*part->steps)))
		return NULL;
	step = &part->steps[part->step_count];
	*step = (struct spool_step){.at = at};
	return step;
}

static bool add_device_step(struct spool_part *part, const struct trace *from,
	uint64_t at, uint32_t number)
{
	struct spool_step *step = add_step(part, at);

	if (step == NULL)
		return false;
	if (part->added == NULL)
		part->added = new_trace(part->spool, from);
	if (part->added == NULL ||
		!copy_device(part->spool, from, number, part->added))
		return false;
	step->is_device = true;
	step->number = part->added->device_count - 1;
	part->step_count++;
	return true;
}

static bool add_track_step(struct spool_part *part, const struct trace *from,
	uint64_t at, uint32_t number)
{
	struct spool_step *step = add_step(part, at);

	if (step == NULL ||
		!copy_track(part->spool, from, number, &step->track))
		return false;
	step->number = number;
	part->step_count++;
	return true;
}

/* The state of a source being added. */
struct spool_growth {
	uint32_t tracks; /* known at the first event */
	uint32_t devices;
	bool *seen; /* later tracks, from `tracks` on */
	uint32_t seen_room;
};

/* Notes devices and a track that are new with this event. */
static bool note_growth(struct spool_part *part, struct spool_growth *growth,
	const struct trace *from, const struct event *event)
{
	uint32_t later = event->track - growth->tracks;

	for (; growth->devices < from->device_count; growth->devices++)
		if (!add_device_step(part, from, part->taken, growth->devices))
			return false;
	if (event->track < growth->tracks)
		return true;
	if (!array_ensure_index(&growth->seen, later, &growth->seen_room,
		    sizeof(*growth->seen)))
		return false;
	if (growth->seen[later])
		return true;
	growth->seen[later] = true;
	return add_track_step(part, from, part->taken, event->track);
}

static enum ctp_status add_event(struct spool_part *part,
	struct spool_growth *growth, struct event_source *source,
	const struct event *event, struct ctp_error *err)
{
	struct trace *from = source->trace;

	if (part->taken == 0) {
		part->shown = copy_trace(part->spool, from);
		growth->tracks = from->track_count;
		growth->devices = from->device_count;
		if (part->shown == NULL)
			return ctp_no_memory(err);
	}
	if (!note_growth(part, growth, from, event))
		return ctp_no_memory(err);
	part->taken++;
	read_request_progress(&from->request, part->taken);
	return write_event(part->spool, from, &part->reader, event, err);
}

/* Reads a source to its end. */
static enum ctp_status store(struct spool_part *part,
	struct event_source *source, struct ctp_error *err)
{
	struct spool_growth growth = {0};
	enum ctp_status status = CTP_OK;
	struct event event;

	while (status == CTP_OK) {
		status = source->next(source, &event, err);
		if (status == CTP_OK)
			status = add_event(part, &growth, source, &event, err);
	}
	memory_free(growth.seen);
	if (status != CTP_END)
		return status;
	part->last = copy_trace(part->spool, source->trace);
	if (part->shown == NULL && part->last != NULL)
		part->shown = copy_trace(part->spool, source->trace);
	return part->shown != NULL ? CTP_OK : ctp_no_memory(err);
}

static void reader_clear(struct spool_reader *reader)
{
	memory_free(reader->bytes);
	memory_free(reader->args);
	*reader = (struct spool_reader){.part = NULL};
}

static void part_free(struct spool_part *part)
{
	if (part == NULL)
		return;
	reader_clear(&part->reader);
	free_trace(part->shown);
	free_trace(part->last);
	free_trace(part->added);
	memory_free(part->steps);
	memory_free(part);
}

/* ---- reading ---- */

static void reader_start(struct spool_reader *reader, struct spool_part *part)
{
	*reader = (struct spool_reader){.part = part,
		.bytes = reader->bytes,
		.room = reader->room,
		.at = part->begin,
		.args = reader->args,
		.arg_room = reader->arg_room};
}

/* Moves the rest to the front and fills the buffer, of at least `need`
 * bytes. */
static enum ctp_status fill(
	struct spool_reader *reader, size_t need, struct ctp_error *err)
{
	const struct event_spool *spool = reader->part->spool;
	size_t left = reader->used - reader->from;
	uint64_t rest = reader->part->end - reader->at;
	enum ctp_status status;
	size_t more;

	if (left > 0)
		memmove(reader->bytes, reader->bytes + reader->from, left);
	reader->from = 0;
	reader->used = left;
	if (need < spool->buffer_bytes)
		need = spool->buffer_bytes;
	if (need > reader->room) {
		uint8_t *bytes = memory_resize(reader->bytes, need);

		if (bytes == NULL)
			return ctp_no_memory(err);
		reader->bytes = bytes;
		reader->room = need;
	}
	more = reader->room - left < rest ? reader->room - left : (size_t)rest;
	status = temp_file_read(
		&spool->file, reader->at, reader->bytes + left, more, err);
	if (status != CTP_OK)
		return status;
	reader->used += more;
	reader->at += more;
	return CTP_OK;
}

static inline uint64_t take_uint(const uint8_t **at)
{
	const uint8_t *byte = *at;
	uint64_t number = *byte & 0x7f;

	for (unsigned shift = 7; (*byte & 0x80) != 0; shift += 7)
		number |= (uint64_t)(*++byte & 0x7f) << shift;
	*at = byte + 1;
	return number;
}

static inline int64_t take_int(const uint8_t **at)
{
	uint64_t number = take_uint(at);

	return (int64_t)(number >> 1 ^ -(number & 1));
}

static bool take_args(
	struct spool_reader *reader, const uint8_t **at, struct event *event)
{
	uint32_t count = (uint32_t)take_uint(at);

	if (!array_ensure_index(&reader->args, count, &reader->arg_room,
		    sizeof(*reader->args)))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct event_arg *arg = &reader->args[i];
		uint64_t key = take_uint(at);

		arg->kind = (enum event_arg_kind)(key & 3);
		arg->key = (uint32_t)(key >> 2);
		if (arg->kind == ARG_INT) {
			arg->value.integer = take_int(at);
		} else if (has_text(arg)) {
			arg->value.text.size = (size_t)take_uint(at);
			arg->value.text.bytes = (const char *)*at;
			*at += arg->value.text.size;
		} else {
			memcpy(&arg->value.real, *at, sizeof(arg->value.real));
			*at += sizeof(arg->value.real);
		}
	}
	event->args = reader->args;
	event->arg_count = count;
	return true;
}

/* Our own file, in which nothing needs a check. */
static bool unpack(
	struct spool_reader *reader, const uint8_t *at, struct event *event)
{
	unsigned kind = *at++;
	unsigned flags = *at++;

	*event = (struct event){
		.kind = (enum event_kind)(kind & ((1u << KIND_BITS) - 1)),
		.flow = (enum event_flow)(kind >> KIND_BITS),
		.site = TRACE_NONE};
	reader->last_ns =
		(int64_t)((uint64_t)reader->last_ns + (uint64_t)take_int(&at));
	event->time_ns = reader->last_ns;
	if ((flags & HAS_TRACK) != 0)
		reader->last_track = (uint32_t)take_uint(&at);
	event->track = reader->last_track;
	if ((flags & HAS_SITE) != 0)
		event->site = (uint32_t)take_uint(&at);
	if ((flags & HAS_DEVICE) != 0)
		event->device = (int32_t)take_int(&at);
	if ((flags & HAS_DURATION) != 0)
		event->dur_ns = take_uint(&at);
	if ((flags & HAS_SHIFT) != 0)
		event->shift_ns = take_uint(&at);
	if ((flags & HAS_ID) != 0)
		event->id = take_uint(&at);
	if ((flags & HAS_BYTES) != 0)
		event->bytes = take_uint(&at);
	return (flags & HAS_ARGS) == 0 || take_args(reader, &at, event);
}

static enum ctp_status read_event(
	struct spool_reader *reader, struct event *event, struct ctp_error *err)
{
	uint32_t size = 0;
	enum ctp_status status = CTP_OK;

	if (reader->from == reader->used && reader->at == reader->part->end)
		return CTP_END;
	if (reader->used - reader->from < sizeof(size))
		status = fill(reader, sizeof(size), err);
	if (status != CTP_OK)
		return status;
	memcpy(&size, reader->bytes + reader->from, sizeof(size));
	if (reader->used - reader->from - sizeof(size) < size)
		status = fill(reader, sizeof(size) + size, err);
	if (status != CTP_OK)
		return status;
	reader->from += sizeof(size) + size;
	return unpack(reader, reader->bytes + reader->from - size, event)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

/* Adds tracks and devices that the source knew by its next event. */
static bool take_steps(struct spool_part *part)
{
	struct trace *trace = part->shown;

	for (; part->step_at < part->step_count; part->step_at++) {
		const struct spool_step *step = &part->steps[part->step_at];

		if (step->at > part->taken)
			return true;
		if (step->is_device &&
			trace_add_device(
				trace, &part->added->devices[step->number]) ==
				TRACE_NONE)
			return false;
		while (!step->is_device && trace->track_count <= step->number)
			if (trace_add_track(trace, (struct trace_track){0}) ==
				TRACE_NONE)
				return false;
		if (!step->is_device)
			trace->tracks[step->number] = step->track;
	}
	return true;
}

/* Callers keep a pointer to the trace, so its contents change. */
static void show_last(struct spool_part *part)
{
	struct trace swap = *part->shown;

	*part->shown = *part->last;
	*part->last = swap;
	free_trace(part->last);
	part->last = NULL;
}

static struct spool_part *part_of(struct event_source *source)
{
	return (struct spool_part *)(void *)source;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct spool_part *part = part_of(source);
	enum ctp_status status;

	if (!take_steps(part))
		return ctp_no_memory(err);
	status = read_event(&part->reader, event, err);
	part->taken += status == CTP_OK;
	if (status == CTP_END && part->last != NULL) {
		show_last(part);
		memory_free(part->reader.bytes);
		part->reader.bytes = NULL;
		part->reader.room = 0;
	}
	return status;
}

static enum ctp_status next_scanned(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct spool_part *part = part_of(source->inner);

	return read_event(&part->spool->scan, event, err);
}

static uint64_t position(const struct event_source *source)
{
	const struct spool_part *part =
		(const struct spool_part *)(const void *)source;

	return part->reader.at - part->begin;
}

static void close_nothing(struct event_source *source)
{
	(void)source;
}

/* ---- the spool ---- */

struct event_spool *event_spool_new(void)
{
	struct event_spool *spool = memory_new_zeroed(1, sizeof(*spool));

	if (spool == NULL)
		return NULL;
	spool->file = TEMP_FILE_NONE;
	spool->tables = trace_new(NULL);
	if (spool->tables == NULL) {
		memory_free(spool);
		return NULL;
	}
	return spool;
}

void event_spool_free(struct event_spool *spool)
{
	if (spool == NULL)
		return;
	for (uint32_t i = 0; i < spool->count; i++)
		part_free(spool->parts[i]);
	memory_free(spool->parts);
	reader_clear(&spool->scan);
	memory_free(spool->texts.numbers);
	memory_free(spool->sites.numbers);
	buffer_clear(&spool->record);
	temp_file_close(&spool->file);
	trace_free(spool->tables);
	memory_free(spool);
}

/* Prepares the file and the tables for one more source. */
static enum ctp_status begin_part(
	struct event_spool *spool, struct ctp_error *err)
{
	map_reset(&spool->texts);
	map_reset(&spool->sites);
	if (!buffer_reserve(&spool->record, sizeof(uint32_t)) ||
		!array_reserve32(&spool->parts, spool->count, &spool->room,
			sizeof(*spool->parts)))
		return ctp_no_memory(err);
	return spool->file.fd < 0 ? temp_file_open(&spool->file, err) : CTP_OK;
}

enum ctp_status event_spool_add(struct event_spool *spool,
	struct event_source *source, struct event_source **stored,
	struct ctp_error *err)
{
	struct spool_part *part;
	enum ctp_status status = begin_part(spool, err);

	assert(source->read_profile == NULL);
	if (status != CTP_OK)
		return status;
	part = memory_new_zeroed(1, sizeof(*part));
	if (part == NULL)
		return ctp_no_memory(err);
	part->spool = spool;
	part->begin = spool->file.at + spool->file.waiting_bytes;
	status = store(part, source, err);
	if (status != CTP_OK) {
		part_free(part);
		return status;
	}
	part->end = spool->file.at + spool->file.waiting_bytes;
	part->taken = 0;
	part->source = (struct event_source){
		.trace = part->shown,
		.format = source->format,
		.next = next,
		.position = position,
		.close = close_nothing,
	};
	spool->parts[spool->count++] = part;
	*stored = &part->source;
	return CTP_OK;
}

enum ctp_status event_spool_finish(
	struct event_spool *spool, struct ctp_error *err)
{
	size_t bytes = BUFFERS_ALL / (spool->count + 1);

	if (spool->file.fd >= 0) {
		enum ctp_status status = temp_file_flush(&spool->file, err);

		if (status != CTP_OK)
			return status;
		temp_file_finish(&spool->file);
	}
	spool->buffer_bytes = bytes < BUFFER_MIN   ? BUFFER_MIN
			      : bytes > BUFFER_MAX ? BUFFER_MAX
						   : bytes;
	for (uint32_t i = 0; i < spool->count; i++) {
		struct spool_part *part = spool->parts[i];

		reader_start(&part->reader, part);
		part->shown->sites = spool->tables->sites;
		part->shown->site_count = spool->tables->site_count;
		part->last->sites = spool->tables->sites;
		part->last->site_count = spool->tables->site_count;
	}
	return CTP_OK;
}

struct event_source *event_spool_scan(struct event_source *stored)
{
	struct spool_part *part = part_of(stored);
	struct event_spool *spool = part->spool;

	spool->scan_source = (struct event_source){
		.inner = &part->source,
		.trace = part->last,
		.next = next_scanned,
		.position = position,
		.close = close_nothing,
	};
	reader_start(&spool->scan, part);
	return &spool->scan_source;
}

const struct trace *event_spool_tables(const struct event_spool *spool)
{
	return spool->tables;
}

/* SPDX-License-Identifier: MIT */
/*
 * Reads ranges as paths of calls. A range of the category "traced" with the
 * argument "bytecode" is a function that Dynamo traced. With "compile_id" it is
 * a frame. With "backend" alone it is the compilation of a graph by the back
 * end. Others, such as those of --python, are part of the range around them.
 * Source: python/ctprof/_compile.py.
 */
#include "compilations/tracing.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "base/strtab.h"

#define SUFFIX " [traced]" /* with --python */

enum range_kind { RANGE_OTHER, RANGE_FUNCTION, RANGE_BACK_END };

struct tracing_range {
	enum range_kind kind;
	bool is_frame;
	uint32_t site;
	uint32_t context; /* its own, or that around it; TRACE_NONE: none */
	uint32_t frame;   /* likewise */
	int64_t begin_ns;
	uint64_t inner_ns; /* of ranges in it that are not its own time */
};

struct tracing_track {
	struct tracing_range *ranges; /* outermost first */
	uint32_t depth, room;
};

/* ---- tables ---- */

static void *item_at(
	const struct tracing_table *table, size_t size, uint32_t number)
{
	return (char *)table->items + size * number;
}

uint32_t tracing_find(struct tracing_table *table, size_t size, uint64_t first,
	uint64_t second)
{
	struct tracing_key key = {first, second};
	uint64_t hash = hash_pair(first, second);
	uint32_t slot;
	uint32_t number;

	if (!index_reserve(&table->index, table->count))
		return TRACE_NONE;
	slot = index_first(&table->index, hash);
	while ((number = index_find(&table->index, hash, &slot)) !=
		INDEX_NONE) {
		if (memcmp(item_at(table, size, number), &key, sizeof(key)) ==
			0)
			return number;
		slot = index_after(&table->index, slot);
	}
	if (table->count == TRACE_NONE - 1 ||
		!array_reserve32(
			&table->items, table->count, &table->room, size))
		return TRACE_NONE;
	index_set(&table->index, slot, hash, table->count);
	memset(item_at(table, size, table->count), 0, size);
	memcpy(item_at(table, size, table->count), &key, sizeof(key));
	return table->count++;
}

static void clear_table(struct tracing_table *table)
{
	memory_free(table->items);
	memory_free(table->index.entries);
}

bool tracing_init(struct tracing *tracing)
{
	*tracing = (struct tracing){.text = strtab_new()};
	return tracing->text != NULL;
}

static void clear_tracks(struct tracing *tracing)
{
	for (uint32_t i = 0; i < tracing->track_room; i++)
		memory_free(tracing->tracks[i].ranges);
	memory_free(tracing->tracks);
	tracing->tracks = NULL;
	tracing->track_room = 0;
}

void tracing_clear(struct tracing *tracing)
{
	clear_tracks(tracing);
	clear_table(&tracing->functions);
	clear_table(&tracing->contexts);
	clear_table(&tracing->edges);
	clear_table(&tracing->uses);
	clear_table(&tracing->frames);
	memory_free(tracing->order);
	strtab_free(tracing->text);
	*tracing = (struct tracing){0};
}

/* ---- functions and frames ---- */

static uint32_t add_text(struct tracing *tracing, const char *text, size_t size)
{
	return strtab_add(tracing->text, text, size);
}

static const char *text_of(const struct tracing *tracing, uint32_t number)
{
	return strtab_text(tracing->text, number, NULL);
}

static uint32_t find_function(struct tracing *tracing, uint32_t site)
{
	const char *name = trace_site_name(tracing->trace, site);
	const char *file = trace_site_file(tracing->trace, site);
	uint32_t line = tracing->trace->sites[site].line;
	size_t size = strlen(name);
	size_t suffix = strlen(SUFFIX);
	uint32_t name_number;
	uint32_t file_number;
	uint32_t number;
	struct tracing_function *function;

	if (size > suffix && strcmp(name + size - suffix, SUFFIX) == 0)
		size -= suffix;
	name_number = add_text(tracing, name, size);
	file_number = add_text(tracing, file, strlen(file));
	if (name_number == STRTAB_NONE || file_number == STRTAB_NONE)
		return TRACE_NONE;
	number = tracing_find(&tracing->functions, sizeof(*function),
		(uint64_t)name_number << 32 | file_number, line);
	if (number == TRACE_NONE)
		return TRACE_NONE;
	function = &tracing_functions(tracing)[number];
	function->name = text_of(tracing, name_number);
	function->file = text_of(tracing, file_number);
	function->line = line;
	return number;
}

static uint32_t find_frame(
	struct tracing *tracing, uint32_t track, const struct event_arg *id)
{
	int64_t pid = tracing->trace->tracks[track].pid;
	uint32_t id_number =
		add_text(tracing, id->value.text.bytes, id->value.text.size);
	struct tracing_frame *frame;
	uint32_t number;

	if (id_number == STRTAB_NONE)
		return TRACE_NONE;
	number = tracing_find(&tracing->frames, sizeof(*frame), (uint64_t)pid,
		(uint64_t)tracing->input_number << 32 | id_number);
	if (number == TRACE_NONE)
		return TRACE_NONE;
	frame = &tracing_frames(tracing)[number];
	frame->input = text_of(tracing, tracing->input_number);
	frame->pid = pid;
	frame->id = text_of(tracing, id_number);
	return number;
}

/* ---- ranges ---- */

bool tracing_begin(
	struct tracing *tracing, const struct trace *trace, const char *input)
{
	uint32_t number = add_text(tracing, input, strlen(input));

	clear_tracks(tracing);
	tracing->trace = trace;
	tracing->input_number = number;
	return number != STRTAB_NONE;
}

static struct tracing_range *innermost(struct tracing_track *track)
{
	return track->depth == 0 ? NULL : &track->ranges[track->depth - 1];
}

static bool begin_range(struct tracing_track *track, const struct event *event)
{
	const struct tracing_range *outer = innermost(track);
	struct tracing_range range = {.site = event->site,
		.context = outer == NULL ? TRACE_NONE : outer->context,
		.frame = outer == NULL ? TRACE_NONE : outer->frame,
		.begin_ns = event->time_ns};

	if (!array_reserve32(&track->ranges, track->depth, &track->room,
		    sizeof(*track->ranges)))
		return false;
	track->ranges[track->depth++] = range;
	return true;
}

static const struct event_arg *find_arg(const struct tracing *tracing,
	const struct event *event, const char *key, enum event_arg_kind kind)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (event->args[i].kind == kind &&
			strcmp(strtab_text(tracing->trace->text,
				       event->args[i].key, NULL),
				key) == 0)
			return &event->args[i];
	return NULL;
}

/* The range is a function that Dynamo traces. */
static bool begin_function(struct tracing *tracing, struct tracing_range *range,
	const struct event_arg *bytecode)
{
	uint32_t function = find_function(tracing, range->site);
	uint32_t context;
	uint64_t bytes = bytecode->value.integer < 0
				 ? 0
				 : (uint64_t)bytecode->value.integer;

	if (function == TRACE_NONE)
		return false;
	context = tracing_find(&tracing->contexts,
		sizeof(struct tracing_context),
		range->context == TRACE_NONE ? 0 : (uint64_t)range->context + 1,
		function);
	if (context == TRACE_NONE)
		return false;
	range->kind = RANGE_FUNCTION;
	range->context = context;
	tracing_contexts(tracing)[context].ncalls++;
	tracing_functions(tracing)[function].bytecode = bytes;
	tracing_functions(tracing)[function].traced_bytecode = saturate_sum(
		tracing_functions(tracing)[function].traced_bytecode, bytes);
	return true;
}

static uint32_t function_of(const struct tracing *tracing, uint32_t context)
{
	return (uint32_t)tracing_contexts(tracing)[context].key.second;
}

/* Each range of a frame is an attempt to trace it. */
static bool begin_frame(struct tracing *tracing, struct tracing_range *range,
	const struct event *event, const struct event_arg *id)
{
	struct tracing_frame *frame;

	range->frame = find_frame(tracing, event->track, id);
	if (range->frame == TRACE_NONE)
		return false;
	frame = &tracing_frames(tracing)[range->frame];
	frame->function = function_of(tracing, range->context);
	frame->attempts++;
	frame->restarts_ns = frame->traced_ns;
	return true;
}

static bool note_torch(struct tracing *tracing, uint32_t site)
{
	const char *file = trace_site_file(tracing->trace, site);
	const char *end = strstr(file, "torch/_dynamo/");
	uint32_t number;

	if (end == NULL || tracing->torch != NULL)
		return true;
	number = add_text(
		tracing, file, (size_t)(end - file) + strlen("torch/"));
	if (number != STRTAB_NONE)
		tracing->torch = text_of(tracing, number);
	return number != STRTAB_NONE;
}

/* The arguments show the kind of the innermost range. They may be those of its
 * begin, or follow it, even each in an event of its own. */
static bool read_args(struct tracing *tracing, struct tracing_range *range,
	const struct event *event)
{
	const struct trace_site *site = &tracing->trace->sites[range->site];
	const struct event_arg *bytecode;
	const struct event_arg *id;

	if (event->arg_count == 0 ||
		strcmp(strtab_text(tracing->trace->text, site->category, NULL),
			"traced") != 0)
		return true;
	bytecode = find_arg(tracing, event, "bytecode", ARG_INT);
	id = find_arg(tracing, event, "compile_id", ARG_TEXT);
	if (range->kind == RANGE_OTHER &&
		find_arg(tracing, event, "backend", ARG_TEXT) != NULL) {
		range->kind = RANGE_BACK_END;
		return note_torch(tracing, range->site);
	}
	if (range->kind == RANGE_OTHER && bytecode != NULL &&
		!begin_function(tracing, range, bytecode))
		return false;
	if (range->kind != RANGE_FUNCTION || range->is_frame || id == NULL)
		return true;
	range->is_frame = true;
	return begin_frame(tracing, range, event, id);
}

static bool add_own_time(struct tracing *tracing,
	const struct tracing_range *range, uint64_t own_ns)
{
	struct tracing_context *context =
		&tracing_contexts(tracing)[range->context];

	context->self_ns = saturate_sum(context->self_ns, own_ns);
	if (range->frame == TRACE_NONE)
		return true;
	tracing_frames(tracing)[range->frame].traced_ns = saturate_sum(
		tracing_frames(tracing)[range->frame].traced_ns, own_ns);
	return tracing_find(&tracing->uses, sizeof(struct tracing_use),
		       context->key.second, range->frame) != TRACE_NONE;
}

static bool end_range(
	struct tracing *tracing, struct tracing_track *track, int64_t end_ns)
{
	const struct tracing_range *range = &track->ranges[--track->depth];
	struct tracing_range *outer = innermost(track);
	uint64_t whole_ns =
		end_ns > range->begin_ns
			? (uint64_t)end_ns - (uint64_t)range->begin_ns
			: 0;
	uint64_t own_ns =
		whole_ns > range->inner_ns ? whole_ns - range->inner_ns : 0;

	if (outer != NULL)
		outer->inner_ns = saturate_sum(outer->inner_ns,
			range->kind == RANGE_OTHER ? range->inner_ns
						   : whole_ns);
	if (range->kind == RANGE_FUNCTION)
		return add_own_time(tracing, range, own_ns);
	if (range->kind == RANGE_BACK_END) {
		tracing->back_end_ns =
			saturate_sum(tracing->back_end_ns, own_ns);
		if (range->frame != TRACE_NONE)
			tracing_frames(tracing)[range->frame].back_end_ns =
				saturate_sum(
					tracing_frames(tracing)[range->frame]
						.back_end_ns,
					own_ns);
	}
	return true;
}

enum ctp_status tracing_add(struct tracing *tracing, const struct event *event,
	struct ctp_error *err)
{
	struct tracing_track *track;
	bool done = true;

	if (event->kind != EVENT_BEGIN && event->kind != EVENT_END &&
		event->kind != EVENT_ARGS)
		return CTP_OK;
	if (!array_ensure_index(&tracing->tracks, event->track,
		    &tracing->track_room, sizeof(*tracing->tracks)))
		return ctp_no_memory(err);
	track = &tracing->tracks[event->track];
	if (event->kind == EVENT_BEGIN)
		done = begin_range(track, event) &&
		       read_args(tracing, innermost(track), event);
	else if (track->depth != 0 && event->kind == EVENT_ARGS)
		done = read_args(tracing, innermost(track), event);
	else if (track->depth != 0)
		done = end_range(tracing, track, event->time_ns);
	return done ? CTP_OK : ctp_no_memory(err);
}

bool tracing_end(struct tracing *tracing)
{
	bool done = true;

	for (uint32_t i = 0; i < tracing->track_room; i++)
		while (done && tracing->tracks[i].depth != 0)
			done = end_range(tracing, &tracing->tracks[i],
				trace_track_end(tracing->trace, i));
	clear_tracks(tracing);
	return done;
}

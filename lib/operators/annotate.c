/* SPDX-License-Identifier: MIT */
#include "operators/annotate.h"

#include <string.h>

#include "base/memory.h"
#include "trace/event.h"
#include "base/buffer.h"
#include "base/strtab.h"

/* ---- the registry ---- */

struct fx_registry {
	struct strtab *text;   /* file names, and texts of nodes */
	struct strtab *keys;   /* node keys: file and index */
	struct fx_node *nodes; /* by key number */
	uint32_t room;
	struct buffer key; /* scratch */
};

struct fx_registry *fx_registry_new(void)
{
	struct fx_registry *registry = memory_new_zeroed(1, sizeof(*registry));

	if (registry == NULL)
		return NULL;
	registry->text = strtab_new();
	registry->keys = strtab_new();
	if (registry->text != NULL && registry->keys != NULL)
		return registry;
	fx_registry_free(registry);
	return NULL;
}

void fx_registry_free(struct fx_registry *registry)
{
	if (registry == NULL)
		return;
	strtab_free(registry->text);
	strtab_free(registry->keys);
	memory_free(registry->nodes);
	buffer_clear(&registry->key);
	memory_free(registry);
}

uint32_t fx_registry_file(struct fx_registry *registry, struct fx_text name)
{
	return strtab_add(registry->text, name.bytes, name.size);
}

/* Skips an optional sign and leading zeros. */
static struct fx_text digits_of(struct fx_text text, bool *negative)
{
	*negative = text.size > 0 && text.bytes[0] == '-';
	if (*negative || (text.size > 0 && text.bytes[0] == '+')) {
		text.bytes++;
		text.size--;
	}
	while (text.size > 1 && text.bytes[0] == '0') {
		text.bytes++;
		text.size--;
	}
	return text;
}

bool fx_registry_is_index(struct fx_text text)
{
	bool negative;
	struct fx_text digits = digits_of(text, &negative);

	for (size_t i = 0; i < digits.size; i++)
		if (digits.bytes[i] < '0' || digits.bytes[i] > '9')
			return false;
	return digits.size > 0;
}

uint32_t fx_registry_node(
	struct fx_registry *registry, uint32_t file, struct fx_text index)
{
	struct buffer *key = &registry->key;
	bool negative;
	struct fx_text digits = digits_of(index, &negative);
	uint32_t number;

	key->used = 0;
	buffer_add(key, &file, sizeof(file));
	/* -0 is 0. */
	if (negative && digits.bytes[0] != '0')
		buffer_add_byte(key, '-');
	buffer_add(key, digits.bytes, digits.size);
	if (key->failed)
		return FX_NONE;
	number =
		strtab_add(registry->keys, (const char *)key->bytes, key->used);
	if (number == STRTAB_NONE ||
		!array_ensure_index(&registry->nodes, number, &registry->room,
			sizeof(*registry->nodes)))
		return FX_NONE;
	return number;
}

/* Copies the text into the registry; false if out of memory. */
static bool store(struct fx_registry *registry, struct fx_text *text)
{
	uint32_t number;

	if (text->size == 0)
		return true;
	number = strtab_add(registry->text, text->bytes, text->size);
	if (number == STRTAB_NONE)
		return false;
	text->bytes = strtab_text(registry->text, number, NULL);
	return true;
}

bool fx_registry_set(struct fx_registry *registry, uint32_t number,
	const struct fx_node *node)
{
	struct fx_node *entry = &registry->nodes[number];
	struct fx_node kept = *node;

	if (!store(registry, &kept.stack_trace) || !store(registry, &kept.name))
		return false;
	*entry = kept;
	return true;
}

const struct fx_node *fx_registry_get(
	const struct fx_registry *registry, uint32_t number)
{
	return &registry->nodes[number];
}

/* ---- open markers ---- */

/*
 * The open markers of torch.fx code on a thread: for files and for nodes, which
 * are kept separately.
 *
 * A marker that nests is open until its range ends. A marker that overlaps
 * others is an event with a duration and stays open until its end time. So
 * scopes do not end in reverse order: an ended one is removed when it is the
 * innermost, or when room is needed.
 */

enum fx_scope_kind { FX_SCOPE_FILE, FX_SCOPE_NODE, FX_SCOPE_KINDS };

struct fx_scopes {
	struct fx_scope *items;
	uint32_t count;
	uint32_t room;
};

/* An open range, whether a marker or not. */
struct fx_range {
	bool has_trace; /* it got a stack trace from its node */
	bool has_name;
	bool is_scope;
	enum fx_scope_kind kind;
	uint32_t scope;
};

/* All zero is a thread without open ranges. */
struct fx_track {
	struct fx_scopes scopes[FX_SCOPE_KINDS];
	struct fx_range *ranges;
	uint32_t depth;
	uint32_t room;
};

#define RANGE_NONE UINT32_MAX

struct fx_scope {
	uint32_t number;
	uint32_t range; /* its range; RANGE_NONE: an event with a duration */
	int64_t end_ns; /* its end; INT64_MIN for ranges */
};

static void fx_track_clear(struct fx_track *track)
{
	for (size_t i = 0; i < FX_SCOPE_KINDS; i++)
		memory_free(track->scopes[i].items);
	memory_free(track->ranges);
	*track = (struct fx_track){0};
}

static bool is_over(const struct fx_scope *scope, int64_t time_ns)
{
	return scope->range == RANGE_NONE && scope->end_ns <= time_ns;
}

/* Finds the innermost scope of a kind; false if none is open. */
static bool fx_track_innermost(struct fx_track *track, enum fx_scope_kind kind,
	int64_t time_ns, uint32_t *number)
{
	struct fx_scopes *scopes = &track->scopes[kind];

	while (scopes->count > 0) {
		const struct fx_scope *last = &scopes->items[scopes->count - 1];

		if (!is_over(last, time_ns)) {
			*number = last->number;
			return true;
		}
		scopes->count--;
	}
	return false;
}

/* Removes ended scopes and updates the ranges' scope indexes. */
static void tidy(
	struct fx_track *track, enum fx_scope_kind kind, int64_t time_ns)
{
	struct fx_scopes *scopes = &track->scopes[kind];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < scopes->count; i++) {
		const struct fx_scope *scope = &scopes->items[i];

		if (is_over(scope, time_ns))
			continue;
		if (scope->range != RANGE_NONE)
			track->ranges[scope->range].scope = kept;
		scopes->items[kept++] = *scope;
	}
	scopes->count = kept;
}

/* Makes room for one more scope. */
static bool ensure_scope(
	struct fx_track *track, enum fx_scope_kind kind, int64_t time_ns)
{
	struct fx_scopes *scopes = &track->scopes[kind];

	if (scopes->count < scopes->room)
		return true;
	tidy(track, kind, time_ns);
	/* Otherwise tidy() would soon run again. */
	if (scopes->count < scopes->room / 2)
		return true;
	return array_grow32(
		&scopes->items, &scopes->room, sizeof(*scopes->items));
}

/* Opens a range; the pointer is valid until the next one. NULL if out of
 * memory. */
static struct fx_range *fx_track_push(struct fx_track *track)
{
	if (!array_reserve32(&track->ranges, track->depth, &track->room,
		    sizeof(*track->ranges)))
		return NULL;
	track->ranges[track->depth] = (struct fx_range){0};
	return &track->ranges[track->depth++];
}

/* Ends the innermost range, if any. */
static void fx_track_pop(struct fx_track *track)
{
	const struct fx_range *range;
	struct fx_scope *scope;

	if (track->depth == 0)
		return;
	range = &track->ranges[--track->depth];
	if (!range->is_scope)
		return;
	scope = &track->scopes[range->kind].items[range->scope];
	scope->range = RANGE_NONE;
	scope->end_ns = INT64_MIN;
}

/* Opens a scope of this number for the event, which opened the innermost range
 * or has a duration. False if out of memory. */
static bool fx_track_open(struct fx_track *track, const struct event *event,
	enum fx_scope_kind kind, uint32_t number)
{
	struct fx_scopes *scopes = &track->scopes[kind];
	struct fx_scope scope = {number, RANGE_NONE, event_end(event)};

	if (!ensure_scope(track, kind, event->time_ns))
		return false;
	if (event->kind == EVENT_BEGIN) {
		struct fx_range *range = &track->ranges[track->depth - 1];

		scope.range = track->depth - 1;
		range->is_scope = true;
		range->kind = kind;
		range->scope = scopes->count;
	}
	scopes->items[scopes->count++] = scope;
	return true;
}

/* ---- the source ---- */

#define MARK_START "## "
#define MARK_END " ##"

/* The role of a site. */
enum role { UNKNOWN, OPERATION, FILE_MARKER, NODE_MARKER, LEFT_ALONE };

struct annotate {
	struct event_source source; /* first member: callers hold a pointer to
				     * it */
	struct fx_registry *registry;
	struct annotate_counts counts;
	uint8_t *roles; /* by site */
	uint32_t role_room;
	struct fx_track *tracks; /* by number */
	uint32_t track_room;
	struct event_arg *args;
	uint32_t arg_room;
	uint32_t trace_key; /* strtab numbers */
	uint32_t name_key;
};

/* Extracts the contents of a marker; false if the name is not a marker. */
static bool read_marker(
	const struct trace *trace, uint32_t site, struct fx_text *content)
{
	size_t start = strlen(MARK_START);
	size_t end = strlen(MARK_END);
	size_t size;
	const char *name =
		strtab_text(trace->text, trace->sites[site].name, &size);

	if (size < start + end - 1 || memcmp(name, MARK_START, start) != 0 ||
		memcmp(name + size - end, MARK_END, end) != 0)
		return false;
	/* "## ##" has no contents. */
	content->bytes = name + start;
	content->size = size < start + end ? 0 : size - start - end;
	return true;
}

static enum role find_role(const struct trace *trace, uint32_t site)
{
	static const char suffix[] = ".py";
	size_t suffix_size = strlen(suffix);
	struct fx_text content;
	const char *category;

	if (!read_marker(trace, site, &content))
		return OPERATION;
	category = strtab_text(trace->text, trace->sites[site].category, NULL);
	if (strcmp(category, "cpu_op") != 0)
		return LEFT_ALONE;
	if (content.size >= suffix_size &&
		memcmp(content.bytes + content.size - suffix_size, suffix,
			suffix_size) == 0)
		return FILE_MARKER;
	return fx_registry_is_index(content) ? NODE_MARKER : LEFT_ALONE;
}

/* UNKNOWN if out of memory. */
static enum role role_of(struct annotate *annotate, uint32_t site)
{
	if (!array_ensure_index(
		    &annotate->roles, site, &annotate->role_room, 1))
		return UNKNOWN;
	if (annotate->roles[site] == UNKNOWN)
		annotate->roles[site] =
			(uint8_t)find_role(annotate->source.trace, site);
	return (enum role)annotate->roles[site];
}

static struct fx_track *find_track(struct annotate *annotate, uint32_t number)
{
	return array_ensure_index(&annotate->tracks, number,
		       &annotate->track_room, sizeof(*annotate->tracks))
		       ? &annotate->tracks[number]
		       : NULL;
}

static bool open_file(struct annotate *annotate, struct fx_track *track,
	const struct event *event)
{
	struct fx_text name;
	uint32_t file;

	annotate->counts.file_markers++;
	(void)read_marker(annotate->source.trace, event->site, &name);
	file = fx_registry_file(annotate->registry, name);
	return file != FX_NONE &&
	       fx_track_open(track, event, FX_SCOPE_FILE, file);
}

/* An unknown node does not hide an enclosing known one. */
static bool open_node(struct annotate *annotate, struct fx_track *track,
	const struct event *event)
{
	struct fx_text index;
	uint32_t file;
	uint32_t node;

	annotate->counts.node_markers++;
	if (!fx_track_innermost(track, FX_SCOPE_FILE, event->time_ns, &file)) {
		annotate->counts.unknown_nodes++;
		return true;
	}
	(void)read_marker(annotate->source.trace, event->site, &index);
	node = fx_registry_node(annotate->registry, file, index);
	if (node == FX_NONE)
		return false;
	if (fx_registry_get(annotate->registry, node)->known)
		return fx_track_open(track, event, FX_SCOPE_NODE, node);
	annotate->counts.unknown_nodes++;
	return true;
}

static bool make_room(struct annotate *annotate, uint32_t count)
{
	return array_ensure_index(&annotate->args, count, &annotate->arg_room,
		sizeof(*annotate->args));
}

static void add_text(struct annotate *annotate, struct event *event,
	uint32_t key, struct fx_text text)
{
	struct event_arg *arg = &annotate->args[event->arg_count++];

	*arg = (struct event_arg){.kind = ARG_TEXT, .key = key};
	arg->value.text.bytes = text.bytes;
	arg->value.text.size = text.size;
}

/* Copies the arguments, except those that the range has from its node. */
static bool merge_args(struct annotate *annotate, struct event *event,
	const struct fx_range *range)
{
	const struct event_arg *args = event->args;
	uint32_t count = event->arg_count;

	if (!make_room(annotate, count + 2))
		return false;
	event->args = annotate->args;
	event->arg_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if ((range->has_trace && args[i].key == annotate->trace_key) ||
			(range->has_name && args[i].key == annotate->name_key))
			continue;
		annotate->args[event->arg_count++] = args[i];
	}
	return true;
}

/* Adds the node's arguments to an operation and records that in `range`. */
static bool add_facts(struct annotate *annotate, struct fx_track *track,
	struct event *event, struct fx_range *range)
{
	const struct fx_node *node;
	uint32_t number;

	if (!fx_track_innermost(track, FX_SCOPE_NODE, event->time_ns, &number))
		return true;
	node = fx_registry_get(annotate->registry, number);
	range->has_trace = node->stack_trace.size > 0;
	range->has_name = node->name.size > 0;
	if (!range->has_trace && !range->has_name)
		return true;
	if (!merge_args(annotate, event, range))
		return false;
	if (range->has_trace)
		add_text(annotate, event, annotate->trace_key,
			node->stack_trace);
	if (range->has_name)
		add_text(annotate, event, annotate->name_key, node->name);
	annotate->counts.operations++;
	return true;
}

/* Handles the start of a range or of an event with a duration. */
static bool observe_start(
	struct annotate *annotate, struct fx_track *track, struct event *event)
{
	struct fx_range alone = {0};
	struct fx_range *range =
		event->kind == EVENT_BEGIN ? fx_track_push(track) : &alone;

	if (range == NULL)
		return false;
	switch (role_of(annotate, event->site)) {
	case OPERATION:
		return add_facts(annotate, track, event, range);
	case FILE_MARKER:
		return open_file(annotate, track, event);
	case NODE_MARKER:
		return open_node(annotate, track, event);
	case LEFT_ALONE:
		return true;
	case UNKNOWN:
		break;
	}
	return false;
}

/* Later arguments of the innermost range do not replace those from its node: a
 * key has one value. */
static bool annotate_innermost(
	struct annotate *annotate, struct fx_track *track, struct event *event)
{
	const struct fx_range *range;
	bool done = true;

	if (track->depth > 0 && event->arg_count > 0) {
		range = &track->ranges[track->depth - 1];
		if (range->has_trace || range->has_name)
			done = merge_args(annotate, event, range);
	}
	if (event->kind == EVENT_END)
		fx_track_pop(track);
	return done;
}

static bool is_of_ranges(enum event_kind kind)
{
	return kind == EVENT_BEGIN || kind == EVENT_END || kind == EVENT_ARGS ||
	       kind == EVENT_COMPLETE || kind == EVENT_UNCLIPPED_CALL;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct annotate *annotate = (struct annotate *)source;
	enum ctp_status status = annotate->source.inner->next(
		annotate->source.inner, event, err);
	struct fx_track *track;
	bool done;

	if (status != CTP_OK || !is_of_ranges(event->kind))
		return status;
	track = find_track(annotate, event->track);
	if (track == NULL)
		return ctp_no_memory(err);
	if (event->kind == EVENT_BEGIN || event->kind == EVENT_COMPLETE ||
		event->kind == EVENT_UNCLIPPED_CALL)
		done = observe_start(annotate, track, event);
	else
		done = annotate_innermost(annotate, track, event);
	return done ? CTP_OK : ctp_no_memory(err);
}

static void close_annotate(struct event_source *source)
{
	struct annotate *annotate = (struct annotate *)source;

	for (uint32_t i = 0; i < annotate->track_room; i++)
		fx_track_clear(&annotate->tracks[i]);
	memory_free(annotate->tracks);
	memory_free(annotate->roles);
	memory_free(annotate->args);
	annotate->source.inner->close(annotate->source.inner);
	memory_free(annotate);
}

enum ctp_status annotate_open(struct event_source *inner,
	struct fx_registry *registry, struct annotate **out,
	struct ctp_error *err)
{
	struct annotate *annotate = memory_new_zeroed(1, sizeof(*annotate));
	struct strtab *text = inner->trace->text;

	if (annotate == NULL)
		return ctp_no_memory(err);
	annotate->trace_key = strtab_add(text, "stack_trace", 11);
	annotate->name_key = strtab_add(text, "node_name", 9);
	if (annotate->trace_key == STRTAB_NONE ||
		annotate->name_key == STRTAB_NONE) {
		memory_free(annotate);
		return ctp_no_memory(err);
	}
	event_source_wrap(&annotate->source, inner, next, close_annotate);
	annotate->registry = registry;
	*out = annotate;
	return CTP_OK;
}

struct event_source *annotate_source(struct annotate *annotate)
{
	return &annotate->source;
}

const struct annotate_counts *annotate_counts(const struct annotate *annotate)
{
	return &annotate->counts;
}

/* SPDX-License-Identifier: MIT */
/*
 * Each range is passed to a replay, which does all the counting, with a site
 * made from the grouping key. When grouping by module, only the modules' own
 * ranges are passed, and the outermost ranges outside of modules.
 */
#include "operators/averages.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "roofline/flops.h"
#include "trace/trace.h"

/* Arguments used. */
enum averages_arg {
	AVERAGES_ARG_DIMS,
	AVERAGES_ARG_OLD_DIMS, /* of early Kineto traces */
	AVERAGES_ARG_STACK,    /* of old traces: "f.py(3): g;f.py(9): h" */
	AVERAGES_ARG_MODULE,
	AVERAGES_ARG_BYTES,
	AVERAGES_ARG_DEVICE_TYPE,
	AVERAGES_ARG_DEVICE_ID,
	AVERAGES_ARGS
};

/* An open range, whether passed on or not. */
struct averages_frame {
	uint32_t site;
	uint32_t key; /* its new site */
	/* The call stack of ranges inside this one: a strtab number;
	 * STRTAB_NONE: not computed yet. */
	uint32_t stack;
	uint32_t module; /* strtab number of its module; 0: none */
	bool kept;
	bool has_flops; /* itself */
	bool in_flops;  /* itself or an enclosing one */
};

struct averages_track {
	struct averages_frame *frames;
	uint32_t depth;
	uint32_t room;
	uint32_t kept; /* frames passed on */
};

/* The last mapping of a site, with these details. */
struct averages_site {
	uint32_t details; /* a strtab number */
	uint32_t site;
	bool known;
};

struct averages {
	struct trace *trace;
	struct averages_options options;
	struct replay *replay;
	struct averages_track *tracks;
	uint32_t track_count;
	struct averages_site *sites; /* by site */
	uint32_t site_room;
	struct flops *flops;
	uint64_t flops_sum; /* of operations not nested in another with FLOPs */
	uint32_t keys[AVERAGES_ARGS]; /* strtab numbers */
	uint32_t memory;              /* strtab numbers of names */
	uint32_t out_of_memory;
	struct buffer text;
};

#define MODULE "nn.Module: "

static const char *category_of(const struct averages *averages, uint32_t site)
{
	return strtab_text(averages->trace->text,
		averages->trace->sites[site].category, NULL);
}

static bool is_frame_of_python(const struct averages *averages, uint32_t site)
{
	return strcmp(category_of(averages, site), "python_function") == 0;
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* The event's argument; NULL if it has none. */
static const struct event_arg *averages_find_arg(
	const struct averages *averages, const struct event *event,
	enum averages_arg arg)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (event->args[i].key == averages->keys[arg])
			return &event->args[i];
	return NULL;
}

/* Returns the site with this name and these details. It keeps the category,
 * which identifies device work and API calls, except for Python functions,
 * whose names would be parsed. */
static uint32_t make_site(
	struct averages *averages, uint32_t of, uint32_t name, uint32_t details)
{
	struct trace_site site = {.name = name, .file = details};

	if (name == STRTAB_NONE || details == STRTAB_NONE)
		return TRACE_NONE;
	if (!is_frame_of_python(averages, of))
		site.category = averages->trace->sites[of].category;
	return trace_add_place(averages->trace, site);
}

/* Returns the site of a plain name; TRACE_NONE if out of memory. */
static uint32_t averages_named(struct averages *averages, const char *name)
{
	struct trace_site site = {
		.name = strtab_add(averages->trace->text, name, strlen(name))};

	return site.name == STRTAB_NONE
		       ? TRACE_NONE
		       : trace_add_place(averages->trace, site);
}

/* Interns the text buffer; STRTAB_NONE if out of memory. */
static uint32_t append_text(struct averages *averages)
{
	if (averages->text.failed)
		return STRTAB_NONE;
	if (averages->text.used == 0)
		return 0;
	return strtab_add(averages->trace->text,
		(const char *)averages->text.bytes, averages->text.used);
}

/* Formats shapes as Python prints lists. */
static uint32_t shapes_of(struct averages *averages, const struct event *event)
{
	const struct event_arg *arg =
		averages_find_arg(averages, event, AVERAGES_ARG_DIMS);
	uint8_t *to;

	if (arg == NULL)
		arg = averages_find_arg(averages, event, AVERAGES_ARG_OLD_DIMS);
	if (arg == NULL || (arg->kind != ARG_JSON && arg->kind != ARG_TEXT))
		return 0;
	averages->text.used = 0;
	if (arg->value.text.size > SIZE_MAX / 2 ||
		!buffer_reserve(&averages->text, 2 * arg->value.text.size))
		return STRTAB_NONE;
	to = averages->text.bytes;
	for (size_t i = 0; i < arg->value.text.size; i++) {
		char c = arg->value.text.bytes[i];

		/* JSON has no other control characters than blanks. */
		if ((unsigned char)c <= ' ')
			continue;
		*to++ = (uint8_t)c;
		if (c == ',')
			*to++ = ' ';
	}
	averages->text.used = (size_t)(to - averages->text.bytes);
	return append_text(averages);
}

/* Appends at most `room` entries, which end with the byte `end`, as lines. */
static void add_entries(struct averages *averages, const char *text,
	size_t size, char end, uint32_t room)
{
	const char *stop = text + size;

	while (room > 0 && text < stop) {
		const char *next = memchr(text, end, (size_t)(stop - text));
		size_t length = (size_t)((next == NULL ? stop : next) - text);

		if (length > 0) {
			if (averages->text.used > 0)
				buffer_add_byte(&averages->text, '\n');
			buffer_add(&averages->text, text, length);
			room--;
		}
		text += length + 1;
	}
}

/* Whether the range is a function rather than an operation. Calls of modules
 * are functions, as in PyTorch's own stacks. */
static bool is_function(const struct averages *averages, uint32_t site)
{
	static const char *const others[] = {"cpu_op", "user_annotation",
		"cuda_runtime", "cuda_driver", "module", "optimizer"};
	const char *category = category_of(averages, site);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(category, others[i]) == 0)
			return false;
	return true;
}

/* "file.py(12): f", as PyTorch names functions. */
static void add_function(struct averages *averages, uint32_t site)
{
	const char *file = trace_site_file(averages->trace, site);
	char line[32];

	if (*file != '\0') {
		(void)snprintf(line, sizeof(line),
			"(%" PRIu32 "): ", averages->trace->sites[site].line);
		buffer_add_text(&averages->text, file);
		buffer_add_text(&averages->text, line);
	}
	buffer_add_text(
		&averages->text, trace_site_name(averages->trace, site));
}

/* Returns the call stack of a range directly below the frames. */
static uint32_t stack_below(
	struct averages *averages, const struct averages_track *track)
{
	uint32_t first = track->depth;
	uint32_t stack = 0;

	while (first > 0 && track->frames[first - 1].stack == STRTAB_NONE)
		first--;
	if (first > 0)
		stack = track->frames[first - 1].stack;
	for (uint32_t i = first; i < track->depth; i++) {
		struct averages_frame *frame = &track->frames[i];
		size_t size;
		const char *outer =
			strtab_text(averages->trace->text, stack, &size);

		if (is_function(averages, frame->site)) {
			averages->text.used = 0;
			add_function(averages, frame->site);
			add_entries(averages, outer, size, '\n',
				averages->options.stack - 1);
			stack = append_text(averages);
		}
		if (stack == STRTAB_NONE)
			return STRTAB_NONE;
		frame->stack = stack;
	}
	return stack;
}

static uint32_t stack_of(struct averages *averages, const struct event *event,
	const struct averages_track *track)
{
	const struct event_arg *arg =
		averages_find_arg(averages, event, AVERAGES_ARG_STACK);

	if (arg == NULL || arg->kind != ARG_TEXT || arg->value.text.size == 0)
		return stack_below(averages, track);
	averages->text.used = 0;
	add_entries(averages, arg->value.text.bytes, arg->value.text.size, ';',
		averages->options.stack);
	return append_text(averages);
}

static uint32_t category_name(const struct averages *averages, uint32_t site)
{
	uint32_t category = averages->trace->sites[site].category;

	return category != 0
		       ? category
		       : strtab_add(averages->trace->text, AVERAGES_NO_CATEGORY,
				 strlen(AVERAGES_NO_CATEGORY));
}

/* Maps a site with these details, usually to the same site as the last time. */
static uint32_t site_for(
	struct averages *averages, uint32_t of, uint32_t details)
{
	bool category = averages->options.group == AVERAGES_CATEGORY;
	struct averages_site *last;
	uint32_t name;
	uint32_t site;

	if (details == STRTAB_NONE ||
		!array_ensure_index(&averages->sites, of, &averages->site_room,
			sizeof(*averages->sites)))
		return TRACE_NONE;
	last = &averages->sites[of];
	if (last->known && last->details == details)
		return last->site;
	name = category ? category_name(averages, of)
			: averages->trace->sites[of].name;
	site = make_site(averages, of, name, details);
	if (site != TRACE_NONE)
		*last = (struct averages_site){details, site, true};
	return site;
}

/* PyTorch's names of an optimizer's step and zero_grad. */
static bool is_optimizer(const char *name)
{
	return begins_with(name, "Optimizer.step#") ||
	       begins_with(name, "Optimizer.zero_grad#");
}

/* Returns the name of the module that the range calls; 0 if it does not call
 * one. */
static uint32_t averages_module(
	struct averages *averages, const struct event *event)
{
	const struct event_arg *arg =
		averages_find_arg(averages, event, AVERAGES_ARG_MODULE);
	const char *name = trace_site_name(averages->trace, event->site);
	const char *category = category_of(averages, event->site);

	if (begins_with(name, MODULE) &&
		is_frame_of_python(averages, event->site)) {
		name += strlen(MODULE);
		return strtab_add(averages->trace->text, name, strlen(name));
	}
	if (strcmp(category, "module") == 0 ||
		strcmp(category, "optimizer") == 0 ||
		(strcmp(category, "user_annotation") == 0 &&
			is_optimizer(name)))
		return averages->trace->sites[event->site].name;
	if (arg != NULL && arg->kind == ARG_TEXT)
		return strtab_add(averages->trace->text, arg->value.text.bytes,
			arg->value.text.size);
	return 0;
}

/* Returns the site that the range or activity is counted for; TRACE_NONE if out
 * of memory. `track` has the enclosing ranges; NULL for a device's. */
static uint32_t averages_key(struct averages *averages,
	const struct event *event, const struct averages_track *track)
{
	switch (averages->options.group) {
	case AVERAGES_NAME:
	case AVERAGES_CATEGORY:
		return site_for(averages, event->site, 0);
	case AVERAGES_SHAPE:
		return site_for(
			averages, event->site, shapes_of(averages, event));
	case AVERAGES_STACK:
		return site_for(averages, event->site,
			stack_of(averages, event, track));
	default:
		return event->site;
	}
}

/* In the order of enum averages_arg. */
const char *const averages_args[] = {"Input Dims", "Input dims", "Call stack",
	"Module Hierarchy", "Bytes", "Device Type", "Device Id",
	/* The rest is for flops.h. */
	"Input type", "Concrete Inputs", "kernel_flop", NULL};

static uint32_t number_of(struct trace *trace, const char *text)
{
	return strtab_add(trace->text, text, strlen(text));
}

static bool find_names(struct averages *averages)
{
	struct trace *trace = averages->trace;

	for (int i = 0; i < AVERAGES_ARGS; i++) {
		averages->keys[i] = number_of(trace, averages_args[i]);
		if (averages->keys[i] == STRTAB_NONE)
			return false;
	}
	averages->memory = number_of(trace, AVERAGES_MEMORY);
	averages->out_of_memory = number_of(trace, AVERAGES_OUT_OF_MEMORY);
	return averages->memory != STRTAB_NONE &&
	       averages->out_of_memory != STRTAB_NONE;
}

const char *averages_group_name(enum averages_group group)
{
	static const char *const names[AVERAGES_GROUPS] = {
		[AVERAGES_SITE] = "site",
		[AVERAGES_NAME] = "name",
		[AVERAGES_SHAPE] = "shape",
		[AVERAGES_STACK] = "stack",
		[AVERAGES_CATEGORY] = "cat",
		[AVERAGES_MODULE] = "module",
	};

	return names[group];
}

struct averages *averages_new(
	struct trace *trace, struct averages_options options)
{
	struct averages *averages = memory_new_zeroed(1, sizeof(*averages));

	if (averages == NULL)
		return NULL;
	averages->trace = trace;
	averages->options = options;
	if (options.stack == 0)
		averages->options.stack = AVERAGES_STACK_USUAL;
	averages->replay = replay_new(trace, options.replay);
	averages->flops = flops_new(trace);
	if (averages->replay == NULL || averages->flops == NULL ||
		!find_names(averages)) {
		averages_free(averages);
		return NULL;
	}
	return averages;
}

void averages_free(struct averages *averages)
{
	if (averages == NULL)
		return;
	for (uint32_t i = 0; i < averages->track_count; i++)
		memory_free(averages->tracks[i].frames);
	memory_free(averages->tracks);
	memory_free(averages->sites);
	buffer_clear(&averages->text);
	flops_free(averages->flops);
	replay_free(averages->replay);
	memory_free(averages);
}

/* NULL if out of memory. */
static struct averages_track *find_track(
	struct averages *averages, uint32_t track)
{
	return array_ensure_index(&averages->tracks, track,
		       &averages->track_count, sizeof(*averages->tracks))
		       ? &averages->tracks[track]
		       : NULL;
}

static bool push(struct averages_track *track, struct averages_frame frame)
{
	if (!array_reserve32(&track->frames, track->depth, &track->room,
		    sizeof(*track->frames)))
		return false;
	track->frames[track->depth++] = frame;
	track->kept += frame.kept;
	return true;
}

/* Sets the site of a range to its module, or to "no module". The range is not
 * kept if an enclosing one already has its time. False if out of memory. */
static bool enter_module(struct averages *averages,
	const struct averages_track *track, struct event *event,
	struct averages_frame *frame)
{
	uint32_t outer =
		track->depth == 0 ? 0 : track->frames[track->depth - 1].module;
	uint32_t module = averages_module(averages, event);

	if (module == STRTAB_NONE)
		return false;
	frame->module = module == 0 ? outer : module;
	/* If operations name their module, nested ones repeat the name. */
	frame->kept =
		track->kept == 0 ||
		(module != 0 && (module != outer ||
					averages_find_arg(averages, event,
						AVERAGES_ARG_MODULE) == NULL));
	if (!frame->kept)
		return true;
	event->site = averages_named(averages,
		module == 0 ? AVERAGES_NO_MODULE
			    : strtab_text(averages->trace->text, module, NULL));
	return event->site != TRACE_NONE;
}

/* Floating-point operations to count for a range: 0 if an enclosing range of
 * the same row already has them. */
static uint64_t count_flops(struct averages *averages,
	const struct averages_track *track, const struct event *event,
	struct averages_frame *frame)
{
	uint64_t flops = flops_count_of_op(averages->flops, event->site, event);
	bool inside =
		track->depth > 0 && track->frames[track->depth - 1].in_flops;

	frame->in_flops = inside;
	if (flops == 0)
		return 0;
	frame->has_flops = true;
	frame->in_flops = true;
	if (!inside)
		averages->flops_sum = saturate_sum(averages->flops_sum, flops);
	else if (averages->options.group == AVERAGES_MODULE)
		return 0;
	for (uint32_t i = track->depth; i-- > 0 && track->frames[i].in_flops;)
		if (track->frames[i].has_flops &&
			track->frames[i].key == frame->key)
			return 0;
	return flops;
}

/* Changes the site of a new range and fills its `frame`. */
static bool change_range(struct averages *averages,
	const struct averages_track *track, struct event *event,
	struct averages_frame *frame)
{
	if (averages->options.group == AVERAGES_MODULE)
		return enter_module(averages, track, event, frame);
	event->site = averages_key(averages, event, track);
	return event->site != TRACE_NONE;
}

static enum ctp_status begin(struct averages *averages,
	const struct event *event, struct ctp_error *err)
{
	struct averages_frame frame = {
		.site = event->site, .stack = STRTAB_NONE, .kept = true};
	struct averages_track *track = find_track(averages, event->track);
	struct event changed = *event;
	enum ctp_status status = CTP_OK;
	uint64_t flops;

	if (track == NULL || !change_range(averages, track, &changed, &frame))
		return ctp_no_memory(err);
	frame.key = changed.site;
	flops = count_flops(averages, track, event, &frame);
	if (!push(track, frame))
		return ctp_no_memory(err);
	if (frame.kept)
		status = replay_add(averages->replay, &changed, err);
	if (status == CTP_OK && flops != 0 &&
		!replay_flops(averages->replay, event->track, flops))
		return ctp_no_memory(err);
	return status;
}

/* Whether the end of a range is passed to the replay. */
static bool end(const struct averages *averages, const struct event *event)
{
	struct averages_track *track;
	bool kept;

	if (event->track >= averages->track_count ||
		averages->tracks[event->track].depth == 0)
		return true;
	track = &averages->tracks[event->track];
	kept = track->frames[--track->depth].kept;
	track->kept -= kept;
	return kept;
}

/* A range that does not nest is not in a module: other ranges have its time,
 * too. */
static bool change_complete(
	struct averages *averages, struct event *event, bool *keep)
{
	struct averages_track outside = {0};

	if (averages->options.group == AVERAGES_MODULE) {
		trace_lose(averages->trace, LOSS_LEFT_OUT, 1);
		*keep = false;
		return true;
	}
	if (!trace_site_is_span(averages->trace, event->site))
		event->site = averages_key(averages, event, &outside);
	return event->site != TRACE_NONE;
}

/* Device activities change only when grouping by category. */
static bool change_activity(struct averages *averages, struct event *event)
{
	if (averages->options.group == AVERAGES_CATEGORY)
		event->site = averages_key(averages, event, NULL);
	return event->site != TRACE_NONE;
}

/* Adds a call without duration, so that the memory event has a row and a
 * caller. */
static enum ctp_status add_call(struct averages *averages,
	const struct event *event, uint32_t name,
	const struct replay_memory *memory, struct ctp_error *err)
{
	struct event call = {.kind = EVENT_BEGIN,
		.track = event->track,
		.time_ns = event->time_ns,
		.device = -1};
	enum ctp_status status;

	call.site = averages_named(
		averages, strtab_text(averages->trace->text, name, NULL));
	if (call.site == TRACE_NONE)
		return ctp_no_memory(err);
	status = replay_add(averages->replay, &call, err);
	if (status != CTP_OK)
		return status;
	if (!replay_memory(averages->replay, memory))
		return ctp_no_memory(err);
	call.kind = EVENT_END;
	call.site = TRACE_NONE;
	return replay_add(averages->replay, &call, err);
}

static enum ctp_status add_memory(struct averages *averages,
	const struct event *event, const struct replay_memory *memory,
	struct ctp_error *err)
{
	if (!replay_is_open(averages->replay, event->track))
		return add_call(averages, event, averages->memory, memory, err);
	if (!replay_memory(averages->replay, memory))
		return ctp_no_memory(err);
	return CTP_OK;
}

/* Adds a log's memory event, whose devices are CUDA devices. */
static enum ctp_status add_change(struct averages *averages,
	const struct event *event, struct ctp_error *err)
{
	bool freed = event->kind == EVENT_FREE;
	struct replay_memory memory = {.track = event->track,
		.bytes = (int64_t)(freed ? -event->bytes : event->bytes)};

	if (event->device >= 0)
		memory.owner = (struct profile_owner){
			PROFILE_OF_DEVICE, TRACE_DEVICE_CUDA, event->device};
	return add_memory(averages, event, &memory, err);
}

/* Types and numbers that are not integers belong to "other". */
static struct profile_owner owner_of(
	const struct averages *averages, const struct event *event)
{
	const struct event_arg *type =
		averages_find_arg(averages, event, AVERAGES_ARG_DEVICE_TYPE);
	const struct event_arg *number =
		averages_find_arg(averages, event, AVERAGES_ARG_DEVICE_ID);
	struct profile_owner owner = {.number = -1};

	if (type == NULL || (type->kind == ARG_INT &&
				    type->value.integer == TRACE_DEVICE_CPU))
		return owner;
	if (type->kind != ARG_INT ||
		(number != NULL && number->kind != ARG_INT)) {
		owner.kind = PROFILE_OF_OTHER;
		return owner;
	}
	owner.kind = PROFILE_OF_DEVICE;
	owner.type = type->value.integer;
	if (number != NULL)
		owner.number = number->value.integer;
	return owner;
}

/*
 * Adds a memory instant of PyTorch's profiler.
 * Source: torch/csrc/autograd/profiler_kineto.cpp; "Device Type" is c10's;
 * "Bytes" is negative for a free.
 */
static enum ctp_status add_instant(struct averages *averages,
	const struct event *event, struct ctp_error *err)
{
	uint32_t name = averages->trace->sites[event->site].name;
	const struct event_arg *bytes;
	struct replay_memory memory = {.track = event->track};

	if (name != averages->memory && name != averages->out_of_memory)
		return CTP_OK;
	memory.owner = owner_of(averages, event);
	memory.failed = name == averages->out_of_memory;
	if (memory.failed)
		return add_call(averages, event, name, &memory, err);
	bytes = averages_find_arg(averages, event, AVERAGES_ARG_BYTES);
	if (bytes == NULL || bytes->kind != ARG_INT)
		return CTP_OK;
	memory.bytes = bytes->value.integer;
	return add_memory(averages, event, &memory, err);
}

enum ctp_status averages_add(struct averages *averages,
	const struct event *event, struct ctp_error *err)
{
	struct event changed = *event;
	bool done = true;
	bool keep = true;

	switch (event->kind) {
	case EVENT_BEGIN:
		return begin(averages, event, err);
	case EVENT_END:
		keep = end(averages, event);
		break;
	case EVENT_COMPLETE:
		done = change_complete(averages, &changed, &keep);
		break;
	case EVENT_ACTIVITY:
		done = change_activity(averages, &changed);
		break;
	case EVENT_INSTANT:
		return add_instant(averages, event, err);
	case EVENT_ALLOC:
	case EVENT_FREE:
		return add_change(averages, event, err);
	default:
		break;
	}
	if (!done)
		return ctp_no_memory(err);
	return keep ? replay_add(averages->replay, &changed, err) : CTP_OK;
}

enum ctp_status averages_finish(
	struct averages *averages, struct profile **out, struct ctp_error *err)
{
	enum ctp_status status = replay_finish(averages->replay, out, err);

	if (status == CTP_OK)
		(*out)->flops = averages->flops_sum;
	return status;
}

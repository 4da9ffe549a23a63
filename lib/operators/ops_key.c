/* SPDX-License-Identifier: MIT */
/* What ranges and activities are told apart by: the sites that stand for them.
 */
#include "operators/ops_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define MODULE "nn.Module: "

static const char *category_of(const struct ops *ops, uint32_t site)
{
	return strtab_text(
		ops->trace->text, ops->trace->sites[site].category, NULL);
}

static bool is_frame_of_python(const struct ops *ops, uint32_t site)
{
	return strcmp(category_of(ops, site), "python_function") == 0;
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

const struct event_arg *ops_find_arg(
	const struct ops *ops, const struct event *event, enum ops_arg arg)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (event->args[i].key == ops->keys[arg])
			return &event->args[i];
	return NULL;
}

/* The site with this name and these details. Its category says whether it is
 * work of a device, or a call of its API; only that of functions of Python is
 * left out, since the name would be taken apart for it. */
static uint32_t make_site(
	struct ops *ops, uint32_t of, uint32_t name, uint32_t details)
{
	struct trace_site site = {.name = name, .file = details};

	if (name == STRTAB_NONE || details == STRTAB_NONE)
		return TRACE_NONE;
	if (!is_frame_of_python(ops, of))
		site.category = ops->trace->sites[of].category;
	return trace_add_place(ops->trace, site);
}

uint32_t ops_named(struct ops *ops, const char *name)
{
	struct trace_site site = {
		.name = strtab_add(ops->trace->text, name, strlen(name))};

	return site.name == STRTAB_NONE ? TRACE_NONE
					: trace_add_place(ops->trace, site);
}

/* The text that was made, as a strtab number; STRTAB_NONE if out of memory. */
static uint32_t take_text(struct ops *ops)
{
	if (ops->text.failed)
		return STRTAB_NONE;
	if (ops->text.used == 0)
		return 0;
	return strtab_add(ops->trace->text, (const char *)ops->text.bytes,
		ops->text.used);
}

/* Shapes as Python prints lists, however the file has them. */
static uint32_t shapes_of(struct ops *ops, const struct event *event)
{
	const struct event_arg *arg = ops_find_arg(ops, event, OPS_ARG_DIMS);
	uint8_t *to;

	if (arg == NULL)
		arg = ops_find_arg(ops, event, OPS_ARG_OLD_DIMS);
	if (arg == NULL || (arg->kind != ARG_JSON && arg->kind != ARG_TEXT))
		return 0;
	ops->text.used = 0;
	if (arg->value.text.size > SIZE_MAX / 2 ||
		!buffer_reserve(&ops->text, 2 * arg->value.text.size))
		return STRTAB_NONE;
	to = ops->text.bytes;
	for (size_t i = 0; i < arg->value.text.size; i++) {
		char c = arg->value.text.bytes[i];

		/* Control characters are blanks in JSON, or nowhere. */
		if ((unsigned char)c <= ' ')
			continue;
		*to++ = (uint8_t)c;
		if (c == ',')
			*to++ = ' ';
	}
	ops->text.used = (size_t)(to - ops->text.bytes);
	return take_text(ops);
}

/* Adds lines, or what another byte ends, until there are enough. */
static void add_entries(
	struct ops *ops, const char *text, size_t size, char end, uint32_t room)
{
	const char *stop = text + size;

	while (room > 0 && text < stop) {
		const char *next = memchr(text, end, (size_t)(stop - text));
		size_t length = (size_t)((next == NULL ? stop : next) - text);

		if (length > 0) {
			if (ops->text.used > 0)
				buffer_add_byte(&ops->text, '\n');
			buffer_add(&ops->text, text, length);
			room--;
		}
		text += length + 1;
	}
}

/* Is the range a function, and no operation within one? Calls of modules are, as
 * in the stacks that PyTorch makes itself. */
static bool is_function(const struct ops *ops, uint32_t site)
{
	static const char *const others[] = {"cpu_op", "user_annotation",
		"cuda_runtime", "cuda_driver", "module", "optimizer"};
	const char *category = category_of(ops, site);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(category, others[i]) == 0)
			return false;
	return true;
}

/* "file.py(12): f", as PyTorch names functions. */
static void add_function(struct ops *ops, uint32_t site)
{
	const char *file = trace_site_file(ops->trace, site);
	char line[32];

	if (*file != '\0') {
		(void)snprintf(line, sizeof(line),
			"(%" PRIu32 "): ", ops->trace->sites[site].line);
		buffer_add_text(&ops->text, file);
		buffer_add_text(&ops->text, line);
	}
	buffer_add_text(&ops->text, trace_site_name(ops->trace, site));
}

/* The functions that a range directly below the frames is in. */
static uint32_t stack_below(struct ops *ops, const struct ops_track *track)
{
	uint32_t first = track->depth;
	uint32_t stack = 0;

	while (first > 0 && track->frames[first - 1].stack == STRTAB_NONE)
		first--;
	if (first > 0)
		stack = track->frames[first - 1].stack;
	for (uint32_t i = first; i < track->depth; i++) {
		struct ops_frame *frame = &track->frames[i];
		size_t size;
		const char *outer = strtab_text(ops->trace->text, stack, &size);

		if (is_function(ops, frame->site)) {
			ops->text.used = 0;
			add_function(ops, frame->site);
			add_entries(
				ops, outer, size, '\n', ops->options.stack - 1);
			stack = take_text(ops);
		}
		if (stack == STRTAB_NONE)
			return STRTAB_NONE;
		frame->stack = stack;
	}
	return stack;
}

static uint32_t stack_of(struct ops *ops, const struct event *event,
	const struct ops_track *track)
{
	const struct event_arg *arg = ops_find_arg(ops, event, OPS_ARG_STACK);

	if (arg == NULL || arg->kind != ARG_TEXT || arg->value.text.size == 0)
		return stack_below(ops, track);
	ops->text.used = 0;
	add_entries(ops, arg->value.text.bytes, arg->value.text.size, ';',
		ops->options.stack);
	return take_text(ops);
}

static uint32_t category_name(const struct ops *ops, uint32_t site)
{
	uint32_t category = ops->trace->sites[site].category;

	return category != 0 ? category
			     : strtab_add(ops->trace->text, OPS_NO_CATEGORY,
				       strlen(OPS_NO_CATEGORY));
}

/* What a site with these details becomes; mostly what it became the last time.
 */
static uint32_t site_for(struct ops *ops, uint32_t of, uint32_t details)
{
	bool category = ops->options.group == OPS_CATEGORY;
	struct ops_site *last;
	uint32_t name;
	uint32_t site;

	if (details == STRTAB_NONE ||
		!memory_reach(
			&ops->sites, of, &ops->site_room, sizeof(*ops->sites)))
		return TRACE_NONE;
	last = &ops->sites[of];
	if (last->known && last->details == details)
		return last->site;
	name = category ? category_name(ops, of) : ops->trace->sites[of].name;
	site = make_site(ops, of, name, details);
	if (site != TRACE_NONE)
		*last = (struct ops_site){details, site, true};
	return site;
}

/* Torch's names of both ends of a step of an optimizer. */
static bool is_optimizer(const char *name)
{
	return begins_with(name, "Optimizer.step#") ||
	       begins_with(name, "Optimizer.zero_grad#");
}

uint32_t ops_module(struct ops *ops, const struct event *event)
{
	const struct event_arg *arg = ops_find_arg(ops, event, OPS_ARG_MODULE);
	const char *name = trace_site_name(ops->trace, event->site);
	const char *category = category_of(ops, event->site);

	if (begins_with(name, MODULE) && is_frame_of_python(ops, event->site)) {
		name += strlen(MODULE);
		return strtab_add(ops->trace->text, name, strlen(name));
	}
	if (strcmp(category, "module") == 0 ||
		strcmp(category, "optimizer") == 0 ||
		(strcmp(category, "user_annotation") == 0 &&
			is_optimizer(name)))
		return ops->trace->sites[event->site].name;
	if (arg != NULL && arg->kind == ARG_TEXT)
		return strtab_add(ops->trace->text, arg->value.text.bytes,
			arg->value.text.size);
	return 0;
}

uint32_t ops_key(struct ops *ops, const struct event *event,
	const struct ops_track *track)
{
	switch (ops->options.group) {
	case OPS_NAME:
	case OPS_CATEGORY:
		return site_for(ops, event->site, 0);
	case OPS_SHAPE:
		return site_for(ops, event->site, shapes_of(ops, event));
	case OPS_STACK:
		return site_for(ops, event->site, stack_of(ops, event, track));
	default:
		return event->site;
	}
}

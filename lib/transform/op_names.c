/* SPDX-License-Identifier: MIT */
#include "transform/op_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strtab.h"

/* emit_nvtx() writes each of them at most once. "stashed seq" is in its manual:
 * old versions wrote it in the backward pass. */
static const char *const keys[] = {
	"seq", "stashed seq", "op_id", "sizes", "input_op_ids"};
#define KEYS (sizeof(keys) / sizeof(*keys))

/* No number of PyTorch is longer. */
#define DIGITS_MAX 18

struct op_names {
	struct event_source source; /* first: callers hold a pointer to it */
	/* Number of the first sites, none of which is that of an operator with
	 * arguments; TRACE_NONE once there is one. */
	uint32_t other_count;
	uint32_t *plain; /* by site: that of the operator + 1; 0: not seen */
	uint32_t plain_room;
	struct event_arg *args;
	uint32_t arg_room;
};

/* A name's arguments; text is within the name. */
struct op_args {
	uint32_t count;
	const char *keys[KEYS];
	struct event_arg args[KEYS];
};

/* Returns the end of the list that begins here, or of a truncated name. */
static const char *skip_list(const char *at)
{
	unsigned depth = 0;

	for (; *at != '\0'; at++) {
		depth += *at == '[';
		depth -= *at == ']';
		if (depth == 0)
			return at + 1;
	}
	return at;
}

/* Reads a value and returns its end; NULL if there is no value. */
static const char *read_value(const char *at, struct event_arg *arg)
{
	size_t digits = strspn(at + (*at == '-'), "0123456789");
	char *end;

	if (*at == '[') {
		const char *after = skip_list(at);

		arg->kind = ARG_TEXT;
		arg->value.text.bytes = at;
		arg->value.text.size = (size_t)(after - at);
		return after;
	}
	if (digits == 0 || digits > DIGITS_MAX)
		return NULL;
	arg->kind = ARG_INT;
	arg->value.integer = strtoll(at, &end, 10);
	return end;
}

/* Reads ", KEY = VALUE" and returns its end; NULL if it is not that. */
static const char *read_arg(const char *at, struct op_args *args)
{
	for (size_t i = 0; i < KEYS; i++) {
		size_t size = strlen(keys[i]);
		const char *value = at + 2 + size;

		if (strncmp(at, ", ", 2) != 0 ||
			strncmp(at + 2, keys[i], size) != 0)
			continue;
		value += strspn(value, " ");
		if (*value != '=' || args->count == KEYS)
			continue;
		value++;
		value += strspn(value, " ");
		args->keys[args->count] = keys[i];
		return read_value(value, &args->args[args->count++]);
	}
	return NULL;
}

/* Returns the size of the operator's name; 0 if it is another name. */
static size_t split(const char *name, struct op_args *args)
{
	const char *from = strstr(name, ", ");

	while (from != NULL) {
		const char *at = from;

		args->count = 0;
		while (at != NULL && *at != '\0')
			at = read_arg(at, args);
		if (at != NULL)
			return (size_t)(from - name);
		from = strstr(from + 1, ", ");
	}
	return 0;
}

/* Adds the operator's site if the name is one; returns its number, or that of
 * the site itself. TRACE_NONE if out of memory. */
static uint32_t add_plain(struct trace *trace, uint32_t number)
{
	struct trace_site site = trace->sites[number];
	const char *name = trace_site_name(trace, number);
	struct op_args args;
	size_t size = split(name, &args);

	if (size == 0)
		return number;
	site.name = strtab_add(trace->text, name, size);
	return site.name == STRTAB_NONE ? TRACE_NONE
					: trace_add_place(trace, site);
}

/* The same, for a site that is usually known. */
static uint32_t find_plain(struct op_names *names, uint32_t number)
{
	uint32_t plain;

	if (number < names->plain_room && names->plain[number] != 0)
		return names->plain[number] - 1;
	plain = add_plain(names->source.trace, number);
	if (plain == TRACE_NONE ||
		!array_ensure_index(&names->plain, number, &names->plain_room,
			sizeof(*names->plain)))
		return TRACE_NONE;
	names->plain[number] = plain + 1;
	return plain;
}

/* Adds the arguments in the name of a site to the event's own. */
static bool add_args(struct op_names *names, struct event *event, uint32_t site)
{
	struct trace *trace = names->source.trace;
	struct op_args args;

	(void)split(trace_site_name(trace, site), &args);
	if (!array_ensure_index(&names->args, event->arg_count + KEYS,
		    &names->arg_room, sizeof(*names->args)))
		return false;
	for (uint32_t i = 0; i < event->arg_count; i++)
		names->args[i] = event->args[i];
	event->args = names->args;
	for (uint32_t i = 0; i < args.count; i++) {
		args.args[i].key = strtab_add(
			trace->text, args.keys[i], strlen(args.keys[i]));
		if (args.args[i].key == STRTAB_NONE)
			return false;
		names->args[event->arg_count++] = args.args[i];
	}
	return true;
}

static bool has_op(enum event_kind kind)
{
	return kind == EVENT_BEGIN || kind == EVENT_COMPLETE ||
	       kind == EVENT_UNCLIPPED_CALL || kind == EVENT_ASYNC_BEGIN ||
	       kind == EVENT_ASYNC_END || kind == EVENT_INSTANT;
}

/* Is there an operator with arguments among the sites? */
static bool find_ops(struct op_names *names)
{
	const struct trace *trace = names->source.trace;
	struct op_args args;

	while (names->other_count < trace->site_count) {
		if (split(trace_site_name(trace, names->other_count), &args) >
			0)
			names->other_count = TRACE_NONE;
		else
			names->other_count++;
	}
	return names->other_count == TRACE_NONE;
}

/* Not inlined, because most events bypass it. */
static __attribute__((noinline)) enum ctp_status convert(
	struct op_names *names, struct event *event, struct ctp_error *err)
{
	uint32_t site = event->site;

	if (!find_ops(names) || !has_op(event->kind) || site == TRACE_NONE)
		return CTP_OK;
	event->site = find_plain(names, site);
	if (event->site == TRACE_NONE)
		return ctp_no_memory(err);
	if (event->site != site && event->kind != EVENT_ASYNC_END &&
		!names->source.trace->request.skip_args &&
		!add_args(names, event, site))
		return ctp_no_memory(err);
	return CTP_OK;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct op_names *names = (struct op_names *)source;
	enum ctp_status status = source->inner->next(source->inner, event, err);

	if (status != CTP_OK || names->other_count == source->trace->site_count)
		return status;
	return convert(names, event, err);
}

/* Runs are passed on as long as no name is an operator's. */
static void peek_run(struct event_source *source, struct event_run *run)
{
	struct op_names *names = (struct op_names *)source;

	source->inner->peek_run(source->inner, run);
	if (run->count > 0 && names->other_count != source->trace->site_count &&
		find_ops(names))
		run->count = 0;
}

static void take_run(struct event_source *source)
{
	source->inner->take_run(source->inner);
}

static void follow(struct event_source *source, bool on)
{
	source->inner->follow(source->inner, on);
}

static bool is_whole(const struct event_source *source)
{
	return source->inner->is_whole(source->inner);
}

static void close_names(struct event_source *source)
{
	struct op_names *names = (struct op_names *)source;

	source->inner->close(source->inner);
	memory_free(names->plain);
	memory_free(names->args);
	memory_free(names);
}

enum ctp_status op_names_open(struct event_source *inner,
	struct event_source **out, struct ctp_error *err)
{
	struct op_names *names = memory_new_zeroed(1, sizeof(*names));

	if (names == NULL)
		return ctp_no_memory(err);
	event_source_wrap(&names->source, inner, next, close_names);
	if (inner->peek_run != NULL) {
		names->source.peek_run = peek_run;
		names->source.take_run = take_run;
	}
	if (inner->follow != NULL) {
		names->source.follow = follow;
		names->source.is_whole = is_whole;
	}
	*out = &names->source;
	return CTP_OK;
}

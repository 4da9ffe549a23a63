/* SPDX-License-Identifier: MIT */
/*
 * callgrind: the format of KCachegrind, callgrind_annotate and gprof2dot -f
 * callgrind. Costs are whole nanoseconds: gprof2dot stops at a fraction. A
 * profile that was read from callgrind keeps its events and objects instead.
 * Source: Valgrind manual, "Callgrind Format Specification".
 *
 * gprof2dot identifies a function by its name only, so names are labels
 * (label.h), except in a profile with events of its own. Calls without a caller come from a root of our own: gprof2dot
 * finds no time in a recursion that nobody calls. A profile with such events
 * has no root: its costs in these events are unknown. The line of a call is
 * unknown, too; the caller's first line stands for it.
 */
#include "format.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "profiles/callgraph.h"
#include "callgrind/callgrind_read.h"
#include "profiles/label.h"
#include "base/memory.h"
#include "base/utf8.h"

/* callgrind's own word for an unknown file. */
static const char NO_FILE[] = "???";

/* The numbers of the entries in every file; the others come after them. */
enum { ROOT_FILE = 1, ROOT_FUNCTION = 1, FIRST_FUNCTION };

struct callgrind_writer {
	FILE *out;
	const struct profile *profile;
	struct labels labels;
	struct callgraph graph;
	struct strtab *files;   /* printable; [0] is "" */
	uint32_t *file_of;      /* number in `files`, by function */
	bool *file_named;       /* by file: already written in full */
	bool *function_named;   /* likewise, by function */
	struct strtab *objects; /* printable */
	bool *object_named;     /* likewise, by object */
	uint32_t object_room;
	uint32_t object; /* of the last function; 0: none yet */
	bool failed;     /* out of memory */
};

static const struct profile_events *events_of(
	const struct callgrind_writer *writer)
{
	return writer->profile->events;
}

/* The object of a function; "" if unknown. */
static const char *object_of(
	const struct callgrind_writer *writer, uint32_t function)
{
	return events_of(writer) == NULL
		       ? ""
		       : profile_events_object(events_of(writer),
				 writer->profile->functions[function]
					 .use.events);
}

static bool add_files(struct callgrind_writer *writer)
{
	const struct profile *profile = writer->profile;
	struct buffer text = BUFFER_INIT;
	bool ok = strtab_add(writer->files, NO_FILE, strlen(NO_FILE)) ==
		  ROOT_FILE;

	for (uint32_t i = 0; i < profile->function_count && ok; i++) {
		const char *file = profile->functions[i].file;

		text.used = 0;
		/* The reader puts the object in place of an unknown file. */
		if (strcmp(file, object_of(writer, i)) != 0)
			utf8_add_printable(&text, file, strlen(file));
		if (text.used == 0)
			buffer_add_text(&text, NO_FILE);
		if (!text.failed)
			writer->file_of[i] = strtab_add(
				writer->files, (char *)text.bytes, text.used);
		ok = !text.failed && writer->file_of[i] != STRTAB_NONE;
	}
	buffer_clear(&text);
	return ok;
}

/* The first use has the number and the name, later ones the number only. */
static void write_file(
	struct callgrind_writer *writer, const char *key, uint32_t function)
{
	uint32_t file = writer->file_of[function];

	(void)fprintf(writer->out, "%s=(%u)", key, file);
	if (!writer->file_named[file])
		(void)fprintf(writer->out, " %s",
			strtab_text(writer->files, file, NULL));
	(void)putc('\n', writer->out);
	writer->file_named[file] = true;
}

/* A function's name: its label, or as it was read with events. */
static void write_name(struct callgrind_writer *writer, uint32_t function)
{
	const char *name =
		label_name(writer->profile->functions[function].name);
	struct buffer text = BUFFER_INIT;

	(void)putc(' ', writer->out);
	if (events_of(writer) == NULL) {
		(void)fputs(
			labels_text(&writer->labels, function), writer->out);
		return;
	}
	utf8_add_printable(&text, name, strlen(name));
	(void)fwrite(text.bytes, 1, text.used, writer->out);
	writer->failed = writer->failed || text.failed;
	buffer_clear(&text);
}

static void write_function(
	struct callgrind_writer *writer, const char *key, uint32_t function)
{
	(void)fprintf(writer->out, "%s=(%u)", key, function + FIRST_FUNCTION);
	if (!writer->function_named[function])
		write_name(writer, function);
	(void)putc('\n', writer->out);
	writer->function_named[function] = true;
}

/* The number of a function's object in the file; 0 if out of memory. */
static uint32_t find_object(struct callgrind_writer *writer, uint32_t function)
{
	const char *object = object_of(writer, function);
	struct buffer text = BUFFER_INIT;
	uint32_t number = STRTAB_NONE;

	utf8_add_printable(&text, object, strlen(object));
	if (text.used == 0)
		buffer_add_text(&text, NO_FILE);
	if (!text.failed)
		number = strtab_add(
			writer->objects, (char *)text.bytes, text.used);
	buffer_clear(&text);
	if (number != STRTAB_NONE &&
		array_ensure_index(&writer->object_named, number,
			&writer->object_room, sizeof(*writer->object_named)))
		return number;
	writer->failed = true;
	return 0;
}

static void write_object(
	struct callgrind_writer *writer, const char *key, uint32_t object)
{
	(void)fprintf(writer->out, "%s=(%u)", key, object);
	if (!writer->object_named[object])
		(void)fprintf(writer->out, " %s",
			strtab_text(writer->objects, object, NULL));
	(void)putc('\n', writer->out);
	writer->object_named[object] = true;
}

/* The end of a line with costs: those of all events, or the time. `costs` is
 * NULL if all are 0. */
static void write_costs(const struct callgrind_writer *writer,
	const int64_t *costs, uint64_t time_ns)
{
	const struct profile_events *events = events_of(writer);

	if (events == NULL)
		(void)fprintf(writer->out, " %" PRIu64, time_ns);
	else
		for (uint32_t i = 0; i < events->count; i++)
			(void)fprintf(writer->out, " %" PRId64,
				costs == NULL ? 0 : costs[i]);
	(void)putc('\n', writer->out);
}

static const int64_t *costs_of(
	const struct callgrind_writer *writer, uint32_t row)
{
	return events_of(writer) == NULL
		       ? NULL
		       : profile_events_costs(events_of(writer), row);
}

/* Calls from the function named last; its line is `line`. `row` has their
 * costs if there are events. */
static void write_calls(struct callgrind_writer *writer, uint32_t callee,
	uint32_t line, const struct profile_cost *cost, uint32_t row)
{
	if (writer->objects != NULL) {
		uint32_t object = find_object(writer, callee);

		if (object != 0 && object != writer->object)
			write_object(writer, "cob", object);
	}
	write_file(writer, "cfi", callee);
	write_function(writer, "cfn", callee);
	(void)fprintf(writer->out, "calls=%" PRIu64 " %u\n%u", cost->ncalls,
		writer->profile->functions[callee].line, line);
	write_costs(writer, costs_of(writer, row), cost->cumtime_ns);
}

/* The sums of all functions, after "summary" or "totals". */
static void write_totals(struct callgrind_writer *writer, const char *key)
{
	const struct profile *profile = writer->profile;
	int64_t sums[PROFILE_EVENTS_MAX] = {0};

	(void)fprintf(writer->out, "%s:", key);
	if (profile->events == NULL) {
		write_costs(writer, NULL, profile->total_ns);
		return;
	}
	for (uint32_t i = 0; i < profile->function_count; i++)
		profile_events_sum(profile->events,
			profile->functions[i].use.events, sums);
	write_costs(writer, sums, 0);
}

/* The events, after the lines that describe them. */
static void write_events(struct callgrind_writer *writer)
{
	const struct profile_events *events = events_of(writer);

	if (events == NULL) {
		(void)fputs("events: ns\n", writer->out);
		return;
	}
	for (uint32_t i = 0; i < events->definition_count; i++)
		(void)fprintf(writer->out, "event: %s\n",
			strtab_text(
				events->text, events->definitions[i], NULL));
	(void)fputs("events:", writer->out);
	for (uint32_t i = 0; i < events->count; i++)
		(void)fprintf(writer->out, " %s",
			strtab_text(events->text, events->names[i], NULL));
	(void)putc('\n', writer->out);
}

static void write_header(struct callgrind_writer *writer, const char *title)
{
	const char *slash = title == NULL ? NULL : strrchr(title, '/');
	struct buffer name = BUFFER_INIT;

	(void)fputs("# callgrind format\nversion: 1\ncreator: ctprof\n",
		writer->out);
	if (title != NULL) {
		title = slash == NULL ? title : slash + 1;
		utf8_add_printable(&name, title, strlen(title));
		buffer_add_byte(&name, '\0');
		(void)fprintf(writer->out, "cmd: %s\n",
			name.failed ? "" : (char *)name.bytes);
	}
	buffer_clear(&name);
	(void)fputs("positions: line\n", writer->out);
	write_events(writer);
	write_totals(writer, "summary");
}

static void write_root(struct callgrind_writer *writer)
{
	const struct profile *profile = writer->profile;

	(void)fprintf(writer->out, "\nfl=(%d) %s\nfn=(%d) %s\n0 0\n", ROOT_FILE,
		NO_FILE, ROOT_FUNCTION, LABEL_ROOT);
	writer->file_named[ROOT_FILE] = true;
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].root.ncalls != 0)
			write_calls(
				writer, i, 0, &profile->functions[i].root, 0);
}

/* Names the object of the next function if it is another one. */
static void enter_object(struct callgrind_writer *writer, uint32_t function)
{
	uint32_t object =
		writer->objects == NULL ? 0 : find_object(writer, function);

	if (object == 0 || object == writer->object)
		return;
	write_object(writer, "ob", object);
	writer->object = object;
}

static void write_functions(struct callgrind_writer *writer)
{
	const struct profile *profile = writer->profile;
	const struct callgraph *graph = &writer->graph;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		(void)putc('\n', writer->out);
		enter_object(writer, i);
		write_file(writer, "fl", i);
		write_function(writer, "fn", i);
		(void)fprintf(writer->out, "%u", function->line);
		write_costs(writer, costs_of(writer, function->use.events),
			function->cost.tottime_ns);
		for (uint32_t j = graph->out_first[i];
			j < graph->out_first[i + 1]; j++)
			write_calls(writer, graph->out[j]->callee,
				function->line, &graph->out[j]->cost,
				graph->out[j]->events);
	}
}

static bool has_objects(const struct callgrind_writer *writer)
{
	for (uint32_t i = 0; i < writer->profile->function_count; i++)
		if (*object_of(writer, i) != '\0')
			return true;
	return false;
}

static bool prepare(struct callgrind_writer *writer)
{
	size_t count = (size_t)writer->profile->function_count + 2;

	if (has_objects(writer)) {
		writer->objects = strtab_new();
		if (writer->objects == NULL)
			return false;
	}
	writer->files = strtab_new();
	writer->file_of = memory_new(count * sizeof(*writer->file_of));
	writer->file_named =
		memory_new_zeroed(count, sizeof(*writer->file_named));
	writer->function_named =
		memory_new_zeroed(count, sizeof(*writer->function_named));
	return writer->files != NULL && writer->file_of != NULL &&
	       writer->file_named != NULL && writer->function_named != NULL &&
	       add_files(writer);
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	struct callgrind_writer writer = {.out = out, .profile = profile};
	enum ctp_status status;

	status = labels_init(&writer.labels, profile, NULL, err);
	if (status == CTP_OK)
		status = callgraph_init(&writer.graph, profile, err);
	if (status == CTP_OK && !prepare(&writer))
		status = ctp_fail(err, CTP_ERR_NOMEM,
			"out of memory while writing callgrind");
	if (status == CTP_OK) {
		write_header(&writer, options == NULL ? NULL : options->title);
		if (profile->events == NULL)
			write_root(&writer);
		write_functions(&writer);
		(void)putc('\n', out);
		write_totals(&writer, "totals");
		if (writer.failed)
			status = ctp_no_memory(err);
	}
	memory_free(writer.object_named);
	strtab_free(writer.objects);
	memory_free(writer.function_named);
	memory_free(writer.file_named);
	memory_free(writer.file_of);
	strtab_free(writer.files);
	callgraph_clear(&writer.graph);
	labels_clear(&writer.labels);
	return status;
}

const struct format callgrind_format = {
	.name = "callgrind",
	.suffix = ".callgrind",
	.summary = "callgrind profile, for KCachegrind and gprof2dot",
	.probe = callgrind_probe,
	.read_profile = callgrind_read,
	.write_profile = write_profile,
};

/* SPDX-License-Identifier: MIT */
/*
 * callgrind: the format of KCachegrind, callgrind_annotate and gprof2dot -f
 * callgrind. Costs are whole nanoseconds: gprof2dot stops at a fraction.
 * Source: Valgrind manual, "Callgrind Format Specification".
 *
 * gprof2dot identifies a function by its name only, so names are labels
 * (label.h). Calls without a caller come from a root of our own: gprof2dot
 * finds no time in a recursion that nobody calls. The line of a call is
 * unknown; the caller's first line stands for it.
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
	struct strtab *files; /* printable; [0] is "" */
	uint32_t *file_of;    /* number in `files`, by function */
	bool *file_named;     /* by file: already written in full */
	bool *function_named; /* likewise, by function */
};

static bool add_files(struct callgrind_writer *writer)
{
	const struct profile *profile = writer->profile;
	struct buffer text = BUFFER_INIT;
	bool ok = strtab_add(writer->files, NO_FILE, strlen(NO_FILE)) ==
		  ROOT_FILE;

	for (uint32_t i = 0; i < profile->function_count && ok; i++) {
		const char *file = profile->functions[i].file;

		text.used = 0;
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

static void write_function(
	struct callgrind_writer *writer, const char *key, uint32_t function)
{
	(void)fprintf(writer->out, "%s=(%u)", key, function + FIRST_FUNCTION);
	if (!writer->function_named[function])
		(void)fprintf(writer->out, " %s",
			labels_text(&writer->labels, function));
	(void)putc('\n', writer->out);
	writer->function_named[function] = true;
}

/* Calls from the function named last; its line is `line`. */
static void write_calls(struct callgrind_writer *writer, uint32_t callee,
	uint32_t line, const struct profile_cost *cost)
{
	write_file(writer, "cfi", callee);
	write_function(writer, "cfn", callee);
	(void)fprintf(writer->out, "calls=%" PRIu64 " %u\n%u %" PRIu64 "\n",
		cost->ncalls, writer->profile->functions[callee].line, line,
		cost->cumtime_ns);
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
	(void)fprintf(writer->out,
		"positions: line\nevents: ns\nsummary: %" PRIu64 "\n\n",
		writer->profile->total_ns);
}

static void write_root(struct callgrind_writer *writer)
{
	const struct profile *profile = writer->profile;

	(void)fprintf(writer->out, "fl=(%d) %s\nfn=(%d) %s\n0 0\n", ROOT_FILE,
		NO_FILE, ROOT_FUNCTION, LABEL_ROOT);
	writer->file_named[ROOT_FILE] = true;
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].root.ncalls != 0)
			write_calls(writer, i, 0, &profile->functions[i].root);
}

static void write_functions(struct callgrind_writer *writer)
{
	const struct profile *profile = writer->profile;
	const struct callgraph *graph = &writer->graph;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		(void)putc('\n', writer->out);
		write_file(writer, "fl", i);
		write_function(writer, "fn", i);
		(void)fprintf(writer->out, "%u %" PRIu64 "\n", function->line,
			function->cost.tottime_ns);
		for (uint32_t j = graph->out_first[i];
			j < graph->out_first[i + 1]; j++)
			write_calls(writer, graph->out[j]->callee,
				function->line, &graph->out[j]->cost);
	}
}

static bool prepare(struct callgrind_writer *writer)
{
	size_t count = (size_t)writer->profile->function_count + 2;

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
		write_root(&writer);
		write_functions(&writer);
		(void)fprintf(
			out, "\ntotals: %" PRIu64 "\n", profile->total_ns);
	}
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
	.holds_profile = true,
	.probe = callgrind_probe,
	.open_events = callgrind_open,
	.write_profile = write_profile,
};

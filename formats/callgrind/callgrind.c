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

struct callgrind {
	FILE *out;
	const struct profile *profile;
	struct labels labels;
	struct callgraph graph;
	struct strtab *files; /* printable; [0] is "" */
	uint32_t *file_of;    /* number in `files`, by function */
	bool *file_named;     /* by file: already written in full */
	bool *function_named; /* likewise, by function */
};

static bool add_files(struct callgrind *grind)
{
	const struct profile *profile = grind->profile;
	struct buffer text = BUFFER_INIT;
	bool ok =
		strtab_add(grind->files, NO_FILE, strlen(NO_FILE)) == ROOT_FILE;

	for (uint32_t i = 0; i < profile->function_count && ok; i++) {
		const char *file = profile->functions[i].file;

		text.used = 0;
		utf8_add_printable(&text, file, strlen(file));
		if (text.used == 0)
			buffer_add_text(&text, NO_FILE);
		if (!text.failed)
			grind->file_of[i] = strtab_add(
				grind->files, (char *)text.bytes, text.used);
		ok = !text.failed && grind->file_of[i] != STRTAB_NONE;
	}
	buffer_clear(&text);
	return ok;
}

/* The first use has the number and the name, later ones the number only. */
static void put_file(
	struct callgrind *grind, const char *key, uint32_t function)
{
	uint32_t file = grind->file_of[function];

	(void)fprintf(grind->out, "%s=(%u)", key, file);
	if (!grind->file_named[file])
		(void)fprintf(grind->out, " %s",
			strtab_text(grind->files, file, NULL));
	(void)putc('\n', grind->out);
	grind->file_named[file] = true;
}

static void put_function(
	struct callgrind *grind, const char *key, uint32_t function)
{
	(void)fprintf(grind->out, "%s=(%u)", key, function + FIRST_FUNCTION);
	if (!grind->function_named[function])
		(void)fprintf(grind->out, " %s",
			labels_text(&grind->labels, function));
	(void)putc('\n', grind->out);
	grind->function_named[function] = true;
}

/* Calls from the function named last; its line is `line`. */
static void put_calls(struct callgrind *grind, uint32_t callee, uint32_t line,
	const struct profile_cost *cost)
{
	put_file(grind, "cfi", callee);
	put_function(grind, "cfn", callee);
	(void)fprintf(grind->out, "calls=%" PRIu64 " %u\n%u %" PRIu64 "\n",
		cost->ncalls, grind->profile->functions[callee].line, line,
		cost->cumtime_ns);
}

static void put_head(struct callgrind *grind, const char *title)
{
	const char *slash = title == NULL ? NULL : strrchr(title, '/');
	struct buffer name = BUFFER_INIT;

	(void)fputs("# callgrind format\nversion: 1\ncreator: ctprof\n",
		grind->out);
	if (title != NULL) {
		title = slash == NULL ? title : slash + 1;
		utf8_add_printable(&name, title, strlen(title));
		buffer_add_byte(&name, '\0');
		(void)fprintf(grind->out, "cmd: %s\n",
			name.failed ? "" : (char *)name.bytes);
	}
	buffer_clear(&name);
	(void)fprintf(grind->out,
		"positions: line\nevents: ns\nsummary: %" PRIu64 "\n\n",
		grind->profile->total_ns);
}

static void put_root(struct callgrind *grind)
{
	const struct profile *profile = grind->profile;

	(void)fprintf(grind->out, "fl=(%d) %s\nfn=(%d) %s\n0 0\n", ROOT_FILE,
		NO_FILE, ROOT_FUNCTION, LABEL_ROOT);
	grind->file_named[ROOT_FILE] = true;
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].root.ncalls != 0)
			put_calls(grind, i, 0, &profile->functions[i].root);
}

static void put_functions(struct callgrind *grind)
{
	const struct profile *profile = grind->profile;
	const struct callgraph *graph = &grind->graph;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		(void)putc('\n', grind->out);
		put_file(grind, "fl", i);
		put_function(grind, "fn", i);
		(void)fprintf(grind->out, "%u %" PRIu64 "\n", function->line,
			function->cost.tottime_ns);
		for (uint32_t j = graph->out_first[i];
			j < graph->out_first[i + 1]; j++)
			put_calls(grind, graph->out[j]->callee, function->line,
				&graph->out[j]->cost);
	}
}

static bool prepare(struct callgrind *grind)
{
	size_t count = (size_t)grind->profile->function_count + 2;

	grind->files = strtab_new();
	grind->file_of = memory_new(count * sizeof(*grind->file_of));
	grind->file_named =
		memory_new_zeroed(count, sizeof(*grind->file_named));
	grind->function_named =
		memory_new_zeroed(count, sizeof(*grind->function_named));
	return grind->files != NULL && grind->file_of != NULL &&
	       grind->file_named != NULL && grind->function_named != NULL &&
	       add_files(grind);
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	struct callgrind grind = {.out = out, .profile = profile};
	enum ctp_status status;

	status = labels_init(&grind.labels, profile, NULL, err);
	if (status == CTP_OK)
		status = callgraph_init(&grind.graph, profile, err);
	if (status == CTP_OK && !prepare(&grind))
		status = ctp_fail(err, CTP_ERR_NOMEM,
			"out of memory while writing callgrind");
	if (status == CTP_OK) {
		put_head(&grind, options == NULL ? NULL : options->title);
		put_root(&grind);
		put_functions(&grind);
		(void)fprintf(
			out, "\ntotals: %" PRIu64 "\n", profile->total_ns);
	}
	memory_free(grind.function_named);
	memory_free(grind.file_named);
	memory_free(grind.file_of);
	strtab_free(grind.files);
	callgraph_clear(&grind.graph);
	labels_clear(&grind.labels);
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

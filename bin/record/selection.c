/* SPDX-License-Identifier: MIT */
/*
 * A function is recorded if a filter matches it or its module, or there is no
 * filter, and no --exclude matches. The file lists per module the functions
 * that are not recorded, so that an --exclude does not drop functions without a
 * name.
 */
#include "record/selection.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "base/environment.h"
#include "names/function_name.h"
#include "base/memory.h"
#include "record/target_elf.h"
#include "cli/diag.h"
#include "symbols/symbols.h"

#define MODULE_PREFIX "module:"
#define VARIABLE "CTPROF_FUNCTIONS"

bool selection_add(struct selection *selection, const char *text, bool exclude)
{
	size_t prefix = strlen(MODULE_PREFIX);
	bool is_module = strncmp(text, MODULE_PREFIX, prefix) == 0;

	if (!array_reserve(&selection->patterns, selection->count,
		    &selection->room, sizeof(*selection->patterns)))
		return false;
	selection->patterns[selection->count++] = (struct selection_pattern){
		.text = text,
		.glob = text + (is_module ? prefix : 0),
		.is_module = is_module,
		.exclude = exclude,
	};
	return true;
}

/* Whether there are patterns of this kind. */
static bool has_pattern(
	const struct selection *selection, bool is_module, bool exclude)
{
	for (size_t i = 0; i < selection->count; i++)
		if (selection->patterns[i].is_module == is_module &&
			selection->patterns[i].exclude == exclude)
			return true;
	return false;
}

/* The names that a pattern may match; unused ones are NULL. */
struct name_forms {
	const char *names[3];
};

/* Whether a pattern of this kind matches. Marks all that do. */
static bool match_patterns(struct selection *selection, bool is_module,
	bool exclude, const struct name_forms *name_forms)
{
	bool any = false;

	for (size_t i = 0; i < selection->count; i++) {
		struct selection_pattern *pattern = &selection->patterns[i];

		if (pattern->is_module != is_module ||
			pattern->exclude != exclude)
			continue;
		for (int j = 0; j < 3 && name_forms->names[j] != NULL; j++) {
			if (fnmatch(pattern->glob, name_forms->names[j], 0) !=
				0)
				continue;
			pattern->matched = true;
			any = true;
			break;
		}
	}
	return any;
}

/* State of visiting one module. */
struct function_filter {
	struct selection *selection;
	bool all; /* record all that is not excluded */
	uint64_t kept;
	struct buffer excluded; /* lines of offsets */
	struct buffer name;
};

static enum ctp_status visit_function(void *user, uint64_t offset,
	const struct symbols_function *function, struct ctp_error *err)
{
	struct function_filter *filter = user;
	struct name_forms name_forms = {{NULL, function->name, NULL}};
	char line[32];
	bool kept;

	filter->name.used = 0;
	function_name_add_short(
		&filter->name, function->name, strlen(function->name));
	buffer_add_byte(&filter->name, '\0');
	if (filter->name.failed)
		return ctp_no_memory(err);
	name_forms.names[0] = (const char *)filter->name.bytes;
	if (function->mangled[0] != '\0')
		name_forms.names[2] = function->mangled;
	kept = match_patterns(filter->selection, false, false, &name_forms) ||
	       filter->all;
	if (match_patterns(filter->selection, false, true, &name_forms))
		kept = false;
	filter->kept += kept;
	if (!kept) {
		(void)snprintf(line, sizeof(line), "%" PRIx64 "\n", offset);
		buffer_add_text(&filter->excluded, line);
	}
	return CTP_OK;
}

/* Visits all functions of a module. An unreadable library counts as having no
 * names; the program should be readable. */
static int visit_module(
	struct function_filter *filter, const char *path, bool is_program)
{
	struct ctp_error err = {0};
	struct symbols *symbols;
	enum ctp_status status = symbols_open(path, NULL, NULL, &symbols, &err);

	if (status == CTP_OK) {
		status = symbols_foreach(symbols, visit_function, filter, &err);
		symbols_close(symbols);
		if (status == CTP_OK)
			return EXIT_DONE;
		diag_error(path, &err);
		return EXIT_LIMIT;
	}
	if (is_program)
		diag_error(path, &err);
	return status == CTP_ERR_NOMEM ? EXIT_LIMIT : EXIT_DONE;
}

static int add_module(struct selection *selection, const char *path,
	bool is_program, struct buffer *out)
{
	struct name_forms name = {{basename(path), NULL, NULL}};
	bool included = match_patterns(selection, true, false, &name);
	struct function_filter filter = {
		.selection = selection,
		.all = included ||
		       (!has_pattern(selection, false, false) &&
			       !has_pattern(selection, true, false)),
	};
	int status = EXIT_DONE;

	if (match_patterns(selection, true, true, &name) ||
		strchr(path, '\n') != NULL)
		return EXIT_DONE;
	if (has_pattern(selection, false, false) ||
		has_pattern(selection, false, true))
		status = visit_module(&filter, path, is_program);
	/* With a filter, nothing is recorded of modules that are not listed. */
	if (filter.kept != 0 || (filter.all && filter.excluded.used != 0)) {
		buffer_add_text(out, "in ");
		buffer_add_text(out, path);
		buffer_add_text(out, "\n");
		buffer_add(out, filter.excluded.bytes, filter.excluded.used);
	}
	out->failed = out->failed || filter.excluded.failed;
	buffer_clear(&filter.excluded);
	buffer_clear(&filter.name);
	return status;
}

/* Adds the patterns for modules, which also apply to modules loaded later. */
static void add_globs(
	const struct selection *selection, bool exclude, struct buffer *out)
{
	for (size_t i = 0; i < selection->count; i++) {
		const struct selection_pattern *pattern =
			&selection->patterns[i];

		if (!pattern->is_module || pattern->exclude != exclude)
			continue;
		buffer_add_text(out, exclude ? "module - " : "module + ");
		buffer_add_text(out, pattern->glob);
		buffer_add_text(out, "\n");
	}
}

static int write_rules(
	struct selection *selection, const char *path, struct buffer *out)
{
	bool filters = has_pattern(selection, false, false) ||
		       has_pattern(selection, true, false);
	struct target_elf_modules modules;
	int status = target_elf_modules_list(&modules, path);

	buffer_add_text(out, "ctprof-functions 1\ndefault ");
	buffer_add_text(out, filters ? "-\n" : "+\n");
	add_globs(selection, true, out); /* the first match wins */
	add_globs(selection, false, out);
	for (size_t i = 0; status == EXIT_DONE && i < modules.count; i++)
		status = add_module(selection, modules.paths[i], i == 0, out);
	if (status == EXIT_DONE && out->failed) {
		diag("out of memory");
		status = EXIT_LIMIT;
	}
	target_elf_modules_clear(&modules);
	return status;
}

static void diag_unmatched(
	const struct selection *selection, const char *program)
{
	for (size_t i = 0; i < selection->count; i++) {
		const struct selection_pattern *pattern =
			&selection->patterns[i];

		if (!pattern->matched)
			diag("--%s=%s: %s has no such %s",
				pattern->exclude ? "exclude" : "filter",
				pattern->text, program,
				pattern->is_module ? "module" : "function");
	}
}

static int write_file(struct selection *selection, const struct buffer *text)
{
	const char *directory = environment_find("TMPDIR");
	FILE *out;
	bool wrote;
	int fd;

	if (directory == NULL || directory[0] == '\0')
		directory = "/tmp";
	if (asprintf(&selection->file, "%s/ctprof-functions.XXXXXX",
		    directory) < 0) {
		selection->file = NULL;
		diag("out of memory");
		return EXIT_LIMIT;
	}
	fd = mkostemp(selection->file, O_CLOEXEC);
	if (fd < 0) {
		diag("%s: cannot create: %s", selection->file, strerror(errno));
		free(selection->file);
		selection->file = NULL;
		return EXIT_OUTPUT;
	}
	out = fdopen(fd, "w");
	wrote = out != NULL &&
		fwrite(text->bytes, 1, text->used, out) == text->used;
	wrote = (out == NULL ? close(fd) : fclose(out)) == 0 && wrote;
	if (wrote && setenv(VARIABLE, selection->file, 1) == 0)
		return EXIT_DONE;
	diag("%s: cannot write: %s", selection->file, strerror(errno));
	return EXIT_OUTPUT;
}

int selection_apply(struct selection *selection, const char *program)
{
	struct buffer text = BUFFER_INIT;
	char *path;
	int status;

	if (selection->count == 0)
		return EXIT_DONE;
	path = target_elf_find(program);
	if (path == NULL) /* the error is reported when it is run */
		return EXIT_DONE;
	status = write_rules(selection, path, &text);
	if (status == EXIT_DONE)
		status = write_file(selection, &text);
	if (status == EXIT_DONE)
		diag_unmatched(selection, program);
	buffer_clear(&text);
	free(path);
	return status;
}

void selection_clear(struct selection *selection)
{
	if (selection->file != NULL)
		(void)unlink(selection->file);
	free(selection->file);
	memory_free(selection->patterns);
	*selection = (struct selection){0};
}

/* SPDX-License-Identifier: MIT */
/*
 * The recorder writes logs only. For another format, it writes to a log beside
 * the output, named after it, which is converted at the end. Converting is that
 * of the command.
 */
#include "record/run_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "input/format_names.h"
#include "input/output_path.h"
#include "record/run_logs.h"
#include "base/buffer.h"
#include "cli/output.h"
#include "pack/options.h"
#include "cli/diag.h"

#define COMMAND_WORDS 10

/* The suffixes of all formats that can be written. */
static void add_suffixes(struct buffer *list)
{
	for (const struct format *const *at = formats; *at != NULL; at++) {
		if ((*at)->suffix == NULL || !format_names_can_write(*at))
			continue;
		if (list->used != 0)
			buffer_add_text(list, ", ");
		buffer_add_text(list, (*at)->suffix);
	}
	buffer_add_byte(list, '\0');
}

static int refuse_suffix(const char *path)
{
	struct buffer list = BUFFER_INIT;

	add_suffixes(&list);
	if (list.failed)
		(void)diag_no_memory(path);
	else
		diag("%s: no format that can be written has this suffix; the "
		     "suffixes are %s",
			path, (const char *)list.bytes);
	buffer_clear(&list);
	return EXIT_USAGE;
}

/* A name without a suffix is a log's. */
static bool has_suffix(const char *path)
{
	const char *dot = strrchr(basename(path), '.');

	return dot != NULL && dot != basename(path) && dot[1] != '\0';
}

/* cProfile's users write .prof, which convert leaves to -t. */
static int find_format(const char *path, const struct format **format)
{
	const char *dot = strrchr(path, '.');

	if (dot != NULL && strcmp(dot, ".prof") == 0) {
		*format = &pstats_format;
		return EXIT_DONE;
	}
	return output_path_format(path, format);
}

/* A name with %% instead of %, as in a pattern. */
static char *make_literal(const char *path)
{
	char *literal = strdup(path);
	char *to = literal == NULL ? NULL : basename(literal);

	for (const char *at = to; at != NULL && *at != '\0'; at++) {
		*to++ = *at;
		at += at[0] == '%' && at[1] == '%';
	}
	if (to != NULL)
		*to = '\0';
	return literal;
}

char *run_output_own_log(const struct run_output *output)
{
	char own[OPTIONS_PATH_BYTES];

	if (!output->is_pattern)
		return strdup(output->log);
	return options_expand(own, output->log) ? strdup(own) : NULL;
}

int run_output_init(struct run_output *output)
{
	const char *path = output->path;
	int status = find_format(path, &output->format);

	if (status != EXIT_DONE)
		return status;
	if (output->format == NULL ? has_suffix(path)
				   : !format_names_can_write(output->format))
		return refuse_suffix(path);
	if (output->format == &log_format)
		output->format = NULL;
	output->is_pattern = run_logs_is_pattern(path);
	if (output->is_pattern)
		output->separate = true;
	if (output->separate && output->format != NULL) {
		diag("%s: only logs can be separate; record logs, and use "
		     "'ctprof convert' on each",
			path);
		return EXIT_USAGE;
	}
	if (output->format == NULL) {
		output->log =
			output->is_pattern ? strdup(path) : make_literal(path);
		return output->log == NULL ? diag_no_memory(path) : EXIT_DONE;
	}
	if (asprintf(&output->log, "%s.%ld.ctp", path, (long)getpid()) < 0) {
		output->log = NULL;
		return diag_no_memory(path);
	}
	return output_check(path, output->force);
}

void run_output_clear(struct run_output *output)
{
	free(output->log);
	output->log = NULL;
}

/* argv's words are not const, though nothing writes to them. */
static int add_word(char **argv, int argc, const char *word)
{
	memcpy(&argv[argc], &word, sizeof(word));
	return argc + 1;
}

static int run_convert(const struct run_output *output)
{
	const struct command *command = command_find("convert");
	char *argv[COMMAND_WORDS + 1] = {NULL};
	int argc = 0;

	argc = add_word(argv, argc, "ctprof");
	argc = add_word(argv, argc, "--quiet");
	if (output->force)
		argc = add_word(argv, argc, "--force");
	argc = add_word(argv, argc, "-t");
	argc = add_word(argv, argc, output->format->name);
	argc = add_word(argv, argc, "-o");
	argc = add_word(argv, argc, output->path);
	argc = add_word(argv, argc, "--");
	argc = add_word(argv, argc, output->log);
	return command->run(argc, argv);
}

int run_output_convert(const struct run_output *output)
{
	int status = run_convert(output);

	if (status != EXIT_DONE)
		diag("%s: not written; the log is %s", output->path,
			output->log);
	else
		(void)unlink(output->log);
	return status;
}

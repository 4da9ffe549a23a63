/* SPDX-License-Identifier: MIT */
/*
 * The recorder writes logs only. For another format, it writes to a log beside
 * the output, named after it, which is converted at the end. Merging and
 * converting are those of the commands.
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
#include "base/buffer.h"
#include "cli/output.h"
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
	if (output->format == NULL) {
		output->log = strdup(path);
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

/* The output of a command, and the logs that it reads. */
struct product {
	const char *path;
	const struct format *format;
	bool force;
	char *const *logs;
	size_t log_count;
};

/* argv's words are not const, though nothing writes to them. */
static int add_word(char **argv, int argc, const char *word)
{
	memcpy(&argv[argc], &word, sizeof(word));
	return argc + 1;
}

static int run_command(const char *name, const struct product *product)
{
	const struct command *command = command_find(name);
	char **argv =
		calloc(COMMAND_WORDS + product->log_count + 1, sizeof(*argv));
	int argc = 0;
	int status;

	if (argv == NULL)
		return diag_no_memory(product->path);
	argc = add_word(argv, argc, "ctprof");
	argc = add_word(argv, argc, "--quiet");
	if (product->force)
		argc = add_word(argv, argc, "--force");
	argc = add_word(argv, argc, "-t");
	argc = add_word(argv, argc, product->format->name);
	argc = add_word(argv, argc, "-o");
	argc = add_word(argv, argc, product->path);
	argc = add_word(argv, argc, "--");
	for (size_t i = 0; i < product->log_count; i++)
		argv[argc++] = product->logs[i];
	status = command->run(argc, argv);
	free(argv);
	return status;
}

/* The joined log replaces the first one, and the others are removed. */
static bool replace_logs(
	const char *joined, const char *log, const struct run_logs *logs)
{
	if (rename(joined, log) != 0) {
		diag("%s: cannot be renamed to %s: %s", joined, log,
			strerror(errno));
		return false;
	}
	for (size_t i = 0; i < logs->count; i++)
		if (strcmp(logs->paths[i], log) != 0)
			(void)unlink(logs->paths[i]);
	return true;
}

bool run_output_join(
	const struct run_output *output, const struct run_logs *logs)
{
	char *joined = NULL;
	bool done = false;

	if (logs->count == 1 && strcmp(logs->paths[0], output->log) == 0)
		return true;
	if (asprintf(&joined, "%s.%ld.joined", output->log, (long)getpid()) <
		0) {
		(void)diag_no_memory(output->path);
		return false;
	}
	if (run_command("merge", &(struct product){.path = joined,
					 .format = &log_format,
					 .logs = logs->paths,
					 .log_count = logs->count}) ==
		EXIT_DONE)
		done = replace_logs(joined, output->log, logs);
	if (!done)
		(void)unlink(joined);
	free(joined);
	if (!done)
		diag("%s: the logs of %zu processes are not joined",
			output->log, logs->count);
	return done;
}

int run_output_convert(const struct run_output *output)
{
	int status =
		run_command("convert", &(struct product){.path = output->path,
					       .format = output->format,
					       .force = output->force,
					       .logs = &output->log,
					       .log_count = 1});

	if (status != EXIT_DONE)
		diag("%s: not written; the log is %s", output->path,
			output->log);
	else
		(void)unlink(output->log);
	return status;
}

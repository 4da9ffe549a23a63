/* SPDX-License-Identifier: MIT */
#include "record/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/diag.h"
#include "symbols/symbolize.h"

static int fail(
	const char *path, const char *output, const struct ctp_error *err)
{
	/* Read errors have an offset in the log; write errors do not. */
	bool is_output = err->status == CTP_ERR_IO &&
			 err->offset == ERROR_NO_OFFSET && output != NULL;

	diag_error(is_output ? output : path, err);
	switch (err->status) {
	case CTP_ERR_NOMEM:
	case CTP_ERR_LIMIT:
		return EXIT_LIMIT;
	default:
		return is_output ? EXIT_OUTPUT : EXIT_INPUT;
	}
}

/* Rewrites the log and renames it once it is completely on disk. */
static int write_log(const struct symbolizer *symbolizer, const char *path,
	struct symbolize *symbolize)
{
	bool in_place = symbolizer->output == NULL;
	struct ctp_error err = {0};
	struct output output;
	int status =
		output_open_as(&output, in_place ? path : symbolizer->output,
			in_place || symbolizer->force, &log_format);

	if (status != EXIT_DONE)
		return status;
	if (symbolize_write(symbolize, fileno(output.file), &err) != CTP_OK)
		status = fail(path, output.name, &err);
	/* Only regular files can and need be synchronized. */
	if (status == EXIT_DONE && fsync(fileno(output.file)) != 0 &&
		errno != EINVAL && errno != EROFS) {
		diag("%s: cannot write: %s", output.name, strerror(errno));
		status = EXIT_OUTPUT;
	}
	return exit_worse(status, output_close(&output, status == EXIT_DONE));
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* Prints a line for each module with unnamed functions. */
static void diag_unnamed(const char *path, const struct symbolize *symbolize)
{
	uint64_t lost = symbolize_counts(symbolize).lost;
	const struct symbolize_module *module;

	for (uint32_t i = 0; (module = symbolize_module(symbolize, i)) != NULL;
		i++)
		if (module->unnamed != 0)
			diag("%s: %s: %" PRIu64
			     " function%s without a name: %s",
				path, module->path, module->unnamed,
				plural(module->unnamed),
				module->symbols == NULL
					? module->err.message
					: "has no symbols for them");
	if (lost != 0)
		diag("%s: %" PRIu64 " function%s without a name: the names of "
		     "their modules are lost",
			path, lost, plural(lost));
}

static void report(const struct symbolizer *symbolizer, const char *path,
	const struct symbolize *symbolize)
{
	struct symbolize_counts counts = symbolize_counts(symbolize);

	if (symbolizer->quiet)
		return;
	if (!symbolizer->brief && counts.functions == 0)
		diag("%s: has no functions recorded by address", path);
	else if (!symbolizer->brief)
		diag("%s: %" PRIu64 " of %" PRIu64 " function%s named, %" PRIu64
		     " of them now",
			path, counts.named, counts.functions,
			plural(counts.functions), counts.changed);
	diag_unnamed(path, symbolize);
}

/* A process that appends to the log would not notice that the file was
 * replaced. */
static bool is_finished(const struct symbolize *symbolize)
{
	const char *spool = symbolize_spool(symbolize);

	return spool == NULL || access(spool, F_OK) != 0;
}

static int run(const struct symbolizer *symbolizer, const char *path,
	struct symbolize *symbolize)
{
	struct symbolize_counts counts = symbolize_counts(symbolize);

	if (symbolizer->output != NULL || counts.changed != 0) {
		int status;

		if (!is_finished(symbolize)) {
			if (!symbolizer->brief)
				diag("%s: is still being recorded, or needs "
				     "'ctprof repair' first",
					path);
			return EXIT_INPUT;
		}
		status = write_log(symbolizer, path, symbolize);
		if (status != EXIT_DONE)
			return status;
	}
	if (symbolizer->named != NULL)
		*symbolizer->named = counts.changed;
	report(symbolizer, path, symbolize);
	return symbolizer->strict && counts.named != counts.functions
		       ? EXIT_DAMAGED
		       : EXIT_DONE;
}

int symbolizer_run(const struct symbolizer *symbolizer, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct ctp_error err = {0};
	struct symbolize *symbolize;
	int status;

	if (fd < 0) {
		diag("%s: cannot open: %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	if (symbolize_new(fd, symbolizer->debug_directory, &symbolize, &err) ==
		CTP_OK) {
		status = run(symbolizer, path, symbolize);
		symbolize_free(symbolize);
	} else {
		status = fail(path, NULL, &err);
	}
	(void)close(fd);
	return status;
}

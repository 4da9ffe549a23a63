/* SPDX-License-Identifier: MIT */
#include "record/compressor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/diag.h"
#include "cli/output.h"
#include "recover/compress.h"
#include "recover/recover_log.h"

/* A process that appends to the log would not notice that the file was
 * replaced. */
static int check_finished(const char *path, int fd)
{
	struct recover_origin origin = {0};
	bool complete = false;
	struct ctp_error err;
	enum ctp_status status = recover_log_is_complete(fd, &complete, &err);

	if (status == CTP_OK)
		status = recover_origin_read(fd, &origin, &err);
	if (status != CTP_OK) {
		diag_error(path, &err);
		return status == CTP_ERR_NOMEM ? EXIT_LIMIT : EXIT_INPUT;
	}
	if (complete || origin.spool[0] == '\0' ||
		access(origin.spool, F_OK) != 0)
		return EXIT_DONE;
	diag("%s: is still being recorded, or needs 'ctprof repair' first",
		path);
	return EXIT_NO;
}

static int fail(
	const char *path, const char *output, const struct ctp_error *err)
{
	/* Read errors have an offset in the log; write errors do not. */
	bool is_input =
		err->status == CTP_ERR_FORMAT ||
		(err->status == CTP_ERR_IO && err->offset != ERROR_NO_OFFSET);

	diag_error(is_input ? path : output, err);
	if (err->status == CTP_ERR_NOMEM)
		return EXIT_LIMIT;
	return is_input ? EXIT_INPUT : EXIT_OUTPUT;
}

static void report(const char *path, int before, int after)
{
	struct stat old = {0};
	struct stat new = {0};

	if (fstat(before, &old) == 0 && fstat(after, &new) == 0)
		diag("%s: compressed from %" PRIu64 " to %" PRIu64 " bytes",
			path, (uint64_t)old.st_size, (uint64_t) new.st_size);
}

static int compress_to(const char *path, int fd, bool quiet)
{
	struct ctp_error err = {0};
	struct output output;
	uint64_t blocks = 0;
	int status = output_open_as(&output, path, true, &log_format);

	if (status != EXIT_DONE)
		return status;
	if (compress_log(fd, fileno(output.file), &blocks, &err) != CTP_OK)
		status = fail(path, output.name, &err);
	if (status == EXIT_DONE && blocks > 0 &&
		fsync(fileno(output.file)) != 0 && errno != EINVAL &&
		errno != EROFS) {
		diag("%s: cannot write: %s", output.name, strerror(errno));
		status = EXIT_OUTPUT;
	}
	if (status == EXIT_DONE && blocks > 0 && !quiet)
		report(path, fd, fileno(output.file));
	return exit_worse(status,
		output_close(&output, status == EXIT_DONE && blocks > 0));
}

int compressor_run(const char *path, bool quiet)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int status;

	if (fd < 0) {
		diag("%s: cannot open: %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	status = check_finished(path, fd);
	if (status == EXIT_DONE)
		status = compress_to(path, fd, quiet);
	(void)close(fd);
	return status;
}

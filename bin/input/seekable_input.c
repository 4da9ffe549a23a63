/* SPDX-License-Identifier: MIT */
#include "input/seekable_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "input/input.h"
#include "cli/diag.h"

#define PIECE_BYTES 65536

static enum ctp_status copy(struct temp_file *to, int fd, struct ctp_error *err)
{
	char bytes[PIECE_BYTES];
	enum ctp_status status = CTP_OK;
	ssize_t got = 1;

	while (got > 0 && status == CTP_OK) {
		got = read(fd, bytes, sizeof(bytes));
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			status = ctp_fail(err, CTP_ERR_IO, "cannot read");
		else
			status = temp_file_add(to, bytes, (size_t)got, err);
	}
	return status == CTP_OK ? temp_file_flush(to, err) : status;
}

static int keep_copy(struct seekable_input *seekable, const char *path, int fd)
{
	struct ctp_error err = {0};
	enum ctp_status status = temp_file_open(&seekable->copy, &err);

	if (status == CTP_OK)
		status = copy(&seekable->copy, fd, &err);
	if (status == CTP_OK) {
		(void)snprintf(seekable->path, sizeof(seekable->path),
			"/proc/self/fd/%d", seekable->copy.fd);
		return EXIT_DONE;
	}
	diag_error(input_name(path), &err);
	return status == CTP_ERR_NOMEM ? EXIT_LIMIT : EXIT_INPUT;
}

int seekable_input_init(struct seekable_input *seekable, const char *path)
{
	bool from_stdin = strcmp(path, "-") == 0;
	int fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int status = EXIT_DONE;
	struct stat found;

	*seekable = (struct seekable_input){.copy = TEMP_FILE_NONE};
	/* Who opens it as an input says what is wrong. */
	if (fd < 0)
		return EXIT_DONE;
	if (from_stdin || (fstat(fd, &found) == 0 && S_ISFIFO(found.st_mode)))
		status = keep_copy(seekable, path, fd);
	if (!from_stdin)
		(void)close(fd);
	return status;
}

void seekable_input_clear(struct seekable_input *seekable)
{
	temp_file_close(&seekable->copy);
}

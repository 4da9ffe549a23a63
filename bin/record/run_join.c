/* SPDX-License-Identifier: MIT */
/*
 * A log may hold several recordings, so joining appends bytes and decodes
 * nothing: it takes constant memory for any number of processes, and a run of
 * one process costs nothing. Each log is removed as soon as it has been
 * appended. Therefore the disk needs room for the largest of them only, and
 * there is no moment at which most recordings exist twice.
 */
#include "record/run_join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/diag.h"
#include "recover/recover_log.h"
#include "record/spawn.h"

#define PIECE_BYTES ((size_t)1 << 20)

struct join {
	const char *log;
	int to;
	off_t end; /* of the log */
	char *piece;
	const char *failed; /* the log that was not appended; NULL: none */
	int error;          /* why; 0: a signal */
};

/* Opens a log; -1 if it is not a file. In a directory writable by others, a
 * symbolic link may be a trap. */
static int open_log(const char *path, int flags, struct stat *found)
{
	int fd = open(
		path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (fstat(fd, found) == 0 && S_ISREG(found->st_mode) &&
		found->st_size > 0)
		return fd;
	(void)close(fd);
	return -1;
}

/* Whether nothing will be added to the log any more: its spool is gone, or it
 * had none and has an end. */
static bool is_settled(int fd, struct recover_origin *origin)
{
	bool is_complete = false;

	if (recover_origin_read(fd, origin, NULL) != CTP_OK || !origin->known)
		return false;
	if (origin->spool[0] != '\0')
		return access(origin->spool, F_OK) != 0;
	return recover_log_is_complete(fd, &is_complete, NULL) == CTP_OK &&
	       is_complete;
}

static int write_piece(int to, const char *piece, size_t size)
{
	while (size > 0) {
		ssize_t done = write(to, piece, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return errno;
		piece += done;
		size -= (size_t)done;
	}
	return 0;
}

/* Copies the file to the end of the log; returns its size, or -1 on an error or
 * signal. */
static off_t append(struct join *join, int from)
{
	off_t size = 0;
	ssize_t got;

	while ((got = pread(from, join->piece, PIECE_BYTES, size)) > 0) {
		if (spawn_has_signal())
			return -1;
		join->error = write_piece(join->to, join->piece, (size_t)got);
		if (join->error != 0)
			return -1;
		size += got;
	}
	if (got == 0)
		return size;
	join->error = errno;
	return -1;
}

/* Appends and removes the log; with an error, the joined log ends where it did
 * before. */
static bool take(struct join *join, const char *path, int from)
{
	off_t size = append(join, from);

	if (size >= 0 && unlink(path) == 0) {
		join->end += size;
		return true;
	}
	if (size >= 0)
		join->error = errno;
	join->failed = path;
	if (ftruncate(join->to, join->end) != 0 ||
		lseek(join->to, join->end, SEEK_SET) < 0)
		diag("%s: cannot be truncated to %jd bytes: %s; the rest is "
		     "also in %s",
			join->log, (intmax_t)join->end, strerror(errno), path);
	return false;
}

/* True if the log has been appended. */
static bool add(struct join *join, const char *path)
{
	struct recover_origin origin;
	struct stat found;
	int fd = open_log(path, O_RDONLY, &found);
	bool done;

	if (fd < 0)
		return false;
	/* A user may have chosen such a name for another recording. */
	done = is_settled(fd, &origin) &&
	       (int64_t)origin.pid == run_logs_pid(path, join->log) &&
	       take(join, path, fd);
	(void)close(fd);
	return done;
}

/* The first process may have left no log: then that of another has its name. */
static bool choose_first(struct run_logs *logs, const char *log)
{
	char *copy;

	if (strcmp(logs->paths[0], log) == 0)
		return true;
	copy = strdup(log);
	if (copy == NULL || link(logs->paths[0], log) != 0) {
		free(copy);
		return false;
	}
	(void)unlink(logs->paths[0]);
	free(logs->paths[0]);
	logs->paths[0] = copy;
	return true;
}

static bool open_first(struct join *join)
{
	struct recover_origin origin;
	struct stat found;

	join->to = open_log(join->log, O_RDWR, &found);
	join->piece = malloc(PIECE_BYTES);
	if (join->to < 0 || join->piece == NULL)
		return false;
	join->end = lseek(join->to, 0, SEEK_END);
	return join->end > 0 && is_settled(join->to, &origin) &&
	       lseek(join->to, join->end, SEEK_SET) == join->end;
}

static int report(const struct join *join, size_t left, size_t count)
{
	if (left == 0)
		return EXIT_DONE;
	if (join->failed != NULL && join->error == 0)
		diag("%s: joining was interrupted; the logs of %zu of %zu "
		     "processes are separate, from %s on",
			join->log, left, count, join->failed);
	else if (join->failed != NULL)
		diag("%s: cannot append %s: %s; the logs of %zu of %zu "
		     "processes are separate",
			join->log, join->failed, strerror(join->error), left,
			count);
	else
		diag("%s: %zu of %zu processes have separate logs; 'ctprof "
		     "merge' joins them later",
			join->log, left, count);
	return join->failed == NULL ? EXIT_DONE : EXIT_OUTPUT;
}

int run_join(struct run_logs *logs, const char *log)
{
	struct join join = {.log = log, .to = -1};
	size_t count = logs->count;
	size_t kept = 1;
	bool is_open;

	if (count == 0 || !choose_first(logs, log) || count == 1)
		return EXIT_DONE;
	is_open = open_first(&join);
	for (size_t i = 1; i < count; i++) {
		if (is_open && join.failed == NULL &&
			add(&join, logs->paths[i]))
			free(logs->paths[i]);
		else
			logs->paths[kept++] = logs->paths[i];
	}
	logs->count = kept;
	logs->joined = count - kept + 1;
	if (join.to >= 0)
		(void)close(join.to);
	free(join.piece);
	return report(&join, kept - 1, count);
}

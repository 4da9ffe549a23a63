/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "io/gzip_file.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "cli/quantity.h"
#include "cli/diag.h"

#define TEMPORARY_NAME ".ctprof.XXXXXX"

static const int fatal_signals[] = {
	SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGXCPU};

/* File to remove on a fatal signal; "" if none. */
static char unfinished_path[PATH_MAX];

static void on_fatal_signal(int number)
{
	if (unfinished_path[0] != '\0')
		(void)unlink(unfinished_path);
	/* SA_RESETHAND has removed the handler, so this ends the process with
	 * the signal's status when the handler returns. */
	(void)raise(number);
}

static void catch_signals(void)
{
	struct sigaction action = {
		.sa_handler = on_fatal_signal, .sa_flags = (int)SA_RESETHAND};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(fatal_signals) / sizeof(int); i++)
		if (sigaction(fatal_signals[i], NULL, &old) == 0 &&
			old.sa_handler == SIG_DFL)
			(void)sigaction(fatal_signals[i], &action, NULL);
}

static int fail(const struct output *output, const char *what)
{
	diag("%s: %s: %s", output->name, what,
		errno == 0 ? "a write failed" : strerror(errno));
	return EXIT_OUTPUT;
}

/* Files that are read, by identity: a link is another path to one. */
struct protected_file {
	dev_t device;
	ino_t inode;
	char *path;
};

static struct {
	struct protected_file *items;
	size_t count;
	size_t room;
} protected;

static bool discards;

void output_discard(void)
{
	discards = true;
}

static bool find_regular(const char *path, struct stat *found)
{
	int failed = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, found)
					    : stat(path, found);

	return failed == 0 && S_ISREG(found->st_mode);
}

bool output_protect(const char *path)
{
	struct stat found;
	char *copy;

	if (!find_regular(path, &found))
		return true;
	copy = strdup(path);
	if (copy == NULL ||
		!array_reserve(&protected.items, protected.count,
			&protected.room, sizeof(*protected.items))) {
		free(copy);
		return false;
	}
	protected.items[protected.count++] =
		(struct protected_file){found.st_dev, found.st_ino, copy};
	return true;
}

static bool has_identity(const struct stat *file, dev_t device, ino_t inode)
{
	return file->st_ino == inode && file->st_dev == device;
}

/* A file that has been replaced may have left its number to the output. */
static bool is_protected(const struct stat *output)
{
	struct stat now;

	for (size_t i = 0; i < protected.count; i++)
		if (has_identity(output, protected.items[i].device,
			    protected.items[i].inode) &&
			find_regular(protected.items[i].path, &now) &&
			has_identity(output, now.st_dev, now.st_ino))
			return true;
	return false;
}

static int refuse_existing(const char *path)
{
	diag("%s: exists; --force overwrites it", path);
	return EXIT_OUTPUT;
}

static int refuse_input(const char *path)
{
	diag("%s: is also an input; write to another file", path);
	return EXIT_OUTPUT;
}

/* The descriptor that the path stands for, such as /dev/fd/3, or -1. Reopening
 * such a path would overwrite the file from its start, even after >>. */
static int open_file_of(const char *path)
{
	static const char *const places[] = {"/dev/fd/", "/proc/self/fd/"};

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t size = strlen(places[i]);
		uint32_t number;

		if (strncmp(path, places[i], size) != 0)
			continue;
		if (strcmp(path + size, "0") == 0)
			return 0;
		if (quantity_read_count(path + size, &number) &&
			number <= INT_MAX)
			return (int)number;
	}
	return -1;
}

/* The file at an output's path. */
struct destination {
	struct stat file;
	bool exists;
	bool by_link; /* the path is a symbolic link to the file */
};

/*
 * Other users' links are not followed: in /tmp they could make us replace our
 * own files. Root's links are part of the system, such as /dev/stdout.
 */
static int find_destination(const char *path, struct destination *destination)
{
	*destination = (struct destination){0};
	if (lstat(path, &destination->file) != 0)
		return EXIT_DONE;
	destination->by_link = S_ISLNK(destination->file.st_mode);
	if (destination->by_link && destination->file.st_uid != 0 &&
		destination->file.st_uid != geteuid()) {
		diag("%s: is a symbolic link of another user and is not "
		     "followed; remove it, or write to another file",
			path);
		return EXIT_OUTPUT;
	}
	destination->exists =
		!destination->by_link || stat(path, &destination->file) == 0;
	return EXIT_DONE;
}

/* Whether it has no content to replace, such as a pipe or device. */
static bool is_direct(const char *path, const struct destination *destination)
{
	return !S_ISREG(destination->file.st_mode) || open_file_of(path) >= 0;
}

/* Checks whether the regular file may be replaced. */
static int check_replace(
	const char *path, const struct destination *destination, bool force)
{
	if (is_protected(&destination->file))
		return refuse_input(path);
	return force ? EXIT_DONE : refuse_existing(path);
}

int output_check(const char *path, bool force)
{
	struct destination destination;
	int status = find_destination(path, &destination);

	if (status != EXIT_DONE || !destination.exists ||
		is_direct(path, &destination))
		return status;
	return check_replace(path, &destination, force);
}

/* Whether the open file is the one that was checked: it may have been replaced
 * by a link meanwhile. */
static bool is_same(int fd, const struct destination *destination)
{
	struct stat found;

	return fstat(fd, &found) == 0 &&
	       found.st_dev == destination->file.st_dev &&
	       found.st_ino == destination->file.st_ino &&
	       !S_ISREG(found.st_mode);
}

/* Without O_TRUNC and O_CREAT: it exists and has no content. */
static int open_direct(struct output *output, const char *path,
	const struct destination *destination)
{
	int number = open_file_of(path);
	int follow = destination->by_link ? 0 : O_NOFOLLOW;
	int fd = number >= 0
			 ? fcntl(number, F_DUPFD_CLOEXEC, 0)
			 : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | follow);

	if (fd >= 0 && number < 0 && !is_same(fd, destination)) {
		(void)close(fd);
		diag("%s: was replaced while it was being opened; try again",
			path);
		return EXIT_OUTPUT;
	}
	if (fd >= 0)
		output->file = fdopen(fd, "w");
	if (output->file == NULL) {
		int status = fail(output, "cannot open");

		if (fd >= 0)
			(void)close(fd);
		return status;
	}
	pipe_widen(fd);
	return EXIT_DONE;
}

/* The temporary name for `path`; NULL if out of memory. */
static char *temporary_name(const char *path)
{
	const char *base = strrchr(path, '/');
	int directory = base == NULL ? 0 : (int)(base + 1 - path);
	char *name = NULL;

	if (asprintf(&name, "%.*s" TEMPORARY_NAME, directory, path) < 0)
		return NULL;
	return name;
}

/* Creates the file with signals blocked until its name is recorded for
 * removal. */
static int make_temporary(char *name)
{
	sigset_t all;
	sigset_t old;
	int fd;
	int error;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &old);
	fd = mkostemp(name, O_CLOEXEC);
	error = errno;
	if (fd >= 0)
		strcpy(unfinished_path, name);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return fd;
}

static int open_temporary(struct output *output, mode_t mode)
{
	int fd;

	output->temporary = temporary_name(output->path);
	if (output->temporary == NULL ||
		strlen(output->temporary) >= sizeof(unfinished_path)) {
		errno = output->temporary == NULL ? ENOMEM : ENAMETOOLONG;
		return fail(output, "cannot create");
	}
	catch_signals();
	fd = make_temporary(output->temporary);
	if (fd < 0)
		return fail(output, "cannot create");
	(void)fchmod(fd, mode);
	output->file = fdopen(fd, "w");
	if (output->file == NULL) {
		(void)close(fd);
		return fail(output, "cannot create");
	}
	return EXIT_DONE;
}

/* The mode of a replaced file is kept if we own it, except its set-user-ID,
 * set-group-ID and sticky bits. */
static mode_t mode_for(const struct destination *destination)
{
	mode_t mask;

	if (destination->exists && destination->file.st_uid == geteuid())
		return destination->file.st_mode & 0777;
	mask = umask(0);
	(void)umask(mask);
	return 0666 & ~mask;
}

static int open_path(struct output *output, const char *path)
{
	struct destination destination;
	int status = find_destination(path, &destination);

	if (status != EXIT_DONE)
		return status;
	if (destination.exists && S_ISDIR(destination.file.st_mode)) {
		errno = EISDIR;
		return fail(output, "cannot write");
	}
	if (destination.exists && is_direct(path, &destination))
		return open_direct(output, path, &destination);
	if (destination.exists)
		status = check_replace(path, &destination, output->force);
	if (status != EXIT_DONE)
		return status;
	/* Replace the target of a link, not the link. */
	output->path = destination.exists && destination.by_link
			       ? realpath(path, NULL)
			       : strdup(path);
	if (output->path == NULL)
		return fail(output, "cannot create");
	return open_temporary(output, mode_for(&destination));
}

static void clear_output(struct output *output)
{
	unfinished_path[0] = '\0';
	free(output->temporary);
	free(output->path);
	*output = (struct output){.name = output->name};
}

static int open_plain(
	struct output *output, const char *path, bool force, bool binary)
{
	int status;

	*output = (struct output){.name = path, .force = force};
	if (path == NULL || strcmp(path, "-") == 0) {
		output->name = "standard output";
		output->file = stdout;
		if (path == NULL && binary && isatty(STDOUT_FILENO)) {
			diag("not writing a binary format to a terminal; use "
			     "-o FILE, or -o - to write it anyway");
			return EXIT_OUTPUT;
		}
		pipe_widen(STDOUT_FILENO);
		return EXIT_DONE;
	}
	status = open_path(output, discards ? "/dev/null" : path);
	if (status != EXIT_DONE) {
		if (unfinished_path[0] != '\0')
			(void)unlink(unfinished_path);
		clear_output(output);
	}
	return status;
}

/* Compresses the output from here on. */
static int start_compression(struct output *output)
{
	FILE *plain = gzip_file_open(output->file);

	if (plain == NULL) {
		diag_no_memory(output->name);
		(void)output_close(output, false);
		return EXIT_LIMIT;
	}
	output->packed = output->file;
	output->file = plain;
	return EXIT_DONE;
}

/* Only one thread writes an output. Without this, each call of stdio would lock
 * it as soon as a reader has a thread. */
static int omit_locks(const struct output *output, int status)
{
	if (status == EXIT_DONE)
		(void)__fsetlocking(output->file, FSETLOCKING_BYCALLER);
	return status;
}

int output_open(
	struct output *output, const char *path, bool force, bool binary)
{
	size_t size = path == NULL ? 0 : strlen(path);
	int status = open_plain(output, path, force, binary);

	if (status == EXIT_DONE && size >= 3 &&
		strcmp(path + size - 3, ".gz") == 0)
		status = start_compression(output);
	return omit_locks(output, status);
}

int output_open_as(struct output *output, const char *path, bool force,
	const struct format *format)
{
	return format->packed
		       ? omit_locks(output, open_plain(output, path, force,
						    format->binary))
		       : output_open(output, path, force, format->binary);
}

int output_try(const char *path, bool force)
{
	struct destination destination;
	struct output output;
	int status;

	if (path == NULL || strcmp(path, "-") == 0 || discards)
		return EXIT_DONE;
	status = find_destination(path, &destination);
	if (status != EXIT_DONE)
		return status;
	if (destination.exists && !S_ISDIR(destination.file.st_mode) &&
		is_direct(path, &destination))
		return EXIT_DONE;
	status = open_plain(&output, path, force, false);
	return status == EXIT_DONE ? output_close(&output, false) : status;
}

/* Finishes the compressed output; false if that failed. */
static bool finish_compression(struct output *output)
{
	bool done;

	if (output->packed == NULL)
		return true;
	done = fclose(output->file) == 0;
	output->file = output->packed;
	output->packed = NULL;
	return done;
}

/* Without --force, a file created meanwhile is kept. */
static int rename_temporary(struct output *output)
{
	unsigned flags = output->force ? 0 : RENAME_NOREPLACE;
	int failed = renameat2(
		AT_FDCWD, output->temporary, AT_FDCWD, output->path, flags);

	/* Some file systems support no flags; rely on the earlier check. */
	if (failed != 0 && (errno == EINVAL || errno == ENOSYS) && flags != 0)
		failed = rename(output->temporary, output->path);
	if (failed == 0)
		return EXIT_DONE;
	return errno == EEXIST ? refuse_existing(output->name)
			       : fail(output, "cannot rename the new file");
}

int output_close(struct output *output, bool keep)
{
	int status = EXIT_DONE;
	bool wrote;

	errno = 0; /* stale: the failed write may be long ago */
	wrote = finish_compression(output);
	wrote = fflush(output->file) == 0 && !ferror(output->file) && wrote;
	if (!wrote && keep)
		status = fail(output, "cannot write");
	if (output->file != stdout && fclose(output->file) != 0 &&
		status == EXIT_DONE && keep)
		status = fail(output, "cannot write");
	if (output->temporary != NULL) {
		if (keep && status == EXIT_DONE)
			status = rename_temporary(output);
		if (!keep || status != EXIT_DONE)
			(void)unlink(output->temporary);
	}
	clear_output(output);
	return status;
}

int output_finish_stdout(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_DONE;
	diag("standard output: cannot write: %s", strerror(errno));
	return EXIT_OUTPUT;
}

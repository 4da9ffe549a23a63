/* SPDX-License-Identifier: MIT */
/*
 * svg: the call graph as a picture, made by gprof2dot from a pstats file and
 * drawn by graphviz's dot. Source: shared spec 01, "Picture", with the command:
 *	gprof2dot -f pstats --node-label=total-time-percentage
 *		--node-label=self-time-percentage --node-label=total-time FILE |
 *		dot -Tsvg
 *
 * GPROF2DOT and DOT in the environment name the programs if they are not in the
 * PATH under these names.
 *
 * Pictures have to fit a page: --node-thres leaves about 60 functions, --wrap
 * breaks long names, and dot's "size" scales the rest.
 *
 * gprof2dot reads pstats only from a named file, so we make a temporary one in
 * TMPDIR. The picture is collected in memory, so that nothing is written if
 * either program fails.
 */
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/environment.h"
#include "base/memory.h"
#include "pstats/pstats.h"
#include "base/utf8.h"
#include "io/amount.h"

#define NO_FD (-1)
#define MAX_COMPLAINT 120
#define MAX_NODES 60u
#define MIN_SHARE 50u /* hundredths of a percent, as in gprof2dot */

extern char **environ;

static const char PATTERN[] = "/ctprof-XXXXXX";

/* A program of the pipeline, its messages and its exit status. */
struct child {
	const char *program; /* its name for people */
	const char *path;    /* what is started */
	const char *install; /* advice if it is missing */
	pid_t pid;           /* 0: not running */
	int status;          /* as from waitpid() */
	int errors;          /* an unnamed file for its stderr */
};

static void close_fd(int *fd)
{
	if (*fd != NO_FD)
		(void)close(*fd);
	*fd = NO_FD;
}

static const char *program_path(const char *variable, const char *program)
{
	const char *path = environment_find(variable);

	return path == NULL || path[0] == '\0' ? program : path;
}

/* Makes a file in TMPDIR; the caller frees its name, `path`. */
static int open_temporary(char **path)
{
	const char *directory = environment_find("TMPDIR");
	size_t size;
	int fd;

	if (directory == NULL || directory[0] == '\0')
		directory = P_tmpdir;
	size = strlen(directory) + sizeof(PATTERN);
	*path = memory_new(size);
	if (*path == NULL)
		return NO_FD;
	(void)snprintf(*path, size, "%s%s", directory, PATTERN);
	fd = mkostemp(*path, O_CLOEXEC);
	if (fd < 0) {
		memory_free(*path);
		*path = NULL;
		return NO_FD;
	}
	return fd;
}

/* A file without a name. */
static int open_nameless(void)
{
	char *path;
	int fd = open_temporary(&path);

	if (fd != NO_FD)
		(void)unlink(path);
	memory_free(path);
	return fd;
}

/* The last line of the program's stderr, printable and short. */
static void add_complaint(struct buffer *out, int errors)
{
	char bytes[1024];
	off_t size = lseek(errors, 0, SEEK_END);
	off_t from =
		size > (off_t)sizeof(bytes) ? size - (off_t)sizeof(bytes) : 0;
	ssize_t got = pread(errors, bytes, sizeof(bytes), from);
	size_t end = got < 0 ? 0 : (size_t)got;
	size_t start;

	while (end > 0 && (bytes[end - 1] == '\n' || bytes[end - 1] == '\r'))
		end--;
	for (start = end; start > 0 && bytes[start - 1] != '\n'; start--)
		;
	if (end - start > MAX_COMPLAINT)
		end = start + MAX_COMPLAINT;
	utf8_add_printable(out, bytes + start, end - start);
	buffer_add_byte(out, '\0');
}

static bool has_failed(const struct child *child)
{
	return !WIFEXITED(child->status) || WEXITSTATUS(child->status) != 0;
}

/* Did it fail only because nobody read its output? */
static bool was_unread(const struct child *child)
{
	struct buffer text = BUFFER_INIT;
	bool unread;

	if (WIFSIGNALED(child->status))
		return WTERMSIG(child->status) == SIGPIPE;
	add_complaint(&text, child->errors);
	unread = !text.failed &&
		 strcasestr((char *)text.bytes, "broken") != NULL;
	buffer_clear(&text);
	return unread;
}

static enum ctp_status fail_child(
	const struct child *child, struct ctp_error *err)
{
	struct buffer text = BUFFER_INIT;
	const char *how = "with status";
	int number = WEXITSTATUS(child->status);

	if (WIFSIGNALED(child->status)) {
		how = "on signal";
		number = WTERMSIG(child->status);
	}
	add_complaint(&text, child->errors);
	errno = 0;
	(void)ctp_fail(err, CTP_ERR_IO, "%s failed %s %d: %s (%s)",
		child->program, how, number,
		text.failed || text.used == 1 ? "no message"
					      : (char *)text.bytes,
		child->install);
	buffer_clear(&text);
	return CTP_ERR_IO;
}

/*
 * Starts a program with these two files; it inherits no others. Its arguments
 * are not const for historical reasons only: POSIX says that posix_spawn() does
 * not modify them.
 */
static enum ctp_status start(struct child *child, char *const arguments[],
	int in, int out, struct ctp_error *err)
{
	posix_spawn_file_actions_t actions;
	int error;

	if (environment_is_refused())
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"a set-user-ID program must not run %s",
			child->program);
	child->errors = open_nameless();
	if (child->errors == NO_FD)
		return ctp_fail(
			err, CTP_ERR_IO, "cannot create a temporary file");
	error = posix_spawn_file_actions_init(&actions);
	if (error != 0) {
		errno = error;
		return ctp_fail(
			err, CTP_ERR_IO, "cannot run %s", child->program);
	}
	error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(
			&actions, out, STDOUT_FILENO);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(
			&actions, child->errors, STDERR_FILENO);
	if (error == 0)
		error = posix_spawnp(&child->pid, child->path, &actions, NULL,
			arguments, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (error == 0)
		return CTP_OK;
	child->pid = 0;
	errno = error;
	return ctp_fail(err, CTP_ERR_IO, "cannot run %s (%s)", child->program,
		child->install);
}

/* Waits for a program that was started. */
static void finish(struct child *child)
{
	pid_t done = 0;

	if (child->pid != 0)
		do
			done = waitpid(child->pid, &child->status, 0);
		while (done < 0 && errno == EINTR);
	/* If SIGCHLD is ignored there is no status; check the output
	 * instead. */
	if (done < 0)
		child->status = 0;
	child->pid = 0;
}

/* The two programs, the pipe between them, and the pipe from the second. */
struct pipeline {
	struct child gprof2dot;
	struct child dot;
	int graph[2];
	int picture[2];
};

/* The least share of a drawn function, in hundredths of a percent. Functions
 * with the same share are all drawn or all left out. */
static uint32_t least_share(const struct profile *profile)
{
	const struct profile_function *functions = profile->functions;
	uint32_t most;
	uint32_t next;

	if (profile->function_count <= MAX_NODES)
		return MIN_SHARE;
	most = amount_share(functions[0].cost.cumtime_ns, profile->total_ns);
	next = amount_share(
		functions[MAX_NODES].cost.cumtime_ns, profile->total_ns);
	next += next < most;
	return next > MIN_SHARE ? next : MIN_SHARE;
}

static enum ctp_status start_gprof2dot(struct pipeline *line, const char *file,
	uint32_t least, struct ctp_error *err)
{
	struct child *child = &line->gprof2dot;
	char threshold[sizeof("--node-thres=") + AMOUNT_TEXT];
	char number[AMOUNT_TEXT];
	char *arguments[] = {(char *)(uintptr_t)child->path, (char[]){"-f"},
		(char[]){"pstats"},
		(char[]){"--node-label=total-time-percentage"},
		(char[]){"--node-label=self-time-percentage"},
		(char[]){"--node-label=total-time"}, (char[]){"--wrap"},
		threshold, (char *)(uintptr_t)file, NULL};
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	enum ctp_status status;

	if (in < 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot open /dev/null");
	(void)snprintf(threshold, sizeof(threshold), "--node-thres=%s",
		amount_hundredths(number, least));
	status = start(child, arguments, in, line->graph[1], err);
	close_fd(&in);
	return status;
}

static enum ctp_status start_dot(
	struct child *child, int in, int out, struct ctp_error *err)
{
	char *arguments[] = {(char *)(uintptr_t)child->path, (char[]){"-Tsvg"},
		(char[]){"-Gsize=16,11"}, NULL};

	return start(child, arguments, in, out, err);
}

static void read_all(int fd, struct buffer *out)
{
	char bytes[16384];
	ssize_t got;

	do {
		got = read(fd, bytes, sizeof(bytes));
		if (got > 0)
			buffer_add(out, bytes, (size_t)got);
	} while (got > 0 || (got < 0 && errno == EINTR));
}

static enum ctp_status run_pipeline(struct pipeline *line, const char *file,
	uint32_t least, struct buffer *svg, struct ctp_error *err)
{
	enum ctp_status status;

	if (pipe2(line->graph, O_CLOEXEC) != 0 ||
		pipe2(line->picture, O_CLOEXEC) != 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot create a pipe");
	status = start_gprof2dot(line, file, least, err);
	if (status == CTP_OK)
		status = start_dot(
			&line->dot, line->graph[0], line->picture[1], err);
	/* Each program must see the end of its input, so we keep neither end
	 * open. */
	close_fd(&line->graph[0]);
	close_fd(&line->graph[1]);
	close_fd(&line->picture[1]);
	if (status == CTP_OK)
		read_all(line->picture[0], svg);
	close_fd(&line->picture[0]);
	finish(&line->gprof2dot);
	finish(&line->dot);
	return status;
}

static enum ctp_status check_picture(const struct pipeline *line,
	const struct buffer *svg, struct ctp_error *err)
{
	bool dot_failed = has_failed(&line->dot);

	if (has_failed(&line->gprof2dot) &&
		!(dot_failed && was_unread(&line->gprof2dot)))
		return fail_child(&line->gprof2dot, err);
	if (dot_failed)
		return fail_child(&line->dot, err);
	if (svg->failed)
		return ctp_fail(err, CTP_ERR_NOMEM,
			"out of memory while reading the picture");
	errno = 0;
	if (svg->used == 0 || memmem(svg->bytes, svg->used, "<svg", 4) == NULL)
		return ctp_fail(err, CTP_ERR_IO,
			"%s wrote no picture from the output of %s, although "
			"neither failed (%s; %s)",
			line->dot.program, line->gprof2dot.program,
			line->dot.install, line->gprof2dot.install);
	return CTP_OK;
}

static enum ctp_status make_picture(const char *file, uint32_t least,
	struct buffer *svg, struct ctp_error *err)
{
	struct pipeline line = {
		.gprof2dot = {.program = "gprof2dot",
			.path = program_path("GPROF2DOT", "gprof2dot"),
			.install = "pip install gprof2dot; "
				   "--to dot needs no gprof2dot",
			.errors = NO_FD},
		.dot = {.program = "dot",
			.path = program_path("DOT", "dot"),
			.install = "apt-get install graphviz",
			.errors = NO_FD},
		.graph = {NO_FD, NO_FD},
		.picture = {NO_FD, NO_FD},
	};
	enum ctp_status status = run_pipeline(&line, file, least, svg, err);

	if (status == CTP_OK)
		status = check_picture(&line, svg, err);
	close_fd(&line.graph[0]);
	close_fd(&line.graph[1]);
	close_fd(&line.gprof2dot.errors);
	close_fd(&line.dot.errors);
	return status;
}

/* Writes the profile into the file, and closes it. */
static enum ctp_status save_profile(
	int fd, const struct profile *profile, struct ctp_error *err)
{
	FILE *file = fdopen(fd, "wb");
	enum ctp_status status;
	bool failed;

	if (file == NULL) {
		close_fd(&fd);
		return ctp_fail(
			err, CTP_ERR_IO, "cannot open a temporary file");
	}
	status = pstats_write(file, profile, true, err);
	failed = ferror(file) != 0;
	if ((fclose(file) != 0 || failed) && status == CTP_OK)
		status = ctp_fail(
			err, CTP_ERR_IO, "cannot write a temporary file");
	return status;
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	struct buffer svg = BUFFER_INIT;
	char *path;
	int fd = open_temporary(&path);
	enum ctp_status status;

	(void)options;
	if (fd == NO_FD)
		return ctp_fail(err, CTP_ERR_IO,
			"cannot create a temporary file (TMPDIR)");
	status = save_profile(fd, profile, err);
	if (status == CTP_OK)
		status = make_picture(path, least_share(profile), &svg, err);
	(void)unlink(path);
	if (status == CTP_OK)
		(void)fwrite(svg.bytes, 1, svg.used, out);
	buffer_clear(&svg);
	memory_free(path);
	return status;
}

const struct format svg_format = {
	.name = "svg",
	.suffix = ".svg",
	.summary = "call graph as a picture, by gprof2dot and graphviz",
	.write_profile = write_profile,
};

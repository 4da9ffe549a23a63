/* SPDX-License-Identifier: MIT */
#include "record/attach_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/environment.h"
#include "cli/command.h"
#include "cli/diag.h"

#define START "start.py"
#define STOP "stop.py"
#define PIPE "answers"

/* The environment's settings of the recorder, those of our options included. */
static const char *const settings[] = {"CTPROF_BUFFER", "CTPROF_BUFFER_MAX",
	"CTPROF_CLOCK", "CTPROF_DUMP_SIGNAL", "CTPROF_LAST", "CTPROF_LEVEL",
	"CTPROF_MIN_NS", "CTPROF_NO_COMMAND", "CTPROF_POLICY", "CTPROF_SPOOL"};

/* Adds the bytes as Python writes them: b'...'. */
static void add_literal(struct buffer *script, const char *text, size_t size)
{
	char hex[8];

	buffer_add_text(script, "b'");
	for (size_t i = 0; i < size; i++) {
		(void)snprintf(hex, sizeof(hex), "\\x%02x",
			(unsigned)(unsigned char)text[i]);
		buffer_add_text(script, hex);
	}
	buffer_add_text(script, "'");
}

static void add_item(struct buffer *script, const char *name, const char *text)
{
	buffer_add_text(script, "  '");
	buffer_add_text(script, name);
	buffer_add_text(script, "': ");
	if (text == NULL)
		buffer_add_text(script, "None");
	else
		add_literal(script, text, strlen(text));
	buffer_add_text(script, ",\n");
}

static void add_words(struct buffer *script, const char *words)
{
	buffer_add_text(script, "  'words': [");
	while (*words != '\0') {
		size_t size = strcspn(words, "\n");

		add_literal(script, words, size);
		buffer_add_text(script, ", ");
		words += size + (words[size] == '\n');
	}
	buffer_add_text(script, "],\n");
}

static void add_settings(struct buffer *script)
{
	buffer_add_text(script, "  'settings': {\n");
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const char *value = environment_find(settings[i]);

		if (value != NULL)
			add_item(script, settings[i], value);
	}
	buffer_add_text(script, "  },\n");
}

/* Executes the entry point with what it needs; see python/ctprof/site. */
static void write_start(struct buffer *script, const char *pipe,
	const struct attach_content *content)
{
	char *entry = NULL;

	if (asprintf(&entry, "%s/attach.py", content->site) < 0) {
		script->failed = true;
		return;
	}
	buffer_add_text(script, "job = {\n");
	add_item(script, "pipe", pipe);
	add_item(script, "out", content->out);
	add_item(script, "library", content->recorder);
	add_words(script, content->words);
	add_settings(script);
	buffer_add_text(script, "}\nimport os\npath = os.fsdecode(");
	add_literal(script, entry, strlen(entry));
	buffer_add_text(script,
		")\n"
		"with open(path, 'rb') as file:\n"
		"    code = compile(file.read(), path, 'exec')\n"
		"exec(code, {'__name__': 'ctprof_attach', '__file__': path,\n"
		"    'job': job, 'script': globals()})\n");
	free(entry);
}

/* The tracer recognizes this frame by its first name, ctprof._attach. */
static void write_stop(struct buffer *script, const char *pipe)
{
	buffer_add_text(script, "from ctprof._attach import stop\nstop(");
	add_literal(script, pipe, strlen(pipe));
	buffer_add_text(script, ")\n");
}

/* Gives a new file to the user of the process. */
static bool give(int fd, const struct attach_target *target)
{
	return geteuid() == target->uid ||
	       fchown(fd, target->uid, target->gid) == 0;
}

static bool write_file(const struct attach_files *files, const char *name,
	const struct buffer *script, const struct attach_target *target)
{
	int fd = openat(files->fd, name,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, script->bytes, script->used) ==
		       (ssize_t)script->used &&
	       give(fd, target);
	if (close(fd) != 0)
		done = false;
	return done;
}

/* Open for both, so that the pipe has no end while we live. */
static bool make_pipe(
	struct attach_files *files, const struct attach_target *target)
{
	if (mkfifoat(files->fd, PIPE, 0600) != 0)
		return false;
	files->pipe = openat(
		files->fd, PIPE, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	return files->pipe >= 0 && give(files->pipe, target);
}

static bool write_scripts(struct attach_files *files,
	const struct attach_target *target,
	const struct attach_content *content)
{
	struct buffer start = BUFFER_INIT;
	struct buffer stop = BUFFER_INIT;
	char *pipe = NULL;
	bool done = false;

	if (asprintf(&pipe, "%s/" PIPE, files->directory) < 0 ||
		asprintf(&files->start, "%s/" START, files->directory) < 0 ||
		asprintf(&files->stop, "%s/" STOP, files->directory) < 0) {
		errno = ENOMEM;
		goto end;
	}
	write_start(&start, pipe, content);
	write_stop(&stop, pipe);
	if (start.failed || stop.failed)
		errno = ENOMEM;
	else
		done = write_file(files, START, &start, target) &&
		       write_file(files, STOP, &stop, target);
end:
	buffer_clear(&start);
	buffer_clear(&stop);
	free(pipe);
	return done;
}

int attach_files_make(struct attach_files *files,
	const struct attach_target *target,
	const struct attach_content *content)
{
	const char *parent = environment_find("TMPDIR");

	*files = (struct attach_files){.fd = -1, .pipe = -1};
	if (parent == NULL || parent[0] != '/')
		parent = "/tmp";
	if (asprintf(&files->directory, "%s/ctprof-XXXXXX", parent) < 0) {
		files->directory = NULL;
		return diag_no_memory(NULL);
	}
	if (mkdtemp(files->directory) == NULL) {
		diag("%s: cannot create a directory: %s", parent,
			strerror(errno));
		free(files->directory);
		files->directory = NULL;
		return EXIT_OUTPUT;
	}
	files->fd = open(files->directory,
		O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* The directory comes last: until then, nobody else can enter it. */
	if (files->fd >= 0 && make_pipe(files, target) &&
		write_scripts(files, target, content) &&
		give(files->fd, target))
		return EXIT_DONE;
	diag("%s: %s", files->directory, strerror(errno));
	return EXIT_OUTPUT;
}

bool attach_files_answer(
	const struct attach_files *files, char answer[ATTACH_ANSWER_BYTES])
{
	size_t used = 0;

	/* A line is written at once. */
	while (used < ATTACH_ANSWER_BYTES - 1 &&
		read(files->pipe, answer + used, 1) == 1) {
		if (answer[used] == '\n') {
			answer[used] = '\0';
			return true;
		}
		used++;
	}
	answer[used] = '\0';
	return used > 0;
}

void attach_files_remove(struct attach_files *files, bool keep)
{
	if (files->directory != NULL && !keep) {
		(void)unlinkat(files->fd, START, 0);
		(void)unlinkat(files->fd, STOP, 0);
		(void)unlinkat(files->fd, PIPE, 0);
		(void)rmdir(files->directory);
	}
	if (files->pipe >= 0)
		(void)close(files->pipe);
	if (files->fd >= 0)
		(void)close(files->fd);
	free(files->directory);
	free(files->start);
	free(files->stop);
}

/* SPDX-License-Identifier: MIT */
/*
 * DIR/job has the options and inputs of the job: texts that end with a zero
 * byte, to be compared with those of the job that continues it.
 * DIR/part.ATTEMPT.PROCESS.NUMBER has a magic number; two hashes of 8 bytes in
 * the machine's order: of DIR/job, and of the rest; and the bytes of
 * part_sums.h. Each file is written under another name and renamed.
 */
#include "mpi/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/stable_hash.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "input/aggregate_summary.h"
#include "mpi/part.h"

#define MAGIC "ctpcheck"
#define HEAD_BYTES (sizeof(MAGIC) - 1 + 2 * sizeof(uint64_t))

static void path_of(
	char *path, const struct checkpoint *checkpoint, const char *name)
{
	(void)snprintf(path, PATH_MAX, "%s/%s", checkpoint->directory, name);
}

/* Reports `errno`. */
static int fail(const char *path, const char *what)
{
	diag("%s: %s: %s", path, what, strerror(errno));
	return EXIT_OUTPUT;
}

static bool write_bytes(int fd, const struct buffer *bytes)
{
	for (size_t at = 0; at < bytes->used;) {
		ssize_t done = write(fd, bytes->bytes + at, bytes->used - at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += (size_t)done;
	}
	return fsync(fd) == 0 || errno == EINVAL;
}

static int write_file(const struct checkpoint *checkpoint, const char *name,
	const struct buffer *bytes)
{
	char path[PATH_MAX];
	char temporary[PATH_MAX];
	bool done;
	int fd;

	path_of(path, checkpoint, name);
	path_of(temporary, checkpoint, ".part.XXXXXX");
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return fail(temporary, "cannot create");
	done = write_bytes(fd, bytes);
	done = close(fd) == 0 && done;
	if (done && rename(temporary, path) == 0)
		return EXIT_DONE;
	(void)fail(path, "cannot write");
	(void)unlink(temporary);
	return EXIT_OUTPUT;
}

/* False, with errno 0 if it is not a regular file, or larger than `most`. */
static bool read_file(const char *path, size_t most, struct buffer *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat found;
	bool done = fd >= 0 && fstat(fd, &found) == 0;

	if (done) {
		errno = 0;
		done = S_ISREG(found.st_mode) &&
		       (uint64_t)found.st_size <= most &&
		       buffer_reserve(out, (size_t)found.st_size + 1);
	}
	while (done && out->used < (size_t)found.st_size) {
		ssize_t size = read(fd, out->bytes + out->used,
			(size_t)found.st_size - out->used);

		done = size > 0;
		out->used += done ? (size_t)size : 0;
	}
	if (fd >= 0)
		(void)close(fd);
	return done;
}

/* ---- the job ---- */

static void add_record(struct buffer *out, const char *text)
{
	buffer_add(out, text, strlen(text) + 1);
}

static bool add_options(
	struct buffer *out, const struct aggregate_options *options)
{
	struct summary *described = summary_new();
	bool done = described != NULL && aggregate_describe(described, options);

	for (size_t i = 0; done && i < described->option_count; i++) {
		buffer_add_text(out, described->options[i].key);
		buffer_add_text(out, "=");
		add_record(out, described->options[i].value);
	}
	summary_free(described);
	return done;
}

static void add_input(struct buffer *out, const char *path)
{
	struct stat found = {0};
	char text[96];

	(void)!stat(path, &found);
	buffer_add_text(out, path);
	(void)snprintf(text, sizeof(text), ", %lld bytes, time %lld.%09ld",
		(long long)found.st_size, (long long)found.st_mtim.tv_sec,
		found.st_mtim.tv_nsec);
	add_record(out, text);
}

static bool describe_job(struct buffer *out,
	const struct aggregate_options *options, const struct input_tree *tree)
{
	char text[64];

	add_record(out, "a checkpoint of ctprof-mpi, version 1");
	if (!add_options(out, options))
		return false;
	(void)snprintf(text, sizeof(text), "%zu inputs", tree->count);
	add_record(out, text);
	for (size_t i = 0; i < tree->count; i++)
		add_input(out, tree->files[i].path);
	return !out->failed;
}

/* The text at `at`, which may be beyond the end. */
static const char *record_at(const struct buffer *job, size_t at)
{
	return at < job->used ? (const char *)job->bytes + at : "nothing";
}

/* Reports the first difference. */
static void diag_other_job(const struct checkpoint *checkpoint,
	const struct buffer *own, const struct buffer *other)
{
	size_t begin = 0;

	for (size_t i = 0; i < own->used && i < other->used &&
			   own->bytes[i] == other->bytes[i];
		i++)
		if (own->bytes[i] == '\0')
			begin = i + 1;
	diag("%s: is of another job: it has '%.300s', and this job '%.300s'; "
	     "make a new checkpoint in another directory",
		checkpoint->directory, record_at(other, begin),
		record_at(own, begin));
}

static int check_job(
	const struct checkpoint *checkpoint, const struct buffer *own)
{
	struct buffer other = BUFFER_INIT;
	char path[PATH_MAX];
	int status = EXIT_INPUT;

	path_of(path, checkpoint, "job");
	if (!read_file(path, own->used + PATH_MAX, &other))
		diag("%s: has no checkpoint of this job: %s: %s",
			checkpoint->directory, path,
			errno == 0 ? "is longer than for these inputs"
				   : strerror(errno));
	else if (other.used == own->used &&
		 memcmp(other.bytes, own->bytes, own->used) == 0)
		status = EXIT_DONE;
	else {
		/* It has room for one more. */
		other.bytes[other.used] = '\0';
		diag_other_job(checkpoint, own, &other);
	}
	buffer_clear(&other);
	return status;
}

static int begin(const struct checkpoint *checkpoint, const struct buffer *job)
{
	char path[PATH_MAX];

	if (mkdir(checkpoint->directory, 0777) != 0 && errno != EEXIST)
		return fail(checkpoint->directory, "cannot create");
	path_of(path, checkpoint, "job");
	if (access(path, F_OK) != 0)
		return write_file(checkpoint, "job", job);
	diag("%s: has a checkpoint; --resume continues it",
		checkpoint->directory);
	return EXIT_OUTPUT;
}

/* ---- the parts ---- */

static int choose_part(const struct dirent *entry)
{
	return strncmp(entry->d_name, "part.", strlen("part.")) == 0;
}

struct parts {
	struct dirent **entries;
	int count;
};

/* In the order of their names. */
static int find_parts(struct parts *parts, const struct checkpoint *checkpoint)
{
	parts->count = scandir(
		checkpoint->directory, &parts->entries, choose_part, alphasort);
	return parts->count >= 0 ? EXIT_DONE
				 : fail(checkpoint->directory, "cannot read");
}

static void clear_parts(struct parts *parts)
{
	for (int i = 0; i < parts->count; i++)
		free(parts->entries[i]);
	free(parts->entries);
}

/* One after those of all files. */
static int find_attempt(struct checkpoint *checkpoint)
{
	struct parts parts;
	int status = find_parts(&parts, checkpoint);

	if (status != EXIT_DONE)
		return status;
	for (int i = 0; i < parts.count; i++) {
		uint64_t attempt = strtoull(
			parts.entries[i]->d_name + strlen("part."), NULL, 10);

		if (attempt >= checkpoint->attempt && attempt < INT64_MAX)
			checkpoint->attempt = attempt + 1;
	}
	clear_parts(&parts);
	return EXIT_DONE;
}

int checkpoint_open(struct checkpoint *checkpoint,
	const struct aggregate_options *options, const struct input_tree *tree)
{
	struct buffer job = BUFFER_INIT;
	int status;

	if (strlen(checkpoint->directory) > PATH_MAX - 128) {
		errno = ENAMETOOLONG;
		return fail(checkpoint->directory, "cannot create");
	}
	if (!describe_job(&job, options, tree))
		status = diag_no_memory(checkpoint->directory);
	else if (checkpoint->resumes)
		status = check_job(checkpoint, &job);
	else
		status = begin(checkpoint, &job);
	checkpoint->job = stable_hash(job.bytes, job.used);
	buffer_clear(&job);
	return status == EXIT_DONE ? find_attempt(checkpoint) : status;
}

/* Whether all inputs of the part are missing yet, and each is there once. */
static bool is_new(const struct part_sums *part, bool *done)
{
	size_t i;

	for (i = 0; i < part->file_count && !done[part->files[i].number]; i++)
		done[part->files[i].number] = true;
	if (i == part->file_count)
		return true;
	while (i > 0)
		done[part->files[--i].number] = false;
	return false;
}

static enum ctp_status read_part(const struct checkpoint *checkpoint,
	const struct buffer *file, struct cursor *bytes, struct ctp_error *err)
{
	uint64_t hashes[2];

	cursor_init(bytes, file->bytes, file->used);
	if (file->used < HEAD_BYTES || memcmp(cursor_bytes(bytes, HEAD_BYTES),
					       MAGIC, strlen(MAGIC)) != 0)
		return ctp_fail(err, CTP_ERR_FORMAT, "is not of a checkpoint");
	memcpy(hashes, file->bytes + strlen(MAGIC), sizeof(hashes));
	if (hashes[1] != stable_hash(bytes->at, bytes->left))
		return ctp_fail(err, CTP_ERR_FORMAT, "is damaged");
	if (hashes[0] != checkpoint->job)
		return ctp_fail(err, CTP_ERR_FORMAT, "is of another job");
	return CTP_OK;
}

/* Sums that do not go together are an error of the whole job: their inputs do
 * not, either. */
static int resume_part(const struct checkpoint *checkpoint, const char *name,
	struct aggregate *sums, const struct aggregate_options *options,
	struct input_tree *tree, bool *done)
{
	struct buffer file = BUFFER_INIT;
	struct cursor bytes;
	struct part_sums part = {0};
	struct ctp_error err = {0};
	char path[PATH_MAX];
	int status = EXIT_DONE;

	path_of(path, checkpoint, name);
	if (!read_file(path, SIZE_MAX / 2, &file))
		(void)ctp_fail(&err, CTP_ERR_FORMAT, "cannot be read");
	else if (read_part(checkpoint, &file, &bytes, &err) == CTP_OK &&
		 part_sums_read(&part, bytes, tree->count, &err) == CTP_OK &&
		 !is_new(&part, done))
		(void)ctp_fail(
			&err, CTP_ERR_FORMAT, "has inputs of another part");
	if (err.status == CTP_OK)
		status = part_add(&part, path, sums, options, tree);
	else
		diag("%s: %s: its inputs are read again", path, err.message);
	part_sums_clear(&part);
	buffer_clear(&file);
	return status;
}

int checkpoint_resume(const struct checkpoint *checkpoint,
	struct aggregate *sums, const struct aggregate_options *options,
	struct input_tree *tree, bool *done)
{
	struct parts parts;
	int worst = find_parts(&parts, checkpoint);

	if (worst != EXIT_DONE)
		return worst;
	for (int i = 0; i < parts.count; i++) {
		int status = resume_part(checkpoint, parts.entries[i]->d_name,
			sums, options, tree, done);

		worst = exit_worse(worst, status);
	}
	clear_parts(&parts);
	return worst;
}

void checkpoint_keep(struct checkpoint *checkpoint, unsigned number,
	const struct buffer *part)
{
	const uint64_t hashes[2] = {
		checkpoint->job, stable_hash(part->bytes, part->used)};
	struct buffer bytes = BUFFER_INIT;
	char name[96];

	buffer_add_text(&bytes, MAGIC);
	buffer_add(&bytes, hashes, sizeof(hashes));
	buffer_add(&bytes, part->bytes, part->used);
	(void)snprintf(name, sizeof(name), "part.%" PRIu64 ".%u.%" PRIu64,
		checkpoint->attempt, number, checkpoint->part_count++);
	if (bytes.failed)
		(void)diag_no_memory(checkpoint->directory);
	else
		(void)write_file(checkpoint, name, &bytes);
	buffer_clear(&bytes);
}

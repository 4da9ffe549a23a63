/* SPDX-License-Identifier: MIT */
#include "recover/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ctp_status check_own(int place, struct ctp_error *err)
{
	struct stat found;

	if (fstat(place, &found) != 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot examine it");
	if (S_ISLNK(found.st_mode))
		return ctp_fail(err, CTP_ERR_FORMAT,
			"is a symbolic link and is not followed; give the path "
			"that it leads to");
	if (!S_ISREG(found.st_mode))
		return ctp_fail(err, CTP_ERR_FORMAT, "is not a file");
	if (found.st_uid != geteuid())
		return ctp_fail(err, CTP_ERR_FORMAT, "belongs to another user");
	return CTP_OK;
}

enum ctp_status spool_file_open_own(
	const char *path, int *fd, struct ctp_error *err)
{
	int place = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	enum ctp_status status;
	char again[64];

	if (place < 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot open");
	status = check_own(place, err);
	/* By descriptor: another file may have the name by now. */
	(void)snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	if (status == CTP_OK && (*fd = open(again, O_RDWR | O_CLOEXEC)) < 0) {
		if (errno == ENOENT) /* the file exists, but not /proc */
			errno = ENOSYS;
		status = ctp_fail(err, CTP_ERR_IO, "cannot open");
	}
	(void)close(place);
	return status;
}

static off_t offset_of(uint32_t index)
{
	return (off_t)(((uint64_t)index + 1) * CHUNK_BYTES);
}

/* Reads up to `size` bytes; returns their number, negative on failure. */
static ssize_t read_at(int fd, void *to, size_t size, off_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (char *)to + done, size - done,
			offset + (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static bool is_text(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* Whether these can be the facts of a recording. */
static bool is_sound(const struct spool_header *header, off_t size)
{
	const struct spool_facts *facts = &header->facts;
	uint32_t chunks = atomic_load(&header->chunk_count);

	return chunks > 0 && offset_of(chunks) <= size &&
	       header->clock < SPOOL_CLOCKS &&
	       is_text(header->log_path, sizeof(header->log_path)) &&
	       header->log_path[0] == '/' &&
	       is_text(header->error, sizeof(header->error)) &&
	       is_text(facts->boot_id, sizeof(facts->boot_id)) &&
	       is_text(facts->host, sizeof(facts->host)) &&
	       facts->policy <= CTP_POLICY_DROP && facts->level <= 9 &&
	       facts->command_bytes <= sizeof(facts->command) &&
	       (facts->command_bytes == 0 ||
		       facts->command[facts->command_bytes - 1] == '\0');
}

static enum ctp_status check(
	struct spool_file *file, off_t size, struct ctp_error *err)
{
	static const char nothing[sizeof(file->header.magic)];
	const struct spool_header *header = &file->header;
	size_t magic_bytes = sizeof(header->magic);

	/* The recorder was killed before it filled the file. */
	file->ready = false;
	if (size == 0 || memcmp(header->magic, nothing, magic_bytes) == 0)
		return CTP_OK;
	if (memcmp(header->magic, SPOOL_MAGIC, magic_bytes) != 0)
		return ctp_fail_at(
			err, CTP_ERR_FORMAT, 0, "is not a spool file");
	if (header->version != SPOOL_VERSION)
		return ctp_fail_at(err, CTP_ERR_UNSUPPORTED,
			offsetof(struct spool_header, version),
			"was written by another ctprof (version %u, this is "
			"%d)",
			header->version, SPOOL_VERSION);
	file->ready = atomic_load(&header->ready) != 0;
	if (file->ready && !is_sound(header, size))
		return ctp_fail(err, CTP_ERR_FORMAT,
			"is damaged: its header is invalid");
	if (!is_text(header->error, sizeof(header->error)))
		file->header.error[0] = '\0';
	return CTP_OK;
}

static enum ctp_status read_header(
	struct spool_file *file, struct ctp_error *err)
{
	struct stat found;

	if (fstat(file->fd, &found) != 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot examine it");
	if (flock(file->fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK)
			return ctp_fail(err, CTP_ERR_IO, "cannot be locked");
		file->busy = true;
	}
	memset(&file->header, 0, sizeof(file->header));
	if (read_at(file->fd, &file->header, sizeof(file->header), 0) < 0)
		return ctp_fail_at(err, CTP_ERR_IO, 0, "cannot read");
	return check(file, found.st_size, err);
}

enum ctp_status spool_file_open(
	struct spool_file *file, const char *path, struct ctp_error *err)
{
	enum ctp_status status;

	file->busy = false;
	if ((size_t)snprintf(file->path, sizeof(file->path), "%s", path) >=
		sizeof(file->path))
		return ctp_fail(err, CTP_ERR_FORMAT, "name too long");
	/* Another user's spool may be malicious. */
	status = spool_file_open_own(path, &file->fd, err);
	if (status != CTP_OK)
		return status;
	status = read_header(file, err);
	if (status != CTP_OK)
		(void)close(file->fd);
	return status;
}

void spool_file_close(struct spool_file *file)
{
	(void)close(file->fd);
	file->fd = -1;
}

static const struct spool_commit *commit_of(const struct spool_file *file)
{
	uint64_t sequence = atomic_load(&file->header.sequence);

	return sequence == 0 ? NULL : &file->header.commits[sequence & 1];
}

struct spool_extent spool_file_extent(const struct spool_file *file)
{
	const struct spool_commit *commit = commit_of(file);

	return commit == NULL ? (struct spool_extent){0} : commit->log;
}

enum ctp_status spool_file_chunk(const struct spool_file *file, uint32_t index,
	struct chunk *chunk, struct ctp_error *err)
{
	const struct spool_commit *commit = commit_of(file);
	off_t offset = offset_of(index);
	ssize_t got = read_at(file->fd, chunk, sizeof(*chunk), offset);

	if (got >= 0 && got < (ssize_t)sizeof(*chunk))
		errno = ENODATA; /* truncated meanwhile */
	if (got < (ssize_t)sizeof(*chunk))
		return ctp_fail_at(err, CTP_ERR_IO, (uint64_t)offset,
			"cannot read the spool");
	/* The journal is briefly ahead of the chunk. */
	if (commit != NULL && commit->chunk == index &&
		commit->track == chunk->track && commit->seq == chunk->seq)
		chunk->consumed = commit->consumed;
	if (chunk->consumed > CHUNK_WORDS)
		chunk->consumed = CHUNK_WORDS;
	return CTP_OK;
}

bool spool_file_has_news(const struct chunk *chunk)
{
	return chunk->consumed < CHUNK_WORDS &&
	       chunk->words[chunk->consumed] != 0;
}

static void count(const struct chunk *chunk, struct spool_content *content)
{
	uint32_t at = chunk->consumed;

	while (at < CHUNK_WORDS && chunk->words[at] != 0) {
		struct chunk_head head = chunk_head(chunk, chunk->words[at]);
		uint64_t id = (chunk->words[at] - chunk_origin(chunk)) >>
			      CTP_TICK_BITS;
		bool is_long = id == CHUNK_ID_LONG;

		if (is_long && head.words >= CHUNK_WORDS - at)
			return;
		content->events++;
		content->ranges += is_long ? head.kind == CHUNK_BEGIN ||
						     head.kind == CHUNK_BEGIN_AT
					   : id != 0;
		at += is_long ? 1 + head.words : 1;
	}
}

enum ctp_status spool_file_count(const struct spool_file *file,
	struct spool_content *content, struct ctp_error *err)
{
	uint32_t chunks =
		file->ready ? atomic_load(&file->header.chunk_count) : 0;
	struct chunk *chunk = malloc(sizeof(*chunk));
	enum ctp_status status = CTP_OK;

	*content = (struct spool_content){0};
	if (chunk == NULL)
		return ctp_no_memory(err);
	for (uint32_t i = 0; i < chunks && status == CTP_OK; i++) {
		status = spool_file_chunk(file, i, chunk, err);
		if (status == CTP_OK && chunk->track != 0)
			count(chunk, content);
	}
	free(chunk);
	return status;
}

static enum ctp_status write_at(const struct spool_file *file, const void *from,
	size_t size, off_t offset, struct ctp_error *err)
{
	if (pwrite(file->fd, from, size, offset) != (ssize_t)size)
		return ctp_fail_at(err, CTP_ERR_IO, (uint64_t)offset,
			"cannot write the spool");
	return CTP_OK;
}

/* Applies the journal's entry to its chunk, so that another entry may
 * follow. */
static enum ctp_status apply(
	const struct spool_file *file, uint32_t index, struct ctp_error *err)
{
	struct chunk *chunk;
	enum ctp_status status;

	if (index >= atomic_load(&file->header.chunk_count))
		return CTP_OK;
	chunk = malloc(sizeof(*chunk));
	if (chunk == NULL)
		return ctp_no_memory(err);
	status = spool_file_chunk(file, index, chunk, err);
	if (status == CTP_OK)
		status = write_at(file, &chunk->consumed,
			sizeof(chunk->consumed),
			offset_of(index) +
				(off_t)offsetof(struct chunk, consumed),
			err);
	free(chunk);
	return status;
}

enum ctp_status spool_file_set_extent(
	struct spool_file *file, uint64_t log_bytes, struct ctp_error *err)
{
	const struct spool_commit *commit = commit_of(file);
	struct spool_header *header = &file->header;
	uint64_t sequence = atomic_load(&header->sequence) + 1;
	struct spool_commit *next = &header->commits[sequence & 1];
	enum ctp_status status = CTP_OK;

	*next = (struct spool_commit){
		.log.bytes = log_bytes, .chunk = SPOOL_NO_CHUNK};
	if (commit != NULL)
		status = apply(file, commit->chunk, err);
	if (status == CTP_OK)
		status = write_at(file, next, sizeof(*next),
			(off_t)offsetof(struct spool_header, commits) +
				(off_t)((sequence & 1) * sizeof(*next)),
			err);
	if (status == CTP_OK)
		status = write_at(file, &sequence, sizeof(sequence),
			(off_t)offsetof(struct spool_header, sequence), err);
	if (status == CTP_OK)
		atomic_store(&header->sequence, sequence);
	return status;
}

enum ctp_status spool_file_remove(
	const struct spool_file *file, struct ctp_error *err)
{
	struct stat ours;
	struct stat named;

	if (fstat(file->fd, &ours) != 0 || lstat(file->path, &named) != 0 ||
		ours.st_dev != named.st_dev || ours.st_ino != named.st_ino)
		return CTP_OK; /* it is gone */
	if (unlink(file->path) != 0)
		return ctp_fail(
			err, CTP_ERR_IO, "cannot remove %s", file->path);
	return CTP_OK;
}

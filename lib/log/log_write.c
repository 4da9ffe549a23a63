/* SPDX-License-Identifier: MIT */
#include "log/log_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_id.h"

#define HELD_BYTES 4096

struct log_writer {
	FILE *stream; /* or NULL: */
	int fd;
	struct file_id id;
	const char *path;          /* where it can be reopened, or NULL */
	bool alone;                /* the thread has its own descriptors */
	struct deflater *deflater; /* NULL: level 0 */
	uint8_t *member;
	size_t room;
	uint64_t bytes;
	uint64_t blocks;
	bool holds; /* small blocks until there are some: */
	size_t held_bytes;
	uint64_t held_blocks;
	uint8_t held[HELD_BYTES];
};

static struct log_writer *new_writer(int level)
{
	struct log_writer *writer = calloc(1, sizeof(*writer));

	if (writer == NULL)
		return NULL;
	writer->fd = -1;
	writer->deflater = level == 0 ? NULL : deflater_new(level);
	if (level != 0 && writer->deflater == NULL) {
		free(writer);
		return NULL;
	}
	return writer;
}

struct log_writer *log_writer_new(int fd, int level)
{
	struct log_writer *writer = new_writer(level);

	if (writer == NULL)
		return NULL;
	writer->fd = fd;
	writer->id = file_id_of(fd);
	return writer;
}

struct log_writer *log_writer_new_stream(FILE *stream, int level)
{
	struct log_writer *writer = new_writer(level);

	if (writer != NULL)
		writer->stream = stream;
	return writer;
}

void log_writer_resume(
	struct log_writer *writer, uint64_t bytes, uint64_t blocks)
{
	writer->bytes = bytes;
	writer->blocks = blocks;
}

void log_writer_free(struct log_writer *writer)
{
	if (writer == NULL)
		return;
	if (writer->stream == NULL)
		file_id_close(&writer->id, writer->fd);
	deflater_free(writer->deflater);
	free(writer->member);
	free(writer);
}

void log_writer_leave(struct log_writer *writer)
{
	file_id_close(&writer->id, writer->fd);
}

void log_writer_follow(struct log_writer *writer, const char *path)
{
	writer->path = path;
}

/* Reopens it at this byte if the program has closed it. */
static bool regain(struct log_writer *writer, uint64_t at)
{
	int fd;

	if (file_id_is(&writer->id, writer->fd))
		return true;
	if (writer->path == NULL || !file_id_is_at(&writer->id, writer->path))
		return false;
	writer->alone = writer->alone || file_id_leave_program();
	fd = writer->alone ? file_id_open(&writer->id, writer->path) : -1;
	if (fd < 0)
		return false;
	writer->fd = fd;
	return lseek(fd, (off_t)at, SEEK_SET) >= 0;
}

bool log_writer_regain(struct log_writer *writer)
{
	(void)regain(writer, writer->bytes);
	return writer->alone;
}

bool log_writer_is_removed(const struct log_writer *writer)
{
	struct stat found;

	return file_id_is(&writer->id, writer->fd) &&
	       fstat(writer->fd, &found) == 0 && S_ISREG(found.st_mode) &&
	       found.st_nlink == 0;
}

static void put_le32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static enum ctp_status write_stream(
	struct log_writer *writer, size_t size, struct ctp_error *err)
{
	if (fwrite(writer->member, 1, size, writer->stream) != size)
		return ctp_fail(err, CTP_ERR_IO, "cannot write");
	writer->bytes += size;
	writer->blocks++;
	return CTP_OK;
}

/* Whether the program has closed it since the last check. */
static bool is_closed(const struct log_writer *writer)
{
	return errno == EBADF && !file_id_is(&writer->id, writer->fd);
}

static enum ctp_status write_bytes(struct log_writer *writer,
	const uint8_t *bytes, size_t size, struct ctp_error *err)
{
	size_t done = 0;

	while (done < size) {
		ssize_t wrote;

		if (!regain(writer, writer->bytes + done)) {
			errno = EBADF;
			return ctp_fail_at(err, CTP_ERR_IO,
				writer->bytes + done, "cannot write the log");
		}
		wrote = write(writer->fd, bytes + done, size - done);
		if (wrote < 0 && (errno == EINTR || is_closed(writer)))
			continue;
		if (wrote <= 0) {
			enum ctp_status status;

			if (wrote == 0)
				errno = ENOSPC;
			status = ctp_fail_at(err, CTP_ERR_IO,
				writer->bytes + done, "cannot write the log");
			/* Best effort: a pipe cannot be truncated. */
			if (ftruncate(writer->fd, (off_t)writer->bytes) == 0)
				(void)lseek(writer->fd, (off_t)writer->bytes,
					SEEK_SET);
			return status;
		}
		done += (size_t)wrote;
	}
	writer->bytes += size;
	return CTP_OK;
}

static enum ctp_status write_held(
	struct log_writer *writer, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (writer->held_bytes > 0)
		status = write_bytes(
			writer, writer->held, writer->held_bytes, err);
	if (status == CTP_OK)
		writer->blocks += writer->held_blocks;
	writer->held_bytes = 0;
	writer->held_blocks = 0;
	return status;
}

static enum ctp_status write_all(
	struct log_writer *writer, size_t size, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (writer->stream != NULL)
		return write_stream(writer, size, err);
	if (size > HELD_BYTES - writer->held_bytes)
		status = write_held(writer, err);
	if (status == CTP_OK && writer->holds && size <= HELD_BYTES) {
		memcpy(writer->held + writer->held_bytes, writer->member, size);
		writer->held_bytes += size;
		writer->held_blocks++;
		return CTP_OK;
	}
	if (status == CTP_OK)
		status = write_held(writer, err);
	if (status == CTP_OK)
		status = write_bytes(writer, writer->member, size, err);
	if (status == CTP_OK)
		writer->blocks++;
	return status;
}

bool log_writer_compresses(const struct log_writer *writer)
{
	return writer->deflater != NULL;
}

void log_writer_hold(struct log_writer *writer)
{
	writer->holds = true;
}

enum ctp_status log_writer_release(
	struct log_writer *writer, struct ctp_error *err)
{
	writer->holds = false;
	return write_held(writer, err);
}

/* Level 0: stored blocks, RFC 1951, section 3.2.4. Each has a byte of flags, its
 * size, and the complement of that. */
#define STORED_MAX 65535
#define STORED_HEAD 5

static size_t stored_bound(size_t size)
{
	return size + (size / STORED_MAX + 1) * STORED_HEAD;
}

static size_t store(const uint8_t *bytes, size_t size, uint8_t *out)
{
	uint8_t *at = out;
	size_t part;

	do {
		part = size > STORED_MAX ? STORED_MAX : size;
		*at = part == size; /* whether it is the last */
		put_le32(at + 1, (uint32_t)part | (uint32_t)~part << 16);
		memcpy(at + STORED_HEAD, bytes, part);
		at += STORED_HEAD + part;
		bytes += part;
		size -= part;
	} while (size > 0);
	return (size_t)(at - out);
}

/* A block, and how it is packed; NULL: stored. */
struct member {
	enum log_block kind;
	struct deflater *deflater;
	const struct deflate_part *parts;
	size_t count;
};

static bool make_room(
	struct log_writer *writer, struct deflater *deflater, size_t size)
{
	size_t room = LOG_HEADER_BYTES + LOG_TRAILER_BYTES +
		      (deflater == NULL ? stored_bound(size)
					: deflater_bound(deflater, size));
	uint8_t *member;

	if (room <= writer->room)
		return true;
	member = realloc(writer->member, room);
	if (member == NULL)
		return false;
	writer->member = member;
	writer->room = room;
	return true;
}

/* Packs the block into writer->member, `out` bytes. */
static enum ctp_status make_member(struct log_writer *writer,
	const struct member *member, size_t *out, struct ctp_error *err)
{
	static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;
	const struct deflate_part *parts = member->parts;
	size_t size = 0;
	size_t packed;
	uint8_t *end;

	for (size_t i = 0; i < member->count; i++)
		size += parts[i].size;
	if (size > LOG_BLOCK_MAX / 2)
		return ctp_fail_at(err, CTP_ERR_LIMIT, writer->bytes,
			"a block of %zu bytes is too large", size);
	if (!make_room(writer, member->deflater, size))
		return ctp_no_memory(err);
	/* The parts are contiguous. */
	if (member->deflater == NULL)
		packed = store(parts[0].bytes, size,
			writer->member + LOG_HEADER_BYTES);
	else
		packed = deflater_pack(member->deflater, parts, member->count,
			writer->member + LOG_HEADER_BYTES,
			writer->room - LOG_HEADER_BYTES - LOG_TRAILER_BYTES);
	if (packed == 0)
		return ctp_fail(err, CTP_ERR_NOMEM, "cannot pack a block");
	memcpy(writer->member, magic, sizeof(magic));
	end = writer->member + LOG_HEADER_BYTES + packed;
	put_le32(end, deflate_crc32(parts[0].bytes, size));
	put_le32(end + 4, (uint32_t)size);
	packed += LOG_HEADER_BYTES + LOG_TRAILER_BYTES;
	put_le32(writer->member + 16, (uint32_t)packed);
	put_le32(writer->member + 20, (uint32_t)member->kind);
	*out = packed;
	return CTP_OK;
}

enum ctp_status log_writer_add(struct log_writer *writer, enum log_block kind,
	const struct deflate_part *parts, size_t count, struct ctp_error *err)
{
	const struct member member = {kind, writer->deflater, parts, count};
	size_t size;
	enum ctp_status status = make_member(writer, &member, &size, err);

	return status == CTP_OK ? write_all(writer, size, err) : status;
}

enum ctp_status log_writer_add_stored(struct log_writer *writer,
	enum log_block kind, const struct deflate_part *part,
	struct ctp_error *err)
{
	const struct member member = {kind, NULL, part, 1};
	size_t size;
	enum ctp_status status = make_member(writer, &member, &size, err);

	return status == CTP_OK ? write_all(writer, size, err) : status;
}

bool log_writer_replace(struct log_writer *writer, uint64_t at,
	enum log_block kind, const struct deflate_part *part)
{
	const struct member member = {kind, NULL, part, 1};
	size_t size;

	return make_member(writer, &member, &size, NULL) == CTP_OK &&
	       at <= writer->bytes && size <= writer->bytes - at &&
	       writer->stream == NULL && regain(writer, writer->bytes) &&
	       pwrite(writer->fd, writer->member, size, (off_t)at) ==
		       (ssize_t)size;
}

void log_writer_cut(struct log_writer *writer, uint64_t bytes, uint64_t blocks)
{
	if (bytes >= writer->bytes || !regain(writer, writer->bytes) ||
		ftruncate(writer->fd, (off_t)bytes) != 0)
		return;
	(void)lseek(writer->fd, (off_t)bytes, SEEK_SET);
	log_writer_resume(writer, bytes, blocks);
}

enum ctp_status log_writer_copy(struct log_writer *writer, const void *bytes,
	size_t size, struct ctp_error *err)
{
	if (size > writer->room) {
		uint8_t *member = realloc(writer->member, size);

		if (member == NULL)
			return ctp_no_memory(err);
		writer->member = member;
		writer->room = size;
	}
	memcpy(writer->member, bytes, size);
	return write_all(writer, size, err);
}

uint64_t log_writer_bytes(const struct log_writer *writer)
{
	return writer->bytes;
}

uint64_t log_writer_blocks(const struct log_writer *writer)
{
	return writer->blocks;
}

/* SPDX-License-Identifier: MIT */
#include "recover/compress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "log/log_column.h"
#include "log_read/log_scan.h"

#define LEVEL 1 /* the recorder's default */
#define COPY_BYTES ((size_t)256 * 1024)

struct compression {
	int in;
	uint64_t copied; /* bytes of the input that are in the output */
	uint64_t blocks;
	struct log_scan *scan;
	struct log_writer *writer;
	uint8_t *bytes;
};

/* Reads as many bytes as there are. */
static enum ctp_status read_at(
	int fd, uint64_t offset, void *to, size_t *size, struct ctp_error *err)
{
	ssize_t got;

	do
		got = pread(fd, to, *size, (off_t)offset);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return ctp_fail_at(err, CTP_ERR_IO, offset, "cannot read");
	*size = (size_t)got;
	return CTP_OK;
}

/* Copies the input up to this offset; UINT64_MAX: to its end. */
static enum ctp_status copy_to(
	struct compression *compression, uint64_t end, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK && compression->copied < end) {
		uint64_t left = end - compression->copied;
		size_t size = left < COPY_BYTES ? (size_t)left : COPY_BYTES;

		status = read_at(compression->in, compression->copied,
			compression->bytes, &size, err);
		if (status != CTP_OK || size == 0)
			break;
		status = log_writer_copy(
			compression->writer, compression->bytes, size, err);
		compression->copied += size;
	}
	return status;
}

/* Whether the member's data begins with a stored block. RFC 1951, section
 * 3.2.3: bits 1 and 2 are its type. */
static enum ctp_status is_stored(const struct compression *compression,
	const struct log_member *member, bool *stored, struct ctp_error *err)
{
	uint8_t first = 0;
	size_t size = sizeof(first);
	enum ctp_status status = read_at(compression->in,
		member->offset + LOG_HEADER_BYTES, &first, &size, err);

	*stored = size == sizeof(first) && (first & 6) == 0;
	return status;
}

static enum ctp_status pack(struct compression *compression,
	const struct log_member *member, struct cursor block,
	struct ctp_error *err)
{
	struct deflate_part parts[LOG_COLUMN_PARTS];
	enum ctp_status status = copy_to(compression, member->offset, err);
	uint64_t before;

	if (status != CTP_OK)
		return status;
	compression->copied += member->size;
	before = log_writer_bytes(compression->writer);
	log_column_parts(block, parts);
	status = log_writer_add(compression->writer,
		(enum log_block)member->kind, parts, LOG_COLUMN_PARTS, err);
	compression->blocks +=
		status == CTP_OK &&
		log_writer_bytes(compression->writer) - before < member->size;
	return status;
}

static enum ctp_status add_member(struct compression *compression,
	const struct log_member *member, struct ctp_error *err)
{
	struct cursor block = {0};
	bool stored;
	bool sound = false;
	enum ctp_status status = is_stored(compression, member, &stored, err);

	if (status == CTP_OK && stored)
		status = log_scan_unpack(
			compression->scan, member, &block, &sound, err);
	return status == CTP_OK && sound && block.left <= LOG_BLOCK_MAX / 2
		       ? pack(compression, member, block, err)
		       : status;
}

static enum ctp_status compress(
	struct compression *compression, struct ctp_error *err)
{
	enum ctp_status status;
	struct log_member member;
	bool any = false;

	while ((status = log_scan_next(compression->scan, &member, err)) ==
		CTP_OK) {
		any = true;
		status = add_member(compression, &member, err);
		if (status != CTP_OK)
			return status;
	}
	if (status != CTP_END)
		return status;
	if (!any)
		return ctp_fail(err, CTP_ERR_FORMAT,
			"contains no complete block of a log");
	return copy_to(compression, UINT64_MAX, err);
}

enum ctp_status compress_log(
	int in, int out, uint64_t *blocks, struct ctp_error *err)
{
	int fd = fcntl(out, F_DUPFD_CLOEXEC, 0);
	struct compression compression = {.in = in,
		.scan = log_scan_new(in),
		.bytes = malloc(COPY_BYTES)};
	enum ctp_status status;

	if (fd >= 0)
		compression.writer = log_writer_new(fd, LEVEL);
	if (compression.writer == NULL && fd >= 0)
		(void)close(fd);
	status = compression.scan == NULL || compression.bytes == NULL ||
				 compression.writer == NULL
			 ? ctp_no_memory(err)
			 : compress(&compression, err);
	log_writer_free(compression.writer);
	log_scan_free(compression.scan);
	free(compression.bytes);
	*blocks = compression.blocks;
	return status;
}

/* SPDX-License-Identifier: MIT */
/* Source for zlib: zlib.h, version 1.2.13. */
#include "log_read/log_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define WINDOW_BYTES ((size_t)256 * 1024)
#define PEEK_BYTES 512 /* read at a time */

struct log_scan {
	int fd;
	uint64_t at; /* where to search for the next member */
	struct log_unpacker unpacker;
	uint8_t *packed; /* a whole member */
	size_t room;
	/* Bytes read for a search, kept because they may contain thousands of
	 * false members. */
	uint8_t *window;
	uint64_t window_at;
	size_t window_size;
	z_stream stream; /* for peeking */
	bool has_stream;
};

struct log_scan *log_scan_new(int fd)
{
	struct log_scan *scan = calloc(1, sizeof(*scan));

	if (scan == NULL)
		return NULL;
	scan->fd = fd;
	if (!log_unpacker_init(&scan->unpacker)) {
		log_scan_free(scan);
		return NULL;
	}
	return scan;
}

void log_scan_free(struct log_scan *scan)
{
	if (scan == NULL)
		return;
	if (scan->has_stream)
		(void)inflateEnd(&scan->stream);
	log_unpacker_clear(&scan->unpacker);
	free(scan->packed);
	free(scan->window);
	free(scan);
}

/* Reads `*size` bytes, or as many as the file has. */
static enum ctp_status read_at(const struct log_scan *scan, uint64_t offset,
	uint8_t *to, size_t *size, struct ctp_error *err)
{
	size_t done = 0;

	while (done < *size) {
		ssize_t got = pread(scan->fd, to + done, *size - done,
			(off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ctp_fail_at(
				err, CTP_ERR_IO, offset + done, "cannot read");
		if (got == 0)
			break;
		done += (size_t)got;
	}
	*size = done;
	return CTP_OK;
}

/* The bytes of the window from `offset` on; empty if outside. */
static struct cursor in_window(const struct log_scan *scan, uint64_t offset)
{
	struct cursor bytes = {0};

	if (offset >= scan->window_at &&
		offset - scan->window_at < scan->window_size) {
		bytes.at = scan->window + (offset - scan->window_at);
		bytes.left =
			scan->window_size - (size_t)(offset - scan->window_at);
	}
	return bytes;
}

/* Reads a member's fixed part; `member` reports whether there is one. */
static enum ctp_status read_header(const struct log_scan *scan, uint64_t offset,
	uint8_t header[LOG_HEADER_BYTES], size_t *size, struct ctp_error *err)
{
	struct cursor bytes = in_window(scan, offset);

	*size = LOG_HEADER_BYTES;
	if (bytes.left < LOG_HEADER_BYTES)
		return read_at(scan, offset, header, size, err);
	memcpy(header, bytes.at, LOG_HEADER_BYTES);
	return CTP_OK;
}

/* Advances to the next possible member. */
static enum ctp_status search(struct log_scan *scan, struct ctp_error *err)
{
	struct cursor bytes = in_window(scan, scan->at);
	bool at_end = false;

	if (bytes.left <= LOG_HEADER_BYTES) {
		size_t size = WINDOW_BYTES;
		enum ctp_status status;

		if (scan->window == NULL)
			scan->window = malloc(WINDOW_BYTES);
		if (scan->window == NULL)
			return ctp_no_memory(err);
		scan->window_size = 0;
		status = read_at(scan, scan->at, scan->window, &size, err);
		if (status != CTP_OK)
			return status;
		scan->window_at = scan->at;
		scan->window_size = size;
		at_end = size < WINDOW_BYTES;
		bytes = in_window(scan, scan->at);
	}
	scan->at += log_member_search(bytes.at, bytes.left, at_end);
	return CTP_OK;
}

static bool make_room(struct log_scan *scan, size_t size)
{
	uint8_t *packed;

	if (size <= scan->room)
		return true;
	packed = realloc(scan->packed, size);
	if (packed == NULL)
		return false;
	scan->packed = packed;
	scan->room = size;
	return true;
}

/* Unpacks a member; an incomplete one is not sound. */
static enum ctp_status unpack(struct log_scan *scan,
	const struct log_member *member, struct cursor *block, bool *sound,
	struct ctp_error *err)
{
	size_t size = member->size;
	enum ctp_status status;
	struct cursor packed;

	*sound = false;
	if (!make_room(scan, size))
		return ctp_no_memory(err);
	status = read_at(scan, member->offset, scan->packed, &size, err);
	if (status != CTP_OK || size < member->size)
		return status;
	cursor_init(&packed, scan->packed, size);
	status =
		log_unpacker_unpack(&scan->unpacker, packed, block, sound, err);
	if (status == CTP_OK && !*sound)
		scan->unpacker.wasted_bytes += size;
	return status;
}

/* Checks, within reason, whether the member's size is right. */
static enum ctp_status is_member(struct log_scan *scan,
	const struct log_member *member, bool *sound, struct ctp_error *err)
{
	uint8_t last[1 + LOG_HEADER_BYTES];
	size_t size = sizeof(last);
	struct log_member next;
	struct cursor block;
	/* Includes the previous byte, to distinguish the end of the file from a
	 * place beyond it. */
	enum ctp_status status = read_at(
		scan, member->offset + member->size - 1, last, &size, err);

	if (status != CTP_OK)
		return status;
	*sound = size == 1 ||
		 (size > 1 && log_member_parse(last + 1, size - 1, &next));
	if (*sound || size == 0)
		return CTP_OK;
	if (log_unpacker_is_misled(&scan->unpacker, member->offset)) {
		*sound = true;
		return CTP_OK;
	}
	return unpack(scan, member, &block, sound, err);
}

enum ctp_status log_scan_next(
	struct log_scan *scan, struct log_member *member, struct ctp_error *err)
{
	for (;;) {
		uint8_t header[LOG_HEADER_BYTES];
		enum ctp_status status;
		bool sound = false;
		size_t size;

		status = read_header(scan, scan->at, header, &size, err);
		if (status != CTP_OK)
			return status;
		if (size == 0)
			return CTP_END;
		member->offset = scan->at;
		if (log_member_parse(header, size, member))
			status = is_member(scan, member, &sound, err);
		if (status != CTP_OK)
			return status;
		if (sound) {
			scan->at += member->size;
			return CTP_OK;
		}
		status = search(scan, err);
		if (status != CTP_OK)
			return status;
	}
}

enum ctp_status log_scan_unpack(struct log_scan *scan,
	const struct log_member *member, struct cursor *block, bool *sound,
	struct ctp_error *err)
{
	enum ctp_status status = unpack(scan, member, block, sound, err);

	if (status != CTP_OK || *sound ||
		scan->at != member->offset + member->size ||
		log_unpacker_is_misled(&scan->unpacker, member->offset))
		return status;
	scan->at = member->offset;
	return search(scan, err);
}

/* Prepares the stream for a new member. */
static bool start_stream(struct log_scan *scan)
{
	if (scan->has_stream)
		return inflateReset(&scan->stream) == Z_OK;
	scan->has_stream = inflateInit2(&scan->stream, -MAX_WBITS) == Z_OK;
	return scan->has_stream;
}

enum ctp_status log_scan_peek(struct log_scan *scan,
	const struct log_member *member, void *out, size_t room, size_t *got,
	struct ctp_error *err)
{
	uint64_t end = member->offset + member->size - LOG_TRAILER_BYTES;
	uint64_t at = member->offset + LOG_HEADER_BYTES;
	z_stream *stream = &scan->stream;
	int result = Z_OK;

	if (!start_stream(scan))
		return ctp_no_memory(err);
	stream->next_out = out;
	stream->avail_out = (uInt)room;
	while (result == Z_OK && stream->avail_out > 0 && at < end) {
		uint8_t packed[PEEK_BYTES];
		size_t size = end - at < sizeof(packed) ? (size_t)(end - at)
							: sizeof(packed);
		enum ctp_status status = read_at(scan, at, packed, &size, err);

		if (status != CTP_OK)
			return status;
		if (size == 0)
			break;
		stream->next_in = packed;
		stream->avail_in = (uInt)size;
		result = inflate(stream, Z_SYNC_FLUSH);
		at += size;
	}
	*got = room - stream->avail_out;
	return CTP_OK;
}

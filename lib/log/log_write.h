/* SPDX-License-Identifier: MIT */
/* Writes blocks to a log. Source: FORMAT.md, "Members". */
#ifndef LOG_WRITE_H
#define LOG_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#include "log/deflate.h"
#include "base/error.h"
#include "log/log.h"

struct log_writer;

/*
 * Takes over `fd`, open for writing at its start; closed by log_writer_free().
 *
 * Units: level 0 (stored, not compressed) to 9. Errors: NULL if out of memory
 * (fd stays open).
 */
struct log_writer *log_writer_new(int fd, int level);
void log_writer_free(struct log_writer *writer);

/*
 * The same to a stream, which is borrowed and may be a pipe: an error leaves
 * the data written so far, and is also visible in the stream.
 */
struct log_writer *log_writer_new_stream(FILE *stream, int level);

/* Continues a log of `size` bytes, at the offset of `fd`. */
void log_writer_resume(
	struct log_writer *writer, uint64_t bytes, uint64_t blocks);

/*
 * Sets the path of the log, which is borrowed: if the program closes the
 * descriptor, the next write reopens it there, in a thread with separate
 * descriptors.
 */
void log_writer_follow(struct log_writer *writer, const char *path);

/* Reopens it now if necessary. True if this thread has separate descriptors. */
bool log_writer_regain(struct log_writer *writer);

/* In a child after fork: only closes the parent's log. */
void log_writer_leave(struct log_writer *writer);

/* Whether the file has been deleted, so that the data is lost. */
bool log_writer_is_removed(const struct log_writer *writer);

/*
 * Appends a block. `parts` together are one MessagePack array.
 *
 * Errors: CTP_ERR_IO; the file is truncated to the last whole block, so that it
 * stays valid. CTP_ERR_LIMIT if the block is too large.
 */
enum ctp_status log_writer_add(struct log_writer *writer, enum log_block kind,
	const struct deflate_part *parts, size_t count, struct ctp_error *err);

/* False at level 0. */
bool log_writer_compresses(const struct log_writer *writer);

/* From now on small blocks are kept and written together; the other writes those
 * that are left. In between, the numbers of bytes and blocks lack them. */
void log_writer_hold(struct log_writer *writer);
enum ctp_status log_writer_release(
	struct log_writer *writer, struct ctp_error *err);

/* Appends a block that is not compressed. The other replaces it by one of the same
 * kind and size, which needs no space; false if it cannot, as in a pipe. */
enum ctp_status log_writer_add_stored(struct log_writer *writer,
	enum log_block kind, const struct deflate_part *part,
	struct ctp_error *err);
bool log_writer_replace(struct log_writer *writer, uint64_t at,
	enum log_block kind, const struct deflate_part *part);

/* Removes the blocks after these bytes, if it is a file. */
void log_writer_cut(struct log_writer *writer, uint64_t bytes, uint64_t blocks);

/* Appends a packed block, or damaged bytes of a log, unchanged. Errors:
 * likewise. */
enum ctp_status log_writer_copy(struct log_writer *writer, const void *bytes,
	size_t size, struct ctp_error *err);

/* Bytes and blocks in the log so far. */
uint64_t log_writer_bytes(const struct log_writer *writer);
uint64_t log_writer_blocks(const struct log_writer *writer);

#endif

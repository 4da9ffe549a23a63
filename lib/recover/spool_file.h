/* SPDX-License-Identifier: MIT */
/*
 * A spool as seen by another process than its recorder. It is read, not mapped:
 * truncation of the file must not kill us. Everything in it is checked before
 * use.
 */
#ifndef SPOOL_FILE_H
#define SPOOL_FILE_H

#include "pack/spool.h"

struct spool_file {
	int fd;
	bool busy;  /* locked by its recorder, or by a process completing it */
	bool ready; /* it has chunks; else nothing was recorded, and
		     * header.error may have the reason */
	struct spool_header header; /* a copy */
	char path[SPOOL_PATH_BYTES];
};

/*
 * Opens the file and locks it. A file that is locked already is also opened,
 * but only its header may be used.
 *
 * Errors: CTP_ERR_FORMAT if it is not a spool, or not this user's;
 * CTP_ERR_UNSUPPORTED if it is of another version; CTP_ERR_IO.
 */
enum ctp_status spool_file_open(
	struct spool_file *file, const char *path, struct ctp_error *err);
void spool_file_close(struct spool_file *file);

/* The progress of the log. */
struct spool_extent spool_file_extent(const struct spool_file *file);

/* Reads a chunk, with a correct `consumed`. Errors: CTP_ERR_IO. */
enum ctp_status spool_file_chunk(const struct spool_file *file, uint32_t index,
	struct chunk *chunk, struct ctp_error *err);

/* Whether the chunk has data that is not in the log. */
bool spool_file_has_news(const struct chunk *chunk);

/* Counts events that are in the file but not in the log, up to the first
 * invalid record of each chunk. Errors: CTP_ERR_IO. */
struct spool_content {
	uint64_t events;
	uint64_t ranges; /* begun; among the events */
};

enum ctp_status spool_file_count(const struct spool_file *file,
	struct spool_content *content, struct ctp_error *err);

/*
 * Records that the log has shrunk to `bytes` bytes; later blocks follow these.
 * As safe as spool_commit(). Errors: CTP_ERR_IO.
 */
enum ctp_status spool_file_set_extent(
	struct spool_file *file, uint64_t log_bytes, struct ctp_error *err);

/* Removes the file, unless another has its name by now. Errors: CTP_ERR_IO. */
enum ctp_status spool_file_remove(
	const struct spool_file *file, struct ctp_error *err);

/*
 * Opens a regular file of the calling user for reading and writing. Nothing
 * else is opened, not even briefly: opening a pipe releases its waiting peer,
 * and opening some devices triggers actions. Needs /proc.
 *
 * Errors: CTP_ERR_FORMAT if it is a symbolic link, not a file, or another
 * user's; CTP_ERR_IO.
 */
enum ctp_status spool_file_open_own(
	const char *path, int *fd, struct ctp_error *err);

#endif

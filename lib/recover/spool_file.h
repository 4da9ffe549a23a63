/* SPDX-License-Identifier: MIT */
/*
 * A spool as another process than its recorder finds it. It is read, not
 * mapped: who cuts the file short must not kill us. Everything in it is
 * checked before it is believed.
 */
#ifndef SPOOL_FILE_H
#define SPOOL_FILE_H

#include "pack/spool.h"

struct spool_file {
	int fd;
	bool busy; /* locked by its recorder, or by somebody who completes it */
	bool ready; /* there is a header; else nothing was recorded */
	struct spool_header header; /* a copy */
	char path[SPOOL_PATH_BYTES];
};

/*
 * Opens the file and locks it. One that is locked already is opened as well,
 * but only its header may be looked at.
 *
 * Errors: CTP_ERR_FORMAT if it is no spool, or not this user's;
 * CTP_ERR_UNSUPPORTED if it is of another version; CTP_ERR_IO.
 */
enum ctp_status spool_file_open(
	struct spool_file *file, const char *path, struct ctp_error *err);
void spool_file_close(struct spool_file *file);

/* How far the log has come. */
struct spool_extent spool_file_extent(const struct spool_file *file);

/* Reads a chunk, whose `consumed` is then right. Errors: CTP_ERR_IO. */
enum ctp_status spool_file_chunk(const struct spool_file *file, uint32_t index,
	struct chunk *chunk, struct ctp_error *err);

/* Is there anything in the chunk that is not in the log? */
bool spool_file_has_news(const struct chunk *chunk);

/* Counts events that are in the file and not in the log, up to the first
 * invalid record of each chunk. Errors: CTP_ERR_IO. */
struct spool_content {
	uint64_t events;
	uint64_t ranges; /* begun; among the events */
};

enum ctp_status spool_file_count(const struct spool_file *file,
	struct spool_content *content, struct ctp_error *err);

/*
 * Records that the log has only `bytes` bytes, fewer than it had; later blocks
 * are written behind them. As safe as spool_commit(). Errors: CTP_ERR_IO.
 */
enum ctp_status spool_file_set_extent(
	struct spool_file *file, uint64_t log_bytes, struct ctp_error *err);

/* Removes the file, unless another has its name by now. Errors: CTP_ERR_IO. */
enum ctp_status spool_file_remove(
	const struct spool_file *file, struct ctp_error *err);

/*
 * Opens a regular file of the calling user for reading and writing. Nothing
 * else is opened, not even for a moment: opening alone lets go who waits at a
 * pipe, and makes some devices act. Needs /proc.
 *
 * Errors: CTP_ERR_FORMAT if it is a symbolic link, not a file, or another
 * user's; CTP_ERR_IO.
 */
enum ctp_status spool_file_open_own(
	const char *path, int *fd, struct ctp_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* The log of an abandoned spool: its file and contents. */
#ifndef RECOVER_LOG_H
#define RECOVER_LOG_H

#include "pack/pack.h"
#include "recover/spool_file.h"

/* The origin of a log, from its first block. */
struct recover_origin {
	bool known; /* there is a header block */
	uint64_t pid;
	int64_t realtime_ns;
	char spool[SPOOL_PATH_BYTES]; /* "": missing, or not a path */
};

/* Errors: CTP_ERR_IO, CTP_ERR_NOMEM. */
enum ctp_status recover_origin_read(
	int fd, struct recover_origin *origin, struct ctp_error *err);

/* Whether the log ends with an end block. Errors: CTP_ERR_IO, CTP_ERR_NOMEM. */
enum ctp_status recover_log_is_complete(
	int fd, bool *complete, struct ctp_error *err);

/* Whether the log of this origin belongs to this spool. */
bool recover_origin_is(
	const struct recover_origin *origin, const struct spool_file *spool);

struct recover_log {
	int fd; /* locked */
	char path[SPOOL_PATH_BYTES];
	uint64_t bytes;  /* new data follows these */
	uint64_t blocks; /* in these bytes */
	bool is_cut;     /* more bytes existed before */
	bool has_end;    /* it is complete */
};

/*
 * Opens the log: `path`, which must be the right file, or, if NULL, the file
 * named by the spool. If that is missing it is created; if another recording
 * has the name by now, a file with another name is created, as a recorder
 * would.
 *
 * Errors: CTP_ERR_FORMAT if the log is not a file, or not the spool's;
 * CTP_ERR_IO, CTP_ERR_NOMEM.
 */
enum ctp_status recover_log_open(struct recover_log *log,
	const struct spool_file *spool, const char *path,
	struct ctp_error *err);
void recover_log_close(struct recover_log *log);

/*
 * Reads the log up to the journaled size and initializes the packer, which
 * continues from there.
 *
 * Errors: CTP_ERR_FORMAT if the file was changed since it was recorded;
 * CTP_ERR_IO, CTP_ERR_NOMEM.
 */
enum ctp_status recover_log_scan(struct recover_log *log, uint64_t journaled,
	struct packer *packer, struct ctp_error *err);

#endif

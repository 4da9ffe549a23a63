/* SPDX-License-Identifier: MIT */
/*
 * Walks the members of a log in a file by their headers, and unpacks only the
 * requested members. If a header does not lead to a sound member, the next one
 * is searched for, so that the sound members are those that log_input_next()
 * returns.
 */
#ifndef LOG_SCAN_H
#define LOG_SCAN_H

#include "log_read/log_member.h"

struct log_scan;

/* `fd` is borrowed; its file offset is neither used nor changed. NULL if out of
 * memory. */
struct log_scan *log_scan_new(int fd);
void log_scan_free(struct log_scan *scan);

/*
 * The next member; CTP_END after the last. Its size is right, because another
 * member or the end of the file follows, or because it was unpacked and is
 * sound; its content may still be damaged. Bytes between members do not belong
 * to any.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM.
 */
enum ctp_status log_scan_next(struct log_scan *scan, struct log_member *member,
	struct ctp_error *err);

/*
 * Unpacks a member and checks it. If it is the last one from log_scan_next()
 * and not sound, the search continues within it.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM. Damage is not an error.
 * Ownership: the block is borrowed until the next call for this scan.
 */
enum ctp_status log_scan_unpack(struct log_scan *scan,
	const struct log_member *member, struct cursor *block, bool *sound,
	struct ctp_error *err);

/*
 * Unpacks up to `room` unchecked bytes of a member's start; `got` is less if it
 * is shorter or damaged.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM.
 */
enum ctp_status log_scan_peek(struct log_scan *scan,
	const struct log_member *member, void *out, size_t room, size_t *got,
	struct ctp_error *err);

#endif

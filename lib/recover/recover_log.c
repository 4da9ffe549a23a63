/* SPDX-License-Identifier: MIT */
#include "recover/recover_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_read/log_scan.h"
#include "pack/options.h"
#include "recover/spool_file.h"
#include "log/unpack.h"

/* Enough for the first three elements of a block. */
#define PEEK_BYTES 32

#define NAME_TRIES 1000

/* A block's kind, and the number of elements after it. */
static bool read_kind(struct cursor *block, uint32_t *kind, uint32_t *count)
{
	return unpack_array(block, count) && *count > 0 &&
	       unpack_u32(block, UINT32_MAX, kind);
}

static bool is_key(const char *key, size_t size, const char *name)
{
	return size == strlen(name) && memcmp(key, name, size) == 0;
}

/* One value of the header's map; false if it contradicts the format. */
static bool read_value(struct cursor *block, const char *key, size_t key_size,
	struct recover_origin *origin)
{
	const char *text;
	size_t size;

	if (is_key(key, key_size, "pid"))
		return unpack_uint(block, &origin->pid);
	if (is_key(key, key_size, "realtime"))
		return unpack_int(block, &origin->realtime_ns);
	if (!is_key(key, key_size, "spool"))
		return unpack_skip(block);
	if (!unpack_text(block, &text, &size))
		return false;
	if (size < sizeof(origin->spool) && memchr(text, '\0', size) == NULL)
		(void)snprintf(origin->spool, sizeof(origin->spool), "%.*s",
			(int)size, text);
	return true;
}

static void read_header(struct cursor block, struct recover_origin *origin)
{
	uint32_t count;
	uint32_t kind;

	if (!read_kind(&block, &kind, &count) || kind != LOG_HEADER ||
		!unpack_map(&block, &count))
		return;
	while (count-- > 0) {
		const char *key;
		size_t size;

		if (!unpack_text(&block, &key, &size) ||
			!read_value(&block, key, size, origin))
			return;
	}
	origin->known = true;
}

enum ctp_status recover_origin_read(
	int fd, struct recover_origin *origin, struct ctp_error *err)
{
	struct log_scan *scan = log_scan_new(fd);
	struct log_member member;
	enum ctp_status status;
	struct cursor block;
	bool sound = false;

	*origin = (struct recover_origin){0};
	if (scan == NULL)
		return ctp_no_memory(err);
	status = log_scan_next(scan, &member, err);
	if (status == CTP_OK && member.offset == 0)
		status = log_scan_unpack(scan, &member, &block, &sound, err);
	if (status == CTP_OK && sound)
		read_header(block, origin);
	log_scan_free(scan);
	return status == CTP_END ? CTP_OK : status;
}

enum ctp_status recover_log_is_complete(
	int fd, bool *complete, struct ctp_error *err)
{
	struct log_scan *scan = log_scan_new(fd);
	struct log_member member;
	enum ctp_status status = CTP_OK;

	if (scan == NULL)
		return ctp_no_memory(err);
	*complete = false;
	while (status == CTP_OK) {
		status = log_scan_next(scan, &member, err);
		if (status == CTP_OK)
			*complete = member.kind == LOG_END;
	}
	log_scan_free(scan);
	return status == CTP_END ? CTP_OK : status;
}

bool recover_origin_is(
	const struct recover_origin *origin, const struct spool_file *spool)
{
	return origin->known && origin->pid == spool->header.facts.pid &&
	       origin->realtime_ns == spool->header.start.realtime_ns;
}

enum ownership { OURS, NOT_OURS, FAILED };

/* Whether it is the file that the recorder created. */
static bool is_recorders(
	const struct stat *found, const struct spool_file *spool)
{
	return spool->header.log_device == (uint64_t)found->st_dev &&
	       spool->header.log_inode == (uint64_t)found->st_ino;
}

/* A file without a header block may have been killed while its header was
 * written: it is the recorder's file, or another one that is empty. */
static enum ownership judge_torn(
	int fd, const struct stat *found, const struct spool_file *spool)
{
	static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;
	uint8_t head[LOG_MAGIC_BYTES];
	ssize_t got = pread(fd, head, sizeof(head), 0);

	return got >= 0 && memcmp(head, magic, (size_t)got) == 0 &&
			       is_recorders(found, spool)
		       ? OURS
		       : NOT_OURS;
}

static enum ownership judge(
	int fd, const struct spool_file *spool, struct ctp_error *err)
{
	struct recover_origin origin;
	struct stat found;

	if (fstat(fd, &found) != 0) {
		(void)ctp_fail(err, CTP_ERR_IO, "cannot examine the log");
		return FAILED;
	}
	/* Another recorder is writing to it. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return NOT_OURS;
	if (recover_origin_read(fd, &origin, err) != CTP_OK)
		return FAILED;
	if (origin.known)
		return recover_origin_is(&origin, spool) ? OURS : NOT_OURS;
	return judge_torn(fd, &found, spool);
}

static enum ownership try_file(struct recover_log *log,
	const struct spool_file *spool, struct ctp_error *err)
{
	enum ownership ownership;

	if (spool_file_open_own(log->path, &log->fd, err) != CTP_OK)
		return FAILED;
	ownership = judge(log->fd, spool, err);
	if (ownership != OURS)
		recover_log_close(log);
	return ownership;
}

/* Creates the missing file; one that appears meanwhile is not ours. */
static enum ownership make_file(struct recover_log *log, struct ctp_error *err)
{
	log->fd = open(log->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (log->fd < 0 && errno == EEXIST)
		return NOT_OURS;
	if (log->fd < 0) {
		(void)ctp_fail(err, CTP_ERR_IO, "cannot create the log");
		return FAILED;
	}
	if (flock(log->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return OURS;
	recover_log_close(log);
	return NOT_OURS;
}

/* Tries a name from the spool: there may be any file by now. */
static enum ownership try_name(struct recover_log *log,
	const struct spool_file *spool, struct ctp_error *err)
{
	enum ownership ownership = try_file(log, spool, err);

	if (ownership == FAILED && err->sys_errno == ENOENT)
		return make_file(log, err);
	return ownership == FAILED && err->status == CTP_ERR_FORMAT ? NOT_OURS
								    : ownership;
}

/* Refuses if the written blocks exist but are not accessible; a new log would
 * lack them. */
static enum ctp_status check_place(
	const struct spool_file *spool, struct ctp_error *err)
{
	struct stat found;

	if (stat(spool->header.log_path, &found) != 0)
		return CTP_OK;
	if (!S_ISREG(found.st_mode))
		return ctp_fail(err, CTP_ERR_FORMAT,
			"is not a file: its contents cannot be completed");
	if (found.st_uid != geteuid() && is_recorders(&found, spool))
		return ctp_fail(err, CTP_ERR_FORMAT,
			"belongs to another user; a copy of it can be "
			"completed");
	return CTP_OK;
}

static enum ownership find_file(struct recover_log *log,
	const struct spool_file *spool, struct ctp_error *err)
{
	const char *path = spool->header.log_path;
	enum ownership ownership;

	if (check_place(spool, err) != CTP_OK)
		return FAILED;
	(void)snprintf(log->path, sizeof(log->path), "%s", path);
	ownership = try_name(log, spool, err);
	for (int i = 1; ownership == NOT_OURS && i < NAME_TRIES; i++) {
		options_other_name(log->path, sizeof(log->path), path,
			(long)spool->header.facts.pid, i);
		ownership = try_name(log, spool, err);
	}
	return ownership;
}

enum ctp_status recover_log_open(struct recover_log *log,
	const struct spool_file *spool, const char *path, struct ctp_error *err)
{
	struct ctp_error failure;
	enum ownership ownership;

	*log = (struct recover_log){.fd = -1};
	if (path == NULL) {
		ownership = find_file(log, spool, &failure);
	} else {
		(void)snprintf(log->path, sizeof(log->path), "%s", path);
		ownership = try_file(log, spool, &failure);
	}
	if (ownership == OURS)
		return CTP_OK;
	if (ownership == NOT_OURS)
		return ctp_fail(
			err, CTP_ERR_FORMAT, "is the log of another recording");
	if (err != NULL)
		*err = failure;
	return failure.status;
}

void recover_log_close(struct recover_log *log)
{
	if (log->fd >= 0)
		(void)close(log->fd);
	log->fd = -1;
}

/* Reads a losses block; unknown entries are ignored. False if out of memory. */
static bool read_losses(struct packer *packer, struct cursor block)
{
	uint32_t track;
	uint32_t count;
	uint32_t kind;

	if (!read_kind(&block, &kind, &count) || kind != LOG_LOSSES ||
		!unpack_u32(&block, LOG_TRACKS_MAX - 1, &track) ||
		!unpack_map(&block, &count))
		return true;
	while (count-- > 0) {
		char name[32];
		const char *text;
		size_t size;
		uint64_t lost;

		if (!unpack_text(&block, &text, &size) ||
			!unpack_uint(&block, &lost))
			return true;
		(void)snprintf(name, sizeof(name), "%.*s",
			size < sizeof(name) ? (int)size : 0, text);
		if (!packer_resume_loss(packer, track, name, lost))
			return false;
	}
	return true;
}

static bool read_events(struct packer *packer, struct cursor block)
{
	uint32_t track;
	uint64_t seq;

	return !unpack_u32(&block, LOG_TRACKS_MAX - 1, &track) ||
	       !unpack_uint(&block, &seq) || seq == UINT64_MAX ||
	       packer_resume_blocks(packer, track, seq + 1);
}

struct walk {
	struct recover_log *log;
	struct log_scan *scan;
	struct packer *packer;
	uint64_t journaled;
};

static enum ctp_status refuse(const char *why, struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_FORMAT, "%s", why);
}

/* Reads a member within the journaled size. */
static enum ctp_status read_member(struct walk *walk,
	const struct log_member *member, struct cursor start,
	struct ctp_error *err)
{
	struct recover_log *log = walk->log;
	enum ctp_status status = CTP_OK;
	struct cursor block;
	uint32_t count;
	uint32_t kind;
	bool sound;

	log->bytes = member->offset + member->size;
	log->blocks++;
	log->has_end = false;
	if (!read_kind(&start, &kind, &count))
		return CTP_OK;
	log->has_end = kind == LOG_END;
	if (kind == LOG_EVENTS && !read_events(walk->packer, start))
		return ctp_no_memory(err);
	if (kind != LOG_LOSSES)
		return CTP_OK;
	status = log_scan_unpack(walk->scan, member, &block, &sound, err);
	if (status == CTP_OK && sound && !read_losses(walk->packer, block))
		status = ctp_no_memory(err);
	return status;
}

/* If something other than the recorder wrote to the file, appending at the
 * journaled size would destroy that. */
static enum ctp_status inspect(struct walk *walk,
	const struct log_member *member, struct ctp_error *err)
{
	uint8_t bytes[PEEK_BYTES];
	struct cursor start;
	struct cursor copy;
	enum ctp_status status;
	uint32_t count;
	uint32_t kind;
	size_t got;

	status = log_scan_peek(
		walk->scan, member, bytes, sizeof(bytes), &got, err);
	if (status != CTP_OK)
		return status;
	cursor_init(&start, bytes, got);
	copy = start;
	if (member->offset > 0 && read_kind(&copy, &kind, &count) &&
		kind == LOG_HEADER)
		return refuse("contains another recording after this one", err);
	if (member->offset >= walk->journaled)
		return CTP_OK; /* is rewritten */
	if (member->offset + member->size > walk->journaled)
		return refuse("has changed since it was recorded", err);
	return read_member(walk, member, start, err);
}

enum ctp_status recover_log_scan(struct recover_log *log, uint64_t journaled,
	struct packer *packer, struct ctp_error *err)
{
	struct walk walk = {log, log_scan_new(log->fd), packer, journaled};
	enum ctp_status status = CTP_OK;
	struct stat found;

	if (walk.scan == NULL)
		return ctp_no_memory(err);
	while (status == CTP_OK) {
		struct log_member member;

		status = log_scan_next(walk.scan, &member, err);
		if (status == CTP_OK)
			status = inspect(&walk, &member, err);
	}
	log_scan_free(walk.scan);
	if (status != CTP_END)
		return status;
	if (fstat(log->fd, &found) != 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot examine the log");
	log->is_cut = (uint64_t)found.st_size < journaled;
	if (!log->is_cut) /* damage at the end is kept */
		log->bytes = journaled;
	return CTP_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * The log is walked twice: to find out what there is to be written, and to
 * write it. Names are looked up each time rather than kept, since a log may
 * have more of them than memory.
 */
#include "symbols/symbolize_private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "log/unpack.h"

#define COPY_BYTES ((size_t)1024 * 1024)
#define LEVEL 1

static bool add_change(struct symbolize *symbolize, uint64_t offset)
{
	if (!memory_grow(&symbolize->changes, symbolize->change_count,
		    &symbolize->change_room, sizeof(*symbolize->changes)))
		return false;
	symbolize->changes[symbolize->change_count++] = offset;
	return true;
}

/* Copies the log as it is, up to an offset. */
static enum ctp_status copy_plainly(
	struct symbolize *symbolize, uint64_t end, struct ctp_error *err)
{
	if (symbolize->copy == NULL)
		symbolize->copy = malloc(COPY_BYTES);
	if (symbolize->copy == NULL)
		return ctp_no_memory(err);
	while (symbolize->copied < end) {
		uint64_t left = end - symbolize->copied;
		ssize_t got = pread(symbolize->fd, symbolize->copy,
			left < COPY_BYTES ? (size_t)left : COPY_BYTES,
			(off_t)symbolize->copied);
		ssize_t wrote;

		if (got < 0)
			return ctp_fail_at(err, CTP_ERR_IO, symbolize->copied,
				"cannot read");
		if (got == 0)
			return ctp_fail_at(err, CTP_ERR_FORMAT,
				symbolize->copied,
				"ends where there was more before");
		wrote = write(symbolize->out, symbolize->copy, (size_t)got);
		if (wrote < 0)
			return ctp_fail(err, CTP_ERR_IO, "cannot write");
		symbolize->copied += (uint64_t)wrote;
	}
	return CTP_OK;
}

/* The same by the system, which may only have to note it. Why it cannot shows
 * better when it is done plainly. */
static enum ctp_status copy(
	struct symbolize *symbolize, uint64_t end, struct ctp_error *err)
{
	while (symbolize->copied < end) {
		off_t from = (off_t)symbolize->copied;
		ssize_t done = copy_file_range(symbolize->fd, &from,
			symbolize->out, NULL, end - symbolize->copied, 0);

		if (done <= 0)
			return copy_plainly(symbolize, end, err);
		symbolize->copied += (uint64_t)done;
	}
	return CTP_OK;
}

/* A site block: looks whether there are names for it, or writes it. */
static enum ctp_status take_sites(struct symbolize *symbolize,
	const struct log_member *member, const struct symbolize_sites *sites,
	struct ctp_error *err)
{
	uint64_t before = symbolize->counts.changed;
	bool is_change =
		symbolize->writer != NULL &&
		symbolize->next_change < symbolize->change_count &&
		symbolize->changes[symbolize->next_change] == member->offset;
	enum ctp_status status;

	if (symbolize->writer != NULL && !is_change)
		return CTP_OK;
	if (is_change) {
		symbolize->next_change++;
		status = copy(symbolize, member->offset, err);
		if (status != CTP_OK)
			return status;
		symbolize->copied += member->size;
	}
	status = symbolize_sites_take(symbolize, *sites, err);
	if (status == CTP_OK && symbolize->writer == NULL &&
		symbolize->counts.changed != before &&
		!add_change(symbolize, member->offset))
		return ctp_no_memory(err);
	return status;
}

static bool is_key(const char *key, size_t size, const char *name)
{
	return strlen(name) == size && memcmp(key, name, size) == 0;
}

static enum ctp_status take_header(
	struct symbolize *symbolize, struct cursor block, struct ctp_error *err)
{
	uint32_t count;

	symbolize_modules_restart(&symbolize->modules);
	free(symbolize->spool);
	symbolize->spool = NULL;
	if (!unpack_map(&block, &count))
		return CTP_OK;
	while (count-- > 0) {
		struct cursor value;
		const char *key;
		const char *text;
		int64_t number;
		size_t size;

		if (!unpack_text(&block, &key, &size))
			break;
		value = block;
		if (!unpack_skip(&block))
			break;
		if (is_key(key, size, "reader") &&
			unpack_int(&value, &number) && number > LOG_READER)
			return ctp_fail(err, CTP_ERR_UNSUPPORTED,
				"this log needs a newer ctprof");
		if (is_key(key, size, "spool") && symbolize->spool == NULL &&
			unpack_text(&value, &text, &size)) {
			symbolize->spool = strndup(text, size);
			if (symbolize->spool == NULL)
				return ctp_no_memory(err);
		}
	}
	return CTP_OK;
}

static enum ctp_status take_block(struct symbolize *symbolize,
	const struct log_member *member, struct cursor block,
	struct ctp_error *err)
{
	struct log_site_module module;
	struct symbolize_sites sites;
	uint32_t elements;
	uint32_t kind;

	if (!unpack_array(&block, &elements) ||
		!unpack_u32(&block, UINT32_MAX, &kind))
		return CTP_OK;
	switch (kind) {
	case LOG_HEADER:
		return take_header(symbolize, block, err);
	case LOG_SITES:
		return symbolize_sites_read(block, elements, &sites)
			       ? take_sites(symbolize, member, &sites, err)
			       : CTP_OK;
	case LOG_MODULE:
		return !log_site_read_module(&block, &module) ||
				       symbolize_modules_add(
					       &symbolize->modules, &module)
			       ? CTP_OK
			       : ctp_no_memory(err);
	case LOG_END:
		free(symbolize->spool);
		symbolize->spool = NULL;
		return CTP_OK;
	default:
		return CTP_OK;
	}
}

/* Takes all members that matter here, by what their headers say. */
static enum ctp_status walk(struct symbolize *symbolize, struct ctp_error *err)
{
	enum ctp_status status;
	struct log_member member;

	log_scan_free(symbolize->scan);
	symbolize->scan = log_scan_new(symbolize->fd);
	if (symbolize->scan == NULL)
		return ctp_no_memory(err);
	symbolize->members = 0;
	symbolize_modules_restart(&symbolize->modules);
	while ((status = log_scan_next(symbolize->scan, &member, err)) ==
		CTP_OK) {
		struct cursor block;
		bool sound;

		symbolize->members++;
		if (member.kind != LOG_HEADER && member.kind != LOG_SITES &&
			member.kind != LOG_MODULE && member.kind != LOG_END)
			continue;
		status = log_scan_unpack(
			symbolize->scan, &member, &block, &sound, err);
		if (status == CTP_OK && sound)
			status = take_block(symbolize, &member, block, err);
		if (status != CTP_OK)
			return status;
	}
	return status == CTP_END ? CTP_OK : status;
}

enum ctp_status symbolize_new(int fd, const char *debug_directory,
	struct symbolize **out, struct ctp_error *err)
{
	struct symbolize *symbolize = calloc(1, sizeof(*symbolize));
	enum ctp_status status = CTP_OK;

	if (symbolize == NULL)
		return ctp_no_memory(err);
	symbolize->fd = fd;
	symbolize->debug_directory = debug_directory;
	if (fstat(fd, &symbolize->file) != 0)
		status = ctp_fail(err, CTP_ERR_IO, "cannot read");
	if (status == CTP_OK)
		status = walk(symbolize, err);
	if (status == CTP_OK && symbolize->members == 0)
		status = ctp_fail(err, CTP_ERR_FORMAT,
			"not one whole block of a log is there");
	if (status != CTP_OK) {
		symbolize_free(symbolize);
		return status;
	}
	*out = symbolize;
	return CTP_OK;
}

void symbolize_free(struct symbolize *symbolize)
{
	if (symbolize == NULL)
		return;
	log_scan_free(symbolize->scan);
	symbolize_modules_clear(&symbolize->modules);
	buffer_clear(&symbolize->rows);
	buffer_clear(&symbolize->block);
	free(symbolize->spool);
	memory_free(symbolize->changes);
	free(symbolize->copy);
	free(symbolize);
}

struct symbolize_counts symbolize_counts(const struct symbolize *symbolize)
{
	return symbolize->counts;
}

const struct symbolize_module *symbolize_module(
	const struct symbolize *symbolize, uint32_t number)
{
	return number < symbolize->modules.count
		       ? &symbolize->modules.all[number]
		       : NULL;
}

const char *symbolize_spool(const struct symbolize *symbolize)
{
	return symbolize->spool;
}

static bool has_changed(const struct symbolize *symbolize)
{
	struct stat now;

	return fstat(symbolize->fd, &now) != 0 ||
	       now.st_size != symbolize->file.st_size ||
	       now.st_mtim.tv_sec != symbolize->file.st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != symbolize->file.st_mtim.tv_nsec;
}

enum ctp_status symbolize_write(
	struct symbolize *symbolize, int out, struct ctp_error *err)
{
	int writer = fcntl(out, F_DUPFD_CLOEXEC, 0);
	enum ctp_status status;

	if (writer >= 0)
		symbolize->writer = log_writer_new(writer, LEVEL);
	if (symbolize->writer == NULL) {
		if (writer >= 0)
			(void)close(writer);
		return ctp_no_memory(err);
	}
	symbolize->out = out;
	symbolize->copied = 0;
	symbolize->next_change = 0;
	status = walk(symbolize, err);
	if (status == CTP_OK)
		status =
			copy(symbolize, (uint64_t)symbolize->file.st_size, err);
	log_writer_free(symbolize->writer);
	symbolize->writer = NULL;
	if (status == CTP_OK && has_changed(symbolize))
		status = ctp_fail(
			err, CTP_ERR_FORMAT, "has changed while it was read");
	return status;
}

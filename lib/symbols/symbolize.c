/* SPDX-License-Identifier: MIT */
/*
 * The log is read twice: to find the names to write, and to write them. Names
 * are looked up both times rather than kept, since they may not fit in memory.
 */
#include "symbols/symbolize.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "log/log_write.h"
#include "log/msgpack_out.h"
#include "log/unpack.h"
#include "log_read/log_scan.h"
#include "log_read/log_site.h"
#include "symbols/symbols.h"

#define COPY_BYTES ((size_t)1024 * 1024)
#define LEVEL 1

/* ---- modules ---- */

/* A file has one entry, even if several recordings loaded it. */
struct modules {
	struct symbolize_module *all;
	uint32_t count;
	uint32_t room;
	struct strtab *keys; /* of the entries, in order */
	uint32_t *numbers;   /* this recording's number to entry + 1 */
	uint32_t number_room;
};

/* Equal modules have equal numbers; UINT32_MAX if out of memory. */
static uint32_t number_of(
	struct modules *modules, const struct log_site_module *module)
{
	struct buffer key = BUFFER_INIT;
	uint32_t number = STRTAB_NONE;

	if (modules->keys == NULL)
		modules->keys = strtab_new();
	buffer_add(&key, &module->bytes, sizeof(module->bytes));
	buffer_add(&key, &module->path.size, sizeof(module->path.size));
	buffer_add(&key, module->path.bytes, module->path.size);
	buffer_add(&key, module->build_id.bytes, module->build_id.size);
	if (!key.failed && modules->keys != NULL)
		number = strtab_add(
			modules->keys, (const char *)key.bytes, key.used);
	buffer_clear(&key);
	/* Number 0 is the empty text, which is never a key. */
	return number == STRTAB_NONE ? UINT32_MAX : number - 1;
}

/* Returns the entry's index; UINT32_MAX if out of memory. */
static uint32_t enter(
	struct modules *modules, const struct log_site_module *module)
{
	uint32_t number = number_of(modules, module);
	struct symbolize_module *added;

	if (number < modules->count || number == UINT32_MAX)
		return number;
	if (!array_reserve32(&modules->all, modules->count, &modules->room,
		    sizeof(*modules->all)))
		return UINT32_MAX;
	added = &modules->all[modules->count];
	*added = (struct symbolize_module){
		.path = strndup(module->path.bytes, module->path.size),
		.build_id = malloc(module->build_id.size + 1),
		.build_id_bytes = module->build_id.size,
		.bytes = module->bytes,
	};
	if (added->path == NULL || added->build_id == NULL) {
		free(added->path);
		free(added->build_id);
		return UINT32_MAX;
	}
	memcpy(added->build_id, module->build_id.bytes, module->build_id.size);
	return modules->count++;
}

/* False if out of memory. */
static bool modules_add(
	struct modules *modules, const struct log_site_module *module)
{
	uint32_t entry = enter(modules, module);

	if (entry == UINT32_MAX ||
		!array_ensure_index(&modules->numbers, module->number,
			&modules->number_room, sizeof(*modules->numbers)))
		return false;
	modules->numbers[module->number] = entry + 1;
	return true;
}

/* Finds a module by this recording's number; NULL if its block is lost. */
static struct symbolize_module *modules_find(
	const struct modules *modules, uint32_t number)
{
	if (number >= modules->number_room || modules->numbers[number] == 0)
		return NULL;
	return &modules->all[modules->numbers[number] - 1];
}

/* Begins another recording with its own numbers. */
static void modules_restart(struct modules *modules)
{
	if (modules->number_room > 0)
		memset(modules->numbers, 0,
			modules->number_room * sizeof(*modules->numbers));
}

static void modules_clear(struct modules *modules)
{
	for (uint32_t i = 0; i < modules->count; i++) {
		free(modules->all[i].path);
		free(modules->all[i].build_id);
		symbols_close(modules->all[i].symbols);
	}
	memory_free(modules->all);
	memory_free(modules->numbers);
	strtab_free(modules->keys);
	*modules = (struct modules){0};
}

/*
 * Finds the function at an offset. The file is opened by the first search; if
 * that fails, `module->err` has the reason.
 *
 * Errors: CTP_END if it has no name; CTP_ERR_NOMEM.
 */
static enum ctp_status find_symbol(struct symbolize_module *module,
	const char *debug_directory, uint64_t offset,
	struct symbols_function *function, struct ctp_error *err)
{
	struct symbols_expected expected = {
		.build_id = module->build_id,
		.build_id_bytes = module->build_id_bytes,
		.bytes = module->bytes,
	};

	if (!module->tried) {
		module->tried = true;
		if (symbols_open(module->path, &expected, debug_directory,
			    &module->symbols, &module->err) == CTP_ERR_NOMEM)
			return ctp_no_memory(err);
	}
	if (module->symbols == NULL)
		return CTP_END;
	return symbols_find(module->symbols, offset, function, err);
}

/* ---- site blocks ---- */

/* Site blocks: finds the functions that get names, and writes the blocks with
 * them. */

/* Larger blocks are written as several. */
#define BLOCK_BYTES ((size_t)2 * 1024 * 1024)
/* Longer text is not worth having. */
#define TEXT_MAX 65535

struct symbolize {
	int fd;
	const char *debug_directory;
	struct stat file; /* state when it was read */
	struct log_scan *scan;
	struct modules modules;
	struct symbolize_counts counts;
	uint64_t members;
	char *spool;       /* the recording's; NULL: it has ended */
	uint64_t *changes; /* offsets of members to rewrite */
	size_t change_count;
	size_t change_room;
	struct buffer rows; /* of the new block */
	struct buffer block;
	/* While writing: */
	struct log_writer *writer; /* NULL: only searching */
	int out;
	size_t next_change;
	uint64_t copied; /* bytes of the log copied so far */
	uint8_t *copy;   /* buffer, if the system cannot copy */
};

/* Contents of a site block, after its kind. */
struct site_block {
	uint32_t elements; /* in the block */
	uint32_t first;
	uint32_t count;
	struct cursor rows; /* and any newer data after them */
};

/* Whether the result is worth writing and more than the row has. */
static bool is_better(
	const struct symbols_function *function, const struct log_site_row *row)
{
	return strlen(function->name) <= TEXT_MAX &&
	       strlen(function->mangled) <= TEXT_MAX &&
	       strlen(function->file) <= TEXT_MAX &&
	       (row->name.size == 0 || function->file[0] != '\0');
}

static void count_row(struct symbolize_counts *counts,
	struct symbolize_module *module, const struct log_site_row *row,
	bool found)
{
	bool named = found || row->name.size != 0;

	counts->functions++;
	counts->named += named;
	counts->changed += found;
	counts->lost += !named && module == NULL;
	if (module != NULL)
		module->unnamed += !named;
}

/* Finds the facts about a row's function that the row lacks; CTP_END if there
 * are none. */
static enum ctp_status find_function(struct symbolize *symbolize,
	const struct log_site_row *row, struct symbols_function *function,
	struct ctp_error *err)
{
	struct symbolize_module *module =
		modules_find(&symbolize->modules, row->module);
	enum ctp_status status = CTP_END;

	if (module != NULL && (row->name.size == 0 || row->file.size == 0))
		status = find_symbol(module, symbolize->debug_directory,
			row->offset, function, err);
	if (status == CTP_OK && !is_better(function, row))
		status = CTP_END;
	if (status < 0)
		return status;
	if (symbolize->writer == NULL)
		count_row(&symbolize->counts, module, row, status == CTP_OK);
	return status;
}

static struct log_text text_of(const char *text)
{
	return (struct log_text){text, strlen(text)};
}

static void add_row(struct buffer *rows, const struct log_site_row *row,
	const struct symbols_function *function)
{
	msgpack_packer out = msgpack_out(rows);
	struct log_site_row named = *row;

	named.name = text_of(function->name);
	named.file = text_of(function->file);
	named.line = function->line;
	named.mangled = text_of(function->mangled);
	log_block_add_site(&out, &named);
	buffer_add(rows, row->rest.at, row->rest.left);
}

/* Appends a row, already read, to `rows`, with a name if one is found. */
static enum ctp_status name_row(struct symbolize *symbolize,
	struct cursor *block, struct ctp_error *err)
{
	struct cursor whole = *block;
	struct symbols_function function;
	struct log_site_row row;
	enum ctp_status status = CTP_END;

	(void)log_site_read(block, &row);
	if (row.is_function)
		status = find_function(symbolize, &row, &function, err);
	if (status == CTP_OK)
		add_row(&symbolize->rows, &row, &function);
	else if (status == CTP_END)
		buffer_add(
			&symbolize->rows, whole.at, whole.left - block->left);
	return status == CTP_END ? CTP_OK : status;
}

/* False if any part of the block is malformed. */
static bool read_site_block(
	struct cursor block, uint32_t elements, struct site_block *sites)
{
	struct log_site_row row;

	sites->elements = elements;
	if (elements < 3 ||
		!unpack_u32(&block, LOG_SITES_MAX - 1, &sites->first) ||
		!unpack_array(&block, &sites->count))
		return false;
	sites->rows = block;
	/* Check all rows, so that no part of a bad block is written. */
	for (uint32_t i = 0; i < sites->count; i++)
		if (!log_site_read(&block, &row))
			return false;
	return unpack_skip_values(&block, elements - 3) && block.left == 0;
}

/* Writes the collected rows as a block; data of newer versions after them goes
 * into the last block. */
static enum ctp_status write_rows(struct symbolize *symbolize,
	const struct site_block *sites, uint32_t count, struct cursor rest,
	struct ctp_error *err)
{
	struct buffer *block = &symbolize->block;
	msgpack_packer out = log_block_begin(
		block, LOG_SITES, rest.left == 0 ? 3 : sites->elements);

	(void)msgpack_pack_uint32(&out, sites->first);
	(void)msgpack_pack_array(&out, count);
	buffer_add(block, symbolize->rows.bytes, symbolize->rows.used);
	buffer_add(block, rest.at, rest.left);
	symbolize->rows.used = 0;
	if (block->failed || symbolize->rows.failed)
		return ctp_no_memory(err);
	if (symbolize->writer == NULL)
		return CTP_OK;
	/* If this fails, keep what was copied so far. */
	log_writer_resume(symbolize->writer,
		(uint64_t)lseek(symbolize->out, 0, SEEK_CUR), 0);
	return log_block_write(symbolize->writer, LOG_SITES, block, err);
}

/* Looks up and counts the names of a block's functions or, with a writer,
 * writes the block with them. */
static enum ctp_status name_sites(struct symbolize *symbolize,
	struct site_block sites, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	uint32_t done = 0; /* rows of this block */

	symbolize->rows.used = 0;
	for (uint32_t left = sites.count; status == CTP_OK && left > 0;
		left--) {
		status = name_row(symbolize, &sites.rows, err);
		done++;
		if (status != CTP_OK || left == 1 ||
			symbolize->rows.used < BLOCK_BYTES)
			continue;
		status = write_rows(
			symbolize, &sites, done, (struct cursor){0}, err);
		sites.first += done;
		done = 0;
	}
	if (status == CTP_OK)
		status = write_rows(symbolize, &sites, done, sites.rows, err);
	return status;
}

/* ---- the log ---- */

static bool add_change(struct symbolize *symbolize, uint64_t offset)
{
	if (!array_reserve(&symbolize->changes, symbolize->change_count,
		    &symbolize->change_room, sizeof(*symbolize->changes)))
		return false;
	symbolize->changes[symbolize->change_count++] = offset;
	return true;
}

/* Copies the log unchanged up to an offset. */
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
				"is shorter than it was before");
		wrote = write(symbolize->out, symbolize->copy, (size_t)got);
		if (wrote < 0)
			return ctp_fail(err, CTP_ERR_IO, "cannot write");
		symbolize->copied += (uint64_t)wrote;
	}
	return CTP_OK;
}

/* The same by the system, which may share the blocks. If that fails, the plain
 * copy reports the reason better. */
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

/* Searches the names of a site block, or writes it. */
static enum ctp_status name_or_write_sites(struct symbolize *symbolize,
	const struct log_member *member, const struct site_block *sites,
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
	status = name_sites(symbolize, *sites, err);
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

static enum ctp_status read_header(
	struct symbolize *symbolize, struct cursor block, struct ctp_error *err)
{
	uint32_t count;

	modules_restart(&symbolize->modules);
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

static enum ctp_status read_block(struct symbolize *symbolize,
	const struct log_member *member, struct cursor block,
	struct ctp_error *err)
{
	struct log_site_module module;
	struct site_block sites;
	uint32_t elements;
	uint32_t kind;

	if (!unpack_array(&block, &elements) ||
		!unpack_u32(&block, UINT32_MAX, &kind))
		return CTP_OK;
	switch (kind) {
	case LOG_HEADER:
		return read_header(symbolize, block, err);
	case LOG_SITES:
		return read_site_block(block, elements, &sites)
			       ? name_or_write_sites(
					 symbolize, member, &sites, err)
			       : CTP_OK;
	case LOG_MODULE:
		return !log_site_read_module(&block, &module) ||
				       modules_add(&symbolize->modules, &module)
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

/* Handles all relevant members, by their headers. */
static enum ctp_status walk(struct symbolize *symbolize, struct ctp_error *err)
{
	enum ctp_status status;
	struct log_member member;

	log_scan_free(symbolize->scan);
	symbolize->scan = log_scan_new(symbolize->fd);
	if (symbolize->scan == NULL)
		return ctp_no_memory(err);
	symbolize->members = 0;
	modules_restart(&symbolize->modules);
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
			status = read_block(symbolize, &member, block, err);
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
			"contains no complete block of a log");
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
	modules_clear(&symbolize->modules);
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
			err, CTP_ERR_FORMAT, "changed while it was being read");
	return status;
}

/* SPDX-License-Identifier: MIT */
/* Site blocks: which of their functions get names, and the blocks with them. */
#include <string.h>
#include <unistd.h>

#include "log/msgpack_out.h"
#include "symbols/symbolize_private.h"
#include "log/unpack.h"

/* Larger blocks are written as several. */
#define BLOCK_BYTES ((size_t)2 * 1024 * 1024)
/* Longer text is not worth having. */
#define TEXT_MAX 65535

/* Is what was found worth writing, and more than the row has? */
static bool is_better(
	const struct symbols_function *function, const struct log_site_row *row)
{
	return strlen(function->name) <= TEXT_MAX &&
	       strlen(function->mangled) <= TEXT_MAX &&
	       strlen(function->file) <= TEXT_MAX &&
	       (row->name.size == 0 || function->file[0] != '\0');
}

static void count(struct symbolize_counts *counts,
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

/* What is known of a row's function beyond what the row has; CTP_END if
 * nothing is. */
static enum ctp_status look_up(struct symbolize *symbolize,
	const struct log_site_row *row, struct symbols_function *function,
	struct ctp_error *err)
{
	struct symbolize_module *module =
		symbolize_modules_find(&symbolize->modules, row->module);
	enum ctp_status status = CTP_END;

	if (module != NULL && (row->name.size == 0 || row->file.size == 0))
		status = symbolize_module_find(module,
			symbolize->debug_directory, row->offset, function, err);
	if (status == CTP_OK && !is_better(function, row))
		status = CTP_END;
	if (status < 0)
		return status;
	if (symbolize->writer == NULL)
		count(&symbolize->counts, module, row, status == CTP_OK);
	return status;
}

static void add_row(struct buffer *rows, const struct log_site_row *row,
	const struct symbols_function *function)
{
	msgpack_packer out = msgpack_out(rows);

	(void)msgpack_pack_array(&out, row->elements);
	msgpack_out_key(&out, function->name);
	msgpack_out_key(&out, function->file);
	(void)msgpack_pack_uint32(&out, function->line);
	(void)msgpack_pack_uint32(&out, row->module);
	(void)msgpack_pack_uint64(&out, row->offset);
	msgpack_out_key(&out, function->mangled);
	if (row->elements >= LOG_SITE_INFO_ELEMENTS) {
		msgpack_out_text(&out, row->category.bytes, row->category.size);
		(void)msgpack_pack_uint32(&out, row->call_line);
	}
	buffer_add(rows, row->rest.at, row->rest.left);
}

/* Takes one row, read before, and appends it to `rows`, with a name if there
 * is one. */
static enum ctp_status take_row(struct symbolize *symbolize,
	struct cursor *block, struct ctp_error *err)
{
	struct cursor whole = *block;
	struct symbols_function function;
	struct log_site_row row;
	enum ctp_status status = CTP_END;

	(void)log_site_read(block, &row);
	if (row.is_function)
		status = look_up(symbolize, &row, &function, err);
	if (status == CTP_OK)
		add_row(&symbolize->rows, &row, &function);
	else if (status == CTP_END)
		buffer_add(
			&symbolize->rows, whole.at, whole.left - block->left);
	return status == CTP_END ? CTP_OK : status;
}

bool symbolize_sites_read(
	struct cursor block, uint32_t elements, struct symbolize_sites *sites)
{
	struct log_site_row row;

	sites->elements = elements;
	if (elements < 3 ||
		!unpack_u32(&block, LOG_SITES_MAX - 1, &sites->first) ||
		!unpack_array(&block, &sites->count))
		return false;
	sites->rows = block;
	/* Whole, so that nothing of a bad one is written. */
	for (uint32_t i = 0; i < sites->count; i++)
		if (!log_site_read(&block, &row))
			return false;
	for (uint32_t i = 3; i < elements; i++)
		if (!unpack_skip(&block))
			return false;
	return block.left == 0;
}

/* Writes the rows that there are as a block; what newer versions put behind
 * them goes with the last. */
static enum ctp_status write_rows(struct symbolize *symbolize,
	const struct symbolize_sites *sites, uint32_t count, struct cursor rest,
	struct ctp_error *err)
{
	struct buffer *block = &symbolize->block;
	msgpack_packer out = msgpack_out(block);

	block->used = 0;
	(void)msgpack_pack_array(&out, rest.left == 0 ? 3 : sites->elements);
	(void)msgpack_pack_int(&out, LOG_SITES);
	(void)msgpack_pack_uint32(&out, sites->first);
	(void)msgpack_pack_array(&out, count);
	buffer_add(block, symbolize->rows.bytes, symbolize->rows.used);
	buffer_add(block, rest.at, rest.left);
	symbolize->rows.used = 0;
	if (block->failed || symbolize->rows.failed)
		return ctp_no_memory(err);
	if (symbolize->writer == NULL)
		return CTP_OK;
	/* If this fails, what was copied so far is not to be cut off. */
	log_writer_resume(symbolize->writer,
		(uint64_t)lseek(symbolize->out, 0, SEEK_CUR), 0);
	return log_writer_add(symbolize->writer, LOG_SITES,
		&(struct deflate_part){block->bytes, block->used, false}, 1,
		err);
}

enum ctp_status symbolize_sites_take(struct symbolize *symbolize,
	struct symbolize_sites sites, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	uint32_t done = 0; /* in this block */

	symbolize->rows.used = 0;
	for (uint32_t left = sites.count; status == CTP_OK && left > 0;
		left--) {
		status = take_row(symbolize, &sites.rows, err);
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

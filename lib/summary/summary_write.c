/* SPDX-License-Identifier: MIT */
/* Writes a summary with the members of logs. Source: FORMAT.md. */
#include "summary/summary.h"

#include <stdlib.h>
#include <string.h>

#include "log/log_write.h"
#include "log/msgpack_out.h"
#include "summary/summary_section.h"

/* A block ends after the row with which its rows reach this. */
#define ROWS_BYTES ((size_t)256 << 10)

#define LEVEL 6

struct summary_out {
	struct log_writer *log;
	struct strtab *texts; /* of the file, numbered like there */
	const char *section;
	struct buffer block;
	struct buffer new_texts; /* of the block; packed */
	uint32_t new_count;
	struct buffer rows;
	uint32_t row_count;
	uint64_t all_rows;
	struct buffer row;
	uint32_t elements;
	/* Elements and bytes of the row up to its last element that is not
	 * 0. */
	uint32_t kept_elements;
	size_t kept_bytes;
	enum ctp_status status; /* the first error */
	struct ctp_error *err;
};

static void fail(struct summary_out *out)
{
	if (out->status == CTP_OK)
		out->status = ctp_no_memory(out->err);
}

static void write_block(struct summary_out *out, enum log_block kind)
{
	struct deflate_part part = {
		out->block.bytes, out->block.used, DEFLATE_ANY};

	if (out->block.failed || out->new_texts.failed || out->rows.failed)
		fail(out);
	if (out->status == CTP_OK)
		out->status =
			log_writer_add(out->log, kind, &part, 1, out->err);
}

static void flush_rows(struct summary_out *out)
{
	msgpack_packer packer = msgpack_out(&out->block);

	if (out->row_count == 0)
		return;
	out->block.used = 0;
	(void)msgpack_pack_array(&packer, 4);
	(void)msgpack_pack_int(&packer, LOG_SUMMARY_ROWS);
	msgpack_out_key(&packer, out->section);
	(void)msgpack_pack_array(&packer, out->new_count);
	buffer_add(&out->block, out->new_texts.bytes, out->new_texts.used);
	(void)msgpack_pack_array(&packer, out->row_count);
	buffer_add(&out->block, out->rows.bytes, out->rows.used);
	write_block(out, LOG_SUMMARY_ROWS);
	out->all_rows += out->row_count;
	out->row_count = 0;
	out->rows.used = 0;
	out->new_count = 0;
	out->new_texts.used = 0;
}

void summary_out_row(struct summary_out *out)
{
	out->row.used = 0;
	out->elements = 0;
	out->kept_elements = 0;
	out->kept_bytes = 0;
}

void summary_out_number(struct summary_out *out, uint64_t number)
{
	uint8_t *end;

	if (!buffer_reserve(&out->row, MSGPACK_OUT_INT_MAX)) {
		fail(out);
		return;
	}
	end = msgpack_out_uint(out->row.bytes + out->row.used, number);
	out->row.used = (size_t)(end - out->row.bytes);
	out->elements++;
	if (number == 0)
		return;
	out->kept_elements = out->elements;
	out->kept_bytes = out->row.used;
}

void summary_out_signed(struct summary_out *out, int64_t number)
{
	uint64_t twice = (uint64_t)number << 1;

	summary_out_number(out, number < 0 ? ~twice : twice);
}

void summary_out_text(struct summary_out *out, const char *text)
{
	size_t size = strlen(text);
	uint32_t count = strtab_count(out->texts);
	uint32_t number = strtab_add(out->texts, text, size);
	msgpack_packer packer = msgpack_out(&out->new_texts);

	if (number == STRTAB_NONE) {
		fail(out);
		return;
	}
	if (number == count) {
		msgpack_out_text(&packer, text, size);
		out->new_count++;
	}
	summary_out_number(out, number);
}

void summary_out_end_row(struct summary_out *out)
{
	msgpack_packer packer = msgpack_out(&out->rows);

	(void)msgpack_pack_array(&packer, out->kept_elements);
	buffer_add(&out->rows, out->row.bytes, out->kept_bytes);
	out->row_count++;
	if (out->rows.used + out->new_texts.used >= ROWS_BYTES)
		flush_rows(out);
}

static void write_header(struct summary_out *out)
{
	msgpack_packer packer = msgpack_out(&out->block);

	(void)msgpack_pack_array(&packer, 2);
	(void)msgpack_pack_int(&packer, LOG_SUMMARY_HEADER);
	(void)msgpack_pack_map(&packer, 3);
	msgpack_out_pair(&packer, "format", SUMMARY_FORMAT_NAME);
	msgpack_out_pair_uint(&packer, "version", SUMMARY_VERSION);
	msgpack_out_pair_uint(&packer, "reader", SUMMARY_READER);
	write_block(out, LOG_SUMMARY_HEADER);
}

static void write_end(struct summary_out *out)
{
	msgpack_packer packer = msgpack_out(&out->block);

	out->block.used = 0;
	(void)msgpack_pack_array(&packer, 2);
	(void)msgpack_pack_int(&packer, LOG_SUMMARY_END);
	(void)msgpack_pack_uint64(&packer, out->all_rows);
	write_block(out, LOG_SUMMARY_END);
}

static enum ctp_status write_sections(
	struct summary *summary, struct summary_out *out, struct ctp_error *err)
{
	write_header(out);
	for (const struct summary_section *const *at = summary_sections;
		*at != NULL && out->status == CTP_OK; at++) {
		enum ctp_status status;

		out->section = (*at)->name;
		status = (*at)->write(summary, out, err);
		if (status != CTP_OK)
			return status;
		flush_rows(out);
	}
	write_end(out);
	return out->status;
}

enum ctp_status summary_write(
	struct summary *summary, FILE *stream, struct ctp_error *err)
{
	struct summary_out out = {
		.log = log_writer_new_stream(stream, LEVEL),
		.texts = strtab_new(),
		.err = err,
	};
	enum ctp_status status = CTP_ERR_NOMEM;

	if (out.log != NULL && out.texts != NULL)
		status = write_sections(summary, &out, err);
	else
		(void)ctp_no_memory(err);
	log_writer_free(out.log);
	strtab_free(out.texts);
	buffer_clear(&out.block);
	buffer_clear(&out.new_texts);
	buffer_clear(&out.rows);
	buffer_clear(&out.row);
	return status;
}

/* SPDX-License-Identifier: MIT */
/* Reads a summary. A damaged one is refused: its sums would be wrong without a
 * trace. Source: FORMAT.md. */
#include "summary/summary.h"

#include <string.h>

#include "base/memory.h"
#include "log/unpack.h"
#include "log_read/log_member.h"
#include "summary/summary_section.h"

#define HEADER_KEYS_MAX 64

struct summary_in {
	struct summary *summary;
	struct trace *trace;
	struct log_input *input;
	const struct summary_section *section; /* NULL: unknown */
	struct strtab *text;
	uint32_t *texts; /* numbers in `text` of the file's texts */
	uint32_t text_count, text_room;
	struct cursor row; /* at the next element */
	uint32_t left;
	bool failed; /* an element of a wrong kind */
	uint64_t row_count;
	bool has_header, has_end;
};

static enum ctp_status damaged(
	const struct summary_in *in, const char *reason, struct ctp_error *err)
{
	return ctp_fail_at(err, CTP_ERR_FORMAT, log_input_position(in->input),
		"damaged summary: %s", reason);
}

enum ctp_status summary_in_fail(
	struct summary_in *in, const char *reason, struct ctp_error *err)
{
	return ctp_fail_at(err, CTP_ERR_FORMAT, log_input_position(in->input),
		"damaged summary: %s in section %s", reason, in->section->name);
}

uint32_t summary_in_left(const struct summary_in *in)
{
	return in->left;
}

uint64_t summary_in_number(struct summary_in *in)
{
	uint64_t number = 0;

	if (in->left == 0 || in->failed)
		return 0;
	in->left--;
	if (unpack_uint(&in->row, &number))
		return number;
	in->failed = true;
	return 0;
}

int64_t summary_in_signed(struct summary_in *in)
{
	uint64_t number = summary_in_number(in);
	uint64_t half = number >> 1;

	return (int64_t)((number & 1) != 0 ? ~half : half);
}

uint32_t summary_in_index(struct summary_in *in, uint32_t most)
{
	uint64_t number = summary_in_number(in);

	if (number <= most)
		return (uint32_t)number;
	in->failed = true;
	return 0;
}

const char *summary_in_text(struct summary_in *in)
{
	uint32_t number = summary_in_index(in, in->text_count);

	return number == 0 ? ""
			   : strtab_text(in->text, in->texts[number - 1], NULL);
}

/* Reads the texts that a block adds. */
static enum ctp_status read_texts(
	struct summary_in *in, struct cursor *block, struct ctp_error *err)
{
	uint32_t count;

	if (!unpack_array(block, &count))
		return damaged(in, "its texts", err);
	for (uint32_t i = 0; i < count; i++) {
		const char *text;
		uint32_t number;
		size_t size;

		if (!unpack_text(block, &text, &size) ||
			memchr(text, '\0', size) != NULL)
			return damaged(in, "a text", err);
		number = strtab_add(in->text, text, size);
		if (number == STRTAB_NONE ||
			!array_reserve32(&in->texts, in->text_count,
				&in->text_room, sizeof(*in->texts)))
			return ctp_no_memory(err);
		in->texts[in->text_count++] = number;
	}
	return CTP_OK;
}

static enum ctp_status read_row(
	struct summary_in *in, struct cursor *rows, struct ctp_error *err)
{
	enum ctp_status status;

	in->row = *rows;
	if (!unpack_skip(rows) || !unpack_array(&in->row, &in->left))
		return damaged(in, "a row", err);
	in->row_count++;
	if (in->section == NULL) {
		in->trace->losses[LOSS_UNKNOWN_BLOCKS]++;
		return CTP_OK;
	}
	in->failed = false;
	status = in->section->read(in->summary, in, err);
	/* Elements of a wrong kind are the reason for other errors. */
	if (in->failed && (status == CTP_OK || status == CTP_ERR_FORMAT))
		return summary_in_fail(in, "a wrong row", err);
	return status;
}

static const struct summary_section *find_section(const char *name, size_t size)
{
	for (const struct summary_section *const *at = summary_sections;
		*at != NULL; at++)
		if (strlen((*at)->name) == size &&
			memcmp((*at)->name, name, size) == 0)
			return *at;
	return NULL;
}

static enum ctp_status read_rows(
	struct summary_in *in, struct cursor block, struct ctp_error *err)
{
	const char *name;
	size_t size;
	uint32_t count;
	enum ctp_status status;

	if (!unpack_text(&block, &name, &size))
		return damaged(in, "a section's name", err);
	in->section = find_section(name, size);
	status = read_texts(in, &block, err);
	if (status != CTP_OK)
		return status;
	if (!unpack_array(&block, &count))
		return damaged(in, "a section's rows", err);
	for (uint32_t i = 0; i < count && status == CTP_OK; i++)
		status = read_row(in, &block, err);
	return status;
}

static enum ctp_status read_header(
	struct summary_in *in, struct cursor block, struct ctp_error *err)
{
	uint32_t count;
	uint64_t reader = 0;
	bool named = false;

	if (!unpack_map(&block, &count) || count > HEADER_KEYS_MAX)
		return damaged(in, "its header", err);
	for (uint32_t i = 0; i < count; i++) {
		struct cursor value;
		const char *text;
		size_t size;

		if (!unpack_text(&block, &text, &size))
			return damaged(in, "its header", err);
		value = block;
		if (!unpack_skip(&block))
			return damaged(in, "its header", err);
		if (size == 6 && memcmp(text, "reader", 6) == 0 &&
			!unpack_uint(&value, &reader))
			return damaged(in, "its header", err);
		if (size == 6 && memcmp(text, "format", 6) == 0)
			named = unpack_text(&value, &text, &size) &&
				size == strlen(SUMMARY_FORMAT_NAME) &&
				memcmp(text, SUMMARY_FORMAT_NAME, size) == 0;
	}
	if (!named || reader == 0)
		return damaged(in, "its header", err);
	in->has_header = true;
	return reader <= SUMMARY_READER
		       ? CTP_OK
		       : ctp_fail(err, CTP_ERR_UNSUPPORTED,
				 "is a summary of a newer version of "
				 "ctprof");
}

static enum ctp_status read_end(
	struct summary_in *in, struct cursor block, struct ctp_error *err)
{
	uint64_t rows;

	if (!unpack_uint(&block, &rows) || rows != in->row_count)
		return damaged(in, "rows are missing", err);
	in->has_end = true;
	return CTP_OK;
}

static enum ctp_status read_block(
	struct summary_in *in, struct cursor block, struct ctp_error *err)
{
	uint32_t elements;
	uint64_t kind;

	if (!unpack_array(&block, &elements) || elements < 2 ||
		!unpack_uint(&block, &kind))
		return damaged(in, "a block", err);
	if (in->has_end || in->has_header == (kind == LOG_SUMMARY_HEADER))
		return damaged(in, "blocks in a wrong order", err);
	if (kind == LOG_SUMMARY_HEADER)
		return read_header(in, block, err);
	if (kind == LOG_SUMMARY_END)
		return read_end(in, block, err);
	if (kind == LOG_SUMMARY_ROWS && elements >= 4)
		return read_rows(in, block, err);
	in->trace->losses[LOSS_UNKNOWN_BLOCKS]++;
	return CTP_OK;
}

static enum ctp_status read_blocks(struct summary_in *in, struct ctp_error *err)
{
	const uint64_t *losses = in->trace->losses;
	enum ctp_status status;
	struct cursor block;

	while ((status = log_input_next(in->input, &block, err)) == CTP_OK) {
		if (losses[LOSS_DAMAGED_BLOCKS] + losses[LOSS_SKIPPED_BYTES] !=
			0)
			return damaged(in, "a wrong checksum", err);
		status = read_block(in, block, err);
		if (status != CTP_OK)
			return status;
	}
	if (status != CTP_END)
		return status;
	if (!in->has_end ||
		losses[LOSS_DAMAGED_BLOCKS] + losses[LOSS_SKIPPED_BYTES] != 0)
		return damaged(in, "it is cut off", err);
	return CTP_OK;
}

enum ctp_status summary_read(struct summary_file file, struct trace *trace,
	struct summary **out, struct ctp_error *err)
{
	struct summary_in in = {
		.summary = summary_new(),
		.trace = trace,
		.input = log_input_new(
			file.in, file.head, file.head_size, trace->losses),
		.text = strtab_new(),
	};
	enum ctp_status status = CTP_ERR_NOMEM;

	if (in.summary != NULL && in.input != NULL && in.text != NULL)
		status = read_blocks(&in, err);
	else
		(void)ctp_no_memory(err);
	if (status == CTP_OK) {
		*out = in.summary;
	} else {
		/* The error is enough. */
		trace->losses[LOSS_DAMAGED_BLOCKS] = 0;
		trace->losses[LOSS_SKIPPED_BYTES] = 0;
		summary_free(in.summary);
	}
	log_input_free(in.input);
	strtab_free(in.text);
	memory_free(in.texts);
	return status;
}

unsigned summary_probe(const void *bytes, size_t size)
{
	struct log_member member;

	/* A log begins with a kind of its own, and has the same other bits. */
	return log_member_parse(bytes, size, &member) &&
			       member.kind == LOG_SUMMARY_HEADER
		       ? 8 * (LOG_MAGIC_BYTES + 1)
		       : 0;
}

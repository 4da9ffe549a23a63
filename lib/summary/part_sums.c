/* SPDX-License-Identifier: MIT */
/*
 * Numbers have 8 bytes, little-endian. In this order:
 * - the exit status, and 1 if inputs were refused, else 0;
 * - the number of files, and for each twice its number, plus 1 if it is not a
 *   trace;
 * - the number of inputs in the summary, and for each the number of the summary
 *   that had it;
 * - the summary.
 */
#include "summary/part_sums.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

#define STATUS_MAX 255

static void add_number(struct buffer *out, uint64_t number)
{
	for (unsigned shift = 0; shift < 64; shift += 8)
		buffer_add_byte(out, (uint8_t)(number >> shift));
}

enum ctp_status part_sums_write(
	const struct part_sums *part, struct buffer *out, struct ctp_error *err)
{
	struct summary *summary = part->summary;
	enum ctp_status status;
	char *bytes = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&bytes, &size);

	if (file == NULL)
		return ctp_no_memory(err);
	status = summary_write(summary, file, err);
	if (fclose(file) != 0 && status == CTP_OK)
		status = ctp_no_memory(err);
	add_number(out, part->status);
	add_number(out, part->refused);
	add_number(out, part->file_count);
	for (size_t i = 0; i < part->file_count; i++)
		add_number(out, (uint64_t)part->files[i].number * 2 +
					part->files[i].is_not_trace);
	add_number(out, summary->input_count);
	/* Writing has sorted them. */
	for (size_t i = 0; i < summary->input_count; i++)
		add_number(out, summary->inputs[i].part);
	buffer_add(out, bytes, size);
	free(bytes);
	return status == CTP_OK && out->failed ? ctp_no_memory(err) : status;
}

static enum ctp_status fail(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_FORMAT, "the sums of a part are damaged");
}

static bool read_number(struct cursor *cursor, uint64_t max, uint64_t *out)
{
	return cursor_le64(cursor, out) && *out <= max;
}

static enum ctp_status read_files(struct part_sums *part, struct cursor *cursor,
	size_t file_count, struct ctp_error *err)
{
	uint64_t count;

	if (!read_number(cursor, cursor->left / sizeof(uint64_t), &count) ||
		count > file_count)
		return fail(err);
	part->files = memory_resize_array(
		NULL, (size_t)count + 1, sizeof(*part->files));
	if (part->files == NULL)
		return ctp_no_memory(err);
	for (; part->file_count < count; part->file_count++) {
		uint64_t number;

		if (!cursor_le64(cursor, &number) || number / 2 >= file_count)
			return fail(err);
		part->files[part->file_count] = (struct part_file){
			(size_t)(number / 2), number % 2 != 0};
	}
	return CTP_OK;
}

static enum ctp_status read_summary(
	struct part_sums *part, struct cursor bytes, struct ctp_error *err)
{
	struct trace *trace;
	enum ctp_status status = CTP_ERR_NOMEM;
	FILE *in;

	if (bytes.left == 0)
		return fail(err);
	trace = trace_new(NULL);
	in = fmemopen((void *)(uintptr_t)bytes.at, bytes.left, "r");
	if (trace == NULL || in == NULL)
		(void)ctp_no_memory(err);
	else
		status = summary_read(
			(struct summary_file){
				.in = in, .head = "", .head_size = 0},
			trace, &part->summary, err);
	if (in != NULL)
		(void)fclose(in);
	trace_free(trace);
	return status;
}

/* `numbers` are those of the summaries that had the inputs. */
static enum ctp_status set_parts(struct part_sums *part, struct cursor numbers,
	uint64_t count, struct ctp_error *err)
{
	if (part->summary->input_count != count)
		return fail(err);
	for (size_t i = 0; i < count; i++) {
		uint64_t number;

		if (!read_number(&numbers, UINT32_MAX, &number))
			return fail(err);
		part->summary->inputs[i].part = (uint32_t)number;
	}
	return CTP_OK;
}

enum ctp_status part_sums_read(struct part_sums *part, struct cursor bytes,
	size_t file_count, struct ctp_error *err)
{
	enum ctp_status status;
	struct cursor parts;
	uint64_t refused;
	uint64_t inputs;

	*part = (struct part_sums){0};
	if (!read_number(&bytes, STATUS_MAX, &part->status) ||
		!read_number(&bytes, 1, &refused))
		return fail(err);
	part->refused = refused != 0;
	status = read_files(part, &bytes, file_count, err);
	if (status != CTP_OK)
		return status;
	if (!read_number(&bytes, bytes.left / sizeof(uint64_t), &inputs))
		return fail(err);
	parts = bytes;
	if (cursor_bytes(&bytes, (size_t)inputs * sizeof(uint64_t)) == NULL)
		return fail(err);
	status = read_summary(part, bytes, err);
	return status == CTP_OK ? set_parts(part, parts, inputs, err) : status;
}

void part_sums_clear(struct part_sums *part)
{
	summary_free(part->summary);
	memory_free(part->files);
	*part = (struct part_sums){0};
}

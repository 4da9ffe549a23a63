/* SPDX-License-Identifier: MIT */
/*
 * Exit status; 1 if inputs were refused; the number of files, and of each twice
 * its number, plus 1 if it is not a trace; the number of inputs in the summary,
 * and of each the number of the summary that had it; the summary.
 */
#include "input/part_sums.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "cli/command.h"
#include "input/aggregate_summary.h"

static void add_number(struct buffer *out, uint64_t number)
{
	for (unsigned shift = 0; shift < 64; shift += 8)
		buffer_add_byte(out, (uint8_t)(number >> shift));
}

static void add_files(struct buffer *out, const struct part_sums *part,
	const struct input_tree *tree)
{
	add_number(out, part->count);
	for (size_t i = 0; i < part->count; i++)
		add_number(out,
			(uint64_t)part->numbers[i] * 2 +
				tree->files[part->numbers[i]].is_not_trace);
}

enum ctp_status part_sums_write(const struct part_sums *part,
	struct aggregate *sums, const struct input_tree *tree,
	struct buffer *out, struct ctp_error *err)
{
	struct summary *summary = sums->summary;
	enum ctp_status status = CTP_ERR_NOMEM;
	char *bytes = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&bytes, &size);

	if (file == NULL || !aggregate_complete(sums))
		(void)ctp_no_memory(err);
	else
		status = summary_write(summary, file, err);
	if (file != NULL && fclose(file) != 0 && status == CTP_OK)
		status = ctp_no_memory(err);
	add_number(out, (uint64_t)part->status);
	add_number(out, sums->refused);
	add_files(out, part, tree);
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
	const struct input_tree *tree, struct ctp_error *err)
{
	uint64_t count;
	uint64_t number;

	if (!read_number(cursor, tree->count, &count))
		return fail(err);
	part->numbers = memory_resize_array(
		NULL, (size_t)count + 1, sizeof(*part->numbers));
	if (part->numbers == NULL)
		return ctp_no_memory(err);
	for (; part->count < count; part->count++) {
		if (!cursor_le64(cursor, &number) || number / 2 >= tree->count)
			return fail(err);
		part->numbers[part->count] = (size_t)number;
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

enum ctp_status part_sums_read(struct part_sums *part,
	const struct buffer *bytes, struct input_tree *tree,
	struct ctp_error *err)
{
	enum ctp_status status;
	struct cursor cursor;
	struct cursor parts;
	uint64_t result;
	uint64_t refused;
	uint64_t inputs;

	*part = (struct part_sums){0};
	cursor_init(&cursor, bytes->bytes, bytes->used);
	if (!read_number(&cursor, EXIT_LIMIT, &result) ||
		!read_number(&cursor, 1, &refused))
		return fail(err);
	part->status = (int)result;
	part->refused = refused != 0;
	status = read_files(part, &cursor, tree, err);
	if (status != CTP_OK)
		return status;
	if (!read_number(&cursor, cursor.left / sizeof(uint64_t), &inputs))
		return fail(err);
	parts = cursor;
	if (cursor_bytes(&cursor, (size_t)inputs * sizeof(uint64_t)) == NULL)
		return fail(err);
	status = read_summary(part, cursor, err);
	if (status == CTP_OK)
		status = set_parts(part, parts, inputs, err);
	for (size_t i = 0; i < part->count; i++) {
		bool is_not_trace = part->numbers[i] % 2 != 0;

		part->numbers[i] /= 2;
		if (status == CTP_OK)
			tree->files[part->numbers[i]].is_not_trace |=
				is_not_trace;
	}
	return status;
}

enum ctp_status part_sums_add(struct part_sums *part, struct aggregate *sums,
	const struct aggregate_options *options, struct ctp_error *err)
{
	sums->refused |= part->refused;
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		sums->losses[loss] += summary_take_count(
			part->summary, SUMMARY_LOST, trace_loss_name(loss));
	return aggregate_add_part(sums, part->summary, options, err);
}

void part_sums_clear(struct part_sums *part)
{
	summary_free(part->summary);
	memory_free(part->numbers);
	*part = (struct part_sums){0};
}

/* SPDX-License-Identifier: MIT */
#include "mpi/part.h"

#include "base/memory.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "input/aggregate_summary.h"

int part_write(
	struct part_sums *part, struct aggregate *sums, struct buffer *out)
{
	struct ctp_error err = {0};

	if (!aggregate_complete(sums))
		return diag_no_memory(NULL);
	part->refused = sums->refused;
	part->summary = sums->summary;
	sums->summary = NULL;
	if (part_sums_write(part, out, &err) == CTP_OK)
		return EXIT_DONE;
	diag_error(NULL, &err);
	return EXIT_LIMIT;
}

bool part_set_files(struct part_sums *part, const struct input_tree *tree,
	const size_t *numbers, size_t count)
{
	part->files =
		memory_resize_array(NULL, count + 1, sizeof(*part->files));
	if (part->files == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		part->files[i] = (struct part_file){
			numbers[i], tree->files[numbers[i]].is_not_trace};
	part->file_count = count;
	return true;
}

int part_add(struct part_sums *part, const char *name, struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree)
{
	struct ctp_error err = {0};
	enum ctp_status status;

	sums->refused |= part->refused;
	for (size_t i = 0; i < part->file_count; i++)
		tree->files[part->files[i].number].is_not_trace |=
			part->files[i].is_not_trace;
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		sums->losses[loss] += summary_take_count(
			part->summary, SUMMARY_LOST, trace_loss_name(loss));
	status = aggregate_add_part(sums, part->summary, options, &err);
	if (status == CTP_OK)
		return (int)part->status;
	diag_error(name, &err);
	return exit_worse((int)part->status,
		status == CTP_ERR_UNSUPPORTED ? EXIT_INPUT : EXIT_LIMIT);
}

int part_add_bytes(const struct buffer *bytes, struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree)
{
	struct cursor cursor;
	struct part_sums part;
	struct ctp_error err = {0};
	int status = EXIT_LIMIT;

	cursor_init(&cursor, bytes->bytes, bytes->used);
	if (part_sums_read(&part, cursor, tree->count, &err) == CTP_OK)
		status = part_add(&part, NULL, sums, options, tree);
	else
		diag_error(NULL, &err);
	part_sums_clear(&part);
	return status;
}

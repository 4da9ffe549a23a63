/* SPDX-License-Identifier: MIT */
#include "input/conversion.h"

#include <stdlib.h>

#include "cli/command.h"
#include "input/format_names.h"
#include "input/output_path.h"
#include "cli/output.h"
#include "cli/diag.h"

int conversion_find_format(const struct format **to, const char *path)
{
	if (*to != NULL || path == NULL || output_path_is_directory(path))
		return EXIT_DONE;
	return output_path_format(path, to);
}

int conversion_check_format(const struct format **to, const struct input *input)
{
	if (*to == NULL)
		*to = input->file.format;
	if (format_names_can_write(*to))
		return EXIT_DONE;
	diag("format %s is read-only; use -t FORMAT", (*to)->name);
	return EXIT_USAGE;
}

/* Converts an open input to an open output. */
static int convert(struct convert_job *convert, enum when when,
	struct input *input, const struct output *output)
{
	struct ctp_error err = {0};
	enum ctp_status status;

	input_start_progress(input, when);
	convert->out = output->file;
	convert->progress = input_update_progress;
	convert->user = input;
	status = convert_run(input->file.source, convert, &err);
	progress_hide(&input->progress);
	if (status == CTP_OK)
		return EXIT_DONE;
	return input_diag_error(input, output->name, &err);
}

static int write_file(const struct conversion *conversion, const char *path,
	struct input *input, struct convert_part *part)
{
	struct convert_job one = conversion->convert;
	struct output output;
	int status = output_open_as(&output, path, conversion->force, one.to);

	if (status != EXIT_DONE)
		return status;
	one.part = part;
	status = convert(&one, conversion->progress, input, &output);
	return exit_worse(status, output_close(&output, status == EXIT_DONE));
}

static bool is_full(void *user)
{
	const struct convert_part *part = user;

	return part->full;
}

static int write_part(const struct conversion *conversion, struct input *input,
	struct convert_part *part, unsigned number)
{
	char *path = output_path_part(
		conversion->path, conversion->convert.to, number);
	int status;

	if (path == NULL)
		return diag_no_memory(NULL);
	status = write_file(conversion, path, input, part);
	free(path);
	return status;
}

static int write_parts(const struct conversion *conversion, struct input *input,
	struct cut *cut)
{
	struct convert_part part = {.bytes = conversion->part_bytes};
	enum ctp_status next = CTP_OK;
	struct ctp_error err = {0};
	int status = EXIT_DONE;

	cut_set_limit(cut, is_full, &part);
	for (unsigned i = 1; status == EXIT_DONE && next == CTP_OK; i++) {
		status = write_part(conversion, input, &part, i);
		part.full = false;
		if (status == EXIT_DONE)
			next = cut_next_part(cut, &err);
	}
	if (next != CTP_OK && next != CTP_END)
		return input_diag_error(input, input->name, &err);
	return status;
}

int conversion_run(const struct conversion *conversion, struct input *input,
	struct cut *cut)
{
	if (conversion->part_bytes == 0)
		return write_file(conversion, conversion->path, input, NULL);
	return write_parts(conversion, input, cut);
}

/* SPDX-License-Identifier: MIT */
#include "input/conversion.h"

#include <stdlib.h>

#include "cli/command.h"
#include "input/format_names.h"
#include "input/output_path.h"
#include "cli/output.h"
#include "cli/diag.h"
#include "cli/quantity.h"

#define ESTIMATE_BYTES 16000000 /* written before the size is estimated */
#define LARGE_BYTES 5e8         /* more than viewers in a browser can open */

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

/* The size of an output, from its growth while the input is read. */
struct estimate {
	struct input *input;
	const struct output *output;
	bool done;
};

/* Reports a large file once its size can be estimated, which is long before
 * the disk is full. */
static void estimate_size(struct estimate *estimate, uint64_t position)
{
	uint64_t total = estimate->input->progress.total;
	off_t written = ftello(estimate->output->file);
	char size[QUANTITY_TEXT];
	double bytes;

	if (written < ESTIMATE_BYTES || position == 0 || total < position)
		return;
	estimate->done = true;
	bytes = (double)written * ((double)total / (double)position);
	if (bytes < LARGE_BYTES)
		return;
	diag("%s: about %s of JSON; .pftrace is a quarter of that, --min-dur "
	     "leaves out short ranges, and --split makes several files",
		estimate->output->name, quantity_bytes(size, (uint64_t)bytes));
}

static void update_progress(void *user, uint64_t position)
{
	struct estimate *estimate = user;

	if (!estimate->done)
		estimate_size(estimate, position);
	input_update_progress(estimate->input, position);
}

/* Converts an open input to an open output. */
static int convert(struct convert_job *convert,
	const struct conversion *conversion, struct input *input,
	const struct output *output)
{
	struct estimate estimate = {input, output, !conversion->warn_size};
	struct ctp_error err = {0};
	enum ctp_status status;

	input_start_progress(input, conversion->progress);
	convert->out = output->file;
	convert->progress = update_progress;
	convert->user = &estimate;
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
	status = convert(&one, conversion, input, &output);
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

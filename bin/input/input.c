/* SPDX-License-Identifier: MIT */
#include "input/input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/diag.h"
#include "io/unit.h"

const char *input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static enum ctp_status try_open_as(struct input *input, const char *name,
	const char *path, const struct inputs *inputs, struct ctp_error *err)
{
	struct read_request request = inputs->request;
	enum ctp_status status;

	input->name = name;
	input->progress = (struct progress){.source = NULL};
	request.progress = progress_show_source;
	request.progress_user = &input->progress;
	status = input_file_open(
		&input->file, path, inputs->from, &request, err);
	if (status != CTP_OK || request.event == NULL ||
		input->file.format == &callgrind_format ||
		input->file.format == &pprof_format)
		return status;
	input_file_close(&input->file);
	return ctp_fail(err, CTP_ERR_UNSUPPORTED,
		"--events: only callgrind and pprof profiles have several");
}

enum ctp_status input_try_open(struct input *input, const char *path,
	const struct inputs *inputs, struct ctp_error *err)
{
	return try_open_as(input, input_name(path), path, inputs, err);
}

int input_open(
	struct input *input, const char *path, const struct inputs *inputs)
{
	return input_open_as(input, input_name(path), path, inputs);
}

int input_open_as(struct input *input, const char *name, const char *path,
	const struct inputs *inputs)
{
	struct ctp_error err = {0};

	if (try_open_as(input, name, path, inputs, &err) == CTP_OK)
		return EXIT_DONE;
	return input_diag_unopened(input, &err);
}

int input_diag_unopened(const struct input *input, const struct ctp_error *err)
{
	if (err->status == CTP_ERR_IO && err->sys_errno == EISDIR)
		diag("%s: is a directory; name its files, or use stats, "
		     "phases, ranks, summarize, diff, check, convert or report",
			input->name);
	else
		diag_error(input->name, err);
	return err->status == CTP_ERR_NOMEM || err->status == CTP_ERR_LIMIT
		       ? EXIT_LIMIT
		       : EXIT_INPUT;
}

void input_start_progress(struct input *input, enum when when)
{
	progress_start(&input->progress, when, NULL, input->file.size_bytes);
	progress_set_source(&input->progress, input->file.source);
}

void input_update_progress(void *input, uint64_t position)
{
	progress_update(&((struct input *)input)->progress, position);
}

int input_diag_error(const struct input *input, const char *output,
	const struct ctp_error *err)
{
	switch (err->status) {
	case CTP_ERR_NOMEM:
	case CTP_ERR_LIMIT:
		diag_error(input->name, err);
		return EXIT_LIMIT;
	case CTP_ERR_IO:
		if (input->file.file == NULL || !ferror(input->file.file)) {
			diag_error(output, err);
			return EXIT_OUTPUT;
		}
		break;
	default:
		break;
	}
	diag_error(input->name, err);
	return EXIT_INPUT;
}

/* Reports where and how the input is damaged. */
static void diag_damage(const struct input *input)
{
	const char *damage =
		trace_find_fact(input->file.source->trace, "damage");

	if (damage != NULL)
		diag("%s: %s", input->name, damage);
}

/* Reports the unit of a profile that has other values than times, such as
 * memory. */
static void diag_unit(const struct input *input, const struct inputs *inputs)
{
	const char *cost = trace_find_fact(input->file.source->trace, "cost");

	if (inputs->keeps_costs && input->file.format == &callgrind_format)
		return;
	if (input->file.format->read_profile != NULL && cost != NULL &&
		unit_of_cost(cost) == 0)
		diag("%s: has no unit of time: 1 ns stands for 1 of %s",
			input->name, cost);
}

/* Suggests symbolizing if no function has a name; otherwise that was done
 * already. */
static void diag_unnamed(const struct input *input)
{
	const struct trace *trace = input->file.source->trace;

	if (trace->has_unnamed && !trace->has_named)
		diag("%s: functions have addresses only; use 'ctprof "
		     "symbolize'",
			input->name);
}

bool input_has_spool(const struct input *input)
{
	const struct trace *trace = input->file.source->trace;
	const char *spool = trace_find_fact(trace, "spool");

	return input->file.format == &log_format &&
	       trace->losses[LOSS_TRUNCATED] > 0 && spool != NULL &&
	       access(spool, F_OK) == 0;
}

int input_close(struct input *input, const struct inputs *inputs)
{
	const struct trace *trace = input->file.source->trace;
	bool lost = false;

	if (inputs->strict || !inputs->quiet)
		diag_damage(input);
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		bool note = trace_loss_is_note(loss);

		if (trace->losses[loss] == 0)
			continue;
		lost = lost || !note;
		if (note ? inputs->verbose && !inputs->quiet
			 : inputs->strict || !inputs->quiet)
			diag("%s: %" PRIu64 " %s", input->name,
				trace->losses[loss],
				trace_loss_description(loss));
	}
	if (!inputs->quiet) {
		diag_unit(input, inputs);
		diag_unnamed(input);
	}
	if (!inputs->quiet && input_has_spool(input))
		diag("%s: " INPUT_HAS_SPOOL, input->name);
	input_file_close(&input->file);
	return lost && inputs->strict ? EXIT_DAMAGED : EXIT_DONE;
}

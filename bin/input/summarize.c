/* SPDX-License-Identifier: MIT */
#include "input/summarize.h"

#include <inttypes.h>

#include "cli/command.h"
#include "cli/diag.h"
#include "cli/output.h"
#include "input/aggregate_summary.h"

static int write_summary(
	struct summary *summary, const struct output_options *to)
{
	struct ctp_error err = {0};
	struct output output;
	int status =
		output_open_as(&output, to->path, to->force, &ctpart_format);

	if (status != EXIT_DONE)
		return status;
	if (summary_write(summary, output.file, &err) != CTP_OK) {
		diag_error(output.name, &err);
		status = err.status == CTP_ERR_IO ? EXIT_OUTPUT : EXIT_LIMIT;
	}
	return exit_worse(status, output_close(&output, status == EXIT_DONE));
}

/* The summary, which may be kept for long, lacks these. */
static void diag_lost(
	const struct summary *summary, const struct inputs *inputs)
{
	if (summary->lost_count != 0 && !inputs->quiet)
		diag("the sum lacks %zu input%s", summary->lost_count,
			summary->lost_count == 1 ? "" : "s");
}

int summarize_run(const struct aggregate_options *asked,
	const struct output_options *output)
{
	struct aggregate_options options = *asked;
	struct ctp_error err = {0};
	struct aggregate aggregate;
	int written = EXIT_DONE;
	int status;

	options.whole = true;
	options.groups = (1U << BUILD_GROUP_COUNT) - 1;
	status = aggregate_run(&aggregate, &options);
	/* Out of memory, an input may be in the sum in part. */
	if (status >= EXIT_OUTPUT || aggregate.refused ||
		aggregate.summary == NULL) {
		aggregate_clear(&aggregate);
		return status;
	}
	/* A summary without inputs goes with those that have some. */
	if (aggregate.summary->option_count == 0 &&
		aggregate_set_options(&aggregate, &options, &err) != CTP_OK)
		written = diag_no_memory(NULL);
	else if (!aggregate_complete(&aggregate))
		written = diag_no_memory(NULL);
	else
		written = write_summary(aggregate.summary, output);
	if (written == EXIT_DONE)
		diag_lost(aggregate.summary, options.inputs);
	aggregate_clear(&aggregate);
	return exit_worse(status, written);
}

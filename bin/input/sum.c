/* SPDX-License-Identifier: MIT */
#include "input/sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "format.h"
#include "input_file.h"
#include "input/aggregate.h"

bool sum_is_needed(const struct inputs *inputs)
{
	const struct format *format = inputs->from;
	const char *path = inputs->paths[0];
	struct ctp_error err = {0};

	if (input_tree_is_directory(path) ||
		(format == NULL &&
			input_file_peek(path, &format, &err) != CTP_OK))
		return false;
	return format == &ctpart_format;
}

/* What print() needs. */
struct printing {
	const struct sum *sum;
	struct summary *summary;
	struct sum_target to;
};

static int print_sum(void *user, FILE *out)
{
	struct printing *printing = user;

	printing->to.out = out;
	return printing->sum->print(
		printing->sum->user, printing->summary, &printing->to);
}

int sum_finish(const struct sum_target *to, const struct report_form *form,
	bool truncated, void (*write)(struct sheet *sheet, const void *view),
	const void *view)
{
	struct report report = to->report;

	report.schema = form->schema;
	report.truncated |= truncated;
	return report_write(to->report_options, &report, to->out, write, view);
}

static int compare_paths(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The paths of all inputs in the sum, sorted. NULL if out of memory. */
static char **list_paths(const struct summary *summary)
{
	char **paths = calloc(summary->input_count + 1, sizeof(*paths));

	for (size_t i = 0; paths != NULL && i < summary->input_count; i++)
		paths[i] = (char *)(uintptr_t)summary->inputs[i].path;
	if (paths != NULL && summary->input_count > 0)
		qsort(paths, summary->input_count, sizeof(*paths),
			compare_paths);
	return paths;
}

static void add_losses(
	struct report *report, const struct summary *summary, const char *kind)
{
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		report->losses[loss] = saturate_sum(
			report->losses[loss], summary_find_count(summary, kind,
						      trace_loss_name(loss)));
}

static int print_aggregate(const struct sum *sum, struct aggregate *aggregate)
{
	struct summary *summary = aggregate->summary;
	struct printing printing = {
		.sum = sum,
		.summary = summary,
		.to.report_options = sum->report_options,
		.to.threads = &aggregate->threads,
		.to.aggregate = aggregate,
	};
	struct report *report = &printing.to.report;
	char **paths = list_paths(summary);
	int status;

	if (paths == NULL)
		return diag_no_memory(NULL);
	report->inputs = paths;
	report->input_count = summary->input_count;
	add_losses(report, summary, SUMMARY_READ);
	if (sum->phases != NULL)
		add_losses(report, summary, SUMMARY_PHASES);
	report->truncated = report->losses[LOSS_TRUNCATED] != 0;
	status =
		report_print(sum->report_options->output, print_sum, &printing);
	free(paths);
	return status;
}

int sum_run(const struct sum *sum)
{
	struct aggregate_options options = {0};
	struct aggregate aggregate;
	int worst;

	if (sum->phases != NULL)
		options = *sum->phases;
	options.inputs = sum->inputs;
	options.section = sum->section;
	if (sum->section == NULL && sum->phases == NULL) {
		options.whole = true;
		options.groups = (1U << BUILD_GROUP_COUNT) - 1;
	}
	options.allows_repeats = sum->allows_repeats;
	options.jobs = sum->jobs;
	worst = aggregate_run(&aggregate, &options);
	/* An empty report would be misleading. */
	if (aggregate.file_count != 0 && !aggregate.refused)
		worst = exit_worse(worst, print_aggregate(sum, &aggregate));
	aggregate_clear(&aggregate);
	return worst;
}

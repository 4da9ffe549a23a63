/* SPDX-License-Identifier: MIT */
/* Lists the largest losses of time in recordings. */
#include "cli/command.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/diag.h"
#include "findings/findings_of.h"
#include "findings/findings_report.h"
#include "input/input_tree.h"
#include "input/report.h"
#include "input/sum.h"

struct request {
	struct inputs inputs;
	struct report_options report_options;
	bool sum;
	uint32_t jobs;
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->jobs != 0 && !request->sum)
		argp_error(state, "--jobs needs --sum");
	return 0;
}

static int print_input(void *user, const struct report_target *to)
{
	const struct trace *trace = to->input->file.source->trace;
	struct findings findings;
	const struct findings_view view = {&findings, *to->path};
	struct page_data data = {0};
	struct compile compile;
	int status = compile_init(&compile) ? EXIT_DONE : diag_no_memory(NULL);

	(void)user;
	if (status == EXIT_DONE)
		status = page_data_read(&data,
			&(struct page_data_source){
				.inputs = to->inputs, .compile = &compile},
			to->input);
	if (status == EXIT_DONE && (!compile_finish(&compile) ||
					   !findings_of_data(&findings, &data,
						   trace, &compile, NULL)))
		status = diag_no_memory(NULL);
	if (status == EXIT_DONE)
		status = report_finish(
			to, &findings_form, false, findings_write, &view);
	page_data_clear(&data);
	compile_clear(&compile);
	return status;
}

static int print_sum(
	void *user, struct summary *summary, const struct sum_target *to)
{
	struct trace *trace = trace_new(NULL);
	struct findings findings;
	const struct findings_view view = {&findings, NULL};
	struct ctp_error err = {0};
	struct page_data data;
	int status = EXIT_DONE;

	(void)user;
	(void)summary;
	if (trace != NULL)
		memcpy(trace->losses, to->aggregate->losses,
			sizeof(trace->losses));
	if (trace == NULL ||
		page_data_of_sum(&data, to->aggregate, &err) != CTP_OK ||
		!findings_of_data(
			&findings, &data, trace, NULL, to->aggregate->groups))
		status = diag_no_memory(NULL);
	else
		status = sum_finish(
			to, &findings_form, false, findings_write, &view);
	trace_free(trace);
	return status;
}

static bool has_directory(const struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		if (input_tree_is_directory(inputs->paths[i]))
			return true;
	return false;
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	struct sum sum = {.inputs = &request.inputs,
		.report_options = &request.report_options,
		.print = print_sum,
		.user = &request};
	int status;

	arguments_parse(&cmd_findings, argc, argv, &request);
	sum.jobs = request.jobs;
	page_data_set_request(&request.inputs.request);
	if (request.sum || has_directory(&request.inputs) ||
		sum_is_needed(&request.inputs))
		status = sum_run(&sum);
	else
		status = report_print_inputs(&request.report_options,
			&request.inputs, print_input, &request);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	SUM_OPTIONS(OF(sum), OF(jobs)),
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
};
/* clang-format on */

const struct command cmd_findings = {
	.name = "findings",
	.group = "Look at a recording",
	.summary = "list the largest losses of time, and what to do about them",
	.forms = {&findings_form},
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE...]",
	.help = "List the largest losses of time in a recording: at most seven "
		"sentences, "
		"the worst first, each with its share of the time, a cure, and "
		"the report that has the details. Directories and summaries "
		"are added up.\vExamples:\n"
		"  ctprof findings train.json.gz\n"
		"  ctprof findings traces/\n"
		"  ctprof findings --json run.ctp | jq -r '.rows[].text'",
	.run = run,
};

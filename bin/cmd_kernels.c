/* SPDX-License-Identifier: MIT */
/* Reports the work of each device's kernels and its share of the peak, or adds
 * the work to the trace. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "roofline/augment.h"
#include "roofline/flops.h"
#include "input/conversion.h"
#include "gpu/kernels_report.h"
#include "input/format_names.h"
#include "input/report.h"
#include "input/sum.h"
#include "cli/diag.h"

#define DEFAULT_TOP 20 /* for text */

struct request {
	struct inputs inputs;
	struct report_options report_options;
	const struct column *sort;
	enum dtype dtype;
	const char *peaks_path;
	bool sum;
	bool allows_repeats;
	uint32_t jobs;
	bool augment;
	bool about_report;       /* a report-only option was given */
	const struct format *to; /* NULL: from the output's name, or the
				  * input */
	struct peaks_file peaks;
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->jobs != 0 && !request->sum)
		argp_error(state, "--jobs needs --sum");
	if (request->to != NULL && !request->augment)
		argp_error(state, "--to needs --augment: reports are text, "
				  "--json or --csv");
	if (!request->augment)
		return 0;
	if (request->inputs.count > 1)
		argp_error(state, "--augment takes one input");
	if (request->report_options.style != REPORT_TEXT)
		argp_error(state, "--augment writes a trace, not a report");
	if (request->about_report || request->sum)
		argp_error(state,
			"--top, --sort, --dtype, --peaks and --sum are for "
			"reports: --augment writes a trace");
	return 0;
}

static void read_dtype(const struct argument_value *value)
{
	enum dtype dtype = dtype_find(value->text);

	if (dtype == DTYPE_UNKNOWN)
		argument_error(value,
			"'%s' is not one of fp64, fp32, tf32, bf16, fp16, fp8, "
			"int8",
			value->text);
	*(enum dtype *)value->member = dtype;
}

/* Applies peaks and sorts. */
static struct kernels_view view_of(
	const struct request *request, struct kernels *kernels)
{
	const struct kernels_view view = {.kernels = kernels,
		.peaks = &request->peaks,
		.dtype = request->dtype,
		.top = report_row_limit(&request->report_options, DEFAULT_TOP),
		.sort = request->sort};

	kernels_apply_peaks(kernels, &view);
	kernels_report_sort(kernels, &view);
	return view;
}

static int print(struct request *request, struct kernels *kernels,
	const struct report_target *to)
{
	struct kernels_view view = view_of(request, kernels);

	view.late = kernels_late(kernels);
	view.input = *to->path;
	return report_finish(to, &kernels_form, kernels_has_more(&view),
		kernels_write, &view);
}

static int print_sum(
	void *user, struct summary *summary, const struct sum_target *to)
{
	struct kernels_view view;
	struct ctp_error err = {0};

	if (summary->kernels == NULL)
		summary->kernels = kernels_new_sum();
	if (summary->kernels == NULL ||
		kernels_finish(summary->kernels, &err) != CTP_OK)
		return diag_no_memory(NULL);
	view = view_of(user, summary->kernels);
	view.late = summary_find_count(summary, "", SUMMARY_LATE);
	return sum_finish(to, &kernels_sum_form, kernels_has_more(&view),
		kernels_write, &view);
}

static int report_input(void *user, const struct report_target *to)
{
	struct kernels *kernels = kernels_new(to->input->file.source->trace);
	int status = report_collect(to, kernels_add, kernels_finish, kernels);

	if (status == EXIT_DONE)
		status = print(user, kernels, to);
	kernels_free(kernels);
	return status;
}

static int augment(struct request *request, struct input *input)
{
	struct conversion conversion = {
		.convert.options.title = input->name,
		.path = request->report_options.output.path,
		.force = request->report_options.output.force,
		.progress = inputs_progress(&request->inputs),
	};
	struct augment *source;
	struct ctp_error err = {0};
	int status = conversion_check_format(&request->to, input);

	if (status != EXIT_DONE)
		return status;
	if (!report_has_events(input))
		return EXIT_INPUT;
	if (augment_open(input->file.source, &source, &err) != CTP_OK)
		return input_diag_error(input, input->name, &err);
	input->file.source = augment_source(source);
	conversion.convert.to = request->to;
	status = conversion_run(&conversion, input, NULL);
	if (augment_late(source) > 0)
		diag("%s: kernels more than %" PRIu32
		     " events after their operator's first kernel: %" PRIu64
		     ", without arguments: earlier kernels get their share",
			input->name, AUGMENT_LIMIT, augment_late(source));
	if (status == EXIT_DONE && augment_count(source) == 0 &&
		!request->inputs.quiet)
		diag("%s: no kernel has known FLOPs or bytes: trace unchanged",
			input->name);
	return status;
}

static int augment_one(struct request *request)
{
	struct inputs *inputs = &request->inputs;
	struct input input;
	int status = conversion_find_format(
		&request->to, request->report_options.output.path);

	if (status != EXIT_DONE)
		return status;
	convert_set_request(request->to, &inputs->request);
	status = input_open(&input, inputs->paths[0], inputs);
	if (status != EXIT_DONE)
		return status;
	status = augment(request, &input);
	return exit_worse(status, input_close(&input, inputs));
}

static int report_all(struct request *request)
{
	const struct sum sum = {.inputs = &request->inputs,
		.report_options = &request->report_options,
		.section = "kernels",
		.allows_repeats = request->allows_repeats,
		.jobs = request->jobs,
		.print = print_sum,
		.user = request};

	if (request->sum || sum_is_needed(&request->inputs))
		return sum_run(&sum);
	return report_print_inputs(&request->report_options, &request->inputs,
		report_input, request);
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	int status = EXIT_DONE;

	arguments_parse(&cmd_kernels, argc, argv, &request);
	if (request.augment) {
		status = augment_one(&request);
		inputs_clear(&request.inputs);
		return status;
	}
	request.inputs.request.skip_args = true;
	request.inputs.request.kept_args = flops_args;
	if (request.peaks_path != NULL)
		status = peaks_file_read(&request.peaks, request.peaks_path);
	if (status == EXIT_DONE)
		status = report_all(&request);
	peaks_file_clear(&request.peaks);
	inputs_clear(&request.inputs);
	return status;
}

/* clang-format off */
#define FOR_REPORT ARGUMENT_GIVEN(struct request, about_report)
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Table:", GROUP_MAIN),
	{"top", 'n', "N", ARGUMENT_CALL,
		"show the first N kernels of each device (default: 20 as text, "
		"all as JSON and CSV; 0: all)", GROUP_MAIN, OF(report_options),
		.call = report_read_top, FOR_REPORT},
	{"sort", 's', "KEY", ARGUMENT_SORT,
		"order by one of these (default: total; flops and bytes are "
		"per second)", GROUP_MAIN, OF(sort),
		FOR_REPORT, .table = &kernels_table},
	{"dtype", 0, "TYPE", ARGUMENT_CALL,
		"data type of kernels for which it is unknown: fp64, fp32, "
		"tf32, bf16, fp16, fp8, int8", GROUP_MAIN, OF(dtype),
		FOR_REPORT, .call = read_dtype},
	{"peaks", 0, "FILE", ARGUMENT_INPUT,
		"read peaks of devices from a JSON file; they take precedence "
		"over the built-in ones", GROUP_MAIN, OF(peaks_path),
		FOR_REPORT},
	{"augment", 0, NULL, ARGUMENT_FLAG,
		"write the trace instead of a report, with FLOPs and bytes as "
		"arguments of operators and kernels", GROUP_OUTPUT,
		OF(augment)},
	{"to", 't', "FORMAT", ARGUMENT_CALL,
		"format of that trace (default: from the suffix of -o, or else "
		"the input's)", GROUP_OUTPUT, OF(to),
		.call = format_names_read_to},
	SUM_OPTIONS(OF(sum), OF(jobs)),
	SUM_REPEATS(OF(allows_repeats)),
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&report_arguments, OF(report_options)),
};
/* clang-format on */

const struct command cmd_kernels = {
	.name = "kernels",
	.group = "Look at a recording",
	.summary = "show GPU kernels against the device's peak",
	.forms = {&kernels_form, &kernels_sum_form},
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE...]",
	.help = "Show the kernels of each GPU: how often and how long they "
		"ran, "
		"and how close their FLOPs and bytes are to the peak of the "
		"device.\vExamples:\n"
		"  ctprof kernels train.json.gz\n"
		"  ctprof kernels --sort flops --top 5 train.json.gz\n"
		"  ctprof kernels --json train.json.gz | jq '.rows[0]'\n"
		"  ctprof kernels --sum traces/\n"
		"  ctprof kernels --augment train.json.gz -o augmented.json",
	.run = run,
};

/* SPDX-License-Identifier: MIT */
/* Annotates operations with their graph nodes. */
#include "cli/command.h"

#include <inttypes.h>
#include <string.h>

#include "operators/annotate.h"
#include "cli/arguments.h"
#include "gpu/fx_file.h"
#include "input/inputs.h"
#include "input/conversion.h"
#include "input/format_names.h"
#include "input/report.h"
#include "cli/diag.h"

struct annotation {
	struct inputs inputs;
	struct output_options output;
	const struct format *to; /* NULL: from the output's name, or the
				  * input */
	const char *registry;
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct annotation *annotation = structure;
	const struct inputs *inputs = &annotation->inputs;

	if (annotation->registry == NULL)
		argp_error(state, "--registry FILE is required");
	if (inputs->count > 1)
		argp_error(state, "annotate takes one input");
	if (strcmp(annotation->registry, "-") == 0 &&
		strcmp(inputs->paths[0], "-") == 0)
		argp_error(state, "the registry and the input cannot both be "
				  "standard input");
	return 0;
}

/* Reports the result, or why nothing was done. */
static void diag_counts(const struct annotation *annotation, const char *name,
	const struct annotate_counts *counts)
{
	const struct inputs *inputs = &annotation->inputs;

	if (inputs->quiet || (!inputs->verbose && counts->operations > 0))
		return;
	if (counts->file_markers == 0 || counts->node_markers == 0)
		diag("%s: has no markers like \"%s\": nothing annotated", name,
			counts->file_markers == 0 ? "## NAME.py ##"
						  : "## 12 ##");
	else if (counts->node_markers == counts->unknown_nodes)
		diag("%s: none of its nodes are in %s: nothing annotated", name,
			input_name(annotation->registry));
	else if (counts->unknown_nodes == 0)
		diag("%s: %" PRIu64 " operations annotated by %" PRIu64
		     " node markers",
			name, counts->operations, counts->node_markers);
	else
		diag("%s: %" PRIu64 " operations annotated, but %" PRIu64
		     " of %" PRIu64 " node markers are not in %s",
			name, counts->operations, counts->unknown_nodes,
			counts->node_markers, input_name(annotation->registry));
}

/* The registry is borrowed by the input's source. */
static int annotate(struct annotation *annotation, struct input *input,
	struct fx_registry *registry)
{
	struct conversion conversion = {
		.convert.options.title = input->name,
		.path = annotation->output.path,
		.force = annotation->output.force,
		.progress = inputs_progress(&annotation->inputs),
	};
	struct annotate *annotate;
	struct ctp_error err = {0};
	int status = conversion_check_format(&annotation->to, input);

	if (status != EXIT_DONE)
		return status;
	if (!report_has_events(input))
		return EXIT_INPUT;
	if (annotate_open(input->file.source, registry, &annotate, &err) !=
		CTP_OK)
		return input_diag_error(input, input->name, &err);
	input->file.source = annotate_source(annotate);
	conversion.convert.to = annotation->to;
	status = conversion_run(&conversion, input, NULL);
	if (status == EXIT_DONE)
		diag_counts(annotation, input->name, annotate_counts(annotate));
	return status;
}

static int annotate_one(struct annotation *annotation)
{
	struct inputs *inputs = &annotation->inputs;
	struct fx_registry *registry;
	struct ctp_error err = {0};
	struct input input;
	int status = conversion_find_format(
		&annotation->to, annotation->output.path);

	if (status != EXIT_DONE)
		return status;
	convert_set_request(annotation->to, &inputs->request);
	if (fx_file_read(annotation->registry, &registry, &err) != CTP_OK) {
		diag_error(input_name(annotation->registry), &err);
		return err.status == CTP_ERR_NOMEM ||
				       err.status == CTP_ERR_LIMIT
			       ? EXIT_LIMIT
			       : EXIT_INPUT;
	}
	status = input_open(&input, inputs->paths[0], inputs);
	if (status == EXIT_DONE) {
		status = annotate(annotation, &input, registry);
		status = exit_worse(status, input_close(&input, inputs));
	}
	fx_registry_free(registry);
	return status;
}

static int run(int argc, char **argv)
{
	struct annotation annotation = {0};
	int status;

	arguments_parse(&cmd_annotate, argc, argv, &annotation);
	status = annotate_one(&annotation);
	inputs_clear(&annotation.inputs);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct annotation, member)
static const struct argument options[] = {
	{"registry", 0, "FILE", ARGUMENT_INPUT,
		"node metadata, as JSON: {FILE: {\"node_metadata\": {INDEX: "
		"{\"stack_trace\", \"name\"}}}}", GROUP_MAIN, OF(registry)},
	{"to", 't', "FORMAT", ARGUMENT_CALL,
		"format of the output (default: from the suffix of -o, or else "
		"the input's)", GROUP_OUTPUT, OF(to),
		.call = format_names_read_to},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
	ARGUMENTS_OF(&output_arguments, OF(output)),
};
/* clang-format on */

const struct command cmd_annotate = {
	.name = "annotate",
	.group = "Look at a recording",
	.summary = "add the model's code to the operations of a trace",
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE]",
	.help = "Add to the operations of a PyTorch trace the stack traces of "
		"the model's code, using the node markers that torch.fx put "
		"into the trace.\vExamples:\n"
		"  ctprof annotate --registry fx.json t.json.gz -o t2.json",
	.run = run,
};

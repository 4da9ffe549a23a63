/* SPDX-License-Identifier: MIT */
#include "report/page_request.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/diag.h"
#include "cli/output.h"
#include "findings/page_data.h"
#include "input/aggregate.h"
#include "input/sum.h"
#include "report/page.h"

/* Whether the page shows a piece of each input. */
static bool is_piece(const struct page_request *request)
{
	return request->piece.has_time || request->piece.has_step ||
	       request->piece.range_name != NULL;
}

static size_t page_bytes(const struct page_request *request)
{
	return request->bytes == 0 ? PAGE_BYTES : (size_t)request->bytes;
}

#define SMALL_BYTES 2000000 /* see is_small() */

static error_t check(void *structure, const struct argp_state *state)
{
	const struct page_request *request = structure;

	if (request->jobs != 0 && !request->sum)
		argp_error(state, "--jobs needs --sum");
	if (request->paths && !request->sum)
		argp_error(state, "--paths needs --sum");
	if (request->source.directories != NULL && !request->source.wanted)
		argp_error(state, "--source-dir needs --source");
	if (request->piece.has_time + request->piece.has_step +
			(request->piece.range_name != NULL) >
		1)
		argp_error(state,
			"--time, --around and --step exclude each other");
	if (is_piece(request) && (request->sum || request->diff.base != NULL))
		argp_error(state, "--time, --around and --step cut a "
				  "timeline, which --sum and --base lack");
	if (request->bytes != 0 && (request->bytes < PAGE_BYTES_MIN ||
					   request->bytes > PAGE_BYTES_MAX))
		argp_error(state, "--size must be from 500k to 1G");
	if (request->diff.base == NULL)
		return 0;
	if (request->inputs.count != 1 || request->sum)
		argp_error(state, "--base compares with one input");
	if (strcmp(request->diff.base, "-") == 0 ||
		strcmp(request->inputs.paths[0], "-") == 0)
		argp_error(state, "--base reads its inputs twice, which "
				  "standard input does not allow");
	return 0;
}

/* Adds the compilations in a directory's files, which have been read before
 * for the sum. */
static int add_compilations(struct page *page, const char *path)
{
	struct input_tree tree = {0};
	int status = input_tree_add(&tree, path);

	for (size_t i = 0; i < tree.count; i++)
		status = exit_worse(status,
			page_add_compilations(page, tree.files[i].path));
	input_tree_clear(&tree);
	return status;
}

/* Adds the sum of the traces below a directory. */
static int add_directory(
	struct page *page, const struct inputs *all, char *path)
{
	struct inputs inputs = *all;
	struct aggregate_options options = {.inputs = &inputs,
		.whole = true,
		.groups = (1U << BUILD_GROUP_COUNT) - 1,
		.allows_repeats = true};
	struct aggregate aggregate;
	int status;
	int added = EXIT_DONE;

	inputs.paths = &path;
	inputs.count = 1;
	status = aggregate_run(&aggregate, &options);
	if (aggregate.file_count != 0 && !aggregate.refused)
		added = exit_worse(add_compilations(page, path),
			page_add_sum(page, path, "directory", &aggregate));
	aggregate_clear(&aggregate);
	return exit_worse(status, added);
}

/* Adds an input, or the piece of it that was requested. */
static int add_file(
	struct page *page, const struct page_request *request, const char *path)
{
	const struct inputs *inputs = &request->inputs;
	struct cut_pipeline piece = request->piece;
	struct cut *cut = NULL;
	struct input input;
	int status = input_open(&input, path, inputs);

	if (status != EXIT_DONE)
		return status;
	piece.progress = inputs_progress(inputs);
	if (is_piece(request))
		status = cut_pipeline_apply(&piece, &input, &cut);
	if (status == EXIT_DONE)
		status = page_add_input(page, &input);
	return exit_worse(status, input_close(&input, inputs));
}

static int add_input(
	struct page *page, const struct page_request *request, size_t i)
{
	const struct inputs *inputs = &request->inputs;

	if (!input_tree_is_directory(inputs->paths[i]))
		return add_file(page, request, inputs->paths[i]);
	if (is_piece(request)) {
		diag("%s: the sum of a directory cannot be cut; name one file",
			inputs->paths[i]);
		return EXIT_USAGE;
	}
	return add_directory(page, inputs, inputs->paths[i]);
}

static int add_inputs(struct page *page, const struct page_request *request)
{
	const struct inputs *inputs = &request->inputs;
	int worst = EXIT_DONE;

	for (size_t i = 0; worst != EXIT_LIMIT && i < inputs->count; i++) {
		int status = add_input(page, request, i);

		worst = exit_worse(worst, status);
	}
	return worst;
}

static int add_sum(struct page *page, const struct inputs *inputs,
	const struct aggregate *sum)
{
	page->title = inputs->count == 1 ? inputs->paths[0] : "all inputs";
	page->budget_bytes = page->left_bytes; /* for one part */
	return page_add_sum(page, page->title, "sum", sum);
}

/* Writes a page of all inputs, or of their sum. */
static int write_page(
	const struct page_request *request, const struct aggregate *sum)
{
	const struct inputs *inputs = &request->inputs;
	const struct page_options options = {.inputs = inputs,
		.diff = request->diff.base == NULL ? NULL : &request->diff,
		.bytes = page_bytes(request),
		.is_piece = is_piece(request)};
	struct output output;
	struct page page;
	int worst = output_open(
		&output, request->output.path, request->output.force, false);

	if (worst != EXIT_DONE)
		return worst;
	if (!page_init(&page, output.file, &options))
		worst = diag_no_memory(NULL);
	page.source = request->source;
	if (worst == EXIT_DONE)
		worst = sum == NULL ? add_inputs(&page, request)
				    : add_sum(&page, inputs, sum);
	worst = exit_worse(worst, page_end(&page));
	page_clear(&page);
	return exit_worse(worst, output_close(&output, page.has_input));
}

/* The output is opened after the sum of all inputs, which may take long. */
static int write_sum(const struct page_request *request)
{
	const struct inputs *inputs = &request->inputs;
	const struct aggregate_options options = {.inputs = inputs,
		.replay.tree = request->paths,
		.whole = true,
		.allows_repeats = true,
		.jobs = request->jobs};
	struct aggregate aggregate;
	int status = output_try(request->output.path, request->output.force);

	if (status != EXIT_DONE)
		return status;
	status = aggregate_run(&aggregate, &options);
	if (aggregate.file_count != 0 && !aggregate.refused)
		status = exit_worse(status, write_page(request, &aggregate));
	aggregate_clear(&aggregate);
	return status;
}

/* Compares with the base first, since the rest of the page gets the room that
 * is left. The input's damage is reported there, and not again. */
static int compare(struct page_request *request)
{
	struct inputs *inputs = &request->inputs;
	int status;

	if (request->diff.base == NULL)
		return EXIT_DONE;
	status = page_diff_make(&request->diff, inputs, inputs->paths[0],
		page_bytes(request) / 4);
	inputs->quiet = true;
	return status;
}

/* Whether all inputs are so small that their arguments fit. */
static bool is_small(const struct inputs *inputs)
{
	off_t bytes = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		struct stat about;

		if (stat(inputs->paths[i], &about) != 0 ||
			!S_ISREG(about.st_mode) || about.st_size > SMALL_BYTES)
			return false;
		bytes += about.st_size;
	}
	return bytes <= SMALL_BYTES;
}

int page_request_run(struct page_request *request)
{
	const struct inputs *inputs = &request->inputs;
	bool is_sum = request->sum || sum_is_needed(inputs);
	int status;

	page_data_set_request(&request->inputs.request);
	request->inputs.request.keeps_lines = request->source.wanted;
	/* All arguments are shown, as in small inputs. */
	if (is_piece(request) || is_small(inputs))
		request->inputs.request.skip_args = false;
	if (inputs->count > PAGE_INPUTS_MAX && !is_sum) {
		diag("a page shows at most %d inputs; add them up with --sum, "
		     "or with 'ctprof summarize'",
			PAGE_INPUTS_MAX);
		return EXIT_USAGE;
	}
	status = compare(request);
	if (status != EXIT_DONE && status != EXIT_DAMAGED)
		return status;
	return exit_worse(status,
		is_sum ? write_sum(request) : write_page(request, NULL));
}

void page_request_clear(struct page_request *request)
{
	page_diff_clear(&request->diff);
	inputs_clear(&request->inputs);
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct page_request, member)
static const struct argument options[] = {
	SUM_OPTIONS(OF(sum), OF(jobs)),
	{"paths", 0, NULL, ARGUMENT_FLAG,
		"with --sum: also sum call paths, for the flame graph",
		GROUP_INPUT, OF(paths)},
	{"base", 0, "OLD", ARGUMENT_INPUT,
		"compare with this recording: the page begins with the "
		"findings, functions and call paths that changed",
		GROUP_INPUT, OF(diff.base)},
	{"match", 0, COMPARISON_MATCHES, ARGUMENT_WORD,
		"with --base: as for ctprof diff", GROUP_INPUT,
		OF(diff.match)},
	{"across-devices", 0, NULL, ARGUMENT_FLAG,
		"with --base: compare runs on different GPUs", GROUP_INPUT,
		OF(diff.across_devices)},
	ARGUMENT_HEADING("A piece, with every slice that fits:", GROUP_MAIN),
	{"time", 0, "A..B", ARGUMENT_CALL,
		"from A to B since the first event (1.5s..2s); either may be "
		"left out", GROUP_MAIN, OF(piece),
		.call = cut_pipeline_argument_time},
	{"around", 0, "NAME", ARGUMENT_TEXT,
		"while the first range with this name, or matching this "
		"pattern, is open", GROUP_MAIN, OF(piece.range_name)},
	{"step", 0, "N", ARGUMENT_CALL,
		"during step N: ProfilerStep#N, or the step of ctp_step()",
		GROUP_MAIN, OF(piece), .call = cut_pipeline_argument_step},
	{"size", 0, "SIZE", ARGUMENT_CALL,
		"largest size of the page (default: 3M); a larger one shows "
		"more slices", GROUP_OUTPUT, OF(bytes),
		.call = argument_part_size},
	{"source", 0, NULL, ARGUMENT_FLAG,
		"show source lines of the functions with most own time, from "
		"files that are there now; off by default, because pages get "
		"sent around", GROUP_OUTPUT, OF(source.wanted)},
	{"source-dir", 0, "DIR:...", ARGUMENT_TEXT,
		"with --source: look for missing files below these "
		"directories, by the ends of their paths", GROUP_OUTPUT,
		OF(source.directories)},
	ARGUMENTS_OF(&inputs_arguments, OF(inputs)),
};
/* clang-format on */

const struct arguments page_request_arguments = {
	ARGUMENTS(options), .check = check};

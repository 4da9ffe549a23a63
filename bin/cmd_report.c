/* SPDX-License-Identifier: MIT */
/* Writes a self-contained HTML page about a recording. */
#include "cli/command.h"

#include <unistd.h>

#include "cli/arguments.h"
#include "cli/diag.h"
#include "input/output_path.h"
#include "report/page_request.h"

/* Refuses a terminal, and names of files that are not HTML. */
static int check_output(const char *path)
{
	const struct format *format = NULL;

	if (path == NULL && isatty(STDOUT_FILENO)) {
		diag("not writing an HTML page to a terminal; use -o FILE, or "
		     "-o - to write it anyway");
		return EXIT_OUTPUT;
	}
	if (path != NULL && output_path_format(path, &format) != EXIT_DONE)
		return EXIT_USAGE;
	if (format == NULL)
		return EXIT_DONE;
	diag("%s: a report is an HTML page, not %s; use -o FILE.html, or "
	     "'ctprof convert'",
		path, format->name);
	return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	struct page_request request = {0};
	int status;

	arguments_parse(&cmd_report, argc, argv, &request);
	status = check_output(request.output.path);
	if (status == EXIT_DONE)
		status = page_request_run(&request);
	page_request_clear(&request);
	return status;
}

static const struct argument options[] = {
	ARGUMENTS_OF(&page_request_arguments, .offset = 0),
	ARGUMENTS_OF(
		&output_arguments, ARGUMENT_OF(struct page_request, output)),
};

const struct command cmd_report = {
	.name = "report",
	.group = "Look at a recording",
	.summary = "write an HTML page to view or share",
	.arguments = {ARGUMENTS(options)},
	.usage = "[FILE...]",
	.help = "Write a page that shows a recording: a timeline, flame "
		"graphs, "
		"tables of functions, and the work and idle time of GPUs. It "
		"is "
		"one HTML file of at most 3 MB that needs only a browser. "
		"Several inputs become several pages in one file. A directory "
		"stands for the traces below it, which are summed.\vExamples:\n"
		"  ctprof report -o run.html run.ctp\n"
		"  ctprof report -o train.html train.json.gz\n"
		"  ctprof report -o build.html build/\n"
		"  ctprof report --sum -o job.html traces/",
	.run = run,
};

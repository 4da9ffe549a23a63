/* SPDX-License-Identifier: MIT */
/* Lists the formats. */
#include "cli/command.h"

#include <stdio.h>

#include "cli/arguments.h"
#include "format.h"
#include "input/format_names.h"
#include "input/report.h"

static const char *direction(const struct format *format)
{
	if (!format_names_can_read(format))
		return "write";
	return format_names_can_write(format) ? "both" : "read";
}

static const char *content(const struct format *format)
{
	return format->holds_profile || format->write_profile != NULL
		       ? "profile"
		       : "timeline";
}

static void print_text(void)
{
	printf("%-14s %-6s %-9s %-16s %s\n", "format", "does", "holds",
		"suffix", "what it is");
	for (const struct format *const *at = formats; *at != NULL; at++)
		printf("%-14s %-6s %-9s %-16s %s\n", (*at)->name,
			direction(*at), content(*at),
			(*at)->suffix == NULL ? "" : (*at)->suffix,
			(*at)->summary);
}

static void put_format(struct json *json, const struct format *format)
{
	json_begin(json, '{');
	report_text(json, "name", format->name);
	report_text(json, "summary", format->summary);
	json_key(json, "suffix");
	if (format->suffix == NULL)
		json_none(json);
	else
		json_text(json, format->suffix);
	report_text(json, "content", content(format));
	report_bool(json, "reads", format_names_can_read(format));
	report_bool(json, "writes", format_names_can_write(format));
	report_bool(json, "binary", format->binary);
	json_end(json, '}');
}

static int print_json(void)
{
	struct report report = {.schema = "ctprof/formats/1"};
	struct json json;
	int status = report_begin(&report, &json, stdout);

	if (status != EXIT_DONE)
		return status;
	json_key(&json, "rows");
	json_begin(&json, '[');
	for (const struct format *const *at = formats; *at != NULL; at++)
		put_format(&json, *at);
	json_end(&json, ']');
	return report_end(&json);
}

struct request {
	bool json;
};

static int run(int argc, char **argv)
{
	struct request request = {0};

	arguments_parse(&cmd_formats, argc, argv, &request);
	if (request.json)
		return print_json();
	print_text();
	return EXIT_DONE;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Output:", GROUP_OUTPUT),
	{"json", 0, NULL, ARGUMENT_FLAG, "print JSON", GROUP_OUTPUT, OF(json)},
	ARGUMENT_HEADING("Other:", GROUP_OTHER),
};
/* clang-format on */

const struct command cmd_formats = {
	.name = "formats",
	.group = "About ctprof",
	.summary = "list the formats that ctprof reads and writes",
	.arguments = {ARGUMENTS(options)},
	.help = "List the formats that ctprof reads and writes.\v"
		"Examples:\n"
		"  ctprof formats\n"
		"  ctprof formats --json\n"
		"  ctprof formats --json | jq -r '.rows[] | "
		"select(.writes).name'",
	.run = run,
};

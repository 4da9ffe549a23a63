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
	if (!format_can_read(format))
		return "write";
	return format_names_can_write(format) ? "both" : "read";
}

static const char *content(const struct format *format)
{
	return format->read_profile != NULL || format->write_profile != NULL
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

struct line {
	const char *name, *summary, *suffix, *content;
	bool reads, writes, binary;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct line, member)
static const struct column items[] = {
	COLUMN_IN_JSON(TEXT, "name", "the name, for --to and --from", OF(name)),
	COLUMN_IN_JSON(TEXT, "summary", "a description", OF(summary)),
	COLUMN_IN_JSON(TEXT, "suffix", "of its files; null if unknown",
		OF(suffix), .nullable = true),
	COLUMN_IN_JSON(TEXT, "content", "the kind of data", OF(content),
		.words = "timeline|profile"),
	COLUMN_IN_JSON(BOOL, "reads", "it can be read", OF(reads)),
	COLUMN_IN_JSON(BOOL, "writes", "it can be written", OF(writes)),
	COLUMN_IN_JSON(BOOL, "binary", "it is not text", OF(binary)),
};
#undef OF
/* clang-format on */
static const struct columns table = COLUMNS("rows", "the formats", items);
static const struct report_form form = {.schema = "ctprof/formats/1",
	.title = "ctprof formats",
	.arrays = {&table}};

static void write_formats(struct sheet *sheet, const void *view)
{
	(void)view;
	columns_begin(sheet, &table);
	for (const struct format *const *at = formats; *at != NULL; at++)
		columns_add(sheet, &table, TABLE_PLAIN,
			&(struct line){(*at)->name, (*at)->summary,
				(*at)->suffix, content(*at),
				format_can_read(*at),
				format_names_can_write(*at), (*at)->binary});
	columns_end(sheet, &table);
}

struct request {
	bool json;
};

static int run(int argc, char **argv)
{
	struct request request = {0};

	arguments_parse(&cmd_formats, argc, argv, &request);
	if (request.json)
		return report_write(
			&(struct report_options){.style = REPORT_JSON},
			&(struct report){.schema = form.schema}, stdout,
			write_formats, NULL);
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
	.forms = {&form},
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

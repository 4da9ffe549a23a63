/* SPDX-License-Identifier: MIT */
#include "findings/findings_report.h"

#include "findings/finding_rules.h"

struct line {
	const struct finding *finding;
	const char *input, *rule, *text, *cure, *command, *section;
	struct value share;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct line, member)
static const struct column items[] = {
	COLUMN_IN_CSV(TEXT, "input", "the input; empty for a sum", OF(input)),
	COLUMN(TEXT, "rule", NULL, "the rule that found it", OF(rule),
		.words = "losses|gpu_idle|exposed_communication|straggler|"
			 "slow_kernels|recompilations|graph_breaks|headers|"
			 "templates|recording_cost|many_calls|hot_function"),
	COLUMN(REAL, "share", NULL,
		"the share of the time that the sentence names, from 0 to 1; "
		"null if it is not known", OF(share), .nullable = true),
	COLUMN(TEXT, "text", NULL, "the finding, as a sentence", OF(text)),
	COLUMN(TEXT, "cure", NULL, "what to do", OF(cure)),
	COLUMN(TEXT, "command", NULL, "the report that has the details",
		OF(command)),
	COLUMN_IN_JSON(TEXT, "section", "the section of the page of 'ctprof "
		"report' that has them", OF(section)),
};
/* clang-format on */
static const struct columns table =
	COLUMNS("rows", "the findings, the worst first", items);

const struct report_form findings_form = {.schema = "ctprof/findings/1",
	.title = "ctprof findings",
	.arrays = {&table},
	.csv = &table};

void findings_write_rows(struct sheet *sheet, const struct findings_view *view)
{
	columns_begin(sheet, &table);
	for (size_t i = 0; i < view->findings->count; i++) {
		const struct finding *finding = &view->findings->items[i];
		struct line line = {.finding = finding,
			.input = view->input == NULL ? "" : view->input,
			.rule = finding->rule,
			.text = finding->text,
			.cure = finding->cure,
			.command = finding->command,
			.section = finding->section};

		line.share = value_maybe(finding->has_share, 0);
		line.share.real = (double)finding->share_ppm / MILLION;
		columns_add(sheet, &table, TABLE_PLAIN, &line);
	}
	columns_end(sheet, &table);
}

static void write_text(struct sheet *sheet, const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		char share[FINDING_PERCENT];

		columns_note(sheet, "%s%5s  %s\n       Cure: %s; see '%s'.\n",
			i == 0 ? "" : "\n",
			finding->has_share
				? finding_percent(share, finding->share_ppm)
				: "!",
			finding->text, finding->cure, finding->command);
	}
	if (findings->count == 0)
		columns_note(sheet, "No findings.\n");
}

void findings_write(struct sheet *sheet, const void *user)
{
	const struct findings_view *view = user;

	if (sheet->style == REPORT_TEXT)
		write_text(sheet, view->findings);
	else
		findings_write_rows(sheet, view);
}

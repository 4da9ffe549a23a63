/* SPDX-License-Identifier: MIT */
#include "compare/check_report.h"

#include <inttypes.h>
#include <string.h>

#include "io/amount.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "io/xml.h"

static uint64_t time_of(const struct check_view *view,
	const struct regression_row *verdict, enum diff_side side)
{
	const struct diff_cost *cost = &verdict->row->side[side].median;

	return view->figure == DIFF_SELF ? cost->self_ns : cost->total_ns;
}

/* "+12.00 %, allowed is 5%: 1.2 s, 1.3 s" */
static void put_words(const struct check_view *view,
	const struct regression_row *verdict, FILE *out)
{
	uint64_t base = time_of(view, verdict, DIFF_BASE);
	uint64_t changed = time_of(view, verdict, DIFF_NEW);
	const struct delta_unit *unit = delta_unit(view->unit, base);
	char texts[4][QUANTITY_TEXT];

	fprintf(out, "%s %%, allowed is %s: %s %s, now %s %s",
		delta_percent(texts[0], base, changed),
		check_limit_text(texts[1], verdict->limit),
		quantity_in(texts[2], base, unit->size_ns), unit->name,
		quantity_in(texts[3], changed, unit->size_ns), unit->name);
}

static bool put_case(const struct check_view *view,
	const struct regression_row *verdict, FILE *out)
{
	uint64_t changed = time_of(view, verdict, DIFF_NEW);
	char seconds[AMOUNT_TEXT];
	bool done;

	fputs("    <testcase name=\"", out);
	done = xml_put_line(out, verdict->name, strlen(verdict->name));
	fprintf(out, "\" classname=\"%s\"", delta_kind(verdict->row));
	if (*verdict->row->file != '\0') {
		fputs(" file=\"", out);
		done = xml_put_line(out, verdict->row->file,
			       strlen(verdict->row->file)) &&
		       done;
		fprintf(out, "\" line=\"%" PRIu32 "\"", verdict->row->line);
	}
	fprintf(out, " time=\"%s\"", amount_seconds(seconds, changed));
	if (verdict->verdict == REGRESSION_PASSED) {
		fputs("/>\n", out);
		return done;
	}
	if (verdict->verdict == REGRESSION_SLOWER)
		fputs(">\n      <failure type=\"slower\" message=\"", out);
	else
		fputs(">\n      <system-out>Within the noise: ", out);
	put_words(view, verdict, out);
	fputs(verdict->verdict == REGRESSION_SLOWER ? "\"/>" : "</system-out>",
		out);
	fputs("\n    </testcase>\n", out);
	return done;
}

int check_print_junit(const struct check_view *view, FILE *out)
{
	const struct regression_rows *regressions = view->regressions;
	bool done = true;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
		out);
	fprintf(out,
		"  <testsuite name=\"ctprof check\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"0\">\n",
		regression_rows_judged(regressions),
		regressions->counts[REGRESSION_SLOWER]);
	for (size_t i = 0; i < regressions->count; i++)
		if (regression_is_judged(regressions->items[i].verdict))
			done = put_case(view, &regressions->items[i], out) &&
			       done;
	fputs("  </testsuite>\n</testsuites>\n", out);
	if (done)
		return EXIT_DONE;
	return diag_no_memory(NULL);
}

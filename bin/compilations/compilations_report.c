/* SPDX-License-Identifier: MIT */
#include "compilations/compilations_report.h"

#include <inttypes.h>

#include "base/saturate.h"
#include "cli/quantity.h"
#include "compilations/tracing_report.h"

/* Lines with more columns, and with all of them. */
#define WIDE 110
#define FULL 140

/* A bit beside those of tracing_report.h. */
#define HAS_TRACING (1U << 1)

static const struct column_unit ms = {"ms", 1000000};

/* ---- compilations ---- */

struct row {
	struct compilation compilation;
	struct value_name name;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct row, member)
#define PART(key, title, help, ...) \
	COLUMN(TIME, key, title, help, .absent = true, .nullable = true, \
		__VA_ARGS__)
static const struct column items[] = {
	COLUMN(TEXT, "input", NULL, "the input", OF(compilation.input)),
	COLUMN(TEXT, "id", "id", "the compile id: the number of the frame, and "
		"how often it was compiled before", OF(compilation.id)),
	COLUMN(TEXT, "direction", "pass", "forward, or backward for a graph that "
		"was compiled when its backward pass ran",
		OF(compilation.direction), .words = "forward|backward",
		.min_line = FULL),
	COLUMN(TIME, "total_ns", "total ", "the whole time; 0 if unknown",
		OF(compilation.total_ns)),
	PART("dynamo_ns", "Dynamo ", "time of Dynamo itself",
		OF(compilation.dynamo)),
	PART("aot_autograd_ns", "AOT ", "time of AOTAutograd, or of "
		"another back end, without Inductor", OF(compilation.back_end)),
	PART("inductor_ns", "Inductor ", "time of Inductor itself",
		OF(compilation.inductor)),
	PART("waiting_ns", "waiting ", "time of waiting for the processes that "
		"compile C++ and Triton", OF(compilation.waiting)),
	PART("restarts_ns", "restarts ", "the part of Dynamo's time that was "
		"lost because it began again, for example after a graph break",
		OF(compilation.restarts), .min_line = FULL),
	COLUMN(COUNT, "attempt", NULL, "the number of times that Dynamo began "
		"again, from 0; null for backward passes, or if unknown",
		OF(compilation.attempt), .nullable = true),
	COLUMN(COUNT, "graph_ops", "ops", "number of operations in the graph",
		OF(compilation.operations), .absent = true, .nullable = true,
		.min_line = WIDE),
	COLUMN(COUNT, "guards", "guards", "number of guards",
		OF(compilation.guards), .absent = true, .nullable = true,
		.min_line = WIDE),
	COLUMN(COUNT, "cache_hits", "hits", "number of hits in caches of "
		"Inductor and AOTAutograd", OF(compilation.hits),
		.absent = true, .nullable = true, .min_line = FULL),
	COLUMN(COUNT, "cache_misses", "misses", "number of misses; their cost "
		"is in the time of AOTAutograd and Inductor",
		OF(compilation.misses), .absent = true, .nullable = true,
		.min_line = FULL),
	COLUMN(COUNT, "cache_bypasses", NULL, "number of graphs that caches do "
		"not take", OF(compilation.bypasses)),
	COLUMN(TIME, "tracing_ns", NULL, "time of tracing functions, a part of "
		"Dynamo's, if a log of --compile is among the inputs",
		OF(compilation.tracing), .absent = true, .nullable = true),
	COLUMN(COUNT, "traced_functions", NULL, "number of functions that were "
		"traced, likewise", OF(compilation.functions), .absent = true,
		.nullable = true),
	COLUMN_IN_TEXT(TIME, "traced ", OF(compilation.tracing),
		.when = HAS_TRACING, .min_line = FULL),
	COLUMN_IN_TEXT(COUNT, "functions", OF(compilation.functions),
		.when = HAS_TRACING, .min_line = WIDE),
	COLUMN(TEXT, "outcome", "outcome", "compiled, nothing compiled, "
		"recompile limit, or the type of the failure; null if unknown", OF(compilation.outcome),
		.nullable = true, .min_line = WIDE),
	COLUMN(TEXT, "failure", NULL, "the failure in words, or null",
		OF(compilation.failure), .nullable = true),
	COLUMN(TEXT, "function", NULL, "the function; null if unknown",
		OF(compilation.function), .nullable = true),
	COLUMN(TEXT, "file", NULL, "its file, or null", OF(compilation.file),
		.nullable = true),
	COLUMN(COUNT, "line", NULL, "its line; 0 if unknown",
		OF(compilation.line)),
	COLUMN(TEXT, "recompile_reason", NULL, "why it was compiled again, or "
		"null; \"unknown\" without a TORCH_TRACE log", OF(compilation.again), .nullable = true),
	COLUMN_IN_TEXT(TEXT, "function", OF(name)),
};
#undef OF
/* clang-format on */
static const struct columns table =
	COLUMNS("compilations", "each compilation, the longest first", items);

static void add_rows(
	struct sheet *sheet, const struct compilations *from, uint32_t top)
{
	size_t count = top != 0 && top < from->count ? top : from->count;

	columns_begin(sheet, &table);
	for (size_t i = 0; i < count; i++) {
		const struct compilation *at = &from->rows[i];
		struct row row = {.compilation = *at,
			.name = {.name = at->function != NULL ? at->function
							      : "unknown",
				.file = at->file,
				.line = at->line}};

		columns_add(sheet, &table, TABLE_PLAIN, &row);
	}
	columns_end(sheet, &table);
	columns_hidden(sheet, from->count - count);
}

/* ---- graph breaks ---- */

struct break_row {
	struct graph_break graph_break;
	struct value_name reason;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct break_row, member)
static const struct column break_items[] = {
	COLUMN(COUNT, "count", "count", "number of breaks",
		OF(graph_break.count)),
	COLUMN(TIME, "lost_ns", "lost ", "Dynamo's time that was lost because "
		"it began again; of a compilation with several breaks, the "
		"first one has it", OF(graph_break.lost_ns)),
	COLUMN(TEXT, "reason", NULL, "the reason in one line",
		OF(graph_break.reason)),
	COLUMN(TEXT, "file", NULL, "the file of the user's code; empty if "
		"unknown", OF(graph_break.file)),
	COLUMN(COUNT, "line", NULL, "the line; 0 if unknown",
		OF(graph_break.line)),
	COLUMN_IN_TEXT(TEXT, "reason", OF(reason)),
	COLUMN_IN_JSON(TEXT, "details", "all of the reason, with hints; or "
		"null", OF(graph_break.details), .nullable = true),
	COLUMN_IN_JSON(TEXT, "stack", "the stack of the user's code, or null",
		OF(graph_break.stack), .nullable = true),
};
#undef OF
/* clang-format on */
static const struct columns break_table = COLUMNS(
	"graph_breaks", "each reason and place, the worst first", break_items);

static void add_breaks(
	struct sheet *sheet, const struct compilations *from, uint32_t top)
{
	size_t count =
		top != 0 && top < from->break_count ? top : from->break_count;

	columns_begin(sheet, &break_table);
	for (size_t i = 0; i < count; i++) {
		const struct graph_break *at = &from->breaks[i];
		struct break_row row = {.graph_break = *at,
			.reason = {.name = at->reason,
				.file = at->file,
				.line = at->line}};

		columns_add(sheet, &break_table, TABLE_PLAIN, &row);
	}
	columns_end(sheet, &break_table);
	columns_hidden(sheet, from->break_count - count);
}

/* ---- recompilations ---- */

struct again_row {
	struct recompilation again;
	struct value_name name;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct again_row, member)
static const struct column again_items[] = {
	COLUMN(COUNT, "count", "count", "number of compilations for this "
		"reason", OF(again.count)),
	COLUMN(TIME, "total_ns", "total ", "their time", OF(again.total_ns)),
	COLUMN(TEXT, "reason", "reason", "the guard that failed",
		OF(again.reason)),
	COLUMN(TEXT, "function", NULL, "the function; empty if unknown",
		OF(again.function)),
	COLUMN(TEXT, "file", NULL, "its file; empty if unknown",
		OF(again.file)),
	COLUMN(COUNT, "line", NULL, "its line; 0 if unknown", OF(again.line)),
	COLUMN_IN_TEXT(TEXT, "function", OF(name)),
};
#undef OF
/* clang-format on */
static const struct columns again_table = COLUMNS("recompilations",
	"each reason of each function, the longest first", again_items);

static void add_again(
	struct sheet *sheet, const struct compilations *from, uint32_t top)
{
	size_t count =
		top != 0 && top < from->again_count ? top : from->again_count;

	columns_begin(sheet, &again_table);
	for (size_t i = 0; i < count; i++) {
		const struct recompilation *at = &from->again[i];
		struct again_row row = {.again = *at,
			.name = {.name = at->function,
				.file = at->file,
				.line = at->line}};

		columns_add(sheet, &again_table, TABLE_PLAIN, &row);
	}
	columns_end(sheet, &again_table);
	columns_hidden(sheet, from->again_count - count);
}

/* ---- the report ---- */

struct totals {
	uint64_t count, again, total_ns, functions, tracing_ns;
	uint64_t dynamo_ns, back_end_ns, inductor_ns, waiting_ns, restarts_ns;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct totals, member)
static const struct column totals_items[] = {
	COLUMN_IN_JSON(COUNT, "compilation_count", "number of compilations",
		OF(count)),
	COLUMN_IN_JSON(COUNT, "recompilation_count", "number of those of a "
		"function that had been compiled before", OF(again)),
	COLUMN_IN_JSON(TIME, "total_ns", "the time of all", OF(total_ns)),
	COLUMN_IN_JSON(TIME, "dynamo_ns", "of Dynamo itself", OF(dynamo_ns)),
	COLUMN_IN_JSON(TIME, "aot_autograd_ns", "of AOTAutograd, or of another "
		"back end, without Inductor", OF(back_end_ns)),
	COLUMN_IN_JSON(TIME, "inductor_ns", "of Inductor itself",
		OF(inductor_ns)),
	COLUMN_IN_JSON(TIME, "waiting_ns", "of waiting for compilers",
		OF(waiting_ns)),
	COLUMN_IN_JSON(TIME, "restarts_ns", "the part of Dynamo's time that "
		"was lost in restarts", OF(restarts_ns)),
	COLUMN_IN_JSON(COUNT, "function_count", "number of functions that "
		"Dynamo traced, known from a log of --compile", OF(functions)),
	COLUMN_IN_JSON(TIME, "tracing_ns", "of tracing them", OF(tracing_ns)),
};
#undef OF
/* clang-format on */
static const struct columns totals_table =
	COLUMNS(NULL, "the sums", totals_items);

static struct totals sum_up(const struct compile *compile)
{
	const struct compilations *from = &compile->compilations;
	struct totals totals = {.count = from->count,
		.functions = compile->tracing.functions.count,
		.tracing_ns = compile->tracing.traced_ns};

	/* Absent and unknown values are 0. */
	for (size_t i = 0; i < from->count; i++) {
		const struct compilation *row = &from->rows[i];

		totals.again += row->again != NULL;
		totals.total_ns = saturate_sum(totals.total_ns, row->total_ns);
		totals.dynamo_ns =
			saturate_sum(totals.dynamo_ns, row->dynamo.number);
		totals.back_end_ns =
			saturate_sum(totals.back_end_ns, row->back_end.number);
		totals.inductor_ns =
			saturate_sum(totals.inductor_ns, row->inductor.number);
		totals.waiting_ns =
			saturate_sum(totals.waiting_ns, row->waiting.number);
		totals.restarts_ns =
			saturate_sum(totals.restarts_ns, row->restarts.number);
	}
	return totals;
}

static void note_time(struct sheet *sheet, const char *words, uint64_t time_ns)
{
	char text[QUANTITY_TEXT];

	if (time_ns != 0)
		columns_note(
			sheet, ", %s %s", words, quantity_time(text, time_ns));
}

static void note_totals(struct sheet *sheet, const struct totals *totals)
{
	char text[QUANTITY_TEXT];

	columns_note(sheet,
		"Compilations: %" PRIu64 ", %" PRIu64 " of them again; %s",
		totals->count, totals->again,
		quantity_time(text, totals->total_ns));
	note_time(sheet, "Dynamo", totals->dynamo_ns);
	note_time(sheet, "AOTAutograd", totals->back_end_ns);
	note_time(sheet, "Inductor", totals->inductor_ns);
	note_time(sheet, "waiting for compilers", totals->waiting_ns);
	note_time(sheet, "lost in restarts", totals->restarts_ns);
	columns_note(sheet, "\n");
}

static void write_functions(
	struct sheet *sheet, const struct compilations_view *view)
{
	const struct tracing_view functions = {
		.tracing = &view->compile->tracing,
		.top = view->top,
		.callers = view->callers};

	tracing_write(sheet, &functions);
}

static void write_all(struct sheet *sheet, const struct compilations_view *view)
{
	const struct compilations *from = &view->compile->compilations;
	struct totals totals = sum_up(view->compile);
	uint32_t top = view->top;

	if (sheet->style == REPORT_JSON)
		columns_members(sheet, &totals_table, &totals);
	note_totals(sheet, &totals);
	add_rows(sheet, from, top);
	if (sheet->style == REPORT_CSV)
		return;
	if (from->break_count != 0)
		columns_note(sheet, "\nGraph breaks:\n");
	if (from->break_count != 0 || sheet->style == REPORT_JSON)
		add_breaks(sheet, from, top);
	if (from->again_count != 0)
		columns_note(sheet, "\nCompiled again:\n");
	if (from->again_count != 0 || sheet->style == REPORT_JSON)
		add_again(sheet, from, top);
	if (view->compile->tracing.functions.count != 0)
		columns_note(sheet, "\n");
	if (view->compile->tracing.functions.count != 0 ||
		sheet->style == REPORT_JSON)
		write_functions(sheet, view);
}

const struct report_form compilations_form = {.schema = "ctprof/compilations/1",
	.title = "ctprof compilations",
	.heads = {&totals_table},
	.arrays = {&table, &break_table, &again_table, &tracing_table,
		&tracing_picks_table},
	.csv = &table};
const struct report_form graph_breaks_form = {.schema = "ctprof/breaks/1",
	.title = "ctprof compilations --table=breaks",
	.arrays = {&break_table},
	.csv = &break_table};
const struct report_form recompilations_form = {
	.schema = "ctprof/recompilations/1",
	.title = "ctprof compilations --table=again",
	.arrays = {&again_table},
	.csv = &again_table};

void compilations_write(struct sheet *sheet, const void *user)
{
	const struct compilations_view *view = user;

	sheet->unit = ms;
	if (view->compile->tracing.frames.count != 0)
		sheet->shown |= HAS_TRACING;
	switch (view->table) {
	case COMPILATIONS_BREAKS:
		add_breaks(sheet, &view->compile->compilations, view->top);
		return;
	case COMPILATIONS_AGAIN:
		add_again(sheet, &view->compile->compilations, view->top);
		return;
	case COMPILATIONS_FUNCTIONS:
		write_functions(sheet, view);
		return;
	default:
		write_all(sheet, view);
		return;
	}
}

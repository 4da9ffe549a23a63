/* SPDX-License-Identifier: MIT */
/*
 * The table of functions.
 * Source: shared spec 01, "Report", has its columns.
 */
#include "compilations/tracing_report.h"

#include <inttypes.h>

#include "cli/quantity.h"

#define WIDE 100    /* lines with more columns */
#define HOT_PART 10 /* functions with a tenth of all time are highlighted */

struct row {
	const struct tracing *tracing;
	const struct tracing_function *function;
	const char *relation, *name, *file;
	uint32_t line;
	bool is_edge;
	struct profile_cost cost;
	struct value own_share, bytecode_share;
	uint64_t bytecode, traced_bytecode;
	uint32_t use_count;
	struct value_name label;
};

static void put_callers(
	struct sheet *sheet, const struct column *column, const void *row);
static void put_ids(
	struct sheet *sheet, const struct column *column, const void *row);

/* clang-format off */
#define OF(member) COLUMN_OF(struct row, member)
#define UNLESS_EDGE .unless = offsetof(struct row, is_edge)
#define COST_COLUMNS \
	COLUMN(TEXT, "function", NULL, "the function's name", OF(name)), \
	COLUMN(TEXT, "file", NULL, "its file; empty if unknown", OF(file)), \
	COLUMN(COUNT, "line", NULL, "its line; 0 if unknown", OF(line)), \
	COLUMN(COUNT, "ncalls", "ncalls", "number of times it was traced", \
		OF(cost.ncalls)), \
	COLUMN(COUNT, "pcalls", "pcalls", "number of these that are " \
		"primitive: not inside one of the same function, or of a " \
		"caller's row of the same caller and function", \
		OF(cost.pcalls), .optional = true), \
	COLUMN(TIME, "tottime_ns", "tottime ", "the time of tracing the " \
		"function itself, without those that it inlines and without " \
		"the back end", OF(cost.tottime_ns)), \
	COLUMN_IN_TEXT(PERCENT, "self %", OF(own_share), UNLESS_EDGE), \
	COLUMN(TIME, "cumtime_ns", "cumtime ", "the time of primitive calls " \
		"with those that they inline", OF(cost.cumtime_ns))

static const struct column caller_items[] = {
	COST_COLUMNS,
	COLUMN_IN_TEXT(TEXT, "function", OF(label)),
};
static const struct columns caller_table = COLUMNS("caller",
	"a function that inlined the row's, and the cost of these calls",
	caller_items);

static const struct column items[] = {
	COLUMN_IN_CSV(TEXT, "relation", "the function, or a caller of it; with "
		"--callers", OF(relation), .words = "function|caller",
		.when = TRACING_WITH_CALLERS),
	COST_COLUMNS,
	COLUMN(COUNT, "bytecode", NULL, "the size of its bytecode in bytes",
		OF(bytecode), UNLESS_EDGE),
	COLUMN(COUNT, "traced_bytecode", NULL, "the same, of all its calls",
		OF(traced_bytecode), UNLESS_EDGE),
	COLUMN(PERCENT, "bytecode_percent", "bytecode %", "their share of the "
		"bytecode of all calls; null if that is 0", OF(bytecode_share),
		UNLESS_EDGE, .nullable = true, .min_line = WIDE),
	COLUMN(COUNT, "compilations", "compilations", "number of compilations "
		"in which it was traced", OF(use_count), UNLESS_EDGE,
		.min_line = WIDE),
	COLUMN_IN_JSON(LIST, "compile_ids", "their compile ids",
		.put = put_ids),
	COLUMN_IN_JSON(LIST, "callers", "the functions that inlined it",
		.put = put_callers, .table = &caller_table),
	COLUMN_IN_TEXT(TEXT, "function", OF(label)),
};
#undef OF
/* clang-format on */
const struct columns tracing_table = COLUMNS("functions",
	"each function that Dynamo traced, the longest cumulative time first",
	items);

static void set_label(struct row *row, const char *before)
{
	row->label = (struct value_name){.before = before,
		.name = row->name,
		.file = row->file,
		.line = row->line};
}

static void set_function(
	struct row *row, const struct tracing_function *function)
{
	row->name = function->name;
	row->file = function->file;
	row->line = function->line;
}

static void row_init(struct row *row, const struct tracing *tracing,
	const struct tracing_function *function)
{
	*row = (struct row){.tracing = tracing,
		.function = function,
		.relation = "function",
		.cost = function->cost,
		.own_share = value_share(
			function->cost.tottime_ns, tracing->traced_ns),
		.bytecode_share = value_share(
			function->traced_bytecode, tracing->traced_bytecode),
		.bytecode = function->bytecode,
		.traced_bytecode = function->traced_bytecode,
		.use_count = function->use_count};
	set_function(row, function);
	set_label(row, NULL);
}

static void add_callers(struct sheet *sheet, const struct columns *columns,
	const struct row *of)
{
	const struct tracing *tracing = of->tracing;
	const struct tracing_edge *edges =
		tracing_edges(tracing) + of->function->first_edge;

	for (uint32_t i = 0; i < of->function->edge_count; i++) {
		struct row row = {.tracing = tracing,
			.relation = "caller",
			.is_edge = true,
			.cost = edges[i].cost};

		set_function(
			&row, &tracing_functions(tracing)[edges[i].key.first]);
		set_label(&row, "  <- ");
		columns_add(sheet, columns, TABLE_FAINT, &row);
	}
}

static void put_callers(
	struct sheet *sheet, const struct column *column, const void *row)
{
	add_callers(sheet, column->table, row);
}

static void put_ids(
	struct sheet *sheet, const struct column *column, const void *row_)
{
	const struct row *row = row_;
	const struct tracing_use *uses =
		tracing_uses(row->tracing) + row->function->first_use;

	(void)column;
	for (uint32_t i = 0; i < row->use_count; i++)
		json_text(&sheet->json,
			tracing_frames(row->tracing)[uses[i].key.second].id);
}

void tracing_write_functions(
	struct sheet *sheet, const struct tracing_view *view)
{
	const struct tracing *tracing = view->tracing;
	uint32_t all = tracing->functions.count;
	uint32_t count = view->top != 0 && view->top < all ? view->top : all;

	columns_begin(sheet, &tracing_table);
	for (uint32_t i = 0; i < count; i++) {
		const struct tracing_function *function =
			&tracing_functions(tracing)[tracing->order[i]];
		bool is_hot = function->cost.tottime_ns >
			      tracing->traced_ns / HOT_PART;
		struct row row;

		row_init(&row, tracing, function);
		columns_add(sheet, &tracing_table,
			is_hot ? TABLE_HOT : TABLE_PLAIN, &row);
		if (view->callers && sheet->style != REPORT_JSON)
			add_callers(sheet, &tracing_table, &row);
	}
	columns_end(sheet, &tracing_table);
	columns_hidden(sheet, all - count);
}

/* ---- functions to take out ---- */

struct pick_row {
	uint64_t saved_ns, alone_ns;
	struct value share;
	const char *name, *file;
	uint32_t line;
	struct value_name label;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct pick_row, member)
static const struct column pick_items[] = {
	COLUMN(TIME, "saved_ns", "saves ", "the time of tracing its inlined "
		"calls with all that they inline: those inside one another "
		"count once, and those inside a function of the rows before "
		"not at all", OF(saved_ns)),
	COLUMN(PERCENT, "saved_percent", "saves %", "its share of all time of "
		"tracing; null if that is 0", OF(share), .nullable = true),
	COLUMN(TIME, "alone_ns", "alone ", "the time it saves if it alone is "
		"taken out", OF(alone_ns)),
	COLUMN(TEXT, "function", NULL, "the function's name", OF(name)),
	COLUMN(TEXT, "file", NULL, "its file; empty if unknown", OF(file)),
	COLUMN(COUNT, "line", NULL, "its line; 0 if unknown", OF(line)),
	COLUMN_IN_TEXT(TEXT, "function", OF(label)),
};
#undef OF
/* clang-format on */
const struct columns tracing_picks_table = COLUMNS("take_out",
	"the functions, not PyTorch's own, most worth taking out of the "
	"compiled region, at most 10; their savings add up",
	pick_items);

void tracing_write_picks(struct sheet *sheet, const struct tracing_view *view)
{
	const struct tracing *tracing = view->tracing;
	uint32_t all = tracing->pick_count;
	uint32_t count = view->top != 0 && view->top < all ? view->top : all;

	columns_begin(sheet, &tracing_picks_table);
	for (uint32_t i = 0; i < count; i++) {
		const struct tracing_pick *pick = &tracing->picks[i];
		const struct tracing_function *function =
			&tracing_functions(tracing)[pick->function];
		struct pick_row row = {.saved_ns = pick->saved_ns,
			.alone_ns = function->alone_ns,
			.share =
				value_share(pick->saved_ns, tracing->traced_ns),
			.name = function->name,
			.file = function->file,
			.line = function->line,
			.label = {.name = function->name,
				.file = function->file,
				.line = function->line}};

		columns_add(sheet, &tracing_picks_table, TABLE_PLAIN, &row);
	}
	columns_end(sheet, &tracing_picks_table);
	columns_hidden(sheet, all - count);
}

/* ---- the report ---- */

const struct report_form functions_form = {.schema = "ctprof/functions/1",
	.title = "ctprof compilations --table=functions",
	.arrays = {&tracing_table, &tracing_picks_table},
	.csv = &tracing_table};

static void note_totals(struct sheet *sheet, const struct tracing *tracing)
{
	char text[QUANTITY_TEXT];

	columns_note(sheet,
		"Functions: %" PRIu32 ", traced %" PRIu64 " times; %s\n",
		tracing->functions.count, tracing->call_count,
		quantity_time(text, tracing->traced_ns));
}

void tracing_write(struct sheet *sheet, const struct tracing_view *view)
{
	if (view->callers)
		sheet->shown |= TRACING_WITH_CALLERS;
	note_totals(sheet, view->tracing);
	tracing_write_functions(sheet, view);
	if (sheet->style == REPORT_CSV)
		return;
	if (view->tracing->pick_count != 0)
		columns_note(sheet, "\nMost worth taking out of the compiled "
				    "region:\n");
	if (view->tracing->pick_count != 0 || sheet->style == REPORT_JSON)
		tracing_write_picks(sheet, view);
}

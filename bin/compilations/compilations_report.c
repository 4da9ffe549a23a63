/* SPDX-License-Identifier: MIT */
#include "compilations/compilations_report.h"

#include <inttypes.h>

#include "base/saturate.h"
#include "cli/quantity.h"
#include "compilations/tracing_report.h"

/* Lines with more columns, and with all of them. */
#define WIDE 110
#define FULL 140

static const struct column_unit ms = {"ms", 1000000};

/* ---- compilations ---- */

/* Facts that compilations of the inputs have. Columns of others are left out.
 * Bits beside those of tracing_report.h. */
enum {
	HAS_TRACING = 1 << 1,
	HAS_PYTORCH = 1 << 8,
	HAS_OTHERS = 1 << 9, /* other compilers */
	HAS_ID = 1 << 10,
	HAS_CODE = 1 << 11, /* front end, optimizer and code generation */
	HAS_HOST = 1 << 12,
	HAS_LINKER = 1 << 13,
	HAS_WAITING = 1 << 14,
	HAS_PARALLEL = 1 << 15,
	HAS_HEADERS = 1 << 16,
	HAS_UNITS = 1 << 17,
	HAS_CACHE_TIMES = 1 << 18,
	HAS_FUNCTIONS = 1 << 19, /* of PyTorch alone, */
	HAS_FILES = 1 << 20,     /* or files as well */
};

static uint32_t facts_of(const struct compilation *row)
{
	const struct value *parts = row->parts;
	uint32_t facts = row->direction != NULL ? HAS_PYTORCH : HAS_OTHERS;

	if (row->id != NULL)
		facts |= HAS_ID;
	if (parts[COMPILATION_CODE].state == VALUE_KNOWN)
		facts |= HAS_CODE;
	if (parts[COMPILATION_HOST].state == VALUE_KNOWN)
		facts |= HAS_HOST;
	if (parts[COMPILATION_LINKER].state == VALUE_KNOWN)
		facts |= HAS_LINKER;
	if (row->direction != NULL || row->waiting.state == VALUE_KNOWN)
		facts |= HAS_WAITING;
	if (row->parallel.state == VALUE_KNOWN)
		facts |= HAS_PARALLEL;
	if (row->headers.state == VALUE_KNOWN)
		facts |= HAS_HEADERS;
	if (row->units.state == VALUE_KNOWN)
		facts |= HAS_UNITS;
	if (row->miss.state == VALUE_KNOWN || row->saved.state == VALUE_KNOWN)
		facts |= HAS_CACHE_TIMES;
	return facts;
}

/* Without a compilation, the table is that of PyTorch. */
static uint32_t find_facts(const struct compilations *from)
{
	uint32_t facts = 0;

	for (size_t i = 0; i < from->count; i++)
		facts |= facts_of(&from->rows[i]);
	if (facts == 0)
		facts = HAS_PYTORCH | HAS_ID | HAS_WAITING;
	return facts | ((facts & HAS_OTHERS) != 0 ? HAS_FILES : HAS_FUNCTIONS);
}

/* A name in text: that of the function, or else of the file. */
static struct value_name name_of(const void *row_)
{
	const struct compilation *row = row_;
	struct value_name name = {
		.name = row->function, .file = row->file, .line = row->line};

	if (row->function != NULL)
		return name;
	if (row->direction != NULL)
		name.name = "unknown";
	else
		name = (struct value_name){
			.name = row->file != NULL ? row->file : row->input};
	return name;
}

/* clang-format off */
#define OF(member) COLUMN_OF(struct compilation, member)
#define PART(key, title, help, bits, ...) \
	COLUMN(TIME, key, title, help, .absent = true, .nullable = true, \
		.when = (bits), __VA_ARGS__)
#define NUMBER(key, title, help, bits, ...) \
	COLUMN(COUNT, key, title, help, .absent = true, .nullable = true, \
		.when = (bits), __VA_ARGS__)
static const struct column items[] = {
	COLUMN(TEXT, "input", NULL, "the input", OF(input)),
	COLUMN(TEXT, "compiler", NULL, "the compiler", OF(compiler),
		.words = "pytorch|clang|lld|nvcc|rustc|xla"),
	COLUMN_IN_TEXT(TEXT, "compiler", OF(compiler),
		.when = HAS_OTHERS),
	COLUMN(TEXT, "id", "id", "PyTorch's compile id: the number of the "
		"frame, and how often it was compiled before; XLA's module; "
		"null for other compilers", OF(id),
		.nullable = true, .when = HAS_ID),
	COLUMN(TEXT, "direction", "pass", "forward, or backward for a graph that "
		"was compiled when its backward pass ran; null for other "
		"compilers than PyTorch", OF(direction),
		.words = "forward|backward", .nullable = true,
		.when = HAS_PYTORCH, .min_line = FULL),
	COLUMN(TIME, "total_ns", "total ", "the whole time; 0 if unknown",
		OF(total_ns)),
	PART("dynamo_ns", "Dynamo ", "time of Dynamo itself", HAS_PYTORCH,
		OF(dynamo)),
	PART("aot_autograd_ns", "AOT ", "time of AOTAutograd, or of "
		"another back end, without Inductor", HAS_PYTORCH,
		OF(back_end)),
	PART("inductor_ns", "Inductor ", "time of Inductor itself", HAS_PYTORCH,
		OF(inductor)),
	PART("front_end_ns", "front end ", "time of the front end: parsing and "
		"analysis, templates, tracing and lowering", HAS_CODE,
		OF(parts[COMPILATION_FRONT_END])),
	PART("optimizer_ns", "optimizer ", "time of the optimizer", HAS_CODE,
		OF(parts[COMPILATION_OPTIMIZER])),
	PART("code_ns", "code ", "time of generating code, with the rest of "
		"the back end", HAS_CODE,
		OF(parts[COMPILATION_CODE])),
	PART("host_ns", "host ", "time of the compiler for the host", HAS_HOST,
		OF(parts[COMPILATION_HOST])),
	PART("linker_ns", "linker ", "time of linking", HAS_LINKER,
		OF(parts[COMPILATION_LINKER])),
	PART("waiting_ns", "waiting ", "time of waiting for the processes that "
		"compile C++ and Triton, or for the threads of rustc",
		HAS_WAITING, OF(waiting)),
	PART("other_ns", "other ", "the rest of the total", HAS_OTHERS,
		OF(other)),
	PART("parallel_ns", NULL, "the time by which the parts are more than "
		"the total, because they ran at the same time", HAS_PARALLEL,
		OF(parallel)),
	PART("restarts_ns", "restarts ", "the part of Dynamo's time that was "
		"lost because it began again, for example after a graph break",
		HAS_PYTORCH, OF(restarts), .min_line = FULL),
	COLUMN(COUNT, "attempt", NULL, "the number of times that Dynamo began "
		"again, from 0; null for backward passes, or if unknown",
		OF(attempt), .nullable = true,
		.when = HAS_PYTORCH, .absent = true),
	NUMBER("graph_ops", "ops", "number of operations in the graph",
		HAS_PYTORCH, OF(operations), .min_line = WIDE),
	NUMBER("guards", "guards", "number of guards", HAS_PYTORCH,
		OF(guards), .min_line = WIDE),
	NUMBER("cache_hits", "hits", "number of hits in caches of "
		"Inductor and AOTAutograd", HAS_PYTORCH, OF(hits),
		.min_line = FULL),
	NUMBER("cache_misses", "misses", "number of misses",
		HAS_PYTORCH, OF(misses), .min_line = FULL),
	NUMBER("cache_bypasses", NULL, "number of graphs that caches do "
		"not take", HAS_PYTORCH, OF(bypasses)),
	PART("cache_miss_ns", "miss cost ", "the time between misses and their "
		"stored results, which is in the times of AOTAutograd, "
		"Inductor and waiting", HAS_CACHE_TIMES,
		OF(miss), .min_line = FULL),
	PART("cache_saved_ns", "saved ", "time that hits saved: that of "
		"compiling the result when it was stored", HAS_CACHE_TIMES,
		OF(saved), .min_line = FULL),
	PART("tracing_ns", NULL, "time of tracing functions, a part of "
		"Dynamo's, if a log of --compile is among the inputs",
		HAS_PYTORCH, OF(tracing)),
	NUMBER("traced_functions", NULL, "number of functions that were "
		"traced, likewise", HAS_PYTORCH, OF(functions)),
	COLUMN_IN_TEXT(TIME, "traced ", OF(tracing),
		.when = HAS_TRACING, .min_line = FULL),
	COLUMN_IN_TEXT(COUNT, "functions", OF(functions),
		.when = HAS_TRACING, .min_line = WIDE),
	NUMBER("headers", "headers", "number of times that a header was "
		"parsed, of those in the trace", HAS_HEADERS,
		OF(headers)),
	NUMBER("templates", "templates", "number of instances of templates, of "
		"those in the trace", HAS_HEADERS, OF(templates)),
	NUMBER("codegen_units", "units", "number of codegen units", HAS_UNITS,
		OF(units)),
	COLUMN(TEXT, "outcome", "outcome", "compiled, nothing compiled, "
		"recompile limit, or the type of the failure; null if unknown", OF(outcome),
		.nullable = true, .when = HAS_PYTORCH, .min_line = WIDE),
	COLUMN(TEXT, "failure", NULL, "the failure in words, or null",
		OF(failure), .nullable = true,
		.when = HAS_PYTORCH),
	COLUMN(TEXT, "function", NULL, "the function, or rustc's crate; null "
		"if unknown", OF(function), .nullable = true),
	COLUMN(TEXT, "file", NULL, "its file, or the file that was compiled; "
		"or null", OF(file), .nullable = true),
	COLUMN(COUNT, "line", NULL, "its line; 0 if unknown",
		OF(line)),
	COLUMN(TEXT, "recompile_reason", NULL, "why it was compiled again, or "
		"null; \"unknown\" without a TORCH_TRACE log", OF(again), .nullable = true,
		.when = HAS_PYTORCH),
	COLUMN_IN_TEXT(TEXT, "function", .name = name_of, .when = HAS_FUNCTIONS),
	COLUMN_IN_TEXT(TEXT, "function or file", .name = name_of, .when = HAS_FILES),
};
#undef OF
/* clang-format on */
static const struct columns table =
	COLUMNS("compilations", "each compilation, the longest first", items);

/* ---- graph breaks ---- */

static struct value_name reason_of(const void *row_)
{
	const struct graph_break *row = row_;

	return (struct value_name){
		.name = row->reason, .file = row->file, .line = row->line};
}

/* clang-format off */
#define OF(member) COLUMN_OF(struct graph_break, member)
static const struct column break_items[] = {
	COLUMN(COUNT, "count", "count", "number of breaks",
		OF(count)),
	COLUMN(TIME, "lost_ns", "lost ", "Dynamo's time that was lost because "
		"it began again; of a compilation with several breaks, the "
		"first one has it", OF(lost_ns)),
	COLUMN(TEXT, "reason", NULL, "the reason in one line",
		OF(reason)),
	COLUMN(TEXT, "file", NULL, "the file of the user's code; empty if "
		"unknown", OF(file)),
	COLUMN(COUNT, "line", NULL, "the line; 0 if unknown",
		OF(line)),
	COLUMN_IN_TEXT(TEXT, "reason", .name = reason_of),
	COLUMN_IN_JSON(TEXT, "details", "all of the reason, with hints; or "
		"null", OF(details), .nullable = true),
	COLUMN_IN_JSON(TEXT, "stack", "the stack of the user's code, or null",
		OF(stack), .nullable = true),
};
#undef OF
/* clang-format on */
static const struct columns break_table = COLUMNS(
	"graph_breaks", "each reason and place, the worst first", break_items);

/* ---- recompilations ---- */

static struct value_name function_of(const void *row_)
{
	const struct recompilation *row = row_;

	return (struct value_name){
		.name = row->function, .file = row->file, .line = row->line};
}

/* clang-format off */
#define OF(member) COLUMN_OF(struct recompilation, member)
static const struct column again_items[] = {
	COLUMN(COUNT, "count", "count", "number of compilations for this "
		"reason", OF(count)),
	COLUMN(TIME, "total_ns", "total ", "their time", OF(total_ns)),
	COLUMN(TEXT, "reason", "reason", "the guard that failed",
		OF(reason)),
	COLUMN(TEXT, "function", NULL, "the function; empty if unknown",
		OF(function)),
	COLUMN(TEXT, "file", NULL, "its file; empty if unknown",
		OF(file)),
	COLUMN(COUNT, "line", NULL, "its line; 0 if unknown", OF(line)),
	COLUMN_IN_TEXT(TEXT, "function", .name = function_of),
};
#undef OF
/* clang-format on */
static const struct columns again_table = COLUMNS("recompilations",
	"each reason of each function, the longest first", again_items);

bool compilations_sort(struct compilations *to)
{
	return columns_sort(&table, "total_ns", to->rows, to->count,
		       sizeof(*to->rows)) &&
	       columns_sort(&break_table, "count", to->breaks, to->break_count,
		       sizeof(*to->breaks)) &&
	       columns_sort(&break_table, "lost_ns", to->breaks,
		       to->break_count, sizeof(*to->breaks)) &&
	       columns_sort(&again_table, "total_ns", to->again,
		       to->again_count, sizeof(*to->again));
}

static void add_breaks(
	struct sheet *sheet, const struct compilations *from, uint32_t top)
{
	columns_write(sheet, &break_table, from->breaks, from->break_count,
		sizeof(*from->breaks), top);
}

static void add_again(
	struct sheet *sheet, const struct compilations *from, uint32_t top)
{
	columns_write(sheet, &again_table, from->again, from->again_count,
		sizeof(*from->again), top);
}

/* ---- the report ---- */

struct totals {
	uint64_t count, again, total_ns, functions, tracing_ns;
	uint64_t dynamo_ns, back_end_ns, inductor_ns, waiting_ns, restarts_ns;
	uint64_t parts_ns[COMPILATION_PARTS], other_ns, parallel_ns;
	uint64_t miss_ns, saved_ns;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct totals, member)
#define SUM(key, help, bits, member) \
	COLUMN_IN_JSON(TIME, key, help, OF(member), .when = (bits), \
		.absent = true)
static const struct column totals_items[] = {
	COLUMN_IN_JSON(COUNT, "compilation_count", "number of compilations",
		OF(count)),
	COLUMN_IN_JSON(COUNT, "recompilation_count", "number of those of a "
		"function that had been compiled before", OF(again)),
	COLUMN_IN_JSON(TIME, "total_ns", "the time of all", OF(total_ns)),
	SUM("dynamo_ns", "of Dynamo itself", HAS_PYTORCH, dynamo_ns),
	SUM("aot_autograd_ns", "of AOTAutograd, or of another back end, "
		"without Inductor", HAS_PYTORCH, back_end_ns),
	SUM("inductor_ns", "of Inductor itself", HAS_PYTORCH, inductor_ns),
	SUM("front_end_ns", "of front ends", HAS_CODE,
		parts_ns[COMPILATION_FRONT_END]),
	SUM("optimizer_ns", "of optimizers", HAS_CODE,
		parts_ns[COMPILATION_OPTIMIZER]),
	SUM("code_ns", "of generating code", HAS_CODE,
		parts_ns[COMPILATION_CODE]),
	SUM("host_ns", "of compilers for the host", HAS_HOST,
		parts_ns[COMPILATION_HOST]),
	SUM("linker_ns", "of linking", HAS_LINKER,
		parts_ns[COMPILATION_LINKER]),
	SUM("waiting_ns", "of waiting for compilers", HAS_WAITING, waiting_ns),
	SUM("other_ns", "the rest of the totals of other compilers than "
		"PyTorch", HAS_OTHERS, other_ns),
	SUM("parallel_ns", "of parts that ran at the same time as others",
		HAS_PARALLEL, parallel_ns),
	SUM("restarts_ns", "the part of Dynamo's time that was lost in "
		"restarts", HAS_PYTORCH, restarts_ns),
	COLUMN_IN_JSON(COUNT, "function_count", "number of functions that "
		"Dynamo traced, known from a log of --compile", OF(functions),
		.when = HAS_PYTORCH, .absent = true),
	SUM("tracing_ns", "of tracing them", HAS_PYTORCH, tracing_ns),
	SUM("cache_miss_ns", "the cost of cache misses", HAS_CACHE_TIMES,
		miss_ns),
	SUM("cache_saved_ns", "saved by cache hits", HAS_CACHE_TIMES, saved_ns),
};
#undef OF
/* clang-format on */
static const struct columns totals_table =
	COLUMNS(NULL, "the sums", totals_items);

static void add_time(uint64_t *sum, uint64_t time_ns)
{
	*sum = saturate_sum(*sum, time_ns);
}

/* Absent and unknown values are 0. */
static void add_to_totals(struct totals *to, const struct compilation *row)
{
	to->again += row->again != NULL;
	add_time(&to->total_ns, row->total_ns);
	add_time(&to->dynamo_ns, row->dynamo.number);
	add_time(&to->back_end_ns, row->back_end.number);
	add_time(&to->inductor_ns, row->inductor.number);
	add_time(&to->waiting_ns, row->waiting.number);
	add_time(&to->restarts_ns, row->restarts.number);
	for (unsigned i = 0; i < COMPILATION_PARTS; i++)
		add_time(&to->parts_ns[i], row->parts[i].number);
	add_time(&to->other_ns, row->other.number);
	add_time(&to->parallel_ns, row->parallel.number);
	add_time(&to->miss_ns, row->miss.number);
	add_time(&to->saved_ns, row->saved.number);
}

static struct totals sum_up(const struct compile *compile)
{
	const struct compilations *from = &compile->compilations;
	struct totals totals = {.count = from->count,
		.functions = compile->tracing.functions.count,
		.tracing_ns = compile->tracing.traced_ns};

	for (size_t i = 0; i < from->count; i++)
		add_to_totals(&totals, &from->rows[i]);
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
	static const char *const parts[COMPILATION_PARTS] = {
		[COMPILATION_FRONT_END] = "front end",
		[COMPILATION_OPTIMIZER] = "optimizer",
		[COMPILATION_CODE] = "code generation",
		[COMPILATION_HOST] = "host compiler",
		[COMPILATION_LINKER] = "linker"};
	char text[QUANTITY_TEXT];

	columns_note(sheet, "Compilations: %" PRIu64, totals->count);
	if ((sheet->shown & HAS_PYTORCH) != 0)
		columns_note(
			sheet, ", %" PRIu64 " of them again", totals->again);
	columns_note(sheet, "; %s", quantity_time(text, totals->total_ns));
	note_time(sheet, "Dynamo", totals->dynamo_ns);
	note_time(sheet, "AOTAutograd", totals->back_end_ns);
	note_time(sheet, "Inductor", totals->inductor_ns);
	for (unsigned i = 0; i < COMPILATION_PARTS; i++)
		note_time(sheet, parts[i], totals->parts_ns[i]);
	note_time(sheet, "waiting for compilers", totals->waiting_ns);
	note_time(sheet, "other", totals->other_ns);
	note_time(sheet, "at the same time as others", totals->parallel_ns);
	note_time(sheet, "lost in restarts", totals->restarts_ns);
	note_time(sheet, "cost of cache misses", totals->miss_ns);
	note_time(sheet, "saved by cache hits", totals->saved_ns);
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

	sheet->shown |= find_facts(from);
	columns_members(sheet, &totals_table, &totals);
	note_totals(sheet, &totals);
	columns_write(sheet, &table, from->rows, from->count,
		sizeof(*from->rows), top);
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

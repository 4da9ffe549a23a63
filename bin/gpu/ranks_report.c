/* SPDX-License-Identifier: MIT */
#include "gpu/ranks_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "gpu/gaps_report.h"
#include "profiles/label.h"
#include "ranks/ranks_input.h"

#define LABEL_MAX 64
#define WIDE 95

static const struct column_unit ms = {"ms", 1000000};
static const struct column_unit us = {"us", 1000};
static const struct column_unit giga = {"", 1000000000};
static const struct column_unit kilo = {"kB", 1000};

/* Bits of the sheet. */
#define GROUPS 1u  /* rows are groups of ranks */
#define DEVICES 2u /* several devices of a rank */
#define HOSTS 4u   /* hosts are known */
#define BY_HOST 8u /* the groups are these */

/* ---- rows ---- */

struct row_line {
	struct straggler straggler;
	struct value rank, last_rank, device, input, host, wait_ns;
	uint64_t causes[GAP_CAUSES];
	uint64_t step_mean_ns, exposed_ns;
	struct value behind;
	const char *reason;
	char label[LABEL_MAX];
	const char *name; /* label, or the input's name */
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct row_line, member)
#define TIMES(member) OF(straggler.times.member)
#define CAUSE(cause, key, help) \
	COLUMN_IN_JSON(TIME, key, help, OF(causes[cause])),
static const struct column cause_members[] = {GAP_CAUSES_IN_JSON(CAUSE)};
static const struct columns causes_table =
	COLUMNS("causes", "the idle time by cause", cause_members);

static const struct column row_columns[] = {
	COLUMN(INTEGER, "rank", NULL, "the rank; of a group, the first one; "
		"null if it is unknown", OF(rank), .nullable = true),
	COLUMN(INTEGER, "device", NULL, "the device's number, from 0; null for "
		"a group, and for ranks without a device", OF(device),
		.nullable = true),
	COLUMN(TEXT, "host", NULL, "the host; null if it is unknown", OF(host),
		.nullable = true),
	COLUMN(TEXT, "input", NULL, "the input, if the rank is unknown",
		OF(input), .nullable = true),
	COLUMN(COUNT, "rows", "ranks",
		"number of ranks and devices that the row is the mean of",
		OF(straggler.rows), .when = GROUPS),
	COLUMN(COUNT, "steps", "steps", "number of steps",
		TIMES(steps)),
	COLUMN(TIME, "step_mean_ns", "step ", "the mean step",
		OF(step_mean_ns)),
	COLUMN(TIME, "step_max_ns", "longest ", "the longest step",
		TIMES(step_max_ns), .min_line = WIDE),
	COLUMN_IN_JSON(TIME, "span_ns",
		"the time in which its process is known", TIMES(span_ns)),
	COLUMN_IN_JSON(TIME, "busy_ns", "the time with any activity",
		TIMES(busy_ns)),
	COLUMN(TIME, "compute_ns", "compute ",
		"the time with a kernel that computes", TIMES(compute_ns)),
	COLUMN(TIME, "comm_ns", "comm. ",
		"the time with a kernel that communicates",
		TIMES(communication_ns), .min_line = WIDE),
	COLUMN(TIME, "exposed_comm_ns", "exposed ",
		"the part of comm_ns without a kernel that computes",
		OF(exposed_ns)),
	COLUMN(TIME, "copy_ns", "copies ", "the time with a copy or memset",
		TIMES(copy_ns), .min_line = WIDE),
	COLUMN(TIME, "idle_ns", "idle ", "the time without any activity",
		TIMES(idle_ns)),
	COLUMN_IN_JSON(OBJECT, "causes", "the parts of idle_ns",
		.table = &causes_table),
	COLUMN_IN_JSON(COUNT, "collectives",
		"number of collectives in which ranks wait for each other",
		TIMES(collectives)),
	COLUMN_IN_JSON(COUNT, "matched_collectives",
		"of these, those that other ranks have, too",
		OF(straggler.matched)),
	COLUMN(TIME, "wait_ns", "wait ", "the time of these in which it "
		"waited for other ranks; null without any", OF(wait_ns),
		.nullable = true),
	COLUMN(COUNT, "last_count", "last",
		"number of these to which it came last",
		OF(straggler.last_count)),
	COLUMN(TIME, "own_ns", NULL, "its own time: the mean step, or without "
		"steps the span, less its waiting", OF(straggler.own_ns)),
	COLUMN(TIME, "behind_ns", "behind ",
		"own_ns above the median of the rows; 0 if it is not above",
		OF(straggler.behind_ns)),
	COLUMN(TEXT, "reason", NULL, "the part of its own time that is above "
		"the median the most; null if it is not behind", OF(reason),
		.nullable = true, .words = "slow compute|late launch|input|"
			"communication|copies"),
	COLUMN_IN_TEXT(TEXT, "reason", OF(reason)),
	COLUMN_IN_TEXT(COUNT, "device", OF(device), .when = DEVICES),
	COLUMN_IN_TEXT(TEXT, "host", OF(host), .when = HOSTS),
	COLUMN_IN_TEXT(TEXT, "rank", OF(name), .page = "Rank"),
};
#undef TIMES
#undef OF
/* clang-format on */

static const struct columns row_table = COLUMNS("rows",
	"each rank and device, or group of them, the slowest first",
	row_columns);

static const char *text_of(const struct ranks_view *view, uint32_t number)
{
	return strtab_text(view->ranks->text, number, NULL);
}

static struct value text_value(const struct ranks_view *view, uint32_t number)
{
	return value_text(number == 0 ? NULL : text_of(view, number));
}

static bool is_group(const struct ranks_view *view)
{
	return view->by.host || view->by.ranks > 0;
}

static void set_label(struct row_line *line, const struct ranks_view *view)
{
	const struct rank_row *row = line->straggler.row;
	uint64_t rank = (uint64_t)row->rank;

	line->name = line->label;
	if (row->rank == SPREAD_RANK_NONE)
		line->name = view->by.host ? "-" : text_of(view, row->input);
	else if (view->by.ranks > 0)
		(void)snprintf(line->label, sizeof(line->label),
			"%" PRIu64 " to %" PRIu64, rank - rank % view->by.ranks,
			saturate_sum(rank - rank % view->by.ranks,
				view->by.ranks - 1));
	else
		(void)snprintf(
			line->label, sizeof(line->label), "%" PRIu64, rank);
}

/* Makes the times of a group their mean. */
static void divide(struct rank_times *times, uint64_t rows)
{
	uint64_t longest_ns = times->step_max_ns;
	uint64_t *sums = (uint64_t *)times;

	for (size_t i = 0; i < sizeof(*times) / sizeof(*sums); i++)
		sums[i] /= rows;
	times->step_max_ns = longest_ns;
}

static struct row_line row_of(
	const struct ranks_view *view, const struct straggler *straggler)
{
	const struct rank_row *row = straggler->row;
	bool known = row->rank != SPREAD_RANK_NONE;
	struct row_line line = {.straggler = *straggler,
		.rank = value_maybe(known, (uint64_t)row->rank),
		.device = value_maybe(
			row->device != RANKS_NO_DEVICE && !is_group(view),
			(uint64_t)row->device),
		.host = view->by.ranks > 0 ? value_text(NULL)
					   : text_value(view, row->host),
		.input = text_value(view, is_group(view) ? 0 : row->input),
		.step_mean_ns = straggler->times.steps == 0
					? 0
					: straggler->times.step_ns /
						  straggler->times.steps,
		.reason = straggler_reason_name(straggler->reason)};
	struct rank_times *times = &line.straggler.times;

	divide(times, straggler->rows);
	for (int cause = 0; cause < GAP_CAUSES; cause++)
		line.causes[cause] = times->cause_ns[cause];
	line.exposed_ns = gaps_exposed_ns(times->kernel_ns, times->compute_ns);
	line.wait_ns = value_maybe(
		straggler->matched > 0, straggler->wait_ns / straggler->rows);
	return line;
}

static void set_shown(struct sheet *sheet, const struct ranks_view *view)
{
	const struct ranks *ranks = view->ranks;

	sheet->unit = ms;
	sheet->shown = is_group(view) ? GROUPS : 0;
	if (view->by.host)
		sheet->shown |= BY_HOST;
	for (uint32_t i = 0; i < ranks->row_count; i++) {
		if (ranks->rows[i].host != 0 && view->by.ranks == 0)
			sheet->shown |= HOSTS;
		if (i > 0 && !is_group(view) &&
			ranks->rows[i].rank == ranks->rows[i - 1].rank &&
			ranks->rows[i].input == ranks->rows[i - 1].input)
			sheet->shown |= DEVICES;
	}
}

void ranks_write_rows(struct sheet *sheet, const struct ranks_view *view)
{
	const struct stragglers *stragglers = view->stragglers;
	uint32_t count = view->top != 0 && stragglers->count > view->top
				 ? view->top
				 : stragglers->count;
	uint32_t i = 0;

	set_shown(sheet, view);
	columns_begin(sheet, &row_table);
	for (; i < count && !columns_full(sheet); i++) {
		struct row_line line = row_of(view, &stragglers->items[i]);

		set_label(&line, view);
		columns_add(sheet, &row_table, TABLE_PLAIN, &line);
	}
	columns_end(sheet, &row_table);
	columns_hidden(sheet, stragglers->count - i);
}

/* ---- imbalance ---- */

struct item_line {
	const char *kind, *name, *file;
	uint64_t line;
	struct spread spread;
	uint64_t count, mean_ns, deviation_ns, p50_ns, p95_ns, lost_ns;
	struct value min_rank, max_rank, min_host, max_host;
	struct value_name label;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct item_line, member)
static const struct column item_columns[] = {
	COLUMN(TEXT, "kind", NULL, "its kind", OF(kind),
		.words = "function|kernel|phase"),
	COLUMN(TEXT, "name", NULL, "the name", OF(name)),
	COLUMN(TEXT, "file", NULL, "the function's file; may be empty",
		OF(file)),
	COLUMN(COUNT, "line", NULL, "its line; 0 if it is unknown", OF(line)),
	COLUMN(COUNT, "ranks", NULL,
		"number of recordings that have it; others count as 0",
		OF(count)),
	COLUMN(TIME, "lost_ns", "lost ",
		"(max_ns - the mean) times the number of recordings",
		OF(lost_ns)),
	COLUMN(TIME, "mean_ns", "mean ", "the mean over the recordings",
		OF(mean_ns)),
	COLUMN(TIME, "stddev_ns", "deviation ", "the standard deviation",
		OF(deviation_ns)),
	COLUMN(TIME, "min_ns", "min ", "the least", OF(spread.min_ns)),
	COLUMN(INTEGER, "min_rank", "rank", "the rank with the least; null if "
		"it is unknown, or has no such item", OF(min_rank),
		.nullable = true, .page = "min rank"),
	COLUMN(TIME, "max_ns", "max ", "the most", OF(spread.max_ns)),
	COLUMN(INTEGER, "max_rank", "rank",
		"the rank with the most; null if it is unknown", OF(max_rank),
		.nullable = true, .page = "max rank"),
	COLUMN_IN_JSON(TEXT, "min_host", "the host of min_rank; null if it is "
		"unknown", OF(min_host), .nullable = true),
	COLUMN_IN_JSON(TEXT, "max_host", "the host of max_rank; null if it is "
		"unknown", OF(max_host), .nullable = true),
	COLUMN(TIME, "p50_ns", "p50 ", "the median, within 3.2 %", OF(p50_ns),
		.min_line = WIDE),
	COLUMN(TIME, "p95_ns", "p95 ", "the 95th percentile, likewise",
		OF(p95_ns), .min_line = WIDE),
	COLUMN_IN_TEXT(TEXT, "max host", OF(max_host), .when = BY_HOST),
	COLUMN_IN_TEXT(TEXT, "kind", OF(kind)),
	COLUMN_IN_TEXT(TEXT, "name", OF(label)),
};
#undef OF
/* clang-format on */

static const struct columns item_table = COLUMNS("imbalance",
	"functions, kernels and phases by the time lost, the most first",
	item_columns);

static struct value rank_value(int64_t rank)
{
	return value_maybe(rank != SPREAD_RANK_NONE, (uint64_t)rank);
}

/* The host of a rank; rows are sorted. */
static struct value host_value(const struct ranks_view *view, int64_t rank)
{
	const struct ranks *ranks = view->ranks;
	uint32_t low = 0;
	uint32_t high = ranks->row_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranks->rows[middle].rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return text_value(view, rank != SPREAD_RANK_NONE &&
						low < ranks->row_count &&
						ranks->rows[low].rank == rank
					? ranks->rows[low].host
					: 0);
}

/* The spread over all recordings; false if out of memory. */
static bool spread_of(const struct ranks_view *view,
	const struct rank_item *item, struct spread *spread)
{
	const struct spread *from =
		view->cumulative && item->kind != RANK_KERNEL ? &item->total
							      : &item->self;
	uint64_t all = view->ranks->recordings;

	*spread = (struct spread){.count = 0};
	return spread_add(spread, from) &&
	       (all <= from->count ||
		       spread_add_zeros(spread, all - from->count));
}

static struct item_line item_of(const struct ranks_view *view,
	const struct rank_item *item, const struct spread *spread)
{
	static const char *const kinds[RANK_ITEM_KINDS] = {
		[RANK_FUNCTION] = "function",
		[RANK_KERNEL] = "kernel",
		[RANK_PHASE] = "phase"};
	const char *name = text_of(view, item->name);
	const char *file = text_of(view, item->file);

	return (struct item_line){.kind = kinds[item->kind],
		.name = name,
		.file = file,
		.line = item->line,
		.spread = *spread,
		.count = item->self.count,
		.mean_ns = spread_mean(spread),
		.deviation_ns = spread_deviation(spread),
		.p50_ns = spread_quantile(spread, 50),
		.p95_ns = spread_quantile(spread, 95),
		.lost_ns = spread_lost(spread),
		.min_rank = rank_value(spread->min_rank),
		.max_rank = rank_value(spread->max_rank),
		.min_host = host_value(view, spread->min_rank),
		.max_host = host_value(view, spread->max_rank),
		.label = {.name = label_name(name),
			.file = file,
			.line = item->line}};
}

/* The time lost by an item, and its index. */
struct lost {
	uint64_t lost_ns;
	uint32_t item;
};

/* The most first; items are in order. */
static int compare_lost(const void *left, const void *right)
{
	const struct lost *one = left;
	const struct lost *other = right;

	if (one->lost_ns != other->lost_ns)
		return one->lost_ns > other->lost_ns ? -1 : 1;
	return (one->item > other->item) - (one->item < other->item);
}

/* All items in order of the time that they lose; NULL if out of memory. */
static struct lost *sort_items(const struct ranks_view *view)
{
	uint32_t count = view->ranks->item_count;
	struct lost *order =
		memory_resize_array(NULL, (size_t)count + 1, sizeof(*order));
	bool done = order != NULL;

	for (uint32_t i = 0; i < count && done; i++) {
		struct spread spread;

		done = spread_of(view, &view->ranks->items[i], &spread);
		order[i] = (struct lost){spread_lost(&spread), i};
		spread_clear(&spread);
	}
	if (done) {
		qsort(order, count, sizeof(*order), compare_lost);
		return order;
	}
	memory_free(order);
	return NULL;
}

void ranks_write_imbalance(struct sheet *sheet, const struct ranks_view *view)
{
	uint32_t count = view->ranks->item_count;
	uint32_t shown =
		view->top != 0 && count > view->top ? view->top : count;
	struct lost *order = sort_items(view);
	uint32_t i = 0;

	columns_begin(sheet, &item_table);
	sheet->failed |= order == NULL;
	for (; i < shown && !sheet->failed && !columns_full(sheet); i++) {
		const struct rank_item *item =
			&view->ranks->items[order[i].item];
		struct spread spread;

		if (spread_of(view, item, &spread)) {
			struct item_line line = item_of(view, item, &spread);

			columns_add(sheet, &item_table, TABLE_PLAIN, &line);
		} else {
			sheet->failed = true;
		}
		spread_clear(&spread);
	}
	columns_end(sheet, &item_table);
	columns_hidden(sheet, count - i);
	memory_free(order);
}

/* ---- collectives ---- */

struct collective_line {
	const char *op;
	struct value dtype, group, ranks, bytes;
	uint64_t count, instances, total_ns, mean_ns, min_ns, max_ns;
	uint64_t p50_ns, p95_ns;
	struct value wait_ns, skew_ns, wait_share, algbw, busbw;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct collective_line, member)
static const struct column collective_columns[] = {
	COLUMN(TEXT, "op", NULL, "the operation", OF(op)),
	COLUMN(TEXT, "dtype", NULL, "the type of the elements; null if it is "
		"not recorded", OF(dtype), .nullable = true),
	COLUMN(TEXT, "group", NULL, "the process group's description, or its "
		"name; null if it is not recorded", OF(group),
		.nullable = true),
	COLUMN(COUNT, "count", "count", "number of executions, of all ranks",
		OF(count)),
	COLUMN(COUNT, "instances", NULL,
		"number of those of at least two ranks, each counted once",
		OF(instances)),
	COLUMN(TIME, "total_ns", "total ", "the time of all executions",
		OF(total_ns), .unit = &ms),
	COLUMN(TIME, "mean_ns", "mean ", "the mean time", OF(mean_ns),
		.unit = &us),
	COLUMN(TIME, "min_ns", "min ", "the shortest", OF(min_ns),
		.unit = &us),
	COLUMN(TIME, "p50_ns", "p50 ", "the median, within 3.2 %", OF(p50_ns),
		.unit = &us, .min_line = WIDE),
	COLUMN(TIME, "p95_ns", "p95 ", "the 95th percentile, likewise",
		OF(p95_ns), .unit = &us, .min_line = WIDE),
	COLUMN(TIME, "max_ns", "max ", "the longest", OF(max_ns), .unit = &us,
		.min_line = WIDE),
	COLUMN(TIME, "wait_ns", NULL, "the time of all executions that is "
		"above the shortest of their instance: waiting for other "
		"ranks; null if ranks do not wait, or cannot be matched",
		OF(wait_ns), .nullable = true),
	COLUMN_IN_TEXT(PERCENT, "wait %", OF(wait_share)),
	COLUMN(TIME, "skew_ns", "skew ", "the mean of the longest less the "
		"shortest of an instance; null likewise", OF(skew_ns),
		.nullable = true, .unit = &us),
	COLUMN(COUNT, "algbw_bytes_per_s", "alg. GB/s",
		"bytes over the shortest time of an instance; null if the "
		"bytes are not recorded", OF(algbw), .nullable = true,
		.unit = &giga),
	COLUMN(COUNT, "busbw_bytes_per_s", "bus GB/s",
		"the same times the factor of NCCL-tests; null if the number "
		"of ranks is not recorded", OF(busbw), .nullable = true,
		.unit = &giga),
	COLUMN(COUNT, "bytes", "kB", "the bytes of a rank: the larger of input "
		"and output; null if they are not recorded", OF(bytes),
		.nullable = true, .unit = &kilo),
	COLUMN(COUNT, "ranks", "ranks", "number of ranks in the process "
		"group; null if it is not recorded", OF(ranks),
		.nullable = true),
	COLUMN_IN_TEXT(TEXT, "type", OF(dtype)),
	COLUMN_IN_TEXT(TEXT, "group", OF(group)),
	COLUMN_IN_TEXT(TEXT, "operation", OF(op)),
};
#undef OF
/* clang-format on */

static const struct columns collective_table = COLUMNS("collectives",
	"collectives by operation, type, bytes and process group, the longest "
	"total first",
	collective_columns);

/* bytes / time x factor, in bytes per second. */
static uint64_t rate(const struct collective_stats *stats,
	const struct collective_sums *sums, uint64_t numerator,
	uint64_t denominator)
{
	spread_wide bytes = (spread_wide)stats->kind.bytes * sums->transfers;
	spread_wide per_s;

	if (__builtin_mul_overflow(
		    bytes, (spread_wide)1000000000 * numerator, &per_s))
		return UINT64_MAX;
	per_s /= (spread_wide)sums->transfer_ns * denominator;
	return per_s > UINT64_MAX ? UINT64_MAX : (uint64_t)per_s;
}

static void set_rates(struct collective_line *line,
	const struct collective_stats *stats,
	const struct collective_sums *sums)
{
	bool known = stats->kind.bytes != COLLECTIVE_BYTES_UNKNOWN &&
		     sums->transfer_ns > 0;
	uint64_t numerator;
	uint64_t denominator;
	bool has_bus = collective_op_bus(
		stats->kind.op, stats->kind.ranks, &numerator, &denominator);

	line->algbw = value_maybe(known, known ? rate(stats, sums, 1, 1) : 0);
	line->busbw = value_maybe(known && has_bus,
		known && has_bus ? rate(stats, sums, numerator, denominator)
				 : 0);
}

static const char *text_or_null(const char *text)
{
	return *text == '\0' ? NULL : text;
}

static struct collective_line collective_of(
	const struct collective_stats *stats,
	const struct collective_sums *sums)
{
	const struct collective_kind *kind = &stats->kind;
	const struct spread *durations = &stats->durations;
	bool matched = sums->instances > 0;
	struct collective_line line = {.op = collective_op_name(kind->op),
		.dtype = value_text(text_or_null(kind->dtype)),
		.group = value_text(text_or_null(kind->group)),
		.ranks = value_maybe(kind->ranks != 0, kind->ranks),
		.bytes = value_maybe(
			kind->bytes != COLLECTIVE_BYTES_UNKNOWN, kind->bytes),
		.count = durations->count,
		.instances = sums->instances,
		.total_ns = durations->sum_ns,
		.mean_ns = spread_mean(durations),
		.min_ns = durations->min_ns,
		.max_ns = durations->max_ns,
		.p50_ns = spread_quantile(durations, 50),
		.p95_ns = spread_quantile(durations, 95),
		.wait_ns = value_maybe(matched, sums->wait_ns),
		.skew_ns = value_maybe(matched,
			matched ? sums->skew_ns / sums->instances : 0)};

	line.wait_share = value_share(sums->wait_ns, durations->sum_ns);
	if (!matched)
		line.wait_share = value_maybe(false, 0);
	set_rates(&line, stats, sums);
	return line;
}

/* All kinds in order of their total time; NULL if out of memory. */
static struct lost *sort_kinds(const struct collectives *collectives)
{
	uint32_t count = collectives->kind_count;
	struct lost *order =
		memory_resize_array(NULL, (size_t)count + 1, sizeof(*order));

	if (order == NULL)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		order[i] = (struct lost){
			collectives->kinds[i].durations.sum_ns, i};
	if (count > 0)
		qsort(order, count, sizeof(*order), compare_lost);
	return order;
}

void ranks_write_collectives(struct sheet *sheet, const struct ranks_view *view)
{
	const struct collectives *collectives = &view->ranks->collectives;
	uint32_t count = collectives->kind_count;
	uint32_t shown =
		view->top != 0 && count > view->top ? view->top : count;
	struct collective_sums *sums = collectives_sum(collectives);
	struct lost *order = sort_kinds(collectives);
	uint32_t i = 0;

	columns_begin(sheet, &collective_table);
	sheet->failed |= sums == NULL || order == NULL;
	for (; i < shown && !sheet->failed && !columns_full(sheet); i++) {
		uint32_t kind = order[i].item;
		struct collective_line line =
			collective_of(&collectives->kinds[kind], &sums[kind]);

		columns_add(sheet, &collective_table, TABLE_PLAIN, &line);
	}
	columns_end(sheet, &collective_table);
	columns_hidden(sheet, count - i);
	memory_free(sums);
	memory_free(order);
}

/* ---- the report ---- */

/* Counts of what the recordings lack. */
struct head_line {
	uint64_t recordings;
	struct value world;
	uint64_t unknown_ranks, repeated_ranks, unsized, ungrouped, unmatched;
	uint64_t left_out;
	bool per_step;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct head_line, member)
static const struct column head_columns[] = {
	COLUMN_IN_JSON(COUNT, "recordings", "number of inputs",
		OF(recordings)),
	COLUMN_IN_JSON(COUNT, "world_size", "number of ranks of the job; null "
		"if it is not recorded", OF(world), .nullable = true),
	COLUMN_IN_JSON(BOOL, "per_step", "own_ns is that of a step, not of a "
		"recording", OF(per_step)),
	COLUMN_IN_JSON(COUNT, "unknown_ranks",
		"number of rows of an unknown rank", OF(unknown_ranks)),
	COLUMN_IN_JSON(COUNT, "repeated_ranks",
		"number of rows with several recordings", OF(repeated_ranks)),
	COLUMN_IN_JSON(COUNT, "unsized_collectives",
		"number of executions without recorded bytes", OF(unsized)),
	COLUMN_IN_JSON(COUNT, "ungrouped_collectives",
		"number of executions without a recorded process group",
		OF(ungrouped)),
	COLUMN_IN_JSON(COUNT, "unmatched_collectives", "number of instances "
		"that only one rank has", OF(unmatched)),
	COLUMN_IN_JSON(COUNT, "left_out_collectives",
		"number of collectives beyond 1048576 of an input",
		OF(left_out)),
};
#undef OF
/* clang-format on */
static const struct columns head_table = COLUMNS("head", NULL, head_columns);

static struct head_line head_of(const struct ranks_view *view)
{
	const struct ranks *ranks = view->ranks;
	const struct collectives *collectives = &ranks->collectives;
	struct head_line head = {.recordings = ranks->recordings,
		.world = value_maybe(ranks->world != 0, ranks->world),
		.per_step = view->stragglers->per_step,
		.left_out = collectives->left_out};

	for (uint32_t i = 0; i < ranks->row_count; i++) {
		head.unknown_ranks += ranks->rows[i].rank == SPREAD_RANK_NONE;
		head.repeated_ranks += ranks->rows[i].times.recordings > 1;
	}
	for (uint32_t i = 0; i < collectives->kind_count; i++) {
		const struct collective_stats *stats = &collectives->kinds[i];
		uint64_t count = stats->durations.count;

		if (stats->kind.bytes == COLLECTIVE_BYTES_UNKNOWN)
			head.unsized = saturate_sum(head.unsized, count);
		if (stats->kind.ranks == 0)
			head.ungrouped = saturate_sum(head.ungrouped, count);
	}
	for (uint32_t i = 0; i < collectives->instance_count; i++)
		head.unmatched += collectives->instances[i].count == 1;
	return head;
}

/* Writes a line; a page has it in an array. */
static void write_note(struct sheet *sheet, const char *text)
{
	if (sheet->style == REPORT_PAGE)
		json_text(&sheet->json, text);
	else
		columns_note(sheet, "%s\n", text);
}

static void note_count(struct sheet *sheet, uint64_t count, const char *noun,
	const char *effect)
{
	char text[256];

	if (count == 0)
		return;
	(void)snprintf(
		text, sizeof(text), "%s: %" PRIu64 "%s.", noun, count, effect);
	write_note(sheet, text);
}

/* Ranks one by one do not show that they share a slow host. */
static void note_hosts(struct sheet *sheet, const struct ranks_view *view)
{
	struct stragglers hosts = {0};
	char text[RANKS_HOST + 128];

	if (sheet->style != REPORT_TEXT && sheet->style != REPORT_PAGE)
		return;
	if (!is_group(view) && !stragglers_find(&hosts, view->ranks,
				       (struct stragglers_by){.host = true}))
		sheet->failed = true;
	for (uint32_t i = 0; i < hosts.count && !sheet->failed; i++) {
		const struct straggler *host = &hosts.items[i];

		if (!straggler_is_slow_host(host, view->stragglers))
			continue;
		(void)snprintf(text, sizeof(text),
			"Host %s is slow: all of its %" PRIu32
			" rows are behind (%s).",
			text_of(view, host->row->host), host->rows,
			straggler_reason_name(host->reason));
		write_note(sheet, text);
	}
	stragglers_clear(&hosts);
}

static void note_counts(struct sheet *sheet, const struct head_line *head)
{
	note_count(
		sheet, head->unknown_ranks, "Rows whose rank is unknown", "");
	note_count(sheet, head->repeated_ranks, "Ranks with several recordings",
		"; these are added up");
	note_count(sheet, head->unsized, "Collectives without recorded bytes",
		"; they have no bandwidth");
	note_count(sheet, head->ungrouped,
		"Collectives without a recorded process group",
		"; they are matched by\ntheir order, and have no bus "
		"bandwidth");
	note_count(sheet, head->unmatched, "Collectives that only one rank has",
		"; their waiting is unknown");
	note_count(sheet, head->left_out,
		"Collectives beyond 1048576 of an input",
		"; they are left out");
}

void ranks_write_head(struct sheet *sheet, const struct ranks_view *view)
{
	const struct head_line head = head_of(view);

	columns_members(sheet, &head_table, &head);
	if (sheet->style != REPORT_PAGE)
		return;
	json_key(&sheet->json, "slow_hosts");
	json_begin(&sheet->json, '[');
	note_hosts(sheet, view);
	json_end(&sheet->json, ']');
	json_key(&sheet->json, "notes");
	json_begin(&sheet->json, '[');
	note_counts(sheet, &head);
	json_end(&sheet->json, ']');
}

bool ranks_has_more(const struct ranks_view *view)
{
	return view->top != 0 &&
	       (view->stragglers->count > view->top ||
		       view->ranks->item_count > view->top ||
		       view->ranks->collectives.kind_count > view->top);
}

const struct report_form ranks_form = {.schema = "ctprof/ranks/1",
	.title = "ctprof ranks",
	.heads = {&head_table},
	.arrays = {&row_table, &item_table, &collective_table},
	.csv = &row_table};

void ranks_write(struct sheet *sheet, const void *user)
{
	const struct ranks_view *view = user;
	const struct head_line head = head_of(view);

	ranks_write_head(sheet, view);
	ranks_write_rows(sheet, view);
	if (sheet->style == REPORT_CSV)
		return;
	columns_note(sheet, "\n");
	ranks_write_imbalance(sheet, view);
	if (view->ranks->collectives.kind_count > 0)
		columns_note(sheet, "\n");
	ranks_write_collectives(sheet, view);
	note_hosts(sheet, view);
	note_counts(sheet, &head);
}

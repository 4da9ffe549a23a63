/* SPDX-License-Identifier: MIT */
/*
 * The tables of functions and devices' work.
 * Source: shared spec 01, "Report", has the table of functions and the sums below
 * it; spec 03, "Tree and averages", those of devices' work and its launchers.
 */
#include "stats/stats_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/quantity.h"
#include "compilers/build_profile.h"
#include "input/devices.h"
#include "io/amount.h"
#include "profiles/label.h"

#define HOT_PART 10     /* functions with a tenth of all time are highlighted */
#define DEVICE_FULL 105 /* lines with all columns of a device */
static const struct column_unit units[] = {
	[STATS_NS] = {"ns", 1},
	[STATS_US] = {"us", 1000},
	[STATS_MS] = {"ms", 1000000},
	[STATS_S] = {"s", 1000000000},
};

static void put_stack(
	struct sheet *sheet, const struct column *column, const void *row);
static void put_memory(
	struct sheet *sheet, const struct column *column, const void *row);
static void put_edges(
	struct sheet *sheet, const struct column *column, const void *row);
static void put_owners(
	struct sheet *sheet, const struct column *column, const void *row);
/* ---- columns ---- */

/* clang-format off */
#define KINDS "host|kernel|gpu_memcpy|gpu_memset"
#define FUNCTION_COLUMNS \
	COLUMN(TEXT, "name", NULL, "the function's name", OF(function.name), \
		.sort = "name"), \
	COLUMN(TEXT, "file", NULL, "its file; empty if unknown or if " \
		"functions of several are summed", OF(file)), \
	COLUMN(COUNT, "line", NULL, "its line, from 1; 0 if unknown", \
		OF(function.line)), \
	COLUMN(COUNT, "ncalls", "ncalls", "number of calls", \
		OF_COST(ncalls), .page = "Calls", .sort = "ncalls|count"), \
	COLUMN(COUNT, "pcalls", "pcalls", "number of primitive calls", \
		OF_COST(pcalls), .page = "Primitive", .optional = true, \
		.sort = "pcalls", .when = HAS_RECURSION), \
	COLUMN(TIME, "tottime_ns", "tottime ", \
		"the time in the function itself", OF_COST(tottime_ns), \
		.page = "Self", .sort = "tottime|self-cpu"), \
	COLUMN(TIME, "cumtime_ns", "cumtime ", \
		"the time from begin to end of primitive calls", \
		OF_COST(cumtime_ns), .page = "Total", .optional = true, \
		.place = 1, .sort = "cumtime|cpu"), \
	COLUMN_IN_JSON(TEXT, "shapes", "of operations by shape: the shapes " \
		"of the inputs, as recorded", OF(details), \
		.when = HAS_SHAPES), \
	COLUMN_IN_JSON(LIST, "stack", "of operations by stack: the functions " \
		"around it, innermost first", OF(details), .put = put_stack, \
		.when = HAS_STACKS)

static const struct column edge_items[] = {FUNCTION_COLUMNS};
const struct columns stats_edge_table = COLUMNS("edge",
	"a function and the cost of the calls between it and that of the row",
	edge_items);

static const struct column part_items[] = {
	COLUMN_IN_JSON(TEXT, "device", "the owner: one of the report's",
		OF(function.name)),
	COLUMN_IN_JSON(BYTES, "self_bytes", "bytes that the row allocated "
		"itself less those that it freed", MEMORY(self_bytes, EACH)),
	COLUMN_IN_JSON(BYTES, "bytes", "the same with all that it called",
		MEMORY(total_bytes, EACH)),
	COLUMN_IN_JSON(COUNT, "out_of_memory",
		"number of failed allocations, with all that it called",
		MEMORY(failed, EACH)),
};
static const struct columns part_table = COLUMNS("part", NULL, part_items);

static const struct column items[] = {
	COLUMN(TEXT, "group", NULL, "the group", OF(group),
		.words = STATS_BUILD_WORDS, .when = HAS_GROUPS),
	COLUMN_IN_CSV(TEXT, "relation", "the function, or one that called it "
		"or was called by it; with --callers or --callees",
		OF(relation), .words = "function|caller|callee",
		.when = WITH_EDGES),
	FUNCTION_COLUMNS,
	COLUMN_IN_TEXT(PERCENT, "self %", OF(own_share)),
	COLUMN_IN_JSON(TIME, "frontend_ns",
		"its time in the frontend; with --group=unit", OF(frontend_ns),
		.when = HAS_UNITS),
	COLUMN_IN_JSON(TIME, "backend_ns",
		"its time in the backend; with --group=unit", OF(backend_ns),
		.when = HAS_UNITS),
	COLUMN(TIME, "self_device_ns", "self device ",
		"the time of devices' work that it launched itself",
		OF_DEVICE(self_ns), .place = 1, .sort = "self-device",
		.if_sorted = true, .when = STATS_NEEDS_DEVICE),
	COLUMN(TIME, "device_ns", "device ", "the time of devices' work that it "
		"and all that it called launched", OF_DEVICE(total_ns),
		.page = "GPU time", .place = 2, .sort = "device",
		.if_sorted = true, .when = STATS_NEEDS_DEVICE),
	COLUMN(TIME, "captured_device_ns", NULL, "the time of the parts of "
		"CUDA graphs that it captured or added, in all launches",
		OF_DEVICE(captured_ns), .when = HAS_CAPTURES),
	COLUMN(TEXT, "kind", NULL, "host, or the kind of devices' work",
		OF(kind), .words = KINDS, .when = HAS_OPERATIONS),
	COLUMN(TIME, "mean_ns", NULL, "cumtime_ns divided by ncalls",
		OF(mean_ns), UNLESS(is_edge), .sort = "percall", .when = HAS_OPERATIONS),
	COLUMN(TIME, "device_mean_ns", NULL, "device_ns divided by ncalls",
		OF(device_mean_ns), UNLESS(is_edge), .sort = "device-percall",
		.when = HAS_OPERATIONS | STATS_NEEDS_DEVICE),
	COLUMN_IN_TEXT(TIME, "mean ", OF(mean_ns), UNLESS(is_edge),
		.page = "Per call", .place = 1, .sort = "percall",
		.if_sorted = true),
	COLUMN_IN_TEXT(TIME, "device mean ", OF(device_mean_ns), UNLESS(is_edge),
		.place = 1, .sort = "device-percall", .if_sorted = true),
	COLUMN_IN_TEXT(TEXT, "function", OF(label), .place = 3),
	COLUMN(BYTES, "self_host_bytes", NULL, "bytes of the host's memory "
		"that it allocated itself less those that it freed",
		MEMORY(self_bytes, PROFILE_MEMORY_HOST), .sort = "self-memory",
		.when = STATS_NEEDS_MEMORY),
	COLUMN(BYTES, "host_bytes", NULL, "the same with all that it called",
		MEMORY(total_bytes, PROFILE_MEMORY_HOST), .sort = "memory",
		.when = STATS_NEEDS_MEMORY),
	COLUMN_IN_CSV(COUNT, "host_out_of_memory",
		"number of failed allocations of the host's memory",
		MEMORY(failed, PROFILE_MEMORY_HOST), .when = HAS_HOST_FAILURES),
	COLUMN(BYTES, "self_device_bytes", NULL, "bytes of devices' memory "
		"that it allocated itself less those that it freed",
		MEMORY(self_bytes, PROFILE_MEMORY_DEVICES),
		.sort = "self-device-memory", .when = STATS_NEEDS_MEMORY),
	COLUMN(BYTES, "device_bytes", NULL, "the same with all that it called",
		MEMORY(total_bytes, PROFILE_MEMORY_DEVICES),
		.sort = "device-memory", .when = STATS_NEEDS_MEMORY),
	COLUMN_IN_JSON(LIST, "memory", "the same for each owner that it used",
		.put = put_memory, .table = &part_table,
		.when = STATS_NEEDS_MEMORY),
	COLUMN_IN_CSV(BYTES, "self_" OWNER "_bytes", "bytes of this device's "
		"memory that it allocated itself less those that it freed",
		MEMORY(self_bytes, EACH), .when = STATS_NEEDS_MEMORY),
	COLUMN_IN_CSV(BYTES, OWNER "_bytes", "the same with all that it called",
		MEMORY(total_bytes, EACH), .when = STATS_NEEDS_MEMORY),
	COLUMN_IN_CSV(COUNT, OWNER "_out_of_memory", "number of failed "
		"allocations of this device's memory, with all that it called",
		MEMORY(failed, EACH), .when = STATS_NEEDS_MEMORY),
	COLUMN_IN_CSV(COUNT, "out_of_memory",
		"number of failed allocations, with all that it called",
		MEMORY(failed, ALL), .when = HAS_FAILURES),
	COLUMN(COUNT, "flops", NULL, "number of floating-point operations",
		OF(function.use.flops), UNLESS(is_edge), .sort = "flops",
		.when = HAS_OPERATIONS | STATS_NEEDS_FLOPS),
	COLUMN_IN_CSV(TEXT, "shapes", "of operations by shape: the shapes of "
		"the inputs, as recorded", OF(details), .when = HAS_SHAPES),
	COLUMN_IN_CSV(TEXT, "stack", "of operations by stack: the functions "
		"around it, innermost first, a line each", OF(details),
		.when = HAS_STACKS),
	COLUMN_IN_JSON(LIST, "callers", "its callers; with --callers",
		.put = put_edges, .table = &stats_edge_table,
		.when = WITH_CALLERS),
	COLUMN_IN_JSON(LIST, "callees", "its callees; with --callees",
		.put = put_edges, .index = 1, .table = &stats_edge_table,
		.when = WITH_CALLEES),
};
const struct columns stats_table =
	COLUMNS("rows", "the functions, in the order of --sort", items);

/* The functions that launched devices' work. */
static const struct column range_items[] = {
	COLUMN_IN_TEXT(TIME, "captured ", OF_DEVICE(captured_ns),
		.when = HAS_CAPTURES),
	COLUMN_IN_TEXT(COUNT, "ncalls", OF_COST(ncalls)),
	COLUMN_IN_TEXT(TIME, "self device ", OF(function.device.self_ns), UNLESS(lacks_device)),
	COLUMN_IN_TEXT(TIME, "device ", OF(function.device.total_ns), UNLESS(lacks_device)),
	COLUMN_IN_TEXT(TIME, "tottime ", OF_COST(tottime_ns), UNLESS(lacks_host), .optional = true),
	COLUMN_IN_TEXT(TIME, "cumtime ", OF_COST(cumtime_ns), UNLESS(lacks_host), .optional = true),
	COLUMN_IN_TEXT(TEXT, "launched by", OF(label)),
};
static const struct columns range_table = COLUMNS(NULL, NULL, range_items);

/* Compilers' work; the last title becomes the group's. */
static const struct column group_items[] = {
	COLUMN_IN_TEXT(COUNT, "count", OF_COST(ncalls)),
	COLUMN_IN_TEXT(TIME, "total ", OF_COST(cumtime_ns)),
	COLUMN_IN_TEXT(TIME, "self ", OF_COST(tottime_ns)),
	COLUMN_IN_TEXT(TIME, "mean ", OF(all_mean_ns)),
	COLUMN_IN_TEXT(TEXT, "name", OF(label)),
};
static const struct column unit_items[] = {
	COLUMN_IN_TEXT(TIME, "total ", OF_COST(cumtime_ns)),
	COLUMN_IN_TEXT(TIME, BUILD_FRONTEND, OF(frontend_ns)),
	COLUMN_IN_TEXT(TIME, BUILD_BACKEND, OF(backend_ns)),
	COLUMN_IN_TEXT(TEXT, "unit", OF(label)),
};
static const struct columns unit_table = COLUMNS(NULL, NULL, unit_items);

/* The work of devices, and its launchers. */
static const struct column launcher_items[] = {
	COLUMN_IN_JSON(TEXT, "name", "the function's name", OF(function.name)),
	COLUMN_IN_JSON(TEXT, "file", "its file; empty if unknown",
		OF(file)),
	COLUMN_IN_JSON(COUNT, "line", "its line, from 1; 0 if unknown",
		OF(function.line)),
	COLUMN_IN_JSON(COUNT, "count", "number of launches", OF_COST(ncalls)),
	COLUMN_IN_JSON(TIME, "total_ns", "their time", OF_COST(tottime_ns)),
};
static const struct columns launcher_table =
	COLUMNS("launcher", NULL, launcher_items);

static const struct column work_items[] = {
	COLUMN_IN_JSON(COUNT, "device", "the device's number, from 0",
		OF(function.device.number)),
	COLUMN_IN_JSON(TEXT, "device_name", "the device's name; null if unknown",
		OF(device_name), .nullable = true),
	COLUMN_IN_JSON(TEXT, "kind", "the kind of work", OF(kind),
		.words = "kernel|gpu_memcpy|gpu_memset"),
	COLUMN_IN_JSON(TEXT, "name", "the kernel's name, or the activity",
		OF(function.name)),
	COLUMN(COUNT, "count", "count", "number of times", OF_COST(ncalls)),
	COLUMN(TIME, "total_ns", "total ", "the time of all",
		OF(function.device.self_ns)),
	COLUMN(TIME, "mean_ns", "mean ", "the mean time", OF(work_mean_ns),
		.optional = true),
	COLUMN(TIME, "min_ns", "min ", "the shortest time", OF_DEVICE(min_ns),
		.min_line = DEVICE_FULL),
	COLUMN(TIME, "max_ns", "max ", "the longest time", OF_DEVICE(max_ns),
		.min_line = DEVICE_FULL),
	COLUMN_IN_TEXT(PERCENT, "share %", OF(device_share)),
	COLUMN_IN_JSON(COUNT, "bytes", "bytes that were copied or set",
		OF(function.device.bytes)),
	COLUMN_IN_TEXT(TEXT, "device", OF(device)),
	COLUMN_IN_TEXT(TEXT, "what it did", OF(label)),
	COLUMN_IN_JSON(LIST, "callers", "its launchers; with --callers",
		.put = put_edges, .table = &launcher_table,
		.when = WITH_CALLERS),
};
static const struct columns work_table =
	COLUMNS("kernels", "the work of devices; with --gpu", work_items);

/* An owner of memory. */
struct owner {
	const char *name;
	struct value type, number;
	uint64_t records;
	struct profile_amount amount;
};

#define OF_OWNER(member) COLUMN_OF(struct owner, member)
static const struct column owner_items[] = {
	COLUMN_IN_JSON(TEXT, "device", "host, a device such as cuda:0, or "
		"other: devices beyond 256, and those without a number",
		OF_OWNER(name)),
	COLUMN_IN_JSON(INTEGER, "device_type", "the device's type in PyTorch "
		"(c10::DeviceType); null of host and other", OF_OWNER(type),
		.nullable = true),
	COLUMN_IN_JSON(INTEGER, "device_id",
		"the device's number; null if unknown", OF_OWNER(number),
		.nullable = true),
	COLUMN_IN_JSON(COUNT, "records", "number of allocations and frees",
		OF_OWNER(records)),
	COLUMN_IN_JSON(BYTES, "bytes", "bytes allocated less those freed",
		OF_OWNER(amount.total_bytes)),
	COLUMN_IN_JSON(COUNT, "out_of_memory", "number of failed allocations",
		OF_OWNER(amount.failed)),
};
static const struct columns owner_table = COLUMNS("owner", NULL, owner_items);

/* The report without its rows. */
struct head {
	const struct stats *stats;
	struct profile profile;
	struct stats sums;
	const char *group;
	uint64_t operations, memory_records;
	struct profile_amount host, devices;
};

#define OF_HEAD(member) COLUMN_OF(struct head, member)
static const struct column head_items[] = {
	COLUMN_IN_JSON(TIME, "total_ns", "the tottime of all functions",
		OF_HEAD(profile.total_ns)),
	COLUMN_IN_JSON(COUNT, "functions", "number of functions",
		OF_HEAD(profile.function_count)),
	COLUMN_IN_JSON(COUNT, "threads", "number of threads",
		OF_HEAD(profile.thread_count)),
	COLUMN_IN_JSON(COUNT, "open_calls",
		"number of calls that were open when the recording ended",
		OF_HEAD(profile.open_calls)),
	COLUMN_IN_JSON(TEXT, "group", "the grouping of operations; with "
		"--group", OF_HEAD(group), .when = HAS_OPERATIONS,
		.words = "site|name|shape|stack|cat|module"),
	COLUMN_IN_JSON(COUNT, "operations", "number of calls of operations",
		OF_HEAD(operations), .when = HAS_OPERATIONS),
	COLUMN_IN_JSON(TIME, "self_cpu_ns", "the time of the host in all",
		OF_HEAD(sums.host_ns), .when = HAS_OPERATIONS),
	COLUMN_IN_JSON(TIME, "device_ns", "the time of all devices",
		OF_HEAD(sums.device_ns), .when = WITH_SUMS),
	COLUMN_IN_JSON(COUNT, "activities", "number of devices' activities",
		OF_HEAD(sums.activities), .when = WITH_SUMS),
	COLUMN_IN_JSON(COUNT, "unmatched",
		"number of those whose launch is unknown",
		OF_HEAD(profile.unmatched), .when = WITH_SUMS),
	COLUMN_IN_JSON(COUNT, "memory_records",
		"number of allocations and frees", OF_HEAD(memory_records),
		.when = HAS_OPERATIONS),
	COLUMN_IN_JSON(BYTES, "host_bytes",
		"bytes of the host's memory allocated less those freed",
		OF_HEAD(host.total_bytes), .when = STATS_NEEDS_MEMORY),
	COLUMN_IN_JSON(BYTES, "device_bytes",
		"bytes of devices' memory allocated less those freed",
		OF_HEAD(devices.total_bytes), .when = STATS_NEEDS_MEMORY),
	COLUMN_IN_JSON(LIST, "memory", "the owners of the memory: the host, "
		"each device, and others", .put = put_owners,
		.table = &owner_table, .when = STATS_NEEDS_MEMORY),
	COLUMN_IN_JSON(COUNT, "flops",
		"number of floating-point operations; absent if unknown",
		OF_HEAD(profile.flops),
		.when = HAS_OPERATIONS | STATS_NEEDS_FLOPS),
};
static const struct columns head_table = COLUMNS(NULL, NULL, head_items);
/* clang-format on */

const struct report_form stats_form = {.schema = "ctprof/stats/1",
	.title = "ctprof stats",
	.always = HAS_RECURSION,
	.never = HAS_GROUPS | HAS_UNITS,
	.heads = {&head_table},
	.arrays = {&work_table, &stats_table},
	.array_bits = {WITH_WORK},
	.csv = &stats_table};

const struct column *stats_key(const char *word)
{
	return columns_find_sort(&stats_table, word);
}

uint32_t stats_bits(const struct stats *stats)
{
	const struct stats_options *options = stats->options;
	const struct stats_ops *ops = options->ops;
	bool has_device = stats->has_device || options->gpu;
	bool has_edges = options->callers || options->callees;
	bool has_failures = false;

	for (uint32_t i = 0; i < stats->owner_count; i++)
		has_failures |= stats->failed[stats->owners[i]];
	return HAS_RECURSION | BIT(has_device, STATS_NEEDS_DEVICE) |
	       BIT(has_device && stats->has_captures, HAS_CAPTURES) |
	       BIT(stats->owner_count != 0, STATS_NEEDS_MEMORY) |
	       BIT(has_failures, HAS_FAILURES) |
	       BIT(stats->failed[PROFILE_MEMORY_HOST], HAS_HOST_FAILURES) |
	       BIT(stats->profile->flops != 0, STATS_NEEDS_FLOPS) |
	       BIT(ops != NULL, HAS_OPERATIONS) |
	       BIT(ops != NULL || options->gpu, WITH_SUMS) |
	       BIT(ops != NULL && ops->group == AVERAGES_SHAPE, HAS_SHAPES) |
	       BIT(ops != NULL && ops->group == AVERAGES_STACK, HAS_STACKS) |
	       BIT(stats->group != NULL, HAS_GROUPS) |
	       BIT(stats->phases_ns != NULL, HAS_UNITS) |
	       BIT(options->callers, WITH_CALLERS) |
	       BIT(options->callees, WITH_CALLEES) | BIT(has_edges, WITH_EDGES);
}

/* ---- rows ---- */

static uint64_t failed_of(
	const struct stats *stats, const struct profile_function *function)
{
	return stats_memory_of(stats, function, PROFILE_MEMORY_HOST).failed +
	       stats_memory_of(stats, function, PROFILE_MEMORY_DEVICES).failed;
}

/* The figure of an owner that the column's offset selects. */
struct value stats_memory_value(const struct column *column, const void *row_)
{
	const struct stats_row *row = row_;
	struct profile_amount amount;

	if (row->is_edge)
		return (struct value){.state = VALUE_ABSENT};
	if (column->index == ALL)
		return value_number(failed_of(row->stats, &row->function));
	amount = stats_memory_of(row->stats, &row->function,
		column->index == EACH ? row->number : column->index);
	return value_number(
		*(const uint64_t *)(const void *)((const char *)&amount +
						  column->offset));
}

/* A mean divides by the calls that the table shows. */
static uint64_t mean_of(const struct stats_row *row, uint64_t sum)
{
	bool all = row->stats->options->ops != NULL;
	const struct profile_cost *cost = &row->function.cost;

	return quantity_mean(sum, all ? cost->ncalls : cost->pcalls);
}

/* In tables of operations, a whole without time has no shares. */
static struct value share_of(
	const struct stats *stats, uint64_t part, uint64_t whole)
{
	return stats->options->ops != NULL
		       ? value_share(part, whole)
		       : value_number(amount_share(part, whole));
}

/* A function has its place, unless operations of several are summed; a kernel
 * has its device. */
static void set_label(struct stats_row *row, const char *before)
{
	const struct profile_function *function = &row->function;
	const struct stats_ops *ops = row->stats->options->ops;
	bool is_host = function->device.kind == PROFILE_HOST;
	struct value_name *label = &row->label;

	*label = (struct value_name){.before = before,
		.name = label_name(function->name),
		.file = function->file,
		.line = function->line,
		.tail = is_host ? NULL : function->file};
	if (row->stats->group != NULL) {
		/* A header is identified by its path. */
		label->tail = "";
		label->name = function->file[0] != '\0' ? function->file
							: function->name;
	} else if (ops != NULL && (!is_host || ops->group != AVERAGES_SITE)) {
		/* The device's name would leave no room for the function's. */
		(void)snprintf(row->device_number, sizeof(row->device_number),
			"<gpu:%" PRIu32 ">", function->device.number);
		label->tail = is_host ? "" : row->device_number;
		label->width =
			ops->group == AVERAGES_SHAPE ? ops->name_width : 0;
	}
	if (ops != NULL && ops->group == AVERAGES_SHAPE)
		row->shapes = (struct value_name){
			.name = row->details.text == NULL ? ""
							  : row->details.text,
			.tail = "",
			.width = ops->details_width};
}

bool stats_has_details(const struct stats *stats)
{
	const struct stats_ops *ops = stats->options->ops;

	return ops != NULL &&
	       (ops->group == AVERAGES_SHAPE || ops->group == AVERAGES_STACK);
}

void stats_row_init(struct stats_row *row, const struct stats *stats,
	const struct profile_function *function,
	const struct profile_cost *edge)
{
	static const char *const kinds[] = {
		[PROFILE_HOST] = "host",
		[PROFILE_KERNEL] = "kernel",
		[PROFILE_COPY] = "gpu_memcpy",
		[PROFILE_SET] = "gpu_memset",
	};
	bool is_host = function->device.kind == PROFILE_HOST;
	bool has_file = !stats_has_details(stats) || !is_host;
	const struct profile_cost *cost;

	*row = (struct stats_row){
		.stats = stats,
		.function = *function,
		.is_edge = edge != NULL,
		.lacks_device = edge != NULL,
		.lacks_host = stats->options->ops != NULL && !is_host,
		.group = stats->group,
		.relation = "function",
		.file = has_file ? function->file : "",
		.kind = kinds[function->device.kind],
		.device = "",
	};
	if (!has_file)
		row->details = value_text(function->file);
	if (edge != NULL)
		row->function.cost = *edge;
	cost = &row->function.cost;
	row->mean_ns = mean_of(row, cost->cumtime_ns);
	row->device_mean_ns = mean_of(row, function->device.total_ns);
	row->all_mean_ns = quantity_mean(cost->cumtime_ns, cost->ncalls);
	row->own_share = share_of(stats, cost->tottime_ns,
		stats->options->ops != NULL || stats->options->gpu
			? stats->host_ns
			: stats->profile->total_ns);
	row->device_share =
		share_of(stats, function->device.self_ns, stats->device_ns);
	set_label(row, "");
}

static void row_init_at(
	struct stats_row *row, const struct stats *stats, uint32_t number)
{
	const struct profile *profile = stats->profile;
	const uint64_t *phases_ns = stats->phases_ns;

	stats_row_init(row, stats, &profile->functions[number], NULL);
	row->number = number;
	if (phases_ns == NULL)
		return;
	row->frontend_ns = phases_ns[number];
	row->backend_ns = phases_ns[profile->function_count + number];
}

uint64_t stats_sort_value(
	const struct stats *stats, const struct profile_function *function)
{
	struct value value;
	struct stats_row row;

	stats_row_init(&row, stats, function, NULL);
	value = columns_value(&stats->key, &row);
	/* Signed numbers become unsigned ones in the same order. */
	return stats->key.type == COLUMN_BYTES
		       ? value.number ^ UINT64_C(1) << 63
		       : value.number;
}

/* The device time of edges to host functions is unknown; edges to device
 * functions have only that. */
static void set_device_edge(struct stats_row *row)
{
	const struct profile_cost *cost = &row->function.cost;

	row->lacks_host = row->function.device.kind != PROFILE_HOST;
	row->lacks_device = !row->lacks_host;
	row->function.device.self_ns = cost->tottime_ns;
	row->function.device.total_ns = cost->cumtime_ns;
	row->work_mean_ns = quantity_mean(cost->tottime_ns, cost->ncalls);
	row->device_share =
		share_of(row->stats, cost->tottime_ns, row->stats->device_ns);
}

/* Writes the callers or callees of a function, if requested. */
static void add_edges(struct sheet *sheet, const struct stats *stats,
	const struct columns *columns, uint32_t number, bool callers)
{
	const uint32_t *first = callers ? stats->callers : stats->callees;
	bool is_text = sheet->style == REPORT_TEXT;

	for (uint32_t i = first == NULL ? 0 : first[number];
		first != NULL && i < first[number + 1]; i++) {
		const struct profile_edge *edge =
			&stats->profile
				 ->edges[callers ? i : stats->callee_edges[i]];
		struct stats_row row;

		stats_row_init(&row, stats,
			&stats->profile->functions[callers ? edge->caller
							   : edge->callee],
			&edge->cost);
		row.relation = callers ? "caller" : "callee";
		set_label(&row, callers ? "  <- " : "  -> ");
		if (is_text && stats->options->gpu)
			set_device_edge(&row);
		columns_add(sheet, columns, TABLE_FAINT, &row);
	}
}

static void put_edges(
	struct sheet *sheet, const struct column *column, const void *row_)
{
	const struct stats_row *row = row_;

	add_edges(sheet, row->stats, column->table, row->number,
		column->index == 0);
}

/* The call stack, innermost first. */
static void put_stack(
	struct sheet *sheet, const struct column *column, const void *row_)
{
	const struct stats_row *row = row_;

	(void)column;
	for (const char *text = row->details.text; *text != '\0';) {
		size_t size = strcspn(text, "\n");

		json_text_sized(&sheet->json, text, size);
		text += size;
		text += *text == '\n';
	}
}

static void put_memory(
	struct sheet *sheet, const struct column *column, const void *row_)
{
	const struct stats_row *row = row_;
	const struct stats *stats = row->stats;

	for (uint32_t i = 0; i < stats->owner_count; i++) {
		char name[PROFILE_OWNER_TEXT];
		struct stats_row part = *row;

		part.number = stats->owners[i];
		part.function.name =
			stats_memory_owner(stats, part.number, name);
		if (profile_memory_part(stats->profile->memory,
			    row->function.use.memory, part.number) != NULL)
			columns_add(sheet, column->table, TABLE_PLAIN, &part);
	}
}

/* The same in text: each function of the stack is on a line of its own. */
static void add_stack(struct sheet *sheet, const struct columns *columns,
	const struct stats_row *row)
{
	const struct stats_ops *ops = row->stats->options->ops;
	const char *stack = row->details.text;

	if (sheet->style != REPORT_TEXT || ops == NULL ||
		ops->group != AVERAGES_STACK || stack == NULL)
		return;
	while (*stack != '\0') {
		size_t size = strcspn(stack, "\n");
		char *name = strndup(stack, size);
		struct stats_row line = {.is_edge = true,
			.lacks_calls = true,
			.lacks_host = true,
			.label = {.before = "  in ",
				.name = name,
				.tail = "",
				.width = ops->details_width}};

		sheet->failed |= name == NULL;
		if (name != NULL)
			columns_add(sheet, columns, TABLE_FAINT, &line);
		free(name);
		stack += size;
		stack += *stack == '\n';
	}
}

/* Writes a function and, except in JSON, its edges. */
static void add_function(struct sheet *sheet, const struct stats *stats,
	const struct columns *columns, uint32_t number)
{
	const struct profile_function *function =
		&stats->profile->functions[number];
	bool is_plain = stats->options->ops == NULL && !stats->options->gpu &&
			stats->group == NULL;
	bool is_hot = is_plain && function->cost.tottime_ns >
					  stats->profile->total_ns / HOT_PART;
	struct stats_row row;

	row_init_at(&row, stats, number);
	columns_add(sheet, columns, is_hot ? TABLE_HOT : TABLE_PLAIN, &row);
	if (sheet->style == REPORT_JSON)
		return;
	add_stack(sheet, columns, &row);
	add_edges(sheet, stats, columns, number, true);
	add_edges(sheet, stats, columns, number, false);
}

/* ---- devices' work ---- */

static void add_work(
	struct sheet *sheet, const struct stats *stats, uint32_t number)
{
	size_t size = 0;
	const char *name;
	char *text = NULL;
	struct stats_row row;

	row_init_at(&row, stats, number);
	name = devices_function_name(&stats->profile->functions[number], &size);
	row.device_name = value_text(name);
	row.device_name.size = size;
	row.work_mean_ns = quantity_mean(
		row.function.device.self_ns, row.function.cost.ncalls);
	row.label.tail = "";
	if (asprintf(&text, "%" PRIu32 "%s%.*s", row.function.device.number,
		    name == NULL ? "" : " ", (int)size,
		    name == NULL ? "" : name) < 0) {
		sheet->failed = true;
		return;
	}
	row.device = text;
	columns_add(sheet, &work_table, TABLE_PLAIN, &row);
	if (sheet->style == REPORT_TEXT)
		add_edges(sheet, stats, &work_table, number, true);
	memory_free(text);
}

static void add_all_work(struct sheet *sheet, const struct stats *stats)
{
	columns_begin(sheet, &work_table);
	for (uint32_t i = 0; i < stats->work_count; i++)
		add_work(sheet, stats, stats->work[i]);
	columns_end(sheet, &work_table);
}

/* ---- columns of each owner of memory ---- */

/* A table with these columns in place of those with EACH. */
struct expanded {
	struct columns table;
	struct column *items;
	char (*titles)[COLUMN_TITLE_MAX];
};

static void add_column(struct expanded *expanded, const struct stats *stats,
	const struct column *from, uint32_t owner)
{
	size_t number = expanded->table.count++;
	struct column *column = &expanded->items[number];
	char *title = expanded->titles[number];
	const char *form = from->csv != NULL ? from->csv : from->title;
	char name[PROFILE_OWNER_TEXT];
	const char *at;

	*column = *from;
	if (from->index != EACH)
		return;
	at = strstr(form, OWNER);
	(void)snprintf(title, COLUMN_TITLE_MAX, "%.*s%s%s", (int)(at - form),
		form, stats_memory_owner(stats, owner, name),
		at + strlen(OWNER));
	column->index = owner;
	if (from->csv != NULL)
		column->csv = title;
	else
		column->title = title;
}

/* All columns of an owner come before those of the next. */
static void add_columns(struct expanded *expanded, const struct stats *stats,
	const struct columns *from, const struct stats_owners *owners)
{
	size_t failed_at = offsetof(struct profile_amount, failed);
	size_t next;

	for (size_t i = 0; i < from->count; i = next) {
		for (next = i;
			next < from->count && from->items[next].index == EACH;)
			next++;
		if (next == i)
			add_column(expanded, stats, &from->items[next++], 0);
		for (uint32_t j = 0; j < stats->owner_count; j++)
			for (size_t k = i; k < next; k++) {
				const struct column *item = &from->items[k];
				uint32_t owner = stats->owners[j];

				if (item->index == EACH &&
					(item->offset == failed_at
							? owners->failed
							: owners->memory)
						[owner])
					add_column(
						expanded, stats, item, owner);
			}
	}
}

static bool expand(struct expanded *expanded, const struct stats *stats,
	const struct columns *from, const struct stats_owners *owners)
{
	size_t most = from->count * (1 + (size_t)stats->owner_count);

	*expanded = (struct expanded){
		.items = memory_new_zeroed(most, sizeof(*expanded->items)),
		.titles = memory_new_zeroed(most, sizeof(*expanded->titles)),
	};
	if (expanded->items == NULL || expanded->titles == NULL)
		return false;
	expanded->table.items = expanded->items;
	add_columns(expanded, stats, from, owners);
	return true;
}

static void expanded_clear(struct expanded *expanded)
{
	memory_free(expanded->items);
	memory_free(expanded->titles);
}

void stats_add_functions(struct sheet *sheet, const struct stats *stats,
	const struct columns *columns, const struct stats_owners *owners,
	const struct profile_function *total)
{
	static const struct stats_owners no_owners;
	bool is_json = sheet->style == REPORT_JSON;
	struct expanded expanded;
	struct stats_row row;

	if (!expand(&expanded, stats, columns,
		    owners == NULL ? &no_owners : owners)) {
		sheet->failed = true;
		expanded_clear(&expanded);
		return;
	}
	if (!is_json)
		columns_begin(sheet, &expanded.table);
	for (uint32_t i = 0;
		i < stats->work_count && sheet->style == REPORT_CSV; i++)
		add_function(sheet, stats, &expanded.table, stats->work[i]);
	for (uint32_t i = 0; i < stats->count; i++)
		add_function(sheet, stats, &expanded.table, stats->order[i]);
	if (total != NULL) {
		stats_row_init(&row, stats, total, NULL);
		columns_add(sheet, &expanded.table, TABLE_PLAIN, &row);
	}
	if (!is_json)
		columns_end(sheet, &expanded.table);
	expanded_clear(&expanded);
}

void stats_add(struct sheet *sheet, const struct stats *stats)
{
	struct stats_owners owners = {.hidden = 0};

	sheet->shown = stats_bits(stats);
	for (uint32_t i = 0; i < stats->owner_count; i++) {
		uint32_t owner = stats->owners[i];

		owners.memory[owner] = owner != PROFILE_MEMORY_HOST;
		owners.failed[owner] =
			owners.memory[owner] && stats->failed[owner];
	}
	stats_add_functions(sheet, stats, &stats_table, &owners, NULL);
}

/* ---- the reports ---- */

void stats_print_hidden(struct sheet *sheet, uint32_t hidden, const char *what)
{
	if (hidden != 0)
		columns_note(sheet,
			"(%" PRIu32 " more%s%s not shown; see --top and "
			"--min)\n",
			hidden, what,
			hidden == 1 || what[0] == '\0' ? "" : "s");
}

void stats_print_open(struct sheet *sheet, const struct stats *stats)
{
	if (stats->profile->open_calls != 0)
		columns_note(sheet,
			"Still open at the end, closed there: %" PRIu64 "\n",
			stats->profile->open_calls);
}

void stats_write_group(struct sheet *sheet, const struct stats *stats)
{
	struct column columns[sizeof(group_items) / sizeof(group_items[0])];
	struct columns table = COLUMNS(NULL, NULL, columns);
	bool edges = stats->options->callers || stats->options->callees;

	sheet->shown = stats_bits(stats);
	if (stats->phases_ns != NULL && !edges) {
		stats_add_functions(sheet, stats, &unit_table, NULL, NULL);
	} else {
		memcpy(columns, group_items, sizeof(columns));
		columns[table.count - 1].title = stats->group;
		stats_add_functions(sheet, stats, &table, NULL, NULL);
	}
	stats_print_hidden(sheet, stats->hidden, "");
}

static void print_gpu(struct sheet *sheet, const struct stats *stats)
{
	const struct column_unit *unit = &sheet->unit;
	char time[QUANTITY_TEXT];

	if (stats->activities == 0 && !stats->has_captures) {
		columns_note(sheet, "No GPU activity.\n");
		return;
	}
	add_all_work(sheet, stats);
	stats_print_hidden(sheet, stats->work_hidden, "");
	columns_note(sheet, "\n");
	stats_add_functions(sheet, stats, &range_table, NULL, NULL);
	stats_print_hidden(sheet, stats->hidden, " function");
	columns_note(sheet,
		"\nDevice time: %s %s in %" PRIu64
		" activities\nActivities whose launch is not in the log: "
		"%" PRIu64 "\n",
		quantity_in(time, stats->device_ns, unit->size), unit->name,
		stats->activities, stats->profile->unmatched);
}

static void print_functions(struct sheet *sheet, const struct stats *stats)
{
	const struct profile *profile = stats->profile;
	const struct column_unit *unit = &sheet->unit;
	struct profile_cost sum = {0};
	char tottime[QUANTITY_TEXT];
	char cumtime[QUANTITY_TEXT];

	if (profile->function_count == 0) {
		columns_note(sheet, "No functions were recorded.\n");
		return;
	}
	stats_add_functions(sheet, stats, &stats_table, NULL, NULL);
	for (uint32_t i = 0; i < profile->function_count; i++)
		profile_cost_add(&sum, &profile->functions[i].cost);
	stats_print_hidden(sheet, stats->hidden, " function");
	columns_note(sheet,
		"\nTotal timings: %" PRIu64 ", unique functions: %" PRIu32
		"\nSum tottime: %s %s, sum cumtime: %s %s\n",
		sum.ncalls, profile->function_count,
		quantity_in(tottime, sum.tottime_ns, unit->size), unit->name,
		quantity_in(cumtime, sum.cumtime_ns, unit->size), unit->name);
	stats_print_open(sheet, stats);
}

static void put_owners(
	struct sheet *sheet, const struct column *column, const void *row_)
{
	const struct head *head = row_;
	const struct stats *stats = head->stats;
	const struct profile_memory *memory = stats->profile->memory;

	for (uint32_t i = 0; i < stats->owner_count; i++) {
		const struct profile_memory_owner *from =
			&memory->owners[stats->owners[i]];
		bool is_device = from->owner.kind == PROFILE_OF_DEVICE;
		struct owner owner = {
			.type = value_maybe(
				is_device, (uint64_t)from->owner.type),
			.number = value_maybe(
				is_device && from->owner.number != -1,
				(uint64_t)from->owner.number),
			.records = from->records,
			.amount = profile_memory_of(
				memory, memory->all, stats->owners[i]),
		};
		char name[PROFILE_OWNER_TEXT];

		owner.name = stats_memory_owner(stats, stats->owners[i], name);
		columns_add(sheet, column->table, TABLE_PLAIN, &owner);
	}
}

static void put_head(struct sheet *sheet, const struct stats *stats)
{
	const struct stats_ops *ops = stats->options->ops;
	const struct profile_memory *memory = stats->profile->memory;
	struct profile_function sum = stats_total(stats);
	struct head head = {
		.stats = stats,
		.profile = *stats->profile,
		.sums = *stats,
		.group = ops == NULL ? NULL : averages_group_name(ops->group),
		.operations = sum.cost.ncalls,
		.memory_records = profile_memory_records(memory),
		.host = stats_memory_of(stats, &sum, PROFILE_MEMORY_HOST),
		.devices = stats_memory_of(stats, &sum, PROFILE_MEMORY_DEVICES),
	};

	sheet->shown = stats_bits(stats);
	columns_members(sheet, &head_table, &head);
	if (stats->options->gpu)
		add_all_work(sheet, stats);
}

void stats_set_unit(struct sheet *sheet, const struct stats_options *options)
{
	sheet->unit = units[options->unit];
}

void stats_write(struct sheet *sheet, const void *user)
{
	const struct stats *stats = user;

	stats_set_unit(sheet, stats->options);
	sheet->sort = &stats->key;
	sheet->shown = stats_bits(stats);
	if (sheet->style == REPORT_CSV) {
		stats_add(sheet, stats);
	} else if (sheet->style == REPORT_JSON) {
		put_head(sheet, stats);
		columns_begin(sheet, &stats_table);
		stats_add(sheet, stats);
		columns_end(sheet, &stats_table);
	} else if (stats->options->gpu) {
		print_gpu(sheet, stats);
	} else if (stats->options->ops != NULL) {
		stats_print_operations(sheet, stats);
	} else {
		print_functions(sheet, stats);
	}
}

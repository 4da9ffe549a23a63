/* SPDX-License-Identifier: MIT */
/*
 * The text table of operations.
 * Source: shared spec 03, "Tree and averages"; PyTorch's key_averages().table()
 * has these columns.
 *
 * Narrow terminals first: memory is summed over devices unless requested per
 * device; means need a wide terminal. The sort key is always shown, unless the
 * columns were chosen.
 */
#include "stats/stats_table.h"

#include <inttypes.h>
#include <string.h>

#include "cli/quantity.h"

#define WIDE 120        /* lines with room for derived figures */
#define FULL 90         /* lines with room for shares */
#define FAILED_OWNERS 2 /* owners with separate columns by default */
#define VIEW_DEVICES 8  /* devices with memory columns */
#define NAMED 8         /* devices named in a line of text */
#define GIGA 1000000000

enum {
	SHOW_CPU = 1 << STATS_BIT_COUNT,
	SHOW_DEVICE = SHOW_CPU << 1,
	SHOW_HOST_MEMORY = SHOW_CPU << 2,
	SHOW_DEVICES_MEMORY = SHOW_CPU << 3, /* the sum of several */
	SHOW_EACH_MEMORY = SHOW_CPU << 4,
	SHOW_FAILURES = SHOW_CPU << 5, /* the sum of several */
	SHOW_EACH_FAILURES = SHOW_CPU << 6,
	SHOW_FLOPS = SHOW_CPU << 7,
	SHOW_NO_SHAPES = SHOW_CPU << 8,
};

/* Whether the columns of --columns have this one. */
#define HAS(columns, column) (((columns)&1U << STATS_OPS_##column) != 0)

static const struct column_unit giga = {"", GIGA};

/* clang-format off */
static const struct column operation_items[] = {
	COLUMN_IN_TEXT(COUNT, "count", OF_COST(ncalls), UNLESS(lacks_calls)),
	COLUMN_IN_TEXT(COUNT, "pcalls", OF_COST(pcalls), UNLESS(lacks_calls), .optional = true,
		.sort = "pcalls", .if_sorted = true),
	COLUMN_IN_TEXT(TIME, "self ", OF_COST(tottime_ns), UNLESS(lacks_host), .when = SHOW_CPU),
	COLUMN_IN_TEXT(PERCENT, "self %", OF(own_share), UNLESS(lacks_host), .optional = true,
		.when = SHOW_CPU | SHOW_NO_SHAPES),
	COLUMN_IN_TEXT(PERCENT, "self %", OF(own_share), UNLESS(lacks_host), .optional = true,
		.min_line = FULL, .when = SHOW_CPU | HAS_SHAPES),
	COLUMN_IN_TEXT(TIME, "total ", OF_COST(cumtime_ns), UNLESS(lacks_host), .optional = true,
		.when = SHOW_CPU),
	COLUMN_IN_TEXT(TIME, "mean ", OF(mean_ns), UNLESS(lacks_host), .optional = true,
		.min_line = WIDE, .sort = "percall", .when = SHOW_CPU),
	COLUMN_IN_TEXT(TIME, "dev self", OF_DEVICE(self_ns),
		.when = SHOW_DEVICE),
	COLUMN_IN_TEXT(PERCENT, "dev %", OF(device_share), UNLESS(is_edge), .optional = true,
		.min_line = FULL, .when = SHOW_DEVICE),
	COLUMN_IN_TEXT(TIME, "dev total", OF_DEVICE(total_ns), .optional = true,
		.when = SHOW_DEVICE | SHOW_NO_SHAPES),
	COLUMN_IN_TEXT(TIME, "dev total", OF_DEVICE(total_ns), .optional = true,
		.min_line = FULL, .sort = "device",
		.when = SHOW_DEVICE | HAS_SHAPES),
	COLUMN_IN_TEXT(TIME, "dev mean", OF(device_mean_ns), UNLESS(is_edge), .optional = true,
		.min_line = WIDE, .sort = "device-percall",
		.when = SHOW_DEVICE),
	COLUMN_IN_TEXT(BYTES, "self mem",
		MEMORY(self_bytes, PROFILE_MEMORY_HOST),
		.when = SHOW_HOST_MEMORY),
	COLUMN_IN_TEXT(BYTES, "mem", MEMORY(total_bytes, PROFILE_MEMORY_HOST),
		.optional = true, .when = SHOW_HOST_MEMORY),
	COLUMN_IN_TEXT(BYTES, "self dev mem",
		MEMORY(self_bytes, PROFILE_MEMORY_DEVICES),
		.when = SHOW_DEVICES_MEMORY),
	COLUMN_IN_TEXT(BYTES, "dev mem",
		MEMORY(total_bytes, PROFILE_MEMORY_DEVICES), .optional = true,
		.when = SHOW_DEVICES_MEMORY),
	COLUMN_IN_TEXT(BYTES, "self mem " OWNER, MEMORY(self_bytes, EACH),
		.when = SHOW_EACH_MEMORY),
	COLUMN_IN_TEXT(BYTES, "mem " OWNER, MEMORY(total_bytes, EACH),
		.optional = true, .when = SHOW_EACH_MEMORY),
	COLUMN_IN_TEXT(COUNT, "oom", MEMORY(failed, ALL), .optional = true,
		.when = SHOW_FAILURES),
	COLUMN_IN_TEXT(COUNT, "oom " OWNER, MEMORY(failed, EACH),
		.optional = true, .when = SHOW_EACH_FAILURES),
	COLUMN_IN_TEXT(COUNT, "GFLOP", OF(function.use.flops), UNLESS(is_edge), .unit = &giga,
		.when = SHOW_FLOPS),
	COLUMN_IN_TEXT(TEXT, "name", OF(label)),
	COLUMN_IN_TEXT(TEXT, "shapes of inputs", OF(shapes),
		.when = HAS_SHAPES),
};
static const struct columns operation_table =
	COLUMNS(NULL, NULL, operation_items);
/* clang-format on */

static uint32_t device_count(const struct stats *stats)
{
	return stats->owner_count -
	       stats_memory_has(stats, PROFILE_MEMORY_HOST);
}

/* Number of owners with failed allocations. */
static uint32_t failed_count(const struct stats *stats)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < stats->owner_count; i++)
		count += stats->failed[stats->owners[i]];
	return count;
}

/* The columns that were chosen, or the default. */
static uint32_t columns_of(const struct stats *stats, size_t width)
{
	bool by_memory = stats->key.type == COLUMN_BYTES;
	bool by_flops = (stats->key.when & STATS_NEEDS_FLOPS) != 0;

	if (stats->options->ops->columns != 0)
		return stats->options->ops->columns;
	if (by_memory && width != 0 && width < WIDE)
		return 1U << STATS_OPS_MEMORY;
	if (by_memory && width != 0)
		return 1U << STATS_OPS_CPU | 1U << STATS_OPS_MEMORY;
	return 1U << STATS_OPS_CPU | 1U << STATS_OPS_DEVICE |
	       (uint32_t)by_memory << STATS_OPS_MEMORY |
	       (uint32_t)by_flops << STATS_OPS_FLOPS;
}

static uint32_t bits_of(const struct stats *stats, size_t width)
{
	bool is_default = stats->options->ops->columns == 0;
	uint32_t columns = columns_of(stats, width);
	bool memory = HAS(columns, MEMORY);
	bool many = failed_count(stats) > FAILED_OWNERS;
	bool host = stats_memory_has(stats, PROFILE_MEMORY_HOST);

	return stats_bits(stats) |
	       BIT(stats->options->ops->group != AVERAGES_SHAPE,
		       SHOW_NO_SHAPES) |
	       BIT(HAS(columns, CPU), SHOW_CPU) |
	       BIT(HAS(columns, DEVICE) && stats->has_device, SHOW_DEVICE) |
	       BIT(memory && host, SHOW_HOST_MEMORY) |
	       BIT(memory && device_count(stats) > 1, SHOW_DEVICES_MEMORY) |
	       BIT(memory, SHOW_EACH_MEMORY) |
	       /* Rare but important. */
	       BIT((memory || is_default) && many, SHOW_FAILURES) |
	       BIT((memory || is_default) &&
			       (!many || HAS(columns, MEMORY_EACH)),
		       SHOW_EACH_FAILURES) |
	       BIT(HAS(columns, FLOPS) && stats->profile->flops != 0,
		       SHOW_FLOPS);
}

/* Chooses the first devices and the owner of the sort key; with several devices
 * only the latter, unless requested per device. And the first owners with failed
 * allocations. */
static struct stats_owners choose_owners(const struct stats *stats, bool each)
{
	bool by_memory = stats->key.type == COLUMN_BYTES;
	uint32_t key = by_memory ? stats->key_owner : PROFILE_MEMORY_HOST;
	uint32_t room = VIEW_DEVICES - (key != PROFILE_MEMORY_HOST);
	uint32_t failed_room = VIEW_DEVICES;
	struct stats_owners owners = {.hidden = 0};

	for (uint32_t i = 0; i < stats->owner_count; i++) {
		uint32_t owner = stats->owners[i];

		if (stats->failed[owner] && failed_room > 0) {
			owners.failed[owner] = true;
			failed_room--;
		}
		if (owner == PROFILE_MEMORY_HOST || (!each && owner != key))
			continue;
		owners.memory[owner] = owner == key || room > 0;
		owners.hidden += !owners.memory[owner];
		room -= owner != key && room > 0;
	}
	return owners;
}

static bool is_module(const struct profile_function *function)
{
	return function->device.kind == PROFILE_HOST &&
	       strcmp(function->name, AVERAGES_NO_MODULE) != 0 &&
	       strcmp(function->name, AVERAGES_MEMORY) != 0 &&
	       strcmp(function->name, AVERAGES_OUT_OF_MEMORY) != 0;
}

/* Reports what is missing if the grouping key has no data; else "". */
static const char *find_missing(const struct stats *stats)
{
	static const char *const missing[AVERAGES_GROUPS] = {
		[AVERAGES_SHAPE] = "No shapes of inputs were recorded.\n",
		[AVERAGES_STACK] =
			"No functions around operations were recorded.\n",
		[AVERAGES_MODULE] = "No modules were recorded.\n",
	};
	const struct profile *profile = stats->profile;
	enum averages_group group = stats->options->ops->group;

	if (profile->function_count == 0)
		return "No operations were recorded.\n";
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (group == AVERAGES_MODULE
				? is_module(function)
				: stats_has_details(stats) &&
					  *function->file != '\0' &&
					  function->device.kind == PROFILE_HOST)
			return "";
	}
	return missing[group] == NULL ? "" : missing[group];
}

/* The sum over all operations. Self memory of operations does not overlap. */
struct profile_function stats_total(const struct stats *stats)
{
	const struct profile *profile = stats->profile;
	struct profile_function sum = {
		.name = "Total",
		.file = "",
		.cost = {.tottime_ns = stats->host_ns,
			.cumtime_ns = stats->host_ns},
		.device = {.self_ns = stats->device_ns,
			.total_ns = stats->device_ns},
		.use = {.flops = profile->flops,
			.memory = profile->memory == NULL
					  ? 0
					  : profile->memory->all},
	};

	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].device.kind == PROFILE_HOST)
			sum.cost.ncalls += profile->functions[i].cost.ncalls;
	sum.cost.pcalls = sum.cost.ncalls;
	return sum;
}

/* Prints a number and its parts by owner. */
static void print_counts(
	struct sheet *sheet, const struct stats *stats, bool failed)
{
	const struct profile_memory *memory = stats->profile->memory;
	uint32_t named = 0;
	uint32_t more = 0;

	for (uint32_t i = 0; i < stats->owner_count; i++) {
		uint32_t owner = stats->owners[i];
		uint64_t count =
			failed ? profile_memory_of(memory, memory->all, owner)
					 .failed
			       : memory->owners[owner].records;
		char text[PROFILE_OWNER_TEXT];

		if (count != 0 && named == NAMED)
			more++;
		else if (count != 0)
			columns_note(sheet, "%s%s %" PRIu64,
				named++ == 0 ? " (" : ", ",
				stats_memory_owner(stats, owner, text), count);
	}
	if (more != 0)
		columns_note(sheet, ", and %" PRIu32 " more", more);
	columns_note(sheet, named == 0 ? "\n" : ")\n");
}

static void print_memory(struct sheet *sheet, const struct stats *stats)
{
	struct profile_function sum = stats_total(stats);
	uint64_t records = profile_memory_records(stats->profile->memory);
	uint64_t failed =
		stats_memory_of(stats, &sum, PROFILE_MEMORY_HOST).failed +
		stats_memory_of(stats, &sum, PROFILE_MEMORY_DEVICES).failed;

	if (records != 0) {
		columns_note(sheet,
			"Memory taken or given back (--columns memory): "
			"%" PRIu64 " time%s",
			records, records == 1 ? "" : "s");
		print_counts(sheet, stats, false);
	}
	if (failed_count(stats) != 0) {
		columns_note(sheet, "Out of memory: %" PRIu64 " time%s", failed,
			failed == 1 ? "" : "s");
		print_counts(sheet, stats, true);
	}
}

static void print_operation_sums(struct sheet *sheet, const struct stats *stats)
{
	const struct profile *profile = stats->profile;
	const struct column_unit *unit = &sheet->unit;
	char time[QUANTITY_TEXT];

	stats_print_hidden(sheet, stats->hidden, "");
	columns_note(sheet, "\nSelf CPU time total: %s %s\n",
		quantity_in(time, stats->host_ns, unit->size), unit->name);
	if (stats->has_device)
		columns_note(sheet,
			"Device time total: %s %s (activities: %" PRIu64
			", with unknown launch: %" PRIu64 ")\n",
			quantity_in(time, stats->device_ns, unit->size),
			unit->name, stats->activities, profile->unmatched);
	print_memory(sheet, stats);
	if (profile->flops != 0)
		columns_note(sheet,
			"Floating-point operations: %s GFLOP (--columns "
			"flops)\n",
			quantity_in(time, profile->flops, GIGA));
	stats_print_open(sheet, stats);
}

void stats_print_operations(struct sheet *sheet, const struct stats *stats)
{
	uint32_t chosen = stats->options->ops->columns;
	bool each = device_count(stats) < 2 || HAS(chosen, MEMORY_EACH);
	struct stats_owners owners = choose_owners(stats, each);
	struct profile_function sum = stats_total(stats);
	const char *missing = find_missing(stats);
	bool shows_memory;

	if (stats->count + stats->hidden == 0 && *missing != '\0') {
		columns_note(sheet, "%s", missing);
		return;
	}
	sheet->shown = bits_of(stats, sheet->width);
	sheet->all = chosen != 0;
	stats_add_functions(sheet, stats, &operation_table, &owners, &sum);
	shows_memory = (sheet->shown & SHOW_EACH_MEMORY) != 0;
	if (shows_memory && owners.hidden != 0)
		columns_note(sheet,
			"(memory of %" PRIu32
			" more devices not shown; see --json and --csv)\n",
			owners.hidden);
	if (shows_memory && !each)
		columns_note(
			sheet, "(of each device: --columns memory-each)\n");
	print_operation_sums(sheet, stats);
	columns_note(sheet, "%s", missing);
}

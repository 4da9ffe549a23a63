/* SPDX-License-Identifier: MIT */
#include "compare/delta.h"

#include <inttypes.h>
#include <string.h>

#include "profiles/label.h"

#define DIGITS UINT64_C(1000000000000000000) /* digits that fit in a word */
#define WIDE_TEXT (QUANTITY_TEXT / 2)

__extension__ typedef unsigned __int128 wide;

const struct column_unit *delta_unit(unsigned value, uint64_t largest_ns)
{
	static const struct column_unit units[] = {
		{"ms", 1000000},
		{"ns", 1},
		{"us", 1000},
		{"ms", 1000000},
		{"s", 1000000000},
	};

	/* Like stats: milliseconds, unless the largest time is shorter. */
	return value == 0 && largest_ns < units[0].size ? &units[2]
							: &units[value];
}

/* "+1.250", "-3", "0". */
static const char *time_text(char text[QUANTITY_TEXT], uint64_t base,
	uint64_t changed, uint64_t unit_ns)
{
	uint64_t size = changed > base ? changed - base : base - changed;

	if (size == 0)
		return strcpy(text, "0");
	(void)quantity_in(text, size, unit_ns);
	memmove(text + 1, text, strlen(text) + 1);
	text[0] = changed > base ? '+' : '-';
	return text;
}

/* Writes an integer of any size; returns its end. */
static char *put_wide(char *text, wide number)
{
	uint64_t high = (uint64_t)(number / DIGITS);
	uint64_t low = (uint64_t)(number % DIGITS);

	if (high == 0)
		return text + snprintf(text, WIDE_TEXT, "%" PRIu64, low);
	return text +
	       snprintf(text, WIDE_TEXT, "%" PRIu64 "%018" PRIu64, high, low);
}

const char *delta_percent(
	char text[QUANTITY_TEXT], uint64_t base, uint64_t changed)
{
	uint64_t size = changed > base ? changed - base : base - changed;
	wide hundredths;
	char *at = text;

	if (base == 0)
		return strcpy(text, changed == 0 ? "0" : "-");
	hundredths = ((wide)size * 10000 + base / 2) / base;
	if (hundredths != 0)
		*at++ = changed > base ? '+' : '-';
	at = put_wide(at, hundredths / 100);
	(void)snprintf(at, WIDE_TEXT, ".%02u", (unsigned)(hundredths % 100));
	return text;
}

const char *delta_sum_name(bool device)
{
	return device ? "(all GPU work)" : "(all functions)";
}

const char *delta_kind(const struct diff_row *row)
{
	static const char *const kinds[] = {
		[PROFILE_HOST] = "function",
		[PROFILE_KERNEL] = "kernel",
		[PROFILE_COPY] = "gpu_memcpy",
		[PROFILE_SET] = "gpu_memset",
	};

	return kinds[row->kind];
}

/* New divided by base; unknown if undefined. */
static struct value ratio_of(const struct diff_row *row)
{
	const struct diff_figures *base = &row->side[DIFF_BASE];
	const struct diff_figures *changed = &row->side[DIFF_NEW];

	if (base->found == 0 || changed->found == 0 ||
		base->median.total_ns == 0)
		return value_maybe(false, 0);
	return (struct value){
		VALUE_KNOWN, .real = (double)changed->median.total_ns /
				     (double)base->median.total_ns};
}

static struct value in_text(const char *text)
{
	return (struct value){VALUE_KNOWN, .text = text};
}

static void set_side(struct delta_line *line, const struct diff_figures *side,
	enum diff_side at, bool self)
{
	bool found = side->found != 0;

	line->side[at] = found ? side : NULL;
	line->time[at] = value_maybe(
		found, self ? side->median.self_ns : side->median.total_ns);
	line->spread[at] = value_maybe(
		found, self ? side->spread.self_ns : side->spread.total_ns);
	line->count[at] = value_maybe(found, side->median.count);
}

void delta_line_init(struct delta_line *line, const struct diff_row *row,
	const char *name, enum diff_key figure, const struct column_unit *unit)
{
	const struct diff_cost *base = &row->side[DIFF_BASE].median;
	const struct diff_cost *changed = &row->side[DIFF_NEW].median;

	*line = (struct delta_line){
		.name = name,
		.file = row->file,
		.kind = delta_kind(row),
		.line = row->line,
		.delta_ns = diff_change(base->total_ns, changed->total_ns),
		.delta_self_ns = diff_change(base->self_ns, changed->self_ns),
		.delta_count = diff_change(base->count, changed->count),
		.ratio = ratio_of(row),
		.function = {.name = label_name(name)},
	};
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		set_side(line, &row->side[side], side, figure == DIFF_SELF);
	line->change = in_text(
		time_text(line->change_text, line->time[DIFF_BASE].number,
			line->time[DIFF_NEW].number, unit->size));
	line->percent = in_text(delta_percent(line->percent_text,
		line->time[DIFF_BASE].number, line->time[DIFF_NEW].number));
	line->self_change = in_text(time_text(
		line->self_text, base->self_ns, changed->self_ns, unit->size));
	if (row->kind == PROFILE_HOST && *row->name != '\0') {
		line->function.file = row->file;
		line->function.line = row->line;
	} else {
		line->function.tail = "";
	}
}

void delta_line_name_side(struct delta_line *line)
{
	if (line->side[DIFF_BASE] == NULL)
		line->percent.text = "added";
	else if (line->side[DIFF_NEW] == NULL)
		line->percent.text = "removed";
}

/* ---- columns ---- */

/* clang-format off */
#define OF(member) COLUMN_OF(struct diff_figures, member)
static const struct column side_columns[] = {
	COLUMN_IN_JSON(COUNT, "count",
		"number of calls; the median of the runs, as are the times",
		OF(median.count)),
	COLUMN_IN_JSON(TIME, "total_ns", "time including callees",
		OF(median.total_ns)),
	COLUMN_IN_JSON(TIME, "self_ns", "time without callees",
		OF(median.self_ns)),
	COLUMN_IN_JSON(COUNT, "runs", "number of runs that have it",
		OF(found)),
	COLUMN_IN_JSON(COUNT, "count_mad",
		"median absolute deviation of count", OF(spread.count)),
	COLUMN_IN_JSON(TIME, "total_mad_ns",
		"median absolute deviation of total_ns", OF(spread.total_ns)),
	COLUMN_IN_JSON(TIME, "self_mad_ns",
		"median absolute deviation of self_ns", OF(spread.self_ns)),
};

static const struct column sum_columns[] = {DELTA_COLUMNS};
/* clang-format on */

const struct columns delta_side_table = COLUMNS("side",
	"one side of the comparison; null if it is missing there",
	side_columns);
const struct columns delta_sum_table = COLUMNS(
	"sum", "both sides of a sum, and their difference", sum_columns);

struct value delta_side_value(const struct column *column, const void *row)
{
	const struct delta_line *line = row;
	size_t size = sizeof(struct diff_figures);
	const struct diff_figures *side = line->side[column->index / size];

	if (side == NULL)
		return value_maybe(false, 0);
	return value_number(
		*(const uint64_t *)((const char *)side + column->index % size));
}

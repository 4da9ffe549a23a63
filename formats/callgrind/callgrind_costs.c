/* SPDX-License-Identifier: MIT */
#include "callgrind/callgrind_costs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/unit.h"

void callgrind_costs_init(struct callgrind_costs *costs)
{
	*costs = (struct callgrind_costs){.position_count = 1, .scale = 1};
}

bool callgrind_costs_parse_number(const char **text, uint64_t *value)
{
	bool hex = (*text)[0] == '0' && ((*text)[1] | 0x20) == 'x';
	const char *digits = hex ? *text + 2 : *text;
	unsigned base = hex ? 16 : 10;
	const char *at = digits;

	*value = 0;
	for (; isxdigit((unsigned char)*at); at++) {
		unsigned digit = isdigit((unsigned char)*at)
					 ? (unsigned)(*at - '0')
					 : (unsigned)((*at | 0x20) - 'a' + 10);

		if (digit >= base ||
			__builtin_mul_overflow(*value, base, value) ||
			__builtin_add_overflow(*value, digit, value))
			return false;
	}
	if (at == digits || (*at != '\0' && *at != ' ' && *at != '\t'))
		return false;
	*text += at - *text;
	*text += strspn(*text, " \t");
	return true;
}

/* A position: absolute, or relative to the last one. */
static bool parse_position(const char **text, uint64_t last, uint64_t *position)
{
	char sign = **text;
	uint64_t by;

	if (sign == '*') {
		++*text;
		*text += strspn(*text, " \t");
		*position = last;
		return true;
	}
	*text += sign == '+' || sign == '-';
	if (!callgrind_costs_parse_number(text, &by))
		return false;
	*position = by;
	if (sign == '+')
		return !__builtin_add_overflow(last, by, position);
	if (sign == '-')
		return !__builtin_sub_overflow(last, by, position);
	return true;
}

bool callgrind_costs_parse_positions(const struct callgrind_costs *costs,
	const char **text, uint64_t positions[CALLGRIND_POSITIONS_MAX])
{
	for (unsigned i = 0; i < costs->position_count; i++)
		if (!parse_position(text, costs->positions[i], &positions[i]))
			return false;
	return true;
}

void callgrind_costs_set_creator(
	struct callgrind_costs *costs, const char *text)
{
	(void)snprintf(costs->creator, sizeof(costs->creator), "%s", text);
}

/* Some write microseconds without a unit: yappi, Xdebug before 3, and
 * ruby-prof, which does not write its name. NYTProf's Ticks are microseconds
 * too, and other creators' Ticks milliseconds, all without a name. Source:
 * yappi.py, xdebug_profiler.c, ruby-prof's call_tree_printer.rb. */
const char *callgrind_costs_name(
	const struct callgrind_costs *costs, const char *event)
{
	static const struct {
		const char *creator;
		const char *event;
		const char *with_unit;
	} known[] = {{"yappi", "Ticks", "Ticks_(us)"},
		{"xdebug 2.", "Time", "Time_(us)"},
		{"", "wall_time", "wall_time_(us)"},
		{"", "process_time", "process_time_(us)"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(event, known[i].event) == 0 &&
			strncmp(costs->creator, known[i].creator,
				strlen(known[i].creator)) == 0)
			return known[i].with_unit;
	return event;
}

const char *callgrind_costs_set_events(
	struct callgrind_costs *costs, char *text, const char *wanted)
{
	const char *taken = wanted == NULL ? "" : NULL;
	unsigned column = 0;
	char *next;

	costs->is_ruby_prof = costs->creator[0] == '\0' &&
			      (strcmp(text, "wall_time") == 0 ||
				      strcmp(text, "process_time") == 0);
	costs->cost_column = 0;
	costs->scale = 0;
	while ((next = strsep(&text, " \t")) != NULL) {
		const char *event = callgrind_costs_name(costs, next);
		uint64_t scale = unit_of_cost(event);
		bool is_first =
			column == 0 || (scale != 0 && costs->scale == 0);

		if (*event == '\0')
			continue;
		if (wanted == NULL ? is_first : strcmp(next, wanted) == 0) {
			costs->cost_column = column;
			costs->scale = scale;
			taken = event;
		}
		column++;
	}
	if (costs->scale == 0)
		costs->scale = 1;
	return taken;
}

void callgrind_costs_set_positions(
	struct callgrind_costs *costs, const char *text)
{
	bool instr = strstr(text, "instr") != NULL;
	bool line = strstr(text, "line") != NULL || !instr;

	costs->position_count = (unsigned)instr + line;
	costs->line_column = line ? (int)instr : -1;
}

bool callgrind_costs_parse_costs(const struct callgrind_costs *costs,
	const char *text, struct callgrind_line_costs *found)
{
	*found = (struct callgrind_line_costs){0};
	for (unsigned i = 0; *text != '\0'; i++) {
		/* Memory may shrink. */
		bool negative = i != costs->cost_column && *text == '-';
		uint64_t value;

		text += negative;
		if (!callgrind_costs_parse_number(&text, &value))
			return false;
		if (i == costs->cost_column &&
			__builtin_mul_overflow(
				value, costs->scale, &found->used_ns))
			return false;
		if (i < PROFILE_EVENTS_MAX) {
			if (value > INT64_MAX)
				value = INT64_MAX;
			found->all[i] =
				negative ? -(int64_t)value : (int64_t)value;
		}
	}
	return found->used_ns <= (uint64_t)INT64_MAX;
}

uint32_t callgrind_costs_line(const struct callgrind_costs *costs,
	const uint64_t positions[CALLGRIND_POSITIONS_MAX])
{
	uint64_t line =
		costs->line_column < 0 ? 0 : positions[costs->line_column];

	return line < UINT32_MAX ? (uint32_t)line : 0;
}

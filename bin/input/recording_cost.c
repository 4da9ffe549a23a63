/* SPDX-License-Identifier: MIT */
#include "input/recording_cost.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/quantity.h"

#define PERCENT 100
#define WORTH_PERCENT 10 /* of the time of all functions, or of one */

/* Short runs are mostly start-up, and a function with less than this share of
 * the time matters to nobody. */
#define WORTH_NS 1000000
#define FUNCTION_PERCENT 1

#define NAME_BYTES 80

/* The sum over a fact of each recording of the log. */
static uint64_t sum_facts(const struct trace *trace, const char *key)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];

		if (strcmp(strtab_text(trace->text, fact->key, NULL), key) == 0)
			sum += strtoull(
				strtab_text(trace->text, fact->value, NULL),
				NULL, 10);
	}
	return sum;
}

uint64_t recording_cost_waits_ns(const struct trace *trace)
{
	return sum_facts(trace, "stall_ns");
}

/* Rounded; at most 100, since the cost of a range is an estimate. */
static unsigned percent_of(double part, double whole)
{
	double percent = whole <= 0 ? 0 : PERCENT * part / whole;

	return percent > PERCENT ? PERCENT : (unsigned)(percent + 0.5);
}

/* The share of its calls' cost in a function's time. About half of that cost is
 * spent before the begins or after the ends, in the callers' time. */
static unsigned function_percent(
	const struct profile_function *function, double range_ns)
{
	double calls_ns = (double)function->cost.ncalls * range_ns;

	return percent_of(
		calls_ns, (double)function->cost.cumtime_ns + calls_ns / 2);
}

/* The function with the most calls of those whose time is mostly their calls';
 * NULL if there is none. */
static const struct profile_function *find_function(
	const struct profile *profile, double range_ns, double time_ns)
{
	const struct profile_function *found = NULL;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (function->device.kind == PROFILE_HOST &&
			(found == NULL ||
				function->cost.ncalls > found->cost.ncalls) &&
			function_percent(function, range_ns) > WORTH_PERCENT &&
			(double)function->cost.ncalls * range_ns * PERCENT >
				time_ns * FUNCTION_PERCENT)
			found = function;
	}
	return found;
}

/* The beginning of a long name, without a part of a character. */
static int name_size(const char *name)
{
	size_t size = strlen(name);

	if (size <= NAME_BYTES)
		return (int)size;
	size = NAME_BYTES;
	while (size > 0 && ((uint8_t)name[size] & 0xc0) == 0x80)
		size--;
	return (int)size;
}

static void write_line(struct recording_cost *cost, uint64_t ranges,
	double range_ns, double time_ns, uint64_t waits_ns,
	const struct profile_function *function)
{
	double cost_ns = (double)ranges * range_ns + (double)waits_ns;
	char text[QUANTITY_TEXT];
	char waits[QUANTITY_TEXT + 16] = "";
	char most[NAME_BYTES + 64] = "";

	if (waits_ns != 0)
		(void)snprintf(waits, sizeof(waits), ", waits of %s",
			quantity_time(text, waits_ns));
	if (function != NULL)
		(void)snprintf(most, sizeof(most),
			", and %u %% of that of %.*s%s",
			function_percent(function, range_ns),
			name_size(function->name), function->name,
			strlen(function->name) > NAME_BYTES ? "..." : "");
	cost->percent = percent_of(cost_ns, time_ns);
	cost->ranges = ranges;
	(void)snprintf(cost->line, sizeof(cost->line),
		"recording took about %" PRIu32 " %% of the time of functions "
		"(%" PRIu64 " ranges at %.0f ns%s)%s; record less: the flags "
		"of 'ctprof cflags', --exclude, --min-ns, --policy",
		cost->percent, ranges, range_ns, waits, most);
}

static void estimate(struct recording_cost *cost, const struct profile *profile,
	double range_ns, uint64_t waits_ns)
{
	const struct profile_function *function;
	uint64_t ranges = 0;
	double time_ns = 0;
	double cost_ns;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *at = &profile->functions[i];

		if (at->device.kind != PROFILE_HOST)
			continue;
		ranges += at->cost.ncalls;
		time_ns += (double)at->cost.tottime_ns;
	}
	cost_ns = (double)ranges * range_ns + (double)waits_ns;
	function = find_function(profile, range_ns, time_ns);
	if (cost_ns >= WORTH_NS &&
		(function != NULL ||
			cost_ns * PERCENT > time_ns * WORTH_PERCENT))
		write_line(cost, ranges, range_ns, time_ns, waits_ns, function);
}

void recording_cost_find(struct recording_cost *cost, const struct trace *trace,
	const struct profile *profile)
{
	const char *range_ps = trace_find_fact(trace, RECORDING_COST_FACT);
	uint64_t waits_ns = recording_cost_waits_ns(trace);
	char text[QUANTITY_TEXT];

	*cost = (struct recording_cost){.line = ""};
	if (waits_ns != 0)
		(void)snprintf(cost->waits, sizeof(cost->waits),
			"threads waited %s for the log to be written, and "
			"function times include this",
			quantity_time(text, waits_ns));
	if (profile != NULL && range_ps != NULL)
		estimate(
			cost, profile, strtod(range_ps, NULL) / 1000, waits_ns);
}

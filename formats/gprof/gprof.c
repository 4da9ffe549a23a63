/* SPDX-License-Identifier: MIT */
/*
 * gprof: the text report of GNU gprof, for people and gprof2dot. Source: GNU
 * binutils, gprof/hist.c and gprof/cg_print.c; the grammar is that of
 * gprof2dot's GprofParser.
 *
 * Differences from gprof: times have nine decimals, because two would make most
 * profiles zeros. The times on a caller's or callee's line are measured, not
 * estimated from the number of calls. One entry calls every function that has
 * no caller, because gprof2dot finds no time in a cycle that nobody calls.
 *
 * Cycles are shown as gprof shows them. gprof2dot does not look for cycles here
 * and would never leave one.
 *
 * The report ends with the form feed after the call graph. gprof's index by
 * name would come next, but gprof2dot stops reading there, and a program that
 * still writes into a closed pipe is killed.
 */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/amount.h"
#include "profiles/callgraph.h"
#include "gprof/gprof_read.h"
#include "profiles/label.h"
#include "base/memory.h"

#define ROOT_INDEX 1u

/* The cost of a cycle seen from outside. Two calls that enter a cycle are never
 * open at the same time, so their times may be summed. */
struct cycle {
	struct profile_cost cost;
	uint64_t inner_calls;
	uint32_t index; /* the entry's number */
	uint32_t first; /* its first member; members end where the next cycle's
			 * begin */
};

struct gprof {
	FILE *out;
	const struct profile *profile;
	struct labels labels;
	struct callgraph graph;
	uint32_t *cycle_of;   /* by function; 0: none */
	uint32_t *index_of;   /* the entry's number, by function */
	uint32_t *members;    /* functions by cycle */
	struct cycle *cycles; /* [cycle_count + 2]; [0] is not used */
	uint32_t cycle_count;
};

/* gprof's own marks must not appear in names: "<cycle 1>" and " [1]". */
static void change_name(char *name)
{
	size_t size = strlen(name);
	size_t digits;
	char *at = name;

	while ((at = strstr(at, "<cycle")) != NULL)
		*at++ = '(';
	if (size < 2 || name[size - 1] != ']')
		return;
	for (digits = size - 1; digits > 0; digits--)
		if (name[digits - 1] < '0' || name[digits - 1] > '9')
			break;
	if (digits < 1 || name[digits - 1] != '[' || digits == size - 1)
		return;
	name[digits - 1] = '(';
	name[size - 1] = ')';
}

static void write_name(const struct gprof *gprof, uint32_t function)
{
	const char *name = labels_text(&gprof->labels, function);

	(void)fputs(name, gprof->out);
	/* gprof2dot takes a name of digits for a number and fails. */
	if (name[strspn(name, "0123456789.")] == '\0')
		(void)fputs("()", gprof->out);
}

/* Ends a line of the call graph. */
static void write_reference(const struct gprof *gprof, uint32_t function)
{
	uint32_t cycle = gprof->cycle_of[function];

	write_name(gprof, function);
	if (cycle != 0)
		(void)fprintf(gprof->out, " <cycle %u>", cycle);
	(void)fprintf(gprof->out, " [%u]\n", gprof->index_of[function]);
}

static uint64_t less(uint64_t value, uint64_t part)
{
	return value > part ? value - part : 0;
}

static int compare_self(const void *left, const void *right)
{
	const struct profile_function *a =
		*(const struct profile_function *const *)left;
	const struct profile_function *b =
		*(const struct profile_function *const *)right;

	if (a->cost.tottime_ns != b->cost.tottime_ns)
		return a->cost.tottime_ns > b->cost.tottime_ns ? -1 : 1;
	if (a->cost.ncalls != b->cost.ncalls)
		return a->cost.ncalls > b->cost.ncalls ? -1 : 1;
	return (a > b) - (a < b);
}

static void write_flat_line(const struct gprof *gprof,
	const struct profile_function *function, uint64_t *sum_ns)
{
	const struct profile_cost *cost = &function->cost;
	uint64_t calls = cost->ncalls == 0 ? 1 : cost->ncalls;
	uint64_t entries = cost->pcalls == 0 ? 1 : cost->pcalls;
	char text[5][AMOUNT_TEXT];

	*sum_ns += cost->tottime_ns;
	(void)fprintf(gprof->out, "%6s %15s %15s %10" PRIu64 " %15s %15s  ",
		amount_hundredths(text[0], amount_share(cost->tottime_ns,
						   gprof->profile->total_ns)),
		amount_seconds(text[1], *sum_ns),
		amount_seconds(text[2], cost->tottime_ns), cost->ncalls,
		amount_seconds(text[3], cost->tottime_ns / calls),
		amount_seconds(text[4], cost->cumtime_ns / entries));
	write_name(gprof, (uint32_t)(function - gprof->profile->functions));
	(void)putc('\n', gprof->out);
}

static bool write_flat(const struct gprof *gprof)
{
	uint32_t count = gprof->profile->function_count;
	const struct profile_function **order =
		memory_new(((size_t)count + 1) * sizeof(*order));
	uint64_t sum_ns = 0;

	if (order == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
		order[i] = &gprof->profile->functions[i];
	qsort(order, count, sizeof(*order), compare_self);
	(void)fputs("Flat profile:\n\n"
		    "Every call was measured, in nanoseconds.\n"
		    "  %        cumulative            self             "
		    "           self           total           \n"
		    "  time        seconds         seconds      calls  "
		    "       s/call          s/call  name    \n",
		gprof->out);
	for (uint32_t i = 0; i < count; i++)
		write_flat_line(gprof, order[i], &sum_ns);
	memory_free(order);
	return true;
}

static void write_legend(FILE *out)
{
	(void)fputs(
		"\n"
		" % time     share of the time of all threads: self time "
		"above, with children below\n"
		" self       time in the function itself; on other lines, "
		"while called by, or from, it\n"
		" children   time in what it calls\n"
		" s/call     self time over all calls, total time over those "
		"that are not recursive\n"
		" called     calls from elsewhere + by itself; on other "
		"lines, those of this pair / all\n"
		"\n\n"
		"\t\t     Call graph\n\n"
		"index % time             self        children     called      "
		"      name\n",
		out);
}

/* Calls that a function makes to itself. */
static uint64_t self_calls(const struct gprof *gprof, uint32_t function)
{
	const struct callgraph *graph = &gprof->graph;

	for (uint32_t i = graph->out_first[function];
		i < graph->out_first[function + 1]; i++)
		if (graph->out[i]->callee == function)
			return graph->out[i]->cost.ncalls;
	return 0;
}

static bool same_cycle(
	const struct gprof *gprof, const struct profile_edge *edge)
{
	return edge->caller == edge->callee ||
	       (gprof->cycle_of[edge->caller] != 0 &&
		       gprof->cycle_of[edge->caller] ==
			       gprof->cycle_of[edge->callee]);
}

/* The "total" of "called/total": calls from other functions. */
static uint64_t outer_calls(const struct gprof *gprof, uint32_t function)
{
	if (gprof->cycle_of[function] != 0)
		return gprof->cycles[gprof->cycle_of[function]].cost.ncalls;
	return less(gprof->profile->functions[function].cost.ncalls,
		self_calls(gprof, function));
}

/* The part of a caller's or callee's line before its name. */
static void write_times(const struct gprof *gprof,
	const struct profile_cost *cost, uint64_t total_calls)
{
	char text[2][AMOUNT_TEXT];

	(void)fprintf(gprof->out,
		"              %15s %15s %10" PRIu64 "/%-10" PRIu64 "     ",
		amount_seconds(text[0], cost->tottime_ns),
		amount_seconds(
			text[1], less(cost->cumtime_ns, cost->tottime_ns)),
		cost->ncalls, total_calls);
}

/* Within a cycle, where only the number of calls is meaningful. */
static void write_calls(
	const struct gprof *gprof, uint64_t calls, uint64_t inner)
{
	(void)fprintf(gprof->out, "              %15s %15s %10" PRIu64, "", "",
		calls);
	if (inner != 0)
		(void)fprintf(gprof->out, "+%-10" PRIu64 "     ", inner);
	else
		(void)fprintf(gprof->out, "%16s", "");
}

/* A line for one end of an edge: `other` is the caller or the callee. */
static void write_edge(const struct gprof *gprof,
	const struct profile_edge *edge, uint32_t other)
{
	if (same_cycle(gprof, edge))
		write_calls(gprof, edge->cost.ncalls, 0);
	else
		write_times(
			gprof, &edge->cost, outer_calls(gprof, edge->callee));
	write_reference(gprof, other);
}

/* The start of an entry's own line. */
static void write_primary(const struct gprof *gprof, uint32_t index,
	const struct profile_cost *cost, uint64_t inner_calls)
{
	char text[3][AMOUNT_TEXT];
	char number[16];

	(void)snprintf(number, sizeof(number), "[%u]", index);
	(void)fprintf(gprof->out, "%-6s %6s %15s %15s %10" PRIu64, number,
		amount_hundredths(text[0], amount_share(cost->cumtime_ns,
						   gprof->profile->total_ns)),
		amount_seconds(text[1], cost->tottime_ns),
		amount_seconds(
			text[2], less(cost->cumtime_ns, cost->tottime_ns)),
		less(cost->ncalls, inner_calls));
	if (inner_calls != 0)
		(void)fprintf(gprof->out, "+%-10" PRIu64 " ", inner_calls);
	else
		(void)fprintf(gprof->out, "%12s", "");
}

static void write_separator(const struct gprof *gprof)
{
	(void)fputs("-----------------------------------------------"
		    "----------------------------\n",
		gprof->out);
}

static int compare_roots(const void *left, const void *right)
{
	const struct profile_function *a =
		*(const struct profile_function *const *)left;
	const struct profile_function *b =
		*(const struct profile_function *const *)right;

	if (a->root.cumtime_ns != b->root.cumtime_ns)
		return a->root.cumtime_ns > b->root.cumtime_ns ? -1 : 1;
	return (a > b) - (a < b);
}

/* The entry that calls every function without a caller. */
static bool write_root(const struct gprof *gprof)
{
	const struct profile *profile = gprof->profile;
	struct profile_cost cost = {.ncalls = 1};
	const struct profile_function **roots = memory_new(
		((size_t)profile->function_count + 1) * sizeof(*roots));
	uint32_t count = 0;

	if (roots == NULL)
		return false;
	for (uint32_t i = 0; i < profile->function_count; i++) {
		if (profile->functions[i].root.ncalls == 0)
			continue;
		roots[count++] = &profile->functions[i];
		cost.cumtime_ns += profile->functions[i].root.cumtime_ns;
	}
	qsort(roots, count, sizeof(*roots), compare_roots);
	(void)fprintf(gprof->out, "%72s<spontaneous>\n", "");
	write_primary(gprof, ROOT_INDEX, &cost, 0);
	(void)fprintf(gprof->out, "%s [%u]\n", LABEL_ROOT, ROOT_INDEX);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t function = (uint32_t)(roots[i] - profile->functions);

		write_times(
			gprof, &roots[i]->root, outer_calls(gprof, function));
		write_reference(gprof, function);
	}
	write_separator(gprof);
	memory_free(roots);
	return true;
}

static void write_cycle(const struct gprof *gprof, uint32_t number)
{
	const struct cycle *cycle = &gprof->cycles[number];
	struct profile_cost cost = cycle->cost;

	cost.ncalls += cycle->inner_calls;
	write_primary(gprof, cycle->index, &cost, cycle->inner_calls);
	(void)fprintf(gprof->out, "<cycle %u as a whole> [%u]\n", number,
		cycle->index);
	for (uint32_t i = cycle->first; i < cycle[1].first; i++) {
		uint32_t function = gprof->members[i];
		const struct profile_cost *member =
			&gprof->profile->functions[function].cost;
		uint64_t inner = self_calls(gprof, function);

		write_calls(gprof, less(member->ncalls, inner), inner);
		write_reference(gprof, function);
	}
	write_separator(gprof);
}

static void write_entry(const struct gprof *gprof, uint32_t function)
{
	const struct callgraph *graph = &gprof->graph;
	const struct profile_function *entry =
		&gprof->profile->functions[function];
	uint32_t first = graph->in_first[function];

	for (uint32_t i = graph->in_first[function + 1]; i > first; i--)
		write_edge(gprof, graph->in[i - 1], graph->in[i - 1]->caller);
	if (entry->root.ncalls != 0) {
		write_times(gprof, &entry->root, outer_calls(gprof, function));
		(void)fprintf(gprof->out, "%s [%u]\n", LABEL_ROOT, ROOT_INDEX);
	} else if (first == graph->in_first[function + 1]) {
		(void)fprintf(gprof->out, "%72s<spontaneous>\n", "");
	}
	write_primary(gprof, gprof->index_of[function], &entry->cost,
		self_calls(gprof, function));
	write_reference(gprof, function);
	for (uint32_t i = graph->out_first[function];
		i < graph->out_first[function + 1]; i++)
		write_edge(gprof, graph->out[i], graph->out[i]->callee);
	write_separator(gprof);
}

static void write_graph(const struct gprof *gprof)
{
	uint32_t shown = 0;

	for (uint32_t i = 0; i < gprof->profile->function_count; i++) {
		/* Cycles are numbered in the order of their first members. */
		if (gprof->cycle_of[i] > shown)
			write_cycle(gprof, ++shown);
		write_entry(gprof, i);
	}
}

/* Adds the costs of member `i` to its cycle. */
static void add_member(struct gprof *gprof, struct cycle *cycle, uint32_t i)
{
	const struct profile_function *function = &gprof->profile->functions[i];
	const struct callgraph *graph = &gprof->graph;

	cycle->cost.ncalls += function->root.ncalls;
	cycle->cost.cumtime_ns += function->root.cumtime_ns;
	cycle->cost.tottime_ns += function->cost.tottime_ns;
	for (uint32_t j = graph->in_first[i]; j < graph->in_first[i + 1]; j++) {
		const struct profile_edge *edge = graph->in[j];

		if (!same_cycle(gprof, edge)) {
			cycle->cost.ncalls += edge->cost.ncalls;
			cycle->cost.cumtime_ns += edge->cost.cumtime_ns;
		} else if (edge->caller != i) {
			cycle->inner_calls += edge->cost.ncalls;
		}
	}
}

/* Numbers the entries, and sums up the cycles. */
static bool prepare(struct gprof *gprof)
{
	uint32_t count = gprof->profile->function_count;
	uint32_t index = ROOT_INDEX;
	uint32_t shown = 0;
	uint32_t *next;

	gprof->cycle_of = callgraph_cycles(&gprof->graph, &gprof->cycle_count);
	if (gprof->cycle_of == NULL)
		return false;
	gprof->index_of = memory_new(((size_t)count + 1) * sizeof(uint32_t));
	gprof->members = memory_new(((size_t)count + 1) * sizeof(uint32_t));
	gprof->cycles = memory_new_zeroed(
		(size_t)gprof->cycle_count + 2, sizeof(*gprof->cycles));
	next = memory_new_zeroed((size_t)gprof->cycle_count + 2, sizeof(*next));
	if (gprof->index_of == NULL || gprof->members == NULL ||
		gprof->cycles == NULL || next == NULL) {
		memory_free(next);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t cycle = gprof->cycle_of[i];

		if (cycle > shown)
			gprof->cycles[++shown].index = ++index;
		gprof->index_of[i] = ++index;
		gprof->cycles[cycle + 1].first++;
		if (cycle != 0)
			add_member(gprof, &gprof->cycles[cycle], i);
	}
	for (uint32_t i = 0; i <= gprof->cycle_count; i++) {
		gprof->cycles[i + 1].first += gprof->cycles[i].first;
		next[i] = gprof->cycles[i].first;
	}
	for (uint32_t i = 0; i < count; i++)
		gprof->members[next[gprof->cycle_of[i]]++] = i;
	memory_free(next);
	return true;
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	struct gprof gprof = {.out = out, .profile = profile};
	enum ctp_status status;
	bool ok;

	(void)options;
	status = labels_init(&gprof.labels, profile, change_name, err);
	if (status == CTP_OK)
		status = callgraph_init(&gprof.graph, profile, err);
	if (status == CTP_OK) {
		ok = prepare(&gprof) && write_flat(&gprof);
		if (ok) {
			write_legend(out);
			ok = write_root(&gprof);
		}
		if (ok) {
			write_graph(&gprof);
			(void)fputs("\n\f\n", out);
		} else {
			status = ctp_fail(err, CTP_ERR_NOMEM,
				"out of memory while writing gprof");
		}
	}
	memory_free(gprof.cycles);
	memory_free(gprof.members);
	memory_free(gprof.index_of);
	memory_free(gprof.cycle_of);
	callgraph_clear(&gprof.graph);
	labels_clear(&gprof.labels);
	return status;
}

const struct format gprof_format = {
	.name = "gprof",
	.suffix = ".gprof",
	.summary = "gprof's text report, for people and gprof2dot -f prof",
	.probe = gprof_probe,
	.read_profile = gprof_read,
	.write_profile = write_profile,
};

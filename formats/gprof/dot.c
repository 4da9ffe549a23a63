/* SPDX-License-Identifier: MIT */
/*
 * dot: a call graph for graphviz in the style of gprof2dot: the labels' colour
 * and order are the same, and so are the limits (functions of at least 0.5 %,
 * edges of at least 0.1 % of the time of all threads). Beyond that only the 60
 * longest functions are drawn, so that a page shows the whole graph. Source:
 * gprof2dot's DotWriter and TEMPERATURE_COLORMAP; graphviz, "The DOT Language"
 * and "escString".
 *
 * graphviz puts all callees of a function into one rank: 40 headers made a
 * picture of 8,000 points. If a rank has too many functions, all ranks are
 * given, by an invisible chain, and the full ones are split.
 *
 * The times are those of the profile for functions and edges alike: nothing
 * is estimated, so recursion cannot bring a share over 100 %.
 */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/amount.h"
#include "base/buffer.h"
#include "names/function_name.h"
#include "profiles/label.h"
#include "base/utf8.h"

/* In hundredths of a percent. */
#define MIN_NODE_SHARE 50u
#define MIN_EDGE_SHARE 10u
#define MAX_NODES 60u
#define MAX_RANK 5u /* functions side by side */

/* In bytes: the limit of a box, and of a string in graphviz (it stops at
 * 16,384, and escapes take room). */
#define MAX_LABEL 30u
#define MAX_TOOLTIP 2000u

#define ELLIPSIS "\xe2\x80\xa6"
#define TIMES "\xc3\x97"

static void write_escaped(FILE *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		/* graphviz reads "&lt;" as '<' and "\N" as the node. */
		if (text[i] == '&') {
			(void)fputs("&amp;", out);
			continue;
		}
		if (text[i] == '"' || text[i] == '\\')
			(void)putc('\\', out);
		(void)putc(text[i], out);
	}
}

/* Writes text for a quoted string. Text over `most` bytes loses its middle,
 * because names differ most at both ends. */
static void write_short(FILE *out, const char *text, size_t most)
{
	size_t size = strlen(text);
	size_t head = most * 2 / 3;
	size_t tail = size - most / 3;

	if (size <= most) {
		write_escaped(out, text, size);
		return;
	}
	/* Do not split a character. */
	while (head > 0 && (text[head] & 0xc0) == 0x80)
		head--;
	while (tail < size && (text[tail] & 0xc0) == 0x80)
		tail++;
	write_escaped(out, text, head);
	(void)fputs(ELLIPSIS, out);
	write_escaped(out, text + tail, size - tail);
}

/* Writes a name in a box; long C++ names are shortened. False if out of
 * memory. */
static bool write_name(FILE *out, const char *label)
{
	struct buffer brief = BUFFER_INIT;
	size_t size = strlen(label);
	bool ok;

	if (size <= MAX_LABEL || !function_name_has_scopes(label, size)) {
		write_short(out, label, MAX_LABEL);
		return true;
	}
	function_name_add_fit(&brief, label, MAX_LABEL);
	ok = !brief.failed;
	if (ok)
		write_escaped(out, (const char *)brief.bytes, brief.used);
	buffer_clear(&brief);
	return ok;
}

/* One of red, green and blue. Source: CSS Color, HSL to RGB. */
static double channel(double low, double high, double hue)
{
	if (hue < 0)
		hue += 1;
	if (hue > 1)
		hue -= 1;
	if (hue * 6 < 1)
		return low + (high - low) * hue * 6;
	if (hue * 2 < 1)
		return high;
	if (hue * 3 < 2)
		return low + (high - low) * (2.0 / 3 - hue) * 6;
	return low;
}

/* From dark blue to red, as red << 16 | green << 8 | blue. */
static unsigned colour(uint32_t share)
{
	double weight = (double)share / AMOUNT_WHOLE;
	double hue = (1 - weight) * 2 / 3;
	double saturation = 0.8 + 0.2 * weight;
	double lightness = 0.25 + 0.25 * weight;
	double high = lightness * (saturation + 1);
	double low = lightness * 2 - high;
	unsigned red =
		(unsigned)(255 * channel(low, high, hue + 1.0 / 3) + 0.5);
	unsigned green = (unsigned)(255 * channel(low, high, hue) + 0.5);
	unsigned blue =
		(unsigned)(255 * channel(low, high, hue - 1.0 / 3) + 0.5);

	return red << 16 | green << 8 | blue;
}

static uint32_t square_root(uint32_t value)
{
	uint32_t root = 0;

	while ((root + 1) * (root + 1) <= value)
		root++;
	return root;
}

/* False if out of memory. */
static bool write_node(FILE *out, const struct profile *profile,
	uint32_t number, const char *label)
{
	const struct profile_function *function = &profile->functions[number];
	uint32_t share =
		amount_share(function->cost.cumtime_ns, profile->total_ns);
	uint32_t self =
		amount_share(function->cost.tottime_ns, profile->total_ns);
	struct buffer file = BUFFER_INIT;
	char text[2][AMOUNT_TEXT];
	bool ok;

	(void)fprintf(out, "\tn%u [label=\"", number);
	ok = write_name(out, label);
	(void)fprintf(out, "\\n%s%%\\n(%s%%)\\n%" PRIu64 TIMES "\", tooltip=\"",
		amount_hundredths(text[0], share),
		amount_hundredths(text[1], self), function->cost.ncalls);
	write_short(out, label, MAX_TOOLTIP);
	utf8_add_printable(&file, function->file, strlen(function->file));
	if (file.used > 0) {
		buffer_add_byte(&file, '\0');
		(void)fputs("\\n", out);
		if (!file.failed)
			write_short(out, (char *)file.bytes, MAX_TOOLTIP);
		(void)fprintf(out, ":%u", function->line);
	}
	(void)fprintf(out, "\", color=\"#%06x\"];\n", colour(share));
	ok = ok && !file.failed;
	buffer_clear(&file);
	return ok;
}

/* `loose`: the edge does not go down by ranks. */
static void write_edge(FILE *out, const struct profile *profile,
	const struct profile_edge *edge, bool loose)
{
	uint32_t share = amount_share(edge->cost.cumtime_ns, profile->total_ns);
	/* 0.5 to 4 points. */
	uint32_t width = share * 4 / 100;
	unsigned rgb = colour(share);
	char text[3][AMOUNT_TEXT];

	if (width < 50)
		width = 50;
	(void)fprintf(out, "\tn%u -> n%u [label=\"%s%%\\n%" PRIu64 TIMES "\", ",
		edge->caller, edge->callee, amount_hundredths(text[0], share),
		edge->cost.ncalls);
	(void)fprintf(out,
		"color=\"#%06x\", fontcolor=\"#%06x\", penwidth=\"%s\", "
		"labeldistance=\"%s\", arrowsize=\"%s\"%s];\n",
		rgb, rgb, amount_hundredths(text[1], width), text[1],
		amount_hundredths(text[2], square_root(25 * width)),
		loose ? ", constraint=\"false\"" : "");
}

/* The number of functions to draw; they are sorted by time. */
static uint32_t drawn_count(const struct profile *profile)
{
	uint32_t count = 0;

	while (count < profile->function_count && count < MAX_NODES &&
		amount_share(profile->functions[count].cost.cumtime_ns,
			profile->total_ns) >= MIN_NODE_SHARE)
		count++;
	return count;
}

static bool is_drawn(const struct profile *profile, uint32_t count,
	const struct profile_edge *edge)
{
	return edge->caller < count && edge->callee < count &&
	       amount_share(edge->cost.cumtime_ns, profile->total_ns) >=
		       MIN_EDGE_SHARE;
}

/* The ranks of the drawn functions. */
struct ranks {
	uint32_t by_function[MAX_NODES];
	uint32_t count; /* 0: graphviz may choose */
};

/* Ranks by the longest chain of callers with more time; a caller with as much
 * time may come later. */
static void find_ranks(
	struct ranks *ranks, const struct profile *profile, uint32_t count)
{
	/* Edges are sorted by callee: the callers' ranks are final. */
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		if (is_drawn(profile, count, edge) &&
			edge->caller < edge->callee &&
			ranks->by_function[edge->callee] <=
				ranks->by_function[edge->caller])
			ranks->by_function[edge->callee] =
				ranks->by_function[edge->caller] + 1;
	}
}

/* Splits the ranks with too many functions evenly. */
static void split_ranks(struct ranks *ranks, uint32_t count)
{
	uint32_t size[MAX_NODES] = {0};
	uint32_t first[MAX_NODES];
	uint32_t place[MAX_NODES] = {0};
	bool wide = false;

	for (uint32_t i = 0; i < count; i++)
		wide |= ++size[ranks->by_function[i]] > MAX_RANK;
	if (!wide)
		return;
	for (uint32_t i = 0; i < MAX_NODES && size[i] != 0; i++) {
		uint32_t parts = (size[i] + MAX_RANK - 1) / MAX_RANK;

		size[i] = (size[i] + parts - 1) / parts;
		first[i] = ranks->count;
		ranks->count += parts;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t old = ranks->by_function[i];

		ranks->by_function[i] = first[old] + place[old]++ / size[old];
	}
}

static void write_ranks(FILE *out, const struct ranks *ranks, uint32_t count)
{
	for (uint32_t rank = 0; rank < ranks->count; rank++) {
		(void)fprintf(out,
			"\t{rank=\"same\"; r%u [label=\"\", shape=\"point\", "
			"style=\"invis\"];",
			rank);
		for (uint32_t i = 0; i < count; i++)
			if (ranks->by_function[i] == rank)
				(void)fprintf(out, " n%u;", i);
		(void)fputs("}\n", out);
		if (rank > 0)
			(void)fprintf(out, "\tr%u -> r%u [style=\"invis\"];\n",
				rank - 1, rank);
	}
}

static void write_edges(
	FILE *out, const struct profile *profile, uint32_t count)
{
	struct ranks ranks = {.count = 0};

	find_ranks(&ranks, profile, count);
	split_ranks(&ranks, count);
	write_ranks(out, &ranks, count);
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		if (is_drawn(profile, count, edge))
			write_edge(out, profile, edge,
				ranks.count != 0 &&
					ranks.by_function[edge->callee] <=
						ranks.by_function
							[edge->caller]);
	}
}

static void write_head(FILE *out)
{
	/* Without a tooltip the graph's internal name would show. */
	(void)fputs("digraph {\n"
		    "\ttooltip=\" \";\n"
		    "\tgraph [fontname=\"Arial\", nodesep=\"0.125\", "
		    "ranksep=\"0.25\", size=\"16,11\"];\n"
		    "\tnode [fontcolor=\"#ffffff\", fontname=\"Arial\", "
		    "fontsize=\"10\", height=\"0\", shape=\"box\", "
		    "style=\"filled\", width=\"0\"];\n"
		    "\tedge [fontname=\"Arial\", fontsize=\"10\"];\n",
		out);
}

static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	uint32_t count = drawn_count(profile);
	struct labels labels;
	enum ctp_status status = labels_init(&labels, profile, NULL, err);
	bool ok = true;

	(void)options;
	if (status == CTP_OK)
		write_head(out);
	for (uint32_t i = 0; i < count && status == CTP_OK && ok; i++)
		ok = write_node(out, profile, i, labels_text(&labels, i));
	labels_clear(&labels);
	if (status == CTP_OK && !ok)
		status = ctp_fail(
			err, CTP_ERR_NOMEM, "out of memory while writing dot");
	if (status != CTP_OK)
		return status;
	write_edges(out, profile, count);
	(void)fputs("}\n", out);
	return CTP_OK;
}

const struct format dot_format = {
	.name = "dot",
	.suffix = ".dot",
	.summary = "call graph, for graphviz",
	.write_profile = write_profile,
};

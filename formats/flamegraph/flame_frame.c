/* SPDX-License-Identifier: MIT */
#include "flamegraph/flame_frame.h"

#include <inttypes.h>

#include "io/amount.h"
#include "flamegraph/flame_color.h"
#include "flamegraph/flame_text.h"
#include "io/xml.h"
#include "names/function_name.h"

/* Widths in hundredths: a letter of the widest common fixed-width font at 11
 * units, and the space beside a name. */
#define LETTER 670u
#define PADDING 600u
#define LEAST_LETTERS 3u
#define TEXT_X 300u
#define TEXT_Y 12u

void flame_put_text(struct flame_canvas *canvas)
{
	xml_put(canvas->out, canvas->text.bytes, canvas->text.used);
	canvas->text.used = 0;
}

void flame_add_share(struct flame_canvas *canvas, uint64_t part, uint64_t whole)
{
	char text[AMOUNT_TEXT];

	buffer_add_text(&canvas->text,
		amount_hundredths(text, amount_share(part, whole)));
	buffer_add_text(&canvas->text, " %");
}

void flame_add_time(struct flame_canvas *canvas, uint64_t time_ns)
{
	char text[FLAME_TIME_TEXT];

	buffer_add_text(&canvas->text, flame_time(text, time_ns));
}

void flame_add_count(
	struct flame_canvas *canvas, uint64_t count, const char *what)
{
	char text[AMOUNT_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64 " ", count);
	buffer_add_text(&canvas->text, text);
	buffer_add_text(&canvas->text, what);
	if (count != 1)
		buffer_add_byte(&canvas->text, 's');
}

/* A part of the width, in hundredths; `whole` is not 0. */
static uint32_t units(uint64_t part, uint64_t whole)
{
	uint32_t all = (FLAME_WIDTH - 2 * FLAME_EDGE) * 100;

	return part >= whole
		       ? all
		       : (uint32_t)((unsigned __int128)part * all / whole);
}

/* " x="10.25"": hundredths as an attribute. */
static void put_units(FILE *out, const char *name, uint32_t hundredths)
{
	(void)fprintf(out, " %s=\"%" PRIu32, name, hundredths / 100);
	if (hundredths % 100 != 0)
		(void)fprintf(out, ".%02" PRIu32, hundredths % 100);
	(void)putc('"', out);
}

static const char *name_of(
	const struct flame_canvas *canvas, const struct flame_node *node)
{
	if (node->function == FLAME_ALL)
		return "all";
	if (node->function == FLAME_OTHER)
		return "(other)";
	return labels_text(&canvas->labels, node->function);
}

/* Long names of kernels differ only in their template arguments. */
static void add_whole_name(
	struct flame_canvas *canvas, const struct flame_node *node)
{
	const char *name = name_of(canvas, node);

	if (node->function < FLAME_OTHER &&
		canvas->profile->functions[node->function].device.kind !=
			PROFILE_HOST)
		flame_add_text(&canvas->text, name);
	else
		function_name_add_fit(&canvas->text, name, FLAME_PLACES);
}

/* The second line: the location, or the number of call paths it stands for. */
static void add_origin(
	struct flame_canvas *canvas, const struct flame_node *node)
{
	size_t start = canvas->text.used;

	buffer_add_byte(&canvas->text, '\n');
	if (node->function == FLAME_OTHER) {
		flame_add_count(canvas, node->folded, "call path");
		buffer_add_text(&canvas->text, " too small to be shown");
	} else if (node->function != FLAME_ALL) {
		flame_add_place(&canvas->text,
			&canvas->profile->functions[node->function]);
	}
	if (canvas->text.used == start + 1)
		canvas->text.used = start;
}

void flame_add_change(struct flame_canvas *canvas,
	const struct flame_cost *before, uint64_t after_ns)
{
	uint64_t before_ns = before->total_ns;
	bool grown = after_ns >= before_ns;
	uint64_t change_ns =
		grown ? after_ns - before_ns : before_ns - after_ns;
	uint64_t hundredths;
	char share[AMOUNT_TEXT];

	buffer_add_text(&canvas->text, "before ");
	flame_add_time(canvas, before_ns);
	if (before->calls != 0) {
		buffer_add_text(&canvas->text, " in ");
		flame_add_count(canvas, before->calls, "call");
	}
	if (before_ns == 0)
		return;
	buffer_add_text(&canvas->text, grown ? ": +" : ": -");
	flame_add_time(canvas, change_ns);
	/* A larger factor is not informative. */
	if (change_ns / before_ns >= 1000)
		return;
	hundredths = (uint64_t)(((unsigned __int128)change_ns * 10000 +
					before_ns / 2) /
				before_ns);
	(void)snprintf(share, sizeof(share), ", %c%" PRIu64 ".%02" PRIu64 " %%",
		grown ? '+' : '-', hundredths / 100, hundredths % 100);
	buffer_add_text(&canvas->text, share);
}

static void put_title(struct flame_canvas *canvas,
	const struct flame_node *node, const struct flame_node *root,
	const char *of)
{
	const struct flame_cost *cost = &node->cost;
	struct buffer *text = &canvas->text;

	add_whole_name(canvas, node);
	add_origin(canvas, node);
	buffer_add_text(text, "\n");
	flame_add_time(canvas, cost->total_ns);
	buffer_add_text(text, ", ");
	flame_add_share(canvas, cost->total_ns, root->cost.total_ns);
	buffer_add_text(text, " of ");
	buffer_add_text(text, of);
	if (cost->self_ns != cost->total_ns && cost->self_ns != 0) {
		buffer_add_text(text, "; itself ");
		flame_add_time(canvas, cost->self_ns);
	}
	if (cost->calls != 0) {
		buffer_add_text(text, "; ");
		flame_add_count(canvas, cost->calls, "call");
	}
	if (canvas->compared) {
		buffer_add_byte(text, '\n');
		flame_add_change(canvas, &node->base, cost->total_ns);
	}
	(void)fputs("<title>", canvas->out);
	flame_put_text(canvas);
	(void)fputs("</title>", canvas->out);
}

/* The name, shortened to fit. */
static void put_name(struct flame_canvas *canvas, const struct flame_node *node,
	uint32_t x, uint32_t y, uint32_t width)
{
	uint32_t letters = width < PADDING ? 0 : (width - PADDING) / LETTER;

	if (letters < LEAST_LETTERS)
		return;
	function_name_add_fit(&canvas->text, name_of(canvas, node), letters);
	(void)fputs("<text", canvas->out);
	put_units(canvas->out, "x", x + TEXT_X);
	(void)fprintf(canvas->out, " y=\"%" PRIu32 "\">", y + TEXT_Y);
	flame_put_text(canvas);
	(void)fputs("</text>", canvas->out);
}

/* The function's number in the script. */
static uint32_t number_of(struct flame_canvas *canvas, uint32_t function)
{
	if (canvas->number[function] == 0) {
		canvas->function[canvas->count++] = function;
		canvas->number[function] = canvas->count;
	}
	return canvas->number[function];
}

static const char *class_of(const struct flame_canvas *canvas,
	const struct flame_node *node, char text[FLAME_CLASS_TEXT])
{
	if (canvas->compared)
		return flame_change_class(
			node->base.total_ns, node->cost.total_ns);
	if (node->function == FLAME_ALL)
		return "all";
	if (node->function == FLAME_OTHER)
		return "other";
	return flame_class(text, &canvas->profile->functions[node->function]);
}

static void put_frame(struct flame_canvas *canvas,
	const struct flame_node *node, const struct flame_node *root,
	const char *of)
{
	char class[FLAME_CLASS_TEXT];

	(void)fprintf(canvas->out,
		"<g data-d=\"%" PRIu32 "\" data-t=\"%" PRIu64
		"\" data-s=\"%" PRIu64 "\"",
		node->depth, node->cost.total_ns, node->cost.self_ns);
	if (node->function < FLAME_OTHER)
		(void)fprintf(canvas->out, " data-f=\"%" PRIu32 "\"",
			number_of(canvas, node->function) - 1);
	(void)putc('>', canvas->out);
	put_title(canvas, node, root, of);
	(void)fprintf(canvas->out, "<rect class=\"%s\"",
		class_of(canvas, node, class));
}

void flame_put_frames(struct flame_canvas *canvas,
	const struct flame_tree *tree, const char *of, uint32_t y)
{
	const struct flame_node *root = &tree->nodes[0];
	/* Without any time, there is only the root. */
	uint64_t whole = root->cost.total_ns == 0 ? 1 : root->cost.total_ns;

	for (uint32_t i = 0; i < tree->count; i++) {
		const struct flame_node *node = &tree->nodes[i];
		uint64_t left = whole - node->start_ns;
		uint32_t top = y + node->depth * FLAME_ROW;
		uint32_t x = units(node->start_ns, whole);
		uint32_t end = units(1, 1);

		/* Sums that overflowed end at the right edge. */
		if (i > 0 && node->cost.total_ns < left)
			end = units(
				node->start_ns + node->cost.total_ns, whole);
		put_frame(canvas, node, root, of);
		put_units(canvas->out, "x", FLAME_EDGE * 100 + x);
		put_units(canvas->out, "width", end - x);
		(void)fprintf(canvas->out, " y=\"%" PRIu32 "\" height=\"%u\"/>",
			top, FLAME_ROW);
		put_name(canvas, node, FLAME_EDGE * 100 + x, top, end - x);
		(void)fputs("</g>\n", canvas->out);
	}
}

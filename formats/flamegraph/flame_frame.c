/* SPDX-License-Identifier: MIT */
#include "flamegraph/flame_frame.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "io/amount.h"
#include "io/xml.h"
#include "names/function_name.h"
#include "base/utf8.h"
#include "base/stable_hash.h"

/* At most two bytes per column, and the next character. */
#define MOST_BYTES (2 * FLAME_PLACES + 4)

#define ELLIPSIS "\xe2\x80\xa6"

const char *flame_time(char text[FLAME_TIME_TEXT], uint64_t time_ns)
{
	static const struct {
		const char *name;
		uint64_t size_ns;
		uint64_t from_ns; /* shorter times use the unit below */
	} units[] = {{"s", 1000000000, 999995000}, {"ms", 1000000, 999995},
		{"\xc2\xb5s", 1000, 1000}};

	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t step = units[i].size_ns / 100;
		uint64_t hundredths = time_ns / step;

		if (time_ns < units[i].from_ns)
			continue;
		hundredths += time_ns % step >= step - step / 2;
		(void)snprintf(text, FLAME_TIME_TEXT,
			"%" PRIu64 ".%02" PRIu64 " %s", hundredths / 100,
			hundredths % 100, units[i].name);
		return text;
	}
	(void)snprintf(text, FLAME_TIME_TEXT, "%" PRIu64 " ns", time_ns);
	return text;
}

static bool is_inner(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

void flame_add_text(struct buffer *out, const char *text)
{
	size_t start = out->used;
	size_t size = strnlen(text, MOST_BYTES);
	size_t kept;
	bool cut;

	/* Do not split a character. */
	for (unsigned i = 0; i < 3 && size > 0 && is_inner(text[size]); i++)
		size--;
	utf8_add_printable(out, text, size);
	if (out->failed || out->used == start)
		return;
	kept = function_name_fit((char *)out->bytes + start, out->used - start,
		FLAME_PLACES, &cut);
	if (!cut && text[size] == '\0')
		return;
	out->used = start + kept;
	buffer_add_text(out, ELLIPSIS);
}

void flame_add_place(
	struct buffer *out, const struct profile_function *function)
{
	char line[32];

	if (strcmp(function->file, "~") != 0)
		flame_add_text(out, function->file);
	if (function->line == 0)
		return;
	(void)snprintf(line, sizeof(line), ":%" PRIu32, function->line);
	buffer_add_text(out, line);
}

/* As many as flame.css has. */
#define HUES 12
#define SHADES 3

const char *flame_module(const struct profile_function *function, size_t *size)
{
	const char *name = function->name;
	const char *end = strstr(name, "::");

	/* "~" is Python's file of built-in functions; "<string>" and the like
	 * are not files. */
	if (function->file[0] != '\0' && function->file[0] != '~' &&
		function->file[0] != '<') {
		*size = strlen(function->file);
		return function->file;
	}
	*size = strcspn(name, " .:#(<[");
	/* In C++, a type may precede the name. */
	if (end != NULL && strcspn(name, "(<[") > (size_t)(end - name)) {
		const char *start = end;

		while (start > name && start[-1] != ' ')
			start--;
		*size = (size_t)(end - start);
		name = start;
	}
	if (*size == 0)
		*size = strlen(name);
	return name;
}

const char *flame_class(
	char text[FLAME_CLASS_TEXT], const struct profile_function *function)
{
	static const char *const kinds[] = {[PROFILE_KERNEL] = "kernel",
		[PROFILE_COPY] = "copy",
		[PROFILE_SET] = "set"};
	uint64_t shade = stable_hash(function->name, strlen(function->name));
	const char *module;
	size_t size;

	if (function->device.kind != PROFILE_HOST) {
		(void)snprintf(text, FLAME_CLASS_TEXT, "%s s%u",
			kinds[function->device.kind],
			(unsigned)(shade % SHADES));
		return text;
	}
	module = flame_module(function, &size);
	(void)snprintf(text, FLAME_CLASS_TEXT, "c%u s%u",
		(unsigned)(stable_hash(module, size) % HUES),
		(unsigned)(shade % SHADES));
	return text;
}

const char *flame_change_class(uint64_t before_ns, uint64_t after_ns)
{
	static const char *const more[] = {
		"same", "more1", "more2", "more3", "more4", "more5"};
	static const char *const less[] = {
		"same", "less1", "less2", "less3", "less4", "less5"};
	/* Least change of each level, in hundredths of a percent of the longer
	 * time. */
	static const uint32_t levels[] = {100, 300, 1000, 2500, 5000};
	bool grown = after_ns > before_ns;
	uint64_t most = grown ? after_ns : before_ns;
	uint64_t change = grown ? after_ns - before_ns : before_ns - after_ns;
	uint32_t share = most == 0 ? 0 : amount_share(change, most);
	unsigned level = 0;

	while (level < sizeof(levels) / sizeof(levels[0]) &&
		share >= levels[level])
		level++;
	return grown ? more[level] : less[level];
}

/* Widths in hundredths: a letter of the widest common fixed-width font at 11
 * units, and the space beside a name. */
#define LETTER 670u
#define PADDING 600u
#define LEAST_LETTERS 3u
#define TEXT_X 300u
#define TEXT_Y 12u

void flame_write_text(struct flame_canvas *canvas)
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
static void write_units(FILE *out, const char *name, uint32_t hundredths)
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

static void write_title(struct flame_canvas *canvas,
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
	flame_write_text(canvas);
	(void)fputs("</title>", canvas->out);
}

/* The name, shortened to fit. */
static void write_name(struct flame_canvas *canvas,
	const struct flame_node *node, uint32_t x, uint32_t y, uint32_t width)
{
	uint32_t letters = width < PADDING ? 0 : (width - PADDING) / LETTER;

	if (letters < LEAST_LETTERS)
		return;
	function_name_add_fit(&canvas->text, name_of(canvas, node), letters);
	(void)fputs("<text", canvas->out);
	write_units(canvas->out, "x", x + TEXT_X);
	(void)fprintf(canvas->out, " y=\"%" PRIu32 "\">", y + TEXT_Y);
	flame_write_text(canvas);
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

static void write_frame(struct flame_canvas *canvas,
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
	write_title(canvas, node, root, of);
	(void)fprintf(canvas->out, "<rect class=\"%s\"",
		class_of(canvas, node, class));
}

void flame_write_frames(struct flame_canvas *canvas,
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
		write_frame(canvas, node, root, of);
		write_units(canvas->out, "x", FLAME_EDGE * 100 + x);
		write_units(canvas->out, "width", end - x);
		(void)fprintf(canvas->out, " y=\"%" PRIu32 "\" height=\"%u\"/>",
			top, FLAME_ROW);
		write_name(canvas, node, FLAME_EDGE * 100 + x, top, end - x);
		(void)fputs("</g>\n", canvas->out);
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * The picture is complete without its script, for a page's img or an image
 * viewer: frames have their positions, colours and names, and a title with the
 * rest. The script reads these, so that nothing is stored twice; a list for it
 * has each function's total and the scopes of its name.
 */
#include "flamegraph/flamegraph.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "flamegraph/flame_files.h"
#include "flamegraph/flame_frame.h"
#include "profile/flame_tree.h"
#include "base/memory.h"
#include "io/xml.h"
#include "names/function_name.h"
#include "format.h"

/* In units of the picture. */
#define HEAD 66u    /* of the title and the text below it */
#define HEADING 28u /* of a graph */
#define GAP 18u     /* below one */

/* Contexts in the first attempt, and their greatest depth: with a row for each
 * level it must still be a picture. */
#define NODES 12000u
#define DEPTH 512u

static const char *const sides[] = {
	[FLAME_HOST] = "host time", [FLAME_DEVICE] = "device time"};
static const char *const headings[] = {[FLAME_HOST] = "Host time, by caller",
	[FLAME_DEVICE] = "Device time, by launching call"};

struct page {
	struct flame_canvas canvas;
	const char *title;
	const struct flame_diff *diff; /* NULL: nothing is compared */
	struct flame_tree *trees[2];   /* by side */
};

/* Does the side have a graph? Without any time, the host has an empty one. */
static bool has_graph(const struct page *page, enum flame_side side)
{
	return page->trees[side]->count > 1 ||
	       (side == FLAME_HOST && page->trees[FLAME_DEVICE]->count <= 1);
}

static uint32_t graph_height(const struct flame_tree *tree)
{
	return HEADING + (tree->depth + 1) * FLAME_ROW + GAP;
}

static void write_lines(FILE *out, const char *const *lines)
{
	for (; *lines != NULL; lines++)
		(void)fputs(*lines, out);
}

static void write_begin(struct page *page)
{
	FILE *out = page->canvas.out;
	uint32_t height = HEAD;

	for (enum flame_side side = FLAME_HOST; side <= FLAME_DEVICE; side++)
		if (has_graph(page, side))
			height += graph_height(page->trees[side]);
	(void)fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
		"height=\"%" PRIu32 "\" viewBox=\"0 0 %u %" PRIu32 "\">\n"
		"<title>",
		FLAME_WIDTH, height, FLAME_WIDTH, height);
	flame_add_text(&page->canvas.text, page->title);
	flame_write_text(&page->canvas);
	(void)fputs("</title>\n<style>\n", out);
	write_lines(out, flame_css);
	(void)fprintf(out,
		"</style>\n<rect class=\"bg\" width=\"%u\" height=\"%" PRIu32
		"\"/>\n",
		FLAME_WIDTH, height);
}

/* Explains the colours, and names what has disappeared. */
static void add_change_words(struct page *page, const struct flame_tree *tree)
{
	struct flame_canvas *canvas = &page->canvas;

	buffer_add_text(&canvas->text, ", ");
	flame_add_change(
		canvas, &tree->nodes[0].base, tree->nodes[0].cost.total_ns);
	buffer_add_text(
		&canvas->text, "; red: slower than before, blue: faster");
	if (tree->gone == 0)
		return;
	buffer_add_text(&canvas->text, "; gone: ");
	flame_add_count(canvas, tree->gone, "call path");
	buffer_add_text(&canvas->text, " with ");
	flame_add_time(canvas, tree->gone_ns);
}

/* The part of the profile in the graph. */
static void add_words(struct page *page, const struct flame_tree *tree)
{
	struct flame_canvas *canvas = &page->canvas;
	uint32_t shown = 0;
	char text[96];

	if (tree->count == 1) {
		buffer_add_text(&canvas->text,
			"nothing to show: no function has any time");
		return;
	}
	for (uint32_t i = 0; i < tree->count; i++)
		shown += tree->nodes[i].function < FLAME_OTHER;
	flame_add_time(canvas, tree->nodes[0].cost.total_ns);
	if (canvas->compared) {
		add_change_words(page, tree);
		return;
	}
	buffer_add_text(&canvas->text, " in ");
	flame_add_count(canvas, (uint64_t)shown + tree->folded, "call path");
	if (tree->folded == 0)
		return;
	(void)snprintf(text, sizeof(text),
		"; the longest %" PRIu32
		" are shown, the others are in \"(other)\"",
		shown);
	buffer_add_text(&canvas->text, text);
}

/* Activities shown without a caller that had one. */
static void add_unmatched(struct page *page)
{
	uint64_t count = page->canvas.profile->unmatched;
	char text[96];

	if (count == 0)
		return;
	(void)snprintf(text, sizeof(text),
		"; unknown launch: %" PRIu64 " activities", count);
	buffer_add_text(&page->canvas.text, text);
}

static void write_graph(struct page *page, enum flame_side side, uint32_t y)
{
	const struct flame_tree *tree = page->trees[side];
	FILE *out = page->canvas.out;

	(void)fprintf(out,
		"<g class=\"graph\" data-name=\"%s\" data-y=\"%" PRIu32 "\">\n"
		"<text x=\"%u\" y=\"%" PRIu32 "\">%s"
		"<tspan class=\"words\" dx=\"10\">",
		sides[side], y + HEADING, FLAME_EDGE, y + HEADING - 9,
		headings[side]);
	add_words(page, tree);
	if (side == FLAME_DEVICE)
		add_unmatched(page);
	flame_write_text(&page->canvas);
	(void)fputs("</tspan></text>\n", out);
	flame_write_frames(&page->canvas, tree, sides[side], y + HEADING);
	(void)fputs("</g>\n", out);
}

/* A function's total; in a recursion the outermost call counts. */
static void add_function(
	struct page *page, const struct profile_function *function)
{
	struct flame_canvas *canvas = &page->canvas;
	bool device = function->device.kind != PROFILE_HOST;
	uint64_t cum_ns = function->cost.cumtime_ns;
	const struct flame_tree *tree =
		page->trees[device ? FLAME_DEVICE : FLAME_HOST];

	buffer_add_text(&canvas->text, "everywhere ");
	flame_add_time(canvas, cum_ns);
	buffer_add_text(&canvas->text, ", ");
	flame_add_share(canvas, cum_ns, tree->nodes[0].cost.total_ns);
	if (!device) {
		buffer_add_text(&canvas->text, "; itself ");
		flame_add_time(canvas, function->cost.tottime_ns);
	}
	buffer_add_text(&canvas->text, "; ");
	flame_add_count(canvas, function->cost.ncalls, "call");
	if (!device && function->device.total_ns > 0) {
		buffer_add_text(&canvas->text, "; on devices ");
		flame_add_time(canvas, function->device.total_ns);
	}
	if (page->diff == NULL)
		return;
	buffer_add_text(&canvas->text, "; ");
	flame_add_change(canvas,
		&flame_diff_base_functions(
			page->diff)[function - canvas->profile->functions],
		cum_ns);
}

/* Moves the composed text into the list. */
static void write_composed(struct page *page, struct json *json)
{
	struct buffer *text = &page->canvas.text;

	json_text_sized(json, (char *)text->bytes, text->used);
	text->used = 0;
}

void flamegraph_put_scopes(struct json *json, const char *name, size_t size)
{
	struct buffer brief = BUFFER_INIT;
	const char *inner;
	const char *end;
	const char *at;
	bool cut;

	if (!function_name_has_scopes(name, size))
		return;
	function_name_add_short(&brief, name, size);
	json->failed |= brief.failed;
	at = (const char *)brief.bytes;
	end = at + brief.used;
	while (end - at > (ptrdiff_t)FLAME_PLACES &&
		(inner = function_name_inner(at, end)) != NULL)
		at = inner;
	if (at != (const char *)brief.bytes)
		json_text(json, "\xe2\x80\xa6");
	while ((inner = function_name_inner(at, end)) != NULL) {
		json_text_sized(json, at, (size_t)(inner - at));
		at = inner;
	}
	json_text_sized(json, at,
		function_name_fit(at, (size_t)(end - at), FLAME_PLACES, &cut));
	buffer_clear(&brief);
}

static bool write_functions(struct page *page)
{
	struct flame_canvas *canvas = &page->canvas;
	struct json json;
	bool ok = json_init(&json, NULL);

	if (!ok)
		return false;
	json_begin(&json, '[');
	for (uint32_t i = 0; i < canvas->count; i++) {
		const struct profile_function *function =
			&canvas->profile->functions[canvas->function[i]];
		const char *name =
			labels_text(&canvas->labels, canvas->function[i]);

		json_begin(&json, '[');
		flame_add_place(&canvas->text, function);
		write_composed(page, &json);
		add_function(page, function);
		write_composed(page, &json);
		flamegraph_put_scopes(&json, name, strlen(name));
		json_end(&json, ']');
	}
	json_end(&json, ']');
	ok = !json.failed;
	(void)fputs("<script type=\"application/json\" class=\"functions\">"
		    "<![CDATA[",
		canvas->out);
	xml_put_json(canvas->out, json.bytes, json.used);
	(void)fputs("]]></script>\n", canvas->out);
	json_clear(&json);
	return ok;
}

/* Stays above the graphs while these scroll. */
static void write_head(struct page *page)
{
	FILE *out = page->canvas.out;

	(void)fprintf(out,
		"<g class=\"head\">\n"
		"<rect class=\"bg\" width=\"%u\" height=\"%u\"/>\n"
		"<text class=\"title\" x=\"%u\" y=\"28\">",
		FLAME_WIDTH, HEAD - 4, FLAME_EDGE);
	flame_add_text(&page->canvas.text, page->title);
	flame_write_text(&page->canvas);
	(void)fprintf(out,
		"</text>\n"
		"<text class=\"words\" x=\"%u\" y=\"52\">A box is as wide as "
		"its time, and below its caller.%s</text>\n"
		"<text class=\"hits\" x=\"%u\" y=\"52\" text-anchor=\"end\"/>\n"
		"<path class=\"line\" d=\"M0 %u.5H9999\"/>\n"
		"</g>\n",
		FLAME_EDGE,
		page->canvas.profile->tree_estimated
			? " Call paths are estimated from callers."
			: "",
		FLAME_WIDTH - FLAME_EDGE, HEAD - 4);
}

static bool write_svg(struct page *page)
{
	uint32_t y = HEAD;

	write_begin(page);
	for (enum flame_side side = FLAME_HOST; side <= FLAME_DEVICE; side++)
		if (has_graph(page, side)) {
			write_graph(page, side, y);
			y += graph_height(page->trees[side]);
		}
	write_head(page);
	if (!write_functions(page))
		return false;
	(void)fputs("<script><![CDATA[\n", page->canvas.out);
	write_lines(page->canvas.out, flame_fit_js);
	write_lines(page->canvas.out, flame_js);
	(void)fputs("]]></script>\n</svg>\n", page->canvas.out);
	return !page->canvas.text.failed;
}

/* Makes the trees, each of at most `nodes` contexts. */
static enum ctp_status make_trees(
	struct page *page, uint32_t nodes, struct ctp_error *err)
{
	struct flame_options options = {.nodes = nodes, .depth = DEPTH};
	enum ctp_status status = CTP_OK;

	if (page->diff != NULL)
		options.base = flame_diff_base_nodes(page->diff);
	for (enum flame_side side = FLAME_HOST;
		side <= FLAME_DEVICE && status == CTP_OK; side++) {
		options.side = side;
		flame_tree_free(page->trees[side]);
		page->trees[side] = NULL;
		status = flame_tree_new(page->canvas.profile, &options,
			&page->trees[side], err);
	}
	return status;
}

static enum ctp_status fail_no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, "out of memory while drawing");
}

/* Draws at most `nodes` contexts into memory; the caller frees `bytes`. */
static enum ctp_status draw(struct page *page, uint32_t nodes, char **bytes,
	size_t *size, struct ctp_error *err)
{
	struct flame_canvas *canvas = &page->canvas;
	enum ctp_status status = make_trees(page, nodes, err);
	bool done;

	if (status != CTP_OK)
		return status;
	canvas->out = open_memstream(bytes, size);
	if (canvas->out == NULL)
		return fail_no_memory(err);
	canvas->count = 0;
	memset(canvas->number, 0,
		canvas->profile->function_count * sizeof(*canvas->number));
	done = write_svg(page);
	if (fclose(canvas->out) == 0 && done)
		return CTP_OK;
	return fail_no_memory(err);
}

/* Retries with fewer contexts until the picture is small enough. */
static enum ctp_status draw_small(
	struct page *page, FILE *out, struct ctp_error *err)
{
	uint32_t nodes = NODES;
	enum ctp_status status;
	char *bytes = NULL;
	size_t size = 0;

	for (;;) {
		status = draw(page, nodes, &bytes, &size, err);
		if (status != CTP_OK || size <= FLAMEGRAPH_BYTES)
			break;
		nodes = (uint32_t)((uint64_t)nodes * FLAMEGRAPH_BYTES / size);
		nodes -= nodes / 32;
		free(bytes);
		bytes = NULL;
	}
	if (status == CTP_OK)
		(void)fwrite(bytes, 1, size, out);
	free(bytes);
	return status;
}

/* The last part of a path: the directory is private. */
static const char *title_of(const char *path)
{
	const char *slash = path == NULL ? NULL : strrchr(path, '/');

	if (path == NULL || strcmp(path, "-") == 0)
		return "Flame graph";
	return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

static enum ctp_status write_page(
	struct page *page, FILE *out, struct ctp_error *err)
{
	struct flame_canvas *canvas = &page->canvas;
	size_t count = (size_t)canvas->profile->function_count + 1;
	enum ctp_status status =
		labels_init(&canvas->labels, canvas->profile, NULL, err);

	canvas->number = memory_new(count * sizeof(*canvas->number));
	canvas->function = memory_new(count * sizeof(*canvas->function));
	if (status == CTP_OK &&
		(canvas->number == NULL || canvas->function == NULL))
		status = fail_no_memory(err);
	if (status == CTP_OK)
		status = draw_small(page, out, err);
	flame_tree_free(page->trees[FLAME_HOST]);
	flame_tree_free(page->trees[FLAME_DEVICE]);
	labels_clear(&canvas->labels);
	memory_free(canvas->number);
	memory_free(canvas->function);
	buffer_clear(&canvas->text);
	return status;
}

enum ctp_status flamegraph_write_diff(FILE *out, const struct flame_diff *diff,
	const char *title, struct ctp_error *err)
{
	struct page page = {.canvas = {.profile = flame_diff_profile(diff),
				    .compared = true},
		.diff = diff,
		.title = title};

	return write_page(&page, out, err);
}

/* Writes the graphs of a profile that has a tree: host time, and below it
 * device time. Shows the longest contexts that fit, and reports how many are
 * folded. */
static enum ctp_status write_profile(FILE *out, const struct profile *profile,
	const struct format_options *options, struct ctp_error *err)
{
	struct page page = {.canvas = {.profile = profile},
		.title = title_of(options == NULL ? NULL : options->title)};

	return write_page(&page, out, err);
}

const struct format flamegraph_format = {
	.name = "flamegraph",
	.suffix = ".flame.svg",
	.summary = "interactive flame graph as SVG, for browsers",
	.needs_tree = true,
	.can_estimate = true,
	.write_profile = write_profile,
};

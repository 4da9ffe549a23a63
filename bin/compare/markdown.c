/* SPDX-License-Identifier: MIT */
#include "compare/markdown.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "cli/output.h"
#include "profiles/label.h"

#define ROWS_SHOWN 10u /* others are folded */
#define ROWS_MAX 100u
#define NAME_BYTES ((size_t)120) /* of a name; the rest is cut off */
#define END_BYTES ((size_t)8192) /* room for all that follows the rows */

struct markdown {
	struct buffer text;
	const struct column_unit *unit;
	enum diff_key figure;
	bool has_limits;
	bool has_table;
	bool has_fold;
	uint32_t rows;
	uint32_t hidden;
};

/* The texts of a row besides its times. */
struct labels_of_row {
	const char *name;
	const char *verdict;
	const char *limit; /* NULL: no such column */
};

__attribute__((format(printf, 2, 3))) static void add_format(
	struct buffer *out, const char *format, ...)
{
	char text[4 * QUANTITY_TEXT + NAME_BYTES];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	buffer_add_text(out, text);
}

/* ---- names ---- */

/* Characters that mean nothing in Markdown. */
static bool is_plain(char character)
{
	return (unsigned char)character >= 0x80 || character == ' ' ||
	       (character >= '0' && character <= '9') ||
	       (character >= 'A' && character <= 'Z') ||
	       (character >= 'a' && character <= 'z');
}

/* A code span in a table cannot have all characters: there these are
 * references. */
static void add_references(struct buffer *out, const char *text, size_t size)
{
	buffer_add_text(out, "<code>");
	for (size_t i = 0; i < size; i++)
		if (is_plain(text[i]))
			buffer_add_byte(out, (uint8_t)text[i]);
		else
			add_format(out, "&#%d;", text[i]);
	buffer_add_text(out, "</code>");
}

/* Any bytes as code, which mentions nobody and links nowhere. */
static void add_code(struct buffer *out, const char *text)
{
	struct buffer line = BUFFER_INIT;
	size_t size;

	utf8_add_printable(&line, text, strlen(text));
	size = line.used;
	if (size > NAME_BYTES) {
		size = utf8_valid_prefix((const char *)line.bytes, NAME_BYTES);
		line.used = size;
		buffer_add_text(&line, "\xe2\x80\xa6");
		size = line.used;
	}
	out->failed |= line.failed;
	buffer_add_byte(&line, '\0');
	if (line.failed || size == 0) {
		buffer_clear(&line);
		return;
	}
	if (strpbrk((const char *)line.bytes, "`|\\") != NULL)
		add_references(out, (const char *)line.bytes, size);
	else
		add_format(out, "`%s`", (const char *)line.bytes);
	buffer_clear(&line);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static void add_place(struct buffer *out, const struct diff_row *row)
{
	char line[NAME_BYTES + QUANTITY_TEXT];

	if (*row->file == '\0' || *row->name == '\0' ||
		row->kind != PROFILE_HOST)
		return;
	(void)snprintf(line, sizeof(line), "%.*s", (int)NAME_BYTES - 12,
		last_part(row->file));
	if (row->line != 0)
		(void)snprintf(line + strlen(line), QUANTITY_TEXT, ":%" PRIu32,
			row->line);
	buffer_add_text(out, " ");
	add_code(out, line);
}

/* ---- tables ---- */

static void begin_table(struct markdown *markdown)
{
	const bool has_limits = markdown->has_limits;

	add_format(&markdown->text,
		"\n| | function | base | new | change |%s\n"
		"|---|---|---:|---:|---:|%s\n",
		has_limits ? " allowed |" : "", has_limits ? "---:|" : "");
	markdown->has_table = true;
}

/* Rows from here on are folded. */
static void fold(struct markdown *markdown)
{
	if (markdown->has_fold)
		return;
	buffer_add_text(&markdown->text,
		"\n<details><summary>Other functions</summary>\n");
	markdown->has_fold = true;
	markdown->has_table = false;
}

static uint64_t time_of(
	const struct markdown *markdown, const struct diff_figures *side)
{
	return markdown->figure == DIFF_SELF ? side->median.self_ns
					     : side->median.total_ns;
}

/* "1.009 ± 0.003 ms |" */
static void add_time(struct markdown *markdown, const struct diff_figures *side)
{
	const struct column_unit *unit = markdown->unit;
	uint64_t spread = markdown->figure == DIFF_SELF ? side->spread.self_ns
							: side->spread.total_ns;
	char text[QUANTITY_TEXT];

	if (side->found != 0)
		add_format(&markdown->text, " %s",
			quantity_in(text, time_of(markdown, side), unit->size));
	if (side->found != 0 && spread != 0)
		add_format(&markdown->text, " \xc2\xb1 %s",
			quantity_in(text, spread, unit->size));
	if (side->found != 0)
		add_format(&markdown->text, " %s", unit->name);
	buffer_add_text(&markdown->text, " |");
}

static void add_times(struct markdown *markdown, const struct diff_row *row)
{
	const struct diff_figures *base = &row->side[DIFF_BASE];
	const struct diff_figures *changed = &row->side[DIFF_NEW];
	char text[QUANTITY_TEXT];

	add_time(markdown, base);
	add_time(markdown, changed);
	if (base->found == 0 || changed->found == 0)
		buffer_add_text(&markdown->text, " |");
	else
		add_format(&markdown->text, " %s %% |",
			delta_percent(text, time_of(markdown, base),
				time_of(markdown, changed)));
}

static void add_row(struct markdown *markdown, const struct diff_row *row,
	struct labels_of_row labels)
{
	if (markdown->rows == ROWS_MAX ||
		markdown->text.used > MARKDOWN_BYTES - END_BYTES) {
		markdown->hidden++;
		return;
	}
	if (markdown->rows++ == ROWS_SHOWN)
		fold(markdown);
	if (!markdown->has_table)
		begin_table(markdown);
	add_format(&markdown->text, "| %s | ", labels.verdict);
	add_code(&markdown->text, label_name(labels.name));
	add_place(&markdown->text, row);
	buffer_add_text(&markdown->text, " |");
	add_times(markdown, row);
	if (labels.limit != NULL)
		add_format(&markdown->text, " %s |", labels.limit);
	buffer_add_text(&markdown->text, "\n");
}

/* ---- the end ---- */

static void add_sum(
	struct markdown *markdown, const struct diff *diff, bool device)
{
	const struct diff_row *sum = diff_sum(diff, device);
	uint64_t base = sum->side[DIFF_BASE].median.total_ns;
	uint64_t changed = sum->side[DIFF_NEW].median.total_ns;
	char texts[3][QUANTITY_TEXT];

	if (base == 0 && changed == 0)
		return;
	add_format(&markdown->text, "\n%s: %s \xe2\x86\x92 %s %s (%s %%)\n",
		device ? "All GPU work" : "All functions",
		quantity_in(texts[0], base, markdown->unit->size),
		quantity_in(texts[1], changed, markdown->unit->size),
		markdown->unit->name, delta_percent(texts[2], base, changed));
}

static void end_rows(struct markdown *markdown, const struct diff *diff,
	const struct comparison *comparison)
{
	if (markdown->hidden != 0)
		add_format(&markdown->text,
			"\n%" PRIu32 " more are not shown.\n",
			markdown->hidden);
	if (markdown->has_fold)
		buffer_add_text(&markdown->text, "\n</details>\n");
	if (!comparison->kernels)
		add_sum(markdown, diff, false);
	add_sum(markdown, diff, true);
}

/* The names of the inputs, and the link. */
static void add_end(struct markdown *markdown,
	const struct comparison *comparison, const char *link)
{
	struct buffer *out = &markdown->text;
	const size_t bases = comparison->base_count;
	const size_t news = comparison->inputs.count - bases;

	buffer_add_text(out, "\nBase: ");
	add_code(out, last_part(comparison->inputs.paths[0]));
	if (bases > 1)
		add_format(out, " and %zu more", bases - 1);
	buffer_add_text(out, ", new: ");
	add_code(out, last_part(comparison->inputs.paths[bases]));
	if (news > 1)
		add_format(out, " and %zu more", news - 1);
	if (bases + news > 2)
		buffer_add_text(out,
			"; times are medians \xc2\xb1 their median absolute "
			"deviation");
	buffer_add_text(out, ".\n");
	if (link == NULL)
		return;
	buffer_add_text(out, "\n[Details](<");
	buffer_add_text(out, link);
	buffer_add_text(out, ">)\n");
}

static int print(void *user, FILE *out)
{
	const struct buffer *text = user;

	(void)fwrite(text->bytes, 1, text->used, out);
	return EXIT_DONE;
}

static int write_file(struct markdown *markdown,
	const struct markdown_options *options, bool force)
{
	const struct output_options output = {options->path, force};
	int status = markdown->text.failed
			     ? diag_no_memory(NULL)
			     : report_print(output, print, &markdown->text);

	buffer_clear(&markdown->text);
	return status;
}

/* ---- ctprof check ---- */

static const char *name_of(const struct check_view *view)
{
	return view->comparison->kernels ? "kernel" : "function";
}

static void add_check_title(
	struct markdown *markdown, const struct check_view *view)
{
	const size_t *counts = view->regressions->counts;
	const size_t slower = counts[REGRESSION_SLOWER];
	const size_t judged = check_rows_judged_count(view->regressions);

	buffer_add_text(&markdown->text, "### ctprof check: ");
	if (slower == 0)
		buffer_add_text(&markdown->text, "nothing is slower");
	else
		add_format(&markdown->text, "%zu of %zu %ss %s slower", slower,
			judged, name_of(view), slower == 1 ? "is" : "are");
	buffer_add_text(&markdown->text, " than allowed\n");
	if (counts[REGRESSION_NOISE] != 0)
		add_format(&markdown->text,
			"\nWithin the noise: %zu; more runs would tell.\n",
			counts[REGRESSION_NOISE]);
}

static void add_verdict(struct markdown *markdown,
	const struct check_view *view, enum regression verdict)
{
	const struct check_rows *regressions = view->regressions;
	char limit[QUANTITY_TEXT];

	for (size_t i = 0; i < regressions->count; i++) {
		const struct check_row *row = &regressions->items[i];

		if (row->verdict == verdict)
			add_row(markdown, row->row,
				(struct labels_of_row){row->name,
					verdict == REGRESSION_SLOWER
						? "**slower**"
						: regression_name(verdict),
					check_limit_text(limit, row->limit)});
	}
}

int markdown_write_check(const struct markdown_options *options, bool force,
	const struct check_view *view)
{
	struct markdown markdown = {
		.unit = delta_unit(view->unit, check_largest_ns(view)),
		.figure = view->key,
		.has_limits = true};

	if (options->path == NULL)
		return EXIT_DONE;
	add_check_title(&markdown, view);
	add_verdict(&markdown, view, REGRESSION_SLOWER);
	if (view->regressions->counts[REGRESSION_NOISE] +
			view->regressions->counts[REGRESSION_PASSED] !=
		0)
		fold(&markdown);
	add_verdict(&markdown, view, REGRESSION_NOISE);
	add_verdict(&markdown, view, REGRESSION_PASSED);
	end_rows(&markdown, view->diff, view->comparison);
	add_end(&markdown, view->comparison, options->link);
	return write_file(&markdown, options, force);
}

/* ---- ctprof diff ---- */

static const char *change_of(
	const struct diff_view *view, const struct diff_row *row)
{
	int sign = diff_sign(view->diff, row, DIFF_TOTAL);

	if (row->side[DIFF_BASE].found == 0)
		return "added";
	if (row->side[DIFF_NEW].found == 0)
		return "removed";
	return sign > 0 ? "**slower**" : sign < 0 ? "faster" : "";
}

int markdown_write_diff(const struct markdown_options *options, bool force,
	const struct diff_view *view)
{
	uint32_t count;
	const struct diff_row *rows = diff_rows(view->diff, &count);
	struct markdown markdown = {
		.unit = delta_unit(view->unit, diff_largest_ns(view)),
		.figure = DIFF_TOTAL};

	if (options->path == NULL)
		return EXIT_DONE;
	add_format(&markdown.text, "### ctprof diff: %s\n",
		diff_differs(view) ? "what changed" : "nothing changed");
	for (uint32_t i = 0; i < count; i++)
		if (comparison_shows(view->comparison, &rows[i]) &&
			diff_is_changed(&rows[i]))
			add_row(&markdown, &rows[i],
				(struct labels_of_row){rows[i].name,
					change_of(view, &rows[i]), NULL});
	end_rows(&markdown, view->diff, view->comparison);
	add_end(&markdown, view->comparison, options->link);
	return write_file(&markdown, options, force);
}

/* ---- options ---- */

/* In angle brackets, a link may have any other characters. One with a scheme
 * must be of the web. */
static void read_link(const struct argument_value *value)
{
	const char *link = value->text;
	const char *colon = strchr(link, ':');
	const char *slash = strchr(link, '/');

	for (const char *at = link; *at != '\0'; at++)
		if ((unsigned char)*at <= ' ' ||
			strchr("<>\\\177", *at) != NULL)
			argument_error(value,
				"'%s' has a space or a character that links "
				"cannot have",
				link);
	if (strlen(link) > END_BYTES / 2)
		argument_error(value, "the link is too long");
	if (colon != NULL && (slash == NULL || slash > colon) &&
		strncmp(link, "https://", 8) != 0 &&
		strncmp(link, "http://", 7) != 0)
		argument_error(value, "'%s' is not a link of the web", link);
	*(const char **)value->member = link;
}

static error_t check(void *structure, const struct argp_state *state)
{
	const struct markdown_options *options = structure;

	if (options->link != NULL && options->path == NULL)
		argp_error(state, "--link is for --markdown");
	return 0;
}

int markdown_check(const struct markdown_options *options, bool force)
{
	return options->path == NULL ? EXIT_DONE
				     : output_check(options->path, force);
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct markdown_options, member)
static const struct argument options[] = {
	{"markdown", 0, "FILE", ARGUMENT_OUTPUT,
		"also write a table for a comment on a pull request to FILE",
		GROUP_OUTPUT, OF(path)},
	{"link", 0, "URL", ARGUMENT_CALL,
		"end that table with a link, for example to the flame graph",
		GROUP_OUTPUT, OF(link), .call = read_link},
};
/* clang-format on */

const struct arguments markdown_arguments = {
	ARGUMENTS(options), .check = check};

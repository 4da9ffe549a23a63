/* SPDX-License-Identifier: MIT */
#include "cli/table.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv_field.h"
#include "names/function_name.h"
#include "base/memory.h"
#include "base/utf8.h"

#define GAP_WIDTH 2
#define ELLIPSIS "..."
#define ELLIPSIS_WIDTH 3
#define LEAST_WIDTH 18   /* of a text column, while columns can be dropped */
#define SHORTEST_WIDTH 8 /* of a text column, in any line */
#define LEFT_OUT SIZE_MAX

/*
 * Characters that take two columns of a terminal, or none. Characters that are
 * emoji on some terminals and text on others count as one column.
 * Source: Unicode 15, EastAsianWidth.txt, W and F, and the blocks of combining
 * marks and selectors.
 */
struct span {
	uint32_t first;
	uint32_t last;
};

static const struct span wide[] = {{0x1100, 0x115f}, {0x2e80, 0x303e},
	{0x3041, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
	{0xfe10, 0xfe19}, {0xfe30, 0xfe6f}, {0xff01, 0xff60}, {0xffe0, 0xffe6},
	{0x16fe0, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
	{0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

static const struct span narrow[] = {{0x0300, 0x036f}, {0x1ab0, 0x1aff},
	{0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
	{0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};

void table_init(struct table *table, const struct table_column *columns,
	size_t column_count)
{
	assert(column_count <= TABLE_COLUMNS_MAX);
	*table = (struct table){
		.columns = columns, .column_count = column_count};
}

void table_clear(struct table *table)
{
	buffer_clear(&table->text);
	memory_free(table->names);
}

void table_add_row(struct table *table, enum table_style style)
{
	buffer_add_byte(&table->text, (uint8_t)style);
}

void table_add(struct table *table, const char *text)
{
	/* Names come from files, so control characters are escaped. Leading
	 * blanks are our own. */
	size_t blanks = strspn(text, " ");

	buffer_add(&table->text, text, blanks);
	utf8_add_printable(&table->text, text + blanks, strlen(text + blanks));
	buffer_add_byte(&table->text, '\0');
}

static bool append_name(struct table *table, struct table_name name)
{
	if (!array_reserve(&table->names, table->name_count, &table->name_room,
		    sizeof(*table->names)))
		return false;
	table->names[table->name_count++] = name;
	return true;
}

void table_add_name(struct table *table, const char *before, const char *name,
	const char *after)
{
	struct buffer *text = &table->text;
	struct table_name entry = {.cell = text->used};
	size_t size = strlen(after);
	char *whole = NULL;

	if (asprintf(&whole, "%s%s%s", before, name, after) < 0) {
		text->failed = true;
		return;
	}
	table_add(table, whole);
	free(whole);
	if (text->failed)
		return;
	/* A name that was escaped is not shortened. */
	if (text->used - entry.cell - 1 <= strlen(before) + size ||
		memcmp(text->bytes + text->used - 1 - size, after, size) != 0)
		return;
	entry.begin = entry.cell + strlen(before);
	entry.end = text->used - 1 - size;
	text->failed = !append_name(table, entry);
}

static bool is_in_spans(const struct span *spans, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count; i++)
		if (code >= spans[i].first && code <= spans[i].last)
			return true;
	return false;
}

/* Advances over a character, or over some invalid bytes, of a text that is not
 * at its end; returns its columns. */
static size_t next_char_width(const char **at)
{
	const unsigned char *text = (const unsigned char *)*at;
	uint32_t code = text[0];
	size_t size = 1;

	if (code >= 0xc0)
		code &= code < 0xe0 ? 0x1f : code < 0xf0 ? 0x0f : 0x07;
	for (; (text[size] & 0xc0) == 0x80; size++)
		code = code << 6 | (text[size] & 0x3f);
	*at += size;
	if (code < narrow[0].first)
		return 1;
	if (is_in_spans(narrow, sizeof(narrow) / sizeof(narrow[0]), code))
		return 0;
	return is_in_spans(wide, sizeof(wide) / sizeof(wide[0]), code) ? 2 : 1;
}

static size_t width_of(const char *text)
{
	size_t width = 0;

	while (*text != '\0')
		width += next_char_width(&text);
	return width;
}

/* End of the longest prefix that fits in `width` columns. */
static const char *prefix_end(const char *text, size_t width)
{
	for (const char *next = text; *text != '\0'; text = next) {
		size_t char_width = next_char_width(&next);

		if (char_width > width)
			break;
		width -= char_width;
	}
	return text;
}

/* Start of the longest suffix that fits in `width` columns; never separates a
 * combining mark from its base. */
static const char *suffix_start(const char *text, size_t width)
{
	size_t left = width_of(text);

	for (const char *next = text; *text != '\0'; text = next) {
		size_t char_width = next_char_width(&next);

		if (left <= width && char_width != 0)
			break;
		left -= char_width;
	}
	return text;
}

/* Shortens a text longer than `width`: the prefix up to parts[0] and the suffix
 * from parts[1] remain. */
static void shorten(const char *text, size_t width, const char *parts[2])
{
	size_t left = (width - ELLIPSIS_WIDTH) / 2;
	size_t right = width - ELLIPSIS_WIDTH - left;

	parts[0] = prefix_end(text, left);
	parts[1] = suffix_start(text, right);
}

/* Returns the columns used: one less if a wide character did not fit. */
static size_t print_short(FILE *out, const char *text, size_t width)
{
	const char *parts[2];
	size_t used = ELLIPSIS_WIDTH;

	shorten(text, width, parts);
	fprintf(out, "%.*s" ELLIPSIS "%s", (int)(parts[0] - text), text,
		parts[1]);
	for (const char *at = text; at < parts[0];)
		used += next_char_width(&at);
	return used + width_of(parts[1]);
}

void table_add_short(struct table *table, const char *text, size_t width)
{
	struct buffer bytes = BUFFER_INIT;
	const char *parts[2];

	if (width <= ELLIPSIS_WIDTH)
		width = ELLIPSIS_WIDTH + 1;
	if (width_of(text) <= width) {
		table_add(table, text);
		return;
	}
	shorten(text, width, parts);
	buffer_add(&bytes, text, (size_t)(parts[0] - text));
	buffer_add_text(&bytes, ELLIPSIS);
	buffer_add_text(&bytes, parts[1]);
	buffer_add_byte(&bytes, '\0');
	if (bytes.failed)
		table->text.failed = true;
	else
		table_add(table, (const char *)bytes.bytes);
	buffer_clear(&bytes);
}

/* `gap` counts blanks owed before the next text, so that lines have no trailing
 * blanks. */
static void print_cell(
	FILE *out, const char *text, bool number, size_t width, size_t *gap)
{
	size_t used = width_of(text);
	size_t blanks = used < width ? width - used : 0;

	if (width == LEFT_OUT)
		return;
	if (number)
		*gap += blanks;
	if (*text != '\0') {
		fprintf(out, "%*s", (int)*gap, "");
		*gap = 0;
	}
	if (used > width)
		used = print_short(out, text, width);
	else
		fputs(text, out);
	*gap += GAP_WIDTH + (number ? 0 : width - used);
}

static int compare_names(const void *a, const void *b)
{
	const struct table_name *one = a;
	const struct table_name *other = b;

	return one->cell < other->cell ? -1 : one->cell > other->cell;
}

/* Appends a short name with as many enclosing scopes as fit. */
static void add_scoped_name(
	struct buffer *out, const struct buffer *brief, size_t room)
{
	const char *name = (const char *)brief->bytes;
	const char *end = name + brief->used - 1; /* the zero byte */
	const char *inner = name;
	size_t width = width_of(name);
	size_t front = 0;

	while (width + front > room &&
		(inner = function_name_inner(name, end)) != NULL) {
		while (name < inner)
			width -= next_char_width(&name);
		front = ELLIPSIS_WIDTH;
	}
	if (front != 0 && width + front <= room)
		buffer_add_text(out, ELLIPSIS);
	buffer_add_text(out, name);
}

/* Returns the cell or, if it has a function name that is too long, a shortened
 * text in `made`. */
static const char *fit_name(const struct table *table, const char *cell,
	size_t width, struct buffer *made)
{
	const char *text = (const char *)table->text.bytes;
	const struct table_name key = {.cell = (size_t)(cell - text)};
	const struct table_name *name =
		table->name_count == 0
			? NULL
			: bsearch(&key, table->names, table->name_count,
				  sizeof(key), compare_names);
	struct buffer brief = BUFFER_INIT;
	size_t others;

	if (name == NULL || width_of(cell) <= width ||
		!function_name_has_scopes(
			text + name->begin, name->end - name->begin))
		return cell;
	made->used = 0;
	buffer_add(made, cell, name->begin - name->cell);
	others = name->begin - name->cell + width_of(text + name->end);
	function_name_add_short(
		&brief, text + name->begin, name->end - name->begin);
	buffer_add_byte(&brief, '\0');
	if (!brief.failed)
		add_scoped_name(
			made, &brief, width > others ? width - others : 0);
	buffer_add_text(made, text + name->end);
	buffer_add_byte(made, '\0');
	made->failed |= brief.failed;
	buffer_clear(&brief);
	return made->failed ? cell : (const char *)made->bytes;
}

/* Prints a row of cells and returns the next row; NULL if out of memory. */
static const char *print_row(const struct table *table, FILE *out,
	const size_t *widths, const char *cell)
{
	size_t last = table->column_count - 1;
	struct buffer made = BUFFER_INIT;
	size_t gap = 0;

	for (size_t i = 0; i <= last; i++) {
		/* The last column is not padded. */
		print_cell(out, fit_name(table, cell, widths[i], &made),
			i < last && table->columns[i].number, widths[i], &gap);
		cell += strlen(cell) + 1;
	}
	buffer_clear(&made);
	return cell;
}

/* Natural widths of the columns. */
static void measure_columns(const struct table *table, size_t *widths)
{
	const char *at = (const char *)table->text.bytes;
	const char *end = table->text.used == 0 ? at : at + table->text.used;

	for (size_t i = 0; i < table->column_count; i++)
		widths[i] = width_of(table->columns[i].title);
	while (at < end) {
		at++; /* the style */
		for (size_t i = 0; i < table->column_count; i++) {
			size_t cell = width_of(at);

			if (cell > widths[i])
				widths[i] = cell;
			at += strlen(at) + 1;
		}
	}
}

/* A line's need of room. */
struct need {
	size_t used;  /* by gaps and numbers */
	size_t least; /* by text columns */
	size_t texts; /* number of text columns */
};

static void need_text(struct need *need, size_t width)
{
	need->least += width < LEAST_WIDTH ? width : LEAST_WIDTH;
	need->texts++;
}

/* The need without the optional columns before `from`. */
static struct need measure_need(
	const struct table *table, const size_t *widths, size_t from)
{
	size_t last = table->column_count - 1;
	struct need need = {0};

	for (size_t i = 0; i < last; i++) {
		if (widths[i] == LEFT_OUT || (i < from && table->optional[i]))
			continue;
		need.used += GAP_WIDTH;
		if (table->columns[i].number)
			need.used += widths[i];
		else
			need_text(&need, widths[i]);
	}
	need_text(&need, widths[last]);
	return need;
}

/* Drops columns that need longer lines. */
static struct need drop_columns(
	const struct table *table, size_t *widths, size_t width)
{
	size_t last = table->column_count - 1;
	size_t from = 0;
	struct need need;

	for (size_t i = 0; i < last; i++)
		if (width < table->min_line_width[i])
			widths[i] = LEFT_OUT;
	need = measure_need(table, widths, from);
	while (need.used + need.least > width && from < last)
		need = measure_need(table, widths, ++from);
	for (size_t i = 0; i < from; i++)
		if (table->optional[i])
			widths[i] = LEFT_OUT;
	return need;
}

/* Divides the space left by numbers among text columns; space that a narrow one
 * does not need goes to the others. */
static void fit_columns(const struct table *table, size_t *widths, size_t width)
{
	size_t last = table->column_count - 1;
	struct need need = drop_columns(table, widths, width);
	size_t used = need.used;
	size_t texts = need.texts;

	for (size_t i = 0; i <= last; i++) {
		size_t room = width > used ? width - used : 0;
		size_t part = room / texts;

		if (widths[i] == LEFT_OUT ||
			(i < last && table->columns[i].number))
			continue;
		if (texts == 2 && widths[last] < part)
			part = room - widths[last];
		if (part < SHORTEST_WIDTH)
			part = SHORTEST_WIDTH;
		if (widths[i] > part)
			widths[i] = part;
		used += widths[i];
		texts--;
	}
}

static void print_titles(
	const struct table *table, FILE *out, bool color, const size_t *widths)
{
	size_t gap = 0;

	fputs(color ? "\033[1m" : "", out);
	for (size_t i = 0; i < table->column_count; i++)
		print_cell(out, table->columns[i].title,
			table->columns[i].number, widths[i], &gap);
	fprintf(out, "%s\n", color ? "\033[0m" : "");
}

bool table_print(const struct table *table, FILE *out, bool color, size_t width)
{
	static const char *const styles[] = {[TABLE_PLAIN] = "",
		[TABLE_HOT] = "\033[31m",
		[TABLE_FAINT] = "\033[2m",
		[TABLE_GOOD] = "\033[32m"};
	size_t widths[TABLE_COLUMNS_MAX];
	const char *at = (const char *)table->text.bytes;
	const char *end;

	if (table->text.failed)
		return false;
	measure_columns(table, widths);
	if (width != 0)
		fit_columns(table, widths, width);
	if (table->columns[0].title[0] != '\0')
		print_titles(table, out, color, widths);
	if (at == NULL)
		return true;
	for (end = at + table->text.used; at < end;) {
		const char *style = color ? styles[(int)*at] : "";

		fputs(style, out);
		at = print_row(table, out, widths, at + 1);
		fputs(*style == '\0' ? "\n" : "\033[0m\n", out);
	}
	return true;
}

void table_text(FILE *out, const char *bytes, size_t size)
{
	struct buffer text = BUFFER_INIT;

	utf8_add_printable(&text, bytes, size);
	if (text.used != 0)
		(void)fwrite(text.bytes, 1, text.used, out);
	buffer_clear(&text);
}

static bool csv_raw;

void table_csv_raw(void)
{
	csv_raw = true;
}

void table_csv_field(FILE *out, const char *text)
{
	(void)csv_field(out, text, strlen(text), csv_raw);
}

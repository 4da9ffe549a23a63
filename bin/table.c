/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "csv_field.h"
#include "utf8.h"

#define GAP_WIDTH 2
#define ELLIPSIS "..."
#define ELLIPSIS_WIDTH 3
#define LEAST_WIDTH 18 /* narrower columns tell nothing */
#define LEFT_OUT SIZE_MAX

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
}

void table_need(struct table *table, const char *title, size_t width)
{
	for (size_t i = 0; i + 1 < table->column_count; i++)
		if (strcmp(table->columns[i].title, title) == 0)
			table->least[i] = width;
}

void table_add_row(struct table *table, enum table_style style)
{
	buffer_add_byte(&table->text, (uint8_t)style);
}

void table_add(struct table *table, const char *text)
{
	/* Names come from files: a terminal must not obey them. Leading blanks
	 * are ours, though. */
	size_t blanks = strspn(text, " ");

	buffer_add(&table->text, text, blanks);
	utf8_add_printable(&table->text, text + blanks, strlen(text + blanks));
	buffer_add_byte(&table->text, '\0');
}

/* Characters, which is columns for most of what programs have for names. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text != '\0'; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

/* Where the text's character number `index` begins. */
static const char *character(const char *text, size_t index)
{
	for (; *text != '\0'; text++)
		if (((unsigned char)*text & 0xc0) != 0x80 && index-- == 0)
			break;
	return text;
}

/* Which parts remain of a text that is longer than `width`: its beginning,
 * until the first, and its end, from the second. */
static void shorten(const char *text, size_t width, const char *parts[2])
{
	size_t left = (width - ELLIPSIS_WIDTH) / 2;
	size_t right = width - ELLIPSIS_WIDTH - left;

	parts[0] = character(text, left);
	parts[1] = character(text, width_of(text) - right);
}

static void print_short(FILE *out, const char *text, size_t width)
{
	const char *parts[2];

	shorten(text, width, parts);
	fprintf(out, "%.*s" ELLIPSIS "%s", (int)(parts[0] - text), text,
		parts[1]);
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

/* `gap` is how many blanks are still to come before a text that there is, so
 * that no line ends with any. */
static void print_cell(
	FILE *out, const char *text, bool number, size_t width, size_t *gap)
{
	size_t used = width_of(text);
	size_t blanks = used < width ? width - used : 0;

	if (width == LEFT_OUT)
		return;
	if (number)
		*gap += blanks;
	if (used > 0) {
		fprintf(out, "%*s", (int)*gap, "");
		*gap = 0;
	}
	if (used > width)
		print_short(out, text, width);
	else
		fputs(text, out);
	*gap += GAP_WIDTH + (number ? 0 : blanks);
}

/* Prints a row of cells and returns what follows it; NULL without. */
static const char *print_row(const struct table *table, FILE *out,
	const size_t *widths, const char *cell)
{
	size_t last = table->column_count - 1;
	size_t gap = 0;

	for (size_t i = 0; i < last; i++) {
		print_cell(
			out, cell, table->columns[i].number, widths[i], &gap);
		cell += strlen(cell) + 1;
	}
	/* The last one is not filled up. */
	print_cell(out, cell, false, widths[last], &gap);
	return cell + strlen(cell) + 1;
}

/* How wide the columns are by themselves. */
static void measure(const struct table *table, size_t *widths)
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

/* Leaves out what needs longer lines, and shares what numbers leave among the
 * columns of text: each has what the narrower ones do not need. */
static void fit(const struct table *table, size_t *widths, size_t width)
{
	size_t last = table->column_count - 1;
	size_t used = 0;
	size_t texts = 1;

	for (size_t i = 0; i < last; i++) {
		if (width < table->least[i])
			widths[i] = LEFT_OUT;
		else
			used += GAP_WIDTH +
				(table->columns[i].number ? widths[i] : 0);
		texts += widths[i] != LEFT_OUT && !table->columns[i].number;
	}
	for (size_t i = 0; i <= last; i++) {
		size_t room = width > used ? width - used : 0;
		size_t part = room / texts;

		if (widths[i] == LEFT_OUT ||
			(i < last && table->columns[i].number))
			continue;
		if (texts == 2 && widths[last] < part)
			part = room - widths[last];
		if (part < LEAST_WIDTH)
			part = LEAST_WIDTH;
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
	measure(table, widths);
	if (width != 0)
		fit(table, widths, width);
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

void table_csv(FILE *out, const char *text, char end)
{
	(void)csv_field(out, text, strlen(text));
	putc(end, out);
}

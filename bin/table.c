/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <assert.h>
#include <string.h>

#include "csv_field.h"
#include "utf8.h"

#define GAP "  "
#define GAP_WIDTH 2
#define ELLIPSIS "..."
#define ELLIPSIS_WIDTH 3
#define LEAST_WIDTH 20 /* narrower columns tell nothing */

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

static void print_cell(FILE *out, const char *text, bool number, size_t width)
{
	size_t used = width_of(text);
	int blanks = used < width ? (int)(width - used) : 0;

	fprintf(out, "%*s%s%*s" GAP, number ? blanks : 0, "", text,
		number ? 0 : blanks, "");
}

/* Prints a row of cells and returns what follows it; NULL without. */
static const char *print_row(const struct table *table, FILE *out,
	const size_t *widths, const char *cell)
{
	size_t last = table->column_count - 1;

	for (size_t i = 0; i < last; i++) {
		print_cell(out, cell, table->columns[i].number, widths[i]);
		cell += strlen(cell) + 1;
	}
	if (widths[last] != 0 && width_of(cell) > widths[last])
		print_short(out, cell, widths[last]);
	else
		fputs(cell, out);
	return cell + strlen(cell) + 1;
}

static void measure(const struct table *table, size_t *widths, size_t width)
{
	const char *at = (const char *)table->text.bytes;
	size_t last = table->column_count - 1;
	size_t used = 0;
	const char *end;

	for (size_t i = 0; i < last; i++)
		widths[i] = width_of(table->columns[i].title);
	end = table->text.used == 0 ? at : at + table->text.used;
	while (at < end) {
		at++; /* the style */
		for (size_t i = 0; i <= last; i++) {
			size_t cell = width_of(at);

			if (i < last && cell > widths[i])
				widths[i] = cell;
			at += strlen(at) + 1;
		}
	}
	for (size_t i = 0; i < last; i++)
		used += widths[i] + GAP_WIDTH;
	widths[last] = 0;
	if (width != 0)
		widths[last] =
			used + LEAST_WIDTH < width ? width - used : LEAST_WIDTH;
}

static void print_titles(
	const struct table *table, FILE *out, bool color, const size_t *widths)
{
	size_t last = table->column_count - 1;

	fputs(color ? "\033[1m" : "", out);
	for (size_t i = 0; i < last; i++)
		print_cell(out, table->columns[i].title,
			table->columns[i].number, widths[i]);
	fprintf(out, "%s%s\n", table->columns[last].title,
		color ? "\033[0m" : "");
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
	measure(table, widths, width);
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

/* SPDX-License-Identifier: MIT */
/*
 * A table is an object with its columns and rows, as arrays, so that one script
 * shows any. It has the columns of text; unless the sheet is brief, also the
 * other members of JSON, which the page shows when a row is unfolded.
 */
#include "cli/columns_page.h"

#include <string.h>

/* Bytes shown of a text, in a cell and in an unfolded row. */
#define CELL_MAX 240
#define MORE_MAX 4000

static bool is_cell(const struct sheet *sheet, const struct column *column)
{
	return column->title != NULL && !column->if_sorted &&
	       columns_has(sheet, column);
}

static bool is_more(const struct sheet *sheet, const struct column *column)
{
	return !sheet->brief && column->title == NULL && column->json != NULL &&
	       column->type != COLUMN_OBJECT && column->type != COLUMN_MAP &&
	       columns_has(sheet, column);
}

static void put_text(struct sheet *sheet, const char *text, size_t max)
{
	size_t size = strlen(text);

	if (size <= max) {
		json_text_sized(&sheet->json, text, size);
		return;
	}
	/* Do not split a character. */
	while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	json_text_sized(&sheet->json, text, max);
	sheet->clipped++;
}

static const char *type_of(const struct column *column)
{
	static const char *const types[] = {[COLUMN_COUNT] = "count",
		[COLUMN_TIME] = "time",
		[COLUMN_BYTES] = "bytes",
		[COLUMN_INTEGER] = "count",
		[COLUMN_PERCENT] = "percent",
		[COLUMN_REAL] = "real",
		[COLUMN_BOOL] = "bool",
		[COLUMN_TEXT] = "text",
		[COLUMN_LIST] = "list"};

	return column->size == sizeof(struct value_name) ? "name"
							 : types[column->type];
}

static void put_columns(struct sheet *sheet, const struct columns *columns);

/* The title without the blank before a unit, which the page chooses. */
static void put_column(
	struct sheet *sheet, const struct column *column, bool more)
{
	const char *title = more ? column->json : column->title;
	size_t size = strlen(title);
	struct json *json = &sheet->json;

	while (size > 0 && title[size - 1] == ' ')
		size--;
	json_begin(json, '{');
	json_key(json, "title");
	json_text_sized(json, title, size);
	json_key(json, "type");
	json_text(json, type_of(column));
	if (column->help != NULL) {
		json_key(json, "help");
		json_text(json, column->help);
	}
	if (more) {
		json_key(json, "more");
		json_bool(json, true);
	}
	if (column->table != NULL)
		put_columns(sheet, column->table);
	json_end(json, '}');
}

static void put_columns(struct sheet *sheet, const struct columns *columns)
{
	json_key(&sheet->json, "columns");
	json_begin(&sheet->json, '[');
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->items[i];

		if (is_cell(sheet, column) || is_more(sheet, column))
			put_column(sheet, column, is_more(sheet, column));
	}
	json_end(&sheet->json, ']');
}

/* [name, file, line] */
static void put_name(struct sheet *sheet, const struct value_name *name)
{
	struct json *json = &sheet->json;

	json_begin(json, '[');
	put_text(sheet, name->name, CELL_MAX);
	put_text(sheet,
		name->file == NULL || name->tail != NULL ? "" : name->file,
		CELL_MAX);
	json_uint(json, name->line);
	json_end(json, ']');
}

static void put_cell(
	struct sheet *sheet, const struct column *column, const void *row)
{
	struct json *json = &sheet->json;
	struct value value;

	if (column->size == sizeof(struct value_name)) {
		put_name(sheet,
			(const void *)((const char *)row + column->offset));
		return;
	}
	if (column->put != NULL) {
		json_begin(json, '[');
		column->put(sheet, column, row);
		json_end(json, ']');
		return;
	}
	value = columns_value(column, row);
	if (value.state != VALUE_KNOWN)
		json_none(json);
	else if (value.text != NULL)
		put_text(sheet, value.text,
			column->title == NULL ? MORE_MAX : CELL_MAX);
	else
		columns_put_value(json, column->type, &value);
}

void columns_page_begin(struct sheet *sheet, const struct columns *columns)
{
	struct json *json = &sheet->json;

	json_key(json, columns->key);
	json_begin(json, '{');
	json_key(json, "help");
	json_text(json, columns->help);
	put_columns(sheet, columns);
	json_key(json, "rows");
	json_begin(json, '[');
	sheet->page_key = columns->key;
}

void columns_page_add(
	struct sheet *sheet, const struct columns *columns, const void *row)
{
	json_begin(&sheet->json, '[');
	for (size_t i = 0; i < columns->count; i++)
		if (is_cell(sheet, &columns->items[i]) ||
			is_more(sheet, &columns->items[i]))
			put_cell(sheet, &columns->items[i], row);
	json_end(&sheet->json, ']');
}

void columns_page_end(struct sheet *sheet)
{
	json_end(&sheet->json, ']');
	json_end(&sheet->json, '}');
}

/* The number of rows that the last table does not have. */
void columns_page_hidden(struct sheet *sheet, uint64_t count)
{
	char key[64];

	(void)snprintf(key, sizeof(key), "%s_hidden", sheet->page_key);
	json_key(&sheet->json, key);
	json_uint(&sheet->json, count);
}

/* SPDX-License-Identifier: MIT */
/*
 * A table is an object with its columns and rows, as arrays, so that one script
 * shows any. It has the columns of text and those of pages; unless the sheet is
 * brief, also the other members of JSON, which the page shows when a row is
 * unfolded.
 */
#include "cli/columns_page.h"

#include <string.h>

#include "base/buffer.h"
#include "names/function_name.h"
#include "profiles/label.h"

/* Bytes shown of a text, in a cell and in an unfolded row. */
#define CELL_MAX 240
#define MORE_MAX 4000

static bool is_cell(const struct column *column)
{
	return column->page != NULL ||
	       (column->title != NULL && !column->if_sorted);
}

static bool is_shown(const struct sheet *sheet, const struct column *column)
{
	bool is_more = !sheet->brief && column->title == NULL &&
		       column->json != NULL && column->type != COLUMN_MAP;

	return (is_cell(column) || is_more) && columns_has(sheet, column);
}

/* ---- texts ---- */

static bool is_inside_character(const char *at)
{
	return ((unsigned char)*at & 0xc0) == 0x80;
}

static void put_text(
	struct sheet *sheet, const char *text, size_t size, size_t max)
{
	static const char dots[] = "\xe2\x80\xa6";
	char shown[MORE_MAX + sizeof(dots)];
	size_t head = max / 3 * 2;
	size_t tail = max - head;

	if (size <= max) {
		json_text_sized(&sheet->json, text, size);
		return;
	}
	while (head > 0 && is_inside_character(text + head))
		head--;
	while (tail > 0 && is_inside_character(text + size - tail))
		tail--;
	memcpy(shown, text, head);
	memcpy(shown + head, dots, sizeof(dots) - 1);
	memcpy(shown + head + sizeof(dots) - 1, text + size - tail, tail);
	json_text_sized(&sheet->json, shown, head + sizeof(dots) - 1 + tail);
	sheet->clipped++;
}

void columns_page_text(struct sheet *sheet, const char *text)
{
	put_text(sheet, text, strlen(text), CELL_MAX);
}

void columns_page_name(struct sheet *sheet, const char *name)
{
	struct buffer brief = BUFFER_INIT;
	size_t size = strlen(name);

	if (size > CELL_MAX && function_name_has_scopes(name, size))
		function_name_add_short(&brief, name, size);
	if (brief.used != 0 && brief.used < CELL_MAX) {
		buffer_add_text(&brief, "\xe2\x80\xa6");
		json_text_sized(
			&sheet->json, (const char *)brief.bytes, brief.used);
		sheet->clipped++;
	} else {
		put_text(sheet, name, size, CELL_MAX);
	}
	sheet->failed |= brief.failed;
	buffer_clear(&brief);
}

/* ---- the description ---- */

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
		[COLUMN_OBJECT] = "object",
		[COLUMN_LIST] = "list"};

	if (columns_has_name(column))
		return "name";
	if (column->type == COLUMN_INTEGER && column->unit != NULL)
		return "change";
	if (column->type == COLUMN_COUNT && column->unit != NULL)
		return column->page == NULL ? "real" : "rate";
	return types[column->type];
}

static void put_columns(struct sheet *sheet, const struct columns *columns);

static void put_field(struct json *json, const char *key, const char *text)
{
	if (text == NULL)
		return;
	json_key(json, key);
	json_text(json, text);
}

/* The title without the blank before a unit, which the page chooses. */
static void put_title(struct json *json, const struct column *column)
{
	const char *title = column->page != NULL    ? column->page
			    : column->title != NULL ? column->title
						    : column->json;
	size_t size = strlen(title);

	while (size > 0 && title[size - 1] == ' ')
		size--;
	json_key(json, "title");
	json_text_sized(json, title, size);
}

static void put_column(struct sheet *sheet, const struct column *column)
{
	struct json *json = &sheet->json;

	json_begin(json, '{');
	put_title(json, column);
	put_field(json, "key", column->json);
	put_field(json, "type", type_of(column));
	put_field(json, "help", column->help);
	if (!is_cell(column)) {
		json_key(json, "more");
		json_bool(json, true);
	}
	if (column->type == COLUMN_LIST && column->table != NULL)
		put_columns(sheet, column->table);
	json_end(json, '}');
}

static void put_columns(struct sheet *sheet, const struct columns *columns)
{
	json_key(&sheet->json, "columns");
	json_begin(&sheet->json, '[');
	for (unsigned place = 0; place < COLUMN_PLACES; place++)
		for (size_t i = 0; i < columns->count; i++) {
			const struct column *column = &columns->items[i];

			if (column->place == place && is_shown(sheet, column))
				put_column(sheet, column);
		}
	json_end(&sheet->json, ']');
}

void columns_page_describe(struct sheet *sheet, const struct columns *columns)
{
	put_field(&sheet->json, "help", columns->help);
	put_columns(sheet, columns);
}

/* ---- rows ---- */

/* [name, place, line] */
static void put_name(struct sheet *sheet, const struct value_name *name)
{
	const char *text = label_name(name->name);
	const char *place = name->tail != NULL ? name->tail : name->file;
	struct json *json = &sheet->json;

	json_begin(json, '[');
	/* Kernels differ in the text in brackets. */
	if (name->tail != NULL)
		columns_page_text(sheet, text);
	else
		columns_page_name(sheet, text);
	columns_page_text(sheet, place == NULL ? "" : place);
	json_uint(json, name->line);
	json_end(json, ']');
}

static void put_cell(
	struct sheet *sheet, const struct column *column, const void *row)
{
	struct json *json = &sheet->json;
	struct value value;

	if (columns_has_name(column)) {
		struct value_name name = columns_name(column, row);

		put_name(sheet, &name);
		return;
	}
	value = columns_value(column, row);
	if (value.text != NULL && column->type <= COLUMN_TEXT)
		put_text(sheet, value.text,
			column->type == COLUMN_TEXT && value.size != SIZE_MAX
				? value.size
				: strlen(value.text),
			is_cell(column) ? CELL_MAX : MORE_MAX);
	else if (value.state == VALUE_KNOWN && column->page == NULL &&
		 column->type == COLUMN_COUNT && column->unit != NULL)
		json_double(json,
			(double)value.number / (double)column->unit->size);
	else
		columns_put(sheet, column, row, &value);
}

void columns_page_cells(
	struct sheet *sheet, const struct columns *columns, const void *row)
{
	for (unsigned place = 0; place < COLUMN_PLACES; place++)
		for (size_t i = 0; i < columns->count; i++) {
			const struct column *column = &columns->items[i];

			if (column->place == place && is_shown(sheet, column))
				put_cell(sheet, column, row);
		}
}

void columns_page_begin(struct sheet *sheet, const struct columns *columns)
{
	json_key(&sheet->json, columns->key);
	json_begin(&sheet->json, '{');
	columns_page_describe(sheet, columns);
	json_key(&sheet->json, "rows");
	json_begin(&sheet->json, '[');
	sheet->page_key = columns->key;
}

void columns_page_add(
	struct sheet *sheet, const struct columns *columns, const void *row)
{
	json_begin(&sheet->json, '[');
	columns_page_cells(sheet, columns, row);
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

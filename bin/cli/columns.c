/* SPDX-License-Identifier: MIT */
#include "cli/columns.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/quantity.h"

#define HUNDREDTHS 100

static bool is_present(
	const struct columns *columns, const struct column *column)
{
	return (column->when & ~columns->shown) == 0;
}

struct value value_number(uint64_t number)
{
	return (struct value){VALUE_KNOWN, .number = number};
}

struct value value_maybe(bool known, uint64_t number)
{
	return (struct value){
		known ? VALUE_KNOWN : VALUE_UNKNOWN, .number = number};
}

struct value value_real(bool known, double real)
{
	return (struct value){
		known ? VALUE_KNOWN : VALUE_UNKNOWN, .real = real};
}

struct value value_text(const char *text)
{
	return (struct value){text == NULL ? VALUE_UNKNOWN : VALUE_KNOWN,
		.text = text, .size = SIZE_MAX};
}

static struct value value_of(const struct column *column, const void *row)
{
	const void *at = (const char *)row + column->offset;

	if (column->size == sizeof(struct value))
		return *(const struct value *)at;
	switch (column->type) {
	case COLUMN_TEXT:
		return value_text(*(const char *const *)at);
	case COLUMN_REAL:
		return value_real(true, *(const double *)at);
	case COLUMN_BOOL:
		return value_number(*(const bool *)at);
	case COLUMN_JSON:
		return value_number(0);
	default:
		return value_number(column->size == sizeof(uint32_t)
					    ? *(const uint32_t *)at
					    : *(const uint64_t *)at);
	}
}

/* ---- rows ---- */

struct row {
	_Alignas(max_align_t) char bytes[COLUMNS_ROW_MAX];
};

/* Walks over the rows that are not left out, up to `top` of them. */
struct walk {
	const struct columns *columns;
	uint32_t next;
	uint32_t taken;
	enum table_style style; /* of the row */
	bool failed;            /* out of memory; it ended there */
	struct row row;
};

/* Fills the next row; false at the end. */
static bool next_row(struct walk *walk)
{
	const struct columns *columns = walk->columns;

	assert(columns->row_size <= COLUMNS_ROW_MAX);
	while (walk->next < columns->row_count) {
		memset(walk->row.bytes, 0, columns->row_size);
		walk->style =
			columns->fill(columns, walk->next++, walk->row.bytes);
		if (walk->style == COLUMNS_NO_MEMORY) {
			if (columns->clear != NULL)
				columns->clear(walk->row.bytes);
			walk->failed = true;
			return false;
		}
		if (walk->style != COLUMNS_LEFT_OUT)
			return true;
	}
	return false;
}

static void clear_row(struct walk *walk)
{
	walk->taken++;
	if (walk->columns->clear != NULL)
		walk->columns->clear(walk->row.bytes);
}

static bool is_full(const struct walk *walk)
{
	return walk->columns->top != 0 && walk->taken == walk->columns->top;
}

static struct walk walk_of(const struct columns *columns)
{
	return (struct walk){.columns = columns, .next = columns->first_row};
}

/* The number of rows that are left. */
static uint32_t count_rest(struct walk *walk)
{
	uint32_t taken = walk->taken;

	while (next_row(walk))
		clear_row(walk);
	return walk->taken - taken;
}

uint32_t columns_count_text(const struct columns *columns)
{
	struct columns in_text = *columns;
	struct walk walk = walk_of(&in_text);

	in_text.is_text = true;
	return count_rest(&walk);
}

bool columns_has_more(const struct columns *columns)
{
	struct walk walk = walk_of(columns);

	return columns->top != 0 && count_rest(&walk) > columns->top;
}

/* ---- JSON ---- */

static void put_value(
	struct json *json, enum column_type type, const struct value *value)
{
	if (value->state == VALUE_UNKNOWN)
		json_none(json);
	else if (type == COLUMN_TEXT && value->size == SIZE_MAX)
		json_text(json, value->text);
	else if (type == COLUMN_TEXT)
		json_text_sized(json, value->text, value->size);
	else if (type == COLUMN_INTEGER)
		json_int(json, (int64_t)value->number);
	else if (type == COLUMN_PERCENT)
		json_double(json, (double)value->number / HUNDREDTHS);
	else if (type == COLUMN_REAL)
		json_double(json, value->real);
	else if (type == COLUMN_BOOL)
		json_bool(json, value->number != 0);
	else
		json_uint(json, value->number);
}

static void put_member(
	struct json *json, const struct column *column, const void *row)
{
	const void *at = (const char *)row + column->offset;
	struct value value = value_of(column, row);

	if (value.state == VALUE_ABSENT)
		return;
	json_key(json, column->json);
	if (column->type == COLUMN_JSON)
		(*(column_json_fn *const *)at)(row, json);
	else
		put_value(json, column->type, &value);
}

void columns_put_members(
	const struct columns *columns, struct json *json, const void *row)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->items[i].json != NULL &&
			is_present(columns, &columns->items[i]))
			put_member(json, &columns->items[i], row);
}

void columns_put_json(
	const struct columns *columns, struct json *json, const void *row)
{
	json_begin(json, '{');
	columns_put_members(columns, json, row);
	json_end(json, '}');
}

void columns_put_objects(const struct columns *columns, struct json *json)
{
	struct walk walk = walk_of(columns);

	for (; !is_full(&walk) && next_row(&walk); clear_row(&walk))
		columns_put_json(columns, json, walk.row.bytes);
	json->failed |= walk.failed;
}

void columns_put_rows(
	const struct columns *columns, struct json *json, const char *key)
{
	json_key(json, key);
	json_begin(json, '[');
	columns_put_objects(columns, json);
	json_end(json, ']');
}

/* ---- CSV ---- */

/* Writes what stands before a field: all but the first have a comma there. */
static void put_comma(FILE *out, bool *first)
{
	if (!*first)
		putc(',', out);
	*first = false;
}

void columns_put_titles(const struct columns *columns, FILE *out)
{
	bool first = true;

	for (size_t i = 0; i < columns->count; i++) {
		if (columns->items[i].csv == NULL ||
			!is_present(columns, &columns->items[i]))
			continue;
		put_comma(out, &first);
		fputs(columns->items[i].csv, out);
	}
	putc('\n', out);
}

static void put_number(
	FILE *out, enum column_type type, const struct value *value)
{
	char real[JSON_NUMBER_MAX + 1];

	switch (type) {
	case COLUMN_INTEGER:
		fprintf(out, "%" PRId64, (int64_t)value->number);
		return;
	case COLUMN_PERCENT:
		fprintf(out, "%" PRIu64 ".%02" PRIu64,
			value->number / HUNDREDTHS, value->number % HUNDREDTHS);
		return;
	case COLUMN_REAL:
		*json_put_double(real, value->real) = '\0';
		fputs(real, out);
		return;
	default:
		fprintf(out, "%" PRIu64, value->number);
	}
}

void columns_put_csv(const struct columns *columns, FILE *out, const void *row)
{
	bool first = true;

	for (size_t i = 0; i < columns->count; i++) {
		const struct column *item = &columns->items[i];
		struct value value;

		if (item->csv == NULL || !is_present(columns, item))
			continue;
		put_comma(out, &first);
		value = value_of(item, row);
		if (value.state != VALUE_KNOWN)
			continue;
		if (item->type == COLUMN_TEXT)
			table_csv_field(out, value.text);
		else
			put_number(out, item->type, &value);
	}
	putc('\n', out);
}

bool columns_put_lines(const struct columns *columns, FILE *out)
{
	struct walk walk = walk_of(columns);

	for (; !is_full(&walk) && next_row(&walk); clear_row(&walk))
		columns_put_csv(columns, out, walk.row.bytes);
	return !walk.failed;
}

/* ---- text ---- */

static void add_title(struct columns_text *text, const struct column *column)
{
	const struct column_unit *unit =
		column->unit != NULL ? column->unit : &text->columns->unit;
	size_t size = strlen(column->title);
	bool has_unit = size != 0 && column->title[size - 1] == ' ';
	char *title = text->title_texts[text->count];

	assert(text->count < TABLE_COLUMNS_MAX);
	(void)snprintf(title, sizeof(text->title_texts[0]), "%s%s",
		column->title, has_unit ? unit->name : "");
	text->titles[text->count] =
		(struct table_column){title, column->type < COLUMN_TEXT};
	text->order[text->count++] = column;
}

void columns_text_init(struct columns_text *text, const struct columns *columns)
{
	unsigned last = 0;

	*text = (struct columns_text){.columns = columns};
	for (unsigned place = 0; place <= last; place++)
		for (size_t i = 0; i < columns->count; i++) {
			const struct column *column = &columns->items[i];

			if (column->title == NULL ||
				!is_present(columns, column))
				continue;
			if (column->place == place)
				add_title(text, column);
			if (column->place > last)
				last = column->place;
		}
	table_init(&text->table, text->titles, text->count);
	for (size_t i = 0; i + 1 < text->count; i++) {
		const struct column *column = text->order[i];

		if (column->sort == 0 || column->sort != columns->sort)
			text->table.min_line_width[i] = column->min_line;
		text->table.optional[i] = column->optional;
	}
}

/* Adds "NAME (file:line)"; a long name is shortened, not the place. */
static void add_name(struct table *table, const struct value_name *name)
{
	const char *before = name->before == NULL ? "" : name->before;
	const char *file = name->file == NULL ? "" : basename(name->file);
	char *place = NULL;

	if (*file != '\0' &&
		asprintf(&place, " (%s:%" PRIu32 ")", file, name->line) < 0) {
		table->text.failed = true;
		return;
	}
	table_add_name(table, before, name->name, place == NULL ? "" : place);
	free(place);
}

static void add_value(const struct columns *columns, struct table *table,
	const struct column *column, const struct value *value)
{
	const struct column_unit *unit = column->unit;
	char text[QUANTITY_TEXT];

	if (unit == NULL && column->type == COLUMN_TIME)
		unit = &columns->unit;
	if (value->text != NULL)
		table_add(table, value->text);
	else if (value->state != VALUE_KNOWN)
		table_add(table, value->state == VALUE_ABSENT ? "" : "-");
	else if (column->type == COLUMN_PERCENT) {
		(void)snprintf(text, sizeof(text), "%" PRIu64 ".%02" PRIu64,
			value->number / HUNDREDTHS, value->number % HUNDREDTHS);
		table_add(table, text);
	} else {
		table_add(table, quantity_in(text, value->number,
					 unit == NULL ? 1 : unit->size));
	}
}

void columns_text_add(
	struct columns_text *text, enum table_style style, const void *row)
{
	table_add_row(&text->table, style);
	for (size_t i = 0; i < text->count; i++) {
		const struct column *column = text->order[i];
		const void *at = (const char *)row + column->offset;
		struct value value;

		if (column->size == sizeof(struct value_name)) {
			add_name(&text->table, at);
			continue;
		}
		value = value_of(column, row);
		add_value(text->columns, &text->table, column, &value);
	}
}

bool columns_text_print(struct columns_text *text, FILE *out)
{
	bool printed = table_print(
		&text->table, out, text->columns->color, text->columns->width);

	table_clear(&text->table);
	return printed;
}

bool columns_print(const struct columns *columns, FILE *out)
{
	struct columns in_text = *columns;
	struct columns_text text;
	struct walk walk;
	uint32_t hidden;
	bool printed;

	in_text.is_text = true;
	walk = walk_of(&in_text);
	columns_text_init(&text, &in_text);
	for (; !is_full(&walk) && next_row(&walk); clear_row(&walk))
		columns_text_add(&text, walk.style, walk.row.bytes);
	text.table.text.failed |= walk.failed;
	printed = columns_text_print(&text, out);
	hidden = count_rest(&walk);
	if (hidden != 0)
		fprintf(out, "(%" PRIu32 " more not shown; see --top)\n",
			hidden);
	return printed;
}

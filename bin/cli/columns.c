/* SPDX-License-Identifier: MIT */
#include "cli/columns.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/columns_page.h"
#include "cli/quantity.h"
#include "io/amount.h"

/* ---- values ---- */

struct value value_number(uint64_t number)
{
	return (struct value){VALUE_KNOWN, .number = number};
}

struct value value_maybe(bool known, uint64_t number)
{
	return (struct value){
		known ? VALUE_KNOWN : VALUE_UNKNOWN, .number = number};
}

struct value value_share(uint64_t part, uint64_t whole)
{
	return value_maybe(whole != 0, amount_share(part, whole));
}

struct value value_text(const char *text)
{
	return (struct value){text == NULL ? VALUE_UNKNOWN : VALUE_KNOWN,
		.text = text, .size = SIZE_MAX};
}

struct value columns_value(const struct column *column, const void *row)
{
	const void *at = (const char *)row + column->offset;

	if (column->unless != 0 &&
		*(const bool *)((const char *)row + column->unless))
		return (struct value){.state = VALUE_ABSENT};
	if (column->get != NULL)
		return column->get(column, row);
	if (column->size == sizeof(struct value))
		return *(const struct value *)at;
	if (column->size == 0)
		return value_text(row);
	switch (column->type) {
	case COLUMN_TEXT:
	case COLUMN_OBJECT:
		return value_text(*(const char *const *)at);
	case COLUMN_REAL:
		return (struct value){VALUE_KNOWN, .real = *(const double *)at};
	case COLUMN_BOOL:
		return value_number(*(const bool *)at);
	default:
		return value_number(column->size == sizeof(uint32_t)
					    ? *(const uint32_t *)at
					    : *(const uint64_t *)at);
	}
}

bool columns_has_name(const struct column *column)
{
	return column->name != NULL ||
	       column->size == sizeof(struct value_name);
}

struct value_name columns_name(const struct column *column, const void *row)
{
	if (column->name != NULL)
		return column->name(row);
	return *(const struct value_name *)(const void *)((const char *)row +
							  column->offset);
}

bool columns_has(const struct sheet *sheet, const struct column *column)
{
	return (column->when & ~sheet->shown) == 0;
}

/* Whether the word is one of "a|b". */
static bool is_one_of(const char *words, const char *word)
{
	size_t size = strlen(word);

	for (const char *end; words != NULL;
		words = *end == '\0' ? NULL : end + 1) {
		end = strchrnul(words, '|');
		if ((size_t)(end - words) == size &&
			memcmp(words, word, size) == 0)
			return true;
	}
	return false;
}

const struct column *columns_find_sort(
	const struct columns *columns, const char *word)
{
	for (size_t i = 0; i < columns->count; i++)
		if (is_one_of(columns->items[i].sort, word))
			return &columns->items[i];
	return NULL;
}

const struct column *columns_like(
	const struct columns *columns, const struct column *other)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->items[i].sort != NULL && other->sort != NULL &&
			strcmp(columns->items[i].sort, other->sort) == 0)
			return &columns->items[i];
	return NULL;
}

struct place {
	uint64_t value;
	const char *row;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *one = left, *other = right;

	if (one->value != other->value)
		return one->value < other->value ? 1 : -1;
	return one->row < other->row ? -1 : 1;
}

static bool sort_rows(
	const struct column *column, char *rows, size_t count, size_t row_size)
{
	struct place *places =
		memory_resize_array(NULL, count + 1, sizeof(*places));
	char *copy = memory_resize_array(NULL, count + 1, row_size);
	bool enough = places != NULL && copy != NULL;

	if (enough && count != 0) {
		memcpy(copy, rows, count * row_size);
		for (size_t i = 0; i < count; i++) {
			const char *row = copy + i * row_size;

			places[i] = (struct place){
				columns_value(column, row).number, row};
		}
		qsort(places, count, sizeof(*places), compare_places);
		for (size_t i = 0; i < count; i++)
			memcpy(rows + i * row_size, places[i].row, row_size);
	}
	memory_free(places);
	memory_free(copy);
	return enough;
}

bool columns_sort(const struct columns *columns, const char *json_key,
	void *rows, size_t count, size_t row_size)
{
	size_t i = 0;

	while (columns->items[i].json == NULL ||
		strcmp(columns->items[i].json, json_key) != 0)
		i++;
	return sort_rows(&columns->items[i], rows, count, row_size);
}

bool columns_choose(const struct columns *columns, struct columns_choice choice,
	void *rows, uint32_t *count, size_t row_size)
{
	const struct column *min = columns_find_sort(columns, choice.min);
	uint32_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		const char *row = (const char *)rows + i * row_size;

		if (columns_value(min, row).number >= choice.least)
			memmove((char *)rows + kept++ * row_size, row,
				row_size);
	}
	*count = choice.top != 0 && kept > choice.top ? choice.top : kept;
	return sort_rows(
		columns_like(columns, choice.like), rows, kept, row_size);
}

const char *columns_sort_words(
	const struct columns *columns, char words[COLUMNS_WORDS_MAX])
{
	size_t used = 0;

	for (size_t i = 0; i < columns->count; i++)
		if (columns->items[i].sort != NULL &&
			used < COLUMNS_WORDS_MAX &&
			columns_like(columns, &columns->items[i]) ==
				&columns->items[i])
			used += (size_t)snprintf(words + used,
				COLUMNS_WORDS_MAX - used, "%s%s",
				used == 0 ? "" : "|", columns->items[i].sort);
	return words;
}

/* ---- JSON ---- */

/* Writes a known value. */
static void put_value(
	struct json *json, enum column_type type, const struct value *value)
{
	switch (type) {
	case COLUMN_TEXT:
		if (value->size == SIZE_MAX)
			json_text(json, value->text);
		else
			json_text_sized(json, value->text, value->size);
		break;
	case COLUMN_INTEGER:
	case COLUMN_BYTES:
		json_int(json, (int64_t)value->number);
		break;
	case COLUMN_PERCENT:
		json_double(json, (double)value->number / 100);
		break;
	case COLUMN_REAL:
		json_double(json, value->real);
		break;
	case COLUMN_BOOL:
		json_bool(json, value->number != 0);
		break;
	default:
		json_uint(json, value->number);
	}
}

static void put_object(
	struct sheet *sheet, const struct columns *columns, const void *row)
{
	json_begin(&sheet->json, '{');
	columns_members(sheet, columns, row);
	json_end(&sheet->json, '}');
}

void columns_put(struct sheet *sheet, const struct column *column,
	const void *row, const struct value *value)
{
	struct json *json = &sheet->json;

	if (value->state != VALUE_KNOWN) {
		json_none(json);
	} else if (column->type == COLUMN_OBJECT) {
		put_object(sheet, column->table, value->text);
	} else if (column->put != NULL) {
		bool is_list = column->type == COLUMN_LIST;

		json_begin(json, is_list ? '[' : '{');
		column->put(sheet, column, row);
		json_end(json, is_list ? ']' : '}');
	} else {
		put_value(json, column->type, value);
	}
}

static void put_member(
	struct sheet *sheet, const struct column *column, const void *row)
{
	struct value value = columns_value(column, row);

	if (value.state == VALUE_ABSENT)
		return;
	json_key(&sheet->json, column->json);
	columns_put(sheet, column, row, &value);
}

void columns_members(
	struct sheet *sheet, const struct columns *columns, const void *row)
{
	if (sheet->style != REPORT_JSON && sheet->style != REPORT_PAGE)
		return;
	for (size_t i = 0; i < columns->count; i++)
		if (columns->items[i].json != NULL &&
			columns_has(sheet, &columns->items[i]))
			put_member(sheet, &columns->items[i], row);
}

/* ---- CSV ---- */

static bool is_in_csv(const struct sheet *sheet, const struct column *column)
{
	return column->csv != NULL && columns_has(sheet, column);
}

/* Writes what separates a field from the one before it. */
static void put_comma(FILE *out, bool *first)
{
	if (!*first)
		putc(',', out);
	*first = false;
}

/* False if the table has no columns in CSV. */
static bool put_titles(struct sheet *sheet, const struct columns *columns)
{
	bool first = true;

	for (size_t i = 0; i < columns->count; i++) {
		if (!is_in_csv(sheet, &columns->items[i]))
			continue;
		put_comma(sheet->out, &first);
		fputs(columns->items[i].csv, sheet->out);
	}
	if (!first)
		putc('\n', sheet->out);
	return !first;
}

/* Writes a number, or a text that is not from a file. */
static void put_plain(
	FILE *out, const struct column *column, const struct value *value)
{
	char text[JSON_NUMBER_MAX + AMOUNT_TEXT];

	switch (column->type) {
	case COLUMN_INTEGER:
	case COLUMN_BYTES:
		fprintf(out, "%" PRId64, (int64_t)value->number);
		break;
	case COLUMN_PERCENT:
		fputs(amount_hundredths(text, value->number), out);
		break;
	case COLUMN_REAL:
		*json_put_double(text, value->real) = '\0';
		fputs(text, out);
		break;
	default:
		fprintf(out, "%" PRIu64, value->number);
	}
}

static void put_line(
	struct sheet *sheet, const struct columns *columns, const void *row)
{
	bool first = true;

	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->items[i];
		struct value value;

		if (!is_in_csv(sheet, column))
			continue;
		put_comma(sheet->out, &first);
		value = columns_value(column, row);
		if (value.state != VALUE_KNOWN)
			continue;
		if (column->type == COLUMN_TEXT)
			table_csv_field(sheet->out, value.text);
		else
			put_plain(sheet->out, column, &value);
	}
	if (!first)
		putc('\n', sheet->out);
}

/* ---- text ---- */

static bool is_sorted_by(const struct sheet *sheet, const struct column *column)
{
	return column->sort != NULL && sheet->sort != NULL &&
	       strcmp(column->sort, sheet->sort->sort) == 0;
}

static void add_title(struct sheet *sheet, const struct column *column)
{
	const struct column_unit *unit =
		column->unit != NULL ? column->unit : &sheet->unit;
	struct table *table = &sheet->table;
	size_t at = table->column_count++;
	size_t size = strlen(column->title);
	bool has_unit = size != 0 && column->title[size - 1] == ' ';

	assert(at < TABLE_COLUMNS_MAX);
	(void)snprintf(sheet->title_texts[at], COLUMN_TITLE_MAX, "%s%s",
		column->title, has_unit ? unit->name : "");
	sheet->heads[at] = (struct table_column){
		sheet->title_texts[at], column->type < COLUMN_TEXT};
	sheet->order[at] = column;
	table->optional[at] = column->optional;
	if (!sheet->all && !is_sorted_by(sheet, column))
		table->min_line_width[at] = column->min_line;
}

static void begin_text(struct sheet *sheet, const struct columns *columns)
{
	table_init(&sheet->table, sheet->heads, 0);
	for (unsigned place = 0; place < COLUMN_PLACES; place++)
		for (size_t i = 0; i < columns->count; i++) {
			const struct column *column = &columns->items[i];

			if (column->title != NULL && column->place == place &&
				columns_has(sheet, column) &&
				(!column->if_sorted ||
					is_sorted_by(sheet, column)))
				add_title(sheet, column);
		}
}

static void add_name(struct table *table, const struct value_name *name)
{
	const char *before = name->before == NULL ? "" : name->before;
	const char *file = name->file == NULL ? "" : basename(name->file);
	char *place = NULL;
	char *text = NULL;

	if (name->tail != NULL) {
		if (asprintf(&text, "%s%s%s%s", before, name->name,
			    *name->tail == '\0' ? "" : " ", name->tail) < 0)
			table->text.failed = true;
		else if (name->width != 0)
			table_add_short(table, text, name->width);
		else
			table_add(table, text);
	} else if (*file != '\0' &&
		   asprintf(&place, " (%s:%" PRIu32 ")", file, name->line) < 0)
		table->text.failed = true;
	else
		table_add_name(
			table, before, name->name, place == NULL ? "" : place);
	free(place);
	free(text);
}

static void add_number(const struct sheet *sheet, struct table *table,
	const struct column *column, uint64_t number)
{
	const struct column_unit *unit = column->unit;
	char text[QUANTITY_TEXT];

	if (unit == NULL && column->type == COLUMN_TIME)
		unit = &sheet->unit;
	if (column->type == COLUMN_PERCENT)
		(void)amount_hundredths(text, number);
	else if (column->type == COLUMN_BYTES)
		(void)quantity_signed_bytes(text, (int64_t)number);
	else if (column->type == COLUMN_INTEGER)
		(void)snprintf(text, sizeof(text), "%" PRId64, (int64_t)number);
	else
		(void)quantity_in(text, number, unit == NULL ? 1 : unit->size);
	table_add(table, text);
}

static void add_row(
	struct sheet *sheet, enum table_style style, const void *row)
{
	struct table *table = &sheet->table;

	table_add_row(table, style);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = sheet->order[i];
		struct value value;

		if (columns_has_name(column)) {
			struct value_name name = columns_name(column, row);

			add_name(table, &name);
			continue;
		}
		value = columns_value(column, row);
		if (value.text != NULL)
			table_add(table, value.text);
		else if (value.state != VALUE_KNOWN)
			table_add(
				table, value.state == VALUE_ABSENT ? "" : "-");
		else
			add_number(sheet, table, column, value.number);
	}
}

/* ---- tables ---- */

/* Whether the rows are objects in JSON. */
static bool has_objects(const struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->items[i].json != NULL)
			return true;
	return false;
}

void columns_begin(struct sheet *sheet, const struct columns *columns)
{
	if (sheet->style == REPORT_TEXT) {
		begin_text(sheet, columns);
	} else if (sheet->style == REPORT_JSON) {
		if (columns->key == NULL)
			return;
		json_key(&sheet->json, columns->key);
		json_begin(&sheet->json, '[');
	} else if (sheet->style == REPORT_PAGE) {
		columns_page_begin(sheet, columns);
	} else if (sheet->titles) {
		sheet->titles = !put_titles(sheet, columns);
	}
}

void columns_add(struct sheet *sheet, const struct columns *columns,
	enum table_style style, const void *row)
{
	if (sheet->style == REPORT_CSV)
		put_line(sheet, columns, row);
	else if (sheet->style == REPORT_TEXT)
		add_row(sheet, style, row);
	else if (sheet->style == REPORT_PAGE)
		columns_page_add(sheet, columns, row);
	else if (has_objects(columns))
		put_object(sheet, columns, row);
}

bool columns_full(const struct sheet *sheet)
{
	return sheet->max_bytes != 0 && sheet->json.used >= sheet->max_bytes;
}

void columns_end(struct sheet *sheet, const struct columns *columns)
{
	if (sheet->style == REPORT_JSON && columns->key != NULL)
		json_end(&sheet->json, ']');
	if (sheet->style == REPORT_PAGE)
		columns_page_end(sheet);
	if (sheet->style != REPORT_TEXT || sheet->table.column_count == 0)
		return;
	if (!table_print(&sheet->table, sheet->out, sheet->color, sheet->width))
		sheet->failed = true;
	table_clear(&sheet->table);
}

void columns_write(struct sheet *sheet, const struct columns *columns,
	const void *rows, size_t count, size_t row_size, uint32_t top)
{
	size_t shown = top != 0 && top < count ? top : count;

	columns_begin(sheet, columns);
	for (size_t i = 0; i < shown; i++)
		columns_add(sheet, columns, TABLE_PLAIN,
			(const char *)rows + i * row_size);
	columns_end(sheet, columns);
	columns_hidden(sheet, count - shown);
}

void columns_note(struct sheet *sheet, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	if (sheet->style == REPORT_TEXT)
		vfprintf(sheet->out, format, list);
	va_end(list);
}

void columns_hidden(struct sheet *sheet, uint64_t count)
{
	if (count != 0 && sheet->style == REPORT_PAGE)
		columns_page_hidden(sheet, count);
	else if (count != 0)
		columns_note(sheet, "(%" PRIu64 " more not shown; see --top)\n",
			count);
}

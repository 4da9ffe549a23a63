/* SPDX-License-Identifier: MIT */
#include "line_table.h"

#include "ptr_map.h"

enum {
	FIRST_BYTE = 0x80, /* set only in the first byte of an entry */
	CODE_ONE_LINE = 10,
	CODE_NO_COLUMNS = 13,
	CODE_LONG = 14,
	CODE_NONE = 15,
};

/* Six bits in each byte, the lowest first; the lowest bit of the value is the
 * sign. Values beyond any line number wrap around. */
static uint32_t read_signed(const uint8_t *at, const uint8_t *limit)
{
	uint32_t value = 0;
	bool more = true;

	for (int shift = 0; more && shift < 32 && at < limit; shift += 6) {
		value |= (*at & 0x3fu) << shift;
		more = (*at++ & 0x40) != 0;
	}
	return (value & 1) != 0 ? 0 - (value >> 1) : value >> 1;
}

/* The difference between the entry's line and the one before. */
static uint32_t line_step(const uint8_t *entry, const uint8_t *limit)
{
	unsigned code = *entry >> 3 & 15;

	if (code == CODE_NO_COLUMNS || code == CODE_LONG)
		return read_signed(entry + 1, limit);
	if (code < CODE_ONE_LINE || code == CODE_NONE)
		return 0;
	return code - CODE_ONE_LINE;
}

static void read_entry(struct line_table_reader *reader)
{
	const uint8_t *at = reader->next;

	reader->line += line_step(at, reader->limit);
	reader->has_line = (*at >> 3 & 15) != CODE_NONE;
	reader->start = reader->end;
	reader->end += (*at & 7) + 1;
	do
		at++;
	while (at < reader->limit && (*at & FIRST_BYTE) == 0);
	reader->next = at;
}

static void rewind_to(
	struct line_table_reader *reader, const PyCodeObject *code)
{
	const uint8_t *table =
		(const uint8_t *)PyBytes_AS_STRING(code->co_linetable);

	*reader = (struct line_table_reader){
		.code = code,
		.next = table,
		.limit = table + PyBytes_GET_SIZE(code->co_linetable),
		.line = (uint32_t)code->co_firstlineno,
	};
}

static struct line_table_reader *reader_of(
	struct line_tables *tables, const PyCodeObject *code)
{
	return &tables->readers[ptr_map_hash(code, NULL) >>
				(64 - LINE_TABLE_BITS)];
}

void line_table_forget(struct line_tables *tables, const PyCodeObject *code)
{
	struct line_table_reader *reader = reader_of(tables, code);

	if (reader->code == code)
		reader->code = NULL;
}

uint32_t line_table_find(
	struct line_tables *tables, const PyCodeObject *code, int index)
{
	struct line_table_reader *reader = reader_of(tables, code);

	if (index < 0)
		return code->co_firstlineno > 0 ? (uint32_t)code->co_firstlineno
						: 0;
	if (reader->code != code || index < reader->start)
		rewind_to(reader, code);
	while (index >= reader->end && reader->next < reader->limit)
		read_entry(reader);
	return index < reader->end && reader->has_line &&
			       reader->line <= INT32_MAX
		       ? reader->line
		       : 0;
}

/* SPDX-License-Identifier: MIT */
#include "pstats/marshal.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

static void put_le(FILE *out, uint64_t value, unsigned size)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < size; i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	(void)fwrite(bytes, 1, size, out);
}

void marshal_begin_dict(FILE *out)
{
	(void)putc('{', out);
}

void marshal_end_dict(FILE *out)
{
	(void)putc('0', out);
}

void marshal_tuple(FILE *out, uint32_t count)
{
	(void)putc('(', out);
	put_le(out, count, 4);
}

void marshal_text(FILE *out, const char *bytes, size_t size)
{
	assert(size <= MARSHAL_TEXT_MAX);
	(void)putc('u', out);
	put_le(out, size, 4);
	(void)fwrite(bytes, 1, size, out);
}

/* Digits of base 2^15; readers reject a most significant zero. */
static void put_long(FILE *out, uint64_t value)
{
	unsigned digits = 0;

	while (digits < 5 && value >> 15 * digits != 0)
		digits++;
	(void)putc('l', out);
	put_le(out, digits, 4);
	for (unsigned i = 0; i < digits; i++)
		put_le(out, value >> 15 * i & 0x7fff, 2);
}

void marshal_int(FILE *out, uint64_t value)
{
	if (value > INT32_MAX) {
		put_long(out, value);
		return;
	}
	(void)putc('i', out);
	put_le(out, value, 4);
}

void marshal_float(FILE *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	(void)putc('g', out);
	put_le(out, bits, 8);
}

/* Reading. */

#define FLAG_REF 0x80
#define LONG_DIGIT_BITS 15
#define LONG_DIGITS_MAX 5 /* more exceed 64 bits */

enum slot_state {
	SLOT_OPEN,     /* incomplete, or not remembered */
	SLOT_ITEM,     /* a text or number */
	SLOT_NUMBERED, /* set by marshal_remember() */
};

struct marshal_slot {
	uint8_t state;
	uint8_t kind;    /* SLOT_ITEM: enum marshal_kind */
	uint32_t number; /* SLOT_NUMBERED; SLOT_ITEM: the text's size */
	union {
		int64_t integer;
		double real;
		const char *text;
	} value;
};

struct marshal_text_slot {
	const char *text;
	size_t size;
};

void marshal_in_init(struct marshal_in *in, const void *bytes, size_t size)
{
	*in = (struct marshal_in){0};
	cursor_init(&in->cursor, bytes, size);
}

void marshal_in_clear(struct marshal_in *in)
{
	memory_free(in->slots);
	memory_free(in->texts);
}

/* Makes room for one more item of `size` bytes; false if out of memory. */
static bool reserve(struct marshal_in *in, void *items, uint32_t count,
	uint32_t *room, size_t size)
{
	if (array_reserve32(items, count, room, size))
		return true;
	in->no_memory = true;
	return false;
}

static void store_item(
	struct marshal_slot *slot, const struct marshal_value *value)
{
	slot->state = SLOT_ITEM;
	slot->kind = (uint8_t)value->kind;
	slot->number = (uint32_t)value->size;
	if (value->kind == MARSHAL_INT)
		slot->value.integer = value->integer;
	else if (value->kind == MARSHAL_FLOAT)
		slot->value.real = value->real;
	else
		slot->value.text = value->text;
}

static void load_item(
	const struct marshal_slot *slot, struct marshal_value *value)
{
	value->kind = (enum marshal_kind)slot->kind;
	value->size = slot->number;
	if (value->kind == MARSHAL_INT)
		value->integer = slot->value.integer;
	else if (value->kind == MARSHAL_FLOAT)
		value->real = slot->value.real;
	else
		value->text = slot->value.text;
}

/* Tuples and dicts get their slot before their items. */
static bool add_slot(struct marshal_in *in, struct marshal_value *value)
{
	bool whole =
		value->kind != MARSHAL_TUPLE && value->kind != MARSHAL_DICT;

	if (!reserve(in, &in->slots, in->slot_count, &in->slot_room,
		    sizeof(*in->slots)))
		return false;
	value->slot = in->slot_count;
	in->slots[in->slot_count] = (struct marshal_slot){SLOT_OPEN, 0, 0, {0}};
	if (whole)
		store_item(&in->slots[in->slot_count], value);
	in->slot_count++;
	return true;
}

static bool add_text(struct marshal_in *in, const struct marshal_value *value)
{
	if (!reserve(in, &in->texts, in->text_count, &in->text_room,
		    sizeof(*in->texts)))
		return false;
	in->texts[in->text_count++] =
		(struct marshal_text_slot){value->text, value->size};
	return true;
}

static bool parse_text(struct marshal_in *in, struct marshal_value *value,
	enum marshal_kind kind, size_t size)
{
	value->kind = kind;
	value->size = size;
	value->text = cursor_bytes(&in->cursor, size);
	return value->text != NULL;
}

static bool parse_short_text(struct marshal_in *in, struct marshal_value *value,
	enum marshal_kind kind)
{
	uint8_t size;

	return cursor_u8(&in->cursor, &size) &&
	       parse_text(in, value, kind, size);
}

static bool parse_long_text(struct marshal_in *in, struct marshal_value *value,
	enum marshal_kind kind)
{
	uint32_t size;

	return cursor_le32(&in->cursor, &size) && size <= INT32_MAX &&
	       parse_text(in, value, kind, size);
}

/* Python 2's interned strings, which are referenced by number. */
static bool parse_interned(struct marshal_in *in, struct marshal_value *value)
{
	return parse_long_text(in, value, MARSHAL_BYTES) && add_text(in, value);
}

static bool parse_text_again(struct marshal_in *in, struct marshal_value *value)
{
	uint32_t number;

	if (!cursor_le32(&in->cursor, &number) || number >= in->text_count)
		return false;
	value->kind = MARSHAL_BYTES;
	value->text = in->texts[number].text;
	value->size = in->texts[number].size;
	return true;
}

static bool parse_int(struct marshal_in *in, struct marshal_value *value)
{
	uint32_t bits;

	value->kind = MARSHAL_INT;
	if (!cursor_le32(&in->cursor, &bits))
		return false;
	value->integer = (int32_t)bits;
	return true;
}

static bool parse_int64(struct marshal_in *in, struct marshal_value *value)
{
	uint64_t bits;

	value->kind = MARSHAL_INT;
	if (!cursor_le64(&in->cursor, &bits))
		return false;
	value->integer = (int64_t)bits;
	return true;
}

/* Digits of 15 bits, least significant first; their count is negative for a
 * negative value. */
static bool parse_long(struct marshal_in *in, struct marshal_value *value)
{
	uint64_t sum = 0;
	uint32_t bits;
	uint32_t count;
	bool negative;

	if (!cursor_le32(&in->cursor, &bits))
		return false;
	negative = (int32_t)bits < 0;
	count = negative ? 0 - bits : bits;
	if (count > LONG_DIGITS_MAX)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint16_t digit;
		uint64_t part;

		if (!cursor_le16(&in->cursor, &digit) ||
			digit >> LONG_DIGIT_BITS != 0)
			return false;
		part = (uint64_t)digit << i * LONG_DIGIT_BITS;
		if (part >> i * LONG_DIGIT_BITS != digit)
			return false;
		sum |= part;
	}
	if (sum > INT64_MAX)
		return false;
	value->kind = MARSHAL_INT;
	value->integer = negative ? -(int64_t)sum : (int64_t)sum;
	return true;
}

static bool parse_float(struct marshal_in *in, struct marshal_value *value)
{
	uint64_t bits;

	value->kind = MARSHAL_FLOAT;
	if (!cursor_le64(&in->cursor, &bits))
		return false;
	memcpy(&value->real, &bits, sizeof(value->real));
	return true;
}

static bool parse_tuple(struct marshal_in *in, struct marshal_value *value)
{
	value->kind = MARSHAL_TUPLE;
	return cursor_le32(&in->cursor, &value->count);
}

static bool parse_short_tuple(
	struct marshal_in *in, struct marshal_value *value)
{
	uint8_t count;

	value->kind = MARSHAL_TUPLE;
	if (!cursor_u8(&in->cursor, &count))
		return false;
	value->count = count;
	return true;
}

static bool parse_again(struct marshal_in *in, struct marshal_value *value)
{
	uint32_t slot;

	if (!cursor_le32(&in->cursor, &slot) || slot >= in->slot_count)
		return false;
	if (in->slots[slot].state == SLOT_ITEM) {
		load_item(&in->slots[slot], value);
		return true;
	}
	value->kind = MARSHAL_AGAIN;
	value->slot = slot;
	return true;
}

static bool parse_item(
	struct marshal_in *in, uint8_t code, struct marshal_value *value)
{
	switch (code) {
	case 'N':
		value->kind = MARSHAL_NONE;
		return true;
	case 'T':
	case 'F':
		value->kind = MARSHAL_INT;
		value->integer = code == 'T';
		return true;
	case 'i':
		return parse_int(in, value);
	case 'I':
		return parse_int64(in, value);
	case 'l':
		return parse_long(in, value);
	case 'g':
		return parse_float(in, value);
	case 'f':
		return parse_short_text(in, value, MARSHAL_DECIMAL);
	case 'u':
	case 'a':
	case 'A':
		return parse_long_text(in, value, MARSHAL_TEXT);
	case 'z':
	case 'Z':
		return parse_short_text(in, value, MARSHAL_TEXT);
	case 's':
		return parse_long_text(in, value, MARSHAL_BYTES);
	case 't':
		return parse_interned(in, value);
	case 'R':
		return parse_text_again(in, value);
	case '(':
		return parse_tuple(in, value);
	case ')':
		return parse_short_tuple(in, value);
	case '{':
		value->kind = MARSHAL_DICT;
		return true;
	case '0':
		value->kind = MARSHAL_DICT_END;
		return true;
	case 'r':
		return parse_again(in, value);
	default:
		return false;
	}
}

bool marshal_next(struct marshal_in *in, struct marshal_value *value)
{
	uint8_t code;

	*value = (struct marshal_value){.slot = MARSHAL_NO_SLOT};
	if (!cursor_u8(&in->cursor, &code) ||
		!parse_item(in, code & (FLAG_REF - 1), value))
		return false;
	return (code & FLAG_REF) == 0 || add_slot(in, value);
}

void marshal_remember(struct marshal_in *in, uint32_t slot, uint32_t number)
{
	if (slot == MARSHAL_NO_SLOT)
		return;
	in->slots[slot].state = SLOT_NUMBERED;
	in->slots[slot].number = number;
}

bool marshal_recall(
	const struct marshal_in *in, uint32_t slot, uint32_t *number)
{
	if (in->slots[slot].state != SLOT_NUMBERED)
		return false;
	*number = in->slots[slot].number;
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * Recognizes a pprof profile. It has no magic number, so each field must be one
 * of a profile's, and its contents must fit that field's message. Numbers alone
 * prove nothing, because letters may be numbers too.
 */
#include <stdbool.h>

#include "base/cursor.h"
#include "pprof/pprof.h"
#include "protobuf/protobuf_read.h"

/* Each known field adds FIELD_BITS, up to BITS_MAX. */
#define FIELD_BITS 8u
#define BITS_MAX 160u

#define BIT(number) (1u << (number))

/* The fields of a message, by their kind. */
struct shape {
	uint32_t numbers;
	uint32_t bytes;
};

static const struct shape shapes[PROFILE_FIELDS] = {
	[PROFILE_SAMPLE_TYPE] = {BIT(VALUE_TYPE_TYPE) | BIT(VALUE_TYPE_UNIT),
		0},
	[PROFILE_SAMPLE] = {BIT(SAMPLE_LOCATION_ID) | BIT(SAMPLE_VALUE),
		BIT(SAMPLE_LOCATION_ID) | BIT(SAMPLE_VALUE) |
			BIT(SAMPLE_LABEL)},
	[PROFILE_MAPPING] = {BIT(MAPPING_LAST + 1) - BIT(MAPPING_ID), 0},
	[PROFILE_LOCATION] = {BIT(LOCATION_ID) | BIT(LOCATION_MAPPING_ID) |
				      BIT(LOCATION_ADDRESS) |
				      BIT(LOCATION_IS_FOLDED),
		BIT(LOCATION_LINE)},
	[PROFILE_FUNCTION] = {BIT(FUNCTION_START_LINE + 1) - BIT(FUNCTION_ID),
		0},
	[PROFILE_PERIOD_TYPE] = {BIT(VALUE_TYPE_TYPE) | BIT(VALUE_TYPE_UNIT),
		0},
};

static const struct shape profile_shape = {
	BIT(PROFILE_DROP_FRAMES) | BIT(PROFILE_KEEP_FRAMES) |
		BIT(PROFILE_TIME_NANOS) | BIT(PROFILE_DURATION_NANOS) |
		BIT(PROFILE_PERIOD) | BIT(PROFILE_COMMENT) |
		BIT(PROFILE_DEFAULT_SAMPLE_TYPE) | BIT(PROFILE_DOC_URL),
	BIT(PROFILE_SAMPLE_TYPE) | BIT(PROFILE_SAMPLE) | BIT(PROFILE_MAPPING) |
		BIT(PROFILE_LOCATION) | BIT(PROFILE_FUNCTION) |
		BIT(PROFILE_STRING_TABLE) | BIT(PROFILE_PERIOD_TYPE) |
		BIT(PROFILE_COMMENT),
};

static bool has_shape(
	const struct shape *shape, const struct protobuf_field *field)
{
	uint32_t known = field->kind == PROTOBUF_VARINT  ? shape->numbers
			 : field->kind == PROTOBUF_BYTES ? shape->bytes
							 : 0;

	return field->number < PROFILE_FIELDS && (known >> field->number & 1);
}

/* False if a field does not fit the message's shape. The message may be
 * truncated where the bytes end. */
static bool look_into(const struct shape *shape,
	const struct protobuf_field *field, bool is_cut, unsigned *bits)
{
	struct cursor message;
	struct protobuf_field inner;
	enum protobuf_next next;

	cursor_init(&message, field->bytes, field->size);
	while ((next = protobuf_take_field(&message, &inner)) ==
		PROTOBUF_FIELD) {
		if (!has_shape(shape, &inner))
			return false;
		*bits += *bits < BITS_MAX ? FIELD_BITS : 0;
	}
	return next == PROTOBUF_END || (next == PROTOBUF_SHORT && is_cut);
}

/* Strings may have any contents, but the first is empty; it is not seen if the
 * bytes end before its size. */
static bool looks_right(const struct protobuf_field *field, bool is_cut,
	bool *has_string, unsigned *bits)
{
	if (!has_shape(&profile_shape, field))
		return false;
	if (field->number == PROFILE_STRING_TABLE) {
		if (!*has_string && field->size > 0)
			return false;
		*has_string = true;
		return true;
	}
	return field->kind != PROTOBUF_BYTES ||
	       field->number == PROFILE_COMMENT ||
	       look_into(&shapes[field->number], field, is_cut, bits);
}

unsigned pprof_probe(const void *bytes, size_t size)
{
	struct cursor profile;
	struct protobuf_field field;
	enum protobuf_next next;
	bool has_string = false;
	unsigned bits = 0;

	cursor_init(&profile, bytes, size);
	while ((next = protobuf_take_field(&profile, &field)) == PROTOBUF_FIELD)
		if (!looks_right(&field, false, &has_string, &bits))
			return 0;
	if (next == PROTOBUF_BAD)
		return 0;
	if (next == PROTOBUF_SHORT && field.number != 0 &&
		field.kind == PROTOBUF_BYTES &&
		!looks_right(&field, true, &has_string, &bits))
		return 0;
	return bits;
}

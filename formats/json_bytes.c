/* SPDX-License-Identifier: MIT */
#include "json_bytes.h"

#include "json_value.h"

const uint8_t *json_bytes_odd(
	const uint8_t *text, const uint8_t *end, enum json_kind *kind)
{
	const uint8_t *from = text;

	while (text < end && !json_bytes_ends(*text))
		text++;
	return text < end && json_value_kind((const char *)from,
				     (size_t)(text - from), kind)
		       ? text
		       : NULL;
}

/* SPDX-License-Identifier: MIT */
#include "json/json_bytes.h"

#include "json/json_value.h"

const uint8_t *json_bytes_odd(
	const uint8_t *text, const uint8_t *end, uint8_t *kind)
{
	const uint8_t *from = text;
	enum json_kind which;

	while (text < end && !json_bytes_ends(*text))
		text++;
	if (text == end || !json_value_kind((const char *)from,
				   (size_t)(text - from), &which))
		return NULL;
	*kind = (uint8_t)which;
	return text;
}

/* SPDX-License-Identifier: MIT */
/* What may follow what in JSON, as a table. For json_scan.c only. */
#ifndef JSON_GRAMMAR_H
#define JSON_GRAMMAR_H

#include <stdint.h>

#include "json/json_state.h"

/* What the byte that a token begins with makes it. */
enum class {
	CLASS_OBJECT,
	CLASS_OBJECT_END,
	CLASS_ARRAY,
	CLASS_ARRAY_END,
	CLASS_COLON,
	CLASS_COMMA,
	CLASS_QUOTE,
	CLASS_SCALAR,
	CLASSES
};

static const uint8_t classes[256] = {
	['{'] = CLASS_OBJECT,
	['}'] = CLASS_OBJECT_END,
	['['] = CLASS_ARRAY,
	[']'] = CLASS_ARRAY_END,
	[':'] = CLASS_COLON,
	[','] = CLASS_COMMA,
	['"'] = CLASS_QUOTE,
};

/* A byte that no other class has; 0 is that of an object. */
static inline enum class class_of(uint8_t byte) {
	return byte == '{' || classes[byte] != 0 ? (enum class)classes[byte]
						 : CLASS_SCALAR;
}

static const uint8_t transitions[STATES][CLASSES] = {
	[STATE_VALUE] = {[CLASS_OBJECT] = STATE_OPEN_OBJECT,
		[CLASS_ARRAY] = STATE_OPEN_ARRAY,
		[CLASS_QUOTE] = STATE_IN_ARRAY,
		[CLASS_SCALAR] = STATE_IN_ARRAY},
	[STATE_FIRST_ITEM] = {[CLASS_OBJECT] = STATE_OPEN_OBJECT,
		[CLASS_ARRAY] = STATE_OPEN_ARRAY,
		[CLASS_ARRAY_END] = STATE_CLOSE,
		[CLASS_QUOTE] = STATE_IN_ARRAY,
		[CLASS_SCALAR] = STATE_IN_ARRAY},
	[STATE_FIRST_KEY] =
		{[CLASS_OBJECT_END] = STATE_CLOSE, [CLASS_QUOTE] = STATE_COLON},
	[STATE_KEY] = {[CLASS_QUOTE] = STATE_COLON},
	[STATE_COLON] = {[CLASS_COLON] = STATE_MEMBER},
	[STATE_MEMBER] = {[CLASS_OBJECT] = STATE_OPEN_OBJECT,
		[CLASS_ARRAY] = STATE_OPEN_ARRAY,
		[CLASS_QUOTE] = STATE_IN_OBJECT,
		[CLASS_SCALAR] = STATE_IN_OBJECT},
	[STATE_IN_ARRAY] =
		{[CLASS_COMMA] = STATE_VALUE, [CLASS_ARRAY_END] = STATE_CLOSE},
	[STATE_IN_OBJECT] =
		{[CLASS_COMMA] = STATE_KEY, [CLASS_OBJECT_END] = STATE_CLOSE},
};

static const char *const expected[STATES] = {
	[STATE_VALUE] = "a value",
	[STATE_FIRST_ITEM] = "a value or ]",
	[STATE_FIRST_KEY] = "a key or }",
	[STATE_KEY] = "a key",
	[STATE_COLON] = "a colon",
	[STATE_MEMBER] = "a value",
	[STATE_IN_ARRAY] = "a comma or ]",
	[STATE_IN_OBJECT] = "a comma or }",
	[STATE_DONE] = "the end of the input",
};

#endif

/* SPDX-License-Identifier: MIT */
#include "json/json_arg.h"

void json_arg(struct json *json, const struct event_arg *arg)
{
	switch (arg->kind) {
	case ARG_INT:
		json_int(json, arg->value.integer);
		break;
	case ARG_FLOAT:
		json_double(json, arg->value.real);
		break;
	case ARG_TEXT:
		json_text_sized(
			json, arg->value.text.bytes, arg->value.text.size);
		break;
	case ARG_JSON:
		json_value(json, arg->value.text.bytes, arg->value.text.size);
		break;
	}
}

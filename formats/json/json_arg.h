/* SPDX-License-Identifier: MIT */
/* An event's argument, or a device's property, as JSON. */
#ifndef JSON_ARG_H
#define JSON_ARG_H

#include "json/json.h"
#include "trace/trace.h"

/* Writes the value, an item. */
void json_arg(struct json *json, const struct event_arg *arg);

#endif

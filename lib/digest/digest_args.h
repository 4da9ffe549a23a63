/* SPDX-License-Identifier: MIT */
/* Arguments of slices as members of a JSON object: "\"key\":1,\"other\":2". */
#ifndef DIGEST_ARGS_H
#define DIGEST_ARGS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "json/json.h"
#include "trace/event.h"

/* Longer texts are clipped; further arguments are omitted, and a member "..."
 * stands for them. */
#define DIGEST_ARG_BYTES 300
#define DIGEST_ARGS_BYTES 2000

/* Appends the event's arguments to the `text` of a slice, which begins at
 * `start`. `json` is for use inside. False if out of memory. */
bool digest_args_add(struct buffer *text, size_t start, struct json *json,
	const struct trace *trace, const struct event *event);

#endif

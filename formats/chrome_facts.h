/* SPDX-License-Identifier: MIT */
/*
 * What stands in "otherData" of a Chrome trace: the tool, the input's name,
 * the facts about the recording, and what was lost or repaired.
 */
#ifndef CHROME_FACTS_H
#define CHROME_FACTS_H

#include <stdbool.h>

#include "json.h"
#include "trace.h"

/* Writes members of the document: what viewers look for, and those that the
 * trace was read with. False if out of memory. */
bool chrome_facts_write_members(struct json *json, const struct trace *trace);

/* Writes the object. `title` may be NULL. Text that `json` has had to replace
 * is added to the losses first. False if out of memory. */
bool chrome_facts_write(
	struct json *json, struct trace *trace, const char *title);

#endif

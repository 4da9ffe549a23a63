/* SPDX-License-Identifier: MIT */
/*
 * What a Chrome trace says of itself; and in "otherData" the tool, the input's
 * name, the facts about the recording, and what was lost or repaired.
 */
#ifndef CHROME_FACTS_H
#define CHROME_FACTS_H

#include <stdbool.h>

#include "json/json.h"
#include "trace/trace.h"

/* The member by which a document says at its beginning that we wrote it; its
 * value is the version. */
#define CHROME_OWN_MEMBER "ctprof"
void chrome_facts_write_own(struct json *json);

/* Writes members of the document: what viewers look for, and those that the
 * trace was read with. False if out of memory. */
bool chrome_facts_write_members(struct json *json, const struct trace *trace);

/* Writes the object. `title` may be NULL. Text that `json` has had to replace
 * is added to the losses first. False if out of memory. */
bool chrome_facts_write(
	struct json *json, struct trace *trace, const char *title);

#endif

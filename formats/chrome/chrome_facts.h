/* SPDX-License-Identifier: MIT */
/*
 * The facts of a Chrome trace about itself; and in "otherData" the tool, the
 * input's name, the facts about the recording, and what was lost or repaired.
 */
#ifndef CHROME_FACTS_H
#define CHROME_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json.h"
#include "trace/trace.h"

/* Keys that Chrome traces have, by which one is known that is damaged or not all
 * there. */

/* Is it a member of the document, beside or before the events? */
bool chrome_facts_is_document_key(const void *key, size_t size);

/* A bit for each key that events have; 0 if it is another key. */
uint32_t chrome_facts_event_key(const void *key, size_t size);

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

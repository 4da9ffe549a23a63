/* SPDX-License-Identifier: MIT */
/*
 * Metadata of a Chrome trace: its own members, and in "otherData" the tool, the
 * input's name, the facts about the recording, the losses and repairs.
 */
#ifndef CHROME_FACTS_H
#define CHROME_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json.h"
#include "trace/trace.h"

/* Keys of Chrome traces, for recognizing a damaged or incomplete one. */

/* Is it a member of the document, beside or before the events? */
bool chrome_facts_is_document_key(const void *key, size_t size);

/* One bit per key of events; 0 for other keys. */
uint32_t chrome_facts_event_key(const void *key, size_t size);

/* The first member of the documents that we write; its value is the version. */
#define CHROME_OWN_MEMBER "ctprof"
void chrome_facts_write_own(struct json *json);

/* Writes members of the document: those that viewers need, and those of the
 * input trace. False if out of memory. */
bool chrome_facts_write_members(struct json *json, const struct trace *trace);

/* Writes the object. `title` may be NULL. First adds the text that `json` had
 * to replace to the losses. False if out of memory. */
bool chrome_facts_write(
	struct json *json, struct trace *trace, const char *title);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Source: the Trace Event Format (Google), and what Kineto, clang, Chrome and
 * VizTracer write before their events.
 */
#include "chrome/chrome_keys.h"

#include <string.h>

static const char *const events[] = {"args", "bind_id", "bp", "cat", "cname",
	"dur", "id", "id2", "name", "ph", "pid", "s", "scope", "sf", "tdur",
	"tid", "ts", "tts", NULL};
static const char *const documents[] = {"baseTimeNanoseconds",
	"beginningOfTime", "computeProperties", "deviceProperties",
	"displayTimeUnit", "distributedInfo", "file_info", "metadata",
	"otherData", "samples", "schemaVersion", "stackFrames",
	"systemTraceEvents", "traceEvents", "traceName", "viztracer_metadata",
	NULL};

/* Which one it is; that of the NULL if none. */
static unsigned find(const char *const *keys, const void *key, size_t size)
{
	unsigned i = 0;

	while (keys[i] != NULL &&
		(strlen(keys[i]) != size || memcmp(keys[i], key, size) != 0))
		i++;
	return i;
}

bool chrome_keys_document(const void *key, size_t size)
{
	return documents[find(documents, key, size)] != NULL;
}

uint32_t chrome_keys_event(const void *key, size_t size)
{
	unsigned i = find(events, key, size);

	return events[i] == NULL ? 0 : UINT32_C(1) << i;
}

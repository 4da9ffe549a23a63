/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_facts.h"

#include <string.h>

#define QUOTE_(x) #x
#define QUOTE(x) QUOTE_(x)
#define TOOL_VERSION \
	QUOTE(CTP_VERSION_MAJOR) \
	"." QUOTE(CTP_VERSION_MINOR) "." QUOTE(CTP_VERSION_PATCH)

void chrome_facts_write_own(struct json *json)
{
	json_key(json, CHROME_OWN_MEMBER);
	json_text(json, TOOL_VERSION);
}

/* Adds to a set of escaped keys. */
static bool add_key(struct strtab *seen, const struct json *key, bool *is_new)
{
	uint32_t count = strtab_count(seen);

	if (key->failed ||
		strtab_add(seen, key->bytes, key->used) == STRTAB_NONE)
		return false;
	*is_new = strtab_count(seen) > count;
	return true;
}

/* Puts the key of fact `i` into `key`, escaped. Keys may repeat (two inputs,
 * two hosts), but not in a JSON object, so later ones get their number
 * appended. */
static bool make_key(struct json *key, struct strtab *seen,
	const struct trace *trace, uint32_t i)
{
	bool is_new = false;
	size_t size;
	const char *bytes =
		strtab_text(trace->text, trace->facts[i].key, &size);

	key->used = 0;
	json_raw_string(key, bytes, size);
	if (!add_key(seen, key, &is_new))
		return false;
	while (!is_new) {
		char number[JSON_NUMBER_MAX];

		if (key->used > 0)
			key->used--; /* the closing quote */
		json_raw_text(key, " (");
		json_raw(key, number,
			(size_t)(json_put_uint(number, i + 1) - number));
		json_raw_text(key, ")\"");
		if (!add_key(seen, key, &is_new))
			return false;
	}
	return true;
}

/* A fact that we know more precisely: the time origin in microseconds, by which
 * tools recognize clang's traces. */
static bool is_base(const struct trace *trace, const struct trace_fact *fact)
{
	return fact->kind == FACT_JSON && trace->base_realtime_ns != 0 &&
	       strcmp(strtab_text(trace->text, fact->key, NULL),
		       "beginningOfTime") == 0;
}

/* A fact that was a member is written unchanged; others are text. */
static void write_fact(struct json *json, const struct trace *trace,
	const struct trace_fact *fact, const struct json *key)
{
	size_t size;
	const char *value = strtab_text(trace->text, fact->value, &size);

	json_value(json, key->bytes, key->used);
	json_raw_text(json, ":");
	if (is_base(trace, fact)) {
		json->comma = false;
		json_int(json, trace->base_realtime_ns / 1000);
		return;
	}
	if (fact->kind == FACT_JSON || fact->kind == FACT_OTHER_JSON)
		json_raw(json, value, size);
	else
		json_raw_string(json, value, size);
}

/* Writes the facts of one place, both `text` and JSON, except keys in
 * `taken`. */
static bool write_facts(struct json *json, const struct trace *trace,
	enum trace_fact_kind text, const char *const *taken)
{
	struct strtab *seen = strtab_new();
	struct json key;
	bool done = json_init(&key, NULL) && seen != NULL;

	for (; done && *taken != NULL; taken++)
		done = strtab_add(seen, *taken, strlen(*taken)) != STRTAB_NONE;
	for (uint32_t i = 0; i < trace->fact_count && done; i++) {
		const struct trace_fact *fact = &trace->facts[i];

		if (fact->kind != text &&
			(text == FACT_OWN || fact->kind != text + 1))
			continue;
		done = make_key(&key, seen, trace, i);
		write_fact(json, trace, fact, &key);
	}
	json->replaced += key.replaced;
	json_clear(&key);
	strtab_free(seen);
	return done;
}

static void write_losses(struct json *json, const struct trace *trace)
{
	json_key(json, "losses");
	json_begin(json, '{');
	for (int i = 0; i < LOSS_KINDS; i++) {
		if (trace->losses[i] == 0)
			continue;
		json_key(json, trace_loss_name((enum trace_loss)i));
		json_uint(json, trace->losses[i]);
	}
	json_end(json, '}');
}

/* Does the document have this member? */
static bool has_member(const struct trace *trace, const char *name)
{
	for (uint32_t i = 0; i < trace->fact_count; i++)
		if ((trace->facts[i].kind == FACT_TEXT ||
			    trace->facts[i].kind == FACT_JSON) &&
			strcmp(strtab_text(
				       trace->text, trace->facts[i].key, NULL),
				name) == 0)
			return true;
	return false;
}

bool chrome_facts_write_members(struct json *json, const struct trace *trace)
{
	static const char *const taken[] = {"\"schemaVersion\"",
		"\"baseTimeNanoseconds\"", "\"traceEvents\"",
		"\"deviceProperties\"", "\"otherData\"", "\"samples\"",
		"\"stackFrames\"", "\"computeProperties\"", NULL};

	if (!has_member(trace, "displayTimeUnit")) {
		json_key(json, "displayTimeUnit");
		json_text(json, "ns");
	}
	return write_facts(json, trace, FACT_TEXT, taken);
}

bool chrome_facts_write(
	struct json *json, struct trace *trace, const char *title)
{
	static const char *const taken[] = {
		"\"tool\"", "\"title\"", "\"facts\"", "\"losses\"", NULL};
	bool done;

	json_begin(json, '{');
	json_key(json, "tool");
	json_text(json, "ctprof " TOOL_VERSION);
	if (title != NULL) {
		json_key(json, "title");
		json_text(json, title);
	}
	done = write_facts(json, trace, FACT_OTHER_TEXT, taken);
	json_key(json, "facts");
	json_begin(json, '{');
	done = done && write_facts(json, trace, FACT_OWN, taken + 4);
	json_end(json, '}');
	trace->losses[LOSS_BAD_TEXT] += json->replaced;
	write_losses(json, trace);
	json_end(json, '}');
	return done;
}

/* Source: the Trace Event Format (Google), and the members that Kineto, clang,
 * Chrome and VizTracer write before their events. */
static const char *const event_keys[] = {"args", "bind_id", "bp", "cat",
	"cname", "dur", "id", "id2", "name", "ph", "pid", "s", "scope", "sf",
	"tdur", "tid", "ts", "tts", NULL};
static const char *const document_keys[] = {"baseTimeNanoseconds",
	"beginningOfTime", "computeProperties", "deviceProperties",
	"displayTimeUnit", "distributedInfo", "file_info", "metadata",
	"otherData", "samples", "schemaVersion", "stackFrames",
	"systemTraceEvents", "traceEvents", "traceName", "viztracer_metadata",
	NULL};

/* The index of the key; the index of the NULL if not found. */
static unsigned find_key(const char *const *keys, const void *key, size_t size)
{
	unsigned i = 0;

	while (keys[i] != NULL &&
		(strlen(keys[i]) != size || memcmp(keys[i], key, size) != 0))
		i++;
	return i;
}

bool chrome_facts_is_document_key(const void *key, size_t size)
{
	return document_keys[find_key(document_keys, key, size)] != NULL;
}

uint32_t chrome_facts_event_key(const void *key, size_t size)
{
	unsigned i = find_key(event_keys, key, size);

	return event_keys[i] == NULL ? 0 : UINT32_C(1) << i;
}

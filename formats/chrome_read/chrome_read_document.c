/* SPDX-License-Identifier: MIT */
/*
 * The file as a whole: an array of events, or an object that has one or two
 * among its members, wherever they stand. All else that an object has becomes
 * facts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chrome/chrome_facts.h"
#include "io/known_formats.h"
#include "json/json_sanitize.h"
#include "json/json_value.h"
#include "chrome/chrome_keys.h"
#include "chrome_read/chrome_read_pairs.h"
#include "chrome_read/chrome_reader.h"

/* Objects and arrays that are longer are no facts, but contents; and so much is
 * kept in all. */
#define FACT_BYTES_MAX ((size_t)256 * 1024)
#define FACTS_BYTES_MAX ((size_t)4 * 1024 * 1024)

/* But of a job with many ranks it takes this much to say which one it is. */
#define DISTRIBUTED_BYTES_MAX 65536

/* Is it "{}"? JAX and rocprof have one before or behind their events. */
static bool is_empty(
	const struct chrome_reader *reader, const struct json_token *begin)
{
	return json_scan_position(reader->scan) - begin->at == 2;
}

/* Events up to the array's end. Those of `samples` need not have a phase, but
 * have a stack: perf's JSON has others under this name. */
static enum ctp_status read_events(
	struct chrome_reader *reader, bool samples, struct ctp_error *err)
{
	struct json_token token;
	struct chrome_read_json event;
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		status = json_scan_next(reader->scan, &token, err);
		if (status != CTP_OK || token.kind == JSON_END)
			break;
		if (token.kind == JSON_OBJECT) {
			status = chrome_read_json_read(
				&reader->json, &token, &event, err);
			if (samples && event.phase == 0 &&
				(event.frame.kind == JSON_STRING ||
					event.frame.kind == JSON_NUMBER))
				event.phase = 'P';
			/* JAX's last is {}, and nvcc's first: nothing is lost. */
			if (status == CTP_OK &&
				(event.phase != 0 || !is_empty(reader, &token)))
				status = chrome_read_events_add(
					&reader->events, &event, err);
			trace_tick(reader->trace, reader->events.count);
		} else {
			trace_lose(reader->trace, LOSS_BAD_EVENTS, 1);
			if (token.kind == JSON_ARRAY)
				status = json_scan_skip(reader->scan, err);
		}
	}
	json_scan_let_go(reader->scan);
	return status;
}

/* The value of a member as a fact shows it. */
static bool plain_value(const struct json_scan *scan,
	const struct json_token *token, size_t size, struct buffer *out)
{
	const char *bytes = json_scan_text(scan, token);

	if (token->kind != JSON_STRING &&
		(json_scan_has_words(scan, token->at) ||
			json_sanitize_is_due(bytes, size)))
		return json_sanitize(bytes, size, out);
	if (token->has_escapes)
		return json_value_unescape(bytes, size, out);
	buffer_add(out, bytes, size);
	return !out->failed;
}

/* A fact, its text being that of the token or, of an object, all of it. */
static bool add_fact(struct chrome_reader *reader, const char *key,
	const struct json_token *token, size_t size)
{
	bool is_text = token->kind == JSON_STRING;
	enum trace_fact_kind kind = reader->fact_kind;
	struct buffer text = BUFFER_INIT;
	bool done;

	if (size > FACTS_BYTES_MAX - reader->fact_bytes) {
		trace_lose(reader->trace, LOSS_NOT_SHOWN, 1);
		return true;
	}
	reader->fact_bytes += size;
	if (kind != FACT_OWN && !is_text)
		kind++;
	done = plain_value(reader->scan, token, size, &text);
	buffer_add_byte(&text, '\0');
	done = done && !text.failed &&
	       trace_add_member(
		       reader->trace, kind, key, (const char *)text.bytes);
	buffer_clear(&text);
	return done;
}

/* Passes over what is open innermost; whether it was no longer than that. Its
 * text is there then. */
static enum ctp_status skip_short(struct chrome_reader *reader,
	const struct json_token *begin, uint64_t bytes_max, bool *is_short,
	struct ctp_error *err)
{
	uint32_t depth = json_scan_depth(reader->scan);
	struct json_token token;
	enum ctp_status status = CTP_OK;

	*is_short = true;
	while (status == CTP_OK && json_scan_depth(reader->scan) >= depth) {
		if (!*is_short) {
			status = json_scan_skip(reader->scan, err);
			continue;
		}
		status = json_scan_next(reader->scan, &token, err);
		*is_short = json_scan_position(reader->scan) - begin->at <=
			    bytes_max;
		if (!*is_short)
			json_scan_let_go(reader->scan);
	}
	return status;
}

static enum ctp_status read_object(struct chrome_reader *reader,
	const char *key, const struct json_token *token, struct ctp_error *err)
{
	bool is_short;
	enum ctp_status status;
	size_t size;

	json_scan_keep(reader->scan, token);
	status = skip_short(reader, token,
		strcmp(key, TRACE_DISTRIBUTED) == 0 ? DISTRIBUTED_BYTES_MAX
						    : FACT_BYTES_MAX,
		&is_short, err);
	if (status != CTP_OK)
		return status;
	size = (size_t)(json_scan_position(reader->scan) - token->at);
	if (!is_short)
		trace_lose(reader->trace, LOSS_NOT_SHOWN, 1);
	else if (!add_fact(reader, key, token, size))
		status = ctp_no_memory(err);
	json_scan_let_go(reader->scan);
	return status;
}

/* When time was 0, in units of 10^-power of a nanosecond; false: not so. */
static bool read_base(
	struct chrome_reader *reader, const struct json_token *token, int power)
{
	int64_t base_ns;

	if ((token->kind != JSON_NUMBER && token->kind != JSON_STRING) ||
		!json_value_scaled(json_scan_text(reader->scan, token),
			token->size, power, &base_ns))
		return false;
	reader->trace->base_realtime_ns = base_ns;
	return true;
}

/* Is it one that a trace has? Its value may not be there any more. What it is
 * if it is none, is told by the first member that is known. */
static void note_key(struct chrome_reader *reader, const struct buffer *key)
{
	if (chrome_keys_document(key->bytes, key->used))
		reader->has_header = true;
	else
		reader->has_strange = true;
	if (reader->foreign == NULL)
		reader->foreign = known_formats_member(key->bytes, key->used);
}

static enum ctp_status read_members(struct chrome_reader *reader,
	enum ctp_status (*read)(struct chrome_reader *reader, const char *key,
		const struct json_token *value, struct ctp_error *err),
	struct ctp_error *err)
{
	struct buffer key = BUFFER_INIT;
	struct json_token token;
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		status = json_scan_next(reader->scan, &token, err);
		if (status != CTP_OK || token.kind == JSON_END)
			break;
		key.used = 0;
		(void)json_value_unescape(
			json_scan_text(reader->scan, &token), token.size, &key);
		if (json_scan_depth(reader->scan) == 1)
			note_key(reader, &key);
		buffer_add_byte(&key, '\0');
		status = key.failed ? ctp_no_memory(err)
				    : json_scan_next(reader->scan, &token, err);
		if (status == CTP_OK)
			status = read(
				reader, (const char *)key.bytes, &token, err);
	}
	buffer_clear(&key);
	return status;
}

static enum ctp_status read_fact(struct chrome_reader *reader, const char *key,
	const struct json_token *value, struct ctp_error *err)
{
	if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
		return read_object(reader, key, value, err);
	return add_fact(reader, key, value, value->size) ? CTP_OK
							 : ctp_no_memory(err);
}

/* Facts of a log of ours, in a trace that we made of it. */
static enum ctp_status read_own(
	struct chrome_reader *reader, struct ctp_error *err)
{
	enum trace_fact_kind kind = reader->fact_kind;
	enum ctp_status status;

	reader->fact_kind = FACT_OWN;
	status = read_members(reader, read_fact, err);
	reader->fact_kind = kind;
	return status;
}

/* Ranges that we wrote stand where they end, as if children came first, but
 * not those that start together. */
static bool is_own_tool(
	const struct chrome_reader *reader, const struct json_token *value)
{
	static const char name[] = "ctprof ";
	const size_t size = sizeof(name) - 1;

	return value->kind == JSON_STRING && value->size > size &&
	       memcmp(json_scan_text(reader->scan, value), name, size) == 0;
}

/* A member of "otherData". In that of our own files facts are one level
 * further down, and what the tool and the title were is said anew. */
static enum ctp_status read_other(struct chrome_reader *reader, const char *key,
	const struct json_token *value, struct ctp_error *err)
{
	if (value->kind == JSON_OBJECT && strcmp(key, "facts") == 0)
		return read_own(reader, err);
	if (value->kind == JSON_OBJECT && strcmp(key, "losses") == 0)
		return json_scan_skip(reader->scan, err);
	if (strcmp(key, "tool") == 0)
		reader->producer.is_own |= is_own_tool(reader, value);
	if (strcmp(key, "tool") == 0 || strcmp(key, "title") == 0)
		return value->kind == JSON_OBJECT || value->kind == JSON_ARRAY
			       ? json_scan_skip(reader->scan, err)
			       : CTP_OK;
	return read_fact(reader, key, value, err);
}

/* When time was 0 of VizTracer's, which says it in an object of its own. */
static enum ctp_status read_viztracer(struct chrome_reader *reader,
	const char *key, const struct json_token *value, struct ctp_error *err)
{
	static const char name[] = "\"baseTimeNanoseconds\":";
	enum ctp_status status = read_object(reader, key, value, err);
	const char *text = trace_find_fact(reader->trace, key);
	int64_t base_ns;

	if (status != CTP_OK || text == NULL || reader->has_base)
		return status;
	text = strstr(text, name);
	if (text == NULL)
		return CTP_OK;
	text += sizeof(name) - 1;
	text += strspn(text, " \t\r\n");
	if (json_value_scaled(text, strspn(text, "-0123456789"), 0, &base_ns))
		reader->trace->base_realtime_ns = base_ns;
	return CTP_OK;
}

static enum ctp_status read_other_data(
	struct chrome_reader *reader, struct ctp_error *err)
{
	enum ctp_status status;

	reader->fact_kind = FACT_OTHER_TEXT;
	status = read_members(reader, read_other, err);
	reader->fact_kind = FACT_TEXT;
	return status;
}

static enum ctp_status read_member(struct chrome_reader *reader,
	const char *key, const struct json_token *value, struct ctp_error *err)
{
	bool array = value->kind == JSON_ARRAY;
	bool object = value->kind == JSON_OBJECT;

	if (array && strcmp(key, "traceEvents") == 0) {
		reader->has_events = true;
		return read_events(reader, false, err);
	}
	if (array && strcmp(key, "samples") == 0)
		return read_events(reader, true, err);
	if (array && (strcmp(key, "deviceProperties") == 0 ||
			     strcmp(key, "computeProperties") == 0))
		return chrome_read_devices_read(
			&reader->devices, reader->scan, err);
	if (object && strcmp(key, "stackFrames") == 0)
		return chrome_read_frames_read(
			&reader->frames, reader->scan, err);
	if (object && strcmp(key, "viztracer_metadata") == 0)
		return read_viztracer(reader, key, value, err);
	if (object && strcmp(key, "otherData") == 0)
		return read_other_data(reader, err);
	if (strcmp(key, "systemTraceEvents") == 0)
		reader->has_ftrace =
			value->kind == JSON_STRING && value->size > 0;
	if (strcmp(key, CHROME_OWN_MEMBER) == 0) {
		reader->producer.is_own = true;
		reader->json.places = true;
		reader->names.is_own = true;
		return array || object ? json_scan_skip(reader->scan, err)
				       : CTP_OK;
	}
	/* What we write ourselves, anew. */
	if (strcmp(key, "schemaVersion") == 0)
		return array || object ? json_scan_skip(reader->scan, err)
				       : CTP_OK;
	if (strcmp(key, "baseTimeNanoseconds") == 0) {
		reader->has_base = read_base(reader, value, 0);
		return array || object ? json_scan_skip(reader->scan, err)
				       : CTP_OK;
	}
	/* clang's is the time of day, and LDC's since the machine started. */
	if (strcmp(key, "beginningOfTime") == 0 && !reader->has_base &&
		read_base(reader, value, 3) &&
		reader->trace->base_realtime_ns < TRACE_WALL_MIN_NS)
		reader->trace->base_realtime_ns = 0;
	return read_fact(reader, key, value, err);
}

static enum ctp_status read_array(
	struct chrome_reader *reader, struct ctp_error *err)
{
	reader->is_array = true;
	return read_events(reader, false, err);
}

/* Is it something else, as far as one can see? Before its first event is
 * written, a trace has but a few members, and at last none. */
static bool is_no_trace(const struct chrome_reader *reader)
{
	if (reader->is_array)
		return !reader->events.has_phase &&
		       reader->trace->losses[LOSS_BAD_EVENTS] > 0;
	if (reader->has_ftrace && reader->events.count == 0)
		return true;
	/* Samples that have a stack are events as well. */
	return !reader->has_events && !reader->events.has_phase &&
	       (!reader->is_object || !json_scan_is_cut_off(reader->scan) ||
		       (reader->has_strange && !reader->has_header));
}

static enum ctp_status read_document(
	struct chrome_reader *reader, struct ctp_error *err)
{
	struct json_token token;
	enum ctp_status status = json_scan_next(reader->scan, &token, err);

	reader->fact_kind = FACT_TEXT;
	reader->is_object = status == CTP_OK && token.kind == JSON_OBJECT;
	if (reader->is_object)
		status = read_members(reader, read_member, err);
	else if (status == CTP_OK && token.kind == JSON_ARRAY)
		status = read_array(reader, err);
	else if (status == CTP_OK)
		status = ctp_fail_at(err, CTP_ERR_FORMAT, token.at,
			"neither an object nor an array of events");
	if (status == CTP_OK)
		status = json_scan_next(reader->scan, &token, err);
	if (status != CTP_END)
		return status;
	if (!is_no_trace(reader))
		return CTP_OK;
	return ctp_fail(err, CTP_ERR_FORMAT, "%s",
		reader->is_array          ? "is an array, but none of events"
		: reader->foreign != NULL ? reader->foreign
					  : "has no \"traceEvents\"");
}

/* What to do about it, where something comes behind what is wrong. */
#define MENDED "; 'ctprof repair' mends it"

/*
 * What is wrong with the file is no reason to give up what came before. An
 * array of events need not be closed, so that a program may crash while it
 * writes one.
 */
static enum ctp_status forgive(struct chrome_reader *reader,
	const struct ctp_error *failed, struct ctp_error *err)
{
	bool at_end = json_scan_is_cut_off(reader->scan);
	bool begun =
		(reader->events.count > 0 || at_end) && !is_no_trace(reader);
	char damage[sizeof(failed->message) + 96];

	if (failed->status == CTP_ERR_FORMAT && !begun && !at_end &&
		failed->offset != ERROR_NO_OFFSET)
		return ctp_fail_at(err, failed->status, failed->offset,
			"%.150s" MENDED, failed->message);
	if (!begun || (failed->status != CTP_ERR_FORMAT &&
			      failed->status != CTP_ERR_LIMIT)) {
		if (err != NULL)
			*err = *failed;
		return failed->status;
	}
	if (reader->is_array && json_scan_depth(reader->scan) == 1 &&
		json_scan_is_at_end(reader->scan))
		return CTP_OK;
	trace_lose(reader->trace, LOSS_TRUNCATED, 1);
	(void)snprintf(damage, sizeof(damage), "byte %" PRIu64 ": %s%s",
		failed->offset, failed->message, at_end ? "" : MENDED);
	return trace_set_fact(reader->trace, "damage", damage)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

/* Who used the devices, if nobody was seen to: the process 0, if it has a name.
 */
static uint32_t device_user(const struct chrome_reader *reader)
{
	const struct chrome_read_rows *rows = &reader->rows;
	uint32_t process = reader->events.process;

	for (uint32_t i = strtab_count(rows->pids) - 1; i > 0 && process == 0;
		i--)
		if (rows->processes[i].pid == 0)
			process = i;
	return process;
}

enum ctp_status chrome_reader_read(
	struct chrome_reader *reader, struct ctp_error *err)
{
	struct ctp_error failed;
	enum ctp_status status = read_document(reader, &failed);
	uint32_t process;

	if (status != CTP_OK)
		status = forgive(reader, &failed, err);
	json_scan_let_go(reader->scan);
	if (status == CTP_OK)
		status = chrome_read_events_finish(&reader->events, err);
	if (status != CTP_OK)
		return status;
	chrome_read_rows_finish(&reader->rows);
	process = device_user(reader);
	if (!chrome_read_streams_finish(&reader->streams, process) ||
		!chrome_correlation_finish(&reader->join) ||
		!chrome_read_devices_finish(
			&reader->devices, reader->rows.processes[process].pid))
		return ctp_no_memory(err);
	reader->producer.is_reversed = !reader->producer.is_own &&
				       reader->producer.children_first >
					       reader->producer.parents_first;
	if (reader->producer.is_reversed)
		extsort_reverse_ties(reader->spill);
	status = extsort_sort(reader->spill, err);
	if (status == CTP_OK && reader->events.has_ranges)
		status = chrome_read_pairs_match(
			&reader->spill, reader->trace, &reader->producer, err);
	if (status == CTP_OK && reader->trace->rest_bytes != 0)
		status = extsort_shrink(
			reader->spill, reader->trace->rest_bytes, err);
	if (status != CTP_OK)
		return status;
	reader->end = json_scan_position(reader->scan);
	json_scan_free(reader->scan);
	reader->scan = NULL;
	return CTP_OK;
}

/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chrome/chrome_facts.h"
#include "chrome_read/chrome_read_ahead.h"
#include "io/known_formats.h"
#include "io/truncation.h"
#include "json/json_value.h"
#include "base/memory.h"
#include "base/strtab.h"

/* Limits of facts: longer objects and arrays are contents, not facts; and the
 * total that is kept. */
#define FACT_BYTES_MAX ((size_t)256 * 1024)
#define FACTS_BYTES_MAX ((size_t)4 * 1024 * 1024)

/* A job with many ranks needs this much to identify its rank. */
#define DISTRIBUTED_BYTES_MAX 65536

/* More devices than any machine has; further ones are counted as not shown. */
#define DEVICES_MAX 1024

/* Distance of attempts to read ahead, each of which starts threads. */
#define AHEAD_DISTANCE (UINT64_C(1) << 20)

/* Is it "{}"? JAX and rocprof have one before or after their events. */
static bool is_empty(const struct chrome_read_document *document,
	const struct json_token *begin)
{
	return json_scan_position(document->scan) - begin->at == 2;
}

/* Adds an event. `samples` need no phase if they have a stack: perf's JSON uses
 * the name for other items. */
static enum ctp_status add_event(struct chrome_read_document *document,
	bool samples, struct chrome_read_json *event, bool is_empty,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (samples && event->phase == 0 &&
		(event->frame.kind == JSON_STRING ||
			event->frame.kind == JSON_NUMBER))
		event->phase = 'P';
	/* JAX's last event is {}, and nvcc's first: no loss. */
	if (event->phase != 0 || !is_empty)
		status = chrome_read_events_add(document->events, event, err);
	read_request_progress(
		&document->trace->request, document->events->count);
	return status;
}

/* Reads events on several processors, as far as that is possible. */
static enum ctp_status read_ahead(struct chrome_read_document *document,
	bool samples, struct ctp_error *err)
{
	struct chrome_read_ahead *ahead =
		chrome_read_ahead_new(document->scan, document->json);
	enum ctp_status status = CTP_OK;
	struct chrome_read_json *event;
	bool is_empty;

	while (ahead != NULL && status == CTP_OK) {
		status = chrome_read_ahead_next(ahead, &event, &is_empty, err);
		document->events->scan = document->json->scan;
		if (status == CTP_OK)
			status = add_event(
				document, samples, event, is_empty, err);
	}
	chrome_read_ahead_free(ahead);
	document->events->scan = document->scan;
	document->ahead_from =
		json_scan_position(document->scan) + AHEAD_DISTANCE;
	return status == CTP_END ? CTP_OK : status;
}

static bool is_time_to_read_ahead(const struct chrome_read_document *document)
{
	uint64_t position = json_scan_position(document->scan);

	return position >= document->ahead_from &&
	       chrome_read_ahead_is_useful(document->trace, position);
}

/* Reads events up to the array's end. */
static enum ctp_status read_events(struct chrome_read_document *document,
	bool samples, struct ctp_error *err)
{
	struct json_token token;
	struct chrome_read_json event;
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		status = json_scan_next(document->scan, &token, err);
		if (status != CTP_OK || token.kind == JSON_END)
			break;
		if (token.kind == JSON_OBJECT) {
			status = chrome_read_json_read(
				document->json, &token, &event, err);
			if (status == CTP_OK)
				status = add_event(document, samples, &event,
					is_empty(document, &token), err);
			if (status == CTP_OK && is_time_to_read_ahead(document))
				status = read_ahead(document, samples, err);
		} else {
			trace_lose(document->trace, LOSS_BAD_EVENTS, 1);
			if (token.kind == JSON_ARRAY)
				status = json_scan_skip(document->scan, err);
		}
	}
	json_scan_unpin(document->scan);
	return status;
}

/* The value of a member, as text of a fact. */
static bool plain_value(const struct json_scan *scan,
	const struct json_token *token, size_t size, struct buffer *out)
{
	const char *bytes = json_scan_text(scan, token);

	if (token->kind != JSON_STRING &&
		(json_scan_has_words(scan, token->at) ||
			json_value_needs_sanitizing(bytes, size)))
		return json_value_sanitize(bytes, size, out);
	if (token->has_escapes)
		return json_value_unescape(bytes, size, out);
	buffer_add(out, bytes, size);
	return !out->failed;
}

/* Adds a fact with the text of the token or of the whole object. */
static bool add_fact(struct chrome_read_document *document, const char *key,
	const struct json_token *token, size_t size)
{
	bool is_text = token->kind == JSON_STRING;
	enum trace_fact_kind kind = document->fact_kind;
	struct buffer text = BUFFER_INIT;
	bool done;

	if (size > FACTS_BYTES_MAX - document->fact_bytes) {
		trace_lose(document->trace, LOSS_NOT_KEPT, 1);
		return true;
	}
	document->fact_bytes += size;
	if (kind != FACT_OWN && !is_text)
		kind++;
	done = plain_value(document->scan, token, size, &text);
	buffer_add_byte(&text, '\0');
	done = done && !text.failed &&
	       trace_add_member(
		       document->trace, kind, key, (const char *)text.bytes);
	buffer_clear(&text);
	return done;
}

/* Skips the innermost open value; `*is_short`: it had at most `bytes_max`, and
 * its text is available. */
static enum ctp_status skip_short(struct chrome_read_document *document,
	const struct json_token *begin, uint64_t bytes_max, bool *is_short,
	struct ctp_error *err)
{
	uint32_t depth = json_scan_depth(document->scan);
	struct json_token token;
	enum ctp_status status = CTP_OK;

	*is_short = true;
	while (status == CTP_OK && json_scan_depth(document->scan) >= depth) {
		if (!*is_short) {
			status = json_scan_skip(document->scan, err);
			continue;
		}
		status = json_scan_next(document->scan, &token, err);
		*is_short = json_scan_position(document->scan) - begin->at <=
			    bytes_max;
		if (!*is_short)
			json_scan_unpin(document->scan);
	}
	return status;
}

static enum ctp_status read_object(struct chrome_read_document *document,
	const char *key, const struct json_token *token, struct ctp_error *err)
{
	bool is_short;
	enum ctp_status status;
	size_t size;

	json_scan_pin(document->scan, token);
	status = skip_short(document, token,
		strcmp(key, TRACE_DISTRIBUTED) == 0 ? DISTRIBUTED_BYTES_MAX
						    : FACT_BYTES_MAX,
		&is_short, err);
	if (status != CTP_OK)
		return status;
	size = (size_t)(json_scan_position(document->scan) - token->at);
	if (!is_short)
		trace_lose(document->trace, LOSS_NOT_KEPT, 1);
	else if (!add_fact(document, key, token, size))
		status = ctp_no_memory(err);
	json_scan_unpin(document->scan);
	return status;
}

/* Reads the time origin, in units of 10^power nanoseconds; false if it is
 * invalid. */
static bool read_base(struct chrome_read_document *document,
	const struct json_token *token, int power)
{
	int64_t base_ns;

	if ((token->kind != JSON_NUMBER && token->kind != JSON_STRING) ||
		!json_value_scaled(json_scan_text(document->scan, token),
			token->size, power, &base_ns))
		return false;
	document->trace->base_realtime_ns = base_ns;
	return true;
}

/* Records whether it is a trace's member; its value may be missing in a
 * truncated file. If it is not a trace, the first known member identifies the
 * format. */
static void record_key(
	struct chrome_read_document *document, const struct buffer *key)
{
	if (chrome_facts_is_document_key(key->bytes, key->used))
		document->has_header = true;
	else
		document->has_unknown = true;
	if (document->foreign == NULL)
		document->foreign = known_formats_member(key->bytes, key->used);
}

static enum ctp_status read_members(struct chrome_read_document *document,
	enum ctp_status (*read)(struct chrome_read_document *document,
		const char *key, const struct json_token *value,
		struct ctp_error *err),
	struct ctp_error *err)
{
	struct buffer key = BUFFER_INIT;
	struct json_token token;
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		status = json_scan_next(document->scan, &token, err);
		if (status != CTP_OK || token.kind == JSON_END)
			break;
		key.used = 0;
		(void)json_value_unescape(
			json_scan_text(document->scan, &token), token.size,
			&key);
		if (json_scan_depth(document->scan) == 1)
			record_key(document, &key);
		buffer_add_byte(&key, '\0');
		status = key.failed
				 ? ctp_no_memory(err)
				 : json_scan_next(document->scan, &token, err);
		if (status == CTP_OK)
			status = read(
				document, (const char *)key.bytes, &token, err);
	}
	buffer_clear(&key);
	return status;
}

static enum ctp_status read_fact(struct chrome_read_document *document,
	const char *key, const struct json_token *value, struct ctp_error *err)
{
	if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
		return read_object(document, key, value, err);
	return add_fact(document, key, value, value->size) ? CTP_OK
							   : ctp_no_memory(err);
}

/* Reads the facts of our own log, in a trace made from it. */
static enum ctp_status read_own(
	struct chrome_read_document *document, struct ctp_error *err)
{
	enum trace_fact_kind kind = document->fact_kind;
	enum ctp_status status;

	document->fact_kind = FACT_OWN;
	status = read_members(document, read_fact, err);
	document->fact_kind = kind;
	return status;
}

/* Our own ranges are ordered by their ends, so children come first, except
 * among ranges that start together. */
static bool is_own_tool(const struct chrome_read_document *document,
	const struct json_token *value)
{
	static const char name[] = "ctprof ";
	const size_t size = sizeof(name) - 1;

	return value->kind == JSON_STRING && value->size > size &&
	       memcmp(json_scan_text(document->scan, value), name, size) == 0;
}

/* A member of "otherData". Our own files have the facts one level deeper; tool
 * and title are written anew. */
static enum ctp_status read_other(struct chrome_read_document *document,
	const char *key, const struct json_token *value, struct ctp_error *err)
{
	if (value->kind == JSON_OBJECT && strcmp(key, "facts") == 0)
		return read_own(document, err);
	if (value->kind == JSON_OBJECT && strcmp(key, "losses") == 0)
		return json_scan_skip(document->scan, err);
	if (strcmp(key, "tool") == 0)
		document->producer->is_own |= is_own_tool(document, value);
	if (strcmp(key, "tool") == 0 || strcmp(key, "title") == 0)
		return value->kind == JSON_OBJECT || value->kind == JSON_ARRAY
			       ? json_scan_skip(document->scan, err)
			       : CTP_OK;
	return read_fact(document, key, value, err);
}

/* Reads VizTracer's time origin, which is in a separate object. */
static enum ctp_status read_viztracer(struct chrome_read_document *document,
	const char *key, const struct json_token *value, struct ctp_error *err)
{
	static const char name[] = "\"baseTimeNanoseconds\":";
	enum ctp_status status = read_object(document, key, value, err);
	const char *text = trace_find_fact(document->trace, key);
	int64_t base_ns;

	if (status != CTP_OK || text == NULL || document->has_base)
		return status;
	text = strstr(text, name);
	if (text == NULL)
		return CTP_OK;
	text += sizeof(name) - 1;
	text += strspn(text, " \t\r\n");
	if (json_value_scaled(text, strspn(text, "-0123456789"), 0, &base_ns))
		document->trace->base_realtime_ns = base_ns;
	return CTP_OK;
}

static enum ctp_status read_other_data(
	struct chrome_read_document *document, struct ctp_error *err)
{
	enum ctp_status status;

	document->fact_kind = FACT_OTHER_TEXT;
	status = read_members(document, read_other, err);
	document->fact_kind = FACT_TEXT;
	return status;
}

static enum ctp_status read_device(struct chrome_read_document *document,
	const struct json_token *token, struct json_scan *scan,
	struct ctp_error *err)
{
	struct chrome_read_args *args = document->args;
	enum ctp_status status;

	json_scan_pin(scan, token);
	if (!chrome_read_args_reset(args))
		return ctp_no_memory(err);
	status = chrome_read_args_read(args, scan, CHROME_READ_WANT_ALL, err);
	if (status != CTP_OK)
		return status;
	buffer_add(&document->devices, &args->count, sizeof(args->count));
	buffer_add(&document->devices, args->bytes.bytes + args->before,
		args->bytes.used - args->before);
	if (document->devices.failed)
		return ctp_no_memory(err);
	document->device_count++;
	return CTP_OK;
}

/* Reads the array that the last token began. */
static enum ctp_status read_devices(
	struct chrome_read_document *document, struct ctp_error *err)
{
	struct json_scan *scan = document->scan;
	struct json_token token;
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		status = json_scan_next(scan, &token, err);
		json_scan_unpin(scan);
		if (status != CTP_OK || token.kind == JSON_END)
			break;
		if (token.kind == JSON_OBJECT &&
			document->device_count < DEVICES_MAX) {
			status = read_device(document, &token, scan, err);
		} else if (token.kind == JSON_OBJECT ||
			   token.kind == JSON_ARRAY) {
			trace_lose(document->trace, LOSS_NOT_KEPT, 1);
			status = json_scan_skip(scan, err);
		}
	}
	return status;
}

static enum ctp_status read_member(struct chrome_read_document *document,
	const char *key, const struct json_token *value, struct ctp_error *err)
{
	bool array = value->kind == JSON_ARRAY;
	bool object = value->kind == JSON_OBJECT;

	if (array && strcmp(key, "traceEvents") == 0) {
		document->has_events = true;
		return read_events(document, false, err);
	}
	if (array && strcmp(key, "samples") == 0)
		return read_events(document, true, err);
	if (array && (strcmp(key, "deviceProperties") == 0 ||
			     strcmp(key, "computeProperties") == 0))
		return read_devices(document, err);
	if (object && strcmp(key, "stackFrames") == 0)
		return chrome_read_frames_read(
			document->frames, document->scan, err);
	if (object && strcmp(key, "viztracer_metadata") == 0)
		return read_viztracer(document, key, value, err);
	if (object && strcmp(key, "otherData") == 0)
		return read_other_data(document, err);
	if (strcmp(key, "systemTraceEvents") == 0)
		document->has_ftrace =
			value->kind == JSON_STRING && value->size > 0;
	if (strcmp(key, CHROME_OWN_MEMBER) == 0) {
		document->producer->is_own = true;
		document->json->places = true;
		document->json->labels->is_own = true;
		return array || object ? json_scan_skip(document->scan, err)
				       : CTP_OK;
	}
	/* Members that we write anew. */
	if (strcmp(key, "schemaVersion") == 0)
		return array || object ? json_scan_skip(document->scan, err)
				       : CTP_OK;
	if (strcmp(key, "baseTimeNanoseconds") == 0) {
		document->has_base = read_base(document, value, 0);
		return array || object ? json_scan_skip(document->scan, err)
				       : CTP_OK;
	}
	/* clang's is the time of day, LDC's the time since boot. */
	if (strcmp(key, "beginningOfTime") == 0 && !document->has_base &&
		read_base(document, value, 3) &&
		document->trace->base_realtime_ns < TRACE_WALL_MIN_NS)
		document->trace->base_realtime_ns = 0;
	return read_fact(document, key, value, err);
}

static enum ctp_status read_array(
	struct chrome_read_document *document, struct ctp_error *err)
{
	document->is_array = true;
	return read_events(document, false, err);
}

/* Is it apparently not a trace? Before its first event, a truncated trace has
 * only a few members or none. */
static bool is_no_trace(const struct chrome_read_document *document)
{
	if (document->is_array)
		return !document->events->has_phase &&
		       document->trace->losses[LOSS_BAD_EVENTS] > 0;
	if (document->has_ftrace && document->events->count == 0)
		return true;
	/* Samples with a stack are events too. */
	return !document->has_events && !document->events->has_phase &&
	       (!document->is_object || !json_scan_is_cut_off(document->scan) ||
		       (document->has_unknown && !document->has_header));
}

static enum ctp_status read_document(
	struct chrome_read_document *document, struct ctp_error *err)
{
	struct json_token token;
	enum ctp_status status = json_scan_next(document->scan, &token, err);

	document->fact_kind = FACT_TEXT;
	document->is_object = status == CTP_OK && token.kind == JSON_OBJECT;
	if (document->is_object)
		status = read_members(document, read_member, err);
	else if (status == CTP_OK && token.kind == JSON_ARRAY)
		status = read_array(document, err);
	else if (status == CTP_OK)
		status = ctp_fail_at(err, CTP_ERR_FORMAT, token.at,
			"neither an object nor an array of events");
	if (status == CTP_OK)
		status = json_scan_next(document->scan, &token, err);
	if (status != CTP_END)
		return status;
	if (!is_no_trace(document))
		return CTP_OK;
	return ctp_fail(err, CTP_ERR_FORMAT, "%s",
		document->is_array          ? "is an array, but not of events"
		: document->foreign != NULL ? document->foreign
					    : "has no \"traceEvents\"");
}

/* Advice for damage that is followed by more text. */
#define MENDED "; 'ctprof repair' fixes it"

/*
 * Damage to a file does not discard the events before it. An array of events
 * need not be closed, because a program may crash while writing it.
 */
static enum ctp_status accept_damage(struct chrome_read_document *document,
	const struct ctp_error *failed, struct ctp_error *err)
{
	bool at_end = json_scan_is_cut_off(document->scan);
	bool begun = (document->events->count > 0 || at_end) &&
		     !is_no_trace(document);
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
	if (document->is_array && json_scan_depth(document->scan) == 1 &&
		json_scan_is_at_end(document->scan))
		return truncation_suspect(
			       document->trace, "its last bracket is missing")
			       ? CTP_OK
			       : ctp_no_memory(err);
	trace_lose(document->trace, LOSS_TRUNCATED, 1);
	(void)snprintf(damage, sizeof(damage), "byte %" PRIu64 ": %s%s",
		failed->offset, failed->message, at_end ? "" : MENDED);
	return trace_set_fact(document->trace, "damage", damage)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

enum ctp_status chrome_read_document_read(
	struct chrome_read_document *document, struct ctp_error *err)
{
	struct ctp_error failed;
	enum ctp_status status = read_document(document, &failed);

	if (status != CTP_OK)
		status = accept_damage(document, &failed, err);
	json_scan_unpin(document->scan);
	return status;
}

/* Is it the argument of this name, and a non-negative number? */
static bool is_number(const struct chrome_read_document *document,
	const struct event_arg *arg, const char *key)
{
	return arg->kind == ARG_INT && arg->value.integer >= 0 &&
	       strcmp(strtab_text(document->trace->text, arg->key, NULL),
		       key) == 0;
}

/* Reads the arguments of a device, except those that identify it. */
static const uint8_t *read_args(const struct chrome_read_document *document,
	const uint8_t *at, uint32_t count, struct trace_device *device,
	bool *owned)
{
	for (uint32_t i = 0; i < count; i++) {
		struct event_arg arg = chrome_read_args_next(&at);

		if (is_number(document, &arg, "id") &&
			arg.value.integer <= (int64_t)UINT32_MAX) {
			device->number = (uint32_t)arg.value.integer;
		} else if (is_number(document, &arg, "pid")) {
			device->pid = arg.value.integer;
			*owned = true;
		} else {
			device->args[device->arg_count++] = arg;
		}
	}
	return at;
}

/* Adds a device for each process that used it, or if none did, for its own
 * process. */
static bool add_shared(struct trace *trace, struct trace_device *device)
{
	bool used = false;

	for (uint32_t i = 0; i < trace->track_count; i++) {
		const struct trace_track *track = &trace->tracks[i];

		if (track->kind != TRACE_STREAM ||
			track->device != device->number ||
			(used && track->pid == device->pid))
			continue;
		if (trace->device_count == DEVICES_MAX) {
			trace_lose(trace, LOSS_NOT_KEPT, 1);
			return true;
		}
		used = true;
		device->pid = track->pid;
		if (trace_add_device(trace, device) == TRACE_NONE)
			return false;
	}
	return used || trace_add_device(trace, device) != TRACE_NONE;
}

bool chrome_read_document_add_devices(
	struct chrome_read_document *document, int64_t pid)
{
	const uint8_t *at = document->devices.bytes;

	for (uint32_t i = 0; i < document->device_count; i++) {
		struct trace_device device = {.pid = pid};
		uint32_t count;
		bool owned = false;
		bool done;

		memcpy(&count, at, sizeof(count));
		device.args = memory_resize_array(
			NULL, (size_t)count + 1, sizeof(*device.args));
		if (device.args == NULL)
			return false;
		at = read_args(
			document, at + sizeof(count), count, &device, &owned);
		done = owned ? trace_add_device(document->trace, &device) !=
				       TRACE_NONE
			     : add_shared(document->trace, &device);
		memory_free(device.args);
		if (!done)
			return false;
	}
	return true;
}

void chrome_read_document_clear(struct chrome_read_document *document)
{
	buffer_clear(&document->devices);
}

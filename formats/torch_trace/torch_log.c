/* SPDX-License-Identifier: MIT */
#include "torch_trace/torch_log.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "io/lines.h"
#include "io/truncation.h"
#include "json/json.h"
#include "json/json_value.h"

/* Kinds of records in the trace's member; further ones are "other". */
#define KINDS_MAX 256
/* Names that stack frames refer to by number. */
#define STRINGS_MAX (UINT32_C(1) << 20)
/* Longer reasons are cut off. */
#define REASON_BYTES_MAX ((size_t)64 << 10)
#define TIME_BYTES_MAX 32

/* The parts of a payload that are kept. */
enum payload_use {
	PAYLOAD_COUNTED,
	PAYLOAD_EVENT,  /* a chromium_event */
	PAYLOAD_REASON, /* text of an instant's argument */
};

struct kind_count {
	uint64_t records;
	uint64_t payload_bytes;
};

/* The record whose payload is being read. */
struct record {
	enum payload_use use;
	uint32_t kind;
	const char *instant; /* PAYLOAD_REASON: its name */
	struct buffer compile_id;
	struct buffer payload;
};

struct torch_log {
	struct lines lines;
	FILE *stream;
	struct json json; /* the text to be returned from `text_at` on */
	size_t text_at;
	bool has_events; /* the next event needs a comma */
	bool at_end;
	bool failed; /* out of memory */
	struct record record;
	struct buffer text; /* of the string at hand */
	struct strtab *kinds;
	struct kind_count counts[KINDS_MAX];
	struct strtab *strings;
	uint32_t *string_numbers; /* in `strings`, by PyTorch's number */
	uint32_t string_room;
	char time[TIME_BYTES_MAX]; /* of the last event, in microseconds */
	int64_t rank;              /* -1: unknown */
	int64_t pid;               /* of the first record; 0: unknown */
	uint64_t bad_records;
	uint64_t skipped_bytes; /* outside of records */
	bool is_truncated;
	struct ctp_error error; /* that ended the reading; CTP_OK: none */
};

/* "V1123 18:31:12.430000 14760 torch/_dynamo/utils.py:2473] " */
static const char *skip_prefix(const char *text, size_t size)
{
	static const char shape[] = "A0000 00:00:00.";
	const char *end;

	if (size < sizeof(shape) || strchr("VDIWEF", text[0]) == NULL)
		return NULL;
	for (size_t i = 1; shape[i] != '\0'; i++)
		if (shape[i] == '0' ? !isdigit((unsigned char)text[i])
				    : text[i] != shape[i])
			return NULL;
	end = memmem(text, size, "] ", 2);
	return end == NULL ? NULL : end + 2;
}

/* Versions before 2.6 have the address of a thread instead of the process.
 * Source: Linux's PID_MAX_LIMIT. */
#define PID_MAX 4194304

/* The number of the process behind the time in a prefix; 0 without one. */
static int64_t prefix_pid(const char *text, const char *end)
{
	const char *at = memchr(text, '.', (size_t)(end - text));
	int64_t pid = 0;

	while (at < end && *at != ' ')
		at++;
	while (at < end && *at == ' ')
		at++;
	if (!json_value_scaled(at, strcspn(at, " ]"), 0, &pid) || pid < 0 ||
		pid > PID_MAX)
		return 0;
	return pid;
}

bool torch_log_probe(const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);
	const char *object =
		skip_prefix(text, end == NULL ? size : (size_t)(end - text));

	return object != NULL && object + 2 < text + size && object[0] == '{' &&
	       object[1] == '"';
}

/*
 * Functions for JSON that json_check() has accepted, in text that ends with a
 * zero byte.
 */

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

static const char *value_end(const char *text)
{
	unsigned depth = 0;

	do {
		if (*text == '{' || *text == '[')
			depth++;
		else if (*text == '}' || *text == ']')
			depth--;
		else if (*text == '"')
			while (*++text != '"')
				text += *text == '\\';
		else if (depth == 0)
			return text + strcspn(text, ",]} \t\r\n");
		text++;
	} while (depth > 0);
	return text;
}

/* The first item of an array, or the first key of an object, if `bracket`
 * begins it; else NULL. */
static const char *first_item(const char *text, char bracket)
{
	if (text == NULL || *text != bracket)
		return NULL;
	text = skip_blanks(text + 1);
	return *text == ']' || *text == '}' ? NULL : text;
}

static const char *next_item(const char *value)
{
	value = skip_blanks(value_end(value));
	return *value == ',' ? skip_blanks(value + 1) : NULL;
}

/* The value behind a key. */
static const char *key_value(const char *key)
{
	return skip_blanks(skip_blanks(value_end(key)) + 1);
}

/* The value of a member; NULL if it is missing, or `object` is not one. */
static const char *find_member(const char *object, const char *key)
{
	size_t size = strlen(key);
	const char *at = first_item(object, '{');

	for (; at != NULL; at = next_item(key_value(at)))
		if ((size_t)(value_end(at) - at) == size + 2 &&
			memcmp(at + 1, key, size) == 0)
			return key_value(at);
	return NULL;
}

static bool read_integer(const char *value, int64_t *out)
{
	size_t size = value == NULL ? 0 : (size_t)(value_end(value) - value);

	return size > 0 && strspn(value, "-0123456789") == size &&
	       json_value_scaled(value, size, 0, out);
}

/* Appends a string's text; nothing for other values. */
static void add_string(struct buffer *text, const char *value)
{
	if (value != NULL && *value == '"')
		(void)json_value_unescape(value + 1,
			(size_t)(value_end(value) - value) - 2, text);
}

static bool is_string(const char *value, const char *wanted)
{
	size_t size = strlen(wanted);

	return value != NULL && *value == '"' &&
	       (size_t)(value_end(value) - value) == size + 2 &&
	       memcmp(value + 1, wanted, size) == 0;
}

static void begin_event(struct torch_log *log)
{
	json_raw_text(&log->json, log->has_events ? ",\n" : "\n");
	log->has_events = true;
	log->json.comma = false;
}

/* Begins an instant with its arguments. */
static void begin_instant(struct torch_log *log, const char *name)
{
	struct json *json = &log->json;

	begin_event(log);
	json_begin(json, '{');
	json_key(json, "name");
	json_text(json, name);
	json_key(json, "cat");
	json_text(json, "torch_trace");
	json_key(json, "ph");
	json_text(json, "i");
	json_key(json, "s");
	json_text(json, "t");
	json_key(json, "ts");
	json_value(json, log->time, strlen(log->time));
	json_key(json, "pid");
	json_int(json, 0);
	json_key(json, "tid");
	json_int(json, 0);
	json_key(json, "args");
}

static void put_sized(
	struct json *json, const char *key, const struct buffer *text)
{
	json_key(json, key);
	json_text_sized(json, (const char *)text->bytes, text->used);
}

static void end_instant(struct torch_log *log)
{
	json_end(&log->json, '}');
}

/* Notes the time of an event, for the instants after it. */
static void note_time(struct torch_log *log, const char *event)
{
	const char *time = strstr(event, "\"ts\"");
	size_t size;

	if (time == NULL)
		return;
	time += strlen("\"ts\"");
	time += strspn(time, ": \t");
	size = strspn(time, "-+.eE0123456789");
	if (size == 0 || size >= TIME_BYTES_MAX || !json_check(time, size))
		return;
	memcpy(log->time, time, size);
	log->time[size] = '\0';
}

static void finish_event(struct torch_log *log)
{
	struct buffer *payload = &log->record.payload;
	const char *text = (const char *)payload->bytes;
	size_t size = payload->used;

	if (size == 0 || !json_check(text, size) ||
		text[strspn(text, " \t\r\n")] != '{') {
		if (log->at_end)
			log->is_truncated = true;
		else
			log->bad_records++;
		return;
	}
	begin_event(log);
	json_value(&log->json, text, size);
	note_time(log, text);
}

static void finish_reason(struct torch_log *log)
{
	struct record *record = &log->record;

	while (record->payload.used > 0 &&
		record->payload.bytes[record->payload.used - 1] == '\n')
		record->payload.used--;
	begin_instant(log, record->instant);
	json_begin(&log->json, '{');
	put_sized(&log->json, "compile_id", &record->compile_id);
	put_sized(&log->json, "reason", &record->payload);
	json_end(&log->json, '}');
	end_instant(log);
}

/* The record is complete: another one begins, or the log ends. */
static void finish_record(struct torch_log *log)
{
	struct record *record = &log->record;

	buffer_add_byte(&record->payload, 0);
	record->payload.used--;
	log->failed |= record->payload.failed || record->compile_id.failed;
	if (!log->failed && record->use == PAYLOAD_EVENT)
		finish_event(log);
	else if (!log->failed && record->use == PAYLOAD_REASON)
		finish_reason(log);
	record->use = PAYLOAD_COUNTED;
	record->payload.used = 0;
	record->compile_id.used = 0;
}

/* The record's compilation, as PyTorch prints it: "0/1", with compiled autograd
 * "!0/0/1", with the attempt "0/1_1". */
static void add_compile_id(struct buffer *text, const char *record)
{
	int64_t autograd, frame, compile, attempt = 0;
	bool has_frame =
		read_integer(find_member(record, "frame_id"), &frame) &&
		read_integer(find_member(record, "frame_compile_id"), &compile);
	char id[96];

	if (read_integer(
		    find_member(record, "compiled_autograd_id"), &autograd)) {
		(void)snprintf(id, sizeof(id), "!%" PRId64 "%s", autograd,
			has_frame ? "/" : "");
		buffer_add_text(text, id);
	}
	if (!has_frame)
		return;
	(void)snprintf(id, sizeof(id), "%" PRId64 "/%" PRId64, frame, compile);
	buffer_add_text(text, id);
	if (read_integer(find_member(record, "attempt"), &attempt) &&
		attempt != 0) {
		(void)snprintf(id, sizeof(id), "_%" PRId64, attempt);
		buffer_add_text(text, id);
	}
}

/* {"str": ["torch/_dynamo/utils.py", 3]} */
static void add_name(struct torch_log *log, const char *value)
{
	struct buffer *name = &log->text;
	const char *text = first_item(value, '[');
	int64_t number;
	uint32_t added;

	if (text == NULL || *text != '"' ||
		!read_integer(next_item(text), &number) || number < 0 ||
		number >= STRINGS_MAX)
		return;
	name->used = 0;
	add_string(name, text);
	added = strtab_add(log->strings, (const char *)name->bytes, name->used);
	if (name->failed || added == STRTAB_NONE ||
		!array_ensure_index(&log->string_numbers, (uint32_t)number,
			&log->string_room, sizeof(*log->string_numbers))) {
		log->failed = true;
		return;
	}
	log->string_numbers[number] = added;
}

static void put_string(
	struct torch_log *log, const char *key, const char *value)
{
	log->text.used = 0;
	add_string(&log->text, value);
	put_sized(&log->json, key, &log->text);
}

/* A file's name, as text or as a number of `strings`. */
static void put_file(struct torch_log *log, const char *value)
{
	int64_t number;

	if (!read_integer(value, &number)) {
		put_string(log, "file", value);
		return;
	}
	json_key(&log->json, "file");
	json_text(&log->json,
		number < 0 || number >= (int64_t)log->string_room
			? ""
			: strtab_text(log->strings, log->string_numbers[number],
				  NULL));
}

/* The instant of a frame that Dynamo begins to compile, with its stack, outermost
 * first. */
static void put_start(struct torch_log *log, const char *start)
{
	const char *frame = first_item(find_member(start, "stack"), '[');
	struct json *json = &log->json;
	int64_t line;

	begin_instant(log, "dynamo_start");
	json_begin(json, '{');
	put_sized(json, "compile_id", &log->record.compile_id);
	json_key(json, "stack");
	json_begin(json, '[');
	for (; frame != NULL; frame = next_item(frame)) {
		json_begin(json, '{');
		put_string(log, "name", find_member(frame, "name"));
		put_file(log, find_member(frame, "filename"));
		json_key(json, "line");
		json_int(json, read_integer(find_member(frame, "line"), &line)
				       ? line
				       : 0);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
	end_instant(log);
}

/* Some artifacts explain a compilation. */
static const char *artifact_instant(const char *artifact)
{
	const char *name = find_member(artifact, "name");

	if (is_string(name, "dynamo_graph_break_reason"))
		return "graph_break";
	return is_string(name, "recompile_reasons") ? "recompile" : NULL;
}

/* The number of a kind, a key in quotes. */
static uint32_t find_kind(struct torch_log *log, const char *key)
{
	uint32_t number = strtab_add(
		log->kinds, key + 1, (size_t)(value_end(key) - key) - 2);

	if (number == STRTAB_NONE)
		log->failed = true;
	return number < KINDS_MAX ? number : 0;
}

static void put_metrics(
	struct torch_log *log, const char *name, const char *value)
{
	begin_instant(log, name);
	json_value(&log->json, value, (size_t)(value_end(value) - value));
	end_instant(log);
}

/* Handles a record by its kind, the key of the first member. */
static void begin_record(struct torch_log *log, const char *object)
{
	struct record *record = &log->record;
	const char *kind = first_item(object, '{');
	const char *value = key_value(kind);

	record->kind = find_kind(log, kind);
	log->counts[record->kind].records++;
	add_compile_id(&record->compile_id, object);
	if (log->rank < 0)
		(void)read_integer(find_member(object, "rank"), &log->rank);
	if (is_string(kind, "chromium_event")) {
		record->use = PAYLOAD_EVENT;
	} else if (is_string(kind, "artifact")) {
		record->instant = artifact_instant(value);
		if (record->instant != NULL)
			record->use = PAYLOAD_REASON;
	} else if (is_string(kind, "str")) {
		add_name(log, value);
	} else if (is_string(kind, "dynamo_start")) {
		put_start(log, value);
	} else if (*value == '{' && is_string(kind, "compilation_metrics")) {
		put_metrics(log, "compilation_metrics", value);
	} else if (*value == '{' &&
		   is_string(kind, "bwd_compilation_metrics")) {
		put_metrics(log, "bwd_compilation_metrics", value);
	}
}

/* A record's line, from its object on. */
static void add_record(struct torch_log *log, const char *text, size_t size)
{
	finish_record(log);
	if (json_check(text, size) && first_item(text, '{') != NULL)
		begin_record(log, text);
	else
		log->bad_records++;
}

static void add_payload(
	struct torch_log *log, const char *text, const struct line *line)
{
	struct buffer *payload = &log->record.payload;
	size_t size = line->size - (size_t)(text - line->text);

	log->counts[log->record.kind].payload_bytes += size + line->ended;
	if (log->record.use == PAYLOAD_COUNTED)
		return;
	if (log->record.use == PAYLOAD_REASON &&
		payload->used + size >= REASON_BYTES_MAX)
		return;
	buffer_add(payload, text, size);
	buffer_add_byte(payload, '\n');
}

static void put_counts(struct torch_log *log)
{
	struct json *json = &log->json;
	uint32_t count = strtab_count(log->kinds);

	for (uint32_t i = 0; i < count && i < KINDS_MAX; i++) {
		if (log->counts[i].records == 0)
			continue;
		json_key(json,
			i == 0 ? "other" : strtab_text(log->kinds, i, NULL));
		json_begin(json, '{');
		json_key(json, "records");
		json_uint(json, log->counts[i].records);
		json_key(json, "payload_bytes");
		json_uint(json, log->counts[i].payload_bytes);
		json_end(json, '}');
	}
}

/* The text after the events. */
static void put_end(struct torch_log *log)
{
	struct json *json = &log->json;

	json_raw_text(json, "\n]");
	json->comma = true;
	if (log->rank >= 0) {
		json_key(json, TRACE_DISTRIBUTED);
		json_begin(json, '{');
		json_key(json, "rank");
		json_int(json, log->rank);
		json_end(json, '}');
	}
	if (log->pid != 0) {
		json_key(json, "pid");
		json_int(json, log->pid);
	}
	json_key(json, "torch_trace");
	json_begin(json, '{');
	put_counts(log);
	json_end(json, '}');
	json_raw_text(json, "}\n");
}

/* Converts the next line. Damage ends the log here, with what was read. */
static void convert_line(struct torch_log *log)
{
	struct line line;
	const char *object;
	enum ctp_status status = lines_next(&log->lines, &line, &log->error);

	if (status != CTP_OK) {
		log->at_end = true;
		finish_record(log);
		put_end(log);
		return;
	}
	if (line.size > 0 && line.text[0] == '\t') {
		add_payload(log, line.text + 1, &line);
		return;
	}
	object = skip_prefix(line.text, line.size);
	if (object != NULL && log->pid == 0)
		log->pid = prefix_pid(line.text, object);
	if (object != NULL)
		add_record(
			log, object, line.size - (size_t)(object - line.text));
	else
		log->skipped_bytes += line.size + line.ended;
}

static ssize_t read_text(void *cookie, char *bytes, size_t size)
{
	struct torch_log *log = cookie;
	size_t left;

	while (log->text_at == log->json.used && !log->at_end && !log->failed) {
		log->json.used = 0;
		log->text_at = 0;
		convert_line(log);
	}
	if (log->failed || log->json.failed)
		return -1;
	left = log->json.used - log->text_at;
	if (left > size)
		left = size;
	if (left > 0)
		memcpy(bytes, log->json.bytes + log->text_at, left);
	log->text_at += left;
	return (ssize_t)left;
}

static bool init(
	struct torch_log *log, FILE *in, const void *head, size_t head_size)
{
	static const cookie_io_functions_t functions = {.read = read_text};
	bool done = lines_init(&log->lines, in, head, head_size);

	log->kinds = strtab_new();
	log->strings = strtab_new();
	log->rank = -1;
	log->time[0] = '0';
	done = json_init(&log->json, NULL) && done;
	json_raw_text(&log->json, "{\"traceEvents\":[");
	log->stream = fopencookie(log, "r", functions);
	return done && log->kinds != NULL && log->strings != NULL &&
	       log->stream != NULL;
}

enum ctp_status torch_log_open(struct torch_log **out, FILE *in,
	const void *head, size_t head_size, struct ctp_error *err)
{
	struct torch_log *log = memory_new_zeroed(1, sizeof(*log));

	if (log == NULL)
		return ctp_no_memory(err);
	if (!init(log, in, head, head_size)) {
		torch_log_close(log);
		return ctp_no_memory(err);
	}
	*out = log;
	return CTP_OK;
}

void torch_log_close(struct torch_log *log)
{
	if (log == NULL)
		return;
	if (log->stream != NULL)
		(void)fclose(log->stream);
	lines_clear(&log->lines);
	json_clear(&log->json);
	buffer_clear(&log->text);
	buffer_clear(&log->record.payload);
	buffer_clear(&log->record.compile_id);
	strtab_free(log->kinds);
	strtab_free(log->strings);
	memory_free(log->string_numbers);
	memory_free(log);
}

FILE *torch_log_stream(const struct torch_log *log)
{
	return log->stream;
}

uint64_t torch_log_position(const struct torch_log *log)
{
	return lines_position(&log->lines);
}

enum ctp_status torch_log_report(
	const struct torch_log *log, struct trace *trace, struct ctp_error *err)
{
	trace_lose(trace, LOSS_BAD_EVENTS, log->bad_records);
	trace_lose(trace, LOSS_SKIPPED_BYTES, log->skipped_bytes);
	if (log->is_truncated)
		trace_lose(trace, LOSS_TRUNCATED, 1);
	if (log->error.status == CTP_OK)
		return CTP_OK;
	if (log->error.status == CTP_ERR_IO ||
		log->error.status == CTP_ERR_NOMEM) {
		if (err != NULL)
			*err = log->error;
		return log->error.status;
	}
	return truncation_record(trace, &log->error) ? CTP_OK
						     : ctp_no_memory(err);
}

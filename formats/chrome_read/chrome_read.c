/* SPDX-License-Identifier: MIT */
/*
 * The reader of Chrome traces from any producer and of any size, and the entry
 * in the table of formats, which joins it to the writer. The format is the
 * "Trace Event Format" as written by chrome://tracing, PyTorch, clang,
 * VizTracer and others.
 *
 * Memory: names, tracks, open slices, CHROME_CORRELATION_LIMIT calls, and the
 * memory of extsort.h; the rest goes to a temporary file.
 */
#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "base/strtab.h"
#include "chrome/chrome.h"
#include "chrome/chrome_facts.h"
#include "chrome_read/chrome_read_document.h"
#include "chrome_read/chrome_read_pairs.h"
#include "chrome_read/chrome_read_replay.h"
#include "format.h"

/* First all events become records, in file order; then the records become
 * events, in order of time. Each part has its own state. */
struct chrome_reader {
	struct event_source source; /* first: callers hold a pointer to it */
	struct trace *trace;
	struct json_scan *scan; /* NULL: everything is read */
	uint64_t end;           /* the final position */
	struct chrome_read_json_reader json;
	struct chrome_read_args args;
	struct chrome_read_labels labels;
	struct chrome_read_rows rows;
	struct chrome_read_streams streams;
	struct chrome_correlation correlation;
	struct chrome_read_frames frames;
	struct chrome_read_document document;
	struct extsort *records;
	struct chrome_read_events events;
	struct chrome_read_producer producer;
	bool is_read; /* the document is read: the replay has begun */
	struct chrome_read_replay replay;
};

/* The probe's confidence in JSON that no other format knows, in an array of
 * events, and in an object with "traceEvents". */
#define BITS_OF_JSON 9
#define BITS_OF_EVENTS 32
#define BITS_OF_NAME 104

static bool has(const char *text, size_t size, const char *key)
{
	return memmem(text, size, key, strlen(key)) != NULL;
}

static size_t skip_blanks(const char *text, size_t size, size_t at)
{
	while (at < size && memchr(" \t\r\n", text[at], 4) != NULL)
		at++;
	return at;
}

/* Does the object that begins at `at` end within the text? */
static bool is_closed(const char *text, size_t size, size_t at)
{
	unsigned depth = 0;

	for (; at < size; at++) {
		if (text[at] == '{')
			depth++;
		else if (text[at] == '}' && --depth == 0)
			return true;
		if (text[at] != '"')
			continue;
		while (++at < size && text[at] != '"')
			at += text[at] == '\\';
	}
	return false;
}

/* An array without "ph" may still have events if it is empty, or only a part of
 * its first item is present. */
static bool may_be_events(const char *text, size_t size, size_t at)
{
	size_t item = skip_blanks(text, size, at + 1);
	size_t key = item + 1;
	const char *end;

	if (item < size && text[item] == ']')
		return skip_blanks(text, size, item + 1) == size;
	if (item == size || text[item] != '{')
		return item == size;
	key = skip_blanks(text, size, key);
	if (key == size || text[key] != '"')
		return key == size;
	key++;
	end = memchr(text + key, '"', size - key);
	return end == NULL || (chrome_facts_event_key(text + key,
				       (size_t)(end - text) - key) != 0 &&
				      !is_closed(text, size, item));
}

/* The text before the events may be longer than these bytes, so any object may
 * be a trace. */
static unsigned probe(const void *bytes, size_t size)
{
	const char *text = bytes;
	size_t at = strnlen(text, size);

	if (at < size)
		return 0;
	at = skip_blanks(text, size, json_scan_mark(bytes, size));
	if (at == size || (text[at] != '{' && text[at] != '['))
		return 0;
	if (text[at] == '[' && has(text, size, "\"ph\""))
		return BITS_OF_EVENTS;
	if (text[at] == '[')
		return may_be_events(text, size, at) ? BITS_OF_JSON : 0;
	/* Our own reports, and speedscope's files. */
	if (has(text, size, "\"$schema\"") || has(text, size, "\"ctprof/"))
		return 0;
	return has(text, size, "\"traceEvents\"") ? BITS_OF_NAME : BITS_OF_JSON;
}

static struct chrome_reader *reader_of(struct event_source *source)
{
	return (struct chrome_reader *)(void *)source;
}

/* The process to which devices belong if no use of them was seen: the named
 * process 0. */
static uint32_t default_device_user(const struct chrome_read_rows *rows)
{
	uint32_t process = strtab_count(rows->pids) - 1;

	while (process > 0 && rows->processes[process].pid != 0)
		process--;
	return process;
}

/* Completes the tables that records refer to. False if out of memory. */
static bool finish_tables(struct chrome_reader *reader)
{
	uint32_t process = reader->events.process;

	chrome_read_rows_finish(&reader->rows);
	if (process == 0)
		process = default_device_user(&reader->rows);
	return chrome_read_streams_finish(&reader->streams, process) &&
	       chrome_correlation_finish(&reader->correlation) &&
	       chrome_read_document_add_devices(
		       &reader->document, reader->rows.processes[process].pid);
}

static enum ctp_status sort_records(
	struct chrome_reader *reader, struct ctp_error *err)
{
	struct chrome_read_producer *producer = &reader->producer;
	enum ctp_status status;

	producer->is_reversed =
		!producer->is_own &&
		producer->children_first > producer->parents_first;
	if (producer->is_reversed)
		extsort_reverse_ties(reader->records);
	status = extsort_sort(reader->records, err);
	if (status == CTP_OK && reader->events.has_ranges)
		status = chrome_read_pairs_match(
			&reader->records, reader->trace, producer, err);
	if (status == CTP_OK &&
		reader->trace->request.memory_after_read_bytes != 0)
		status = extsort_shrink(reader->records,
			reader->trace->request.memory_after_read_bytes, err);
	return status;
}

static enum ctp_status read_document(
	struct chrome_reader *reader, struct ctp_error *err)
{
	enum ctp_status status =
		chrome_read_document_read(&reader->document, err);

	if (status == CTP_OK)
		status = chrome_read_events_finish(&reader->events, err);
	if (status == CTP_OK && !finish_tables(reader))
		status = ctp_no_memory(err);
	if (status == CTP_OK)
		status = sort_records(reader, err);
	if (status != CTP_OK)
		return status;
	reader->end = json_scan_position(reader->scan);
	json_scan_free(reader->scan);
	reader->scan = NULL;
	return CTP_OK;
}

/* The distance between doubles at the latest time, of which many producers make
 * microseconds. */
static int64_t double_spacing(const struct trace *trace)
{
	uint64_t end_us =
		(uint64_t)(trace->end_ns > 0 ? trace->end_ns : 0) / 1000;
	int bits = end_us == 0 ? 0 : 64 - __builtin_clzll(end_us);

	return bits > DBL_MANT_DIG
		       ? 2000
		       : (INT64_C(1000) >> (DBL_MANT_DIG - bits)) + 1;
}

/*
 * How far an end, a start plus a duration, may be from where it should be,
 * seen from another time of the file. Times with digits that a double does not
 * have were not rounded to one; with these few they may have been, and the
 * shortest text for a double is off by as much again.
 */
static uint64_t rounding_of(const struct chrome_reader *reader)
{
	const struct chrome_read_producer *producer = &reader->producer;
	int64_t rounding_ns = producer->start_unit_ns > producer->dur_unit_ns
				      ? producer->start_unit_ns
				      : producer->dur_unit_ns;
	int64_t spacing_ns = double_spacing(reader->trace);

	if (producer->is_own)
		return 0;
	if (spacing_ns > 1 && rounding_ns < 2 * spacing_ns &&
		(producer->start_unit_ns > 1 || spacing_ns < 10))
		rounding_ns = 2 * spacing_ns;
	return (uint64_t)rounding_ns;
}

/* Not inlined, because each event passes through next(). */
static __attribute__((noinline)) enum ctp_status read_first(
	struct chrome_reader *reader, struct event *event,
	struct ctp_error *err)
{
	enum ctp_status status;

	status = read_document(reader, err);
	if (status != CTP_OK)
		return status;
	reader->is_read = true;
	reader->replay = (struct chrome_read_replay){.trace = reader->trace,
		.records = reader->records,
		.streams = &reader->streams,
		.correlation = &reader->correlation,
		.frames = &reader->frames,
		.producer = &reader->producer};
	slice_stacks_init(
		&reader->replay.stacks, reader->trace, rounding_of(reader));
	return chrome_read_replay_next(&reader->replay, event, err);
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct chrome_reader *reader = reader_of(source);

	return reader->is_read
		       ? chrome_read_replay_next(&reader->replay, event, err)
		       : read_first(reader, event, err);
}

static uint64_t position(const struct event_source *source)
{
	const struct chrome_reader *reader =
		(const struct chrome_reader *)(const void *)source;

	return reader->scan == NULL ? reader->end
				    : json_scan_position(reader->scan);
}

static void close_reader(struct event_source *source)
{
	struct chrome_reader *reader = reader_of(source);

	chrome_read_replay_clear(&reader->replay);
	chrome_read_events_clear(&reader->events);
	extsort_free(reader->records);
	chrome_read_document_clear(&reader->document);
	chrome_read_frames_clear(&reader->frames);
	chrome_correlation_clear(&reader->correlation);
	chrome_read_streams_clear(&reader->streams);
	chrome_read_rows_clear(&reader->rows);
	chrome_read_labels_clear(&reader->labels);
	chrome_read_json_clear(&reader->json);
	chrome_read_args_clear(&reader->args);
	json_scan_free(reader->scan);
	trace_free(reader->trace);
	memory_free(reader);
}

/* Initializes all parts, so that all can be cleared; false if out of memory. */
static bool init(struct chrome_reader *reader)
{
	struct trace *trace = reader->trace;
	bool done = chrome_read_args_init(
		&reader->args, trace, sizeof(struct chrome_read_record));

	done = chrome_read_labels_init(&reader->labels, trace, &reader->args) &&
	       done;
	done = chrome_read_rows_init(&reader->rows, trace, &reader->args,
		       &reader->producer) &&
	       done;
	done = chrome_read_streams_init(&reader->streams, &reader->rows) &&
	       done;
	chrome_correlation_init(&reader->correlation, trace);
	chrome_read_frames_init(&reader->frames, trace, &reader->args);
	reader->records = extsort_new(CHROME_READ_SORT_BYTES);
	return done && reader->records != NULL;
}

static enum ctp_status open_trace(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err)
{
	struct chrome_reader *reader = memory_new_zeroed(1, sizeof(*reader));

	if (reader == NULL)
		return ctp_no_memory(err);
	reader->trace = trace_new(request);
	if (reader->trace == NULL) {
		memory_free(reader);
		return ctp_no_memory(err);
	}
	reader->source = (struct event_source){
		.trace = reader->trace,
		.next = next,
		.position = position,
		.close = close_reader,
	};
	reader->producer.start_unit_ns = 1000;
	reader->producer.dur_unit_ns = 1000;
	reader->scan = json_scan_new(in, head, head_size);
	if (!init(reader) || reader->scan == NULL) {
		close_reader(&reader->source);
		return ctp_no_memory(err);
	}
	reader->json = (struct chrome_read_json_reader){.scan = reader->scan,
		.labels = &reader->labels,
		.args = &reader->args,
		.skip_args = reader->trace->request.skip_args,
		.keeps_args = reader->trace->request.kept_args != NULL,
		.details = reader->trace->request.detailed_names};
	reader->events = (struct chrome_read_events){.trace = reader->trace,
		.scan = reader->scan,
		.json = &reader->json,
		.args = &reader->args,
		.labels = &reader->labels,
		.rows = &reader->rows,
		.streams = &reader->streams,
		.correlation = &reader->correlation,
		.producer = &reader->producer,
		.records = reader->records};
	reader->document = (struct chrome_read_document){.trace = reader->trace,
		.scan = reader->scan,
		.json = &reader->json,
		.events = &reader->events,
		.args = &reader->args,
		.frames = &reader->frames,
		.producer = &reader->producer};
	*out = &reader->source;
	return CTP_OK;
}

const struct format chrome_format = {
	.name = "chrome",
	.suffix = ".json",
	.summary = "Chrome trace, for Perfetto and chrome://tracing",
	.probe = probe,
	.open_events = open_trace,
	.new_timeline = chrome_new,
};

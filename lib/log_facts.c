/* SPDX-License-Identifier: MIT */
/* Header and end blocks: what they say becomes facts of the trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log_block_private.h"
#include "unpack.h"

/* Longer text is not worth keeping. */
#define FACT_MAX 4096

/* "a b c" of an array of texts. */
static bool command_fact(struct cursor *block, char *out, size_t room)
{
	uint32_t count;
	size_t used = 0;

	if (!unpack_array(block, &count))
		return false;
	out[0] = '\0';
	while (count-- > 0) {
		const char *text;
		size_t size;

		if (!unpack_text(block, &text, &size))
			return false;
		if (used + 1 < room)
			used += (size_t)snprintf(out + used, room - used,
				"%s%.*s", used == 0 ? "" : " ",
				size > FACT_MAX ? FACT_MAX : (int)size, text);
		if (used >= room)
			used = room - 1;
	}
	return true;
}

/* A header or end value as text, and as a number if it is one. */
static bool fact_value(
	struct cursor *block, char *text, size_t room, int64_t *number)
{
	const char *bytes;
	size_t size;

	*number = 0;
	text[0] = '\0';
	switch (unpack_peek(block)) {
	case UNPACK_INT:
		if (!unpack_int(block, number))
			return false;
		(void)snprintf(text, room, "%" PRId64, *number);
		return true;
	case UNPACK_TEXT:
		if (!unpack_text(block, &bytes, &size))
			return false;
		(void)snprintf(text, room, "%.*s",
			size > FACT_MAX ? FACT_MAX : (int)size, bytes);
		return true;
	case UNPACK_ARRAY:
		return command_fact(block, text, room);
	default:
		return unpack_skip(block);
	}
}

/* The header values that the reader itself needs. */
struct header {
	int64_t reader;
	int64_t pid;
	int64_t realtime;
	bool named;
};

static bool read_header(struct log_recording *recording, struct cursor block,
	struct header *header, bool keep)
{
	char text[2 * FACT_MAX];
	char name[32];
	uint32_t count;

	if (!unpack_map(&block, &count))
		return false;
	while (count-- > 0) {
		const char *key;
		size_t size;
		int64_t number;

		if (!unpack_text(&block, &key, &size) || size > FACT_MAX ||
			!fact_value(&block, text, sizeof(text), &number))
			return false;
		if (log_block_is(key, size, "reader"))
			header->reader = number;
		else if (log_block_is(key, size, "pid"))
			header->pid = number;
		else if (log_block_is(key, size, "realtime"))
			header->realtime = number;
		else if (log_block_is(key, size, "format"))
			header->named = strcmp(text, LOG_FORMAT_NAME) == 0;
		(void)snprintf(name, sizeof(name), "%.*s", (int)size, key);
		if (keep && !trace_add_fact(recording->trace, name, text))
			return false;
	}
	return header->named;
}

enum ctp_status log_facts_take_header(struct log_recording *recording,
	struct cursor block, enum log_verdict *verdict, struct ctp_error *err)
{
	struct header header = {0, 0, 0, false};
	struct trace *trace = recording->trace;

	*verdict = LOG_DAMAGED;
	if (!read_header(recording, block, &header, false))
		return CTP_OK;
	if (header.reader > LOG_READER)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
			"this log needs a newer ctprof (reader version "
			"%" PRId64 ", this is %d)",
			header.reader, LOG_READER);
	if (recording->recordings > 0) {
		log_block_finish(recording);
		log_recording_reset(recording);
	} else {
		trace->base_realtime_ns = header.realtime;
	}
	*verdict = LOG_SOUND;
	if (recording->recordings == 0 &&
		!read_header(recording, block, &header, true))
		*verdict = LOG_NO_MEMORY;
	recording->recordings++;
	recording->has_header = true;
	recording->pid = header.pid;
	recording->shift_ns = (int64_t)((uint64_t)header.realtime -
					(uint64_t)trace->base_realtime_ns);
	return CTP_OK;
}

enum log_verdict log_facts_take_end(
	struct log_recording *recording, struct cursor block)
{
	struct trace *trace = recording->trace;
	uint32_t count;
	char text[2 * FACT_MAX];

	if (!unpack_map(&block, &count))
		return LOG_DAMAGED;
	while (count-- > 0) {
		const char *key;
		size_t size;
		int64_t number;

		if (!unpack_text(&block, &key, &size) ||
			!fact_value(&block, text, sizeof(text), &number))
			return LOG_DAMAGED;
		if (log_block_is(key, size, "log")) {
			number = log_time_correct(&recording->time, number) +
				 recording->shift_ns;
			if (number > trace->end_ns)
				trace->end_ns = number;
		} else if (log_block_is(key, size, "stalls")) {
			if (!trace_add_fact(trace, "stalls", text))
				return LOG_NO_MEMORY;
		} else if (log_block_is(key, size, "stall_ns")) {
			if (!trace_add_fact(trace, "stall_ns", text))
				return LOG_NO_MEMORY;
		}
	}
	recording->has_end = true;
	return LOG_SOUND;
}

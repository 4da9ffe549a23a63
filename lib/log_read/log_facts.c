/* SPDX-License-Identifier: MIT */
/* Header and end blocks: their values become facts of the trace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "log_read/log_facts.h"
#include "log/unpack.h"

/* Longer text is not worth keeping. */
#define FACT_MAX 4096

/* Commands in descriptions of processes; the rest is left out. */
#define COMMAND_MAX 256

/* Most facts of a header. */
#define HEADER_FACTS 64
#define FACTS_MAX 1024

/* Joins an array of texts: "a b c"; stops at the first other value. */
static void command_fact(struct cursor block, char *out, size_t room)
{
	const char *text;
	uint32_t count;
	size_t used = 0;
	size_t size;

	if (!unpack_array(&block, &count))
		return;
	while (count-- > 0 && unpack_text(&block, &text, &size)) {
		if (used + 1 < room)
			used += (size_t)snprintf(out + used, room - used,
				"%s%.*s", used == 0 ? "" : " ",
				size > FACT_MAX ? FACT_MAX : (int)size, text);
		if (used >= room)
			used = room - 1;
	}
}

/* Reads a header or end value as text, and as a number if it is one; values of
 * unknown types become "". */
static bool fact_value(
	struct cursor *block, char *text, size_t room, int64_t *number)
{
	struct cursor value = *block;
	const char *bytes;
	size_t size;

	*number = 0;
	text[0] = '\0';
	if (!unpack_skip(block))
		return false;
	switch (unpack_peek(&value)) {
	case UNPACK_INT:
		if (unpack_int(&value, number))
			(void)snprintf(text, room, "%" PRId64, *number);
		break;
	case UNPACK_TEXT:
		if (unpack_text(&value, &bytes, &size))
			(void)snprintf(text, room, "%.*s",
				size > FACT_MAX ? FACT_MAX : (int)size, bytes);
		break;
	case UNPACK_ARRAY:
		command_fact(value, text, room);
		break;
	default:
		break;
	}
	return true;
}

/* The header values that the reader itself needs. */
struct header {
	int64_t reader;
	int64_t pid;
	int64_t realtime;
	bool named;
	bool recorded; /* by the recorder, not rewritten */
	int64_t parent;
	char rank[24];    /* "": none */
	char process[64]; /* the program, without directories */
	char command[COMMAND_MAX];
};

/* The file name at the end of a command's first word. */
static void name_process(struct header *header, const char *command)
{
	size_t size = strcspn(command, " ");
	size_t base = size;

	while (base > 0 && command[base - 1] != '/')
		base--;
	(void)snprintf(header->process, sizeof(header->process), "%.*s",
		(int)(size - base), command + base);
	(void)snprintf(header->command, sizeof(header->command), "%.*s",
		COMMAND_MAX - 1, command);
}

/* "rank 3: python3" */
static bool set_process(
	struct log_recording *recording, const struct header *header)
{
	char name[sizeof(header->rank) + sizeof(header->process) + 8];

	(void)snprintf(name, sizeof(name), "%s%s%s%s",
		header->rank[0] == '\0' ? "" : "rank ", header->rank,
		header->rank[0] == '\0' ? "" : ": ", header->process);
	recording->process_name =
		strtab_add(recording->trace->text, name, strlen(name));
	return recording->process_name != STRTAB_NONE;
}

/* The header's facts are those of the first recording; any other is described
 * by one fact: "process 124", "rank 3, forked by 123: python3 train.py". */
static bool add_process(
	struct log_recording *recording, const struct header *header)
{
	char key[40];
	char value[sizeof(header->rank) + sizeof(header->command) + 64];
	int used = 0;

	if (recording->trace->fact_count > LOG_FACTS_MAX)
		return true;
	(void)snprintf(key, sizeof(key), "process %" PRId64, header->pid);
	value[0] = '\0';
	if (header->rank[0] != '\0')
		used = snprintf(value, sizeof(value), "rank %s%s", header->rank,
			header->parent != 0 ? ", " : ": ");
	if (header->parent != 0)
		used += snprintf(value + used, sizeof(value) - (size_t)used,
			"forked by %" PRId64 ": ", header->parent);
	(void)snprintf(value + used, sizeof(value) - (size_t)used, "%s",
		header->command);
	return trace_add_fact(recording->trace, key, value);
}

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
		if (log_key_is(key, size, "reader"))
			header->reader = number;
		else if (log_key_is(key, size, "pid"))
			header->pid = number;
		else if (log_key_is(key, size, "realtime"))
			header->realtime = number;
		else if (log_key_is(key, size, "parent"))
			header->parent = number;
		else if (log_key_is(key, size, "command"))
			name_process(header, text);
		else if (log_key_is(key, size, "rank"))
			(void)snprintf(header->rank, sizeof(header->rank),
				"%" PRId64, number);
		else if (log_key_is(key, size, "format"))
			header->named = strcmp(text, LOG_FORMAT_NAME) == 0;
		else if (log_key_is(key, size, "spool"))
			header->recorded = true;
		(void)snprintf(name, sizeof(name), "%.*s", (int)size, key);
		if (keep && !trace_add_fact(recording->trace, name, text))
			return false;
	}
	return header->named;
}

enum ctp_status log_facts_parse_header(struct log_recording *recording,
	struct cursor block, enum log_verdict *verdict, struct ctp_error *err)
{
	struct header header = {0};
	struct trace *trace = recording->trace;

	*verdict = LOG_DAMAGED;
	if (!read_header(recording, block, &header, false))
		return CTP_OK;
	if (header.reader > LOG_READER && !recording->started)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"this log needs a newer ctprof (reader version "
			"%" PRId64 ", this is %d)",
			header.reader, LOG_READER);
	if (recording->started)
		log_recording_next(recording);
	*verdict = LOG_SOUND;
	if (header.reader > LOG_READER) {
		recording->refused = true;
		trace->losses[LOSS_UNKNOWN_BLOCKS]++;
		return CTP_OK;
	}
	if (!recording->has_facts) {
		trace->base_realtime_ns = header.realtime;
		recording->has_facts = true;
		if (!read_header(recording, block, &header, true))
			*verdict = LOG_NO_MEMORY;
	} else if (!add_process(recording, &header)) {
		*verdict = LOG_NO_MEMORY;
	}
	recording->is_recorded = header.recorded;
	recording->pid = header.pid;
	if (!set_process(recording, &header))
		*verdict = LOG_NO_MEMORY;
	recording->device.time.start = header.realtime;
	recording->shift_ns = (int64_t)((uint64_t)header.realtime -
					(uint64_t)trace->base_realtime_ns);
	recording->end_ns = recording->shift_ns;
	return CTP_OK;
}

bool log_facts_set_number(struct trace *trace, const char *key, uint64_t number)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, number);
	return trace_set_fact(trace, key, text);
}

/* Names of device facts contain a dot, those of the header do not. */
enum log_verdict log_facts_parse_device(
	struct log_recording *recording, struct cursor block, bool apply)
{
	uint32_t count;
	char text[2 * FACT_MAX];
	char name[64];

	if (!unpack_map(&block, &count) || count > LOG_DEVICE_KEYS_MAX ||
		recording->trace->fact_count > FACTS_MAX)
		return LOG_DAMAGED;
	while (count-- > 0) {
		const char *key;
		size_t size;
		int64_t number;

		if (!unpack_text(&block, &key, &size) ||
			!fact_value(&block, text, sizeof(text), &number))
			return LOG_DAMAGED;
		if (!apply || size >= sizeof(name) ||
			memchr(key, '.', size) == NULL)
			continue;
		(void)snprintf(name, sizeof(name), "%.*s", (int)size, key);
		if (!trace_set_fact(recording->trace, name, text))
			return LOG_NO_MEMORY;
	}
	return LOG_SOUND;
}

/* A value declared as JSON that is invalid becomes text. */
static enum trace_fact_kind read_kind(struct cursor *row, const char *value)
{
	uint64_t number;

	if (!unpack_uint(row, &number) || number >= FACT_KINDS)
		return FACT_OWN;
	if ((number == FACT_JSON || number == FACT_OTHER_JSON) &&
		!json_check(value, strlen(value)))
		return FACT_OWN;
	return (enum trace_fact_kind)number;
}

/* Removes the header's version of the fact, which may be truncated. */
static void drop_fact(struct trace *trace, uint32_t key)
{
	struct trace_fact *facts = trace->facts;

	for (uint32_t i = 0; i < trace->fact_count && i < HEADER_FACTS; i++) {
		if (facts[i].key != key || facts[i].kind != FACT_OWN)
			continue;
		trace->fact_count--;
		memmove(&facts[i], &facts[i + 1],
			(trace->fact_count - i) * sizeof(*facts));
		return;
	}
}

/* The row has `size` elements, two of which are text. */
static bool add_fact(struct trace *trace, struct cursor *row, uint32_t elements)
{
	enum trace_fact_kind kind = FACT_OWN;
	const char *text[2];
	uint32_t numbers[2];

	for (int i = 0; i < 2; i++) {
		size_t size;

		(void)unpack_text(row, &text[i], &size);
		numbers[i] =
			strtab_add(trace->text, size == 0 ? "" : text[i], size);
		if (numbers[i] == STRTAB_NONE)
			return false;
		text[i] = strtab_text(trace->text, numbers[i], NULL);
	}
	if (elements > 2)
		kind = read_kind(row, text[1]);
	if (kind != FACT_OWN && strcmp(text[0], TRACE_DISTRIBUTED) == 0)
		drop_fact(trace, numbers[0]);
	return trace_add_member(trace, kind, text[0], text[1]);
}

/* Facts of any name, in a converted log. */
enum log_verdict log_facts_parse(
	struct log_recording *recording, struct cursor block, bool apply)
{
	uint32_t count;

	if (!unpack_array(&block, &count) || count > LOG_FACTS_MAX ||
		recording->trace->fact_count > LOG_FACTS_MAX)
		return LOG_DAMAGED;
	while (count-- > 0) {
		uint32_t elements;
		struct cursor row;

		if (!unpack_array(&block, &elements) || elements < 2)
			return LOG_DAMAGED;
		row = block;
		for (uint32_t i = 0; i < elements; i++)
			if ((i < 2 && unpack_peek(&block) != UNPACK_TEXT) ||
				!unpack_skip(&block))
				return LOG_DAMAGED;
		if (apply && !add_fact(recording->trace, &row, elements))
			return LOG_NO_MEMORY;
	}
	return LOG_SOUND;
}

/* Numbers of several recordings become their sum. */
static bool add_end_fact(struct log_recording *recording, const char *name,
	const char *text, int64_t number)
{
	struct trace *trace = recording->trace;
	const char *known = trace_find_fact(trace, name);
	bool is_number = number != 0 || strcmp(text, "0") == 0;

	if (recording->number == 0 || known == NULL || !is_number)
		return trace_add_fact(trace, name, text);
	return log_facts_set_number(
		trace, name, strtoull(known, NULL, 10) + (uint64_t)number);
}

/* The facts of the end block. */
static bool is_end_fact(const char *key, size_t size, const char **name)
{
	static const char *const facts[] = {
		"stalls", "stall_ns", "recovered", "stopped"};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		*name = facts[i];
		if (log_key_is(key, size, facts[i]))
			return true;
	}
	return false;
}

enum log_verdict log_facts_parse_end(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct trace *trace = recording->trace;
	uint32_t count;
	char text[2 * FACT_MAX];

	if (!unpack_map(&block, &count))
		return LOG_DAMAGED;
	while (count-- > 0) {
		const char *name;
		const char *key;
		size_t size;
		int64_t number;

		if (!unpack_text(&block, &key, &size) ||
			!fact_value(&block, text, sizeof(text), &number))
			return LOG_DAMAGED;
		if (!apply)
			continue;
		if (log_key_is(key, size, "log")) {
			log_time_correct_all(&recording->time, 0,
				recording->shift_ns, &number, 1);
			log_recording_extend(recording, number);
		} else if (log_key_is(key, size, "events")) {
			recording->totals.end_events =
				number > 0 ? (uint64_t)number : 0;
		} else if (log_key_is(key, size, "blocks")) {
			recording->totals.end_blocks =
				number > 0 ? (uint64_t)number : 0;
		} else if (is_end_fact(key, size, &name) &&
			   !add_end_fact(recording, name, text, number)) {
			return LOG_NO_MEMORY;
		}
		if (log_key_is(key, size, "unrecorded") && number > 0)
			trace_lose(trace, LOSS_UNRECORDED, (uint64_t)number);
		if (log_key_is(key, size, "stopped"))
			trace_lose(trace, LOSS_TRUNCATED, 1);
	}
	recording->has_end |= apply;
	return LOG_SOUND;
}

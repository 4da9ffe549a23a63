/* SPDX-License-Identifier: MIT */
/*
 * Reads pprof profiles from Go, Google's profilers for C++, and other tools;
 * see pprof.c. Source: https://github.com/google/pprof, proto/profile.proto
 * and, for the choice of the default value, internal/driver and
 * profile/profile.go (SampleIndexByName).
 *
 * If there are several values, the file's default is used, or else the last
 * that is a time, or else the last, one unit counting as 1 ns. A function is
 * identified by its name, file and first line. A value called "calls", as in
 * our own files, counts the calls of a sample's innermost function. A location
 * without a function is shown as its address, in the file mapped there. The
 * expressions drop_frames and keep_frames are for pictures: all frames are
 * read. Labels are skipped and counted.
 *
 * In most files, samples come before the functions, and these before their
 * names, so everything is read first. This needs memory for the decompressed
 * profile without its labels, and about 40 bytes for each location.
 */
#include "pprof/pprof.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <stdint.h>

#include "base/memory.h"
#include "pprof/pprof_tables.h"
#include "profiles/profile_source.h"
#include "protobuf/protobuf.h"
#include "base/buffer.h"
#include "profiles/stacks.h"
#include "trace/trace.h"
#include "names/function_name.h"
#include "base/cursor.h"
#include "io/unit.h"

/* ---- facts ---- */

#define PPROF_COMMENTS_MAX 16

/* Numbers of strings. */
struct pprof_type {
	uint32_t type;
	uint32_t unit;
};

/* Zero-initialize. */
struct pprof_facts {
	struct pprof_type *types;
	uint32_t type_count, type_room;
	uint32_t usual_type; /* 0: none */
	struct pprof_type period_type;
	int64_t period;
	uint32_t comments[PPROF_COMMENTS_MAX];
	unsigned comment_count;
	uint64_t bad;
	uint64_t left_out;  /* more comments */
	const char *wanted; /* type of the value to use; NULL: any */
	/* Set by pprof_facts_choose(): index of the value used, index of the
	 * call count (UINT32_MAX: none), and nanoseconds per unit of the
	 * value. */
	uint32_t taken;
	uint32_t calls;
	uint64_t scale;
};

#define NUMBER_TEXT 24

/* Most value types that are named. */
#define TYPES_MAX 32

static void pprof_facts_clear(struct pprof_facts *facts)
{
	memory_free(facts->types);
	*facts = (struct pprof_facts){.types = NULL};
}

static struct pprof_type read_type(
	struct pprof_facts *facts, struct cursor message)
{
	struct pprof_type type = {0, 0};
	struct protobuf_field field;
	enum protobuf_next next;

	while ((next = protobuf_read_field(&message, &field)) ==
		PROTOBUF_FIELD) {
		uint32_t number = pprof_tables_text_number(field.value);

		if (field.number == VALUE_TYPE_TYPE)
			type.type = number;
		else if (field.number == VALUE_TYPE_UNIT)
			type.unit = number;
	}
	if (next != PROTOBUF_END)
		facts->bad++;
	return type;
}

/* Messages and fields of the profile. False if out of memory. */
static bool pprof_facts_add_type(
	struct pprof_facts *facts, struct cursor message)
{
	if (!array_reserve32(&facts->types, facts->type_count,
		    &facts->type_room, sizeof(*facts->types)))
		return false;
	facts->types[facts->type_count++] = read_type(facts, message);
	return true;
}

static void pprof_facts_set_period_type(
	struct pprof_facts *facts, struct cursor message)
{
	facts->period_type = read_type(facts, message);
}

static void pprof_facts_add_comment(struct pprof_facts *facts, uint64_t value)
{
	if (facts->comment_count < PPROF_COMMENTS_MAX)
		facts->comments[facts->comment_count++] =
			pprof_tables_text_number(value);
	else
		facts->left_out++;
}

static void pprof_facts_add_comments(
	struct pprof_facts *facts, struct cursor numbers)
{
	uint64_t value;

	while (protobuf_read_varint(&numbers, &value))
		pprof_facts_add_comment(facts, value);
}

static const char *text_of(const struct pprof_tables *tables, uint32_t number)
{
	return pprof_tables_text(tables, number, NULL);
}

static bool is_time(
	const struct pprof_tables *tables, struct pprof_type type, int *power)
{
	size_t size;
	const char *unit = pprof_tables_text(tables, type.unit, &size);

	return unit_power(unit, size, power);
}

static bool choose_type(
	struct pprof_facts *facts, const struct pprof_tables *tables)
{
	bool by_name = facts->wanted != NULL || facts->usual_type != 0;
	const char *usual = facts->wanted != NULL
				    ? facts->wanted
				    : text_of(tables, facts->usual_type);
	bool found = facts->wanted == NULL;
	int power = 0;

	facts->taken = facts->type_count == 0 ? 0 : facts->type_count - 1;
	for (uint32_t i = 0; i < facts->type_count; i++) {
		bool is_usual =
			by_name && strcmp(text_of(tables, facts->types[i].type),
					   usual) == 0;

		found = found || is_usual;
		if (is_usual || is_time(tables, facts->types[i], &power))
			facts->taken = i;
		if (is_usual)
			break;
	}
	facts->scale = 1;
	if (facts->type_count == 0 ||
		!is_time(tables, facts->types[facts->taken], &power))
		return found;
	for (; power > 0; power--)
		facts->scale *= 10;
	return found;
}

/* Chooses among the values, after all fields have been added. False if there is
 * no value of the type that is wanted. */
static bool pprof_facts_choose(
	struct pprof_facts *facts, const struct pprof_tables *tables)
{
	bool found = choose_type(facts, tables);

	facts->calls = UINT32_MAX;
	for (uint32_t i = facts->type_count; i-- > 0;) {
		struct pprof_type type = facts->types[i];

		if (strcmp(text_of(tables, type.type), PPROF_CALLS) == 0 &&
			strcmp(text_of(tables, type.unit), PPROF_COUNT) == 0)
			facts->calls = i;
	}
	return found;
}

/* "cpu (nanoseconds)". */
static void add_type(struct buffer *text, const struct pprof_tables *tables,
	struct pprof_type type)
{
	const char *unit = text_of(tables, type.unit);

	buffer_add_text(text, text_of(tables, type.type));
	if (*unit == '\0')
		return;
	buffer_add_text(text, " (");
	buffer_add_text(text, unit);
	buffer_add_byte(text, ')');
}

/* Stores the text as a fact unless it is empty. */
static bool add_fact(struct buffer *text, struct trace *trace, const char *key)
{
	bool is_empty = text->used == 0;

	buffer_add_byte(text, '\0');
	text->used = 0;
	return !text->failed &&
	       (is_empty ||
		       trace_add_fact(trace, key, (const char *)text->bytes));
}

static void add_period(struct buffer *text, const struct pprof_tables *tables,
	const struct pprof_facts *facts)
{
	char number[NUMBER_TEXT];

	if (facts->period <= 0)
		return;
	(void)snprintf(number, sizeof(number), ": %" PRId64, facts->period);
	add_type(text, tables, facts->period_type);
	buffer_add_text(text, number);
}

/* Then stores them as facts of the trace. False if out of memory. */
static bool pprof_facts_store(const struct pprof_facts *facts,
	const struct pprof_tables *tables, struct trace *trace)
{
	uint32_t count = facts->type_count;
	struct buffer text = BUFFER_INIT;
	bool done;

	if (count > 0)
		add_type(&text, tables, facts->types[facts->taken]);
	done = add_fact(&text, trace, "cost");
	for (uint32_t i = 0; count > 1 && i < count && i < TYPES_MAX; i++) {
		buffer_add_text(&text, i > 0 ? ", " : "");
		add_type(&text, tables, facts->types[i]);
	}
	done = done && add_fact(&text, trace, "costs");
	add_period(&text, tables, facts);
	done = done && add_fact(&text, trace, "period");
	for (unsigned i = 0; i < facts->comment_count && done; i++) {
		buffer_add_text(&text, text_of(tables, facts->comments[i]));
		done = add_fact(&text, trace, "comment");
	}
	buffer_clear(&text);
	return done;
}

/* The functions of a sample's locations, even if the profile lacks some of
 * their names. All but `text` is borrowed. */
struct frames {
	struct trace *trace; /* for counting unknown functions */
	struct pprof_tables *tables;
	struct stacks *stacks;
	struct buffer text; /* scratch */
};

#define NAME_TEXT 64

static void frames_clear(struct frames *frames)
{
	buffer_clear(&frames->text);
}

static const char *text_in(const struct frames *frames, uint32_t number)
{
	return pprof_tables_text(frames->tables, number, NULL);
}

/* A function of which at most the number is known. */
static uint32_t add_unknown(
	struct frames *frames, const char *what, uint64_t id)
{
	struct profile *profile = frames->stacks->profile;
	uint32_t count = profile->function_count;
	char name[NAME_TEXT];
	uint32_t number;

	(void)snprintf(name, sizeof(name), "(%s %" PRIu64 ")", what, id);
	number = profile_add_function(profile, name, NULL, 0);
	trace_lose(frames->trace, LOSS_UNKNOWN_SITES,
		profile->function_count - count);
	return number;
}

static bool is_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
}

/* PROFILE_NONE if out of memory. */
static uint32_t add_function(
	struct frames *frames, const struct pprof_function *function)
{
	enum read_names names = frames->trace->request.names;
	const char *linked = text_in(frames, function->system_name);
	const char *name = text_in(frames, function->name);
	const char *file = text_in(frames, function->file);

	if (*name == '\0' || (names == READ_NAMES_MANGLED && *linked != '\0'))
		name = linked;
	if (*name == '\0')
		return add_unknown(frames, "function", function->entry.id);
	if ((names == READ_NAMES_SHORT || names == READ_NAMES_QUALIFIED) &&
		name != linked && is_mangled(linked)) {
		frames->text.used = 0;
		function_name_add_short(&frames->text, name, strlen(name));
		buffer_add_byte(&frames->text, '\0');
		if (frames->text.failed)
			return PROFILE_NONE;
		name = (const char *)frames->text.bytes;
	}
	return profile_add_function(
		frames->stacks->profile, name, file, function->line);
}

static bool push_function(struct frames *frames, uint64_t id)
{
	struct pprof_function *function =
		pprof_tables_function(frames->tables, id);
	uint32_t number;

	if (function == NULL)
		number = add_unknown(frames, "function", id);
	else if (function->entry.number != PROFILE_NONE)
		number = function->entry.number;
	else
		number = function->entry.number =
			add_function(frames, function);
	return number != PROFILE_NONE && stacks_push(frames->stacks, number);
}

/* An address without a function. */
static uint32_t add_address(
	struct frames *frames, const struct pprof_location *location)
{
	const struct pprof_mapping *mapping =
		pprof_tables_mapping(frames->tables, location->mapping);
	char name[NAME_TEXT];

	if (location->address == 0)
		return add_unknown(frames, "location", location->entry.id);
	(void)snprintf(name, sizeof(name), "0x%" PRIx64, location->address);
	return profile_add_function(frames->stacks->profile, name,
		mapping == NULL ? NULL : text_in(frames, mapping->file), 0);
}

/* Pushes a location's functions, the outermost inlined one first, or its
 * address. False if out of memory. */
static bool frames_push(struct frames *frames, uint64_t id)
{
	struct pprof_tables *tables = frames->tables;
	struct pprof_location *location = pprof_tables_location(tables, id);
	bool done = true;
	uint32_t number;

	if (location != NULL && location->line_count > 0) {
		const uint64_t *lines = tables->lines + location->first_line;

		for (uint32_t i = location->line_count; i-- > 0 && done;)
			done = push_function(frames, lines[i]);
		return done;
	}
	if (location == NULL)
		number = add_unknown(frames, "location", id);
	else if (location->entry.number != PROFILE_NONE)
		number = location->entry.number;
	else
		number = location->entry.number = add_address(frames, location);
	return number != PROFILE_NONE && stacks_push(frames->stacks, number);
}

struct pprof_in {
	struct profile_source *from;
	struct protobuf_stream stream;
	struct pprof_tables tables;
	struct buffer samples; /* messages, packed and without labels */
	struct pprof_facts facts;
	/* Of the samples: */
	struct frames frames;
	struct stacks stacks;
	uint64_t calls_left; /* limit of further calls */
	uint64_t *path;      /* ids of locations, the innermost first */
	size_t depth, path_room;
};

static void lose(struct pprof_in *in, enum trace_loss loss, uint64_t count)
{
	trace_lose(in->from->source.trace, loss, count);
}

/* Stores the numbers of a sample, packed or not, as packed. */
static void store_numbers(
	struct buffer *samples, const struct protobuf_field *field)
{
	size_t begun;

	if (field->kind == PROTOBUF_BYTES) {
		protobuf_add_bytes(
			samples, field->number, field->bytes, field->size);
		return;
	}
	begun = protobuf_begin(samples, field->number);
	protobuf_add_varint(samples, field->value);
	protobuf_end(samples, begun);
}

/* Keeps a sample for later: its locations' functions may follow it. */
static bool store_sample(struct pprof_in *in, struct cursor message)
{
	struct buffer *samples = &in->samples;
	size_t before = samples->used;
	size_t begun = protobuf_begin(samples, PROFILE_SAMPLE);
	struct protobuf_field field;
	enum protobuf_next next;

	while ((next = protobuf_read_field(&message, &field)) ==
		PROTOBUF_FIELD) {
		if (field.number == SAMPLE_LOCATION_ID ||
			field.number == SAMPLE_VALUE)
			store_numbers(samples, &field);
		else if (field.number == SAMPLE_LABEL)
			lose(in, LOSS_LEFT_OUT, 1);
	}
	if (next != PROTOBUF_END ||
		samples->used - begun > PROTOBUF_FIELD_MAX) {
		samples->used = before;
		lose(in, LOSS_BAD_EVENTS, 1);
		return !samples->failed;
	}
	protobuf_end(samples, begun);
	return !samples->failed;
}

/* A numeric field of the profile. */
static void read_number(struct pprof_in *in, const struct protobuf_field *field)
{
	struct trace *trace = in->from->source.trace;
	int64_t value = (int64_t)field->value;

	switch (field->number) {
	case PROFILE_TIME_NANOS:
		trace->base_realtime_ns = value;
		break;
	case PROFILE_DURATION_NANOS:
		trace->end_ns = value < 0 ? 0 : value;
		break;
	case PROFILE_PERIOD:
		in->facts.period = value;
		break;
	case PROFILE_COMMENT:
		pprof_facts_add_comment(&in->facts, field->value);
		break;
	case PROFILE_DEFAULT_SAMPLE_TYPE:
		in->facts.usual_type = pprof_tables_text_number(field->value);
		break;
	case PROFILE_DROP_FRAMES:
	case PROFILE_KEEP_FRAMES:
	case PROFILE_DOC_URL:
		break;
	default:
		lose(in,
			field->number < PROFILE_FIELDS ? LOSS_BAD_EVENTS
						       : LOSS_UNKNOWN_EVENTS,
			1);
	}
}

/* A field of bytes. False if out of memory. */
static bool read_bytes(struct pprof_in *in, const struct protobuf_field *field)
{
	struct cursor message;

	cursor_init(&message, field->bytes, field->size);
	switch (field->number) {
	case PROFILE_SAMPLE_TYPE:
		return pprof_facts_add_type(&in->facts, message);
	case PROFILE_SAMPLE:
		return store_sample(in, message);
	case PROFILE_MAPPING:
		return pprof_tables_add_mapping(&in->tables, message);
	case PROFILE_LOCATION:
		return pprof_tables_add_location(&in->tables, message);
	case PROFILE_FUNCTION:
		return pprof_tables_add_function(&in->tables, message);
	case PROFILE_STRING_TABLE:
		return pprof_tables_add_string(
			&in->tables, field->bytes, field->size);
	case PROFILE_PERIOD_TYPE:
		pprof_facts_set_period_type(&in->facts, message);
		return true;
	case PROFILE_COMMENT:
		pprof_facts_add_comments(&in->facts, message);
		return true;
	default:
		lose(in,
			field->number < PROFILE_FIELDS ? LOSS_BAD_EVENTS
						       : LOSS_UNKNOWN_EVENTS,
			1);
		return true;
	}
}

static enum ctp_status read_fields(struct pprof_in *in, struct ctp_error *err)
{
	struct profile_source *from = in->from;
	struct protobuf_field field;
	enum ctp_status status = CTP_OK;

	if (!protobuf_stream_init(
		    &in->stream, from->in, from->head.bytes, from->head.used))
		status = ctp_no_memory(err);
	while (status == CTP_OK) {
		status = protobuf_stream_next(&in->stream, &field, err);
		from->position = protobuf_stream_position(&in->stream);
		if (status != CTP_OK)
			break;
		if (field.kind != PROTOBUF_BYTES)
			read_number(in, &field);
		else if (!read_bytes(in, &field))
			status = ctp_no_memory(err);
	}
	protobuf_stream_clear(&in->stream);
	return status;
}

/* The contents of a sample. */
struct sample {
	uint32_t value_count;
	int64_t value;
	int64_t calls;
	bool is_bad;
};

/* False if out of memory. */
static bool parse_numbers(struct pprof_in *in, struct sample *sample,
	const struct protobuf_field *field)
{
	struct cursor numbers;
	uint64_t number;

	cursor_init(&numbers, field->bytes, field->size);
	while (protobuf_read_varint(&numbers, &number)) {
		if (field->number == SAMPLE_VALUE) {
			if (sample->value_count == in->facts.taken)
				sample->value = (int64_t)number;
			if (sample->value_count == in->facts.calls)
				sample->calls = (int64_t)number;
			sample->value_count++;
			continue;
		}
		if (!array_reserve(&in->path, in->depth, &in->path_room,
			    sizeof(*in->path)))
			return false;
		in->path[in->depth++] = number;
	}
	sample->is_bad |= numbers.left > 0;
	return true;
}

/* Time over the limit is cut, and the cut is counted. */
static uint64_t time_of(struct pprof_in *in, const struct sample *sample)
{
	uint64_t room = (uint64_t)INT64_MAX - in->stacks.total_ns;
	uint64_t time_ns;

	if (!__builtin_mul_overflow(
		    (uint64_t)sample->value, in->facts.scale, &time_ns) &&
		time_ns <= room)
		return time_ns;
	lose(in, LOSS_BAD_EVENTS, 1);
	return room;
}

static uint64_t calls_of(struct pprof_in *in, const struct sample *sample)
{
	uint64_t calls = sample->calls < 0 ? 0 : (uint64_t)sample->calls;

	if (calls > in->calls_left) {
		lose(in, LOSS_BAD_EVENTS, 1);
		calls = in->calls_left;
	}
	in->calls_left -= calls;
	return calls;
}

/* False if out of memory. */
static bool add_sample(struct pprof_in *in, struct cursor message)
{
	struct sample sample = {0};
	struct protobuf_field field;
	bool done = true;

	in->depth = 0;
	while (done && protobuf_read_field(&message, &field) == PROTOBUF_FIELD)
		done = parse_numbers(in, &sample, &field);
	if (!done)
		return false;
	if (sample.is_bad || sample.value < 0 ||
		sample.value_count <= in->facts.taken) {
		lose(in, LOSS_BAD_EVENTS, 1);
		return true;
	}
	if (in->depth == 0)
		done = frames_push(&in->frames, 0);
	while (in->depth > 0 && done)
		done = frames_push(&in->frames, in->path[--in->depth]);
	return done && stacks_end_counted(&in->stacks, calls_of(in, &sample),
			       time_of(in, &sample));
}

static enum ctp_status add_samples(struct pprof_in *in, struct ctp_error *err)
{
	struct cursor samples;
	struct protobuf_field field;
	bool done;

	pprof_tables_sort(&in->tables);
	lose(in, LOSS_BAD_EVENTS, in->tables.bad + in->facts.bad);
	lose(in, LOSS_LEFT_OUT, in->facts.left_out);
	lose(in, LOSS_CUT_TEXT, in->tables.cut);
	in->calls_left = INT64_MAX / 2;
	in->facts.wanted = in->from->source.trace->request.event;
	if (!pprof_facts_choose(&in->facts, &in->tables))
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"has no event '%s'; 'ctprof info' lists its costs",
			in->facts.wanted);
	done = pprof_facts_store(
		&in->facts, &in->tables, in->from->source.trace);
	cursor_init(&samples, in->samples.bytes, in->samples.used);
	stacks_init(&in->stacks, in->from->profile);
	in->frames = (struct frames){.trace = in->from->source.trace,
		.tables = &in->tables,
		.stacks = &in->stacks};
	while (done &&
		protobuf_read_field(&samples, &field) == PROTOBUF_FIELD) {
		struct cursor message;

		cursor_init(&message, field.bytes, field.size);
		done = add_sample(in, message);
	}
	frames_clear(&in->frames);
	stacks_clear(&in->stacks);
	return done ? CTP_OK : ctp_no_memory(err);
}

/* All profiles have at least one string, the empty one, mostly at the end. A
 * file truncated between two fields is recognized only by missing strings. */
static enum ctp_status check_end(struct pprof_in *in, struct ctp_error *err)
{
	if (in->tables.string_count > 0)
		return CTP_END;
	if (in->facts.type_count == 0 && in->samples.used == 0)
		return ctp_fail_at(err, CTP_ERR_FORMAT, 0,
			"is not a pprof profile: it has no samples");
	return ctp_fail_at(err, CTP_ERR_FORMAT, in->from->position,
		"the input ends before the names");
}

enum ctp_status pprof_read(struct profile_source *from, struct ctp_error *err)
{
	struct pprof_in in = {.from = from};
	enum ctp_status status = read_fields(&in, err);
	enum ctp_status added = CTP_OK;

	if (status == CTP_END)
		status = check_end(&in, err);
	/* Use what was read before the damage. */
	if (status == CTP_END || status == CTP_ERR_FORMAT)
		added = add_samples(&in, status == CTP_END ? err : NULL);
	pprof_facts_clear(&in.facts);
	pprof_tables_clear(&in.tables);
	buffer_clear(&in.samples);
	memory_free(in.path);
	if (added != CTP_OK)
		return added;
	return status == CTP_END ? CTP_OK : status;
}

/* The probe: a profile has no magic number, so each field must be one of a
 * profile's, and its contents must fit that field's message. Numbers alone
 * prove nothing, because letters may be numbers too. */

/* Each known field adds FIELD_BITS, up to BITS_MAX. */
#define FIELD_BITS 8u
#define BITS_MAX 160u

#define BIT(number) (1u << (number))

/* The fields of a message, by their kind. */
struct shape {
	uint32_t numbers;
	uint32_t bytes;
};

static const struct shape shapes[PROFILE_FIELDS] = {
	[PROFILE_SAMPLE_TYPE] = {BIT(VALUE_TYPE_TYPE) | BIT(VALUE_TYPE_UNIT),
		0},
	[PROFILE_SAMPLE] = {BIT(SAMPLE_LOCATION_ID) | BIT(SAMPLE_VALUE),
		BIT(SAMPLE_LOCATION_ID) | BIT(SAMPLE_VALUE) |
			BIT(SAMPLE_LABEL)},
	[PROFILE_MAPPING] = {BIT(MAPPING_LAST + 1) - BIT(MAPPING_ID), 0},
	[PROFILE_LOCATION] = {BIT(LOCATION_ID) | BIT(LOCATION_MAPPING_ID) |
				      BIT(LOCATION_ADDRESS) |
				      BIT(LOCATION_IS_FOLDED),
		BIT(LOCATION_LINE)},
	[PROFILE_FUNCTION] = {BIT(FUNCTION_START_LINE + 1) - BIT(FUNCTION_ID),
		0},
	[PROFILE_PERIOD_TYPE] = {BIT(VALUE_TYPE_TYPE) | BIT(VALUE_TYPE_UNIT),
		0},
};

static const struct shape profile_shape = {
	BIT(PROFILE_DROP_FRAMES) | BIT(PROFILE_KEEP_FRAMES) |
		BIT(PROFILE_TIME_NANOS) | BIT(PROFILE_DURATION_NANOS) |
		BIT(PROFILE_PERIOD) | BIT(PROFILE_COMMENT) |
		BIT(PROFILE_DEFAULT_SAMPLE_TYPE) | BIT(PROFILE_DOC_URL),
	BIT(PROFILE_SAMPLE_TYPE) | BIT(PROFILE_SAMPLE) | BIT(PROFILE_MAPPING) |
		BIT(PROFILE_LOCATION) | BIT(PROFILE_FUNCTION) |
		BIT(PROFILE_STRING_TABLE) | BIT(PROFILE_PERIOD_TYPE) |
		BIT(PROFILE_COMMENT),
};

static bool has_shape(
	const struct shape *shape, const struct protobuf_field *field)
{
	uint32_t known = field->kind == PROTOBUF_VARINT  ? shape->numbers
			 : field->kind == PROTOBUF_BYTES ? shape->bytes
							 : 0;

	return field->number < PROFILE_FIELDS && (known >> field->number & 1);
}

/* False if a field does not fit the message's shape. The message may be
 * truncated where the bytes end. */
static bool fits_message(const struct shape *shape,
	const struct protobuf_field *field, bool is_cut, unsigned *bits)
{
	struct cursor message;
	struct protobuf_field inner;
	enum protobuf_next next;

	cursor_init(&message, field->bytes, field->size);
	while ((next = protobuf_read_field(&message, &inner)) ==
		PROTOBUF_FIELD) {
		if (!has_shape(shape, &inner))
			return false;
		*bits += *bits < BITS_MAX ? FIELD_BITS : 0;
	}
	return next == PROTOBUF_END || (next == PROTOBUF_SHORT && is_cut);
}

/* Strings may have any contents, but the first is empty; it is not seen if the
 * bytes end before its size. */
static bool fits_profile(const struct protobuf_field *field, bool is_cut,
	bool *has_string, unsigned *bits)
{
	if (!has_shape(&profile_shape, field))
		return false;
	if (field->number == PROFILE_STRING_TABLE) {
		if (!*has_string && field->size > 0)
			return false;
		*has_string = true;
		return true;
	}
	return field->kind != PROTOBUF_BYTES ||
	       field->number == PROFILE_COMMENT ||
	       fits_message(&shapes[field->number], field, is_cut, bits);
}

unsigned pprof_probe(const void *bytes, size_t size)
{
	struct cursor profile;
	struct protobuf_field field;
	enum protobuf_next next;
	bool has_string = false;
	unsigned bits = 0;

	cursor_init(&profile, bytes, size);
	while ((next = protobuf_read_field(&profile, &field)) == PROTOBUF_FIELD)
		if (!fits_profile(&field, false, &has_string, &bits))
			return 0;
	if (next == PROTOBUF_BAD)
		return 0;
	if (next == PROTOBUF_SHORT && field.number != 0 &&
		field.kind == PROTOBUF_BYTES &&
		!fits_profile(&field, true, &has_string, &bits))
		return 0;
	return bits;
}

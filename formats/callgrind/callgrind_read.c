/* SPDX-License-Identifier: MIT */
/*
 * Reads callgrind profiles from Valgrind and other tools. Source: Valgrind
 * manual, "Callgrind Format Specification"; relative positions and the default
 * file of a call as in Valgrind's callgrind/dump.c.
 *
 * If there are several costs, the first that measures time is used. If none
 * does, the first is used, one unit counting as 1 ns. Several parts are summed.
 * A function is identified by its number, or its name and file, or its name and
 * object if the file is unknown. Its line is the first that is called or has a
 * cost, and its file and object are those of that line, because some files
 * begin with a list of names (yappi).
 *
 * All events are kept for a callgrind profile that is written, unless the file
 * is our own and has times only.
 */
#include "callgrind/callgrind_read.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "callgrind/callgrind_costs.h"
#include "profiles/label.h"
#include "io/lines.h"
#include "io/truncation.h"
#include "base/memory.h"
#include "profiles/profile_source.h"
#include "profiles/inclusive_time.h"
#include "base/strtab.h"

/* Names: "(2) name" defines "(2)" from then on, separately for files, objects
 * and functions. */
struct names {
	struct strtab *text;
	struct strtab *numbers; /* as they are written */
	uint32_t *meanings;     /* by entry of `numbers`; 0: none */
	uint32_t room;
	uint64_t unknown; /* numbers used before their definition */
};

/* A name as it is written. */
struct name {
	uint32_t text;   /* in `text`; STRTAB_NONE if out of memory */
	uint32_t number; /* in `numbers`; STRTAB_NONE: without number */
	bool defines;    /* it defines the number's name */
};

/* False if out of memory; call names_clear() in either case. */
static bool names_init(struct names *names)
{
	*names = (struct names){.text = strtab_new(), .numbers = strtab_new()};
	return names->text != NULL && names->numbers != NULL;
}

static void names_clear(struct names *names)
{
	strtab_free(names->text);
	strtab_free(names->numbers);
	memory_free(names->meanings);
}

/* The size of "(2)" before a name; 0 if missing: "(below main)" is a name. */
static size_t number_size(const char *written)
{
	size_t digits = *written == '(' ? strspn(written + 1, "0123456789") : 0;

	return digits > 0 && written[digits + 1] == ')' ? digits + 2 : 0;
}

static uint32_t add_text(struct names *names, const char *text)
{
	return strtab_add(names->text, text, strlen(text));
}

/* Looks up the text after "fl=" and the like. An undefined number is itself a
 * name. */
static struct name names_find(struct names *names, const char *written)
{
	struct name found = {STRTAB_NONE, STRTAB_NONE, false};
	size_t size = number_size(written);
	const char *name = written + size + strspn(written + size, " \t");
	uint32_t *meaning;

	if (size == 0) {
		found.text = add_text(names, written);
		return found;
	}
	found.number = strtab_add(names->numbers, written + 1, size - 2);
	found.defines = *name != '\0';
	if (found.number == STRTAB_NONE ||
		!array_ensure_index(&names->meanings, found.number,
			&names->room, sizeof(*names->meanings)))
		return found;
	meaning = &names->meanings[found.number];
	if (found.defines)
		*meaning = add_text(names, name);
	found.text = *meaning;
	if (*meaning == 0) {
		names->unknown++;
		found.text = add_text(names, written);
	}
	return found;
}

/* Longer names of events are not kept. */
#define EVENT_NAME_MAX 256

/* Our own entry that calls every function without a caller; see callgrind.c. */
#define FUNCTION_ROOT (PROFILE_NONE - 1)

/* A location; numbers of names, 0: not given. */
struct place {
	uint32_t object;
	uint32_t file;
};

struct callgrind_reader {
	struct profile_source *from;
	struct names objects;
	struct names files;
	struct names functions;
	uint32_t *lines; /* of functions; 0: unknown */
	uint32_t line_room;
	uint32_t *numbered; /* functions + 1, by their number; 0: none */
	uint32_t numbered_room;
	bool *recorded; /* functions with a cost or call of their own */
	uint32_t recorded_room;

	struct callgrind_costs costs;
	struct profile_events *events; /* without names: none are kept */
	bool mixed;                    /* parts have different events */
	uint64_t total_ns;

	struct place here;      /* including inlined code */
	struct place called;    /* 0: not given */
	uint32_t function_file; /* file of the next function */
	uint32_t function;      /* PROFILE_NONE: none yet */
	/* Named by "fn=", but without a cost or call so far. */
	bool entering;
	struct name entered;
	struct place entered_at;
	/* A call; its cost comes next. */
	bool calling;
	uint64_t calls;
	uint32_t target;
	uint32_t callee;      /* of the next call */
	const char *last_key; /* key of the file's last line; NULL: unknown */
	bool ended;
	bool line_ended;  /* the last one read */
	bool lacks_event; /* the one that was requested */
	/* The file of `here`, from which this was made; with lines only. */
	const char *line_file;
	struct place line_place;
};

static void count_bad(struct callgrind_reader *reader)
{
	trace_lose(reader->from->source.trace, LOSS_BAD_EVENTS, 1);
}

/* False if out of memory. */
static bool set_line(
	struct callgrind_reader *reader, uint32_t function, uint32_t line)
{
	if (function == FUNCTION_ROOT)
		return true;
	if (!array_ensure_index(&reader->lines, function, &reader->line_room,
		    sizeof(*reader->lines)))
		return false;
	if (reader->lines[function] == 0)
		reader->lines[function] = line;
	return true;
}

/* A meaningful name; callgrind's word for an unknown one is "???". */
static const char *text_of(const struct names *names, uint32_t number)
{
	const char *text = strtab_text(names->text, number, NULL);

	return strcmp(text, "???") == 0 ? "" : text;
}

/* Whether all events are kept. */
static bool keeps_events(const struct callgrind_reader *reader)
{
	return reader->events->count > 0 && !reader->mixed;
}

/* False if out of memory. */
static bool keep_object(const struct callgrind_reader *reader,
	struct profile_function *function, const struct place *place)
{
	return !keeps_events(reader) ||
	       profile_events_set_object(reader->events, &function->use.events,
		       text_of(&reader->objects, place->object));
}

/* Adds the costs of a line to a row. False if out of memory. */
static bool keep_costs(const struct callgrind_reader *reader, uint32_t *row,
	const struct callgrind_line_costs *costs)
{
	return !keeps_events(reader) ||
	       profile_events_add_costs(reader->events, row, costs->all);
}

/* The file of inlined code, or else the function's; NULL if out of memory. */
static const char *line_file(struct callgrind_reader *reader)
{
	const struct place *place = &reader->here;
	const char *file = text_of(&reader->files, place->file);
	struct strtab *text = reader->from->profile->text;
	uint32_t number;

	if (reader->line_file != NULL &&
		reader->line_place.file == place->file &&
		reader->line_place.object == place->object)
		return reader->line_file;
	if (*file == '\0')
		file = text_of(&reader->objects, place->object);
	number = strtab_add(text, file, strlen(file));
	if (number == STRTAB_NONE)
		return NULL;
	reader->line_file = strtab_text(text, number, NULL);
	reader->line_place = *place;
	return reader->line_file;
}

/* Adds a cost, or a call's, to the current line. False if out of memory. */
static bool keep_line(struct callgrind_reader *reader,
	const struct callgrind_line_costs *costs, bool calling)
{
	struct profile_lines *lines = reader->from->profile->lines;
	uint32_t number =
		callgrind_costs_line(&reader->costs, reader->costs.positions);
	struct profile_line *line;
	const char *file;

	if (lines == NULL || number == 0)
		return true;
	file = line_file(reader);
	line = file == NULL ? NULL : profile_lines_add(lines, file, number);
	if (line == NULL)
		return false;
	if (calling) {
		line->calls = inclusive_time_add(line->calls, reader->calls);
		line->callee_ns =
			inclusive_time_add(line->callee_ns, costs->used_ns);
	} else {
		line->self_ns =
			inclusive_time_add(line->self_ns, costs->used_ns);
	}
	return true;
}

/* PROFILE_NONE if out of memory. */
static uint32_t make_function(struct callgrind_reader *reader, const char *name,
	const struct place *place)
{
	struct profile *profile = reader->from->profile;
	const char *file = text_of(&reader->files, place->file);
	uint32_t function;

	if (*file == '\0')
		file = text_of(&reader->objects, place->object);
	if (*file == '\0' && strcmp(name, LABEL_ROOT) == 0)
		return FUNCTION_ROOT;
	function = profile_add_function(profile, name, file, 0);
	if (function == PROFILE_NONE ||
		!keep_object(reader, &profile->functions[function], place))
		return PROFILE_NONE;
	return function;
}

/* The entry of `numbered` for this number; NULL if out of memory. */
static uint32_t *function_of(struct callgrind_reader *reader, uint32_t number)
{
	return array_ensure_index(&reader->numbered, number,
		       &reader->numbered_room, sizeof(*reader->numbered))
		       ? &reader->numbered[number]
		       : NULL;
}

/* A number stands for the same function wherever it recurs. PROFILE_NONE if out
 * of memory. */
static uint32_t find_function(struct callgrind_reader *reader,
	const struct name *name, const struct place *place)
{
	const char *text =
		strtab_text(reader->functions.text, name->text, NULL);
	uint32_t *known;
	uint32_t function;

	if (name->number == STRTAB_NONE)
		return make_function(reader, text, place);
	known = function_of(reader, name->number);
	if (known == NULL)
		return PROFILE_NONE;
	if (*known != 0 && !name->defines)
		return *known - 1;
	function = make_function(reader, text, place);
	if (function != PROFILE_NONE)
		*known = function + 1;
	return function;
}

/* The function named by "fn=" has a cost or call. False if out of memory. */
static bool enter_function(struct callgrind_reader *reader)
{
	if (!reader->entering)
		return true;
	reader->entering = false;
	reader->function =
		find_function(reader, &reader->entered, &reader->entered_at);
	if (reader->function == PROFILE_NONE)
		return false;
	if (reader->function == FUNCTION_ROOT)
		return true;
	if (!array_ensure_index(&reader->recorded, reader->function,
		    &reader->recorded_room, sizeof(*reader->recorded)))
		return false;
	reader->recorded[reader->function] = true;
	return true;
}

static const char *last_key_of(const char *creator)
{
	if (strncmp(creator, "callgrind-", 10) == 0 ||
		strcmp(creator, "ctprof") == 0)
		return "totals";
	/* Older versions have it before the costs of main. */
	return strncmp(creator, "xdebug 3.", 9) == 0 ? "summary" : NULL;
}

/* Adds the names of all events. False if out of memory, or if they are too long
 * or too many. */
static bool add_names(const struct callgrind_reader *reader,
	struct profile_events *events, const char *value)
{
	char name[EVENT_NAME_MAX];
	size_t size;

	for (; *value != '\0'; value += size + strspn(value + size, " \t")) {
		size = strcspn(value, " \t");
		if (size >= sizeof(name))
			return false;
		memcpy(name, value, size);
		name[size] = '\0';
		if (!profile_events_add_name(
			    events, callgrind_costs_name(&reader->costs, name)))
			return false;
	}
	return true;
}

/* The value of "events:", of which a file of several parts has several. */
static void keep_names(struct callgrind_reader *reader, const char *value)
{
	struct profile_events *part;

	if (strcmp(reader->costs.creator, "ctprof") == 0 &&
		strcmp(value, "ns") == 0)
		return;
	if (reader->events->count == 0 && reader->events->row_count == 0) {
		reader->mixed = !add_names(reader, reader->events, value);
		return;
	}
	part = profile_events_new();
	if (part == NULL || !add_names(reader, part, value) ||
		!profile_events_are_equal(reader->events, part))
		reader->mixed = true;
	profile_events_free(part);
}

/* The event in use is the fact `cost`; `costs` lists all, if there are several.
 * False if out of memory. */
static bool read_events(struct callgrind_reader *reader, char *value)
{
	struct trace *trace = reader->from->source.trace;
	const char *event;

	keep_names(reader, value);
	if (strpbrk(value, " \t") != NULL &&
		!trace_set_fact(trace, "costs", value))
		return false;
	event = callgrind_costs_set_events(
		&reader->costs, value, trace->request.event);
	reader->lacks_event = reader->lacks_event || event == NULL;
	return event == NULL || trace_set_fact(trace, "cost", event);
}

/* "key: value". False if out of memory. */
static bool read_header(
	struct callgrind_reader *reader, const char *key, char *value)
{
	value = lines_trim(value);
	if (reader->last_key != NULL && strcmp(key, reader->last_key) == 0)
		reader->ended = true;
	if (strcmp(key, "events") == 0)
		return read_events(reader, value);
	if (strcmp(key, "positions") == 0) {
		callgrind_costs_set_positions(&reader->costs, value);
	} else if (strcmp(key, "creator") == 0) {
		callgrind_costs_set_creator(&reader->costs, value);
		reader->last_key = last_key_of(value);
	} else if (strcmp(key, "event") == 0) {
		return profile_events_add_definition(reader->events, value);
	} else if (strcmp(key, "cmd") == 0) {
		return trace_set_fact(
			reader->from->source.trace, "command", value);
	}
	return true;
}

/* "calls=COUNT POSITION". False if out of memory. */
static bool read_calls(struct callgrind_reader *reader, const char *text)
{
	uint64_t target[CALLGRIND_POSITIONS_MAX];
	uint32_t callee = reader->callee;

	reader->called = (struct place){0};
	reader->callee = PROFILE_NONE;
	if (!enter_function(reader))
		return false;
	if (callee == PROFILE_NONE || reader->function == PROFILE_NONE ||
		!callgrind_costs_parse_number(&text, &reader->calls) ||
		!callgrind_costs_parse_positions(
			&reader->costs, &text, target)) {
		count_bad(reader);
		return true;
	}
	reader->calling = true;
	reader->target = callee;
	return set_line(
		reader, callee, callgrind_costs_line(&reader->costs, target));
}

/* "fn=", "cfn=", and "jfn=", the target of a jump. A call without a file or
 * object has the caller's. False if out of memory. */
static bool read_function(
	struct callgrind_reader *reader, char kind, const char *value)
{
	struct name name = names_find(&reader->functions, value);
	struct place place = reader->called;

	if (name.text == STRTAB_NONE)
		return false;
	if (kind == 'j')
		return true;
	if (kind == 'f') {
		reader->here.file = reader->function_file;
		reader->entering = true;
		reader->entered = name;
		reader->entered_at = reader->here;
		return true;
	}
	if (place.object == 0)
		place.object = reader->here.object;
	if (place.file == 0)
		place.file = reader->here.file;
	reader->callee = find_function(reader, &name, &place);
	return reader->callee != PROFILE_NONE;
}

/* "key=value" with a known key. Jumps only define names. False if out of
 * memory. */
static bool read_place(
	struct callgrind_reader *reader, const char *key, const char *value)
{
	bool elsewhere = *key == 'c' || *key == 'j';
	struct place *place = *key == 'c' ? &reader->called : &reader->here;
	const char *what = key + elsewhere;
	uint32_t name;

	if (strcmp(what, "fn") == 0)
		return read_function(reader, *key, value);
	name = names_find(
		*what == 'o' ? &reader->objects : &reader->files, value)
		       .text;
	if (name == STRTAB_NONE || *key == 'j')
		return name != STRTAB_NONE;
	*(*what == 'o' ? &place->object : &place->file) = name;
	if (strcmp(key, "fl") == 0)
		reader->function_file = name;
	return true;
}

/* "key=value". False if out of memory. */
static bool read_spec(
	struct callgrind_reader *reader, const char *key, char *value)
{
	static const char *const places[] = {"ob", "fl", "fi", "fe", "fn",
		"cob", "cfl", "cfi", "cfn", "jfi", "jfn"};

	value = lines_trim(value);
	if (strcmp(key, "calls") == 0)
		return read_calls(reader, value);
	if (strcmp(key, "jump") == 0 || strcmp(key, "jcnd") == 0)
		return true;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strcmp(key, places[i]) == 0)
			return read_place(reader, key, value);
	count_bad(reader);
	return true;
}

/* A call's inclusive costs. False if out of memory. */
static bool add_call(struct callgrind_reader *reader,
	const struct callgrind_line_costs *costs)
{
	struct profile *profile = reader->from->profile;
	struct profile_cost *cost;
	uint32_t edge;

	if (reader->function == FUNCTION_ROOT &&
		reader->target != FUNCTION_ROOT) {
		cost = &profile->functions[reader->target].root;
	} else if (reader->target == FUNCTION_ROOT) {
		count_bad(reader);
		return true;
	} else {
		edge = profile_add_edge(
			profile, reader->function, reader->target);
		if (edge == PROFILE_NONE)
			return false;
		if (!keep_costs(reader, &profile->edges[edge].events, costs))
			return false;
		if (!keep_line(reader, costs, true))
			return false;
		cost = &profile->edges[edge].cost;
	}
	cost->ncalls = inclusive_time_add(cost->ncalls, reader->calls);
	cost->cumtime_ns = inclusive_time_add(cost->cumtime_ns, costs->used_ns);
	return true;
}

/* False if out of memory. */
static bool read_costs(struct callgrind_reader *reader, const char *text)
{
	bool calling = reader->calling;
	uint64_t positions[CALLGRIND_POSITIONS_MAX];
	struct callgrind_line_costs costs;
	struct profile_function *function;

	reader->calling = false;
	reader->ended = false;
	if (!enter_function(reader))
		return false;
	if (reader->function == PROFILE_NONE ||
		!callgrind_costs_parse_positions(
			&reader->costs, &text, positions) ||
		!callgrind_costs_parse_costs(&reader->costs, text, &costs)) {
		count_bad(reader);
		return true;
	}
	memcpy(reader->costs.positions, positions, sizeof(positions));
	if (calling)
		return add_call(reader, &costs);
	if (reader->function == FUNCTION_ROOT)
		return true;
	if (inclusive_time_add(reader->total_ns, costs.used_ns) !=
		reader->total_ns + costs.used_ns) {
		count_bad(reader);
		return true;
	}
	reader->total_ns += costs.used_ns;
	function = &reader->from->profile->functions[reader->function];
	function->cost.tottime_ns += costs.used_ns;
	if (!keep_costs(reader, &function->use.events, &costs) ||
		!keep_line(reader, &costs, false))
		return false;
	return reader->here.file != reader->function_file ||
	       set_line(reader, reader->function,
		       callgrind_costs_line(&reader->costs, positions));
}

/* False if out of memory. */
static bool read_line(struct callgrind_reader *reader, struct line *line)
{
	char *text = lines_trim(line->text);
	size_t key = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	char mark = text[key];

	if (*text == '\0' || *text == '#')
		return true;
	if (key == 0 &&
		(isdigit((unsigned char)*text) || strchr("+-*", *text) != NULL))
		return read_costs(reader, text);
	if (reader->calling) {
		reader->calling = false;
		count_bad(reader);
	}
	text[key] = '\0';
	if (key > 0 && mark == ':')
		return read_header(reader, text, text + key + 1);
	if (key > 0 && mark == '=')
		return read_spec(reader, text, text + key + 1);
	count_bad(reader);
	return true;
}

/* Whether a function that is named has no record. yappi begins with lists of
 * all files and functions, and ruby-prof writes a record for each that is
 * called. */
static bool lacks_records(const struct callgrind_reader *reader)
{
	const struct profile *profile = reader->from->profile;
	uint32_t recorded = 0;
	uint32_t listed = 0;

	for (uint32_t i = 0; i < profile->function_count; i++)
		recorded += i < reader->recorded_room && reader->recorded[i];
	for (uint32_t i = 0; i < reader->functions.room; i++)
		listed += reader->functions.meanings[i] != 0;
	for (uint32_t i = 0; i < reader->files.room && listed == 0; i++)
		listed += reader->files.meanings[i] != 0;
	return recorded < profile->function_count || recorded < listed;
}

/* Files of most creators have no end marker. False if out of memory. */
static bool check_end(const struct callgrind_reader *reader)
{
	bool yappi = strncmp(reader->costs.creator, "yappi", 5) == 0;
	const char *why = NULL;

	if (reader->last_key != NULL)
		return true;
	if (reader->calling)
		why = "its last call has no cost";
	else if (reader->entering)
		why = "its last function has no cost";
	else if (!reader->line_ended && !yappi)
		why = "its last line has no line end";
	else if ((yappi || reader->costs.is_ruby_prof) && lacks_records(reader))
		why = "functions that it names have no record";
	return why == NULL ||
	       truncation_suspect(reader->from->source.trace, why);
}

/* The lines are known now. profile_sort() rebuilds the tables that find a
 * function by its line. */
static enum ctp_status finish(
	struct callgrind_reader *reader, struct ctp_error *err)
{
	struct profile *profile = reader->from->profile;
	struct trace *trace = reader->from->source.trace;

	for (uint32_t i = 0; i < profile->function_count; i++)
		if (i < reader->line_room)
			profile->functions[i].line = reader->lines[i];
	if (reader->calling)
		count_bad(reader);
	if (reader->last_key != NULL && !reader->ended)
		trace_lose(trace, LOSS_TRUNCATED, 1);
	if (!check_end(reader))
		return ctp_no_memory(err);
	trace_lose(trace, LOSS_UNKNOWN_SITES,
		reader->functions.unknown + reader->files.unknown +
			reader->objects.unknown);
	if (profile->lines != NULL)
		profile_lines_sort(profile->lines);
	if (keeps_events(reader)) {
		profile->events = reader->events;
		reader->events = NULL;
	}
	return inclusive_time_find(profile, err);
}

static enum ctp_status read_all(
	struct callgrind_reader *reader, struct ctp_error *err)
{
	struct profile_source *from = reader->from;
	enum ctp_status status = CTP_OK;
	struct lines lines;
	struct line line;

	if (from->source.trace->request.keeps_lines) {
		from->profile->lines = profile_lines_new();
		if (from->profile->lines == NULL)
			return ctp_no_memory(err);
	}
	reader->events = profile_events_new();
	if (!names_init(&reader->objects) || !names_init(&reader->files) ||
		!names_init(&reader->functions) || reader->events == NULL)
		return ctp_no_memory(err);
	if (!lines_init(&lines, from->in, from->head.bytes, from->head.used))
		status = ctp_no_memory(err);
	while (status == CTP_OK) {
		status = lines_next(&lines, &line, err);
		if (status == CTP_OK) {
			reader->line_ended = line.ended;
			if (!read_line(reader, &line))
				status = ctp_no_memory(err);
		}
		from->position = lines_position(&lines);
	}
	lines_clear(&lines);
	return status;
}

enum ctp_status callgrind_read(
	struct profile_source *from, struct ctp_error *err)
{
	struct callgrind_reader reader = {
		.from = from,
		.function = PROFILE_NONE,
		.callee = PROFILE_NONE,
	};
	enum ctp_status finished = CTP_OK;
	enum ctp_status status;

	callgrind_costs_init(&reader.costs);
	status = read_all(&reader, err);

	/* Use what was read before the damage. */
	if (status == CTP_END || status == CTP_ERR_FORMAT)
		finished = finish(&reader, err);
	names_clear(&reader.objects);
	names_clear(&reader.files);
	names_clear(&reader.functions);
	profile_events_free(reader.events);
	memory_free(reader.lines);
	memory_free(reader.numbered);
	memory_free(reader.recorded);
	if (finished != CTP_OK)
		return finished;
	if (status == CTP_END && reader.lacks_event)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"has no event '%s'; 'ctprof info' lists its costs",
			from->source.trace->request.event);
	return status == CTP_END ? CTP_OK : status;
}

/* Does a line begin with this? */
static bool has_line(const char *text, size_t size, const char *begin)
{
	size_t length = strlen(begin);
	const char *at = text;

	while (at != NULL && (size_t)(at - text) + length <= size) {
		if (memcmp(at, begin, length) == 0)
			return true;
		at = memchr(at, '\n', size - (size_t)(at - text));
		at = at == NULL ? NULL : at + 1;
	}
	return false;
}

/* The first line, "# callgrind format", is optional. */
unsigned callgrind_probe(const void *bytes, size_t size)
{
	static const char begin[] = "# callgrind format";
	static const char *const keys[] = {
		"version:", "creator:", "positions:", "summary:", "fl=", "fn="};
	unsigned bits = 0;

	if (size >= sizeof(begin) - 1 &&
		memcmp(bytes, begin, sizeof(begin) - 1) == 0)
		return 8 * (unsigned)sizeof(begin);
	if (!has_line(bytes, size, "events:") ||
		(!has_line(bytes, size, "version:") &&
			!has_line(bytes, size, "fn=")))
		return 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		bits += has_line(bytes, size, keys[i]) ? 16 : 0;
	return bits;
}

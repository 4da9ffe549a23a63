/* SPDX-License-Identifier: MIT */
/*
 * Reads callgrind's profiles, of Valgrind and of all that write them.
 * Source: Valgrind manual, "Callgrind Format Specification"; what is relative
 * to what, and what a call's file is if it is not said, as in Valgrind's
 * callgrind/dump.c.
 *
 * Of several costs one is taken: the first that is a time, or else the first,
 * each unit of which is one nanosecond then. Several parts are summed up.
 * A function is one by its number, or its name and its file, or where that is not
 * known, its object; its line is the first that is called or has a cost. Its
 * place is where that is, for some begin with a list of names (yappi).
 */
#include "callgrind/callgrind_read.h"

#include <ctype.h>
#include <string.h>

#include "callgrind/callgrind_costs.h"
#include "callgrind/callgrind_names.h"
#include "profiles/label.h"
#include "io/lines.h"
#include "base/memory.h"
#include "profiles/profile_source.h"
#include "profiles/totals.h"

/* Our own entry that calls what nobody calls; see callgrind.c. */
#define FUNCTION_ROOT (PROFILE_NONE - 1)

/* Where something is; numbers of names, 0: not said. */
struct place {
	uint32_t object;
	uint32_t file;
};

struct grind {
	struct profile_source *from;
	struct callgrind_names objects;
	struct callgrind_names files;
	struct callgrind_names functions;
	uint32_t *lines; /* of functions; 0: unknown */
	uint32_t line_room;
	uint32_t *numbered; /* functions + 1, by their number; 0: none */
	uint32_t numbered_room;

	struct callgrind_costs costs;
	uint64_t total_ns;

	struct place here;      /* also within code that was inlined */
	struct place called;    /* as far as it is said */
	uint32_t function_file; /* which the next function is in */
	uint32_t function;      /* PROFILE_NONE: none yet */
	/* Said by "fn=", with nothing of it yet. */
	bool entering;
	struct callgrind_name entered;
	struct place entered_at;
	/* A call, whose cost comes next. */
	bool calling;
	uint64_t calls;
	uint32_t target;
	uint32_t callee;      /* of the next call */
	const char *last_key; /* in which the file ends; NULL: unknown */
	bool ended;
};

static void count_bad(struct grind *grind)
{
	trace_lose(grind->from->source.trace, LOSS_BAD_EVENTS, 1);
}

/* False if out of memory. */
static bool set_line(struct grind *grind, uint32_t function, uint32_t line)
{
	if (function == FUNCTION_ROOT)
		return true;
	if (!memory_reach(&grind->lines, function, &grind->line_room,
		    sizeof(*grind->lines)))
		return false;
	if (grind->lines[function] == 0)
		grind->lines[function] = line;
	return true;
}

/* A name that says something; callgrind's own word for none is "???". */
static const char *text_of(const struct callgrind_names *names, uint32_t number)
{
	const char *text = strtab_text(names->text, number, NULL);

	return strcmp(text, "???") == 0 ? "" : text;
}

/* PROFILE_NONE if out of memory. */
static uint32_t make_function(
	struct grind *grind, const char *name, const struct place *place)
{
	const char *file = text_of(&grind->files, place->file);

	if (*file == '\0')
		file = text_of(&grind->objects, place->object);
	if (*file == '\0' && strcmp(name, LABEL_ROOT) == 0)
		return FUNCTION_ROOT;
	return profile_add_function(grind->from->profile, name, file, 0);
}

/* Where a number's function is; NULL if out of memory. */
static uint32_t *function_of(struct grind *grind, uint32_t number)
{
	return memory_reach(&grind->numbered, number, &grind->numbered_room,
		       sizeof(*grind->numbered))
		       ? &grind->numbered[number]
		       : NULL;
}

/* A number stands for the same function wherever it is said again. PROFILE_NONE
 * if out of memory. */
static uint32_t find_function(struct grind *grind,
	const struct callgrind_name *name, const struct place *place)
{
	const char *text = strtab_text(grind->functions.text, name->text, NULL);
	uint32_t *known;
	uint32_t function;

	if (name->number == STRTAB_NONE)
		return make_function(grind, text, place);
	known = function_of(grind, name->number);
	if (known == NULL)
		return PROFILE_NONE;
	if (*known != 0 && !name->said)
		return *known - 1;
	function = make_function(grind, text, place);
	if (function != PROFILE_NONE)
		*known = function + 1;
	return function;
}

/* Of the function that "fn=" said there is something. False if out of memory. */
static bool enter_function(struct grind *grind)
{
	if (!grind->entering)
		return true;
	grind->entering = false;
	grind->function =
		find_function(grind, &grind->entered, &grind->entered_at);
	return grind->function != PROFILE_NONE;
}

static const char *last_key_of(const char *creator)
{
	if (strncmp(creator, "callgrind-", 10) == 0)
		return "totals";
	/* Those before have it in front of the costs of main. */
	return strncmp(creator, "xdebug 3.", 9) == 0 ? "summary" : NULL;
}

/* "key: value". False if out of memory. */
static bool read_header(struct grind *grind, const char *key, char *value)
{
	value = lines_trim(value);
	if (grind->last_key != NULL && strcmp(key, grind->last_key) == 0)
		grind->ended = true;
	if (strcmp(key, "events") == 0)
		return trace_set_fact(grind->from->source.trace, "cost",
			callgrind_costs_set_events(&grind->costs, value));
	if (strcmp(key, "positions") == 0) {
		callgrind_costs_set_positions(&grind->costs, value);
	} else if (strcmp(key, "creator") == 0) {
		callgrind_costs_set_creator(&grind->costs, value);
		grind->last_key = last_key_of(value);
	} else if (strcmp(key, "cmd") == 0) {
		return trace_set_fact(
			grind->from->source.trace, "command", value);
	}
	return true;
}

/* "calls=COUNT POSITION". False if out of memory. */
static bool read_calls(struct grind *grind, const char *text)
{
	uint64_t target[CALLGRIND_POSITIONS_MAX];
	uint32_t callee = grind->callee;

	grind->called = (struct place){0};
	grind->callee = PROFILE_NONE;
	if (!enter_function(grind))
		return false;
	if (callee == PROFILE_NONE || grind->function == PROFILE_NONE ||
		!callgrind_costs_take_number(&text, &grind->calls) ||
		!callgrind_costs_take_positions(&grind->costs, &text, target)) {
		count_bad(grind);
		return true;
	}
	grind->calling = true;
	grind->target = callee;
	return set_line(
		grind, callee, callgrind_costs_line(&grind->costs, target));
}

/* "fn=", "cfn=" and "jfn=", where a jump goes. What a call's place does not say
 * is that of the caller. False if out of memory. */
static bool read_function(struct grind *grind, char kind, const char *value)
{
	struct callgrind_name name =
		callgrind_names_find(&grind->functions, value);
	struct place place = grind->called;

	if (name.text == STRTAB_NONE)
		return false;
	if (kind == 'j')
		return true;
	if (kind == 'f') {
		grind->here.file = grind->function_file;
		grind->entering = true;
		grind->entered = name;
		grind->entered_at = grind->here;
		return true;
	}
	if (place.object == 0)
		place.object = grind->here.object;
	if (place.file == 0)
		place.file = grind->here.file;
	grind->callee = find_function(grind, &name, &place);
	return grind->callee != PROFILE_NONE;
}

/* "key=value" that is known. Of jumps only the names count. False if out of
 * memory. */
static bool read_place(struct grind *grind, const char *key, const char *value)
{
	bool elsewhere = *key == 'c' || *key == 'j';
	struct place *place = *key == 'c' ? &grind->called : &grind->here;
	const char *what = key + elsewhere;
	uint32_t name;

	if (strcmp(what, "fn") == 0)
		return read_function(grind, *key, value);
	name = callgrind_names_find(
		*what == 'o' ? &grind->objects : &grind->files, value)
		       .text;
	if (name == STRTAB_NONE || *key == 'j')
		return name != STRTAB_NONE;
	*(*what == 'o' ? &place->object : &place->file) = name;
	if (strcmp(key, "fl") == 0)
		grind->function_file = name;
	return true;
}

/* "key=value". False if out of memory. */
static bool read_spec(struct grind *grind, const char *key, char *value)
{
	static const char *const places[] = {"ob", "fl", "fi", "fe", "fn",
		"cob", "cfl", "cfi", "cfn", "jfi", "jfn"};

	value = lines_trim(value);
	if (strcmp(key, "calls") == 0)
		return read_calls(grind, value);
	if (strcmp(key, "jump") == 0 || strcmp(key, "jcnd") == 0)
		return true;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strcmp(key, places[i]) == 0)
			return read_place(grind, key, value);
	count_bad(grind);
	return true;
}

/* A call's cost, with all that was called from there. False if out of
 * memory. */
static bool add_call(struct grind *grind, uint64_t cost_ns)
{
	struct profile *profile = grind->from->profile;
	struct profile_cost *cost;
	uint32_t edge;

	if (grind->function == FUNCTION_ROOT &&
		grind->target != FUNCTION_ROOT) {
		cost = &profile->functions[grind->target].root;
	} else if (grind->target == FUNCTION_ROOT) {
		count_bad(grind);
		return true;
	} else {
		edge = profile_add_edge(
			profile, grind->function, grind->target);
		if (edge == PROFILE_NONE)
			return false;
		cost = &profile->edges[edge].cost;
	}
	cost->ncalls = totals_add(cost->ncalls, grind->calls);
	cost->cumtime_ns = totals_add(cost->cumtime_ns, cost_ns);
	return true;
}

/* False if out of memory. */
static bool read_costs(struct grind *grind, const char *text)
{
	bool calling = grind->calling;
	uint64_t positions[CALLGRIND_POSITIONS_MAX];
	uint64_t cost_ns;

	grind->calling = false;
	grind->ended = false;
	if (!enter_function(grind))
		return false;
	if (grind->function == PROFILE_NONE ||
		!callgrind_costs_take_positions(
			&grind->costs, &text, positions) ||
		!callgrind_costs_take_cost(&grind->costs, text, &cost_ns)) {
		count_bad(grind);
		return true;
	}
	memcpy(grind->costs.positions, positions, sizeof(positions));
	if (calling)
		return add_call(grind, cost_ns);
	if (grind->function == FUNCTION_ROOT)
		return true;
	if (totals_add(grind->total_ns, cost_ns) != grind->total_ns + cost_ns) {
		count_bad(grind);
		return true;
	}
	grind->total_ns += cost_ns;
	grind->from->profile->functions[grind->function].cost.tottime_ns +=
		cost_ns;
	return grind->here.file != grind->function_file ||
	       set_line(grind, grind->function,
		       callgrind_costs_line(&grind->costs, positions));
}

/* False if out of memory. */
static bool read_line(struct grind *grind, struct line *line)
{
	char *text = lines_trim(line->text);
	size_t key = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	char mark = text[key];

	if (*text == '\0' || *text == '#')
		return true;
	if (key == 0 &&
		(isdigit((unsigned char)*text) || strchr("+-*", *text) != NULL))
		return read_costs(grind, text);
	if (grind->calling) {
		grind->calling = false;
		count_bad(grind);
	}
	text[key] = '\0';
	if (key > 0 && mark == ':')
		return read_header(grind, text, text + key + 1);
	if (key > 0 && mark == '=')
		return read_spec(grind, text, text + key + 1);
	count_bad(grind);
	return true;
}

/* The lines are known now. profile_sort() makes the tables anew that find a
 * function by its line. */
static enum ctp_status finish(struct grind *grind, struct ctp_error *err)
{
	struct profile *profile = grind->from->profile;
	struct trace *trace = grind->from->source.trace;

	for (uint32_t i = 0; i < profile->function_count; i++)
		if (i < grind->line_room)
			profile->functions[i].line = grind->lines[i];
	if (grind->calling)
		count_bad(grind);
	if (grind->last_key != NULL && !grind->ended)
		trace_lose(trace, LOSS_TRUNCATED, 1);
	trace_lose(trace, LOSS_UNKNOWN_SITES,
		grind->functions.unknown + grind->files.unknown +
			grind->objects.unknown);
	return totals_find(profile, err);
}

static enum ctp_status read_all(struct grind *grind, struct ctp_error *err)
{
	struct profile_source *from = grind->from;
	enum ctp_status status = CTP_OK;
	struct lines lines;
	struct line line;

	if (!callgrind_names_init(&grind->objects) ||
		!callgrind_names_init(&grind->files) ||
		!callgrind_names_init(&grind->functions))
		return profile_source_no_memory(err);
	if (!lines_init(&lines, from->in, from->head.bytes, from->head.used))
		status = profile_source_no_memory(err);
	while (status == CTP_OK) {
		status = lines_next(&lines, &line, err);
		if (status == CTP_OK && !read_line(grind, &line))
			status = profile_source_no_memory(err);
		from->position = lines_position(&lines);
	}
	lines_clear(&lines);
	return status;
}

static enum ctp_status read_callgrind(
	struct profile_source *from, struct ctp_error *err)
{
	struct grind grind = {
		.from = from,
		.function = PROFILE_NONE,
		.callee = PROFILE_NONE,
	};
	enum ctp_status finished = CTP_OK;
	enum ctp_status status;

	callgrind_costs_init(&grind.costs);
	status = read_all(&grind, err);

	/* Also what was damaged is used as far as it goes. */
	if (status == CTP_END || status == CTP_ERR_FORMAT)
		finished = finish(&grind, err);
	callgrind_names_clear(&grind.objects);
	callgrind_names_clear(&grind.files);
	callgrind_names_clear(&grind.functions);
	memory_free(grind.lines);
	memory_free(grind.numbered);
	if (finished != CTP_OK)
		return finished;
	return status == CTP_END ? CTP_OK : status;
}

enum ctp_status callgrind_open(FILE *in, const void *head, size_t head_size,
	struct event_source **out, struct ctp_error *err)
{
	return profile_source_open(
		(struct profile_source_input){in, head, head_size},
		read_callgrind, out, err);
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

/* Its first line is "# callgrind format", but need not be there. */
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

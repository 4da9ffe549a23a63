/* SPDX-License-Identifier: MIT */
/*
 * Reads gprof's report: GNU, BSD and Darwin; see gprof.c. The call graph has
 * everything we need, so the flat profile is used only if there is no call
 * graph. Each call is on two lines, with its caller and with its callee: the
 * first is used. Calls within a cycle have no times.
 *
 * The fact `granularity` is the resolution of the times.
 */
#include "gprof/gprof_read.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/label.h"
#include "io/lines.h"
#include "io/truncation.h"
#include "base/memory.h"
#include "profiles/profile_source.h"
#include "profiles/inclusive_time.h"
#include "json/json_value.h"

/* A line of the call graph, or of the flat profile if it has these fields. */
struct gprof_line {
	const char *name; /* borrowed from the line */
	uint32_t index;   /* 0: of the flat profile */
	uint32_t cycle;   /* 0: none */
	bool has_calls;
	bool is_cycle;       /* "<cycle 1 as a whole>" */
	uint64_t calls;      /* of a function: without recursive calls */
	uint64_t self_calls; /* of a function: recursive calls */
	uint64_t self_ns;
	uint64_t children_ns;
	uint64_t share; /* of the flat profile: billionths of a per cent */
};

#define SECOND_DIGITS 9
#define DIGITS "0123456789"

/* Consumes a word of these characters; NULL, consuming nothing, if the next
 * character is another. */
static char *parse_word(char **text, const char *characters, size_t *size)
{
	char *word = *text + strspn(*text, " \t");

	*size = strspn(word, characters);
	if (*size == 0 || (word[*size] != '\0' && word[*size] != ' ' &&
				  word[*size] != '\t'))
		return NULL;
	*text = word + *size;
	return word;
}

/* A number with a decimal point: seconds. */
static bool parse_time(char **text, uint64_t *time_ns)
{
	char *at = *text;
	size_t size;
	char *word = parse_word(&at, DIGITS ".", &size);
	int64_t ns;

	if (word == NULL || memchr(word, '.', size) == NULL ||
		!json_value_scaled(word, size, SECOND_DIGITS, &ns))
		return false;
	*time_ns = (uint64_t)ns;
	*text = at;
	return true;
}

/* "3", "3/4", where the 4 is redundant, or "3+4". */
static bool parse_calls(char **text, struct gprof_line *line)
{
	char *at = *text;
	size_t size;
	char *word = parse_word(&at, DIGITS "/+", &size);
	int64_t calls;
	int64_t more = 0;
	size_t first;
	char mark;

	if (word == NULL)
		return false;
	first = strspn(word, DIGITS);
	mark = first < size ? word[first] : '\0';
	if (!json_value_scaled(word, first, 0, &calls) ||
		(mark != '\0' && !json_value_scaled(word + first + 1,
					 size - first - 1, 0, &more)))
		return false;
	line->calls = (uint64_t)calls;
	line->self_calls = mark == '+' ? (uint64_t)more : 0;
	line->has_calls = true;
	*text = at;
	return true;
}

/* Cuts off an index at the end, "[3]", or "(3)" if that has no entry. */
static bool cut_index(char *text, uint32_t *index)
{
	size_t size = strlen(text);
	char *open;
	int64_t number;

	if (size < 3 || (text[size - 1] != ']' && text[size - 1] != ')'))
		return false;
	open = text + size - 1;
	while (open > text && open[-1] >= '0' && open[-1] <= '9')
		open--;
	if (open == text || open == text + size - 1 ||
		open[-1] != (text[size - 1] == ']' ? '[' : '(') ||
		!json_value_scaled(
			open, (size_t)(text + size - 1 - open), 0, &number) ||
		number < 1 || number >= UINT32_MAX)
		return false;
	*index = (uint32_t)number;
	open[-1] = '\0';
	return true;
}

/* Cuts off "<cycle 1>"; recognizes "<cycle 1 as a whole>". */
static void cut_cycle(char *text, struct gprof_line *line)
{
	static const char mark[] = "<cycle ";
	char *open = strstr(text, mark);
	char *next = open;
	unsigned long number;
	char *end;

	while (next != NULL) {
		open = next;
		next = strstr(open + 1, mark);
	}
	if (open == NULL)
		return;
	number = strtoul(open + sizeof(mark) - 1, &end, 10);
	line->is_cycle = open == text && strcmp(end, " as a whole>") == 0;
	if (strcmp(end, ">") != 0 || number == 0 || number >= UINT32_MAX)
		return;
	line->cycle = (uint32_t)number;
	*open = '\0';
}

/* The rest is the name. */
static bool parse_name(char *text, struct gprof_line *line)
{
	text = lines_trim(text);
	cut_cycle(text, line);
	line->name = lines_trim(text);
	return *line->name != '\0';
}

/* Parses a caller's or callee's line, modifying it; false if it is another
 * line. */
static bool parse_reference(char *text, struct gprof_line *line)
{
	*line = (struct gprof_line){0};
	text = lines_trim(text);
	if (!cut_index(text, &line->index))
		return false;
	text = lines_trim(text);
	if (parse_time(&text, &line->self_ns))
		(void)parse_time(&text, &line->children_ns);
	return parse_calls(&text, line) && parse_name(text, line);
}

/* Parses a function's own line, which begins with its index. */
static bool parse_primary(char *text, struct gprof_line *line)
{
	uint64_t share;
	size_t digits;

	*line = (struct gprof_line){0};
	if (*text != '[')
		return false;
	digits = strspn(++text, DIGITS);
	text += digits;
	if (digits == 0)
		return false;
	text = lines_trim(text + (*text == ']'));
	if (!cut_index(text, &line->index))
		return false;
	text = lines_trim(text);
	if (!parse_time(&text, &share) || !parse_time(&text, &line->self_ns) ||
		!parse_time(&text, &line->children_ns))
		return false;
	(void)parse_calls(&text, line);
	return parse_name(text, line);
}

/* Parses a function's line in the flat profile. `unit_ns`: unit of the times
 * per call; 0: no usable ones. */
static bool parse_flat(char *text, uint64_t unit_ns, struct gprof_line *line)
{
	uint64_t sum_ns;
	uint64_t each;
	uint64_t whole_ns;
	uint32_t index;

	*line = (struct gprof_line){0};
	text = lines_trim(text);
	if (!parse_time(&text, &line->share) || !parse_time(&text, &sum_ns) ||
		!parse_time(&text, &line->self_ns))
		return false;
	if (parse_calls(&text, line) && parse_time(&text, &each) &&
		parse_time(&text, &each) &&
		!__builtin_mul_overflow(each, line->calls, &whole_ns)) {
		/* `each` is in billionths of the unit. */
		whole_ns = whole_ns / 1000000000 * unit_ns +
			   whole_ns % 1000000000 * unit_ns / 1000000000;
		if (whole_ns > line->self_ns)
			line->children_ns = whole_ns - line->self_ns;
	}
	text = lines_trim(text);
	(void)cut_index(text, &index);
	return parse_name(text, line);
}

/* Our own entry that calls every function without a caller; see gprof.c. */
#define FUNCTION_ROOT (PROFILE_NONE - 1)

enum part { PART_NONE, PART_FLAT, PART_GRAPH };

struct graph_function {
	uint32_t cycle; /* 0: none */
	bool has_entry;
};

struct report {
	struct profile_source *from;
	struct profile *flat;
	struct graph_function *known; /* by function */
	uint32_t known_room;
	bool has_root;

	enum part part;
	bool line_ended;     /* the last one read */
	uint64_t shares;     /* sum over the flat profile, see gprof_line */
	uint64_t rounding;   /* likewise: most that rounding can change it by */
	bool has_hundredths; /* in some share */
	uint64_t unit_ns;    /* unit of the flat profile's times per call */
	uint32_t entry;      /* its callees come next; PROFILE_NONE: callers */
	bool is_cycle;       /* its members come next */
	/* Call graphs of other tools end with an index. */
	bool has_graph;
	bool has_index;
	/* The callers of the next entry. */
	struct caller *callers;
	size_t caller_count;
	size_t caller_room;
};

struct caller {
	uint32_t function;
	struct profile_cost cost;
};

static void count_bad(struct report *report)
{
	trace_lose(report->from->source.trace, LOSS_BAD_EVENTS, 1);
}

/* PROFILE_NONE if out of memory. An index stands for a line until the end, so
 * that functions of one name stay apart. */
static uint32_t function_of(
	struct report *report, const struct gprof_line *line)
{
	uint32_t function;

	if (strcmp(line->name, LABEL_ROOT) == 0)
		return FUNCTION_ROOT;
	function = profile_add_function(
		report->from->profile, line->name, NULL, line->index);
	if (function == PROFILE_NONE)
		return PROFILE_NONE;
	if (!array_ensure_index(&report->known, function, &report->known_room,
		    sizeof(*report->known)))
		return PROFILE_NONE;
	report->known[function].cycle = line->cycle;
	return function;
}

static struct profile_cost cost_of(const struct gprof_line *line)
{
	return (struct profile_cost){
		.ncalls = inclusive_time_add(line->calls, line->self_calls),
		.pcalls = line->calls,
		.tottime_ns = line->self_ns,
		.cumtime_ns =
			inclusive_time_add(line->self_ns, line->children_ns)};
}

/* A call, unless it is known. False if out of memory. */
static bool add_call(struct report *report, uint32_t caller, uint32_t callee,
	const struct profile_cost *cost)
{
	struct profile *profile = report->from->profile;
	uint32_t count = profile->edge_count;
	uint32_t edge;

	if (callee == FUNCTION_ROOT)
		return true;
	if (caller == FUNCTION_ROOT) {
		report->has_root = true;
		profile->functions[callee].root = *cost;
		return true;
	}
	edge = profile_add_edge(profile, caller, callee);
	if (edge == PROFILE_NONE)
		return false;
	if (profile->edge_count > count)
		profile->edges[edge].cost = *cost;
	return true;
}

/* A function's own line; its callers came before it. False if out of memory. */
static bool read_primary(struct report *report, const struct gprof_line *line)
{
	struct profile *profile = report->from->profile;
	bool ok = true;

	report->is_cycle = line->is_cycle;
	if (line->is_cycle) {
		report->caller_count = 0;
		return true;
	}
	report->entry = function_of(report, line);
	if (report->entry == PROFILE_NONE)
		return false;
	if (report->entry != FUNCTION_ROOT) {
		profile->functions[report->entry].cost = cost_of(line);
		report->known[report->entry].has_entry = true;
	}
	for (size_t i = 0; i < report->caller_count && ok; i++)
		ok = add_call(report, report->callers[i].function,
			report->entry, &report->callers[i].cost);
	report->caller_count = 0;
	return ok;
}

static bool add_caller(
	struct report *report, uint32_t function, struct profile_cost cost)
{
	if (!array_reserve(&report->callers, report->caller_count,
		    &report->caller_room, sizeof(*report->callers)))
		return false;
	report->callers[report->caller_count++] =
		(struct caller){function, cost};
	return true;
}

/* A caller's or callee's line. False if out of memory. */
static bool read_reference(struct report *report, const struct gprof_line *line)
{
	struct profile_cost cost = cost_of(line);
	uint32_t function;

	if (report->is_cycle)
		return true;
	function = function_of(report, line);
	if (function == PROFILE_NONE)
		return false;
	if (report->entry == PROFILE_NONE)
		return add_caller(report, function, cost);
	return add_call(report, report->entry, function, &cost);
}

static void end_entry(struct report *report)
{
	if (report->caller_count > 0)
		count_bad(report);
	report->entry = PROFILE_NONE;
	report->is_cycle = false;
	report->caller_count = 0;
}

/* Other lines may be between entries: more of the heading, or the
 * explanation. False if out of memory. */
static bool read_graph(struct report *report, char *text)
{
	struct gprof_line line;

	if (strncmp(text, "---", 3) == 0) {
		end_entry(report);
		return true;
	}
	if (*text == '[' && parse_primary(text, &line))
		return read_primary(report, &line);
	if (*text != '[' && parse_reference(text, &line))
		return read_reference(report, &line);
	text = lines_trim(text);
	if (*text != '\0' && strcmp(text, "<spontaneous>") != 0 &&
		(report->entry != PROFILE_NONE || report->caller_count > 0))
		count_bad(report);
	return true;
}

#define PER_CENT UINT64_C(1000000000)

static void add_share(struct report *report, uint64_t share)
{
	report->shares = inclusive_time_add(report->shares, share);
	report->rounding += PER_CENT / 20; /* one decimal */
	if (share % (PER_CENT / 10) != 0)
		report->has_hundredths = true;
}

/* The flat profile has no end marker, but its shares add up to 100 %. False if
 * out of memory. */
static bool check_flat(const struct report *report)
{
	struct trace *trace = report->from->source.trace;
	uint64_t rounding =
		report->rounding / (report->has_hundredths ? 10 : 1);

	if (!report->line_ended &&
		!truncation_suspect(trace, "its last line has no line end"))
		return false;
	return report->shares == 0 ||
	       report->shares + rounding >= 100 * PER_CENT ||
	       truncation_suspect(trace, "its shares do not add up to 100 %");
}

static bool read_flat(struct report *report, char *text)
{
	struct gprof_line line;
	struct profile_cost cost;
	uint32_t function;

	if (*lines_trim(text) == '\0') {
		report->part = PART_NONE;
		return true;
	}
	if (!parse_flat(text, report->unit_ns, &line))
		return true;
	add_share(report, line.share);
	function = profile_add_function(report->flat, line.name, NULL, 0);
	if (function == PROFILE_NONE)
		return false;
	cost = cost_of(&line);
	profile_cost_add(&report->flat->functions[function].cost, &cost);
	return true;
}

/* The unit of "ms/call" and the like, in a heading. */
static uint64_t unit_of(const char *heading)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{" ns/call", 1}, {" us/call", 1000}, {" ms/call", 1000000},
		{" s/call", 1000000000}, {" ks/call", 1000000000000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strstr(heading, units[i].name) != NULL)
			return units[i].ns;
	return 0;
}

/* The lines before and between the tables. False if out of memory. */
static bool read_heading(struct report *report, char *text)
{
	static const char each[] = "Each sample counts as ";
	static const char granularity[] = "granularity: ";
	const char *fact = NULL;

	text = lines_trim(text);
	if (strncmp(text, "index", 5) == 0 && strstr(text, "called") != NULL &&
		strstr(text, "name") != NULL) {
		report->part = PART_GRAPH;
		end_entry(report);
	} else if (strstr(text, "calls") != NULL &&
		   strstr(text, "name") != NULL) {
		report->part = PART_FLAT;
		report->unit_ns = unit_of(text);
	} else if (strncmp(text, each, sizeof(each) - 1) == 0) {
		fact = text + sizeof(each) - 1;
	} else if (strncmp(text, granularity, sizeof(granularity) - 1) == 0) {
		fact = text + sizeof(granularity) - 1;
		report->has_graph = true;
	} else if (strcmp(text, "Index by function name") == 0) {
		report->has_index = true;
	}
	return fact == NULL ||
	       trace_set_fact(report->from->source.trace, "granularity", fact);
}

static bool read_line(struct report *report, char *text)
{
	if (*text == '\f') {
		end_entry(report);
		report->part = PART_NONE;
		return true;
	}
	switch (report->part) {
	case PART_FLAT:
		return read_flat(report, text);
	case PART_GRAPH:
		return read_graph(report, text);
	default:
		return read_heading(report, text);
	}
}

/* Missing entries get the costs on their callers' lines. */
static void add_missing(struct report *report)
{
	struct profile *profile = report->from->profile;

	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		if (!report->known[edge->callee].has_entry)
			profile_cost_add(&profile->functions[edge->callee].cost,
				&edge->cost);
	}
}

/* Within a cycle, the first calls are unknown. */
static bool is_inside(
	const struct report *report, const struct profile_edge *edge)
{
	uint32_t cycle = report->known[edge->caller].cycle;

	return edge->caller == edge->callee ||
	       (cycle != 0 && cycle == report->known[edge->callee].cycle);
}

static void set_primitive(struct report *report)
{
	struct profile *profile = report->from->profile;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct profile_function *function = &profile->functions[i];

		if (report->known[i].cycle != 0)
			function->cost.pcalls = function->root.ncalls;
	}
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];
		struct profile_cost *callee =
			&profile->functions[edge->callee].cost;

		if (report->known[edge->callee].cycle != 0 &&
			!is_inside(report, edge))
			callee->pcalls = inclusive_time_add(
				callee->pcalls, edge->cost.ncalls);
	}
	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct profile_cost *cost = &profile->functions[i].cost;

		if (cost->pcalls == 0 || cost->pcalls > cost->ncalls)
			cost->pcalls = cost->ncalls != 0;
	}
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		struct profile_edge *edge = &profile->edges[i];
		uint64_t most = profile->functions[edge->callee].cost.pcalls;

		if (is_inside(report, edge) && edge->cost.pcalls > most)
			edge->cost.pcalls = most;
	}
}

/* A function with a cost but without calls has one call without a caller. */
static void set_roots(struct report *report)
{
	struct profile *profile = report->from->profile;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct profile_cost *cost = &profile->functions[i].cost;

		if (cost->ncalls == 0 && cost->cumtime_ns != 0) {
			cost->ncalls = 1;
			cost->pcalls = 1;
			profile->functions[i].root = *cost;
		}
	}
	if (!report->has_root)
		inclusive_time_find_roots(profile);
}

/* Makes a function's name unique by its index if an earlier function has the
 * same name. False if out of memory. */
static bool set_name(struct profile *profile, struct profile_function *function,
	struct strtab *names, struct buffer *text)
{
	char index[16];
	uint32_t number;

	(void)snprintf(index, sizeof(index), " [%u]", function->line);
	text->used = 0;
	buffer_add_text(text, function->name);
	for (;;) {
		uint32_t count = strtab_count(names);

		if (text->failed || strtab_add(names, (char *)text->bytes,
					    text->used) == STRTAB_NONE)
			return false;
		if (strtab_count(names) > count)
			break;
		buffer_add_text(text, index);
	}
	number = strtab_add(profile->text, (char *)text->bytes, text->used);
	if (number == STRTAB_NONE)
		return false;
	function->name = strtab_text(profile->text, number, NULL);
	function->line = 0;
	return true;
}

/* Functions of the same name, except the first, get their index appended. False
 * if out of memory. */
static bool set_names(struct profile *profile)
{
	struct strtab *names = strtab_new();
	struct buffer text = BUFFER_INIT;
	bool ok = names != NULL;

	for (uint32_t i = 0; i < profile->function_count && ok; i++)
		ok = set_name(profile, &profile->functions[i], names, &text);
	buffer_clear(&text);
	strtab_free(names);
	return ok;
}

static enum ctp_status finish(struct report *report, struct ctp_error *err)
{
	struct profile_source *from = report->from;

	end_entry(report);
	if (report->has_graph && !report->has_index)
		trace_lose(from->source.trace, LOSS_TRUNCATED, 1);
	if (from->profile->function_count == 0) {
		profile_free(from->profile);
		from->profile = report->flat;
		report->flat = NULL;
		if (!check_flat(report))
			return ctp_no_memory(err);
	} else {
		add_missing(report);
		set_primitive(report);
	}
	set_roots(report);
	if (from->profile->function_count == 0)
		return ctp_fail_at(err, CTP_ERR_FORMAT, from->position,
			"is not a gprof report: it has no table");
	return set_names(from->profile) ? CTP_OK : ctp_no_memory(err);
}

static enum ctp_status read_all(struct report *report, struct ctp_error *err)
{
	struct profile_source *from = report->from;
	enum ctp_status status = CTP_OK;
	struct lines lines;
	struct line line;

	report->flat = profile_new();
	if (!lines_init(&lines, from->in, from->head.bytes, from->head.used) ||
		report->flat == NULL)
		status = ctp_no_memory(err);
	while (status == CTP_OK) {
		status = lines_next(&lines, &line, err);
		if (status == CTP_OK) {
			report->line_ended = line.ended;
			if (!read_line(report, line.text))
				status = ctp_no_memory(err);
		}
		from->position = lines_position(&lines);
	}
	lines_clear(&lines);
	return status;
}

enum ctp_status gprof_read(struct profile_source *from, struct ctp_error *err)
{
	struct report report = {.from = from, .entry = PROFILE_NONE};
	enum ctp_status status = read_all(&report, err);
	enum ctp_status finished = CTP_OK;

	/* Use what was read before the damage. */
	if (status == CTP_END)
		finished = finish(&report, err);
	else if (status == CTP_ERR_FORMAT)
		finished = finish(&report, NULL);
	profile_free(report.flat);
	memory_free(report.known);
	memory_free(report.callers);
	if (finished != CTP_OK && status == CTP_END)
		return finished;
	return status == CTP_END ? CTP_OK : status;
}

/* Looks for its headings; the call graph's need not be in the first bytes. */
unsigned gprof_probe(const void *bytes, size_t size)
{
	static const char *const headings[] = {
		"Flat profile:", "  cumulative   self  ", "called/total",
		"self  children", "self descendents", "called     name",
		"granularity: each sample hit covers"};
	unsigned bits = 0;

	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		if (memmem(bytes, size, headings[i], strlen(headings[i])))
			bits += 24;
	return bits;
}

/* SPDX-License-Identifier: MIT */
#include "compilations/compilations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "base/strtab.h"
#include "compilations/compiler_ranges.h"
#include "compilations/graph_break.h"
#include "json/json_value.h"

/* The times of one of the caches. Inductor's has graphs, and AOTAutograd's has
 * its own results with those graphs: a miss there contains one of Inductor's. */
struct cache_times {
	struct value miss, saved;
};

/* A text, and what it stands for: the id of a compilation, or the key of a
 * group. Numbers are from 1; 0: none. */
struct compilation_key {
	/* An id in this input: */
	const char *input;
	const char *reason; /* for compiling again, or NULL */
	size_t first_break; /* since the last metrics */
	uint64_t bypasses;  /* likewise, and so are the times of caches */
	struct cache_times graph_cache, autograd_cache;
	size_t forward; /* the compilation's number */
	struct value attempt;
	/* A key in all inputs: */
	size_t graph_break;
	size_t recompilation;
};

/* ---- numbers of the metrics ---- */

/* The metrics as PyTorch has them: times include what they call. */
struct metrics {
	struct value total, dynamo, back_end, inductor, backward, waiting;
	struct value restarts, operations, guards, hits, misses;
	struct value guarded;
	const char *function, *file, *reason, *fail_type, *fail_reason, *id;
	struct value line;
};

enum member_type { MEMBER_COUNT, MEMBER_US, MEMBER_SECONDS, MEMBER_TEXT };

struct member {
	const char *key;
	enum member_type type;
	size_t offset;
};

#define MEMBER(key, type, member) \
	{ \
		key, MEMBER_##type, offsetof(struct metrics, member) \
	}
/* Versions before 2.6 have times in seconds alone. */
static const struct member members[] = {
	MEMBER("compile_id", TEXT, id),
	MEMBER("co_name", TEXT, function),
	MEMBER("co_filename", TEXT, file),
	MEMBER("co_firstlineno", COUNT, line),
	MEMBER("recompile_reason", TEXT, reason),
	MEMBER("fail_type", TEXT, fail_type),
	MEMBER("fail_reason", TEXT, fail_reason),
	MEMBER("graph_op_count", COUNT, operations),
	MEMBER("guard_count", COUNT, guards),
	MEMBER("duration_us", US, total),
	MEMBER("dynamo_cumulative_compile_time_us", US, dynamo),
	MEMBER("entire_frame_compile_time_s", SECONDS, dynamo),
	MEMBER("aot_autograd_cumulative_compile_time_us", US, back_end),
	MEMBER("backend_compile_time_s", SECONDS, back_end),
	MEMBER("inductor_cumulative_compile_time_us", US, inductor),
	MEMBER("inductor_compile_time_s", SECONDS, inductor),
	MEMBER("backward_cumulative_compile_time_us", US, backward),
	MEMBER("triton_compile_time_us", US, waiting),
	MEMBER("dynamo_compile_time_before_restart_us", US, restarts),
	MEMBER("dynamo_time_before_restart_s", SECONDS, restarts),
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

/* Nanoseconds, of a number in these units; unknown if negative or too large.
 * Fractions that no double has exactly are JSON. */
static struct value read_time(const struct event_arg *arg, uint64_t unit_ns)
{
	double real_ns =
		arg->kind == ARG_FLOAT ? arg->value.real * (double)unit_ns : 0;
	int64_t time_ns = 0;

	if (arg->kind == ARG_INT && __builtin_mul_overflow(arg->value.integer,
					    (int64_t)unit_ns, &time_ns))
		time_ns = -1;
	if (arg->kind == ARG_FLOAT)
		time_ns = real_ns >= 0 && real_ns < (double)INT64_MAX
				  ? llround(real_ns)
				  : -1;
	if (arg->kind == ARG_JSON &&
		!json_value_scaled(arg->value.text.bytes, arg->value.text.size,
			unit_ns == 1000 ? 3 : 9, &time_ns))
		time_ns = -1;
	return value_maybe(arg->kind != ARG_TEXT && time_ns >= 0,
		time_ns < 0 ? 0 : (uint64_t)time_ns);
}

static struct value read_count(const struct event_arg *arg)
{
	return value_maybe(arg->kind == ARG_INT && arg->value.integer >= 0,
		(uint64_t)arg->value.integer);
}

static void add_count(struct value *sum, struct value more)
{
	if (more.state != VALUE_KNOWN)
		return;
	if (sum->state == VALUE_KNOWN)
		more.number = saturate_sum(more.number, sum->number);
	*sum = more;
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text);
	size_t end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* There is a number of hits and misses for each cache. */
static void read_cache(
	struct metrics *to, const char *key, const struct event_arg *arg)
{
	if (ends_with(key, "cache_hit_count"))
		add_count(&to->hits, read_count(arg));
	else if (ends_with(key, "cache_miss_count"))
		add_count(&to->misses, read_count(arg));
}

/* ---- texts ---- */

/* The text with blanks of any number made one, and without those at its ends;
 * NULL if out of memory. */
static const char *keep(
	struct compilations *to, const char *text, size_t size, bool one_line)
{
	char *copy = memory_new(size + 1);
	size_t used = 0;
	uint32_t number;

	if (copy == NULL)
		return NULL;
	for (size_t i = 0; i < size; i++) {
		if (one_line && text[i] == '\n')
			break;
		if (one_line && text[i] == ' ' &&
			(used == 0 || copy[used - 1] == ' '))
			continue;
		copy[used++] = text[i];
	}
	while (used > 0 && (copy[used - 1] == ' ' || copy[used - 1] == '\n'))
		used--;
	number = strtab_add(to->text, copy, used);
	memory_free(copy);
	return number == STRTAB_NONE ? NULL
				     : strtab_text(to->text, number, NULL);
}

/* An optional part: `*out` is NULL without it. False if out of memory. */
static bool keep_part(
	struct compilations *to, struct graph_break_part part, const char **out)
{
	*out = NULL;
	if (part.size == 0)
		return true;
	*out = keep(to, part.text, part.size, false);
	return *out != NULL;
}

/* Without the id of the compilation that did not fit: "0/1: ". */
static const char *without_id(const char *reason)
{
	size_t id = strspn(reason, "0123456789/_");

	return id > 0 && reason[id] == ':' && reason[id + 1] == ' '
		       ? reason + id + 2
		       : reason;
}

/* ---- reading ---- */

bool compilations_init(struct compilations *to)
{
	*to = (struct compilations){
		.text = strtab_new(), .ranges = compiler_ranges_new()};
	return to->text != NULL && to->ranges != NULL;
}

void compilations_clear(struct compilations *from)
{
	memory_free(from->rows);
	memory_free(from->breaks);
	memory_free(from->again);
	memory_free(from->keys);
	compiler_ranges_free(from->ranges);
	strtab_free(from->text);
}

bool compilations_begin(
	struct compilations *to, const struct trace *trace, const char *input)
{
	to->trace = trace;
	to->input = keep(to, input, strlen(input), false);
	compiler_ranges_begin(to->ranges, to);
	return to->input != NULL;
}

bool compilations_end(struct compilations *to)
{
	return compiler_ranges_end(to->ranges);
}

const char *compilations_keep(
	struct compilations *to, const char *text, size_t size)
{
	return keep(to, text, size, true);
}

/* NULL if out of memory. */
static struct compilation_key *find_key(
	struct compilations *to, const char *text, size_t size)
{
	uint32_t number = strtab_add(to->text, text, size);

	if (number == STRTAB_NONE)
		return NULL;
	while (to->key_count <= number) {
		if (!array_reserve(&to->keys, to->key_count, &to->key_room,
			    sizeof(*to->keys)))
			return NULL;
		to->keys[to->key_count++] = (struct compilation_key){0};
	}
	return &to->keys[number];
}

/* That of a compilation's id in this input; NULL if out of memory. */
static struct compilation_key *find_id(
	struct compilations *to, const char *id, size_t size)
{
	struct compilation_key *key = find_key(to, id, size);

	if (key != NULL && key->input != to->input) {
		*key = (struct compilation_key){.input = to->input,
			.attempt = {.state = VALUE_UNKNOWN},
			.graph_break = key->graph_break,
			.recompilation = key->recompilation};
	}
	return key;
}

static const char *arg_key(
	const struct compilations *to, const struct event_arg *arg)
{
	return strtab_text(to->trace->text, arg->key, NULL);
}

/* The text argument with this key; NULL without one. */
static const struct event_arg *find_text(const struct compilations *to,
	const struct event *event, const char *key)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (event->args[i].kind == ARG_TEXT &&
			strcmp(arg_key(to, &event->args[i]), key) == 0)
			return &event->args[i];
	return NULL;
}

/* False if out of memory. */
static bool read_member(struct compilations *to, struct metrics *metrics,
	const struct member *member, const struct event_arg *arg)
{
	void *at = (char *)metrics + member->offset;
	struct value *value = at;
	const char **text = at;

	switch (member->type) {
	case MEMBER_TEXT:
		if (arg->kind != ARG_TEXT)
			return true;
		*text = keep(
			to, arg->value.text.bytes, arg->value.text.size, true);
		return *text != NULL;
	case MEMBER_COUNT:
		*value = read_count(arg);
		return true;
	case MEMBER_US:
		if (arg->kind == ARG_INT)
			*value = read_time(arg, 1000);
		return true;
	case MEMBER_SECONDS:
	default:
		if (value->state != VALUE_KNOWN)
			*value = read_time(arg, 1000000000);
		return true;
	}
}

/* False if out of memory. */
static bool read_metrics(struct compilations *to, struct metrics *metrics,
	const struct event *event)
{
	*metrics = (struct metrics){0};
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];
		const char *key = arg_key(to, arg);

		read_cache(metrics, key, arg);
		if (strcmp(key, "has_guarded_code") == 0 &&
			arg->kind == ARG_JSON)
			metrics->guarded = value_number(
				arg->value.text.size == strlen("true"));
		for (size_t j = 0; j < MEMBERS; j++)
			if (strcmp(key, members[j].key) == 0 &&
				!read_member(to, metrics, &members[j], arg))
				return false;
	}
	return true;
}

/* The rest of a time without the part inside it, which may be missing. Unknown
 * if the part is longer: the log has them from different clocks. */
static struct value rest(struct value whole, struct value part)
{
	uint64_t part_ns = part.state == VALUE_KNOWN ? part.number : 0;

	return value_maybe(
		whole.state == VALUE_KNOWN && whole.number >= part_ns,
		whole.number - part_ns);
}

static const char *outcome_of(const struct metrics *metrics, bool backward)
{
	if (metrics->fail_reason != NULL &&
		strstr(metrics->fail_reason, "recompile limit") != NULL)
		return "recompile limit";
	if (metrics->fail_type != NULL)
		return metrics->fail_type;
	if (backward)
		return "compiled";
	if (metrics->guarded.state != VALUE_KNOWN)
		return NULL;
	return metrics->guarded.number != 0 ? "compiled" : "nothing compiled";
}

static void set_times(
	struct compilation *row, const struct metrics *metrics, bool backward)
{
	struct value whole = backward ? metrics->backward : metrics->dynamo;
	struct value back_end = backward ? whole : metrics->back_end;

	if (whole.state != VALUE_KNOWN)
		whole = metrics->total;
	row->total_ns = whole.state == VALUE_KNOWN ? whole.number : 0;
	if (!backward)
		row->dynamo = rest(whole, back_end);
	/* Inductor has no time if its result comes from a cache. */
	if (back_end.state == VALUE_KNOWN)
		row->back_end =
			rest(back_end, metrics->inductor.state == VALUE_KNOWN
					       ? metrics->inductor
					       : metrics->waiting);
	if (metrics->inductor.state == VALUE_KNOWN)
		row->inductor = rest(metrics->inductor, metrics->waiting);
	row->waiting = metrics->waiting;
	row->restarts = metrics->restarts;
}

/* The number of the first compilation of the frame of this id: "0/0" for "0/2".
 * 0: unknown, or out of memory. */
static size_t find_first(struct compilations *to, const char *id)
{
	struct compilation_key *key = NULL;
	char first[32];
	size_t frame = strcspn(id, "/");

	if (frame < sizeof(first) - sizeof("/0")) {
		memcpy(first, id, frame);
		strcpy(first + frame, "/0");
		key = find_id(to, first, strlen(first));
	}
	return key != NULL ? key->forward : 0;
}

/* Sets what only some metrics have: not those of a backward pass, and not those
 * of a frame that PyTorch no longer compiles. */
static void set_function(struct compilation *row,
	const struct compilation *forward, const struct metrics *metrics)
{
	if (forward != NULL) {
		row->function = forward->function;
		row->file = forward->file;
		row->line = forward->line;
	} else {
		row->function = metrics->function;
		row->file = metrics->file;
		row->line = (uint32_t)metrics->line.number;
	}
}

struct compilation *compilations_add_row(struct compilations *to)
{
	if (!array_reserve(&to->rows, to->count, &to->room, sizeof(*to->rows)))
		return NULL;
	to->rows[to->count] = (struct compilation){0};
	return &to->rows[to->count++];
}

/* The number of the process that wrote the log; 0: unknown. */
static int64_t find_pid(const struct trace *trace)
{
	const char *text = trace_find_fact(trace, "pid");
	int64_t pid = 0;

	if (text != NULL)
		(void)json_value_scaled(text, strlen(text), 0, &pid);
	return pid;
}

/* AOTAutograd's time has Inductor's in it, if it is known. */
static struct value whole_of(struct value outer, struct value inner)
{
	return outer.state == VALUE_KNOWN ? outer : inner;
}

/* Takes what was counted for this id since its last metrics. */
static void take_caches(struct compilation *row, struct compilation_key *key)
{
	row->bypasses = value_number(key->bypasses);
	row->miss = whole_of(key->autograd_cache.miss, key->graph_cache.miss);
	row->saved =
		whole_of(key->autograd_cache.saved, key->graph_cache.saved);
	key->bypasses = 0;
	key->graph_cache = (struct cache_times){0};
	key->autograd_cache = (struct cache_times){0};
}

static void add_lost(struct graph_break *to, uint64_t lost_ns)
{
	to->lost_ns = saturate_sum(to->lost_ns, lost_ns);
}

static enum ctp_status add_row(
	struct compilations *to, const struct event *event, bool backward)
{
	struct compilation_key *key;
	struct compilation *row;
	struct metrics metrics;
	size_t known;

	if (!read_metrics(to, &metrics, event))
		return CTP_ERR_NOMEM;
	if (metrics.id == NULL)
		metrics.id = "";
	known = metrics.function == NULL ? find_first(to, metrics.id) : 0;
	key = find_id(to, metrics.id, strlen(metrics.id));
	row = key == NULL ? NULL : compilations_add_row(to);
	if (row == NULL)
		return CTP_ERR_NOMEM;
	*row = (struct compilation){.input = to->input,
		.compiler = "pytorch",
		.pid = find_pid(to->trace),
		.id = metrics.id,
		.direction = backward ? "backward" : "forward",
		.again = metrics.reason,
		.attempt = {.state = VALUE_UNKNOWN},
		.outcome = outcome_of(&metrics, backward),
		.failure = metrics.fail_reason,
		.operations = metrics.operations,
		.guards = metrics.guards,
		.hits = metrics.hits,
		.misses = metrics.misses};
	take_caches(row, key);
	set_times(row, &metrics, backward);
	if (backward && key->forward != 0)
		known = key->forward;
	set_function(row, known != 0 ? &to->rows[known - 1] : NULL, &metrics);
	if (backward)
		return CTP_OK;
	row->attempt = key->attempt;
	if (row->again == NULL)
		row->again = key->reason;
	if (key->first_break != 0 && row->restarts.state == VALUE_KNOWN)
		add_lost(&to->breaks[key->first_break - 1],
			row->restarts.number);
	key->first_break = 0;
	key->forward = to->count;
	return CTP_OK;
}

/* ---- graph breaks and reasons ---- */

/* The group of this key: texts and a number. NULL if out of memory. */
static struct compilation_key *find_group(struct compilations *to,
	const char *first, const char *second, const char *third, uint32_t line)
{
	struct buffer text = BUFFER_INIT;
	struct compilation_key *key = NULL;

	/* With zeros between them, and one ahead, so that it is not an id. */
	buffer_add_byte(&text, 0);
	buffer_add(&text, first, strlen(first) + 1);
	buffer_add(&text, second, strlen(second) + 1);
	buffer_add(&text, third, strlen(third) + 1);
	buffer_add(&text, &line, sizeof(line));
	if (!text.failed)
		key = find_key(to, (const char *)text.bytes, text.used);
	buffer_clear(&text);
	return key;
}

static bool init_break(struct compilations *to, struct graph_break *row,
	const struct graph_break_text *text)
{
	row->line = text->line;
	row->file = keep(to, text->file.text, text->file.size, false);
	row->reason = keep(to, text->reason.text, text->reason.size, true);
	return row->file != NULL && row->reason != NULL &&
	       keep_part(to, text->details, &row->details) &&
	       keep_part(to, text->stack, &row->stack);
}

/* Returns the number of its group; 0 if out of memory. */
static size_t count_break(
	struct compilations *to, const struct event_arg *reason)
{
	struct graph_break row = {0};
	struct graph_break_text text;
	struct compilation_key *key;

	graph_break_read(
		&text, reason->value.text.bytes, reason->value.text.size);
	if (!init_break(to, &row, &text))
		return 0;
	key = find_group(to, row.file, row.reason, "", row.line);
	if (key == NULL)
		return 0;
	if (key->graph_break == 0) {
		if (!array_reserve(&to->breaks, to->break_count,
			    &to->break_room, sizeof(*to->breaks)))
			return 0;
		to->breaks[to->break_count++] = row;
		key->graph_break = to->break_count;
	}
	to->breaks[key->graph_break - 1].count++;
	return key->graph_break;
}

/* A graph break, or the reason for compiling again. */
static enum ctp_status add_reason(
	struct compilations *to, const struct event *event, bool is_break)
{
	const struct event_arg *id = find_text(to, event, "compile_id");
	const struct event_arg *reason = find_text(to, event, "reason");
	struct compilation_key *key;
	size_t number = 0;

	if (reason == NULL)
		return CTP_OK;
	if (is_break)
		number = count_break(to, reason);
	if (is_break && number == 0)
		return CTP_ERR_NOMEM;
	if (id == NULL)
		return CTP_OK;
	key = find_id(to, id->value.text.bytes, id->value.text.size);
	if (key == NULL)
		return CTP_ERR_NOMEM;
	if (is_break && key->first_break == 0)
		key->first_break = number;
	if (is_break)
		return CTP_OK;
	key->reason = keep(
		to, reason->value.text.bytes, reason->value.text.size, true);
	return key->reason != NULL ? CTP_OK : CTP_ERR_NOMEM;
}

/* Adds the times of a hit or miss. Source: torch/_inductor/codecache.py and
 * compile_fx.py; torch/_functorch/_aot_autograd/autograd_cache.py, whose saved time
 * has a backward graph twice that was compiled in the forward graph's time. */
static void add_cache_times(const struct compilations *to,
	struct cache_times *sum, bool has_miss, const struct event *event)
{
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];
		const char *key = arg_key(to, arg);

		if (has_miss && strcmp(key, "time_taken_ns") == 0)
			add_count(&sum->miss, read_time(arg, 1));
		else if (strcmp(key, "time_saved_ns") == 0)
			add_count(&sum->saved, read_time(arg, 1));
		else if (strcmp(key, "time_saved_ms") == 0)
			add_count(&sum->saved, read_time(arg, 1000000));
	}
}

/* PyTorch's events have graphs that a cache does not take, and times of hits
 * and misses; metrics do not. */
static enum ctp_status add_cache_event(
	struct compilations *to, const char *name, const struct event *event)
{
	bool bypass = ends_with(name, "cache_bypass");
	bool autograd = strstr(name, "autograd") != NULL;
	const struct event_arg *id;
	struct compilation_key *key;

	if (!bypass && !ends_with(name, "cache_hit") &&
		!ends_with(name, "cache_miss"))
		return CTP_OK;
	id = find_text(to, event, "compile_id");
	if (id == NULL)
		return CTP_OK;
	key = find_id(to, id->value.text.bytes, id->value.text.size);
	if (key == NULL)
		return CTP_ERR_NOMEM;
	key->bypasses += bypass;
	/* The cost of AOTAutograd's misses: compilations_add_miss(). */
	if (!bypass)
		add_cache_times(to,
			autograd ? &key->autograd_cache : &key->graph_cache,
			!autograd, event);
	return CTP_OK;
}

bool compilations_add_miss(
	struct compilations *to, const char *id, size_t size, uint64_t time_ns)
{
	struct compilation_key *key = find_id(to, id, size);

	if (key != NULL)
		add_count(&key->autograd_cache.miss, value_number(time_ns));
	return key != NULL;
}

/* Dynamo begins: "0/1", or after a restart with the number of that, "0/1_2". The
 * metrics have the id alone. */
static enum ctp_status note_attempt(
	struct compilations *to, const struct event *event)
{
	const struct event_arg *id = find_text(to, event, "compile_id");
	struct compilation_key *key;
	const char *mark;
	size_t size;
	int64_t attempt = 0;

	if (id == NULL || id->value.text.size == 0)
		return CTP_OK;
	size = id->value.text.size;
	mark = memrchr(id->value.text.bytes, '_', size);
	if (mark != NULL) {
		size_t digits = size;

		size = (size_t)(mark - id->value.text.bytes);
		digits -= size + 1;
		if (!json_value_scaled(mark + 1, digits, 0, &attempt) ||
			attempt < 0)
			return CTP_OK;
	}
	key = find_id(to, id->value.text.bytes, size);
	if (key == NULL)
		return CTP_ERR_NOMEM;
	key->attempt = value_number((uint64_t)attempt);
	return CTP_OK;
}

enum ctp_status compilations_add(
	void *user, const struct event *event, struct ctp_error *err)
{
	struct compilations *to = user;
	enum ctp_status status = CTP_OK;
	const struct trace_site *site;
	const char *name;
	bool is_event;

	if (event->kind != EVENT_INSTANT)
		return compiler_ranges_add(to->ranges, event)
			       ? CTP_OK
			       : ctp_no_memory(err);
	site = &to->trace->sites[event->site];
	name = strtab_text(to->trace->text, site->name, NULL);
	is_event = strcmp(strtab_text(to->trace->text, site->category, NULL),
			   "torch_trace") != 0;
	if (is_event)
		status = add_cache_event(to, name, event);
	else if (strcmp(name, "compilation_metrics") == 0)
		status = add_row(to, event, false);
	else if (strcmp(name, "bwd_compilation_metrics") == 0)
		status = add_row(to, event, true);
	else if (strcmp(name, "dynamo_start") == 0)
		status = note_attempt(to, event);
	else if (strcmp(name, "graph_break") == 0)
		status = add_reason(to, event, true);
	else if (strcmp(name, "recompile") == 0)
		status = add_reason(to, event, false);
	return status == CTP_OK ? CTP_OK : ctp_no_memory(err);
}

/* ---- the end ---- */

static bool count_again(struct compilations *to, const struct compilation *row)
{
	const char *reason = keep(to, without_id(row->again),
		strlen(without_id(row->again)), true);
	const char *function = row->function != NULL ? row->function : "";
	const char *file = row->file != NULL ? row->file : "";
	struct compilation_key *key;
	struct recompilation *group;

	if (reason == NULL)
		return false;
	key = find_group(to, function, file, reason, row->line);
	if (key == NULL)
		return false;
	if (key->recompilation == 0) {
		if (!array_reserve(&to->again, to->again_count, &to->again_room,
			    sizeof(*to->again)))
			return false;
		to->again[to->again_count] =
			(struct recompilation){.function = function,
				.file = file,
				.line = row->line,
				.reason = reason};
		key->recompilation = ++to->again_count;
	}
	group = &to->again[key->recompilation - 1];
	group->count++;
	group->total_ns = saturate_sum(group->total_ns, row->total_ns);
	return true;
}

bool compilations_finish(struct compilations *to)
{
	for (size_t i = 0; i < to->count; i++)
		if (to->rows[i].again != NULL && !count_again(to, &to->rows[i]))
			return false;
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "compilations/compile.h"

#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "compilations/compilations_report.h"

bool compile_init(struct compile *compile)
{
	*compile = (struct compile){0};
	return compilations_init(&compile->compilations) &&
	       tracing_init(&compile->tracing);
}

void compile_clear(struct compile *compile)
{
	compilations_clear(&compile->compilations);
	tracing_clear(&compile->tracing);
	*compile = (struct compile){0};
}

bool compile_begin(
	struct compile *compile, const struct trace *trace, const char *input)
{
	return compilations_begin(&compile->compilations, trace, input) &&
	       tracing_begin(&compile->tracing, trace, input);
}

enum ctp_status compile_add(
	void *user, const struct event *event, struct ctp_error *err)
{
	struct compile *compile = user;
	enum ctp_status status =
		compilations_add(&compile->compilations, event, err);

	return status == CTP_OK ? tracing_add(&compile->tracing, event, err)
				: status;
}

bool compile_end(struct compile *compile)
{
	return compilations_end(&compile->compilations) &&
	       tracing_end(&compile->tracing);
}

/* ---- joining ---- */

/* A forward compilation by its process and id; process 0 if unknown. */
struct known_row {
	struct tracing_key key;
	size_t row; /* its number; 0: none */
	bool is_joined;
	bool is_ambiguous; /* there are others of unknown processes */
};

/* The entry for a process and an id, added if it is new; NULL if out of
 * memory. */
static struct known_row *find_row(struct tracing_table *table,
	struct strtab *text, int64_t pid, const char *id)
{
	uint32_t id_number = strtab_add(text, id, strlen(id));
	uint32_t number =
		id_number == STRTAB_NONE
			? TRACE_NONE
			: tracing_find(table, sizeof(struct known_row),
				  (uint64_t)pid, id_number);

	return number == TRACE_NONE
		       ? NULL
		       : &((struct known_row *)table->items)[number];
}

static bool index_rows(
	const struct compilations *compilations, struct tracing_table *table)
{
	for (size_t i = 0; i < compilations->count; i++) {
		const struct compilation *row = &compilations->rows[i];
		struct known_row *known;

		if (row->direction == NULL ||
			strcmp(row->direction, "forward") != 0)
			continue;
		known = find_row(table, compilations->text, row->pid, row->id);
		if (known == NULL)
			return false;
		if (known->row == 0)
			known->row = i + 1;
		else
			known->is_ambiguous = row->pid == 0;
	}
	return true;
}

/* "0/1" was compiled before. */
static bool is_again(const char *id)
{
	const char *last = strrchr(id, '/');

	return last != NULL && last[1 + strspn(last + 1, "0")] != '\0';
}

/* A row with what a log of --compile alone has. */
static bool add_frame(
	struct compile *compile, const struct tracing_frame *frame)
{
	struct compilation *row = compilations_add_row(&compile->compilations);
	const struct tracing_function *function =
		&tracing_functions(&compile->tracing)[frame->function];

	if (row == NULL)
		return false;
	row->input = frame->input;
	row->compiler = "pytorch";
	row->pid = frame->pid;
	row->id = frame->id;
	row->function = function->name;
	row->file = function->file;
	row->line = function->line;
	row->direction = "forward";
	row->again = is_again(frame->id) ? "unknown" : NULL;
	row->total_ns = saturate_sum(frame->traced_ns, frame->back_end_ns);
	row->dynamo = value_number(frame->traced_ns);
	if (frame->back_end_ns != 0)
		row->back_end = value_number(frame->back_end_ns);
	row->restarts = value_number(frame->restarts_ns);
	row->attempt = value_number(frame->attempts - 1);
	return true;
}

/* The row of a frame; 0: none. False if out of memory. */
static bool find_frame_row(struct compile *compile, struct tracing_table *table,
	const struct tracing_frame *frame, size_t *row)
{
	struct strtab *text = compile->compilations.text;
	struct known_row *known = find_row(table, text, frame->pid, frame->id);

	if (known != NULL && known->row == 0)
		known = find_row(table, text, 0, frame->id);
	if (known == NULL)
		return false;
	*row = known->is_joined || known->is_ambiguous ? 0 : known->row;
	known->is_joined = true;
	return true;
}

static bool join_frame(struct compile *compile, struct tracing_table *table,
	const struct tracing_frame *frame)
{
	struct compilations *compilations = &compile->compilations;
	struct compilation *row;
	size_t number;

	if (!find_frame_row(compile, table, frame, &number))
		return false;
	if (number == 0 && !add_frame(compile, frame))
		return false;
	row = &compilations->rows[number == 0 ? compilations->count - 1
					      : number - 1];
	row->tracing = value_number(frame->traced_ns);
	row->functions = value_number(frame->function_count);
	return true;
}

static bool join(struct compile *compile)
{
	struct tracing_table table = {0};
	bool done = index_rows(&compile->compilations, &table);

	for (uint32_t i = 0; done && i < compile->tracing.frames.count; i++)
		done = join_frame(
			compile, &table, &tracing_frames(&compile->tracing)[i]);
	memory_free(table.items);
	memory_free(table.index.entries);
	return done;
}

bool compile_finish(struct compile *compile)
{
	return tracing_finish(&compile->tracing) && join(compile) &&
	       compilations_finish(&compile->compilations) &&
	       compilations_sort(&compile->compilations);
}

bool compile_is_empty(const struct compile *compile)
{
	return compile->compilations.count == 0 &&
	       compile->compilations.break_count == 0 &&
	       compile->tracing.functions.count == 0;
}

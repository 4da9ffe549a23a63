/* SPDX-License-Identifier: MIT */
/* The time of each thread: --group=thread. */
#include "base/memory.h"
#include "cli/command.h"
#include "stats/stats_table.h"

struct thread {
	const char *input, *name;
	int64_t pid, tid;
	uint64_t calls, depth, own_ns, total_ns, first_ns, last_ns;
};

struct threads {
	const struct stats_options *options;
	const struct report_target *to;
	struct thread *items; /* by track; then the rows, sorted */
	uint32_t count, hidden;
};

/* clang-format off */
#define OF_THREAD(member) COLUMN_OF(struct thread, member)
static const struct column items[] = {
	COLUMN_IN_CSV(TEXT, "input", "the input", OF_THREAD(input)),
	COLUMN(INTEGER, "pid", "pid", "the process", OF_THREAD(pid)),
	COLUMN(INTEGER, "tid", "tid", "the thread", OF_THREAD(tid)),
	COLUMN(COUNT, "calls", "calls", "number of calls", OF_THREAD(calls),
		.sort = "ncalls|count"),
	COLUMN(TIME, "own_ns", "own ", "the time in calls", OF_THREAD(own_ns),
		.sort = "tottime|self-cpu"),
	COLUMN(TIME, "total_ns", "total ",
		"the time from the first call to the end of the last one",
		OF_THREAD(total_ns), .sort = "cumtime|cpu"),
	COLUMN(TEXT, "name", "thread", "its name; may be empty", OF_THREAD(name)),
};
static const struct columns table =
	COLUMNS("rows", "the threads, by own time or --sort", items);
const struct report_form stats_threads_form = {.schema = "ctprof/threads/1",
	.title = "ctprof stats --group=thread", .arrays = {&table}, .csv = &table};
/* clang-format on */

static enum ctp_status add_event(
	void *user, const struct event *event, struct ctp_error *err)
{
	struct threads *threads = user;
	struct thread *thread;

	if (event->kind != EVENT_BEGIN && event->kind != EVENT_END)
		return CTP_OK;
	if (!array_ensure_index(&threads->items, event->track, &threads->count,
		    sizeof(*threads->items)))
		return ctp_no_memory(err);
	thread = &threads->items[event->track];
	if (thread->depth != 0)
		thread->own_ns += (uint64_t)event->time_ns - thread->last_ns;
	thread->last_ns = (uint64_t)event->time_ns;
	if (event->kind == EVENT_BEGIN && thread->calls++ == 0)
		thread->first_ns = thread->last_ns;
	thread->total_ns = thread->last_ns - thread->first_ns;
	if (event->kind == EVENT_BEGIN)
		thread->depth++;
	else if (thread->depth != 0)
		thread->depth--;
	return CTP_OK;
}

static enum ctp_status make_rows(void *user, struct ctp_error *err)
{
	struct threads *threads = user;
	const struct stats_options *options = threads->options;
	const struct trace *trace = threads->to->input->file.source->trace;
	uint64_t whole_ns = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < threads->count; i++) {
		const struct trace_track *track = &trace->tracks[i];
		struct thread *thread = &threads->items[count];

		if (threads->items[i].calls == 0) /* or beyond the tracks */
			continue;
		*thread = threads->items[i];
		thread->input = *threads->to->path;
		thread->pid = track->pid;
		thread->tid = track->tid;
		thread->name = strtab_text(trace->text, track->name, NULL);
		whole_ns += thread->own_ns;
		count++;
	}
	threads->count = count;
	if (!columns_choose(&table,
		    (struct columns_choice){options->key, "cumtime",
			    stats_least_time(options, whole_ns), options->top},
		    threads->items, &threads->count, sizeof(*threads->items)))
		return ctp_no_memory(err);
	threads->hidden = count - threads->count;
	return CTP_OK;
}

static void write_threads(struct sheet *sheet, const void *user)
{
	const struct threads *threads = user;

	stats_set_unit(sheet, threads->options);
	columns_write(sheet, &table, threads->items, threads->count,
		sizeof(*threads->items), 0);
	stats_print_hidden(sheet, threads->hidden, "");
}

int stats_print_threads(void *options, const struct report_target *to)
{
	struct threads threads = {.options = options, .to = to};
	int status = report_collect(to, add_event, make_rows, &threads);

	if (status == EXIT_DONE)
		status = report_finish(to, &stats_threads_form,
			threads.hidden != 0, write_threads, &threads);
	memory_free(threads.items);
	return status;
}

/* SPDX-License-Identifier: MIT */
/* The time of each thread: --group=thread. */
#include <stdlib.h>

#include "base/memory.h"
#include "cli/command.h"
#include "stats/stats.h"

struct thread {
	const char *input, *name;
	int64_t pid, tid;
	uint64_t calls, depth, own_ns, total_ns, first_ns, last_ns;
};

struct threads {
	struct report_options *report_options;
	const struct inputs *inputs;
	const struct trace *trace;
	const char *input;
	struct thread *items; /* by track */
	uint32_t count;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct thread, member)
static const struct column items[] = {
	COLUMN_IN_CSV(TEXT, "input", "the input", OF(input)),
	COLUMN(INTEGER, "pid", "pid", "the process", OF(pid)),
	COLUMN(INTEGER, "tid", "tid", "the thread", OF(tid)),
	COLUMN(COUNT, "calls", "calls", "number of calls", OF(calls)),
	COLUMN(TIME, "own_ns", "own ", "the time in calls", OF(own_ns)),
	COLUMN(TIME, "total_ns", "total ",
		"the time from the first call to the end of the last one",
		OF(total_ns)),
	COLUMN(TEXT, "name", "thread", "its name; may be empty", OF(name)),
};
static const struct columns table =
	COLUMNS("rows", "the threads, by own time", items);
/* clang-format on */

const struct report_form stats_threads_form = {.schema = "ctprof/threads/1",
	.title = "ctprof stats --group=thread",
	.arrays = {&table},
	.csv = &table};

static enum ctp_status add_event(
	void *user, const struct event *event, struct ctp_error *err)
{
	struct threads *threads = user;
	const struct trace_track *track = &threads->trace->tracks[event->track];
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
	thread->input = threads->input;
	thread->pid = track->pid;
	thread->tid = track->tid;
	thread->name = strtab_text(threads->trace->text, track->name, NULL);
	return CTP_OK;
}

/* Tracks without calls come last. */
static int compare(const void *left, const void *right)
{
	const struct thread *one = left, *other = right;

	if (one->own_ns != other->own_ns)
		return one->own_ns < other->own_ns ? 1 : -1;
	if (one->calls != other->calls)
		return one->calls < other->calls ? 1 : -1;
	if (one->pid != other->pid)
		return one->pid > other->pid ? 1 : -1;
	return (one->tid > other->tid) - (one->tid < other->tid);
}

static void write_threads(struct sheet *sheet, const void *user)
{
	const struct threads *threads = user;

	sheet->unit = (struct column_unit){"ms", 1000000};
	columns_begin(sheet, &table);
	for (uint32_t i = 0; i < threads->count && threads->items[i].calls; i++)
		columns_add(sheet, &table, TABLE_PLAIN, &threads->items[i]);
	columns_end(sheet, &table);
}

static int print_input(
	void *user, char *const *path, struct input *input, FILE *out)
{
	struct threads threads = *(struct threads *)user;
	struct ctp_error err = {0};
	struct report report;
	int status;

	threads.trace = input->file.source->trace;
	threads.input = *path;
	if (!report_has_events(input))
		return EXIT_INPUT;
	if (report_read(threads.inputs, input, add_event, &threads, &err) !=
		CTP_OK) {
		status = input_diag_error(input, input->name, &err);
	} else {
		if (threads.count != 0)
			qsort(threads.items, threads.count,
				sizeof(*threads.items), compare);
		report_init(&report, threads.trace, stats_threads_form.schema,
			path);
		status = report_write(threads.report_options, &report, out,
			write_threads, &threads);
	}
	memory_free(threads.items);
	return status;
}

int stats_print_threads(
	struct report_options *report_options, const struct inputs *inputs)
{
	struct threads threads = {report_options, inputs, NULL, NULL, NULL, 0};

	return report_print_inputs(
		report_options, inputs, print_input, &threads);
}

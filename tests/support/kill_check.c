/* SPDX-License-Identifier: MIT */
/*
 * kill_check PROGRESS [LOG...]: all ranges that a thread of
 * tests/support/kill_program.c reported are in the logs, once, in order.
 * PROGRESS is the shared file, or the lines "TID COUNT" from the pipe. Prints
 * the number of ranges, or the error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kill_progress.h"
#include "log_read/log_read.h"

struct seen {
	long tid;
	long told;  /* reported as recorded */
	long begun; /* in the log */
	long ended;
	int is_open;
};

static struct seen threads[KILL_THREADS_MAX];
static int failed;

static struct seen *find(long tid)
{
	for (size_t i = 0; i < KILL_THREADS_MAX; i++) {
		if (threads[i].tid == 0)
			threads[i].tid = tid;
		if (threads[i].tid == tid)
			return &threads[i];
	}
	return NULL;
}

static void tell(long tid, long count)
{
	struct seen *thread = tid == 0 ? NULL : find(tid);

	if (thread != NULL && count > thread->told)
		thread->told = count;
}

static int read_progress(const char *path)
{
	static struct kill_progress progress;
	FILE *file = fopen(path, "r");
	struct stat found;
	long tid;
	long count;

	if (file == NULL || fstat(fileno(file), &found) != 0)
		return 0;
	if (found.st_size == (off_t)sizeof(progress) &&
		fread(&progress, sizeof(progress), 1, file) == 1) {
		for (size_t i = 0; i < KILL_THREADS_MAX; i++)
			tell(progress.threads[i].tid,
				progress.threads[i].count);
	} else {
		/* The last line may be cut off. */
		while (fscanf(file, "%ld %ld;\n", &tid, &count) == 2)
			tell(tid, count);
	}
	(void)fclose(file);
	return 1;
}

static void complain(const struct seen *thread, const char *what, long number)
{
	/* Prints one error only: one causes thousands. */
	if (!failed)
		printf("thread %ld, %ld ranges recorded, %ld begun and %ld "
		       "ended in the log: %s %ld\n",
			thread->tid, thread->told, thread->begun, thread->ended,
			what, number);
	failed = 1;
}

static void take(const struct trace *trace, const struct event *event)
{
	struct seen *thread = find((long)trace->tracks[event->track].tid);

	if (thread == NULL)
		return;
	if (event->kind == EVENT_BEGIN &&
		strcmp(trace_site_name(trace, event->site), "step") == 0) {
		thread->begun++;
		thread->is_open = 1;
	} else if (event->kind == EVENT_END && thread->is_open) {
		thread->ended++;
		thread->is_open = 0;
	} else if (event->kind == EVENT_ARGS &&
		   strcmp(strtab_text(trace->text, event->args[0].key, NULL),
			   "i") == 0 &&
		   event->args[0].value.integer != thread->begun) {
		complain(thread, "in this place is",
			(long)event->args[0].value.integer);
	}
}

static int read_log(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct event_source *source;
	struct ctp_error err;
	struct event event;
	enum ctp_status status;

	if (file == NULL ||
		log_read_open(file, NULL, 0, NULL, &source, &err) != CTP_OK)
		return 0;
	while ((status = source->next(source, &event, &err)) == CTP_OK)
		take(source->trace, &event);
	if (status != CTP_END)
		printf("%s: %s\n", path, err.message);
	/* If recording stopped early, the log has the reason. */
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		if (source->trace->losses[loss] != 0 &&
			!trace_loss_is_note(loss) &&
			!((loss == LOSS_TRUNCATED ||
				  loss == LOSS_UNWRITTEN_RANGES) &&
				trace_find_fact(source->trace, "stopped"))) {
			printf("%s: %s %" PRIu64 "\n", path,
				trace_loss_name(loss),
				source->trace->losses[loss]);
			failed = 1;
		}
	source->close(source);
	(void)fclose(file);
	return status == CTP_END;
}

int main(int argc, char **argv)
{
	long sum = 0;

	if (argc < 2 || !read_progress(argv[1])) {
		printf("cannot read the progress\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (!read_log(argv[i]))
			failed = 1;
	for (size_t i = 0; i < KILL_THREADS_MAX; i++) {
		const struct seen *thread = &threads[i];

		sum += thread->told;
		/* It may have died before or while reporting a range. */
		if (thread->ended < thread->told ||
			thread->ended > thread->told + 1 ||
			thread->begun > thread->told + 1)
			complain(thread, "of", thread->told);
	}
	if (!failed)
		printf("%ld\n", sum);
	return failed;
}

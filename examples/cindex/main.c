/* SPDX-License-Identifier: MIT */
/*
 * cindex: an index of the declarations in C headers.
 *
 * Every header is a separate translation unit, with only the predefined macros;
 * included files are read, but listed only as their own units. So the index
 * does not depend on the number of threads.
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ctprof.h>

#include "index.h"
#include "parse.h"
#include "paths.h"
#include "queue.h"
#include "unit.h"

#define MAX_WORKERS 64

struct options {
	unsigned workers;
	size_t max_files; /* 0: all */
	const char *out;  /* NULL: standard output */
};

struct totals {
	atomic_int_fast64_t tokens;
	atomic_uint_fast64_t missing;
	atomic_uint_fast64_t errors;
	atomic_uint_fast64_t unreadable;
};

struct worker {
	pthread_t thread;
	unsigned number;
	struct queue *queue;
	struct totals *totals;
	struct unit unit;
	struct index index;
};

CTP_STATIC_SITE(unit_site, "unit");

static void work_on(struct worker *worker, const char *path)
{
	struct unit *unit = &worker->unit;
	struct totals *totals = worker->totals;
	int_fast64_t tokens;
	CTP_SCOPE("unit");

	ctp_arg_string("file", path);
	unit->path = path;
	worker->index.path = path;
	if (!unit_preprocess(unit)) {
		totals->unreadable++;
		return;
	}
	parse_unit(&unit->out, &worker->index);
	tokens = atomic_fetch_add(
		&totals->tokens, (int_fast64_t)unit->out.count);
	CTP_COUNTER("tokens", tokens + (int_fast64_t)unit->out.count);
	totals->missing += unit->missing_count;
	totals->errors += unit->error_count;
	ctp_step("unit");
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct job job;
	char name[32];

	snprintf(name, sizeof(name), "worker %u", worker->number);
	ctp_thread_name(name);
	while (queue_take(worker->queue, &job)) {
		work_on(worker, job.path);
		ctp_async_end(&unit_site, job.number);
	}
	return NULL;
}

/* Starts the workers. Returns their number. */
static unsigned start(struct worker *workers, unsigned count,
	const struct search *search, struct queue *queue)
{
	static struct totals totals;
	unsigned started;

	for (started = 0; started < count; started++) {
		struct worker *worker = &workers[started];

		worker->number = started + 1;
		worker->queue = queue;
		worker->totals = &totals;
		worker->unit.search = search;
		worker->unit.index = &worker->index;
		if (pthread_create(&worker->thread, NULL, work, worker) != 0)
			break;
	}
	return started;
}

static void feed(struct queue *queue, const struct paths *paths)
{
	CTP_FUNCTION();

	for (size_t i = 0; i < paths->count; i++) {
		const struct job job = {paths->items[i], i + 1};

		ctp_async_begin(&unit_site, job.number);
		queue_put(queue, &job);
	}
	queue_close(queue);
}

static bool write_index(const struct index *index, const char *path)
{
	FILE *out = path == NULL ? stdout : fopen(path, "w");
	bool written;

	if (out == NULL) {
		fprintf(stderr, "cindex: cannot open %s: %s\n", path,
			strerror(errno));
		return false;
	}
	written = index_write(index, out);
	if (path != NULL && fclose(out) != 0)
		written = false;
	if (!written)
		fprintf(stderr, "cindex: cannot write the index: %s\n",
			strerror(errno));
	return written;
}

static void summarize(const struct totals *totals, const struct paths *paths,
	const struct index *index)
{
	fprintf(stderr,
		"cindex: %zu files, %" PRIdFAST64 " tokens, %zu rows, "
		"%" PRIuFAST64 " missing includes, %" PRIuFAST64 " errors, "
		"%" PRIuFAST64 " unreadable\n",
		paths->count, totals->tokens, index->count, totals->missing,
		totals->errors, totals->unreadable);
}

/* Indexes the files. Returns the exit status. */
static int run(const struct options *options, const struct search *search,
	const struct paths *paths)
{
	struct worker *workers = calloc(options->workers, sizeof(*workers));
	struct index index = {0};
	struct queue queue;
	unsigned started;
	bool written;

	if (workers == NULL || !queue_init(&queue)) {
		fputs("cindex: out of memory\n", stderr);
		free(workers);
		return 1;
	}
	started = start(workers, options->workers, search, &queue);
	if (started == 0) {
		fputs("cindex: cannot start a thread\n", stderr);
		queue_clear(&queue);
		free(workers);
		return 1;
	}
	feed(&queue, paths);
	for (unsigned i = 0; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
		index_append(&index, &workers[i].index);
	}
	index_sort(&index);
	written = write_index(&index, options->out);
	summarize(workers[0].totals, paths, &index);
	for (unsigned i = 0; i < started; i++) {
		unit_clear(&workers[i].unit);
		index_clear(&workers[i].index);
	}
	index_clear(&index);
	queue_clear(&queue);
	free(workers);
	return written ? 0 : 1;
}

/* Adds a directory to the search order, with the slash at its end. */
static void add_directory(struct paths *directories, const char *directory)
{
	char path[4096];
	int length = snprintf(path, sizeof(path), "%s/", directory);

	if (length > 0 && (size_t)length < sizeof(path))
		paths_add(directories, path);
}

/* The compiler's own headers, of its newest version. */
static void add_newest(struct paths *directories, const char *pattern)
{
	const char *newest = NULL;
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (newest == NULL || strverscmp(found.gl_pathv[i], newest) > 0)
			newest = found.gl_pathv[i];
	if (newest != NULL)
		add_directory(directories, newest);
	globfree(&found);
}

static int usage(void)
{
	fputs("usage: cindex [-j THREADS] [-I DIRECTORY]... [-o INDEX] "
	      "[-n MAXFILES] PATH...\n",
		stderr);
	return 2;
}

/* Returns false if the text is not a number from 1 to `max`. */
static bool parse_number(const char *text, size_t max, size_t *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *number >= 1 &&
	       *number <= max;
}

static bool parse_options(int argc, char **argv, struct options *options,
	struct paths *directories)
{
	size_t number;
	int option;

	while ((option = getopt(argc, argv, "j:I:o:n:")) != -1) {
		switch (option) {
		case 'j':
			if (!parse_number(optarg, MAX_WORKERS, &number))
				return false;
			options->workers = (unsigned)number;
			break;
		case 'n':
			if (!parse_number(
				    optarg, SIZE_MAX / 2, &options->max_files))
				return false;
			break;
		case 'I':
			add_directory(directories, optarg);
			break;
		case 'o':
			options->out = optarg;
			break;
		default:
			return false;
		}
	}
	return optind < argc;
}

int main(int argc, char **argv)
{
	struct options options = {.workers = 2};
	struct paths directories = {0};
	struct paths paths = {0};
	struct search search;
	int status = 2;

	ctp_thread_name("main");
	if (!parse_options(argc, argv, &options, &directories)) {
		paths_clear(&directories);
		return usage();
	}
	add_newest(&directories, "/usr/lib/gcc/*/*/include");
	add_newest(&directories, "/usr/include/*-linux-gnu");
	add_directory(&directories, "/usr/include");
	search = (struct search){directories.items, directories.count};
	for (int i = optind; i < argc; i++)
		if (!paths_add_tree(&paths, argv[i])) {
			fprintf(stderr, "cindex: cannot read %s\n", argv[i]);
			goto done;
		}
	paths_sort(&paths);
	if (options.max_files != 0)
		paths_thin(&paths, options.max_files);
	status = run(&options, &search, &paths);
done:
	paths_clear(&paths);
	paths_clear(&directories);
	return status;
}

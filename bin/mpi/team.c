/* SPDX-License-Identifier: MIT */
/*
 * The first process finds the inputs, and a counter in a window of its memory
 * hands them out, the largest first, so that none is read alone at the end.
 * Each process adds up its own. The sums go up a binomial tree as summaries,
 * whose sum has no order: the result is that of one process.
 *
 * A process that dies ends the job: that is MPI. Threads other than the main
 * one call MPI, one at a time.
 */
#include "mpi/team.h"

#include <mpi.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "input/aggregate.h"
#include "input/aggregate_summary.h"

/* A message has at most this many bytes. */
#define MESSAGE_BYTES ((size_t)1 << 30)

/* Inputs handed out at once: this many bytes, and files. */
#define CHUNK_BYTES (UINT64_C(16) << 20)
#define CHUNK_FILES 64
/* Chunks for each process, at least, if there are enough inputs. */
#define CHUNKS_EACH 16

/* The list of inputs, as sent. */
struct list_file {
	uint64_t bytes;
	uint64_t root_size;
	uint64_t
		number; /* in the list; files are in the order of handing out */
};

/* Sums, as sent: this, the parts of inputs, the files that are not traces, and
 * the summary. */
struct sums_head {
	uint64_t status;
	uint64_t refused;
	uint64_t inputs;
	uint64_t others;
	uint64_t summary_bytes;
};

static struct {
	int number;
	int count;
	bool gathered; /* all others have left */
	int silent;    /* copy of standard error, while it is closed; -1 */
	MPI_Win window;
	uint64_t *counter;
	pthread_mutex_t lock; /* of MPI and of the following */
	uint64_t *chunks;     /* where each begins in `order`, and its end */
	uint64_t chunk_count;
	uint64_t *order; /* numbers of inputs */
	uint64_t order_count;
	uint64_t at; /* the rest of this process's chunk in `order` */
	uint64_t end;
	pthread_t progress;
	bool has_progress;
	bool stops;
} job = {.silent = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* The pipe in front of the terminal that is standard output. */
static struct {
	pthread_t thread;
	bool runs;
	int from;
	int to;
} pipe_output;

/* Reports an error of MPI and ends the job. */
static void check(int result)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int size;

	if (result == MPI_SUCCESS)
		return;
	(void)MPI_Error_string(result, text, &size);
	diag("MPI: %s", text);
	(void)MPI_Abort(MPI_COMM_WORLD, EXIT_LIMIT);
}

static void fail_memory(void)
{
	(void)MPI_Abort(MPI_COMM_WORLD, diag_no_memory(NULL));
}

/* ---- the list of inputs ---- */

static uint64_t size_of(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && found.st_size > 0
		       ? (uint64_t)found.st_size
		       : 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct list_file *left = a;
	const struct list_file *right = b;

	if (left->bytes != right->bytes)
		return left->bytes > right->bytes ? -1 : 1;
	return left->number < right->number ? -1 : 1;
}

/* The first process's list: the number of files, the files, and the paths in
 * the order of the list. */
static void pack_list(struct buffer *buffer, const struct input_tree *tree)
{
	uint64_t count = tree->count;
	struct list_file *files = calloc(tree->count + 1, sizeof(*files));

	if (files == NULL) {
		fail_memory();
		return;
	}
	for (size_t i = 0; i < tree->count; i++)
		files[i] = (struct list_file){size_of(tree->files[i].path),
			tree->files[i].root_size, i};
	qsort(files, tree->count, sizeof(*files), compare_files);
	buffer_add(buffer, &count, sizeof(count));
	buffer_add(buffer, files, tree->count * sizeof(*files));
	for (size_t i = 0; i < tree->count; i++)
		buffer_add(buffer, tree->files[i].path,
			strlen(tree->files[i].path) + 1);
	free(files);
	if (buffer->failed)
		fail_memory();
}

enum transfer { BROADCAST, SEND, RECEIVE };

/* At most MESSAGE_BYTES; `peer` is the other process, or the one that has the
 * bytes for all. */
static void transfer_piece(
	enum transfer how, void *bytes, size_t size, int peer)
{
	int count = (int)size;

	switch (how) {
	case BROADCAST:
		check(MPI_Bcast(bytes, count, MPI_BYTE, peer, MPI_COMM_WORLD));
		break;
	case SEND:
		check(MPI_Send(
			bytes, count, MPI_BYTE, peer, 0, MPI_COMM_WORLD));
		break;
	case RECEIVE:
		check(MPI_Recv(bytes, count, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE));
	}
}

/* The size goes first, so that the receiver has room. */
static void transfer(enum transfer how, struct buffer *buffer, int peer)
{
	size_t size = buffer->used;
	size_t piece;

	transfer_piece(how, &size, sizeof(size), peer);
	if (size > buffer->used && !buffer_reserve(buffer, size - buffer->used))
		fail_memory();
	buffer->used = size;
	for (size_t at = 0; at < size; at += piece) {
		piece = size - at < MESSAGE_BYTES ? size - at : MESSAGE_BYTES;
		transfer_piece(how, buffer->bytes + at, piece, peer);
	}
}

/* Divides the files into chunks. */
static void make_chunks(const struct list_file *files, uint64_t count)
{
	uint64_t processes = (uint64_t)job.count * CHUNKS_EACH;
	uint64_t most = count / processes + 1;
	uint64_t bytes = 0;
	uint64_t taken = 0;

	job.order = calloc(count + 1, sizeof(*job.order));
	job.chunks = calloc(count + 1, sizeof(*job.chunks));
	if (job.order == NULL || job.chunks == NULL) {
		fail_memory();
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		job.order[i] = files[i].number;
		if (i == 0 || taken == most || taken == CHUNK_FILES ||
			bytes + files[i].bytes > CHUNK_BYTES) {
			job.chunks[job.chunk_count++] = i;
			taken = 0;
			bytes = 0;
		}
		taken++;
		bytes += files[i].bytes;
	}
	job.chunks[job.chunk_count] = count;
	job.order_count = count;
}

/* Reads the list; others than the first process add it to their tree. */
static void unpack_list(const struct buffer *buffer, struct input_tree *tree)
{
	const uint8_t *at = buffer->bytes;
	struct list_file *files;
	const char *path;
	uint64_t *roots;
	uint64_t count;

	memcpy(&count, at, sizeof(count));
	files = calloc(count + 1, sizeof(*files));
	roots = calloc(count + 1, sizeof(*roots));
	if (files == NULL || roots == NULL) {
		fail_memory();
		return;
	}
	at += sizeof(count);
	if (count > 0)
		memcpy(files, at, count * sizeof(*files));
	path = (const char *)at + count * sizeof(*files);
	for (uint64_t i = 0; i < count; i++)
		roots[files[i].number] = files[i].root_size;
	for (uint64_t i = 0; i < count && job.number != 0; i++) {
		if (!input_tree_add_file(tree, path, (size_t)roots[i]))
			fail_memory();
		tree->directory_count +=
			roots[i] != 0 && tree->directory_count == 0;
		path += strlen(path) + 1;
	}
	make_chunks(files, count);
	free(files);
	free(roots);
}

/* ---- handing out ---- */

/* The counter is read by others only while its process calls MPI: with some
 * networks, not while it reads a large file. */
static void *run_progress(void *user)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	bool stops = false;

	while (!stops) {
		int found;

		(void)nanosleep(&pause, NULL);
		(void)pthread_mutex_lock(&job.lock);
		check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			&found, MPI_STATUS_IGNORE));
		stops = job.stops;
		(void)pthread_mutex_unlock(&job.lock);
	}
	return user;
}

static void open_counter(void)
{
	check(MPI_Win_allocate(job.number == 0 ? (MPI_Aint)sizeof(uint64_t) : 0,
		sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &job.counter,
		&job.window));
	check(MPI_Win_lock_all(MPI_MODE_NOCHECK, job.window));
	if (job.number == 0)
		*job.counter = 0;
	check(MPI_Win_sync(job.window));
	check(MPI_Barrier(MPI_COMM_WORLD));
	job.has_progress =
		job.number == 0 && job.count > 1 &&
		pthread_create(&job.progress, NULL, run_progress, NULL) == 0;
}

static void close_counter(void)
{
	(void)pthread_mutex_lock(&job.lock);
	job.stops = true;
	(void)pthread_mutex_unlock(&job.lock);
	if (job.has_progress)
		(void)pthread_join(job.progress, NULL);
	/* Here the counter is served until all have got their last chunk. */
	check(MPI_Barrier(MPI_COMM_WORLD));
	check(MPI_Win_unlock_all(job.window));
	check(MPI_Win_free(&job.window));
}

static void next_chunk(void)
{
	uint64_t one = 1;
	uint64_t chunk = 0;

	check(MPI_Fetch_and_op(
		&one, &chunk, MPI_UINT64_T, 0, 0, MPI_SUM, job.window));
	check(MPI_Win_flush(0, job.window));
	job.at = job.order_count;
	job.end = job.order_count;
	if (chunk < job.chunk_count) {
		job.at = job.chunks[chunk];
		job.end = job.chunks[chunk + 1];
	}
}

static size_t next(void)
{
	uint64_t number = job.order_count;

	(void)pthread_mutex_lock(&job.lock);
	if (job.at == job.end)
		next_chunk();
	if (job.at < job.end)
		number = job.order[job.at++];
	(void)pthread_mutex_unlock(&job.lock);
	return (size_t)number;
}

static size_t taken(void)
{
	return (size_t)job.at;
}

static void unmute(void)
{
	if (job.silent < 0)
		return;
	(void)fflush(stderr);
	(void)dup2(job.silent, STDERR_FILENO);
	(void)close(job.silent);
	job.silent = -1;
}

static int share(struct input_tree *tree)
{
	struct buffer list = BUFFER_INIT;

	unmute();
	if (job.number == 0)
		pack_list(&list, tree);
	transfer(BROADCAST, &list, 0);
	unpack_list(&list, tree);
	buffer_clear(&list);
	open_counter();
	return EXIT_DONE;
}

/* ---- gathering ---- */

static void add_others(struct buffer *buffer, const struct input_tree *tree,
	struct sums_head *head)
{
	for (uint64_t i = 0; i < tree->count; i++)
		if (tree->files[i].is_not_trace) {
			buffer_add(buffer, &i, sizeof(i));
			head->others++;
		}
}

/* The sums as bytes; ends the job on an error. */
static void pack_sums(struct buffer *buffer, struct aggregate *sums,
	const struct input_tree *tree, int status)
{
	struct sums_head head = {
		.status = (uint64_t)status, .refused = sums->refused};
	struct ctp_error err = {0};
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);

	if (out == NULL || !aggregate_complete(sums)) {
		fail_memory();
		return;
	}
	if (summary_write(sums->summary, out, &err) != CTP_OK) {
		diag_error(NULL, &err);
		(void)MPI_Abort(MPI_COMM_WORLD, EXIT_LIMIT);
	}
	if (fclose(out) != 0)
		fail_memory();
	head.inputs = sums->summary->input_count;
	head.summary_bytes = size;
	buffer_add(buffer, &head, sizeof(head));
	/* Writing has sorted them. */
	for (size_t i = 0; i < head.inputs; i++)
		buffer_add(buffer, &sums->summary->inputs[i].part,
			sizeof(uint32_t));
	add_others(buffer, tree, &head);
	buffer_add(buffer, bytes, size);
	free(bytes);
	if (buffer->failed)
		fail_memory();
	memcpy(buffer->bytes, &head, sizeof(head));
}

static enum ctp_status read_summary(const uint8_t *bytes, size_t size,
	struct summary **out, struct ctp_error *err)
{
	struct trace *trace = trace_new(NULL);
	FILE *in = fmemopen((void *)(uintptr_t)bytes, size, "r");
	enum ctp_status status = CTP_ERR_NOMEM;

	if (trace == NULL || in == NULL)
		(void)ctp_no_memory(err);
	else
		status = summary_read(
			(struct summary_file){
				.in = in, .head = "", .head_size = 0},
			trace, out, err);
	if (in != NULL)
		(void)fclose(in);
	trace_free(trace);
	return status;
}

static enum ctp_status add_summary(struct aggregate *sums, struct summary *from,
	const uint8_t *parts, const struct aggregate_options *options,
	struct ctp_error *err)
{
	for (size_t i = 0; i < from->input_count; i++)
		memcpy(&from->inputs[i].part, parts + i * sizeof(uint32_t),
			sizeof(uint32_t));
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		sums->losses[loss] += summary_take_count(
			from, SUMMARY_LOST, trace_loss_name(loss));
	return aggregate_add_part(sums, from, options, err);
}

/* Adds received sums; returns the worst status. */
static int add_sums(struct aggregate *sums, const struct buffer *buffer,
	const struct aggregate_options *options, struct input_tree *tree)
{
	const uint8_t *at = buffer->bytes + sizeof(struct sums_head);
	struct summary *from = NULL;
	struct ctp_error err = {0};
	const uint8_t *parts = at;
	struct sums_head head;
	enum ctp_status status;

	memcpy(&head, buffer->bytes, sizeof(head));
	at += head.inputs * sizeof(uint32_t);
	for (uint64_t i = 0; i < head.others; i++) {
		uint64_t number;

		memcpy(&number, at, sizeof(number));
		tree->files[number].is_not_trace = true;
		at += sizeof(number);
	}
	sums->refused |= head.refused != 0;
	status = read_summary(at, (size_t)head.summary_bytes, &from, &err);
	if (status == CTP_OK)
		status = add_summary(sums, from, parts, options, &err);
	summary_free(from);
	if (status == CTP_OK)
		return (int)head.status;
	diag_error(NULL, &err);
	return exit_worse((int)head.status,
		status == CTP_ERR_UNSUPPORTED ? EXIT_INPUT : EXIT_LIMIT);
}

/* A process whose sums have gone ends. Its status is the first one's. */
static void leave(void)
{
	check(MPI_Finalize());
	exit(EXIT_DONE);
}

static int gather(struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree,
	int status)
{
	struct buffer buffer = BUFFER_INIT;

	close_counter();
	for (int step = 1; step < job.count; step *= 2) {
		buffer.used = 0;
		if ((job.number & step) != 0) {
			pack_sums(&buffer, sums, tree, status);
			transfer(SEND, &buffer, job.number - step);
			leave();
		}
		if (job.number + step >= job.count)
			continue;
		transfer(RECEIVE, &buffer, job.number + step);
		status = exit_worse(
			status, add_sums(sums, &buffer, options, tree));
	}
	buffer_clear(&buffer);
	free(job.order);
	free(job.chunks);
	job.gathered = true;
	return status;
}

/* ---- start and end ---- */

static struct aggregate_team members = {
	.share = share, .next = next, .taken = taken, .gather = gather};

/* Others than the first process would repeat its messages about the command
 * line, and write its output. */
static void mute(void)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nothing < 0)
		return;
	job.silent = dup(STDERR_FILENO);
	(void)dup2(nothing, STDOUT_FILENO);
	(void)dup2(nothing, STDERR_FILENO);
	(void)close(nothing);
}

/* Copies standard output from the pipe. */
static void *copy_output(void *user)
{
	char bytes[65536];
	ssize_t size;

	while ((size = read(pipe_output.from, bytes, sizeof(bytes))) > 0)
		for (ssize_t at = 0, done; at < size; at += done) {
			done = write(pipe_output.to, bytes + at,
				(size_t)(size - at));
			if (done <= 0) {
				/* The next write gets the error. */
				(void)close(pipe_output.from);
				return user;
			}
		}
	(void)close(pipe_output.from);
	return user;
}

/* Open MPI gives its processes a terminal, also if its own output is a file.
 * Reports would have colors, and lines of its width. */
static void start_pipe(void)
{
	int ends[2];

	if (!isatty(STDOUT_FILENO) || pipe2(ends, O_CLOEXEC) != 0)
		return;
	pipe_output.from = ends[0];
	pipe_output.to = dup(STDOUT_FILENO);
	pipe_output.runs =
		pipe_output.to >= 0 && pthread_create(&pipe_output.thread, NULL,
					       copy_output, NULL) == 0;
	if (pipe_output.runs)
		(void)dup2(ends[1], STDOUT_FILENO);
	else
		(void)close(ends[0]);
	(void)close(ends[1]);
}

static void end_pipe(void)
{
	if (!pipe_output.runs)
		return;
	pipe_output.runs = false;
	(void)fflush(stdout);
	(void)dup2(pipe_output.to, STDOUT_FILENO);
	(void)pthread_join(pipe_output.thread, NULL);
}

/* The processors of this machine are divided among its processes. */
static unsigned find_jobs(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	MPI_Comm machine;
	int count = 1;

	check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
		MPI_INFO_NULL, &machine));
	check(MPI_Comm_size(machine, &count));
	check(MPI_Comm_free(&machine));
	return online > count ? (unsigned)(online / count) : 1;
}

/* exit() without an end, as after a wrong option. */
static void end_anyway(void)
{
	int ended = 1;

	end_pipe();
	if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended)
		(void)MPI_Finalize();
}

int team_start(int *argc, char ***argv)
{
	int level;

	if (MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level) !=
		MPI_SUCCESS)
		return EXIT_LIMIT;
	(void)atexit(end_anyway);
	check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	check(MPI_Comm_rank(MPI_COMM_WORLD, &job.number));
	check(MPI_Comm_size(MPI_COMM_WORLD, &job.count));
	if (level < MPI_THREAD_SERIALIZED) {
		if (job.number == 0)
			diag("this MPI does not support threads");
		return EXIT_LIMIT;
	}
	members.number = (unsigned)job.number;
	members.jobs = find_jobs();
	if (job.number != 0)
		mute();
	else
		start_pipe();
	aggregate_set_team(&members);
	return EXIT_DONE;
}

int team_end(int status)
{
	end_pipe();
	/* Others may still wait for the list of inputs. */
	if (status != EXIT_DONE && !job.gathered && job.number == 0 &&
		job.count > 1)
		(void)MPI_Abort(MPI_COMM_WORLD, status);
	check(MPI_Finalize());
	return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * The first process finds the inputs, and a counter in a window of its memory
 * hands them out, the largest first, so that none is read alone at the end.
 * Each process has readers of its own, see reader.h, and adds up their sums.
 * These go up a binomial tree as summaries, whose sum has no order: the result
 * is that of one process.
 *
 * A process that dies ends the job: that is MPI. A checkpoint has its parts.
 */
#include "mpi/team.h"

#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "cli/progress.h"
#include "input/aggregate.h"
#include "mpi/part.h"
#include "mpi/reader.h"

/* A message has at most this many bytes. */
#define MESSAGE_BYTES ((size_t)1 << 30)

/* Inputs handed out at once: this many bytes, and files. */
#define CHUNK_BYTES (UINT64_C(16) << 20)
#define CHUNK_FILES 64
/* Chunks for each process, at least, if there are enough inputs. */
#define CHUNKS_EACH 16

/* Time between the parts of a checkpoint; without one, these are only against
 * inputs that crash. */
#define ROUND_NS (UINT64_C(60) * 1000000000)
#define LONG_ROUND_NS (10 * ROUND_NS)

/* The list of inputs, as sent: this, the files in the order of handing out, and
 * the paths in the order of the list. */
struct list_head {
	uint64_t status; /* other than EXIT_DONE: there is nothing to do */
	uint64_t count;
	uint64_t directory_count;
	uint64_t job; /* of the checkpoint */
	uint64_t attempt;
};

struct list_file {
	uint64_t bytes;
	uint64_t root_size;
	uint64_t number;  /* in the list */
	uint64_t is_done; /* by an earlier job */
};

static struct {
	int number;
	int count;
	int neighbors; /* processes on this machine, with this one */
	bool agreed;   /* whether a process leaves before the sum */
	bool aborted;
	int messages; /* file in memory that is standard error meanwhile; -1 */
	int silent;   /* copy of standard error meanwhile; -1 */
	struct team_options options;
	MPI_Win window;
	uint64_t *counter;
	uint64_t *chunks; /* where each begins in `order`, and its end */
	uint64_t chunk_count;
	uint64_t *order; /* numbers of inputs */
	uint64_t order_count;
	uint64_t at; /* the rest of this process's chunk in `order` */
	uint64_t end;
	size_t input_count;
	struct progress progress;
} job = {.messages = -1, .silent = -1};

/* The pipe in front of the terminal that is standard output. */
static struct {
	pthread_t thread;
	bool runs;
	int from;
	int to;
} pipe_output;

/* Ends all processes at once. */
static void abort_job(int status)
{
	job.aborted = true;
	(void)MPI_Abort(MPI_COMM_WORLD, status);
}

/* Reports an error of MPI and ends the job. */
static void check(int result)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int size;

	if (result == MPI_SUCCESS)
		return;
	(void)MPI_Error_string(result, text, &size);
	diag("MPI: %s", text);
	abort_job(EXIT_LIMIT);
}

static void fail_memory(void)
{
	abort_job(diag_no_memory(NULL));
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

/* The first process's list. */
static void pack_list(struct buffer *buffer, const struct list_head *head,
	const struct input_tree *tree, const bool *done)
{
	struct list_file *files = calloc(tree->count + 1, sizeof(*files));

	if (files == NULL) {
		fail_memory();
		return;
	}
	for (size_t i = 0; i < tree->count; i++)
		files[i] = (struct list_file){size_of(tree->files[i].path),
			tree->files[i].root_size, i, done[i]};
	qsort(files, tree->count, sizeof(*files), compare_files);
	buffer_add(buffer, head, sizeof(*head));
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
		if (files[i].is_done != 0)
			continue;
		if (job.chunk_count == 0 || taken == most ||
			taken == CHUNK_FILES ||
			bytes + files[i].bytes > CHUNK_BYTES) {
			job.chunks[job.chunk_count++] = job.order_count;
			taken = 0;
			bytes = 0;
		}
		job.order[job.order_count++] = files[i].number;
		taken++;
		bytes += files[i].bytes;
	}
	job.chunks[job.chunk_count] = job.order_count;
}

/* Adds the paths to the tree of another than the first process. */
static void add_paths(struct input_tree *tree, const char *path,
	const struct list_file *files, uint64_t count)
{
	uint64_t *roots = calloc(count + 1, sizeof(*roots));

	if (roots == NULL) {
		fail_memory();
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		roots[files[i].number] = files[i].root_size;
	for (uint64_t i = 0; i < count; i++) {
		if (!input_tree_add_file(tree, path, (size_t)roots[i]))
			fail_memory();
		path += strlen(path) + 1;
	}
	free(roots);
}

/* Reads the list; returns its status. */
static int unpack_list(const struct buffer *buffer, struct input_tree *tree)
{
	const uint8_t *at = buffer->bytes;
	struct list_file *files;
	struct list_head head;

	memcpy(&head, at, sizeof(head));
	files = calloc(head.count + 1, sizeof(*files));
	if (files == NULL) {
		fail_memory();
		return EXIT_LIMIT;
	}
	at += sizeof(head);
	if (head.count > 0)
		memcpy(files, at, head.count * sizeof(*files));
	at += head.count * sizeof(*files);
	if (job.number != 0) {
		add_paths(tree, (const char *)at, files, head.count);
		tree->directory_count = (size_t)head.directory_count;
		job.options.checkpoint.job = head.job;
		job.options.checkpoint.attempt = head.attempt;
	}
	job.input_count = tree->count;
	make_chunks(files, head.count);
	free(files);
	return (int)head.status;
}

/* ---- handing out ---- */

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
}

/* The counter is read by others only while its process calls MPI: so it does,
 * with some networks, while its readers work. */
static void serve_counter(void *user)
{
	uint64_t chunk;
	int found;

	(void)user;
	check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found,
		MPI_STATUS_IGNORE));
	chunk = *(volatile uint64_t *)job.counter;
	if (chunk > job.chunk_count)
		chunk = job.chunk_count;
	progress_update(&job.progress, job.chunks[chunk]);
}

/* Waits for other processes, without keeping a processor busy that readers
 * need. */
static void wait_for(MPI_Request *request)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int done = 0;

	for (;;) {
		check(MPI_Test(request, &done, MPI_STATUS_IGNORE));
		if (done)
			break;
		(void)nanosleep(&pause, NULL);
		if (job.number == 0 && job.counter != NULL)
			serve_counter(NULL);
	}
}

static void meet(void)
{
	MPI_Request request;

	check(MPI_Ibarrier(MPI_COMM_WORLD, &request));
	wait_for(&request);
}

static void close_counter(void)
{
	/* The counter is served until all have got their last chunk. */
	meet();
	check(MPI_Win_unlock_all(job.window));
	check(MPI_Win_free(&job.window));
	job.counter = NULL;
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

static size_t next(void *user)
{
	(void)user;
	if (job.at == job.end)
		next_chunk();
	return job.at < job.end ? (size_t)job.order[job.at++] : job.input_count;
}

/* ---- agreement ---- */

static void unmute(void)
{
	if (job.silent < 0)
		return;
	(void)fflush(stderr);
	(void)dup2(job.silent, STDERR_FILENO);
	(void)close(job.silent);
	job.silent = -1;
}

/* Prints the messages of this process, which leaves, unless it is the first one,
 * which has printed them. */
static void print_messages(void)
{
	char bytes[4096];
	ssize_t size;
	off_t at = 0;

	if (job.number == 0)
		return;
	unmute();
	while ((size = pread(job.messages, bytes, sizeof(bytes), at)) > 0 &&
		write(STDERR_FILENO, bytes, (size_t)size) == size)
		at += size;
	if (at == 0)
		diag("process %d of the job ended before it read an input",
			job.number);
}

/*
 * A process whose command line is wrong, or names a file that is missing on its
 * machine, leaves before the sum. All take part once, so that none waits for
 * it. Returns an error if a process leaves: the status of the first one, whose
 * messages are those of the job.
 */
static int agree(bool leaves, int status)
{
	uint64_t own = leaves ? (uint64_t)(job.count - job.number) << 8 |
					(uint64_t)(status & 0xff)
			      : 0;
	uint64_t first = 0;
	MPI_Request request;

	job.agreed = true;
	check(MPI_Iallreduce(&own, &first, 1, MPI_UINT64_T, MPI_MAX,
		MPI_COMM_WORLD, &request));
	wait_for(&request);
	if (first == 0)
		return EXIT_DONE;
	if (own == first)
		print_messages();
	status = (int)(first & 0xff);
	return status == EXIT_DONE ? EXIT_USAGE : status;
}

/* ---- the list and the checkpoint ---- */

static int check_inputs(const struct input_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		if (strcmp(tree->files[i].path, "-") == 0) {
			diag("standard input reaches only one process; name "
			     "files");
			return EXIT_USAGE;
		}
	return EXIT_DONE;
}

/* Makes the list, without the inputs that are in the checkpoint. Returns the
 * status of these. */
static int begin(struct buffer *list, struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree)
{
	struct checkpoint *checkpoint = &job.options.checkpoint;
	struct list_head head = {.status = (uint64_t)check_inputs(tree),
		.count = tree->count,
		.directory_count = tree->directory_count};
	bool *done = calloc(tree->count + 1, sizeof(*done));
	int status = EXIT_DONE;

	if (done == NULL) {
		fail_memory();
		return EXIT_LIMIT;
	}
	if (checkpoint->directory != NULL && options->phases != NULL) {
		diag("--checkpoint: rules of phases may change meanwhile; "
		     "leave out --rules");
		head.status = EXIT_USAGE;
	}
	if (checkpoint->directory != NULL && head.status == EXIT_DONE)
		head.status =
			(uint64_t)checkpoint_open(checkpoint, options, tree);
	if (checkpoint->resumes && head.status == EXIT_DONE)
		status = checkpoint_resume(
			checkpoint, sums, options, tree, done);
	head.job = checkpoint->job;
	head.attempt = checkpoint->attempt;
	pack_list(list, &head, tree, done);
	free(done);
	return status;
}

/* Gives all processes the list of inputs. Returns its status; that of inputs in
 * the sums is in `status`. */
static int share(struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree,
	int *status)
{
	struct buffer list = BUFFER_INIT;
	int worst;

	unmute();
	worst = agree(false, EXIT_DONE);
	if (worst != EXIT_DONE)
		return worst;
	if (job.number == 0)
		*status = begin(&list, sums, options, tree);
	meet();
	transfer(BROADCAST, &list, 0);
	worst = unpack_list(&list, tree);
	buffer_clear(&list);
	return worst;
}

/* ---- gathering ---- */

/* The sums as bytes, with the numbers of inputs that are not traces; ends the job
 * on an error. */
static void pack_sums(struct buffer *buffer, struct aggregate *sums,
	const struct input_tree *tree, int status)
{
	struct part_sums part = {.status = (uint64_t)status};
	size_t *numbers = calloc(tree->count + 1, sizeof(*numbers));
	size_t count = 0;

	for (size_t i = 0; i < tree->count && numbers != NULL; i++)
		if (tree->files[i].is_not_trace)
			numbers[count++] = i;
	if (numbers == NULL || !part_set_files(&part, tree, numbers, count))
		fail_memory();
	else if (part_write(&part, sums, buffer) != EXIT_DONE)
		abort_job(EXIT_LIMIT);
	part_sums_clear(&part);
	free(numbers);
}

/* A process whose sums have gone ends. Its status is the first one's. */
static void leave(void)
{
	reader_end();
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
			status, part_add_bytes(&buffer, sums, options, tree));
	}
	buffer_clear(&buffer);
	return status;
}

/* ---- reading ---- */

static void keep(void *user, const struct buffer *part)
{
	(void)user;
	checkpoint_keep(&job.options.checkpoint, (unsigned)job.number, part);
}

static int read_inputs(struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree)
{
	bool keeps = job.options.checkpoint.directory != NULL;
	const struct reading reading = {
		.sums = sums,
		.options = options,
		.tree = tree,
		.round_ns = job.options.round_ns != 0 ? job.options.round_ns
			    : keeps                   ? ROUND_NS
						      : LONG_ROUND_NS,
		.next = next,
		.wait = job.number == 0 ? serve_counter : NULL,
		/* Alone, only the progress is served. */
		.wait_ms = job.count == 1 ? 100 : 1,
		.keep = keeps ? keep : NULL,
	};
	const struct reader_list list = {tree, (unsigned)job.neighbors};
	int status = reader_set_list(&list);

	progress_start(&job.progress,
		job.number == 0 ? inputs_progress(options->inputs) : WHEN_NEVER,
		"files", job.order_count);
	if (status == EXIT_DONE)
		status = reader_run(&reading);
	/* Inputs are missing; others need not go on. */
	if (status == EXIT_LIMIT)
		abort_job(status);
	return status;
}

static int run(struct aggregate *sums, const struct aggregate_options *options,
	struct input_tree *tree)
{
	int status = EXIT_DONE;
	int shared;

	if (!aggregate_init(sums, options))
		fail_memory();
	shared = share(sums, options, tree, &status);
	if (shared == EXIT_DONE) {
		open_counter();
		status = exit_worse(status, read_inputs(sums, options, tree));
		status = gather(sums, options, tree, status);
		progress_hide(&job.progress);
	} else {
		aggregate_clear(sums);
		sums->refused = true;
		status = shared;
	}
	free(job.order);
	free(job.chunks);
	return status;
}

/* ---- start and end ---- */

static struct aggregate_team members = {.run = run};

/* Others than the first process would repeat its messages about the command
 * line, and write its output. */
static void mute(void)
{
	job.silent = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	reader_mute();
	job.messages = memfd_create("messages", MFD_CLOEXEC);
	if (job.messages >= 0)
		(void)dup2(job.messages, STDERR_FILENO);
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

static void count_neighbors(void)
{
	MPI_Comm machine;

	check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
		MPI_INFO_NULL, &machine));
	check(MPI_Comm_size(machine, &job.neighbors));
	check(MPI_Comm_free(&machine));
}

/* exit() without an end, as after a wrong option. */
static void end_anyway(int status, void *user)
{
	int ended = 1;

	(void)user;
	end_pipe();
	reader_end();
	if (job.aborted || MPI_Finalized(&ended) != MPI_SUCCESS || ended)
		return;
	if (!job.agreed)
		(void)agree(true, status);
	(void)MPI_Finalize();
}

int team_start(int *argc, char ***argv, const struct team_options *options)
{
	int level;

	if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) !=
		MPI_SUCCESS)
		return EXIT_LIMIT;
	job.options = *options;
	check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	check(MPI_Comm_rank(MPI_COMM_WORLD, &job.number));
	check(MPI_Comm_size(MPI_COMM_WORLD, &job.count));
	if (on_exit(end_anyway, NULL) != 0)
		fail_memory();
	count_neighbors();
	members.finds_inputs = job.number == 0;
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
	reader_end();
	/* Others may still wait for the list of inputs. */
	if (!job.agreed)
		(void)agree(true, status);
	check(MPI_Finalize());
	/* A launcher reports the statuses of others than the first one, too. */
	return job.number == 0 ? status : EXIT_DONE;
}

/* SPDX-License-Identifier: MIT */
/*
 * A process that uses MPI should not fork: networks register its memory. So one
 * that was forked before MPI's start forks all readers. A reader is the program
 * itself with its command line: its team asks for inputs, writes the sums of
 * them to a file in memory, and ends. Such a round is all that a crash loses:
 * its inputs are read again, and those that were being read are read alone, so
 * that only the one that crashes then is left out.
 *
 * All talk on one socket, each message a packet: the reader while it runs, and
 * the process that forked it afterwards.
 */
#include "mpi/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/thread.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "cli/output.h"
#include "input/aggregate_summary.h"
#include "mpi/part.h"

#define THREADS_MAX 256 /* of a reader */
#define SECOND UINT64_C(1000000000)

enum message_kind {
	MESSAGE_START, /* a reader */
	MESSAGE_NEXT,  /* the thread `number` wants an input */
	MESSAGE_INPUT, /* the input `number` for it */
	MESSAGE_ENDED, /* the reader, with the status of wait() */
};

struct message {
	uint64_t kind;
	uint64_t number;
};

static struct {
	int socket;
	/* Files in memory. */
	int list;
	int sums;
	int words; /* standard error of a reader */
	pid_t forker;
} shared = {.socket = -1};

/* ---- messages and files ---- */

static bool send_message(enum message_kind kind, uint64_t number)
{
	const struct message message = {kind, number};

	return send(shared.socket, &message, sizeof(message), MSG_NOSIGNAL) ==
	       (ssize_t)sizeof(message);
}

static bool receive_message(struct message *message)
{
	ssize_t size;

	do
		size = recv(shared.socket, message, sizeof(*message), 0);
	while (size < 0 && errno == EINTR);
	return size == (ssize_t)sizeof(*message);
}

static bool write_all(int fd, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size > 0) {
		ssize_t done = write(fd, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		size -= (size_t)done;
	}
	return true;
}

/* Reads a file in memory from its start. */
static bool read_all(int fd, struct buffer *out)
{
	struct stat found;

	if (fstat(fd, &found) != 0 ||
		!buffer_reserve(out, (size_t)found.st_size + 1))
		return false;
	while (out->used < (size_t)found.st_size) {
		ssize_t done = pread(fd, out->bytes + out->used,
			(size_t)found.st_size - out->used, (off_t)out->used);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		out->used += (size_t)done;
	}
	return true;
}

/* Processes share the position at which they write. */
static void empty_file(int fd)
{
	(void)!ftruncate(fd, 0);
	(void)lseek(fd, 0, SEEK_SET);
}

void reader_mute(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	output_discard();
	if (nothing < 0)
		return;
	(void)dup2(nothing, STDIN_FILENO);
	(void)dup2(nothing, STDOUT_FILENO);
	(void)dup2(nothing, STDERR_FILENO);
	(void)close(nothing);
}

/* ---- the list ---- */

struct list_head {
	uint64_t count;
	uint64_t directory_count;
	uint64_t processes;
};

int reader_set_list(const struct reader_list *list)
{
	const struct input_tree *tree = list->tree;
	const struct list_head head = {
		tree->count, tree->directory_count, list->processes};
	struct buffer bytes = BUFFER_INIT;
	bool done;

	buffer_add(&bytes, &head, sizeof(head));
	for (size_t i = 0; i < tree->count; i++) {
		uint64_t root_size = tree->files[i].root_size;

		buffer_add(&bytes, &root_size, sizeof(root_size));
		buffer_add(&bytes, tree->files[i].path,
			strlen(tree->files[i].path) + 1);
	}
	empty_file(shared.list);
	done = !bytes.failed && write_all(shared.list, bytes.bytes, bytes.used);
	buffer_clear(&bytes);
	return done ? EXIT_DONE : diag_no_memory(NULL);
}

static int read_inputs(struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree);
static size_t next(int status);

static struct aggregate_team reader_team = {.run = read_inputs, .next = next};

/*
 * The processors of a machine are divided among its processes. A launcher often
 * binds each of them to a processor, on which more threads would only take
 * turns.
 */
static unsigned job_count(uint64_t processes)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned allowed = thread_processors();
	uint64_t share = online > 0 ? (uint64_t)online / processes : 1;

	if (share == 0)
		return 1;
	return share < allowed ? (unsigned)share : allowed;
}

static bool add_listed(struct input_tree *tree, const struct buffer *list)
{
	const uint8_t *at = list->bytes;
	struct list_head head;

	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	for (uint64_t i = 0; i < head.count; i++) {
		uint64_t root_size;

		memcpy(&root_size, at, sizeof(root_size));
		at += sizeof(root_size);
		if (!input_tree_add_file(
			    tree, (const char *)at, (size_t)root_size))
			return false;
		at += strlen((const char *)at) + 1;
	}
	tree->directory_count = (size_t)head.directory_count;
	memory_divide_usual_limit(head.processes);
	reader_team.jobs = job_count(head.processes);
	return true;
}

/* ---- the reader ---- */

static struct {
	pthread_mutex_t lock; /* of the following, and the socket */
	size_t *numbers;      /* inputs that were read */
	size_t count;
	size_t room;
	uint64_t threads;
	uint64_t end; /* the number at the end */
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* From 1 on; 0: none yet. */
static _Thread_local uint64_t thread_number;

static size_t next(int status)
{
	struct message message;

	/* The input needs too much memory, at least beside others. */
	if (status == EXIT_LIMIT)
		_exit(EXIT_LIMIT);
	(void)pthread_mutex_lock(&own.lock);
	if (thread_number == 0)
		thread_number = ++own.threads;
	if (!send_message(MESSAGE_NEXT, thread_number) ||
		!receive_message(&message) ||
		!array_reserve(&own.numbers, own.count, &own.room,
			sizeof(*own.numbers)))
		_exit(EXIT_LIMIT);
	if (message.number != own.end)
		own.numbers[own.count++] = (size_t)message.number;
	(void)pthread_mutex_unlock(&own.lock);
	return (size_t)message.number;
}

/* The reader has its messages to itself from here on, as its command line was
 * that of its parent, which has reported what is wrong with it. */
static int read_inputs(struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree)
{
	struct buffer bytes = BUFFER_INIT;
	struct part_sums part = {0};

	(void)dup2(shared.words, STDERR_FILENO);
	if (!read_all(shared.list, &bytes) || !add_listed(tree, &bytes))
		_exit(diag_no_memory(NULL));
	own.end = tree->count;
	part.status = (uint64_t)aggregate_read(sums, options, tree);
	if (part.status == EXIT_LIMIT ||
		!part_set_files(&part, tree, own.numbers, own.count))
		_exit(EXIT_LIMIT);
	bytes.used = 0;
	if (part_write(&part, sums, &bytes) != EXIT_DONE ||
		!write_all(shared.sums, bytes.bytes, bytes.used))
		_exit(EXIT_LIMIT);
	_exit(EXIT_DONE);
}

/* Ends this process with the one that forked it. */
static void end_with(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_LIMIT);
}

/* ---- the process that forks ---- */

struct command_line {
	int argc;
	char **argv;
	int (*run)(int argc, char **argv);
};

static _Noreturn void run_forker(const struct command_line *line, pid_t parent)
{
	struct message message;

	end_with(parent);
	while (receive_message(&message)) {
		pid_t self = getpid();
		int status = EXIT_LIMIT << 8;
		pid_t pid;

		/* A reader that crashed has left it. */
		if (message.kind != MESSAGE_START)
			continue;
		pid = fork();
		if (pid == 0) {
			end_with(self);
			aggregate_set_team(&reader_team);
			(void)line->run(line->argc, line->argv);
			_exit(EXIT_LIMIT);
		}
		if (pid > 0)
			while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
				continue;
		if (!send_message(MESSAGE_ENDED, (uint64_t)status))
			break;
	}
	_exit(EXIT_DONE);
}

int reader_start(int argc, char **argv, int (*run)(int argc, char **argv))
{
	const struct command_line line = {argc, argv, run};
	pid_t self = getpid();
	int sockets[2];

	shared.list = memfd_create("inputs", MFD_CLOEXEC);
	shared.sums = memfd_create("sums", MFD_CLOEXEC);
	shared.words = memfd_create("words", MFD_CLOEXEC);
	if (shared.list < 0 || shared.sums < 0 || shared.words < 0 ||
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
			sockets) != 0) {
		diag("cannot start a process that reads: %s", strerror(errno));
		return EXIT_LIMIT;
	}
	shared.socket = sockets[0];
	shared.forker = fork();
	if (shared.forker == 0) {
		(void)close(sockets[0]);
		shared.socket = sockets[1];
		reader_mute();
		run_forker(&line, self);
	}
	(void)close(sockets[1]);
	if (shared.forker > 0)
		return EXIT_DONE;
	diag("cannot start a process that reads: %s", strerror(errno));
	return EXIT_LIMIT;
}

void reader_end(void)
{
	if (shared.socket < 0)
		return;
	(void)close(shared.socket);
	shared.socket = -1;
	(void)waitpid(shared.forker, NULL, 0);
}

/* ---- rounds ---- */

/* A list of inputs. */
struct numbers {
	size_t *items;
	size_t count;
	size_t room;
};

struct work {
	const struct reading *reading;
	size_t none;             /* stands for no input */
	size_t first;            /* of the next round */
	struct numbers again;    /* read by a reader that crashed later */
	struct numbers suspects; /* being read by one that crashed */
	/* The round. */
	struct numbers given;
	size_t current[THREADS_MAX];
	uint64_t end_ns;
	bool alone;
	int worst;
};

static void push(struct work *work, struct numbers *numbers, size_t number)
{
	if (array_reserve(&numbers->items, numbers->count, &numbers->room,
		    sizeof(*numbers->items)))
		numbers->items[numbers->count++] = number;
	else
		work->worst = exit_worse(work->worst, diag_no_memory(NULL));
}

static uint64_t now_ns(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static size_t take_any(struct work *work)
{
	return work->again.count > 0 ? work->again.items[--work->again.count]
				     : work->reading->next(work->reading->user);
}

/* An input for the reader, or the end of its round. */
static size_t take(struct work *work)
{
	size_t number = work->first;

	work->first = work->none;
	if (number == work->none && !work->alone && now_ns() < work->end_ns)
		number = take_any(work);
	if (number != work->none)
		push(work, &work->given, number);
	return number;
}

/* Whether there are inputs for another round. */
static bool begin_round(struct work *work)
{
	work->given.count = 0;
	work->alone = false;
	work->end_ns = now_ns() + work->reading->round_ns;
	for (size_t i = 0; i < THREADS_MAX; i++)
		work->current[i] = work->none;
	work->first = take_any(work);
	if (work->first == work->none && work->suspects.count > 0) {
		work->first = work->suspects.items[--work->suspects.count];
		work->alone = true;
	}
	empty_file(shared.sums);
	empty_file(shared.words);
	/* An empty list has sums, too. */
	return work->first != work->none || work->reading->tree->count == 0;
}

/* False if the process that forks is gone. */
static bool wait_for_message(
	const struct reading *reading, struct message *message)
{
	struct pollfd poll_socket = {.fd = shared.socket, .events = POLLIN};

	while (reading->wait != NULL &&
		poll(&poll_socket, 1, reading->wait_ms) == 0)
		reading->wait(reading->user);
	return receive_message(message);
}

/* Gives inputs to a reader. False if the process that forks is gone. */
static bool serve(struct work *work, int *status)
{
	struct message message;

	if (!send_message(MESSAGE_START, 0))
		return false;
	while (wait_for_message(work->reading, &message)) {
		size_t number;

		if (message.kind == MESSAGE_ENDED) {
			*status = (int)message.number;
			return true;
		}
		number = take(work);
		work->current[message.number % THREADS_MAX] = number;
		/* If it has just ended, that is the next message. */
		(void)send_message(MESSAGE_INPUT, number);
	}
	return false;
}

/* Passes on messages of the reader, unless it crashed: the next ones repeat
 * them. */
static void print_words(void)
{
	struct buffer words = BUFFER_INIT;

	if (read_all(shared.words, &words))
		(void)write_all(STDERR_FILENO, words.bytes, words.used);
	buffer_clear(&words);
}

static void finish_round(struct work *work)
{
	const struct reading *reading = work->reading;
	struct buffer bytes = BUFFER_INIT;
	int status;

	print_words();
	status = read_all(shared.sums, &bytes)
			 ? part_add_bytes(&bytes, reading->sums,
				   reading->options, reading->tree)
			 : diag_no_memory(NULL);
	work->worst = exit_worse(work->worst, status);
	if (status != EXIT_LIMIT && reading->keep != NULL)
		reading->keep(reading->user, &bytes);
	buffer_clear(&bytes);
}

/* Leaves out an input that crashes its reader even alone. */
static void lose(struct work *work, size_t number, int status)
{
	const struct reading *reading = work->reading;
	const struct input_tree_file *file = &reading->tree->files[number];
	struct ctp_error err = {0};

	if (WIFSIGNALED(status))
		(void)ctp_fail(&err, CTP_ERR_UNSUPPORTED,
			"the process that read it was ended by signal %d (%s)",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		(void)ctp_fail(&err, CTP_ERR_UNSUPPORTED,
			"needs more memory than there is, or than --max-mem");
	print_words();
	diag_error(file->path, &err);
	if (file->root_size != 0)
		reading->sums->skipped[INPUT_TREE_DAMAGED]++;
	work->worst = exit_worse(work->worst, EXIT_INPUT);
	work->worst = exit_worse(
		work->worst, aggregate_lose_input(reading->sums,
				     reading->options, file->path, &err));
}

static bool is_current(const struct work *work, size_t number)
{
	for (size_t i = 0; i < THREADS_MAX; i++)
		if (work->current[i] == number)
			return true;
	return false;
}

/* Divides the inputs of a reader that crashed. Each crash leaves fewer inputs
 * that are read with others. */
static void redo_round(struct work *work, int status)
{
	bool is_any_current = false;

	if (work->alone && work->given.count > 0) {
		lose(work, work->given.items[0], status);
		return;
	}
	/* It did not even ask: the next one will not either. */
	if (work->given.count == 0) {
		diag("a process that reads ended at its start");
		work->worst = EXIT_LIMIT;
		return;
	}
	for (size_t i = 0; i < work->given.count; i++)
		is_any_current |= is_current(work, work->given.items[i]);
	for (size_t i = 0; i < work->given.count; i++) {
		size_t number = work->given.items[i];

		push(work,
			!is_any_current || is_current(work, number)
				? &work->suspects
				: &work->again,
			number);
	}
}

int reader_run(const struct reading *reading)
{
	struct work work = {.reading = reading, .none = reading->tree->count};
	int status;

	while (work.worst != EXIT_LIMIT && begin_round(&work)) {
		if (!serve(&work, &status)) {
			diag("the process that starts readers has ended");
			work.worst = EXIT_LIMIT;
		} else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
			finish_round(&work);
		} else {
			redo_round(&work, status);
		}
		if (reading->tree->count == 0)
			break;
	}
	memory_free(work.again.items);
	memory_free(work.suspects.items);
	memory_free(work.given.items);
	return work.worst;
}

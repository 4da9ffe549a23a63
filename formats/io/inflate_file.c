/* SPDX-License-Identifier: MIT */
/*
 * The thread fills the blocks of a ring, and the reader takes them in order.
 * Together they hold twice as much as one read of the JSON reader. If no thread
 * can be created, the reader decompresses by itself.
 */
#include "io/inflate_file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "io/inflate_stream.h"
#include "base/memory.h"

#define BLOCK_BYTES ((size_t)256 << 10)
#define BLOCKS 8
#define STREAM_BYTES ((size_t)64 << 10)

struct inflate_file {
	FILE *stream;
	struct inflate_stream inflate;
	uint8_t *blocks;
	size_t sizes[BLOCKS];
	size_t used; /* bytes used of the current block */
	bool at_end; /* reported to the reader */

	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock, where there is a thread: */
	uint64_t filled; /* blocks so far */
	uint64_t taken;
	bool stopped;  /* by the reader */
	bool finished; /* by the thread: no more blocks */
	int sys_errno; /* reason, if not the end */
};

bool inflate_file_probe(const void *head, size_t size)
{
	static const uint8_t magic[] = {0x1f, 0x8b, 8};

	/* A file truncated within these bytes matches no other format
	 * either. */
	return size > 0 &&
	       memcmp(head, magic,
		       size < sizeof(magic) ? size : sizeof(magic)) == 0;
}

/* A block for the thread to fill; NULL if the thread must end. */
static uint8_t *wait_for_room(struct inflate_file *file)
{
	uint8_t *block = NULL;

	(void)pthread_mutex_lock(&file->lock);
	while (file->filled - file->taken == BLOCKS && !file->stopped)
		(void)pthread_cond_wait(&file->changed, &file->lock);
	if (!file->stopped)
		block = file->blocks + file->filled % BLOCKS * BLOCK_BYTES;
	(void)pthread_mutex_unlock(&file->lock);
	return block;
}

/* False after the last one. */
static bool give(struct inflate_file *file, ssize_t size)
{
	int saved = errno;

	(void)pthread_mutex_lock(&file->lock);
	if (size > 0) {
		file->sizes[file->filled % BLOCKS] = (size_t)size;
		file->filled++;
	} else {
		file->finished = true;
		file->sys_errno = size < 0 ? saved : 0;
	}
	(void)pthread_cond_signal(&file->changed);
	(void)pthread_mutex_unlock(&file->lock);
	return size > 0;
}

static void *unpack_ahead(void *argument)
{
	struct inflate_file *file = argument;
	uint8_t *block;

	while ((block = wait_for_room(file)) != NULL &&
		give(file, inflate_stream_read(
				   &file->inflate, block, BLOCK_BYTES)))
		;
	return NULL;
}

/* Is there a block to read? Waits for it. */
static bool wait_for_block(struct inflate_file *file)
{
	bool there;

	(void)pthread_mutex_lock(&file->lock);
	while (file->filled == file->taken && !file->finished)
		(void)pthread_cond_wait(&file->changed, &file->lock);
	there = file->filled != file->taken;
	(void)pthread_mutex_unlock(&file->lock);
	return there;
}

static void give_back(struct inflate_file *file)
{
	file->used = 0;
	(void)pthread_mutex_lock(&file->lock);
	file->taken++;
	(void)pthread_cond_signal(&file->changed);
	(void)pthread_mutex_unlock(&file->lock);
}

/* End of the stream; the facts about the file stay. */
static ssize_t end_stream(struct inflate_file *file)
{
	file->at_end = true;
	if (file->threaded)
		(void)pthread_join(file->thread, NULL);
	file->threaded = false;
	memory_free(file->blocks);
	file->blocks = NULL;
	inflate_stream_clear(&file->inflate);
	return 0;
}

static ssize_t unpack_now(struct inflate_file *file, char *out, size_t size)
{
	ssize_t got = inflate_stream_read(
		&file->inflate, out, size < BLOCK_BYTES ? size : BLOCK_BYTES);

	return got == 0 ? end_stream(file) : got;
}

/* Read function of the stream, as read(2). Only the reader changes `taken`. */
static ssize_t read_stream(void *cookie, char *out, size_t size)
{
	struct inflate_file *file = cookie;
	size_t slot = file->taken % BLOCKS;
	size_t left;

	if (!file->threaded)
		return unpack_now(file, out, size);
	if (!wait_for_block(file)) {
		errno = file->sys_errno;
		return file->sys_errno == 0 ? end_stream(file) : -1;
	}
	left = file->sizes[slot] - file->used;
	size = size < left ? size : left;
	memcpy(out, file->blocks + slot * BLOCK_BYTES + file->used, size);
	file->used += size;
	if (file->used == file->sizes[slot])
		give_back(file);
	return (ssize_t)size;
}

/* The thread must not handle the reader's signals. */
static bool start_thread(struct inflate_file *file)
{
	sigset_t all;
	sigset_t old;
	int failed;

	file->blocks = memory_new(BLOCKS * BLOCK_BYTES);
	file->inflate.wake_fd = eventfd(0, EFD_CLOEXEC);
	if (file->blocks == NULL || file->inflate.wake_fd < 0)
		return false;
	(void)sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0)
		return false;
	failed = pthread_create(&file->thread, NULL, unpack_ahead, file);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return failed == 0;
}

static void stop_thread(struct inflate_file *file)
{
	if (!file->threaded)
		return;
	(void)eventfd_write(file->inflate.wake_fd, 1);
	(void)pthread_mutex_lock(&file->lock);
	file->stopped = true;
	(void)pthread_cond_signal(&file->changed);
	(void)pthread_mutex_unlock(&file->lock);
	(void)pthread_join(file->thread, NULL);
}

void inflate_file_close(struct inflate_file *file)
{
	if (file == NULL)
		return;
	stop_thread(file);
	if (file->stream != NULL)
		(void)fclose(file->stream);
	if (file->inflate.wake_fd >= 0)
		(void)close(file->inflate.wake_fd);
	(void)pthread_cond_destroy(&file->changed);
	(void)pthread_mutex_destroy(&file->lock);
	inflate_stream_clear(&file->inflate);
	memory_free(file->blocks);
	memory_free(file);
}

enum ctp_status inflate_file_open(struct inflate_file **out, int fd,
	const void *head, size_t head_size, struct ctp_error *err)
{
	static const cookie_io_functions_t functions = {.read = read_stream};
	struct inflate_file *file = memory_new_zeroed(1, sizeof(*file));

	if (file == NULL)
		return ctp_no_memory(err);
	(void)pthread_mutex_init(&file->lock, NULL);
	(void)pthread_cond_init(&file->changed, NULL);
	if (inflate_stream_init(&file->inflate, fd, head, head_size))
		file->stream = fopencookie(file, "r", functions);
	if (file->stream == NULL ||
		setvbuf(file->stream, NULL, _IOFBF, STREAM_BYTES) != 0) {
		inflate_file_close(file);
		return ctp_no_memory(err);
	}
	file->threaded = start_thread(file);
	*out = file;
	return CTP_OK;
}

FILE *inflate_file_stream(const struct inflate_file *file)
{
	return file->stream;
}

struct inflate_facts inflate_file_facts(const struct inflate_file *file)
{
	struct inflate_facts facts = {
		.position = atomic_load(&file->inflate.position)};

	/* Before the end, the thread's progress is random. */
	if (file->at_end) {
		facts.strange_bytes = file->inflate.strange_bytes;
		facts.damage_at = file->inflate.damage_at;
		facts.damage = file->inflate.damage;
	}
	return facts;
}

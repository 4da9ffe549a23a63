/* SPDX-License-Identifier: MIT */
/*
 * Threads compress blocks of equal size, which the caller writes in order: the
 * bytes do not depend on the number of threads. The blocks form one member, as
 * browsers and viewers read only the first of several.
 *
 * Measured (doc/benchmarks/2026-11-28.md): libdeflate takes half of zlib's time,
 * and blocks of 512 KiB are at most 3 % larger than a single one.
 */
#include "io/gzip_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/thread.h"
#include "log/deflate.h"
#include "log/deflate_open.h"

#define BLOCK_BYTES ((size_t)512 << 10)
#define THREADS_MAX 8
#define BLOCKS_MAX (THREADS_MAX + 1)
#define STREAM_BYTES ((size_t)64 << 10) /* of stdio */
#define LEVEL 6

struct block {
	uint8_t *plain;
	uint8_t *packed; /* in the same memory */
	size_t plain_size;
	size_t packed_size; /* 0: failed */
	uint32_t crc;
	bool is_done; /* under the lock */
};

struct compressor {
	struct gzip_file *file;
	struct deflater *deflater;
	pthread_t thread;
};

struct gzip_file {
	FILE *out;
	off64_t plain; /* bytes */
	uint32_t crc;
	struct deflater *deflater; /* the caller's */
	size_t packed_room;
	bool failed;

	/* A ring; the caller fills the one at `ready`. */
	struct block blocks[BLOCKS_MAX];
	unsigned block_count;
	uint64_t written; /* blocks */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock: */
	uint64_t ready;
	uint64_t taken; /* by threads */
	bool stopped;

	bool asked_for_threads;
	unsigned thread_count;
	struct compressor threads[THREADS_MAX];
};

static struct block *block_at(struct gzip_file *file, uint64_t number)
{
	return &file->blocks[number % file->block_count];
}

/* Compresses a block that others follow. */
static void pack(const struct gzip_file *file, struct deflater *deflater,
	struct block *block)
{
	block->crc = deflate_crc32(block->plain, block->plain_size);
	block->packed_size = deflater_pack_open(deflater, block->plain,
		block->plain_size, block->packed, file->packed_room);
}

/* The next block for a thread; NULL if it must end. */
static struct block *wait_for_work(struct gzip_file *file)
{
	struct block *block = NULL;

	(void)pthread_mutex_lock(&file->lock);
	while (file->taken == file->ready && !file->stopped)
		(void)pthread_cond_wait(&file->changed, &file->lock);
	if (!file->stopped)
		block = block_at(file, file->taken++);
	(void)pthread_mutex_unlock(&file->lock);
	return block;
}

static void *pack_blocks(void *user)
{
	const struct compressor *compressor = user;
	struct gzip_file *file = compressor->file;
	struct block *block;

	while ((block = wait_for_work(file)) != NULL) {
		pack(file, compressor->deflater, block);
		(void)pthread_mutex_lock(&file->lock);
		block->is_done = true;
		(void)pthread_cond_broadcast(&file->changed);
		(void)pthread_mutex_unlock(&file->lock);
	}
	return NULL;
}

/* False if out of memory. */
static bool add_block(struct gzip_file *file)
{
	struct block *block = &file->blocks[file->block_count];

	block->plain = memory_new(BLOCK_BYTES + file->packed_room);
	if (block->plain == NULL)
		return false;
	block->packed = block->plain + BLOCK_BYTES;
	file->block_count++;
	return true;
}

static bool start_thread(struct gzip_file *file, struct compressor *compressor)
{
	compressor->file = file;
	compressor->deflater = deflater_new(LEVEL);
	if (compressor->deflater != NULL &&
		thread_start(&compressor->thread, pack_blocks, compressor))
		return true;
	deflater_free(compressor->deflater);
	return false;
}

/* One for each processor, if there are several and the memory suffices. Before
 * that, there is one block. */
static void start_threads(struct gzip_file *file)
{
	unsigned count = thread_processors();

	file->asked_for_threads = true;
	if (count == 1)
		return;
	while (file->block_count <= count && file->block_count < BLOCKS_MAX)
		if (!add_block(file))
			break;
	while (file->thread_count + 1 < file->block_count &&
		start_thread(file, &file->threads[file->thread_count]))
		file->thread_count++;
}

static void stop_threads(struct gzip_file *file)
{
	(void)pthread_mutex_lock(&file->lock);
	file->stopped = true;
	(void)pthread_cond_broadcast(&file->changed);
	(void)pthread_mutex_unlock(&file->lock);
	for (unsigned i = 0; i < file->thread_count; i++) {
		(void)pthread_join(file->threads[i].thread, NULL);
		deflater_free(file->threads[i].deflater);
	}
}

static void write_bytes(struct gzip_file *file, const void *bytes, size_t size)
{
	if (!file->failed && fwrite(bytes, 1, size, file->out) != size)
		file->failed = true;
}

static void write_block(struct gzip_file *file, const struct block *block)
{
	if (block->packed_size == 0) {
		file->failed = true;
		errno = ENOMEM;
	}
	write_bytes(file, block->packed, block->packed_size);
	file->crc = (uint32_t)crc32_combine(
		file->crc, block->crc, (z_off_t)block->plain_size);
}

/* Writes the finished blocks, and waits until at most `left` remain. */
static void write_blocks(struct gzip_file *file, uint64_t left)
{
	for (;;) {
		struct block *block = block_at(file, file->written);
		uint64_t waiting = file->ready - file->written;
		bool is_done;

		if (waiting == 0)
			return;
		(void)pthread_mutex_lock(&file->lock);
		while (!block->is_done && waiting > left)
			(void)pthread_cond_wait(&file->changed, &file->lock);
		is_done = block->is_done;
		block->is_done = false;
		(void)pthread_mutex_unlock(&file->lock);
		if (!is_done)
			return;
		write_block(file, block);
		block->plain_size = 0;
		file->written++;
	}
}

/* Hands a full block to the threads. */
static void pass_block(struct gzip_file *file)
{
	struct block *block = block_at(file, file->ready);

	if (!file->asked_for_threads)
		start_threads(file);
	if (file->thread_count == 0)
		pack(file, file->deflater, block);
	(void)pthread_mutex_lock(&file->lock);
	block->is_done = file->thread_count == 0;
	file->ready++;
	(void)pthread_cond_broadcast(&file->changed);
	(void)pthread_mutex_unlock(&file->lock);
	write_blocks(file, file->thread_count);
}

/* For stdio, a short write is an error. A full block waits for more bytes, as
 * the last one is compressed otherwise. */
static ssize_t write_plain(void *cookie, const char *bytes, size_t size)
{
	struct gzip_file *file = cookie;
	size_t done = 0;

	while (done < size && !file->failed) {
		struct block *block = block_at(file, file->ready);
		size_t part = BLOCK_BYTES - block->plain_size;

		if (part == 0) {
			pass_block(file);
			continue;
		}
		part = part < size - done ? part : size - done;
		memcpy(block->plain + block->plain_size, bytes + done, part);
		block->plain_size += part;
		done += part;
	}
	if (file->failed)
		return 0;
	file->plain += (off64_t)size;
	return (ssize_t)size;
}

/* A seek that only asks for the position. */
static int seek_plain(void *cookie, off64_t *offset, int whence)
{
	const struct gzip_file *file = cookie;

	if (whence != SEEK_CUR || *offset != 0) {
		errno = ESPIPE;
		return -1;
	}
	*offset = file->plain;
	return 0;
}

/* Compresses the last block, which may be empty, and writes the trailer. */
static void write_last(struct gzip_file *file)
{
	struct block *block = block_at(file, file->ready);
	struct deflate_part part = {
		block->plain, block->plain_size, DEFLATE_ANY};
	uint32_t size = (uint32_t)file->plain;
	uint8_t trailer[8];

	block->crc = deflate_crc32(part.bytes, part.size);
	block->packed_size = deflater_pack(
		file->deflater, &part, 1, block->packed, file->packed_room);
	write_block(file, block);
	for (unsigned i = 0; i < 4; i++) {
		trailer[i] = (uint8_t)(file->crc >> 8 * i);
		trailer[4 + i] = (uint8_t)(size >> 8 * i);
	}
	write_bytes(file, trailer, sizeof(trailer));
}

static void gzip_file_free(struct gzip_file *file)
{
	for (unsigned i = 0; i < file->block_count; i++)
		memory_free(file->blocks[i].plain);
	(void)pthread_cond_destroy(&file->changed);
	(void)pthread_mutex_destroy(&file->lock);
	deflater_free(file->deflater);
	memory_free(file);
}

static int close_plain(void *cookie)
{
	struct gzip_file *file = cookie;
	bool failed;
	int saved;

	file->failed |= ferror(file->out) != 0;
	if (!file->failed)
		write_blocks(file, 0);
	stop_threads(file);
	if (!file->failed)
		write_last(file);
	failed = file->failed;
	saved = errno;
	gzip_file_free(file);
	errno = saved;
	return failed ? -1 : 0;
}

/* RFC 1952: deflate, without name and time, on Unix. */
static void write_header(struct gzip_file *file)
{
	static const uint8_t header[10] = {0x1f, 0x8b, 8, [9] = 3};

	write_bytes(file, header, sizeof(header));
}

FILE *gzip_file_open(FILE *out)
{
	static const cookie_io_functions_t functions = {
		.write = write_plain, .seek = seek_plain, .close = close_plain};
	struct gzip_file *file = memory_new_zeroed(1, sizeof(*file));
	FILE *stream = NULL;

	if (file == NULL)
		return NULL;
	file->out = out;
	(void)pthread_mutex_init(&file->lock, NULL);
	(void)pthread_cond_init(&file->changed, NULL);
	file->deflater = deflater_new(LEVEL);
	if (file->deflater != NULL) {
		file->packed_room =
			deflater_bound(file->deflater, BLOCK_BYTES) +
			DEFLATE_OPEN_BYTES;
		if (add_block(file))
			stream = fopencookie(file, "w", functions);
	}
	if (stream == NULL) {
		gzip_file_free(file);
		return NULL;
	}
	(void)setvbuf(stream, NULL, _IOFBF, STREAM_BYTES);
	write_header(file);
	return stream;
}

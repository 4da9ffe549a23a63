/* SPDX-License-Identifier: MIT */
/*
 * A small file is decompressed at once. For others the thread fills the blocks of
 * a ring, and the reader takes them in order. Together they hold twice as much as
 * one read of the JSON reader. If no thread can be created, the reader
 * decompresses by itself.
 */
#include "io/inflate_file.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/thread.h"
#include "io/inflate_whole.h"
#include "profile/profile.h"

/* Decompresses a gzip'd file piece by piece, in the memory of one window.
 * Several members are concatenated; zeros after the last one are padding, and
 * other bytes there are counted. Source: RFC 1952; zlib.h, version 1.2.13. */
struct inflater {
	int fd;
	int wake_fd; /* readable: give up waiting for input; -1: none */
	z_stream zlib;
	bool in_member;
	bool at_end;
	uint8_t *in;
	uint64_t members;
	uint64_t strange_bytes;    /* after the last member */
	_Atomic uint64_t position; /* bytes read from the file */
	uint64_t damage_at;        /* in the file, if there is damage */
	const char *damage;        /* description; NULL: no damage */
};

#define READ_BYTES ((size_t)256 << 10)
#define GZIP_BITS (MAX_WBITS + 16) /* gzip's header and trailer, not zlib's */
#define GZIP_FIRST_BYTE 0x1f

/* `head` has the first bytes, already read from `fd`. False if out of memory;
 * call inflater_clear() in either case. */
static bool inflater_init(
	struct inflater *inflater, int fd, const void *head, size_t size)
{
	*inflater = (struct inflater){.fd = fd, .wake_fd = -1};
	inflater->in = memory_new(size > READ_BYTES ? size : READ_BYTES);
	if (inflater->in == NULL)
		return false;
	memcpy(inflater->in, head, size);
	if (inflateInit2(&inflater->zlib, GZIP_BITS) != Z_OK) {
		memory_free(inflater->in);
		inflater->in = NULL;
		return false;
	}
	inflater->zlib.next_in = inflater->in;
	inflater->zlib.avail_in = (uInt)size;
	atomic_init(&inflater->position, size);
	return true;
}

static void inflater_clear(struct inflater *inflater)
{
	if (inflater->in == NULL)
		return;
	(void)inflateEnd(&inflater->zlib);
	memory_free(inflater->in);
	inflater->in = NULL;
}

/* Waits until the file has input, or the caller wants us to stop. */
static bool wait_for_input(const struct inflater *inflater)
{
	struct pollfd wanted[] = {
		{.fd = inflater->fd, .events = POLLIN},
		{.fd = inflater->wake_fd, .events = POLLIN},
	};

	while (poll(wanted, 2, -1) < 0)
		if (errno != EINTR)
			return false;
	if (wanted[1].revents == 0)
		return true;
	errno = ECANCELED;
	return false;
}

/* Reads more of the file, as read(2). */
static ssize_t fill(struct inflater *inflater)
{
	ssize_t got;

	do {
		if (inflater->wake_fd >= 0 && !wait_for_input(inflater))
			return -1;
		got = read(inflater->fd, inflater->in, READ_BYTES);
	} while (got < 0 && errno == EINTR);
	if (got > 0) {
		inflater->zlib.next_in = inflater->in;
		inflater->zlib.avail_in = (uInt)got;
		atomic_fetch_add(&inflater->position, (uint64_t)got);
	}
	return got;
}

static void damage(struct inflater *inflater, const char *what)
{
	inflater->damage = what;
	inflater->damage_at =
		atomic_load(&inflater->position) - inflater->zlib.avail_in;
	inflater->at_end = true;
}

/* Between two members: begins the next one, or skips bytes that are not a
 * member. */
static void begin_member(struct inflater *inflater)
{
	z_stream *zlib = &inflater->zlib;

	while (zlib->avail_in > 0 && *zlib->next_in == 0 &&
		inflater->strange_bytes == 0 && inflater->members > 0) {
		zlib->next_in++;
		zlib->avail_in--;
	}
	if (zlib->avail_in == 0)
		return;
	if (inflater->members > 0 &&
		(inflater->strange_bytes > 0 ||
			*zlib->next_in != GZIP_FIRST_BYTE)) {
		inflater->strange_bytes += zlib->avail_in;
		zlib->avail_in = 0;
		return;
	}
	(void)inflateReset(zlib);
	inflater->in_member = true;
}

/* Decompresses until the input or the room for output is used up. */
static bool unpack(struct inflater *inflater)
{
	switch (inflate(&inflater->zlib, Z_NO_FLUSH)) {
	case Z_STREAM_END:
		inflater->in_member = false;
		inflater->members++;
		return true;
	case Z_OK:
	case Z_BUF_ERROR:
		return true;
	case Z_MEM_ERROR:
		errno = ENOMEM;
		return false;
	default:
		damage(inflater, inflater->zlib.msg != NULL
					 ? inflater->zlib.msg
					 : "damaged compressed data");
		return true;
	}
}

/* The next bytes, at most `size`, and fewer only before an end; 0 at the end
 * or at damage, negative (and errno) if the file cannot be read. */
static ssize_t inflater_read(struct inflater *inflater, void *out, size_t size)
{
	z_stream *zlib = &inflater->zlib;

	zlib->next_out = out;
	zlib->avail_out = (uInt)size;
	while (!inflater->at_end && zlib->avail_out > 0) {
		if (zlib->avail_in == 0) {
			ssize_t got = fill(inflater);

			if (got < 0)
				return -1;
			if (got == 0 && inflater->in_member)
				damage(inflater,
					"the compressed data are truncated");
			inflater->at_end = got == 0;
		} else if (!inflater->in_member) {
			begin_member(inflater);
		} else if (!unpack(inflater)) {
			return -1;
		}
	}
	return (ssize_t)(size - zlib->avail_out);
}

#define BLOCK_BYTES ((size_t)256 << 10)
#define BLOCKS 8
#define STREAM_BYTES ((size_t)64 << 10)

struct inflate_file {
	FILE *stream;
	struct inflate_whole whole;
	size_t whole_at;
	struct inflater inflate;
	uint8_t *blocks;
	size_t sizes[BLOCKS];
	size_t used; /* bytes used of the current block */
	bool at_end; /* reported to the reader */

	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock, if there is a thread: */
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
static bool publish_block(struct inflate_file *file, ssize_t size)
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
		publish_block(file,
			inflater_read(&file->inflate, block, BLOCK_BYTES)))
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

static void release_block(struct inflate_file *file)
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
	inflater_clear(&file->inflate);
	return 0;
}

static ssize_t unpack_now(struct inflate_file *file, char *out, size_t size)
{
	ssize_t got = inflater_read(
		&file->inflate, out, size < BLOCK_BYTES ? size : BLOCK_BYTES);

	return got == 0 ? end_stream(file) : got;
}

static ssize_t read_whole(struct inflate_file *file, char *out, size_t size)
{
	size_t left = file->whole.text_size - file->whole_at;

	file->at_end = left == 0;
	size = size < left ? size : left;
	memcpy(out, file->whole.text + file->whole_at, size);
	file->whole_at += size;
	return (ssize_t)size;
}

/* Read function of the stream, as read(2). Only the reader changes `taken`. */
static ssize_t read_stream(void *cookie, char *out, size_t size)
{
	struct inflate_file *file = cookie;
	size_t slot = file->taken % BLOCKS;
	size_t left;

	if (file->whole.text != NULL)
		return read_whole(file, out, size);
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
		release_block(file);
	return (ssize_t)size;
}

static bool start_thread(struct inflate_file *file)
{
	file->blocks = memory_new(BLOCKS * BLOCK_BYTES);
	file->inflate.wake_fd = eventfd(0, EFD_CLOEXEC);
	return file->blocks != NULL && file->inflate.wake_fd >= 0 &&
	       thread_start(&file->thread, unpack_ahead, file);
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
	inflater_clear(&file->inflate);
	memory_free(file->blocks);
	inflate_whole_clear(&file->whole);
	memory_free(file);
}

/* Decompresses a small file, or begins with another one; false if out of
 * memory. */
static bool init_contents(
	struct inflate_file *file, int fd, const void *head, size_t head_size)
{
	struct inflate_whole *whole = &file->whole;
	bool done = true;

	inflate_whole_read(whole, fd, head, head_size);
	if (whole->packed == NULL)
		return inflater_init(&file->inflate, fd, head, head_size);
	if (whole->text == NULL)
		done = inflater_init(
			&file->inflate, fd, whole->packed, whole->packed_size);
	else
		atomic_init(&file->inflate.position, whole->packed_size);
	free(whole->packed);
	whole->packed = NULL;
	return done;
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
	file->inflate.wake_fd = -1;
	if (init_contents(file, fd, head, head_size))
		file->stream = fopencookie(file, "r", functions);
	if (file->stream == NULL ||
		setvbuf(file->stream, NULL, _IOFBF, STREAM_BYTES) != 0) {
		inflate_file_close(file);
		return ctp_no_memory(err);
	}
	file->threaded = file->whole.text == NULL && start_thread(file);
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

/* A source of events from a gzip'd file. */
struct inflate_source {
	struct event_source source; /* must be first */
	struct event_source *inner;
	const struct inflate_file *file;
	bool noted;
};

static struct inflate_source *self_of(struct event_source *source)
{
	return (struct inflate_source *)(void *)source;
}

/* Damage to the file also truncates the text in it, which is not counted
 * again. */
static enum ctp_status record_damage(
	struct inflate_source *self, struct ctp_error *err)
{
	struct inflate_facts facts = inflate_file_facts(self->file);
	struct trace *trace = self->source.trace;
	char text[128];

	if (self->noted)
		return CTP_OK;
	self->noted = true;
	trace_lose(trace, LOSS_SKIPPED_BYTES, facts.strange_bytes);
	if (facts.damage == NULL)
		return CTP_OK;
	if (trace->losses[LOSS_TRUNCATED] == 0)
		trace_lose(trace, LOSS_TRUNCATED, 1);
	(void)snprintf(text, sizeof(text),
		"byte %" PRIu64 " of the gzip'd file: %s", facts.damage_at,
		facts.damage);
	if (!trace_set_fact(trace, "damage", text))
		return ctp_no_memory(err);
	return CTP_OK;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct inflate_source *self = self_of(source);
	enum ctp_status status = self->inner->next(self->inner, event, err);

	if (status == CTP_END && record_damage(self, err) != CTP_OK)
		status = CTP_ERR_NOMEM;
	return status;
}

static enum ctp_status read_profile(struct event_source *source,
	struct profile **out, struct ctp_error *err)
{
	struct inflate_source *self = self_of(source);
	struct profile *profile;
	enum ctp_status status =
		self->inner->read_profile(self->inner, &profile, err);

	if (status != CTP_OK)
		return status;
	status = record_damage(self, err);
	if (status == CTP_OK)
		*out = profile;
	else
		profile_free(profile);
	return status;
}

static uint64_t position(const struct event_source *source)
{
	const struct inflate_source *self = (const void *)source;

	return inflate_file_facts(self->file).position;
}

static void close_source(struct event_source *source)
{
	struct inflate_source *self = self_of(source);

	self->inner->close(self->inner);
	memory_free(self);
}

enum ctp_status inflate_file_source_open(struct event_source **source,
	const struct inflate_file *file, struct ctp_error *err)
{
	struct inflate_source *self = memory_new_zeroed(1, sizeof(*self));

	if (self == NULL)
		return ctp_no_memory(err);
	self->inner = *source;
	self->file = file;
	self->source.trace = self->inner->trace;
	self->source.next = next;
	self->source.read_profile =
		self->inner->read_profile == NULL ? NULL : read_profile;
	self->source.position = position;
	self->source.close = close_source;
	*source = &self->source;
	return CTP_OK;
}

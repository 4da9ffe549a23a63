/* SPDX-License-Identifier: MIT */
/*
 * FAKE_CUPTI_ROOM is the number of records after which a buffer counts as full,
 * and FAKE_CUPTI_BROKEN adds invalid bytes after them. FAKE_CUPTI_ORDER=reverse
 * returns full buffers in the wrong order, and of FAKE_CUPTI_DROP records one
 * is dropped. After FAKE_CUPTI_TAKEN buffers another tool has registered its
 * callbacks, and gets the returned buffers; with FAKE_CUPTI_FOREIGN it had
 * registered earlier, and its buffer comes back first.
 */
#include "cupti_buffer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cupti_record.h"

#define PENDING 256
#define FUTURE_EVERY 7
#define UNREAD 256
#define FOREIGN_BYTES ((size_t)1 << 16)

struct buffer {
	uint8_t *bytes;
	size_t size, used;
	uint32_t records;
	uint32_t pending; /* unfinished records */
	long thread;      /* the owning thread; 0: all threads */
	bool full;
	struct buffer *next;
};

/* An unfinished record. */
struct pending {
	struct buffer *buffer; /* NULL: this one is free */
	size_t offset;         /* of its end */
	uint32_t stream;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static fake_request *requested;
static fake_complete *completed;
static struct buffer *buffers; /* oldest first */
static struct pending pendings[PENDING];
static uint64_t activities;
static size_t dropped;
static const uint8_t *unread[UNREAD]; /* returned buffers */
static size_t unread_count;
static bool per_thread, zeroed, dead;
static _Atomic bool stalled;
static long room, drop, taken; /* taken: below 0, never */
static bool reverse, foreign, broken;

static void must(bool true_of_us, const char *what)
{
	if (!true_of_us)
		cupti_violation("buffer", what);
}

static void tell(const char *what)
{
	cupti_driver()->tell("{\"what\":\"%s\"}", what);
}

/* Removes it from the list; the others do not change. */
static void unlink_buffer(const struct buffer *buffer)
{
	struct buffer **at = &buffers;

	while (*at != buffer)
		at = &(*at)->next;
	*at = buffer->next;
}

/* CUPTI holds its lock: a call from the callback would wait for ever. */
static void give_back(struct buffer *buffer)
{
	unlink_buffer(buffer);
	for (size_t i = 0; i < PENDING; i++) {
		if (pendings[i].buffer != buffer)
			continue;
		pendings[i].buffer = NULL;
		tell("unfinished");
	}
	if (buffer->used != 0 && taken != 0)
		unread[unread_count++ % UNREAD] = buffer->bytes;
	cupti_inside = CUPTI_IN_BUFFERS;
	if (taken != 0)
		completed(NULL, 0, buffer->bytes, buffer->size, buffer->used);
	cupti_inside = CUPTI_OUTSIDE;
	taken -= taken > 0 && buffer->used != 0;
	free(buffer);
}

/* The next full and complete buffer. In the wrong order, if requested: the
 * newest first, once there are several. */
static struct buffer *find_full(void)
{
	struct buffer *found = NULL;
	int count = 0;

	for (struct buffer *b = buffers; b != NULL; b = b->next) {
		if (!b->full || b->pending != 0)
			continue;
		if (found == NULL || reverse)
			found = b;
		count++;
	}
	return reverse && count < 3 ? NULL : found;
}

/* CUPTI's own thread. */
static void *work(void *unused)
{
	(void)pthread_mutex_lock(&lock);
	for (;;) {
		struct buffer *buffer = find_full();

		if (buffer == NULL)
			(void)pthread_cond_wait(&changed, &lock);
		else
			give_back(buffer);
	}
	return unused;
}

static void start(void)
{
	const char *order = getenv("FAKE_CUPTI_ORDER");
	pthread_t thread;

	room = cupti_setting("FAKE_CUPTI_ROOM", 0);
	drop = cupti_setting("FAKE_CUPTI_DROP", 0);
	taken = cupti_setting("FAKE_CUPTI_TAKEN", -1);
	broken = cupti_setting("FAKE_CUPTI_BROKEN", 0) != 0;
	foreign = cupti_setting("FAKE_CUPTI_FOREIGN", 0) != 0;
	reverse = order != NULL && strcmp(order, "reverse") == 0;
	if (pthread_create(&thread, NULL, work, NULL) != 0 ||
		pthread_detach(thread) != 0)
		abort();
}

void cupti_buffer_callbacks(fake_request *request, fake_complete *complete)
{
	(void)pthread_mutex_lock(&lock);
	requested = request;
	completed = complete;
	(void)pthread_mutex_unlock(&lock);
	if (cupti_driver() != NULL)
		(void)pthread_once(&once, start);
}

void cupti_buffer_per_thread(bool on)
{
	per_thread = on;
}

void cupti_buffer_zeroed(bool on)
{
	zeroed = on;
}

static struct buffer *ask(long thread)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));
	struct buffer **at = &buffers;
	size_t max_records = 99;

	if (buffer == NULL)
		abort();
	cupti_inside = CUPTI_IN_BUFFERS;
	requested(&buffer->bytes, &buffer->size, &max_records);
	cupti_inside = CUPTI_OUTSIDE;
	must(buffer->bytes != NULL, "there is none: crashes before 12.9");
	must((uintptr_t)buffer->bytes % 8 == 0, "is not aligned");
	must(buffer->size >= 1024, "is too small");
	must(max_records == 0, "of a limited number of records");
	buffer->thread = thread;
	while (*at != NULL)
		at = &(*at)->next;
	*at = buffer;
	return buffer;
}

/* The calling thread's buffer, with room for this many bytes. */
static struct buffer *find(size_t size)
{
	long thread = per_thread ? syscall(SYS_gettid) : 0;
	struct buffer *b = buffers;

	while (b != NULL && (b->full || b->thread != thread))
		b = b->next;
	if (b != NULL && b->used + size > b->size) {
		b->full = true;
		(void)pthread_cond_signal(&changed);
		b = NULL;
	}
	return b != NULL ? b : ask(thread);
}

static void wait_for_end(
	struct buffer *buffer, size_t at, const struct fake_activity *activity)
{
	struct pending *free_one = pendings;

	while (free_one < pendings + PENDING && free_one->buffer != NULL)
		free_one++;
	if (free_one == pendings + PENDING)
		abort();
	*free_one = (struct pending){
		.buffer = buffer,
		.offset = at + cupti_record_end(activity->kind),
		.stream = activity->stream,
	};
	buffer->pending++;
}

/* Room for a record in a buffer, all zero. */
static uint8_t *take(struct buffer *buffer, size_t size)
{
	uint8_t *record = buffer->bytes + buffer->used;

	for (size_t i = 0; i < size && zeroed; i++)
		must(record[i] == 0, "is not zeroed, as was promised");
	memset(record, 0, size);
	buffer->used += size;
	buffer->records++;
	return record;
}

/* Unknown records, from time to time, between the others. */
static void add_future(struct buffer *buffer)
{
	size_t size = cupti_record_size(FAKE_FUTURE_KIND);
	const uint32_t kind = FAKE_FUTURE_KIND;

	if (size == 0 || buffer->records % FUTURE_EVERY != 0 ||
		buffer->used + size > buffer->size)
		return;
	memcpy(take(buffer, size), &kind, sizeof(kind));
	tell("unknown");
}

/* Its length is unknown, and so is the position of the next one. */
static void add_broken(struct buffer *buffer)
{
	const uint64_t kind = FAKE_KIND_LIMIT - 2;

	if (!broken || buffer->used + sizeof(kind) > buffer->size)
		return;
	memcpy(take(buffer, sizeof(kind)), &kind, sizeof(kind));
	tell("unknown");
}

static void add(const struct fake_activity *activity)
{
	size_t size = cupti_record_size(activity->kind);
	struct buffer *buffer = find(size);
	size_t at = buffer->used;

	cupti_record_write(take(buffer, size), activity);
	if (activity->trouble == FAKE_UNFINISHED)
		wait_for_end(buffer, at, activity);
	add_future(buffer);
	if (room != 0 && buffer->records >= (uint32_t)room) {
		add_broken(buffer);
		buffer->full = true;
		(void)pthread_cond_signal(&changed);
	}
}

bool cupti_buffer_add(const struct fake_activity *activity)
{
	struct fake_activity told = *activity;
	bool recorded = false;

	if (told.kind == FAKE_CONCURRENT_KERNEL &&
		!cupti_wants(FAKE_CONCURRENT_KERNEL, 0))
		told.kind = FAKE_KERNEL;
	if (requested == NULL || !cupti_wants(told.kind, told.cbid))
		return false;
	/* A subscriber to graphs gets them in place of their nodes. */
	if (told.node != 0 && cupti_wants(FAKE_GRAPH_TRACE, 0))
		return false;
	(void)pthread_mutex_lock(&lock);
	if (dead) {
		recorded = false;
	} else if (drop != 0 && ++activities % (uint64_t)drop == 0) {
		dropped++;
		tell("dropped");
	} else {
		add(&told);
		recorded = true;
	}
	(void)pthread_mutex_unlock(&lock);
	return recorded;
}

void cupti_buffer_finish(uint32_t stream, int64_t now_ns)
{
	(void)pthread_mutex_lock(&lock);
	for (size_t i = 0; i < PENDING; i++) {
		struct pending *pending = &pendings[i];

		if (pending->buffer == NULL ||
			(stream != UINT32_MAX && pending->stream != stream))
			continue;
		memcpy(pending->buffer->bytes + pending->offset, &now_ns,
			sizeof(now_ns));
		pending->buffer->pending--;
		pending->buffer = NULL;
	}
	(void)pthread_cond_signal(&changed);
	(void)pthread_mutex_unlock(&lock);
}

/* The owner still uses it. */
static void give_back_foreign(void)
{
	uint8_t *bytes = mmap(NULL, FOREIGN_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint32_t kind = FAKE_MEMSET;

	if (bytes == MAP_FAILED)
		abort();
	memcpy(bytes, &kind, sizeof(kind));
	cupti_inside = CUPTI_IN_BUFFERS;
	completed(NULL, 0, bytes, FOREIGN_BYTES, cupti_record_size(kind));
	cupti_inside = CUPTI_OUTSIDE;
	/* Unmapped memory cannot be synchronised. */
	must(msync(bytes, FOREIGN_BYTES, MS_ASYNC) == 0, "is gone");
	(void)munmap(bytes, FOREIGN_BYTES);
}

static void flush(bool forced)
{
	struct buffer *buffer = buffers;

	if (foreign)
		give_back_foreign();
	foreign = false;
	/* A buffer was requested, and none was given. */
	if (forced)
		give_back(ask(0));
	while (buffer != NULL) {
		struct buffer *next = buffer->next;

		if (forced || buffer->pending == 0)
			give_back(buffer);
		buffer = next;
	}
}

void cupti_buffer_flush(bool forced)
{
	(void)pthread_mutex_lock(&lock);
	if (completed != NULL)
		flush(forced);
	(void)pthread_mutex_unlock(&lock);
}

/* Reading to a buffer's end means that it has been read. */
void cupti_buffer_read(const uint8_t *bytes)
{
	(void)pthread_mutex_lock(&lock);
	for (size_t i = 0; i < UNREAD; i++)
		if (unread[i] == bytes)
			unread[i] = NULL;
	(void)pthread_mutex_unlock(&lock);
}

static bool all_read(void)
{
	for (size_t i = 0; i < UNREAD; i++)
		if (unread[i] != NULL)
			return false;
	return true;
}

void cupti_buffer_settle(void)
{
	bool done = false;

	(void)pthread_mutex_lock(&lock);
	if (completed != NULL)
		flush(true);
	for (int i = 0; i < 10000 && !done; i++) {
		done = all_read();
		(void)pthread_mutex_unlock(&lock);
		(void)usleep(done ? 0 : 1000);
		(void)pthread_mutex_lock(&lock);
	}
	must(done, "was given back, and is not read");
	(void)pthread_mutex_unlock(&lock);
}

size_t cupti_buffer_dropped(void)
{
	size_t count;

	(void)pthread_mutex_lock(&lock);
	count = dropped;
	dropped = 0;
	(void)pthread_mutex_unlock(&lock);
	return count;
}

void cupti_buffer_stall(bool on)
{
	(void)pthread_mutex_lock(&lock);
	stalled = on;
	(void)pthread_cond_broadcast(&changed);
	(void)pthread_mutex_unlock(&lock);
}

void cupti_buffer_wait(void)
{
	/* Called for each record: so usually without a lock. */
	if (!atomic_load(&stalled))
		return;
	(void)pthread_mutex_lock(&lock);
	while (stalled)
		(void)pthread_cond_wait(&changed, &lock);
	(void)pthread_mutex_unlock(&lock);
}

void cupti_buffer_die(void)
{
	(void)pthread_mutex_lock(&lock);
	dead = true;
	(void)pthread_mutex_unlock(&lock);
}

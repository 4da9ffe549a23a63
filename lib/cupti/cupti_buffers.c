/* SPDX-License-Identifier: MIT */
#include "cupti/cupti_buffers.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cupti/cupti_load.h"

/* Source: NVIDIA advises 1 to 10 MB; a thread that uses CUDA keeps one. */
#define LARGE_BYTES ((size_t)4 << 20)
#define SMALL_BYTES ((size_t)1 << 20)
#define MANY_THREADS 16
#define DISCARD_BYTES ((size_t)64 << 10)
/* Discards out at a time: as much memory as the pool, if all is used. */
#define DISCARDS 4096
#define POOL_BYTES ((size_t)256 << 20)
#define POOL_COUNT (POOL_BYTES / SMALL_BYTES)

/* Number of full buffers that are read early. */
#define ENOUGH 8

#define NS_PER_S 1000000000

static struct {
	struct cupti_buffer buffers[POOL_COUNT];
	_Atomic uint32_t count; /* existing buffers */
	_Atomic uint64_t bytes; /* of these */
	/* Free list: number of the first, and above it a count of changes, to
	 * detect a buffer taken and returned meanwhile. */
	_Atomic uint64_t free;
	_Atomic uint32_t full; /* latest first */
	_Atomic uint32_t full_count;
	_Atomic uint32_t out;
	_Atomic uint32_t returned;
	_Atomic uint32_t threads;
	_Atomic uint64_t discarded;
	_Atomic uint32_t foreign; /* foreign buffers returned to us */
	_Atomic bool urgent;
	_Atomic bool first;
	_Atomic uint32_t wakes; /* a futex */
	void (*on_first)(void);
	int64_t due_ns; /* for the waiting thread; 0: nothing to read */
} pool;

/* Small buffers given to CUPTI when the pool is exhausted. The table
 * distinguishes ours from another tool's: buffers that it gave CUPTI before our
 * callbacks replaced its own are returned to us. */
static uint8_t *_Atomic discards[DISCARDS];

/* Used if there is no memory at all: several threads may get it, and only the
 * number of its records is used. */
static uint8_t last_resort[DISCARD_BYTES] __attribute__((aligned(64)));

static _Thread_local bool has_asked __attribute__((tls_model("initial-exec")));

static struct cupti_buffer *buffer_of(uint32_t number)
{
	return number == 0 ? NULL : &pool.buffers[number - 1];
}

static uint32_t number_of(const struct cupti_buffer *buffer)
{
	return (uint32_t)(buffer - pool.buffers) + 1;
}

static void push_free(struct cupti_buffer *buffer)
{
	uint64_t first = atomic_load(&pool.free);

	do
		atomic_store(&buffer->next, (uint32_t)first);
	while (!atomic_compare_exchange_weak(&pool.free, &first,
		((first >> 32) + 1) << 32 | number_of(buffer)));
}

static struct cupti_buffer *pop_free(void)
{
	uint64_t first = atomic_load(&pool.free);
	struct cupti_buffer *buffer;

	do {
		buffer = buffer_of((uint32_t)first);
		if (buffer == NULL)
			return NULL;
	} while (!atomic_compare_exchange_weak(&pool.free, &first,
		((first >> 32) + 1) << 32 | atomic_load(&buffer->next)));
	return buffer;
}

static void *map(size_t size)
{
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return bytes == MAP_FAILED ? NULL : bytes;
}

/* Makes a new buffer; NULL if there are enough, or out of memory. */
static struct cupti_buffer *new_buffer(void)
{
	const size_t size = atomic_load(&pool.threads) > MANY_THREADS
				    ? SMALL_BYTES
				    : LARGE_BYTES;
	struct cupti_buffer *buffer = NULL;
	void *bytes = NULL;
	uint32_t number;

	if (atomic_fetch_add(&pool.bytes, size) + size <= POOL_BYTES)
		bytes = map(size);
	if (bytes == NULL) {
		atomic_fetch_sub(&pool.bytes, size);
		return NULL;
	}
	/* The number fits: no buffer is smaller than assumed for the table. */
	number = atomic_fetch_add(&pool.count, 1);
	buffer = &pool.buffers[number];
	buffer->size = size;
	atomic_store(&buffer->bytes, bytes);
	return buffer;
}

static void wake(void)
{
	atomic_fetch_add(&pool.wakes, 1);
	(void)syscall(
		SYS_futex, &pool.wakes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void cupti_buffers_wake(void)
{
	atomic_store(&pool.urgent, true);
	wake();
}

/* Its records will be counted and discarded. */
static uint8_t *new_discard(void)
{
	uint8_t *bytes = map(DISCARD_BYTES);

	for (size_t i = 0; bytes != NULL && i < DISCARDS; i++) {
		uint8_t *none = NULL;

		if (atomic_compare_exchange_strong(&discards[i], &none, bytes))
			return bytes;
	}
	if (bytes != NULL)
		(void)munmap(bytes, DISCARD_BYTES);
	return last_resort;
}

void cupti_buffers_on_first(void (*function)(void))
{
	pool.on_first = function;
}

void cupti_buffers_request(uint8_t **bytes, size_t *size, size_t *records)
{
	struct cupti_buffer *buffer;

	if (!has_asked) {
		has_asked = true;
		if (atomic_fetch_add(&pool.threads, 1) == 0)
			pool.on_first();
	}
	buffer = pop_free();
	if (buffer == NULL)
		buffer = new_buffer();
	*records = 0; /* as many as fit */
	if (buffer == NULL) {
		/* Never NULL: CUPTI before 12.9 would crash. */
		*bytes = new_discard();
		*size = DISCARD_BYTES;
		return;
	}
	*bytes = atomic_load(&buffer->bytes);
	*size = buffer->size;
	if (atomic_fetch_add(&pool.out, 1) == 0) {
		atomic_store(&pool.first, true);
		wake();
	}
}

static struct cupti_buffer *find(const uint8_t *bytes)
{
	uint32_t count = atomic_load(&pool.count);

	for (uint32_t i = 0; i < count; i++)
		if (atomic_load(&pool.buffers[i].bytes) == bytes)
			return &pool.buffers[i];
	return NULL;
}

static uint64_t count_records(const uint8_t *bytes, size_t valid)
{
	uint64_t count = 0;
	size_t size;

	for (size_t at = 0; at < valid; at += size) {
		size = cupti_load_size(bytes + at, valid - at);
		count++;
		if (size == 0)
			break;
	}
	return count;
}

/* Handles a buffer that is not from the pool. */
static void discard(uint8_t *bytes, size_t valid)
{
	size_t i = 0;

	while (i < DISCARDS && atomic_load(&discards[i]) != bytes)
		i++;
	if (i == DISCARDS && bytes != last_resort) {
		atomic_fetch_add(&pool.foreign, 1);
		return;
	}
	atomic_fetch_add(&pool.discarded, count_records(bytes, valid));
	if (i == DISCARDS)
		return;
	atomic_store(&discards[i], NULL);
	(void)munmap(bytes, DISCARD_BYTES);
}

void cupti_buffers_complete(void *context, uint32_t stream, uint8_t *bytes,
	size_t size, size_t valid)
{
	struct cupti_buffer *buffer = find(bytes);
	uint32_t first;

	(void)size;
	if (buffer == NULL) {
		discard(bytes, valid);
		return;
	}
	buffer->valid = valid > buffer->size ? buffer->size : valid;
	buffer->context = context;
	buffer->stream = stream;
	first = atomic_load(&pool.full);
	do
		atomic_store(&buffer->next, first);
	while (!atomic_compare_exchange_weak(
		&pool.full, &first, number_of(buffer)));
	atomic_fetch_add(&pool.returned, 1);
	atomic_fetch_sub(&pool.out, 1);
	if (atomic_fetch_add(&pool.full_count, 1) + 1 >= ENOUGH)
		cupti_buffers_wake();
}

uint32_t cupti_buffers_out(void)
{
	return atomic_load(&pool.out);
}

uint32_t cupti_buffers_returned(void)
{
	return atomic_load(&pool.returned);
}

struct cupti_buffer *cupti_buffers_collect(void)
{
	struct cupti_buffer *buffer = buffer_of(atomic_exchange(&pool.full, 0));
	struct cupti_buffer *next;
	uint32_t before = 0;
	uint32_t count = 0;

	for (; buffer != NULL; buffer = next) {
		next = cupti_buffers_next(buffer);
		atomic_store(&buffer->next, before);
		before = number_of(buffer);
		count++;
	}
	atomic_fetch_sub(&pool.full_count, count);
	return buffer_of(before);
}

struct cupti_buffer *cupti_buffers_next(const struct cupti_buffer *buffer)
{
	return buffer_of(atomic_load(&buffer->next));
}

void cupti_buffers_release(struct cupti_buffer *buffer)
{
	memset(atomic_load(&buffer->bytes), 0, buffer->valid);
	push_free(buffer);
}

uint32_t cupti_buffers_foreign(void)
{
	return atomic_load(&pool.foreign);
}

uint64_t cupti_buffers_discarded(void)
{
	return atomic_exchange(&pool.discarded, 0);
}

static int64_t now_ns(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

/* Whether there is anything that should be read soon. */
static bool is_pending(void)
{
	return cupti_buffers_out() != 0 || atomic_load(&pool.full) != 0;
}

/* Time until the contents are due, at most `ns`; 0: now. */
static int64_t left_ns(int64_t ns)
{
	const int64_t now = now_ns();

	if (!is_pending())
		pool.due_ns = 0;
	else if (pool.due_ns == 0)
		pool.due_ns = now + ns;
	if (pool.due_ns == 0)
		return ns;
	return pool.due_ns > now ? pool.due_ns - now : 0;
}

enum cupti_buffers_why cupti_buffers_wait(int64_t ns)
{
	for (;;) {
		const uint32_t wakes = atomic_load(&pool.wakes);
		const int64_t left = left_ns(ns);

		if (atomic_exchange(&pool.urgent, false) || left == 0) {
			pool.due_ns = 0;
			return CUPTI_BUFFERS_DUE;
		}
		if (atomic_exchange(&pool.first, false))
			return CUPTI_BUFFERS_FIRST;
		(void)syscall(SYS_futex, &pool.wakes, FUTEX_WAIT_PRIVATE, wakes,
			pool.due_ns == 0 ? NULL
					 : &(struct timespec){left / NS_PER_S,
						   left % NS_PER_S},
			NULL, 0);
	}
}

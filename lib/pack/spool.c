/* SPDX-License-Identifier: MIT */
/*
 * Addresses for the maximum number of chunks, should all be small, are reserved at
 * opening, fewer if the process has a limit. Space in
 * the file is allocated before mapping, since a page of a sparse file on a full
 * disk would kill the program with SIGBUS.
 */
#include "pack/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pack/process.h"

/* The header occupies the place of a chunk, so that chunks are aligned. */
_Static_assert(sizeof(struct spool_header) <= CHUNK_BYTES, "header too big");

#define NAMES_TRIED 100

/* Fewer cannot record: names, two threads, and one to pack. */
#define CHUNKS_LEAST 4

/* Without a limit of addresses, chunks of a page for this number of threads. */
#define INDEX_LEAST (UINT32_C(1) << 16)

/* A full file system is asked again after this number of attempts. */
#define REFUSALS 1024

static size_t bytes_of(uint32_t chunks)
{
	return ((size_t)chunks + 1) * CHUNK_BYTES;
}

/* Wakes one waiter: a chunk is for one thread, and waking a thousand costs more
 * than packing it. All waits have a limit. */
static void futex_wake(_Atomic uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t max_ns)
{
	struct timespec limit = {max_ns / 1000000000, max_ns % 1000000000};

	(void)syscall(
		SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, &limit, NULL, 0);
}

/* Whether the file may have this size. Beyond the process's limit it would
 * raise SIGXFSZ in the program's thread. */
static bool may_have(const struct spool *spool, size_t bytes)
{
	struct rlimit limit;

	return file_id_is(&spool->id, spool->fd) &&
	       getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

/* Gives [from, to) of the file space; extends it to `to`. */
static bool allocate(int fd, size_t from, size_t to)
{
	int error;

	do
		error = posix_fallocate(fd, (off_t)from, (off_t)(to - from));
	while (error == EINTR);
	return error == 0;
}

static bool allocate_if(const struct spool *spool, size_t from, size_t to)
{
	return may_have(spool, to) && allocate(spool->fd, from, to);
}

/* The same for the beginnings of chunks, from the chunk `first` on; returns
 * their number. */
static uint32_t allocate_small(const struct spool *spool, uint32_t first,
	uint32_t chunks, uint32_t pages)
{
	uint32_t done = 0;

	/* Readers expect all of a chunk. */
	if (!may_have(spool, bytes_of(first + chunks)) ||
		ftruncate(spool->fd, (off_t)bytes_of(first + chunks)) != 0)
		return 0;
	while (done < chunks &&
		allocate(spool->fd, bytes_of(first + done),
			bytes_of(first + done) + pages * SPOOL_PAGE_BYTES))
		done++;
	return done;
}

/* Maps [from, to) of the addresses to the file, or to plain memory. */
static bool map(const struct spool *spool, size_t from, size_t to)
{
	int fd = spool->fd;
	int flags = MAP_FIXED |
		    (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
	void *address;

	address = mmap(spool->addresses.start + from, to - from,
		PROT_READ | PROT_WRITE, flags, fd, fd >= 0 ? (off_t)from : 0);
	return address != MAP_FAILED;
}

/* Replaces the mapping by memory that costs nothing until it is touched. */
static void unmap(const struct spool *spool)
{
	(void)mmap(spool->addresses.start,
		bytes_of(atomic_load(&spool->own.chunk_count)),
		PROT_READ | PROT_WRITE,
		MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Locks the file until the process ends or calls exec; without locks in the
 * file system nobody else can lock it either. False if another process took it
 * for an abandoned one just before. */
static bool lock_file(int fd)
{
	struct stat file;

	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return false;
	return fstat(fd, &file) != 0 || file.st_nlink != 0;
}

/* Whether the file belongs to this user and was written since `since_ns`. */
static bool is_since(int directory, const char *name, int64_t since_ns)
{
	struct stat found;

	return fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
	       (int64_t)found.st_mtim.tv_sec * 1000000000 +
			       found.st_mtim.tv_nsec >=
		       since_ns;
}

bool spool_was_left(const char *directory)
{
	int64_t since_ns = process_started_ns();
	const struct dirent *entry;
	DIR *entries = opendir(directory);
	bool found = false;
	char ours[64];

	if (entries == NULL)
		return false;
	(void)snprintf(ours, sizeof(ours), "ctprof.%u.%ld.",
		(unsigned)geteuid(), (long)getpid());
	while (!found && (entry = readdir(entries)) != NULL)
		found = strncmp(entry->d_name, ours, strlen(ours)) == 0 &&
			is_since(dirfd(entries), entry->d_name, since_ns);
	(void)closedir(entries);
	return found;
}

/* Beyond, another process that does not record adds nothing new. */
#define REASONS_MOST 64

static bool has_many(const char *directory)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	char ours[32];
	int count = 0;

	if (entries == NULL)
		return true;
	(void)snprintf(ours, sizeof(ours), "ctprof.%u.", (unsigned)geteuid());
	while ((entry = readdir(entries)) != NULL)
		count += strncmp(entry->d_name, ours, strlen(ours)) == 0;
	(void)closedir(entries);
	return count >= REASONS_MOST;
}

/* If the system has no random numbers yet, different names suffice. */
static uint64_t chance(void)
{
	struct timespec now = {0};
	uint64_t word;

	if (getrandom(&word, sizeof(word), GRND_NONBLOCK) == sizeof(word))
		return word;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec << 32 ^ (uint64_t)(uintptr_t)&now;
}

static int make_file(struct spool *spool, const char *directory)
{
	static unsigned made;
	unsigned number = made++;

	for (int i = 0; i < NAMES_TRIED; i++) {
		int used = snprintf(spool->path, SPOOL_PATH_BYTES,
			"%s/" SPOOL_NAME, directory, (unsigned)geteuid(),
			(long)getpid(), number, chance());
		int fd;

		if (used < 0 || used >= SPOOL_PATH_BYTES)
			break;
		fd = open(spool->path,
			O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			0600);
		if (fd >= 0 && lock_file(fd))
			return fd;
		if (fd >= 0)
			(void)close(fd);
		else if (errno != EEXIST)
			break;
	}
	spool->path[0] = '\0';
	return -1;
}

static void drop_file(struct spool *spool, bool keep)
{
	if (spool->fd >= 0) {
		if (!keep)
			(void)unlink(spool->path);
		file_id_close(&spool->id, spool->fd);
	}
	spool->fd = -1;
	spool->path[0] = '\0';
}

static bool put(int fd, const void *from, size_t size, size_t at)
{
	return pwrite(fd, from, size, (off_t)at) == (ssize_t)size;
}

void spool_leave_reason(
	const char *directory, int64_t realtime_ns, const char *reason)
{
	static struct spool spool;
	uint32_t version = SPOOL_VERSION;
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
		limit.rlim_cur < sizeof(struct spool_header) ||
		has_many(directory))
		return;
	spool.fd = make_file(&spool, directory);
	if (spool.fd < 0)
		return;
	spool.id = file_id_of(spool.fd);
	/* Only what is not zero: the rest of the header is a hole. */
	drop_file(&spool,
		put(spool.fd, reason, strlen(reason) + 1,
			offsetof(struct spool_header, error)) &&
			put(spool.fd, &realtime_ns, sizeof(realtime_ns),
				offsetof(struct spool_header,
					start.realtime_ns)) &&
			put(spool.fd, &version, sizeof(version),
				offsetof(struct spool_header, version)) &&
			put(spool.fd, SPOOL_MAGIC, sizeof(spool.own.magic), 0));
}

/* Two suffice, unless threads stop recording permanently at different times. A
 * forgotten region stays reserved. */
#define RANGES_MAX 64

static struct {
	struct spool_addresses ranges[RANGES_MAX];
	size_t count; /* ever reserved */
} reserved;

/*
 * Reserves `size` bytes of addresses, or reuses reserved ones. They are never
 * released: a thread that was interrupted between finding room and storing its
 * record must find memory there, even if recording has stopped meanwhile. They
 * are reused only when no thread can be about to store there, since its record
 * would be in the wrong recording. One thread at a time.
 */
static bool reserve_addresses(
	struct spool_addresses *addresses, size_t bytes, spool_in_use *in_use)
{
	void *address;

	for (size_t i = 0; i < RANGES_MAX && i < reserved.count; i++)
		if (reserved.ranges[i].bytes >= bytes &&
			(in_use == NULL || !in_use(reserved.ranges[i].start,
						   reserved.ranges[i].bytes))) {
			*addresses = reserved.ranges[i];
			return true;
		}
	address = mmap(NULL, bytes, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (address == MAP_FAILED)
		return false;
	*addresses = (struct spool_addresses){address, bytes};
	reserved.ranges[reserved.count++ % RANGES_MAX] = *addresses;
	return true;
}

/* Reserves the addresses of all chunks, and the slots behind them. */
static bool make_slots(struct spool *spool, spool_in_use *in_use)
{
	size_t chunks = bytes_of(spool->index_max);
	size_t slots = spool->index_max * sizeof(struct spool_slot);
	void *address;

	if (!reserve_addresses(&spool->addresses, chunks + slots, in_use))
		return false;
	address = mmap(spool->addresses.start + chunks, slots,
		PROT_READ | PROT_WRITE,
		MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (address == MAP_FAILED)
		return false;
	spool->slots = address;
	return true;
}

/* The whole chunks that take no more than a quarter of the addresses that a limit
 * leaves to the program. */
static uint32_t affordable_chunks(uint32_t wanted)
{
	uint64_t most = process_addresses_left() / 4 / CHUNK_BYTES;

	if (most < CHUNKS_LEAST)
		most = CHUNKS_LEAST;
	return most < wanted ? (uint32_t)most : wanted;
}

/* The number of chunks that are worth their addresses: all of the memory as
 * pages. With a limit of addresses, which are the program's, none is small. */
static uint32_t wanted_indices(uint32_t chunk_max)
{
	uint64_t small = (uint64_t)chunk_max * SPOOL_CHUNK_PAGES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 &&
		limit.rlim_cur != RLIM_INFINITY)
		return chunk_max;
	if (small < INDEX_LEAST)
		return INDEX_LEAST;
	return small < UINT32_MAX / 2 ? (uint32_t)small : UINT32_MAX / 2;
}

void spool_describe_process(struct spool_facts *facts, bool no_command)
{
	size_t used = no_command ? process_program(facts->command,
					   sizeof(facts->command))
				 : process_command(facts->command,
					   sizeof(facts->command));

	facts->pid = (uint32_t)getpid();
	process_boot_id(facts->boot_id, sizeof(facts->boot_id));
	(void)gethostname(facts->host, sizeof(facts->host) - 1);
	facts->command_bytes = (uint32_t)used;
}

void spool_publish(struct spool *spool)
{
	memcpy(spool->header, &spool->own, sizeof(spool->own));
}

/* Adds new chunks to the unused ones, the first one on top. */
static void add_free(
	struct spool *spool, uint32_t first, uint32_t chunks, uint32_t pages)
{
	for (uint32_t i = first + chunks; i-- > first;) {
		spool->slots[i].pages = pages;
		spool_push_free(spool, spool_chunk(spool, i));
	}
}

enum ctp_status spool_open(struct spool *spool, const char *directory,
	uint32_t chunks, uint32_t chunk_max, spool_in_use *in_use,
	struct ctp_error *err)
{
	chunk_max = affordable_chunks(chunk_max);
	if (chunks > chunk_max)
		chunks = chunk_max;
	*spool = (struct spool){.fd = -1,
		.chunk_max = chunk_max,
		.growing = PTHREAD_MUTEX_INITIALIZER};
	spool->index_max = wanted_indices(chunk_max);
	if (!make_slots(spool, in_use))
		return ctp_fail(err, CTP_ERR_NOMEM,
			"no address space for %u chunks", chunk_max);
	spool->fd = make_file(spool, directory);
	spool->id = file_id_of(spool->fd);
	if (spool->fd >= 0 && !(allocate_if(spool, 0, bytes_of(chunks)) &&
				      map(spool, 0, bytes_of(chunks))))
		drop_file(spool, false);
	if (spool->fd < 0 && !map(spool, 0, bytes_of(chunks)))
		return ctp_fail(
			err, CTP_ERR_NOMEM, "no memory for %u chunks", chunks);
	spool->header = (struct spool_header *)(void *)spool->addresses.start;
	memcpy(spool->own.magic, SPOOL_MAGIC, sizeof(spool->own.magic));
	spool->own.version = SPOOL_VERSION;
	atomic_store(&spool->own.chunk_count, chunks);
	spool_publish(spool);
	atomic_store(&spool->pages, chunks * SPOOL_CHUNK_PAGES);
	add_free(spool, 0, chunks, SPOOL_CHUNK_PAGES);
	return CTP_OK;
}

void spool_close(struct spool *spool, bool keep)
{
	if (spool->header == NULL)
		return;
	unmap(spool);
	drop_file(spool, keep);
	spool->header = NULL;
}

void spool_leave(struct spool *spool)
{
	if (spool->header == NULL)
		return;
	unmap(spool);
	if (spool->fd >= 0)
		file_id_close(&spool->id, spool->fd);
	spool->fd = -1;
}

/* Counts pages as in use; false beyond the maximum. */
static bool take_pages(struct spool *spool, uint32_t pages, uint32_t page_max)
{
	uint32_t used = atomic_load(&spool->pages);

	do {
		if (used > page_max || pages > page_max - used)
			return false;
	} while (!atomic_compare_exchange_weak(
		&spool->pages, &used, used + pages));
	return true;
}

/* The chunks that may be added, at most as many as asked for. */
static uint32_t chunks_left(const struct spool *spool, uint32_t chunks,
	uint32_t pages, uint32_t page_max)
{
	uint32_t used = atomic_load(&spool->pages);
	uint32_t left = used < page_max ? (page_max - used) / pages : 0;
	uint32_t indices =
		spool->index_max - atomic_load(&spool->own.chunk_count);

	if (left > indices)
		left = indices;
	return chunks < left ? chunks : left;
}

static bool grow(struct spool *spool, uint32_t chunks, uint32_t pages)
{
	uint32_t count = atomic_load(&spool->own.chunk_count);
	uint32_t wanted = chunks;

	if (spool->fd >= 0 && pages < SPOOL_CHUNK_PAGES)
		chunks = allocate_small(spool, count, chunks, pages);
	else if (spool->fd >= 0 &&
		 !allocate_if(spool, bytes_of(count), bytes_of(count + chunks)))
		chunks = 0;
	if (chunks != 0 &&
		!map(spool, bytes_of(count), bytes_of(count + chunks)))
		chunks = 0;
	atomic_fetch_sub(&spool->pages, (wanted - chunks) * pages);
	if (chunks == 0)
		return false;
	atomic_store(&spool->own.chunk_count, count + chunks);
	atomic_store(&spool->header->chunk_count, count + chunks);
	add_free(spool, count, chunks, pages);
	return true;
}

/* Whether the last attempts found no space, so that another one, which takes
 * longer than all else, is not worth it. */
static bool is_refused(struct spool *spool)
{
	uint32_t refused = atomic_load(&spool->refused);

	if (refused == 0)
		return false;
	atomic_store(&spool->refused, (refused + 1) % REFUSALS);
	return true;
}

/* With `only_if_empty`, not if there are unused chunks by now. */
static bool grow_locked(struct spool *spool, uint32_t chunks, uint32_t pages,
	uint32_t page_max, bool only_if_empty)
{
	bool grew = true;

	if (chunks_left(spool, chunks, pages, page_max) == 0)
		return false;
	(void)pthread_mutex_lock(&spool->growing);
	if (!only_if_empty || (uint32_t)atomic_load(&spool->free_head) == 0) {
		chunks = chunks_left(spool, chunks, pages, page_max);
		/* Others may have taken the pages meanwhile. */
		grew = chunks != 0 &&
		       take_pages(spool, chunks * pages, page_max);
		if (grew && !grow(spool, chunks, pages)) {
			atomic_store(&spool->refused, 1);
			grew = false;
		}
	}
	(void)pthread_mutex_unlock(&spool->growing);
	return grew;
}

bool spool_grow(struct spool *spool, uint32_t chunks)
{
	return grow_locked(spool, chunks, SPOOL_CHUNK_PAGES,
		spool->chunk_max * SPOOL_CHUNK_PAGES, false);
}

bool spool_grow_small(
	struct spool *spool, uint32_t chunks, uint32_t pages, uint32_t page_max)
{
	return !is_refused(spool) &&
	       grow_locked(spool, chunks, pages, page_max, true);
}

struct chunk *spool_chunk(const struct spool *spool, uint32_t index)
{
	return (struct chunk *)(void *)(spool->addresses.start +
					bytes_of(index));
}

uint32_t spool_index(const struct spool *spool, const struct chunk *chunk)
{
	size_t offset =
		(size_t)((const uint8_t *)chunk - spool->addresses.start);

	return (uint32_t)(offset / CHUNK_BYTES) - 1;
}

static struct spool_slot *slot_of(
	const struct spool *spool, const struct chunk *chunk)
{
	return &spool->slots[spool_index(spool, chunk)];
}

uint32_t spool_used(const struct spool *spool, const struct chunk *chunk)
{
	return slot_of(spool, chunk)->used;
}

uint32_t spool_consumed(const struct spool *spool, const struct chunk *chunk)
{
	return slot_of(spool, chunk)->consumed;
}

uint32_t spool_room(const struct spool *spool, const struct chunk *chunk)
{
	uint32_t pages = slot_of(spool, chunk)->pages;

	return pages >= SPOOL_CHUNK_PAGES
		       ? (uint32_t)CHUNK_WORDS
		       : (uint32_t)((pages * SPOOL_PAGE_BYTES -
					    offsetof(struct chunk, words)) /
					    sizeof(chunk->words[0]) -
				    1);
}

uint32_t spool_chunk_pages(const struct spool *spool, const struct chunk *chunk)
{
	return slot_of(spool, chunk)->pages;
}

uint32_t spool_pages(size_t words)
{
	size_t bytes = offsetof(struct chunk, words) + (words + 1) * 8;

	return bytes > CHUNK_BYTES ? SPOOL_CHUNK_PAGES
				   : (uint32_t)((bytes + SPOOL_PAGE_BYTES - 1) /
						SPOOL_PAGE_BYTES);
}

bool spool_extend(struct spool *spool, struct chunk *chunk, uint32_t pages,
	uint32_t page_max)
{
	struct spool_slot *slot = slot_of(spool, chunk);
	size_t start = bytes_of(spool_index(spool, chunk));

	if (pages <= slot->pages)
		return true;
	if (is_refused(spool) ||
		!take_pages(spool, pages - slot->pages, page_max))
		return false;
	if (spool->fd >= 0 &&
		!allocate_if(spool, start + slot->pages * SPOOL_PAGE_BYTES,
			start + pages * SPOOL_PAGE_BYTES)) {
		atomic_fetch_sub(&spool->pages, pages - slot->pages);
		return false;
	}
	slot->pages = pages;
	return true;
}

void spool_trim(struct spool *spool, struct chunk *chunk, uint32_t pages)
{
	struct spool_slot *slot = slot_of(spool, chunk);
	size_t keep = pages * SPOOL_PAGE_BYTES;
	size_t start = bytes_of(spool_index(spool, chunk));
	size_t rest = slot->pages * SPOOL_PAGE_BYTES - keep;
	int failed;

	if (pages >= slot->pages)
		return;
	if (spool->fd < 0)
		failed = madvise((uint8_t *)chunk + keep, rest, MADV_DONTNEED);
	else
		failed = file_id_is(&spool->id, spool->fd)
				 ? fallocate(spool->fd,
					   FALLOC_FL_PUNCH_HOLE |
						   FALLOC_FL_KEEP_SIZE,
					   (off_t)(start + keep), (off_t)rest)
				 : -1;
	if (failed != 0)
		return; /* a file system without holes */
	atomic_fetch_sub(&spool->pages, slot->pages - pages);
	slot->pages = pages;
}

void spool_label(struct spool *spool, struct chunk *chunk, uint32_t track,
	uint64_t seq, uint64_t base)
{
	struct spool_slot *slot = slot_of(spool, chunk);

	slot->track = track;
	slot->seq = seq;
	slot->base = base;
	chunk->track = track;
	chunk->seq = seq;
	chunk->base = base;
}

void spool_restore_label(const struct spool *spool, struct chunk *chunk)
{
	const struct spool_slot *slot = slot_of(spool, chunk);

	/* Its thread reads it: store only if necessary. */
	if (chunk->track != slot->track)
		chunk->track = slot->track;
	if (chunk->seq != slot->seq)
		chunk->seq = slot->seq;
	if (chunk->base != slot->base)
		chunk->base = slot->base;
}

void spool_set_losses(struct spool *spool, struct chunk *chunk,
	const struct chunk_losses *losses)
{
	struct chunk_losses *kept = &slot_of(spool, chunk)->losses;

#define NOTE(name) \
	__atomic_store_n(&kept->name, losses->name, __ATOMIC_RELAXED); \
	__atomic_store_n(&chunk->name, (uint32_t)losses->name, __ATOMIC_RELAXED)
	NOTE(dropped_ranges);
	NOTE(dropped_events);
	NOTE(cut_text);
	NOTE(unwound_ranges);
	NOTE(stray_exits);
#undef NOTE
}

struct chunk_losses spool_losses(
	const struct spool *spool, const struct chunk *chunk)
{
	const struct chunk_losses *kept = &slot_of(spool, chunk)->losses;

	return (struct chunk_losses){
		__atomic_load_n(&kept->dropped_ranges, __ATOMIC_RELAXED),
		__atomic_load_n(&kept->dropped_events, __ATOMIC_RELAXED),
		__atomic_load_n(&kept->cut_text, __ATOMIC_RELAXED),
		__atomic_load_n(&kept->unwound_ranges, __ATOMIC_RELAXED),
		__atomic_load_n(&kept->stray_exits, __ATOMIC_RELAXED)};
}

struct chunk *spool_pop_free(struct spool *spool)
{
	uint64_t head = atomic_load(&spool->free_head);
	struct spool_slot *slot;
	uint64_t next;

	do {
		if ((uint32_t)head == 0)
			return NULL;
		slot = &spool->slots[(uint32_t)head - 1];
		next = ((head >> 32) + 1) << 32 | atomic_load(&slot->link);
	} while (!atomic_compare_exchange_weak(&spool->free_head, &head, next));
	atomic_store_explicit(&slot->link, 0, memory_order_relaxed);
	return spool_chunk(spool, (uint32_t)head - 1);
}

void spool_push_free(struct spool *spool, struct chunk *chunk)
{
	struct spool_slot *slot = slot_of(spool, chunk);
	uint32_t link = spool_index(spool, chunk) + 1;
	uint64_t head = atomic_load(&spool->free_head);
	size_t used = slot->consumed > slot->used ? slot->consumed : slot->used;

	size_t most = slot->pages * (SPOOL_PAGE_BYTES / sizeof(uint64_t)) -
		      offsetof(struct chunk, words) / sizeof(uint64_t);

	/* Chunks of quiet threads are mostly empty: do not touch the rest. A
	 * chunk that was trimmed before has lost it. */
	if (used > most)
		used = most;
	while (used < most && chunk->words[used] != 0)
		used++;
	memset(chunk->words, 0, used * sizeof(chunk->words[0]));
	/* The order matters: if the process is killed midway, no record that is
	 * in the log already may appear to be new. */
	__atomic_store_n(&chunk->consumed, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&chunk->seq, 0, __ATOMIC_RELEASE);
	slot->consumed = 0;
	slot->used = 0;
	do
		atomic_store(&slot->link, (uint32_t)head);
	while (!atomic_compare_exchange_weak(&spool->free_head, &head,
		(head & ~(uint64_t)UINT32_MAX) | link));
	if (atomic_load(&spool->waiting) != 0) {
		atomic_fetch_add(&spool->free_event, 1);
		futex_wake(&spool->free_event);
	}
}

void spool_push_full(struct spool *spool, struct chunk *chunk, uint32_t used)
{
	struct spool_slot *slot = slot_of(spool, chunk);
	uint32_t head = atomic_load(&spool->full_head);

	uint32_t count;

	slot->used = used;
	count = atomic_fetch_add(&spool->full_count, slot->pages);
	do
		atomic_store(&slot->link, head);
	while (!atomic_compare_exchange_weak(
		&spool->full_head, &head, spool_index(spool, chunk) + 1));
	/* Small ones together: waking costs more than filling one. */
	if (slot->pages == SPOOL_CHUNK_PAGES
			? head == 0
			: count / SPOOL_CHUNK_PAGES !=
				  (count + slot->pages) / SPOOL_CHUNK_PAGES)
		spool_wake(spool);
}

struct chunk *spool_pop_full(struct spool *spool)
{
	uint32_t newest;
	uint32_t oldest = 0;

	/* Reset the count first: a chunk pushed between the two lines is taken
	 * now, and wakes us once too early, not too late. */
	atomic_store(&spool->full_count, 0);
	newest = atomic_exchange(&spool->full_head, 0);
	while (newest != 0) {
		struct spool_slot *slot = &spool->slots[newest - 1];
		uint32_t next = atomic_load(&slot->link);

		atomic_store(&slot->link, oldest);
		oldest = newest;
		newest = next;
	}
	return oldest == 0 ? NULL : spool_chunk(spool, oldest - 1);
}

struct chunk *spool_next(const struct spool *spool, const struct chunk *chunk)
{
	uint32_t link = atomic_load(&slot_of(spool, chunk)->link);

	return link == 0 ? NULL : spool_chunk(spool, link - 1);
}

void spool_link(struct spool *spool, const struct chunk *chunk, uint32_t used,
	const struct chunk *next)
{
	struct spool_slot *slot = slot_of(spool, chunk);

	slot->used = used;
	atomic_store(&slot->link, spool_index(spool, next) + 1);
}

void spool_hide(struct spool *spool, struct chunk *chunk)
{
	__atomic_store_n(&chunk->words[0], 0, __ATOMIC_RELEASE);
	__atomic_store_n(&chunk->consumed, 0, __ATOMIC_RELEASE);
	slot_of(spool, chunk)->consumed = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void spool_rewrite(struct spool *spool, struct chunk *chunk,
	const struct chunk *from, uint32_t used)
{
	struct spool_slot *slot = slot_of(spool, chunk);

	/* If the process is killed midway, the chunk must appear to be empty. */
	spool_hide(spool, chunk);
	slot->used = used;
	slot->base = from->base;
	chunk->base = from->base;
	memcpy(chunk->words + 1, from->words + 1,
		(used - 1) * sizeof(chunk->words[0]));
	if (used < CHUNK_WORDS)
		chunk->words[used] = 0; /* readers stop here */
	__atomic_store_n(&chunk->words[0], from->words[0], __ATOMIC_RELEASE);
}

void spool_clear_rest(const struct spool *spool, struct chunk *chunk)
{
	uint32_t used = spool_used(spool, chunk);

	memset(chunk->words + used, 0,
		(CHUNK_WORDS - used) * sizeof(chunk->words[0]));
}

const struct chunk *spool_find_full(
	const struct spool *spool, uint32_t track, uint64_t *seq)
{
	uint32_t index = atomic_load(&spool->full_head);
	const struct chunk *found = NULL;
	uint64_t least = UINT64_MAX; /* smallest found */

	while (index != 0) {
		const struct chunk *chunk = spool_chunk(spool, index - 1);
		const uint64_t its =
			__atomic_load_n(&chunk->seq, __ATOMIC_RELAXED);

		if (chunk->track == track && its >= *seq && its < least) {
			found = chunk;
			least = its;
		}
		index = atomic_load(&spool->slots[index - 1].link);
	}
	*seq = least;
	return found;
}

void spool_add_left(const struct chunk *chunk, struct spool_left *left)
{
	uint32_t at = chunk->consumed;
	uint32_t words;

	for (; (words = chunk_record_words(chunk, at)) != 0; at += words) {
		uint64_t word =
			__atomic_load_n(&chunk->words[at], __ATOMIC_RELAXED);
		uint32_t site = chunk_site(chunk, word);
		enum chunk_long kind = chunk_head(chunk, word).kind;
		bool is_long = site == CHUNK_ID_LONG;
		bool begins =
			is_long ? kind == CHUNK_BEGIN || kind == CHUNK_BEGIN_AT
				: site != 0;

		left->records++;
		left->ranges += begins;
		left->others += is_long && !begins && kind != CHUNK_END_AT;
	}
}

struct spool_left spool_left(const struct spool *spool)
{
	uint32_t count = atomic_load(&spool->own.chunk_count);
	struct spool_left left = {0};

	for (uint32_t i = 0; i < count; i++) {
		const struct chunk *chunk = spool_chunk(spool, i);

		if (chunk->track != 0)
			spool_add_left(chunk, &left);
	}
	return left;
}

void spool_wait_full(struct spool *spool, uint32_t seen, int64_t max_ns)
{
	futex_wait(&spool->full_event, seen, max_ns);
}

void spool_wake(struct spool *spool)
{
	atomic_fetch_add(&spool->full_event, 1);
	futex_wake(&spool->full_event);
}

void spool_wait_free(struct spool *spool, int64_t max_ns)
{
	uint32_t seen = atomic_load(&spool->free_event);

	atomic_fetch_add(&spool->waiting, 1);
	if ((uint32_t)atomic_load(&spool->free_head) == 0)
		futex_wait(&spool->free_event, seen, max_ns);
	atomic_fetch_sub(&spool->waiting, 1);
}

void spool_commit(struct spool *spool, struct chunk *chunk, uint32_t consumed,
	struct spool_extent log)
{
	struct spool_header *header = spool->header;
	uint64_t sequence = atomic_load(&spool->own.sequence) + 1;
	struct spool_commit *commit = &header->commits[sequence & 1];

	*commit = (struct spool_commit){.log = log, .chunk = SPOOL_NO_CHUNK};
	if (chunk != NULL) {
		commit->seq = chunk->seq;
		commit->track = chunk->track;
		commit->chunk = spool_index(spool, chunk);
		commit->consumed = consumed;
	}
	atomic_store(&spool->own.sequence, sequence);
	atomic_store(&header->sequence, sequence);
	if (chunk != NULL)
		slot_of(spool, chunk)->consumed = consumed;
	/* A release: a reader of this also sees the entry. */
	if (chunk != NULL)
		__atomic_store_n(&chunk->consumed, consumed, __ATOMIC_RELEASE);
}

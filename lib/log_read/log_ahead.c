/* SPDX-License-Identifier: MIT */
#include "log_read/log_ahead.h"

#include <pthread.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/thread.h"
#include "log_read/log_parse.h"

/* Blocks in memory. With 8,192 events each, 16 take 2 MB. With 4 for a thread,
 * it and the user waited for each other for a quarter of the time; with 8, for
 * an eighth. */
#define SLOTS_FOR_USER 8
#define SLOTS_FOR_THREAD 8

/* Below, starting a thread takes longer than it saves. */
#define LEAST_BYTES ((off_t)256 << 10)

struct slot {
	struct log_packed packed;
	uint64_t end; /* in the input */
	struct log_unpacker unpacker;
	struct cursor block;
	struct log_events events;
	uint64_t version; /* of the recording, when the events were parsed */
	bool is_sound;    /* `block` is there */
	bool is_plain;    /* `events` are those of log_events_parse_plain() */
	bool is_ready;    /* under the lock */
};

/* The use of the trace by the user. */
enum use {
	USE_PLAIN, /* nothing that concerns the threads */
	USE_PARSE, /* a block is applied: it will not take long */
	USE_EVENTS /* a block's events refer to the recording */
};

struct log_ahead {
	struct log_input *input; /* under the lock, or the user's if paused */
	struct log_recording *recording;
	uint64_t *losses;
	pthread_t *threads;
	unsigned thread_count;
	struct slot *slots; /* a ring */
	unsigned slot_count;

	/* The user's: */
	struct log_events own_events; /* of a block read without a slot */
	bool has_slot;                /* the block being returned */
	bool seen_block;
	unsigned alone; /* blocks still to read without threads */
	uint64_t position;

	pthread_mutex_t lock;
	pthread_cond_t may_work; /* for threads */
	pthread_cond_t done;     /* for the user */
	/* Under the lock: */
	uint64_t taken; /* slots so far */
	uint64_t returned;
	unsigned parsing; /* threads that use the recording */
	enum use use;
	bool paused; /* no thread takes members */
	bool stopped;
};

bool log_ahead_is_useful(FILE *file, unsigned jobs)
{
	int fd = fileno(file);
	struct stat found;
	off_t at = ftello(file);

	if (jobs == 1 || at < 0)
		return false;
	if (fd < 0) /* in memory */
		return jobs > 1;
	if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
		return false;
	return jobs > 1 ||
	       (found.st_size - at >= LEAST_BYTES && thread_processors() > 1);
}

static struct slot *slot_of(struct log_ahead *ahead, uint64_t number)
{
	return &ahead->slots[number % ahead->slot_count];
}

/* ---- the threads ---- */

/* Takes the next member for unpacking; NULL if the thread must end. Called with
 * the lock. */
static struct slot *take(struct log_ahead *ahead)
{
	while (!ahead->stopped) {
		struct slot *slot = slot_of(ahead, ahead->taken);

		if (ahead->paused ||
			ahead->taken - ahead->returned == ahead->slot_count) {
			(void)pthread_cond_wait(&ahead->may_work, &ahead->lock);
		} else if (log_input_take(ahead->input, &slot->packed)) {
			slot->end = log_input_position(ahead->input);
			slot->is_ready = false;
			ahead->taken++;
			return slot;
		} else {
			ahead->paused = true;
			(void)pthread_cond_signal(&ahead->done);
		}
	}
	return NULL;
}

static bool unpack(struct slot *slot)
{
	struct cursor member;
	bool is_sound = false;

	cursor_init(&member, slot->packed.bytes, slot->packed.size);
	return log_unpacker_unpack(&slot->unpacker, member, &slot->block,
		       &is_sound, NULL) == CTP_OK &&
	       is_sound;
}

/* Whether the recording may be used; it may then until end_parsing(). */
static bool begin_parsing(struct log_ahead *ahead)
{
	bool may;

	(void)pthread_mutex_lock(&ahead->lock);
	while (ahead->use == USE_PARSE)
		(void)pthread_cond_wait(&ahead->may_work, &ahead->lock);
	may = ahead->use == USE_PLAIN;
	ahead->parsing += may;
	(void)pthread_mutex_unlock(&ahead->lock);
	return may;
}

static void end_parsing(struct log_ahead *ahead)
{
	(void)pthread_mutex_lock(&ahead->lock);
	if (--ahead->parsing == 0)
		(void)pthread_cond_signal(&ahead->done);
	(void)pthread_mutex_unlock(&ahead->lock);
}

static void fill(struct log_ahead *ahead, struct slot *slot)
{
	slot->is_plain = false;
	slot->is_sound = unpack(slot);
	if (!slot->is_sound || !begin_parsing(ahead))
		return;
	slot->version = ahead->recording->version;
	slot->is_plain = log_events_parse_plain(
		ahead->recording, slot->block, &slot->events);
	end_parsing(ahead);
}

static void *read_ahead(void *user)
{
	struct log_ahead *ahead = user;
	struct slot *slot;

	(void)pthread_mutex_lock(&ahead->lock);
	while ((slot = take(ahead)) != NULL) {
		(void)pthread_mutex_unlock(&ahead->lock);
		fill(ahead, slot);
		(void)pthread_mutex_lock(&ahead->lock);
		slot->is_ready = true;
		(void)pthread_cond_signal(&ahead->done);
	}
	(void)pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/* ---- its user ---- */

static bool make_slots(struct log_ahead *ahead, unsigned threads)
{
	unsigned count = SLOTS_FOR_USER + SLOTS_FOR_THREAD * threads;

	ahead->threads = memory_new_zeroed(threads, sizeof(*ahead->threads));
	ahead->slots = memory_new_zeroed(count, sizeof(*ahead->slots));
	if (ahead->threads == NULL || ahead->slots == NULL)
		return false;
	while (ahead->slot_count < count) {
		struct slot *slot = &ahead->slots[ahead->slot_count];

		if (!log_unpacker_init(&slot->unpacker))
			return false;
		ahead->slot_count++;
	}
	return true;
}

struct log_ahead *log_ahead_new(struct log_input *input,
	struct log_recording *recording, uint64_t *losses)
{
	const unsigned half = thread_half(recording->trace->request.jobs);
	const unsigned threads = half == 0 ? 1 : half;
	struct log_ahead *ahead = memory_new_zeroed(1, sizeof(*ahead));

	if (ahead == NULL)
		return NULL;
	ahead->input = input;
	ahead->recording = recording;
	ahead->losses = losses;
	(void)pthread_mutex_init(&ahead->lock, NULL);
	(void)pthread_cond_init(&ahead->may_work, NULL);
	(void)pthread_cond_init(&ahead->done, NULL);
	if (make_slots(ahead, threads))
		while (ahead->thread_count < threads &&
			thread_start(&ahead->threads[ahead->thread_count],
				read_ahead, ahead))
			ahead->thread_count++;
	if (ahead->thread_count > 0)
		return ahead;
	log_ahead_free(ahead);
	return NULL;
}

void log_ahead_free(struct log_ahead *ahead)
{
	if (ahead == NULL)
		return;
	(void)pthread_mutex_lock(&ahead->lock);
	ahead->stopped = true;
	ahead->use = USE_PLAIN;
	(void)pthread_cond_broadcast(&ahead->may_work);
	(void)pthread_mutex_unlock(&ahead->lock);
	for (unsigned i = 0; i < ahead->thread_count; i++)
		(void)pthread_join(ahead->threads[i], NULL);
	(void)pthread_cond_destroy(&ahead->may_work);
	(void)pthread_cond_destroy(&ahead->done);
	(void)pthread_mutex_destroy(&ahead->lock);
	for (unsigned i = 0; i < ahead->slot_count; i++) {
		memory_free(ahead->slots[i].packed.bytes);
		log_unpacker_clear(&ahead->slots[i].unpacker);
		log_events_clear(&ahead->slots[i].events);
	}
	log_events_clear(&ahead->own_events);
	memory_free(ahead->slots);
	memory_free(ahead->threads);
	memory_free(ahead);
}

/* Releases the last block, and lets the threads work: one more, or all. */
static void release(struct log_ahead *ahead)
{
	(void)pthread_mutex_lock(&ahead->lock);
	ahead->returned += ahead->has_slot;
	ahead->has_slot = false;
	if (ahead->use == USE_PLAIN && !ahead->paused)
		(void)pthread_cond_signal(&ahead->may_work);
	else
		(void)pthread_cond_broadcast(&ahead->may_work);
	ahead->use = USE_PLAIN;
	if (ahead->alone == 0)
		ahead->paused = false;
	(void)pthread_mutex_unlock(&ahead->lock);
}

/* Waits for the next slot; NULL if the threads stopped before the next member,
 * which the user has to read then. */
static struct slot *wait_for_slot(struct log_ahead *ahead)
{
	struct slot *slot = slot_of(ahead, ahead->returned);

	(void)pthread_mutex_lock(&ahead->lock);
	while (ahead->returned == ahead->taken ? !ahead->paused
					       : !slot->is_ready)
		(void)pthread_cond_wait(&ahead->done, &ahead->lock);
	ahead->has_slot = ahead->returned != ahead->taken;
	(void)pthread_mutex_unlock(&ahead->lock);
	return ahead->has_slot ? slot : NULL;
}

/* Applies a block that may change the trace. No thread uses the recording until
 * then or, if the block's events refer to it, until release(). */
static enum ctp_status apply(struct log_ahead *ahead, struct cursor block,
	struct log_events *events, struct ctp_error *err)
{
	enum ctp_status status;

	(void)pthread_mutex_lock(&ahead->lock);
	ahead->use = USE_PARSE;
	while (ahead->parsing > 0)
		(void)pthread_cond_wait(&ahead->done, &ahead->lock);
	(void)pthread_mutex_unlock(&ahead->lock);
	ahead->seen_block = true;
	status = log_parse_block(ahead->recording, block, events, err);
	(void)pthread_mutex_lock(&ahead->lock);
	ahead->use =
		events->count > 0 && events->is_plain ? USE_PLAIN : USE_EVENTS;
	(void)pthread_cond_broadcast(&ahead->may_work);
	(void)pthread_mutex_unlock(&ahead->lock);
	return status;
}

/* Reads the next block as it is read without threads, which are paused. */
static enum ctp_status read_alone(struct log_ahead *ahead,
	struct log_events **events, struct ctp_error *err)
{
	struct cursor block;
	enum ctp_status status = log_input_next(ahead->input, &block, err);

	log_input_move_losses(ahead->losses, ahead->recording->trace);
	ahead->alone -= ahead->alone > 0;
	ahead->position = log_input_position(ahead->input);
	*events = &ahead->own_events;
	if (status == CTP_OK)
		return apply(ahead, block, *events, err);
	if (status != CTP_END)
		return status;
	if (!ahead->seen_block)
		return ctp_fail_at(err, CTP_ERR_FORMAT, 0, LOG_PARSE_NO_BLOCK);
	log_recording_finish(ahead->recording);
	return CTP_END;
}

/* Goes back to a damaged member: the bytes after its beginning may be searched
 * for others. More damage may follow. */
static enum ctp_status read_damaged(struct log_ahead *ahead,
	const struct slot *slot, struct log_events **events,
	struct ctp_error *err)
{
	const uint64_t position = slot->packed.position;

	(void)pthread_mutex_lock(&ahead->lock);
	ahead->paused = true;
	for (uint64_t i = ahead->returned; i < ahead->taken; i++)
		while (!slot_of(ahead, i)->is_ready)
			(void)pthread_cond_wait(&ahead->done, &ahead->lock);
	ahead->taken = ahead->returned;
	ahead->has_slot = false;
	(void)pthread_mutex_unlock(&ahead->lock);
	ahead->alone = 2 * ahead->slot_count;
	if (!log_input_go_back(ahead->input, position))
		return ctp_fail_at(err, CTP_ERR_IO, position, "cannot read");
	return read_alone(ahead, events, err);
}

static enum ctp_status use_slot(struct log_ahead *ahead, struct slot *slot,
	struct log_events **events, struct ctp_error *err)
{
	struct log_recording *recording = ahead->recording;

	if (!slot->is_sound)
		return read_damaged(ahead, slot, events, err);
	ahead->position = slot->end;
	*events = &slot->events;
	if (!slot->is_plain || slot->version != recording->version ||
		!log_events_apply_plain(recording, &slot->events))
		return apply(ahead, slot->block, &slot->events, err);
	ahead->seen_block = true;
	if (log_events_begin(&slot->events, recording->trace))
		return CTP_OK;
	slot->events.count = 0;
	return ctp_no_memory(err);
}

enum ctp_status log_ahead_next(struct log_ahead *ahead,
	struct log_events **events, struct ctp_error *err)
{
	const struct log_device *device = &ahead->recording->device;
	enum ctp_status status;

	do {
		struct slot *slot;

		release(ahead);
		slot = ahead->alone > 0 ? NULL : wait_for_slot(ahead);
		status = slot == NULL ? read_alone(ahead, events, err)
				      : use_slot(ahead, slot, events, err);
	} while (status == CTP_OK && (*events)->count == 0 &&
		 device->at == device->count);
	return status;
}

uint64_t log_ahead_position(const struct log_ahead *ahead)
{
	return ahead->position;
}

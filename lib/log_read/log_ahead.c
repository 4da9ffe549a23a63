/* SPDX-License-Identifier: MIT */
#include "log_read/log_ahead.h"

#include <pthread.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/thread.h"
#include "log_read/log_parse.h"

/* Blocks in memory. With 8,192 events each, they take 2 MB. With 4, the two
 * threads waited for each other for a quarter of the time; with 8, for an
 * eighth. */
#define SLOTS 16

/* Below, starting a thread takes longer than it saves. */
#define LEAST_BYTES ((off_t)256 << 10)

struct slot {
	struct log_events events;
	uint64_t position;
	bool is_plain; /* log_events_parse_plain() */
};

struct log_ahead {
	struct log_input *input;
	struct log_recording *recording;
	uint64_t *losses;
	pthread_t thread;
	struct slot slots[SLOTS];

	/* The thread's: */
	bool alone; /* the user waits, so the trace may be changed */
	bool lent;  /* the last block belongs to the recording, not a slot */
	bool seen_block;

	/* The user's: */
	bool has_slot; /* the block being returned */
	uint64_t position;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock: */
	uint64_t filled; /* slots so far */
	uint64_t taken;
	bool waiting; /* the user waits for a slot */
	bool stopped; /* by the user */
	/* At the end, after all slots: */
	bool finished;
	uint64_t end_position;
	enum ctp_status status;
	struct ctp_error error;
};

bool log_ahead_is_useful(FILE *file, unsigned jobs)
{
	int fd = fileno(file);
	struct stat found;
	off_t at;

	if (jobs == 1)
		return false;
	if (fd < 0) /* in memory */
		return jobs > 1;
	if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
		return false;
	at = ftello(file);
	return jobs > 1 || (at >= 0 && found.st_size - at >= LEAST_BYTES &&
				   thread_processors() > 1);
}

/* ---- the thread ---- */

/* Waits until all events before were returned, and the user waits; false if the
 * thread must end. */
static bool wait_alone(struct log_ahead *ahead)
{
	if (ahead->alone)
		return true;
	(void)pthread_mutex_lock(&ahead->lock);
	while (!ahead->stopped &&
		!(ahead->waiting && ahead->filled == ahead->taken))
		(void)pthread_cond_wait(&ahead->changed, &ahead->lock);
	ahead->alone = !ahead->stopped;
	(void)pthread_mutex_unlock(&ahead->lock);
	return ahead->alone;
}

/* The slot to fill next; NULL if the thread must end. */
static struct slot *wait_for_slot(struct log_ahead *ahead)
{
	struct slot *slot = &ahead->slots[ahead->filled % SLOTS];

	(void)pthread_mutex_lock(&ahead->lock);
	while (!ahead->stopped && ahead->filled - ahead->taken == SLOTS)
		(void)pthread_cond_wait(&ahead->changed, &ahead->lock);
	if (ahead->stopped)
		slot = NULL;
	(void)pthread_mutex_unlock(&ahead->lock);
	return slot;
}

static void publish(struct log_ahead *ahead, struct slot *slot, bool is_plain)
{
	slot->is_plain = is_plain;
	slot->position = log_input_position(ahead->input);
	ahead->lent = !is_plain;
	ahead->alone = false;
	(void)pthread_mutex_lock(&ahead->lock);
	ahead->filled++;
	(void)pthread_cond_signal(&ahead->changed);
	(void)pthread_mutex_unlock(&ahead->lock);
}

static void finish(struct log_ahead *ahead, enum ctp_status status,
	const struct ctp_error *error)
{
	(void)pthread_mutex_lock(&ahead->lock);
	ahead->finished = true;
	ahead->status = status;
	ahead->error = *error;
	ahead->end_position = log_input_position(ahead->input);
	(void)pthread_cond_signal(&ahead->changed);
	(void)pthread_mutex_unlock(&ahead->lock);
}

static bool has_losses(const struct log_ahead *ahead)
{
	return (ahead->losses[LOSS_DAMAGED_BLOCKS] |
		       ahead->losses[LOSS_SKIPPED_BYTES]) != 0;
}

static void move_losses(struct log_ahead *ahead)
{
	log_input_move_losses(ahead->losses, ahead->recording->trace);
}

/* At the end of the input, or an error, while alone. */
static enum ctp_status end(
	struct log_ahead *ahead, enum ctp_status status, struct ctp_error *err)
{
	move_losses(ahead);
	if (status != CTP_END)
		return status;
	if (!ahead->seen_block)
		return ctp_fail_at(err, CTP_ERR_FORMAT, 0, LOG_PARSE_NO_BLOCK);
	log_recording_finish(ahead->recording);
	return CTP_END;
}

/* Reads a block that may change the trace, and makes its events available. */
static enum ctp_status read_alone(struct log_ahead *ahead, struct cursor block,
	struct slot *slot, struct ctp_error *err)
{
	const struct log_device *device = &ahead->recording->device;
	enum ctp_status status;

	move_losses(ahead);
	status = log_parse_block(ahead->recording, block, &slot->events, err);
	if (status == CTP_OK &&
		(slot->events.count > 0 || device->at < device->count))
		publish(ahead, slot, false);
	return status;
}

/* Reads the next block; false after the last one. */
static bool read_block(struct log_ahead *ahead, struct slot *slot)
{
	struct ctp_error error = {0};
	struct cursor block;
	enum ctp_status status;

	/* The events of the last block may still refer to it. */
	if (ahead->lent)
		log_input_keep(ahead->input);
	status = log_input_next(ahead->input, &block, &error);
	if (ahead->lent && !wait_alone(ahead))
		return false;
	ahead->lent = false;
	if (status == CTP_OK) {
		ahead->seen_block = true;
		if (!has_losses(ahead) &&
			log_events_parse_plain(
				ahead->recording, block, &slot->events)) {
			publish(ahead, slot, true);
			return true;
		}
	}
	if (!wait_alone(ahead))
		return false;
	if (status == CTP_OK)
		status = read_alone(ahead, block, slot, &error);
	if (status == CTP_OK)
		return true;
	status = end(ahead, status, &error);
	finish(ahead, status, &error);
	return false;
}

static void *read_ahead(void *user)
{
	struct log_ahead *ahead = user;
	struct slot *slot;

	while ((slot = wait_for_slot(ahead)) != NULL && read_block(ahead, slot))
		;
	return NULL;
}

/* ---- its user ---- */

struct log_ahead *log_ahead_new(struct log_input *input,
	struct log_recording *recording, uint64_t *losses)
{
	struct log_ahead *ahead = memory_new_zeroed(1, sizeof(*ahead));

	if (ahead == NULL)
		return NULL;
	ahead->input = input;
	ahead->recording = recording;
	ahead->losses = losses;
	(void)pthread_mutex_init(&ahead->lock, NULL);
	(void)pthread_cond_init(&ahead->changed, NULL);
	if (thread_start(&ahead->thread, read_ahead, ahead))
		return ahead;
	(void)pthread_cond_destroy(&ahead->changed);
	(void)pthread_mutex_destroy(&ahead->lock);
	memory_free(ahead);
	return NULL;
}

void log_ahead_free(struct log_ahead *ahead)
{
	if (ahead == NULL)
		return;
	(void)pthread_mutex_lock(&ahead->lock);
	ahead->stopped = true;
	(void)pthread_cond_signal(&ahead->changed);
	(void)pthread_mutex_unlock(&ahead->lock);
	(void)pthread_join(ahead->thread, NULL);
	(void)pthread_cond_destroy(&ahead->changed);
	(void)pthread_mutex_destroy(&ahead->lock);
	for (int i = 0; i < SLOTS; i++)
		log_events_clear(&ahead->slots[i].events);
	memory_free(ahead);
}

/* Releases the last block and waits for the next; NULL at the end. */
static struct slot *wait_for_block(struct log_ahead *ahead)
{
	struct slot *slot = NULL;

	(void)pthread_mutex_lock(&ahead->lock);
	ahead->taken += ahead->has_slot;
	ahead->waiting = true;
	(void)pthread_cond_signal(&ahead->changed);
	while (ahead->filled == ahead->taken && !ahead->finished)
		(void)pthread_cond_wait(&ahead->changed, &ahead->lock);
	ahead->waiting = false;
	if (ahead->filled != ahead->taken)
		slot = &ahead->slots[ahead->taken % SLOTS];
	ahead->has_slot = slot != NULL;
	(void)pthread_mutex_unlock(&ahead->lock);
	return slot;
}

enum ctp_status log_ahead_next(struct log_ahead *ahead,
	struct log_events **events, struct ctp_error *err)
{
	struct slot *slot = wait_for_block(ahead);

	if (slot == NULL) {
		ahead->position = ahead->end_position;
		if (ahead->status != CTP_END && err != NULL)
			*err = ahead->error;
		return ahead->status;
	}
	ahead->position = slot->position;
	*events = &slot->events;
	if (!slot->is_plain ||
		log_events_begin(&slot->events, ahead->recording->trace))
		return CTP_OK;
	slot->events.count = 0;
	return ctp_no_memory(err);
}

uint64_t log_ahead_position(const struct log_ahead *ahead)
{
	return ahead->position;
}

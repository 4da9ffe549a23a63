/* SPDX-License-Identifier: MIT */
#include "cupti/cupti_session.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "recorder/device_link.h"
#include "log/log_block.h"

#define KEY_BYTES 64
#define FACTS 48 /* more than all kinds and versions */

struct fact {
	char key[KEY_BYTES];
	char text[PATH_MAX]; /* "": a number */
	int64_t number;
};

static struct {
	pthread_mutex_t lock; /* CUPTI is not called while it is held */
	struct fact facts[FACTS];
	uint32_t count;
	bool facts_changed;
	uint64_t written; /* last recording that got the facts */
	uint64_t losses[CUPTI_LOSSES];
	bool losses_changed;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *const loss_names[CUPTI_LOSSES] = {
	[CUPTI_LOSS_DROPPED] = "device_dropped",
	[CUPTI_LOSS_DISCARDED] = "device_discarded",
	[CUPTI_LOSS_TIMES] = "device_times",
	[CUPTI_LOSS_UNFINISHED] = "device_unfinished",
	[CUPTI_LOSS_UNKNOWN] = "device_unknown",
};

/* The fact of this key, added if new; NULL without room. */
static struct fact *fact_of(const char *key)
{
	struct fact *fact = state.facts;

	while (fact < state.facts + state.count && strcmp(fact->key, key) != 0)
		fact++;
	if (fact == state.facts + FACTS)
		return NULL;
	if (fact == state.facts + state.count) {
		(void)snprintf(fact->key, sizeof(fact->key), "%s", key);
		state.count++;
	}
	state.facts_changed = true;
	return fact;
}

void cupti_session_fact(const char *key, const char *value)
{
	struct fact *fact;

	(void)pthread_mutex_lock(&state.lock);
	fact = fact_of(key);
	if (fact != NULL)
		(void)snprintf(fact->text, sizeof(fact->text), "%s", value);
	(void)pthread_mutex_unlock(&state.lock);
}

void cupti_session_number(const char *key, int64_t value)
{
	struct fact *fact;

	(void)pthread_mutex_lock(&state.lock);
	fact = fact_of(key);
	if (fact != NULL) {
		fact->text[0] = '\0';
		fact->number = value;
	}
	(void)pthread_mutex_unlock(&state.lock);
}

void cupti_session_lose(enum cupti_loss loss, uint64_t count)
{
	if (count == 0)
		return;
	(void)pthread_mutex_lock(&state.lock);
	state.losses[loss] += count;
	state.losses_changed = true;
	(void)pthread_mutex_unlock(&state.lock);
}

static bool put(enum log_block kind, struct buffer *block)
{
	bool done = !block->failed &&
		    ctp_private_block(kind, block->bytes, block->used);

	buffer_clear(block);
	return done;
}

/* [13, {key: value}] */
static void pack_facts(struct buffer *block)
{
	msgpack_packer out = log_block_begin(block, LOG_DEVICE_FACTS, 2);

	(void)msgpack_pack_map(&out, state.count);
	for (uint32_t i = 0; i < state.count; i++) {
		const struct fact *fact = &state.facts[i];

		if (fact->text[0] != '\0')
			msgpack_out_pair(&out, fact->key, fact->text);
		else
			msgpack_out_pair_int(&out, fact->key, fact->number);
	}
}

static void write_facts(void)
{
	struct buffer block = BUFFER_INIT;

	pack_facts(&block);
	state.facts_changed = !put(LOG_DEVICE_FACTS, &block);
}

/* [12, {name: count}] */
static void write_losses(void)
{
	struct buffer block = BUFFER_INIT;
	msgpack_packer out = log_block_begin(&block, LOG_DEVICE_LOSSES, 2);
	uint32_t count = 0;

	for (int loss = 0; loss < CUPTI_LOSSES; loss++)
		count += state.losses[loss] != 0;
	(void)msgpack_pack_map(&out, count);
	for (int loss = 0; loss < CUPTI_LOSSES; loss++)
		if (state.losses[loss] != 0)
			msgpack_out_pair_uint(
				&out, loss_names[loss], state.losses[loss]);
	state.losses_changed = !put(LOG_DEVICE_LOSSES, &block);
}

void cupti_session_write(uint64_t session)
{
	(void)pthread_mutex_lock(&state.lock);
	if (state.written != session) {
		state.written = session;
		memset(state.losses, 0, sizeof(state.losses));
		state.losses_changed = false;
		state.facts_changed = true;
	}
	if (state.facts_changed)
		write_facts();
	if (state.losses_changed)
		write_losses();
	(void)pthread_mutex_unlock(&state.lock);
}

void cupti_session_lock(void)
{
	(void)pthread_mutex_lock(&state.lock);
}

void cupti_session_unlock(void)
{
	(void)pthread_mutex_unlock(&state.lock);
}

void cupti_session_child(void)
{
	(void)pthread_mutex_init(&state.lock, NULL);
	state.written = 0;
}

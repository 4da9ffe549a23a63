/* SPDX-License-Identifier: MIT */
/*
 * Tasks that may overlap, regions and frames are asynchronous ranges. Their end
 * tells only the id that they began with, while the log matches them by name
 * and number: so the open ones are kept, in places that are never freed but
 * used again. No lock is held over them, so that no fork() finds them halfway.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "markers/itt.h"
#include "base/stable_hash.h"

#define BUCKETS 1024

/* So many may be open in a bucket: those of a program that ends none, under one
 * id. */
#define CROWD 256

#define NO_ID ((struct itt_id){0, 0, 0})

enum kind { TASK, REGION, FRAME };

/* Words of a place: what the range is known by, and what it is. */
enum { DOMAIN, KIND, LOW, HIGH, MORE, KEYS, SITE = KEYS, NUMBER, WORDS };

/* What a place is in, in the low bits of its state; above them is how often
 * that changed: so a place that was looked at is not taken if it has become
 * another's meanwhile. */
enum { FREE = 0, FILLING = 1, OPEN = 2, STATES = 3 };

struct place {
	_Atomic uint64_t state;
	_Atomic uint64_t words[WORDS];
	struct place *next;
};

static struct place *_Atomic buckets[BUCKETS];

static struct place *_Atomic *bucket_of(const uint64_t *key)
{
	return &buckets[stable_hash(key, KEYS * sizeof(*key)) % BUCKETS];
}

static uint64_t next_state(uint64_t state, uint64_t what)
{
	return ((state | STATES) + 1) | what;
}

/* A free place of the bucket, which is now being filled; else a new one. NULL
 * if there are too many, or out of memory. */
static struct place *take_place(struct place *_Atomic *bucket)
{
	struct place *place;
	int crowd = 0;

	for (place = atomic_load(bucket); place != NULL; place = place->next) {
		uint64_t state = atomic_load(&place->state);

		if ((state & STATES) == FREE &&
			atomic_compare_exchange_strong(&place->state, &state,
				next_state(state, FILLING)))
			return place;
		crowd++;
	}
	place = crowd < CROWD ? calloc(1, sizeof(*place)) : NULL;
	if (place == NULL)
		return NULL;
	atomic_init(&place->state, FILLING);
	place->next = atomic_load(bucket);
	while (!atomic_compare_exchange_weak(bucket, &place->next, place))
		;
	return place;
}

static bool is_of(const struct place *place, const uint64_t *key)
{
	for (int i = 0; i < KEYS; i++)
		if (atomic_load(&place->words[i]) != key[i])
			return false;
	return true;
}

/* Takes the open range of this key out; false if there is none. */
static bool take_open(
	const uint64_t *key, struct ctp_site **site, uint64_t *number)
{
	struct place *place = atomic_load(bucket_of(key));

	for (; place != NULL; place = place->next) {
		uint64_t state = atomic_load(&place->state);

		if ((state & STATES) != OPEN || !is_of(place, key))
			continue;
		*site = (struct ctp_site *)(uintptr_t)atomic_load(
			&place->words[SITE]);
		*number = atomic_load(&place->words[NUMBER]);
		if (atomic_compare_exchange_strong(
			    &place->state, &state, next_state(state, FREE)))
			return true;
	}
	return false;
}

/* Open, for whoever ends it. */
static void keep(const struct inject_message *message, const uint64_t *words)
{
	struct place *place = take_place(bucket_of(words));

	if (place == NULL)
		return;
	inject_event(CHUNK_ASYNC_BEGIN, *message, words[NUMBER], NULL);
	for (int i = 0; i < WORDS; i++)
		atomic_store(&place->words[i], words[i]);
	atomic_store(
		&place->state, next_state(atomic_load(&place->state), OPEN));
}

static void begin(const struct itt_domain *domain, enum kind kind,
	struct itt_id id, const char *name)
{
	static _Atomic uint64_t last;
	const struct inject_message message = itt_message(domain, name);

	if (!itt_is_paused() && message.name != NULL)
		keep(&message,
			(const uint64_t[WORDS]){(uintptr_t)message.name->domain,
				kind, id.low, id.high, id.more,
				(uintptr_t)message.name->site,
				atomic_fetch_add(&last, 1) + 1});
}

/* Also while recording is paused: it may have begun before. */
static void end(
	const struct itt_domain *domain, enum kind kind, struct itt_id id)
{
	const uint64_t key[KEYS] = {(uintptr_t)itt_domain_of(domain), kind,
		id.low, id.high, id.more};
	struct ctp_site *site;
	uint64_t number;

	if (key[DOMAIN] == 0)
		return;
	if (take_open(key, &site, &number))
		ctp_async_end(site, number);
	else if (!itt_is_paused())
		ctp_repaired(0, 1);
}

void itt_task_begin_overlapped(const struct itt_domain *domain,
	struct itt_id id, struct itt_id parent, const struct itt_string *name)
{
	(void)parent;
	begin(domain, TASK, id, itt_text(name));
}

void itt_task_end_overlapped(const struct itt_domain *domain, struct itt_id id)
{
	end(domain, TASK, id);
}

void itt_region_begin(const struct itt_domain *domain, struct itt_id id,
	struct itt_id parent, const struct itt_string *name)
{
	(void)parent;
	begin(domain, REGION, id, itt_text(name));
}

void itt_region_end(const struct itt_domain *domain, struct itt_id id)
{
	end(domain, REGION, id);
}

void itt_frame_begin_v3(
	const struct itt_domain *domain, const struct itt_id *id)
{
	begin(domain, FRAME, id == NULL ? NO_ID : *id, "frame");
}

void itt_frame_end_v3(const struct itt_domain *domain, const struct itt_id *id)
{
	end(domain, FRAME, id == NULL ? NO_ID : *id);
}

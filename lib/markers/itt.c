/* SPDX-License-Identifier: MIT */
/*
 * ITT: programs' annotations for Intel's tools, as our ranges. Each module
 * linked with ittnotify has a list of functions, which the library in
 * INTEL_LIBITTNOTIFY64 fills. Functions that are missing here are not recorded.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/stable_hash.h"
#include "markers/inject.h"
#include "recorder/itt_abi.h"

#define DEFAULT_DOMAIN "itt"
#define UNNAMED "(unnamed)"
#define BUCKETS 4096

CTP_API void __itt_api_init(struct itt_global *global, int groups);

static _Atomic bool paused;

static bool is_paused(void)
{
	return atomic_load_explicit(&paused, memory_order_relaxed);
}

/* Our domain, cached in the program's. */
static struct inject_domain *domain_of(const struct itt_domain *theirs)
{
	struct inject_domain *domain;
	void **kept;

	if (theirs == NULL)
		return NULL;
	kept = (void **)(uintptr_t)&theirs->reserved_pointer;
	domain = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
	if (domain == NULL) {
		domain = inject_domain(
			theirs->name == NULL ? DEFAULT_DOMAIN : theirs->name);
		__atomic_store_n(kept, domain, __ATOMIC_RELEASE);
	}
	return domain;
}

static struct itt_domain *find_domain(
	struct itt_domain *domain, const char *name)
{
	while (domain != NULL && strcmp(domain->name, name) != 0)
		domain = domain->next;
	return domain;
}

/* Handles created before we were loaded belong to the program. */
static struct itt_domain *domain_create(const char *name)
{
	static struct itt_domain *_Atomic domains;
	struct itt_domain *first = atomic_load(&domains);
	struct itt_domain *found;
	struct itt_domain *made;

	if (name == NULL)
		return NULL;
	found = find_domain(first, name);
	if (found != NULL)
		return found;
	made = calloc(1, sizeof(*made));
	if (made == NULL || (made->name = strdup(name)) == NULL) {
		free(made);
		return NULL;
	}
	made->flags = 1;
	/* Check only the entries added since. */
	do {
		found = find_domain(first, name);
		if (found != NULL) {
			free((void *)(uintptr_t)made->name);
			free(made);
			return found;
		}
		made->next = first;
	} while (!atomic_compare_exchange_weak(&domains, &first, made));
	return made;
}

/* Handles of strings, by their text: torch requests one at each operation. */
struct handle {
	struct itt_string string; /* must be first */
	uint64_t hash;
	struct handle *next;
};

static struct handle *find(
	struct handle *handle, uint64_t hash, const char *text)
{
	while (handle != NULL &&
		(handle->hash != hash ||
			strcmp(handle->string.text, text) != 0))
		handle = handle->next;
	return handle;
}

static struct itt_string *string_handle_create(const char *text)
{
	static struct handle *_Atomic buckets[BUCKETS];
	struct handle *_Atomic *bucket;
	struct handle *found;
	struct handle *made;
	uint64_t hash;

	if (text == NULL)
		return NULL;
	hash = stable_hash(text, strlen(text));
	bucket = &buckets[hash % BUCKETS];
	found = find(atomic_load(bucket), hash, text);
	if (found != NULL)
		return &found->string;
	made = calloc(1, sizeof(*made));
	if (made == NULL || (made->string.text = strdup(text)) == NULL) {
		free(made);
		return NULL;
	}
	made->hash = hash;
	made->next = atomic_load(bucket);
	while (!atomic_compare_exchange_weak(bucket, &made->next, made)) {
		found = find(made->next, hash, text);
		if (found != NULL) {
			free((void *)(uintptr_t)made->string.text);
			free(made);
			return &found->string;
		}
	}
	return &made->string;
}

static const char *text_of(const struct itt_string *string)
{
	return string == NULL || string->text == NULL ? UNNAMED : string->text;
}

static struct inject_message message_of(
	const struct itt_domain *theirs, const char *text)
{
	const struct inject_domain *domain = domain_of(theirs);

	return (struct inject_message){
		domain == NULL ? NULL : inject_literal(domain, text), text};
}

/* A task that begins during a pause may end after it. */
static void begin(
	const struct itt_domain *theirs, struct itt_id id, const char *text)
{
	const struct inject_id number = {id.low, id.high};
	const struct inject_domain *domain = domain_of(theirs);

	if (domain == NULL)
		return;
	if (is_paused())
		(void)inject_push_unseen(domain, number);
	else
		(void)inject_push(message_of(theirs, text), number, NULL);
}

static void task_begin(const struct itt_domain *domain, struct itt_id id,
	struct itt_id parent, const struct itt_string *name)
{
	(void)parent;
	begin(domain, id, text_of(name));
}

/* Begins a task named after a function, by its address. */
static void task_begin_fn(const struct itt_domain *domain, struct itt_id id,
	struct itt_id parent, void *function)
{
	char text[256];
	Dl_info info;

	(void)parent;
	if (dladdr(function, &info) != 0 && info.dli_sname != NULL)
		(void)snprintf(text, sizeof(text), "%s", info.dli_sname);
	else if (dladdr(function, &info) != 0 && info.dli_fname != NULL)
		(void)snprintf(text, sizeof(text), "%s+0x%zx", info.dli_fname,
			(size_t)((char *)function - (char *)info.dli_fbase));
	else
		(void)snprintf(text, sizeof(text), "%p", function);
	begin(domain, id, text);
}

static void task_end(const struct itt_domain *theirs)
{
	const struct inject_domain *domain = domain_of(theirs);

	if (domain != NULL)
		(void)inject_pop(domain);
}

static void marker(const struct itt_domain *domain, struct itt_id id,
	const struct itt_string *string, int scope)
{
	(void)id;
	(void)scope;
	if (!is_paused())
		inject_event(CHUNK_INSTANT, message_of(domain, text_of(string)),
			0, NULL);
}

/* Records a mark that explains a gap from here on or up to here. */
static void record_notice(const char *text)
{
	const struct inject_domain *domain = inject_domain(DEFAULT_DOMAIN);

	if (domain != NULL)
		inject_event(CHUNK_INSTANT,
			(struct inject_message){
				inject_literal(domain, text), text},
			0, NULL);
}

/* Pauses all threads, but only for ITT: a program that pauses VTune does not
 * mean the rest. */
static void pause_all(void)
{
	if (!atomic_exchange(&paused, true))
		record_notice("paused");
}

static void resume_all(void)
{
	if (atomic_exchange(&paused, false))
		record_notice("resumed");
}

/* A number of one of ITT's types: an integer, unless `real` is set. */
struct number {
	int64_t whole;
	double real;
	bool is_real;
};

static struct number number_of(int type, const void *data)
{
	const union {
		uint64_t u64;
		uint32_t u32;
		int32_t s32;
		uint16_t u16;
		int16_t s16;
		float f32;
		double f64;
	} *value = data;

	switch (type) {
	case ITT_U32:
		return (struct number){.whole = value->u32};
	case ITT_S32:
		return (struct number){.whole = value->s32};
	case ITT_U16:
		return (struct number){.whole = value->u16};
	case ITT_S16:
		return (struct number){.whole = value->s16};
	case ITT_FLOAT:
		return (struct number){
			.real = (double)value->f32, .is_real = true};
	case ITT_DOUBLE:
		return (struct number){.real = value->f64, .is_real = true};
	default:
		return (struct number){.whole = (int64_t)value->u64};
	}
}

/* Adds the first of the values; tasks that are not the innermost cannot get
 * metadata any more. */
static void metadata_add(const struct itt_domain *domain, struct itt_id id,
	const struct itt_string *key, int type, size_t count, const void *data)
{
	struct number number;

	if (domain == NULL || count == 0 || data == NULL ||
		!inject_is_innermost(
			domain_of(domain), (struct inject_id){id.low, id.high}))
		return;
	number = number_of(type, data);
	if (number.is_real)
		ctp_arg_float(text_of(key), number.real);
	else
		ctp_arg_int(text_of(key), number.whole);
}

/* Without a length, the text ends with a zero byte. */
static void metadata_str_add(const struct itt_domain *domain, struct itt_id id,
	const struct itt_string *key, const char *text, size_t size)
{
	char *copy;

	if (domain == NULL || text == NULL ||
		!inject_is_innermost(
			domain_of(domain), (struct inject_id){id.low, id.high}))
		return;
	copy = size == 0 ? strdup(text) : strndup(text, size);
	if (copy == NULL)
		return;
	ctp_arg_string(text_of(key), copy);
	free(copy);
}

static void thread_set_name(const char *name)
{
	if (name != NULL)
		ctp_thread_name(name);
}

/*
 * Tasks that may overlap, regions and frames are asynchronous ranges. Their
 * end_async has only the id of the begin, while the log matches them by name
 * and number: so the open ones are kept, in places that are never freed but
 * reused. There is no lock, so that no fork() finds an unfinished change.
 */
#define TASK_BUCKETS 1024

/* Most open tasks in a bucket: a program may open many with one id and end
 * none. */
#define CROWD 256

#define NO_ID ((struct itt_id){0, 0, 0})

enum kind { TASK, REGION, FRAME };

/* Words of a place: the keys and the values of a range. */
enum { DOMAIN, KIND, LOW, HIGH, MORE, KEYS, SITE = KEYS, NUMBER, WORDS };

/* The low bits of a place's state are its condition, the others count its
 * changes. So a thread does not take a place that another took meanwhile. */
enum { FREE = 0, FILLING = 1, OPEN = 2, STATES = 3 };

struct place {
	_Atomic uint64_t state;
	_Atomic uint64_t words[WORDS];
	struct place *next;
};

static struct place *_Atomic task_buckets[TASK_BUCKETS];

static struct place *_Atomic *bucket_of(const uint64_t *key)
{
	return &task_buckets[stable_hash(key, KEYS * sizeof(*key)) %
			     TASK_BUCKETS];
}

static uint64_t next_state(uint64_t state, uint64_t what)
{
	return ((state | STATES) + 1) | what;
}

/* Claims a free place of the bucket for filling, or adds one. NULL if there are
 * too many, or out of memory. */
static struct place *claim_place(struct place *_Atomic *bucket)
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

/* Removes the open range of this key; false if there is none. */
static bool remove_open(
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

/* Adds an open range, which any thread may end. */
static void add_open(
	const struct inject_message *message, const uint64_t *words)
{
	struct place *place = claim_place(bucket_of(words));

	if (place == NULL)
		return;
	inject_event(CHUNK_ASYNC_BEGIN, *message, words[NUMBER], NULL);
	for (int i = 0; i < WORDS; i++)
		atomic_store(&place->words[i], words[i]);
	atomic_store(
		&place->state, next_state(atomic_load(&place->state), OPEN));
}

static void begin_async(const struct itt_domain *domain, enum kind kind,
	struct itt_id id, const char *name)
{
	static _Atomic uint64_t last;
	const struct inject_message message = message_of(domain, name);

	if (!is_paused() && message.name != NULL)
		add_open(&message,
			(const uint64_t[WORDS]){(uintptr_t)message.name->domain,
				kind, id.low, id.high, id.more,
				(uintptr_t)message.name->site,
				atomic_fetch_add(&last, 1) + 1});
}

/* Also during a pause: it may have begun before. */
static void end_async(
	const struct itt_domain *domain, enum kind kind, struct itt_id id)
{
	const uint64_t key[KEYS] = {
		(uintptr_t)domain_of(domain), kind, id.low, id.high, id.more};
	struct ctp_site *site;
	uint64_t number;

	if (key[DOMAIN] == 0)
		return;
	if (remove_open(key, &site, &number))
		ctp_async_end(site, number);
	else if (!is_paused())
		ctp_repaired(0, 1);
}

static void task_begin_overlapped(const struct itt_domain *domain,
	struct itt_id id, struct itt_id parent, const struct itt_string *name)
{
	(void)parent;
	begin_async(domain, TASK, id, text_of(name));
}

static void task_end_overlapped(
	const struct itt_domain *domain, struct itt_id id)
{
	end_async(domain, TASK, id);
}

static void region_begin(const struct itt_domain *domain, struct itt_id id,
	struct itt_id parent, const struct itt_string *name)
{
	(void)parent;
	begin_async(domain, REGION, id, text_of(name));
}

static void region_end(const struct itt_domain *domain, struct itt_id id)
{
	end_async(domain, REGION, id);
}

static void frame_begin_v3(
	const struct itt_domain *domain, const struct itt_id *id)
{
	begin_async(domain, FRAME, id == NULL ? NO_ID : *id, "frame");
}

static void frame_end_v3(
	const struct itt_domain *domain, const struct itt_id *id)
{
	end_async(domain, FRAME, id == NULL ? NO_ID : *id);
}

/* ITT's counters. */
#define COUNTER_BUCKETS 256

struct itt_counter {
	const struct inject_name *name;
	int type;
	_Atomic int64_t value; /* for calls that only give a change */
	struct itt_counter *next;
};

static struct itt_counter *make_counter(
	const struct inject_name *name, int type)
{
	struct itt_counter *made =
		name == NULL ? NULL : calloc(1, sizeof(*made));

	if (made == NULL)
		return NULL;
	made->name = name;
	made->type = type;
	return made;
}

static struct itt_counter *counter_create_typed(
	const char *text, const char *domain_name, int type)
{
	const struct inject_domain *domain = inject_domain(
		domain_name == NULL ? DEFAULT_DOMAIN : domain_name);

	return domain == NULL || text == NULL
		       ? NULL
		       : make_counter(inject_name(domain, text), type);
}

static struct itt_counter *counter_create(const char *text, const char *domain)
{
	return counter_create_typed(text, domain, ITT_U64);
}

static struct itt_counter *counter_create_v3(
	const struct itt_domain *domain, const char *text, int type)
{
	return counter_create_typed(
		text, domain == NULL ? NULL : domain->name, type);
}

static void counter_destroy(struct itt_counter *counter)
{
	free(counter);
}

static void counter_set_value(struct itt_counter *counter, const void *data)
{
	struct number number;

	if (counter == NULL || data == NULL)
		return;
	number = number_of(counter->type, data);
	atomic_store(&counter->value, number.whole);
	if (is_paused())
		return;
	if (number.is_real)
		ctp_counter_float(counter->name->site, number.real);
	else
		ctp_counter(counter->name->site, number.whole);
}

static void add_delta(struct itt_counter *counter, uint64_t delta)
{
	int64_t value;

	if (counter == NULL)
		return;
	/* A value that is too large wraps, like atomic integers. */
	value = (int64_t)((uint64_t)atomic_fetch_add(
				  &counter->value, (int64_t)delta) +
			  delta);
	if (!is_paused())
		ctp_counter(counter->name->site, value);
}

static void counter_inc(struct itt_counter *counter)
{
	add_delta(counter, 1);
}

static void counter_dec(struct itt_counter *counter)
{
	add_delta(counter, UINT64_MAX);
}

static void counter_inc_delta(
	struct itt_counter *counter, unsigned long long delta)
{
	add_delta(counter, delta);
}

static void counter_dec_delta(
	struct itt_counter *counter, unsigned long long delta)
{
	add_delta(counter, -(uint64_t)delta);
}

static struct itt_counter *find_counter(
	struct itt_counter *counter, const struct inject_name *name)
{
	while (counter != NULL && counter->name != name)
		counter = counter->next;
	return counter;
}

/* The counter of this name in the domain, created at its first use. */
static struct itt_counter *of_name(
	const struct itt_domain *domain, const struct itt_string *string)
{
	static struct itt_counter *_Atomic buckets[COUNTER_BUCKETS];
	const struct inject_name *name =
		message_of(domain, text_of(string)).name;
	struct itt_counter *_Atomic *bucket;
	struct itt_counter *found;
	struct itt_counter *made;

	if (name == NULL)
		return NULL;
	bucket = &buckets[name->hash % COUNTER_BUCKETS];
	found = find_counter(atomic_load(bucket), name);
	if (found != NULL || (made = make_counter(name, ITT_U64)) == NULL)
		return found;
	made->next = atomic_load(bucket);
	while (!atomic_compare_exchange_weak(bucket, &made->next, made)) {
		found = find_counter(made->next, name);
		if (found != NULL) {
			free(made);
			return found;
		}
	}
	return made;
}

static void counter_inc_v3(
	const struct itt_domain *domain, const struct itt_string *name)
{
	add_delta(of_name(domain, name), 1);
}

static void counter_dec_v3(
	const struct itt_domain *domain, const struct itt_string *name)
{
	add_delta(of_name(domain, name), UINT64_MAX);
}

static void counter_inc_delta_v3(const struct itt_domain *domain,
	const struct itt_string *name, unsigned long long delta)
{
	add_delta(of_name(domain, name), delta);
}

static void counter_dec_delta_v3(const struct itt_domain *domain,
	const struct itt_string *name, unsigned long long delta)
{
	add_delta(of_name(domain, name), -(uint64_t)delta);
}

#define FUNCTION(name, function) \
	{ \
		"__itt_" #name, (void (*)(void))(function) \
	}
#define HERE(name) FUNCTION(name, name)

static const struct {
	const char *name;
	void (*function)(void);
} ours[] = {
	HERE(domain_create),
	HERE(string_handle_create),
	HERE(task_begin),
	HERE(task_begin_fn),
	HERE(task_end),
	HERE(task_begin_overlapped),
	HERE(task_end_overlapped),
	HERE(region_begin),
	HERE(region_end),
	HERE(frame_begin_v3),
	HERE(frame_end_v3),
	HERE(marker),
	HERE(metadata_add),
	HERE(metadata_str_add),
	HERE(counter_create),
	HERE(counter_create_typed),
	HERE(counter_create_v3),
	HERE(counter_destroy),
	HERE(counter_set_value),
	FUNCTION(counter_set_value_v3, counter_set_value),
	HERE(counter_inc),
	HERE(counter_dec),
	HERE(counter_inc_delta),
	HERE(counter_dec_delta),
	HERE(counter_inc_v3),
	HERE(counter_dec_v3),
	HERE(counter_inc_delta_v3),
	HERE(counter_dec_delta_v3),
	HERE(thread_set_name),
	FUNCTION(pause, pause_all),
	FUNCTION(resume, resume_all),
	FUNCTION(detach, pause_all),
};

static void *function_of(const struct itt_function *theirs)
{
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strcmp(ours[i].name, theirs->name) == 0)
			return (void *)(uintptr_t)ours[i].function;
	return theirs->otherwise;
}

void __itt_api_init(struct itt_global *global, int groups)
{
	(void)groups;
	if (global == NULL || global->functions == NULL)
		return;
	for (struct itt_function *function = global->functions;
		function->name != NULL; function++)
		*function->pointer = environment_is_refused()
					     ? function->otherwise
					     : function_of(function);
}

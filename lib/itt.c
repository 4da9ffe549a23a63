/* SPDX-License-Identifier: MIT */
/*
 * ITT: what programs tell Intel's tools, as ranges of ours. Each module that is
 * linked with ittnotify has a list of functions, and has the library that
 * INTEL_LIBITTNOTIFY64 names fill it. What is not here is not recorded.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject.h"
#include "itt_abi.h"
#include "strtab.h"

#define DEFAULT_DOMAIN "itt"
#define UNNAMED "(unnamed)"
#define BUCKETS 4096

CTP_API void __itt_api_init(struct itt_global *global, int groups);

/* The program's domain remembers ours. */
static struct inject_domain *domain_of(const struct itt_domain *theirs)
{
	void **kept = (void **)(uintptr_t)&theirs->reserved_pointer;
	struct inject_domain *domain = __atomic_load_n(kept, __ATOMIC_ACQUIRE);

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

/* Those that were made before we came are the program's own. */
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
	/* Only before those that were looked at. */
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

/* Handles of strings, by their text: torch asks for one at each operation. */
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
	hash = strtab_hash(text, strlen(text));
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

static void begin(
	const struct itt_domain *theirs, struct itt_id id, const char *text)
{
	const struct inject_domain *domain = domain_of(theirs);

	if (domain != NULL)
		(void)inject_push(inject_literal(domain, text), text,
			(struct inject_id){id.low, id.high});
}

static void task_begin(const struct itt_domain *domain, struct itt_id id,
	struct itt_id parent, const struct itt_string *name)
{
	(void)parent;
	if (domain != NULL)
		begin(domain, id, text_of(name));
}

/* Named after a function, by its address. */
static void task_begin_fn(const struct itt_domain *domain, struct itt_id id,
	struct itt_id parent, void *function)
{
	char text[256];
	Dl_info info;

	(void)parent;
	if (domain == NULL)
		return;
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
	const struct inject_domain *domain =
		theirs == NULL ? NULL : domain_of(theirs);

	if (domain != NULL)
		(void)inject_pop(domain);
}

/* One number for both: addresses and counters, as programs have them there,
 * would often give the same sum. */
static uint64_t number_of_frame(const struct itt_id *id)
{
	return id == NULL ? 0
			  : id->low ^ id->high * UINT64_C(0x9e3779b97f4a7c15);
}

/* Frames of a domain may overlap, and end in another thread. */
static void frame(const struct itt_domain *theirs, const struct itt_id *id,
	void (*record)(struct ctp_site *site, uint64_t id))
{
	const struct inject_domain *domain =
		theirs == NULL ? NULL : domain_of(theirs);
	const struct inject_name *name =
		domain == NULL ? NULL : inject_literal(domain, "frame");

	if (name != NULL)
		record(name->site, number_of_frame(id));
}

static void frame_begin_v3(
	const struct itt_domain *domain, const struct itt_id *id)
{
	frame(domain, id, ctp_async_begin);
}

static void frame_end_v3(
	const struct itt_domain *domain, const struct itt_id *id)
{
	frame(domain, id, ctp_async_end);
}

static void marker(const struct itt_domain *theirs, struct itt_id id,
	const struct itt_string *string, int scope)
{
	const struct inject_domain *domain =
		theirs == NULL ? NULL : domain_of(theirs);
	const struct inject_name *name =
		domain == NULL ? NULL : inject_literal(domain, text_of(string));

	(void)id;
	(void)scope;
	if (name != NULL)
		ctp_instant(name->site);
}

/* A number of one of ITT's types: whole, unless `real` is set. */
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

/* The first of the values; of tasks that are not the innermost, nothing can be
 * told any more. */
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

struct counter {
	const struct inject_name *name;
	int type;
	_Atomic int64_t value; /* for those that only tell how it changes */
};

static struct counter *counter_create_typed(
	const char *text, const char *domain_name, int type)
{
	const struct inject_domain *domain = inject_domain(
		domain_name == NULL ? DEFAULT_DOMAIN : domain_name);
	struct counter *counter = malloc(sizeof(*counter));

	if (counter == NULL || domain == NULL || text == NULL ||
		(counter->name = inject_name(domain, text)) == NULL) {
		free(counter);
		return NULL;
	}
	counter->type = type;
	atomic_init(&counter->value, 0);
	return counter;
}

static struct counter *counter_create(const char *text, const char *domain)
{
	return counter_create_typed(text, domain, ITT_U64);
}

static void counter_destroy(struct counter *counter)
{
	free(counter);
}

static void counter_set_value(struct counter *counter, const void *data)
{
	struct number number;

	if (counter == NULL || data == NULL)
		return;
	number = number_of(counter->type, data);
	atomic_store(&counter->value, number.whole);
	if (number.is_real)
		ctp_counter_float(counter->name->site, number.real);
	else
		ctp_counter(counter->name->site, number.whole);
}

static void counter_add(struct counter *counter, int64_t delta)
{
	if (counter != NULL)
		ctp_counter(counter->name->site,
			atomic_fetch_add(&counter->value, delta) + delta);
}

static void counter_inc(struct counter *counter)
{
	counter_add(counter, 1);
}

static void counter_dec(struct counter *counter)
{
	counter_add(counter, -1);
}

static void counter_inc_delta(struct counter *counter, unsigned long long delta)
{
	counter_add(counter, (int64_t)delta);
}

static void counter_dec_delta(struct counter *counter, unsigned long long delta)
{
	counter_add(counter, -(int64_t)delta);
}

static void thread_set_name(const char *name)
{
	if (name != NULL)
		ctp_thread_name(name);
}

#define FUNCTION(name) \
	{ \
		"__itt_" #name, (void (*)(void))(name) \
	}

static const struct {
	const char *name;
	void (*function)(void);
} ours[] = {
	FUNCTION(domain_create),
	FUNCTION(string_handle_create),
	FUNCTION(task_begin),
	FUNCTION(task_begin_fn),
	FUNCTION(task_end),
	FUNCTION(frame_begin_v3),
	FUNCTION(frame_end_v3),
	FUNCTION(marker),
	FUNCTION(metadata_add),
	FUNCTION(metadata_str_add),
	FUNCTION(counter_create),
	FUNCTION(counter_create_typed),
	FUNCTION(counter_destroy),
	FUNCTION(counter_set_value),
	FUNCTION(counter_inc),
	FUNCTION(counter_dec),
	FUNCTION(counter_inc_delta),
	FUNCTION(counter_dec_delta),
	FUNCTION(thread_set_name),
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
		*function->pointer = function_of(function);
}

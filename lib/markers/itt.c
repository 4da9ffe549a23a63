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

#include "base/environment.h"
#include "markers/itt.h"
#include "base/stable_hash.h"

#define UNNAMED "(unnamed)"
#define BUCKETS 4096

CTP_API void __itt_api_init(struct itt_global *global, int groups);

static _Atomic bool paused;

bool itt_is_paused(void)
{
	return atomic_load_explicit(&paused, memory_order_relaxed);
}

/* The program's domain remembers ours. */
struct inject_domain *itt_domain_of(const struct itt_domain *theirs)
{
	struct inject_domain *domain;
	void **kept;

	if (theirs == NULL)
		return NULL;
	kept = (void **)(uintptr_t)&theirs->reserved_pointer;
	domain = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
	if (domain == NULL) {
		domain = inject_domain(theirs->name == NULL ? ITT_DEFAULT_DOMAIN
							    : theirs->name);
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

const char *itt_text(const struct itt_string *string)
{
	return string == NULL || string->text == NULL ? UNNAMED : string->text;
}

struct inject_message itt_message(
	const struct itt_domain *theirs, const char *text)
{
	const struct inject_domain *domain = itt_domain_of(theirs);

	return (struct inject_message){
		domain == NULL ? NULL : inject_literal(domain, text), text};
}

/* A task that begins while recording is paused may end when it is not. */
static void begin(
	const struct itt_domain *theirs, struct itt_id id, const char *text)
{
	const struct inject_id number = {id.low, id.high};
	const struct inject_domain *domain = itt_domain_of(theirs);

	if (domain == NULL)
		return;
	if (itt_is_paused())
		(void)inject_push_unseen(domain, number);
	else
		(void)inject_push(itt_message(theirs, text), number, NULL);
}

static void task_begin(const struct itt_domain *domain, struct itt_id id,
	struct itt_id parent, const struct itt_string *name)
{
	(void)parent;
	begin(domain, id, itt_text(name));
}

/* Named after a function, by its address. */
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
	const struct inject_domain *domain = itt_domain_of(theirs);

	if (domain != NULL)
		(void)inject_pop(domain);
}

static void marker(const struct itt_domain *domain, struct itt_id id,
	const struct itt_string *string, int scope)
{
	(void)id;
	(void)scope;
	if (!itt_is_paused())
		inject_event(CHUNK_INSTANT,
			itt_message(domain, itt_text(string)), 0, NULL);
}

/* A mark that tells why there is nothing, from here on or up to here. */
static void tell(const char *text)
{
	const struct inject_domain *domain = inject_domain(ITT_DEFAULT_DOMAIN);

	if (domain != NULL)
		inject_event(CHUNK_INSTANT,
			(struct inject_message){
				inject_literal(domain, text), text},
			0, NULL);
}

/* Of all threads, and of ITT only: who pauses VTune does not mean the rest. */
static void pause_all(void)
{
	if (!atomic_exchange(&paused, true))
		tell("paused");
}

static void resume_all(void)
{
	if (atomic_exchange(&paused, false))
		tell("resumed");
}

/* The first of the values; of tasks that are not the innermost, nothing can be
 * told any more. */
static void metadata_add(const struct itt_domain *domain, struct itt_id id,
	const struct itt_string *key, int type, size_t count, const void *data)
{
	struct itt_number number;

	if (domain == NULL || count == 0 || data == NULL ||
		!inject_is_innermost(itt_domain_of(domain),
			(struct inject_id){id.low, id.high}))
		return;
	number = itt_number_of(type, data);
	if (number.is_real)
		ctp_arg_float(itt_text(key), number.real);
	else
		ctp_arg_int(itt_text(key), number.whole);
}

/* Without a length, the text ends with a zero byte. */
static void metadata_str_add(const struct itt_domain *domain, struct itt_id id,
	const struct itt_string *key, const char *text, size_t size)
{
	char *copy;

	if (domain == NULL || text == NULL ||
		!inject_is_innermost(itt_domain_of(domain),
			(struct inject_id){id.low, id.high}))
		return;
	copy = size == 0 ? strdup(text) : strndup(text, size);
	if (copy == NULL)
		return;
	ctp_arg_string(itt_text(key), copy);
	free(copy);
}

static void thread_set_name(const char *name)
{
	if (name != NULL)
		ctp_thread_name(name);
}

#define FUNCTION(name, function) \
	{ \
		"__itt_" #name, (void (*)(void))(function) \
	}
#define HERE(name) FUNCTION(name, name)
#define THERE(name) FUNCTION(name, itt_##name)

static const struct {
	const char *name;
	void (*function)(void);
} ours[] = {
	HERE(domain_create),
	HERE(string_handle_create),
	HERE(task_begin),
	HERE(task_begin_fn),
	HERE(task_end),
	THERE(task_begin_overlapped),
	THERE(task_end_overlapped),
	THERE(region_begin),
	THERE(region_end),
	THERE(frame_begin_v3),
	THERE(frame_end_v3),
	HERE(marker),
	HERE(metadata_add),
	HERE(metadata_str_add),
	THERE(counter_create),
	THERE(counter_create_typed),
	THERE(counter_create_v3),
	THERE(counter_destroy),
	THERE(counter_set_value),
	FUNCTION(counter_set_value_v3, itt_counter_set_value),
	THERE(counter_inc),
	THERE(counter_dec),
	THERE(counter_inc_delta),
	THERE(counter_dec_delta),
	THERE(counter_inc_v3),
	THERE(counter_dec_v3),
	THERE(counter_inc_delta_v3),
	THERE(counter_dec_delta_v3),
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

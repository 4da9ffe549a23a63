/* SPDX-License-Identifier: MIT */
/*
 * ITT without its library: like ittnotify, this has a list of functions, which
 * the collector in INTEL_LIBITTNOTIFY64 fills. The functions that make domains
 * and strings are our own unless the collector has them; like ittnotify, we
 * keep lists.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/forward.h"
#include "base/environment.h"
#include "recorder/itt_abi.h"
#include "base/stable_hash.h"

#define VARIABLE "INTEL_LIBITTNOTIFY64"
#define ENTRY "__itt_api_init"
#define ALL_GROUPS (-1)
#define BUCKETS 65536

static struct itt_domain *make_domain(const char *name);
static struct itt_string *make_string(const char *text);

static struct {
	struct itt_domain *(*domain_create)(const char *name);
	struct itt_string *(*string_create)(const char *text);
	void (*begin)(const struct itt_domain *domain, struct itt_id id,
		struct itt_id parent, const struct itt_string *name);
	void (*end)(const struct itt_domain *domain);
	struct itt_domain *domain;
} itt = {.domain_create = make_domain, .string_create = make_string};

/* clang-format off */
#define FUNCTION(name, pointer, own) \
	{"__itt_" name, (void **)(void *)&itt.pointer, (void *)(own), \
		(void *)(own), ALL_GROUPS}

static struct itt_function functions[] = {
	FUNCTION("domain_create", domain_create, make_domain),
	FUNCTION("string_handle_create", string_create, make_string),
	FUNCTION("task_begin", begin, NULL),
	FUNCTION("task_end", end, NULL),
	{NULL, NULL, NULL, NULL, 0},
};
/* clang-format on */

static struct itt_global global = {.magic = ITT_MAGIC,
	.version = {ITT_VERSION},
	.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
	.functions = functions};

static struct itt_domain *make_domain(const char *name)
{
	struct itt_domain *domain = calloc(1, sizeof(*domain));

	if (domain == NULL)
		return NULL;
	domain->flags = 1;
	domain->name = name;
	domain->next = global.domains;
	global.domains = domain;
	return domain;
}

/* A string in the list, and where it is found: there are as many as there are
 * ranges with a sequence number. */
struct string {
	struct itt_string theirs; /* must be first */
	uint64_t hash;
	struct string *next; /* in its bucket */
};

static struct string *add_string(const char *text, uint64_t hash)
{
	struct string *made = calloc(1, sizeof(*made));

	if (made == NULL || (made->theirs.text = strdup(text)) == NULL) {
		free(made);
		return NULL;
	}
	made->hash = hash;
	made->theirs.next = global.strings;
	global.strings = &made->theirs;
	return made;
}

/* Called once for each permanent text, and for each temporary one. */
static struct itt_string *make_string(const char *text)
{
	static struct string *buckets[BUCKETS];
	const uint64_t hash = stable_hash(text, strlen(text));
	struct string **bucket = &buckets[hash % BUCKETS];
	struct string *string;

	(void)pthread_mutex_lock(&global.lock);
	for (string = *bucket; string != NULL &&
			       (string->hash != hash ||
				       strcmp(string->theirs.text, text) != 0);
		string = string->next)
		;
	if (string == NULL && (string = add_string(text, hash)) != NULL) {
		string->next = *bucket;
		*bucket = string;
	}
	(void)pthread_mutex_unlock(&global.lock);
	return string == NULL ? NULL : &string->theirs;
}

static bool open_tool(void)
{
	const char *path = environment_find(VARIABLE);
	void *library = path == NULL || path[0] == '\0'
				? NULL
				: dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	void *address = library == NULL ? NULL : dlsym(library, ENTRY);
	void (*init)(struct itt_global *, int) = NULL;

	if (address == NULL)
		return false;
	memcpy(&init, &address, sizeof(init));
	global.handle = library;
	global.state[0] = 1; /* initialised, */
	global.state[1] = 1; /* and so is the lock */
	init(&global, ALL_GROUPS);
	if (itt.domain_create == NULL || itt.string_create == NULL ||
		itt.begin == NULL || itt.end == NULL)
		return false;
	itt.domain = itt.domain_create(FORWARD_DOMAIN);
	return itt.domain != NULL;
}

static const void *name(const char *text)
{
	return itt.string_create(text);
}

static void begin(const void *string)
{
	itt.begin(itt.domain, (struct itt_id){0}, (struct itt_id){0}, string);
}

static void begin_text(const char *text)
{
	begin(itt.string_create(text));
}

static void end(void)
{
	itt.end(itt.domain);
}

const struct forward_tool forward_itt = {.open = open_tool,
	.name = name,
	.begin = begin,
	.begin_text = begin_text,
	.end = end};

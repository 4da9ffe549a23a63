/* SPDX-License-Identifier: MIT */
/*
 * A replacement for ittnotify in a program: the calls that itt_program.c makes,
 * each through a list that the collector in INTEL_LIBITTNOTIFY64 fills at the
 * first call. Names are ITT's.
 */
#ifndef ITT_CLIENT_H
#define ITT_CLIENT_H

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct domain {
	volatile int flags;
	const char *nameA;
	void *nameW;
	int extra1;
	void *extra2;
	struct domain *next;
} __itt_domain;

typedef struct string {
	const char *strA;
	void *strW;
	int extra1;
	void *extra2;
	struct string *next;
} __itt_string_handle;

typedef struct {
	unsigned long long d1, d2, d3;
} __itt_id;

typedef struct counter *__itt_counter;

enum {
	__itt_metadata_u64 = 1,
	__itt_metadata_s32 = 4,
	__itt_metadata_double = 8
};

static const __itt_id __itt_null;

struct api {
	const char *name;
	void **func_ptr;
	void *init_func;
	void *null_func;
	int group;
};

/* The calls, their parameters and arguments; these return nothing. */
#define CALLS(X) \
	X(task_begin, \
		(const __itt_domain *d, __itt_id i, __itt_id p, \
			__itt_string_handle *s), \
		(d, i, p, s)) \
	X(task_begin_fn, \
		(const __itt_domain *d, __itt_id i, __itt_id p, void *f), \
		(d, i, p, f)) \
	X(task_end, (const __itt_domain *d), (d)) \
	X(task_begin_overlapped, \
		(const __itt_domain *d, __itt_id i, __itt_id p, \
			__itt_string_handle *s), \
		(d, i, p, s)) \
	X(task_end_overlapped, (const __itt_domain *d, __itt_id i), (d, i)) \
	X(region_begin, \
		(const __itt_domain *d, __itt_id i, __itt_id p, \
			__itt_string_handle *s), \
		(d, i, p, s)) \
	X(region_end, (const __itt_domain *d, __itt_id i), (d, i)) \
	X(frame_begin_v3, (const __itt_domain *d, __itt_id *i), (d, i)) \
	X(frame_end_v3, (const __itt_domain *d, __itt_id *i), (d, i)) \
	X(marker, \
		(const __itt_domain *d, __itt_id i, __itt_string_handle *s, \
			int scope), \
		(d, i, s, scope)) \
	X(metadata_add, \
		(const __itt_domain *d, __itt_id i, __itt_string_handle *s, \
			int type, size_t count, void *data), \
		(d, i, s, type, count, data)) \
	X(metadata_str_add, \
		(const __itt_domain *d, __itt_id i, __itt_string_handle *s, \
			const char *text, size_t size), \
		(d, i, s, text, size)) \
	X(counter_set_value, (__itt_counter c, void *data), (c, data)) \
	X(counter_set_value_v3, (__itt_counter c, void *data), (c, data)) \
	X(counter_inc, (__itt_counter c), (c)) \
	X(counter_dec_delta, (__itt_counter c, unsigned long long delta), \
		(c, delta)) \
	X(counter_inc_v3, (const __itt_domain *d, __itt_string_handle *s), \
		(d, s)) \
	X(counter_dec_delta_v3, \
		(const __itt_domain *d, __itt_string_handle *s, \
			unsigned long long delta), \
		(d, s, delta)) \
	X(pause, (void), ()) \
	X(resume, (void), ()) \
	X(thread_set_name, (const char *name), (name)) \
	X(sync_prepare, (void *address), (address))

#define POINTER(name, parameters, arguments) \
	static void(*call_##name) parameters;
CALLS(POINTER)
static __itt_string_handle *(*call_string_handle_create)(const char *name);
static __itt_domain *(*call_domain_create)(const char *name);
static __itt_counter (*call_counter_create_typed)(
	const char *name, const char *domain, int type);
static __itt_counter (*call_counter_create_v3)(
	const __itt_domain *domain, const char *name, int type);

/* Functions of ittnotify itself. */
static __itt_domain *own_domain_create(const char *name)
{
	__itt_domain *made = calloc(1, sizeof(*made));

	made->flags = 1;
	made->nameA = strdup(name);
	return made;
}

static void load(void)
{
#define ENTRY(name, parameters, arguments) \
	{"__itt_" #name, (void **)&call_##name, NULL, NULL, 1},
	static struct api list[] = {CALLS(ENTRY){"__itt_domain_create",
					    (void **)&call_domain_create, NULL,
					    (void *)own_domain_create, 1},
		{"__itt_string_handle_create",
			(void **)&call_string_handle_create, NULL, NULL, 1},
		{"__itt_counter_create_typed",
			(void **)&call_counter_create_typed, NULL, NULL, 1},
		{"__itt_counter_create_v3", (void **)&call_counter_create_v3,
			NULL, NULL, 1},
		{NULL, NULL, NULL, NULL, 0}};
	static struct {
		unsigned char magic[8];
		unsigned long version[3];
		volatile long state[3];
		pthread_mutex_t mutex;
		void *lib, *error_handler;
		const char **dll_path_ptr;
		struct api *api_list_ptr;
		void *more[16];
	} global = {.magic = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30},
		.version = {3, 22, 20180723},
		.api_list_ptr = list};
	const char *path = getenv("INTEL_LIBITTNOTIFY64");
	void (*init)(void *, int) = NULL;

	if (path != NULL && (global.lib = dlopen(path, RTLD_LAZY)) != NULL)
		*(void **)&init = dlsym(global.lib, "__itt_api_init");
	if (init != NULL)
		init(&global, -1);
}

static inline void load_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, load);
}

/* Calls of a missing function do nothing. */
#define DEFINE(name, parameters, arguments) \
	static inline __attribute__((unused)) void __itt_##name parameters \
	{ \
		load_once(); \
		if (call_##name != NULL) \
			call_##name arguments; \
	}
CALLS(DEFINE)

static inline __itt_domain *__itt_domain_create(const char *name)
{
	load_once();
	return call_domain_create == NULL ? NULL : call_domain_create(name);
}

static inline __itt_string_handle *__itt_string_handle_create(const char *name)
{
	load_once();
	return call_string_handle_create == NULL
		       ? NULL
		       : call_string_handle_create(name);
}

static inline __attribute__((unused)) __itt_counter __itt_counter_create_typed(
	const char *name, const char *domain, int type)
{
	load_once();
	return call_counter_create_typed == NULL
		       ? NULL
		       : call_counter_create_typed(name, domain, type);
}

static inline __attribute__((unused)) __itt_counter __itt_counter_create_v3(
	const __itt_domain *domain, const char *name, int type)
{
	load_once();
	return call_counter_create_v3 == NULL
		       ? NULL
		       : call_counter_create_v3(domain, name, type);
}

#endif

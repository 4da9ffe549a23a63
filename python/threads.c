/* SPDX-License-Identifier: MIT */
#include "threads.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "pystring.h"

enum {
	FIRST_CALLS = 256,
	CALLS_MAX = 1 << 24, /* 256 MiB of stack, deeper than any recursion */
};

uint32_t tracer_on;

__thread struct tracer_thread *tracer_self
	__attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tracer_thread *threads;
static struct tracer_counts gone; /* counted by threads that have ended */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static uint64_t read_and_reset(uint64_t *counter)
{
	return __atomic_exchange_n(counter, 0, __ATOMIC_RELAXED);
}

static void collect(struct tracer_counts *sum, struct tracer_counts *counts)
{
	sum->exits_dropped += read_and_reset(&counts->exits_dropped);
	sum->calls_unwound += read_and_reset(&counts->calls_unwound);
	sum->calls_lost += read_and_reset(&counts->calls_lost);
	sum->hooks_replaced += read_and_reset(&counts->hooks_replaced);
}

/* The destructor of the key: the thread ends, and runs no Python. */
static void end(void *argument)
{
	struct tracer_thread *thread = argument, **at;

	tracer_self = NULL;
	pthread_mutex_lock(&lock);
	for (at = &threads; *at != NULL; at = &(*at)->next)
		if (*at == thread) {
			*at = thread->next;
			break;
		}
	collect(&gone, &thread->counts);
	pthread_mutex_unlock(&lock);
	free(thread->calls);
	free(thread);
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* The other threads are gone, and their destructors will not run. */
static void in_child(void)
{
	struct tracer_thread *thread, *next;

	for (thread = threads, threads = NULL; thread != NULL; thread = next) {
		next = thread->next;
		if (thread == tracer_self) {
			thread->next = NULL;
			threads = thread;
		} else {
			free(thread->calls);
			free(thread);
		}
	}
	gone = (struct tracer_counts){0};
	pthread_mutex_unlock(&lock);
}

static void make_key(void)
{
	has_key = pthread_key_create(&key, end) == 0 &&
		  pthread_atfork(before_fork, after_fork, in_child) == 0;
}

static struct tracer_thread *thread_new(void)
{
	struct tracer_thread *thread =
		aligned_alloc(_Alignof(struct tracer_thread), sizeof(*thread));

	if (thread == NULL)
		return NULL;
	/* Not the cache, which is large: joining a trace clears it. */
	memset((char *)thread + sizeof(thread->slots), 0,
		sizeof(*thread) - sizeof(thread->slots));
	/* The first is the bottom, with an identity that no callee has. */
	thread->calls = calloc(FIRST_CALLS, sizeof(*thread->calls));
	if (thread->calls == NULL) {
		free(thread);
		return NULL;
	}
	thread->top = thread->calls;
	thread->end = thread->calls + FIRST_CALLS;
	threads_set_limit(thread);
	return thread;
}

struct tracer_thread *threads_self(void)
{
	struct tracer_thread *thread = tracer_self;

	if (thread != NULL)
		return thread;
	(void)pthread_once(&once, make_key);
	thread = has_key ? thread_new() : NULL;
	if (thread == NULL)
		return NULL;
	if (pthread_setspecific(key, thread) != 0) {
		free(thread->calls);
		free(thread);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	thread->next = threads;
	threads = thread;
	pthread_mutex_unlock(&lock);
	tracer_self = thread;
	return thread;
}

/* Guards the caches where the interpreter's lock does not. */
#ifdef Py_GIL_DISABLED
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
#define CACHE_LOCK() pthread_mutex_lock(&cache_lock)
#define CACHE_UNLOCK() pthread_mutex_unlock(&cache_lock)
#else
#define CACHE_LOCK() ((void)0)
#define CACHE_UNLOCK() ((void)0)
#endif

void threads_cache(
	struct tracer_thread *thread, const struct tracer_slot *entry)
{
	struct tracer_slot *slot =
		threads_slot(thread, entry->identity, entry->place);

	CACHE_LOCK();
	if (slot->identity != NULL)
		*threads_other_slot(slot) = *slot;
	*slot = *entry;
	CACHE_UNLOCK();
}

static void forget(
	struct tracer_slot *slot, const void *identity, const void *place)
{
	if (slot->identity == identity && slot->place == place)
		__atomic_store_n(&slot->identity, NULL, __ATOMIC_RELAXED);
}

void threads_forget_call(const void *identity, const void *place)
{
	pthread_mutex_lock(&lock);
	CACHE_LOCK();
	for (struct tracer_thread *t = threads; t != NULL; t = t->next) {
		struct tracer_slot *slot = threads_slot(t, identity, place);

		/* Other caches are not even cleared. */
		if (t->trace == 0)
			continue;
		forget(slot, identity, place);
		forget(threads_other_slot(slot), identity, place);
	}
	CACHE_UNLOCK();
	pthread_mutex_unlock(&lock);
}

void threads_forget_code(const void *code)
{
	pthread_mutex_lock(&lock);
	for (struct tracer_thread *t = threads; t != NULL; t = t->next)
		line_table_forget(&t->line_tables, code);
	pthread_mutex_unlock(&lock);
}

struct tracer_counts threads_collect_counts(void)
{
	struct tracer_counts sum = {0};

	pthread_mutex_lock(&lock);
	collect(&sum, &gone);
	for (struct tracer_thread *t = threads; t != NULL; t = t->next)
		collect(&sum, &t->counts);
	pthread_mutex_unlock(&lock);
	return sum;
}

/* The name in threading._active, a new reference; NULL if none. */
static PyObject *name_of_self(void)
{
	static struct pystring threading = {"threading", NULL};
	static struct pystring threads_active = {"_active", NULL};
	static struct pystring thread_name = {"_name", NULL};
	PyObject *module = pystring_module(&threading);
	PyObject *active = NULL, *ident, *self, *name = NULL;

	if (module != NULL)
		active = pystring_attribute(&threads_active, module);
	ident = PyLong_FromUnsignedLong(PyThread_get_thread_ident());
	if (active != NULL && PyDict_Check(active) && ident != NULL) {
		self = pystring_item(active, ident);
		if (self != NULL)
			name = pystring_attribute(&thread_name, self);
		Py_XDECREF(self);
	}
	Py_XDECREF(module);
	Py_XDECREF(ident);
	Py_XDECREF(active);
	PyErr_Clear();
	return name;
}

void threads_name(struct tracer_thread *thread)
{
	PyObject *name = name_of_self();
	const char *text = NULL;

	if (name != NULL && PyUnicode_Check(name))
		text = PyUnicode_AsUTF8(name);
	if (text != NULL &&
		strncmp(text, thread->name, sizeof(thread->name) - 1) != 0) {
		size_t length = strnlen(text, sizeof(thread->name) - 1);

		memcpy(thread->name, text, length);
		thread->name[length] = '\0';
		ctp_thread_name(text);
	}
	Py_XDECREF(name);
	PyErr_Clear();
}

void threads_set_limit(struct tracer_thread *thread)
{
	size_t room = (size_t)(thread->end - thread->calls);
	size_t depth = thread->base + thread->max_depth;

	/* The first is not a call. */
	thread->limit = thread->max_depth == 0 || depth >= room - 1
				? thread->end
				: thread->calls + depth + 1;
}

bool threads_grow(struct tracer_thread *thread)
{
	size_t depth = (size_t)(thread->top - thread->calls);
	size_t size = 2 * (size_t)(thread->end - thread->calls);
	struct tracer_call *calls =
		size > CALLS_MAX ? NULL : calloc(size, sizeof(*calls));

	if (calls == NULL) {
		threads_count(&thread->counts.calls_lost);
		return false;
	}
	memcpy(calls, thread->calls, (depth + 1) * sizeof(*calls));
	free(thread->calls);
	thread->calls = calls;
	thread->top = calls + depth;
	thread->end = calls + size;
	threads_set_limit(thread);
	return true;
}

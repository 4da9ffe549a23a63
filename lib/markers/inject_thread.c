/* SPDX-License-Identifier: MIT */
/*
 * Each thread's open ranges. The log has one stack for a thread, while domains
 * need not nest: a range that ends below others ends those too, and the ends
 * of their own that come later are expected.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "markers/inject.h"
#include "recorder/instrument.h"
#include "recorder/thread.h"

/* Names by the address of their text; a power of two. */
#define SLOTS 256

struct slot {
	const char *text;
	const struct inject_name *name;
};

struct open_range {
	const struct inject_domain *domain;
	uint64_t session; /* it is in; 0: none, or it has ended */
	uint32_t level;   /* in its domain, from 1 on */
	struct inject_id id;
	struct ctp_site *site; /* of one outside the nesting; else NULL */
	uint64_t number;       /* that one's */
};

struct inject_thread {
	uint32_t depth;
	uint32_t room;
	struct open_range *open;
	struct slot slots[SLOTS];
};

/* A pointer only: there is little room for more in a library loaded later. */
static __thread struct inject_thread *inject_self
	__attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void forget(void *argument)
{
	struct inject_thread *self = argument;

	inject_self = NULL;
	free(self->open);
	free(self);
}

static void make_key(void)
{
	has_key = pthread_key_create(&key, forget) == 0;
}

static struct inject_thread *make_self(void)
{
	(void)pthread_once(&once, make_key);
	inject_self = has_key ? calloc(1, sizeof(*inject_self)) : NULL;
	if (inject_self != NULL && pthread_setspecific(key, inject_self) != 0) {
		free(inject_self);
		inject_self = NULL;
	}
	return inject_self;
}

static inline struct inject_thread *self_or_new(void)
{
	struct inject_thread *self = inject_self;

	return __builtin_expect(self != NULL, 1) ? self : make_self();
}

/* The recording that this thread's events go to; 0: none. Begins one that is
 * due. */
static inline uint64_t session(void)
{
	const struct ctp_thread *hot = ctp_self;

	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return 0;
	/* Where there is room, it is a thread's, in the recording that is on:
	 * who stops one takes the room from all. */
	if (__builtin_expect(
		    __atomic_load_n(&hot->limit, __ATOMIC_RELAXED) != NULL, 1))
		return atomic_load_explicit(
			&((const struct thread *)(const void *)hot)->session,
			memory_order_relaxed);
	return ctp_private_session();
}

const struct inject_name *inject_literal(
	const struct inject_domain *domain, const char *text)
{
	struct inject_thread *self = self_or_new();
	const struct inject_name *name;
	struct slot *slot;
	uint64_t hash;

	if (self == NULL)
		return inject_name(domain, text);
	hash = ((uintptr_t)text ^ (uintptr_t)domain << 3) *
	       UINT64_C(0x9e3779b97f4a7c15);
	slot = &self->slots[hash >> 56];
	_Static_assert(SLOTS == 256, "the hash has so many bits");
	name = slot->name;
	if (slot->text == text && name->domain == domain &&
		strcmp(name->text, text) == 0)
		return name;
	name = inject_name(domain, text);
	if (name != NULL && !name->is_other)
		*slot = (struct slot){text, name};
	return name;
}

/*
 * Where Python's calls are recorded, a range begins within the call that pushes
 * it, which ends first: there, ranges take no part in the nesting.
 */
static bool is_outside(void)
{
	static _Atomic int answer; /* 0: not looked yet */
	int known = atomic_load_explicit(&answer, memory_order_relaxed);

	if (known == 0) {
		known = environment_find("CTPROF_PYTHON") != NULL ? 1 : -1;
		atomic_store_explicit(&answer, known, memory_order_relaxed);
	}
	return known > 0;
}

static void begin_outside(struct open_range *open,
	struct inject_message message, struct inject_args *args)
{
	static _Atomic uint64_t last;

	open->site = message.name->site;
	open->number = atomic_fetch_add(&last, 1) + 1;
	inject_event(CHUNK_ASYNC_BEGIN, message, open->number, args);
}

static void end_outside(const struct open_range *open)
{
	if (open->site != NULL)
		ctp_async_end(open->site, open->number);
}

static bool grow(struct inject_thread *self)
{
	uint32_t room = self->room == 0 ? 32 : 2 * self->room;
	struct open_range *open = realloc(self->open, room * sizeof(*open));

	if (open == NULL)
		return false;
	self->open = open;
	self->room = room;
	return true;
}

/* How many ranges of the domain are open: 1 for the first. */
static uint32_t level_of(
	const struct inject_thread *self, const struct inject_domain *domain)
{
	uint32_t depth = self->depth;

	while (depth > 0 && self->open[depth - 1].domain != domain)
		depth--;
	return depth == 0 ? 0 : self->open[depth - 1].level;
}

/* Another open range of the domain, which has no session; NULL if out of
 * memory. */
static struct open_range *add_open(
	const struct inject_domain *domain, struct inject_id id)
{
	struct inject_thread *self = self_or_new();
	struct open_range *open;
	uint32_t level;

	if (self == NULL || (self->depth == self->room && !grow(self)))
		return NULL;
	level = level_of(self, domain);
	open = &self->open[self->depth++];
	*open = (struct open_range){
		.domain = domain, .level = level + 1, .id = id};
	return open;
}

int inject_push_unseen(const struct inject_domain *domain, struct inject_id id)
{
	const struct open_range *open = add_open(domain, id);

	return open == NULL ? -1 : (int)open->level - 1;
}

/* Of the range that was opened last. */
static void tell(const struct inject_args *args)
{
	for (uint32_t i = 0; i < args->count; i++) {
		const struct record_arg *arg = &args->items[i];
		double real;

		memcpy(&real, &arg->number, sizeof(real));
		if (arg->kind == CHUNK_ARG_INT)
			ctp_arg_int(arg->key, (int64_t)arg->number);
		else if (arg->kind == CHUNK_ARG_FLOAT)
			ctp_arg_float(arg->key, real);
		else
			ctp_arg_string(arg->key, arg->text);
	}
}

int inject_push(struct inject_message message, struct inject_id id,
	struct inject_args *args)
{
	struct open_range *open = message.name == NULL
					  ? NULL
					  : add_open(message.name->domain, id);
	uint64_t number;

	if (open == NULL)
		return -1;
	number = session();
	if (number == 0)
		return (int)open->level - 1;
	if (is_outside()) {
		begin_outside(open, message, args);
	} else if (ctp_begin_inline(message.name->site)) {
		open->session = number;
		if (message.name->is_other)
			ctp_arg_string(INJECT_OTHER_KEY, message.text);
		if (args != NULL)
			tell(args);
	}
	return (int)open->level - 1;
}

/* Ends a range below others. */
static void end_below(struct inject_thread *self, uint32_t depth, uint64_t now)
{
	bool is_open = now != 0 && self->open[depth].session == now;
	uint64_t cut = 0;

	for (uint32_t i = self->depth; is_open && i-- > depth;) {
		struct open_range *open = &self->open[i];

		if (open->session == now) {
			ctp_end_inline();
			cut += i > depth;
		}
		open->session = 0;
	}
	if (cut != 0)
		ctp_repaired(cut, 0);
	self->depth--;
	memmove(self->open + depth, self->open + depth + 1,
		(self->depth - depth) * sizeof(*self->open));
}

int inject_pop(const struct inject_domain *domain)
{
	struct inject_thread *self = self_or_new();
	uint32_t depth = self == NULL ? 0 : self->depth;
	uint64_t now = session();
	int level;

	while (depth > 0 && self->open[depth - 1].domain != domain)
		depth--;
	if (depth == 0) {
		if (now != 0)
			ctp_repaired(0, 1);
		return -1;
	}
	level = (int)self->open[depth - 1].level - 1;
	end_outside(&self->open[depth - 1]);
	if (depth == self->depth) {
		if (self->open[depth - 1].session == now && now != 0)
			ctp_end_inline();
		self->depth--;
	} else {
		end_below(self, depth - 1, now);
	}
	return level;
}

bool inject_is_innermost(
	const struct inject_domain *domain, struct inject_id id)
{
	const struct inject_thread *self = inject_self;
	const struct open_range *top;

	if (self == NULL || self->depth == 0)
		return false;
	top = &self->open[self->depth - 1];
	return top->domain == domain && top->session != 0 &&
	       top->session == session() &&
	       ((id.low == 0 && id.high == 0) ||
		       (id.low == top->id.low && id.high == top->id.high));
}

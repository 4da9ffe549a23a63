/* SPDX-License-Identifier: MIT */
/*
 * Names and domains. An entry is never changed or removed, so that it is read
 * without a lock. One exchange adds it, so that no fork() finds it halfway.
 *
 * The text at an address may change, so each lookup compares all of it.
 *
 * Each thread's open ranges. The log has one stack per thread, but domains need
 * not nest: a range that ends below others ends those, too, and their own later
 * ends are expected.
 */
#include "markers/inject.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"
#include "base/stable_hash.h"
#include "recorder/instrument_abi.h"
#include "recorder/thread_state.h"

void inject_arg_int(struct inject_args *args, const char *key, int64_t value)
{
	args->items[args->count++] = (struct record_arg){
		.kind = CHUNK_ARG_INT, .key = key, .number = (uint64_t)value};
}

void inject_arg_float(struct inject_args *args, const char *key, double value)
{
	struct record_arg *arg = &args->items[args->count++];

	*arg = (struct record_arg){.kind = CHUNK_ARG_FLOAT, .key = key};
	memcpy(&arg->number, &value, sizeof(value));
}

void inject_arg_text(
	struct inject_args *args, const char *key, const char *text)
{
	args->items[args->count++] = (struct record_arg){
		.kind = CHUNK_ARG_TEXT, .key = key, .text = text};
}

void inject_event(enum chunk_long kind, struct inject_message message,
	uint64_t id, struct inject_args *args)
{
	struct inject_args none;

	if (message.name == NULL)
		return;
	none.count = 0;
	if (args == NULL)
		args = &none;
	if (message.name->is_other)
		inject_arg_text(args, INJECT_OTHER_KEY, message.text);
	ctp_private_event(&(struct record_event){.kind = kind,
		.site = message.name->site,
		.id = id,
		.args = args->items,
		.arg_count = args->count});
}

/*
 * Programs generate names: torch's emit_nvtx numbers every operation. This many
 * are kept, half a kilobyte each.
 */
#define NAMES_MAX (UINT32_C(1) << 17)
#define OTHER "(other)"

#define BUCKETS (UINT32_C(1) << 14)

struct inject_label {
	struct inject_label *next;
	uint32_t category;
	char name[];
};

static struct {
	struct inject_domain *_Atomic domains;
	struct inject_name *_Atomic buckets[BUCKETS];
	struct inject_name *_Atomic by_number[NAMES_MAX];
	_Atomic uint32_t count;
} names;

static struct inject_domain *find_domain(
	struct inject_domain *domain, const char *name)
{
	while (domain != NULL && strcmp(domain->name, name) != 0)
		domain = domain->next;
	return domain;
}

struct inject_domain *inject_domain(const char *name)
{
	struct inject_domain *first = atomic_load(&names.domains);
	struct inject_domain *found = find_domain(first, name);
	struct inject_domain *made;

	if (found != NULL)
		return found;
	made = calloc(1, sizeof(*made));
	if (made == NULL || (made->name = strdup(name)) == NULL) {
		free(made);
		return NULL;
	}
	/* Check only the entries added since. */
	do {
		found = find_domain(first, name);
		if (found != NULL) {
			free((void *)(uintptr_t)made->name);
			free(made);
			return found;
		}
		made->next = first;
	} while (!atomic_compare_exchange_weak(&names.domains, &first, made));
	return made;
}

static uint64_t hash_of(
	const struct inject_domain *domain, const char *text, size_t size)
{
	return stable_hash(text, size) ^
	       (uint64_t)(uintptr_t)domain * UINT64_C(0x9e3779b97f4a7c15);
}

static struct inject_name *find(struct inject_name *name,
	const struct inject_domain *domain, uint64_t hash, const char *text)
{
	while (name != NULL && (name->hash != hash || name->domain != domain ||
				       strcmp(name->text, text) != 0))
		name = name->next;
	return name;
}

/* Returns a new number; 0 if all are used. */
static uint32_t next_number(bool is_other)
{
	uint32_t count = atomic_load(&names.count);
	/* Some are reserved for names that represent others. */
	uint32_t most = is_other ? NAMES_MAX - 1 : NAMES_MAX - 1024;

	do
		if (count >= most)
			return 0;
	while (!atomic_compare_exchange_weak(&names.count, &count, count + 1));
	return count + 1;
}

static struct inject_name *make(
	const struct inject_domain *domain, uint64_t hash, const char *text)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	bool is_other = strcmp(text, OTHER) == 0;
	uint32_t number = next_number(is_other);
	struct inject_name *made =
		number == 0 ? NULL : calloc(1, sizeof(*made));

	if (made == NULL || (made->text = strdup(text)) == NULL) {
		free(made);
		return NULL;
	}
	info.name = text;
	info.category = domain->name;
	made->site = ctp_site_intern_info(&info);
	made->domain = domain;
	made->hash = hash;
	made->number = number;
	made->is_other = is_other;
	atomic_store(&names.by_number[number], made);
	return made;
}

static const struct inject_name *add(
	const struct inject_domain *domain, uint64_t hash, const char *text)
{
	struct inject_name *_Atomic *bucket =
		&names.buckets[hash & (BUCKETS - 1)];
	struct inject_name *made = make(domain, hash, text);
	struct inject_name *found;

	if (made == NULL)
		return strcmp(text, OTHER) == 0 ? NULL
						: inject_name(domain, OTHER);
	made->next = atomic_load(bucket);
	/* Two threads may add the same name: the second entry is found only by
	 * number. */
	while (!atomic_compare_exchange_weak(bucket, &made->next, made)) {
		found = find(made->next, domain, hash, text);
		if (found != NULL)
			return found;
	}
	return made;
}

const struct inject_name *inject_name(
	const struct inject_domain *domain, const char *text)
{
	uint64_t hash = hash_of(domain, text, strlen(text));
	const struct inject_name *found =
		find(atomic_load(&names.buckets[hash & (BUCKETS - 1)]), domain,
			hash, text);

	return found != NULL ? found : add(domain, hash, text);
}

const struct inject_name *inject_numbered(uint64_t number)
{
	return number < NAMES_MAX ? atomic_load(&names.by_number[number])
				  : NULL;
}

void inject_label(
	struct inject_domain *domain, uint32_t category, const char *name)
{
	size_t size = strlen(name) + 1;
	struct inject_label *label = malloc(sizeof(*label) + size);

	if (label == NULL)
		return;
	label->category = category;
	memcpy(label->name, name, size);
	label->next = atomic_load(&domain->labels);
	while (!atomic_compare_exchange_weak(
		&domain->labels, &label->next, label))
		;
}

const char *inject_label_of(
	const struct inject_domain *domain, uint32_t category)
{
	const struct inject_label *label = atomic_load(&domain->labels);

	while (label != NULL && label->category != category)
		label = label->next;
	return label == NULL ? NULL : label->name;
}

/* Appends a character as UTF-8; false if there is no room. Invalid characters
 * are left for the readers to report. */
static bool append(char *out, size_t *used, uint32_t code)
{
	static const uint32_t first[] = {0, 0xc0, 0xe0, 0xf0};
	unsigned more = code < 0x80      ? 0
			: code < 0x800   ? 1
			: code < 0x10000 ? 2
					 : 3;

	if (*used + more + 1 >= INJECT_WIDE)
		return false;
	out[(*used)++] = (char)(first[more] | code >> (6 * more));
	while (more-- > 0)
		out[(*used)++] = (char)(0x80 | (code >> (6 * more) & 0x3f));
	return true;
}

const char *inject_wide(char out[static INJECT_WIDE], const wchar_t *text)
{
	size_t used = 0;

	while (*text != L'\0' && append(out, &used, (uint32_t)*text))
		text++;
	out[used] = '\0';
	return out;
}

/* Names by the address of their text; a power of two. */
#define SLOTS 256

struct slot {
	const char *text;
	const struct inject_name *name;
};

struct open_range {
	const struct inject_domain *domain;
	uint64_t session; /* its recording; 0: none, or it has ended */
	uint32_t level;   /* depth in its domain, from 1 */
	struct inject_id id;
	struct ctp_site *site; /* for a range outside the nesting; else NULL */
	uint64_t number;       /* its number */
};

struct inject_thread {
	uint32_t depth;
	uint32_t room;
	struct open_range *open;
	struct slot slots[SLOTS];
};

/* Only a pointer: a library loaded later has little room for more. */
static __thread struct inject_thread *inject_self
	__attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void forget(void *argument)
{
	struct inject_thread *self = argument;

	inject_self = NULL;
	memory_free(self->open);
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

/* The recording of this thread's events; 0: none. Begins one that is due. */
static inline uint64_t session(void)
{
	const struct ctp_thread *hot = ctp_self;

	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return 0;
	/* A thread with room is in the current recording, since stopping one
	 * takes the room from all threads. */
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
	_Static_assert(SLOTS == 256, "the hash has 8 bits");
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
 * If Python's calls are recorded, a range begins within the call that pushes
 * it, which ends first: there, ranges do not nest.
 */
static bool is_outside(void)
{
	static _Atomic int answer; /* 0: not checked yet */
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

/* The number of open ranges of the domain: 1 for the first. */
static uint32_t level_of(
	const struct inject_thread *self, const struct inject_domain *domain)
{
	uint32_t depth = self->depth;

	while (depth > 0 && self->open[depth - 1].domain != domain)
		depth--;
	return depth == 0 ? 0 : self->open[depth - 1].level;
}

/* Adds an open range of the domain, without a session; NULL if out of
 * memory. */
static struct open_range *add_open(
	const struct inject_domain *domain, struct inject_id id)
{
	struct inject_thread *self = self_or_new();
	struct open_range *open;
	uint32_t level;

	if (self == NULL || !array_reserve32(&self->open, self->depth,
				    &self->room, sizeof(*self->open)))
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

/* Adds arguments to the range opened last. */
static void add_args(const struct inject_args *args)
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
			add_args(args);
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

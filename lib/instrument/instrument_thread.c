/* SPDX-License-Identifier: MIT */
/*
 * The slow path of the hooks: a new function, a full chunk, a stack to repair,
 * a signal handler. Signals are blocked meanwhile, so that no handler finds
 * locks held, or jumps out with locks held; and so is cancellation, since
 * cancellation points are called here.
 */
#include "instrument/instrument_thread.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "instrument/functions.h"
#include "recorder/instrument_abi.h"
#include "recorder/thread_state.h"

/* ---- modules ---- */

/*
 * dl_iterate_phdr() holds a lock of the dynamic linker during callbacks, even
 * the program's own, which may be instrumented. So our lock is never held when
 * calling it, only taken within.
 */

#define FIRST_ROOM 64
#define PATH_BYTES 4096
#define BUILD_ID_MAX 64
#define FORK_TRIES 100000

struct module {
	uintptr_t base;
	uintptr_t last; /* address */
	uint32_t number;
	uint32_t filter; /* ctp_private_filter()'s */
	uint64_t seen;   /* in this iteration */
	bool closed;
};

static struct {
	pthread_mutex_t lock;
	struct module *all;
	uint32_t room;
	uint32_t count;
	uint64_t looks;
	_Atomic uint32_t asking; /* threads in dl_iterate_phdr() */
} modules = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A module known by the dynamic linker. */
struct found {
	uintptr_t address; /* address that it must contain */
	uintptr_t base;
	uintptr_t last;
	uint8_t build_id[BUILD_ID_MAX];
	uint32_t build_id_bytes;
	char path[PATH_BYTES];
};

/* Around fork(). */
static void modules_lock(void)
{
	/* A child would wait forever for the linker's lock if another thread
	 * held it. But a thread that waits for us must not block us forever. */
	for (int i = 0; i < FORK_TRIES && atomic_load(&modules.asking) != 0;
		i++)
		(void)sched_yield();
	(void)pthread_mutex_lock(&modules.lock);
}

static void modules_unlock(void)
{
	(void)pthread_mutex_unlock(&modules.lock);
}

static void ask(int (*call)(struct dl_phdr_info *info, size_t size, void *data),
	void *data)
{
	atomic_fetch_add(&modules.asking, 1);
	(void)dl_iterate_phdr(call, data);
	atomic_fetch_sub(&modules.asking, 1);
}

/* Finds its lowest and last address; false if it has no segments. */
static bool find_range(
	const struct dl_phdr_info *info, uintptr_t *base, uintptr_t *last)
{
	uintptr_t low = UINTPTR_MAX;
	uintptr_t high = 0;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type != PT_LOAD || header->p_memsz == 0)
			continue;
		if (header->p_vaddr < low)
			low = header->p_vaddr;
		if (header->p_vaddr + header->p_memsz - 1 > high)
			high = header->p_vaddr + header->p_memsz - 1;
	}
	*base = info->dlpi_addr + low;
	*last = info->dlpi_addr + high;
	return low <= high;
}

/* Reads the build id in a segment of notes. */
static void read_notes(
	const uint8_t *notes, size_t bytes, size_t align, struct found *found)
{
	size_t at = 0;

	while (bytes - at >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)(notes + at);
		size_t name = at + sizeof(*note);
		size_t id = (name + note->n_namesz + align - 1) & ~(align - 1);

		if (id > bytes || note->n_descsz > bytes - id)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			memcmp(notes + name, "GNU", 4) == 0 &&
			note->n_descsz <= BUILD_ID_MAX) {
			memcpy(found->build_id, notes + id, note->n_descsz);
			found->build_id_bytes = note->n_descsz;
			return;
		}
		at = (id + note->n_descsz + align - 1) & ~(align - 1);
		if (at > bytes)
			return;
	}
}

static void read_build_id(const struct dl_phdr_info *info, struct found *found)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_NOTE && found->build_id_bytes == 0)
			read_notes((const uint8_t *)(info->dlpi_addr +
						     header->p_vaddr),
				header->p_memsz, header->p_align == 8 ? 8 : 4,
				found);
	}
}

/* Reads the path, absolute if possible. */
static void read_path(const char *name, struct found *found)
{
	size_t used = 0;

	if (name == NULL || name[0] == '\0') { /* the program itself */
		ssize_t size = readlink(
			"/proc/self/exe", found->path, sizeof(found->path) - 1);

		found->path[size < 0 ? 0 : size] = '\0';
		return;
	}
	if (name[0] != '/' && strchr(name, '/') != NULL &&
		getcwd(found->path, sizeof(found->path) - 1) != NULL) {
		used = strlen(found->path);
		found->path[used++] = '/';
	}
	(void)snprintf(
		found->path + used, sizeof(found->path) - used, "%s", name);
}

static int match_address(struct dl_phdr_info *info, size_t size, void *data)
{
	struct found *found = data;

	(void)size;
	if (!find_range(info, &found->base, &found->last) ||
		found->address < found->base || found->address > found->last)
		return 0;
	read_build_id(info, found);
	read_path(info->dlpi_name, found);
	return 1;
}

/* The lock is held for the following functions. */

static struct module *find_by_address(uintptr_t address)
{
	for (uint32_t i = 0; i < modules.count; i++) {
		struct module *module = &modules.all[i];

		if (!module->closed && address >= module->base &&
			address <= module->last)
			return module;
	}
	return NULL;
}

static bool make_room(void)
{
	uint32_t room = modules.room == 0 ? FIRST_ROOM : modules.room * 2;
	struct module *all;

	if (modules.count < modules.room)
		return true;
	all = mmap(NULL, room * sizeof(*all), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return false;
	if (modules.count > 0) {
		memcpy(all, modules.all, modules.count * sizeof(*all));
		(void)munmap(modules.all, modules.room * sizeof(*modules.all));
	}
	modules.all = all;
	modules.room = room;
	return true;
}

/* Finds a closed module's entry for reuse. */
static struct module *find_unused(void)
{
	for (uint32_t i = 0; i < modules.count; i++)
		if (modules.all[i].closed)
			return &modules.all[i];
	return make_room() ? &modules.all[modules.count++] : NULL;
}

static struct module *add(const struct found *found)
{
	struct module *module = find_by_address(found->address);
	uint32_t number;

	if (module != NULL) /* another thread did */
		return module;
	number = ctp_private_module(
		&(struct registry_module){.base = found->base,
			.bytes = found->last - found->base + 1,
			.path = found->path,
			.build_id = found->build_id,
			.build_id_bytes = found->build_id_bytes});
	module = number == 0 ? NULL : find_unused();
	if (module != NULL)
		*module = (struct module){.base = found->base,
			.last = found->last,
			.number = number,
			.filter = ctp_private_filter(found->path),
			.seen = modules.looks};
	return module;
}

static uint64_t tag_of(uint32_t number)
{
	return number < CHUNK_ID_LONG ? (uint64_t)number << CTP_TICK_BITS
				      : FUNCTION_NUMBER + number;
}

static uint64_t tag_in(const struct module *module, uintptr_t address)
{
	uint64_t offset = address - module->base;

	if (ctp_private_is_excluded(module->filter, offset))
		return FUNCTION_EXCLUDED;
	return tag_of(ctp_private_function(module->number, offset));
}

/* Code generated at run time has no module, only an address. */
static uint64_t tag_nowhere(uintptr_t address)
{
	char name[2 + 2 * sizeof(address) + 1];

	(void)snprintf(name, sizeof(name), "%#zx", (size_t)address);
	return tag_of(ctp_private_site(name));
}

/*
 * Returns the tag of the function at this address and adds it to the table.
 *
 * Threads: any. Locks, and asks the dynamic linker; signals are blocked.
 */
static uint64_t modules_resolve(uintptr_t address)
{
	struct found found = {.address = address};
	struct module *module;
	uint64_t tag;

	(void)pthread_mutex_lock(&modules.lock);
	module = find_by_address(address);
	if (module == NULL) {
		(void)pthread_mutex_unlock(&modules.lock);
		ask(match_address, &found);
		(void)pthread_mutex_lock(&modules.lock);
		if (found.path[0] != '\0')
			module = add(&found);
	}
	tag = module == NULL ? tag_nowhere(address) : tag_in(module, address);
	(void)function_set(address, tag);
	(void)pthread_mutex_unlock(&modules.lock);
	return tag;
}

static int mark_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t base;
	uintptr_t last;

	(void)size;
	(void)data;
	if (!find_range(info, &base, &last))
		return 0;
	(void)pthread_mutex_lock(&modules.lock);
	for (uint32_t i = 0; i < modules.count; i++)
		if (modules.all[i].base == base && modules.all[i].last == last)
			modules.all[i].seen = modules.looks;
	(void)pthread_mutex_unlock(&modules.lock);
	return 0;
}

/* Finds modules that are gone, after dlclose(). Signals are blocked. */
static void modules_find_closed(void)
{
	uint64_t look;

	(void)pthread_mutex_lock(&modules.lock);
	look = ++modules.looks;
	(void)pthread_mutex_unlock(&modules.lock);
	ask(mark_loaded, NULL);
	(void)pthread_mutex_lock(&modules.lock);
	for (uint32_t i = 0; i < modules.count; i++) {
		struct module *module = &modules.all[i];

		if (module->closed || module->seen >= look)
			continue;
		module->closed = true;
		ctp_private_module_closed(module->number);
		function_forget(module->base, module->last);
	}
	(void)pthread_mutex_unlock(&modules.lock);
}

/* Makes all functions be resolved again. */
static void modules_forget(void)
{
	(void)pthread_mutex_lock(&modules.lock);
	for (uint32_t i = 0; i < modules.count; i++)
		modules.all[i].closed = true;
	function_forget(0, UINTPTR_MAX);
	(void)pthread_mutex_unlock(&modules.lock);
}

/* Minimum number of bytes that the kernel keeps free below the main thread's
 * stack, regardless of the initial limit. */
#define MAIN_STACK_LEAST ((uintptr_t)128 * 1024 * 1024)
#define MAIN_STACK_MOST ((uintptr_t)64 * 1024 * 1024 * 1024)

__thread struct instrument_self instrument_self = {
	.shadow = {.top = &shadow_none}};

/* Signals and cancellation as they were before the slow path. */
struct saved_signals {
	sigset_t mask;
	int cancel;
};

static void signals_block(struct saved_signals *saved)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &saved->mask);
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel);
}

static void signals_restore(const struct saved_signals *saved)
{
	(void)pthread_setcancelstate(saved->cancel, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
}

static bool is_on_alternate(void)
{
	stack_t stack;

	return sigaltstack(NULL, &stack) == 0 &&
	       (stack.ss_flags & SS_ONSTACK) != 0;
}

/* Finds the stack of the calling hook and its bounds. The stack for signal
 * handlers may be inside the thread's own. */
static void classify_stack(
	const struct shadow *shadow, struct deferred_event *event)
{
	if (is_on_alternate())
		event->elsewhere = SHADOW_ALTERNATE;
	else if (!shadow_is_own(shadow, event->event.sp))
		event->elsewhere = SHADOW_FOREIGN;
	else
		event->elsewhere = SHADOW_OWN;
	event->slot = event->elsewhere == SHADOW_OWN && !event->is_exit
			      ? shadow_slot(shadow, &event->event)
			      : 0;
}

/*
 * The C library keeps the block of a thread's stack, its size and that of the
 * guard in three words of its descriptor, whose place is not public. And
 * pthread_getattr_np(), which returns them, allocates: each thread would get an
 * arena of its own. So it is called once, and the words are searched for.
 */
#define DESCRIPTOR_WORDS 256
static _Atomic uint32_t block_word; /* + 1; 0: unknown */

__attribute__((no_sanitize("address"))) static bool is_block(
	const uintptr_t *word, uintptr_t low, uintptr_t high)
{
	return word[0] + word[1] == high && word[0] + word[2] == low &&
	       word[2] < word[1];
}

static void learn_block(uintptr_t low, uintptr_t high)
{
	const uintptr_t *words = (const uintptr_t *)pthread_self();

	for (uint32_t i = 0; i + 2 < DESCRIPTOR_WORDS; i++)
		if (is_block(words + i, low, high)) {
			atomic_store(&block_word, i + 1);
			return;
		}
}

/* False if the place is unknown, or this stack is not such a block. */
__attribute__((no_sanitize("address"))) static bool read_block(
	uintptr_t *low, uintptr_t *high)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uint32_t word = atomic_load(&block_word);
	const uintptr_t *block = (const uintptr_t *)pthread_self() + word - 1;

	if (word == 0)
		return false;
	*low = block[0] + block[2];
	*high = block[0] + block[1];
	return is_block(block, *low, *high) && *low <= here && here < *high;
}

/*
 * The ends of the thread's stack. The main thread's grows, so its largest
 * extent counts; the name of the program's file is at its top.
 */
static bool find_stack(uintptr_t *low, uintptr_t *high)
{
	pthread_attr_t attributes;
	struct rlimit limit;
	void *start = NULL;
	size_t size = 0;

	if (syscall(SYS_gettid) == getpid()) {
		*high = (uintptr_t)getauxval(AT_EXECFN);
		if (getrlimit(RLIMIT_STACK, &limit) != 0 ||
			limit.rlim_cur > MAIN_STACK_MOST)
			limit.rlim_cur = MAIN_STACK_MOST;
		if (limit.rlim_cur < MAIN_STACK_LEAST)
			limit.rlim_cur = MAIN_STACK_LEAST;
		*low = *high < limit.rlim_cur ? 0 : *high - limit.rlim_cur;
		return *high != 0;
	}
	if (read_block(low, high))
		return true;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return false;
	(void)pthread_attr_getstack(&attributes, &start, &size);
	(void)pthread_attr_destroy(&attributes);
	*low = (uintptr_t)start;
	*high = *low + size;
	learn_block(*low, *high);
	return size != 0;
}

static bool init(struct instrument_self *self)
{
	uintptr_t low;
	uintptr_t high;
	struct deferred_events *deferred;

	if (self->deferred != NULL)
		return true;
	if (!find_stack(&low, &high))
		return false;
	deferred = mmap(NULL, sizeof(*deferred), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (deferred == MAP_FAILED)
		return false;
	if (!shadow_init(&self->shadow, low, high)) {
		(void)munmap(deferred, sizeof(*deferred));
		return false;
	}
	self->session = 0;
	self->deferred = deferred;
	return true;
}

/* Ends the innermost functions, the last one at its own exit unless all are
 * lost. Returns the time. */
static uint64_t end_functions(
	struct shadow *shadow, uint32_t count, uint32_t lost, uint64_t ticks)
{
	if (lost != 0)
		ctp_private_lose(
			&(struct chunk_losses){.unwound_ranges = lost});
	for (; count > 0; count--) {
		ticks = ctp_private_end(ticks);
		shadow->top--;
	}
	return ticks;
}

/* Handles functions too deep to be recorded; true if this event belongs to
 * one. */
static bool is_beyond(struct shadow *shadow,
	const struct deferred_event *deferred, bool enters)
{
	const struct shadow_event *event = &deferred->event;
	/* The stack pointer of a tail-called hook is the caller's. */
	uintptr_t first = !enters && event->pc == event->call_site
				  ? shadow->top->sp
				  : shadow->beyond_sp;

	if (shadow->beyond == 0)
		return false;
	if (deferred->elsewhere == SHADOW_OWN && event->sp > first) {
		shadow->beyond = 0;
		return false;
	}
	if (enters)
		shadow->beyond++;
	else
		shadow->beyond--;
	return true;
}

static uint64_t drop(struct shadow *shadow, uintptr_t sp)
{
	if (shadow->beyond == 0) {
		shadow->beyond = 1;
		shadow->beyond_sp = sp;
	}
	ctp_private_lose(&(struct chunk_losses){.dropped_ranges = 1});
	return ctp_private_ticks();
}

static uint64_t do_enter(
	struct instrument_self *self, const struct deferred_event *deferred)
{
	const struct shadow_event *event = &deferred->event;
	struct shadow *shadow = &self->shadow;
	uint64_t tag = function_tag(event->function);
	uint64_t ticks = deferred->ticks;
	uint32_t number;
	uintptr_t sp;
	uint32_t dead;

	if (tag == 0)
		tag = modules_resolve(event->function);
	if (tag == FUNCTION_EXCLUDED)
		return ticks;
	if (is_beyond(shadow, deferred, true))
		return drop(shadow, shadow->beyond_sp);
	dead = shadow_dead(
		shadow, event, deferred->elsewhere, deferred->slot, &sp);
	ticks = end_functions(shadow, dead, dead, ticks);
	if (!shadow_make_room(shadow))
		return drop(shadow, sp);
	number = tag < FUNCTION_TAG ? (uint32_t)(tag - FUNCTION_NUMBER)
				    : (uint32_t)(tag >> CTP_TICK_BITS);
	ticks = ctp_private_begin(number, ticks);
	if (ticks != 0)
		*++shadow->top = shadow_frame(sp, event);
	return ticks;
}

static uint64_t do_exit(
	struct instrument_self *self, const struct deferred_event *deferred)
{
	struct shadow *shadow = &self->shadow;
	uint32_t count;

	if (is_beyond(shadow, deferred, false))
		return ctp_private_ticks();
	count = shadow_find(shadow, &deferred->event, deferred->elsewhere);
	if (count == 0) {
		ctp_private_lose(&(struct chunk_losses){.stray_exits = 1});
		return ctp_private_ticks();
	}
	return end_functions(shadow, count, count - 1, deferred->ticks);
}

/* Records an event. Returns its time, or 0. */
static uint64_t handle(
	struct instrument_self *self, const struct deferred_event *deferred)
{
	uint64_t session = ctp_private_session();

	if (session == 0)
		return 0;
	if (session != self->session) {
		shadow_reset(&self->shadow);
		self->session = session;
	}
	return deferred->is_exit ? do_exit(self, deferred)
				 : do_enter(self, deferred);
}

/* Handles events deferred by handlers; more may arrive meanwhile, since called
 * functions may be instrumented. Times must not go back. */
static void handle_waiting(struct instrument_self *self, uint64_t ticks)
{
	struct deferred_events *deferred = self->deferred;

	for (uint32_t i = 0; i < self->waiting; i++) {
		struct deferred_event *event = &deferred->events[i];

		if (event->ticks < ticks)
			event->ticks = ticks;
		ticks = event->ticks;
		(void)handle(self, event);
	}
	__atomic_store_n(&self->waiting, 0, __ATOMIC_RELAXED);
	deferred->open = 0;
	deferred->dropped = 0;
}

/*
 * Defers an event of a handler that interrupted a hook. An entry reserves room
 * for its exit, so that no function stays open.
 */
static void defer_event(
	struct instrument_self *self, const struct deferred_event *event)
{
	struct deferred_events *deferred = self->deferred;
	bool is_exit = event->is_exit;
	struct deferred_event *kept;
	struct saved_signals saved;

	signals_block(&saved);
	if (deferred == NULL) {
		/* The thread's first hook is under way. */
	} else if (is_exit && deferred->dropped > 0) {
		deferred->dropped--;
	} else if (!is_exit &&
		   (deferred->dropped > 0 ||
			   self->waiting + deferred->open + 2 > DEFERRED_MAX)) {
		deferred->dropped++;
		ctp_private_lose(&(struct chunk_losses){.dropped_ranges = 1});
	} else if (self->waiting < DEFERRED_MAX) {
		if (is_exit)
			deferred->open -= deferred->open > 0;
		else
			deferred->open++;
		kept = &deferred->events[self->waiting];
		*kept = *event;
		classify_stack(&self->shadow, kept);
		kept->ticks = ctp_private_ticks();
		__atomic_store_n(
			&self->waiting, self->waiting + 1, __ATOMIC_RELAXED);
	}
	signals_restore(&saved);
}

/*
 * Whether the hook that set the guard is still running. If so, we are deeper in
 * the same stack and its return address is in its place, or we are on the stack
 * for signal handlers.
 */
__attribute__((no_sanitize("address"))) static bool is_nested(
	const struct instrument_self *self, uintptr_t sp)
{
	uintptr_t guard = self->guard.sp & ~GUARD_EXIT;

	/* Signals are blocked in the slow path, so its callees are nested. */
	if (self->guard.pc == 0)
		return true;
	if (sp >= guard)
		return is_on_alternate();
	return ((const uintptr_t *)guard)[-1] == self->guard.pc;
}

/*
 * A handler jumped out of a hook, anywhere in the hot path: makes the log and
 * the shadow stack consistent. A record that was stored, but not passed, is the
 * word at `next`; `top` is changed after it, and `next` last.
 */
static void mend(struct instrument_self *self)
{
	struct ctp_thread *hot = ctp_self;
	struct shadow *shadow = &self->shadow;
	bool is_exit = (self->guard.sp & GUARD_EXIT) != 0;
	uint64_t *next = __atomic_load_n(&hot->next, __ATOMIC_RELAXED);

	if (next != NULL && next < ((struct thread *)(void *)hot)->end &&
		*next != 0) {
		if (shadow->top == self->guard_top)
			shadow->top += is_exit ? -1 : 1;
		__atomic_store_n(&hot->next, next + 1, __ATOMIC_RELAXED);
	}
	self->guard = (struct guard){0};
}

/* From here on nothing can jump out, until the guard is removed. */
static void guard(struct instrument_self *self, uintptr_t sp)
{
	self->guard = (struct guard){.sp = sp};
}

void instrument_slow(
	uintptr_t function, uintptr_t call_site, uintptr_t pc, uintptr_t sp)
{
	struct instrument_self *self = &instrument_self;
	struct deferred_event deferred = {
		.event = {function, call_site, pc, sp & ~GUARD_EXIT},
		.is_exit = (sp & GUARD_EXIT) != 0};
	struct saved_signals saved;
	uint64_t ticks;

	sp = deferred.event.sp;
	if (self->guard.sp != 0 && is_nested(self, sp)) {
		defer_event(self, &deferred);
		return;
	}
	signals_block(&saved);
	if (self->guard.sp != 0)
		mend(self);
	guard(self, sp);
	if (init(self)) {
		handle_waiting(self, ctp_private_ticks());
		classify_stack(&self->shadow, &deferred);
		ticks = handle(self, &deferred);
		handle_waiting(self, ticks);
	}
	self->guard.sp = 0;
	signals_restore(&saved);
}

void instrument_handle_deferred(uint64_t ticks)
{
	struct instrument_self *self = &instrument_self;
	struct saved_signals saved;

	signals_block(&saved);
	if (self->guard.sp == 0) {
		guard(self, (uintptr_t)__builtin_frame_address(0));
		handle_waiting(self, ticks);
		self->guard.sp = 0;
	}
	signals_restore(&saved);
}

void instrument_find_closed(void)
{
	struct instrument_self *self = &instrument_self;
	bool nested = self->guard.sp != 0;
	struct saved_signals saved;

	signals_block(&saved);
	if (!nested)
		guard(self, (uintptr_t)__builtin_frame_address(0));
	modules_find_closed();
	if (!nested) {
		if (self->deferred != NULL)
			handle_waiting(self, ctp_private_ticks());
		self->guard.sp = 0;
	}
	signals_restore(&saved);
}

/* Ends the thread's open functions with it. */
static void end_thread(void)
{
	struct instrument_self *self = &instrument_self;
	uint32_t open;
	struct saved_signals saved;

	if (self->deferred == NULL)
		return;
	open = (uint32_t)(self->shadow.top - self->shadow.bottom);
	signals_block(&saved);
	guard(self, (uintptr_t)__builtin_frame_address(0));
	if (ctp_private_session() == self->session)
		(void)end_functions(&self->shadow, open, open, 0);
	(void)munmap(self->deferred, sizeof(*self->deferred));
	self->deferred = NULL;
	self->waiting = 0;
	shadow_clear(&self->shadow);
	self->guard.sp = 0;
	signals_restore(&saved);
}

static uint32_t list_open(uint32_t *sites, uint32_t room)
{
	const struct shadow *shadow = &instrument_self.shadow;
	uint32_t count = shadow->bottom == NULL
				 ? 0
				 : (uint32_t)(shadow->top - shadow->bottom);

	for (uint32_t i = 0; i < count && i < room; i++) {
		uint64_t tag = function_tag(shadow->bottom[i + 1].function);

		sites[i] = tag >= FUNCTION_TAG
				   ? (uint32_t)(tag >> CTP_TICK_BITS)
				   : REGISTRY_UNNAMED;
	}
	return count;
}

static const struct instrument_calls calls = {.thread_end = end_thread,
	.begin = modules_forget,
	.lock = modules_lock,
	.unlock = modules_unlock,
	.open = list_open};

__attribute__((constructor)) static void announce(void)
{
	ctp_private_instrument(&calls);
}

/* SPDX-License-Identifier: MIT */
#include "tracer.h"

#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "call_sites.h"
#include "call_values.h"
#include "callee.h"
#include "code_watch.h"
#include "integrations.h"
#include "frame.h"
#include "hook.h"
#include "error_state.h"
#include "code_filter.h"
#include "ctprof.h"
#include "pystring.h"
#include "threads.h"

/* ---- greenlets ---- */

/* The calls that a waiting greenlet has open. */
struct waiting {
	uint32_t trace;
	size_t count;
	struct tracer_call calls[];
};

/* {greenlet: capsule of struct waiting}, with weak keys. */
static PyObject *all_waiting;

static void waiting_free(PyObject *capsule)
{
	free(PyCapsule_GetPointer(capsule, NULL));
}

/* Closes the open calls, innermost first, and returns them. NULL without an
 * exception if nothing is open; forgetting a greenlet at its end would
 * otherwise call a Python function that is not the program's. NULL also if out
 * of memory: then nothing is reopened. */
static struct waiting *put_aside(struct tracer_thread *thread)
{
	struct tracer_call *first = thread->calls + thread->base + 1;
	size_t count = (size_t)(thread->top + 1 - first);
	struct waiting *waiting =
		count == 0 ? NULL
			   : malloc(sizeof(*waiting) + count * sizeof(*first));

	if (waiting != NULL) {
		waiting->trace = thread->trace;
		waiting->count = count;
		memcpy(waiting->calls, first, count * sizeof(*first));
	}
	for (; thread->top >= first; thread->top--)
		if (thread->top->site != NULL)
			ctp_end_inline();
	return waiting;
}

static void pin(PyObject *greenlet, struct waiting *waiting)
{
	PyObject *capsule = PyCapsule_New(waiting, NULL, waiting_free);

	if (capsule == NULL)
		free(waiting);
	else
		(void)PyObject_SetItem(all_waiting, greenlet, capsule);
	Py_XDECREF(capsule);
}

/* Reopens the calls that the greenlet had open; none the first time. */
static void go_on(struct tracer_thread *thread, PyObject *greenlet)
{
	PyObject *capsule = PyObject_CallMethod(
		all_waiting, "pop", "OO", greenlet, Py_None);
	struct waiting *waiting = NULL;

	if (capsule != NULL && capsule != Py_None)
		waiting = PyCapsule_GetPointer(capsule, NULL);
	if (waiting != NULL && waiting->trace == thread->trace)
		for (size_t i = 0; i < waiting->count; i++)
			threads_push(thread, waiting->calls[i].identity,
				waiting->calls[i].site);
	Py_XDECREF(capsule);
}

/* The trace function of greenlet: `self` is the previous one. */
static PyObject *switched(PyObject *self, PyObject *args)
{
	struct tracer_thread *thread = tracer_self;
	const char *event;
	PyObject *origin, *target;
	struct waiting *waiting;

	if (!PyArg_ParseTuple(args, "s(OO):switched", &event, &origin, &target))
		return NULL;
	if (tracer_on != 0 && thread != NULL && thread->trace == tracer_on) {
		waiting = put_aside(thread);
		if (waiting != NULL)
			pin(origin, waiting);
		go_on(thread, target);
		PyErr_Clear();
	}
	if (self == Py_None)
		Py_RETURN_NONE;
	return PyObject_Call(self, args, NULL);
}

static PyMethodDef switched_method = {"switched", switched, METH_VARARGS, NULL};

/* Sets our function, which calls the previous one. -1 with an exception. */
static int set_trace(PyObject *module)
{
	PyObject *before = PyObject_CallMethod(module, "gettrace", NULL);
	PyObject *ours = before == NULL
				 ? NULL
				 : PyCFunction_New(&switched_method, before);
	PyObject *result = ours == NULL ? NULL
					: PyObject_CallMethod(module,
						  "settrace", "O", ours);

	Py_XDECREF(before);
	Py_XDECREF(ours);
	Py_XDECREF(result);
	return result == NULL ? -1 : 0;
}

static PyObject *weak_dictionary(void)
{
	PyObject *module = PyImport_ImportModule("weakref");
	PyObject *made = module == NULL ? NULL
					: PyObject_CallMethod(module,
						  "WeakKeyDictionary", NULL);

	Py_XDECREF(module);
	return made;
}

/* Makes greenlet report the calling thread's switches, if it is imported.
 * Clears exceptions. */
static void greenlets_watch(struct tracer_thread *thread)
{
	static struct pystring greenlet = {"greenlet", NULL};
	PyObject *module;

	if (thread->has_greenlets)
		return;
	module = pystring_module(&greenlet);
	/* A partly imported module has no functions yet. */
	if (module != NULL && PyObject_HasAttrString(module, "settrace") &&
		PyObject_HasAttrString(module, "gettrace")) {
		if (all_waiting == NULL)
			all_waiting = weak_dictionary();
		if (all_waiting != NULL && set_trace(module) == 0)
			thread->has_greenlets = true;
	}
	Py_XDECREF(module);
	PyErr_Clear();
}

/* ---- asynchronous ranges ---- */

struct tracer_thread;

struct async_range {
	const void *identity;
	const struct tracer_thread *thread; /* the one that began it; only
					     * compared */
	struct ctp_site *site;
	uint64_t number; /* identifies the asynchronous range */
};

enum { FIRST = 64, MOST = 4096 };

/* The interpreter's lock is never released while this one is held. */
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static struct async_range *all; /* by their begin */
static size_t range_count, range_room;

/* Makes room for one more, up to MOST. */
static bool grow(void)
{
	size_t size = range_room == 0 ? FIRST : 2 * range_room;
	struct async_range *more =
		size > MOST ? NULL : realloc(all, size * sizeof(*all));

	if (more == NULL)
		return false;
	all = more;
	range_room = size;
	return true;
}

/* Stores it until it ends. False if there are too many, or no memory. Threads:
 * any. */
static bool async_ranges_add(const struct async_range *range)
{
	bool has_room;

	pthread_mutex_lock(&ranges_lock);
	has_room = range_count < range_room || grow();
	if (has_room)
		all[range_count++] = *range;
	pthread_mutex_unlock(&ranges_lock);
	return has_room;
}

/* The index after the range to remove; 0 if there is none. */
static size_t find(const void *identity, const struct tracer_thread *thread)
{
	size_t of_any = 0;

	for (size_t i = range_count; i > 0; i--) {
		if (all[i - 1].identity != identity)
			continue;
		if (all[i - 1].thread == thread)
			return i;
		if (of_any == 0)
			of_any = i;
	}
	return of_any;
}

/* Removes the last range of this identity: of this thread, or else of any
 * thread. False if not found. Threads: any. */
static bool async_ranges_remove(const void *identity,
	const struct tracer_thread *thread, struct async_range *range)
{
	size_t found;

	pthread_mutex_lock(&ranges_lock);
	found = find(identity, thread);
	if (found > 0) {
		*range = all[found - 1];
		memmove(all + found - 1, all + found,
			(range_count - found) * sizeof(*all));
		range_count--;
	}
	pthread_mutex_unlock(&ranges_lock);
	return found > 0;
}

/* Removes all: another recording begins, in which they are not open. */
static void async_ranges_clear(void)
{
	pthread_mutex_lock(&ranges_lock);
	range_count = 0;
	pthread_mutex_unlock(&ranges_lock);
}

static struct tracer_options options;
static uint32_t last_trace;
static uint32_t session = 1;

struct tracer_options tracer_options(void)
{
	return options;
}

void tracer_session(void)
{
	session++;
	async_ranges_clear();
}

static size_t depth_of(const struct tracer_thread *thread)
{
	return (size_t)(thread->top - thread->calls);
}

/* Ends all calls above `depth`; calls of an earlier recording end without a
 * record. Returns how many were recorded. */
static uint64_t unwind(struct tracer_thread *thread, size_t depth)
{
	uint64_t ended = 0;

	while (depth_of(thread) > depth) {
		if (thread->top->site != NULL && thread->session == session) {
			ctp_end_inline();
			ended++;
		}
		thread->top--;
	}
	return ended;
}

/* Removes the call at `depth`; the calls above it stay. */
static void remove_call(struct tracer_thread *thread, size_t depth)
{
	memmove(thread->calls + depth, thread->calls + depth + 1,
		(depth_of(thread) - depth) * sizeof(*thread->calls));
	thread->top--;
}

/* Ends what an earlier trace, stopped by another thread, or an earlier
 * recording left open. */
static void end_stale(struct tracer_thread *thread)
{
	if (thread->session != session)
		(void)unwind(thread, 0);
	else if (thread->trace != 0 && thread->trace != tracer_on)
		(void)unwind(thread, thread->base);
	if (thread->trace != tracer_on)
		thread->trace = 0;
	thread->session = session;
}

/* Was a range with its name and line open before the trace began? */
static bool is_in_range(
	const struct tracer_thread *thread, const struct callee *callee)
{
	for (size_t i = thread->base; i > 0; i--) {
		const struct ctp_site *site = thread->calls[i].site;

		if (site != NULL && site->line == callee->line &&
			strcmp(site->name, callee->names.name) == 0)
			return true;
	}
	return false;
}

/* NULL below --max-depth, where calls are kept on the stack only. */
static struct ctp_site *limit_depth(
	const struct tracer_thread *thread, struct ctp_site *site)
{
	bool is_deep = thread->max_depth != 0 &&
		       depth_of(thread) >= thread->base + thread->max_depth;

	return is_deep ? NULL : site;
}

/* Pushes the call of the code that `frame` runs, found open at the start. */
static void push_found(struct tracer_thread *thread, frame_t *frame)
{
	PyCodeObject *code = frame_code(frame);
	const struct callee *callee = callee_find(
		&(struct callee_seen){code, (PyObject *)code, NULL});
	frame_t *caller = frame_real(frame->previous);
	struct ctp_site *site = NULL;

	if (callee != NULL)
		site = call_sites_find_open(
			thread, callee, caller, is_in_range(thread, callee));
	threads_push(thread, code, limit_depth(thread, site));
	if (thread->top->site != NULL)
		ctp_arg_int("startup", 1);
}

/* Pushes the frames that are already open, the outermost first, without the
 * `inner` innermost ones. */
static void push_all_found(struct tracer_thread *thread, int inner)
{
	size_t count = 0, limit = (size_t)options.depth;
	frame_t **found = limit == 0 ? NULL : calloc(limit, sizeof(*found));
	frame_t *frame = frame_real(frame_current());

	for (; frame != NULL && inner > 0; inner--)
		frame = frame_real(frame->previous);
	while (found != NULL && frame != NULL && count < limit) {
		found[count++] = frame;
		frame = frame_real(frame->previous);
	}
	while (count > 0)
		push_found(thread, found[--count]);
	free(found);
}

/* Joins the calling thread to the trace, without its `inner` innermost frames:
 * one, if the event for it is being handled. NULL if no trace is on, or out of
 * memory. */
static struct tracer_thread *join(int inner)
{
	uint32_t trace = __atomic_load_n(&tracer_on, __ATOMIC_ACQUIRE);
	struct tracer_thread *thread = trace == 0 ? NULL : threads_self();
	struct error_state error;

	if (thread == NULL || thread->trace == trace)
		return thread;
	error_save(&error);
	end_stale(thread);
	memset(thread->slots, 0, sizeof(thread->slots));
	thread->line_tables = (struct line_tables){0};
	thread->trace = trace;
	thread->name[0] = '\0'; /* it may be another log */
	thread->new_calls = 0;
	thread->base = depth_of(thread);
	thread->max_depth = (size_t)options.max_depth;
	threads_set_limit(thread);
	threads_name(thread);
	greenlets_watch(thread);
	push_all_found(thread, inner);
	thread->startup = depth_of(thread);
	error_restore(&error);
	return thread;
}

/* Looks for a thread's name and for the greenlet package, which appear while a
 * program runs. Most names are set early, and looking for them takes longer. */
static void observe(struct tracer_thread *thread)
{
	uint32_t before = thread->new_calls++;

	if (before < 64 || before % 16 == 0)
		threads_name(thread);
	greenlets_watch(thread);
}

/* A call that is not in the thread's cache. Python code that runs meanwhile may
 * free the callee. */
struct resolved {
	struct ctp_site *site; /* NULL: not recorded */
	enum callee_kind kind;
	bool has_values;
};

static struct resolved resolve(struct tracer_thread *thread,
	const struct callee_seen *seen, const void *place)
{
	frame_t *caller = frame_real(frame_current());
	struct callee *callee;
	struct resolved resolved = {NULL, CALLEE_PLAIN, false};

	if (caller != NULL && PyCode_Check(seen->object))
		caller = frame_real(caller->previous);
	/* May run Python, which could let another thread stop the trace; so the
	 * callee is looked up afterwards. */
	if (threads_slot(thread, seen->identity, place)->identity == NULL)
		observe(thread);
	callee = callee_find(seen);
	if (callee == NULL)
		return resolved;
	resolved.site = limit_depth(
		thread, call_sites_find(thread, callee, caller, place));
	resolved.kind = callee->kind;
	resolved.has_values = callee->has_values && resolved.site != NULL;
	return resolved;
}

/* Calls whose outcome is recorded have another identity on the stack, so that
 * their ends take the slow half. Identities are addresses of aligned objects. */
static const void *values_identity(const void *identity)
{
	return (const char *)identity + 2;
}

static bool has_identity(const struct tracer_call *call, const void *identity)
{
	return call->identity == identity ||
	       call->identity == values_identity(identity);
}

/* Adds values to the call if it is the innermost range. */
static void store_values(const struct tracer_thread *thread,
	const struct tracer_call *call, const struct call_values *values)
{
	if (thread->top == call && call->site != NULL && values != NULL)
		call_values_store(values);
}

/* Reads the arguments, which may run Python, then begins the call. */
static void push_with_values(struct tracer_thread *thread,
	const struct callee_seen *seen, struct ctp_site *site)
{
	struct call_values *values = call_values_read(seen);
	const void *identity = seen->identity;

	if (PyCode_Check(seen->object))
		identity = values_identity(identity);
	if (tracer_is_in(thread)) {
		threads_push(thread, identity, site);
		store_values(thread, thread->top, values);
	}
	call_values_free(values);
}

void tracer_enter_slow(const struct callee_seen *seen, const void *place)
{
	bool is_python = PyCode_Check(seen->object);
	struct tracer_thread *thread = join(is_python ? 1 : 0);
	const struct tracer_slot *slot;
	struct error_state error;
	struct resolved resolved;

	if (thread == NULL)
		return;
	slot = tracer_find(thread, seen->identity, place);
	if (slot != NULL) {
		threads_push(thread, seen->identity,
			limit_depth(thread, slot->site));
		return;
	}
	error_save(&error);
	resolved = resolve(thread, seen, place);
	/* Our own C functions open and close ranges, and must not be found
	 * above these on the stack. */
	if (resolved.has_values)
		push_with_values(thread, seen, resolved.site);
	else if (resolved.kind != CALLEE_HIDDEN || is_python)
		threads_push(thread, seen->identity, resolved.site);
	if (resolved.kind > CALLEE_HIDDEN && tracer_is_in(thread))
		integrations_enter(thread, resolved.kind);
	error_restore(&error);
}

/* The depth of the innermost call of this identity; 0 if there is none. */
static size_t find_open(
	const struct tracer_thread *thread, const void *identity)
{
	size_t depth = depth_of(thread);

	while (depth > thread->base &&
		!has_identity(&thread->calls[depth], identity))
		depth--;
	return depth > thread->base ? depth : 0;
}

/* Counts an exit of a call that is not on the stack. */
static void drop(struct tracer_thread *thread, const void *identity)
{
	/* Calls that were open before the start may have ended unseen; our own
	 * functions are never entered. */
	if (depth_of(thread) > thread->startup && !callee_is_hidden(identity))
		threads_count(&thread->counts.exits_dropped);
}

/* Ends the call if it is the top. False if it is not. */
static bool exit_top(struct tracer_thread *thread, const void *identity)
{
	if (thread->top->identity != identity)
		return false;
	if (thread->top->site != NULL)
		ctp_end_inline();
	thread->top--;
	return true;
}

void tracer_c_exit_slow(const void *identity)
{
	struct tracer_thread *thread = join(0);

	if (thread != NULL && !exit_top(thread, identity))
		drop(thread, identity);
}

uint64_t tracer_number(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* Odd identities are ranges, even ones are calls of objects. */
static const void *range_identity(const void *identity)
{
	return (const char *)identity + 1;
}

static bool is_range(const struct tracer_call *call)
{
	return ((uintptr_t)call->identity & 1) != 0;
}

/* Continues the range outside the nesting. False if there is no room. */
static bool outlive(
	struct tracer_thread *thread, const struct tracer_call *range)
{
	uint64_t number = tracer_number();

	if (!async_ranges_add(&(struct async_range){
		    range->identity, thread, range->site, number}))
		return false;
	ctp_async_begin(range->site, number);
	return true;
}

/* Ends the last range of this identity that has outlived its function. */
static bool end_outliving(
	const struct tracer_thread *thread, const void *identity)
{
	struct async_range range;

	if (!async_ranges_remove(identity, thread, &range))
		return false;
	ctp_async_end(range.site, range.number);
	return true;
}

/* Ends what is open inside the call at `depth`: calls whose own ends never
 * came, and ranges, such as that of a generator suspended in their block. */
static void unwind_inner(struct tracer_thread *thread, size_t depth)
{
	while (depth_of(thread) > depth) {
		struct tracer_call call = *thread->top;
		uint64_t ended = unwind(thread, depth_of(thread) - 1);

		if (ended == 0 || !is_range(&call) || !outlive(thread, &call))
			thread->counts.calls_unwound += ended;
	}
}

/* Ends the call at `depth` and those above it; `outcome` may be NULL. */
static void exit_inner(struct tracer_thread *thread, size_t depth,
	PyObject *result, const struct call_values *outcome)
{
	const void *identity = thread->calls[depth].identity;

	if (thread->top->identity == EXTRAS_IDENTITY) {
		struct error_state error;

		error_save(&error);
		integrations_exit(thread, result);
		error_restore(&error);
		(void)unwind(thread, depth_of(thread) - 1);
	}
	if (thread->calls[depth].site == NULL && callee_is_hidden(identity)) {
		/* It has opened a range that outlives it. */
		remove_call(thread, depth);
	} else {
		unwind_inner(thread, depth);
		store_values(thread, thread->calls + depth, outcome);
		(void)unwind(thread, depth - 1);
	}
	if (thread->startup > depth_of(thread))
		thread->startup = depth_of(thread);
}

/* The outcome of the call at `depth`; NULL if it is not recorded. */
static struct call_values *read_outcome(const struct tracer_call *call,
	const void *identity, struct tracer_outcome outcome)
{
	struct call_values *values;
	struct error_state error;

	if (call->identity == identity || call->site == NULL)
		return NULL;
	error_save(&error);
	values = call_values_read_outcome(
		(const PyCodeObject *)identity, outcome);
	error_restore(&error);
	return values;
}

void tracer_exit_slow(const void *identity, struct tracer_outcome outcome)
{
	struct tracer_thread *thread = join(0);
	struct call_values *values;
	size_t depth;

	if (thread == NULL || exit_top(thread, identity))
		return;
	depth = find_open(thread, identity);
	values = depth == 0 ? NULL
			    : read_outcome(
				      &thread->calls[depth], identity, outcome);
	/* That may have run Python, and ended the trace. */
	if (tracer_is_in(thread)) {
		depth = find_open(thread, identity);
		if (depth == 0)
			drop(thread, identity);
		else
			exit_inner(thread, depth,
				outcome.kind == TRACER_RETURN ? outcome.value
							      : NULL,
				values);
	}
	call_values_free(values);
}

void tracer_begin(
	struct ctp_site *site, const void *identity, const int64_t *seq)
{
	struct tracer_thread *thread = threads_self();

	if (thread == NULL)
		return;
	end_stale(thread);
	identity = range_identity(identity);
	threads_push(thread, identity, seq == NULL ? site : NULL);
	if (seq != NULL && thread->top->identity == identity &&
		ctp_begin_seq(site, *seq))
		thread->top->site = site;
}

bool tracer_end(const void *identity)
{
	struct tracer_thread *thread = tracer_self;
	size_t depth = thread == NULL ? 0 : depth_of(thread);

	identity = range_identity(identity);
	for (; depth > 0; depth--)
		if (thread->calls[depth].identity == identity)
			break;
	if (depth == 0)
		return end_outliving(thread, identity);
	if (thread->session != session)
		return false;
	/* Calls inside it end with it in the log, and stay on the stack: their
	 * own ends come later. */
	for (size_t i = depth_of(thread); i >= depth; i--)
		if (thread->calls[i].site != NULL) {
			ctp_end_inline();
			thread->calls[i].site = NULL;
		}
	remove_call(thread, depth);
	return true;
}

void tracer_replaced(void)
{
	struct tracer_thread *thread = threads_self();

	if (thread != NULL)
		threads_count(&thread->counts.hooks_replaced);
}

/* Ends the trace, and what it has open in this thread. */
static void leave(void)
{
	struct tracer_thread *thread = tracer_self;

	__atomic_store_n(&tracer_on, 0, __ATOMIC_RELEASE);
	code_watch_stop();
	if (thread != NULL && thread->trace == last_trace) {
		(void)unwind(thread, thread->base);
		thread->trace = 0;
	}
}

static int start_hook(void)
{
	return options.setprofile ? hook_setprofile_start(&options)
				  : hook_monitoring_start(&options);
}

static int stop_hook(void)
{
	return options.setprofile ? hook_setprofile_stop()
				  : hook_monitoring_stop();
}

int tracer_start(const struct tracer_options *wanted)
{
	if (tracer_on != 0) {
		PyErr_SetString(PyExc_RuntimeError,
			"ctprof is already tracing this process");
		return -1;
	}
	if (code_filter_set(wanted->include, wanted->exclude, wanted->args) !=
		0)
		return -1;
	options = *wanted;
	call_sites_clear();
	callee_forget();
	code_watch_start();
	(void)threads_collect_counts();
	if (++last_trace == 0)
		last_trace = 1;
	__atomic_store_n(&tracer_on, last_trace, __ATOMIC_RELEASE);
	if (join(options.skip) == NULL)
		PyErr_NoMemory();
	else if (integrations_start() == 0 && start_hook() == 0)
		return 0;
	integrations_stop();
	leave();
	return -1;
}

int tracer_stop(struct tracer_counts *counts)
{
	int result;

	if (tracer_on == 0) {
		PyErr_SetString(PyExc_RuntimeError, "ctprof is not tracing");
		return -1;
	}
	result = stop_hook();
	integrations_stop();
	leave();
	*counts = threads_collect_counts();
	return result;
}

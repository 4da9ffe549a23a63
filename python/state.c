/* SPDX-License-Identifier: MIT */
/*
 * The stack of a profiler state, for compiler tracers that measure their own
 * times. A call costs the same at any depth.
 *
 * The calls also go into the log if one is being recorded: as ranges of the
 * thread, or, if the caller gives times, of a separate timeline. Such a caller
 * reads its clock after pop() and then reports the call's time with
 * record_timing() or add_child_time(). Until then, or until something later
 * begins, the end is late: it is not in the log yet.
 */
#include "state.h"

#include <time.h>
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tracer.h"
#include "ctprof.h"

/* ---- places ---- */

#define PY_SSIZE_T_CLEAN

struct place {
	PyObject *name;
	PyObject *file;
	long long line;
	Py_hash_t hash;
	size_t open;           /* calls */
	struct ctp_site *site; /* NULL until it is recorded */
};

struct places {
	struct place **slots; /* a hash table; NULL: free */
	size_t count;
	size_t room; /* a power of two, or 0 */
};

#define FIRST_ROOM 64

static bool same_text(PyObject *a, PyObject *b)
{
	return a == b || PyUnicode_Compare(a, b) == 0;
}

/* The slot of this place, used or free. */
static size_t find_slot(const struct places *places, const struct place *wanted)
{
	size_t mask = places->room - 1;
	size_t slot = (size_t)wanted->hash & mask;
	const struct place *found;

	while ((found = places->slots[slot]) != NULL) {
		if (found->hash == wanted->hash &&
			found->line == wanted->line &&
			same_text(found->name, wanted->name) &&
			same_text(found->file, wanted->file))
			break;
		slot = (slot + 1) & mask;
	}
	return slot;
}

static bool grow(struct places *places)
{
	struct places bigger = {
		.count = places->count,
		.room = places->room == 0 ? FIRST_ROOM : 2 * places->room,
	};

	bigger.slots = PyMem_Calloc(bigger.room, sizeof(struct place *));
	if (bigger.slots == NULL) {
		(void)PyErr_NoMemory();
		return false;
	}
	for (size_t i = 0; i < places->room; i++)
		if (places->slots[i] != NULL)
			bigger.slots[find_slot(&bigger, places->slots[i])] =
				places->slots[i];
	PyMem_Free(places->slots);
	*places = bigger;
	return true;
}

/* Adds a copy of the place, which is not in the table yet. */
static struct place *add(struct places *places, const struct place *wanted)
{
	struct place *place;

	if (places->count >= places->room / 2 && !grow(places))
		return NULL;
	place = PyMem_Malloc(sizeof(*place));
	if (place == NULL) {
		(void)PyErr_NoMemory();
		return NULL;
	}
	*place = *wanted;
	Py_INCREF(place->name);
	Py_INCREF(place->file);
	places->slots[find_slot(places, place)] = place;
	places->count++;
	return place;
}

/*
 * The function's place, created if it is new; its address holds until
 * places_clear(). NULL with an exception.
 *
 * Ownership: `name` and `file`, which are str, are borrowed for the call.
 */
static struct place *places_find(
	struct places *places, PyObject *name, PyObject *file, long long line)
{
	struct place wanted = {.name = name, .file = file, .line = line};
	Py_hash_t name_hash = PyObject_Hash(name); /* str remembers it */
	Py_hash_t file_hash = PyObject_Hash(file);
	struct place *place = NULL;

	if (name_hash == -1 || file_hash == -1)
		return NULL;
	wanted.hash = (Py_hash_t)((size_t)name_hash * 31 + (size_t)file_hash +
				  (size_t)line * 0x9e3779b1);
	if (places->room > 0)
		place = places->slots[find_slot(places, &wanted)];
	return place != NULL ? place : add(places, &wanted);
}

static void places_clear(struct places *places)
{
	for (size_t i = 0; i < places->room; i++) {
		struct place *place = places->slots[i];

		if (place == NULL)
			continue;
		Py_DECREF(place->name);
		Py_DECREF(place->file);
		PyMem_Free(place);
	}
	PyMem_Free(places->slots);
	*places = (struct places){0};
}

/* Text that is not valid (half of a surrogate pair) is shown with escapes. */
static PyObject *encode(PyObject *text)
{
	return PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
}

/* The recorder's site of this place; NULL with an exception. */
static struct ctp_site *place_site(struct place *place)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	PyObject *name, *file;

	if (place->site != NULL)
		return place->site;
	name = encode(place->name);
	file = encode(place->file);
	if (name != NULL && file != NULL) {
		info.name = PyBytes_AS_STRING(name);
		info.file = PyBytes_AS_STRING(file);
		if (place->line > 0 && place->line <= UINT32_MAX)
			info.line = (uint32_t)place->line;
		info.category = "python";
		place->site = ctp_site_intern_info(&info);
	}
	Py_XDECREF(name);
	Py_XDECREF(file);
	return place->site;
}

#if PY_VERSION_HEX < 0x030D0000
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

enum logged { LOGGED_NOT, LOGGED_MEASURED, LOGGED_TIMELINE };

struct open_call {
	struct stack_entry *entry;
	struct place *place;
	enum logged logged;
};

struct state {
	PyObject_HEAD struct open_call *calls;
	size_t depth;
	size_t room;
	struct places places;
	/* The late ends: how many, and the last call's. */
	size_t late_count;
	const struct place *late_place;
	long long late_start_ns;
	long long last_ns; /* the latest of the given times */
};

/* An optional time: `given` is set if there is one. */
struct given_time {
	bool given;
	long long ns;
};

static bool read_time(PyObject *object, struct given_time *out)
{
	out->given = object != NULL && object != Py_None;
	out->ns = out->given ? PyLong_AsLongLong(object) : 0;
	return out->ns != -1 || !PyErr_Occurred();
}

/* The clock for callers without one: time.time_ns(). */
static long long now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool is_recording(void)
{
	return __atomic_load_n(&ctp_on, __ATOMIC_RELAXED) != 0;
}

static long long later_of(struct state *state, long long time_ns)
{
	if (time_ns > state->last_ns)
		state->last_ns = time_ns;
	return state->last_ns;
}

static void end_late(struct state *state, long long time_ns)
{
	if (state->late_count == 0)
		return;
	time_ns = later_of(state, time_ns);
	for (; state->late_count > 0; state->late_count--)
		ctp_end_at(time_ns);
}

/* Ends them; the last took this long. */
static void end_late_after(struct state *state, long long cumtime_ns)
{
	long long end_ns;

	if (__builtin_add_overflow(state->late_start_ns, cumtime_ns, &end_ns))
		end_ns = state->last_ns;
	end_late(state, end_ns);
}

static bool log_begin(
	struct state *state, struct open_call *call, bool has_time)
{
	struct ctp_site *site = place_site(call->place);
	long long start_ns = call->entry->start_time_ns;

	if (site == NULL)
		return false;
	if (!has_time) {
		tracer_begin(site, call->entry, NULL);
		call->logged = LOGGED_MEASURED;
		return true;
	}
	end_late(state, start_ns);
	ctp_begin_at(site, later_of(state, start_ns));
	call->logged = LOGGED_TIMELINE;
	return true;
}

static void log_end(struct state *state, const struct open_call *call,
	struct given_time end)
{
	if (call->logged == LOGGED_MEASURED) {
		(void)tracer_end(call->entry);
		return;
	}
	state->late_count++;
	state->late_place = call->place;
	state->late_start_ns = call->entry->start_time_ns;
	if (end.given)
		end_late(state, end.ns);
}

/* Makes room for one more call. */
static bool reserve(struct state *state)
{
	size_t room = state->room == 0 ? 32 : 2 * state->room;
	struct open_call *calls;

	if (state->depth < state->room)
		return true;
	calls = PyMem_Realloc(state->calls, room * sizeof(*calls));
	if (calls == NULL) {
		(void)PyErr_NoMemory();
		return false;
	}
	state->calls = calls;
	state->room = room;
	return true;
}

/* The arguments of push(). */
struct push_args {
	PyObject *name;
	PyObject *file;
	PyObject *line;
	PyObject *start;
};

static PyObject *push_call(struct state *state, const struct push_args *args)
{
	long long line = PyLong_AsLongLong(args->line);
	struct open_call call = {.logged = LOGGED_NOT};
	struct given_time start;

	if ((line == -1 && PyErr_Occurred()) ||
		!read_time(args->start, &start) || !reserve(state))
		return NULL;
	call.place = places_find(&state->places, args->name, args->file, line);
	if (call.place == NULL)
		return NULL;
	call.entry = stack_entry_new(args->name, args->file, line);
	if (call.entry == NULL)
		return NULL;
	call.entry->start_time_ns = start.given ? start.ns : now_ns();
	call.entry->is_primitive_call = call.place->open == 0;
	if (is_recording() && !log_begin(state, &call, start.given)) {
		Py_DECREF(call.entry);
		return NULL;
	}
	call.place->open++;
	state->calls[state->depth++] = call;
	return PyBool_FromLong(call.entry->is_primitive_call);
}

static PyObject *pop_call(struct state *state, struct given_time end)
{
	struct open_call *call;

	if (state->depth == 0)
		Py_RETURN_NONE;
	call = &state->calls[--state->depth];
	call->place->open--;
	if (call->logged != LOGGED_NOT)
		log_end(state, call, end);
	return (PyObject *)call->entry;
}

/* Puts arguments given by name into their places; `names` ends with NULL. */
static bool parse_keywords(const char *const *names, PyObject **values,
	PyObject *const *given, PyObject *keywords)
{
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); i++) {
		PyObject *keyword = PyTuple_GET_ITEM(keywords, i);
		size_t place = 0;

		while (names[place] != NULL &&
			PyUnicode_CompareWithASCIIString(
				keyword, names[place]) != 0)
			place++;
		if (names[place] == NULL || values[place] != NULL) {
			PyErr_Format(PyExc_TypeError,
				names[place] == NULL
					? "unexpected argument %R"
					: "argument %R was given twice",
				keyword);
			return false;
		}
		values[place] = given[i];
	}
	return true;
}

static bool is_text(PyObject *value)
{
	return value != NULL && PyUnicode_Check(value);
}

static PyObject *push(PyObject *self, PyObject *const *args, Py_ssize_t count,
	PyObject *keywords)
{
	static const char *const names[] = {
		"func_name", "filename", "firstlineno", "start_time_ns", NULL};
	PyObject *values[4] = {NULL};
	PyObject *result;

	for (Py_ssize_t i = 0; i < count && i < 4; i++)
		values[i] = args[i];
	if (count > 4)
		return PyErr_Format(PyExc_TypeError,
			"push() takes at most 4 arguments, not %zd", count);
	if (keywords != NULL &&
		!parse_keywords(names, values, args + count, keywords))
		return NULL;
	if (!is_text(values[0]) || !is_text(values[1]) || values[2] == NULL)
		return PyErr_Format(PyExc_TypeError,
			"push() needs func_name and filename "
			"(str), and firstlineno");
	Py_BEGIN_CRITICAL_SECTION(self);
	result = push_call(
		(struct state *)self, &(struct push_args){values[0], values[1],
					      values[2], values[3]});
	Py_END_CRITICAL_SECTION();
	return result;
}

static PyObject *pop(PyObject *self, PyObject *const *args, Py_ssize_t count,
	PyObject *keywords)
{
	static const char *const names[] = {"end_time_ns", NULL};
	PyObject *values[1] = {count > 0 ? args[0] : NULL};
	struct given_time end;
	PyObject *result;

	if (count > 1)
		return PyErr_Format(PyExc_TypeError,
			"pop() takes at most 1 argument, not %zd", count);
	if ((keywords != NULL &&
		    !parse_keywords(names, values, args + count, keywords)) ||
		!read_time(values[0], &end))
		return NULL;
	Py_BEGIN_CRITICAL_SECTION(self);
	result = pop_call((struct state *)self, end);
	Py_END_CRITICAL_SECTION();
	return result;
}

static PyObject *add_child_time(PyObject *self, PyObject *time)
{
	struct state *state = (struct state *)self;
	long long time_ns = PyLong_AsLongLong(time);
	bool fits = true;

	if (time_ns == -1 && PyErr_Occurred())
		return NULL;
	Py_BEGIN_CRITICAL_SECTION(self);
	end_late_after(state, time_ns);
	if (state->depth > 0) {
		long long *sum =
			&state->calls[state->depth - 1].entry->child_time_ns;

		fits = !__builtin_add_overflow(*sum, time_ns, sum);
	}
	Py_END_CRITICAL_SECTION();
	if (fits)
		Py_RETURN_NONE;
	PyErr_SetString(PyExc_OverflowError, "the time of calls is too long");
	return NULL;
}

/* Is this (filename, firstlineno, func_name) the call popped last? -1 with an
 * exception. */
static int is_late(const struct state *state, PyObject *function)
{
	const struct place *place = state->late_place;
	PyObject *late;
	int same;

	if (state->late_count == 0)
		return 0;
	late = Py_BuildValue("(OLO)", place->file, place->line, place->name);
	if (late == NULL)
		return -1;
	same = PyObject_RichCompareBool(late, function, Py_EQ);
	Py_DECREF(late);
	return same;
}

static PyObject *end_popped(PyObject *self, PyObject *args)
{
	struct state *state = (struct state *)self;
	PyObject *function, *time;
	long long time_ns;
	int late;

	if (!PyArg_ParseTuple(args, "OO:_end_popped", &function, &time))
		return NULL;
	late = is_late(state, function);
	if (late == 0)
		Py_RETURN_NONE;
	time_ns = late < 0 ? -1 : PyLong_AsLongLong(time);
	if (time_ns == -1 && PyErr_Occurred())
		return NULL;
	Py_BEGIN_CRITICAL_SECTION(self);
	end_late_after(state, time_ns);
	Py_END_CRITICAL_SECTION();
	Py_RETURN_NONE;
}

static PyObject *get_current_caller(PyObject *self, PyObject *unused)
{
	struct state *state = (struct state *)self;
	PyObject *caller = Py_None;

	(void)unused;
	Py_BEGIN_CRITICAL_SECTION(self);
	if (state->depth > 0)
		caller =
			stack_entry_place(state->calls[state->depth - 1].entry);
	else
		Py_INCREF(caller);
	Py_END_CRITICAL_SECTION();
	return caller;
}

static PyObject *call_stack(const struct state *state)
{
	PyObject *stack = PyTuple_New((Py_ssize_t)state->depth);

	for (size_t i = 0; stack != NULL && i < state->depth; i++) {
		PyObject *place = stack_entry_place(state->calls[i].entry);

		if (place == NULL)
			Py_CLEAR(stack);
		else
			PyTuple_SET_ITEM(stack, (Py_ssize_t)i, place);
	}
	return stack;
}

static PyObject *get_call_stack(PyObject *self, PyObject *unused)
{
	PyObject *stack;

	(void)unused;
	Py_BEGIN_CRITICAL_SECTION(self);
	stack = call_stack((struct state *)self);
	Py_END_CRITICAL_SECTION();
	return stack;
}

static PyObject *entries(const struct state *state)
{
	PyObject *list = PyList_New((Py_ssize_t)state->depth);

	for (size_t i = 0; list != NULL && i < state->depth; i++)
		PyList_SET_ITEM(list, (Py_ssize_t)i,
			Py_NewRef((PyObject *)state->calls[i].entry));
	return list;
}

static PyObject *get_stack(PyObject *self, void *unused)
{
	PyObject *list;

	(void)unused;
	Py_BEGIN_CRITICAL_SECTION(self);
	list = entries((struct state *)self);
	Py_END_CRITICAL_SECTION();
	return list;
}

static void dealloc(PyObject *self)
{
	struct state *state = (struct state *)self;

	while (state->depth > 0)
		Py_DECREF(state->calls[--state->depth].entry);
	PyMem_Free(state->calls);
	places_clear(&state->places);
	Py_TYPE(self)->tp_free(self);
}

#define FASTCALL(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef methods[] = {
	{"push", FASTCALL(push), METH_FASTCALL | METH_KEYWORDS,
		"push($self, func_name, filename, firstlineno, "
		"start_time_ns=None)\n--\n\n"
		"Opens a call. Returns whether it is primitive: whether no "
		"other call of its function is open."},
	{"pop", FASTCALL(pop), METH_FASTCALL | METH_KEYWORDS,
		"pop($self, end_time_ns=None)\n--\n\n"
		"Closes the innermost call. Returns its ProfilerStackEntry, or "
		"None."},
	{"add_child_time", add_child_time, METH_O,
		"add_child_time($self, child_cumtime_ns, /)\n--\n\n"
		"Adds to the time of the calls that the innermost one made."},
	{"get_current_caller", get_current_caller, METH_NOARGS,
		"get_current_caller($self)\n--\n\n"
		"(func_name, filename, firstlineno) of the innermost call, or "
		"None."},
	{"get_call_stack", get_call_stack, METH_NOARGS,
		"get_call_stack($self)\n--\n\n"
		"The same for each open call, outermost first."},
	{"_end_popped", end_popped, METH_VARARGS,
		"_end_popped($self, func_key, cumtime_ns, /)\n--\n\n"
		"Sets the time of the call popped last, if it was of this "
		"function."},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
	{"stack", get_stack, NULL, "The open calls, outermost first.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject state_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ctprof._ctprof.State",
	.tp_doc = "The stack of a DynamoProfilerState.",
	.tp_basicsize = sizeof(struct state),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.tp_new = PyType_GenericNew,
	.tp_dealloc = dealloc,
	.tp_methods = methods,
	.tp_getset = properties,
};

int state_add(PyObject *module)
{
	if (PyModule_AddType(module, &stack_entry_type) != 0)
		return -1;
	return PyModule_AddType(module, &state_type);
}

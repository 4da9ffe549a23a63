/* SPDX-License-Identifier: MIT */
#include "hook.h"

#include <opcode.h>

#include "frame.h"

#if PY_VERSION_HEX < 0x030c0000

int hook_monitoring_start(const struct tracer_options *options)
{
	(void)options;
	PyErr_SetString(PyExc_ValueError,
		"hook 'monitoring' needs Python 3.12; use 'setprofile'");
	return -1;
}

int hook_monitoring_stop(void)
{
	return 0;
}

#else

/*
 * The callback registered for an event: an object of our own type, whose
 * vectorcall is one function per event. That is cheaper than a builtin
 * function, and independent of the number of arguments in a version.
 */
struct listener {
	PyObject_HEAD vectorcallfunc call;
};

static PyTypeObject listener_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "ctprof._ctprof.Listener",
	.tp_basicsize = sizeof(struct listener),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
		    Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_vectorcall_offset = offsetof(struct listener, call),
	.tp_call = PyVectorcall_Call,
};

/* The arguments of all events. */
enum { CODE, OFFSET, CALLABLE, ARGUMENT };

static PyObject *missing; /* the argument of a call without arguments */

#define LISTENER(name) \
	static PyObject *name(PyObject *self, PyObject *const *args, \
		size_t count, PyObject *names)

#define UNUSED_ARGUMENTS() \
	do { \
		(void)self; \
		(void)count; \
		(void)names; \
	} while (0)

/* The slow halves are separate functions, called last: so the listeners save no
 * registers for them. */
#define SLOW static __attribute__((noinline)) PyObject *

SLOW py_enter_slow(PyObject *code, const void *place)
{
	tracer_enter_slow(&(struct callee_seen){code, code, NULL}, place);
	Py_RETURN_NONE;
}

LISTENER(py_enter)
{
	const void *place =
		frame_call_place(frame_real(frame_current()->previous));

	UNUSED_ARGUMENTS();
	if (!tracer_enter(args[CODE], place))
		return py_enter_slow(args[CODE], place);
	Py_RETURN_NONE;
}

/* The result, or the exception, is passed where other events have the
 * callable. */
#define PY_EXIT(name, outcome) \
	SLOW name##_slow(PyObject *code, PyObject *value) \
	{ \
		tracer_exit_slow( \
			code, (struct tracer_outcome){outcome, value}); \
		Py_RETURN_NONE; \
	} \
	LISTENER(name) \
	{ \
		UNUSED_ARGUMENTS(); \
		if (!tracer_exit(args[CODE])) \
			return name##_slow(args[CODE], args[CALLABLE]); \
		Py_RETURN_NONE; \
	}
PY_EXIT(py_return, TRACER_RETURN)
PY_EXIT(py_yield, TRACER_YIELD)
PY_EXIT(py_unwind, TRACER_RAISE)

/* The C functions that cProfile shows; NULL for others. The profile function
 * would see a bound method where this is the method of a type. */
static const void *builtin_identity(PyObject *const *args)
{
	PyObject *object = args[CALLABLE], *self = args[ARGUMENT];

	if (callee_is_builtin(object))
		return ((PyCFunctionObject *)object)->m_ml;
	if (Py_TYPE(object) == &PyMethodDescr_Type && self != missing &&
		PyObject_TypeCheck(self, PyDescr_TYPE(object)))
		return ((PyMethodDescrObject *)object)->d_method;
	return NULL;
}

/* The same for most of them, by exact type. */
static inline const void *usual_identity(PyObject *const *args)
{
	PyObject *object = args[CALLABLE], *self = args[ARGUMENT];

	if (Py_TYPE(object) == &PyCFunction_Type)
		return ((PyCFunctionObject *)object)->m_ml;
	if (Py_TYPE(object) == &PyMethodDescr_Type && self != missing &&
		Py_TYPE(self) == PyDescr_TYPE(object))
		return ((PyMethodDescrObject *)object)->d_method;
	return NULL;
}

/*
 * The address of the call within its code, from the offset. The frame would
 * give the same, but is found through the thread's state, which is further
 * away. An offset is not negative, and has one digit.
 */
static inline const void *call_place(PyObject *const *args)
{
	return (const char *)args[CODE] +
	       ((PyLongObject *)args[OFFSET])->long_value.ob_digit[0];
}

static const void *call_instruction(PyObject *const *args)
{
	return ((PyCodeObject *)args[CODE])->co_code_adaptive +
	       PyLong_AsLong(args[OFFSET]);
}

/* The first argument, or the object of a method; NULL: none. */
static PyObject *first_argument(PyObject *const *args)
{
	return args[ARGUMENT] == missing ? NULL : args[ARGUMENT];
}

SLOW c_enter_slow(PyObject *const *args)
{
	const void *identity = builtin_identity(args);

	if (identity != NULL)
		tracer_enter_slow(&(struct callee_seen){identity,
					  args[CALLABLE], first_argument(args)},
			call_place(args));
	Py_RETURN_NONE;
}

/*
 * A bound method of a C function. When it returns, the interpreter reports the
 * function, at the end of a `with` the method, and after f(*args) nothing.
 */
static inline bool is_bound_c(PyObject *object)
{
	return Py_TYPE(object) == &PyMethod_Type &&
	       Py_TYPE(PyMethod_GET_FUNCTION(object)) != &PyFunction_Type;
}

/* Whether the return is reported: not that of a CALL_FUNCTION_EX. */
static bool is_plain_call(PyObject *const *args)
{
	unsigned char opcode = *(const unsigned char *)call_instruction(args);

#ifdef INSTRUMENTED_CALL_KW
	if (opcode == INSTRUMENTED_CALL_KW)
		return true;
#endif
	return opcode == INSTRUMENTED_CALL;
}

/* The arguments with the function in its place. */
#define UNBOUND(args) \
	((PyObject *const[]){(args)[CODE], (args)[OFFSET], \
		PyMethod_GET_FUNCTION((args)[CALLABLE]), \
		PyMethod_GET_SELF((args)[CALLABLE])})

SLOW c_enter_bound(PyObject *const *args)
{
	if (!is_plain_call(args))
		Py_RETURN_NONE;
	return c_enter_slow(UNBOUND(args));
}

LISTENER(c_enter)
{
	const PyTypeObject *type = Py_TYPE(args[CALLABLE]);
	const void *identity;

	UNUSED_ARGUMENTS();
	if (type == &PyFunction_Type)
		Py_RETURN_NONE;
	identity = usual_identity(args);
	if (identity == NULL && is_bound_c(args[CALLABLE]))
		return c_enter_bound(args);
	if (identity == NULL && callee_is_usual(type))
		Py_RETURN_NONE;
	if (identity == NULL || !tracer_enter(identity, call_place(args)))
		return c_enter_slow(args);
	Py_RETURN_NONE;
}

SLOW c_exit_slow(PyObject *const *args)
{
	const void *identity = builtin_identity(args);

	if (identity != NULL)
		tracer_c_exit_slow(identity);
	Py_RETURN_NONE;
}

SLOW c_exit_bound(PyObject *const *args)
{
	return c_exit_slow(UNBOUND(args));
}

LISTENER(c_exit)
{
	const void *identity = usual_identity(args);

	UNUSED_ARGUMENTS();
	if (identity == NULL && is_bound_c(args[CALLABLE]))
		return c_exit_bound(args);
	if (identity == NULL && callee_is_usual(Py_TYPE(args[CALLABLE])))
		Py_RETURN_NONE;
	if (identity == NULL || !tracer_exit(identity))
		return c_exit_slow(args);
	Py_RETURN_NONE;
}

/*
 * All callables except those that show as Python functions. The interpreter
 * unwraps bound methods between the call and its return. Objects of callable
 * types may be many, so each type is one callee. Each ufunc is a separate
 * callee, like a function.
 */
static inline const void *any_identity(PyObject *const *args)
{
	PyObject *object = args[CALLABLE];
	const void *identity = builtin_identity(args);

	if (identity != NULL)
		return identity;
	if (Py_TYPE(object) == &PyMethod_Type)
		object = PyMethod_GET_FUNCTION(object);
	if (PyFunction_Check(object))
		return NULL;
	if (PyCFunction_Check(object))
		return ((PyCFunctionObject *)object)->m_ml;
	if (PyType_Check(object) || Py_TYPE(object) == &PyMethodDescr_Type ||
		Py_TYPE(object) == &PyWrapperDescr_Type ||
		Py_TYPE(object) == &PyClassMethodDescr_Type ||
		strcmp(Py_TYPE(object)->tp_name, "numpy.ufunc") == 0)
		return object;
	return Py_TYPE(object);
}

static PyObject *called(PyObject *const *args)
{
	PyObject *object = args[CALLABLE];

	return Py_TYPE(object) == &PyMethod_Type ? PyMethod_GET_FUNCTION(object)
						 : object;
}

LISTENER(any_enter)
{
	const void *identity = any_identity(args), *place = call_place(args);

	UNUSED_ARGUMENTS();
	if (is_bound_c(args[CALLABLE]) && !is_plain_call(args))
		Py_RETURN_NONE;
	if (identity != NULL && !tracer_enter(identity, place))
		tracer_enter_slow(&(struct callee_seen){identity, called(args),
					  first_argument(args)},
			place);
	Py_RETURN_NONE;
}

LISTENER(any_exit)
{
	const void *identity = any_identity(args);

	UNUSED_ARGUMENTS();
	if (identity != NULL && !tracer_exit(identity))
		tracer_c_exit_slow(identity);
	Py_RETURN_NONE;
}

enum calls { ALWAYS, BUILTIN, ALL };

/* The order need not be that of the bits: sys.monitoring.events has these by
 * name. C_RETURN and C_RAISE come with CALL, and their bits must not be set. */
static struct {
	const char *event;
	enum calls calls;
	struct listener listener;
} listeners[] = {
	{"PY_START", ALWAYS, {PyObject_HEAD_INIT(NULL) py_enter}},
	{"PY_RESUME", ALWAYS, {PyObject_HEAD_INIT(NULL) py_enter}},
	{"PY_THROW", ALWAYS, {PyObject_HEAD_INIT(NULL) py_enter}},
	{"PY_RETURN", ALWAYS, {PyObject_HEAD_INIT(NULL) py_return}},
	{"PY_YIELD", ALWAYS, {PyObject_HEAD_INIT(NULL) py_yield}},
	{"PY_UNWIND", ALWAYS, {PyObject_HEAD_INIT(NULL) py_unwind}},
	{"CALL", BUILTIN, {PyObject_HEAD_INIT(NULL) c_enter}},
	{"C_RETURN", BUILTIN, {PyObject_HEAD_INIT(NULL) c_exit}},
	{"C_RAISE", BUILTIN, {PyObject_HEAD_INIT(NULL) c_exit}},
	{"CALL", ALL, {PyObject_HEAD_INIT(NULL) any_enter}},
	{"C_RETURN", ALL, {PyObject_HEAD_INIT(NULL) any_exit}},
	{"C_RAISE", ALL, {PyObject_HEAD_INIT(NULL) any_exit}},
};

enum { LISTENERS = sizeof(listeners) / sizeof(listeners[0]) };

static int tool = -1;

/* sys.monitoring, or one of its attributes, a new reference. */
static PyObject *monitoring(const char *name)
{
	PyObject *module = PySys_GetObject("monitoring"); /* borrowed */

	if (module == NULL) {
		PyErr_SetString(PyExc_RuntimeError, "no sys.monitoring");
		return NULL;
	}
	return PyObject_GetAttrString(module, name);
}

/* The bit of an event; -1 with an exception. */
static long event_bit(const char *event)
{
	PyObject *events = monitoring("events");
	PyObject *bit =
		events == NULL ? NULL : PyObject_GetAttrString(events, event);
	long value = bit == NULL ? -1 : PyLong_AsLong(bit);

	Py_XDECREF(events);
	Py_XDECREF(bit);
	return value;
}

/* Calls a function of sys.monitoring with a format of Py_BuildValue(). */
static int call(const char *function, PyObject *arguments)
{
	PyObject *callable = arguments == NULL ? NULL : monitoring(function);
	PyObject *result = callable == NULL
				   ? NULL
				   : PyObject_CallObject(callable, arguments);

	Py_XDECREF(callable);
	Py_XDECREF(arguments);
	Py_XDECREF(result);
	return result == NULL ? -1 : 0;
}

/* Debuggers, coverage tools and profilers own the numbers 0 to 2; an optimizer
 * owns 5. */
static int acquire_tool(void)
{
	static const int free_for_all[] = {4, 3};

	for (size_t i = 0; i < 2; i++) {
		if (call("use_tool_id", Py_BuildValue("(is)", free_for_all[i],
						"ctprof")) == 0)
			return free_for_all[i];
		if (!PyErr_ExceptionMatches(PyExc_ValueError))
			return -1;
		PyErr_Clear();
	}
	PyErr_SetString(PyExc_RuntimeError,
		"sys.monitoring: other tools use the tool ids 3 and 4");
	return -1;
}

static int set_events(long bits)
{
	return call("set_events", Py_BuildValue("(il)", tool, bits));
}

/* Registers the listener for an event; None removes it. */
static int listen_to(size_t i, PyObject *listener)
{
	long bit = event_bit(listeners[i].event);

	if (bit < 0)
		return -1;
	return call("register_callback",
		Py_BuildValue("(ilO)", tool, bit, listener));
}

int hook_monitoring_stop(void)
{
	int result = set_events(0);

	for (size_t i = 0; i < LISTENERS; i++)
		if (listen_to(i, Py_None) != 0)
			result = -1;
	if (call("free_tool_id", Py_BuildValue("(i)", tool)) != 0)
		result = -1;
	tool = -1;
	return result;
}

static bool wanted(size_t i, const struct tracer_options *options)
{
	if (listeners[i].calls == ALWAYS)
		return true;
	return options->c_calls &&
	       (listeners[i].calls == ALL) == options->all_calls;
}

/* Registers all listeners that the options ask for. Returns the bits of their
 * events; -1 with an exception. */
static long listen_to_all(const struct tracer_options *options)
{
	long bits = 0, c_exits;

	for (size_t i = 0; i < LISTENERS; i++) {
		PyObject *listener = (PyObject *)&listeners[i].listener;

		if (!wanted(i, options))
			continue;
		Py_SET_TYPE(listener, &listener_type);
		if (listen_to(i, listener) != 0)
			return -1;
		bits |= event_bit(listeners[i].event);
	}
	c_exits = event_bit("C_RETURN") | event_bit("C_RAISE");
	return PyErr_Occurred() ? -1 : bits & ~c_exits;
}

/* The pending exception is kept. */
static void undo(void)
{
	PyObject *exception = PyErr_GetRaisedException();

	(void)hook_monitoring_stop();
	PyErr_SetRaisedException(exception);
}

int hook_monitoring_start(const struct tracer_options *options)
{
	long bits;

	if (PyType_Ready(&listener_type) != 0)
		return -1;
	Py_XSETREF(missing, monitoring("MISSING"));
	if (missing == NULL)
		return -1;
	tool = acquire_tool();
	if (tool < 0)
		return -1;
	bits = listen_to_all(options);
	if (bits >= 0 && set_events(bits) == 0)
		return 0;
	undo();
	return -1;
}

#endif

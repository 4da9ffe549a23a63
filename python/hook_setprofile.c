/* SPDX-License-Identifier: MIT */
/*
 * The profile function of the threads.
 *
 * New threads get it when their first frame needs a stack, which the
 * interpreter allocates as an arena, in the thread itself. Threads of all
 * kinds, also those made by C code, have only this hookable moment in common.
 */
#include "hook.h"

#include <frameobject.h>

#include "frame.h"
#include "error_state.h"

static PyObjectArenaAllocator arenas; /* the allocator before ours */
static bool has_arenas;
static Py_tracefunc wanted; /* one of the profile functions */
static bool is_on;

/* Each is a separate function, so that an event saves no registers before it is
 * known to be of interest. */
#define NOINLINE __attribute__((noinline))

static NOINLINE int enter(PyFrameObject *frame)
{
	frame_t *caller = frame_real(frame->f_frame->previous);
	PyObject *code = (PyObject *)frame_code(frame->f_frame);
	const void *place = frame_call_place(caller);

	if (!tracer_enter(code, place))
		tracer_enter_slow(
			&(struct callee_seen){code, code, NULL}, place);
	return 0;
}

/* Only builtin functions are recorded, as in cProfile. */
static NOINLINE int enter_c(PyFrameObject *frame, PyObject *object)
{
	const void *place = frame_place(frame->f_frame);
	const void *identity;

	if (!callee_is_builtin(object))
		return 0;
	identity = ((PyCFunctionObject *)object)->m_ml;
	if (!tracer_enter(identity, place))
		tracer_enter_slow(
			&(struct callee_seen){identity, object, NULL}, place);
	return 0;
}

/* Without a result, there is an exception, which is not passed. */
static NOINLINE int leave_slow(frame_t *frame, PyObject *result)
{
	struct tracer_outcome outcome = {TRACER_RETURN, result};

	if (result != NULL && frame_is_yielding(frame))
		outcome.kind = TRACER_YIELD;
	else if (result == NULL ||
		 (result == Py_None && frame_is_raising(frame)))
		outcome = (struct tracer_outcome){TRACER_RAISE, NULL};
	tracer_exit_slow(frame_code(frame), outcome);
	return 0;
}

static NOINLINE int leave(PyFrameObject *frame, PyObject *result)
{
	const void *code = frame_code(frame->f_frame);

	if (!tracer_exit(code))
		return leave_slow(frame->f_frame, result);
	return 0;
}

static NOINLINE int leave_c(PyObject *object)
{
	const void *identity;

	if (!callee_is_builtin(object))
		return 0;
	identity = ((PyCFunctionObject *)object)->m_ml;
	if (!tracer_exit(identity))
		tracer_c_exit_slow(identity);
	return 0;
}

/* The profile functions. An unwanted event costs a comparison. */
static int on_python_call(
	PyObject *unused, PyFrameObject *frame, int what, PyObject *argument)
{
	(void)unused;
	if (what == PyTrace_CALL)
		return enter(frame);
	if (what == PyTrace_RETURN)
		return leave(frame, argument);
	return 0;
}

static int on_call(
	PyObject *unused, PyFrameObject *frame, int what, PyObject *argument)
{
	switch (what) {
	case PyTrace_C_CALL:
		return enter_c(frame, argument);
	case PyTrace_C_RETURN:
	case PyTrace_C_EXCEPTION:
		return leave_c(argument);
	default:
		return on_python_call(unused, frame, what, argument);
	}
}

static _Thread_local bool setting; /* we are setting it now */

/* Sets the function, or NULL, in the calling thread. */
static void set_here(Py_tracefunc function)
{
	struct error_state error;

	error_save(&error);
	setting = true;
	PyEval_SetProfile(function, NULL);
	setting = false;
	PyErr_Clear();
	error_restore(&error);
}

static void *arena_alloc(void *context, size_t size)
{
	PyThreadState *state;
	void *arena = arenas.alloc(context, size);

	/* Arenas of this size are for objects, and are requested while one is
	 * being made. */
	if (arena == NULL || !is_on || size >= 1 << 18)
		return arena;
	state = PyGILState_GetThisThreadState();
	/* Other interpreters are not traced: monitoring cannot trace them
	 * either. */
	if (state != NULL && state->c_profilefunc == NULL &&
		PyThreadState_GetInterpreter(state) ==
			PyInterpreterState_Main())
		set_here(wanted);
	return arena;
}

static void hook_new_threads(void)
{
	PyObjectArenaAllocator ours;

	if (has_arenas)
		return;
	PyObject_GetArenaAllocator(&arenas);
	ours = arenas;
	ours.alloc = arena_alloc;
	PyObject_SetArenaAllocator(&ours);
	has_arenas = true;
}

/* Sets it in all existing threads. */
static int set_everywhere(Py_tracefunc function)
{
	setting = true;
#if PY_VERSION_HEX >= 0x030c0000
	PyEval_SetProfileAllThreads(function, NULL);
#else
	/* The states cannot go away while we hold the interpreter's lock. */
	for (PyThreadState *state =
			PyInterpreterState_ThreadHead(PyInterpreterState_Get());
		state != NULL; state = PyThreadState_Next(state))
		(void)_PyEval_SetProfile(state, function, NULL);
#endif
	setting = false;
	return PyErr_Occurred() ? -1 : 0;
}

/* Another profiler has replaced our function in some thread. */
static int come_back(void *unused)
{
	static bool warned;

	(void)unused;
	if (!is_on)
		return 0;
	if (set_everywhere(wanted) != 0)
		PyErr_Clear();
	if (!warned && PyErr_WarnEx(PyExc_RuntimeWarning,
			       "ctprof is tracing: the program's own profile "
			       "function is not called",
			       1) != 0)
		PyErr_Clear();
	warned = true;
	return 0;
}

/* Called before the change is made, so ours is set again a little later. */
static int audit(const char *event, PyObject *arguments, void *unused)
{
	(void)arguments;
	(void)unused;
	if (!is_on || setting || strcmp(event, "sys.setprofile") != 0)
		return 0;
	tracer_replaced();
	(void)Py_AddPendingCall(come_back, NULL);
	return 0;
}

int hook_setprofile_start(const struct tracer_options *options)
{
	static bool audits;

#ifdef Py_GIL_DISABLED
	PyErr_SetString(PyExc_ValueError,
		"hook 'setprofile' needs the interpreter's lock; use "
		"'monitoring'");
	return -1;
#endif
	if (!audits && PySys_AddAuditHook(audit, NULL) != 0)
		return -1;
	audits = true;
	wanted = options->c_calls ? on_call : on_python_call;
	hook_new_threads();
	is_on = set_everywhere(wanted) == 0;
	return is_on ? 0 : -1;
}

int hook_setprofile_stop(void)
{
	is_on = false;
	return set_everywhere(NULL);
}

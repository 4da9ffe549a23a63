/* SPDX-License-Identifier: MIT */
/*
 * The interpreter's frames, read for the caller and its current instruction.
 * The public functions for this create frame objects, at several times the
 * price of the whole record.
 */
#ifndef PYTHON_FRAME_H
#define PYTHON_FRAME_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <opcode.h>
#include <stdbool.h>

#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_interpframe.h>
#endif
#undef Py_BUILD_CORE

typedef struct _PyInterpreterFrame frame_t;

/* The frame that runs in this thread; NULL if there is none. */
static inline frame_t *frame_current(void)
{
#if PY_VERSION_HEX >= 0x030d0000
	frame_t *frame = PyThreadState_GetUnchecked()->current_frame;
#else
	frame_t *frame = PyThreadState_Get()->cframe->current_frame;
#endif

	return frame;
}

/* `frame`, or the first one below it that the interpreter did not make for a
 * call from C code. */
static inline frame_t *frame_real(frame_t *frame)
{
#if PY_VERSION_HEX >= 0x030e0000
	while (frame != NULL && frame->owner >= FRAME_OWNED_BY_INTERPRETER)
		frame = frame->previous;
#elif PY_VERSION_HEX >= 0x030c0000
	while (frame != NULL && frame->owner == FRAME_OWNED_BY_CSTACK)
		frame = frame->previous;
#endif
	return frame;
}

/* Borrowed. */
static inline PyCodeObject *frame_code(frame_t *frame)
{
#if PY_VERSION_HEX >= 0x030d0000
	return _PyFrame_GetCode(frame);
#else
	return frame->f_code;
#endif
}

/* Index of the instruction that the frame is at; negative before the first. */
static inline int frame_index(frame_t *frame)
{
	return (int)_PyInterpreterFrame_LASTI(frame);
}

/* The address of the frame's current instruction, or a substitute for it: the
 * same for the same place in the program, for as long as the code lives. */
static inline const void *frame_place(frame_t *frame)
{
#if PY_VERSION_HEX >= 0x030e0000 && defined(Py_GIL_DISABLED)
	/* Threads have their own copies of the instructions, which end with
	 * them. */
	return (const char *)frame_code(frame) + frame_index(frame);
#elif PY_VERSION_HEX >= 0x030d0000
	return frame->instr_ptr;
#else
	return frame->prev_instr;
#endif
}

/* A local variable, borrowed; NULL if it has no value. */
static inline PyObject *frame_local(frame_t *frame, int i)
{
#if PY_VERSION_HEX >= 0x030e0000
	return PyStackRef_IsNull(frame->localsplus[i])
		       ? NULL
		       : PyStackRef_AsPyObjectBorrow(frame->localsplus[i]);
#else
	return frame->localsplus[i];
#endif
}

/* Whether the frame is that of a generator at a `yield`; for the profile
 * function, which gets the same event for a return. */
static inline bool frame_is_yielding(frame_t *frame)
{
	if (frame->owner != FRAME_OWNED_BY_GENERATOR)
		return false;
#if PY_VERSION_HEX >= 0x030e0000
	return frame->instr_ptr->op.code == INSTRUMENTED_YIELD_VALUE;
#elif PY_VERSION_HEX >= 0x030d0000
	return FRAME_STATE_SUSPENDED(
		_PyFrame_GetGenerator(frame)->gi_frame_state);
#else
	return _PyFrame_GetGenerator(frame)->gi_frame_state == FRAME_SUSPENDED;
#endif
}

/* Whether the frame ends by an exception; for the profile function of Python
 * 3.12, which gets None then, as if that were returned. */
static inline bool frame_is_raising(frame_t *frame)
{
#if PY_VERSION_HEX >= 0x030c0000 && PY_VERSION_HEX < 0x030d0000
	switch (frame->prev_instr->op.code) {
	case RETURN_VALUE:
	case RETURN_CONST:
	case INSTRUMENTED_RETURN_VALUE:
	case INSTRUMENTED_RETURN_CONST:
	case INSTRUMENTED_LINE:
	case INSTRUMENTED_INSTRUCTION:
		return false;
	default:
		return true;
	}
#else
	(void)frame;
	return false;
#endif
}

/* The same for a caller, which may be NULL. */
static inline const void *frame_call_place(frame_t *caller)
{
	return caller == NULL ? NULL : frame_place(caller);
}

#endif

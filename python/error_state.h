/* SPDX-License-Identifier: MIT */
/* The pending exception of the traced program, saved while the tracer runs. */
#ifndef PYTHON_ERROR_STATE_H
#define PYTHON_ERROR_STATE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

struct error_state {
	PyObject *exception;
#if PY_VERSION_HEX < 0x030c0000
	PyObject *type, *traceback;
#endif
};

static inline void error_save(struct error_state *state)
{
#if PY_VERSION_HEX < 0x030c0000
	PyErr_Fetch(&state->type, &state->exception, &state->traceback);
#else
	state->exception = PyErr_GetRaisedException();
#endif
}

static inline void error_restore(struct error_state *state)
{
#if PY_VERSION_HEX < 0x030c0000
	PyErr_Restore(state->type, state->exception, state->traceback);
#else
	PyErr_SetRaisedException(state->exception);
#endif
}

#endif

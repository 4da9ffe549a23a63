/* SPDX-License-Identifier: MIT */
#include "code_watch.h"

#include "callee.h"
#include "error_state.h"

#if PY_VERSION_HEX >= 0x030c0000

static int watcher = -1; /* an interpreter has eight */

static int watched(PyCodeEvent event, PyCodeObject *code)
{
	if (event == PY_CODE_EVENT_DESTROY)
		callee_code_freed(code);
	return 0;
}

void code_watch_start(void)
{
	struct error_state error;

	error_save(&error);
	watcher = PyCode_AddWatcher(watched);
	PyErr_Clear();
	error_restore(&error);
}

void code_watch_stop(void)
{
	struct error_state error;

	error_save(&error);
	if (watcher >= 0)
		(void)PyCode_ClearWatcher(watcher);
	watcher = -1;
	PyErr_Clear();
	error_restore(&error);
}

bool code_watch(PyCodeObject *code)
{
	(void)code;
	return watcher >= 0;
}

#else

/*
 * Version 3.11 has no watchers, but frees data that are attached to the code
 * object. Ours are the object's address, which stays true when callees are
 * forgotten. An index cannot be returned, so it is requested once.
 */
static Py_ssize_t data_index = -1;

static void freed(void *code)
{
	if (code != NULL)
		callee_code_freed(code);
}

void code_watch_start(void)
{
	if (data_index < 0)
		data_index = _PyEval_RequestCodeExtraIndex(freed);
}

void code_watch_stop(void)
{
}

bool code_watch(PyCodeObject *code)
{
	PyObject *object = (PyObject *)code;
	void *data = NULL;
	bool done = data_index >= 0 &&
		    _PyCode_GetExtra(object, data_index, &data) == 0;

	/* Replacing data frees them. */
	if (done && data == NULL)
		done = _PyCode_SetExtra(object, data_index, code) == 0;
	PyErr_Clear();
	return done;
}

#endif

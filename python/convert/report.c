/* SPDX-License-Identifier: MIT */
#include "report.h"

#include "trace/trace.h"

void report_error(PyObject *path, const struct ctp_error *err)
{
	PyObject *kind =
		err->status == CTP_ERR_IO ? PyExc_OSError : PyExc_ValueError;

	if (err->sys_errno != 0) {
		/* The cause may be a program that draws the log, or a directory
		 * of any name. */
		PyObject *args = Py_BuildValue("(iNO)", err->sys_errno,
			PyUnicode_FromFormat("%s", err->message), path);

		if (args != NULL)
			PyErr_SetObject(PyExc_OSError, args);
		Py_XDECREF(args);
	} else if (err->status == CTP_ERR_NOMEM) {
		(void)PyErr_NoMemory();
	} else if (err->offset == ERROR_NO_OFFSET) {
		(void)PyErr_Format(kind, "%S: %s", path, err->message);
	} else {
		(void)PyErr_Format(kind, "%S: byte %llu: %s", path,
			(unsigned long long)err->offset, err->message);
	}
}

PyObject *report_losses(const uint64_t *losses)
{
	PyObject *dict = PyDict_New();

	for (enum trace_loss loss = 0; dict != NULL && loss < LOSS_KINDS;
		loss++) {
		PyObject *count;

		if (losses[loss] == 0 || trace_loss_is_note(loss))
			continue;
		count = PyLong_FromUnsignedLongLong(losses[loss]);
		if (count == NULL ||
			PyDict_SetItemString(
				dict, trace_loss_description(loss), count) != 0)
			Py_CLEAR(dict);
		Py_XDECREF(count);
	}
	return dict;
}

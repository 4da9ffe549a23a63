/* SPDX-License-Identifier: MIT */
/*
 * The extension module ctprof._convert: reads events and profiles, and converts
 * logs to other formats in memory. It uses the same code as the program `ctprof`, which need not be
 * installed beside a package from pip. It is separate from the recorder, since
 * traced programs do not need it.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "base/machine.h"
#include "base/memory.h"
#include "input_file.h"
#include "event_iterator.h"
#include "profile_tables.h"
#include "report.h"

struct request {
	const char *path;
	struct convert_job job;
	bool trim_prefix;

	char *bytes; /* from malloc() */
	size_t size;
	uint64_t losses[LOSS_KINDS];
};

static enum ctp_status run_job(struct request *request,
	struct event_source *source, struct ctp_error *err)
{
	enum ctp_status status;

	request->job.out = open_memstream(&request->bytes, &request->size);
	if (request->job.out == NULL)
		return ctp_no_memory(err);
	status = convert_run(source, &request->job, err);
	if (fclose(request->job.out) != 0 && status == CTP_OK)
		status = ctp_no_memory(err);
	memcpy(request->losses, source->trace->losses, sizeof(request->losses));
	return status;
}

/* Releases the interpreter's lock: this may take its time. */
static enum ctp_status run(struct request *request, struct ctp_error *err)
{
	struct read_request read = {.trim_prefix = request->trim_prefix};
	struct input_file origin;
	enum ctp_status status;

	convert_set_request(request->job.to, &read);
	status = input_file_open(&origin, request->path, NULL, &read, err);
	if (status != CTP_OK)
		return status;
	status = run_job(request, origin.source, err);
	input_file_close(&origin);
	return status;
}

/* The format of this name, if it is written; else NULL with an exception. */
static const struct format *find_format(const char *name)
{
	const struct format *format = format_find(name);

	if (format != NULL &&
		(format->new_timeline != NULL || format->write_profile != NULL))
		return format;
	(void)PyErr_Format(
		PyExc_ValueError, "ctprof cannot write format '%s'", name);
	return NULL;
}

/* The result of a request for this path; NULL with an exception. */
static PyObject *answer(struct request *request, PyObject *path)
{
	struct ctp_error err = {0};
	enum ctp_status status;

	Py_BEGIN_ALLOW_THREADS status = run(request, &err);
	Py_END_ALLOW_THREADS if (status == CTP_OK) return Py_BuildValue("y#N",
		request->bytes, (Py_ssize_t)request->size,
		report_losses(request->losses));
	report_error(path, &err);
	return NULL;
}

static PyObject *convert(PyObject *module, PyObject *args, PyObject *keywords)
{
	static const char *const names[] = {
		"path", "to", "all_edge_times", "no_root", "trim_prefix", NULL};
	struct request request = {0};
	PyObject *path, *encoded;
	const char *to;
	int all_edge_times = 0, no_root = 0, trim_prefix = 0;
	PyObject *result = NULL;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, keywords, "Os|$ppp:convert",
		    (char **)(uintptr_t)names, &path, &to, &all_edge_times,
		    &no_root, &trim_prefix) ||
		!PyUnicode_FSConverter(path, &encoded))
		return NULL;
	request.path = PyBytes_AS_STRING(encoded);
	request.job.to = find_format(to);
	request.job.all_edge_times = all_edge_times;
	request.job.no_root = no_root;
	request.trim_prefix = trim_prefix;
	if (request.job.to != NULL)
		result = answer(&request, path);
	free(request.bytes);
	Py_DECREF(encoded);
	return result;
}

static PyMethodDef methods[] = {
	{"convert", (PyCFunction)(void (*)(void))convert,
		METH_VARARGS | METH_KEYWORDS,
		"convert(path, to, *, all_edge_times=False, no_root=False, "
		"trim_prefix=False)\n--\n\n"
		"Converts a log to another format: returns (bytes, {loss: "
		"count})."},
	{"events", (PyCFunction)(void (*)(void))event_iterator_new,
		METH_VARARGS | METH_KEYWORDS,
		"events(path, *, trim_prefix=False)\n--\n\n"
		"An iterator of tuples, and losses() for those met so far."},
	{"profile", (PyCFunction)(void (*)(void))profile_tables_read,
		METH_VARARGS | METH_KEYWORDS,
		"profile(path, *, all_edge_times=False, trim_prefix=False)\n"
		"--\n\nReturns (functions, edges, {loss: count})."},
	{NULL, NULL, 0, NULL},
};

static int limit_memory(PyObject *module)
{
	(void)module;
	memory_set_usual_limit(machine_memory_bytes("") / 4 * 3);
	return 0;
}

static PyModuleDef_Slot slots[] = {
	{Py_mod_exec, limit_memory},
	{Py_mod_exec, event_iterator_add},
#if PY_VERSION_HEX >= 0x030d0000
	{Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
	{0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "ctprof._convert",
	.m_doc = "The converter of the ctprof package.",
	.m_methods = methods,
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__convert(void);

PyMODINIT_FUNC PyInit__convert(void)
{
	return PyModuleDef_Init(&definition);
}

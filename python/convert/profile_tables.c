/* SPDX-License-Identifier: MIT */
#include "profile_tables.h"

#include <string.h>

#include "convert.h"
#include "input_file.h"
#include "profile/profile.h"
#include "report.h"

struct request {
	const char *path;
	struct convert_job job;
	struct read_request read;
	struct profile *profile;
	uint64_t losses[LOSS_KINDS];
};

/* Releases the interpreter's lock: this may take its time. */
static enum ctp_status read_profile(
	struct request *request, struct ctp_error *err)
{
	struct input_file input;
	enum ctp_status status;

	status = input_file_open(
		&input, request->path, NULL, &request->read, err);
	if (status != CTP_OK)
		return status;
	status = convert_profile(
		input.source, &request->job, &request->profile, err);
	memcpy(request->losses, input.source->trace->losses,
		sizeof(request->losses));
	input_file_close(&input);
	return status;
}

/* A new str; bytes that are not UTF-8 are replaced. */
static PyObject *text(const char *bytes)
{
	return PyUnicode_DecodeUTF8(
		bytes, (Py_ssize_t)strlen(bytes), "replace");
}

static PyObject *function_tuple(const struct profile_function *function)
{
	const struct profile_cost *cost = &function->cost;

	return Py_BuildValue("(NNIKKKKKK)", text(function->name),
		text(function->file), (unsigned)function->line,
		(unsigned long long)cost->ncalls,
		(unsigned long long)cost->pcalls,
		(unsigned long long)cost->tottime_ns,
		(unsigned long long)cost->cumtime_ns,
		(unsigned long long)function->device.self_ns,
		(unsigned long long)function->device.total_ns);
}

static PyObject *edge_tuple(const struct profile_edge *edge)
{
	return Py_BuildValue("(IIKKKK)", (unsigned)edge->caller,
		(unsigned)edge->callee, (unsigned long long)edge->cost.ncalls,
		(unsigned long long)edge->cost.pcalls,
		(unsigned long long)edge->cost.tottime_ns,
		(unsigned long long)edge->cost.cumtime_ns);
}

static PyObject *functions_list(const struct profile *profile)
{
	PyObject *list = PyList_New(profile->function_count);

	for (uint32_t i = 0; list != NULL && i < profile->function_count; i++) {
		PyObject *tuple = function_tuple(&profile->functions[i]);

		if (tuple == NULL)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, tuple);
	}
	return list;
}

static PyObject *edges_list(const struct profile *profile)
{
	PyObject *list = PyList_New(profile->edge_count);

	for (uint32_t i = 0; list != NULL && i < profile->edge_count; i++) {
		PyObject *tuple = edge_tuple(&profile->edges[i]);

		if (tuple == NULL)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, tuple);
	}
	return list;
}

/* The result of a request for this path; NULL with an exception. */
static PyObject *answer(struct request *request, PyObject *path)
{
	struct ctp_error err = {0};
	PyThreadState *threads;
	enum ctp_status status;
	PyObject *tables;

	threads = PyEval_SaveThread();
	status = read_profile(request, &err);
	PyEval_RestoreThread(threads);
	if (status != CTP_OK) {
		report_error(path, &err);
		return NULL;
	}
	tables = Py_BuildValue("(NNN)", functions_list(request->profile),
		edges_list(request->profile), report_losses(request->losses));
	profile_free(request->profile);
	return tables;
}

PyObject *profile_tables_read(
	PyObject *module, PyObject *args, PyObject *keywords)
{
	static const char *const names[] = {
		"path", "all_edge_times", "trim_prefix", NULL};
	struct request request = {.job.no_root = true};
	PyObject *path, *encoded, *result;
	int all_edge_times = 0, trim_prefix = 0;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$pp:profile",
		    (char **)(uintptr_t)names, &path, &all_edge_times,
		    &trim_prefix) ||
		!PyUnicode_FSConverter(path, &encoded))
		return NULL;
	request.path = PyBytes_AS_STRING(encoded);
	request.job.all_edge_times = all_edge_times;
	request.read = (struct read_request){.skip_args = true,
		.detailed_names = true,
		.trim_prefix = trim_prefix};
	result = answer(&request, path);
	Py_DECREF(encoded);
	return result;
}

/* SPDX-License-Identifier: MIT */
/* The extension module ctprof._ctprof, on which the package is built. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/auxv.h>

#include "children.h"
#include "ctprof.h"
#include "ranges.h"
#include "code_filter.h"
#include "state.h"
#include "tracer.h"
#include "value_text.h"

/* Python does not change the words, though their type is not const. */
#define KEYWORDS(words) ((char **)(uintptr_t)(words))

#define TEXT_(number) #number
#define TEXT(number) TEXT_(number)
#define VERSION_TEXT \
	TEXT(CTP_VERSION_MAJOR) \
	"." TEXT(CTP_VERSION_MINOR) "." TEXT(CTP_VERSION_PATCH)

static PyObject *status(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return PyUnicode_FromString(ctp_status());
}

static PyObject *failed(void)
{
	PyErr_SetString(PyExc_RuntimeError, ctp_status());
	return NULL;
}

/* An O& converter of a path or None to a bytes object or NULL. */
static int optional_path(PyObject *object, void *result)
{
	if (object == Py_None)
		return 1;
	return PyUnicode_FSConverter(object, result);
}

static PyObject *record_start(PyObject *module, PyObject *args, PyObject *names)
{
	static const char *keywords[] = {
		"out", "min_ns", "spool", "last", "dump_signal", NULL};
	struct ctp_options options = CTP_OPTIONS_INIT;
	PyObject *out = NULL;
	PyObject *spool = NULL;
	unsigned long long min_ns = 0;
	unsigned long long last = 0;
	int dump_signal = 0;
	enum ctp_status result;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, names, "|O&KO&Ki:record_start",
		    KEYWORDS(keywords), optional_path, &out, &min_ns,
		    optional_path, &spool, &last, &dump_signal)) {
		Py_XDECREF(out);
		return NULL;
	}
	options.out = out == NULL ? NULL : PyBytes_AS_STRING(out);
	options.spool = spool == NULL ? NULL : PyBytes_AS_STRING(spool);
	options.min_ns = min_ns;
	options.last = last;
	options.dump_signal = dump_signal;
	result = ctp_start(&options);
	Py_XDECREF(out);
	Py_XDECREF(spool);
	if (result != CTP_OK)
		return failed();
	tracer_session();
	Py_RETURN_NONE;
}

static PyObject *record_flush(PyObject *module, PyObject *unused)
{
	enum ctp_status result;

	(void)module;
	(void)unused;
	/* clang-format off */
	Py_BEGIN_ALLOW_THREADS
	result = ctp_flush();
	Py_END_ALLOW_THREADS
			/* clang-format on */
			return result == CTP_OK
		? Py_NewRef(Py_None)
		: failed();
}

static PyObject *record_stop(PyObject *module, PyObject *unused)
{
	struct tracer_counts counts;
	enum ctp_status result;

	(void)module;
	(void)unused;
	if (tracer_on != 0 && tracer_stop(&counts) != 0)
		return NULL;
	tracer_session();
	/* The log may have to wait for its disk. */
	/* clang-format off */
	Py_BEGIN_ALLOW_THREADS
	result = ctp_stop();
	Py_END_ALLOW_THREADS
			/* clang-format on */
			return result == CTP_OK
		? Py_NewRef(Py_None)
		: failed();
}

/* One of two words. -1 with an exception, which names `what` as the option. */
static int one_of(const char *what, const char *word, const char *words[2])
{
	for (int i = 0; i < 2; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	PyErr_Format(PyExc_ValueError, "%s must be '%s' or '%s', not '%s'",
		what, words[0], words[1], word);
	return -1;
}

/* A new tuple of str from a filter's value. */
static PyObject *patterns(PyObject *given, const char *what)
{
	PyObject *tuple;

	if (given == NULL || given == Py_None)
		return PyTuple_New(0);
	if (PyUnicode_Check(given))
		return PyTuple_Pack(1, given);
	tuple = PySequence_Tuple(given);
	for (Py_ssize_t i = 0; tuple != NULL && i < PyTuple_GET_SIZE(tuple);
		i++)
		if (!PyUnicode_Check(PyTuple_GET_ITEM(tuple, i))) {
			PyErr_Format(PyExc_TypeError,
				"%s must be a sequence of str", what);
			Py_CLEAR(tuple);
		}
	return tuple;
}

/* The hook by its name. -1 with an exception. */
static int hook_of(const char *name)
{
	static const char *words[] = {"monitoring", "setprofile"};

	if (strcmp(name, "auto") == 0)
		return PY_VERSION_HEX < 0x030c0000;
	return one_of("hook", name, words);
}

static int parse_options(
	struct tracer_options *options, PyObject *args, PyObject *names)
{
	static const char *keywords[] = {"hook", "c_calls", "calls", "depth",
		"include", "exclude", "gc", "imports", "tasks", "modules",
		"parameters", "max_depth", "args", "args_length", "skip", NULL};
	static const char *all_words[] = {"builtin", "all"};
	const char *hook = "auto", *calls = "builtin";
	int c_calls = 1, gc = 0, imports = 0, tasks = 0, modules = 1;
	int parameters = 0, by_setprofile, all;

	if (!PyArg_ParseTupleAndKeywords(args, names,
		    "|$spsiOOpppppiOii:trace_start", KEYWORDS(keywords), &hook,
		    &c_calls, &calls, &options->depth, &options->include,
		    &options->exclude, &gc, &imports, &tasks, &modules,
		    &parameters, &options->max_depth, &options->args,
		    &options->args_length, &options->skip))
		return -1;
	by_setprofile = hook_of(hook);
	all = one_of("calls", calls, all_words);
	if (by_setprofile < 0 || all < 0)
		return -1;
	if (by_setprofile && all) {
		PyErr_SetString(PyExc_ValueError,
			"calls='all' needs hook 'monitoring', and that "
			"Python 3.12");
		return -1;
	}
	if (options->depth < 0 || options->max_depth < 0) {
		PyErr_SetString(PyExc_ValueError,
			options->depth < 0 ? "depth must not be negative"
					   : "max_depth must not be negative");
		return -1;
	}
	if (options->args_length < 1 || options->args_length > VALUE_TEXT_MAX) {
		PyErr_Format(PyExc_ValueError,
			"args_length must be from 1 to %d", VALUE_TEXT_MAX);
		return -1;
	}
	options->setprofile = by_setprofile;
	options->all_calls = all;
	options->c_calls = c_calls;
	options->gc = gc;
	options->imports = imports;
	options->tasks = tasks;
	options->modules = modules;
	options->parameters = parameters;
	return 0;
}

static PyObject *trace_start(PyObject *module, PyObject *args, PyObject *names)
{
	struct tracer_options options = {
		.depth = 128, .args_length = VALUE_TEXT_USUAL};
	int result = -1;

	(void)module;
	if (parse_options(&options, args, names) != 0)
		return NULL;
	options.include = patterns(options.include, "include");
	options.exclude = options.include == NULL
				  ? NULL
				  : patterns(options.exclude, "exclude");
	options.args =
		options.exclude == NULL ? NULL : patterns(options.args, "args");
	if (options.args != NULL)
		result = tracer_start(&options);
	Py_XDECREF(options.include);
	Py_XDECREF(options.exclude);
	Py_XDECREF(options.args);
	return result == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject *trace_stop(PyObject *module, PyObject *unused)
{
	struct tracer_counts counts;

	(void)module;
	(void)unused;
	if (tracer_stop(&counts) != 0)
		return NULL;
	ctp_repaired(counts.calls_unwound, counts.exits_dropped);
	return Py_BuildValue("{sKsKsKsK}", "exits_dropped",
		(unsigned long long)counts.exits_dropped, "calls_unwound",
		(unsigned long long)counts.calls_unwound, "calls_lost",
		(unsigned long long)counts.calls_lost, "hooks_replaced",
		(unsigned long long)counts.hooks_replaced);
}

#define WITH_NAMES(function) ((PyCFunction)(void (*)(void))(function))

/* Adds a directory of modules: not an event, but a name in the log. */
static PyObject *prefix(PyObject *module, PyObject *path)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	PyObject *bytes;

	(void)module;
	if (!PyUnicode_FSConverter(path, &bytes))
		return NULL;
	info.name = "sys.path";
	info.file = PyBytes_AS_STRING(bytes);
	info.category = "prefix";
	(void)ctp_site_intern_info(&info);
	Py_DECREF(bytes);
	Py_RETURN_NONE;
}

static bool is_only_thread(void)
{
	PyThreadState *first =
		PyInterpreterState_ThreadHead(PyInterpreterState_Get());

	return first != NULL && PyThreadState_Next(first) == NULL;
}

/* is_last(callbacks) -> bool: is this the only thread, and has atexit at most
 * `callbacks` callbacks? A traced program calls it, so it calls nothing that
 * would be recorded. */
static PyObject *is_last(PyObject *module, PyObject *callbacks)
{
	PyObject *count;
	PyObject *atexit;
	int more;

	(void)module;
	if (!is_only_thread())
		Py_RETURN_FALSE;
	atexit = PyImport_ImportModule("atexit");
	if (atexit == NULL)
		return NULL;
	count = PyObject_CallMethod(atexit, "_ncallbacks", NULL);
	Py_DECREF(atexit);
	if (count == NULL)
		return NULL;
	more = PyObject_RichCompareBool(count, callbacks, Py_GT);
	Py_DECREF(count);
	return more < 0 ? NULL : PyBool_FromLong(more == 0);
}

static PyMethodDef methods[] = {
	{"status", status, METH_NOARGS,
		"status() -> str: what the recorder is doing, for people."},
	{"record_start", WITH_NAMES(record_start), METH_VARARGS | METH_KEYWORDS,
		"record_start(out=None, min_ns=0, spool=None, last=0, "
		"dump_signal=0): starts to record."},
	{"record_flush", record_flush, METH_NOARGS,
		"flush(): writes the events recorded so far to the log; with "
		"`last`, the last ones."},
	{"record_stop", record_stop, METH_NOARGS,
		"record_stop(): stops, and completes the log."},
	{"trace_start", WITH_NAMES(trace_start), METH_VARARGS | METH_KEYWORDS,
		"trace_start(*, hook='auto', c_calls=True, calls='builtin', "
		"depth=128, include=(), exclude=(), gc=False, imports=False, "
		"tasks=False, modules=True, parameters=False, max_depth=0, "
		"args=(), args_length=100, skip=0): "
		"records the calls of all threads."},
	{"trace_stop", trace_stop, METH_NOARGS,
		"trace_stop() -> dict: stops tracing; returns counts of "
		"anomalies."},
	{"prefix", prefix, METH_O,
		"prefix(path): adds a directory of modules to the log, for "
		"--trim-prefix."},
	{"follow_children", children_follow, METH_O,
		"follow_children(path): processes that the program starts "
		"import the sitecustomize of this directory."},
	{"is_last", is_last, METH_O,
		"is_last(callbacks) -> bool: is this the last thread, with at "
		"most `callbacks` atexit callbacks?"},
	{NULL, NULL, 0, NULL},
};

/* The extension was loaded from our package's directory. */
static int hide_package(PyObject *module)
{
	PyObject *spec = PyObject_GetAttrString(module, "__spec__");
	PyObject *origin =
		spec == NULL ? NULL : PyObject_GetAttrString(spec, "origin");
	PyObject *parts = NULL;
	int result = -1;

	if (origin != NULL)
		parts = PyObject_CallMethod(origin, "rpartition", "s", "/");
	if (parts != NULL)
		result = code_filter_hide(PyTuple_GET_ITEM(parts, 0));
	Py_XDECREF(spec);
	Py_XDECREF(origin);
	Py_XDECREF(parts);
	return result;
}

static int add_version(PyObject *module)
{
	return PyModule_AddStringConstant(module, "__version__", VERSION_TEXT);
}

/* Has this process rights that its caller lacks? Then the caller's environment
 * is ignored. */
static int add_rights(PyObject *module)
{
	return PyModule_AddObjectRef(module, "is_privileged",
		getauxval(AT_SECURE) != 0 ? Py_True : Py_False);
}

/* A process has one recorder and one tracer. */
static int refuse_others(PyObject *module)
{
	static atomic_flag is_said = ATOMIC_FLAG_INIT;

	(void)module;
	if (PyInterpreterState_Get() == PyInterpreterState_Main())
		return 0;
	PyErr_SetString(PyExc_ImportError,
		atomic_flag_test_and_set(&is_said)
			? "ctprof does not support sub-interpreters, as "
			  "already reported"
			: "ctprof does not support sub-interpreters");
	return -1;
}

static PyModuleDef_Slot slots[] = {
	{Py_mod_exec, refuse_others},
	{Py_mod_exec, hide_package},
	{Py_mod_exec, ranges_add},
	{Py_mod_exec, state_add},
	{Py_mod_exec, add_version},
	{Py_mod_exec, add_rights},
#if PY_VERSION_HEX >= 0x030c0000
	/* Only for refuse_others(). */
	{Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030d0000
	{Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
	{0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "ctprof._ctprof",
	.m_doc = "The recorder of the ctprof package.",
	.m_methods = methods,
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__ctprof(void);

PyMODINIT_FUNC PyInit__ctprof(void)
{
	return PyModuleDef_Init(&definition);
}

/* SPDX-License-Identifier: MIT */
/*
 * Ranges, instants, counters and steps that a program names itself. While
 * nothing records, each costs a load and a branch beyond Python's own call.
 *
 * A site is known by its name alone: the same name at two places is one
 * function in every profile, as in other profilers for Python. Only ranges made
 * from a function have a file and a line.
 */
#include "ranges.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <structmember.h>
#include <Python.h>

#include "ctprof.h"
#include "tracer.h"
#include "pystring.h"

/* ---- arguments ---- */

#define PY_SSIZE_T_CLEAN

/* Bytes of any text, lone surrogates as escapes; a new reference or NULL. */
static PyObject *range_args_encode(PyObject *text)
{
	return PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
}

/* An argument that is neither a number nor text is shown as print() would.
 * Ownership: both of `owned` are references of the caller's now, which the
 * argument borrows. */
static bool fill(struct ctp_arg *arg, PyObject *key, PyObject *value,
	PyObject *owned[static 2])
{
	int overflow = 0;
	PyObject *text;

	owned[0] = range_args_encode(key);
	if (owned[0] == NULL)
		return false;
	*arg = (struct ctp_arg){.key = PyBytes_AS_STRING(owned[0])};
	if (PyFloat_CheckExact(value)) {
		arg->kind = CTP_ARG_FLOAT;
		arg->value.real = PyFloat_AS_DOUBLE(value);
		return true;
	}
	if (PyLong_CheckExact(value)) {
		arg->value.number =
			PyLong_AsLongLongAndOverflow(value, &overflow);
		if (overflow == 0)
			return true;
	}
	text = PyObject_Str(value);
	owned[1] = text == NULL ? NULL : range_args_encode(text);
	Py_XDECREF(text);
	if (owned[1] == NULL)
		return false;
	arg->kind = CTP_ARG_STRING;
	arg->value.string = PyBytes_AS_STRING(owned[1]);
	return true;
}

static void add(const struct ctp_arg *arg)
{
	if (arg->kind == CTP_ARG_STRING)
		ctp_arg_string(arg->key, arg->value.string);
	else if (arg->kind == CTP_ARG_FLOAT)
		ctp_arg_float(arg->key, arg->value.real);
	else
		ctp_arg_int(arg->key, arg->value.number);
}

/* The sequence number, which libctprof adds itself: an argument of this name
 * that is a 64-bit integer. */
static bool is_seq(PyObject *key, PyObject *value, int64_t *seq)
{
	int overflow = 0;

	if (!PyLong_CheckExact(value) ||
		PyUnicode_CompareWithASCIIString(key, "seq") != 0)
		return false;
	*seq = PyLong_AsLongLongAndOverflow(value, &overflow);
	return overflow == 0;
}

/* Is there a sequence number for the range among them? `args` may be NULL. */
static bool range_args_seq(PyObject *args, int64_t *seq)
{
	PyObject *key;
	PyObject *value;
	Py_ssize_t at = 0;

	while (args != NULL && PyDict_Next(args, &at, &key, &value))
		if (is_seq(key, value, seq))
			return true;
	return false;
}

/* Adds all others to the innermost range. False with an exception set: a
 * value's __str__ raised. */
static bool range_args_add(PyObject *args)
{
	int64_t seq;
	PyObject *key;
	PyObject *value;
	Py_ssize_t at = 0;
	bool done = true;

	while (done && PyDict_Next(args, &at, &key, &value)) {
		struct ctp_arg arg;
		PyObject *owned[2] = {NULL, NULL};

		if (is_seq(key, value, &seq))
			continue;
		Py_INCREF(value);
		done = fill(&arg, key, value, owned);
		Py_DECREF(value);
		if (done)
			add(&arg);
		Py_XDECREF(owned[0]);
		Py_XDECREF(owned[1]);
	}
	return done;
}

/* Begins a range outside the nesting, with as many of them as it can hold.
 * False with an exception set, and nothing recorded: a value's __str__
 * raised. */
static bool range_args_begin(struct ctp_site *site, uint64_t id, PyObject *args)
{
	/* One more than are stored, so that the library counts it. */
	struct ctp_arg taken[CTP_ARGS_MAX + 1];
	PyObject *owned[CTP_ARGS_MAX + 1][2] = {{NULL, NULL}};
	PyObject *key;
	PyObject *value;
	Py_ssize_t at = 0;
	uint32_t count = 0;
	bool done = true;

	while (done && count <= CTP_ARGS_MAX &&
		PyDict_Next(args, &at, &key, &value)) {
		Py_INCREF(value);
		done = fill(&taken[count], key, value, owned[count]);
		Py_DECREF(value);
		count++;
	}
	if (done)
		ctp_async_begin_args(site, id, taken, count);
	for (uint32_t i = 0; i < count; i++) {
		Py_XDECREF(owned[i][0]);
		Py_XDECREF(owned[i][1]);
	}
	return done;
}

#define CATEGORY "range"
#define CATEGORY_OF_TRACED "traced"

struct range {
	PyObject_HEAD PyObject *name;
	PyObject *args;                /* dict, or NULL */
	struct ctp_site *_Atomic site; /* NULL until it first records */
	/* How many times it is open; several threads may share one object. */
	atomic_uint open;
	PyObject *code; /* of the function it was made from, or NULL */
	bool is_traced; /* by a compiler, not executed */
};

static bool is_on(void)
{
	return __atomic_load_n(&ctp_on, __ATOMIC_RELAXED) != 0;
}

/* Sites by name, which stay: those without a category, and ranges. */
static PyObject *known[2];

static struct ctp_site *intern_new(PyObject *name, bool is_range)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	struct ctp_site *site;
	PyObject *bytes = range_args_encode(name);
	PyObject *address;

	if (bytes == NULL)
		return NULL;
	info.name = PyBytes_AS_STRING(bytes);
	info.category = is_range ? CATEGORY : NULL;
	site = ctp_site_intern_info(&info);
	Py_DECREF(bytes);
	address = PyLong_FromVoidPtr(site);
	if (address == NULL ||
		PyDict_SetItem(known[is_range], name, address) != 0)
		site = NULL;
	Py_XDECREF(address);
	return site;
}

/* NULL with an exception if out of memory. */
static struct ctp_site *intern(PyObject *name, bool is_range)
{
	PyObject *address = pystring_item(known[is_range], name);
	struct ctp_site *site;

	if (address == NULL)
		return PyErr_Occurred() ? NULL : intern_new(name, is_range);
	site = PyLong_AsVoidPtr(address);
	Py_DECREF(address);
	return site;
}

/* The same, for a name with the place of a function. */
static struct ctp_site *intern_code(
	PyObject *name, PyCodeObject *code, const char *category)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	struct ctp_site *site = NULL;
	PyObject *bytes = range_args_encode(name);
	PyObject *file = range_args_encode(code->co_filename);

	if (bytes != NULL && file != NULL) {
		info.name = PyBytes_AS_STRING(bytes);
		info.file = PyBytes_AS_STRING(file);
		info.line = code->co_firstlineno < 0
				    ? 0
				    : (uint32_t)code->co_firstlineno;
		info.category = category;
		site = ctp_site_intern_info(&info);
	}
	Py_XDECREF(bytes);
	Py_XDECREF(file);
	return site;
}

static struct ctp_site *range_site(struct range *range)
{
	struct ctp_site *site = atomic_load(&range->site);

	if (site != NULL)
		return site;
	site = range->code == NULL
		       ? intern(range->name, true)
		       : intern_code(range->name, (PyCodeObject *)range->code,
				 range->is_traced ? CATEGORY_OF_TRACED
						  : CATEGORY);
	atomic_store(&range->site, site);
	return site;
}

static bool range_begin(struct range *range)
{
	struct ctp_site *site = range_site(range);
	int64_t seq;

	if (site == NULL)
		return false;
	tracer_begin(
		site, range, range_args_seq(range->args, &seq) ? &seq : NULL);
	atomic_fetch_add(&range->open, 1);
	if (range->args != NULL && !range_args_add(range->args)) {
		atomic_fetch_sub(&range->open, 1);
		(void)tracer_end(range);
		return false;
	}
	return true;
}

static PyObject *range_enter(PyObject *self, PyObject *unused)
{
	(void)unused;
	if (is_on() && !range_begin((struct range *)self))
		return NULL;
	return Py_NewRef(self);
}

/* A range that began while nothing recorded has no end. */
static PyObject *range_exit(
	PyObject *self, PyObject *const *args, Py_ssize_t count)
{
	struct range *range = (struct range *)self;
	unsigned open = atomic_load(&range->open);

	(void)args;
	(void)count;
	while (open > 0 &&
		!atomic_compare_exchange_weak(&range->open, &open, open - 1))
		;
	if (open > 0)
		(void)tracer_end(range);
	Py_RETURN_NONE;
}

/* As a decorator. */
static PyObject *range_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *function;
	PyObject *module;
	PyObject *wrapper;

	if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)
		return PyErr_Format(PyExc_TypeError,
			"a range can decorate only a function");
	if (!PyArg_ParseTuple(args, "O:range", &function))
		return NULL;
	module = PyImport_ImportModule("ctprof._trace");
	if (module == NULL)
		return NULL;
	wrapper = PyObject_CallMethod(module, "decorate", "OO", self, function);
	Py_DECREF(module);
	return wrapper;
}

static struct range *range_make(PyTypeObject *type, PyObject *name)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct range *range = (struct range *)alloc(type, 0);

	if (range == NULL)
		return NULL;
	range->name = Py_NewRef(name);
	atomic_init(&range->site, NULL);
	atomic_init(&range->open, 0);
	return range;
}

static bool set_arguments(
	struct range *range, PyObject *const *values, PyObject *names)
{
	Py_ssize_t count = PyTuple_GET_SIZE(names);

	range->args = PyDict_New();
	for (Py_ssize_t i = 0; range->args != NULL && i < count; i++)
		if (PyDict_SetItem(range->args, PyTuple_GET_ITEM(names, i),
			    values[i]) != 0)
			return false;
	return range->args != NULL;
}

/* range(name, **args), without the tuple and dictionary of a tp_new. */
static PyObject *range_new(
	PyObject *type, PyObject *const *args, size_t flags, PyObject *names)
{
	Py_ssize_t count = PyVectorcall_NARGS(flags);
	struct range *range;

	if (count != 1 || !PyUnicode_Check(args[0]))
		return PyErr_Format(PyExc_TypeError,
			"range() takes a name, which is a "
			"str, and keyword arguments");
	range = range_make((PyTypeObject *)type, args[0]);
	if (range != NULL && names != NULL &&
		!set_arguments(range, args + count, names))
		Py_CLEAR(range);
	return (PyObject *)range;
}

static int range_traverse(PyObject *self, visitproc visit, void *arg)
{
	struct range *range = (struct range *)self;

	Py_VISIT(Py_TYPE(self));
	Py_VISIT(range->args);
	Py_VISIT(range->code);
	return 0;
}

static int range_clear(PyObject *self)
{
	Py_CLEAR(((struct range *)self)->args);
	return 0;
}

static void range_free(PyObject *self)
{
	struct range *range = (struct range *)self;
	PyTypeObject *type = Py_TYPE(self);

	PyObject_GC_UnTrack(self);
	Py_XDECREF(range->name);
	Py_XDECREF(range->args);
	Py_XDECREF(range->code);
	type->tp_free(self);
	Py_DECREF(type);
}

static PyObject *range_repr(PyObject *self)
{
	return PyUnicode_FromFormat(
		"ctprof.range(%R)", ((struct range *)self)->name);
}

/* A range with the place of a function, for the decorator. */
static PyObject *range_of(PyObject *type, PyObject *args)
{
	struct range *range;
	PyObject *name;
	PyObject *code;

	if (!PyArg_ParseTuple(args, "UO!:_of", &name, &PyCode_Type, &code))
		return NULL;
	range = range_make((PyTypeObject *)type, name);
	if (range != NULL)
		range->code = Py_NewRef(code);
	return (PyObject *)range;
}

/* The same for a function that a compiler traces, with arguments. */
static PyObject *range_traced(PyObject *type, PyObject *args)
{
	struct range *range;
	PyObject *name;
	PyObject *code;
	PyObject *values;

	if (!PyArg_ParseTuple(args, "UO!O!:_traced", &name, &PyCode_Type, &code,
		    &PyDict_Type, &values))
		return NULL;
	range = range_make((PyTypeObject *)type, name);
	if (range == NULL)
		return NULL;
	range->code = Py_NewRef(code);
	range->args = Py_NewRef(values);
	range->is_traced = true;
	return (PyObject *)range;
}

static PyMethodDef range_methods[] = {
	{"__enter__", range_enter, METH_NOARGS, NULL},
	{"__exit__", (PyCFunction)(void (*)(void))range_exit, METH_FASTCALL,
		NULL},
	{"_of", range_of, METH_VARARGS | METH_CLASS,
		"_of(name, code): a range with the place of a function."},
	{"_traced", range_traced, METH_VARARGS | METH_CLASS,
		"_traced(name, code, args): the range of a function that a "
		"compiler traces."},
	{NULL, NULL, 0, NULL},
};

static char range_doc[] =
	"range(name, /, **args)\n--\n\n"
	"Records the time of a block, or of the calls of a function that it "
	"decorates.";

static PyMemberDef range_members[] = {
	{"name", T_OBJECT_EX, offsetof(struct range, name), READONLY,
		"the name in the log"},
	{"_args", T_OBJECT, offsetof(struct range, args), READONLY,
		"its arguments: a dict, or None"},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot range_slots[] = {
	{Py_tp_doc, range_doc},
	{Py_tp_call, range_call},
	{Py_tp_repr, range_repr},
	{Py_tp_traverse, range_traverse},
	{Py_tp_clear, range_clear},
	{Py_tp_dealloc, range_free},
	{Py_tp_methods, range_methods},
	{Py_tp_members, range_members},
	{0, NULL},
};

static PyType_Spec range_spec = {
	.name = "ctprof._ctprof.range",
	.basicsize = sizeof(struct range),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
		 Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = range_slots,
};

static PyObject *not_a_name(PyObject *object)
{
	return PyErr_Format(PyExc_TypeError, "name must be a str, not %.100s",
		Py_TYPE(object)->tp_name);
}

static PyObject *async_begin(PyObject *module, PyObject *args)
{
	struct ctp_site *site;
	uint64_t number = 0;
	PyObject *of_range = NULL;
	PyObject *name;

	(void)module;
	if (!PyArg_ParseTuple(
		    args, "O|O!:async_begin", &name, &PyDict_Type, &of_range))
		return NULL;
	if (!PyUnicode_Check(name))
		return not_a_name(name);
	if (is_on()) {
		site = intern(name, true);
		if (site == NULL)
			return NULL;
		number = tracer_number();
		if (of_range == NULL)
			ctp_async_begin(site, number);
		else if (!range_args_begin(site, number, of_range))
			return NULL;
	}
	return PyLong_FromUnsignedLongLong(number);
}

static PyObject *async_end(PyObject *module, PyObject *args)
{
	unsigned long long number;
	struct ctp_site *site;
	PyObject *name;

	(void)module;
	if (!PyArg_ParseTuple(args, "UK", &name, &number))
		return NULL;
	if (is_on() && number != 0) {
		site = intern(name, true);
		if (site == NULL)
			return NULL;
		ctp_async_end(site, number);
	}
	Py_RETURN_NONE;
}

static PyObject *instant(PyObject *module, PyObject *name)
{
	struct ctp_site *site;

	(void)module;
	if (!PyUnicode_Check(name))
		return not_a_name(name);
	if (is_on()) {
		site = intern(name, false);
		if (site == NULL)
			return NULL;
		ctp_instant(site);
	}
	Py_RETURN_NONE;
}

/* Integers stay exact if they fit the log. */
static bool record_value(struct ctp_site *site, PyObject *value)
{
	int overflow = 0;
	long long number = 0;
	double real;

	if (PyLong_Check(value))
		number = PyLong_AsLongLongAndOverflow(value, &overflow);
	if (PyLong_Check(value) && overflow == 0) {
		ctp_counter(site, number);
		return true;
	}
	real = PyFloat_AsDouble(value);
	if (real == -1.0 && PyErr_Occurred())
		return false;
	ctp_counter_float(site, real);
	return true;
}

static PyObject *counter(PyObject *module, PyObject *args)
{
	struct ctp_site *site;
	PyObject *value;
	PyObject *name;

	(void)module;
	if (!PyArg_ParseTuple(args, "UO:counter", &name, &value))
		return NULL;
	if (!PyNumber_Check(value))
		return PyErr_Format(PyExc_TypeError,
			"value must be a number, not %.100s",
			Py_TYPE(value)->tp_name);
	if (is_on()) {
		site = intern(name, false);
		if (site == NULL || !record_value(site, value))
			return NULL;
	}
	Py_RETURN_NONE;
}

static PyObject *step(PyObject *module, PyObject *args)
{
	const char *requester = "step";

	(void)module;
	if (!PyArg_ParseTuple(args, "|s:step", &requester))
		return NULL;
	return PyLong_FromLongLong(ctp_step(requester));
}

static PyMethodDef functions[] = {
	{"async_begin", async_begin, METH_VARARGS,
		"async_begin(name[, args]) -> int: begins a range outside the "
		"nesting, with the\narguments of a dict; returns its number, "
		"or 0 if it is not recorded."},
	{"async_end", async_end, METH_VARARGS,
		"async_end(name, number): ends it, on any thread."},
	{"instant", instant, METH_O, "instant(name): records this moment."},
	{"counter", counter, METH_VARARGS,
		"counter(name, value): sets the value from now on."},
	{"step", step, METH_VARARGS,
		"step(requester='step') -> int: counts one more step "
		"(iteration) of the requester;\nreturns the largest count of "
		"any requester."},
	{NULL, NULL, 0, NULL},
};

static int add_type(PyObject *module)
{
	PyObject *type = PyType_FromModuleAndSpec(module, &range_spec, NULL);
	int status;

	if (type == NULL)
		return -1;
	((PyTypeObject *)type)->tp_vectorcall = range_new;
	status = PyModule_AddObjectRef(module, "range", type);
	Py_DECREF(type);
	return status;
}

int ranges_add(PyObject *module)
{
	for (int i = 0; i < 2; i++)
		if (known[i] == NULL && (known[i] = PyDict_New()) == NULL)
			return -1;
	return add_type(module) != 0 ? -1
				     : PyModule_AddFunctions(module, functions);
}

/* SPDX-License-Identifier: MIT */
#include "pystring.h"

/* If two threads both make it, both get the same. */
static PyObject *str_of(struct pystring *word)
{
	PyObject *str = __atomic_load_n(&word->str, __ATOMIC_ACQUIRE);

	if (str == NULL) {
		str = PyUnicode_InternFromString(word->text);
		__atomic_store_n(&word->str, str, __ATOMIC_RELEASE);
	}
	return str;
}

PyObject *pystring_item(PyObject *dictionary, PyObject *key)
{
#if PY_VERSION_HEX >= 0x030d0000
	PyObject *value;

	(void)PyDict_GetItemRef(dictionary, key, &value);
	return value;
#else
	return Py_XNewRef(PyDict_GetItemWithError(dictionary, key));
#endif
}

/* Looks in a dictionary, which may be NULL. */
static PyObject *item(PyObject *dictionary, struct pystring *word)
{
	PyObject *name = dictionary == NULL ? NULL : str_of(word);

	return name == NULL ? NULL : pystring_item(dictionary, name);
}

/* Looks in sys, borrowed, which lives to the interpreter's end. Asking the
 * interpreter for its modules is a fatal error late in that. */
static PyObject *names_of_sys(void)
{
	static PyObject *sys;
	PyObject *module = __atomic_load_n(&sys, __ATOMIC_ACQUIRE);

	if (module == NULL) {
		module = Py_XNewRef(PyImport_AddModule("sys"));
		__atomic_store_n(&sys, module, __ATOMIC_RELEASE);
	}
	return module == NULL ? NULL : PyModule_GetDict(module);
}

PyObject *pystring_module(struct pystring *word)
{
	static struct pystring modules = {"modules", NULL};
	PyObject *all = item(names_of_sys(), &modules);
	PyObject *module = item(all, word);

	Py_XDECREF(all);
	return module;
}

PyObject *pystring_attribute(struct pystring *word, PyObject *object)
{
	PyObject *name = str_of(word);

	return name == NULL ? NULL : PyObject_GetAttr(object, name);
}

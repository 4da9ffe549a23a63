/* SPDX-License-Identifier: MIT */
/* An input's profile as lists of functions and of edges between them. */
#ifndef CONVERT_PROFILE_TABLES_H
#define CONVERT_PROFILE_TABLES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* profile(path, *, all_edge_times=False, trim_prefix=False): a tuple of
 * functions, (name, file, line, ncalls, pcalls, tottime_ns, cumtime_ns,
 * self_device_ns, device_ns); edges, (caller, callee, ncalls, pcalls,
 * tottime_ns, cumtime_ns) with indexes of functions; and losses. */
PyObject *profile_tables_read(
	PyObject *module, PyObject *args, PyObject *keywords);

#endif

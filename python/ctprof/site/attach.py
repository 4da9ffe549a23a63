# SPDX-License-Identifier: MIT
"""The entry point of `ctprof record --pid`: a running interpreter executes this
file, by sys.remote_exec(), with `job` and `script`, the arguments of
_attach.start(), in its namespace.
"""
import os
import sys


def _import():
    """The module _attach of the program's own package, or of the one around
    this directory."""
    here = os.path.dirname(__file__)
    path = os.path.join(here, "sitecustomize.py")
    space = {"__name__": "ctprof_site"}
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), space)
    package = space["_find_package"](here)
    before = sys.path[:]
    if package:
        sys.path.insert(0, os.path.dirname(package))
    try:
        from ctprof import _attach
    finally:
        sys.path[:] = before
    return _attach


def _load(library):
    """The same; for an extension that does not find the recorder's library,
    loads that first."""
    try:
        return _import()
    except ImportError as error:
        if "libctprof" not in str(error) or not library:
            raise
    import ctypes
    ctypes.CDLL(os.fsdecode(library), mode=ctypes.RTLD_GLOBAL)
    return _import()


def _refuse(pipe, error):
    pipe = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    version = "{}.{}".format(*sys.version_info)
    words = (f"failed the package of ctprof cannot be loaded into {version}, "
             f"{sys.executable}: {error}\n")
    os.write(pipe, words.encode(errors="backslashreplace")[:4000])
    os.close(pipe)


def _start(job, script):
    try:
        os.close(os.open(job["pipe"], os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return  # `ctprof record` waits no longer
    try:
        attach = _load(job["library"])
    except Exception as error:
        _refuse(job["pipe"], error)
    else:
        attach.start(job, script)


_start(job, script)  # noqa: F821

# SPDX-License-Identifier: MIT
"""The entry point of `ctprof record --python`, which puts this directory first
in PYTHONPATH: every interpreter imports a sitecustomize when it starts.

The next sitecustomize on the path runs first, then the user's usercustomize;
then the trace begins.
"""
import _imp
import os
import sys


def _load_next(here):
    """Loads it as if this one did not exist: removes this from sys.path and
    sys.modules."""
    sys.path[:] = [path for path in sys.path if path != here]
    del sys.modules["sitecustomize"]
    import sitecustomize  # noqa: F401


def _say(words):
    os.write(2, f"ctprof: {words}\n".encode(errors="backslashreplace"))


def _say_why(error):
    """Prints why the package cannot be loaded. Each sub-interpreter fails
    alike, and one message is enough."""
    if "sub-interpreters" not in str(error):
        _say(f"not recording {sys.executable}: {error}")
    elif not str(error).endswith("as already reported"):
        _say("code in sub-interpreters is not recorded")


def _places(package):
    """The directories of the package below the same prefix that may be for this
    interpreter: this one, and that in lib/python3.13 for lib/python3.11."""
    yield package
    version = "python{}.{}".format(*sys.version_info)
    if "t" in sys.abiflags:
        version += "t"
    words = package.split("/")
    for at, word in enumerate(words):
        if word.startswith("python3."):
            yield "/".join(words[:at] + [version] + words[at + 1:])


def _find_package(here):
    """Finds the package around this directory, or beside it, that has an
    extension for this interpreter, or None."""
    extension = "_ctprof" + _imp.extension_suffixes()[0]
    for package in _places(os.path.dirname(here)):
        if os.path.exists(os.path.join(package, extension)):
            return package
    return None


def _start(here):
    """Uses that package, or else the interpreter's own."""
    before = sys.path[:]
    package = _find_package(here)
    if package:
        sys.path.insert(0, os.path.dirname(package))
    try:
        from ctprof import _autostart
    except ImportError as error:
        _say_why(error)
        return
    finally:
        sys.path[:] = before
    _autostart.start()


def _start_after_site(here):
    """Starts when the interpreter's own start has nothing else left to run."""
    site = sys.modules.get("site")
    usual = getattr(site, "execusercustomize", None)
    if usual is None or not getattr(site, "ENABLE_USER_SITE", False):
        _start(here)
        return

    def execusercustomize():
        site.execusercustomize = usual
        try:
            usual()
        finally:
            _start(here)
    site.execusercustomize = execusercustomize


# attach.py needs only the functions.
if __name__ == "sitecustomize":
    _here = os.path.dirname(__file__)
    try:
        _load_next(_here)
    finally:
        if "CTPROF_PYTHON" in os.environ:
            _start_after_site(_here)

# SPDX-License-Identifier: MIT
"""Runs the program ctprof, which converts and repairs logs."""
import os
import shutil
import subprocess
import sys

from . import _ctprof

# In the environment of a program that record() has started.
_PARENT = "CTPROF_PARENT"

# Relative to the package's directory: in a wheel, in a build directory, or
# installed for this interpreter below the same prefix.
_PLACES = ("_native/bin/ctprof", "../../../ctprof", "../../../../bin/ctprof")


def which(name):
    """The path of a program; None if it is not found."""
    return shutil.which(name, path=os.defpath if _ctprof.is_privileged
                        else None)


def find():
    """The path of ctprof; raises RuntimeError if it is not found."""
    package = os.path.dirname(os.path.abspath(__file__))
    places = [None if _ctprof.is_privileged else os.environ.get("CTPROF")]
    places += [os.path.normpath(os.path.join(package, place))
               for place in _PLACES]
    places += [os.path.join(sys.prefix, "bin", "ctprof"),
               which("ctprof")]
    for place in places:
        if place and os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    raise RuntimeError("the program ctprof is not found; "
                       "set CTPROF to its path")


def attempt(arguments, data=b"", cwd=None):
    """Runs it with these bytes as standard input. Returns the CompletedProcess,
    and the program's messages without its name."""
    # It must not be recorded itself.
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("CTPROF_OUT", "CTPROF_PYTHON",
                                   "LD_PRELOAD")}
    done = subprocess.run([os.path.abspath(find()), *arguments], input=data,
                          capture_output=True, env=environment, cwd=cwd,
                          check=False)
    said = done.stderr.decode(errors="backslashreplace").splitlines()
    return done, "\n".join(line.removeprefix("ctprof: ") for line in said)


def run(*arguments):
    """Runs it; returns its output. Raises RuntimeError with its message if it
    fails."""
    done, words = attempt(arguments)
    if done.returncode != 0:
        raise RuntimeError(words.strip() or f"ctprof {arguments[0]}: status "
                           f"{done.returncode}")
    return done.stdout


def record(options, words):
    """Becomes `ctprof record` of this program. Raises RuntimeError or OSError
    if it cannot."""
    os.execve(find(), ["ctprof", "record", *options, "--", *words],
              {**os.environ, _PARENT: "1"})


def has_parent():
    """Whether record() has started this program. The program that it runs does
    not see it."""
    return (not _ctprof.is_privileged and
            os.environ.pop(_PARENT, None) is not None)


def follow(words):
    """Has the interpreters that this program starts record, too, as under
    `ctprof record --python` with these options of the tracer."""
    if any("\n" in word for word in words):
        return  # it separates them
    os.environ["CTPROF_PYTHON"] = "\n".join(words)
    _ctprof.follow_children(os.path.join(os.path.dirname(__file__), "site"))


def remove_log():
    """Removes the log that record() has named."""
    try:
        os.unlink(os.environ["CTPROF_OUT"].replace("%%", "%"))
    except FileNotFoundError:
        pass  # it would have begun with the first event


def wanted_log():
    """The log that `ctprof record` has asked for, before it is begun."""
    return os.environ.get("CTPROF_OUT", "ctprof").replace("%%", "%")


def exchange(variables):
    """Sets variables of the environment, or removes those that are None;
    returns their values from before."""
    before = {name: os.environ.get(name) for name in variables}
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    return before


def set_torch_trace(directory):
    """Has the PyTorch of child processes log there."""
    os.environ["TORCH_TRACE"] = directory


def convert(log, out, kind):
    """Converts a log with the program, which needs little memory, or, without
    the program, in this process."""
    try:
        find()
    except RuntimeError:
        from ._convert import convert as convert_here
        data, _ = convert_here(log, kind)
        with open(out, "wb") as file:
            file.write(data)
        return
    run("convert", "--quiet", "--force", "-t", kind, "-o", out, "--", log)


def merge(logs, out, kind):
    """Merges logs into one file, with the program only."""
    run("merge", "--quiet", "--force", "-t", kind, "-o", out, "--", *logs)

# SPDX-License-Identifier: MIT
"""Starts the trace that the environment asks for: see site/sitecustomize.py."""
import atexit
import os

from . import _ctprof, _options, _session


# Whether start() was called: children may find two copies of the package, that
# of `ctprof record` and the interpreter's own, whose sitecustomizes run both.
_is_started = False


def start():
    """Records from here to the end of the process."""
    global _is_started
    if _is_started or not _session.is_recording():
        return
    _is_started = True
    try:
        # One option per line.
        request = _options.read_words(
            filter(None, os.environ["CTPROF_PYTHON"].split("\n")))
    except _options.UsageError as error:
        _session.say(f"not recording: CTPROF_PYTHON: {error}")
        return
    _ctprof.follow_children(os.path.join(os.path.dirname(__file__), "site"))
    atexit.register(_session.untrace)
    try:
        _session.trace_request(request)
    except (RuntimeError, ValueError) as error:
        atexit.unregister(_session.untrace)
        _session.say(f"not recording: {error}")

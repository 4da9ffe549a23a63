# SPDX-License-Identifier: MIT
"""Starts the trace that the environment asks for: see site/sitecustomize.py."""
import atexit
import os

from . import _ctprof, _options, _session


def start():
    """Records from here to the end of the process."""
    if not _session.is_recording():
        return
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

# SPDX-License-Identifier: MIT
"""Recorder and tracer together: what one recording is."""
import atexit
import os
import sys

from . import _ctprof

# Whether the recorder is ours to stop: in a process with CTPROF_OUT in its
# environment it records by itself, with us or without.
_is_ours = False
# Whether start() was called, and not stop().
_is_started = False


def is_recording():
    """Records already, or will with its first event."""
    # Without a method, whose call would be recorded as the program's.
    return _ctprof.status()[:9] == "recording"


def begin(out=None, min_us=0.0):
    """Starts the recorder; False if it records already, and where to was not
    said. RuntimeError says why it cannot."""
    global _is_ours
    if is_recording():
        if out is None and not _is_started:
            return False
        raise RuntimeError(f"ctprof is at work already: {_ctprof.status()}")
    _ctprof.record_start(None if out is None else os.fspath(out),
                         round(min_us * 1000))
    _is_ours = True
    return True


def end():
    """Completes the log; RuntimeError says what of it could not be written."""
    global _is_ours
    if _is_ours:
        _is_ours = False
        _ctprof.record_stop()


def trace(options):
    """Starts to trace; the log knows where modules are found."""
    site = sys.modules.get("site")
    for path in sys.path + (site.getsitepackages() if site else []):
        if os.path.isabs(path):
            _ctprof.prefix(path)
    _ctprof.trace_start(**options)


# What the tracer counts, for people.
_ANOMALIES = {
    "exits_dropped": "ends of calls that never began",
    "calls_unwound": "calls whose end never came",
    "calls_lost": "calls without memory to record them",
    "hooks_replaced": "times that the program set a profile function",
}


def untrace():
    """Stops to trace, unless the program has; says so if the interpreter's
    events did not balance."""
    try:
        counts = _ctprof.trace_stop()
    except RuntimeError:
        return
    words = [f"{counts[what]} {words}" for what, words in _ANOMALIES.items()
             if counts[what] != 0]
    if words:
        say("the tracer put right: " + ", ".join(words))


def start(out=None, *, min_us=0.0, **options):
    """Records every call from here to stop(), in all threads.

    `out` is the log's path, with %p for the process's number; without it, what
    CTPROF_OUT says, or ctprof.%p.ctp. `min_us` leaves out calls that are
    shorter and contain nothing. The other options are the tracer's: calls,
    c_calls, depth, exclude, gc, hook, imports, include, modules, parameters,
    tasks; see ctprof-python(1).

    Raises RuntimeError if something is being recorded already, or the log
    cannot be made.
    """
    global _is_started
    is_begun = begin(out, min_us)
    atexit.register(_stop_at_exit)
    try:
        trace(options)
    except BaseException:
        atexit.unregister(_stop_at_exit)
        # Who began before us goes on.
        if is_begun:
            end()
        raise
    _is_started = True


def stop():
    """Stops, and completes the log.

    Raises RuntimeError if nothing is recorded by start(), or the log could not
    be written.
    """
    global _is_started
    _is_started = False
    _ctprof.trace_stop()
    atexit.unregister(_stop_at_exit)
    end()


def _stop_at_exit():
    try:
        stop()
    except RuntimeError as error:
        say(str(error))


def printable(text):
    """The text with escapes of what a terminal would obey, or would show other
    text in another order for. Lines stay lines."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else
                   c.encode("unicode_escape").decode() for c in text)


def say(words):
    """One line on standard error, if there is one."""
    try:
        os.write(2, f"ctprof: {printable(words)}\n".encode())
    except OSError:
        pass

# SPDX-License-Identifier: MIT
"""A recording: the recorder and the tracer together."""
import atexit
import os
import sys

from . import _ctprof

# Signals that may ask for the events that `last` keeps.
DUMP_SIGNALS = ("USR2", "USR1", "HUP", "URG", "WINCH", "none")
# Whether we started the recorder and must stop it: with CTPROF_OUT in the
# environment, the process records by itself.
_is_ours = False
# Whether only errors are printed (--quiet).
_is_quiet = False
# Whether start() was called, and stop() was not.
_is_started = False


def is_recording():
    """Whether it records already, or will with its first event."""
    # Not with a method, whose call would be recorded as the program's.
    return _ctprof.status()[:9] == "recording"


def _signal_number(name):
    """The number of a signal for the recorder: 0 for None, -1 for "none"."""
    if name is None or name == "none":
        return 0 if name is None else -1
    if name not in DUMP_SIGNALS:
        raise ValueError(f"dump_signal: {name!r} is not one of "
                         f"{', '.join(DUMP_SIGNALS)}")
    import signal  # only here: it is not needed without the option
    return int(signal.Signals["SIG" + name])


def begin(out=None, min_us=0.0, last=0, dump_signal=None):
    """Starts the recorder. False if it records already and no path was given.
    Raises RuntimeError with the reason if it cannot start."""
    global _is_ours
    if is_recording():
        if out is None and not _is_started:
            return False
        raise RuntimeError(f"ctprof is already running: {_ctprof.status()}")
    number = _signal_number(dump_signal)
    _ctprof.record_start(None if out is None else os.fspath(out),
                         round(min_us * 1000), last=last,
                         dump_signal=number)
    _is_ours = True
    return True


def end():
    """Completes the log; raises RuntimeError if a part could not be written."""
    global _is_ours
    if _is_ours:
        _is_ours = False
        _ctprof.record_stop()


def trace(options):
    """Starts tracing every call."""
    write_prefixes()
    _ctprof.trace_start(**options)


def trace_request(request):
    """Starts to trace what a command line asks for."""
    global _is_quiet
    _is_quiet = request.quiet
    if not request.compile:
        trace(request.trace)
        return
    from . import _compile
    # Where functions are also recorded when they run, names tell them apart.
    _compile.install(" [traced]" if request.python else "")
    if request.python:
        trace(request.trace)
    else:
        write_prefixes()


def write_prefixes():
    """Writes the directories of modules to the log."""
    site = sys.modules.get("site")
    for path in sys.path + (site.getsitepackages() if site else []):
        if os.path.isabs(path):
            _ctprof.prefix(path)


# Descriptions of the tracer's counts, for people.
_ANOMALIES = {
    "exits_dropped": "ends of calls without a begin",
    "calls_unwound": "calls without an end",
    "calls_lost": "calls not recorded for lack of memory",
    "hooks_replaced": "times that the program set a profile function",
}


def end_trace():
    """Stops tracing, unless the program has. Returns a message if the
    interpreter's events did not balance, else an empty one."""
    try:
        counts = _ctprof.trace_stop()
    except RuntimeError:
        return ""
    words = [f"{counts[what]} {words}" for what, words in _ANOMALIES.items()
             if counts[what] != 0]
    return "the tracer corrected: " + ", ".join(words) if words else ""


def untrace():
    """The same; prints the message."""
    words = end_trace()
    if words and not _is_quiet:
        say(words)


def start(out=None, *, min_us=0.0, last=0, dump_signal=None, **options):
    """Records every call from here to stop(), in all threads.

    `out` is the log's path, with %p for the process's number; by default
    CTPROF_OUT, or ctprof.%p.ctp. `min_us` leaves out calls that are shorter and
    contain nothing. `last` keeps only the last events, at least that many, until
    flush(), stop() or a signal, `dump_signal`: "USR2" (the default), "USR1",
    "HUP", "URG", "WINCH" or "none". The other options are the tracer's:
    args, args_length, calls, c_calls, depth, exclude, gc, hook, imports,
    include, max_depth, modules, parameters, tasks; see ctprof-python(1).

    Raises RuntimeError if a recording is on already, or the log cannot be
    created.
    """
    global _is_started
    is_begun = begin(out, min_us, last, dump_signal)
    atexit.register(_stop_at_exit)
    try:
        trace(options)
    except BaseException:
        atexit.unregister(_stop_at_exit)
        # A recording that began earlier continues.
        if is_begun:
            end()
        raise
    _is_started = True


def stop():
    """Stops recording, and completes the log.

    Raises RuntimeError if start() has started no recording, or the log could
    not be written.
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
    """Escapes characters that control a terminal or reorder its text. Newlines
    stay."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else
                   c.encode("unicode_escape").decode() for c in text)


def say(words):
    """Prints one line to standard error, if it is open."""
    try:
        os.write(2, f"ctprof: {printable(words)}\n".encode())
    except OSError:
        pass

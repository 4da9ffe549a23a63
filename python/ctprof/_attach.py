# SPDX-License-Identifier: MIT
"""The recording of a program that runs already. `ctprof record --pid` has the
program call start() and stop(), which print nothing: their answers go through
a pipe.

They begin and end a trace in the middle of the program, and so call nothing
while it is on.
"""
import atexit
import os
import sys

from . import _ctprof, _options, _session

# The pipe of the `ctprof record` that records this process; None: none does.
_owner = None
_is_following = False


def is_alive(pipe):
    """Whether a `ctprof record` reads the pipe."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def answer(pipe, words):
    """Writes a line to the pipe. Never blocks, and raises no SIGPIPE."""
    pipe = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(pipe, f"{words}\n".encode(errors="backslashreplace")[:4000])
    finally:
        os.close(pipe)


def _remove(directory):
    """Removes what a `ctprof record` that did not wait has left."""
    try:
        for name in os.listdir(directory):
            os.unlink(os.path.join(directory, name))
        os.rmdir(directory)
    except OSError:
        pass  # it has removed it itself


def _frames_to(script):
    """The number of frames from the caller's to that of this namespace."""
    frame = sys._getframe(1)
    count = 1
    while frame is not None and frame.f_globals is not script:
        frame = frame.f_back
        count += 1
    return count


def _record(out, settings):
    """Starts the recorder with settings in variables of its own."""
    if not settings:
        _ctprof.record_start(out)
        return
    from . import _program
    before = _program.exchange(settings)
    try:
        _ctprof.record_start(out)
    finally:
        _program.exchange(before)


def _end():
    """Ends the recording; returns a message of the tracer, or an empty one."""
    global _owner
    words = _session.end_trace()
    _owner = None
    atexit.unregister(_end_at_exit)
    _ctprof.record_stop()
    return words


def _end_at_exit():
    try:
        _end()
    except RuntimeError:
        pass  # the parent finds the log as it is


def _leave():
    """In a forked child: one process is recorded."""
    if _owner is not None:
        _end_at_exit()


def _follow_forks():
    global _is_following
    if not _is_following:
        _is_following = True
        os.register_at_fork(after_in_child=_leave)


def _check():
    """Raises RuntimeError if the process is recorded already."""
    if _owner is not None:
        if is_alive(_owner):
            raise RuntimeError("another ctprof is recording it")
        _end()  # that one was killed
    if _session.is_recording():
        raise RuntimeError(f"it is recorded already: {_ctprof.status()}")


def _start(job, script):
    global _owner
    _check()
    pipe = job["pipe"]
    request = _options.read_words([os.fsdecode(word) for word in job["words"]])
    settings = {os.fsdecode(name): os.fsdecode(value)
                for name, value in job["settings"].items()}
    _record(os.fsdecode(job["out"]), settings)
    _follow_forks()
    _session.write_prefixes()
    atexit.register(_end_at_exit)
    _owner = pipe
    answer(pipe, "started")
    try:
        _ctprof.trace_start(skip=_frames_to(script), **request.trace)
    except BaseException:
        _end()
        raise


def start(job, script):
    """Records to job["out"] with the options of job["words"], and answers;
    "script" is the namespace of the outermost frame of ours."""
    try:
        _start(job, script)
    except (_options.UsageError, RuntimeError, ValueError) as error:
        answer(job["pipe"], f"failed {error}")


def stop(pipe):
    """Stops, completes the log, and answers."""
    try:
        words = "stopped " + _end()
    except RuntimeError as error:
        words = f"failed {error}"
    if is_alive(pipe):
        answer(pipe, words)
    else:
        _remove(os.path.dirname(pipe))

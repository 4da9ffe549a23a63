# SPDX-License-Identifier: MIT
"""Profile: cProfile.Profile's methods and figures, by ctprof's tracer.

    with ctprof.Profile() as profile:
        ...
    profile.print_stats("cumulative")

It differs from cProfile's where that is wrong or blind: all threads are
profiled, each with a stack of its own, and functions that share file, line and
name are summed, not one of them shown. What is open when a profile is looked
at (snapshot_stats(), getstats()) ends there, and is not seen to return. A
forked child has the calls since the fork.

For the timeline there is ctprof.start(), which is the same tracer: only one of
them can be on at a time.
"""

import collections
import os

from . import _ctprof, _session, _stats

__all__ = ["Profile", "run", "runctx"]

# What getstats() gives, after the rows of cProfile's.
Code = collections.namedtuple(
    "Code", "co_filename co_firstlineno co_name")
Entry = collections.namedtuple(
    "Entry", "code callcount reccallcount totaltime inlinetime calls")
Subentry = collections.namedtuple(
    "Subentry", "code callcount reccallcount totaltime inlinetime")


def _code(function):
    """A name for what has no code, as cProfile tells them apart."""
    file, line, name = function
    return name if (file, line) == ("~", 0) else Code(file, line, name)


def _subentries(entries):
    """{caller: [Subentry]}."""
    calls = collections.defaultdict(list)
    for function, entry in entries.items():
        for caller, (ncalls, pcalls, tottime, cumtime) in entry[4].items():
            calls[caller].append(Subentry(
                _code(function), ncalls, ncalls - pcalls, cumtime, tottime))
    return calls


def _remove(directory, pid):
    """Removes a log's directory, unless this is a child that was forked."""
    import shutil

    if os.getpid() == pid:
        shutil.rmtree(directory, ignore_errors=True)


class _Log:
    """Where what is recorded goes until it is read."""

    def __init__(self):
        import tempfile  # programs that are only recorded need none
        import weakref

        self.directory = tempfile.mkdtemp(
            prefix="ctprof.", dir="/tmp" if _ctprof.is_privileged else None)
        self.pid = os.getpid()
        self.remove = weakref.finalize(self, _remove, self.directory,
                                       self.pid)

    def path(self):
        # A child goes on in a log of its own.
        own = "" if os.getpid() == self.pid else f".{os.getpid()}"
        return os.path.join(self.directory, f"profile{own}.ctp")


class Profile:
    """Profiles the calls of functions, built-in ones too, while enabled.

    `subcalls` keeps who called whom; `builtins` records functions that are
    written in C. There is no `timer`, and so no use for `timeunit`.
    """

    def __init__(self, timer=None, timeunit=0.0, subcalls=True,
                 builtins=True):
        if timer is not None:
            raise ValueError(
                "ctprof.Profile takes no timer: it reads a clock of its own, "
                "which CTPROF_CLOCK in the environment chooses (system, tsc; "
                "events: one nanosecond per event)")
        del timeunit
        self.subcalls = subcalls
        self.builtins = builtins
        self.clear()
        self._log = None  # while enabled

    def __enter__(self):
        self.enable()
        return self

    def __exit__(self, *_):
        self.disable()

    def __del__(self):
        # Nobody else can disable it. There is no log if __init__() has failed.
        if getattr(self, "_log", None) is None:
            return
        try:
            _ctprof.record_stop()
        except RuntimeError:
            pass  # its log is gone already, and of no use

    def clear(self):
        """Forgets what has been profiled."""
        self._entries = {}
        self.stats = {}

    def enable(self, subcalls=None, builtins=None):
        """Starts to profile, or goes on; RuntimeError if ctprof records."""
        if self._log is not None:
            return
        if _session.is_recording():
            raise RuntimeError("ctprof.Profile cannot be enabled: ctprof is "
                               f"{_ctprof.status()}")
        if subcalls is not None:
            self.subcalls = subcalls
        if builtins is not None:
            self.builtins = builtins
        log = _Log()
        try:
            # Doubled, since the recorder replaces %p and the like. What
            # forked children that end with os._exit() leave goes with it.
            _ctprof.record_start(log.path().replace("%", "%%"),
                                 spool=log.directory)
            self._log = log
            _ctprof.trace_start(depth=0, c_calls=bool(self.builtins),
                                modules=False)
        except BaseException:
            self._log = None
            _ctprof.record_stop()
            log.remove()
            raise

    def disable(self):
        """Stops to profile."""
        if self._log is None:
            return
        log, self._log = self._log, None
        try:
            _ctprof.trace_stop()
            _ctprof.record_stop()
            entries, losses = _stats.read(log.path())
        finally:
            log.remove()
        self._add(entries)
        for words, count in losses.items():
            import warnings

            warnings.warn(f"{count} {words}", RuntimeWarning, stacklevel=2)

    def _add(self, entries):
        from pstats import add_func_stats

        for function, entry in entries.items():
            if not self.subcalls:
                entry = (*entry[:4], {})
            if function in self._entries:
                entry = add_func_stats(self._entries[function], entry)
            self._entries[function] = entry

    def create_stats(self):
        """Ends profiling, and puts the figures into `stats`."""
        self.disable()
        self.snapshot_stats()

    def snapshot_stats(self):
        """Puts the figures so far into `stats`, as a pstats file has them."""
        if self._log is not None:
            self.disable()
            self.enable()
        self.stats = dict(self._entries)

    def getstats(self):
        """The figures so far, as a list with the fields of cProfile's."""
        self.snapshot_stats()
        calls = _subentries(self.stats)
        return [Entry(_code(function), ncalls, ncalls - pcalls, cumtime,
                      tottime, calls.get(function))
                for function, (pcalls, ncalls, tottime, cumtime, _)
                in self.stats.items()]

    def print_stats(self, sort=-1):
        """Ends profiling, and prints the figures, sorted by these keys."""
        self.create_stats()
        keys = sort if isinstance(sort, tuple) else (sort,)
        stats = _stats.make(dict(self.stats))
        stats.strip_dirs().sort_stats(*keys).print_stats()

    def dump_stats(self, file):
        """Ends profiling, and writes a pstats file."""
        from marshal import dump

        with open(file, "wb") as out:
            self.create_stats()
            dump(self.stats, out)

    def run(self, cmd):
        """Profiles statements, run in __main__."""
        import __main__

        return self.runctx(cmd, __main__.__dict__, __main__.__dict__)

    def runctx(self, cmd, globals, locals):
        """Profiles statements."""
        self.enable()
        try:
            exec(cmd, globals, locals)
        finally:
            self.disable()
        return self

    def runcall(self, func, /, *args, **kw):
        """Profiles a call; returns what that returns."""
        self.enable()
        try:
            return func(*args, **kw)
        finally:
            self.disable()


def _show(statement, filename, sort, *namespaces):
    profile = Profile()
    run = profile.runctx if namespaces else profile.run
    try:
        run(statement, *namespaces)
    except SystemExit:
        pass
    finally:
        if filename is None:
            profile.print_stats(sort)
        else:
            profile.dump_stats(filename)


def run(statement, filename=None, sort=-1):
    """Profiles statements, run in __main__; prints the figures, or writes
    them into a pstats file."""
    _show(statement, filename, sort)


def runctx(statement, globals, locals, filename=None, sort=-1):
    """The same in these namespaces."""
    _show(statement, filename, sort, globals, locals)

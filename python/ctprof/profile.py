# SPDX-License-Identifier: MIT
"""Profile: the methods and figures of cProfile.Profile, from ctprof's tracer.

    with ctprof.Profile() as profile:
        ...
    profile.print_stats("cumulative")

It differs from cProfile where that is wrong or blind. All threads are profiled,
each with its own stack. Functions with the same file, line and name are summed;
cProfile shows one of them. Calls that are open when a profile is read
(snapshot_stats(), getstats()) end there, and their return is not recorded. A
forked child has the calls since the fork.

For the timeline there is ctprof.start(), which uses the same tracer: only one
of them can be on at a time.
"""

import collections
import os

from . import _ctprof, _session, _stats

__all__ = ["Profile", "run", "runctx"]

# The results of getstats(), named after the rows of cProfile's.
Code = collections.namedtuple(
    "Code", "co_filename co_firstlineno co_name")
Entry = collections.namedtuple(
    "Entry", "code callcount reccallcount totaltime inlinetime calls")
Subentry = collections.namedtuple(
    "Subentry", "code callcount reccallcount totaltime inlinetime")


def _code(function):
    """A code object, or the name of a function without one, as in cProfile."""
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
    """Removes a log's directory, unless this is a forked child."""
    import shutil

    if os.getpid() == pid:
        shutil.rmtree(directory, ignore_errors=True)


class _Log:
    """The temporary log of a profile, until it is read."""

    def __init__(self):
        # only here: programs that are only recorded need neither
        import tempfile
        import weakref

        self.directory = tempfile.mkdtemp(
            prefix="ctprof.", dir="/tmp" if _ctprof.is_privileged else None)
        self.pid = os.getpid()
        self.remove = weakref.finalize(self, _remove, self.directory,
                                       self.pid)

    def path(self):
        # A forked child continues in its own log.
        own = "" if os.getpid() == self.pid else f".{os.getpid()}"
        return os.path.join(self.directory, f"profile{own}.ctp")


class Profile:
    """Profiles the calls of functions, including built-in ones, while enabled.

    `subcalls` keeps the callers of each function; `builtins` records functions
    that are written in C. A `timer` is not supported, so `timeunit` is ignored.
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
        # Nobody else can disable it. If __init__() has failed, there is no log.
        if getattr(self, "_log", None) is None:
            return
        try:
            _ctprof.record_stop()
        except RuntimeError:
            pass  # its log is gone already

    def clear(self):
        """Discards all figures."""
        self._entries = {}
        self.stats = {}

    def enable(self, subcalls=None, builtins=None):
        """Starts or resumes profiling; raises RuntimeError if ctprof
        records."""
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
            # The recorder replaces %p and the like, so % is doubled. Logs of
            # forked children that end with os._exit() go with the directory.
            _ctprof.record_start(log.path().replace("%", "%%"),
                                 spool=log.directory)
            self._log = log
            self._start_tracer()
        except BaseException:
            self._log = None
            _ctprof.record_stop()
            log.remove()
            raise

    def _start_tracer(self):
        _ctprof.trace_start(depth=0, c_calls=bool(self.builtins),
                            modules=False)

    def _stop_tracer(self):
        _ctprof.trace_stop()

    def disable(self):
        """Stops to profile."""
        if self._log is None:
            return
        log, self._log = self._log, None
        try:
            self._stop_tracer()
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
        """Stops profiling, and stores the figures in `stats`."""
        self.disable()
        self.snapshot_stats()

    def snapshot_stats(self):
        """Stores the figures so far in `stats`, in the form of a pstats
        file."""
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
        """Stops profiling, and prints the figures, sorted by these keys."""
        self.create_stats()
        keys = sort if isinstance(sort, tuple) else (sort,)
        stats = _stats.make(dict(self.stats))
        stats.strip_dirs().sort_stats(*keys).print_stats()

    def dump_stats(self, file):
        """Stops profiling, and writes a pstats file."""
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
        """Profiles a call; returns its result."""
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
    """Profiles statements, run in __main__; prints the figures, or writes them
    to a pstats file."""
    _show(statement, filename, sort)


def runctx(statement, globals, locals, filename=None, sort=-1):
    """The same in the given namespaces."""
    _show(statement, filename, sort, globals, locals)

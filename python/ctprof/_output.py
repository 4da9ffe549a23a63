# SPDX-License-Identifier: MIT
"""The output of a recording: its log, or a file converted from that."""
import os
import sys

from . import _program

# By suffix, as in `ctprof convert`; cProfile's users write .prof.
_FORMATS = {".prof": "pstats", ".pstats": "pstats", ".json": "chrome",
            ".gprof": "gprof", ".callgrind": "callgrind",
            ".folded": "folded", ".dot": "dot", ".svg": "svg",
            ".flame.svg": "flamegraph", ".pftrace": "pftrace",
            ".pb.gz": "pprof", ".speedscope.json": "speedscope"}


def is_log(path):
    """Whether the name is a log's, which may have no suffix."""
    return os.path.splitext(path)[1] in ("", ".", ".ctp")


def is_writable(path):
    """Whether a file may be made there. Devices and pipes are written in
    place."""
    return (os.access(os.path.dirname(path) or ".", os.W_OK | os.X_OK) and
            (os.path.isfile(path) or not os.path.lexists(path)))


def check_suffix(path):
    """Raises ValueError if the suffix is unknown."""
    if not is_log(path) and _find_format(path) is None:
        raise ValueError(f"{path}: no format has this suffix; the suffixes are "
                         f".ctp, {', '.join(_FORMATS)}")


def _find_format(path):
    """The format of the longest suffix that matches; None if none does."""
    suffixes = [suffix for suffix in _FORMATS if path.endswith(suffix)]
    return _FORMATS[max(suffixes, key=len)] if suffixes else None


def merge(logs, path):
    """Merges the logs of several processes, some of which may have been killed,
    into one file. Raises RuntimeError with the reason if that fails, and keeps
    the logs."""
    there = [log for log in logs if os.path.exists(log)]
    missing = [log for log in logs if log not in there]
    if there:
        try:
            _program.run("repair", "--quiet", "--", *there)
            _program.merge(there, path, _find_format(path) or "log")
        except RuntimeError as error:
            raise RuntimeError(
                f"{error}; the logs are {', '.join(there)}") from None
    for log in there:
        os.unlink(log)
    if missing:
        raise RuntimeError(f"there is no log {', '.join(missing)}")


def _append(logs, path):
    """Moves the recordings of the logs into the log at path. On an error, each
    is whole in one file."""
    with open(path, "r+b", buffering=0) as whole:
        end = whole.seek(0, os.SEEK_END)
        for log in logs:
            try:
                with open(log, "rb", buffering=0) as part:
                    while piece := part.read(1 << 20):
                        while piece:
                            piece = piece[whole.write(piece):]
                os.unlink(log)
            except OSError:
                whole.truncate(end)
                raise
            end = whole.tell()


class Output:
    """One recording's log, and the file to convert it to."""

    def __init__(self, path, is_kept=True):
        # The program may change its directory.
        self.path = os.path.abspath(path)
        self._format = _find_format(self.path)
        self._is_log = is_kept and self._format is None
        self._is_kept = is_kept
        self.log = (self.path if self._is_log
                    else f"{self.path}.{os.getpid()}.ctp")

    def pattern(self):
        """The log's path for the recorder, which replaces %p and the like."""
        return self.log.replace("%", "%%")

    def print_stats(self, sort):
        """Prints them like cProfile; the program may have no standard
        output."""
        from ._stats import load
        stats = load(self.log)
        stats.files.clear()
        stats.strip_dirs().sort_stats(sort).print_stats()
        if sys.stdout is not None:
            sys.stdout.flush()

    def _find_children(self):
        """The logs of forked processes. Imports nothing: the program may have
        lost the right to read modules."""
        directory, name = os.path.split(self.log)
        stem, suffix = os.path.splitext(name)
        try:
            names = os.listdir(directory)
        except PermissionError:
            return []
        return [os.path.join(directory, name) for name in names
                if name.startswith(stem + ".") and name.endswith(suffix) and
                name[len(stem) + 1:len(stem) + 2].isdecimal()]

    def join_children(self, separate=False):
        """Repairs the logs of processes that left by os._exit(), as
        multiprocessing's do, and appends them to the log, unless they are to be
        separate. A log that another process still writes stays."""
        logs = sorted(self._find_children())
        try:
            if logs:
                _program.run("repair", "--quiet", "--", *logs)
        except RuntimeError as error:
            raise RuntimeError("logs of children may be incomplete: "
                               f"{error}") from None
        if logs and not separate:
            _append(logs, self.log)

    def deliver(self):
        """Converts the log to the requested format."""
        if self._is_log:
            return
        try:
            if self._is_kept:
                _program.convert(self.log, self.path, self._format)
        except (RuntimeError, ValueError, OSError) as error:
            raise RuntimeError(f"{error}; the log is {self.log}") from None
        self.discard()

    def discard(self):
        os.unlink(self.log)

# SPDX-License-Identifier: MIT
"""Shared by the tests of readers of texts: runs ctprof, and reads its output
with Python's own modules."""
import marshal
import os

import checks

ROOT = "<all threads>"


def run(*arguments, data=None):
    """ctprof's status, output and messages."""
    done = checks.run(*arguments, data=data)
    return done.returncode, done.stdout, done.stderr.decode()


def convert(source, to, *options):
    """ctprof's result for a file, or for bytes."""
    data = None
    if isinstance(source, bytes):
        source, data = "-", source
    status, out, said = run("convert", "-q", "-t", to, *options, source,
                            "-o", "-", data=data)
    if status != 0:
        raise RuntimeError(f"{source} to {to}: {status}: {said}")
    return out


def ns(seconds):
    return round(seconds * 1e9)


class Profile:
    """Functions and edges by name: (all calls, primitive, own ns, total ns); a
    call without a caller has the caller None. Functions of the same name are
    summed."""

    def __init__(self, source, *options):
        self.functions = {}
        self.edges = {}
        stats = marshal.loads(convert(source, "pstats", *options))
        for key, (pcalls, ncalls, own, total, callers) in stats.items():
            if key[2] == ROOT:
                continue
            self.add(self.functions, self.name(key),
                     (ncalls, pcalls, ns(own), ns(total)))
            for caller, (calls, first, self_s, with_s) in callers.items():
                self.add(self.edges, (self.name(caller), self.name(key)),
                         (calls, first, ns(self_s), ns(with_s)))

    @staticmethod
    def add(table, key, cost):
        table[key] = tuple(map(sum, zip(table.get(key, (0, 0, 0, 0)), cost)))

    @staticmethod
    def name(key):
        return None if key[2] == ROOT else key[2]

    def times(self):
        return {name: cost[2:] for name, cost in self.functions.items()}


def data_directory():
    """The directory of real files, which are too many to be copied here."""
    path = os.environ.get("CTPROF_DATA", "")
    if path and os.path.isdir(path):
        return path
    print("# CTPROF_DATA names no directory: real files are left out")
    return None

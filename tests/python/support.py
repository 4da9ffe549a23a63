# SPDX-License-Identifier: MIT
"""Code shared by the tests of the Python package: paths, programs, logs."""

import collections
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

DIRECTORY = pathlib.Path(__file__).resolve().parent
# The package's directory, for programs whose PYTHONPATH has more.
PACKAGES = os.environ.get("PYTHONPATH", "")
CTPROF = os.environ.get("CTPROF") or shutil.which("ctprof")
# The hooks of this interpreter: the older one needs the interpreter's lock,
# which free-threaded builds lack.
HOOKS = (("setprofile",) if sys.version_info < (3, 12) else
         ("monitoring",) if sysconfig.get_config_var("Py_GIL_DISABLED") else
         ("monitoring", "setprofile"))
# A program that takes longer hangs.
LIMIT_S = 120

# The cost of a function, or of a caller's edge to it; callers is {key: Cost}.
Cost = collections.namedtuple("Cost", "ncalls pcalls tottime cumtime")
Function = collections.namedtuple("Function", Cost._fields + ("callers",))


# The beginning of the programs of TestCase.traced().
PRELUDE = """
from ctprof import _ctprof

def start(**options):
    _ctprof.record_start({log!r})
    _ctprof.trace_start(hook={hook!r}, **{{"depth": 0, **options}})

def stop():
    anomalies = _ctprof.trace_stop()
    _ctprof.record_stop()
    return anomalies
"""


@functools.lru_cache(maxsize=None)
def plain(name):
    """A name without the parts that change from run to run."""
    return re.sub(r"0x[0-9a-fA-F]+", "0x", name)


def ctprof(*arguments, check=True, **options):
    """Runs the ctprof program; returns a CompletedProcess with its output."""
    done = subprocess.run([CTPROF, *map(str, arguments)], text=True,
                          capture_output=True, timeout=LIMIT_S,
                          errors="surrogateescape", **options)
    if check and done.returncode != 0:
        raise AssertionError(f"ctprof {arguments}: status {done.returncode}: "
                             f"{done.stderr}")
    return done


def python(*arguments, check=True, status=0, env=None, **options):
    """Runs this interpreter with these arguments; with check, it must end with
    status."""
    options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([sys.executable, *map(str, arguments)], text=True,
                          capture_output=True, timeout=LIMIT_S,
                          errors="surrogateescape",
                          env={**os.environ, **(env or {})}, **options)
    if check and done.returncode != status:
        raise AssertionError(f"python {arguments}: status {done.returncode}: "
                             f"{done.stdout}{done.stderr}")
    return done


def cost(row):
    """The Cost in a row of `ctprof stats --json`."""
    return Cost(row["ncalls"], row["pcalls"], row["tottime_ns"],
                row["cumtime_ns"])


def key(row):
    """pstats's key of a row: file, line, name."""
    return row["file"], row["line"], plain(row["name"])


def add(one, other):
    return Cost(*(x + y for x, y in zip(one, other)))


def add_function(functions, name, total, callers):
    """Adds to {key: Function}, summing functions with equal keys."""
    old = functions.get(name)
    if old is None:
        functions[name] = Function(*total, dict(callers))
        return
    merged = dict(old.callers)
    for caller, edge in callers.items():
        merged[caller] = add(merged[caller], edge) if caller in merged \
            else edge
    functions[name] = Function(*add(old[:4], total), merged)


def report(log, *options):
    """`ctprof stats --json --callers` of a log, unchanged."""
    said = ctprof("stats", "-q", "--json", "--callers", *options, log).stdout
    return json.loads(said)


def stats(log, *options):
    """A log's profile, in whole nanoseconds: {key: Function}."""
    functions = {}
    for row in report(log, *options)["rows"]:
        callers = {}
        for edge in row["callers"]:
            one = key(edge)
            callers[one] = (add(callers[one], cost(edge))
                            if one in callers else cost(edge))
        add_function(functions, key(row), cost(row), callers)
    return functions


def calls_of(functions):
    """The calls of each function of stats(): {name: ncalls}."""
    counts = collections.Counter()
    for (_, _, name), function in functions.items():
        counts[name] += function.ncalls
    return counts


def calls(log):
    """The same for a log."""
    return calls_of(stats(log))


def chrome(log, *options):
    """The events of a log in Chrome's format, a list."""
    said = ctprof("convert", "-q", "-t", "chrome", *options, log, "-o", "-")
    trace = json.loads(said.stdout)
    return trace["traceEvents"] if isinstance(trace, dict) else trace


def ranges(log):
    """Each thread's ranges, {tid: [(begin_ns, end_ns, name)]} by begin."""
    threads = collections.defaultdict(list)
    for event in chrome(log):
        if event["ph"] == "X":
            begin = round(event["ts"] * 1000)
            end = begin + round(event["dur"] * 1000)
            threads[event["tid"]].append((begin, end, plain(event["name"])))
    return {tid: sorted(rows, key=lambda row: (row[0], -row[1]))
            for tid, rows in threads.items()}


def each_hook(test):
    """Makes test(self, hook, ...) into a test that runs for each hook."""
    @functools.wraps(test)
    def run(self, *arguments):
        for hook in HOOKS:
            with self.subTest(hook=hook):
                test(self, hook, *arguments)
    return run


class TestCase(unittest.TestCase):
    """A test with a temporary directory."""

    maxDiff = None

    def setUp(self):
        work = tempfile.TemporaryDirectory(prefix="ctprof-test.")
        self.addCleanup(work.cleanup)
        self.work = pathlib.Path(work.name)

    def script(self, text, name="program.py"):
        """Writes a file with this text in the test's directory; returns its
        path."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        return path

    def traced(self, text, hook, *arguments, **options):
        """Runs a program that calls start() and stop(), which record to run.ctp
        in the test's directory with this hook."""
        log = self.work / "run.ctp"
        for old in self.work.glob("*.ctp"):
            old.unlink()
        head = PRELUDE.format(log=str(log), hook=hook)
        script = self.script(head + text, f"{hook}.py")
        python("-P", script, *arguments, cwd=self.work, **options)
        return log

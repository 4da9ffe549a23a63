# SPDX-License-Identifier: MIT
"""On every program of tests/python/programs, ctprof records exactly what
cProfile counts, with clocks that tick once per event. Calls, primitive calls,
own and cumulative time and every caller's edge are compared as integers,
without tolerance. The second oracle is the order of the events of
sys.setprofile()."""

import importlib
import importlib.util
import itertools
import json
import sys
import unittest

import replay
import support

SAME_LABEL = ("functions of one name and line call each other, and cProfile "
              "counts each alone: their time twice when summed")
UNBALANCED = ("CPython before 3.12.5, and still 3.13, reports the end of the "
              "C function in a classmethod without its begin, or the begin "
              "without the end (gh-122029, gh-130898)")
NEEDS_STACK = ("profile functions and timers that are Python's need some of "
               "the stack themselves")
# Errors of cProfile or of CPython under it, from one version to below another:
# the other oracles hold.
WRONG = {
    "run_generator_expressions": ((3, 11), (4,), SAME_LABEL),
    "run_comprehensions_on_one_line": ((3, 11), (3, 12), SAME_LABEL),
    "run_classmethod_of_c": ((3, 12), (4,), UNBALANCED),
    "run_classmethod_of_c_starred": ((3, 12), (4,), UNBALANCED),
}
# Cases where its timer fails: counts hold, and times do not.
UNTIMED = {
    "run_recursion_error": ((3, 11), (4,), NEEDS_STACK),
}
# Cases that sys.setprofile() cannot report.
UNTOLD = {
    "run_recursion_error": ((3, 11), (4,), NEEDS_STACK),
    "run_classmethod_of_c": ((3, 12), (4,), UNBALANCED),
    "run_classmethod_of_c_starred": ((3, 12), (4,), UNBALANCED),
}


def listed(table, program):
    """Is it in the table for this version?"""
    begin, end, _ = table.get(program, ((4,), (4,), None))
    return begin <= sys.version_info < end


def difference(ours, theirs):
    """The differences, as lines; empty if equal."""
    lines = []
    for key in sorted(set(ours) | set(theirs), key=repr):
        one, other = ours.get(key), theirs.get(key)
        if one is None or other is None:
            whose = "theirs" if one is None else "ours"
            lines.append(f"{key}: only in {whose}: {(one or other)[:4]}")
            continue
        if one[:4] != other[:4]:
            lines.append(f"{key}: {tuple(one[:4])} ours, "
                         f"{tuple(other[:4])} theirs")
        for caller in sorted(set(one.callers) | set(other.callers), key=repr):
            edges = one.callers.get(caller), other.callers.get(caller)
            if edges[0] != edges[1]:
                lines.append(f"  {key} from {caller}: {edges[0]} ours, "
                             f"{edges[1]} theirs")
    return lines


def functions(portable):
    """{key: Function} from exact.py's JSON."""
    return {tuple(key): support.Function(
        *total, {tuple(caller): support.Cost(*edge)
                 for caller, edge in callers})
            for key, total, callers in portable}


def untimed(profile):
    """The counts alone."""
    return {key: support.Function(*function[:2], 0, 0, {
        caller: support.Cost(*edge[:2], 0, 0)
        for caller, edge in function.callers.items()})
            for key, function in profile.items()}


def own(key):
    """Is it a function of the profilers themselves?"""
    return "_lsprof" in key[2] or "_ctprof" in key[2]


def without_own(profile):
    """Without the calls that turn the profilers on and off."""
    return {key: function for key, function in profile.items()
            if not own(key)}


class Exact(support.TestCase):
    def run_file(self, file, hook, *names):
        """Runs the programs of a file: {name: the output of exact.py}."""
        directory = self.work / hook
        directory.mkdir()
        done = support.python(
            "-P", support.DIRECTORY / "exact.py", file, hook, directory,
            *names, check=False,
            env={"CTPROF_CLOCK": "events",
                 "PYTHONPATH": f"{support.DIRECTORY}:{support.PACKAGES}"})
        self.assertEqual(done.returncode, 0, f"{hook}, the last of "
                         f"{done.stdout}: {done.stderr}")
        return {name: json.loads((directory / f"{name}.json").read_text())
                for name in done.stdout.split()}, directory

    def check_profile(self, ours, theirs, timed=True):
        ours = without_own(ours)
        theirs = without_own(functions(theirs))
        if not timed:
            ours, theirs = untimed(ours), untimed(theirs)
        lines = difference(ours, theirs)
        self.assertEqual(lines, [], "\n" + "\n".join(lines[:20]))

    def check_events(self, log, functions, events):
        """The same events in the same order, and cProfile's arithmetic."""
        events = [key and tuple(key) for key in events]
        threads = support.ranges(log)
        ours = next(iter(threads.values()), [])
        theirs = replay.ranges(events)
        start = ours[0][0] - theirs[0][0] if ours else 0
        moved = [(begin - start, end - start, name)
                 for begin, end, name in ours]
        for one, other in itertools.zip_longest(moved, theirs):
            if one != other:
                self.fail(f"{one} ours, {other} theirs")
        lines = difference(functions, replay.Replay(events).functions)
        self.assertEqual(lines, [], "\n" + "\n".join(lines[:20]))

    def check_truth(self, functions, truth):
        counts = support.calls_of(functions)
        self.assertEqual({name: counts[name] for name in truth or {}},
                         truth or {})

    def check_program(self, directory, name, result):
        log = directory / f"{name}.alone.ctp"
        functions = support.stats(log)
        self.check_truth(functions, result["truth"])
        if not listed(UNTOLD, name):
            self.check_events(log, functions, result["events"])
        if listed(WRONG, name):
            return
        timed = not listed(UNTIMED, name)
        self.check_profile(functions, result["cprofile"], timed)
        if "both" in result:
            both = support.stats(directory / f"{name}.both.ctp")
            self.check_profile(both, result["both"], timed)

    def check_file(self, file):
        for hook in support.HOOKS:
            results, directory = self.run_file(file, hook)
            self.assertGreater(len(results), 4)
            for name, result in results.items():
                with self.subTest(program=name, hook=hook):
                    self.check_program(directory, name, result)

    def test_real_has_the_tests_of_a_package(self):
        if importlib.util.find_spec("pyflakes") is None:
            self.skipTest("pyflakes is not installed for this Python")
        real = importlib.import_module("programs.real")
        self.assertTrue(hasattr(real, "run_package_tests"))


def add_tests():
    """A test for each file of programs."""
    for path in sorted((support.DIRECTORY / "programs").glob("*.py")):
        def test(self, file=path.stem):
            self.check_file(file)
        setattr(Exact, f"test_{path.stem}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""The drop-in for torch._dynamo's profiler state."""

import contextlib
import copy
import gc
import io
import marshal
import os
import pickle
import pstats
import random
import shutil
import sys
import unittest

import naive_state
import support
from ctprof.dynamo import (DynamoProfilerState, FunctionTraceTiming,
                           ProfilerStackEntry)

NAMES = ["forward", "helper", "λ<x>", "__init__", "a b"]
FILES = ["model.py", "/lib/nn/modules.py", "<string>"]


def place(rng):
    # New strings each time: equal names need not be the same object.
    return ("".join(rng.choice(NAMES)), "".join(rng.choice(FILES)),
            rng.choice([1, 7, 10 ** 6]))


class Tracer:
    """Uses a state as a compiler's tracer does, with its own clock."""

    def __init__(self, state, seed):
        self.state = state
        self.rng = random.Random(seed)
        self.now_ns = -1000
        self.open = []

    def tick(self):
        self.now_ns += self.rng.choice([0, 1, 999, 10 ** 9 + 7])
        return self.now_ns

    def begin(self):
        caller = self.state.get_current_caller()
        stack = self.state.get_call_stack()
        self.state.push(*place(self.rng), self.tick())
        self.open.append((caller, stack))

    def end(self):
        entry = self.state.pop()
        caller, stack = self.open.pop()
        cumtime_ns = self.tick() - entry.start_time_ns
        self.state.record_timing(FunctionTraceTiming(
            entry.func_name, entry.filename, entry.firstlineno, cumtime_ns,
            cumtime_ns - entry.child_time_ns, 12, len(stack),
            *(caller or (None, None, None)),
            is_primitive_call=entry.is_primitive_call, call_stack=stack))
        self.state.add_child_time(cumtime_ns)

    def run(self, calls):
        for _ in range(calls):
            self.begin()
            while self.open and self.rng.random() < 0.5:
                self.end()
        while self.open:
            self.end()


def traced(seed, calls=400):
    state = DynamoProfilerState()
    Tracer(state, seed).run(calls)
    return state


class Arithmetic(support.TestCase):
    def test_pstats_follow_the_documented_arithmetic(self):
        for seed in range(10):
            for style in "dynamo", "cprofile":
                with self.subTest(seed=seed, style=style):
                    state = traced(seed)
                    stats = state.generate_pstats(style=style)
                    self.assertEqual(stats.stats, naive_state.entries(
                        state.get_timings(), style))

    def test_default_edge_rule_is_the_documented_one(self):
        state = traced(1)
        self.assertEqual(state.generate_pstats().stats,
                         state.generate_pstats(style="dynamo").stats)
        self.assertNotEqual(state.generate_pstats().stats,
                            state.generate_pstats(style="cprofile").stats)

    def test_another_edge_rule_is_refused(self):
        with self.assertRaisesRegex(ValueError, "'gprof'"):
            DynamoProfilerState().generate_pstats(style="gprof")

    def test_stack_equals_a_list_of_entries(self):
        rng = random.Random(2)
        ours, naive = DynamoProfilerState(), naive_state.NaiveState()
        for step in range(3000):
            action = rng.random()
            if action < 0.4:
                called = (*place(rng), step)
                self.assertEqual(ours.push(*called), naive.push(*called))
            elif action < 0.8:
                self.same_entry(ours.pop(), naive.pop())
            else:
                ours.add_child_time(step)
                naive.add_child_time(step)
            places = tuple(entry.place for entry in naive.stack)
            self.assertEqual(ours.get_call_stack(), places)
            self.assertEqual(ours.get_current_caller(),
                             places[-1] if places else None)
            self.assertEqual(len(ours.stack), len(places))

    def same_entry(self, ours, naive):
        if naive is None:
            self.assertIsNone(ours)
            return
        self.assertEqual(ours, ProfilerStackEntry(
            naive.func_name, naive.filename, naive.firstlineno,
            naive.start_time_ns, naive.child_time_ns,
            naive.is_primitive_call))

    def test_timings_alone_make_a_profile(self):
        state = DynamoProfilerState()
        timing = FunctionTraceTiming("f", "x.py", 3, 500, 400, 2, 1,
                                     "main", "y.py", None)
        state.record_timing(timing)
        self.assertEqual(state.generate_pstats().stats, {
            ("x.py", 3, "f"): (1, 1, 4e-7, 5e-7,
                               {("y.py", 0, "main"): (1, 1, 4e-7, 5e-7)}),
            ("y.py", 0, "main"): (0, 0, 0.0, 0.0, {})})
        self.assertIs(state.get_timings()[0], timing)

    def test_no_timings_make_an_empty_profile(self):
        stats = DynamoProfilerState().generate_pstats()
        self.assertEqual((stats.stats, stats.total_calls), ({}, 0))

    def test_sums_of_the_profile_are_those_of_its_functions(self):
        stats = traced(3).generate_pstats()
        rows = stats.stats.values()
        self.assertEqual(stats.total_calls, sum(row[1] for row in rows))
        self.assertEqual(stats.prim_calls, sum(row[0] for row in rows))
        self.assertAlmostEqual(stats.total_tt, sum(row[2] for row in rows))


class Objects(unittest.TestCase):
    def test_timing_knows_its_keys_and_milliseconds(self):
        timing = FunctionTraceTiming(
            func_name="f", filename="x.py", firstlineno=3, cumtime_ns=2500000,
            tottime_ns=500000, bytecode_count=7, inline_depth=2,
            caller_func_name="g")
        self.assertEqual(timing.func_key, ("x.py", 3, "f"))
        self.assertEqual(timing.caller_key, ("", 0, "g"))
        self.assertEqual((timing.trace_time_ns, timing.trace_time_ms,
                          timing.cumtime_ms, timing.tottime_ms),
                         (2500000, 2.5, 2.5, 0.5))
        self.assertEqual(repr(timing),
                         "FunctionTraceTiming(f at x.py:3, cumtime=2.50ms, "
                         "tottime=0.50ms, bytecode=7, depth=2)")
        timing.caller_func_name = None
        self.assertIsNone(timing.caller_key)
        self.assertEqual((timing.is_primitive_call, timing.call_stack),
                         (True, ()))

    def test_entry_equals_the_pushed_call(self):
        entry = ProfilerStackEntry(func_name="f", filename="x", firstlineno=3,
                                   start_time_ns=5, child_time_ns=6)
        self.assertEqual(
            repr(entry), "ProfilerStackEntry(func_name='f', filename='x', "
            "firstlineno=3, start_time_ns=5, child_time_ns=6, "
            "is_primitive_call=True)")
        self.assertNotEqual(entry, ProfilerStackEntry("f", "x", 3, 5, 6,
                                                      False))
        self.assertNotEqual(entry, ("f", "x", 3, 5, 6, True))
        entry.child_time_ns += 4
        entry.is_primitive_call = False
        self.assertEqual(entry, ProfilerStackEntry("f", "x", 3, 5, 10, False))
        with self.assertRaises(TypeError):
            hash(entry)

    def test_entry_can_be_copied_and_pickled(self):
        entry = ProfilerStackEntry("f", "x", 3, 5, 6, False)
        for other in (copy.copy(entry), copy.deepcopy(entry),
                      pickle.loads(pickle.dumps(entry))):
            self.assertEqual(other, entry)
            self.assertIsNot(other, entry)

    def test_entry_on_the_stack_can_be_changed(self):
        state = DynamoProfilerState()
        state.push("f", "x", 1, 0)
        state.stack[-1].child_time_ns = 44
        state.add_child_time(1)
        self.assertEqual(state.pop().child_time_ns, 45)

    def test_arguments_have_their_documented_names(self):
        state = DynamoProfilerState()
        self.assertTrue(state.push(func_name="f", filename="x",
                                   firstlineno=1, start_time_ns=8))
        self.assertFalse(state.push("f", "x", firstlineno=1))
        self.assertEqual(state.pop(end_time_ns=9).is_primitive_call, False)
        self.assertEqual(state.pop().start_time_ns, 8)

    def test_wrong_arguments_are_refused(self):
        state = DynamoProfilerState()
        for arguments, options in (
                ((), {}), (("f", "x"), {}), ((1, "x", 1), {}),
                (("f", None, 1), {}), (("f", "x", "1"), {}),
                (("f", "x", 1, "now"), {}), (("f", "x", 1, 2, 3), {}),
                ((), {"firstlineno": 3}), (("f", "x", 1), {"line": 3}),
                (("f", "x", 1), {"filename": "y"})):
            with self.subTest(arguments), self.assertRaises(TypeError):
                state.push(*arguments, **options)
        with self.assertRaises(TypeError):
            state.pop(1, 2)
        for wrong in "1", 1.5, None:
            with self.assertRaises(TypeError):
                state.add_child_time(wrong)
        self.assertEqual(state.get_call_stack(), ())

    def test_numbers_that_do_not_fit_are_refused(self):
        state = DynamoProfilerState()
        for arguments in ("f", "x", 2 ** 63), ("f", "x", 1, -2 ** 63 - 1):
            with self.assertRaises(OverflowError):
                state.push(*arguments)
        state.push("f", "x", 1, 0)
        state.add_child_time(2 ** 63 - 1)
        with self.assertRaises(OverflowError):
            state.add_child_time(1)

    def test_finished_calls_are_forgotten(self):
        if not hasattr(sys, "getrefcount"):
            self.skipTest("no reference counts")
        name = "".join(["a name", " of its own"])
        before = sys.getrefcount(name)
        state = DynamoProfilerState()
        for _ in range(100):
            state.push(name, name, 1, 0)
        for _ in range(50):
            state.pop()
        del state
        gc.collect()
        self.assertEqual(sys.getrefcount(name), before)


class PrintingTestCase(support.TestCase):
    def output(self, function, *arguments, **options):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            result = function(*arguments, **options)
        return result, out.getvalue()


class Reports(PrintingTestCase):
    def test_file_is_read_by_pstats(self):
        state = traced(4)
        path = str(self.work / "x.prof")
        stats = state.generate_pstats(path)
        self.assertEqual(pstats.Stats(path).stats, stats.stats)

    def test_raw_table_has_the_sums_by_cumulative_time(self):
        state = DynamoProfilerState()
        for name, cumtime_ns in ("low", 1000000), ("high", 2500000):
            for _ in range(2):
                state.record_timing(FunctionTraceTiming(
                    name, "/a/b.py", 3, cumtime_ns, 400000, 0, 1))
        _, text = self.output(state.generate_pstats, print_raw=True)
        lines = [line.split() for line in text.splitlines()]
        high = ["2", "2", "0.80ms", "5.00ms", "high", "(b.py:3)"]
        low = ["2", "2", "0.80ms", "2.00ms", "low", "(b.py:3)"]
        self.assertIn(high, lines)
        self.assertLess(lines.index(high), lines.index(low))
        self.assertIn("Total timings: 4, unique functions: 2", text)
        self.assertIn("Sum tottime: 1.60ms, Sum cumtime: 7.00ms", text)

    def test_raw_table_escapes_control_characters(self):
        state = DynamoProfilerState()
        state.record_timing(FunctionTraceTiming(
            "\x1b[31m\u202e\udcff\xe4", "/a/\x9b.py", 3, 1000, 400, 0, 1))
        _, text = self.output(state.generate_pstats, print_raw=True)
        self.assertIn("\\x1b[31m\\u202e\\udcff\xe4 (\\x9b.py:3)\n", text)

    def test_dump_prints_both_tables(self):
        state = traced(5)
        path = str(self.work / "x.prof")
        _, text = self.output(state.dump_stats, path, generate_svg=False)
        self.assertIn("Total timings: 400", text)
        self.assertIn("Ordered by: cumulative time", text)
        self.assertIn(f"snakeviz {path}", text)
        self.assertEqual(os.listdir(self.work), ["x.prof"])

    def test_dump_of_nothing_prints_nothing(self):
        state = DynamoProfilerState()
        path = self.work / "x.prof"
        self.assertEqual(self.output(state.dump_stats, str(path)), (None, ""))
        self.assertFalse(path.exists())


class Picture(PrintingTestCase):
    """generate_svg(), with stand-ins for its two programs on PATH."""

    def setUp(self):
        super().setUp()
        self.profile = str(self.work / "a.b.prof")
        traced(6, 50).generate_pstats(self.profile)
        self.programs = self.work / "bin"
        self.programs.mkdir()
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = str(self.programs)

    def program(self, name, text):
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def refused(self, words):
        path, text = self.output(DynamoProfilerState().generate_svg,
                                 self.profile)
        self.assertIsNone(path)
        self.assertIn(words, text)

    def test_programs_make_the_picture(self):
        self.program("gprof2dot", 'echo "$@"')
        self.program("dot", 'read -r line; echo "$@:$line" >"$3"')
        path, text = self.output(DynamoProfilerState().generate_svg,
                                 self.profile)
        self.assertEqual(path, str(self.work / "a.b.svg"))
        self.assertIn(path, text)
        with open(path, encoding="utf-8") as svg:
            self.assertEqual(
                svg.read(), f"-Tsvg -o {path}:-f pstats "
                "--node-label=total-time-percentage "
                "--node-label=self-time-percentage --node-label=total-time "
                f"{self.profile}\n")

    def test_picture_is_written_to_the_given_path(self):
        self.program("gprof2dot", ":")
        self.program("dot", ': >"$3"')
        wanted = str(self.work / "y.svg")
        path, _ = self.output(DynamoProfilerState().generate_svg,
                              self.profile, svg_file=wanted)
        self.assertEqual(path, wanted)
        self.assertTrue(os.path.exists(wanted))

    def test_missing_gprof2dot_is_reported(self):
        self.program("dot", ":")
        self.refused("pip install gprof2dot")

    def test_missing_dot_is_reported(self):
        self.program("gprof2dot", ":")
        self.refused("graphviz")

    def test_failing_gprof2dot_is_reported(self):
        self.program("gprof2dot", "echo cannot read >&2; exit 3")
        self.program("dot", ":")
        self.refused("gprof2dot failed (exit status 3): cannot read")

    def test_failing_dot_is_reported(self):
        self.program("gprof2dot", ":")
        self.program("dot", "echo syntax error >&2; exit 1")
        self.refused("dot failed (exit status 1): syntax error")

    def test_missing_picture_is_reported(self):
        self.program("gprof2dot", ":")
        self.program("dot", ":")
        self.refused("dot wrote no ")

    def test_program_that_cannot_run_is_reported(self):
        (self.programs / "gprof2dot").write_bytes(b"#!/no/such/program\n")
        (self.programs / "gprof2dot").chmod(0o755)
        self.program("dot", ":")
        self.refused("no call graph: ")


class RealPicture(support.TestCase):
    def test_gprof2dot_and_dot_draw_the_graph(self):
        for program in "gprof2dot", "dot":
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed")
        state = traced(7, 100)
        path = str(self.work / "x.prof")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            state.dump_stats(path)
        self.assertIn("call graph: ", out.getvalue())
        with open(self.work / "x.svg", encoding="utf-8") as svg:
            self.assertIn("forward", svg.read())


RECORDED = """
import marshal, sys
import test_dynamo
state = test_dynamo.traced(int(sys.argv[1]))
with open(sys.argv[2], "wb") as file:
    marshal.dump(state.generate_pstats(style=sys.argv[3]).stats, file)
"""

UNTIMED = """
from ctprof.dynamo import DynamoProfilerState
state = DynamoProfilerState()
state.push("outer", "x.py", 1, 100)
state.push("failed", "x.py", 2, 200)
state.pop()
state.push("next", "x.py", 3, 350)
state.pop(450)
state.push("told", "x.py", 4, 500)
state.pop()
state.add_child_time(60)
state.pop(1100)
"""

MEASURED = """
from ctprof.dynamo import DynamoProfilerState
state = DynamoProfilerState()
state.push("outer", "x.py", 1)
for i in range(3):
    state.push("inner \\udcff", "x.py", 2)
    state.pop()
state.pop()
"""

NESTED = """
import ctprof
state = ctprof.DynamoProfilerState()
def leaf():
    pass
def inner():
    state.push("traced", "x.py", 2)
    leaf()
    state.pop()
def outer():
    state.push("left", "x.py", 1)
    inner()
outer()
state.pop()
"""


class Recorded(support.TestCase):
    """The calls of a state in the log."""

    def record(self, program, *arguments, **environment):
        log = self.work / "run.ctp"
        support.python("-c", program, *arguments, env={
            "CTPROF_OUT": str(log), **environment,
            "PYTHONPATH": os.pathsep.join(
                [str(support.DIRECTORY), os.environ.get("PYTHONPATH", "")])})
        return log

    def pstats(self, log, *options):
        path = self.work / "run.pstats"
        support.ctprof("convert", "-q", "--force", "-t", "pstats", *options,
                       "-o", path, log)
        return marshal.loads(path.read_bytes())

    def test_pstats_of_the_log_equal_the_states(self):
        for style, options in (("dynamo", ["--edge-times=all"]),
                               ("cprofile", [])):
            with self.subTest(style):
                path = self.work / "state.pstats"
                log = self.record(RECORDED, "11", str(path), style)
                self.assertEqual(self.pstats(log, *options),
                                 marshal.loads(path.read_bytes()))

    def test_call_that_was_never_timed_ends_with_the_next(self):
        functions = support.stats(self.record(UNTIMED))
        times = {name: (function.ncalls, function.tottime, function.cumtime)
                 for (_, _, name), function in functions.items()}
        self.assertEqual(times, {
            "outer": (1, 1000 - 150 - 100 - 60, 1000), "failed": (1, 150, 150),
            "next": (1, 100, 100), "told": (1, 60, 60)})

    def test_calls_without_times_are_measured(self):
        functions = support.stats(self.record(MEASURED,
                                              CTPROF_CLOCK="events"))
        self.assertEqual(functions, {
            ("x.py", 1, "outer"): (1, 1, 4, 7, {}),
            ("x.py", 2, "inner \\udcff"): (
                3, 3, 3, 3, {("x.py", 1, "outer"): (3, 3, 3, 3)})})

    def test_calls_without_times_nest_with_the_functions(self):
        log = self.work / "run.ctp"
        support.python("-m", "ctprof", "-o", log, self.script(NESTED),
                       env={"CTPROF_CLOCK": "events"})
        callers = {
            name: {caller for _, _, caller in function.callers}
            for (_, _, name), function in support.stats(log).items()}
        self.assertEqual(callers["left"], {"outer"})
        self.assertEqual(callers["inner"], {"left"})
        self.assertEqual(callers["traced"], {"inner"})
        self.assertEqual(callers["leaf"], {"traced"})
        self.assertFalse([name for name in callers if "_ctprof" in name])

    def test_package_loads_it_on_demand(self):
        support.python("-c", "import sys, ctprof; "
                       "assert 'ctprof.dynamo' not in sys.modules; "
                       "assert 'pstats' not in sys.modules; "
                       "ctprof.DynamoProfilerState().push('f', 'x', 1)")
        import ctprof
        self.assertIs(ctprof.DynamoProfilerState, DynamoProfilerState)
        with self.assertRaisesRegex(AttributeError, "'NoSuchThing'"):
            ctprof.NoSuchThing


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""Start and stop at any place, and programs that do to profilers what they
can."""

import unittest

import support

WORK = """
import sys
def work(): pass
def again(): pass
"""


class Life(support.TestCase):
    def counts(self, text, hook, *names):
        log = self.traced(WORK + text, hook)
        counts = support.calls(log)
        return tuple(counts[name] for name in names)

    @support.each_hook
    def test_start_inside_a_frame_that_returns(self, hook):
        text = """
def deep(n):
    if n == 0:
        start()
    else:
        deep(n - 1)
    work()
deep(5)
work()
stop()
"""
        self.assertEqual(self.counts(text, hook, "work", "deep"), (7, 0))

    @support.each_hook
    def test_frames_that_were_open_come_first(self, hook):
        text = """
def outer():
    inner()
def inner():
    start(depth=128)
    work()
outer()
work()
stop()
"""
        log = self.traced(WORK + text, hook)
        functions = {key[2]: function for key, function
                     in support.stats(log).items()}
        self.assertEqual(functions["outer"].ncalls, 1)
        self.assertEqual([key[2] for key in functions["inner"].callers],
                         ["outer"])
        self.assertEqual(
            {key[2]: edge.ncalls for key, edge
             in functions["work"].callers.items()},
            {"inner": 1, "<module>": 1})

    @support.each_hook
    def test_frames_are_limited_by_depth(self, hook):
        text = """
def deep(n):
    if n == 0:
        start(depth=5)
        work()
    else:
        deep(n - 1)
deep(50)
stop()
"""
        (depth,) = self.counts(text, hook, "deep")
        self.assertIn(depth, (4, 5))

    @support.each_hook
    def test_calls_are_limited_by_max_depth(self, hook):
        text = """
def deep(n):
    len("")
    if n > 0:
        deep(n - 1)
def leaf():
    pass
start(max_depth=5)
for _ in range(3):
    deep(3000 if _ == 0 else 50)
leaf()
anomalies = stop()
assert not any(anomalies.values()), anomalies
"""
        head = "import sys; sys.setrecursionlimit(9000)\n"
        log = self.traced(head + text, hook)
        calls = support.calls(log)
        self.assertEqual((calls["deep"], calls["leaf"]), (15, 1))
        self.assertEqual(calls["<built-in method builtins.len>"], 12)

    @support.each_hook
    def test_stop_inside_frames(self, hook):
        text = """
def deep(n):
    work()
    if n == 0:
        stop()
    else:
        deep(n - 1)
    again()
start()
deep(5)
"""
        self.assertEqual(
            self.counts(text, hook, "work", "deep", "again"), (6, 6, 0))

    @support.each_hook
    def test_start_in_one_generator_step_stop_in_another(self, hook):
        text = """
def steps():
    yield
    start()
    work()
    yield
    work()
    stop()
    yield
for _ in steps():
    again()
"""
        self.assertEqual(self.counts(text, hook, "work", "again"), (2, 1))

    @support.each_hook
    def test_second_start_is_an_error(self, hook):
        text = """
start()
for hook in None, "setprofile":
    try:
        if hook is None:
            _ctprof.trace_start()
        else:
            _ctprof.trace_start(hook=hook)
    except RuntimeError as error:
        assert str(error), error
    else:
        raise SystemError("a second tracer started")
work()
stop()
"""
        self.assertEqual(self.counts(text, hook, "work"), (1,))

    @support.each_hook
    def test_on_and_off_many_times(self, hook):
        text = """
start()
for _ in range(20):
    work()
    _ctprof.trace_stop()
    again()
    _ctprof.trace_start(hook=HOOK, depth=0)
stop()
"""
        self.assertEqual(
            self.counts(f"HOOK = {hook!r}\n" + text, hook, "work",
                        "again"), (20, 0))

    @support.each_hook
    def test_recordings_one_after_another(self, hook):
        text = """
for n in range(3):
    _ctprof.record_start(f"run.{n}.ctp")
    _ctprof.trace_start(hook=HOOK, depth=0)
    for _ in range(n + 1):
        work()
    _ctprof.trace_stop()
    _ctprof.record_stop()
"""
        self.traced(WORK + f"HOOK = {hook!r}\n" + text, hook)
        counts = [support.calls(self.work / f"run.{n}.ctp")["work"]
                  for n in range(3)]
        self.assertEqual(counts, [1, 2, 3])

    @support.each_hook
    def test_exception_in_an_exit_function(self, hook):
        text = """
import atexit
def leaving():
    work()
    raise ValueError("at the exit")
atexit.register(leaving)
start()
work()
"""
        self.assertEqual(self.counts(text, hook, "work"), (2,))

    @support.each_hook
    def test_destructors_at_interpreter_exit(self, hook):
        text = """
class Last:
    def __del__(self):
        pass
kept = Last()
kept.itself = kept
start()
work()
"""
        self.assertEqual(self.counts(text, hook, "work"), (1,))

    @support.each_hook
    def test_program_sets_a_profile_function(self, hook):
        text = """
import warnings
seen = []
start()
work()
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    sys.setprofile(lambda *event: seen.append(event[1]))
    again()
    sys.setprofile(None)
work()
stop()
if hook == "monitoring":
    assert "call" in seen and not warned, seen
else:
    assert "call" not in seen and len(warned) == 1, (seen, warned)
    assert "ctprof" in str(warned[0].message)
"""
        self.assertEqual(self.counts(f"hook = {hook!r}\n" + text, hook,
                                     "work", "again"), (2, 1))

    @support.each_hook
    def test_program_profiles_itself(self, hook):
        # cProfile is a second profile function in 3.11, and a tool of
        # sys.monitoring since 3.12: then both see everything.
        text = """
import cProfile
start()
profile = cProfile.Profile()
profile.enable()
for _ in range(5):
    work()
profile.disable()
again()
stop()
counts = {entry.code.co_name: entry.callcount for entry in profile.getstats()
          if not isinstance(entry.code, str)}
assert counts == ({"work": 5} if sys.version_info >= (3, 12) else {}), counts
"""
        self.assertEqual(self.counts(text, hook, "work", "again"), (5, 1))

    @support.each_hook
    def test_program_is_measured_for_coverage(self, hook):
        text = """
monitoring = sys.monitoring
events = monitoring.events
lines, starts = [], []
monitoring.use_tool_id(monitoring.COVERAGE_ID, "coverage")
monitoring.register_callback(monitoring.COVERAGE_ID, events.LINE,
                             lambda code, line: lines.append(line))
monitoring.register_callback(
    monitoring.COVERAGE_ID, events.PY_START,
    lambda code, offset: starts.append(code.co_name) or monitoring.DISABLE)
monitoring.set_events(monitoring.COVERAGE_ID, events.LINE | events.PY_START)
start()
for _ in range(5):
    work()
stop()
monitoring.set_events(monitoring.COVERAGE_ID, 0)
again()
assert starts.count("work") == 1 and len(lines) > 5, (starts, lines)
"""
        if "monitoring" not in support.HOOKS:
            self.skipTest("sys.monitoring is younger")
        self.assertEqual(self.counts(text, hook, "work", "again"), (5, 0))

    @support.each_hook
    def test_program_traces_lines(self, hook):
        text = """
lines = []
def trace(frame, event, argument):
    lines.append(event)
    return trace
start()
sys.settrace(trace)
for _ in range(5):
    work()
sys.settrace(None)
stop()
assert lines.count("call") > 4
"""
        self.assertEqual(self.counts(text, hook, "work"), (5,))

    @support.each_hook
    def test_names_that_are_not_text(self, hook):
        text = """
import types
def named(name, file):
    code = work.__code__.replace(co_name=name, co_qualname=name,
                                 co_filename=file)
    return types.FunctionType(code, {})
start()
for name in "a\\udc80b", "\\ud800", "x" * 10_000 + "\\udfff":
    for _ in range(3):
        named(name, "file\\udcff.py")()
work()
stop()
"""
        log = self.traced(WORK + text, hook)
        counts = support.stats(log)
        self.assertEqual(sum(function.ncalls for key, function
                             in counts.items() if "file" in key[0]
                             and key[0].endswith(".py")
                             and hook not in key[0]), 9)
        self.assertEqual(support.calls(log)["work"], 1)

    @support.each_hook
    def test_sub_interpreters(self, hook):
        text = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
INSIDE = '''
def inside(): pass
for _ in range(10): inside()
try:
    from ctprof import _ctprof
    _ctprof.trace_start()
except (ImportError, RuntimeError) as error:
    assert str(error), error
else:
    raise SystemError("a tracer started in a second interpreter")
'''
start()
work()
other = interpreters.create()
failure = interpreters.run_string(other, INSIDE)
assert failure is None, failure
interpreters.destroy(other)
work()
stop()
"""
        self.assertEqual(self.counts(text, hook, "work", "inside"), (2, 0))

    @support.each_hook
    def test_options_of_the_interpreter(self, hook):
        for options in ("-O",), ("-OO", "-B"), ("-X", "importtime"), (
                "-X", "dev"), ("-X", "faulthandler"):
            log = self.work / "run.ctp"
            log.unlink(missing_ok=True)
            head = support.PRELUDE.format(log=str(log), hook=hook)
            script = self.script(
                head + WORK + "start()\nwork()\n"
                "assert work() is None\nstop()\n")
            support.python(*options, "-P", script)
            want = 1 if options[0].startswith("-O") else 2
            self.assertEqual(support.calls(log)["work"], want, options)


if __name__ == "__main__":
    unittest.main()

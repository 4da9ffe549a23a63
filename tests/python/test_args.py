# SPDX-License-Identifier: MIT
"""--args: arguments and results of chosen functions, and values that resist."""

import json
import sys
import unittest

import ctprof
import support

CALLS = """
class Point:
    def __init__(self, x):
        self.x = x
    def __repr__(self):
        return f"Point({self.x})"
    def move(self, by, /, *rest, scale=1, **more):
        def inner():
            return by
        self.x += by * scale
        return self
    @classmethod
    def make(cls, x):
        return cls(x)

def steps(n):
    for i in range(n):
        n = None
        got = yield i
    return "end"

def fail(why):
    raise KeyError(why)

def unchosen(x):
    return x

def nested(x):
    return (lambda y: y + 1)(x)

start(args=("Point.m*", "steps", "fail", "<lambda>"))
p = Point.make(1)
p.move(2, "a", None, scale=3, key=b"b")
list(steps(2))
s = steps(5)
next(s)
try:
    s.throw(ValueError("thrown"))
except ValueError:
    pass
try:
    fail("because")
except KeyError:
    pass
nested(unchosen(4))
anomalies = stop()
assert not any(anomalies.values()), anomalies
"""

ASYNC = """
import asyncio

async def numbers(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i

async def double(x):
    await asyncio.sleep(0)
    return 2 * x

async def main():
    async for _ in numbers(2):
        pass
    return await double(4)

start(args=["main", "double", "numbers"], tasks=True)
asyncio.run(main())
anomalies = stop()
assert not any(anomalies.values()), anomalies
"""

# Each is an argument of show().
HOSTILE = """
import sys, time

class Raises:
    def __repr__(self):
        raise ValueError("no")

class Recurses:
    def __repr__(self):
        return repr(self)

class Long:
    def __repr__(self):
        return "x" * 10**6

class NotText:
    def __repr__(self):
        return 5

class Odd:
    def __repr__(self):
        return "a\\0b\\udc80\\N{SNOWMAN}"

class Slow:
    def __repr__(self):
        time.sleep(0.2)
        return "slow"

class Exits:
    def __repr__(self):
        sys.exit(3)

class Calls:
    def __repr__(self):
        return repr([called() for _ in range(3)])

def called():
    return 1

class Grows:
    def __repr__(self):
        grown.append(self)
        return "grows"

class Shrinks:
    def __repr__(self):
        shrunk.clear()
        return "shrinks"

class Leaves:
    def __repr__(self):
        with ctprof.range("inside"):
            return "leaves"

def show(value):
    return None

import ctprof
grown = []
grown.append(Grows())
shrunk = {1: Shrinks(), 2: 3}
itself = []
itself.append(itself)
deep = ()
for _ in range(100000):
    deep = (deep,)
start(args="show")
show(Raises())
show(Recurses())
show(Long())
show(NotText())
show(Odd())
show(Slow())
show(Calls())
show(grown)
show(shrunk)
show(Leaves())
show(itself)
show(deep)
show(10**100000)
show("y" * 10**8)
show([0] * 10**6)
show({i: i for i in range(10**5)})
show(set(range(10**5)))
try:
    show(Exits())
    for _ in range(1000):
        pass
except SystemExit as error:
    assert error.code == 3
else:
    raise AssertionError("an exit is lost")
anomalies = stop()
assert not any(anomalies.values()), anomalies
del deep
"""

STOPS = """
class Stops:
    def __repr__(self):
        if self.when == self.count:
            stop()
        self.count += 1
        return "stops"
    def __init__(self, when):
        self.when, self.count = when, 0

def show(value):
    return value

def again():
    return 1

for when in range(2):
    start(args=["show"], depth=128)
    show(Stops(when))
    again()
"""


class Args(support.TestCase):
    def values(self, text, hook, name=None):
        """The arguments of the log's events, by the names of functions."""
        log = self.traced(text, hook)
        return [event.args if name else (event.name, event.args)
                for event in ctprof.load(log).events()
                if event.args and name in (None, event.name)]

    @support.each_hook
    def test_arguments_and_results(self, hook):
        said = "'because'"
        raised = ("KeyError('because')", "ValueError('thrown')") \
            if hook == "monitoring" else ("(unknown exception)",) * 2
        self.assertEqual(self.values(CALLS, hook), [
            ("make", {"cls": "<class '__main__.Point'>", "x": "1",
                      "return": "Point(1)"}),
            ("move", {"self": "Point(1)", "by": "2", "scale": "3",
                      "*rest": "('a', None)", "**more": "{'key': b'b'}",
                      "return": "Point(7)"}),
            ("steps", {"n": "2", "yield": "0"}),
            ("steps", {"yield": "1"}),
            ("steps", {"return": "'end'"}),
            ("steps", {"n": "5", "yield": "0"}),
            ("steps", {"raise": raised[1]}),
            ("fail", {"why": said, "raise": raised[0]}),
            ("<lambda>", {"y": "4", "return": "5"})])

    @support.each_hook
    def test_coroutines_and_asynchronous_generators(self, hook):
        rows = [row for row in self.values(ASYNC, hook)
                if row[0] in ("main", "double", "numbers")]
        # The order of the steps is that of asyncio.
        self.assertEqual([row for row in rows if row[0] != "main"], [
            ("numbers", {"n": "2"}), ("numbers", {"yield": "0"}),
            ("numbers", {"yield": "1"}), ("numbers", {"return": "None"}),
            ("double", {"x": "4"}), ("double", {"return": "8"})])
        self.assertEqual(rows[-1], ("main", {"return": "8"}))

    @support.each_hook
    def test_values_that_resist(self, hook):
        rows = self.values(HOSTILE, hook, "show")
        texts = [row["value"] for row in rows]
        self.assertEqual(texts[:14], [
            "<Raises object: repr() raised ValueError>",
            "<Recurses object: repr() raised RecursionError>",
            "x" * 100 + "...",
            "<NotText object: repr() raised TypeError>",
            "a\\0b\\udc80\N{SNOWMAN}", "slow", "[1, 1, 1]",
            "[" + "grows, " * 14 + "g...", "{1: shrinks}", "leaves",
            "[" * 9 + "..." + "]" * 9, "(" * 9 + "..." + ",)" * 9,
            "<int of 332193 bits>", "'" + "y" * 99 + "..."])
        self.assertTrue(texts[14].startswith("[0, 0, "))
        self.assertTrue(texts[15].startswith("{0: 0, 1: 1, "))
        self.assertTrue(texts[16].startswith("{0, 1, 2, "))
        self.assertEqual({len(text) for text in texts[14:17]}, {103})
        self.assertEqual(texts[17], "<Exits object: repr() raised SystemExit>")
        self.assertEqual(len(rows), 18)

    @support.each_hook
    def test_time_of_texts_is_not_the_functions(self, hook):
        log = self.traced(HOSTILE, hook)
        functions = ctprof.load(log).functions()
        times = {row.name: row for row in functions}
        self.assertGreaterEqual(times["repr(Slow)"].tottime_ns, 150_000_000)
        self.assertLess(times["show"].cumtime_ns, 150_000_000)
        # Nothing that a repr() calls is recorded but the program's own ranges.
        self.assertNotIn("called", times)
        self.assertEqual(times["inside"].ncalls, 1)

    @support.each_hook
    def test_recording_ends_within_repr(self, hook):
        for when in range(2):
            text = STOPS.replace("range(2)", f"[{when}]")
            log = self.traced(text, hook)
            self.assertEqual(support.calls(log)["show"], when)

    @support.each_hook
    def test_texts_are_those_of_repr(self, hook):
        values = ("0, -5, 10**30, True, None, ..., 1.5, -0.0, 1j, 'a', "
                  "\"it's\", b'\\\\x00', [], [1], (), (1,), (1, 2), {}, set(), "
                  "{1}, frozenset(), frozenset({1}), {'a': [1, {2: (3,)}]}, "
                  "int, len, bytearray(b'x'), range(3), Ellipsis")
        rows = self.values(f"""
def show(value):
    pass
values = [{values}]
for value in values:
    print(repr(value))
start(args="show", args_length=2000)
for value in values:
    show(value)
stop()
""", hook, "show")
        self.assertEqual([row["value"] for row in rows],
                         [repr(value) for value in eval(f"[{values}]")])

    @support.each_hook
    def test_globs_choose_functions(self, hook):
        self.script("""
def parse(x): return x
class Reader:
    def parse(self, x): return x
""", "package/reader.py")
        text = f"""
import sys
sys.path.append({str(self.work)!r})
from package import reader
def parse(x): return x
start(args={{}})
parse(1)
reader.parse(2)
reader.Reader().parse(3)
stop()
"""
        for globs, wanted in (
                (["package.reader:p*"], ["2", "3"]),
                (["package:Reader.*"], ["3"]),
                (["reader.py:parse"], ["2", "3"]),
                ([f"*/{hook}.py:*", "Reader.parse"], ["1", "3"]),
                (["package", "arse"], []), ([], [])):
            with self.subTest(globs):
                rows = self.values(text.format(globs), hook, "parse")
                self.assertEqual([row["x"] for row in rows], wanted)

    @support.each_hook
    def test_counts_and_callers_stay(self, hook):
        plain = support.stats(self.traced(CALLS.replace(
            "start(args=", "start(exclude=()) or dict(args="), hook))
        chosen = support.stats(self.traced(CALLS, hook))
        names = {key for key in chosen if not key[2].startswith("repr(")}
        self.assertEqual(names, set(plain))
        for key in names:
            self.assertEqual(chosen[key][:2], plain[key][:2], key)
            self.assertEqual(set(chosen[key].callers), set(plain[key].callers))

    @support.each_hook
    def test_objects_of_c_functions(self, hook):
        rows = self.values("""
import time
start(args=["append", "time:sleep", "len"])
[1].append(2)
time.sleep(0.0)
len("abc")
stop()
""", hook)
        wanted = [("<method 'append' of 'list' objects>", {"self": "[1]"})]
        if hook == "monitoring":
            wanted += [("<built-in method time.sleep>", {"first": "0.0"}),
                       ("<built-in method builtins.len>", {"first": "'abc'"})]
        self.assertEqual(rows, wanted)

    @support.each_hook
    def test_limits_apply(self, hook):
        text = """
def deep(n):
    return n and deep(n - 1)
start(args="deep", max_depth=3)
deep(5)
anomalies = stop()
assert not any(anomalies.values()), anomalies
"""
        self.assertEqual(self.values(text, hook, "deep"),
                         [{"n": str(n), "return": "0"} for n in (3, 4, 5)])
        self.assertEqual(
            self.values(text.replace("max_depth=3", "args_length=1"), hook,
                        "deep")[-1], {"n": "5", "return": "0"})

    def test_options_are_checked(self):
        for options in {"args_length": 0}, {"args_length": 2001}:
            with self.assertRaisesRegex(ValueError, "from 1 to 2000"):
                ctprof.start(self.work / "no.ctp", **options)
        with self.assertRaisesRegex(TypeError, "args must be"):
            ctprof.start(self.work / "no.ctp", args=[1])
        done = support.python("-m", "ctprof", "--args-length=0", "-c", "1",
                              status=2)
        self.assertIn("'0' is not a length from 1 to 2000", done.stderr)
        done = support.ctprof("record", "--python", "--args-length=2001",
                              "--", "true", check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'2001' is not a length from 1 to 2000", done.stderr)


PROGRAM = """
import subprocess, sys
def count(text):
    return len(text)
count("of " + " ".join(sys.argv[1:]))
if len(sys.argv) == 1:
    subprocess.run([sys.executable, __file__, "child"], check=True)
"""


class Commands(support.TestCase):
    def check(self, log):
        self.assertEqual(
            sorted(event.args["text"] for event in ctprof.load(log).events()
                   if event.name == "count"), ["'of '", "'of ch..."])
        shown = [event["args"] for event in support.chrome(log)
                 if event["name"] == "count" and event["ph"] == "X"]
        self.assertEqual({row["return"] for row in shown}, {"3", "8"})
        shared = self.work / "shared.ctp"
        support.ctprof("cut", "-q", "--redact", "--force", log, "-o", shared)
        self.assertNotIn("of ch", json.dumps(
            [event.args for event in ctprof.load(shared).events()]))

    def test_python_m_ctprof_and_its_children(self):
        log = self.work / "run.ctp"
        support.python("-m", "ctprof", "-o", log, "--args", "no*",
                       "--args=program.py:count", "--args-length", "6",
                       self.script(PROGRAM))
        self.check(log)

    def test_ctprof_record(self):
        log = self.work / "run.ctp"
        support.ctprof("record", "-q", "--python", "--args", "no*",
                       "--args=program.py:count", "--args-length=6", "-o", log, "--",
                       sys.executable, self.script(PROGRAM))
        self.check(log)
        done = support.ctprof("record", "--args=count", "--", "true",
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--args needs --python", done.stderr)


if __name__ == "__main__":
    unittest.main()

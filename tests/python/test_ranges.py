# SPDX-License-Identifier: MIT
"""What programs name themselves: ranges, labelled ranges, instants, counters
and steps; alone, and among the calls of a trace."""

import unittest

import support

BEGIN = """
import asyncio, concurrent.futures, sys, threading
import ctprof
"""


class Ranges(support.TestCase):
    def setUp(self):
        super().setUp()
        self.log = self.work / "run.ctp"

    def record(self, text, tracing=False):
        """Runs the text with recording on, and with its calls or not."""
        start = (f"ctprof.start({str(self.log)!r})\n" if tracing else "")
        env = {} if tracing else {"CTPROF_OUT": str(self.log)}
        end = "\nctprof.stop()" if tracing else ""
        script = self.script(BEGIN + start + text + end)
        return support.python(script, env=env, cwd=self.work).stdout

    def names(self):
        """The ranges of the only thread, by their beginning."""
        (rows,) = support.ranges(self.log).values()
        return [name for _, _, name in rows]

    def functions(self):
        """The profile, by names alone; so are callers."""
        return {key[2]: function._replace(
                    callers={key[2]: edge for key, edge
                             in function.callers.items()})
                for key, function in support.stats(self.log).items()}

    def spans(self):
        """Asynchronous ranges: (phase, name), as they come in the log."""
        return [(event["ph"], event["name"])
                for event in support.chrome(self.log)
                if event["ph"] in "be"]

    def test_nothing_records_and_nothing_happens(self):
        self.script(BEGIN + """
@ctprof.trace
def function(): return 1
@ctprof.range("b")
def other(): return 2
with ctprof.range("a", value=1), ctprof.record_function("c", "d") as label:
    label.end_with(concurrent.futures.Future()).set_result(1)
    ctprof.instant("i"); ctprof.counter("c", 1)
    print(function(), other(), ctprof.step())
""")
        said = support.python("program.py", cwd=self.work).stdout
        self.assertEqual(said, "1 2 1\n")
        self.assertEqual([path.name for path in self.work.iterdir()],
                         ["program.py"])

    def test_blocks_nest(self):
        self.record("""
with ctprof.range("outer"):
    with ctprof.range("inner"):
        pass
    with ctprof.range("inner"):
        pass
""")
        inner = self.functions()["inner"]
        self.assertEqual(inner.ncalls, 2)
        self.assertEqual(list(inner.callers), ["outer"])

    def test_block_that_is_left_by_an_exception_ends(self):
        self.record("""
try:
    with ctprof.range("fails"):
        raise ValueError
except ValueError:
    with ctprof.range("after"):
        pass
""")
        self.assertEqual(self.functions()["after"].callers, {})

    def test_one_range_may_be_open_twice(self):
        self.record("""
again = ctprof.range("again")
with again:
    with again:
        pass
with again:
    pass
""")
        again = self.functions()["again"]
        self.assertEqual((again.ncalls, again.pcalls), (3, 2))

    def test_arguments_keep_their_types(self):
        self.record("""
class Broken:
    def __str__(self): raise KeyError("broken")
with ctprof.range("r", i=-3, f=0.5, s="\\u20ac", l=[1], b=True, h=1 << 70,
                  u="\\udc80"):
    pass
try:
    with ctprof.range("never", value=Broken()):
        print("never")
except KeyError as error:
    print(error)
""")
        (args,) = (event["args"] for event in support.chrome(self.log)
                   if event["ph"] == "X" and event["name"] == "r")
        self.assertEqual(args, {
            "i": -3, "f": 0.5, "s": "\u20ac", "l": "[1]", "b": "True",
            "h": str(1 << 70), "u": "\\udc80"})

    def test_ranges_nest_with_calls(self):
        self.record("""
def function():
    with ctprof.range("block"):
        len("")
function()
""", tracing=True)
        functions = self.functions()
        self.assertEqual(list(functions["block"].callers), ["function"])
        length = functions["<built-in method builtins.len>"]
        self.assertEqual(list(length.callers), ["block"])

    def test_range_hides_itself_from_the_trace(self):
        self.record("""
with ctprof.range("block"):
    pass
ctprof.instant("now")
""", tracing=True)
        names = set(support.calls(self.log))
        self.assertEqual({name for name in names if "ctprof" in name}, set())
        self.assertNotIn("__exit__", " ".join(names))

    def test_trace_knows_the_place_of_a_function(self):
        self.record("""
class C:
    @ctprof.trace
    def method(self): return 5
    @ctprof.trace(name="other")
    def named(self): "words"
print(C().method(), C().named.__doc__, C.named.__name__)
C().named()
""")
        keys = {(name, line) for _, line, name in support.stats(self.log)}
        self.assertEqual(keys, {("C.method", 6), ("other", 8)})

    def test_trace_counts_recursion(self):
        self.record("""
@ctprof.trace
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(6))
""")
        ((_, fib),) = support.stats(self.log).items()
        self.assertEqual((fib.ncalls, fib.pcalls), (25, 1))

    def test_trace_stands_for_the_call(self):
        self.record("""
@ctprof.trace
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
@ctprof.trace(name="other")
def named(): len("")
fib(6); fib.__wrapped__(0); named()
""", tracing=True)
        functions = self.functions()
        fib = functions["fib"]
        self.assertEqual((fib.ncalls, fib.pcalls), (26, 2))
        self.assertEqual(functions["fib"].callers["fib"].ncalls, 24)
        self.assertEqual(list(functions["named"].callers), ["other"])

    def test_trace_of_what_only_has_code_is_no_call_of_it(self):
        self.record("""
def function(): pass
class Compiled:
    def __call__(self): function()
compiled = Compiled()
compiled.__code__ = function.__code__
compiled.__qualname__ = "function"
ctprof.trace(compiled)()
""", tracing=True)
        self.assertEqual(self.functions()["__call__"].ncalls, 1)

    def test_call_that_is_older_than_the_trace_stands_for_itself(self):
        log = str(self.log)
        support.python(self.script(BEGIN + f'''
def work(): pass
@ctprof.trace
def recorder(first):
    if first: ctprof.start({log!r})
    work()
@ctprof.trace
def waiter():
    ready.set(); go.wait(); work(); recorder(False)
ready, go = threading.Event(), threading.Event()
other = threading.Thread(target=waiter)
other.start(); ready.wait()
recorder(True); recorder(False)
go.set(); other.join()
ctprof.stop()
'''))
        functions = self.functions()
        self.assertEqual({name: edge.ncalls for name, edge
                          in functions["work"].callers.items()},
                         {"recorder": 3, "waiter": 1})
        self.assertEqual(functions["recorder"].ncalls, 3)
        self.assertEqual(functions["waiter"].ncalls, 1)

    def test_what_makes_ranges_is_not_seen(self):
        self.record("""
@ctprof.trace
def function(): pass
with ctprof.record_function("label", asynchronous=True):
    function()
""", tracing=True)
        names = set(self.functions())
        self.assertEqual(names & {"<built-in method _of>",
                                  "<built-in method builtins.next>"}, set())
        self.assertIn("function", names)

    def test_range_outlives_its_function_outside_the_nesting(self):
        self.record("""
import contextlib
@contextlib.contextmanager
def phase(name):
    with ctprof.range(name): yield
def block(): pass
def generator():
    with ctprof.range("c"):
        yield 1
        yield 2
def left(): ctprof.range("left").__enter__()
with phase("a"):
    with phase("b"): block()
    block()
for _ in generator(): block()
left()
block()
""", tracing=True)
        self.assertEqual(self.spans(), [
            ("b", "a"), ("b", "b"), ("e", "b"), ("e", "a"),
            ("b", "c"), ("e", "c"), ("b", "left")])
        functions = self.functions()
        self.assertEqual(functions["block"].ncalls, 5)
        self.assertEqual(list(functions["block"].callers), ["<module>"])
        self.assertEqual(functions["a"].ncalls, 1)

    def test_ranges_that_are_never_ended_are_bounded(self):
        self.record("""
def left(): ctprof.range("left").__enter__()
for _ in range(5000): left()
with ctprof.range("after"): pass
""", tracing=True)
        self.assertLess(len(self.spans()), 5000)
        functions = self.functions()
        self.assertEqual((functions["left"].ncalls,
                          functions["after"].ncalls), (5000, 1))

    def test_many_tasks_are_in_ranges_at_once(self):
        self.record("""
async def request():
    with ctprof.range("request"): await asyncio.sleep(0.01)
async def main():
    await asyncio.gather(*(request() for _ in range(300)))
asyncio.run(main())
""", tracing=True)
        self.assertEqual(sorted(self.spans()), [("b", "request")] * 300 +
                         [("e", "request")] * 300)

    def test_range_that_outlives_its_function_ends_on_any_thread(self):
        self.record("""
def stream():
    with ctprof.range("stream"): yield
def elsewhere(function):
    thread = threading.Thread(target=function); thread.start(); thread.join()
one = stream(); next(one)
elsewhere(lambda: list(one))
other = stream()
elsewhere(lambda: next(other))
list(other)
""", tracing=True)
        events = [event for event in support.chrome(self.log)
                  if event["ph"] in "be"]
        events.sort(key=lambda event: event["ts"])
        for number in {event["id"] for event in events}:
            begin, end = (event for event in events if event["id"] == number)
            self.assertEqual(begin["ph"] + end["ph"], "be")
            self.assertNotEqual(begin["tid"], end["tid"])
        self.assertEqual(len(events), 4)

    def test_generator_is_a_range_outside_the_nesting(self):
        said = self.record("""
@ctprof.trace
def generator():
    try:
        got = yield 1
    except ValueError:
        got = "thrown"
    return got
g = generator(); next(g)
with ctprof.range("meanwhile"):
    pass
try: g.send("sent")
except StopIteration as end: print(end.value)
g = generator(); next(g)
try: g.throw(ValueError)
except StopIteration as end: print(end.value)
g = generator(); next(g); g.close()
""")
        self.assertEqual(said, "sent\nthrown\n")
        self.assertEqual(self.names(), ["meanwhile"])
        self.assertEqual(self.spans(), [("b", "generator"),
                                        ("e", "generator")] * 3)

    def test_coroutines_are_ranges_outside_the_nesting(self):
        said = self.record("""
@ctprof.trace
async def one(): await asyncio.sleep(0); return 1
@ctprof.range("two")
async def two(): await asyncio.sleep(0); raise KeyError("two")
async def main():
    return await asyncio.gather(one(), two(), return_exceptions=True)
print(asyncio.run(main()), asyncio.iscoroutinefunction(one))
""")
        self.assertEqual(said, "[1, KeyError('two')] True\n")
        self.assertEqual(sorted(self.spans()), [
            ("b", "one"), ("b", "two"), ("e", "one"), ("e", "two")])

    def test_asynchronous_generator_is_delegated_to(self):
        said = self.record("""
@ctprof.trace
async def generator():
    got = yield 1
    try:
        yield got
    except ValueError:
        yield "thrown"
    try:
        yield "last"
    finally:
        print("closed")
async def main():
    g = generator()
    print(await anext(g), await g.asend("sent"), await g.athrow(ValueError),
          await anext(g))
    await g.aclose()
    print([x async for x in generator()])
asyncio.run(main())
""")
        self.assertEqual(said, "1 sent thrown last\nclosed\nclosed\n"
                         "[1, None, 'last']\n")
        self.assertEqual(self.spans(), [("b", "generator"),
                                        ("e", "generator")] * 2)

    def test_label_has_its_argument(self):
        self.record("""
with ctprof.record_function("label", "words"):
    pass
@ctprof.record_function("decorates")
def function(): return 4
print(function(), function())
""")
        events = [event for event in support.chrome(self.log)
                  if event["ph"] == "X"]
        self.assertEqual([event["name"] for event in events],
                         ["label", "decorates", "decorates"])
        self.assertEqual(events[0]["args"], {"args": "words"})

    def test_label_ends_with_a_future_on_another_thread(self):
        self.record("""
go = threading.Event()
with concurrent.futures.ThreadPoolExecutor(1) as pool:
    with ctprof.record_function("label", asynchronous=True) as label:
        future = label.end_with(pool.submit(go.wait))
    ctprof.instant("block is left")
    go.set()
    future.result()
""")
        events = [event for event in support.chrome(self.log)
                  if event["ph"] in "bei"]
        self.assertEqual(
            [(event["ph"], event["name"]) for event in
             sorted(events, key=lambda event: event["ts"])],
            [("b", "label"), ("i", "block is left"), ("e", "label")])
        begin, end = (event["tid"] for event in events if event["ph"] in "be")
        self.assertNotEqual(begin, end)

    def test_label_ends_with_a_future_of_asyncio(self):
        self.record("""
async def main():
    future = asyncio.get_running_loop().create_future()
    with ctprof.record_function("label", asynchronous=True) as label:
        label.end_with(future)
    with ctprof.range("meanwhile"):
        pass
    future.cancel()
    await asyncio.sleep(0)
asyncio.run(main())
""")
        self.assertEqual(self.spans(), [("b", "label"), ("e", "label")])

    def test_label_without_a_future_ends_with_its_block(self):
        self.record("""
with ctprof.record_function("label", asynchronous=True):
    pass
""")
        self.assertEqual(self.spans(), [("b", "label"), ("e", "label")])

    def test_asynchronous_label_of_a_function(self):
        said = self.record("""
@ctprof.record_function("label", asynchronous=True)
def function(n): return n + 1
print(function(1))
""")
        self.assertEqual(said, "2\n")
        self.assertEqual(self.spans(), [("b", "label"), ("e", "label")])

    def test_nested_label_with_a_future_is_two_ranges(self):
        self.record("""
future = concurrent.futures.Future()
with ctprof.record_function("label") as label:
    label.end_with(future)
with ctprof.range("after"):
    future.set_result(1)
""")
        self.assertEqual(self.names(), ["label", "after"])
        self.assertEqual(self.spans(), [("b", "label"), ("e", "label")])

    def test_second_future_is_an_error(self):
        said = self.record("""
def attempt(function, *arguments):
    try:
        function(*arguments)
    except RuntimeError as error:
        print(error)
label = ctprof.record_function("label", asynchronous=True)
attempt(label.end_with, concurrent.futures.Future())
with label:
    label.end_with(concurrent.futures.Future())
    attempt(label.end_with, concurrent.futures.Future())
attempt(label.__enter__)
""")
        self.assertEqual(said, "the range 'label' has not begun\n"
                         "the range 'label' has a future already\n"
                         "the range 'label' was entered before\n")

    def test_instants_counters_and_steps(self):
        said = self.record("""
ctprof.instant("now")
ctprof.counter("queue", 3)
ctprof.counter("queue", 0.5)
ctprof.counter("large", 1 << 80)
print(ctprof.step(), ctprof.step("other"), ctprof.step("other"))
""")
        self.assertEqual(said, "1 2 3\n")
        events = support.chrome(self.log)
        self.assertEqual(
            [event["args"] for event in events if event["ph"] == "C"],
            [{"queue": 3}, {"queue": 0.5}, {"large": float(1 << 80)}])
        self.assertEqual(
            [event["name"] for event in events if event["ph"] == "i"],
            ["now", "ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"])

    def test_mistakes_are_type_errors(self):
        import ctprof
        for function, *arguments in (
                (ctprof.range,), (ctprof.range, 3), (ctprof.instant, 3),
                (ctprof.counter, "c", "3"), (ctprof.counter, "c"),
                (ctprof.step, 3), (ctprof.range("r"),),
                (lambda: ctprof.range("r")(len, name=3),)):
            with self.assertRaises(TypeError):
                function(*arguments)


if __name__ == "__main__":
    unittest.main()

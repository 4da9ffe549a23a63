# SPDX-License-Identifier: MIT
"""Ranges, instants, counters and steps that programs name; alone, and among the
calls of a trace."""

import unittest

import range_case
import support


class Ranges(range_case.TestCase):
    def test_api_does_nothing_without_a_recording(self):
        self.script(range_case.BEGIN + """
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

    def test_block_left_by_an_exception_ends(self):
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

    def test_trace_replaces_the_call(self):
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

    def test_trace_of_an_object_with_code_is_not_its_call(self):
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

    def test_call_older_than_the_trace_is_recorded(self):
        log = str(self.log)
        support.python(self.script(range_case.BEGIN + f'''
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

    def test_the_range_machinery_is_not_recorded(self):
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

    def test_unended_ranges_are_bounded(self):
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

    def test_arguments_outside_the_nesting(self):
        self.record("""
class Bad:
    def __str__(self): raise ValueError("no text")
@ctprof.range("coroutine", seq=5, size=0.5, big=1 << 70, text="words")
async def coroutine(): pass
@ctprof.range("generator", **{str(i): i for i in range(20)})
def generator(): yield
@ctprof.record_function("function", "words", asynchronous=True)
def function(): pass
@ctprof.range("bad", bad=Bad())
def bad(): yield
with ctprof.range("around"):
    asyncio.run(coroutine())
    list(generator())
    function()
    with ctprof.record_function("label", "more words", asynchronous=True):
        pass
    try:
        list(bad())
    except ValueError:
        pass
""")
        events = {event["name"]: event.get("args")
                  for event in support.chrome(self.log)
                  if event["ph"] in "Xb"}
        self.assertEqual(events.pop("generator"),
                         {str(i): i for i in range(16)})
        self.assertEqual(events, {
            "around": None,
            "coroutine": {"seq": 5, "size": 0.5, "big": str(1 << 70),
                          "text": "words"},
            "function": {"args": "words"},
            "label": {"args": "more words"}})

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

# SPDX-License-Identifier: MIT
"""Generated code is freed while a trace is on, and another code object at its
address has its own name, lines and callers."""
import collections
import unittest

import support

# Defines make(n), a function that nothing else refers to, with a name, a file
# and a line of its call of len() that depend on n. `seen` has the names that
# each address had.
MAKE = """
import collections, gc, os, sys, threading, weakref

SOURCE = '''def function_{n}(call):
{lines}    return len(call())
def inner_{n}():
    return ''
'''
seen = collections.defaultdict(set)

def make(n):
    names = {}
    lines = "\\n" * (n % 40)
    exec(compile(SOURCE.format(n=n, lines=lines), f"file_{n % 7}.py", "exec"),
         names)
    # The functions would live as long as the cycle with their globals.
    made = names.pop(f"function_{n}"), names.pop(f"inner_{n}")
    for function in made:
        seen[id(function.__code__)].add(function.__name__)
    return made

def reused():
    return sum(len(names) > 1 for names in seen.values())
"""

# Threads replace each other's functions and call them, so that one frees code
# which others have called.
THREADS = """
import itertools, random
THREADS, ROUNDS, SHARED = 4, 800, 6
sys.setswitchinterval(1e-5)
numbers = itertools.count()
shared = [None] * SHARED
calls = [collections.Counter() for _ in range(THREADS)]

def work(thread):
    chance = random.Random(thread)
    for _ in range(ROUNDS):
        at = chance.randrange(SHARED)
        if chance.random() < 0.6:
            n = next(numbers)
            shared[at] = n, make(n)
        got = shared[at]
        if got is not None:
            n, (function, inner) = got
            got = None
            function(inner)
            calls[thread][n] += 1
            del function, inner

def run():
    threads = [threading.Thread(target=work, args=(thread,))
               for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


class Generated(support.TestCase):
    def check_ranges(self, log, calls):
        """Every range of a generated function has the callers, lines and file
        of its number, and each is there as often as it was called."""
        counts = collections.Counter()
        for events in self.by_thread(log).values():
            stack = []
            for event in events:
                while stack and stack[-1]["end"] <= event["ts"]:
                    stack.pop()
                event["end"] = event["ts"] + event["dur"]
                counts.update(self.check(event, stack))
                stack.append(event)
        self.assertEqual(counts, calls)

    @staticmethod
    def by_thread(log):
        threads = collections.defaultdict(list)
        for event in support.chrome(log):
            if event["ph"] == "X":
                threads[event["pid"], event["tid"]].append(event)
        for events in threads.values():
            events.sort(key=lambda event: (event["ts"], -event["dur"]))
        return threads

    def check(self, event, stack):
        """The number of the function that the event is a call of, in a list;
        or an empty list."""
        kind, _, number = event["name"].partition("_")
        args = event["args"]
        parent = stack[-1]["name"] if stack else None
        if kind == "function":
            n = int(number)
            self.assertEqual((args["file"], args["line"]),
                             (f"file_{n % 7}.py", 1))
            return [n]
        if kind == "inner":
            n = int(number)
            self.assertEqual(parent, f"function_{n}")
            self.assertEqual(
                (args["file"], args["line"], args["call_line"]),
                (f"file_{n % 7}.py", n % 40 + 3, n % 40 + 2))
        if parent and parent.startswith("function_") and "len" in kind:
            n = int(parent.partition("_")[2])
            self.assertEqual(args["call_line"], n % 40 + 2)
        return []

    @support.each_hook
    def test_code_is_freed_at_once(self, hook):
        text = MAKE + """
start()
function, inner = make(1)
function(inner)
freed = [weakref.ref(function.__code__), weakref.ref(inner.__code__)]
del function, inner
stop()
assert not any(code() for code in freed), freed
"""
        log = self.traced(text, hook)
        self.check_ranges(log, {1: 1})

    @support.each_hook
    def test_code_at_an_old_address_has_its_own_name(self, hook):
        text = MAKE + """
start()
for n in range(400):
    function, inner = make(n)
    function(inner)
    function(inner)
    del function, inner
stop()
assert reused() > 0, len(seen)
"""
        log = self.traced(text, hook)
        self.check_ranges(log, {n: 2 for n in range(400)})

    @support.each_hook
    def test_threads_free_code_that_others_have_called(self, hook):
        text = MAKE + THREADS + """
start()
run()
stop()
assert reused() > 10, len(seen)
with open("calls", "w") as file:
    print(*sum(calls, collections.Counter()).elements(), file=file)
"""
        log = self.traced(text, hook)
        told = (self.work / "calls").read_text(encoding="ascii").split()
        self.check_ranges(log, collections.Counter(map(int, told)))

    @support.each_hook
    def test_code_lives_and_ends_between_traces(self, hook):
        text = MAKE + f"""
start()
kept, inner = make(0)
kept(inner)
for round in range(1, 60):
    function, other = make(2 * round)
    function(other)
    _ctprof.trace_stop()
    kept(inner)
    if round % 2:
        del function, other
    function, other = make(2 * round + 1)
    function(other)
    _ctprof.trace_start(hook={hook!r}, depth=0)
    function(other)
    kept(inner)
    del function, other
stop()
assert reused() > 0, len(seen)
"""
        log = self.traced(text, hook)
        self.check_ranges(log, {0: 60, **{n: 1 for n in range(2, 120)}})

    @support.each_hook
    def test_child_processes_free_code_of_their_parent(self, hook):
        text = MAKE + """
_ctprof.record_start("run.%p.ctp")
_ctprof.trace_start(hook=hook, depth=0)
made = [make(n) for n in range(50)]
for function, inner in made:
    function(inner)
pid = os.fork()
del made, function, inner
for n in range(100, 150):
    function, inner = make(n)
    function(inner)
    del function, inner
if pid:
    _, status = os.waitpid(pid, 0)
    assert status == 0, status
stop()
assert reused() > 0, len(seen)
"""
        self.traced(f"hook = {hook!r}\n" + text, hook)
        logs = list(self.work.glob("run.*.ctp"))
        self.assertEqual(len(logs), 2, logs)
        for log in logs:
            numbers = [*range(100, 150)]
            if support.calls(log)["function_0"] > 0:
                numbers += range(50)
            self.check_ranges(log, {n: 1 for n in numbers})

    @support.each_hook
    def test_code_ends_with_the_interpreter(self, hook):
        text = MAKE + """
class Last:
    def __init__(self, n):
        self.made = make(n)
    def __del__(self):
        self.made[0](self.made[1])
start()
kept = [Last(n) for n in range(20)]
kept.append(kept)
"""
        log = self.traced(text, hook)
        self.check_ranges(log, {n: 1 for n in range(20)})

    @support.each_hook
    def test_without_a_free_watcher_code_is_kept(self, hook):
        text = MAKE + """
import _testcapi
watchers = []
try:
    while True:
        watchers.append(_testcapi.add_code_watcher(0))
except RuntimeError:
    pass
start()
for n in range(100):
    function, inner = make(n)
    function(inner)
    del function, inner
anomalies = stop()
assert not any(anomalies.values()), anomalies
for watcher in watchers:
    _testcapi.clear_code_watcher(watcher)
"""
        try:
            from _testcapi import add_code_watcher
        except ImportError:
            self.skipTest("_testcapi.add_code_watcher() is missing")
        del add_code_watcher
        log = self.traced(text, hook)
        self.check_ranges(log, {n: 1 for n in range(100)})


if __name__ == "__main__":
    unittest.main()

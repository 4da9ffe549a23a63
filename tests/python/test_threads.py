# SPDX-License-Identifier: MIT
"""Every kind of thread is recorded, each on its own stack."""

import collections
import unittest

import support

# The five kinds: the main thread, one that already ran, and later ones from
# threading, from _thread, and made by C.
KINDS = """
import _thread, ctypes, threading

def work_main(): pass
def work_existing(): pass
def work_later(): pass
def work_raw(): pass
def work_c(): pass

def ten(work):
    for _ in range(10):
        work()

def existing():
    ready.set()
    go.wait()
    ten(work_existing)

def raw():
    ten(work_raw)
    done.set()

ready, go, done = (threading.Event() for _ in range(3))
old = threading.Thread(target=existing)
old.start()
ready.wait()
start()
go.set()
old.join()
ten(work_main)
later = threading.Thread(target=ten, args=(work_later,))
later.start()
later.join()
_thread.start_new_thread(raw, ())
done.wait()

@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
def callback(argument):
    ten(work_c)
    return None

library = ctypes.CDLL(None)
thread = ctypes.c_ulong()
assert library.pthread_create(ctypes.byref(thread), None, callback, None) == 0
library.pthread_join(thread, None)
stop()
"""

BUSY = """
import sys, threading

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def numbers(n):
    yield from map(str, range(n))

def busy():
    for _ in range(3):
        fib(9)
        ",".join(numbers(20))
        sorted(range(9), key=lambda n: -n)
        try:
            int("x")
        except ValueError:
            pass

def barrier_busy():
    barrier.wait()
    busy()

threads = int(sys.argv[1])
barrier = threading.Barrier(threads)
sys.setswitchinterval(1e-5)
start()
others = [threading.Thread(target=barrier_busy) for _ in range(threads)]
for other in others:
    other.start()
for other in others:
    other.join()
stop()
"""
BUSY_NAMES = ("fib", "numbers", "busy", "<lambda>")


class Threads(support.TestCase):
    @support.each_hook
    def test_all_five_kinds(self, hook):
        log = self.traced(KINDS, hook)
        seen = collections.defaultdict(collections.Counter)
        for tid, rows in support.ranges(log).items():
            for _, _, name in rows:
                if name.startswith("work_"):
                    seen[name][tid] += 1
        kinds = {"work_main", "work_existing", "work_later", "work_raw",
                 "work_c"}
        self.assertEqual(
            {name: list(counts.values()) for name, counts in seen.items()},
            {name: [10] for name in kinds})
        self.assertEqual(
            len({tid for counts in seen.values() for tid in counts}), 5)

    @support.each_hook
    def test_threads_at_once_are_each_exact(self, hook):
        alone = self.counts(self.traced(BUSY, hook, "1"))
        four = self.counts(self.traced(BUSY, hook, "4"))
        self.assertEqual(len(alone), 8)
        self.assertEqual(four, {what: tuple(4 * each for each in count)
                                for what, count in alone.items()})

    def counts(self, log):
        """The calls of the threads' own functions: all and primitive ones, and
        the same for each edge, including edges to functions of C."""
        functions = support.stats(log)
        mine = {key for key in functions if key[2] in BUSY_NAMES
                and key[0].startswith(str(self.work))}
        counts = {key: functions[key][:2] for key in mine}
        for key, function in functions.items():
            counts.update({(caller, key): edge[:2] for caller, edge
                           in function.callers.items() if caller in mine})
        return counts

    @support.each_hook
    def test_stop_in_another_thread(self, hook):
        text = """
import threading
def work(): pass
def late():
    stop()
start()
work()
other = threading.Thread(target=late)
other.start()
other.join()
work()
"""
        log = self.traced(text, hook)
        self.assertEqual(support.calls(log)["work"], 1)

    @support.each_hook
    def test_daemon_thread_at_exit(self, hook):
        text = """
import threading, time
def work(): pass
def forever():
    work()
    ready.set()
    while True:
        time.sleep(1)
ready = threading.Event()
start()
threading.Thread(target=forever, daemon=True).start()
ready.wait()
"""
        log = self.traced(text, hook)
        counts = support.calls(log)
        self.assertEqual((counts["work"], counts["forever"]), (1, 1))

    @support.each_hook
    def test_busy_daemon_thread_at_exit(self, hook):
        text = """
import threading
def work(): pass
def forever():
    while True:
        work()
        ready.set()
ready = threading.Event()
start()
threading.Thread(target=forever, daemon=True).start()
ready.wait()
"""
        self.assertGreater(support.calls(self.traced(text, hook))["work"],
                           0)

    @support.each_hook
    def test_system_exit_in_a_thread(self, hook):
        text = """
import sys, threading
def leave():
    sys.exit(3)
start()
for _ in range(3):
    thread = threading.Thread(target=leave)
    thread.start()
    thread.join()
stop()
"""
        counts = support.calls(self.traced(text, hook))
        self.assertEqual(counts["leave"], 3)
        self.assertEqual(counts["<built-in method sys.exit>"], 3)

    @support.each_hook
    def test_many_threads_that_come_and_go(self, hook):
        text = """
import threading
def work(): pass
start()
for _ in range(50):
    group = [threading.Thread(target=work) for _ in range(4)]
    for thread in group: thread.start()
    for thread in group: thread.join()
stop()
"""
        self.assertEqual(support.calls(self.traced(text, hook))["work"],
                         200)

    @support.each_hook
    def test_threads_have_their_names(self, hook):
        text = """
import threading
def work(): pass
start()
thread = threading.Thread(target=work, name="the worker")
thread.start()
thread.join()
stop()
"""
        log = self.traced(text, hook)
        names = {event["args"]["name"] for event in support.chrome(log)
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        self.assertIn("the worker", names)

    def test_environment_that_another_thread_changes(self):
        script = self.script("""
import sys, threading, time
from ctprof import _ctprof
def change():
    number = 0
    while not over.is_set():
        number += 1
        child["PYTHONPATH"] = "/%d" % number * 50
_ctprof.follow_children("/site")
child = {"CTPROF_PYTHON": "1"}
over = threading.Event()
others = [threading.Thread(target=change) for _ in range(2)]
for other in others:
    other.start()
until = time.monotonic() + 1
while time.monotonic() < until:
    sys.audit("subprocess.Popen", "true", ["true"], None, child)
over.set()
for other in others:
    other.join()
sys.audit("subprocess.Popen", "true", ["true"], None, child)
assert child["PYTHONPATH"].startswith("/site:/"), child
""")
        support.python("-P", script, env={"PYTHONMALLOC": "debug"})


if __name__ == "__main__":
    unittest.main()
